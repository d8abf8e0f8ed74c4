"""Where people of whom the quasi-identifiers are known stand in a release: the groups that may be theirs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from discreet.audit.labels import coverage
from discreet.audit.published import Population, combination_codes
from discreet.audit.seen import AMBIGUOUS, BUCKETIZED, Seen

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Places:
    """The people with the i-th combination on a list may be in ``groups[starts[i]:starts[i + 1]]``, and in no other."""

    starts: IntArray
    groups: IntArray

    @property
    def many(self) -> IntArray:
        """How many groups each combination may be in."""
        return np.diff(self.starts)

    @property
    def only(self) -> IntArray:
        """The group of those who can be in one alone; −1 for those who fit nowhere, −2 for those who fit several."""
        found = np.where(self.many == 0, -1, -2)
        one = self.many == 1
        found[one] = self.groups[self.starts[:-1][one]]
        return found


def can_place(seen: Seen) -> bool:
    """Does the release say of each group who may be in it, one combination at a time?"""
    return seen.publish != AMBIGUOUS


def places(seen: Seen, listed: Population) -> Places:
    """All groups whose labels cover each combination on the list (of a bucketized release: that have its very values).

    The list may have more columns than the release.
    """
    if seen.publish == BUCKETIZED:
        return _exact_places(seen, listed)
    n = len(listed.found.counts)
    cover, codes = [], []
    for region in seen.regions:
        at = listed.columns.index(region.attribute)
        cover.append(coverage(region.labels, listed.found.values[at]))
        codes.append(np.asarray(listed.found.codes[at], dtype=np.int64))
    if not cover:
        everywhere = np.tile(np.arange(len(seen.sizes)), n)
        return Places(np.arange(n + 1) * len(seen.sizes), everywhere)
    # The attribute that tells most apart comes first: what is ruled out early is not looked at again.
    telling = [_share_covered(c, r.label, v) for c, r, v in zip(cover, seen.regions, codes, strict=True)]
    order = np.argsort(telling, kind="stable")
    labels = np.stack([seen.regions[d].label for d in order], axis=1)
    values = np.stack([codes[d] for d in order], axis=1)
    flat = np.concatenate([cover[d].ravel() for d in order])
    before = np.cumsum([0, *(cover[d].size for d in order)])[:-1]
    widths = np.array([cover[d].shape[1] for d in order])
    by_label, by_value = np.lexsort(labels.T[::-1]), np.lexsort(values.T[::-1])
    label_of, children, roots = _tree(labels[by_label])
    many, found = _walk(label_of, children, roots, values[by_value], flat, before, widths)
    # The walk went through the list in the order of its values: back to its own order.
    starts = np.zeros(n + 1, dtype=np.int64)
    starts[1:][by_value] = many
    np.cumsum(starts, out=starts)
    ends = np.cumsum(many)
    at = np.repeat(starts[by_value] - (ends - many), many) + np.arange(len(found))
    groups = np.empty(len(found), dtype=np.int64)
    groups[at] = by_label[found]
    return Places(starts, groups)


def _exact_places(seen: Seen, listed: Population) -> Places:
    [table] = seen.tables
    own, theirs = combination_codes(table, listed)
    pairs = np.unique(np.stack([own, table.group], axis=1), axis=0)
    low, high = np.searchsorted(pairs[:, 0], theirs), np.searchsorted(pairs[:, 0], theirs, side="right")
    many = np.where(theirs < 0, 0, high - low)
    starts = np.concatenate([[0], np.cumsum(many)])
    at = np.repeat(low - starts[:-1], many) + np.arange(starts[-1])
    return Places(starts, pairs[at, 1])


def _share_covered(cover: BoolArray, label: IntArray, value: IntArray) -> float:
    """How likely a group's label covers somebody's value."""
    groups = np.bincount(label, minlength=cover.shape[0]) / max(len(label), 1)
    people = np.bincount(value, minlength=cover.shape[1]) / max(len(value), 1)
    return float(groups @ cover @ people)


def _tree(labels: IntArray) -> tuple[IntArray, IntArray, int]:
    """Groups (sorted by their labels) as a tree, an attribute a floor: the label of each node, and from where to where
    its children are. Nodes are numbered floor by floor; below the last are the groups. So many have no parent.
    """
    new = np.zeros(len(labels), dtype=np.bool_)
    new[:1] = True
    starts = []
    for column in labels.T:
        new[1:] |= column[1:] != column[:-1]
        starts.append(np.flatnonzero(new))
    label_of = np.concatenate([column[s] for column, s in zip(labels.T, starts, strict=True)])
    floors = np.cumsum([0, *(len(s) for s in starts)])
    children = []
    for floor, s in enumerate(starts):
        lower, at = (starts[floor + 1], floors[floor + 1]) if floor + 1 < len(starts) else (np.arange(len(labels)), 0)
        ends = np.append(s[1:], len(labels))
        children.append(np.stack([np.searchsorted(lower, s), np.searchsorted(lower, ends)], axis=1) + at)
    return label_of, np.concatenate(children).astype(np.int64), len(starts[0])


@njit(cache=True)
def _walk(
    label_of: IntArray,
    children: IntArray,
    roots: int,
    values: IntArray,
    flat: BoolArray,
    before: IntArray,
    widths: IntArray,
) -> tuple[IntArray, IntArray]:
    """Each combination down the tree, along all labels that cover it; what two neighbours share is walked once."""
    n, floors = values.shape
    standing = np.zeros((floors, 64), dtype=np.int64)  # per floor, the nodes that cover what is above
    count = np.zeros(floors, dtype=np.int64)
    many = np.zeros(n, dtype=np.int64)
    found = np.zeros(1024, dtype=np.int64)
    total = 0
    for i in range(n):
        changed = 0
        if i > 0:
            while changed < floors and values[i, changed] == values[i - 1, changed]:
                changed += 1
        for floor in range(changed, floors):
            count[floor] = 0
            for p in range(1 if floor == 0 else count[floor - 1]):
                start, end = 0, roots
                if floor > 0:
                    start, end = children[standing[floor - 1, p]]
                for node in range(start, end):
                    if flat[before[floor] + label_of[node] * widths[floor] + values[i, floor]]:
                        if count[floor] == standing.shape[1]:
                            wider = np.zeros((floors, 2 * standing.shape[1]), dtype=np.int64)
                            wider[:, : standing.shape[1]] = standing
                            standing = wider
                        standing[floor, count[floor]] = node
                        count[floor] += 1
        for p in range(count[floors - 1]):
            start, end = children[standing[floors - 1, p]]
            if total + end - start > len(found):
                longer = np.zeros(2 * len(found) + end - start, dtype=np.int64)
                longer[:total] = found[:total]
                found = longer
            for group in range(start, end):
                found[total] = group
                total += 1
            many[i] += end - start
    return many, found[:total]
