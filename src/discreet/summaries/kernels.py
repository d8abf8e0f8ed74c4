"""The compiled loops of summaries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.compiled import kernel


class RootedTree(NamedTuple):
    """A tree of variables. `order` has them, the root first, each behind its `parent`; `leaves` is how many each has.

    Variable v has P(leaf | leaf of its parent) in `chances` from ``at[v]`` on, a row per leaf of the parent; `share` is
    the distribution of the root.
    """

    order: IntArray
    parent: IntArray
    leaves: IntArray
    share: FloatArray
    chances: FloatArray
    at: IntArray


@kernel
def shares_of_groups(
    left: FloatArray,
    right: FloatArray,
    beside: FloatArray,
    likelihood: FloatArray,
    occurring: IntArray,
    leaves: int,
    floor: float,
) -> tuple[FloatArray, FloatArray]:
    """The likelihood of each group above `floor`, and the share of each of a variable's leaves in it.

    Group (a, b, c) is as likely as ``likelihood[a, b] * beside[c]``, and together with leaf ``occurring[s]`` of all
    `leaves` as likely as ``left[a, s] * right[b, s] * beside[c]``.
    """
    kept = 0
    for a in range(len(left)):
        for b in range(len(right)):
            for c in range(len(beside)):
                kept += likelihood[a, b] * beside[c] > floor
    totals = np.empty(kept)
    shares = np.empty((kept, leaves))
    row = np.zeros(leaves)
    kept = 0
    for a in range(len(left)):
        for b in range(len(right)):
            if likelihood[a, b] <= 0.0:
                continue
            scale = 1.0 / likelihood[a, b]
            for s in range(len(occurring)):
                row[occurring[s]] = left[a, s] * right[b, s] * scale
            for c in range(len(beside)):
                total = likelihood[a, b] * beside[c]
                if total > floor:
                    totals[kept] = total
                    shares[kept] = row
                    kept += 1
    return totals, shares


@kernel
def boxes_of_tree(tree: RootedTree, low: IntArray, high: IntArray) -> FloatArray:
    """Per box, how likely it is together with each leaf of the root, by message passing from the ends to the root.

    Box b has the leaves ``low[b, v]..high[b, v]``.
    """
    order, leaves = tree.order, tree.leaves
    boxes = len(low)
    root = order[0]
    out = np.zeros((boxes, leaves[root]))
    widest = leaves.max()
    says = np.empty((len(leaves), widest))
    speaks = np.empty(len(leaves), dtype=np.bool_)
    for b in range(boxes):
        for v in order:
            # A variable whose leaves are all in the box says nothing, until something behind it does.
            speaks[v] = low[b, v] > 0 or high[b, v] < leaves[v] - 1
            for x in range(low[b, v], high[b, v] + 1):
                says[v, x] = 1.0
        for i in range(len(order) - 1, 0, -1):
            v = order[i]
            if not speaks[v]:
                continue
            p = tree.parent[v]
            speaks[p] = True
            for y in range(low[b, p], high[b, p] + 1):
                row = tree.at[v] + y * leaves[v]
                total = 0.0
                for x in range(low[b, v], high[b, v] + 1):
                    total += tree.chances[row + x] * says[v, x]
                says[p, y] *= total
        for x in range(low[b, root], high[b, root] + 1):
            out[b, x] = tree.share[x] * says[root, x]
    return out


@kernel
def rows_in_boxes(
    codes: Codes,
    counts: IntArray,
    values: Codes,
    low: Codes,
    high: Codes,
    out: IntArray,
    begin: IntArray,
    end: IntArray,
) -> None:
    """Add to ``out[b, values[i]]`` the rows of every combination i in box b, one of ``begin[b]..end[b]``.

    `codes` has a row per attribute.
    """
    attributes = len(codes)
    for b in range(len(low)):
        for i in range(begin[b], end[b]):
            d = 0
            while d < attributes and low[b, d] <= codes[d, i] <= high[b, d]:
                d += 1
            if d == attributes:
                out[b, values[i]] += counts[i]
