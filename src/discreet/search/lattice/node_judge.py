"""Judging the nodes of a lattice: each is counted once, its failing groups are suppressed, the best is remembered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from time import monotonic

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray, number_equal
from discreet.counts.groups import Groups
from discreet.counts.kernels import Spreads, suppression
from discreet.counts.roll_up import Counted, Node, RollUp
from discreet.models.base import all_hold, compares, hides_by_people, least_suppressed, may_leave_out, publishable
from discreet.models.by_people import tallied_by_people
from discreet.progress import Progress
from discreet.search.confirmed import JUDGEMENTS, JUDGEMENTS_IN_ALL, confirm, hides_a_value, may_differ
from discreet.search.plan import Problem
from discreet.utility.objectives import OBJECTIVES, AtLeast, Outcome, Volumes

_TELL_EVERY = 0.1  # seconds between two words about the progress


@dataclass(frozen=True, eq=False)
class Judged:
    """One counted node: what it costs, whether it may be published, what it proves about finer nodes."""

    node: Node
    score: float  # infinite if it can't be published
    suppressed: int
    feasible: bool
    hopeless: bool  # no finer node can be published
    lost: int  # rows lost in every finer node
    lost_spread: list[int]  # what suppressing those adds at least, per attribute
    lost_mates: int  # Σ over the lost rows of the size of their group, which is the largest they can be in
    left_out: Codes | None = None  # groups to suppress though they keep the promises, by their first leaves
    unconfirmed: bool = False  # it would do, if groups were compared with the source alone


class NodeJudge:
    """The nodes judged so far, the best release and the closest miss among them."""

    thorough = False  # must `feasible` be right of nodes too that can't be the best?

    def __init__(self, problem: Problem, progress: Progress):
        f = problem.frequency
        self.problem = problem
        self.top: Node = problem.coarsest
        self.roll_up = RollUp(
            f, attributes={m.attribute for m in problem.models}, people_by=tallied_by_people(problem.models)
        )
        self.judged: dict[Node, Judged] = {}
        self.best: Judged | None = None
        self.closest: Judged | None = None
        self.lower_bound = 0.0  # no node costs less, as far as is proven
        self.unproven = math.inf  # nor does a node of which not every way to leave groups out was judged
        self.unconfirmed = 0  # nodes that would do, were it not for the published rows' own distribution
        self._confirms = problem.confirmed and may_differ(problem.models)
        self._judgements = JUDGEMENTS_IN_ALL
        self._objective = OBJECTIVES[problem.utility]
        self.of_losses = self._objective.of_losses
        self._progress, self._tell_at = progress, monotonic()
        self._monotone = all(map(problem.survives_merging, problem.models))
        self._widest = np.array([len(h.leaves) - 1 for h in f.hierarchies], dtype=np.int64)
        self._scale = [1.0 / max(w * f.rows, 1) for w in self._widest.tolist()]
        # Per attribute and level: leaves − 1 of each value, and their sum over all rows.
        self._spreads = [
            [(last - first).astype(np.int64) for first, last in zip(h.first, h.last, strict=True)]
            for h in f.hierarchies
        ]
        self._spread_of_all = [
            [int(rows @ s.take(codes)) for s, codes in zip(spreads, h.codes, strict=True)]
            for rows, h, spreads in zip(f.counted_leaves, f.hierarchies, self._spreads, strict=True)
        ]
        self._nothing = [0] * len(f.hierarchies)

    def judge(self, node: Node) -> Judged:
        """Count a node, suppress its failing groups, and remember the best release."""
        known = self.judged.get(node)
        if known is not None:
            return known
        judged = self.judged[node] = self.judge_counted(self.roll_up.groups(node))
        # Ties go to the first node in lexicographic order, whichever way a search comes by.
        if judged.feasible and (self.best is None or (judged.score, node) < (self.best.score, self.best.node)):
            self.best = judged
        if self.closest is None or judged.suppressed < self.closest.suppressed:
            self.closest = judged
        self._tell_in_time()
        return judged

    def judge_counted(self, counted: Counted) -> Judged:
        """Judge a node that somebody has counted; it is not remembered."""
        p, node, groups = self.problem, counted.node, counted.groups
        holds = all_hold(p.models, groups)
        published = publishable(p.models, groups, holds, p.suppression_limit)
        suppressed, lost, lost_mates, hopeless = 0, 0, 0, False
        extra = lost_spread = self._nothing
        fine = holds if published is holds else holds & published
        if np.count_nonzero(fine) < len(fine):
            if self._monotone and p.suppression_limit == 0:
                suppressed, hopeless = int(groups.sizes @ ~published), True
            else:
                least = least_suppressed(p.models, groups)
                suppressed, lost, lost_mates, extra, lost_spread = self._suppression(counted, holds, published, least)
                hopeless = lost > p.suppression_limit
        feasible = (
            suppressed <= p.suppression_limit and not hopeless and may_leave_out(p.models, groups, holds, published)
        )
        score, spread = math.inf, extra
        if feasible:
            spread = [of[level] + more for of, level, more in zip(self._spread_of_all, node, extra, strict=True)]
            score = self._score(counted, spread, published, suppressed)
        judged = Judged(node, score, suppressed, feasible, hopeless, lost, lost_spread, lost_mates)
        if feasible and suppressed and self._confirms:
            if hides_by_people(p.models):  # who is left out is settled: no others may go
                judged = self._as_it_is(judged, groups.where(published & (groups.sizes > 0)))
            else:
                judged = self._confirm(judged, counted, holds, spread)
        return judged

    def losses(self, counted: Counted, left_out: BoolArray) -> list[float]:
        """Per attribute, what a node loses if these of its groups are left out."""
        nothing = np.zeros_like(counted.groups.sizes)
        *_, extra, _ = self._suppression(counted, ~left_out, ~left_out, nothing)
        spread = (of[level] + more for of, level, more in zip(self._spread_of_all, counted.node, extra, strict=True))
        return [a * b for a, b in zip(spread, self._scale, strict=True)]

    def bound(self, low: Node, judged: Judged) -> float:
        """What no node between `low` and a judged coarser node can undercut."""
        # A row lost everywhere between them costs the widest spread instead of what it would at `low`.
        spread = [of[level] for of, level in zip(self._spread_of_all, low, strict=True)]
        if judged.lost:
            for d, (level, least) in enumerate(zip(low, judged.lost_spread, strict=True)):
                spread[d] += max(least, judged.lost * self._room[d][level])
        losses = [a * b for a, b in zip(spread, self._scale, strict=True)]
        finest, volumes = None, None
        if self._objective.needs_groups:
            counted = self.roll_up.groups(low)
            filled = counted.groups.sizes > 0
            finest, volumes = counted.groups.sizes[filled], self._volumes(counted, filled)
        p = self.problem
        lost = judged.lost, judged.lost_mates, p.suppression_limit
        return self._objective.bound(AtLeast(losses, sum(low), finest, *lost, p.frequency.rows, volumes))

    @cached_property
    def steps(self) -> list[tuple[int, int]]:
        """Every attribute and level below its last, those first from which most is lost to the next level."""
        lost = {
            (d, level): (coarser - finer) * scale
            for d, (spread, scale) in enumerate(zip(self._spread_of_all, self._scale, strict=True))
            for level, (finer, coarser) in enumerate(pairwise(spread))
        }
        return sorted(lost, key=lambda step: -lost[step])

    def _score(self, counted: Counted, spread: Sequence[int], stay: BoolArray, suppressed: int) -> float:
        losses = [a * b for a, b in zip(spread, self._scale, strict=True)]
        sizes, volumes = None, None
        if self._objective.needs_groups:
            filled = stay & (counted.groups.sizes > 0)
            sizes, volumes = counted.groups.sizes[filled], self._volumes(counted, filled)
        rows = self.problem.frequency.rows
        return self._objective.score(Outcome(losses, sum(counted.node), sizes, suppressed, rows, volumes))

    def _volumes(self, counted: Counted, which: BoolArray) -> Volumes | None:
        """How many combinations of leaves the groups `which` of a node stand for, if anybody asks."""
        if not self._objective.needs_volumes:
            return None
        groups, at = np.zeros(int(which.sum())), np.flatnonzero(which)
        for d, level in enumerate(counted.node):
            groups += np.log1p(self._spreads[d][level])[self.roll_up.codes(counted, d, at)]
        return Volumes(groups, float(np.log1p(self._widest).sum()), self._surprise)

    @cached_property
    def _room(self) -> list[list[int]]:
        """What the widest value of an attribute has more leaves than the largest of a level."""
        spread, of_levels = self._flat_spreads
        largest = iter(np.maximum.reduceat(spread, [start for starts in of_levels for start in starts]).tolist())
        return [
            [widest - next(largest) for _ in starts]
            for widest, starts in zip(self._widest.tolist(), of_levels, strict=True)
        ]

    @cached_property
    def _flat_spreads(self) -> tuple[IntArray, list[list[int]]]:
        """The spreads of all values, end to end, and where each level's begin."""
        starts, length = [], 0
        for spreads in self._spreads:
            starts.append([length := length + n for n in [0, *(len(s) for s in spreads[:-1])]])
            length += len(spreads[-1])
        return np.concatenate([s for spreads in self._spreads for s in spreads]), starts

    @cached_property
    def _surprise(self) -> float:
        """Σ p ln p over the combinations of quasi-identifiers."""
        f = self.problem.frequency
        number = number_equal(f.codes, len(f.counts))
        share = np.bincount(number, weights=f.counts) / max(f.rows, 1)
        share = share[share > 0]
        return float(share @ np.log(share))

    def _as_it_is(self, judged: Judged, published: Groups) -> Judged:
        """The node, if its published groups keep the promises among themselves too."""
        models = self.problem.models
        comparing = [model for model in models if compares(model)]
        if all_hold(comparing, published.among_themselves()).all() and hides_a_value(models, published) is None:
            return judged
        self.unconfirmed += 1
        return replace(judged, score=math.inf, feasible=False)

    def _confirm(self, judged: Judged, counted: Counted, holds: BoolArray, spread: Sequence[int]) -> Judged:
        """The node with more groups suppressed, so that the others keep the promises among themselves too.

        Only as far as it could be the best: what is certain to cost more than the best is not looked into.
        """
        p, node, sizes = self.problem, judged.node, counted.groups.sizes
        least = judged.score if self._objective.spares_rows else self.bound(node, judged)
        most = math.inf
        if self.best is not None and not self.thorough:
            if (least, node) >= (self.best.score, self.best.node):
                return replace(judged, score=math.inf, feasible=False, unconfirmed=True)
            if self._objective.spares_rows:
                most = self.best.score if node >= self.best.node else math.nextafter(self.best.score, math.inf)
        here = np.array(
            [
                s[level][self.roll_up.codes(counted, d)]
                for d, (s, level) in enumerate(zip(self._spreads, node, strict=True))
            ],
            dtype=np.int64,
        ).reshape(len(node), len(sizes))
        extra = ((self._widest[:, None] - here) * sizes).T

        def outcome(left_out: IntArray) -> tuple[float, int]:
            stay = holds.copy()
            stay[left_out] = False
            more = int(sizes[left_out].sum())
            wider = [a + b for a, b in zip(spread, extra[left_out].sum(axis=0).tolist(), strict=True)]
            return self._score(counted, wider, stay, judged.suppressed + more), more

        def price(left_out: IntArray) -> float:
            score, more = outcome(left_out)
            return score if self._objective.spares_rows else float(more)

        def prices(left_out: IntArray, more: IntArray) -> list[float]:
            """Of losses: their parts are added up for all at once."""
            suppressed = judged.suppressed + int(sizes[left_out].sum())
            wider = [a + b for a, b in zip(spread, extra[left_out].sum(axis=0).tolist(), strict=True)]
            return [
                self._score(counted, [a + b for a, b in zip(wider, one, strict=True)], holds, suppressed + rows)
                for one, rows in zip(extra[more].tolist(), sizes[more].tolist(), strict=True)
            ]

        allowed = min(JUDGEMENTS, self._judgements)
        found = confirm(
            p.models,
            counted.groups,
            holds,
            p.suppression_limit,
            price,
            most,
            allowed,
            self._tell_in_time,
            prices if self.of_losses else None,
        )
        self._judgements -= found.judgements
        self.unconfirmed += found.left_out is None
        price_found = math.inf if found.left_out is None else price(found.left_out)
        if found.least < price_found:
            self.unproven = min(self.unproven, found.least if self._objective.spares_rows else least)
        if found.left_out is None:
            return replace(judged, score=math.inf, feasible=False, unconfirmed=True)
        score, more = outcome(found.left_out)
        if more and not self._objective.spares_rows:  # the fewest rows were left out: others might cost less
            self.unproven = min(self.unproven, least)
        first = [
            h.first[level][self.roll_up.codes(counted, d, found.left_out)]
            for d, (h, level) in enumerate(zip(p.frequency.hierarchies, node, strict=True))
        ]
        left_out = np.array(first, dtype=np.int32).reshape(len(node), -1).T
        return replace(judged, score=score, suppressed=judged.suppressed + more, left_out=left_out)

    def _suppression(
        self, counted: Counted, holds: BoolArray, published: BoolArray, least: IntArray
    ) -> tuple[int, int, int, list[int], list[int]]:
        """Rows that are left out, rows lost in finer nodes at least and their mates; what both add per attribute."""
        spread, of_levels = self._flat_spreads
        starts = np.array([of[level] for of, level in zip(of_levels, counted.node, strict=True)], dtype=np.int64)
        suppressed, lost, mates, *extra = suppression(
            counted.keys,
            self.roll_up.fields,
            Spreads(spread, starts, self._widest),
            holds,
            published,
            counted.groups.sizes,
            least,
            self.problem.suppression_limit,
        ).tolist()
        return suppressed, lost, mates, extra[: len(starts)], extra[len(starts) :]

    def _tell_in_time(self) -> None:
        if monotonic() >= self._tell_at:
            self._tell()

    def _tell(self) -> None:
        note = f"{len(self.judged):,} nodes checked"
        if self.best is None or not math.isfinite(self.best.score):
            self._progress("search", 0, 0, note)
        else:
            self._progress("search", min(self.lower_bound, self.best.score), self.best.score, note)
        self._tell_at = monotonic() + _TELL_EVERY
