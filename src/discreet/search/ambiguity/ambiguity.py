"""Ambiguity: exact values in tables apart, in groups made so that nobody can be sure who is in them.

Wang's greedy (section 7, with its mistakes mended), made near-linear and kinder to what analysts ask. Groups start
from the fullest sensitive values, one row each, and grow until they are (α, β)-private. Where the paper looks at all
rows for the one that covers most values, we look at a bounded number of rows of the same neighbourhood, and take from
them what is needed rather than all there is (see `greedy_kernels`). Rows left over are placed in groups that stay
private with them; what finds no place is suppressed. Where presence is to be limited over all groups together, groups
are wider (`together`).
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from discreet.arrays import IntArray
from discreet.errors import DiscreetError, Infeasible, Mistake
from discreet.models.ambiguity.alpha_beta import AlphaBeta
from discreet.models.base import all_hold
from discreet.models.parameters import exact
from discreet.progress import Progress, silent
from discreet.search.ambiguity.attribute_sets import ways
from discreet.search.ambiguity.bounds import round_up, smallest_alpha, smallest_beta, smallest_total, usual_size
from discreet.search.ambiguity.groups import Leeway, Tables, build, combinations, kept, least_size, tables_of
from discreet.search.ambiguity.layers import layered
from discreet.search.ambiguity.together import together
from discreet.search.buckets.dealing import no_place
from discreet.search.found_people import check_people
from discreet.search.plan import Ambiguity, Problem

_FAILS = 2  # doublings of the size that don't help, until the rest is given up


def greedy(problem: Problem, progress: Progress = silent) -> Ambiguity:
    """Groups that keep every promise, none larger than it must be. Raises `Infeasible` if too many rows find no place.

    What no grouping can give is refused at once, with the smallest α and β that the table allows.
    """
    model = _promise(problem)
    check_possible(problem, model)
    if problem.frequency.owners is not None:
        return _by_people(problem.by_person, model, progress)
    if model.adds_up:
        return _together(problem, model, progress)
    plans: list[Ambiguity] = []
    for tables, leeway in ways(problem, model, progress):
        plans.append(smallest_groups(problem, model, tables, leeway, progress))
        if plans[-1].suppressed <= problem.suppression_limit:
            return plans[-1]
    raise _infeasible(problem, model, min(plans, key=lambda plan: plan.suppressed))


def _together(problem: Problem, model: AlphaBeta, progress: Progress) -> Ambiguity:
    """The same where presence is limited over all groups together (see `together`).

    A sample does not tell how chances add up in the whole table, so nothing is tried on one: quasi-identifiers share a
    table only if the promise says which.
    """
    plan, reached = together(problem, model, tables_of(problem.frequency, model), Leeway(), progress)
    if plan is not None:
        return plan
    if exact(model.alpha) < reached < 1:
        why = f": over all groups together, presence comes to {round_up(reached)} or more"
        repair = f"the smallest alpha that was reached is {round_up(reached)}"
    else:  # what reaches it breaks another promise, or leaves too many rows out
        why, repair = "", "ask for a larger alpha or beta, write suppress, or name more quasi-identifiers"
    raise Infeasible(f"no groups were found that keep {model.describe()} and every other promise{why}", repair=repair)


def _by_people(problem: Problem, model: AlphaBeta, progress: Progress) -> Ambiguity:
    """The same where people have several rows (see `layers`)."""
    check_people(problem)
    plain = replace(problem, frequency=replace(problem.frequency, owners=None))
    least: Ambiguity | None = None
    for tables, leeway in ways(plain, model, progress):
        group = partial(smallest_groups, tables=tables, leeway=leeway, progress=progress)
        plan = layered(problem, model, tables, group)
        if plan.suppressed <= problem.suppression_limit:
            return plan
        least = plan if least is None or plan.suppressed < least.suppressed else least
    assert least is not None
    raise no_place(problem, least.suppressed, "greedy", adds=True)


def _promise(problem: Problem) -> AlphaBeta:
    models = [model for model in problem.models if isinstance(model, AlphaBeta)]
    if len(models) != 1:
        rule = f"search: greedy needs one promise of ambiguity, the policy has {len(models)}"
        raise DiscreetError(Mistake("require", rule, "write ambiguity: {alpha: 0.1, beta: 0.2} once"))
    misfits = models[0].misfits(problem.frequency)
    if misfits:
        raise DiscreetError(*misfits)
    return models[0]


def check_possible(problem: Problem, model: AlphaBeta) -> None:
    """Refuse at once what no grouping can give, with the smallest α and β that are possible."""
    f, rules, repairs = problem.frequency, [], []
    if problem.suppression_limit >= f.rows:
        return
    alpha, beta = exact(model.alpha), exact(model.beta)
    totals = f.totals[model.attribute]
    least_beta = smallest_beta(totals, problem.suppression_limit)
    if beta < least_beta:
        rules.append(f"the most frequent value of {model.attribute} has {int(totals.max()) / f.rows:.2%} of the rows")
        repairs.append(f"the smallest possible beta is {round_up(least_beta)}")
    size = least_size(problem, model) if beta >= least_beta else math.ceil(1 / least_beta)
    if size > f.rows:
        rules.append(f"groups need at least {size:,} rows and the table has {f.rows:,}")
        repairs.append("ask for smaller groups")
    different = [len(np.unique(codes)) for codes in combinations(f, tables_of(f, model)).T]
    least_alpha = smallest_alpha(different, size, f.rows)
    rule = "no group of this table hides a row better than"
    if model.adds_up and model.population is None:  # of a population, only combinations that somebody has count
        at_least = smallest_total(different, f.rows - problem.suppression_limit)
        if at_least > least_alpha:
            least_alpha, rule = at_least, "over all groups together, no release hides everybody better than"
    if alpha < least_alpha:
        rules.append(f"{rule} {round_up(least_alpha)}")
        repairs.append(f"the smallest possible alpha is {round_up(least_alpha)}")
        if least_alpha == 1:
            repairs.append("name more quasi-identifiers, or fewer together: only values in tables apart hide a row")
    if rules:
        raise Infeasible(f"no release has {model.describe()}: {', and '.join(rules)}", repair="; ".join(repairs))


def smallest_groups(
    problem: Problem,
    model: AlphaBeta,
    tables: Tables,
    leeway: Leeway,
    progress: Progress,
    some: IntArray | None = None,
) -> Ambiguity:
    """The plan with the smallest groups that suppresses no more than it may, or else the one that suppresses least.

    Larger groups leave more room for a frequent value, and keep promises that small ones can't. So twice the size is
    tried as long as that helps, and all rows in one group at last. With `some`, no other rows are there (see `build`).
    """
    least, limit, fails = least_size(problem, model), problem.suppression_limit, 0
    there = problem.frequency.counts if some is None else some
    best = build(problem, model, tables, least, leeway, progress, some)
    while best.suppressed > limit and fails < _FAILS and least < there.sum():
        least = 2 * max(least, math.ceil(float(best.facts["mean_group"])))  # type: ignore[arg-type]
        plan = build(problem, model, tables, least, leeway, progress, some)
        fails = 0 if plan.suppressed < best.suppressed else fails + 1
        best = min(best, plan, key=lambda plan: plan.suppressed)
    if best.suppressed > limit:
        rows = np.flatnonzero(there)
        everything = replace(best, row=rows, count=there[rows], group=np.zeros_like(rows))
        if all_hold(problem.models, everything.groups).all():
            return kept(problem, everything, {"neighbourhoods": 1, "placed": 0})
    return best


def _infeasible(problem: Problem, model: AlphaBeta, plan: Ambiguity) -> Infeasible:
    """How many rows would have to be suppressed, and the α that groups of this table come to on average."""
    f = problem.frequency
    counts = [np.bincount(column, weights=f.counts) for column in combinations(f, plan.tables).T]
    reached = min(Fraction(usual_size(counts, least_size(problem, model), 0.0, 0.0)[1]), Fraction(1))
    share = Fraction(plan.suppressed, f.rows)
    larger = f"alpha, {round_up(reached, 2)} or more," if reached > exact(model.alpha) else "alpha"
    repairs = [f"write suppress: {round_up(share)}"] if share <= Fraction(1, 2) else []
    return Infeasible(
        f"{plan.suppressed:,} of {f.rows:,} rows find no place in groups that keep the promises, "
        f"{problem.suppression_limit:,} may be suppressed",
        repair=", or ".join([*repairs, f"ask for a larger {larger} or beta"]),
    )
