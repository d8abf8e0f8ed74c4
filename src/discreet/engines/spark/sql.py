"""Spark's SQL: names, texts, how values are written, and conditions on rows.

Nothing here depends on the settings of a session (time zone, ANSI mode, escapes in texts), which are the user's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from discreet.engines.rows import Between, Condition, ListedIn, OneOf
from discreet.engines.spark.floats import is_double, is_real

_SAFE = re.compile(r"[ !#%&()*+,./0-9:;<=>?@A-Z\[\]^_a-z{|}~-]*")  # no quote, no backslash, no ${…}
_PLAIN = re.compile(r"string|(tiny|small|big)?int|boolean|date|timestamp(_ntz)?|time\(\d\)|void")
_FLOATS: Mapping[str, Callable[[str], bool]] = {"double": is_double, "float": is_real}
_DAY = 86_400_000_000  # microseconds

# A number is what hierarchies take for one: 1,000 and nan and 0x1f are not.
_BLANK = r"[ \t\n\f\r]*"
_NUMBER = rf"\A{_BLANK}[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]{{1,3}})?{_BLANK}\z"
_EXACT = "DECIMAL(38, 12)"
# The time of day, behind it, does not matter; with slashes and the year behind, nobody knows which is the month.
_DAYS = {
    rf"\A{_BLANK}([0-9]{{1,4}})-([0-9]{{1,2}})-([0-9]{{1,2}})(?:[T ][^\n]*)?\z": (1, 2, 3),
    rf"\A{_BLANK}([0-9]{{1,4}})/([0-9]{{1,2}})/([0-9]{{1,2}})(?:[T ][^\n]*)?\z": (1, 2, 3),
    rf"\A{_BLANK}([0-9]{{1,4}})[.]([0-9]{{1,2}})[.]([0-9]{{1,2}})(?:[T ][^\n]*)?\z": (1, 2, 3),
    rf"\A{_BLANK}([0-9]{{1,2}})[.]([0-9]{{1,2}})[.]([0-9]{{3,4}})(?:[T ][^\n]*)?\z": (3, 2, 1),
}


def name(column: str) -> str:
    """A column name as SQL.

    >>> print(name("a `b`; DROP TABLE x"))
    `a ``b``; DROP TABLE x`
    """
    return "`" + column.replace("`", "``") + "`"


def text(value: str) -> str:
    """A text as SQL. Backslashes and dollars mean one thing or another to a session; bytes do not.

    >>> print(text("it is"), text("it's"))
    'it is' CAST(X'69742773' AS STRING)
    """
    if _SAFE.fullmatch(value) and "--" not in value:
        return f"'{value}'"
    return f"CAST(X'{value.encode().hex()}' AS STRING)"


def is_float(kind: str) -> bool:
    """Are numbers of this type floating-point: no one text in SQL?"""
    return kind in _FLOATS


def readable(kind: str) -> bool:
    """Can values of this type be told by a text?

    >>> [readable(kind) for kind in ("bigint", "decimal(5,2)", "array<int>", "string collate UNICODE_CI")]
    [True, True, False, True]
    """
    return bool(_PLAIN.fullmatch(kind)) or is_float(kind) or kind.startswith(("decimal", "string")) or kind == "binary"


def key(value: str, kind: str) -> str:
    """What rows are counted by: to Spark 0.0 is −0.0, and texts with a collation are others that look like them."""
    return written(value, kind) if is_float(kind) or kind.startswith("string ") else value


def written(value: str, kind: str) -> str:
    """A value as text."""
    if kind == "string":
        return value
    if kind == "timestamp":
        return _moment(f"unix_micros({value})")
    if kind == "binary":
        return f"hex({value})"
    if kind.startswith("decimal"):
        return _decimal(f"CAST({value} AS STRING)", int(kind.rstrip(")").rpartition(",")[2]))
    return f"CAST({value} AS STRING)"


def bytes_text(digits: str) -> str:
    """Bytes as text, from their hexadecimal digits: signs of ASCII stand for themselves, the others are ``\\x00``.

    >>> print(bytes_text("6120FF5C"))
    a \\xFF\\x5C
    """
    return "".join(chr(b) if 32 <= b < 127 and chr(b) not in "\\'\"" else f"\\x{b:02X}" for b in bytes.fromhex(digits))


def bytes_said(said: str) -> bytes:
    """The bytes of such a text.

    >>> bytes_said("a \\\\xFF")
    b'a \\xff'
    """
    return re.sub(r"\\x([0-9A-F]{2})", lambda byte: chr(int(byte[1], 16)), said).encode("latin-1")


def sought(said: str, kind: str) -> str:
    """The text of a value as `written` has it, from its text as every engine has it."""
    if is_float(kind):
        return f"CAST(TRY_CAST({said} AS {kind.upper()}) AS STRING)"
    return said


def _decimal(said: str, scale: int) -> str:
    """Without ANSI mode Spark writes 1E-7 for 0.0000001: its digits again, after as many zeros as the scale asks."""
    if scale <= 6:
        return said
    digits = f"lpad(translate(substring_index({said}, 'E', 1), '-.', ''), {scale}, '0')"
    zero = f"CASE WHEN {said} LIKE '-%' THEN '-0.' ELSE '0.' END"
    return f"CASE WHEN {said} LIKE '%E%' THEN concat({zero}, {digits}) ELSE {said} END"


def _moment(micros: str) -> str:
    """A moment in UTC: digits by arithmetic, since a cast would write the time of the session's zone."""
    second = f"pmod({micros}, {_DAY}) div 1000000"
    two = [f"lpad(CAST({part} AS STRING), 2, '0')" for part in _clock(second)]
    rest = f"lpad(CAST(pmod({micros}, 1000000) AS STRING), 6, '0')"
    fraction = f"CASE WHEN pmod({micros}, 1000000) = 0 THEN '' ELSE concat('.', rtrim('0', {rest})) END"
    return (
        f"concat(CAST({_day_in_utc(micros)} AS STRING), ' ', {two[0]}, ':', {two[1]}, ':', {two[2]}, {fraction}, '+00')"
    )


def _day_in_utc(micros: str) -> str:
    return f"date_from_unix_date(CAST(({micros} - pmod({micros}, {_DAY})) div {_DAY} AS INT))"


def day_of(column: str, kind: str) -> str | None:
    """SQL of the days of a column of dates or moments (in SQL); None if its type is another."""
    if kind == "timestamp":
        return _day_in_utc(f"unix_micros({column})")
    return f"CAST({column} AS DATE)" if kind in ("date", "timestamp_ntz") else None


def _clock(second: str) -> tuple[str, str, str]:
    return f"(({second}) div 3600)", f"pmod(({second}) div 60, 60)", f"pmod({second}, 60)"


def condition(row_condition: Condition, kind: str, lists: Mapping[ListedIn, str]) -> str:
    """The SQL that is true for the rows which are meant; `kind` is the column's type, `lists` have values called v.

    >>> print(condition(OneOf("sex", ("f", None)), "string", {}))
    (`sex` IN ('f') OR `sex` IS NULL)
    """
    value = written(name(row_condition.column), kind)
    match row_condition:
        case OneOf(column, values):
            known = ", ".join(sought(text(v), kind) for v in values if v is not None and sayable(v, kind))
            wanted = [f"{value} IN ({known})"] if known else []
            wanted += [f"{name(column)} IS NULL"] if None in values else []
            return f"({' OR '.join(wanted or ['FALSE'])})"
        case ListedIn():
            return f"({value} IN (SELECT {sought('v', kind)} FROM {lists[row_condition]}))"
        case Between(_, least, most):
            bounds = [f">= {_bound(least)}"] if least is not None else []
            bounds += [f"<= {_bound(most)}"] if most is not None else []
            if isinstance(least, date) or isinstance(most, date):
                return _between_days(name(row_condition.column), kind, bounds)
            return f"({' AND '.join(_compared(value, bound) for bound in bounds)})"
    raise TypeError(type(row_condition).__name__)


def sayable(said: str, kind: str) -> bool:
    """May a value of this type have this text? Floating-point numbers are found by value, but have only one text."""
    return _FLOATS[kind](said) if kind in _FLOATS else True


def _bound(bound: object) -> str:
    return f"DATE '{bound.isoformat()}'" if isinstance(bound, date) else f"CAST({text(str(bound))} AS {_EXACT})"


def _between_days(column: str, kind: str, bounds: Sequence[str]) -> str:
    day = day_of(column, kind)
    if day is not None:  # years of more digits can't be read as days
        bounds = [*bounds, "<= DATE '9999-12-31'"]
    else:
        value = written(column, kind)
        day = f"COALESCE({', '.join(_day(value, pattern, places) for pattern, places in _DAYS.items())})"
    return f"({' AND '.join(f'{day} {bound}' for bound in bounds)})"


def _compared(value: str, bound: str) -> str:
    # What is too large to be exact is far from every bound, so that its rounding does not matter.
    exact, rounded = f"TRY_CAST({value} AS {_EXACT}) {bound}", f"TRY_CAST({value} AS DOUBLE) {_double(bound)}"
    return f"({value} RLIKE {text(_NUMBER)} AND COALESCE({exact}, {rounded}))"


def _double(bound: str) -> str:
    sign, _, number = bound.partition(" ")
    return f"{sign} CAST({number} AS DOUBLE)"


def _day(value: str, pattern: str, places: tuple[int, int, int]) -> str:
    """The day that a text says in one of the ways to write it, else NULL."""
    parts = (f"regexp_extract({value}, {text(pattern)}, {place})" for place in places)
    padded = (f"lpad({part}, {width}, '0')" for part, width in zip(parts, (4, 2, 2), strict=True))
    return f"CASE WHEN {value} RLIKE {text(pattern)} THEN TRY_CAST(concat_ws('-', {', '.join(padded)}) AS DATE) END"
