"""k-Optimize: the best single-dimensional recoding, by branch and bound over cuts through the hierarchies.

Bayardo & Agrawal 2005, with hierarchies as Nergiz, Tamersoy & Saygin (2011) use it: values of one attribute may sit at
different levels. The nodes to be opened are enumerated like sets: a *head* that is opened and a *tail* that may be.
Opening only splits groups, so a head that is hopeless (see `least_suppressed`) prunes everything beyond it, and a node
that is hopeless together with the head leaves the tail. What a node saves does not depend on the others, so no cut of a
head and tail costs less than the head, minus all that could be saved in the tail, plus the rows that are lost already.

It starts from the best full-domain generalization, and so is never worse. Nothing here assumes a monotone promise.
Stopped by the clock, it publishes the best cut found, and says how far from the optimum that can be.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import monotonic

from discreet.errors import DiscreetError, Infeasible, Mistake
from discreet.models.base import AboutPopulation
from discreet.progress import Progress, silent
from discreet.search.lattice.cuts import Cuts, Judgement, Opened, Rows, members
from discreet.search.lattice.optimal import EXHAUSTIVE, IMPOSSIBLE, OUT_OF_TIME, TOO_MANY_WAYS, optimal
from discreet.search.plan import Problem, Recoding

DEFAULT_SECONDS = 30.0
_FULL_DOMAIN_SHARE = 1 / 3  # of the time, at most, for the full-domain generalization to start from
_TELL_EVERY = 0.1  # seconds between two words about the progress


def optimize(problem: Problem, progress: Progress = silent, time_limit: float | None = None) -> Recoding:
    """The recoding of least loss in which a value always becomes the same node of its hierarchy.

    `facts` say whether it is proven to be the optimum. It is searched for `time_limit` seconds, or for half a minute.
    """
    start = monotonic()
    _refuse(problem)
    limit = DEFAULT_SECONDS if time_limit is None else time_limit
    cuts = Cuts(problem)
    search = Search(cuts, start + limit, progress)
    failed: Infeasible | None = None
    try:
        small = time_limit is None and problem.frequency.nodes <= EXHAUSTIVE
        full_domain = optimal(problem, progress, None if small else limit * _FULL_DOMAIN_SHARE)
        assert full_domain.node is not None
        search.judge(cuts.of_levels(full_domain.node), cuts.rows)
    except Infeasible as error:  # where rows may be suppressed, a cut may still be possible
        failed = error
    lower = search.branch_and_bound()
    if search.best is None:
        assert failed is not None
        raise _infeasible(failed, search, lower)
    cost, lower = search.best.cost, min(lower, search.unproven)
    facts: dict[str, object] = {
        "cuts_checked": search.checked,
        "queries": search.checked,
        "optimal": lower >= cost,
        "utility": problem.utility,
        "score": cost / cuts.scale,
        "lower_bound": min(lower, cost) / cuts.scale,
    }
    return cuts.plan(search.cut, facts, search.best.left_out)


@dataclass(frozen=True, eq=False)
class _Open:
    """All cuts that open the head and some of the tail, none of which costs less than the bound.

    `rows` are told apart by no more than head and tail need. `next` are the judgements of the head with each node that
    can be opened next; None as long as nobody has asked.
    """

    bound: int
    head: Opened
    tail: Opened
    lost: int
    rows: Rows
    next: dict[int, Judgement] | None = None


class Search:
    """The best cut found so far, and how many were looked at."""

    def __init__(self, cuts: Cuts, deadline: float, progress: Progress):
        self.cuts, self.checked = cuts, 0
        self.cut: Opened = 0
        self.best: Judgement | None = None
        self.unproven = math.inf  # no cut costs less of which not every way to leave groups out was judged
        self._deadline, self._progress, self._tell_at = deadline, progress, monotonic()

    def judge(self, opened: Opened, rows: Rows) -> Judgement:
        """Count a cut, and remember the best."""
        judged = self.cuts.judge(rows, opened, math.inf if self.best is None else self.best.cost)
        self.checked += 1
        self.unproven = min(self.unproven, judged.unproven)
        if judged.feasible and not self._beats(judged.cost):
            self.cut, self.best = opened, judged
        if monotonic() >= self._tell_at:
            self._progress("search", 0, 0, f"{self.checked:,} cuts checked")
            self._tell_at = monotonic() + _TELL_EVERY
        return judged

    def branch_and_bound(self) -> float:
        """Search until the best cut is proven optimal or time is up; the cost that nothing unseen can undercut."""
        cuts = self.cuts
        nothing = self.judge(0, cuts.rows)
        if nothing.hopeless:
            return math.inf
        alone = self._alone()
        stack = [_Open(0, 0, alone, nothing.lost, cuts.coarser(cuts.rows, alone))]
        while stack:
            now = stack.pop()
            if self._beats(now.bound):
                continue
            if monotonic() > self._deadline:
                return min(now.bound, *(other.bound for other in stack)) if stack else now.bound
            now = self._narrowed(now)
            if self._beats(now.bound) or not now.next:
                continue
            v = max(now.next, key=lambda v: cuts.gain(cuts.subtree[v] & now.tail))
            stack += self._without(now, v), self._with(now, v)
        return math.inf

    def _beats(self, bound: int) -> bool:
        """Is nothing that costs so much, or more, of interest?"""
        return self.best is not None and bound >= self.best.cost

    def _alone(self) -> Opened:
        """The nodes that can be opened at all, be every other attribute ``*``."""
        cuts, alone = self.cuts, 0
        for of_attribute in cuts.by_attribute:
            rows = cuts.coarser(cuts.rows, of_attribute)
            waiting = cuts.roots & of_attribute
            while waiting:
                v = next(members(waiting))
                waiting ^= 1 << v
                if not self.judge(cuts.path(v), rows).hopeless:
                    alone |= 1 << v
                    waiting |= cuts.under[v]
        return alone

    def _narrowed(self, now: _Open) -> _Open:
        """The same without the part of the tail that is hopeless with the head."""
        cuts, tail = self.cuts, now.tail
        judged = now.next
        if judged is None:
            judged = {v: self.judge(now.head | 1 << v, now.rows) for v in members(cuts.frontier(now.head) & tail)}
            for v in [v for v, judgement in judged.items() if judgement.hopeless]:
                tail &= ~cuts.subtree[v]
                del judged[v]
        bound = max(now.bound, cuts.closed_cost - cuts.gain(now.head | tail) + now.lost)
        rows = cuts.coarser(now.rows, now.head | tail) if tail != now.tail and not self._beats(bound) else now.rows
        return _Open(bound, now.head, tail, now.lost, rows, judged)

    def _with(self, now: _Open, v: int) -> _Open:
        """Those of the cuts that open the node."""
        assert now.next is not None
        return _Open(now.bound, now.head | 1 << v, now.tail & ~(1 << v), now.next[v].lost, now.rows)

    def _without(self, now: _Open, v: int) -> _Open:
        """Those that don't; nothing else has to be asked again."""
        assert now.next is not None
        others = {w: judgement for w, judgement in now.next.items() if w != v}
        return _Open(now.bound, now.head, now.tail & ~self.cuts.subtree[v], now.lost, now.rows, others)


def _refuse(problem: Problem) -> None:
    mistakes = []
    if problem.utility != "loss":
        rule = f"optimize minimizes loss, not {problem.utility}"
        mistakes.append(Mistake("utility", rule, "write utility: loss, or search: optimal"))
    about = [model.describe() for model in problem.models if isinstance(model, AboutPopulation)]
    if about:
        rule = f"optimize does not look outside of the table, which {' and '.join(about)} needs"
        mistakes.append(Mistake("search", rule, "write search: optimal"))
    if mistakes:
        raise DiscreetError(*mistakes)


def _infeasible(full_domain: Infeasible, search: Search, lower: float) -> Infeasible:
    """Nothing was found: the closest full-domain generalization, and which of its groups decides."""
    ending = OUT_OF_TIME if lower < math.inf else IMPOSSIBLE if search.unproven == math.inf else TOO_MANY_WAYS
    return Infeasible(
        ending.rule or "no cut through the hierarchies keeps every promise with so few rows suppressed",
        closest=full_domain.closest,
        witness=full_domain.witness,
        repair=full_domain.mistakes[0].repair if ending is IMPOSSIBLE else ending.repair,
    )
