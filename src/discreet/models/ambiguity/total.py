"""Presence over all groups together: how likely is somebody in the table whom several groups cover?

A group of n rows that lists m₁, m₂, … values covers Π mᵢ combinations, and each of them is in it with n / Π mᵢ. Wang
judges one group at a time. But whoever several groups cover may be in any of them, so what is told of him is up to the
sum of their chances. The largest sum is that of the heaviest point among weighted product sets: found exactly, by
branch and bound (`heaviest_kernels`), or bounded from above where that takes too long.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Entries, Groups
from discreet.errors import DiscreetError, Mistake
from discreet.models.ambiguity.heaviest_kernels import Sets, heaviest, weigh_points

_WORK = 1_000_000_000  # entries of groups that are looked at before a bound must do: some seconds
_ROOM = 1 << 61  # sums of weights stay below it
_WORDS = 1 << 23  # of bits at once: 64 MB
_DENOMINATORS = 200  # that are tried, the most frequent first


@dataclass(frozen=True, eq=False)
class Total:
    """The largest presence over all groups together: that of some combination is `least`, and none has above `most`.

    Both are 1 at most, and the same if it is exact but for rounding; `most` is rounded up. `of_groups` is a bound for
    the combinations that each group covers, and of those that are `hidden` it is known that none of these is above α
    (if one is given). A combination with the largest is in the groups `covering`.
    """

    least: float
    most: Fraction
    of_groups: FloatArray
    covering: IntArray
    hidden: BoolArray

    @property
    def is_exact(self) -> bool:
        """Is it the largest, and not only a bound?"""
        return self.least >= float(self.most) * (1 - 1e-9)


def total_presence(groups: Groups, alpha: Fraction | None = None, work: int = _WORK) -> Total:
    """The largest presence of any combination of values, over all groups together.

    With `alpha`, whether it is above that is decided if at all possible. Ages 20, 30 and zips A, B in one group of two
    people, ages 30, 40 and zips B, C in another: (30, B) is in either with 2/4.

    >>> from discreet.counts.groups import entries_of
    >>> group, age, zips = np.array([0, 0, 1, 1]), np.array([20, 30, 30, 40]), np.array([0, 1, 1, 2])
    >>> entries = entries_of([(group, [age]), (group, [zips])], 2)
    >>> found = total_presence(Groups(np.array([2, 2]), distinct=entries.distinct, entries=entries))
    >>> found.least, found.most, found.covering
    (1.0, Fraction(1, 1), array([0, 1]))
    """
    entries = _entries(groups)
    if not len(groups):
        return Total(0.0, Fraction(0), np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_))
    weights, scale = _weights(groups, 1 if alpha is None else alpha.denominator)
    sets = _sets(entries, weights)
    limit = scale if alpha is None else math.floor(alpha * scale)
    found, bound, point = heaviest(sets, 0, scale - 1, work)
    if found <= limit < bound and found < scale:  # what is above α at all is all that is asked now
        above, closer, where = heaviest(sets, limit, limit, work)
        found, point = (above, where) if above > limit else (found, point)
        bound = min(bound, closer)
    covering = _covering(entries, point - sets.start[:-1])
    least = min(math.fsum((weights[covering] / scale).tolist()), 1.0)
    most = min(Fraction(int(max(found, bound)), scale), Fraction(1))
    each = np.minimum(_bounds(entries, weights) / scale, 1.0)
    each[covering] = float(most)
    each = np.minimum(each, float(most))
    hidden = each <= (1.0 if alpha is None else float(alpha) * (1 - 1e-9))  # what is closer is not told apart
    return Total(least, most, each, covering, hidden | (alpha is None or most <= alpha))


def presence_of(groups: Groups, codes: IntArray) -> FloatArray:
    """The sum of some combinations over all groups: a row for each, with its code in every table (−1: in none).

    Exact but for rounding, and not limited to 1.
    """
    weights, scale = _weights(groups, 1)
    sets = _sets(_entries(groups), weights)
    found: FloatArray = weigh_points(sets, _points(sets, codes), _WORDS)[0] / scale
    return found


def presence_of_population(groups: Groups, alpha: Fraction | None = None) -> Total:
    """The largest presence of anybody in the population that is given with the groups, over all groups together.

    As `total_presence`, but combinations that nobody has don't count. In the example there, of people who are (20, A),
    (40, C) and (30, C), only the first two are covered, each by one group:

    >>> from discreet.counts.groups import entries_of
    >>> group, age, zips = np.array([0, 0, 1, 1]), np.array([20, 30, 30, 40]), np.array([0, 1, 1, 2])
    >>> somebody = [np.array([20, 40, 30])], [np.array([0, 2, 9])]
    >>> entries = entries_of([(group, [age]), (group, [zips])], 2, somebody)
    >>> presence_of_population(Groups(np.array([2, 2]), distinct=entries.distinct, entries=entries)).most
    Fraction(1, 2)
    """
    entries = _entries(groups)
    if entries.others is None:
        rule = "can't be judged without the population that it is about"
        raise DiscreetError(Mistake("ambiguity.population", rule, "give it again: --population"))
    weights, scale = _weights(groups, 1 if alpha is None else alpha.denominator)
    sets = _sets(entries, weights)
    sums, largest = weigh_points(sets, _points(sets, entries.others), _WORDS)
    heaviest = int(sums.max(initial=0))
    most = min(Fraction(heaviest, scale), Fraction(1))
    limit = scale if alpha is None else math.floor(alpha * scale)
    covering = np.zeros(0, dtype=np.int64)
    if heaviest:
        covering = _covering(entries, entries.others[int(np.argmax(sums))])
    least = min(math.fsum((weights[covering] / scale).tolist()), 1.0)
    return Total(least, most, np.minimum(largest / scale, 1.0), covering, np.minimum(largest, scale) <= limit)


def _points(sets: Sets, codes: IntArray) -> IntArray:
    return np.ascontiguousarray(np.where(codes >= 0, codes + sets.start[:-1], -1).astype(np.int64))


def presence_of_groups(groups: Groups) -> FloatArray:
    """n / Π m of each group by itself, at most 1."""
    combinations = np.maximum(_entries(groups).distinct.prod(axis=1, dtype=np.float64), 1.0)
    found: FloatArray = np.minimum(groups.sizes / combinations, 1.0)
    return found


def _entries(groups: Groups) -> Entries:
    if groups.entries is None:
        rule = "presence over all groups is about values that are published in tables apart"
        raise DiscreetError(Mistake("ambiguity", rule, "write publish: ambiguity"))
    return groups.entries


def _weights(groups: Groups, denominator: int) -> tuple[IntArray, int]:
    """Whole numbers w and a scale with n / Π m ≤ w / scale, at most 1: equal where the scale allows, else rounded up.

    The scale is a multiple of `denominator`, so that a group at α exactly is not taken to be above it, and of as many
    other denominators as there is room for.
    """
    distinct = _entries(groups).distinct.tolist()
    chances = [
        min(Fraction(n, max(math.prod(m), 1)), Fraction(1))
        for n, m in zip(groups.sizes.tolist(), distinct, strict=True)
    ]
    room = _ROOM // (math.ceil(sum(map(float, chances))) + 2)
    scale = denominator if denominator < room else 1
    for number, _ in Counter(chance.denominator for chance in chances).most_common(_DENOMINATORS):
        larger = math.lcm(scale, number)
        scale = larger if larger <= room else scale
    scale *= room // scale
    weights = [-(-chance.numerator * scale // chance.denominator) for chance in chances]
    return np.array(weights, dtype=np.int64), scale


def _sets(entries: Entries, weights: IntArray) -> Sets:
    """The groups as weighted product sets for compiled loops."""
    many = [int(codes.max(initial=-1)) + 1 for codes in entries.codes]
    start = np.concatenate([[0], np.cumsum(many)]).astype(np.int64)
    before = np.concatenate([[0], np.cumsum([len(codes) for codes in entries.codes])])
    offsets = np.stack([o + b for o, b in zip(entries.offsets, before[:-1], strict=True)]).astype(np.int64)
    codes = np.concatenate([c + s for c, s in zip(entries.codes, start[:-1], strict=True)]).astype(np.int32)
    return Sets(offsets, codes, start, weights)


def _bounds(entries: Entries, weights: IntArray) -> FloatArray:
    """Per group, a bound for the combinations that it covers: whatever code of its own they have in a table."""
    least = np.full(len(weights), np.inf)
    for offsets, codes in zip(entries.offsets, entries.codes, strict=True):
        group = np.repeat(np.arange(len(weights)), np.diff(offsets))
        sums = np.zeros(int(codes.max(initial=-1)) + 1)
        np.add.at(sums, codes, weights[group].astype(np.float64))
        largest = np.zeros(len(weights))
        np.maximum.at(largest, group, sums[codes])
        least = np.minimum(least, largest)
    return least * (1 + 1e-9)  # sums are rounded


def _covering(entries: Entries, point: IntArray) -> IntArray:
    """The groups that list every code of a point."""
    tables = len(entries.codes)
    times = np.zeros(len(entries.offsets[0]) - 1, dtype=np.int64)
    for offsets, codes, code in zip(entries.offsets, entries.codes, point.tolist(), strict=True):
        times[np.searchsorted(offsets, np.flatnonzero(codes == code), side="right") - 1] += 1
    return np.flatnonzero(times == tables)
