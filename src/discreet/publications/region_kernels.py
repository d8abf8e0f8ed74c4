"""The compiled loops that find a published group for each combination."""

from __future__ import annotations

import numpy as np

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.compiled import kernel


@kernel
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


NOBODYS, SEVERAL = -1, -2  # known to `regions`, too, which does not load this
_WORDS = 64  # boxes are tried 64 a word, so many words at a time


@kernel
def owners(codes: Codes, low: Codes, high: Codes, owner: IntArray, leaves: IntArray) -> IntArray:
    """For each combination whose boxes hold it: that owner, or NOBODYS, or SEVERAL if there is more than one.

    For every leaf of every attribute a word of bits says which of 64 boxes have it; the boxes of a combination are
    those in all the words of its leaves. Exact, and an inner loop of a few instructions for 64 boxes.
    """
    one = np.uint64(1)
    owned_by = np.full(len(codes), NOBODYS, dtype=np.int64)
    starts = np.zeros(len(leaves) + 1, dtype=np.int64)
    for d in range(len(leaves)):
        starts[d + 1] = starts[d] + leaves[d] + 1  # one more, where the last boxes end
    for first in range(0, len(low), 64 * _WORDS):
        end = min(first + 64 * _WORDS, len(low))
        words = (end - first + 63) // 64
        bits = np.zeros((starts[-1], words), dtype=np.uint64)
        for box in range(first, end):
            word, bit = (box - first) // 64, one << np.uint64((box - first) % 64)
            for d in range(len(leaves)):
                if low[box, d] <= high[box, d]:
                    bits[starts[d] + low[box, d], word] ^= bit
                    bits[starts[d] + high[box, d] + 1, word] ^= bit
        for d in range(len(leaves)):
            for place in range(starts[d] + 1, starts[d + 1]):
                for word in range(words):
                    bits[place, word] ^= bits[place - 1, word]
        for i in range(len(codes)):
            for word in range(words):
                left = bits[starts[0] + codes[i, 0], word]
                for d in range(1, len(leaves)):
                    if left == 0:
                        break
                    left &= bits[starts[d] + codes[i, d], word]
                box = first + 64 * word
                while left != 0:
                    if left & one:
                        if owned_by[i] == NOBODYS:
                            owned_by[i] = owner[box]
                        elif owned_by[i] != owner[box]:
                            owned_by[i] = SEVERAL
                    left >>= one
                    box += 1
    return owned_by
