"""Confidence where values may go together: by pairs of attributes, and with a margin for what these can't tell.

Beyond Nergiz & Clifton 2008, whose attributes are independent of each other. Real ones are not; so a release by
marginals alone keeps δ in fewer groups than its confidence says (docs/studies.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.frequency import Edge, Marginals
from discreet.counts.groups import Outside
from discreet.models.presence.confidence import Delta, limits

if TYPE_CHECKING:
    from discreet.models.presence.tree_kernels import Known, Tree


def sure_confidence(rows: IntArray, outside: Outside, delta: Delta, margin: Fraction, pairs: bool) -> FloatArray:
    """Per group a confidence that it surely reaches: at least, whatever rounding did.

    `pairs`: attributes hang together as what is known of pairs says, else not at all. So many people as are expected in
    a group may be a factor exp(margin) more or fewer.

    >>> from discreet.counts.frequency import Pairs
    >>> counts = np.array([2, 2])
    >>> together = Pairs({(0, 1): np.array([[2, 0], [0, 2]])}, ((0, 1),))
    >>> marginals = Marginals((counts, counts), (counts > 0, counts > 0), 4, together)
    >>> both = Outside(np.array([[0, 0], [0, 1]]), np.array([[0, 0], [0, 1]]), marginals)
    >>> delta = Fraction(0), Fraction(1, 2)
    >>> sure_confidence(np.array([1, 1]), both, delta, Fraction(0), pairs=True)
    array([1., 0.])
    """
    from discreet.models.presence.tree_kernels import sure_of  # late: it needs numba

    low, high = limits(rows, delta)
    up = math.exp(min(float(margin), 700.0)) * (1.0 + 1e-15)
    sure: FloatArray = sure_of(known_of(outside, pairs), low, high, 1.0 / up, up)
    return sure


def reaches(sure: FloatArray, least: Fraction) -> BoolArray:
    """Which of these are at least what is asked, as exact numbers."""
    above = float(np.nextafter(float(least), 2.0))
    verdict: BoolArray = (sure >= above) | (sure == 1.0)
    return verdict


def expected_in(outside: Outside, pairs: bool) -> FloatArray:
    """How many people outside of the table are expected in each group."""
    return known_of(outside, pairs).mean


def known_of(outside: Outside, pairs: bool) -> Known:
    """What pairs (or marginals) tell of how many people outside are in each group."""
    from discreet.models.presence import tree_kernels

    low, high = (np.ascontiguousarray(ends, dtype=np.int32) for ends in (outside.low, outside.high))
    known: Known = tree_kernels.known_of(tree_of(outside.marginals, pairs), low, high)
    return known


@lru_cache(maxsize=8)  # a search asks of the same people at every node
def tree_of(marginals: Marginals, pairs: bool) -> Tree:
    """What is known of the people outside, as the compiled loops read it."""
    from discreet.models.presence.tree_kernels import Tree

    told = marginals.pairs if pairs else None
    edges = told.edges if told is not None else ()
    counted = told.counts if told is not None else {}
    leaves = np.array([len(c) for c in marginals.counts], dtype=np.int64)
    order, parent = rooted(len(leaves), edges)
    tables, pair_at, length = [np.empty(0, dtype=np.int64)], np.zeros(len(leaves), dtype=np.int64), 0
    for v, up in enumerate(parent.tolist()):
        if up >= 0:
            table = counted[min(v, up), max(v, up)]
            rows = table if up < v else table.T
            pair_at[v] = length
            tables.append(np.pad(rows.cumsum(axis=1), ((0, 0), (1, 0))).ravel())
            length += len(tables[-1])
    every = [*edges, *(edge for edge in counted if edge not in edges)]
    corners = [np.pad(counted[edge].cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0))) for edge in every]
    return Tree(
        marginals.size,
        leaves,
        np.concatenate([np.empty(0, dtype=np.int64), *marginals.running]),
        _starts(leaves + 1),
        order,
        parent,
        np.concatenate(tables),
        pair_at,
        np.array([i for i, _ in every], dtype=np.int64),
        np.array([j for _, j in every], dtype=np.int64),
        np.concatenate([np.empty(0, dtype=np.int64), *(table.ravel() for table in corners)]),
        _starts(np.array([table.size for table in corners], dtype=np.int64)),
        np.array([table.shape[1] for table in corners], dtype=np.int64),
        len(edges),
    )


def rooted(attributes: int, edges: Sequence[Edge]) -> tuple[IntArray, IntArray]:
    """The attributes, each behind its neighbour towards the root of its tree, and these neighbours (−1: none).

    >>> order, parent = rooted(4, [(0, 2), (1, 2)])
    >>> order.tolist(), parent.tolist()
    ([0, 2, 1, 3], [-1, 2, 0, -1])
    """
    beside: list[list[int]] = [[] for _ in range(attributes)]
    for i, j in edges:
        beside[i].append(j)
        beside[j].append(i)
    order: list[int] = []
    parent = np.full(attributes, -1, dtype=np.int64)
    for root in range(attributes):
        if root in order:
            continue
        waiting = [root]
        while waiting:
            v = waiting.pop()
            order.append(v)
            for w in beside[v]:
                if w != parent[v]:
                    parent[w] = v
                    waiting.append(w)
    return np.array(order, dtype=np.int64), parent


def _starts(lengths: IntArray) -> IntArray:
    ends: IntArray = np.cumsum(lengths).astype(np.int64)
    return ends - lengths
