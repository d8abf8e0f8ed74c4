"""Those in no published group, known by marginals only: can rows that were left out be told among them?

Their number is U minus what falls in the published groups, whose numbers depend on each other. Mean and variance of
the sum are closed forms; Cantelli's inequality makes bounds of them.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.compiled import kernel
from discreet.counts.groups import Outside


def rest_confidence(outside: Outside, low: int, high: int, least: float) -> float:
    """A lower bound on the probability that low..high people outside of the table are in none of the groups.

    As rough as will do: where it can be told at once, the variance is not looked at.
    """
    size, counts = outside.marginals.size, outside.counts
    most_inside = int(counts.min(axis=1, initial=size).sum())
    fewest = np.maximum(counts.sum(axis=1) - (counts.shape[1] - 1) * size, 0)
    least_inside = int(fewest.sum())
    certainly_enough, certainly_few = size - most_inside >= low, size - least_inside <= high
    if certainly_enough and certainly_few:
        return 1.0
    if size - least_inside < low or size - most_inside > high:
        return 0.0
    mean = float(_means(outside).sum())
    slack = 1e-12 * size
    room, need = size - low - mean, mean - (size - high)  # how far the mean inside is from both ends
    if (not certainly_enough and room <= 0) or (not certainly_few and need <= 0):
        return 0.0
    if certainly_few:
        by_mean = 1.0 - (mean + slack) / (size - low + 1)  # Markov
        if by_mean - 1e-12 >= least:
            return by_mean - 1e-12
    variance = variance_inside(outside)
    too_few = 0.0 if certainly_enough else _cantelli(room + 1 - slack, variance)
    too_many = 0.0 if certainly_few else _cantelli(need + 1 - slack, variance)
    return max(0.0, 1.0 - too_few - too_many - 1e-12)


def variance_inside(outside: Outside) -> float:
    """The variance of how many people are in any of the groups, rounded up."""
    lengths = [len(r) for r in outside.marginals.running]
    offsets = np.cumsum([0, *lengths[:-1]])
    running = np.concatenate(outside.marginals.running)
    size = outside.marginals.size
    variance: float = _variance(outside.low, outside.high, outside.counts, _means(outside), running, offsets, size)
    return variance


def _means(outside: Outside) -> FloatArray:
    """How many people are expected in each group."""
    size = outside.marginals.size
    means: FloatArray = size * np.prod(outside.counts / size, axis=1)
    return means


def _cantelli(distance: float, variance: float) -> float:
    """P(a variable lies at least this far from its mean, on one side) at most."""
    return variance / (variance + distance * distance) if distance > 0 else 1.0


@kernel(error_model="numpy")
def _variance(
    low: Codes, high: Codes, counts: IntArray, means: FloatArray, running: IntArray, offsets: IntArray, size: int
) -> float:
    """At least the variance of how many people are in any of the groups.

    For groups q, q' without common people E[n(q) n(q')] = U (U − 1) Π (f f' − f_both) / (U (U − 1)), where f_both have
    a value of both; for q = q' that is E[n (n − 1)]. Divided by the means it is 1 + e, a product of factors 1 + x with
    x = (1 − U f_both / (f f')) / (U − 1), the first attribute without its 1 / (U − 1). It is kept as e, so that no
    digits cancel; what rounding can do is added.
    """
    groups, d = counts.shape
    total, size_of_terms = 0.0, 0.0
    for a in range(groups):
        if means[a] == 0.0:
            continue
        row, row_terms = 1.0, 1.0
        for b in range(a + 1):
            if means[b] == 0.0:
                continue
            excess, terms = 0.0, 0.0
            for i in range(d):
                start, end = max(low[a, i], low[b, i]), min(high[a, i], high[b, i])
                share = 0.0
                if start <= end:
                    both = running[offsets[i] + end + 1] - running[offsets[i] + start]
                    share = float(both) / (float(counts[a, i]) * float(counts[b, i]))
                x = -share if i == 0 else (1.0 - size * share) / (size - 1.0)
                excess += x * (1.0 + excess)
                terms += share + abs(x) + 1.0 / size
            weight = means[b] * (1.0 if a == b else 2.0)
            row += weight * excess
            row_terms += weight * terms
        total += means[a] * row
        size_of_terms += means[a] * row_terms
    return max(total, 0.0) + size_of_terms * (20.0 * d + 2.0 * groups) * 2.0**-52  # type: ignore[no-any-return]
