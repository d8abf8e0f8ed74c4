"""How many rows of a failing group are lost at least, however it is cut into parts: compiled.

All models here are monotone: the parts that hold, put together, hold too. So what is kept of a group is at most its
largest sub-collection that holds, and each function bounds the size of that. Every bound is rounded to the safe side
(fewer rows), and at least one row of a failing group is lost.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.compiled import inner, kernel
from discreet.models.groups.kernels import entropy, fill_top

# Inputs are moved to the safe side by this much, some thousand times what rounding may have cost them.
_SLACK = 1e-11


@inner
def at_least_one(lost: float, size: int) -> int:
    """Rows lost of a failing group, rounded up where that is certain."""
    return min(size, max(1, math.ceil(lost - _SLACK * size)))


@kernel
def lost_to_caps(
    offsets: IntArray,
    values: Codes,
    counts: IntArray,
    sizes: IntArray,
    holds: BoolArray,
    cap: FloatArray,
    filled: float,
) -> IntArray:
    """Rows lost where K kept rows must fulfil ``Σ_s min(n(s), cap(s) · K) ≥ filled · K``.

    Caps on shares: a kept value has at most cap(s) · K rows, and all values together K (`filled` = 1). Equal
    distance: the kept rows that match the table's distribution number at least (1 − t) · K (`cap` = table).
    The left side is concave in K, so Newton's method from K = n comes down to the largest K from above, and every
    step is a valid bound.
    """
    filled -= _SLACK
    cap = cap * (1 + _SLACK)
    lost = np.zeros(len(sizes), dtype=np.int64)
    for g in range(len(sizes)):
        if holds[g]:
            continue
        begin, end, kept = offsets[g], offsets[g + 1], sizes[g]
        for _ in range(6):
            free = np.int64(0)
            bound = 0.0
            for p in range(begin, end):
                most = cap[values[p]]
                if counts[p] > most * kept:
                    bound += most
                else:
                    free += counts[p]
            if bound >= filled:
                break
            if free == 0:
                kept = np.int64(0)
                break
            better = np.int64(free / (filled - bound))
            if better >= kept:
                break
            kept = better
        lost[g] = min(sizes[g], max(1, sizes[g] - kept))
    return lost


@kernel
def lost_to_distance(
    offsets: IntArray,
    values: Codes,
    sizes: IntArray,
    holds: BoolArray,
    distance: FloatArray,
    t: float,
    farthest: FloatArray,
) -> IntArray:
    """Rows lost under a convex distance: n · D ≤ kept · t + lost · (the farthest single value of the group)."""
    lost = np.zeros(len(sizes), dtype=np.int64)
    for g in range(len(sizes)):
        if holds[g]:
            continue
        far = 0.0
        for p in range(offsets[g], offsets[g + 1]):
            far = max(far, farthest[values[p]])
        over = sizes[g] * (distance[g] - t - _SLACK) / (max(far - t, 0.0) + _SLACK)
        lost[g] = at_least_one(over, sizes[g])
    return lost


@kernel
def lost_to_entropy(
    offsets: IntArray,
    counts: IntArray,
    sizes: IntArray,
    holds: BoolArray,
    least: float,
    distinct: int,
    n_log_n: FloatArray,
) -> IntArray:
    """Rows lost where kept parts need entropy `least`: Σ_parts n · H ≤ n · H of the whole, entropy being concave.

    Parts of a group with fewer than `distinct` values can't reach it at all.
    """
    lost = np.zeros(len(sizes), dtype=np.int64)
    for g in range(len(sizes)):
        if holds[g]:
            continue
        if offsets[g + 1] - offsets[g] < distinct:
            lost[g] = sizes[g]
            continue
        h = entropy(counts, offsets[g], offsets[g + 1], sizes[g], n_log_n)
        over = sizes[g] * (1.0 - (h + _SLACK) / least)
        lost[g] = at_least_one(over, sizes[g])
    return lost


@kernel
def lost_to_recursion(
    offsets: IntArray, counts: IntArray, sizes: IntArray, holds: BoolArray, above: int, below: int, ahead: int
) -> IntArray:
    """Rows lost where the most frequent kept value must stay under c = above / below times the tail.

    The tail are the rows without the `ahead` most frequent values.
    If no kept value has more than `most` rows, the tail is at most that of the group cut off at `most`, which in turn
    bounds the most frequent value; repeated, that comes down to the largest possible `most`.
    """
    lost = np.zeros(len(sizes), dtype=np.int64)
    top = np.zeros(ahead, dtype=np.int64)
    for g in range(len(sizes)):
        if holds[g]:
            continue
        begin, end = offsets[g], offsets[g + 1]
        if end - begin <= ahead:  # no tail at all, nor has any part
            lost[g] = sizes[g]
            continue
        fill_top(top, counts, begin, end)
        kept, most = sizes[g], top[0]
        for _ in range(6):
            tail = kept
            for i in range(ahead):
                tail -= min(top[i], most)
            better = (above * tail - 1) // below if tail > 0 else np.int64(0)
            if better >= most:
                break
            most = better
            kept = np.int64(0)
            for p in range(begin, end):
                kept += min(counts[p], most)
        lost[g] = min(sizes[g], max(1, sizes[g] - kept))
    return lost
