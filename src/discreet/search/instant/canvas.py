"""A canvas that is cut by what a summary expects in its pieces; and the tree of what was cut from what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray, number_equal
from discreet.counts.cells import Cells
from discreet.counts.frequency import FrequencySet, Population
from discreet.models.base import PrivacyModel
from discreet.models.likelihood.likely import Options
from discreet.progress import Progress
from discreet.search.instant.scores import Scorer
from discreet.summaries.base import Summary
from discreet.summaries.exact import Exact

_EMPTY = 1e-4  # expected rows; a part with fewer is taken for empty
_MOST_PIECES = 1 << 18


class Tree:
    """All pieces there ever were: node 0 is everything; a node that was cut knows along which attribute."""

    def __init__(self, leaves: Sequence[int]):
        self.parent = np.zeros(1, dtype=np.int64)
        self._attribute = np.full(1, -1, dtype=np.int64)  # −1: not cut
        self._depth = np.zeros(1, dtype=np.int64)
        # From which leaf on a combination in a node falls into which part of it, as node · width + leaf.
        self._starts, self._parts = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        self._width = max(leaves, default=1) + 1

    def cut(self, node: IntArray, attribute: IntArray, parent: IntArray) -> IntArray:
        """Cut nodes along attributes, giving the parent of each new node: the numbers of the new ones."""
        fresh = len(self.parent) + np.arange(len(parent))
        self.parent = np.concatenate([self.parent, parent])
        self._depth = np.concatenate([self._depth, self._depth[parent] + 1])
        self._attribute = np.concatenate([self._attribute, np.full(len(parent), -1)])
        self._attribute[node] = attribute
        return fresh

    def say_where(self, node: IntArray, leaf: Codes, part: IntArray) -> None:
        """From a leaf on (of the attribute along which a node was cut), combinations fall into a part."""
        self._starts = np.concatenate([self._starts, node * self._width + leaf])
        self._parts = np.concatenate([self._parts, part])

    def piece_of(self, codes: Sequence[Codes]) -> IntArray:
        """The uncut node that each combination of leaves falls into."""
        order = np.argsort(self._starts, kind="stable")
        starts, parts = self._starts[order], self._parts[order]
        at = np.zeros(len(codes[0]) if codes else 0, dtype=np.int64)
        moving = np.flatnonzero(self._attribute[at] >= 0)
        columns = np.stack(codes) if codes else np.empty((0, 0), dtype=np.int32)
        while len(moving):
            here = at[moving]
            leaf = columns[self._attribute[here], moving]
            at[moving] = parts[np.searchsorted(starts, here * self._width + leaf, side="right") - 1]
            moving = moving[self._attribute[at[moving]] >= 0]
        return at

    def raised(self, node: IntArray, chosen: IntArray) -> IntArray:
        """Each node, or the highest of the `chosen` ones that it is under."""
        target = np.arange(len(self.parent))
        is_chosen = np.zeros(len(target), dtype=np.bool_)
        is_chosen[chosen] = True
        for depth in range(1, int(self._depth.max()) + 1):
            here = np.flatnonzero(self._depth == depth)
            above = target[self.parent[here]]
            target[here] = np.where(is_chosen[above], above, here)
        return target[node]


@dataclass(frozen=True, eq=False)
class Shares:
    """What a summary expects in pieces: the share of the rows, and of each sensitive attribute's values among them.

    `people` is how many of a population are in each, where a promise speaks of one: they are counted, not expected.
    """

    likelihood: FloatArray
    values: Mapping[str, FloatArray]
    people: IntArray | None = None

    def __len__(self) -> int:
        return len(self.likelihood)

    def where(self, chosen: BoolArray) -> Shares:
        values = {name: shares[chosen] for name, shares in self.values.items()}
        return Shares(self.likelihood[chosen], values, None if self.people is None else self.people[chosen])

    def beside(self, other: Shares) -> Shares:
        values = {name: np.concatenate([shares, other.values[name]]) for name, shares in self.values.items()}
        people = None
        if self.people is not None and other.people is not None:
            people = np.concatenate([self.people, other.people])
        return Shares(np.concatenate([self.likelihood, other.likelihood]), values, people)

    def added_up(self, group: IntArray, groups: int) -> Shares:
        """Pieces put together. Where nothing is expected, every value is as likely as any other."""
        likelihood: FloatArray = np.bincount(group, weights=self.likelihood, minlength=groups).astype(np.float64)
        values = {}
        for name, shares in self.values.items():
            total = np.zeros((groups, shares.shape[1]))
            np.add.at(total, group, shares * self.likelihood[:, None])
            some = total.sum(axis=1, keepdims=True)
            values[name] = np.where(some > 0, total / np.where(some > 0, some, 1), 1 / max(shares.shape[1], 1))
        people = self.people
        if people is not None:
            people = np.bincount(group, weights=people, minlength=groups).astype(np.int64)
        return Shares(likelihood, values, people)


@dataclass(frozen=True, eq=False)
class Pieces:
    """Piece p is node ``node[p]`` of the tree; it is one box, or several that differ in attributes that are not `open`.

    Box b belongs to piece ``piece[b]``; boxes are in the order of their pieces.
    """

    node: IntArray
    open: BoolArray
    tried: IntArray
    expected: Shares
    low: Codes
    high: Codes
    piece: IntArray

    def __len__(self) -> int:
        return len(self.node)

    def where(self, chosen: BoolArray) -> Pieces:
        """Some of the pieces."""
        boxes = chosen[self.piece]
        number = np.cumsum(chosen) - 1
        return Pieces(
            self.node[chosen],
            self.open[chosen],
            self.tried[chosen],
            self.expected.where(chosen),
            self.low[boxes],
            self.high[boxes],
            number[self.piece[boxes]],
        )

    def beside(self, other: Pieces) -> Pieces:
        return Pieces(
            np.concatenate([self.node, other.node]),
            np.concatenate([self.open, other.open]),
            np.concatenate([self.tried, other.tried]),
            self.expected.beside(other.expected),
            np.concatenate([self.low, other.low]),
            np.concatenate([self.high, other.high]),
            np.concatenate([self.piece, len(self) + other.piece]),
        )


@dataclass(frozen=True, eq=False)
class Cuts:
    """One cut for each of the pieces `which`: along an attribute, into parts, each part several runs of leaves.

    Run r goes from leaf ``first[r]`` to ``last[r]`` and belongs to part ``part[r]``, part q to cut ``cut[q]``.
    """

    which: IntArray
    attribute: IntArray
    first: Codes
    last: Codes
    part: IntArray
    cut: IntArray
    expected: Shares  # of each part


class Canvas:
    """Cuts everything into pieces, by a summary alone.

    With a `population` every piece is one box, as promises about it ask for groups that don't overlap.
    """

    def __init__(
        self,
        summary: Summary,
        models: tuple[PrivacyModel, ...],
        options: Options,
        threshold: float,
        progress: Progress,
        population: Population | None = None,
    ):
        self._summary, self._progress = summary, progress
        self._scorer = Scorer(summary, models, 0, options, threshold, population)
        self._people: Exact | None = None
        if population is not None:
            self._people = Exact(FrequencySet(summary.hierarchies, population.codes, {}, {}, population.counts))
        self._threshold = threshold
        self._sensitive = sorted({model.attribute for model in models} - {""})
        self._hierarchies = summary.hierarchies
        self._leaves = np.array([len(h.leaves) for h in self._hierarchies])
        self.tree = Tree(self._leaves.tolist())
        self.scored = 0  # mappings
        low = np.zeros((1, len(self._leaves)), dtype=np.int32)
        high = (self._leaves - 1).astype(np.int32)[None, :]
        zero, everywhere = np.zeros(1, dtype=np.int64), np.ones((1, len(self._leaves)), dtype=np.bool_)
        self.pieces = Pieces(zero, everywhere, zero.copy(), self._expected(low, high), low, high, zero.copy())
        self.probability = self._probability(self.pieces.expected, threshold)  # of the whole mapping

    def cut(self) -> None:
        """Cut as long as there are cuts after which every promise is likely enough to be kept."""
        if self.probability < self._threshold:
            return
        safe = self._safe_rows() if self._people is None else 0.0  # nothing is kept together for being small
        while True:
            cuts = self._propose(safe)
            if not len(cuts.which):
                return
            self._progress("search", 0, 0, f"{len(self.pieces):,} boxes")
            order = self._safest_first(cuts)
            taken = np.zeros(len(cuts.which), dtype=np.bool_)
            taken[order[: self._as_many_as_likely(cuts, order)]] = True
            self._make(cuts, taken)

    def _propose(self, safe: float) -> Cuts:
        """A cut along the widest side that was not yet tried, for each piece that has one."""
        now = self.pieces
        share = np.zeros((len(now), len(self._leaves)))
        share[now.piece] = (now.high - now.low) / np.maximum(self._leaves - 1, 1)
        share[~now.open] = 0
        which = np.flatnonzero((now.tried < (share > 0).sum(axis=1)) & (now.expected.likelihood > 0))
        widest = np.argsort(-share[which], axis=1, kind="stable")
        attribute = widest[np.arange(len(which)), now.tried[which]] if len(self._leaves) else which
        some = np.searchsorted(now.piece, which)  # a box of each: all of its boxes are alike along the attribute
        low, high = now.low[some, attribute], now.high[some, attribute]
        cut, first, last = self._runs(which, attribute, low, high)
        expected = self._expected_in_runs(which, attribute, cut, first, last)
        in_two = np.zeros(len(which), dtype=np.bool_)
        for d in range(len(self._hierarchies)):
            here = attribute == d
            in_two[here] = self._in_two(d, low[here], high[here])
        part, of_part = self._pooled(in_two, cut, expected, safe)
        return Cuts(which, attribute, first, last, part, of_part, expected.added_up(part, len(of_part)))

    def _runs(self, which: IntArray, attribute: IntArray, low: Codes, high: Codes) -> tuple[IntArray, Codes, Codes]:
        """The children of a node of a hierarchy, or two halves of a range; in order of the cuts and of the leaves."""
        cut, first, last = [which[:0]], [low[:0]], [high[:0]]
        for d, h in enumerate(self._hierarchies):
            here = np.flatnonzero(attribute == d)
            in_two = self._in_two(d, low[here], high[here])
            halved, here = here[in_two], here[~in_two]
            if len(halved):
                middle = self._middle(which[halved], d, low[halved], high[halved])
                cut += [halved, halved]
                first += [low[halved], middle + 1]
                last += [middle, high[halved]]
            level = np.zeros(len(here), dtype=np.int64)  # the highest on which both ends are different values
            for lower in range(h.height):
                level[h.codes[lower][low[here]] != h.codes[lower][high[here]]] = lower
            for lower in range(h.height):
                at = here[level == lower]
                start, end = h.codes[lower][low[at]], h.codes[lower][high[at]]
                many = (end - start + 1).astype(np.int64)
                child = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many) + np.repeat(start, many)
                cut.append(np.repeat(at, many))
                first.append(h.first[lower][child])
                last.append(h.last[lower][child])
        runs = np.concatenate(cut), np.concatenate(first), np.concatenate(last)
        order = np.lexsort((runs[1], runs[0]))
        return runs[0][order], runs[1][order], runs[2][order]

    def _middle(self, which: IntArray, d: int, low: Codes, high: Codes) -> Codes:
        """The last leaf of the lower of two halves, with about half of the expected rows each."""
        cut = np.arange(len(which))
        attribute = np.full(len(which), d)
        h = self._hierarchies[d]
        unit, ends = h.codes[h.unit], h.last[h.unit]
        below, above = unit[low], unit[high] - 1
        half = self.pieces.expected.likelihood[which] / 2
        while (below < above).any():
            middle = (below + above) // 2
            enough = self._expected_in_runs(which, attribute, cut, low, ends[middle]).likelihood >= half
            above, below = np.where(enough, middle, above), np.where(enough, below, np.minimum(middle + 1, above))
        return ends[below]

    def _in_two(self, d: int, low: Codes, high: Codes) -> BoolArray:
        """Which ranges of an attribute's leaves are cut in two; the others are nodes of its hierarchy."""
        h = self._hierarchies[d]
        unit = h.codes[h.unit]
        return unit[low] != unit[high] if h.ranges else np.zeros(len(low), dtype=np.bool_)

    def _expected_in_runs(
        self, which: IntArray, attribute: IntArray, cut: IntArray, first: Codes, last: Codes
    ) -> Shares:
        """What is expected in the pieces between two leaves of an attribute."""
        low, high, run = self._boxes_of_runs(which, attribute, cut, first, last)
        return self._expected(low, high).added_up(run, len(first))

    def _boxes_of_runs(
        self, which: IntArray, attribute: IntArray, cut: IntArray, first: Codes, last: Codes
    ) -> tuple[Codes, Codes, IntArray]:
        """All boxes of each cut's piece, narrowed to each run; and the run of each."""
        now = self.pieces
        starts = np.searchsorted(now.piece, which[cut])
        many = np.searchsorted(now.piece, which[cut], side="right") - starts
        run = np.repeat(np.arange(len(cut)), many)
        box = np.arange(len(run)) - np.repeat(np.cumsum(many) - many, many) + np.repeat(starts, many)
        low, high = now.low[box], now.high[box]
        at = np.arange(len(run)), attribute[cut[run]]
        low[at], high[at] = first[run], last[run]
        return low, high, run

    def _pooled(self, in_two: BoolArray, cut: IntArray, expected: Shares, safe: float) -> tuple[IntArray, IntArray]:
        """Which runs are one part: children with too few rows stay together, with the next larger one if need be."""
        rows = expected.likelihood * self._summary.rows
        order = np.lexsort((rows, cut))
        starts = np.searchsorted(cut[order], np.arange(len(in_two)))
        before = np.concatenate([[0.0], np.cumsum(rows[order])])
        before = before[:-1] - before[starts][cut[order]]  # in smaller runs of the same cut
        light = rows[order] < safe
        pooled = np.zeros(len(order), dtype=np.bool_)
        pooled[order] = (light | ((before > _EMPTY) & (before < safe))) & ~in_two[cut[order]]
        alone = np.where(pooled, 0, 1 + np.arange(len(order)))
        part = number_equal([cut, alone], len(cut))
        of_part = np.empty(int(part.max(initial=-1)) + 1, dtype=np.int64)
        of_part[part] = cut
        return part, of_part

    def _safest_first(self, cuts: Cuts) -> IntArray:
        """The order in which cuts are taken: by the rows that are expected in the least part, and differ in it.

        Those that make nothing but one part are left out.
        """
        rows = cuts.expected.likelihood * self._summary.rows
        differing = rows.copy()
        for shares in cuts.expected.values.values():
            differing = np.minimum(differing, rows * (1 - shares.max(axis=1)))
        least = np.full(len(cuts.which), np.inf)
        filled = rows > _EMPTY
        np.minimum.at(least, cuts.cut[filled], differing[filled])
        order = np.argsort(-least, kind="stable")
        return order[np.bincount(cuts.cut, minlength=len(order))[order] > 1]

    def _as_many_as_likely(self, cuts: Cuts, order: IntArray) -> int:
        """How many cuts can be made, in that order, without using up more than half of what the threshold leaves."""
        at_least = self._threshold + (self.probability - self._threshold) / 2
        rank = np.full(len(cuts.which), len(order))
        rank[order] = np.arange(len(order))

        def after(many: int) -> float:
            stays = np.ones(len(self.pieces), dtype=np.bool_)
            stays[cuts.which[order[:many]]] = False
            return self._probability(
                self.pieces.expected.where(stays).beside(cuts.expected.where(rank[cuts.cut] < many)), at_least
            )

        fine, too_many, many = 0, len(order) + 1, len(order)
        while too_many - fine > 1:
            probability = after(many)
            if probability >= at_least:
                fine, self.probability = many, probability
            else:
                too_many = many
            many = (fine + too_many) // 2
        return fine

    def _make(self, cuts: Cuts, taken: BoolArray) -> None:
        """Make the cuts that are taken; remember that the others were tried."""
        now = self.pieces
        now.tried[cuts.which[~taken]] += 1
        made = taken[cuts.cut]
        of_part = cuts.cut[made]
        number = np.cumsum(made) - 1
        node = now.node[cuts.which]
        fresh = self.tree.cut(node[taken], cuts.attribute[taken], node[of_part])
        runs = np.flatnonzero(made[cuts.part])
        part = number[cuts.part[runs]]
        self.tree.say_where(node[of_part[part]], cuts.first[runs], fresh[part])
        cut = cuts.cut[cuts.part[runs]]
        low, high, run = self._boxes_of_runs(cuts.which, cuts.attribute, cut, cuts.first[runs], cuts.last[runs])
        order = np.argsort(part[run], kind="stable")
        open_ = now.open[cuts.which[of_part]]
        several = np.bincount(part, minlength=len(fresh)) > 1
        open_[np.flatnonzero(several), cuts.attribute[of_part[several]]] = False
        parts = Pieces(
            fresh,
            open_,
            np.zeros(len(fresh), dtype=np.int64),
            cuts.expected.where(made),
            low[order],
            high[order],
            part[run][order],
        )
        stays = np.ones(len(now), dtype=np.bool_)
        stays[cuts.which[taken]] = False
        self.pieces = now.where(stays).beside(parts)

    def _safe_rows(self) -> float:
        """How many rows a group should expect: if everything were cut into such, it would be likely enough."""
        whole = self.pieces.expected

        def likely_enough(groups: int) -> bool:
            values = {name: np.repeat(shares, groups, axis=0) for name, shares in whole.values.items()}
            return self._probability(Shares(np.full(groups, 1 / groups), values), self._threshold) >= self._threshold

        fine, too_many = 1, min(self._summary.rows, _MOST_PIECES) + 1
        while too_many - fine > 1 + fine // 50:
            groups = min(2 * fine, (fine + too_many) // 2)
            if likely_enough(groups):
                fine = groups
            else:
                too_many = groups
        return self._summary.rows / fine

    def _expected(self, low: Codes, high: Codes) -> Shares:
        expected = expected_in(self._summary, low, high, self._sensitive)
        if self._people is None:
            return expected
        people = np.rint(self._people.boxes(low, high).likelihood * self._people.rows).astype(np.int64)
        return replace(expected, people=people)

    def _probability(self, expected: Shares, at_least: float) -> float:
        self.scored += 1
        values = expected.values

        def people() -> tuple[Cells, IntArray]:
            assert expected.people is not None
            some = expected.people > 0
            return Cells(expected.likelihood[some]), expected.people[some]

        return self._scorer.mapping(
            lambda name: Cells(expected.likelihood, values.get(name)), at_least, people if self._people else None
        ).probability


def expected_in(summary: Summary, low: Codes, high: Codes, sensitive: Sequence[str]) -> Shares:
    """What a summary expects in boxes."""
    if not sensitive:
        return Shares(summary.boxes(low, high).likelihood, {})
    cells_of = {name: summary.boxes(low, high, name) for name in sensitive}
    values = {name: cells.sensitive for name, cells in cells_of.items() if cells.sensitive is not None}
    return Shares(cells_of[sensitive[0]].likelihood, values)
