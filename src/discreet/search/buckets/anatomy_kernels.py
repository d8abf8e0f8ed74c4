"""The compiled loop of Anatomy."""

from __future__ import annotations

import heapq

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.compiled import kernel


@kernel
def anatomize(
    group: IntArray, starts: IntArray, stay: IntArray, unprotected: int, rows: int, chance: FloatArray
) -> None:
    """Share out rows that lie set by set: the unprotected ones first, `stay[s]` of set s from ``starts[s]`` on.

    Every group gets one row of each of the `rows` largest sets, filled up with unprotected rows. What is left at the
    end (fewer than `rows`, each of another set) goes to groups that lack its set, from a place that `chance` gives.
    """
    left = stay.copy()
    heap = [(-left[s], s) for s in range(len(left)) if left[s] > 0]  # the largest comes first
    heapq.heapify(heap)
    groups = (unprotected + left.sum()) // rows
    if groups == 0:  # then no protected row may stay
        group[:unprotected] = 0
        return
    has = np.full((groups, rows), -1, dtype=np.int64)  # the protected sets of each group
    free = 0
    taken = np.empty(rows, dtype=np.int64)
    for g in range(groups):
        some = 0
        while heap and some < rows:
            taken[some] = heapq.heappop(heap)[1]
            some += 1
        for i in range(some):
            s = taken[i]
            group[starts[s] + stay[s] - left[s]] = g
            has[g, i] = s
            left[s] -= 1
            if left[s] > 0:
                heapq.heappush(heap, (-left[s], s))
        for _ in range(some, rows):
            group[free] = g
            free += 1
    rest = unprotected - free
    for i in range(rest):
        group[free + i] = np.int64(chance[i] * groups)
    for i in range(len(heap)):
        s = heap[i][1]
        at = np.int64(chance[rest + i] * groups)
        while (has[at] == s).any():
            at = (at + 1) % groups
        group[starts[s] + stay[s] - 1] = at
