"""Groups whose chances add up to α at most, whoever they cover (in the population, if one is given): `presence: total`.

What a combination of values is told of is the sum over all groups that cover it. Fewer and wider groups have smaller
sums: one group of all rows the smallest there is. So groups of a neighbourhood are asked to hide as many rows as it
has, times a factor (`apart`), which makes their chances add up to about α there. The sum of the heaviest combination,
found exactly, tells by how much the factor may be smaller, or must be larger. Plans that come close are mended: groups
that cover the heaviest combination are joined, as two cover more together than each by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from discreet.arrays import IntArray
from discreet.models.ambiguity.alpha_beta import GROUP, AlphaBeta
from discreet.models.ambiguity.total import Total, presence_of_groups
from discreet.models.base import all_hold
from discreet.models.parameters import exact
from discreet.progress import Progress
from discreet.search.ambiguity.groups import Leeway, Tables, become, build, kept, least_size
from discreet.search.plan import Ambiguity, Problem

_TRIES = 5  # factors that are tried
_CLOSE = 0.9  # a sum of so much of α, or more, is as good as α
_NEAR = 1.2  # a plan whose sum is at most so many times α is mended by those that cover the heaviest combination
_ROUNDS = 24  # of joining groups; halving their number each time comes to one group
_SAVED = 0.4  # of the chances of two groups that are joined, about
_FACTS = ("neighbourhoods", "placed")


@dataclass(frozen=True, eq=False)
class Attempt:
    """A plan that keeps all promises but for the sum, and its largest sum."""

    plan: Ambiguity
    total: Total

    @property
    def reached(self) -> Fraction:
        """No combination of values has a larger sum."""
        return self.total.most


def together(
    problem: Problem, model: AlphaBeta, tables: Tables, leeway: Leeway, progress: Progress
) -> tuple[Ambiguity | None, Fraction]:
    """A plan of many groups that keeps every promise, and the smallest α that was reached; None if there is none."""
    alpha, limit = exact(model.alpha), problem.suppression_limit
    tried = [t for t in _factors(problem, model, tables, leeway, progress) if t.plan.suppressed <= limit]
    passed = [t for t in tried if t.reached <= alpha]
    finest = max((t.plan.group_count for t in passed), default=0)
    for attempt in sorted((t for t in tried if t.reached > alpha), key=lambda t: t.reached):
        if not passed or (attempt.reached <= alpha * Fraction(_NEAR) and attempt.plan.group_count > finest):
            mended = mend(attempt, model)
            tried.append(mended)
            passed += [mended] if mended.reached <= alpha else []
            break
    one = _one_group(problem, model, tables)
    if one is not None:
        tried.append(one)
        passed += [one] if one.reached <= alpha else []
    plans = [kept(problem, t.plan, {name: t.plan.facts[name] for name in _FACTS} | _told(t)) for t in passed]
    good = [plan for plan in plans if plan.suppressed <= limit]
    reached = min((t.reached for t in tried), default=Fraction(1))
    return max(good, key=lambda plan: plan.group_count, default=None), reached


def _told(attempt: Attempt) -> dict[str, object]:
    return {"presence_over_all_groups": float(attempt.reached)}


def _factors(
    problem: Problem, model: AlphaBeta, tables: Tables, leeway: Leeway, progress: Progress
) -> Iterator[Attempt]:
    """Plans by different factors, until one has a sum just below α.

    The sum grows about as the factor falls; between one that was too small and one that was too large, the geometric
    mean is tried where that points outside.
    """
    alpha, low, high, factor = exact(model.alpha), 0.0, math.inf, 1.0
    alone = _group_by_group(problem, model)
    for _ in range(_TRIES):
        plan = build(alone, model, tables, least_size(alone, model), leeway, progress, apart=factor)
        if plan.suppressed > problem.suppression_limit:  # groups were to be wider than they can be
            high, reached = factor, float(alpha) / 4
        else:
            attempt = Attempt(plan, model.total(plan.groups))
            yield attempt
            reached = float(attempt.reached)
            low, high = (low, factor) if attempt.reached <= alpha else (factor, high)
            if alpha * Fraction(_CLOSE) <= attempt.reached <= alpha:
                return
        factor *= reached / float(alpha) * (1.0 if reached > alpha else 1 / (_CLOSE + 0.07))
        if not low < factor < high:
            factor = math.sqrt(low * high) if low > 0 and high < math.inf else (low * 2 if low else high / 4)
        if low and high / low < 1.01:
            return


def mend(attempt: Attempt, model: AlphaBeta) -> Attempt:
    """Join groups until the sum of the heaviest combination is α at most, or nothing is left to join.

    Where the sum is far above α, all groups that may cover a combination above it are joined two by two; where it is
    near, as many as it takes of those that cover the heaviest.
    """
    alpha, rng = exact(model.alpha), np.random.default_rng(attempt.plan.group_count)
    for _ in range(_ROUNDS):
        plan, total = attempt.plan, attempt.total
        if attempt.reached <= alpha or plan.group_count < 2:
            break
        some = total.covering
        if float(attempt.reached) > float(alpha) * _NEAR or len(some) < 2:
            some = np.flatnonzero(~total.hidden)
        else:
            chances = presence_of_groups(plan.groups)[some]
            above = float(attempt.reached) - float(alpha)
            pairs = math.ceil(above / (_SAVED * 2 * max(float(chances.mean()), 1e-300)))
            some = rng.permutation(some)[: 2 * pairs]
        becomes = _paired(plan.group_count, some, rng)
        joined = become(plan, becomes)
        attempt = Attempt(replace(joined, facts=plan.facts), model.total(joined.groups))
    return attempt


def _paired(groups: int, some: IntArray, rng: np.random.Generator) -> IntArray:
    """What each group becomes when some are joined two by two, and the last of an odd number with any other."""
    order = rng.permutation(some)
    if len(order) % 2:
        order = np.append(order, rng.choice(np.delete(np.arange(groups), order[-1])))
    becomes = np.arange(groups)
    becomes[order[1::2]] = becomes[order[::2]]
    return becomes


def _one_group(problem: Problem, model: AlphaBeta, tables: Tables) -> Attempt | None:
    """All rows in one group, which has the smallest sum there is; None if it breaks another promise."""
    f = problem.frequency
    rows = np.arange(len(f.counts))
    plan = Ambiguity(f, rows, f.counts, np.zeros_like(rows), tables)
    others = tuple(each for each in _group_by_group(problem, model).models if not isinstance(each, AlphaBeta))
    associated = replace(model, alpha=Fraction(1), presence=GROUP, population=None)
    if not all_hold((*others, associated), plan.groups).all():
        return None
    facts: dict[str, object] = {"neighbourhoods": 1, "placed": 0}
    return Attempt(replace(plan, facts=facts), model.total(plan.groups))


def _group_by_group(problem: Problem, model: AlphaBeta) -> Problem:
    """The problem with presence judged in each group by itself."""
    alone = replace(model, presence=GROUP, population=None)
    return replace(problem, models=tuple(alone if each == model else each for each in problem.models))
