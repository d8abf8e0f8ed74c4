"""SFALM as Nergiz & Clifton 2008 publish it (§7, algorithm 1), for comparison with the optimal search.

Top-down over the lattice, level by level: a node passes if every group (of the minimum dominant subset) reaches the
confidence. With PA a node that fails takes all finer nodes with it, as if confidence were monotone, which it is not; so
the optimum may be missed, but what is found is checked. Of the nodes that pass the cheapest is taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from time import process_time

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.groups import Groups
from discreet.counts.roll_up import Node, RollUp
from discreet.errors import Infeasible
from discreet.models.base import all_hold
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.models.verdicts import witness
from discreet.progress import Progress, silent
from discreet.search.lattice.optimal import full_domain_plan
from discreet.search.plan import Problem, Recoding
from discreet.studies.presence.confidence_paper import Optimizations, Work, paper_holds, plain_evaluations
from discreet.utility.objectives import OBJECTIVES, Outcome


def sfalm(
    problem: Problem,
    optimizations: Optimizations = Optimizations(),  # noqa: B008 (frozen)
    progress: Progress = silent,
) -> Recoding:
    """The cheapest node that passes the paper's check, with nothing suppressed.

    `facts` of the plan tells the work: nodes checked and pruned, evaluations of hyp, the share that SD, PA and DM
    spared (the paper's figure 6).
    """
    model = _the_promise(problem)
    lattice = _Lattice(problem)
    failed: set[Node] = set()
    work, checked = Work(), 0
    passed: list[tuple[float, Node]] = []
    for node in lattice.top_down():
        if optimizations.pa and any(above in failed for above in lattice.just_above(node)):
            failed.add(node)
            continue
        groups = lattice.groups(node)
        holds, done = paper_holds(*_asked(groups), model.delta, model.confidence, optimizations)
        work, checked = work + done, checked + 1
        if holds:
            passed.append((lattice.cost(node, groups), node))
        else:
            failed.add(node)
        progress("search", checked, lattice.nodes, f"{checked:,} nodes checked")
    for score, node in sorted(passed):  # the first will do: no optimization overstates a confidence
        if all_hold(problem.models, lattice.groups(node)).all():
            facts: dict[str, object] = {
                "nodes": lattice.nodes,
                "nodes_checked": checked,
                "utility": problem.utility,
                "score": score,
                "evaluations": work.evaluations,
                "pruned_by_sd": work.pruned_by_sd,
                "pruned_by_pa": 1 - checked / lattice.nodes,
                "pruned_by_dm": work.pruned_by_dm,
            }
            return full_domain_plan(problem, lattice.roll_up, node, facts)
    raise Infeasible(
        "no generalization passes the paper's check",
        closest=f"everything generalized, one of {lattice.nodes:,} nodes",
        witness=witness(problem.models, lattice.groups(lattice.top)),
        repair="weaken the promise, or search with optimal, which is exact",
    )


@dataclass(frozen=True)
class PlainCost:
    """What the plain recursion takes on a whole lattice: evaluations counted, their time measured on a part."""

    evaluations: int  # for every group of every node, as §7 describes it
    until_failure: int  # of them, if at each node it stops at the first group that fails, as `sfalm` does
    done: int  # so many were done, to take the time
    seconds_done: float  # of the processor

    @property
    def seconds(self) -> float:
        """For every group of every node, extrapolated."""
        return self.evaluations * self.seconds_done / max(self.done, 1)

    @property
    def seconds_until_failure(self) -> float:
        """Stopping at failures, extrapolated."""
        return self.until_failure * self.seconds_done / max(self.done, 1)


def plain_cost(problem: Problem, part: int = 200_000_000, seed: int = 1) -> PlainCost:
    """What `sfalm` without optimizations would take, without waiting for it.

    How often hyp is evaluated for a group follows from its counts, and which group of a node is the first to fail the
    exact promise tells. Groups are then really computed until about `part` evaluations are done: of nodes in a random
    order (so that they are like all), and of each for at most a tenth of it.
    """
    model = _the_promise(problem)
    lattice = _Lattice(problem)
    nodes = list(lattice.top_down())
    evaluations, until_failure = 0, 0
    for node in nodes:
        groups = lattice.groups(node)
        each = plain_evaluations(*_asked(groups), model.delta)
        fails = np.flatnonzero(~model.holds(groups))
        evaluations += int(each.sum())
        until_failure += int(each[: fails[0] + 1].sum() if len(fails) else each.sum())
    done, seconds = 0, 0.0
    for i in np.random.default_rng(seed).permutation(len(nodes)):
        if done >= part:
            break
        rows, counts, size = _asked(lattice.groups(nodes[i]))
        each = plain_evaluations(rows, counts, size, model.delta)
        some = slice(max(1, int(np.searchsorted(np.cumsum(each), part / 10))))
        start = process_time()
        _, work = paper_holds(rows[some], counts[some], size, model.delta, Fraction(0), Optimizations.none())
        seconds += process_time() - start
        done += work.evaluations
    return PlainCost(evaluations, until_failure, done, seconds)


class _Lattice:
    """The nodes, what their groups are, and what they cost with nothing suppressed."""

    def __init__(self, problem: Problem):
        f = problem.frequency
        self.roll_up = RollUp(f, attributes=set())
        self.top: Node = tuple(h.height for h in f.hierarchies)
        self.nodes = math.prod(h + 1 for h in self.top)
        self._objective, self._rows = OBJECTIVES[problem.utility], f.rows
        self._losses = []
        for codes, h in zip(f.codes, f.hierarchies, strict=True):
            rows = np.bincount(codes, weights=f.counts, minlength=len(h.leaves))
            widest = max((len(h.leaves) - 1) * f.rows, 1)
            self._losses.append([float(rows @ (h.sizes(n) - 1)[h.codes[n]]) / widest for n in range(h.height + 1)])

    def top_down(self) -> Iterator[Node]:
        """All nodes, coarse ones first; of a level those of the first attribute's highest levels."""
        nodes = product(*(range(height, -1, -1) for height in self.top))
        return iter(sorted(nodes, key=sum, reverse=True))

    def just_above(self, node: Node) -> Iterator[Node]:
        """The nodes one level coarser in one attribute."""
        for d, (level, height) in enumerate(zip(node, self.top, strict=True)):
            if level < height:
                yield (*node[:d], level + 1, *node[d + 1 :])

    def groups(self, node: Node) -> Groups:
        """Those that occur in the table: of no others anything is promised."""
        groups = self.roll_up.groups(node).groups
        return groups.where(groups.sizes > 0)

    def cost(self, node: Node, groups: Groups) -> float:
        losses = [self._losses[d][level] for d, level in enumerate(node)]
        sizes = groups.sizes if self._objective.needs_groups else None
        return self._objective.score(Outcome(losses, sum(node), sizes, 0, self._rows))


def _the_promise(problem: Problem) -> ConfidentPresence:
    """The one promise that the paper's algorithm knows, of the kind it knows."""
    models = problem.models
    if len(models) != 1 or not isinstance(models[0], ConfidentPresence) or models[0].coverage:
        raise ValueError("the paper's algorithm knows one promise only: confident presence of the groups in the table")
    return models[0]


def _asked(groups: Groups) -> tuple[IntArray, IntArray, int]:
    """What the recursion needs of each group: rows, people outside per attribute, and how many those are in all."""
    assert groups.outside is not None, "confident presence comes with marginals"
    return groups.sizes, groups.outside.counts, groups.outside.marginals.size
