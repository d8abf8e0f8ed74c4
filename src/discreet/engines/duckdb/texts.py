"""How DuckDB writes values as text so that they look as everywhere else."""

from __future__ import annotations


def as_text(value: str, kind: str) -> str:
    """SQL of the text of a value (in SQL) of a type.

    A whole number is written as one, also in a column of floating-point numbers: there may be a NaN among them, which
    is why they are not whole numbers to whoever made the column.

    >>> print(as_text("x", "BIGINT"))
    CAST(x AS VARCHAR)
    """
    text = f"CAST({value} AS VARCHAR)"
    return f"CASE WHEN suffix({text}, '.0') THEN left({text}, -2) ELSE {text} END" if is_float(kind) else text


def is_float(kind: str) -> bool:
    """Are numbers of this type floating-point?"""
    return kind in ("FLOAT", "DOUBLE")
