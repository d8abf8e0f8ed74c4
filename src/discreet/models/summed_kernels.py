"""The compiled loop that adds up what each of somebody's groups tells of him."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.compiled import inner, kernel
from discreet.counts.groups import Pairs

KEPT, BROKEN, UNSURE = np.int8(0), np.int8(1), np.int8(2)
_MOST = float(1 << 62)


@kernel
def summed_shares(
    tally: Pairs,
    sizes: IntArray,
    starts: IntArray,
    group: Codes,
    width: int,
    threshold: float,
    limit: tuple[int, int],
    margin: float,
) -> tuple[FloatArray, NDArray[np.int8]]:
    """Per person, the largest sum over his groups of one value's share, and whether it is within a threshold.

    Person p stands in the groups ``group[starts[p]:starts[p + 1]]``, each time with a row. What floating point can't
    decide is compared in whole numbers with the threshold as a fraction (`limit`), as far as 64 bits hold them; beyond,
    or with a limit of 0/0, it is UNSURE.
    """
    people = len(starts) - 1
    level = np.zeros(people)
    verdict = np.zeros(people, dtype=np.int8)
    total = np.zeros(width)
    for p in range(people):
        begin, end = starts[p], starts[p + 1]
        for e in range(begin, end):
            g = group[e]
            for i in range(tally.offsets[g], tally.offsets[g + 1]):
                v = tally.values[i]
                total[v] += tally.counts[i] / sizes[g]
                level[p] = max(level[p], total[v])
        if level[p] > threshold + margin:
            verdict[p] = BROKEN
        elif level[p] >= threshold - margin:
            for e in range(begin, end):
                for i in range(tally.offsets[group[e]], tally.offsets[group[e] + 1]):
                    v = tally.values[i]
                    if total[v] >= threshold - margin and verdict[p] != BROKEN:
                        verdict[p] = max(_compared(tally, sizes, group[begin:end], v, limit), verdict[p])
                        total[v] = 0.0
        for e in range(begin, end):
            for i in range(tally.offsets[group[e]], tally.offsets[group[e] + 1]):
                total[tally.values[i]] = 0.0
    return level, verdict


@inner
def _compared(tally: Pairs, sizes: IntArray, groups: Codes, value: int, limit: tuple[int, int]) -> np.int8:
    """Is the sum of the value's shares above the limit? In whole numbers."""
    if limit[1] == 0:
        return UNSURE
    above, below, longest = np.int64(0), np.int64(1), float(max(limit[0], limit[1] * len(groups)))
    for g in groups:
        count = np.int64(0)
        for i in range(tally.offsets[g], tally.offsets[g + 1]):
            if tally.values[i] == value:
                count += tally.counts[i]
        if count == 0:
            continue
        shared = np.gcd(below, sizes[g])
        if float(below // shared) * float(sizes[g]) * longest >= _MOST:
            return UNSURE
        both = below // shared * sizes[g]
        above = above * (both // below) + count * (both // sizes[g])
        below = both
    return BROKEN if above * limit[1] > limit[0] * below else KEPT
