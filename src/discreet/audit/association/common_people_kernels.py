"""The compiled loops of `common_people`; see there for the theory."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import FloatArray, IntArray
from discreet.audit.association.common_people import Counts, Fits
from discreet.compiled import inner, kernel

# Above so many steps for one pair of groups, E[x] is taken from independent x of the right mean: off by about 1/m.
MOST_STEPS = 1_000_000


@kernel
def most_believed(
    first: IntArray,
    second: IntArray,
    common: IntArray,
    mine: Counts,
    theirs: Counts,
    chance: FloatArray,
    exact: NDArray[np.bool_],
) -> None:
    """Per pair of groups with `common` people in both, the largest posterior of a value; −1: there is no such world."""
    starts_1, values_1, counts_1 = mine
    starts_2, values_2, counts_2 = theirs
    width = 0
    for g in range(len(starts_1) - 1):
        width = max(width, starts_1[g + 1] - starts_1[g])
    a = np.zeros(width, dtype=np.int64)
    b = np.zeros(width, dtype=np.int64)
    for i in range(len(first)):
        x, end_x = starts_1[first[i]], starts_1[first[i] + 1]
        y, end_y = starts_2[second[i]], starts_2[second[i] + 1]
        shared = 0
        room = 0
        while x < end_x and y < end_y:
            if values_1[x] == values_2[y]:
                a[shared], b[shared] = counts_1[x], counts_2[y]
                room += min(counts_1[x], counts_2[y])
                shared += 1
                x += 1
                y += 1
            elif values_1[x] < values_2[y]:
                x += 1
            else:
                y += 1
        exact[i] = True
        if room < common[i]:
            chance[i] = -1.0
        elif shared == 1:
            chance[i] = 1.0
        elif common[i] == 1:
            total = 0.0
            most = 0.0
            for v in range(shared):
                weight = float(a[v]) * float(b[v])
                total += weight
                most = max(most, weight)
            chance[i] = most / total
        else:
            chance[i], exact[i] = _most_expected(a[:shared], b[:shared], common[i])


@inner
def _most_expected(a: IntArray, b: IntArray, m: int) -> tuple[float, bool]:
    """max E[xᵥ] / m."""
    values = len(a)
    caps = np.minimum(np.minimum(a, b), m)
    # Any tilt tˣ leaves the distribution given Σ x = m as it is; the one with mean m keeps all numbers in range.
    low, high = -60.0, 60.0
    for _ in range(80):
        middle = (low + high) / 2
        mean = 0.0
        for v in range(values):
            mean += _mean(_weights(a[v], b[v], caps[v], middle))
        if mean < m:
            low = middle
        else:
            high = middle
    tilt = (low + high) / 2
    if values * (m + 1) * (m + 1) > MOST_STEPS:
        most = 0.0
        for v in range(values):
            most = max(most, _mean(_weights(a[v], b[v], caps[v], tilt)))
        return min(most / m, 1.0), False
    # after[v] are the weights of the sums of x over all values from v on.
    after = np.zeros((values + 1, m + 1))
    after[values, 0] = 1.0
    for v in range(values - 1, -1, -1):
        _add(after[v + 1], _weights(a[v], b[v], caps[v], tilt), after[v])
    before = np.zeros(m + 1)
    before[0] = 1.0
    sums = np.zeros(m + 1)
    most = 0.0
    for v in range(values):
        weights = _weights(a[v], b[v], caps[v], tilt)
        total = 0.0
        expected = 0.0
        _add(before, after[v + 1], sums)  # all others
        for x in range(caps[v] + 1):
            total += weights[x] * sums[m - x]
            expected += x * weights[x] * sums[m - x]
        most = max(most, expected / total)
        _add(before, weights, sums)
        before[:] = sums
    return min(most / m, 1.0), True


@inner
def _weights(a: int, b: int, cap: int, tilt: float) -> FloatArray:
    """C(a, x) C(b, x) x! tˣ for x = 0, …, cap, up to a factor."""
    logs = np.zeros(cap + 1)
    for x in range(1, cap + 1):
        logs[x] = logs[x - 1] + math.log(a - x + 1.0) + math.log(b - x + 1.0) - math.log(float(x)) + tilt
    weights: FloatArray = np.exp(logs - logs.max())
    return weights


@inner
def _mean(weights: FloatArray) -> float:
    total = 0.0
    mean = 0.0
    for x in range(len(weights)):
        total += weights[x]
        mean += x * weights[x]
    return mean / total


@inner
def _add(one: FloatArray, other: FloatArray, result: FloatArray) -> None:
    """The weights of the sum of two independent numbers, up to len(result) − 1, scaled to a largest weight of 1."""
    result[:] = 0.0
    for x in range(len(other)):
        if other[x] > 0:
            for y in range(len(result) - x):
                result[x + y] += other[x] * one[y]
    largest = result.max()
    if largest > 0:
        result /= largest


@kernel
def mixed_beliefs(here: Fits, there: Fits, mine: Counts, theirs: Counts, values: int) -> FloatArray:
    """The largest belief about people who fit several groups of each release, if these are weighed; −1: none is left.

    What each release says of her by itself is a mixture of its groups, q₁ and q₂; together they say
    q₁ᵥ q₂ᵥ / Σᵤ q₁ᵤ q₂ᵤ. There are so many `values` in all.
    """
    chance = np.full(len(here.starts) - 1, -1.0)
    one, two = np.zeros(values), np.zeros(values)
    for i in range(len(chance)):
        _mix(i, here, mine, one)
        _mix(i, there, theirs, two)
        both = one * two
        total = both.sum()
        if total > 0:
            chance[i] = both.max() / total
    return chance


@inner
def _mix(i: int, fits: Fits, counts: Counts, mixture: FloatArray) -> None:
    """What the groups that a person fits have of each value, as they are weighed."""
    mixture[:] = 0.0
    for at in range(fits.starts[i], fits.starts[i + 1]):
        g = fits.groups[at]
        for entry in range(counts.starts[g], counts.starts[g + 1]):
            mixture[counts.values[entry]] += fits.weight[g] * counts.counts[entry]
