"""Texts that a spreadsheet runs as formulas when it opens a CSV file, and an apostrophe in front that keeps it from it.

What OWASP says of CSV injection: a cell that begins with ``=``, ``+``, ``-``, ``@`` (or their full-width forms), a tab
or a line end may be run. A text that is nothing but a number (``-1``, ``+1.5``) is read as that number, in whatever
column, and does no harm. Whether a text is escaped depends on that text alone: apostrophes say nothing about others.

A text that begins with apostrophes before such a sign gets one more, so that taking one away always gives the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from discreet.engines.sql.quoting import name, text
from discreet.errors import Mistake, ReleaseError

if TYPE_CHECKING:
    from discreet.engines.sql.engine import SqlEngine

ESCAPE = "escape"
_SIGNS = "=+@\\-\\t\\r\\n＝＋－＠"
_NUMBER = "[+-][0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?"
_FORMULA = re.compile(f"[{_SIGNS}]")
_MARKED = re.compile(f"'*[{_SIGNS}]")
_PLAIN = re.compile(_NUMBER)


def is_formula(value: str | None) -> bool:
    """Would a spreadsheet run it?

    >>> [is_formula(value) for value in ("=1+1", "@SUM(A1)", "-10-5", "+1.5", "-", "flu", "", None)]
    [True, True, True, False, True, False, False, False]
    """
    return value is not None and _FORMULA.match(value) is not None and _PLAIN.fullmatch(value) is None


def formulas(values: Iterable[str | None]) -> int:
    """How many of these distinct texts a spreadsheet would run.

    >>> formulas(["flu", "=cmd|'/c calc'!A1", "-1", None])
    1
    """
    return sum(map(is_formula, values))


def escaped(value: str) -> str:
    """The text with an apostrophe in front, where a spreadsheet would run it.

    >>> [escaped(value) for value in ("=1+1", "'=1+1", "-1", "it's")]
    ["'=1+1", "''=1+1", '-1', "it's"]
    """
    return f"'{value}" if _MARKED.match(value) and not _PLAIN.fullmatch(value) else value


def unescaped(value: str) -> str:
    """What an escaped text means.

    >>> [unescaped(escaped(value)) for value in ("=1+1", "'=1+1", "-1", "it's")]
    ['=1+1', "'=1+1", '-1', "it's"]
    """
    return value[1:] if value.startswith("'") and _MARKED.match(value) else value


def formula_sql(value: str) -> str:
    """SQL: would a spreadsheet run this text (in SQL)?"""
    number = f"regexp_full_match({value}, {text(_NUMBER)})"
    return f"regexp_matches({value}, {text(f'^[{_SIGNS}]')}) AND NOT {number}"


def escaped_sql(value: str) -> str:
    """SQL of a text (in SQL) as `escaped` writes it."""
    marked = f"regexp_matches({value}, {text(f'^{chr(39)}*[{_SIGNS}]')})"
    return (
        f"CASE WHEN {marked} AND NOT regexp_full_match({value}, {text(_NUMBER)}) THEN '''' || {value} ELSE {value} END"
    )


def unescaped_sql(value: str) -> str:
    """SQL of what an escaped text (in SQL) means."""
    return (
        f"CASE WHEN regexp_matches({value}, {text(f'^{chr(39)}+[{_SIGNS}]')}) THEN substr({value}, 2) ELSE {value} END"
    )


def written_sql(columns: Mapping[str, str], escape: bool) -> str:
    """SQL of what is written: expressions and the names of their columns, formulas among both with an apostrophe."""
    if not escape:
        return ", ".join(f"{value} AS {name(column)}" for value, column in columns.items())
    texts = {f"CAST({value} AS VARCHAR)": escaped(column) for value, column in columns.items()}
    return ", ".join(f"{escaped_sql(value)} AS {name(column)}" for value, column in texts.items())


def counted_formulas(engine: SqlEngine, columns: Sequence[str]) -> dict[str, int]:
    """Per column of DuckDB's table, how many of its distinct texts a spreadsheet would run: one scan."""
    texts = [f"CAST({name(c)} AS VARCHAR)" for c in columns]
    counts = engine.totals([f"count(DISTINCT {text}) FILTER ({formula_sql(text)})" for text in texts])
    return {column: int(count) for column, count in zip(columns, counts, strict=True)}


def are_escaped(csv: object) -> bool:
    """Are the CSV files of a release escaped, by what its manifest says of them (`csv`)?

    >>> are_escaped(None), are_escaped({"formulas": "escape"})
    (False, True)
    """
    if csv is None:
        return False
    if csv != {"formulas": ESCAPE}:
        rule = "says something about its CSV files that is not known here"
        raise ReleaseError(Mistake("manifest.json", rule, "publish the table again"))
    return True
