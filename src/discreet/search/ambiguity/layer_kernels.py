"""The compiled loop that deals rows out to layers."""

from __future__ import annotations

import numpy as np

from discreet.arrays import IntArray
from discreet.compiled import kernel


@kernel
def deal_out(starts: IntArray, value: IntArray, layers: int) -> IntArray:
    """The layer of each row, no two of a person's in one: he has the rows ``starts[p]:starts[p + 1]``.

    Each goes where its value is rarest, of equals to the smallest: so layers are alike in size and values.
    """
    layer = np.empty(len(value), dtype=np.int64)
    sizes = np.zeros(layers, dtype=np.int64)
    counts = np.zeros((layers, value.max() + 1 if len(value) else 1), dtype=np.int64)
    taken = np.full(layers, -1, dtype=np.int64)
    for p in range(len(starts) - 1):
        for i in range(starts[p], starts[p + 1]):
            best = -1
            for at in range(layers):
                if taken[at] == p:
                    continue
                fewer = best < 0 or counts[at, value[i]] < counts[best, value[i]]
                if fewer or (counts[at, value[i]] == counts[best, value[i]] and sizes[at] < sizes[best]):
                    best = at
            taken[best] = p
            layer[i] = best
            sizes[best] += 1
            counts[best, value[i]] += 1
    return layer
