"""A Bayesian network over single values: a tree of attributes in which each depends on one other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.counts.cells import Cells
from discreet.counts.frequency import Edge
from discreet.counts.roll_up import Node
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.summaries.base import NEGLIGIBLE, check_limit
from discreet.summaries.contraction import Forest, contracted, halves_by
from discreet.summaries.kernels import RootedTree, boxes_of_tree, shares_of_groups


@dataclass(frozen=True, eq=False)
class Network:
    """The joint distribution as a tree (or several): what is not connected is taken as independent.

    Attributes are the quasi-identifiers, then the sensitive ones, in order; `counts` has how many rows have each leaf
    of each, `tables` the counts of pairs of leaves along each edge ``(i, j)``, i < j. A tree has no direction: the
    joint distribution is the same from whichever attribute it is read.

    It holds counts of a private table, one and two attributes at a time: keep it as private as the table.
    """

    hierarchies: tuple[Hierarchy, ...]
    sensitive_hierarchies: Mapping[str, Hierarchy]
    counts: tuple[IntArray, ...]
    tables: Mapping[Edge, IntArray] = field(default_factory=dict)

    @cached_property
    def rows(self) -> int:
        """How many rows the table has."""
        return int(self.counts[0].sum())

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """The attributes that depend on each other, by name."""
        names = [h.attribute for h in (*self.hierarchies, *self.sensitive_hierarchies.values())]
        return tuple((names[i], names[j]) for i, j in self.tables)

    @cached_property
    def forest(self) -> Forest:
        """The tree behind all answers, over the leaves that occur: no other has a part in any group."""
        tables = {
            (i, j): np.ascontiguousarray(table[np.ix_(self.occurring[i], self.occurring[j])])
            for (i, j), table in self.tables.items()
        }
        return Forest(tuple(c[o] for c, o in zip(self.counts, self.occurring, strict=True)), tables)

    @cached_property
    def occurring(self) -> tuple[IntArray, ...]:
        """Per attribute, the leaves that some row has."""
        return tuple(np.flatnonzero(c) for c in self.counts)

    def marginal(self, attribute: int) -> FloatArray:
        """The share of each leaf of a quasi-identifier."""
        return self.counts[attribute] / self.rows

    def count(self, node: Node) -> int:
        """How many groups a node has of values that occur, likely or not."""
        return prod(len(self._starts(d, level)) for d, level in enumerate(node))

    def likelihoods(self, node: Node) -> FloatArray:
        """The likelihood of every group of a node: an axis per quasi-identifier, its generalized values in order."""
        check_limit(prod(len(h.labels[level]) for h, level in zip(self.hierarchies, node, strict=True)))
        shares = contracted(self.forest, self._all_starts(node))
        occur = [np.unique(h.codes[n][o]) for h, n, o in zip(self.hierarchies, node, self.occurring, strict=False)]
        whole = np.zeros([len(h.labels[level]) for h, level in zip(self.hierarchies, node, strict=True)])
        whole[np.ix_(*occur)] = shares.reshape([len(o) for o in occur])
        return whole

    def cells(self, node: Node, sensitive: str = "") -> Cells:
        """The groups of a node, in no order; with how likely each sensitive value is in them, if one is named.

        Groups that can't get a row are left out: all together they expect less than a billionth of a row.
        """
        groups = self.count(node)
        floor = NEGLIGIBLE / (self.rows * groups)
        if not sensitive:
            check_limit(groups)
            likelihood = contracted(self.forest, self._all_starts(node)).ravel(order="K")
            return Cells(likelihood[likelihood > floor])
        at, leaves = self._place(sensitive)
        check_limit(groups, leaves)
        left, right, beside = halves_by(self.forest, self._all_starts(node), at)
        return Cells(*shares_of_groups(left, right, beside, left @ right.T, self.occurring[at], leaves, floor))

    def boxes(self, low: Codes, high: Codes, sensitive: str = "") -> Cells:
        """The same for any boxes: group g has the leaves ``low[g, d]..high[g, d]`` of attribute d. None is left out."""
        first, last = self._boxes(low, high)
        at, leaves = self._place(sensitive) if sensitive else (-1, 0)
        likelihood = np.ones(len(low))
        shares = None
        for tree in self.forest.trees:
            joint = boxes_of_tree(self._rooted(at if at in tree else tree[0]), first, last)
            total = joint.sum(axis=1)
            likelihood *= total
            if at in tree:
                prior = self.forest.shares[at]  # of a box that no row can be in, nothing better is known
                shares = np.zeros((len(low), leaves))
                shares[:, self.occurring[at]] = np.where(
                    total[:, None] > 0, joint / np.where(total > 0, total, 1)[:, None], prior
                )
        return Cells(likelihood, shares)

    def _starts(self, attribute: int, level: int) -> IntArray:
        """Of the leaves that occur, the first of each generalized value."""
        known = self._known_starts.get((attribute, level))
        if known is None:
            codes = self.hierarchies[attribute].codes[level][self.occurring[attribute]]
            known = np.flatnonzero(np.diff(codes, prepend=-1))
            self._known_starts[attribute, level] = known
        return known

    def _all_starts(self, node: Node) -> list[IntArray]:
        """The same for all attributes; sensitive values are not told apart."""
        starts = [self._starts(d, level) for d, level in enumerate(node)]
        return starts + [np.zeros(1, dtype=np.int64) for _ in self.sensitive_hierarchies]

    @cached_property
    def _known_starts(self) -> dict[tuple[int, int], IntArray]:
        return {}

    def _place(self, sensitive: str) -> tuple[int, int]:
        """Which of all attributes it is, and how many leaves it has."""
        at = len(self.hierarchies) + list(self.sensitive_hierarchies).index(sensitive)
        return at, len(self.counts[at])

    def _boxes(self, low: Codes, high: Codes) -> tuple[IntArray, IntArray]:
        """Boxes of quasi-identifiers as boxes of all attributes, counted in leaves that occur."""
        ends = [
            (np.searchsorted(o, low[:, d]), np.searchsorted(o, high[:, d], side="right") - 1)
            for d, o in enumerate(self.occurring[: len(self.hierarchies)])
        ]
        ends += [
            (np.zeros(len(low), dtype=np.int64), np.full(len(low), len(o) - 1, dtype=np.int64))
            for o in self.occurring[len(self.hierarchies) :]
        ]
        return np.stack([a for a, _ in ends], axis=1), np.stack([b for _, b in ends], axis=1)

    def _rooted(self, root: int) -> RootedTree:
        """The tree of one attribute as plain arrays, for the compiled loop."""
        known = self._flat.get(root)
        if known is None:
            forest = self.forest
            order = forest.tree_of(root)
            parent = np.full(len(self.counts), -1, dtype=np.int64)
            at = np.zeros(len(self.counts), dtype=np.int64)
            chances, length = [np.empty(0)], 0
            for v in order[1:]:
                parent[v] = next(w for w in forest.neighbours[v] if w in order[: order.index(v)])
                at[v] = length
                chances.append(forest.given(int(parent[v]), v).T.ravel())
                length += len(chances[-1])
            sizes = np.array([len(o) for o in self.occurring], dtype=np.int64)
            known = RootedTree(np.array(order), parent, sizes, forest.shares[root], np.concatenate(chances), at)
            self._flat[root] = known
        return known

    @cached_property
    def _flat(self) -> dict[int, RootedTree]:
        return {}
