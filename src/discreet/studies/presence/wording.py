"""Numbers of a claim in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from discreet.labels.figures import percent

Pairs = Sequence[tuple[float, float]]


def fewer(pairs: Pairs) -> tuple[int, int]:
    """In how many pairs the first is the smaller one, of how many."""
    return sum(a < b for a, b in pairs), len(pairs)


def mean_pair(pairs: Pairs) -> str:
    """The means of both, one against the other."""
    return f"{fmean(a for a, _ in pairs):.3f} against {fmean(b for _, b in pairs):.3f}"


def part_of(part: tuple[int, int]) -> str:
    return f"{part[0]} of {part[1]}"


def times(factor: float) -> str:
    """How many times: two digits are enough.

    >>> [times(0.4567), times(12.3), times(4567.0)]
    ['0.46 times', '12 times', '4,600 times']
    """
    rounded = float(f"{factor:.2g}")
    return f"{rounded:,.0f} times" if rounded >= 10 else f"{rounded:g} times"


def two_digits(value: float) -> str:
    return f"{value:.2f}"


def three_digits(value: float) -> str:
    return f"{value:.3f}"


def percents(values: Sequence[float]) -> str:
    return listed(values, percent)


def listed(values: Sequence[float], tell: Callable[[float], str]) -> str:
    """One after the other; a unit that all have is told once."""
    told_each = [tell(v) for v in values]
    unit = " times"
    if len(told_each) > 1 and all(t.endswith(unit) for t in told_each):
        return " and ".join(t.removesuffix(unit) for t in told_each) + unit
    return ", ".join(told_each)


def from_to(values: Sequence[float], tell: Callable[[float], str]) -> str:
    """From the least to the largest.

    >>> from_to([3.0, 1.0, 2.0], times)
    '1 to 3 times'
    """
    least, most = tell(min(values)), tell(max(values))
    return f"{least.removesuffix(' times')} to {most}" if least != most else least
