"""From a policy to a comparison of methods: what each way to publish its table would cost, and whom it gives away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups
from discreet.errors import DiscreetError, Infeasible, Mistake, PolicyError
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.groups.t_closeness import TCloseness
from discreet.models.parameters import as_text
from discreet.models.robust.robust import Robust
from discreet.policy.kinds import PUBLICATIONS, is_exact
from discreet.policy.policy import Policy
from discreet.progress import Progress, silent
from discreet.releases.comparison import MethodComparison, MethodResult, NoRelease, measure, protected_leaves
from discreet.run.intake import take_in, with_wishes
from discreet.search.buckets.bucketizing import UNPROTECTED, Demand, check_eligible, demand
from discreet.search.plan import Plan, Problem
from discreet.search.registry import searches_for
from discreet.utility.queries import Workload, draw_workload

CLOSENESS = "0.2"  # the robustness paper's, after Li, Li & Venkatasubramanian 2007
SELECTIVITY, QUERIES = 0.05, 10_000
SECONDS = 10.0  # for the search of a lattice
_FEW = 200  # combinations, to have everything compiled before a method is timed


@dataclass(frozen=True, eq=False)
class Setting:
    """What all methods are given: the problem, and what it asks of methods that know nothing of `robust`.

    `robust` is what all are judged by: the policy's promise, or one with r = ℓ for every value.
    """

    problem: Problem
    robust: Robust
    asked: Demand


def setting_of(problem: Problem) -> Setting:
    """How to compare methods for a problem about one sensitive attribute."""
    asked = demand(problem, "a comparison")
    promised = [model for model in problem.models if isinstance(model, Robust)]
    return Setting(problem, promised[0] if promised else Robust(asked.l, asked.attribute), asked)


def run(method: str, setting: Setting, workload: Workload, progress: Progress = silent) -> MethodResult | NoRelease:
    """Publish by one of `METHODS` and measure it, or say why it can't."""
    search = METHODS[method]
    few = replace(setting, problem=replace(setting.problem, frequency=_head(setting.problem.frequency)))
    with suppress(DiscreetError):  # what matters is that everything has been compiled
        search(few, silent)
    start = perf_counter()
    try:
        plan = search(setting, progress)
    except Infeasible as error:
        return NoRelease(method, error.mistakes[0].rule)
    seconds = perf_counter() - start
    progress("measure", 0, 0, method)
    problem = setting.problem
    return measure(
        plan,
        setting.robust,
        workload,
        method=method,
        seconds=seconds,
        models=problem.models,
        limit=problem.suppression_limit,
    )


def compare_methods(policy: Policy, source: Any = None, progress: Progress = silent) -> MethodComparison:
    """Publish the policy's table (or `source`) by every method, and measure them alike.

    >>> from discreet.policy.policy import policy_from_words
    >>> policy = policy_from_words({
    ...     "attributes": {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
    ...     "require": [{"l_diversity": {"l": 2}}], "publish": "bucketization", "seed": 1})
    >>> table = {"age": ["23", "27", "31", "38"] * 5, "disease": ["flu", "cold", "cold", "gout"] * 5}
    >>> compared = compare_methods(policy, source=table)
    >>> [(r.method, r.groups, r.problematic) for r in compared.results if r.method == "anatomy"]
    [('anatomy', 10, 0.0)]
    """
    if not is_exact(policy.publish):
        kinds = " and ".join(filter(is_exact, PUBLICATIONS))
        rule = f"methods are compared for {kinds}, the policy publishes by {policy.publish}"
        raise PolicyError(Mistake("publish", rule, "discreet.run.compare compares promises for coarser values"))
    progress("read", 0, 0, "")
    f = take_in(policy, source).frequency
    policy = with_wishes(policy, f)
    problem = Problem(f, policy.models, int(policy.suppress * f.rows), policy.utility, policy.seed)
    setting = setting_of(problem)
    robust = setting.robust
    predicates = len(f.hierarchies)
    workload = draw_workload(
        f, predicates=predicates, selectivity=SELECTIVITY, sensitive=robust.attribute, count=QUERIES, seed=0
    )
    results = []
    names = [name for name in METHODS if name != "greedy" or policy.publish == "ambiguity"]
    for done, name in enumerate(names):
        progress("compare", done, len(names), name)
        results.append(run(name, setting, workload))
    return MethodComparison(
        rows=f.rows,
        whose=policy.whose.by_rows,
        attribute=robust.attribute,
        people=int(f.totals[robust.attribute][protected_leaves(robust, f)].sum()),
        r=as_text(robust.r),
        listed=robust.values is not None,
        l=setting.asked.l,
        limit=problem.suppression_limit,
        publish=policy.publish,
        search=policy.search,
        ways=tuple(way for way in searches_for(policy.publish) if _goes_with(policy, way)),
        robust=any(isinstance(model, Robust) for model in policy.models),
        promises=tuple(model.describe() for model in policy.models),
        predicates=predicates,
        selectivity=SELECTIVITY,
        results=tuple(results),
    )


def _goes_with(policy: Policy, search: str) -> bool:
    """May the policy be searched so? ART, for one, is for `robust` alone."""
    try:
        replace(policy, search=search)
    except PolicyError:
        return False
    return True


def _head(frequency: FrequencySet) -> FrequencySet:
    """A small part of a table."""
    return replace(
        frequency,
        codes=tuple(codes[:_FEW] for codes in frequency.codes),
        sensitive={name: codes[:_FEW] for name, codes in frequency.sensitive.items()},
        counts=frequency.counts[:_FEW],
        owners=None,
        wishes=None,
    )


def _art(setting: Setting, progress: Progress) -> Plan:
    from discreet.search.art.art import art

    promised = any(isinstance(model, Robust) for model in setting.problem.models)
    return art(setting.problem if promised else replace(setting.problem, models=(setting.robust,)), progress)


def _anatomy(setting: Setting, progress: Progress) -> Plan:
    from discreet.search.buckets.anatomy import anatomized

    check_eligible(setting.problem, setting.asked, "anatomy")
    return anatomized(setting.problem.frequency, setting.asked, np.random.default_rng(setting.problem.seed))


def _injector(setting: Setting, progress: Progress) -> Plan:
    from discreet.search.buckets.injector import injected

    check_eligible(setting.problem, setting.asked, "injector")
    return injected(setting.problem.frequency, setting.asked, np.random.default_rng(setting.problem.seed))


def _mask(setting: Setting, progress: Progress) -> Plan:
    from discreet.search.buckets.mask import masked

    check_eligible(replace(setting.problem, suppression_limit=0), setting.asked, "mask")
    return masked(setting.problem.frequency, setting.asked, np.random.default_rng(setting.problem.seed), progress)


def _greedy(setting: Setting, progress: Progress) -> Plan:
    from discreet.search.ambiguity.ambiguity import greedy

    return greedy(setting.problem, progress)


def _closeness(setting: Setting, progress: Progress) -> Plan:
    from discreet.search.lattice.optimal import optimal

    models = (TCloseness(CLOSENESS, setting.robust.attribute),)
    return optimal(replace(setting.problem, models=models), progress, SECONDS)


def _diversity(setting: Setting, progress: Progress) -> Plan:
    from discreet.search.multidimensional.mondrian import mondrian

    asked = setting.asked
    every = (asked.set_of != UNPROTECTED).all() and asked.sets == len(asked.set_of)
    model = FrequencyDiversity(asked.l, asked.attribute) if every else RareSets(asked)
    return mondrian(replace(setting.problem, models=(model,)), progress)


# Those for exact values first, the search for `robust` before the others, then coarser values.
METHODS: Mapping[str, Callable[[Setting, Progress], Plan]] = {
    "greedy": _greedy,
    "art": _art,
    "anatomy": _anatomy,
    "injector": _injector,
    "mask": _mask,
    "l_diversity": _diversity,
    "t_closeness": _closeness,
}


@dataclass(frozen=True, eq=False)
class RareSets:
    """No protected set of values has more than 1/ℓ of a group: frequency diversity of listed values alone."""

    asked: Demand
    monotone = True
    higher_is_safer = True

    @property
    def attribute(self) -> str:
        return self.asked.attribute

    def holds(self, groups: Groups) -> BoolArray:
        return self._largest(groups) * self.asked.l <= groups.sizes

    def level(self, groups: Groups) -> FloatArray:
        result: FloatArray = groups.sizes / np.maximum(self._largest(groups), 1)
        return result

    def least_suppressed(self, groups: Groups) -> IntArray:
        return np.zeros(len(groups), dtype=np.int64)

    def require(self) -> str:
        return f"at least {self.asked.l}"

    def describe(self) -> str:
        return f"{self.asked.l}-diversity of {self.attribute}, listed values"

    def to_words(self) -> dict[str, dict[str, object]]:
        return {"l_diversity": {"l": self.asked.l, "kind": "frequency", "attribute": self.attribute}}

    def _largest(self, groups: Groups) -> IntArray:
        t, sets = groups.tallies[self.attribute], self.asked.sets
        number = self.asked.set_of[t.values]
        inside = number != UNPROTECTED
        group = np.repeat(np.arange(len(groups)), np.diff(t.offsets))[inside]
        many = np.bincount(group * sets + number[inside], weights=t.counts[inside], minlength=len(groups) * sets)
        largest: IntArray = many.reshape(len(groups), sets).max(axis=1, initial=0).astype(np.int64)
        return largest
