"""The posteriors of people of one large group over its possible worlds, compiled.

One value against all others is a sum over how many people have it, within a band that nearly all of its weight is in:
what falls out of the band is added up, and bounds how far off the chances are. All values at once are a mean over a
grid of angles (the discrete Fourier transform at one place): if everybody draws a value by chances that are tilted so
that the values of the group are expected, the weight of all worlds is the chance that the draws meet them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.audit.worst_case.worst_case_bounds_kernels import at_most, tilted
from discreet.audit.worst_case.worst_case_kernels import Protected, Raised, Units
from discreet.compiled import inner, kernel

_ROUNDING = 1.2e-16
_ENOUGH = 5e-10  # chances that are off by no more are exact
_FIRST, _STEP, _LAST = 9.0, 6.0, 27.0  # digits (to base e) of a mean over angles
_MARGIN = 1e-8


class Asked(NamedTuple):
    """Up to where chances are told exactly: they are known to be below, or above, or are told to ten digits.

    The limit is `most`, or what was believed before if that is more and `prior` says so. A group may take so much
    `work`: angles times kinds of people.
    """

    most: float
    prior: bool
    work: float


@kernel(nogil=True)
def judge_large(groups: IntArray, units: Units, protected: Protected, raised: Raised, asked: Asked) -> None:
    """Raise the chances and bounds of every unit of some large groups to what one set of attributes tells."""
    for g in groups:
        low, high, first, last = units.starts[g], units.starts[g + 1], units.value_starts[g], units.value_starts[g + 1]
        if high - low < 2:
            continue
        row, many, own, having = (
            units.row[low:high],
            units.many[low:high],
            units.value[first:last],
            units.having[first:last],
        )
        kinds, values, people = high - low, last - first, 0
        for count in many:
            people += count
        p = np.empty((kinds, values))
        for i in range(kinds):
            for v in range(values):
                p[i, v] = protected.chances[row[i], own[v]]
        for s in range(protected.member.shape[0]):
            those, inside = 0, np.zeros(values, dtype=np.bool_)
            for v in range(values):
                inside[v] = protected.member[s, own[v]]
                those += having[v] if inside[v] else 0
            if those == 0:
                continue
            before, found = np.empty(kinds), np.empty(kinds)
            for i in range(kinds):
                before[i] = min(protected.of_set[row[i], s], 1.0)
            off = one_of_many(before, many, those, found)
            if off < 0.0:
                raised.contradicted[g] = True
                continue
            for i in range(kinds):
                exactly, highest = (found[i], 0.0) if off <= _ENOUGH else (found[i] - off, found[i] + off)
                raised.one[low + i] = max(raised.one[low + i], exactly)
                raised.one_bound[low + i] = max(raised.one_bound[low + i], highest)
                raised.chance[low + i] = max(raised.chance[low + i], exactly)
                raised.bound[low + i] = max(raised.bound[low + i], highest)
            digits, off = _FIRST, -1.0
            while digits <= _LAST:
                told = all_of_many(p, many, having, inside, digits, asked.work, found)
                digits += _STEP
                if told < 0.0:
                    continue
                off = told
                if off <= _ENOUGH or not _is_open(found, off, before, asked):
                    break
            if off < 0.0:
                _bounded(p, many, having, inside, found)
                for i in range(kinds):
                    raised.bound[low + i] = max(raised.bound[low + i], found[i])
                continue
            for i in range(kinds):
                exactly, highest = (found[i], 0.0) if off <= _ENOUGH else (found[i] - off, found[i] + off)
                raised.chance[low + i] = max(raised.chance[low + i], exactly)
                raised.bound[low + i] = max(raised.bound[low + i], min(highest, 1.0))


@inner
def _is_open(found: FloatArray, off: float, before: FloatArray, asked: Asked) -> bool:
    """Is somebody's chance, which may be off, neither clearly below his limit nor clearly above?"""
    for i in range(len(found)):
        limit = max(asked.most, before[i]) if asked.prior else asked.most
        if limit < 1.0 and found[i] - off <= limit + _MARGIN and found[i] + off > limit - _MARGIN:
            return True
    return False


@inner
def _bounded(p: FloatArray, many: IntArray, having: IntArray, inside: BoolArray, out: FloatArray) -> None:
    """An upper bound where angles would be too many."""
    kinds, values = p.shape
    together = np.empty((kinds, values))
    at_most(p, many, having, np.zeros(kinds), together)
    for i in range(kinds):
        out[i] = 0.0
        for v in range(values):
            out[i] += together[i, v] if inside[v] else 0.0
        out[i] = min(out[i], 1.0)


@inner
def one_of_many(f: FloatArray, many: IntArray, having: int, out: FloatArray) -> float:
    """The chance of each kind of people to be among the `having` who have the value, and by how much they may be off.

    Negative if no world is possible. ``many[i]`` people have it with chance ``f[i]`` beforehand.
    """
    kinds, people, sure, able = len(f), 0, 0, 0
    for i in range(kinds):
        people += many[i]
        sure += many[i] if f[i] >= 1.0 else 0
        able += many[i] if f[i] > 0.0 else 0
    if having < sure or having > able:
        return -1.0
    if having in (sure, able):
        for i in range(kinds):
            out[i] = 1.0 if f[i] >= 1.0 or (f[i] > 0.0 and having == able) else 0.0
        return 0.0
    q = tilted(f, many, having)
    variance = 0.0
    for i in range(kinds):
        variance += many[i] * q[i] * (1.0 - q[i])
    reach = int(9.0 * np.sqrt(variance)) + 14
    top = min(having + reach, able)
    weight = np.zeros(top + 2)
    weight[0] = 1.0
    low = high = 0
    mean = lost = 0.0
    for i in range(kinds):
        for _ in range(many[i] if q[i] > 0.0 else 0):
            mean += q[i]
            middle = int(mean)
            if high < min(middle + reach, top):
                high += 1
            else:
                lost += weight[high] * q[i]
            for k in range(high, low, -1):
                weight[k] = weight[k] * (1.0 - q[i]) + weight[k - 1] * q[i]
            weight[low] *= 1.0 - q[i]
            while low < middle - reach:
                lost += weight[low]
                weight[low] = 0.0
                low += 1
    if not low < having <= high or weight[having] <= 0.0:
        return 1.0
    largest = 0.0
    for k in range(low, high + 1):
        largest = max(largest, weight[k])
    farthest = 0.0
    for i in range(kinds):
        # Weights without one person, from the side at which mistakes die away.
        without = 0.0
        if q[i] <= 0.5:
            for k in range(low, having):
                without = (weight[k] - q[i] * without) / (1.0 - q[i])
        else:
            for k in range(high, having - 1, -1):
                without = (weight[k] - (1.0 - q[i]) * without) / q[i]
        out[i] = min(max(without * q[i] / weight[having], 0.0), 1.0)
        grown = min(1.0 / max(abs(1.0 - 2.0 * q[i]), 1e-9), high - low + 1.0)
        off = (4.0 * lost + 8.0 * people * _ROUNDING * largest * grown) * q[i] / weight[having]
        farthest = max(farthest, off + 4.0 * lost / weight[having])
    return farthest


@inner
def all_of_many(
    p: FloatArray, many: IntArray, having: IntArray, inside: BoolArray, digits: float, most: float, out: FloatArray
) -> float:
    """The chance of each kind of people to have one of the values `inside`, and by how much they may be off.

    Negative if that can't be told with so much work. With Z_i(t) = Σ_v w_i(v) exp(2πi t_v / n_v), and W = Π_i Z_i, the
    mean of W(t) · exp(−2πi Σ t_v h_v / n_v) over all t is the chance that every value v is drawn `having` h_v times,
    or more or less by multiples of n_v. The latter is unlikely: by Bennett's inequality, a sum of independent trials of
    variance s is a from its mean with at most exp(−s h(a / s)) on either side, h(x) = (1 + x) ln(1 + x) − x. Where |W|
    is small it is left out: |Z_i|² is 1 − 4 Σ_{u<v} w_i(u) w_i(v) sin²(π (t_u / n_u − t_v / n_v)).
    """
    kinds, values = p.shape
    rest = 0
    for v in range(values):
        rest = v if having[v] > having[rest] else rest
    w = _expecting(p, many, having, rest)
    sides, sizes, decay = np.zeros(values, dtype=np.int64), np.ones(values, dtype=np.int64), np.zeros(values)
    missed, work, cells = 0.0, float(kinds), 1.0
    for v in range(values):
        if v == rest:
            continue
        mean = variance = 0.0
        for i in range(kinds):
            mean += many[i] * w[i, v]
            variance += many[i] * w[i, v] * (1.0 - w[i, v])
            decay[v] += many[i] * w[i, v] * w[i, rest]
        aside, variance = abs(mean - having[v]), max(variance, 1e-3)
        if not aside < 1.0 + np.sqrt(variance):
            return -1.0
        n = 3
        while variance * _bennett((n - aside) / variance) < digits + 2.3 * (values - 2):
            n += 2
        sizes[v] = n
        missed += 2.0 * np.exp(-variance * _bennett((n - aside) / variance))
        while sides[v] < n // 2 and 2.0 * decay[v] * np.sin(np.pi * (sides[v] + 1) / n) ** 2 < digits:
            sides[v] += 1
        work *= 2.0 * sides[v] + 1.0
        cells *= n
        if work > most:
            return -1.0
    everything, taken, points = 1.0, 0.0, 1
    for v in range(values):
        each = 0.0
        for t in range(sizes[v]):
            each += np.exp(-2.0 * decay[v] * np.sin(np.pi * t / sizes[v]) ** 2)
        everything *= each
        points *= 2 * sides[v] + 1
    z, part = np.empty(kinds, dtype=np.complex128), np.empty(kinds, dtype=np.complex128)
    sums = np.zeros(kinds)
    turn = np.empty(values, dtype=np.complex128)
    total = size = 0.0
    for point in range(points // 2, points):  # the others are conjugate
        left, bound, back = point, 1.0, 0.0
        for v in range(values):
            t = left % (2 * sides[v] + 1) - sides[v]
            left //= 2 * sides[v] + 1
            bound *= np.exp(-2.0 * decay[v] * np.sin(np.pi * t / sizes[v]) ** 2)
            turn[v] = np.exp(2j * np.pi * t / sizes[v])
            back += (t * having[v] % sizes[v]) / sizes[v]
        times = 1.0 if point == points // 2 else 2.0
        if bound < np.exp(-digits - 3.0):
            continue
        taken += times * bound
        product = times * np.exp(-2j * np.pi * back)
        for i in range(kinds):
            z[i] = part[i] = 0.0
            for v in range(values):
                z[i] += w[i, v] * turn[v]
                if inside[v]:
                    part[i] += w[i, v] * turn[v]
            if z[i] == 0.0:
                z[i] = 1e-100
            power, count = z[i], many[i]
            while True:
                if count & 1:
                    product *= power
                count >>= 1
                if count == 0:
                    break
                power *= power
        total += product.real
        size += abs(product)
        for i in range(kinds):
            sums[i] += (product / z[i] * part[i]).real
    people = 0
    for count in many:
        people += count
    # Without one person, |W| is at most √e times the bound, since w (1 − w) is at most 1/4.
    off = missed * cells + 1.65 * max(everything * (1 + 1e-12) - taken, 0.0) + people * (values + 5) * _ROUNDING * size
    if not total > 2.0 * off:
        return -1.0
    for i in range(kinds):
        out[i] = min(max(sums[i] / total, 0.0), 1.0)
    return float(2.0 * off / total)


@inner
def _bennett(by: float) -> float:
    return float((1.0 + by) * np.log(1.0 + by) - by) if by > 0.0 else 0.0


@inner
def _expecting(p: FloatArray, many: IntArray, having: IntArray, rest: int) -> FloatArray:
    """Chances times a factor for each value and each person, by which the values of the group are expected.

    One value after the other: its factor by Newton's steps for the logarithm, until all of them are right together.
    """
    kinds, values = p.shape
    factors, w = np.ones(values), np.empty((kinds, values))
    for v in range(values):
        expected = 0.0
        for i in range(kinds):
            expected += many[i] * p[i, v]
        factors[v] = having[v] / expected if expected > 0.0 else 0.0
    for _ in range(200):
        near = True
        for turn in range(values):
            v = (rest + 1 + turn) % values
            expected, variance = 0.0, 1e-9
            for i in range(kinds):
                whole = 0.0
                for u in range(values):
                    whole += p[i, u] * factors[u]
                share = p[i, v] * factors[v] / whole if whole > 0.0 else 0.0
                expected += many[i] * share
                variance += many[i] * share * (1.0 - share)
            aside = having[v] - expected
            if abs(aside) > 0.02 * np.sqrt(variance) + 1e-3:
                near = False
                factors[v] *= np.exp(min(max(aside / variance, -2.0), 2.0))
        if near:
            break
    for i in range(kinds):
        whole = 0.0
        for u in range(values):
            whole += p[i, u] * factors[u]
        for u in range(values):
            w[i, u] = p[i, u] * factors[u] / whole if whole > 0.0 else 0.0
    return w
