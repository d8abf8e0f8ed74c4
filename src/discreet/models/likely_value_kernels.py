"""The compiled loops behind `likely` for promises that limit how often each sensitive value occurs in a group.

Given its size x, a group's values U_j are multinomial: independent Poisson(μ θ_j) given that they add up to x, for any
μ. So P(all U_j ≤ limit_j(x) given x) is a coefficient of a product of truncated series, found on the unit circle as in
`likely_kernels`; μ is chosen in the middle of a block of sizes, and the answers are shared by all groups with the same
θ. Values that practically never reach their limit go together: their sum is again a Poisson count.
"""

from __future__ import annotations

import cmath
import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from discreet.counts.groups import FloatArray
from discreet.hierarchies.hierarchy import IntArray
from discreet.models.likely_kernels import ENOUGH, FINISHED, TOO_MANY, TOO_UNLIKELY, log_binomial, log_poisson

ComplexArray = NDArray[np.complex128]

_SURE = 18.0  # e^(−18): what is less likely counts as impossible
_RARE = 0.01  # so small a sum of chances is as good as the chance of any
_FADED = 1e-8  # what is left on the circle may be left out
_DEVIATIONS = 5.5  # sizes farther from the mean are judged like the farthest that are looked at
_FROM = 12  # the smallest size that bounds are made for
UNHELPFUL = 1000  # a bound that begins at larger groups than that is not worth its sum
_ALIKE = 1 << 40  # shares of values are compared in steps of this


@njit(cache=True, error_model="numpy")
def same_rows(sensitive: FloatArray) -> tuple[IntArray, IntArray]:
    """The number of each row's distribution, and a row that has each; equal ones (to 2⁻⁴⁰) have one number."""
    rows, values = sensitive.shape
    size = 1
    while size < 2 * rows + 2:
        size *= 2
    slots = np.full(size, -1, dtype=np.int64)
    number, example = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
    many = 0
    for i in range(rows):
        mixed = np.uint64(1469598103934665603)
        for j in range(values):
            mixed = (mixed ^ np.uint64(np.int64(sensitive[i, j] * _ALIKE + 0.5))) * np.uint64(1099511628211)
            mixed ^= mixed >> np.uint64(29)
        slot = np.int64(mixed & np.uint64(size - 1))
        while slots[slot] >= 0:
            other, equal = example[slots[slot]], True
            for j in range(values):
                if np.int64(sensitive[i, j] * _ALIKE + 0.5) != np.int64(sensitive[other, j] * _ALIKE + 0.5):
                    equal = False
                    break
            if equal:
                break
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot] = many
            example[many] = i
            many += 1
        number[i] = slots[slot]
    return number, example[:many].copy()


@njit(cache=True, error_model="numpy")
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


@njit(cache=True, error_model="numpy")
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


@njit(cache=True, error_model="numpy")
def _never_above(most: float, mean: float) -> bool:
    """Is a count with this mean practically never above `most`? Chernoff's bound, right for Poisson and binomial."""
    room = most - mean
    if room <= 0.0 or room * room <= 2.0 * _SURE * mean:
        return False
    return room * room > 2.0 * _SURE * (mean + room / 3.0) or most * math.log(most / mean) - room > _SURE


@njit(cache=True, error_model="numpy")
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


@njit(cache=True, error_model="numpy")
def block_of(x: int) -> int:
    """Sizes are looked at in blocks 4n² ≤ x < 4(n + 1)²: two standard deviations to each side of its middle."""
    n = int(math.sqrt(x) / 2.0)
    while 4 * n * n > x:
        n -= 1
    while 4 * (n + 1) * (n + 1) <= x:
        n += 1
    return n


@njit(cache=True, error_model="numpy")
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


@njit(cache=True, error_model="numpy")
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


@njit(cache=True, error_model="numpy")
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
        given = fine[x - first] / math.exp(log_poisson(x, mean))
        breaking[x] = 1.0 if x < shape[1] else min(max(1.0 - given, 0.0), 1.0)
    if first == 0:
        breaking[0] = 0.0
    return 0


@njit(cache=True, error_model="numpy")
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
    found = np.zeros(last + 1 - first)
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
            found[x - first] += total.real * back.real - total.imag * back.imag
            back *= turn
    for x in range(first, last + 1):
        breaking[x] = min(max(found[x - first] / math.exp(log_poisson(x, mean)), 0.0), 1.0)
    if first == 0:
        breaking[0] = 0.0
    return 0


@njit(cache=True, error_model="numpy")
def _window(rows: int, share: float) -> tuple[int, int]:
    """The sizes that are looked at."""
    mean = rows * share
    spread = _DEVIATIONS * math.sqrt(mean)
    return max(int(mean - spread) - 1, 0), min(int(mean + spread) + 12, rows)


@njit(cache=True, error_model="numpy")
def distances(sensitive: FloatArray, example: IntArray, most: float) -> FloatArray:
    """Per distribution, how far its values are from having a share `most`: (KL of the closest, how many count like it).

    By Chernoff, value j has more than that share of a group of x with probability e^(−x · KL_j) at most. Together that
    is at most `many` · e^(−x · KL) for every x from _FROM on. KL is 0 where a value has that share anyway.
    """
    found = np.zeros((len(example), 2))
    for i in range(len(example)):
        theta = sensitive[example[i]]
        top = theta.max()
        if not 0.0 < top < most < 1.0:
            continue
        closest = most * math.log(most / top) + (1.0 - most) * math.log((1.0 - most) / (1.0 - top))
        many = 0.0
        for j in range(len(theta)):
            if theta[j] > 0.0:
                apart = most * math.log(most / theta[j]) + (1.0 - most) * math.log((1.0 - most) / (1.0 - theta[j]))
                many += math.exp(-_FROM * (apart - closest))
        found[i] = closest, many
    return found


@njit(cache=True, error_model="numpy")
def value_bounds(likelihood: FloatArray, rows: int, number: IntArray, distance: FloatArray, least: int) -> FloatArray:
    """Proven bounds per group: on its probability to break the promise (lower, upper), and on the rows lost by that.

    Sizes below `least` always break it; sizes of at least _FROM as rarely as `distances` says.
    """
    found = np.zeros((len(likelihood), 4))
    for i in range(len(likelihood)):
        share, apart, values = min(likelihood[i], 1.0), distance[number[i], 0], distance[number[i], 1]
        mean = rows * share
        if share <= 0.0:
            continue
        none = math.exp(rows * math.log1p(-share)) if share < 1.0 else 0.0
        enough = max(int(math.log(values) / apart) + 1, _FROM) if apart > 0.002 else UNHELPFUL
        if share >= 1.0 or (enough >= UNHELPFUL and mean > 20.0 * least + 20.0):
            found[i] = 0.0, 1.0 - none, 0.0, mean
            continue
        until = max(enough if enough < UNHELPFUL else least, least)
        factor = math.exp(-apart)
        odds = share / (1.0 - share)
        term, shrunk = none, 1.0
        total = rows_lost = certain = certain_lost = 0.0
        tail, tail_lost = none, 0.0
        for x in range(1, min(until, rows + 1)):
            term *= odds * (rows - x + 1) / x
            shrunk *= factor
            total += term
            rows_lost += x * term
            if x < least:
                certain, certain_lost = total, rows_lost
            tail += term * shrunk
            tail_lost += x * term * shrunk
            if x > mean and term < 1e-18:
                break
        upper, upper_lost = 1.0 - none, mean
        if enough < UNHELPFUL:
            left = math.log1p(-share * (1.0 - factor))
            upper = min(upper, total + values * max(math.exp(rows * left) - tail, 0.0) + 1e-15)
            rest = mean * factor * math.exp((rows - 1) * left) - tail_lost
            upper_lost = min(upper_lost, rows_lost + values * max(rest, 0.0) + 1e-15)
        found[i] = certain, upper, certain_lost, upper_lost
    return found


@njit(cache=True, error_model="numpy")
def value_masses(
    likelihood: FloatArray,
    rows: int,
    order: IntArray,
    number: IntArray,
    sensitive: FloatArray,
    example: IntArray,
    a: FloatArray,
    b: FloatArray,
    shape: FloatArray,
    different: int,
    at_least: float,
    at_most: float,
    points: int,
    bounds: FloatArray,
) -> tuple[int, FloatArray, float, float, float, float, ComplexArray]:
    """The same as `size_masses`, with (p, Σ x p, Σ x² p) in place of the probability p of each group.

    `bounds` are those of `value_bounds`: what is left to be looked at may not matter. Then the union and the
    expectation are upper bounds if all that is asked for is kept, and the expectation a lower one if it is too large.

    With `points` above 0 also, per point of the circle, Π (E[z^X; fine] / P(fine)) over the groups with p above 1e-12,
    and their share as the last entry. `order` has equal `number`s together. With `different` above 0 that many
    different values are asked for, instead of the limits.
    """
    moments = np.zeros((len(likelihood), 3))
    lowest = math.log(at_least) + log_poisson(rows, float(rows)) if at_least > 0.0 else -np.inf
    logarithm = union = largest = expectation = 0.0
    used = points // 2 + 1 if points > 0 else 0
    product = np.ones(used + 1, dtype=np.complex128)
    product[used] = 0.0
    highest = 0
    for i in range(len(likelihood)):
        highest = max(highest, _window(rows, min(likelihood[i], 1.0))[1])
    blocks = block_of(highest) + 1
    breaking = np.empty(4 * blocks * blocks)
    known = np.full(blocks, 2, dtype=np.int64)
    current = -1
    theta, all_a, all_b = np.empty(0), a, b
    a, b = a.copy(), b.copy()
    asked = at_least > 0.0 or at_most < np.inf
    most_union, fewest, most_lost = bounds[:, 1].sum(), bounds[:, 2].sum(), bounds[:, 3].sum()
    for place in range(len(order)):
        i = order[place]
        share = min(likelihood[i], 1.0)
        if fewest > at_most * (1.0 + 1e-12):
            return TOO_MANY, moments, logarithm, union, largest, fewest, product
        if asked and most_lost <= at_most and (at_least <= 0.0 or 1.0 - most_union >= at_least):
            return ENOUGH, moments, logarithm, most_union, largest, most_lost, product
        if share <= 0.0 or bounds[i, 1] < 1e-13:
            continue
        if number[i] != current:
            current = number[i]
            known[:] = 2
            theta = sensitive[example[current]].copy()
            a[:] = all_a
            b[:] = all_b
        low, high = _window(rows, share)
        all_fine = True
        for n in range(block_of(low), block_of(high) + 1):
            if known[n] == 2:
                if different > 0:
                    known[n] = distinct_block(theta, different, n, breaking)
                else:
                    known[n] = limited_block(theta, a, b, shape, n, breaking)
            all_fine = all_fine and known[n] == 1
        if all_fine:
            most_union -= bounds[i, 1]
            most_lost -= bounds[i, 3]
            continue
        mean = rows * share
        middle = min(max(int(mean), low), high)
        p = first = second = true = lost = 0.0
        inside = true_inside = 0.0
        poisson = math.exp(log_poisson(middle, mean))
        binomial = math.exp(log_binomial(middle, rows, share)) if share < 1.0 else (1.0 if middle == rows else 0.0)
        odds = share / (1.0 - share) if share < 1.0 else 0.0
        weight, true_weight = poisson, binomial
        for x in range(middle, high + 1):
            inside += weight
            true_inside += true_weight
            p += weight * breaking[x]
            first += x * weight * breaking[x]
            second += float(x) * x * weight * breaking[x]
            true += true_weight * breaking[x]
            lost += x * true_weight * breaking[x]
            weight *= mean / (x + 1.0)
            true_weight *= odds * (rows - x) / (x + 1.0)
        weight, true_weight = poisson, binomial
        for x in range(middle - 1, low - 1, -1):
            weight *= (x + 1.0) / mean
            true_weight *= (x + 1.0) / (odds * (rows - x)) if odds > 0.0 else 0.0
            inside += weight
            true_inside += true_weight
            p += weight * breaking[x]
            first += x * weight * breaking[x]
            second += float(x) * x * weight * breaking[x]
            true += true_weight * breaking[x]
            lost += x * true_weight * breaking[x]
        outside = max(1.0 - inside, 0.0) * breaking[high]
        p, first, second = p + outside, first + outside * high, second + outside * high * high
        outside = max(1.0 - true_inside, 0.0) * breaking[high]
        true, lost = true + outside, lost + outside * high
        p = min(p, 1.0)
        moments[i] = p, first, second
        logarithm += math.log(max(1.0 - p, 1e-16))
        union += true
        largest = max(largest, true)
        expectation += lost
        most_union += true - bounds[i, 1]
        fewest += lost - bounds[i, 2]
        most_lost += lost - bounds[i, 3]
        if used and p > 1e-12:
            product[used] += share
            for k in range(used):
                if abs(product[k]) < 1e-16:
                    continue
                angle = 2.0 * math.pi * k / points
                away = complex(-2.0 * math.sin(angle / 2.0) ** 2, math.sin(angle))
                left = cmath.exp(mean * away)
                turn = complex(math.cos(angle), math.sin(angle))
                term = poisson * cmath.exp(1j * ((middle * k) % points) * (2.0 * math.pi / points))
                start = term
                for x in range(middle, high + 1):
                    left -= term * breaking[x]
                    term *= turn * (mean / (x + 1.0))
                term = start
                turn = turn.conjugate()
                for x in range(middle - 1, low - 1, -1):
                    term *= turn * ((x + 1.0) / mean)
                    left -= term * breaking[x]
                product[k] *= left / max(1.0 - p, 1e-16)
        if at_least > 0.0 and (logarithm < lowest or 1.0 - largest < at_least - 1e-9):
            return TOO_UNLIKELY, moments, logarithm, union, largest, expectation, product
    if expectation > at_most:
        return TOO_MANY, moments, logarithm, union, largest, expectation, product
    return FINISHED, moments, logarithm, union, largest, expectation, product
