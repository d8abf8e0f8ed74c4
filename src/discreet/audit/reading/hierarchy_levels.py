"""What a column looks like at a level of its hierarchy, by the rule that the release itself tells.

Written from the description of the rules, not with the code that made the release.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from discreet.arrays import IntArray
from discreet.audit.reading.labels import number

Text = str | None

_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ].*)?")


def at_level(words: Mapping[str, Any], level: int, values: Sequence[Text]) -> IntArray | None:
    """A number for what each value is at a level, equal for values that can't be told apart there.

    None if the rule is one that can't be followed. NULL and the empty text have a place of their own.

    >>> at_level({"intervals": [5, 10]}, 2, ["31", "38", "40", None]).tolist()
    [0, 0, 1, 2]
    >>> at_level({"prefixes": [4, 3]}, 1, ["47106", "47109", "47201"]).tolist()
    [0, 0, 1]
    """
    known: Mapping[Text, Hashable] = {}
    if level == 0:
        named: Callable[[Text], Hashable] | None = lambda value: value  # noqa: E731
    elif "taxonomy" in words:
        paths = {row[0]: row for row in ((*map(_text, path), "*") for path in words["taxonomy"])}
        known = {value: path[min(level, len(path) - 1)] for value, path in paths.items()}
        named = known.get if {*values} <= known.keys() else None
    else:
        named = _rule(words, level)
    if named is None:
        return None
    place: dict[Hashable, int] = {}
    numbers = []
    for value in values:
        try:
            name = ("", value) if value in (None, "") and not known else named(value)
        except ValueError:
            return None
        numbers.append(place.setdefault(name, len(place)))
    return np.array(numbers, dtype=np.int64)


def _text(cell: object) -> Text:
    return None if cell is None else str(cell)


def _rule(words: Mapping[str, Any], level: int) -> Callable[[Text], Hashable] | None:
    """The name of a value at a level from 1 on; what lies beyond the last level is one and the same."""
    for word, rule in _RULES.items():
        if word in words:
            steps = words[word]
            if not isinstance(steps, list) or level > len(steps):
                return lambda value: "*"
            return rule(words, steps[level - 1])
    return (lambda value: "*") if "flat" in words else None


def _intervals(words: Mapping[str, Any], width: Any) -> Callable[[Text], Hashable]:
    origin, top, bottom = float(words.get("origin", 0)), words.get("top"), words.get("bottom")

    def name(value: Text) -> Hashable:
        n = _number(value)
        if top is not None and n >= float(top):
            return "top"
        if bottom is not None and n <= float(bottom):
            return "bottom"
        return int((n - origin) // float(width))

    return name


def _cuts(words: Mapping[str, Any], cuts: Any) -> Callable[[Text], Hashable]:
    points = sorted(float(cut) for cut in cuts)
    return lambda value: bisect_right(points, _number(value))


def _prefixes(words: Mapping[str, Any], length: Any) -> Callable[[Text], Hashable]:
    return lambda value: (value or "")[: int(length)]


def _dates(words: Mapping[str, Any], unit: Any) -> Callable[[Text], Hashable]:
    def name(value: Text) -> Hashable:
        match = _DAY.fullmatch(value or "")
        if match is None:
            raise ValueError("not a date that begins with the year")
        year, month, day = int(match[1]), int(match[2]), int(match[3])
        return {
            "day": (year, month, day),
            "month": (year, month),
            "quarter": (year, (month - 1) // 3),
            "year": year,
            "decade": year // 10,
        }[unit]

    return name


_RULES: dict[str, Callable[[Mapping[str, Any], Any], Callable[[Text], Hashable]]] = {
    "intervals": _intervals,
    "cuts": _cuts,
    "prefixes": _prefixes,
    "dates": _dates,
}


def _number(value: Text) -> float:
    size = number(value)
    if size is None:
        raise ValueError("not a number")
    return size
