"""The compiled part of `chances` and `sums`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.compiled import inner, kernel

_NOTHING = 1e-18  # less than this is left of the chance to have none: 1 less it is the number before 1
_BEFORE_ONE = float(np.nextafter(1.0, 0.0))


@inner
def spared(rows: int, having: int, own: int) -> float:
    """C(N − n, j) / C(N, j): the chance that none of a person's rows has the value. 0 if that can't be."""
    if own > rows - having:
        return 0.0
    few, many = min(having, own), max(having, own)
    left = 1.0
    for i in range(few):
        left *= (rows - many - i) / (rows - i)
        if left < _NOTHING:
            return _NOTHING
    return left


@kernel
def each_chance(rows: IntArray, having: IntArray, own: IntArray) -> FloatArray:
    """1 less that, one by one."""
    chance = np.empty(len(rows), dtype=np.float64)
    for i in range(len(rows)):
        left = spared(rows[i], having[i], own[i])
        chance[i] = 1.0 if left == 0 else min(1.0 - left, _BEFORE_ONE)
    return chance


class Values(NamedTuple):
    """What groups publish: group g has `sizes` rows, and the values ``value[e]`` of ``counts[e]`` of them.

    e goes from ``starts[g]`` to ``starts[g + 1]``.
    """

    sizes: IntArray
    starts: IntArray
    value: IntArray
    counts: IntArray


@kernel
def over_groups(
    people: IntArray, group: IntArray, own: IntArray, values: Values, width: int
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """What is believed of somebody over all groups: person p has ``own[i]`` rows in ``group[i]``.

    i goes from ``people[p]`` to ``people[p + 1]``. The largest sum of a value's shares, one for each row; the largest
    chance to have a value at least once, if groups are independent; and which value each of the two is of.
    """
    many = len(people) - 1
    total, chance = np.zeros(many), np.zeros(many)
    most_of, likely = np.full(many, -1, dtype=np.int64), np.full(many, -1, dtype=np.int64)
    added, left = np.zeros(width), np.ones(width)
    for p in range(many):
        for i in range(people[p], people[p + 1]):
            g = group[i]
            for e in range(values.starts[g], values.starts[g + 1]):
                v = values.value[e]
                added[v] += own[i] * values.counts[e] / values.sizes[g]
                left[v] *= spared(values.sizes[g], values.counts[e], own[i])
        for i in range(people[p], people[p + 1]):
            for e in range(values.starts[group[i]], values.starts[group[i] + 1]):
                v = values.value[e]
                if added[v] > total[p]:
                    total[p], most_of[p] = added[v], v
                has = 1.0 if left[v] == 0 else min(1.0 - left[v], _BEFORE_ONE)
                if has > chance[p]:
                    chance[p], likely[p] = has, v
        for i in range(people[p], people[p + 1]):
            for e in range(values.starts[group[i]], values.starts[group[i] + 1]):
                added[values.value[e]], left[values.value[e]] = 0.0, 1.0
    return total, chance, most_of, likely
