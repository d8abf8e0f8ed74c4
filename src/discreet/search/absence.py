"""Leaving out companions of those who are left out, so that absence tells no more than is promised.

A search leaves out whom it can't hide. Where a promise is made about them, too (`left_out`: they are judged like a
group), others have to be missing with them who have nothing that is protected: whole groups without a protected value,
at random among those that are most like somebody who is missing. Whoever is hidden already stays where he is.
"""

from __future__ import annotations

from math import ceil

import numpy as np

from discreet.arrays import BoolArray, IntArray
from discreet.errors import Infeasible
from discreet.models.base import PrivacyModel, left_out, protected_values, rows_per_value
from discreet.search.plan import SUPPRESSED, Plan, Problem

_MORE = 1.25  # times as many companions, if they are too few
_AT_A_TIME = 1 << 22  # groups beside people who are missing


def absence_kept(problem: Problem, plan: Plan) -> Plan:
    """The plan with more rows left out, so that promises about these hold. Raises `Infeasible` if that can't be had."""
    broken = [model for model in problem.models if not _kept(model, plan)]
    if not broken:
        return plan
    lost, limit = plan.suppressed, problem.suppression_limit
    order = _companions(plan, broken[0], np.random.default_rng(problem.seed))
    enough = np.cumsum(plan.groups.sizes[order])
    wanted = max(ceil(_protected_missing(plan, broken[0]) * rows_per_value(broken[0])) - lost, 1)
    while True:
        many = int(np.searchsorted(enough, wanted)) + 1
        if many > len(order) or lost + enough[many - 1] > limit:
            raise _refusal(problem, plan, broken[0], None if many > len(order) else lost + int(enough[many - 1]))
        gone = np.zeros(plan.group_count, dtype=np.bool_)
        gone[order[:many]] = True
        fewer = plan.without(gone)
        if all(_kept(model, fewer) for model in problem.models):
            return fewer
        wanted = int(enough[many - 1] * _MORE) + 1


def _kept(model: PrivacyModel, plan: Plan) -> bool:
    missing = left_out(model, plan.groups)
    return missing is None or missing[0]


def _protected(plan: Plan, model: PrivacyModel) -> BoolArray:
    """Which leaves of the sensitive attribute are protected."""
    leaves = plan.frequency.sensitive_hierarchies[model.attribute].leaves
    sets = protected_values(model)
    listed = None if sets is None else {value for s in sets for value in s}
    return np.array([listed is None or leaf in listed for leaf in leaves], dtype=np.bool_)


def _protected_missing(plan: Plan, model: PrivacyModel) -> int:
    own = _protected(plan, model)[plan.frequency.sensitive[model.attribute][plan.row]]
    return int(plan.count[(plan.group == SUPPRESSED) & own].sum())


def _companions(plan: Plan, model: PrivacyModel, rng: np.random.Generator) -> IntArray:
    """Groups without protected values: first those of the value that most of them have, and of these, those whose rows
    have most quasi-identifiers in common with a row that is missing. Else in random order."""
    t = plan.groups.tallies[model.attribute]
    group = np.repeat(np.arange(plan.group_count), np.diff(t.offsets))
    hurt = np.zeros(plan.group_count, dtype=np.bool_)
    hurt[group[_protected(plan, model)[t.values]]] = True
    free = rng.permutation(np.flatnonzero(~hurt))
    if not len(free):
        return free
    value = t.values[t.offsets[free]]
    rare = value != np.bincount(value).argmax()
    f, missing = plan.frequency, plan.group == SUPPRESSED
    codes = np.stack(f.codes, axis=1)
    people = np.zeros(plan.group_count, dtype=np.int64)
    people[plan.group[~missing]] = plan.row[~missing]  # one of each group: most are alone
    out, near = np.unique(codes[plan.row[missing]], axis=0), np.zeros(len(free), dtype=np.int64)
    step = max(_AT_A_TIME // max(len(out) * codes.shape[1], 1), 1)
    for at in range(0, len(free), step):
        own = codes[people[free[at : at + step]]]
        near[at : at + step] = (own[:, None, :] == out[None, :, :]).sum(axis=2).max(axis=1)
    return free[np.lexsort((-near, rare))]


def _refusal(problem: Problem, plan: Plan, model: PrivacyModel, rows: int | None) -> Infeasible:
    lost, limit = plan.suppressed, problem.suppression_limit
    others = "there are too few rows without a protected value to be left out with them"
    if rows is not None:
        others = f"with companions, as far as this search finds them, {rows:,} rows or more would be left out"
    return Infeasible(
        f"{lost:,} rows could not be hidden, and their absence would tell what they have ({model.describe()}); "
        f"{others}, and {limit:,} may be suppressed",
        repair="raise `suppress` or min_support, ask for a smaller r, or say nothing about absence (limit: r)",
    )
