"""Places among equals: what chance decides where signatures don't."""

from __future__ import annotations

import numpy as np

from discreet.arrays import IntArray

HELD_BACK = -1  # stands in no unit, and in no group


def rank_among(key: IntArray, order: IntArray) -> IntArray:
    """How many with the same key stand before each, in an order.

    >>> rank_among(np.array([7, 7, 9, 7]), np.array([2, 0, 1, 3]))
    array([1, 0, 0, 2])
    """
    by = np.lexsort((order, key))
    begins = np.searchsorted(key[by], key[by], side="left")
    ranks = np.empty(len(key), dtype=np.int64)
    ranks[by] = np.arange(len(key)) - begins
    return ranks
