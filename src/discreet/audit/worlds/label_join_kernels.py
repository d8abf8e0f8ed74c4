"""The compiled walk of `label_join`: people's values down the trie of the groups' labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import IntArray
from discreet.compiled import kernel

Numbers = NDArray[np.int32]


class Trie(NamedTuple):
    """The sorted label combinations of groups, level by level: node i has a `label`, and the children
    ``first_child[i]:first_child[i + 1]``; leaf i the groups ``order[leaf_first[i]:leaf_first[i + 1]]``.
    """

    label: IntArray
    first_child: IntArray
    leaf_first: IntArray
    order: IntArray


class ByValue(NamedTuple):
    """Column d's value v fits the labels ``labels[starts[shift[d] + v]:starts[shift[d] + v + 1]]``."""

    shift: IntArray
    starts: IntArray
    labels: IntArray


@kernel
def join(
    rows: IntArray, people: IntArray, values: ByValue, trie: Trie, most: int
) -> tuple[IntArray, IntArray, Numbers, bool]:
    """How many groups each (sorted) row of values fits, how many people each group covers, and which groups fit.

    The last only if there are at most so many in all.
    """
    shift, starts_of, labels_of = values
    node_label, first_child, leaf_first, order = trie
    groups = len(order)
    depth = rows.shape[1]
    leaves = len(node_label) - (len(leaf_first) - 1)
    fits = np.zeros(len(rows), dtype=np.int64)
    having = np.zeros(groups, dtype=np.int64)
    active = np.zeros((depth + 1, max(groups, 1)), dtype=np.int64)
    length = np.zeros(depth + 1, dtype=np.int64)
    length[0] = min(groups, 1)
    labels = node_label.max() + 1  # the root has the label 0
    if len(labels_of):
        labels = max(labels, labels_of.max() + 1)
    fitting = np.zeros((depth, labels), dtype=np.bool_)
    marked = np.full(depth, -1, dtype=np.int64)  # whose labels are marked as fitting
    nothing = labels_of[:0]
    out = np.empty(max(len(rows), 1), dtype=np.int32)
    written = 0
    for i in range(len(rows)):
        same = 0
        while i > 0 and same < depth and rows[i, same] == rows[i - 1, same]:
            same += 1
        for d in range(same, depth):
            at = shift[d] + rows[i, d]
            if at != marked[d]:
                for label in labels_of[starts_of[marked[d]] : starts_of[marked[d] + 1]] if marked[d] >= 0 else nothing:
                    fitting[d, label] = False
                for label in labels_of[starts_of[at] : starts_of[at + 1]]:
                    fitting[d, label] = True
                marked[d] = at
            nodes = 0
            for a in range(length[d]):
                child, last = first_child[active[d, a]], first_child[active[d, a] + 1]
                if last - child <= 8 * (starts_of[at + 1] - starts_of[at]):
                    for c in range(child, last):
                        if fitting[d, node_label[c]]:
                            active[d + 1, nodes] = c
                            nodes += 1
                else:
                    for label in labels_of[starts_of[at] : starts_of[at + 1]]:
                        c = child + np.searchsorted(node_label[child:last], label)
                        if c < last and node_label[c] == label:
                            active[d + 1, nodes] = c
                            nodes += 1
            length[d + 1] = nodes
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


@kernel
def reordered(starts: IntArray, groups: Numbers, place: IntArray, in_order: IntArray) -> Numbers:
    """The groups of every row, in another order of the rows: row i is the one at ``place[i]``."""
    out = np.empty(len(groups), dtype=np.int32)
    for i in range(len(place)):
        out[in_order[i] : in_order[i + 1]] = groups[starts[place[i]] : starts[place[i] + 1]]
    return out
