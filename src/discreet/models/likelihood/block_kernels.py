"""The compiled loops behind `likely` that judge groups of a given size: does every value keep its limit?

Given its size x, a group's values U_j are multinomial: independent Poisson(μ θ_j) given that they add up to x, for any
μ. So P(all U_j ≤ limit_j(x) given x) is a coefficient of a product of truncated series, found on the unit circle as in
`size_kernels`; μ is chosen in the middle of a block of sizes. Values that practically never reach their limit go
together: their sum is again a Poisson count.
"""

from __future__ import annotations

import cmath
import math

import numpy as np

from discreet.arrays import FloatArray
from discreet.compiled import inner, kernel
from discreet.models.likelihood.size_kernels import log_binomial, log_poisson

_SURE = 18.0  # e^(−18): what is less likely counts as impossible
_RARE = 0.01  # so small a sum of chances is as good as the chance of any
_FADED = 1e-8  # what is left on the circle may be left out


@inner(error_model="numpy")
def limit(x: int, a: float, b: float, shape: FloatArray) -> float:
    """How often a value may occur among x, not rounded; see `Limits` for the letters."""
    if a >= 1e300:
        return float(x)
    m = x - shape[0]
    if m <= 0.0:
        return 0.0
    falling = 1.0 - shape[3] * m
    most = m * a / falling if falling > 0.0 else m
    if b > 0.0:
        most = min(most, m * (1.0 - b / (shape[2] + shape[3] * m)))
    most = min(most, m - 1.0 if shape[4] > 0.0 else m)
    return max(float(most), 0.0)


@kernel(error_model="numpy")
def least_possible(a: FloatArray, b: FloatArray, shape: FloatArray, rows: int) -> int:
    """The smallest size at which any group could keep the promise; more than `rows` if there is none."""
    for x in range(1, rows + 1):
        if x < shape[1]:
            continue
        room = 0.0
        for j in range(len(a)):
            room += math.floor(limit(x, a[j], b[j], shape) + 1e-9)
        if room >= x:
            return x
        if x > 10_000:
            return x
    return rows + 1


@inner(error_model="numpy")
def _never_above(most: float, mean: float) -> bool:
    """Is a count with this mean practically never above `most`? Chernoff's bound, right for Poisson and binomial."""
    room = most - mean
    if room <= 0.0 or room * room <= 2.0 * _SURE * mean:
        return False
    return room * room > 2.0 * _SURE * (mean + room / 3.0) or most * math.log(most / mean) - room > _SURE


@inner(error_model="numpy")
def _sure(theta: FloatArray, a: FloatArray, b: FloatArray, shape: FloatArray, first: int, last: int) -> tuple[int, int]:
    """Is every size from first to last fine (1), none (−1), or neither (0)? And how many values may pass their limit.

    Those come first afterwards: theta, a and b are put in that order.
    """
    tight = 0
    for j in range(len(theta)):
        share = theta[j]
        at_first, at_last = limit(first, a[j], b[j], shape), limit(last, a[j], b[j], shape)
        lack = min(first * share - at_first, last * share - at_last) - 1e-9
        if lack > 0.0 and lack * lack > 2.0 * _SURE * last * share:
            return -1, tight
        if share <= 0.0 or (_never_above(at_first, first * share) and _never_above(at_last, last * share)):
            continue
        theta[j], theta[tight] = theta[tight], theta[j]
        a[j], a[tight] = a[tight], a[j]
        b[j], b[tight] = b[tight], b[j]
        tight += 1
    return (1 if tight == 0 and first >= shape[1] else 0), tight


@inner(error_model="numpy")
def block_of(x: int) -> int:
    """Sizes are looked at in blocks 4n² ≤ x < 4(n + 1)²: two standard deviations to each side of its middle."""
    n = int(math.sqrt(x) / 2.0)
    while 4 * n * n > x:
        n -= 1
    while 4 * (n + 1) * (n + 1) <= x:
        n += 1
    return n


@inner(error_model="numpy")
def _tail(x: int, share: float, most: int) -> tuple[float, float]:
    """P(U > most) and P(U = most) of a binomial count among x, for most < x."""
    at_most = math.exp(log_binomial(most, x, share))
    odds = share / (1.0 - share)
    term = at_most
    if most + 1 > x * share:
        above = 0.0
        for u in range(most + 1, x + 1):
            term *= odds * (x - u + 1) / u
            above += term
            if term < 1e-12 * above + 1e-18:
                break
        return above, at_most
    below = at_most
    for u in range(most - 1, -1, -1):
        term *= (u + 1) / (odds * (x - u))
        below += term
        if term < 1e-16:
            break
    return max(1.0 - below, 0.0), at_most


@inner(error_model="numpy")
def _one_by_one(
    theta: FloatArray, a: FloatArray, b: FloatArray, shape: FloatArray, first: int, last: int, breaking: FloatArray
) -> bool:
    """P(promise broken given x) from each value's own chance p_j of passing its limit, where that says enough.

    Σ p_j is exact where no two values can pass their limits together. Otherwise multinomial counts being negatively
    associated (Joag-Dev & Proschan 1983), it is between 1 − Π (1 − p_j) and Σ p_j: good to half of Σ p_j, relatively.
    Chances follow from those of the size before: P(U > c) rises by θ P(U = c), and falls by P(U = c + 1) with c.
    """
    values = len(theta)
    above, equal = np.zeros(values), np.zeros(values)
    limits = np.full(values, -1, dtype=np.int64)
    for x in range(first, last + 1):
        total, none = 0.0, 1.0
        least = next_least = x  # the two smallest limits
        for j in range(values):
            share = theta[j]
            most = math.floor(limit(x, a[j], b[j], shape) + 1e-9)
            if most < least:
                least, next_least = most, least
            elif most < next_least:
                next_least = most
            if most >= x or share >= 1.0:
                limits[j] = -1
                if most >= x:
                    continue
                total, none = 1.0, 0.0
                continue
            if limits[j] < 0 or most < limits[j] or most > limits[j] + 1:
                above[j], equal[j] = _tail(x, share, most)
            else:
                c = limits[j]  # still that of x − 1
                above[j] += share * equal[j]
                equal[j] *= x * (1.0 - share) / (x - c)
                if most > c:
                    equal[j] *= (x - c) / (c + 1.0) * share / (1.0 - share)
                    above[j] = max(above[j] - equal[j], 0.0)
            limits[j] = most
            total += above[j]
            none *= 1.0 - min(above[j], 1.0)
        if x < shape[1]:
            breaking[x] = 1.0
        elif values == 1 or least + next_least + 2 > x:
            breaking[x] = min(total, 1.0)
        elif total <= _RARE:
            breaking[x] = 1.0 - none
        else:
            return False
    return True


@inner(error_model="numpy")
def limited_block(
    theta: FloatArray, a: FloatArray, b: FloatArray, shape: FloatArray, n: int, breaking: FloatArray
) -> int:
    """P(promise broken given x) for the sizes of a block; 1, −1 or 0: it holds for all, for none, or it depends.

    Puts theta, a and b in another order, which they have in common.
    """
    first, last = 4 * n * n, 4 * (n + 1) * (n + 1) - 1
    sure: int
    sure, tight = _sure(theta, a, b, shape, max(first, 1), last)
    if sure != 0:
        breaking[first : last + 1] = 0.0 if sure > 0 else 1.0
        if first == 0:
            breaking[0] = 0.0
        return sure
    if _one_by_one(theta[:tight], a[:tight], b[:tight], shape, max(first, 1), last, breaking):
        if first == 0:
            breaking[0] = 0.0
        return 0
    mean = 4.0 * n * n + 4.0 * n + 2.0
    points = int(9.5 * math.sqrt(mean)) + 20
    loose = theta[tight:].sum()
    sizes = last + 1 - first
    most = np.empty((sizes, tight), dtype=np.int64)
    start = np.empty(tight, dtype=np.int64)
    widest = 0
    for i in range(tight):
        share = mean * theta[i]
        start[i] = max(int(share - 7.0 * math.sqrt(share) - 3.0), 0)
        for at in range(sizes):
            most[at, i] = math.floor(limit(first + at, a[i], b[i], shape) + 1e-9)
            widest = max(widest, most[at, i] + 1 - start[i])
    probability = np.empty((tight, max(widest, 1)))  # P(U = start + u)
    for i in range(tight):
        share = mean * theta[i]
        probability[i, 0] = math.exp(log_poisson(start[i], share))
        for u in range(1, widest):
            probability[i, u] = probability[i, u - 1] * share / (start[i] + u)
    fine = np.zeros(sizes)
    series = np.empty(tight, dtype=np.complex128)  # Σ P(U = u) z^u up to the limit
    power = np.empty(tight, dtype=np.complex128)  # z^u at the next u
    following = np.empty(tight, dtype=np.int64)
    for k in range(points // 2 + 1):
        angle = 2.0 * math.pi * k / points
        turn = complex(math.cos(angle), math.sin(angle))
        away = complex(-2.0 * math.sin(angle / 2.0) ** 2, math.sin(angle))
        others = cmath.exp(mean * loose * away)
        if abs(others) < _FADED:
            break
        others *= (1.0 if k == 0 or 2 * k == points else 2.0) / points
        back = cmath.exp(-1j * ((first * k) % points) * (2.0 * math.pi / points))
        for i in range(tight):
            series[i] = 0.0
            power[i] = cmath.exp(1j * ((start[i] * k) % points) * (2.0 * math.pi / points))
            following[i] = 0
        product = others
        stale = True
        largest = 0.0
        for at in range(sizes):
            for i in range(tight):
                last_one = most[at, i] - start[i]
                while following[i] <= last_one:
                    series[i] += probability[i, following[i]] * power[i]
                    power[i] *= turn
                    following[i] += 1
                    stale = True
            if stale:
                product = others
                for i in range(tight):
                    product *= series[i]
                stale = False
                largest = max(largest, abs(product.real) + abs(product.imag))
            fine[at] += product.real * back.real - product.imag * back.imag
            back *= turn.conjugate()
        if k > 8 and largest * points < _FADED:
            break
    for x in range(first, last + 1):
        kept = fine[x - first] / math.exp(log_poisson(x, mean))
        breaking[x] = 1.0 if x < shape[1] else min(max(1.0 - kept, 0.0), 1.0)
    if first == 0:
        breaking[0] = 0.0
    return 0


@inner(error_model="numpy")
def distinct_block(theta: FloatArray, least: int, n: int, breaking: FloatArray) -> int:
    """The same for groups that need at least so many different values.

    P(fewer than `least` different ones, X = x) has the series Σ_(d < least) [y^d] Π (1 + y (e^(μ θ z) − 1)).
    """
    first, last = 4 * n * n, 4 * (n + 1) * (n + 1) - 1
    top = np.sort(theta)[::-1][: least - 1].sum()
    ways = math.lgamma(len(theta) + 1.0) - math.lgamma(float(least)) - math.lgamma(max(len(theta) - least + 2.0, 1.0))
    if first > 0 and top < 1.0 - 1e-12 and first * math.log(top) + max(ways, 0.0) < -_SURE:
        breaking[first : last + 1] = 0.0
        return 1
    mean = 4.0 * n * n + 4.0 * n + 2.0
    points = int(9.5 * math.sqrt(mean)) + 20
    masses = np.zeros(last + 1 - first)
    few = np.empty(least, dtype=np.complex128)
    for k in range(points // 2 + 1):
        angle = 2.0 * math.pi * k / points
        away = complex(-2.0 * math.sin(angle / 2.0) ** 2, math.sin(angle))
        few[:] = 0.0
        few[0] = 1.0
        for j in range(len(theta)):
            if theta[j] <= 0.0:
                continue
            none = math.exp(-mean * theta[j])
            some = cmath.exp(mean * theta[j] * away) - none
            for d in range(least - 1, 0, -1):
                few[d] = few[d] * none + few[d - 1] * some
            few[0] *= none
        total = few[:least].sum() * ((1.0 if k == 0 or 2 * k == points else 2.0) / points)
        turn = complex(math.cos(angle), -math.sin(angle))
        back = cmath.exp(-1j * ((first * k) % points) * (2.0 * math.pi / points))
        for x in range(first, last + 1):
            masses[x - first] += total.real * back.real - total.imag * back.imag
            back *= turn
    for x in range(first, last + 1):
        breaking[x] = min(max(masses[x - first] / math.exp(log_poisson(x, mean)), 0.0), 1.0)
    if first == 0:
        breaking[0] = 0.0
    return 0
