"""What every attack on associations starts from: a tally summed up by group, and the table that groups are held to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import IntArray
from discreet.audit.promises.registry import reading_of
from discreet.audit.reading.published_as import order_of
from discreet.audit.reading.view import ReleaseView, Tally

EVERYTHING = "*"
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True, eq=False)
class Summed:
    """A tally by group: how many values were counted, how many different ones, and how often the first and second do.

    >>> tally = Tally("disease", ("flu", "cold"), np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([3, 1, 2]))
    >>> summed = summed_up(tally, 2)
    >>> summed.total.tolist(), summed.distinct.tolist(), summed.largest.tolist(), summed.second.tolist()
    ([4, 2], [2, 1], [3, 2], [1, 0])
    """

    tally: Tally
    total: IntArray
    distinct: IntArray
    largest: IntArray
    second: IntArray


def summed_up(tally: Tally, groups: int) -> Summed:
    """Sum a tally up by group; a group that it says nothing of has zeros."""
    order = np.lexsort((-tally.count, tally.group))
    group, count = tally.group[order], tally.count[order]
    place = place_in_group(group)
    largest, second = np.zeros(groups, dtype=np.int64), np.zeros(groups, dtype=np.int64)
    largest[group[place == 0]] = count[place == 0]
    second[group[place == 1]] = count[place == 1]
    total = np.bincount(group, weights=count, minlength=groups).astype(np.int64)
    return Summed(tally, total, np.bincount(group, minlength=groups), largest, second)


def protected(view: ReleaseView, tally: Tally) -> NDArray[np.bool_]:
    """The values of an attribute that the release promises something about: all, unless its promises name some."""
    return protected_among(view, tally.attribute, tally.values)


def protected_among(view: ReleaseView, attribute: str, among: Sequence[str | None]) -> NDArray[np.bool_]:
    """The same, of any values that the attribute may have."""
    named: set[str | None] = set()
    for promise in view.promises:
        reading = reading_of(promise.model)
        if reading is not None and reading.of_values and promise.attribute in (None, attribute):
            values = promise.parameters.get("values")
            if values is None:
                return np.ones(len(among), dtype=np.bool_)
            for value in values if isinstance(values, list | tuple) else [values]:
                named |= {*value} if isinstance(value, list | tuple) else {value}
    return np.array([value in named for value in among], dtype=np.bool_)


def place_in_group(group: IntArray) -> IntArray:
    """For entries that are sorted by group: the first, the second, … of its group, from 0.

    >>> place_in_group(np.array([0, 0, 0, 3, 3])).tolist()
    [0, 1, 2, 0, 1]
    """
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    lengths = np.diff(np.append(starts, len(group)))
    return np.arange(len(group)) - np.repeat(starts, lengths)


@dataclass(frozen=True, eq=False)
class Whole:
    """The table that groups are compared with: how much weight each value has. `values` begin as those of the tally."""

    values: tuple[str | None, ...]
    weight: IntArray

    @property
    def total(self) -> int:
        return int(self.weight.sum())


def whole_table(tally: Tally) -> Whole:
    """The table's distribution as far as it is published: the release's own."""
    if tally.whole is not None:
        return Whole(*tally.whole)
    published = np.bincount(tally.value, weights=tally.count, minlength=len(tally.values)).astype(np.int64)
    return Whole(tally.values, published)


def in_order(view: ReleaseView, attribute: str, values: tuple[str | None, ...]) -> list[int]:
    """The places of values in their order: that of the hierarchy the release tells, else numbers by size, then texts.

    In a hierarchy, values that become one on some level stand together. The empty text and NULL come last.

    >>> view = ReleaseView("generalization", (), np.array([4]), ())
    >>> in_order(view, "rank", ("10", "9", "low", None))
    [1, 0, 2, 3]
    """
    paths = view.hierarchies.get(attribute, ())
    first: dict[tuple[int, str | None], int] = {}
    for i, path in enumerate(paths):
        for level, name in enumerate(path):
            first.setdefault((level, name), i)
    rank_of = {path[0]: tuple(first[level, path[level]] for level in reversed(range(len(path)))) for path in paths}
    rule = dict(view.manifest.get("hierarchies") or {}).get(attribute)
    intervals = isinstance(rule, dict) and isinstance(of := rule.get("labels"), dict) and "dates" not in of

    def rank(place: int) -> tuple[int, tuple[Fraction | int, ...], Decimal, str]:
        value = values[place]
        if value in rank_of:
            return 0, rank_of[value], Decimal(0), ""
        if value is None or value == "":
            return 3, (int(value is None),), Decimal(0), ""
        if intervals and (ends := order_of(value)) is not None:
            return 1, ends[:2], Decimal(0), value
        number = Decimal(value) if _NUMBER.fullmatch(value) else None
        return (1, (), number, value) if number is not None else (2, (), Decimal(0), value)

    return sorted(range(len(values)), key=rank)


def levels_of(view: ReleaseView, attribute: str, values: tuple[str | None, ...]) -> list[list[str | None]] | None:
    """What each value is called on every level below everything, the values themselves first.

    Without a hierarchy there is no other level: any two values are equally far apart. None where there is one, but the
    release does not tell value by value what they become.
    """
    rule = dict(view.manifest.get("hierarchies") or {}).get(attribute)
    if attribute not in view.hierarchies and rule and "flat" not in rule:
        return None
    paths = {path[0]: path for path in view.hierarchies.get(attribute, ())}
    height = min((len(path) for path in paths.values()), default=1)
    named = [paths.get(value, (value,) * height) for value in values]
    levels = [[path[level] for path in named] for level in range(height)]
    return [names for names in levels if set(names) != {EVERYTHING}] or levels[:1]
