"""What an engine tells about one column, enough to propose a policy."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ColumnProfile:
    """Counts of one column; `values` are its most frequent values (at most 1,000) with their counts."""

    name: str
    rows: int
    distinct: int
    nulls: int
    values: tuple[tuple[str | None, int], ...]
