"""Conditions on rows as DuckDB's SQL."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from discreet.engines.rows import Between, Condition, ListedIn, OneOf
from discreet.engines.sql.quoting import name, text

# A number is what hierarchies take for one: 1,000 and nan and 0x1f are not.
_NUMBER = r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?\s*"
_EXACT = "DECIMAL(38, 12)"
_DAY = r"^\s*([0-9./-]+)(?:[T ].*)?$"  # the time of day, behind it, does not matter
_DAYS = "['%Y-%m-%d', '%Y/%m/%d', '%Y.%m.%d', '%d.%m.%Y']"  # with slashes, nobody knows which is the month


def condition(row_condition: Condition, value: str, lists: Mapping[ListedIn, str]) -> str:
    """The SQL that is true for the rows which are meant; `value` is the column's text (in SQL).

    `lists` are tables with the values of files, called v.

    >>> print(condition(OneOf("sex", ("f", None)), 'CAST("sex" AS VARCHAR)', {}))
    (CAST("sex" AS VARCHAR) IN ('f') OR "sex" IS NULL)
    """
    match row_condition:
        case OneOf(column, values):
            known = ", ".join(text(v) for v in values if v is not None)
            wanted = [f"{value} IN ({known})"] if known else []
            wanted += [f"{name(column)} IS NULL"] if None in values else []
            return f"({' OR '.join(wanted)})"
        case ListedIn():
            return f"({value} IN (SELECT v FROM {lists[row_condition]}))"
        case Between(_, least, most):
            bounds = [f">= {_bound(least)}"] if least is not None else []
            bounds += [f"<= {_bound(most)}"] if most is not None else []
            days = isinstance(least, date) or isinstance(most, date)
            return f"({' AND '.join(_compared(value, bound, days) for bound in bounds)})"
    raise TypeError(type(row_condition).__name__)


def _bound(bound: object) -> str:
    return f"DATE {text(bound.isoformat())}" if isinstance(bound, date) else f"CAST({text(str(bound))} AS {_EXACT})"


def _compared(value: str, bound: str, days: bool) -> str:
    if days:
        return f"CAST(TRY_STRPTIME(regexp_extract({value}, {text(_DAY)}, 1), {_DAYS}) AS DATE) {bound}"
    # What is too large to be exact is far from every bound, so that its rounding does not matter.
    exact, rounded = (f"TRY_CAST({value} AS {kind}) {bound}" for kind in (_EXACT, "DOUBLE"))
    return f"(regexp_full_match({value}, {text(_NUMBER)}) AND COALESCE({exact}, {rounded}))"
