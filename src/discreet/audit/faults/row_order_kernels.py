"""Compiled: are the rows of a table found in another one, in the same order?"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from discreet.arrays import IntArray


@njit(cache=True)
def placed_in_order(
    fits: NDArray[np.bool_], start: IntArray, width: IntArray, published: IntArray, source: IntArray, ahead: int
) -> int:
    """How many published rows fit one of the next rows of the source, `ahead` at most, after that of the row before.

    ``fits[start[d] + a · width[d] + b]``: may text a of column d stand for value b? A row that is not found is passed
    over; those that follow catch up with it.
    """
    at, placed = 0, 0
    for i in range(len(published)):
        for there in range(at, min(at + ahead, len(source))):
            same = True
            for d in range(len(start)):
                if not fits[start[d] + published[i, d] * width[d] + source[there, d]]:
                    same = False
                    break
            if same:
                at = there + 1
                placed += 1
                break
    return placed
