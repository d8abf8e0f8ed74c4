"""The values that a file lists, for engines that can't see our files: DuckDB reads them."""

from __future__ import annotations

from typing import Any

from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.rows import ListedIn


def listed_values(listing: ListedIn) -> Any:
    """The distinct values of the column that is asked for, or of the only one: an Arrow table, column v."""
    return DuckDB({"v": []}).listed_values(listing)
