"""The optimal full-domain generalization, by branch and bound over boxes of the lattice.

A box is all nodes between a finest node `low` and a coarsest node `high`. Counting `high` tells about every node in it:
rows that are lost in every refinement of `high` (the models' `least_suppressed`) are lost everywhere in the box. So no
node of it costs less than `low` would with only those rows suppressed; and if more rows are lost than the limit allows,
nothing in the box can be published. Boxes are taken in order of that bound and cut in two; once the smallest is no
better than the best release found, that release is the optimum. Nothing here assumes a monotone model: one without a
bound of its own just prunes less.

Against the clock, a `Dive` finds a good release first. Stopped early, the smallest open bound says how far the best
release found can be from the optimum.

Plans that must be confirmed by the published rows alone (`search/confirmed.py`) are some of all plans, so every bound
holds for them; a node is confirmed, or found not to be, when it could be the best. Where not all ways to leave groups
out could be judged, the cheapest that was not says what is not proven.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, replace
from time import monotonic

import numpy as np

from discreet.arrays import BoolArray, Codes, rows_among
from discreet.compiled import patiently
from discreet.counts.groups import Groups
from discreet.counts.roll_up import Node, RollUp
from discreet.errors import Infeasible
from discreet.models.base import AboutPopulation, all_hold, compares, hides_by_people, publishable
from discreet.models.verdicts import witness
from discreet.progress import Progress, silent
from discreet.search.confirmed import hides_a_value
from discreet.search.lattice.dive import Dive
from discreet.search.lattice.node_judge import NodeJudge
from discreet.search.out_of_reach import out_of_reach
from discreet.search.plan import SUPPRESSED, Problem, Recoding

EXHAUSTIVE = 1_000_000  # lattices with more nodes are searched against the clock
DEFAULT_SECONDS = 30.0
_DIVE_SHARE = 1 / 3  # of the time, at most, for finding a good release before anything is proven
_BOXES_PER_DESCENT = 32  # a descent costs about ten nodes at first, fewer as the nodes around are known

# All nodes between `low` and `high`, none of which costs less than the bound; ties in the order of the nodes.
Box = tuple[float, Node, Node]


def optimal(
    problem: Problem,
    progress: Progress = silent,
    time_limit: float | None = None,
) -> Recoding:
    """The cheapest node of the lattice that keeps every promise within the suppression limit.

    If the plan must be `confirmed`, the cheapest of those that are: node, and which groups are left out besides.
    Of several equally cheap ones, the first in lexicographic order of the levels.
    Lattices of up to a million nodes are searched to the end unless `time_limit` (seconds) says otherwise; larger ones
    for half a minute by default. `facts` of the plan says whether the optimum is proven, or how far it can be.
    """
    start = monotonic()
    if time_limit is None and problem.nodes > EXHAUSTIVE:
        time_limit = DEFAULT_SECONDS
    judge = NodeJudge(problem, progress)
    dive, deadline = None, math.inf
    if time_limit is not None:
        deadline = start + time_limit
        dive = Dive(judge, deadline)
        dive.search(until=start + time_limit * _DIVE_SHARE)
    with patiently():
        lower = branch_and_bound(judge, deadline, dive)
    best = judge.best
    if best is None:
        raise infeasible(judge, IMPOSSIBLE if lower == math.inf else OUT_OF_TIME)
    lower = min(lower, judge.unproven)
    facts = {
        "nodes": problem.nodes,
        "nodes_checked": len(judge.judged),
        "optimal": lower >= best.score,
        "utility": problem.utility,
        "score": best.score,
        "lower_bound": min(lower, best.score),
    }
    return full_domain_plan(problem, judge.roll_up, best.node, facts, best.left_out)


def branch_and_bound(judge: NodeJudge, deadline: float, dive: Dive | None = None, finest: Node | None = None) -> float:
    """Search until the best release is proven optimal or time is up; the cost that nothing unseen can undercut.

    Only nodes that are no finer than `finest`, if one is given.
    """
    first = _box(judge, finest or judge.problem.finest, judge.top, 0.0)
    queue = [first] if first is not None else []
    popped = 0
    while queue:
        bound, low, high = heapq.heappop(queue)
        judge.lower_bound = bound
        if _beaten(judge, bound, low) or monotonic() > deadline:
            return bound
        for half_low, half_high in _halves(judge, low, high):
            half = _box(judge, half_low, half_high, bound)
            if half is not None:
                heapq.heappush(queue, half)
        popped += 1
        if dive is not None and popped % _BOXES_PER_DESCENT == 0:
            dive.descend_again()
    return math.inf


def _box(judge: NodeJudge, low: Node, high: Node, bound: float) -> Box | None:
    """The box, or None if nothing in it can be published or beat the best. `bound` is known from a larger box."""
    judged = judge.judge(high)
    if judged.hopeless or low == high:
        return None
    bound = max(bound, judge.bound(low, judged))
    return None if _beaten(judge, bound, low) else (bound, low, high)


def _beaten(judge: NodeJudge, bound: float, low: Node) -> bool:
    """Is the best release better than anything in a box, or as good and before it in the order of the nodes?"""
    return judge.best is not None and (bound, low) >= (judge.best.score, judge.best.node)


def _halves(judge: NodeJudge, low: Node, high: Node) -> tuple[tuple[Node, Node], tuple[Node, Node]]:
    """Cut a box across the attribute that loses most from one level to the next.

    If what the search spares is losses, the cut is made there: what is above it costs so much more that its bound often
    rules it out, and of what is below one node has to be counted, its coarsest. Else nothing is known of that step, and
    the cut is made in the middle.
    """
    d, level = next((d, level) for d, level in judge.steps if low[d] <= level < high[d])
    if not judge.of_losses:
        level = (low[d] + high[d]) // 2
    return (low, (*high[:d], level, *high[d + 1 :])), ((*low[:d], level + 1, *low[d + 1 :]), high)


def full_domain_plan(
    problem: Problem, roll_up: RollUp, node: Node, facts: dict[str, object], left_out: Codes | None = None
) -> Recoding:
    """Publish every attribute at its level of `node`; groups that break a promise are suppressed whole (where a promise
    is about a population: the smallest of its groups).

    So are those that are `left_out`, each named by the first leaves of its values.
    """
    frequency = problem.frequency
    counted, group = roll_up.group_of_rows(node)
    low = np.empty((len(counted.groups), len(node)), dtype=np.int32)
    high = np.empty_like(low)
    for d, (hierarchy, level) in enumerate(zip(frequency.hierarchies, node, strict=True)):
        codes = roll_up.codes(counted, d)
        low[:, d], high[:, d] = hierarchy.first[level][codes], hierarchy.last[level][codes]
    kept = published_groups(problem, counted.groups)
    if left_out is not None and len(left_out):
        kept &= ~rows_among(low, left_out)
    number = np.where(kept, np.cumsum(kept) - 1, SUPPRESSED)
    return Recoding(
        frequency,
        row=np.arange(len(frequency.counts), dtype=np.int64),
        count=frequency.counts,
        group=number.take(group),
        low=low[kept],
        high=high[kept],
        node=node,
        population=None if counted.groups.population is None else counted.groups.population[kept],
        hidden=_hidden(problem, counted.groups),
        facts=facts,
    )


def _hidden(problem: Problem, groups: Groups) -> int | None:
    """How many people would be left out if they were in the table, where that follows from the population."""
    if groups.population is None or not problem.suppression_limit or not hides_by_people(problem.models):
        return None
    everybody = np.ones(len(groups), dtype=np.bool_)
    shown = publishable(problem.models, groups, everybody, problem.suppression_limit)
    return int(groups.population[~shown].sum())


def published_groups(problem: Problem, groups: Groups) -> BoolArray:
    """Which groups of a node have rows and are not left out."""
    holds = all_hold(problem.models, groups)
    return publishable(problem.models, groups, holds, problem.suppression_limit) & (groups.sizes > 0)


def _heights(problem: Problem) -> Node:
    return tuple(h.height for h in problem.frequency.hierarchies)


@dataclass(frozen=True)
class Ending:
    """Why nothing was found, and what helps."""

    rule: str
    repair: str


IMPOSSIBLE = Ending("", "weaken a promise")
OUT_OF_TIME = Ending("no release was found before the time limit", "give it more time with --time-limit")
NOT_LOOKED = Ending(
    "none of the generalizations that were looked at keeps every promise; not all of them were",
    "write search: optimal, which looks at all of them",
)
TOO_MANY_WAYS = Ending(
    "no release was found: where the published rows alone have to keep the promises too, there are more ways to leave "
    "groups out than could be tried",
    "weaken a promise, or allow less `suppress`",
)


def infeasible(judge: NodeJudge, ending: Ending) -> Infeasible:
    """Nothing can be published, or nothing was found: which node came closest, and which of its groups decides."""
    p, closest = judge.problem, judge.closest
    assert closest is not None
    groups = judge.roll_up.groups(closest.node).groups
    holds = all_hold(p.models, groups)
    decides = None
    missing = f"{closest.suppressed:,} of {p.frequency.rows:,} rows would have to be suppressed"
    if closest.suppressed <= p.suppression_limit:  # then it is people in no published group who are in the way
        published = replace(groups.where(published_groups(p, groups)), hidden=_hidden(p, groups))
        decides = witness([m for m in p.models if isinstance(m, AboutPopulation)], published)
        if decides is None and judge.unconfirmed:  # or what the others are compared with
            among = groups.where(holds & (groups.sizes > 0)).among_themselves()
            decides = witness([m for m in p.models if compares(m)], among)
            missing += ", and among the others, compared with each other, a promise is broken"
    levels = ", ".join(f"{a} {n}" for a, n in zip(p.frequency.attributes, closest.node, strict=True))
    if ending is IMPOSSIBLE and judge.unproven < math.inf:
        ending = TOO_MANY_WAYS
    beyond = out_of_reach(p.models, p.frequency, p.suppression_limit)
    if beyond is not None:
        ending = Ending(beyond.rule, beyond.repair)
    elif closest.suppressed <= p.suppression_limit and decides is None:
        refusal = hides_a_value(p.models, groups.where(published_groups(p, groups)))
        if refusal is not None:
            return refusal
    elif ending is IMPOSSIBLE and p.suppression_limit < closest.suppressed < p.frequency.rows:
        enough = math.ceil(10**4 * closest.suppressed / p.frequency.rows) / 10**4
        ending = Ending("", f"weaken a promise, or raise `suppress` to {enough:g}")
    if ending.repair.startswith("weaken a promise") and p.spans and p.coarsest != _heights(p):
        ending = Ending(ending.rule, f"{ending.repair}, or allow coarser `levels`")
    both = ", compared with the source and with what is published," if judge.unconfirmed else ""
    rule = f"no generalization keeps every promise{both} with at most {p.suppression_limit:,} rows suppressed"
    return Infeasible(
        ending.rule or rule,
        closest=f"levels {levels}, where {missing}",
        witness=decides or witness(p.models, groups),
        repair=ending.repair,
    )
