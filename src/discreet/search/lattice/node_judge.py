"""Judging the nodes of a lattice: each is counted once, its failing groups are suppressed, the best is remembered."""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import monotonic

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.kernels import Spreads, spread_of_groups
from discreet.counts.roll_up import Counted, Node, RollUp
from discreet.models.base import all_hold, least_suppressed, may_leave_out, publishable
from discreet.progress import Progress
from discreet.search.plan import Problem
from discreet.utility.objectives import OBJECTIVES, AtLeast, Outcome

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


class NodeJudge:
    """The nodes judged so far, the best release and the closest miss among them."""

    def __init__(self, problem: Problem, progress: Progress):
        f = problem.frequency
        self.problem = problem
        self.top: Node = tuple(h.height for h in f.hierarchies)
        self.roll_up = RollUp(f, attributes={m.attribute for m in problem.models})
        self.judged: dict[Node, Judged] = {}
        self.best: Judged | None = None
        self.closest: Judged | None = None
        self.lower_bound = 0.0  # no node costs less, as far as is proven
        self._objective = OBJECTIVES[problem.utility]
        self._progress, self._tell_at = progress, monotonic()
        self._monotone = all(m.monotone for m in problem.models)
        self._widest = np.array([len(h.leaves) - 1 for h in f.hierarchies], dtype=np.int64)
        self._scale = [1.0 / max(w * f.rows, 1) for w in self._widest.tolist()]
        # Per attribute and level: leaves − 1 of each value, their sum over all rows, and the largest.
        self._spreads = [[h.sizes(level) - 1 for level in range(h.height + 1)] for h in f.hierarchies]
        self._spread_of_all: list[list[int]] = []
        self._largest_spread: list[list[int]] = []
        for codes, h, spreads in zip(f.codes, f.hierarchies, self._spreads, strict=True):
            rows = np.bincount(codes, weights=f.counts, minlength=len(h.leaves)).astype(np.int64)
            self._spread_of_all.append([int(rows @ s[h.codes[level]]) for level, s in enumerate(spreads)])
            self._largest_spread.append([int(s.max(initial=0)) for s in spreads])
        self._flat_spreads, self._spread_starts = _flat(self._spreads)

    def judge(self, node: Node) -> Judged:
        """Count a node, suppress its failing groups, and remember the best release."""
        known = self.judged.get(node)
        if known is not None:
            return known
        p = self.problem
        counted = self.roll_up.groups(node)
        groups = counted.groups
        holds = all_hold(p.models, groups)
        published = publishable(p.models, groups, holds, p.suppression_limit)
        spread = [self._spread_of_all[d][level] for d, level in enumerate(node)]
        suppressed, lost, lost_spread, lost_mates, hopeless = 0, 0, [0] * len(node), 0, False
        some = ~(holds & published)
        if some.any():
            concerned = np.flatnonzero(some)
            sizes = groups.sizes[concerned]
            left_out = np.where(published[concerned], 0, sizes)
            suppressed = int(left_out.sum())
            least = least_suppressed(p.models, groups)[concerned]
            lost = int(least.sum())
            hopeless = lost > p.suppression_limit or (self._monotone and p.suppression_limit == 0)
            if not hopeless:
                extra, part = self._extra_spread(counted, concerned, left_out, least)
                lost_spread, lost_mates = part.tolist(), int(least @ sizes)
                spread = [a + b for a, b in zip(spread, extra.tolist(), strict=True)]
        feasible = (
            suppressed <= p.suppression_limit and not hopeless and may_leave_out(p.models, groups, holds, published)
        )
        score = math.inf
        if feasible:
            losses = [a * b for a, b in zip(spread, self._scale, strict=True)]
            kept = groups.sizes[published & (groups.sizes > 0)] if self._objective.needs_groups else None
            score = self._objective.score(Outcome(losses, sum(node), kept, suppressed, p.frequency.rows))
        judged = Judged(node, score, suppressed, feasible, hopeless, lost, lost_spread, lost_mates)
        self.judged[node] = judged
        # Ties go to the first node in lexicographic order, whichever way a search comes by.
        if feasible and (self.best is None or (score, node) < (self.best.score, self.best.node)):
            self.best = judged
        if self.closest is None or suppressed < self.closest.suppressed:
            self.closest = judged
        if monotonic() >= self._tell_at:
            self._tell()
        return judged

    def bound(self, low: Node, judged: Judged) -> float:
        """What no node between `low` and a judged coarser node can undercut."""
        # A row lost everywhere between them costs the widest spread instead of what it would at `low`.
        losses = []
        for d, level in enumerate(low):
            beside = judged.lost * (int(self._widest[d]) - self._largest_spread[d][level])
            spread = self._spread_of_all[d][level] + max(judged.lost_spread[d], beside)
            losses.append(spread * self._scale[d])
        finest = self.roll_up.groups(low).groups.sizes if self._objective.needs_groups else None
        finest = finest if finest is None else finest[finest > 0]
        p = self.problem
        least = AtLeast(losses, sum(low), finest, judged.lost, judged.lost_mates, p.suppression_limit, p.frequency.rows)
        return self._objective.bound(least)

    def gain(self, attribute: int, lower: int, upper: int) -> float:
        """How much loss lies between two levels of an attribute, nothing suppressed."""
        spread = self._spread_of_all[attribute]
        gain: float = (spread[upper] - spread[lower]) * self._scale[attribute]
        return gain

    def _extra_spread(
        self, counted: Counted, failing: IntArray, sizes: IntArray, least: IntArray
    ) -> tuple[IntArray, IntArray]:
        """What suppressing the failing groups adds per attribute, and what is added at least in finer nodes."""
        starts = np.array([self._spread_starts[d][level] for d, level in enumerate(counted.node)], dtype=np.int64)
        spreads = Spreads(self._flat_spreads, starts, self._widest)
        whole, part = spread_of_groups(counted.keys, self.roll_up.fields, spreads, failing, sizes, least)
        return whole, part

    def _tell(self) -> None:
        note = f"{len(self.judged):,} nodes checked"
        if self.best is None or not math.isfinite(self.best.score):
            self._progress("search", 0, 0, note)
        else:
            self._progress("search", min(self.lower_bound, self.best.score), self.best.score, note)
        self._tell_at = monotonic() + _TELL_EVERY


def _flat(tables: list[list[IntArray]]) -> tuple[IntArray, list[list[int]]]:
    """All tables end to end, and where each begins."""
    starts, length = [], 0
    for row in tables:
        starts.append([length := length + n for n in [0, *(len(t) for t in row[:-1])]])
        length += len(row[-1])
    return np.concatenate([t for row in tables for t in row]), starts
