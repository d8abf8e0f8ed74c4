"""Which attributes should depend on each other: the tree that tells most (Chow & Liu 1968)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from discreet.arrays import IntArray
from discreet.summaries.contraction import Edge


def mutual_information(table: IntArray) -> float:
    """How much one attribute of a table of pair counts tells about the other, in nats.

    >>> mutual_information(np.array([[5, 5], [5, 5]]))
    0.0
    >>> round(mutual_information(np.array([[5, 0], [0, 5]])), 6)
    0.693147
    """
    total = table.sum()
    i, j = np.nonzero(table)
    share = table[i, j] / total
    # Both sides whole numbers: attributes that are exactly independent tell exactly nothing.
    expected = table.sum(axis=1)[i].astype(np.float64) * table.sum(axis=0)[j]
    return float(np.sum(share * np.log(table[i, j] * float(total) / expected)))


def chow_liu(pairs: Mapping[Edge, IntArray]) -> tuple[Edge, ...]:
    """The edges of the tree with the greatest mutual information: of all trees, it makes the table likeliest.

    It describes this very table, not people who are still to come: so no edge is too much, however few rows it rests
    on. Only edges that tell nothing are left out.
    """
    return heaviest_tree({edge: mutual_information(table) for edge, table in pairs.items()})


def heaviest_tree(weights: Mapping[Edge, float]) -> tuple[Edge, ...]:
    """The edges of the tree (or trees) with the greatest sum of weights above 0 (Kruskal 1956).

    >>> heaviest_tree({(0, 1): 3.0, (0, 2): 2.0, (1, 2): 2.5, (0, 3): -1.0})
    ((0, 1), (1, 2))
    """
    tree: dict[int, int] = {}

    def top(v: int) -> int:
        while tree.setdefault(v, v) != v:
            v = tree[v]
        return v

    chosen = []
    for weight, (i, j) in sorted((-weight, edge) for edge, weight in weights.items()):
        a, b = top(i), top(j)
        if weight < 0 and a != b:
            tree[a] = b
            chosen.append((i, j))
    return tuple(sorted(chosen))
