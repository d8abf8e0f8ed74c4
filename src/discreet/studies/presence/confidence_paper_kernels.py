"""The compiled loops of Nergiz & Clifton's recursion: one hypergeometric probability after the other.

hyp(x; y, M, N) = C(M, x) C(N − M, y − x) / C(N, y) is computed from a table of logarithms of factorials, the largest
of which is L = ln N!. How wrong can that be? With logarithms and exponentials to 4 units in the last place (8 u,
u = 2⁻⁵³; good libraries keep 1) and the sum of logarithms carried in two numbers, an entry is off by at most 9 u L.
Nine entries are added up with eight roundings of numbers below 4 L. So ln hyp is off by at most (81 + 32) u L, and hyp
by a factor of at most 1 ± 2⁻⁴⁵ (L + 1). `margin` adds what the sums can lose; everything is then reduced by it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.compiled import inner, kernel

# What the loops have done, in this order: hyp evaluated; pairs (x, y) that can be; those of them that SD leaves out.
TALLIES = 3
_STANDARD = 0.99  # SD cuts where M / N and y / N are below this, as the paper's experiments do
_NOTHING = -600.0  # ln of a probability that may be taken for 0, so that no number is too small to be precise
_UNDERFLOW = 1e-200  # more than all that rounding of such small numbers can add up to


Span = tuple[int, int]  # the first place and the last


class Recursion(NamedTuple):
    """What is the same for all groups: the people in the population, ln n! of all numbers up to theirs, SD and DC.

    `sigmas` = 0 is "no SD", `width` = 1 is "no DC". `tallies` are filled in.
    """

    size: int
    logs: FloatArray
    sigmas: float
    width: int
    tallies: IntArray


@kernel(error_model="numpy")
def log_factorials(size: int) -> FloatArray:
    """ln 0!, ln 1!, … ln size!, summed up in two numbers so that the sum adds no error of its own."""
    logs = np.zeros(size + 1)
    total, rest = 0.0, 0.0
    for k in range(2, size + 1):
        term = math.log(k)
        grown = total + term
        rest += term - (grown - total)  # exact: total ≥ term from k = 4 on, and before that both are small
        total = grown
        logs[k] = total + rest
    return logs


@inner(error_model="numpy")
def margin(size: int, attributes: int, largest: float) -> float:
    """The share of a computed confidence that may be rounding: twice the bound of first order.

    Each step of the recursion has hyp wrong by 2⁻⁴⁵ (L + 1) and adds up at most size + 1 products.
    """
    return 2 * attributes * ((largest + 1) * 2.0**-45 + (size + 4) * 2.0**-53)


@kernel(error_model="numpy")
def first_failing(
    recursion: Recursion,
    order: IntArray,
    counts: IntArray,
    low: IntArray,
    high: IntArray,
    least: float,
    confidence: FloatArray,
) -> int:
    """Compute the groups in this order until one falls below `least`; how many were computed.

    `confidence` is filled in.
    """
    size, width = recursion.size, recursion.width
    lost = margin(size, counts.shape[1], recursion.logs[-1])
    now, then, steps = np.zeros(size + 1), np.zeros(size + 1), np.zeros(size // width + 1)
    for i, g in enumerate(order):
        total = _chain(recursion, counts[g], (low[g], high[g]), now, then, steps)
        confidence[g] = max(0.0, total * (1 - lost) - _UNDERFLOW)
        if confidence[g] < least:
            return i + 1
    return len(order)


@inner(error_model="numpy")
def _chain(
    recursion: Recursion, counts: IntArray, limits: Span, now: FloatArray, then: FloatArray, steps: FloatArray
) -> float:
    """Σ of ℓ_x over low ≤ x ≤ high (the limits), one attribute after the other."""
    size, (low, high) = recursion.size, limits
    first, last = counts[0], counts[0]  # where ℓ is not 0
    now[first] = 1.0
    for d in range(1, len(counts)):
        above, below = max(0, first + counts[d] - size), min(last, counts[d])
        if d == len(counts) - 1:  # of the last attribute only what is asked for
            above, below = max(above, low), min(below, high)
        then[above : below + 1] = 0.0
        _step(recursion, counts[d], now, (first, last), then, (above, below), steps)
        now, then = then, now
        first, last = above, below
        if first > last:
            return 0.0
    total = 0.0
    for x in range(max(first, low), min(last, high) + 1):
        total += now[x]
    return total


@inner(error_model="numpy")
def _step(
    recursion: Recursion, M: int, now: FloatArray, of: Span, then: FloatArray, into: Span, steps: FloatArray
) -> None:
    """then[x] = Σ over y of now[y] · hyp(x; y, M, N), for those y and into those x.

    DC: inside of a step k·b … (k+1)·b the smaller of the two values at its ends. hyp has one peak (the ratio of
    neighbouring values falls as x grows), and keeps it where SD sets everything outside of an interval to 0. A sequence
    with one peak is nowhere between two places smaller than at the smaller of them: it rises until it falls. So also
    around the peak itself no value is overstated. As all are ≥ 0, neither is any sum of products.
    """
    N, logs, sigmas, width, tallies = recursion
    (first, last), (above, below) = of, into
    pairs, left, evaluated = 0, 0, 0
    stepped = False
    for y in range(first, last + 1):
        p = now[y]
        if sigmas > 0 and p == 0.0:
            continue
        start, end = max(0, y + M - N), min(y, M)  # where hyp is not 0
        pairs += max(0, min(end, below) - max(start, above) + 1)
        sigma = math.sqrt(M / N * (1 - M / N) * y * (1 - y / N))
        if sigmas > 0 and M < _STANDARD * N and y < _STANDARD * N:
            mean = y * (M / N)  # not x · M / N, as the paper has it
            start = max(start, math.ceil(mean - sigmas * sigma))
            end = min(end, math.floor(mean + sigmas * sigma))
        one, other = max(start, above), min(end, below)
        if one > other:
            continue
        left += other - one + 1
        base = logs[M] + logs[N - M] - logs[N] + logs[y] + logs[N - y]
        if width > 1 and sigma >= 2 * width:  # four steps in two σ
            if not stepped:
                steps[above // width : below // width + 1] = 0.0
                stepped = True
            k = max(one // width, -(-start // width))
            until = min(other // width, end // width - 1)  # both ends of a step must be where hyp is not 0
            if k > until:
                continue
            here = _hyp(k * width, y, M, N, base, logs)
            evaluated += until - k + 2
            while k <= until:
                after = _hyp((k + 1) * width, y, M, N, base, logs)
                steps[k] += p * min(here, after)
                here = after
                k += 1
        else:
            evaluated += other - one + 1
            for x in range(one, other + 1):
                then[x] += p * _hyp(x, y, M, N, base, logs)
    if stepped:
        for x in range(above, below + 1):
            then[x] += steps[x // width]
    tallies[0] += evaluated
    tallies[1] += pairs
    tallies[2] += pairs - left


@inner(error_model="numpy")
def _hyp(x: int, y: int, M: int, N: int, base: float, logs: FloatArray) -> float:
    log = base - logs[x] - logs[M - x] - logs[y - x] - logs[N - M - y + x]
    return math.exp(log) if log > _NOTHING else 0.0


@kernel
def plain_evaluations(counts: IntArray, size: int, low: IntArray, high: IntArray) -> IntArray:
    """How often the plain recursion evaluates hyp for each group, without doing it."""
    evaluations = np.zeros(len(counts), dtype=np.int64)
    for g in range(len(counts)):
        first, last = counts[g, 0], counts[g, 0]
        for d in range(1, counts.shape[1]):
            M = counts[g, d]
            if d == counts.shape[1] - 1:
                evaluations[g] += _pairs(first, last, M, size, high[g]) - _pairs(first, last, M, size, low[g] - 1)
            else:
                evaluations[g] += _pairs(first, last, M, size, M)
            first, last = max(0, first + M - size), min(last, M)
    return evaluations


@inner
def _pairs(first: int, last: int, M: int, N: int, most: int) -> int:
    """How many pairs have first ≤ y ≤ last, x ≤ most and max(0, y + M − N) ≤ x ≤ min(y, M)."""
    most = min(most, M)
    if most < 0:
        return 0
    others = N - M
    last = min(last, most + others)
    if last < first:
        return 0
    up_to = _sum(first, min(last, most)) + most * max(0, last - max(first, most + 1) + 1)
    start = max(first, others + 1)
    left_out = _sum(start, last) - others * max(0, last - start + 1)
    pairs: int = up_to - left_out + last - first + 1
    return pairs


@inner
def _sum(a: int, b: int) -> int:
    return (a + b) * (b - a + 1) // 2 if b >= a else 0


@kernel
def dominators(order: IntArray, points: IntArray) -> tuple[BoolArray, IntArray]:
    """Which points no other one is at most as large as everywhere, and for every point such a one (or itself).

    `order` is by the sum: nothing later is smaller, and of equal points the first stands for all.
    """
    kept, by = np.zeros(len(points), dtype=np.bool_), np.zeros(len(points), dtype=np.int64)
    chosen = np.zeros(len(points), dtype=np.int64)
    many = 0
    for g in order:
        by[g] = g
        for i in range(many):
            d = 0
            while d < points.shape[1] and points[chosen[i], d] <= points[g, d]:
                d += 1
            if d == points.shape[1]:
                by[g] = chosen[i]
                break
        if by[g] == g:
            kept[g] = True
            chosen[many] = g
            many += 1
    return kept, by
