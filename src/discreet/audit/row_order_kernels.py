"""Compiled: are the rows of a table found in another one, in the same order?"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

IntArray = NDArray[np.int64]


@njit(cache=True)
def found_in_order(
    fits: NDArray[np.bool_], start: IntArray, width: IntArray, published: IntArray, source: IntArray
) -> bool:
    """Does every published row fit a row of the source that comes after that of the row before?

    ``fits[start[d] + a · width[d] + b]``: may text a of column d stand for value b? The first row that fits is as good
    as any: it leaves the most for those that follow.
    """
    at = 0
    for i in range(len(published)):
        while at < len(source):
            fitting = True
            for d in range(len(start)):
                if not fits[start[d] + published[i, d] * width[d] + source[at, d]]:
                    fitting = False
                    break
            at += 1
            if fitting:
                break
        else:
            return False
    return True
