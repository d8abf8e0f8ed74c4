"""The compiled walk of `covered`: people's values down the trie of the groups' labels."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
Numbers = NDArray[np.int32]


@njit(cache=True)
def join(
    rows: IntArray,
    shift: IntArray,
    starts_of: IntArray,
    labels_of: IntArray,
    node_label: IntArray,
    first_child: IntArray,
    leaf_first: IntArray,
    order: IntArray,
    people: IntArray,
    groups: int,
    most: int,
) -> tuple[IntArray, IntArray, Numbers, bool]:
    """How many groups each (sorted) row of values fits, how many people each group covers, and which groups fit.

    The last only if there are at most so many in all. Column d's value v fits the labels
    ``labels_of[starts_of[shift[d] + v]:starts_of[shift[d] + v + 1]]``.
    """
    depth = rows.shape[1]
    leaves = len(node_label) - (len(leaf_first) - 1)
    fits = np.zeros(len(rows), dtype=np.int64)
    having = np.zeros(groups, dtype=np.int64)
    active = np.zeros((depth + 1, max(groups, 1)), dtype=np.int64)
    length = np.zeros(depth + 1, dtype=np.int64)
    length[0] = min(groups, 1)
    out = np.empty(max(len(rows), 1), dtype=np.int32)
    written = 0
    for i in range(len(rows)):
        same = 0
        while i > 0 and same < depth and rows[i, same] == rows[i - 1, same]:
            same += 1
        for d in range(same, depth):
            at = shift[d] + rows[i, d]
            length[d + 1] = 0
            for a in range(length[d]):
                node = active[d, a]
                length[d + 1] += _children(
                    first_child[node], first_child[node + 1], starts_of[at], starts_of[at + 1],
                    node_label, labels_of, active[d + 1, length[d + 1] :],
                )  # fmt: skip
        for a in range(length[depth]):
            leaf = active[depth, a] - leaves
            for g in range(leaf_first[leaf], leaf_first[leaf + 1]):
                if written == len(out) and written < most:
                    wider = np.empty(min(2 * written, most), dtype=np.int32)
                    wider[:written] = out
                    out = wider
                if written < len(out):
                    out[written] = order[g]
                written += 1
                fits[i] += 1
                having[order[g]] += people[i]
    held = written <= len(out)
    return fits, having, out[: written if held else 0].copy(), held


@njit(cache=True)
def _children(
    child: int, last_child: int, label: int, last_label: int, node_label: IntArray, labels_of: IntArray, out: IntArray
) -> int:
    """The children whose label is one of some; both are sorted. Few labels are looked up, many are merged."""
    found = 0
    many = last_child - child
    if (last_label - label) * 8 < many:
        for at in range(label, last_label):
            low, high = child, last_child
            while low < high:
                middle = (low + high) // 2
                if node_label[middle] < labels_of[at]:
                    low = middle + 1
                else:
                    high = middle
            if low < last_child and node_label[low] == labels_of[at]:
                out[found] = low
                found += 1
        return found
    while child < last_child and label < last_label:
        if node_label[child] == labels_of[label]:
            out[found] = child
            found += 1
            child += 1
            label += 1
        elif node_label[child] < labels_of[label]:
            child += 1
        else:
            label += 1
    return found


@njit(cache=True)
def reordered(starts: IntArray, groups: Numbers, place: IntArray, in_order: IntArray) -> Numbers:
    """The groups of every row, in another order of the rows: row i is the one at ``place[i]``."""
    out = np.empty(len(groups), dtype=np.int32)
    for i in range(len(place)):
        out[in_order[i] : in_order[i + 1]] = groups[starts[place[i]] : starts[place[i] + 1]]
    return out
