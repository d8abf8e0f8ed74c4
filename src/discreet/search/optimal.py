"""The optimal full-domain generalization, by branch and bound over boxes of the lattice.

A box is all nodes between a finest node `low` and a coarsest node `high`. Counting `high` tells about every node in it:
rows that are lost in every refinement of `high` (the models' `least_suppressed`) are lost everywhere in the box. So no
node of it costs less than `low` would with only those rows suppressed; and if more rows are lost than the limit allows,
nothing in the box can be published. Boxes are taken in order of that bound and cut in two; once the smallest is no
better than the best release found, that release is the optimum. Nothing here assumes a monotone model: one without a
bound of its own just prunes less.

Stopped early, the smallest open bound says how far the best release found can be from the optimum.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic

import numpy as np

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
    lost_spread: list[int]  # what suppressing those adds at least, per attribute


# All nodes between `low` and `high`, none of which costs less than the bound; ties in the order of the nodes.
Box = tuple[float, Node, Node]


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
        self._scale = [1.0 / max(w * f.rows, 1) for w in self._widest.tolist()]
        # Per attribute and level: leaves − 1 of each value, their sum over all rows, and the largest.
        self._spreads = [[h.sizes(level) - 1 for level in range(h.height + 1)] for h in f.hierarchies]
        self._spread_of_all, self._largest_spread = [], []
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
        spread = [self._spread_of_all[d][level] for d, level in enumerate(node)]
        suppressed, lost, lost_spread, hopeless = 0, 0, [0] * len(node), False
        if not holds.all():
            failing = np.flatnonzero(~holds)
            sizes = groups.sizes[failing]
            suppressed = int(sizes.sum())
            least = least_suppressed(p.models, groups)[failing]
            lost = int(least.sum())
            hopeless = lost > p.suppression_limit or (self._monotone and p.suppression_limit == 0)
            if not hopeless:
                extra, part = self._extra_spread(counted, failing, sizes, least)
                lost_spread = part.tolist()
                spread = [a + b for a, b in zip(spread, extra.tolist(), strict=True)]
        feasible = suppressed <= p.suppression_limit
        score = math.inf
        if feasible:
            losses = [a * b for a, b in zip(spread, self._scale, strict=True)]
            kept = groups.sizes[holds] if self.objective.needs_groups else None
            score = self.objective.score(Outcome(losses, sum(node), kept, suppressed, p.frequency.rows))
        judged = Judged(node, score, suppressed, feasible, hopeless, lost, lost_spread)
        self.judged[node] = judged
        if feasible and (self.best is None or (score, node) < (self.best.score, self.best.node)):
            self.best = judged
        if self.closest is None or suppressed < self.closest.suppressed:
            self.closest = judged
        return judged

    def _extra_spread(
        self, counted: Counted, failing: IntArray, sizes: IntArray, least: IntArray
    ) -> tuple[IntArray, IntArray]:
        """What suppressing the failing groups adds per attribute, and what is added at least in finer nodes."""
        starts = np.array([self._spread_starts[d][level] for d, level in enumerate(counted.node)], dtype=np.int64)
        fields = self.roll_up.fields(counted)
        whole, part = spread_of_groups(*fields, failing, sizes, least, self._flat_spreads, starts, self._widest)
        return whole, part

    def box(self, low: Node, high: Node) -> Box | None:
        """The box, or None if nothing in it can be published or beat the best."""
        judged = self.judge(high)
        if judged.hopeless or low == high:
            return None
        # A row lost in the whole box costs the widest spread instead of what it would at `low`.
        losses = []
        for d, level in enumerate(low):
            beside = judged.lost * (int(self._widest[d]) - self._largest_spread[d][level])
            spread = self._spread_of_all[d][level] + max(judged.lost_spread[d], beside)
            losses.append(spread * self._scale[d])
        finest = self.roll_up.groups(low).groups.sizes if self.objective.needs_groups else None
        p = self.problem
        bound = self.objective.bound(AtLeast(losses, sum(low), finest, p.suppression_limit, p.frequency.rows))
        return None if self.best is not None and bound >= self.best.score else (bound, low, high)

    def halves(self, low: Node, high: Node) -> Iterator[tuple[Node, Node]]:
        """Cut a box across the attribute whose levels differ most in loss."""
        d, widest = 0, -1.0
        for i, (a, b) in enumerate(zip(low, high, strict=True)):
            span = (self._spread_of_all[i][b] - self._spread_of_all[i][a]) * self._scale[i]
            if b > a and span > widest:
                d, widest = i, span
        middle = (low[d] + high[d]) // 2
        yield low, (*high[:d], middle, *high[d + 1 :])
        yield (*low[:d], middle + 1, *low[d + 1 :]), high

    def branch_and_bound(self, deadline: float | None, progress: Progress) -> float:
        """Search until the best release is proven optimal or time is up; the cost nothing can undercut."""
        heights = tuple(h.height for h in self.problem.frequency.hierarchies)
        first = self.box((0,) * len(heights), heights)
        queue = [first] if first is not None else []
        while queue:
            bound, low, high = heapq.heappop(queue)
            if self.best is not None and bound >= self.best.score:
                return bound
            if deadline is not None and monotonic() > deadline:
                return bound
            for half_low, half_high in self.halves(low, high):
                half = self.box(half_low, half_high)
                if half is not None:
                    heapq.heappush(queue, half)
            if self.best is not None:
                progress("search", bound, self.best.score, f"{len(self.judged):,} nodes checked")
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


def _flat(tables: list[list[IntArray]]) -> tuple[IntArray, list[list[int]]]:
    """All tables end to end, and where each begins."""
    starts, length = [], 0
    for row in tables:
        starts.append([length := length + n for n in [0, *(len(t) for t in row[:-1])]])
        length += len(row[-1])
    return np.concatenate([t for row in tables for t in row]), starts
