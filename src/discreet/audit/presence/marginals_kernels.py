"""The compiled loops of `by_marginals`: how many people outside of the table a group covers.

|A₁ ∩ … ∩ A_d| for independent random sets of f₁ … f_d of U people: a chain of hypergeometric distributions, each
attribute thinning out what the ones before left (Nergiz & Clifton 2010, §4.2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.compiled import inner, kernel

NEGLIGIBLE = 1e-19  # what is left out of a distribution, as a share of its largest term
ERROR = 1e-12  # more than the probabilities can be off, by what is left out and by rounding


class Groups(NamedTuple):
    """Groups by what is known of them: tuple t of the sorted `factors` is of ``of_group[starts[t]:starts[t + 1]]``.

    A group has n₁ `rows`; a promise allows it from `low` to `high` people outside of the table.
    """

    factors: IntArray
    of_group: IntArray
    starts: IntArray
    rows: IntArray
    low: IntArray
    high: IntArray


class Counted(NamedTuple):
    """What is counted of the n₀ people outside, per group.

    The `expected` n₁ / (n₁ + n₀); `sure` and `maybe` are the largest x with P(n₀ ≥ x) ≥ confidence, decided with room
    for the error on either side; `below` = P(n₀ < low), `above` = P(n₀ > high).
    """

    expected: FloatArray
    sure: IntArray
    maybe: IntArray
    below: FloatArray
    above: FloatArray


@kernel
def outsiders(groups: Groups, people: int, confidence: float, work: float, counted: Counted) -> BoolArray:
    """Count, in place, what is known of the people outside of the table; which groups the `work` was enough for."""
    factors, of_group, starts, rows, low, high = groups
    expected, sure, maybe, below, above = counted
    depth = factors.shape[1]
    done = np.zeros(len(rows), dtype=np.bool_)
    chances = [np.ones(1) for _ in range(depth)]
    offset = np.zeros(depth, dtype=np.int64)
    for t in range(len(factors)):
        same = 0
        while t > 0 and same < depth and factors[t, same] == factors[t - 1, same]:
            same += 1
        for d in range(same, depth):
            if d == 0:
                offset[0] = factors[t, 0]
                continue
            if work > 0.0:
                chances[d], offset[d], steps = _thinned(chances[d - 1], offset[d - 1], factors[t, d], people)
                work -= steps
        if work <= 0.0:
            break
        chance, first = chances[depth - 1], offset[depth - 1]
        for at in range(starts[t], starts[t + 1]):
            g = of_group[at]
            done[g] = True
            expected[g] = below[g] = above[g] = 0.0
            for x in range(len(chance)):
                n0 = first + x
                expected[g] += chance[x] * (rows[g] / (rows[g] + n0))
                if n0 < low[g]:
                    below[g] += chance[x]
                if n0 > high[g]:
                    above[g] += chance[x]
            sure[g], maybe[g] = -1, -1
            tail, x = 0.0, len(chance)
            while x > 0 and sure[g] < 0:
                x -= 1
                tail += chance[x]
                if maybe[g] < 0 and tail >= confidence - ERROR:
                    maybe[g] = first + x
                if tail >= confidence + ERROR:
                    sure[g] = first + x
            if maybe[g] < 0:
                maybe[g] = first
            if sure[g] < 0:  # as good as everything is not enough, unless fewer can't be
                sure[g] = 0
    return done


@inner
def _thinned(chance: FloatArray, first: int, marked: int, people: int) -> tuple[FloatArray, int, float]:
    """How many of y people are marked, if y is distributed like this and so many of all people are marked."""
    last = first + len(chance) - 1
    out = np.zeros(min(last, marked) + 1)
    terms = np.empty(len(out))
    low, high, steps = len(out), -1, 0.0
    for i in range(len(chance)):
        y = first + i
        least, most = max(0, y + marked - people), min(y, marked)
        mode = min(max(((y + 1) * (marked + 1)) // (people + 2), least), most)
        # Terms by their ratios from the largest one on both sides, until nothing is left; then made to add up.
        total, term, top = 1.0, 1.0, mode
        terms[mode] = 1.0
        while top < most and term > NEGLIGIBLE:
            term *= (y - top) * float(marked - top) / ((top + 1.0) * (people - marked - y + top + 1.0))
            total += term
            top += 1
            terms[top] = term
        bottom, term = mode, 1.0
        while bottom > least and term > NEGLIGIBLE:
            term *= bottom * float(people - marked - y + bottom) / ((y - bottom + 1.0) * (marked - bottom + 1.0))
            total += term
            bottom -= 1
            terms[bottom] = term
        weight = chance[i] / total
        for x in range(bottom, top + 1):
            out[x] += weight * terms[x]
        low, high = min(low, bottom), max(high, top)
        steps += top - bottom + 1.0
    largest = out.max()
    while out[low] < NEGLIGIBLE * largest:
        low += 1
    while out[high] < NEGLIGIBLE * largest:
        high -= 1
    return out[low : high + 1].copy(), low, steps


@kernel
def poisson_shares(mean: FloatArray, rows: IntArray) -> FloatArray:
    """E[n / (n + X)] for a Poisson X: I_n = ∫ n s^(n−1) e^(−μ(1−s)) ds from 0 to 1, by I_n = (1 − I_(n−1)) n / μ.

    Errors shrink by n / μ a step upward from I_1 as long as n < μ, and by μ / n downward from far above otherwise.
    """
    out = np.empty(len(mean))
    for i in range(len(mean)):
        n, mu = rows[i], mean[i]
        if mu <= 0.0:
            out[i] = 1.0
        elif n < mu:
            share = -np.expm1(-mu) / mu
            for k in range(2, n + 1):
                share = (1.0 - share) * k / mu
            out[i] = share
        else:
            above = n + 100 + int(40.0 * np.sqrt(n))
            share = above / (above + mu)
            for k in range(above, n, -1):
                share = 1.0 - share * mu / k
            out[i] = share
    return out


@kernel
def binomial_fewer(least: float, trials: float, mean: float) -> float:
    """P(X < least) of the binomial X with so many trials and this mean; 1 where another sum of trials may have more.

    Terms by their ratios from the largest on both sides, until nothing is left; then made to add up.
    """
    if least > mean:
        return 1.0
    if mean >= trials:
        return 0.0
    odds = mean / (trials - mean)
    mode = np.floor((trials + 1.0) * mean / trials)
    total, fewer = 1.0, 1.0 if mode < least else 0.0
    x, term = mode, 1.0
    while x < trials and term > NEGLIGIBLE:
        term *= (trials - x) / (x + 1.0) * odds
        x += 1.0
        total += term
        if x < least:
            fewer += term
    x, term = mode, 1.0
    while x > 0.0 and term > NEGLIGIBLE:
        term *= x / ((trials - x + 1.0) * odds)
        x -= 1.0
        total += term
        if x < least:
            fewer += term
    return fewer / total
