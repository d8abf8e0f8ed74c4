"""The compiled loop that finds a published group for each combination."""

from __future__ import annotations

import numpy as np
from numba import njit

from discreet.counts.groups import FloatArray
from discreet.hierarchies.hierarchy import Codes, IntArray


@njit(cache=True)
def cheapest_cover(codes: Codes, low: Codes, high: Codes, cost: FloatArray) -> IntArray:
    """For each combination the group of least cost whose ranges hold it; −1 if none does."""
    order = np.argsort(cost)
    result = np.full(len(codes), -1, dtype=np.int64)
    for i in range(len(codes)):
        for g in order:
            inside = True
            for d in range(codes.shape[1]):
                if codes[i, d] < low[g, d] or codes[i, d] > high[g, d]:
                    inside = False
                    break
            if inside:
                result[i] = g
                break
    return result
