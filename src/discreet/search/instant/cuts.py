"""S-INSTANT beyond full domains: values of one attribute may be published at different levels of its hierarchy.

As in k-Optimize a mapping is a *cut* through each hierarchy, and opening a node (publishing its children instead) only
ever splits groups. So what is too unlikely with a node opened stays so whatever else is opened, and each node is tried
only once. From the best full-domain candidate, and from ``*`` everywhere, nodes are opened by the summary alone, the
one that saves most first. Then the table is counted at the better of the two, somewhat finer than that (a *look*: one
aggregate query), and the best of all cuts that these counts tell about is published.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import monotonic, perf_counter

import numpy as np

from discreet.arrays import BoolArray, Codes
from discreet.counts.cells import Cells
from discreet.counts.frequency import FrequencySet
from discreet.counts.roll_up import Node
from discreet.errors import DiscreetError, Mistake
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.models.base import AboutPopulation, PrivacyModel
from discreet.models.likelihood.likely import Options
from discreet.progress import Progress, silent
from discreet.search.instant.canvas import Shares, expected_in
from discreet.search.instant.s_instant import ANSWERS_IN_A_LOOK, THRESHOLD, candidates, standing_for, values_of
from discreet.search.instant.scores import Score, Scorer
from discreet.search.lattice.cuts import Cuts, Opened, members
from discreet.search.lattice.node_judge import NodeJudge
from discreet.search.lattice.optimal import IMPOSSIBLE, NOT_LOOKED, infeasible
from discreet.search.lattice.optimize import Search
from discreet.search.plan import Problem, Recoding
from discreet.summaries.base import NEGLIGIBLE, Summary

# The table counted as if leaf l of attribute d were leaf ``stands_for[d][l]``, the first that it is published with.
LookCut = Callable[[Sequence[Codes]], FrequencySet]
Cut = tuple[tuple[int, ...], ...]  # per attribute, the first leaf of every value that is published

_PLAIN = Options()
_SECONDS = 10.0  # to find the best cut that was looked at; there are more of them than nodes of the lattice


def s_instant_cut(
    summary: Summary,
    models: Sequence[PrivacyModel],
    look: LookCut,
    suppression_limit: int = 0,
    options: Options = _PLAIN,
    threshold: float = THRESHOLD,
    answers_in_a_look: int = ANSWERS_IN_A_LOOK,
    progress: Progress = silent,
    confirmed: bool = False,
) -> Recoding:
    """The best cut that the look has shown to keep every promise within the suppression limit.

    The plan is over what was looked at, as coarse as it is published; `facts` say how it went. Raises `Infeasible` if
    ``*`` everywhere fails.
    """
    models = tuple(models)
    _refuse(models)
    start = perf_counter()
    scorer = Scorer(summary, models, suppression_limit, options, threshold)
    first = candidates(summary, models, suppression_limit, "loss", options, threshold, progress).ahead(1)
    top = tuple(h.height for h in summary.hierarchies)
    drafts = [Draft(summary, models, scorer, node) for node in (top, *(c.node for c in first))]
    for draft in drafts:
        draft.open_all(progress)
    best = min(drafts, key=lambda draft: draft.cost)
    seconds = perf_counter() - start
    finest = _stands_for(summary, best.finer(answers_in_a_look // values_of(summary, models)))
    problem = Problem(look(finest), models, suppression_limit, confirmed=confirmed)
    cut, left_out, checked = _best_cut(problem, best.cut, finest, progress)
    cuts = Cuts(replace(problem, frequency=standing_for(problem.frequency, _stands_for(summary, cut))))
    facts = {
        "search": "instant",
        "looks": 1,
        "mappings_scored": sum(draft.scored for draft in drafts),
        "cuts_checked": checked,
        "probability": best.score.probability,
        "expectation": best.score.expectation,
        "seconds_without_data": round(seconds, 6),
    }
    return cuts.plan(_opened(cuts, cut), facts, left_out)


class Draft:
    """A cut as a summary sees it: what it is expected to cost, and the share of the rows in each of its boxes."""

    def __init__(self, summary: Summary, models: tuple[PrivacyModel, ...], scorer: Scorer, node: Node):
        self._summary, self._scorer = summary, scorer
        self._sensitive = sorted({model.attribute for model in models} - {""})
        self._hierarchies = summary.hierarchies
        self._running = [np.concatenate([[0.0], np.cumsum(summary.marginal(d))]) for d in range(len(self._hierarchies))]
        self._first = [set(h.first[level].tolist()) for h, level in zip(self._hierarchies, node, strict=True)]
        self._low, self._high = self._boxes()
        self._expected = expected_in(summary, self._low, self._high, self._sensitive)
        self._loss = sum(
            self._lost(d, low, high) for d, first in enumerate(self._first) for low, high in self._values(d, first)
        )
        self.scored = 0
        self.score = self._scored(self._expected)
        self.cost = self._costs(self._loss, self.score)

    @property
    def cut(self) -> Cut:
        """What is published."""
        return tuple(tuple(sorted(first)) for first in self._first)

    def open_all(self, progress: Progress) -> None:
        """Open nodes, the one that saves most first, as long as the cut looks good enough."""
        if not self.score.passes:
            return
        waiting = self._openable()
        while waiting:
            gain, d, low, high = heapq.heappop(waiting)
            children = _children(self._hierarchies[d], low, high)
            stays, low_parts, high_parts = self._split(d, low, children)
            parts = expected_in(self._summary, low_parts, high_parts, self._sensitive)
            likely_parts = parts.likelihood * self._summary.rows * len(self._low) > NEGLIGIBLE
            then = self._expected.where(stays).beside(parts.where(likely_parts))
            score = self._scored(then)
            cost = self._costs(self._loss + gain, score)
            if not score.passes or cost >= self.cost:
                continue
            self._low = np.concatenate([self._low[stays], low_parts[likely_parts]])
            self._high = np.concatenate([self._high[stays], high_parts[likely_parts]])
            self._expected, self._loss, self.score, self.cost = then, self._loss + gain, score, cost
            self._first[d].update(first for first, _ in children)
            for child in children:
                self._wait(waiting, d, *child)
            progress("search", 0, 0, f"{self.scored:,} mappings scored")

    def finer(self, most_groups: int) -> Cut:
        """The cut with more nodes opened, those that save most first, as long as there are not too many groups."""
        first = [set(f) for f in self._first]
        waiting = self._openable()
        while waiting:
            _, d, low, high = heapq.heappop(waiting)
            children = _children(self._hierarchies[d], low, high)
            groups = math.prod(len(f) + (len(children) - 1 if e == d else 0) for e, f in enumerate(first))
            if groups <= most_groups:
                first[d].update(start for start, _ in children)
                for child in children:
                    self._wait(waiting, d, *child)
        return tuple(tuple(sorted(f)) for f in first)

    def _openable(self) -> list[tuple[float, int, int, int]]:
        """A heap of the nodes that could be opened, with what that changes in loss."""
        waiting: list[tuple[float, int, int, int]] = []
        for d, first in enumerate(self._first):
            for low, high in self._values(d, first):
                self._wait(waiting, d, low, high)
        return waiting

    def _wait(self, waiting: list[tuple[float, int, int, int]], d: int, low: int, high: int) -> None:
        if low < high:
            parts = sum(self._lost(d, *child) for child in _children(self._hierarchies[d], low, high))
            gain = parts - self._lost(d, low, high)
            if gain < 0:
                heapq.heappush(waiting, (gain, d, low, high))

    def _values(self, d: int, first: set[int]) -> list[tuple[int, int]]:
        starts = sorted(first)
        ends = [*starts[1:], len(self._hierarchies[d].leaves)]
        return [(low, end - 1) for low, end in zip(starts, ends, strict=True)]

    def _lost(self, d: int, low: int, high: int) -> float:
        """What the rows of one value add to the loss."""
        widest = max(len(self._hierarchies[d].leaves) - 1, 1) * len(self._hierarchies)
        return float(self._running[d][high + 1] - self._running[d][low]) * (high - low) / widest

    def _boxes(self) -> tuple[Codes, Codes]:
        """All combinations of values."""
        values = [np.array(self._values(d, first), dtype=np.int32) for d, first in enumerate(self._first)]
        which = np.meshgrid(*(np.arange(len(v)) for v in values), indexing="ij")
        ends = [v[w.ravel()] for v, w in zip(values, which, strict=True)]
        return np.stack([e[:, 0] for e in ends], axis=1), np.stack([e[:, 1] for e in ends], axis=1)

    def _split(self, d: int, low: int, children: Sequence[tuple[int, int]]) -> tuple[BoolArray, Codes, Codes]:
        """Which boxes stay as they are, and the parts of the others."""
        stays = self._low[:, d] != low
        parts_low = np.repeat(self._low[~stays], len(children), axis=0)
        parts_high = np.repeat(self._high[~stays], len(children), axis=0)
        ends = np.tile(np.array(children, dtype=np.int32), (int((~stays).sum()), 1))
        parts_low[:, d], parts_high[:, d] = ends[:, 0], ends[:, 1]
        return stays, parts_low, parts_high

    def _scored(self, expected: Shares) -> Score:
        self.scored += 1
        return self._scorer.mapping(lambda name: Cells(expected.likelihood, expected.values.get(name)))

    def _costs(self, loss: float, score: Score) -> float:
        suppressed = score.expectation / max(self._summary.rows, 1) if self._scorer.expecting else 0.0
        return loss + suppressed * (1 - loss)


def _best_cut(
    problem: Problem, start: Cut, stands_for: Sequence[Codes], progress: Progress
) -> tuple[Cut, Codes | None, int]:
    """The best cut that can be judged by what was looked at, as far as there is time; what it leaves out; how many
    were checked."""
    cuts = Cuts(problem, stands_for)
    search = Search(cuts, monotonic() + _SECONDS, progress)
    search.judge(_opened(cuts, start), cuts.rows)
    search.branch_and_bound()
    if search.best is None:
        judge = NodeJudge(problem, progress)
        raise infeasible(judge, IMPOSSIBLE if judge.judge(judge.top).hopeless else NOT_LOOKED)
    return _shown(cuts, search.cut), search.best.left_out, search.checked


def _opened(cuts: Cuts, cut: Cut) -> Opened:
    """The nodes that a cut opens: those that have a value begin inside of them."""
    return sum(
        1 << v
        for v, node in enumerate(cuts.nodes)
        if any(node.low < first <= node.high for first in cut[node.attribute])
    )


def _shown(cuts: Cuts, opened: Opened) -> Cut:
    """The values of a cut, by their first leaves."""
    first: list[set[int]] = [{0} for _ in cuts.hierarchies]
    for v in members(opened):
        first[cuts.nodes[v].attribute].update(low for low, _ in cuts.nodes[v].children)
    return tuple(tuple(sorted(f)) for f in first)


def _stands_for(summary: Summary, cut: Cut) -> list[Codes]:
    """Per attribute and leaf, the first leaf of the value that it is published as."""
    first_leaves = []
    for h, first in zip(summary.hierarchies, cut, strict=True):
        starts = np.array(first, dtype=np.int32)
        first_leaves.append(starts[np.searchsorted(starts, np.arange(len(h.leaves)), side="right") - 1])
    return first_leaves


def _children(hierarchy: Hierarchy, low: int, high: int) -> list[tuple[int, int]]:
    """The parts of a node with several leaves, on the highest level where it has any."""
    level = next(n for n in range(hierarchy.height, -1, -1) if hierarchy.codes[n][low] != hierarchy.codes[n][high])
    codes = np.arange(hierarchy.codes[level][low], hierarchy.codes[level][high] + 1)
    return list(zip(hierarchy.first[level][codes].tolist(), hierarchy.last[level][codes].tolist(), strict=True))


def _refuse(models: tuple[PrivacyModel, ...]) -> None:
    about = [model.describe() for model in models if isinstance(model, AboutPopulation)]
    if about:
        rule = f"a cut through hierarchies is not judged by people outside of the table, as {' and '.join(about)} asks"
        raise DiscreetError(Mistake("search", rule, "take a full-domain generalization"))
