"""Adding up a tree-shaped distribution over the groups of a node, without ever listing combinations of leaves.

The joint distribution is ``P(x) = Π_v P(x_v | x_parent(v))`` on leaves. A group is a run of leaves per variable, so its
likelihood is a sum of products; sums are pulled inside, variable by variable (message passing). A *message* from a part
of the tree to a neighbour v is an array with a row per group of that part and a column per leaf of v: how likely the
part falls into the group, given the leaf.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.counts.frequency import Edge

Message = tuple[FloatArray, tuple[int, ...]]  # rows × leaves, and the variables whose groups the rows run through


@dataclass(frozen=True, eq=False)
class Forest:
    """Counts of each variable's leaves, and of the pairs of leaves along each edge (i < j); no edge closes a ring."""

    counts: tuple[IntArray, ...]
    tables: Mapping[Edge, IntArray]
    _given: dict[Edge, FloatArray] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def shares(self) -> tuple[FloatArray, ...]:
        """How likely each leaf is."""
        return tuple(c / c.sum() for c in self.counts)

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """Which variables share an edge with each."""
        neighbours: list[list[int]] = [[] for _ in self.counts]
        for i, j in self.tables:
            neighbours[i].append(j)
            neighbours[j].append(i)
        return tuple(map(tuple, neighbours))

    @cached_property
    def trees(self) -> tuple[tuple[int, ...], ...]:
        """The variables of each tree of the forest."""
        left, trees = set(range(len(self.counts))), []
        while left:
            tree = self.tree_of(min(left))
            trees.append(tree)
            left -= set(tree)
        return tuple(trees)

    def tree_of(self, variable: int) -> tuple[int, ...]:
        """The variables that are connected with one, itself first, each behind the one it was reached from."""
        tree = [variable]
        for v in tree:
            tree += [w for w in self.neighbours[v] if w not in tree]
        return tuple(tree)

    def given(self, parent: int, child: int) -> FloatArray:
        """P(child's leaf | parent's leaf), a row per leaf of the child. A leaf that no row has makes nothing likely."""
        known = self._given.get((parent, child))
        if known is None:
            i, j = min(parent, child), max(parent, child)
            table = self.tables[i, j] if parent == j else self.tables[i, j].T
            known = np.ascontiguousarray(table / np.maximum(self.counts[parent], 1))
            self._given[parent, child] = known
        return known


def contracted(forest: Forest, starts: Sequence[IntArray]) -> FloatArray:
    """The likelihood of every group: an axis per variable (a view, in whatever order of memory comes cheapest).

    ``starts[v]`` has the first leaf of each of the values of v that are told apart; a value goes up to the next one.
    """
    likelihood, axes = _side_by_side(forest, starts)
    order = [*axes, *(v for v in range(len(starts)) if v not in axes)]
    tensor = likelihood.reshape([len(starts[v]) for v in order])
    return tensor.transpose([order.index(v) for v in range(len(starts))])


def halves_by(forest: Forest, starts: Sequence[IntArray], variable: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """How likely every group is together with each leaf s of one variable: ``left[a, s] * right[b, s] * beside[c]``.

    The groups are all triples of a row of `left`, a row of `right` and a place of `beside`, which has the attributes
    that are independent of the variable. The variable's own groups are not told apart.
    """
    left, right, _ = _Contraction(forest, starts).halves(variable)
    beside, _ = _side_by_side(forest, starts, without=variable)
    return left, right, beside


def _side_by_side(forest: Forest, starts: Sequence[IntArray], without: int = -1) -> Message:
    """All trees, which are independent, but for that of one variable."""
    likelihood: FloatArray = np.ones(1)
    axes: tuple[int, ...] = ()
    for tree in forest.trees:
        if without not in tree and any(len(starts[v]) > 1 for v in tree):
            piece, more = _Contraction(forest, starts).at(_best_root(forest, starts, tree))
            likelihood = np.multiply.outer(likelihood, piece).ravel()
            axes = (*axes, *more)
    return likelihood, axes


def _best_root(forest: Forest, starts: Sequence[IntArray], tree: Sequence[int]) -> int:
    """Where the tree is best taken apart: the sums are the same from everywhere, the work is not."""

    def work(v: int, parent: int) -> tuple[int, float]:
        """How many groups the part behind v has, and what its message costs; 1 and 0 if it tells nothing apart."""
        groups, cost = 1, 0.0
        for w in forest.neighbours[v]:
            if w != parent:
                more, extra = work(w, v)
                groups, cost = groups * more, cost + extra
        leaves, values = len(forest.counts[v]), len(starts[v])
        if groups > 1 and parent >= 0:
            cost += leaves * groups * (1 + _PER_PRODUCT * len(forest.counts[parent]))
        groups *= values
        if groups > 1 and parent >= 0:
            cost += groups * len(forest.counts[parent])
        return groups, cost

    if len(tree) == 1:
        return tree[0]
    return min(tree, key=lambda r: work(r, -1)[1] + _PER_PRODUCT * _last_step(forest, starts, tree, r))


def _last_step(forest: Forest, starts: Sequence[IntArray], tree: Sequence[int], root: int) -> float:
    groups = float(np.prod([len(starts[v]) for v in tree], dtype=np.float64))
    return groups * len(forest.counts[root]) / len(starts[root])


_PER_PRODUCT = 0.1  # what a multiplication inside of a matrix product costs, beside writing a number to memory


@dataclass(frozen=True, eq=False)
class _Contraction:
    """Messages of one forest for one way to tell values apart."""

    forest: Forest
    starts: Sequence[IntArray]

    def at(self, root: int) -> Message:
        """The likelihood of every group of the root's tree, in one row."""
        left, right, axes = self.halves(root)
        starts, leaves = self.starts[root], left.shape[1]
        if len(starts) == leaves > 1:
            return (left[:, None, :] * right[None, :, :]).ravel(), (*axes, root)
        likelihood = np.empty((len(starts), len(left), len(right)))
        for g, (a, b) in enumerate(zip(starts, [*starts[1:], leaves], strict=True)):
            np.matmul(left[:, a:b], right[:, a:b].T, out=likelihood[g])
        return likelihood.ravel(), (root, *axes) if len(starts) > 1 else axes

    def halves(self, root: int) -> tuple[FloatArray, FloatArray, tuple[int, ...]]:
        """What the root hears, in two parts whose products are the whole; the left one is weighed by its shares."""
        share = self.forest.shares[root]
        one, other = _halves(self._messages(root, -1))
        (left, left_axes), (right, right_axes) = _product(one, len(share)), _product(other, len(share))
        return left * share, right, (*left_axes, *right_axes)

    def _messages(self, v: int, parent: int) -> list[Message]:
        """From all neighbours but one; those that tell nothing apart say nothing (they would say 1)."""
        messages = (self._message(w, v) for w in self.forest.neighbours[v] if w != parent)
        return [message for message in messages if message is not None]

    def _message(self, v: int, parent: int) -> Message | None:
        inner = self._messages(v, parent)
        starts = self.starts[v]
        if not inner and len(starts) == 1:
            return None
        shares = self.forest.given(parent, v)
        if not inner:
            return (shares if len(starts) == len(shares) else np.add.reduceat(shares, starts, axis=0)), (v,)
        rows, axes = _product(inner, len(shares))
        if len(starts) == 1:
            return rows @ shares, axes
        out = np.empty((len(starts), len(rows), shares.shape[1]))
        if len(starts) == len(shares):
            np.multiply(rows.T[:, :, None], shares[:, None, :], out=out)
        else:
            for g, (a, b) in enumerate(zip(starts, [*starts[1:], len(shares)], strict=True)):
                np.matmul(rows[:, a:b], shares[a:b], out=out[g])
        return out.reshape(-1, shares.shape[1]), (v, *axes)


def _product(messages: Sequence[Message], leaves: int) -> Message:
    """Several messages to one variable as one: all combinations of their groups."""
    if not messages:
        return np.ones((1, leaves)), ()
    rows, axes = messages[0]
    for more, others in messages[1:]:
        rows = (rows[:, None, :] * more[None, :, :]).reshape(-1, leaves)
        axes = (*axes, *others)
    return rows, axes


def _halves(messages: Sequence[Message]) -> tuple[list[Message], list[Message]]:
    """Two sets whose products have about equally many rows, so that neither is large before they meet."""
    one: list[Message] = []
    other: list[Message] = []
    size_one = size_other = 1
    for message in sorted(messages, key=lambda m: -len(m[0])):
        if size_one <= size_other:
            one.append(message)
            size_one *= len(message[0])
        else:
            other.append(message)
            size_other *= len(message[0])
    return one, other
