"""Cuts: each attribute generalized through its whole hierarchy, but not everywhere equally far.

A cut takes every leaf of an attribute to one node above it. It is the set of nodes that are *opened*, published as
their children rather than as themselves; a node is opened only if the one above it is. Nothing opened is ``*``
everywhere. Opening one more node only ever splits groups, and what it saves in loss does not depend on what else is
opened: so much for each row under it.

Sets of nodes are integers, a bit for each node. Loss is counted in whole numbers, of which `Cuts.scale` make a loss of
1, so that nothing is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray, rows_among
from discreet.counts.groups import Groups
from discreet.counts.kernels import Keys, Spreads, merge_groups, suppression
from discreet.counts.roll_up import RollUp, merged_groups
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.models.base import all_hold, least_suppressed
from discreet.models.by_people import tallied_by_people
from discreet.search.confirmed import JUDGEMENTS, JUDGEMENTS_IN_ALL, confirm, may_differ
from discreet.search.plan import SUPPRESSED, Problem, Recoding

Opened = int
_REMEMBERED = 100_000  # cuts of single attributes


@dataclass(frozen=True)
class Inner:
    """A node that can be opened: an attribute, a range of its leaves, the ranges of the children, and what it saves."""

    attribute: int
    low: int
    high: int
    children: tuple[tuple[int, int], ...]
    gain: int


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows that no cut in question tells apart, counted together; a key holds a leaf for each attribute."""

    keys: Keys
    groups: Groups


@dataclass(frozen=True)
class Judgement:
    """A cut with its failing groups suppressed."""

    feasible: bool
    hopeless: bool  # nothing that opens more can be published
    cost: int
    lost: int  # what the rows that are lost, however much is opened, cost beside
    left_out: Codes | None = None  # groups to suppress though they keep the promises, by their first leaves
    unproven: float = math.inf  # a cost that could not be ruled out for the same cut, other groups left out


class Cuts:
    """All cuts of a problem's hierarchies, and what each is worth.

    Where a table was not looked at closely, ``stands_for[d][l]`` is the leaf that leaf l of attribute d was counted as:
    a node whose leaves were all counted as one can't be opened.
    """

    def __init__(self, problem: Problem, stands_for: Sequence[Codes] | None = None):
        f = problem.frequency
        self.problem = problem
        self.hierarchies = f.hierarchies
        self._widest = np.array([len(h.leaves) - 1 for h in f.hierarchies], dtype=np.int64)
        self._starts = np.concatenate([[0], np.cumsum(self._widest[:-1] + 1)]).astype(np.int64)[: len(self._widest)]
        wide = [w for w in self._widest.tolist() if w]
        common = math.lcm(*wide)
        self._share = [common // w if w else 0 for w in self._widest.tolist()]
        self.scale = common * max(f.rows, 1) * max(len(f.hierarchies), 1)
        self._monotone = all(map(problem.survives_merging, problem.models))
        self._confirms = problem.confirmed and may_differ(problem.models)
        self._judgements = JUDGEMENTS_IN_ALL
        self.nodes: list[Inner] = []
        self._parent: list[int | None] = []
        for d, h in enumerate(f.hierarchies):
            here = np.bincount(f.codes[d], weights=f.counts, minlength=len(h.leaves)).astype(np.int64)
            stands = np.arange(len(h.leaves)) if stands_for is None else stands_for[d]
            self._grow(d, h, np.concatenate([[0], np.cumsum(here)]), stands.tolist())
        self.roots: Opened = sum(1 << v for v, above in enumerate(self._parent) if above is None)
        self.under: list[Opened] = [0] * len(self.nodes)  # the nodes right below
        self.subtree: list[Opened] = [1 << v for v in range(len(self.nodes))]
        for v in range(len(self.nodes) - 1, -1, -1):  # children come after their parents
            above = self._parent[v]
            if above is not None:
                self.under[above] |= 1 << v
                self.subtree[above] |= self.subtree[v]
        self.by_attribute: list[Opened] = [
            sum(1 << v for v, n in enumerate(self.nodes) if n.attribute == d) for d in range(len(self._widest))
        ]
        self.closed_cost = sum(f.rows * int(w) * s for w, s in zip(self._widest, self._share, strict=True))
        self._maps: dict[tuple[int, Opened], tuple[IntArray, IntArray]] = {}
        self._roll_up = RollUp(
            f, attributes={m.attribute for m in problem.models}, people_by=tallied_by_people(problem.models)
        )
        finest = self._roll_up.groups((0,) * len(f.hierarchies))
        self._fields = self._roll_up.fields
        self.rows = Rows(finest.keys, finest.groups)

    def _grow(self, d: int, h: Hierarchy, before: IntArray, stands: list[int]) -> None:
        """The nodes of one attribute that any row is under, each before those below it."""
        open_nodes: list[tuple[int, int, int, int | None]] = [(0, len(h.leaves) - 1, h.height, None)]
        while open_nodes:
            low, high, level, above = open_nodes.pop()
            rows = int(before[high + 1] - before[low])
            while level > 0 and _spans(h, level - 1, low, high):
                level -= 1
            if level == 0 or not rows or stands[low] == stands[high]:
                continue
            codes = np.unique(h.codes[level - 1][low : high + 1])
            first, last = h.first[level - 1][codes], h.last[level - 1][codes]
            saved = (high - low) * rows - int((before[last + 1] - before[first]) @ (last - first).astype(np.int64))
            children = tuple(zip(first.tolist(), last.tolist(), strict=True))
            self.nodes.append(Inner(d, low, high, children, saved * self._share[d]))
            self._parent.append(above)
            at = len(self.nodes) - 1
            open_nodes += [(a, b, level - 1, at) for a, b in children if a < b]

    def gain(self, opened: Opened) -> int:
        """What opening these saves."""
        return sum(self.nodes[v].gain for v in members(opened))

    def path(self, v: int) -> Opened:
        """The node, and all that must be opened before it."""
        path, at = 0, v
        while True:
            path |= 1 << at
            above = self._parent[at]
            if above is None:
                return path
            at = above

    def frontier(self, opened: Opened) -> Opened:
        """The nodes that can be opened next."""
        open_next = self.roots
        for v in members(opened):
            open_next |= self.under[v]
        return open_next & ~opened

    def of_levels(self, node: Sequence[int]) -> Opened:
        """The cut that publishes every attribute at one level."""
        return sum(
            1 << v
            for v, n in enumerate(self.nodes)
            if self.hierarchies[n.attribute].codes[node[n.attribute]][n.low]
            != self.hierarchies[n.attribute].codes[node[n.attribute]][n.high]
        )

    def coarser(self, rows: Rows, opened: Opened) -> Rows:
        """The rows as a cut that opens no more than these shows them."""
        return self._merge(rows, opened)[0]

    def judge(self, rows: Rows, opened: Opened, most: float = math.inf) -> Judgement:
        """What the cut is worth, counted from rows that it does not split.

        Whether a cut that costs `most` or more could be confirmed is not looked into: it counts as one that can't be.
        """
        shown, p = self.coarser(rows, opened), self.problem
        cost = self.closed_cost - self.gain(opened)
        holds = all_hold(p.models, shown.groups)
        if holds.all():
            return Judgement(True, False, cost, 0)
        if self._monotone and p.suppression_limit == 0:
            return Judgement(False, True, cost, 0)
        spread = np.concatenate([self._map(d, opened)[1] for d in range(len(self._widest))])
        spreads = Spreads(spread, self._starts, self._widest)
        least = least_suppressed(p.models, shown.groups)
        suppressed, lost, _, *extra = suppression(
            shown.keys, self._fields, spreads, holds, holds, shown.groups.sizes, least, p.suppression_limit
        ).tolist()
        if lost > p.suppression_limit:
            return Judgement(False, True, cost, 0)
        whole, part = extra[: len(self._widest)], extra[len(self._widest) :]
        feasible = suppressed <= p.suppression_limit
        judged = Judgement(feasible, False, cost + self._weighted(whole), self._weighted(part))
        return self._confirmed(judged, shown, holds, opened, most) if judged.feasible and self._confirms else judged

    def _confirmed(self, judged: Judgement, shown: Rows, holds: BoolArray, opened: Opened, most: float) -> Judgement:
        """The cut with more groups suppressed, so that the others keep the promises among themselves too."""
        if judged.cost >= most:
            return replace(judged, feasible=False)
        p, sizes, first = self.problem, shown.groups.sizes, self._first_leaves(shown)
        each = np.zeros(len(sizes), dtype=object)  # whole numbers of any size
        for d, share in enumerate(self._share):
            each += (int(self._widest[d]) - self._map(d, opened)[1][first[:, d]]).astype(object) * sizes * share

        def price(left_out: IntArray) -> float:
            return judged.cost + int(each[left_out].sum())

        def prices(left_out: IntArray, more: IntArray) -> list[float]:
            cost = price(left_out)
            return [cost + one for one in each[more].tolist()]

        allowed = min(JUDGEMENTS, self._judgements)
        found = confirm(p.models, shown.groups, holds, p.suppression_limit, price, most, allowed, prices=prices)
        self._judgements -= found.judgements
        if found.left_out is None:
            return replace(judged, feasible=False, unproven=found.least)
        cost = int(price(found.left_out))
        unproven = found.least if found.least < cost else math.inf
        return replace(judged, cost=cost, left_out=first[found.left_out], unproven=unproven)

    def _first_leaves(self, shown: Rows) -> Codes:
        """Of each group and attribute the first leaf."""
        first = np.empty((len(shown.groups), len(self.hierarchies)), dtype=np.int32)
        for d in range(len(self.hierarchies)):
            word, shift, mask = (at[d] for at in self._fields)
            first[:, d] = ((shown.keys[word] >> shift) & mask).astype(np.int32)
        return first

    def plan(self, opened: Opened, facts: dict[str, object], left_out: Codes | None = None) -> Recoding:
        """Publish the cut; groups that break a promise are suppressed whole, and so are those that are left out."""
        frequency = self.problem.frequency
        counted, combination = self._roll_up.group_of_rows((0,) * len(self.hierarchies))
        shown, group = self._merge(Rows(counted.keys, counted.groups), opened)
        low = self._first_leaves(shown)
        kept = all_hold(self.problem.models, shown.groups)
        if left_out is not None and len(left_out):
            kept &= ~rows_among(low, left_out)
        number = np.where(kept, np.cumsum(kept) - 1, SUPPRESSED)
        low = low[kept]
        high = np.empty_like(low)
        for d in range(len(self.hierarchies)):
            high[:, d] = low[:, d] + self._map(d, opened)[1][low[:, d]]
        return Recoding(
            frequency,
            row=np.arange(len(frequency.counts), dtype=np.int64),
            count=frequency.counts,
            group=number[group[combination]].astype(np.int64),
            low=low,
            high=high,
            facts=facts,
        )

    def _merge(self, rows: Rows, opened: Opened) -> tuple[Rows, Codes]:
        """Rows that a cut does not tell apart, counted together; also where each of the given ones went."""
        changes = [
            (np.arange(len(h.leaves)) ^ self._map(d, opened)[0]).astype(np.uint64) << self._fields.shift[d]
            for d, h in enumerate(self.hierarchies)
        ]
        keys, group, sizes = merge_groups(
            rows.keys,
            self._fields,
            rows.groups.sizes,
            self._starts,
            np.concatenate([np.empty(0, dtype=np.uint64), *changes]),
        )
        return Rows(keys, merged_groups(rows.groups, group, sizes)), group

    def _map(self, d: int, opened: Opened) -> tuple[IntArray, IntArray]:
        """Per leaf of an attribute, the first leaf of what it becomes, and how many leaves that has beside."""
        key = d, opened & self.by_attribute[d]
        known = self._maps.get(key)
        if known is None:
            leaves = len(self.hierarchies[d].leaves)
            first, spread = np.zeros(leaves, dtype=np.int64), np.full(leaves, leaves - 1, dtype=np.int64)
            for v in members(key[1]):  # parents first
                for low, high in self.nodes[v].children:
                    first[low : high + 1], spread[low : high + 1] = low, high - low
            if len(self._maps) > _REMEMBERED:
                self._maps.clear()
            known = self._maps[key] = first, spread
        return known

    def _weighted(self, spreads: Sequence[int]) -> int:
        return sum(x * share for x, share in zip(spreads, self._share, strict=True))


def members(nodes: Opened) -> Iterator[int]:
    """The numbers of the bits that are set, from the lowest.

    >>> list(members(0b1101))
    [0, 2, 3]
    """
    while nodes:
        lowest = nodes & -nodes
        yield lowest.bit_length() - 1
        nodes ^= lowest


def _spans(h: Hierarchy, level: int, low: int, high: int) -> bool:
    """Are two leaves the same value at this level?"""
    return bool(h.codes[level][low] == h.codes[level][high])
