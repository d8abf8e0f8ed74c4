"""Conditions on rows as PostgreSQL's SQL; they mean what `conditions` means, sign by sign."""

from __future__ import annotations

from datetime import date

from discreet.engines.postgresql.types import DAYS, WHOLE, written
from discreet.engines.rows import Between, Condition, ListedIn, OneOf
from discreet.engines.sql.quoting import name, text

_BLANK = r"[ \t\n\f\r]*"
_NUMBER = rf"^{_BLANK}[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{{1,3}})?{_BLANK}$"
_YEAR, _TWO = "([0-9]{1,4})", "([0-9]{1,2})"
_YEAR_FIRST = rf"^{_BLANK}{_YEAR}([-/.]){_TWO}\2{_TWO}([T ][^\n]*)?$"
_DAY_FIRST = rf"^{_BLANK}{_TWO}\.{_TWO}\.{_YEAR}([T ][^\n]*)?$"
_LONGEST = 10_000  # digits that a number may have; more would be too many for the server


def condition(row_condition: Condition, kind: str, listed: str = "") -> str:
    """The SQL that is true for the rows which are meant; `listed` is a relation with the values of a file, called v.

    >>> print(condition(OneOf("sex", ("f", None)), "text"))
    ((CAST("sex" AS text) COLLATE "C") IN ('f') OR "sex" IS NULL)
    """
    value = written(name(row_condition.column), kind)
    match row_condition:
        case OneOf(column, values):
            # No value of this server has a zero byte.
            known = ", ".join(text(v) for v in values if v is not None and "\0" not in v)
            wanted = [f"{value} IN ({known})"] if known else []
            wanted += [f"{name(column)} IS NULL"] if None in values else []
            return f"({' OR '.join(wanted or ['false'])})"
        case ListedIn():
            return f"({value} IN (SELECT v FROM {listed} AS listed))"
        case Between(column, least, most):
            days = isinstance(least, date) or isinstance(most, date)
            measured = _day(name(column), value, kind) if days else _number(name(column), value, kind)
            bounds = [f"{sign} {_bound(b)}" for sign, b in ((">=", least), ("<=", most)) if b is not None]
            return f"({' AND '.join(f'coalesce({measured} {bound}, false)' for bound in bounds)})"
    raise TypeError(type(row_condition).__name__)


def _bound(bound: object) -> str:
    if isinstance(bound, date):
        return str(bound.year * 10_000 + bound.month * 100 + bound.day)
    return f"round(CAST({text(str(bound))} AS numeric), 12)"


def _number(column: str, value: str, kind: str) -> str:
    """SQL of the number that a value says, to twelve decimals."""
    if WHOLE.fullmatch(kind):
        return column
    short = f"length({value}) <= {_LONGEST} AND {value} ~ {text(_NUMBER)}"
    return rf"CASE WHEN {short} THEN round(CAST(btrim({value}, E' \t\n\f\r') AS numeric), 12) END"


def _day(column: str, value: str, kind: str) -> str:
    """SQL of the day that a value says, as the number yyyymmdd; the year comes first, unless that is no day."""
    if DAYS.fullmatch(kind):
        day = f"CAST({column} AS date)"
        usual = f"{day} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'"
        return f"CASE WHEN {usual} THEN CAST(to_char({day}, 'YYYYMMDD') AS integer) END"
    return f"""(SELECT coalesce({valid_day("f[1]", "f[3]", "f[4]")}, {valid_day("l[3]", "l[2]", "l[1]")})
        FROM (SELECT CAST(regexp_match({value}, {text(_YEAR_FIRST)}) AS text[]) AS f,
        CAST(regexp_match({value}, {text(_DAY_FIRST)}) AS text[]) AS l OFFSET 0) AS parts)"""


def valid_day(year: str, month: str, day: str) -> str:
    """SQL of the number yyyymmdd, or NULL if there is no such day."""
    y, m, d = (f"CAST({part} AS integer)" for part in (year, month, day))
    leap = f"({y} % 4 = 0 AND ({y} % 100 <> 0 OR {y} % 400 = 0))"
    last = f"CASE {m} WHEN 2 THEN CASE WHEN {leap} THEN 29 ELSE 28 END WHEN 4 THEN 30 WHEN 6 THEN 30"
    last += " WHEN 9 THEN 30 WHEN 11 THEN 30 ELSE 31 END"
    return f"CASE WHEN {m} BETWEEN 1 AND 12 AND {d} BETWEEN 1 AND {last} THEN {y} * 10000 + {m} * 100 + {d} END"
