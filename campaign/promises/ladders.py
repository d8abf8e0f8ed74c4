"""What a value may become, level by level, and what a published label stands for: the words of a policy read again."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from math import floor
from typing import Any

from campaign.promises.case import Value

EVERYTHING = "*"
Ladder = Mapping[Value, tuple[Value, ...]]  # each leaf with its labels from level 0 to the last
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_HALF_OPEN = re.compile(r"\[(-?[0-9.]+), (-?[0-9.]+)\)")
_CLOSED = re.compile(r"(-?[0-9.]+)-(-?[0-9.]+)")
_ONE_SIDED = re.compile(r"(>=|<=|<|>)(-?[0-9.]+)")
_YEARS = re.compile(r"([0-9]{4})-([0-9]{4})")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def ladder(hierarchy: Any, values: Sequence[Value]) -> Ladder | None:
    """The labels of every leaf, or None where the rule follows the data (quantiles, or none given).

    NULL and the empty text keep to themselves until everything is one. The leaves are the values that occur and those
    that a taxonomy lists.

    >>> ladder({"intervals": [10, 20], "top": 50}, ["23", "51", None])
    {'23': ('23', '20-29', '20-39', '*'), '51': ('51', '>=50', '>=50', '*'), None: (None, None, None, '*')}
    >>> ladder({"prefixes": [2, 1]}, ["471"])
    {'471': ('471', '47*', '4**', '*')}
    """
    if not isinstance(hierarchy, Mapping):
        return None
    climb, levels, listed = _rule(hierarchy)
    if climb is None:
        return None
    leaves = dict.fromkeys([*listed, *values])
    between = {leaf: climb(leaf) if leaf else (leaf,) * levels for leaf in leaves}
    return {leaf: (leaf, *between[leaf], EVERYTHING) for leaf in leaves}


Climb = Callable[[str], tuple[Value, ...]]


def _rule(hierarchy: Mapping[str, Any]) -> tuple[Climb | None, int, Sequence[str]]:
    """How a leaf climbs, how many levels lie between itself and everything, and which leaves there are in any case."""
    if "intervals" in hierarchy:
        return lambda leaf: _intervals(leaf, hierarchy), len(hierarchy["intervals"]), ()
    if "cuts" in hierarchy:
        return lambda leaf: tuple(_between(leaf, cuts) for cuts in hierarchy["cuts"]), len(hierarchy["cuts"]), ()
    if "prefixes" in hierarchy:
        return lambda leaf: tuple(_masked(leaf, n) for n in hierarchy["prefixes"]), len(hierarchy["prefixes"]), ()
    if "dates" in hierarchy:
        return lambda leaf: tuple(dated(leaf, level) for level in hierarchy["dates"]), len(hierarchy["dates"]), ()
    if "taxonomy" in hierarchy:
        above = {line[0]: tuple(line[1:]) for line in hierarchy["taxonomy"]}
        return lambda leaf: above[leaf], len(hierarchy["taxonomy"][0]) - 1, list(above)
    if hierarchy.get("flat"):
        return lambda leaf: (), 0, ()
    return None, 0, ()


def _intervals(leaf: str, hierarchy: Mapping[str, Any]) -> tuple[str, ...]:
    number, top, bottom = Decimal(leaf), hierarchy.get("top"), hierarchy.get("bottom")
    if top is not None and number >= Decimal(str(top)):
        return (f">={top}",) * len(hierarchy["intervals"])
    if bottom is not None and number <= Decimal(str(bottom)):
        return (f"<={bottom}",) * len(hierarchy["intervals"])
    labels = []
    for width in hierarchy["intervals"]:
        low = floor(number / width) * width
        high = low + width - 1 if top is None else min(low + width, top) - 1
        low = low if bottom is None else max(low, bottom + 1)
        labels.append(f"{low}-{high}" if low < high else f"{low}")
    return tuple(labels)


def _between(leaf: str, cuts: Sequence[int]) -> str:
    number = Decimal(leaf)
    below = [cut for cut in cuts if cut <= number]
    above = [cut for cut in cuts if cut > number]
    if not below:
        return f"<{above[0]}"
    return f"{below[-1]}-{above[0] - 1}" if above else f">={below[-1]}"


def _masked(leaf: str, length: int) -> str:
    return leaf[:length] + EVERYTHING * (len(leaf) - length)


def dated(leaf: str, level: str) -> str:
    """What a day becomes on a level."""
    year, month = leaf[:4], int(leaf[5:7])
    decade = int(year) // 10 * 10
    labels = {"day": leaf, "month": leaf[:7], "quarter": f"{year}-Q{(month + 2) // 3}", "year": year}
    return labels.get(level, f"{decade}-{decade + 9}")


def covers(label: Value, leaf: Value, hierarchy: Any) -> bool:
    """May a leaf be published as this label?

    >>> covers("20-29", "23", None), covers("{47*, NULL}", None, None), covers("47*", "48", None)
    (True, True, False)
    >>> covers("2024-Q1", "2024-03-05", None), covers("2011-01-01 to 2024-01-01", "2024-03-05", None)
    (True, False)
    >>> covers("2011-04 to 2024-03", "2024-03-05", None), covers("2011-2023", "2024-03-05", None)
    (True, False)
    """
    if label in (EVERYTHING, leaf):
        return True
    if not label:
        return False
    if label.startswith("{"):
        names: Mapping[str, Value] = {"NULL": None, '""': ""}
        return any(covers(names.get(part, part), leaf, hierarchy) for part in label[1:-1].split(", "))
    if not leaf:
        return False
    if isinstance(hierarchy, Mapping) and "taxonomy" in hierarchy:
        return any(line[0] == leaf and label in line[1:] for line in hierarchy["taxonomy"])
    if _DAY.fullmatch(leaf):
        first, to, last = label.partition(" to ")
        levels = ("month", "quarter", "year", "decade")
        if years := _YEARS.fullmatch(label):
            return years[1] <= leaf[:4] <= years[2]
        if not to:
            return label in [dated(leaf, level) for level in levels]
        return first <= (leaf if _DAY.fullmatch(first) else dated(leaf, _level_of(first))) <= last
    if label.endswith(EVERYTHING):
        return len(label) == len(leaf) and all(a in (EVERYTHING, b) for a, b in zip(label, leaf, strict=True))
    return bool(_NUMBER.fullmatch(leaf)) and _within(label, Decimal(leaf))


def _level_of(name: str) -> str:
    return "quarter" if "Q" in name else "month"


def _within(label: str, number: Decimal) -> bool:
    if match := _HALF_OPEN.fullmatch(label):
        return Decimal(match[1]) <= number < Decimal(match[2])
    if match := _CLOSED.fullmatch(label):
        return Decimal(match[1]) <= number <= Decimal(match[2])
    if match := _ONE_SIDED.fullmatch(label):
        sign, end = match[1], Decimal(match[2])
        return {">=": number >= end, "<=": number <= end, "<": number < end, ">": number > end}[sign]
    return False
