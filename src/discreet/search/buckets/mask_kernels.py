"""The compiled loop of MASK."""

from __future__ import annotations

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.compiled import kernel


@kernel
def refill(
    group: IntArray,
    value: Codes,
    surplus: BoolArray,
    drawn: FloatArray,
    set_of: IntArray,
    totals: IntArray,
    l_of: IntArray,
) -> Codes:
    """Give surplus rows other values, at random as the table has them, of sets with less than 1/ℓ of the group.

    Rows come group by group; `l_of` has the ℓ of each group. A set that has a surplus gets nothing back. A row keeps
    its value where no set has room.
    """
    published = value.copy()
    sets = set_of.max() + 1
    begin = 0
    while begin < len(group):
        end = begin
        count = np.zeros(sets, dtype=np.int64)
        closed = np.zeros(sets, dtype=np.bool_)
        while end < len(group) and group[end] == group[begin]:
            s = set_of[value[end]]
            if surplus[end]:
                closed[s] = True
            else:
                count[s] += 1
            end += 1
        most = (end - begin) // l_of[group[begin]]
        for i in range(begin, end):
            if not surplus[i]:
                continue
            weight = 0
            for leaf in range(len(totals)):
                if not closed[set_of[leaf]] and count[set_of[leaf]] < most:
                    weight += totals[leaf]
            place = np.int64(drawn[i] * weight)
            for leaf in range(len(totals)):
                s = set_of[leaf]
                if not closed[s] and count[s] < most:
                    place -= totals[leaf]
                    if place < 0:
                        published[i] = leaf
                        count[s] += 1
                        break
        begin = end
    return published
