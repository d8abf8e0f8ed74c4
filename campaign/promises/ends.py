"""Where published ranges end: never at a value because somebody has it, unless the policy says so.

What a label stands for is read by `covers`; where that changes from one number (or day) to the next, a range ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

from campaign.promises.case import Case, Value
from campaign.promises.ladders import covers, dated, ladder

_NUMBERS = [str(number) for number in range(111)]  # more than occur
_YEARS = (2010, 2011, 2020, 2023, 2024, 2025, 2030)  # all that occur, and where a decade could end
_PERIODS = ("month", "quarter", "year", "decade")


def on_boundaries(case: Case, name: str) -> bool:
    """Does the policy ask for ranges of a column that end on boundaries? Only numbers and days have some."""
    about: Mapping[str, Any] = case.words["attributes"][name]
    word = about.get("ranges", case.words.get("ranges"))
    chosen = bool(word == "hierarchy" if word else about.get("hierarchy") or name.startswith("day"))
    return chosen and name.startswith(("age", "day"))


def wrong_ends(label: Value, hierarchy: Any, column: Sequence[Value]) -> Iterator[str]:
    """Where what a label of numbers or dates stands for begins, or is over, though no boundary is there.

    >>> ages = {"intervals": [5, 10]}
    >>> list(wrong_ends("20-34", ages, [])), list(wrong_ends("{22-34, NULL}", ages, []))
    ([], ['22'])
    >>> list(wrong_ends("2011-02-05 to 2024-03", {"dates": ["month"]}, []))
    ['2011-02-05']
    >>> list(wrong_ends("2011-02 to 2024-03", {"dates": ["quarter"]}, []))
    ['2011-02-01']
    >>> list(wrong_ends(">=30", {"quantiles": 2}, ["20", "30", "40"])), list(wrong_ends("{30, NULL}", ages, ["30"]))
    ([], ['31'])
    """
    if not label or label in column:  # a value by itself
        return
    scale: Sequence[Sequence[str]]
    if hierarchy and "dates" not in hierarchy:
        scale, is_boundary = (_NUMBERS,), _between_numbers(hierarchy, column)
    else:
        levels = hierarchy["dates"] if hierarchy else _PERIODS
        finest = next((level for level in levels if level in _PERIODS), None)
        scale, is_boundary = _days(), lambda before, day: finest is not None and _differ(before, day, finest)
    for stretch in scale:
        for before, at in pairwise(stretch):
            if covers(label, before, hierarchy) != covers(label, at, hierarchy) and not is_boundary(before, at):
                yield at


def _between_numbers(hierarchy: Any, column: Sequence[Value]) -> Callable[[str, str], bool]:
    """Has a rule a boundary between a number and the next one?"""
    if "quantiles" in hierarchy:
        numbers = sorted(int(value) for value in column if value)
        possible = {sum(other < number for other in numbers) for number in numbers} - {0}
        below: set[int] = set()
        for share in range(1, hierarchy["quantiles"]):
            even = Fraction(share * len(numbers), hierarchy["quantiles"])
            least = min((abs(rows - even) for rows in possible), default=0)
            below |= {rows for rows in possible if abs(rows - even) == least}
        return lambda _, at: sum(number < int(at) for number in numbers) in below
    labels = ladder(hierarchy, _NUMBERS)
    if labels is None:
        return lambda *_: False
    level = 1 + (hierarchy.get("intervals", [0])[0] == 1)  # single numbers are no intervals
    return lambda before, at: labels[before][level] != labels[at][level]


def _differ(before: str, day: str, level: str) -> bool:
    return dated(before, level) != dated(day, level)


@cache
def _days() -> tuple[tuple[str, ...], ...]:
    """The days of some years, each year with the last day before and the first one after it."""
    return tuple(
        tuple((date(year, 1, 1) + timedelta(days=i)).isoformat() for i in range(-1, 367 + (year % 4 == 0)))
        for year in _YEARS
    )
