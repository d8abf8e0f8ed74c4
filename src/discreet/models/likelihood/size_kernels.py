"""The compiled loops behind `likely`: groups whose verdict depends on their size alone, and how groups go together.

The counts X_i of the groups are multinomial: exactly independent Poisson(N·ℓ_i) given that they add up to N (Levin
1981). With b_i(z) = Σ P(X_i = x) z^x over the sizes that break the promise,

    P(all fine) = [z^N] Π (e^(λ_i (z − 1)) − b_i(z)) / P(Poisson(N) = N),

and the coefficient is a mean of the product over M points of the unit circle. What that takes in by mistake is
P(ΣX = N ± M, …) in the place of P(ΣX = N), at most 2 e^(−M² / 2N) of the denominator: a few times √N points do.
"""

from __future__ import annotations

import cmath
import math
from typing import NamedTuple

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.compiled import inner, kernel

UNBOUNDED = 1 << 61  # a size that no group reaches
# How a sum ended: it was finished, it failed for sure, or what matters is sure to hold.
FINISHED, TOO_UNLIKELY, TOO_MANY, ENOUGH = 0, 1, 2, 3

_NOTHING = 1e-19  # terms below it are left out
_LOG_NOTHING = -44.0
_CIRCLE = 7.0  # points, in standard deviations of the sum: an error below 1e-10
_SMALL = 1e-10  # where the product over the circle has faded away
_GRID = 256.0  # points of a table per unit of the root of a mean
_ONE_BY_ONE = 1000  # so many groups are looked at before a table is made
_ALL_POINTS = 2e6  # so much work is done without asking whether it has


class Sizes(NamedTuple):
    """The sizes that are allowed: `least` to `most` (one entry for all groups, or one each); and none, if `empty`."""

    least: IntArray
    most: IntArray
    empty: bool


class Goal(NamedTuple):
    """All is decided once the probability is below `at_least`, the expectation above `at_most`, or both clearly not."""

    at_least: float
    at_most: float


class SizeMasses(NamedTuple):
    """How it `ended`, the probability of each group to break the promise under the model of independent counts, their
    Σ log(1 − p), the sum and the largest of the true (binomial) ones, and the rows expected in groups that break it.
    """

    ended: int
    breaking: FloatArray
    logarithm: float
    union: float
    largest: float
    expectation: float


@inner(error_model="numpy")
def _beyond_stirling(x: float) -> float:
    """log x! − log(√(2πx) (x/e)^x) for x of at least 1."""
    if x < 16.0:
        return math.lgamma(x + 1.0) - (x + 0.5) * math.log(x) + x - 0.5 * math.log(2.0 * math.pi)
    square = x * x
    return (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square) / x


@inner(error_model="numpy")
def _deviance(x: float, mean: float) -> float:
    """x log(x / mean) + mean − x, without cancellation near the mean."""
    return x * math.log1p((x - mean) / mean) - (x - mean)


@kernel(error_model="numpy")
def log_poisson(x: int, mean: float) -> float:
    """log P(X = x) for a mean above 0; the absolute error does not grow with x (Loader 2000)."""
    if x == 0:
        return -mean
    near: float = -_beyond_stirling(float(x)) - _deviance(float(x), mean)
    return near - 0.5 * math.log(2.0 * math.pi * x)


@inner(error_model="numpy")
def log_binomial(x: int, rows: int, share: float) -> float:
    """log P(X = x) for 0 < share < 1, in the same way."""
    if x == 0:
        return rows * math.log1p(-share)
    if x == rows:
        return rows * math.log(share)
    n, rest = float(rows), float(rows - x)
    ways: float = _beyond_stirling(n) - _beyond_stirling(float(x)) - _beyond_stirling(rest)
    apart: float = _deviance(float(x), n * share) + _deviance(rest, n * (1.0 - share))
    return ways - apart + 0.5 * math.log(n / (2.0 * math.pi * x * rest))


@inner(error_model="numpy")
def _start(rows: int, share: float, first: int, last: int, binomial: bool) -> tuple[int, float]:
    """The likeliest (or a likely) count of first..last and its probability; 0 where all of them hardly ever occur."""
    mean = rows * share
    if mean > last:  # Chernoff's bounds, which spare the logarithms
        if (mean - last) * (mean - last) > -2.0 * _LOG_NOTHING * mean:
            return first, 0.0
    elif mean < first and (first - mean) ** 2 > -2.0 * _LOG_NOTHING * (mean + (first - mean) / 3.0):
        return first, 0.0
    if first <= 1 and mean < 20.0:
        none = math.exp((rows - first) * math.log1p(-share)) if binomial else math.exp(-mean)
        return first, none * mean if first else none
    start = min(max(int(mean), first), last)
    logarithm = log_binomial(start, rows, share) if binomial else log_poisson(start, mean)
    return start, math.exp(logarithm) if logarithm > _LOG_NOTHING else 0.0


@inner(error_model="numpy")
def _masses(rows: int, share: float, first: int, last: int, binomial: bool) -> tuple[float, float, float]:
    """Σ P(X = x), Σ x P(X = x) and Σ x² P(X = x) over first ≤ x ≤ last, for Poisson(rows · share) or a binomial."""
    if binomial:
        last = min(last, rows)
    if first > last:
        return 0.0, 0.0, 0.0
    mean = rows * share
    if share <= 0.0 or (binomial and share >= 1.0):
        only = 0 if share <= 0.0 else rows
        if first <= only <= last:
            return 1.0, float(only), float(only) * only
        return 0.0, 0.0, 0.0
    start, at_start = _start(rows, share, first, last, binomial)
    if at_start == 0.0:
        return 0.0, 0.0, 0.0
    odds = share / (1.0 - share) if binomial else mean
    total, moment, second = at_start, start * at_start, float(start) * start * at_start
    term = at_start
    for x in range(start + 1, last + 1):
        term *= odds * (rows - x + 1) / x if binomial else odds / x
        if term < _NOTHING and x > mean:
            break
        total += term
        moment += x * term
        second += float(x) * x * term
    term = at_start
    for x in range(start - 1, first - 1, -1):
        term *= (x + 1) / (odds * (rows - x)) if binomial else (x + 1) / odds
        if term < _NOTHING:
            break
        total += term
        moment += x * term
        second += float(x) * x * term
    return total, moment, second


@inner(error_model="numpy")
def _breaking(
    rows: int, share: float, least: int, most: int, empty: bool, binomial: bool
) -> tuple[float, float, float]:
    """The same over the sizes that break the promise: below `least` or above `most`; none at all if it may be empty."""
    total, moment, second = _masses(rows, share, 1 if empty else 0, least - 1, binomial)
    if most < UNBOUNDED:
        after = max(most, 0 if empty else -1) + 1
        more, more_moment, more_second = _masses(rows, share, max(after, least), UNBOUNDED, binomial)
        total, moment, second = total + more, moment + more_moment, second + more_second
    return total, moment, second


@inner(error_model="numpy")
def _table(rows: int, least: int, most: int, empty: bool, binomial: bool, mean: float) -> FloatArray:
    """What `size_masses` needs of a group, at means (j / 256)² up to `mean`.

    Seen from the root of its mean a count has a standard deviation of about ½ at every mean, so that all is as smooth
    as a normal distribution of that deviation: the fourth derivatives are below 50 (times the mean, for the rows), and
    a cubic through four points of this grid errs by less than 0.024 · 50 · 2⁻³² < 3e-10.
    """
    points = int(math.sqrt(mean) * _GRID) + 4
    table = np.empty((points, 3))
    for j in range(points):
        share = min((j / _GRID) ** 2 / rows, 1.0)
        table[j, 0], table[j, 1], _ = _breaking(rows, share, least, most, empty, True)
        table[j, 2] = table[j, 0] if binomial else _breaking(rows, share, least, most, empty, False)[0]
    return table


@kernel(error_model="numpy")
def size_masses(likelihood: FloatArray, rows: int, sizes: Sizes, binomial: bool, goal: Goal) -> SizeMasses:
    """Each group's probability to break the promise, and what follows from these; stops once all is decided."""
    least, most, empty = sizes.least, sizes.most, sizes.empty
    at_least, at_most = goal.at_least, goal.at_most
    breaking = np.zeros(len(likelihood))
    lowest = math.log(at_least) + log_poisson(rows, float(rows)) if at_least > 0.0 and rows else -np.inf
    logarithm = union = largest = expectation = 0.0
    table, between = np.empty((0, 3)), np.empty(3)
    reach = 0.0  # the means that a table is worth its while for
    if len(least) == 1 and len(most) == 1 and most[0] == UNBOUNDED:
        reach = min(least[0] + 10.0 * math.sqrt(least[0]) + 100.0, 0.5 * rows)  # beyond, hardly a group is too small
    for i in range(len(likelihood)):
        share = min(likelihood[i], 1.0)
        if i == _ONE_BY_ONE and i + 20.0 * _GRID * math.sqrt(reach) < len(likelihood) and reach > 1.0:
            table = _table(rows, least[0], most[0], empty, binomial, reach)
        place = math.sqrt(rows * share) * _GRID
        j = int(place)
        if 1 <= j < len(table) - 2:
            x = place - j
            before, here = -x * (x - 1.0) * (x - 2.0) / 6.0, (x + 1.0) * (x - 1.0) * (x - 2.0) / 2.0
            after, last = -(x + 1.0) * x * (x - 2.0) / 2.0, (x + 1.0) * x * (x - 1.0) / 6.0
            for c in range(3):
                around = (
                    before * table[j - 1, c] + here * table[j, c] + after * table[j + 1, c] + last * table[j + 2, c]
                )
                between[c] = max(around, 0.0)
            true, rows_lost, p = between[0], between[1], between[2]
        else:
            low, high = least[i if len(least) > 1 else 0], most[i if len(most) > 1 else 0]
            true, rows_lost, _ = _breaking(rows, share, low, high, empty, True)
            p = true if binomial else _breaking(rows, share, low, high, empty, False)[0]
        breaking[i] = p
        logarithm += math.log(max(1.0 - p, 1e-16))
        union += true
        largest = max(largest, true)
        expectation += rows_lost
        if expectation > at_most:
            return SizeMasses(TOO_MANY, breaking, logarithm, union, largest, expectation)
        if logarithm < lowest or (1.0 - largest < at_least - 1e-12 and at_least > 0.0):
            return SizeMasses(TOO_UNLIKELY, breaking, logarithm, union, largest, expectation)
    return SizeMasses(FINISHED, breaking, logarithm, union, largest, expectation)


@kernel(error_model="numpy")
def circle(rows: int) -> int:
    """How many points of the unit circle tell a sum of `rows` from all others."""
    return int(_CIRCLE * math.sqrt(rows)) + 20


@inner(error_model="numpy")
def _transform(rows: int, share: float, least: int, most: int, empty: bool, binomial: bool, angle: float) -> complex:
    """Σ P(X = x) e^(i·angle·x) over the sizes that break the promise."""
    total: complex = _arc(rows, share, 1 if empty else 0, least - 1, binomial, angle)
    if most < UNBOUNDED:
        after = max(most, 0 if empty else -1) + 1
        total += _arc(rows, share, max(after, least), UNBOUNDED, binomial, angle)
    return total


@inner(error_model="numpy")
def _arc(rows: int, share: float, first: int, last: int, binomial: bool, angle: float) -> complex:
    if binomial:
        last = min(last, rows)
    if first > last:
        return 0.0j
    mean = rows * share
    if share <= 0.0 or (binomial and share >= 1.0):
        only = 0 if share <= 0.0 else rows
        return cmath.exp(1j * angle * only) if first <= only <= last else 0.0j
    start, probability = _start(rows, share, first, last, binomial)
    if probability == 0.0:
        return 0.0j
    odds = share / (1.0 - share) if binomial else mean
    turn = complex(math.cos(angle), math.sin(angle))
    at_start: complex = probability * cmath.exp(1j * angle * start)
    total = at_start
    term = at_start
    for x in range(start + 1, last + 1):
        term *= turn * (odds * (rows - x + 1) / x if binomial else odds / x)
        if abs(term.real) + abs(term.imag) < _NOTHING and x > mean:
            break
        total += term
    term = at_start
    turn = turn.conjugate()
    for x in range(start - 1, first - 1, -1):
        term *= turn * ((x + 1) / (odds * (rows - x)) if binomial else (x + 1) / odds)
        if abs(term.real) + abs(term.imag) < _NOTHING:
            break
        total += term
    return total


@inner(error_model="numpy")
def _whole(rows: int, share: float, angle: float, binomial: bool) -> complex:
    """E e^(i·angle·X) of a whole count."""
    away = complex(-2.0 * math.sin(angle / 2.0) ** 2, math.sin(angle))  # e^(i·angle) − 1, without cancellation
    if binomial:
        base = 1.0 + share * away
        return base**rows if abs(base) > 0.0 else 0.0j
    return cmath.exp(rows * share * away)


@kernel(error_model="numpy")
def size_sums(
    likelihood: FloatArray, rows: int, sizes: Sizes, binomial: bool, breaking: FloatArray
) -> tuple[float, float]:
    """P(ΣY = N) and P(ΣX = N): the counts given that each is fine, and the counts as such."""
    least, most, empty = sizes.least, sizes.most, sizes.empty
    points = circle(rows)
    least_to_matter = 1e-9 / max(len(likelihood), 1)  # what is below is left to the product: an error of 1e-9
    concerned = np.flatnonzero(breaking > least_to_matter)
    apart = 0.0  # of the groups that are looked at one by one
    for each in concerned:
        apart += min(likelihood[each], 1.0)
    all_points = len(concerned) * 60.0 * points < _ALL_POINTS
    fine = whole = 0.0
    for k in range(points // 2 + 1):
        angle = 2.0 * math.pi * k / points
        weight = (1.0 if k == 0 or 2 * k == points else 2.0) / points
        back = cmath.exp(-1j * ((rows * k) % points) * (2.0 * math.pi / points))
        if binomial:
            rest = everybody = 1.0 + 0.0j
            for i in range(len(likelihood)):
                one = _whole(rows, min(likelihood[i], 1.0), angle, True)
                everybody *= one
                rest *= one if breaking[i] <= least_to_matter else 1.0
        else:
            everybody = _whole(rows, 1.0, angle, False)
            rest = _whole(rows, max(1.0 - apart, 0.0), angle, False)
        product = rest
        for each in concerned:
            i = int(each)
            if abs(product) < _SMALL * 1e-6:
                break
            share = min(likelihood[i], 1.0)
            low, high = least[i if len(least) > 1 else 0], most[i if len(most) > 1 else 0]
            left = _whole(rows, share, angle, binomial) - _transform(rows, share, low, high, empty, binomial, angle)
            product *= left / max(1.0 - breaking[i], 1e-16)
        fine += weight * (product * back).real
        whole += weight * (everybody * back).real
        if not all_points and abs(product) < _SMALL and abs(everybody) < _SMALL:
            break
    if not binomial:
        whole = math.exp(log_poisson(rows, float(rows)))
    return max(fine, 0.0), whole


@kernel(error_model="numpy")
def size_moments(likelihood: FloatArray, rows: int, sizes: Sizes, binomial: bool) -> tuple[float, float, float, float]:
    """Mean and variance of ΣY, then of ΣX."""
    least, most, empty = sizes.least, sizes.most, sizes.empty
    mean = variance = whole_mean = whole_variance = 0.0
    for i in range(len(likelihood)):
        share = min(likelihood[i], 1.0)
        low, high = least[i if len(least) > 1 else 0], most[i if len(most) > 1 else 0]
        p, first, second = _breaking(rows, share, low, high, empty, binomial)
        m = rows * share
        v = m * (1.0 - share) if binomial else m
        whole_mean += m
        whole_variance += v
        left = max(1.0 - p, 1e-16)
        y = max(m - first, 0.0) / left
        mean += y
        variance += max((v + m * m - second) / left - y * y, 0.0)
    return mean, variance, whole_mean, whole_variance
