"""Presence over all groups together, without a list of the people: how much do the chances of all groups add up to?

She knows the values of somebody, and every group that lists all of them may have him, with |G| / Π mᵢ each. Nobody is
in two groups, so these chances add up. This finds the combination with the largest sum, or says what it is at most. It
goes down one table after the other, always on where the heaviest value weighs least, and never where the groups that
are left weigh no more than what was found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from discreet.arrays import FloatArray, IntArray, number_equal
from discreet.audit.reading.view import ReleaseView

_WORK = 50_000_000  # entries that are looked at before a bound must do: some seconds
SLACK = 1e-9  # relative: sums nearer than this to what they are held against are added up in fractions


@dataclass(frozen=True, eq=False)
class AddedUp:
    """The largest sum is at least `least` and at most `most` (1 at most, both); one of the groups it is of is `group`.

    `holds` says whether all sums are α at most, exactly; None if that was not found out.
    """

    least: float
    most: float
    group: int
    holds: bool | None


@dataclass(frozen=True, eq=False)
class Listing:
    """A table: group g lists the values ``value[start[g]:start[g + 1]]``, numbered from 0."""

    start: IntArray
    value: IntArray

    @classmethod
    def of(cls, group: IntArray, columns: Sequence[IntArray], groups: int) -> Listing:
        """From the rows of a table; a value that a group lists twice counts once."""
        value = number_equal(columns, len(group))
        pair = np.unique(group * (int(value.max(initial=0)) + 1) + value)
        by_group, value = np.divmod(pair, int(value.max(initial=0)) + 1)
        return cls(np.searchsorted(by_group, np.arange(groups + 1)), value)

    def entries(self, some: IntArray) -> tuple[IntArray, IntArray]:
        """The values that some groups list, and for each which of these groups lists it."""
        many = self.start[some + 1] - self.start[some]
        group = np.repeat(np.arange(len(some)), many)
        within = np.arange(len(group)) - np.repeat(np.cumsum(many) - many, many)
        return self.value[self.start[some][group] + within], some[group]


@dataclass(eq=False)
class _Way:
    """What was found so far: the largest sum, a group of it, and what is left open where work came to its end."""

    listings: tuple[Listing, ...]
    chance: FloatArray
    exact: list[tuple[int, int]]  # per group, its rows and the combinations that they stand for
    floor: float
    above: Fraction | None  # look for a sum above it, exactly
    work: int
    best: float = 0.0
    group: int = 0
    left_open: float = 0.0
    broken: bool = field(default=False)

    def go_down(self, some: IntArray, tables: tuple[int, ...]) -> None:
        """Look at all combinations that these groups cover in the tables that are left."""
        if not tables:
            self._arrive(some)
            return
        weighed = {}
        for t in tables:
            value, group = self.listings[t].entries(some)
            self.work -= len(value)
            weighed[t] = np.bincount(value, weights=self.chance[group]), value, group
        at = min(tables, key=lambda t: float(weighed[t][0].max(initial=0.0)))
        sums, value, group = weighed[at]
        rest = tuple(t for t in tables if t != at)
        order = np.argsort(value, kind="stable")
        first = np.searchsorted(value[order], np.arange(len(sums) + 1))
        for v in np.argsort(-sums, kind="stable").tolist():
            if sums[v] <= 0 or not self._is_open(float(sums[v])):
                return
            if self.work < 0:
                self.left_open = max(self.left_open, float(sums[v]))
                return
            self.go_down(group[order[first[v] : first[v + 1]]], rest)

    def _is_open(self, bound: float) -> bool:
        """May there be something to find where sums are at most this?"""
        if self.above is not None:
            return not self.broken and bound > self.floor
        return self.best < 1 and bound > self.best * (1 + SLACK)

    def _arrive(self, some: IntArray) -> None:
        total = float(self.chance[some].sum())
        if self.above is not None:
            each = (Fraction(*self.exact[g]) for g in some.tolist())
            self.broken |= sum((min(one, Fraction(1)) for one in each), Fraction(0)) > self.above
        if total > self.best:
            self.best, self.group = total, int(some[np.argmax(self.chance[some])])


def added_up(view: ReleaseView, alpha: Fraction, work: int = _WORK) -> AddedUp:
    """The largest sum over all groups of a release in tables apart, and whether it is within α.

    After so much `work` it is a bound, and may be left open.
    """
    groups = len(view.sizes)
    listings = tuple(Listing.of(t.group, t.frequencies.codes, groups) for t in view.tables)
    entries = np.stack([np.diff(one.start) for one in listings], axis=1)
    some = np.flatnonzero((view.sizes > 0) & (entries > 0).all(axis=1))
    exact = [(n, math.prod(many)) for n, many in zip(view.sizes.tolist(), entries.tolist(), strict=True)]
    chance = np.array([min(n / m, 1.0) if m else 0.0 for n, m in exact])
    way = _Way(listings, chance, exact, 0.0, None, work)
    way.go_down(some, tuple(range(len(listings))))
    most = min(max(way.best * (1 + SLACK), way.left_open), 1.0)
    least, limit = min(way.best, 1.0), float(alpha)
    found = AddedUp(least, least if way.left_open <= way.best else most, way.group, _clear(way.best, most, limit))
    if found.holds is not None or alpha >= 1:
        return found if alpha < 1 else AddedUp(found.least, found.most, found.group, True)
    closer = _Way(listings, chance, exact, limit * (1 - SLACK), alpha, work)
    closer.go_down(some, tuple(range(len(listings))))
    holds = False if closer.broken else None if closer.left_open > 0 else True
    return AddedUp(found.least, found.most, found.group, holds)


def _clear(least: float, most: float, limit: float) -> bool | None:
    """Whether it is within the limit, where rounding can't matter."""
    if least > limit * (1 + SLACK):
        return False
    return True if most < limit * (1 - SLACK) else None
