"""Names and texts, quoted. No SQL is ever built from an unquoted name."""

from __future__ import annotations


def name(column: str) -> str:
    """A column name as SQL.

    >>> print(name('a "b"; DROP TABLE x'))
    "a ""b""; DROP TABLE x"
    """
    return '"' + column.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text as SQL.

    >>> print(text("it's"))
    'it''s'
    """
    return "'" + value.replace("'", "''") + "'"
