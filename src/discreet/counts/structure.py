"""Which attributes should depend on each other: the tree that tells most (Chow & Liu 1968)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.frequency import Edge


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


def heaviest_caterpillar(weights: Mapping[Edge, float]) -> tuple[Edge, ...]:
    """The same, of trees that are a path once their ends are taken off: what keeps them so is taken in order of weight.

    Every tree of six attributes or fewer is one.

    >>> three_legs = {(0, 1): 1.0, (0, 2): 1.0, (0, 3): 1.0, (1, 4): 1.0, (2, 5): 1.0, (3, 6): 1.0}
    >>> heaviest_caterpillar(three_legs | {(2, 6): 0.5})
    ((0, 1), (0, 2), (0, 3), (1, 4), (2, 5), (2, 6))
    """
    chosen: list[Edge] = []
    for weight, edge in sorted((-weight, edge) for edge, weight in weights.items()):
        if weight < 0 and _is_caterpillar([*chosen, edge]):
            chosen.append(edge)
    return tuple(sorted(chosen))


def _is_caterpillar(edges: Sequence[Edge]) -> bool:
    """Are these trees, of each of which a path is left when its ends are taken off?"""
    part: dict[int, int] = {}
    for i, j in edges:
        a, b = part.setdefault(i, i), part.setdefault(j, j)
        if a == b:
            return False  # a circle
        part = {v: a if p == b else p for v, p in part.items()}
    degree = Counter(v for edge in edges for v in edge)
    inner = Counter(v for i, j in edges if degree[i] > 1 and degree[j] > 1 for v in (i, j))
    return max(inner.values(), default=0) <= 2
