"""The compiled posteriors of large groups under one attribute set: Cauchy's integral, with a proven bound of its error.

Multiply everybody's chances by a factor per value, and scale those of each person to add up to 1: that changes the
weight of all worlds alike. Let everybody draw a value by these chances w, on his own, and S be how often each value is
drawn. The weight of all worlds is P(S = m), and t's posterior of having x is P(S = m, t draws x) / P(S = m). With

    F(φ) = Π over people t of z_t(φ),    z_t(φ) = Σ over values v of w_t(v) · exp(iφ_v),

both are means over a grid of angles, φ_v = 2πk / M_v for every value but one (that of the most people, whose angle
is 0): of F · exp(−iφ·m), and of the same with w_t(x) · exp(iφ_x) in the place of z_t. Factors by which m is expected
make the first nearly real, positive and narrow around φ = 0 (the saddle point): little cancels, and few points tell
all. How many that are hardly depends on how many people there are. What is neglected is bounded:

- A mean over a grid takes all s with s_v ≡ m_v modulo M_v for m (*aliases*). In one of these some S_v ≥ m_v + M_v, or
  S_v ≤ m_v − M_v. By Markov's inequality for exp(λ S_v), the chance of that, with all others ≡ m, is at most
  E exp(λ S_v) · exp(−λ (m_v ± M_v)) times the chance of the others under the chances tilted by λ; and that is at most
  the mean of their |F|.
- Points that are left out: |z_t|² = 1 − 4 Σ_{u<v} w_t(u) w_t(v) sin²((φ_u − φ_v) / 2), of which the pairs with the
  value of angle 0 alone give |F| ≤ Π_v exp(−2 c_v sin²(φ_v / 2)), c_v = Σ_t w_t(v) w_t(0). Without one person it is at
  most √e times that, as w (1 − w) ≤ 1/4.
- Rounding: a product of N factors, each right to some last digits.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.compiled import inner

_ROUNDED = 1.2e-16  # of each of the few numbers that make a factor, relative
_WITHOUT_ONE = 1.6488  # √e
_STEPS = 80  # of Newton's, to the saddle point
_TINY = 1e-100  # instead of 0, by which nothing can be divided


@inner
def contour(
    chances: FloatArray, people: IntArray, values: IntArray, inside: BoolArray, wanted: float, most: float
) -> tuple[FloatArray, float]:
    """How likely somebody of each signature is to have one of the values of each set; and by how much that may be off.

    As exact as `wanted` (an exponent: off by about exp(−wanted)). Infinite if no world has weight, if that can't be
    told, or if it would take more than `most` steps.
    """
    kinds, columns, sets = len(people), len(values), len(inside)
    found = np.ones((kinds, sets))
    base = 0
    for v in range(columns):
        base = v if values[v] > values[base] else base
    weights = _tilted(chances, people, values, base)
    if len(weights) == 0:
        return found, np.inf
    spread, points, half = _grid(weights, people, base, wanted)
    total, all_points = 1, 1.0
    for v in range(columns):
        all_points *= 2.0 * half[v] + 1.0
        if all_points * kinds > most:
            return found, np.inf
        total *= 2 * half[v] + 1
    neglected = 0.0
    for v in range(columns):
        if v != base:
            neglected += _aliases(weights, people, values[v], v, base, points, 1)
            neglected += _aliases(weights, people, values[v], v, base, points, -1)
    turns = np.empty((4, columns, 2 * half.max() + 1))  # cosines and sines of angles, and of m times these
    decay = np.ones((columns, 2 * half.max() + 1))
    whole, kept, scale = 1.0, 1.0, 1.0
    for v in range(columns):
        some = 0.0
        for i in range(2 * half[v] + 1):
            k = i - half[v]
            angle, turned = 2 * np.pi * k / points[v], 2 * np.pi * (k * values[v] % points[v]) / points[v]
            turns[0, v, i], turns[1, v, i] = np.cos(angle), np.sin(angle)
            turns[2, v, i], turns[3, v, i] = np.cos(turned), -np.sin(turned)
            decay[v, i] = np.exp(-2 * spread[v] * np.sin(angle / 2) ** 2)
            some += decay[v, i]
        if v != base:
            whole *= _mean_decay(spread[v], points[v])
            kept *= some / points[v]
            scale /= points[v]
    left_out = max(whole - kept, 0.0) + 1e-15 * whole
    order, starts = _by_bits(people)
    # Everything but the innermost angle is the same for many points one after the other.
    innermost = columns - 1 if base != columns - 1 else columns - 2
    z, outer = np.empty((2, kinds)), np.empty((2, kinds))
    part, outer_part = np.empty((sets, 2, kinds)), np.empty((sets, 2, kinds))
    digits = half.copy()
    sums = np.zeros((sets, kinds))
    weight, absolute, fresh = 0.0, 0.0, True
    least = np.exp(-wanted) * 0.01
    middle = (total - 1) // 2
    for point in range(middle, total):
        if point > middle:
            v = innermost
            digits[v] += 1
            while digits[v] > 2 * half[v]:
                digits[v] = 0
                v = columns - 1 if v == innermost else v - 1
                v = v - 1 if v == innermost else v
                digits[v] += 1
                fresh = True
        bound, real, imaginary = 1.0, 1.0, 0.0
        for v in range(columns):
            bound *= decay[v, digits[v]]
            real, imaginary = (
                real * turns[2, v, digits[v]] - imaginary * turns[3, v, digits[v]],
                real * turns[3, v, digits[v]] + imaginary * turns[2, v, digits[v]],
            )
        twice = 1.0 if point == middle else 2.0  # the opposite point is the conjugate
        if bound < least:
            left_out += twice * bound * scale
            continue
        if fresh:
            outer[:] = 0.0
            outer_part[:] = 0.0
            for v in range(columns):
                if v != innermost:
                    _add(outer, weights[v], turns[0, v, digits[v]], turns[1, v, digits[v]], outer)
                    for x in range(sets):
                        if inside[x, v]:
                            _add(
                                outer_part[x], weights[v], turns[0, v, digits[v]], turns[1, v, digits[v]], outer_part[x]
                            )
            fresh = False
        cosine, sine = turns[0, innermost, digits[innermost]], turns[1, innermost, digits[innermost]]
        _add(outer, weights[innermost], cosine, sine, z)
        real, imaginary = _product(z, order, starts, twice * real, twice * imaginary)
        weight += real
        absolute += np.sqrt(real * real + imaginary * imaginary)
        for x in range(sets):
            if inside[x, innermost]:
                _add(outer_part[x], weights[innermost], cosine, sine, part[x])
                _sum_up(sums[x], z, part[x], real, imaginary)
            else:
                _sum_up(sums[x], z, outer_part[x], real, imaginary)
    off = neglected + _WITHOUT_ONE * left_out + _ROUNDED * people.sum() * (columns + 5) * absolute * scale
    if not weight * scale > 2 * off:
        return found, np.inf
    for j in range(kinds):
        for x in range(sets):
            found[j, x] = min(max(sums[x, j] / weight, 0.0), 1.0)
    return found, 2 * off / (weight * scale)


@inner
def _add(to: FloatArray, weights: FloatArray, cosine: float, sine: float, result: FloatArray) -> None:
    """Add everybody's weights times a complex number."""
    for j in range(len(weights)):
        result[0, j] = to[0, j] + weights[j] * cosine + _TINY
        result[1, j] = to[1, j] + weights[j] * sine


@inner
def _product(z: FloatArray, order: IntArray, starts: IntArray, real: float, imaginary: float) -> tuple[float, float]:
    """The product of all people's z, times a number: by the binary digits of how many there are of each."""
    a, b = 1.0, 0.0
    for bit in range(len(starts) - 2, -1, -1):
        a, b = a * a - b * b, 2 * a * b
        for at in range(starts[bit], starts[bit + 1]):
            j = order[at]
            a, b = a * z[0, j] - b * z[1, j], a * z[1, j] + b * z[0, j]
    return a * real - b * imaginary, a * imaginary + b * real


@inner
def _sum_up(sums: FloatArray, z: FloatArray, part: FloatArray, real: float, imaginary: float) -> None:
    """Add the real part of the product with one person's z replaced by his part inside of a set."""
    for j in range(len(sums)):
        c, d = z[0, j], z[1, j]
        size = c * c + d * d
        sums[j] += ((real * c + imaginary * d) * part[0, j] - (imaginary * c - real * d) * part[1, j]) / size


@inner
def _by_bits(people: IntArray) -> tuple[IntArray, IntArray]:
    """The signatures whose number of people has each binary digit, lowest digit first: where they start, and which."""
    bits = 0
    for count in people:
        while count >> bits:
            bits += 1
    starts, some = np.zeros(bits + 1, dtype=np.int64), 0
    order = np.empty(len(people) * bits, dtype=np.int64)
    for bit in range(bits):
        for j in range(len(people)):
            if people[j] >> bit & 1:
                order[some] = j
                some += 1
        starts[bit + 1] = some
    return order, starts


@inner
def _tilted(chances: FloatArray, people: IntArray, values: IntArray, base: int) -> FloatArray:
    """Chances (a row per value) by which as many people are expected to have each value as have it; none if nobody can.

    Newton's steps towards the least of the convex Σ_t ln(Σ_v p_t(v) exp(λ_v)) − λ·m.
    """
    kinds, columns = chances.shape
    weights, factor, expected = np.empty((columns, kinds)), np.zeros(columns), np.empty(columns)
    curve = np.empty((columns, columns))
    for v in range(columns):
        for j in range(kinds):
            factor[v] += people[j] * chances[j, v]
        if factor[v] <= 0.0:
            return np.empty((0, 0))
        factor[v] = np.log(values[v] / factor[v])
    for v in range(columns):
        if v != base:
            factor[v] -= factor[base]
    factor[base] = 0.0
    step = np.empty(columns)
    for _ in range(_STEPS):
        curve[:] = 0.0
        expected[:] = 0.0
        scale = np.exp(factor)
        for j in range(kinds):
            total = 0.0
            for v in range(columns):
                weights[v, j] = chances[j, v] * scale[v]
                total += weights[v, j]
            if not total > 0.0:
                return np.empty((0, 0))
            for v in range(columns):
                weights[v, j] /= total
                expected[v] += people[j] * weights[v, j]
        near = True
        for v in range(columns):
            for u in range(v + 1):
                some = 0.0
                for j in range(kinds):
                    some += people[j] * weights[v, j] * weights[u, j]
                curve[v, u] = curve[u, v] = (expected[v] if u == v else 0.0) - some
            step[v] = values[v] - expected[v]
            near &= abs(step[v]) <= 1e-3 + 0.02 * np.sqrt(max(curve[v, v], 0.0))
        if near:
            break
        _solve(curve, step, base)
        longest = 0.0
        for v in range(columns):
            longest = max(longest, abs(step[v]))
        for v in range(columns):
            factor[v] += step[v] if longest <= 1.5 else step[v] * 1.5 / longest
    return weights


@inner
def _solve(curve: FloatArray, step: FloatArray, base: int) -> None:
    """Solve curve · x = step, without the value of angle 0, in place."""
    n = len(step)
    for v in range(n):
        curve[v, base] = curve[base, v] = 0.0
        curve[v, v] = curve[v, v] * (1 + 1e-9) + 1e-9
    curve[base, base], step[base] = 1.0, 0.0
    for v in range(n):
        for u in range(v + 1, n):
            by = curve[u, v] / curve[v, v]
            for w in range(v, n):
                curve[u, w] -= by * curve[v, w]
            step[u] -= by * step[v]
    for v in range(n - 1, -1, -1):
        for u in range(v + 1, n):
            step[v] -= curve[v, u] * step[u]
        step[v] /= curve[v, v]


@inner
def _grid(weights: FloatArray, people: IntArray, base: int, wanted: float) -> tuple[FloatArray, IntArray, IntArray]:
    """For each value c_v, how many angles there are, and how many on either side of 0 are taken.

    Which these are is a guess; what it neglects is bounded afterwards.
    """
    columns, kinds = weights.shape
    spread, points, half = np.zeros(columns), np.ones(columns, dtype=np.int64), np.zeros(columns, dtype=np.int64)
    for v in range(columns):
        if v == base:
            continue
        variance = 0.0
        for j in range(kinds):
            spread[v] += people[j] * weights[v, j] * weights[base, j]
            variance += people[j] * weights[v, j] * (1 - weights[v, j])
        # Bennett's exponent of the chance that so many more, or fewer, than expected are drawn.
        number, variance = 1, max(variance, 1e-3)
        while variance * _rate(number / variance) < wanted:
            number += 1
        points[v] = number + 1 - number % 2
        most, i = points[v] // 2, 0
        while i < most and 2 * spread[v] * np.sin(np.pi * (i + 1) / points[v]) ** 2 < wanted:
            i += 1
        half[v] = i
    return spread, points, half


@inner
def _rate(by: float) -> float:
    """(1 + x) ln(1 + x) − x."""
    return float((1 + by) * np.log(1 + by) - by)


@inner
def _mean_decay(spread: float, points: int) -> float:
    """The mean of exp(−2 c sin²(φ / 2)) over all angles of the grid."""
    total = 0.0
    for k in range(points):
        total += np.exp(-2 * spread * np.sin(np.pi * k / points) ** 2)
    return total / points


@inner
def _aliases(weights: FloatArray, people: IntArray, m: int, v: int, base: int, points: IntArray, side: int) -> float:
    """A bound on the chance that value v is drawn a grid's length too often (or seldom), and others as they should."""
    columns, kinds = weights.shape
    reached = m + side * points[v]
    if reached < 0:
        return 0.0
    tilt = 0.0  # any of the right sign will do: this is about the one by which so many are expected
    for _ in range(5):
        grown, mean, variance = np.exp(tilt), 0.0, 1e-9
        for j in range(kinds):
            share = weights[v, j] * grown / (1 - weights[v, j] + weights[v, j] * grown)
            mean += people[j] * share
            variance += people[j] * share * (1 - share)
        tilt += min(max((reached - mean) / variance, -2.0), 2.0)
    if tilt * side <= 0:
        return 1.0
    grown, log_mean = np.expm1(tilt), 0.0
    spread = np.zeros(columns)
    for j in range(kinds):
        divisor = 1.0 + weights[v, j] * grown
        log_mean += people[j] * np.log(divisor)
        share = people[j] * weights[base, j] / (divisor * divisor)
        for u in range(columns):
            spread[u] += share * weights[u, j]
    chance = np.exp(log_mean - tilt * reached)
    for u in range(columns):
        if u not in (v, base):
            chance *= _mean_decay(spread[u], points[u])
    return chance  # type: ignore[no-any-return]
