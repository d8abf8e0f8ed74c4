"""Columns as an engine describes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from discreet.engines.profile import ColumnProfile


def profile(name: str, values: Iterable[str | None]) -> ColumnProfile:
    """As an engine would describe the column."""
    counts = Counter(values)
    top = sorted(counts.items(), key=lambda item: (-item[1], item[0] is None, item[0] or ""))[:1000]
    return ColumnProfile(name, sum(counts.values()), len(counts), counts[None], tuple(top))
