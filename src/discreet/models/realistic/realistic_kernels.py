"""The compiled loops of ε-privacy: the smallest ε of each group, and the rows it loses at least.

Of a predicate that n(φ) rows of a group satisfy: m = n − b rows of people she does not know, `sigma` = σ(φ) what speaks
for it in her prior, `rest` = σ + b − σ(φ) what speaks against it, `total` = σ + b. Against infinite stubbornness
(`total` infinite) `sigma` and `rest` are shares. The conditions of the paper, solved for ε, are

    R1  ε ≥ n(φ) (total + m) / (m (n(φ) + sigma − 1))      in the limit  ε ≥ n(φ) / (m sigma)
    R2  ε ≥ m (rest + 1 + r) / (r (total − 1 + m))          in the limit  ε ≥ m rest / r,   r = m − n(φ)

R1 is the paper's "δ ≥ 1 or x ≤ …" in one line; where sigma < 1, a case the paper leaves out, its "δ ≥ 1" would not do.
A predicate that nobody in the group satisfies is not disclosed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.compiled import inner, kernel
from discreet.counts.groups import Pairs

# Caps are moved to the safe side by this much, some thousand times what rounding may have cost them.
_SLACK = 1e-11


class Belief(NamedTuple):
    """What an adversary believes of each predicate, and of nothing else; see above.

    Predicates that are `certain` beforehand can't be learned. `known` is b, how many people of a group she knows.
    """

    sigma: FloatArray
    rest: FloatArray
    certain: BoolArray
    total: float
    known: int


class Named(NamedTuple):
    """Listed predicates: those of ``numbers[starts[v]:starts[v + 1]]`` name value v; `negated` ones mean all others."""

    starts: IntArray
    numbers: Codes
    negated: BoolArray


@inner(error_model="numpy")
def rise(satisfied: int, m: int, sigma: float, total: float) -> float:
    """The ε that R1 asks for: how much her belief in the predicate grows.

    Written so that what does not depend on the predicate is a factor, which the compiler takes out of the loops.
    """
    if m <= 0 or sigma <= 0:
        return math.inf
    if math.isinf(total):
        return satisfied / sigma * (1.0 / m)
    return satisfied / ((satisfied - 1) + sigma) * ((total + m) / m)


@inner(error_model="numpy")
def fall(satisfied: int, m: int, rest: float, total: float) -> float:
    """The ε that R2 asks for: how much her doubt of the predicate shrinks."""
    r = m - satisfied
    if r <= 0:
        return math.inf
    if math.isinf(total):
        return rest / r * m
    return (1 + (rest + 1) / r) * (m / (total - 1 + m))


@kernel(error_model="numpy")
def sides_of_values(pairs: Pairs, sizes: IntArray, belief: Belief) -> tuple[FloatArray, FloatArray, Codes, IntArray]:
    """Per group the ε of R1 and of R2 over all its values; which value decides, and how many rows have it.

    The deciding value is −1 where there is nothing to learn. Values that are `certain` beforehand are left out.
    """
    offsets, values, counts = pairs.offsets, pairs.values, pairs.counts
    first = np.zeros(len(sizes))
    second = np.zeros(len(sizes))
    decides = np.full(len(sizes), -1, dtype=np.int32)
    rows = np.zeros(len(sizes), dtype=np.int64)
    for g in range(len(sizes)):
        m = sizes[g] - belief.known
        worst = -1.0
        most_up = most_down = 0.0
        for p in range(offsets[g], offsets[g + 1]):
            v = values[p]
            if belief.certain[v] or counts[p] == 0:
                continue
            up = rise(counts[p], m, belief.sigma[v], belief.total)
            down = fall(counts[p], m, belief.rest[v], belief.total)
            most_up = max(most_up, up)
            most_down = max(most_down, down)
            if max(up, down) > worst:
                worst = max(up, down)
                decides[g] = v
                rows[g] = counts[p]
        first[g], second[g] = most_up, most_down
    return first, second, decides, rows


@kernel(error_model="numpy")
def sides_of_sets(
    pairs: Pairs, sizes: IntArray, predicates: Named, belief: Belief
) -> tuple[FloatArray, FloatArray, Codes, IntArray]:
    """The same over listed predicates."""
    offsets, values, counts = pairs.offsets, pairs.values, pairs.counts
    starts, numbers, negated = predicates.starts, predicates.numbers, predicates.negated
    first = np.zeros(len(sizes))
    second = np.zeros(len(sizes))
    decides = np.full(len(sizes), -1, dtype=np.int32)
    rows = np.zeros(len(sizes), dtype=np.int64)
    named = np.zeros(len(negated), dtype=np.int64)
    for g in range(len(sizes)):
        m = sizes[g] - belief.known
        worst = -1.0
        most_up = most_down = 0.0
        for p in range(offsets[g], offsets[g + 1]):
            v = values[p]
            for i in range(starts[v], starts[v + 1]):
                named[numbers[i]] += counts[p]
        for f in range(len(negated)):
            satisfied = sizes[g] - named[f] if negated[f] else named[f]
            named[f] = 0
            if belief.certain[f] or satisfied == 0:
                continue
            up = rise(satisfied, m, belief.sigma[f], belief.total)
            down = fall(satisfied, m, belief.rest[f], belief.total)
            most_up = max(most_up, up)
            most_down = max(most_down, down)
            if max(up, down) > worst:
                worst = max(up, down)
                decides[g] = f
                rows[g] = satisfied
        first[g], second[g] = most_up, most_down
    return first, second, decides, rows


@inner(error_model="numpy")
def cap(satisfied: int, m: int, sigma: float, rest: float, total: float, epsilon: float) -> float:
    """The largest share of m that a value may have, in a group of that size or in any part of it.

    Both conditions only get stricter as m falls. `satisfied` is the most rows a part can have; where sigma < 1, more
    rows of the value are better, and what does not do with all of them does not do at all.
    """
    if m <= 0 or sigma <= 0:
        return 0.0
    if math.isinf(total):
        return max(0.0, min(epsilon * sigma, 1 - rest / epsilon))
    room = epsilon * (total - 1) + (epsilon - 1) * m
    doubt = 1 - (rest + 1) / room if room > 0 else 0.0
    over = total - (epsilon - 1) * m
    if sigma < 1:
        most = 1.0 if rise(satisfied, m, sigma, total) <= epsilon * (1 + _SLACK) else 0.0
    else:
        most = epsilon * (sigma - 1) / over if over > total * _SLACK else 1.0
    return max(0.0, min(most, doubt))


@kernel(error_model="numpy")
def lost_to_adversary(pairs: Pairs, sizes: IntArray, holds: BoolArray, belief: Belief, epsilon: float) -> IntArray:
    """Rows of failing groups that are lost at least, where every value is protected.

    K kept rows, put together, hold, so each value has at most cap(s) · (K − b) of them, and K ≤ Σ_s min(n(s), cap(s)
    (K − b)): with whole rows for an earlier bound on K, or solved for K. Caps only shrink with K, so the better bound
    gives smaller caps, and so on.
    """
    offsets, values, counts, known = pairs.offsets, pairs.values, pairs.counts, belief.known
    lost = np.zeros(len(sizes), dtype=np.int64)
    for g in range(len(sizes)):
        if holds[g]:
            continue
        kept = sizes[g]
        for _ in range(8):
            m = kept - known
            free = np.int64(0)
            bound = 0.0
            whole = np.int64(0)
            for p in range(offsets[g], offsets[g + 1]):
                v = values[p]
                most = cap(counts[p], m, belief.sigma[v], belief.rest[v], belief.total, epsilon) * (1 + _SLACK)
                if not belief.certain[v] and counts[p] > most * m:
                    bound += most
                    whole += np.int64(max(0.0, math.floor(most * m)))
                else:
                    free += counts[p]
                    whole += counts[p]
            better = whole
            if bound < 1 - _SLACK:
                solved = (free - bound * known) / (1 - bound) * (1 + _SLACK)
                better = min(better, np.int64(math.floor(max(0.0, solved))))
            if better >= kept:
                break
            kept = better
        lost[g] = min(sizes[g], max(1, sizes[g] - kept))
    return lost
