"""How long a search takes."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")
_TIMES = 3
_SHORT = 1.0  # seconds; what takes longer is run once


def timed(search: Callable[[], T], times: int = _TIMES, clock: Callable[[], float] = perf_counter) -> tuple[T, float]:
    """What it finds, and the seconds it took: the least of three where these are few, for something else may run."""
    result, least = _once(search, clock)
    for _ in range(times - 1):
        if least < _SHORT:
            least = min(least, _once(search, clock)[1])
    return result, least


def _once(search: Callable[[], T], clock: Callable[[], float]) -> tuple[T, float]:
    start = clock()
    return search(), clock() - start
