"""The optimal full-domain generalization, by branch and bound over boxes of the lattice.

A box is all nodes between a finest node `low` and a coarsest node `high`. Counting `high` tells about every node
inside it: rows that are lost in every refinement of `high` (the models' `least_suppressed`) are lost everywhere in the
box. So no node of the box costs less than `low` would with only those rows suppressed; and if more rows are lost than the limit
allows, the box is empty. Boxes are taken in order of that bound and cut in two; when the smallest bound is no better than
the best release found, that release is the optimum. Nothing here assumes a monotone model: a model
without a bound of its own just prunes less.

Stopped early, the smallest open bound says how far the best release found can be from the optimum.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import monotonic

import numpy as np

from discreet.counts.groups import FloatArray
from discreet.counts.kernels import spread_of_groups
from discreet.counts.roll_up import Counted, Node, RollUp
from discreet.errors import Infeasible
from discreet.hierarchies.hierarchy import IntArray
from discreet.models.base import all_hold, least_suppressed
from discreet.models.verdicts import witness
from discreet.progress import Progress, silent
from discreet.search.plan import SUPPRESSED, Plan, Problem
from discreet.utility.objectives import OBJECTIVES, AtLeast, Outcome

EXHAUSTIVE = 1_000_000  # lattices with more nodes are searched against the clock
DEFAULT_SECONDS = 30.0


@dataclass(frozen=True, eq=False)
class Judged:
    """One counted node: what it costs, whether it may be published, what it proves about finer nodes."""

    node: Node
    score: float
    suppressed: int
    feasible: bool
    hopeless: bool  # no finer node can be published
    lost: int  # rows lost in every finer node
    lost_spread: IntArray  # what suppressing those adds at least, per attribute


@dataclass(order=True)
class Box:
    """All nodes between `low` and `high`; none of them costs less than `bound`."""

    bound: float
    low: Node
    high: Node
    judged: Judged = field(compare=False)


def optimal(
    problem: Problem,
    progress: Progress = silent,
    time_limit: float | None = None,
) -> Plan:
    """The cheapest node of the lattice that keeps every promise within the suppression limit.

    Lattices of up to a million nodes are searched to the end unless `time_limit` (seconds) says otherwise; larger ones
    for half a minute by default. `facts` of the plan says whether the optimum is proven, or how far it can be.
    """
    search = _Search(problem)
    nodes = math.prod(h.height + 1 for h in problem.frequency.hierarchies)
    if time_limit is None and nodes > EXHAUSTIVE:
        time_limit = DEFAULT_SECONDS
    deadline = None if time_limit is None else monotonic() + time_limit
    if deadline is not None:
        search.dive(deadline)
    lower = search.branch_and_bound(deadline, progress)
    best = search.best
    if best is None:
        raise search.infeasible(exhausted=deadline is None or lower == math.inf)
    facts = {
        "nodes": nodes,
        "nodes_checked": len(search.judged),
        "optimal": lower >= best.score,
        "utility": problem.utility,
        "score": best.score,
        "lower_bound": min(lower, best.score),
    }
    return full_domain_plan(problem, search.roll_up, best.node, facts)


def full_domain_plan(problem: Problem, roll_up: RollUp, node: Node, facts: dict[str, object]) -> Plan:
    """Publish every attribute at its level of `node`; groups that break a promise are suppressed whole."""
    frequency = problem.frequency
    counted, group = roll_up.group_of_rows(node)
    kept = all_hold(problem.models, counted.groups)
    number = np.where(kept, np.cumsum(kept) - 1, SUPPRESSED)
    low = np.empty((int(kept.sum()), len(node)), dtype=np.int32)
    high = np.empty_like(low)
    for d, (hierarchy, level) in enumerate(zip(frequency.hierarchies, node, strict=True)):
        codes = roll_up.codes(counted, d)[kept]
        low[:, d], high[:, d] = hierarchy.first[level][codes], hierarchy.last[level][codes]
    return Plan(
        frequency,
        low,
        high,
        row=np.arange(len(frequency.counts), dtype=np.int64),
        count=frequency.counts,
        group=number[group].astype(np.int64),
        node=node,
        facts=facts,
    )


class _Search:
    """State of one search: counted nodes, open boxes, the best release so far."""

    def __init__(self, problem: Problem):
        f = problem.frequency
        self.problem = problem
        self.objective = OBJECTIVES[problem.utility]
        self.roll_up = RollUp(f, attributes={m.attribute for m in problem.models})
        self.judged: dict[Node, Judged] = {}
        self.best: Judged | None = None
        self.closest: Judged | None = None
        self._monotone = all(m.monotone for m in problem.models)
        self._widest = np.array([len(h.leaves) - 1 for h in f.hierarchies], dtype=np.int64)
        self._scale: FloatArray = 1.0 / np.maximum(self._widest * f.rows, 1)
        # Per attribute and level: leaves − 1 of each value, their sum over all rows, and the largest.
        self._spreads = [[h.sizes(level) - 1 for level in range(h.height + 1)] for h in f.hierarchies]
        marginals = [np.bincount(c, weights=f.counts, minlength=len(h.leaves)) for c, h in zip(f.codes, f.hierarchies, strict=True)]
        self._spread_of_all = [
            [int(m.astype(np.int64) @ s[h.codes[level]]) for level, s in enumerate(spreads)]
            for m, h, spreads in zip(marginals, f.hierarchies, self._spreads, strict=True)
        ]
        self._largest_spread = [[int(s.max(initial=0)) for s in spreads] for spreads in self._spreads]

    def judge(self, node: Node) -> Judged:
        """Count a node, suppress its failing groups, and remember the best release."""
        known = self.judged.get(node)
        if known is not None:
            return known
        p = self.problem
        counted = self.roll_up.groups(node)
        groups = counted.groups
        holds = all_hold(p.models, groups)
        spread = np.array([self._spread_of_all[d][level] for d, level in enumerate(node)], dtype=np.int64)
        suppressed, lost, lost_spread, hopeless = 0, 0, self._nothing(), False
        failing = np.flatnonzero(~holds)
        if len(failing):
            sizes = groups.sizes[failing]
            suppressed = int(sizes.sum())
            least = least_suppressed(p.models, groups)[failing]
            lost = int(least.sum())
            extra, lost_spread = self._extra_spread(counted, failing, sizes, least)
            spread = spread + extra
            hopeless = lost > p.suppression_limit or (self._monotone and p.suppression_limit == 0)
        outcome = Outcome(
            spread * self._scale, sum(node), groups.sizes[holds], suppressed, p.frequency.rows
        )
        feasible = suppressed <= p.suppression_limit
        judged = Judged(node, self.objective.score(outcome), suppressed, feasible, hopeless, lost, lost_spread)
        self.judged[node] = judged
        self._note(judged)
        return judged

    def _nothing(self) -> IntArray:
        return np.zeros(len(self._widest), dtype=np.int64)

    def _note(self, judged: Judged) -> None:
        if judged.feasible and (self.best is None or (judged.score, judged.node) < (self.best.score, self.best.node)):
            self.best = judged
        if self.closest is None or judged.suppressed < self.closest.suppressed:
            self.closest = judged

    def _extra_spread(
        self, counted: Counted, failing: IntArray, sizes: IntArray, least: IntArray
    ) -> tuple[IntArray, IntArray]:
        """What suppressing the failing groups adds per attribute, and what is added at least in finer nodes."""
        spreads = [self._spreads[d][level] for d, level in enumerate(counted.node)]
        return spread_of_groups(*self.roll_up.fields(counted), failing, sizes, least, *_flat(spreads), self._widest)

    def box(self, low: Node, high: Node) -> Box | None:
        """The box, or None if nothing in it can be published or beat the best."""
        judged = self.judge(high)
        if judged.hopeless or low == high:
            return None
        # A row lost in the whole box costs the widest spread instead of what it would at `low`.
        spread = np.empty(len(low), dtype=np.int64)
        for d, level in enumerate(low):
            beside = judged.lost * (int(self._widest[d]) - self._largest_spread[d][level])
            spread[d] = self._spread_of_all[d][level] + max(int(judged.lost_spread[d]), beside)
        finest = self.roll_up.groups(low).groups.sizes if self.objective.needs_groups else None
        p = self.problem
        least = AtLeast(spread * self._scale, sum(low), finest, p.suppression_limit, p.frequency.rows)
        bound = self.objective.bound(least)
        return None if self.best is not None and bound >= self.best.score else Box(bound, low, high, judged)

    def halves(self, box: Box) -> Iterator[tuple[Node, Node]]:
        """Cut the box across the attribute whose levels differ most in loss."""
        span = [
            (self._spread_of_all[d][b] - self._spread_of_all[d][a]) * self._scale[d] if b > a else -1.0
            for d, (a, b) in enumerate(zip(box.low, box.high, strict=True))
        ]
        d = int(np.argmax(span))
        middle = (box.low[d] + box.high[d]) // 2
        yield box.low, (*box.high[:d], middle, *box.high[d + 1 :])
        yield (*box.low[:d], middle + 1, *box.low[d + 1 :]), box.high

    def branch_and_bound(self, deadline: float | None, progress: Progress) -> float:
        """Search until the best release is proven optimal or time is up; the cost nothing can undercut."""
        heights = tuple(h.height for h in self.problem.frequency.hierarchies)
        first = self.box((0,) * len(heights), heights)
        queue = [first] if first is not None else []
        while queue:
            box = heapq.heappop(queue)
            if self.best is not None and box.bound >= self.best.score:
                return box.bound
            if deadline is not None and monotonic() > deadline:
                return box.bound
            for low, high in self.halves(box):
                half = self.box(low, high)
                if half is not None:
                    heapq.heappush(queue, half)
            if self.best is not None:
                progress("search", box.bound, self.best.score, f"{len(self.judged):,} nodes checked")
            else:
                progress("search", 0, 0, f"{len(self.judged):,} nodes checked")
        return math.inf

    def dive(self, deadline: float) -> None:
        """A good release quickly: from the top, always take the finer neighbour that costs least."""
        current = self.judge(tuple(h.height for h in self.problem.frequency.hierarchies))
        while monotonic() < deadline:
            finer = [
                self.judge((*current.node[:d], level - 1, *current.node[d + 1 :]))
                for d, level in enumerate(current.node)
                if level > 0
            ]
            better = [j for j in finer if j.feasible and j.score < current.score]
            if not better:
                return
            current = min(better, key=lambda j: (j.score, j.node))

    def infeasible(self, exhausted: bool) -> Infeasible:
        """Nothing can be published: which node came closest, and which of its groups decides."""
        p = self.problem
        assert self.closest is not None
        groups = self.roll_up.groups(self.closest.node).groups
        levels = ", ".join(f"{a} {n}" for a, n in zip(p.frequency.attributes, self.closest.node, strict=True))
        missing = f"{self.closest.suppressed:,} of {p.frequency.rows:,} rows would have to be suppressed"
        return Infeasible(
            f"no generalization keeps every promise with at most {p.suppression_limit:,} rows suppressed"
            if exhausted
            else "no release was found before the time limit",
            closest=f"levels {levels}, where {missing}",
            witness=witness(p.models, groups),
            repair="weaken a promise, raise `suppress`, or take a quasi-identifier out"
            if exhausted
            else "give it more time with --time-limit",
        )


def _flat(tables: list[IntArray]) -> tuple[IntArray, IntArray]:
    starts = np.zeros(len(tables) + 1, dtype=np.int64)
    np.cumsum([len(t) for t in tables], out=starts[1:])
    return np.concatenate([*tables, np.empty(0, dtype=np.int64)]), starts
