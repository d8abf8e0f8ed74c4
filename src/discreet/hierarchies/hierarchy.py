"""A hierarchy: what each value of an attribute may become, level by level.

Level 0 is the value itself, the last level is ``*``. Leaves are numbered so that whatever a value may become is a
*contiguous range of leaves*. So a published value is always a pair (first leaf, last leaf), be it a node of a
taxonomy or an interval of numbers; its loss and its common ancestor need no more than these two numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Protocol, runtime_checkable

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.hierarchies.texts import EVERYTHING, Value, possible_ends, set_text, span

__all__ = ["EVERYTHING", "Codes", "Hierarchy", "IntArray", "Rule", "Value"]


@runtime_checkable
class Rule(Protocol):
    """How one value climbs: a recipe that also places values nobody has seen yet."""

    def path(self, value: Value) -> tuple[Value, ...]:
        """What `value` becomes at level 1, 2, …, up to but without the final ``*``.

        Raises `Misfit` (in `base`) for a value it can't place.
        """

    def order(self, value: Value) -> tuple[object, ...]:
        """Sort key of a leaf among the leaves."""

    def extra_leaves(self) -> Sequence[Value]:
        """Leaves of the domain that need not occur in the data."""

    def to_words(self) -> object:
        """The rule in the words of a policy."""

    @property
    def ordered(self) -> bool:
        """Are the leaves numbers or dates?"""

    @property
    def ranges(self) -> bool:
        """May any run of neighbouring leaves be published, as ``20-39`` or ``{a, b}``? Else only nodes."""


@runtime_checkable
class Bounded(Rule, Protocol):
    """A rule for numbers or dates whose levels have boundaries that don't depend on which values there are."""

    @property
    def unit(self) -> int:
        """The finest level whose values stand for several ones each: where ranges may end."""

    def joined(self, first: str, last: str, level: int) -> tuple[str, ...]:
        """What is written for all from what `first` becomes at a level to what `last` does, both included.

        One text, or several that say it together.
        """

    def stand_in(self, value: str, level: int) -> str:
        """A value that becomes the same at a level, and tells nothing else of the one that is given."""


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The levels of one attribute, coded.

    `codes[level][leaf]` is the number of the value that `leaf` becomes at `level`; `labels[level]` is what is published
    for each of them when a whole column is published at that level. (`labels[0]` are the leaves, but for a leaf that
    looks like ``*``.)

    Where runs of leaves may be published, they are made of whole values of level `unit`: 0 if they may begin and end at
    any leaf. Else a range ends on a boundary of the hierarchy, and never at a value because somebody has it.
    """

    attribute: str
    rule: Rule
    leaves: tuple[Value, ...]
    codes: tuple[Codes, ...]
    labels: tuple[tuple[Value, ...], ...]
    unit: int = 0

    @property
    def height(self) -> int:
        """The number of the last level, where everything is ``*``."""
        return len(self.codes) - 1

    @property
    def ordered(self) -> bool:
        """Are the leaves numbers or dates, so that a range of them is written ``20-39``?"""
        return self.rule.ordered

    @property
    def ranges(self) -> bool:
        """May any run of neighbouring leaves be published? Else only nodes of the hierarchy."""
        return self.rule.ranges

    @cached_property
    def index(self) -> dict[Value, int]:
        """Leaf number of each value."""
        return {value: i for i, value in enumerate(self.leaves)}

    @cached_property
    def first(self) -> tuple[Codes, ...]:
        """`first[level][code]` is the first leaf of that value."""
        return tuple(
            np.searchsorted(c, np.arange(len(n))).astype(np.int32) for c, n in zip(self.codes, self.labels, strict=True)
        )

    @cached_property
    def last(self) -> tuple[Codes, ...]:
        """`last[level][code]` is the last leaf of that value."""
        return tuple(
            (np.searchsorted(c, np.arange(len(n)), side="right") - 1).astype(np.int32)
            for c, n in zip(self.codes, self.labels, strict=True)
        )

    def sizes(self, level: int) -> IntArray:
        """How many leaves each value of `level` stands for."""
        return np.bincount(self.codes[level], minlength=len(self.labels[level])).astype(np.int64)

    def climb(self, lower: int, upper: int) -> Codes:
        """What each value of level `lower` becomes at level `upper`."""
        return self.codes[upper][self.first[lower]]

    def common_level(self, low: int, high: int) -> int:
        """The lowest level at which two leaves are the same value."""
        return next(level for level, c in enumerate(self.codes) if c[low] == c[high])

    def cover(self, low: int, high: int) -> tuple[int, int]:
        """The smallest publishable range of leaves that holds both: a leaf, a node, or neighbours of level `unit`."""
        of_unit = self.codes[self.unit]
        if self.ranges and of_unit[low] != of_unit[high]:
            return int(self.first[self.unit][of_unit[low]]), int(self.last[self.unit][of_unit[high]])
        level = self.common_level(low, high)
        code = self.codes[level][low]
        return int(self.first[level][code]), int(self.last[level][code])

    def label(self, low: int, high: int) -> Value:
        """The text that is published for a range of leaves.

        One text never stands for two different ranges of the hierarchy, so that levels can be mixed in a column. A
        leaf is published as itself, a node of the hierarchy under its name, everything as ``*``, any other range of
        numbers as ``20-39``, with NULL as ``{20-39, NULL}``, of other values as ``{a, b}``. A name that means something
        else on another level, or is a leaf too, gives way to the set of its leaves. Ranges of whole nodes (`unit`) are
        written with the ends of these.
        """
        if low == high:
            return self.labels[0][low]
        if low == 0 and high == len(self.leaves) - 1:
            return EVERYTHING
        for level in range(1, self.height):
            code = self.codes[level][low]
            name: Value = self.labels[level][code]
            if self.last[level][code] == high and self._meanings(name) == {(low, high)}:
                return name
        texts = self._written(low, high)
        if self.unit and self.leaves[low]:
            of_unit = self.codes[self.unit]
            if of_unit[low] != of_unit[high]:
                return self._joined(low, high)
            # One day or number, written in several ways, and its name is one of these.
            texts = (set_text(self.leaves[low : high + 1], braces) for braces in count(1))
        return next(text for text in texts if self._means_only(text, low, high))

    def _joined(self, low: int, high: int) -> str:
        """A run of whole nodes, maybe with the empty string and NULL, which follow all others."""
        assert isinstance(self.rule, Bounded)
        last = self.last_filled(low, high)
        blanks = self.leaves[last + 1 : high + 1]
        if last > low and blanks and (name := self.label(low, last)) and name[0] != "{":
            members: tuple[Value, ...] = (name,)
        else:
            members = self.rule.joined(self.leaves[low] or "", self.leaves[last] or "", self.unit)
        if len(members) == 1 and not blanks:
            return str(members[0])
        texts = (set_text((*members, *blanks), braces) for braces in count(1))
        return next(text for text in texts if self._meanings(text) <= {(low, high)})

    def last_filled(self, low: int, high: int) -> int:
        """The last leaf of a range of numbers or dates without NULL and the empty string, which follow all of them."""
        while self.ordered and high > low and not self.leaves[high]:
            high -= 1
        return high

    def _written(self, low: int, high: int) -> Iterator[str]:
        """Ways to write a range of several leaves, the best first; sets with more and more braces never end."""
        members: Sequence[Value] = self.leaves[low : high + 1]
        if self.ordered:
            first, last = self.leaves[low], self.leaves[high]
            if first and last:
                yield span(first, last)
            filled = len(members) - sum(not value for value in members[-2:])
            if 1 < filled < len(members) and all(members[:filled]):
                members = (self.label(low, low + filled - 1), *members[filled:])
        for braces in count(1):
            yield set_text(members, braces)

    def _means_only(self, text: str, low: int, high: int) -> bool:
        """Would nobody take `text` for another leaf, another node or another range of numbers?"""
        meanings = self._meanings(text)
        if self.ordered:
            ends = [(self.index.get(a), self.index.get(b)) for a, b in possible_ends(text)]
            meanings = meanings | {(a, b) for a, b in ends if a is not None and b is not None and a < b}
        return meanings <= {(low, high)}

    def _meanings(self, name: Value) -> set[tuple[int, int]]:
        """All the ranges that a name stands for on any level below the last."""
        codes = ((level, names.get(name)) for level, names in enumerate(self._names))
        return {
            (int(self.first[level][code]), int(self.last[level][code])) for level, code in codes if code is not None
        }

    @cached_property
    def _names(self) -> tuple[dict[Value, int], ...]:
        """The number of each name, level by level below the last; names of one level differ."""
        own = self.index if self.labels[0] == self.leaves else {name: i for i, name in enumerate(self.labels[0])}
        others = ({name: code for code, name in enumerate(names)} for names in self.labels[1:-1])
        return (own, *others)
