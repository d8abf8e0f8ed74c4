"""The releases of the robustness study, each made once and measured as the paper does (section 5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from discreet.counts.frequency import FrequencySet
from discreet.errors import DiscreetError, Infeasible
from discreet.models.robust.robust import Robust
from discreet.models.robust.sizes import delta_max
from discreet.progress import Progress, silent
from discreet.releases.comparison import MethodResult, measure, protected_leaves
from discreet.run.methods import METHODS as SEARCHES
from discreet.run.methods import QUERIES, SELECTIVITY, setting_of
from discreet.search.plan import SUPPRESSED, Plan, Problem
from discreet.studies.data.tables import first_attributes, sample
from discreet.studies.robust.data import SENSITIVE, RobustTable
from discreet.studies.timing import timed
from discreet.utility.queries import draw_workload

ART, ANATOMY, INJECTOR, MASK, CLOSENESS = METHODS = ("ART", "Anatomy", "Injector", "MASK", "0.2-closeness")
_WORDS = dict(zip(METHODS, ("art", "anatomy", "injector", "mask", "t_closeness"), strict=True))
_SEED = 7
_MOST_SUPPRESSED = {ART: 0.1}  # of the rows; the others publish everybody, as far as they can


@dataclass(frozen=True)
class Outcome:
    """One release. `bound` is the mean over its groups of the largest Δ that theorem 1 allows.

    `lost` is the share of the people with a protected value who are suppressed: `result.problematic` does not see them,
    since it is about those who are published.
    """

    result: MethodResult
    suppressed: float  # share of the rows
    lost: float
    bound: float


@dataclass(frozen=True)
class Design:
    """How many quasi-identifiers, for a high and a low r; and how many queries."""

    sizes: tuple[int, ...] = (3, 4, 5, 6, 7, 8)
    high: int = 10
    low: int = 2
    queries: int = QUERIES


@dataclass(frozen=True)
class Outcomes:
    """All releases, by method, r and number of quasi-identifiers; None where a method has none."""

    design: Design
    by_case: Mapping[tuple[str, int, int], Outcome | None]

    def values(self, method: str, of: Callable[[Outcome], float], r: int) -> list[float | None]:
        """A measure for every number of quasi-identifiers."""
        return [None if (o := self.by_case[method, r, size]) is None else of(o) for size in self.design.sizes]


def outcomes(study: RobustTable, design: Design, progress: Progress = silent) -> Outcomes:
    """Publish the table by every method, for every r and number of quasi-identifiers."""
    by_case: dict[tuple[str, int, int], Outcome | None] = {}
    total = len(METHODS) * 2 * len(design.sizes)
    for size in design.sizes:
        table = first_attributes(study.frequency, size)
        workload = draw_workload(
            table, predicates=size, selectivity=SELECTIVITY, sensitive=SENSITIVE, count=design.queries, seed=_SEED
        )
        for r in (design.high, design.low):
            robust = Robust(r, SENSITIVE, values=(study.protected,))
            for method in METHODS:
                progress("publish", len(by_case), total, f"{method}, r = {r}, {size} quasi-identifiers")
                plan, seconds = _publish(method, table, robust)
                by_case[method, r, size] = None
                if plan is not None:
                    result = measure(plan, robust, workload, method=method, seconds=seconds)
                    by_case[method, r, size] = Outcome(
                        result, plan.suppressed / table.rows, lost_people(plan, robust), mean_bound(plan, robust)
                    )
    return Outcomes(design, by_case)


def _publish(method: str, table: FrequencySet, robust: Robust) -> tuple[Plan | None, float]:
    search = SEARCHES[_WORDS[method]]
    few = sample(table, 500)
    with suppress(DiscreetError):  # what is compiled at its first use must not count as time
        search(setting_of(Problem(few, (robust,), few.rows, seed=_SEED)), silent)
    setting = setting_of(Problem(table, (robust,), int(_MOST_SUPPRESSED.get(method, 0) * table.rows), seed=_SEED))
    try:
        return timed(lambda: search(setting, silent))
    except Infeasible:
        return None, 0.0


def lost_people(plan: Plan, robust: Robust) -> float:
    """Of the people with a protected value, the share who are not published."""
    table = plan.frequency
    own = protected_leaves(robust, table)[table.sensitive[robust.attribute]]
    lost = plan.count[(plan.group == SUPPRESSED) & own[plan.row]].sum()
    return float(lost / max(int(table.counts[own].sum()), 1))


def mean_bound(plan: Plan, robust: Robust) -> float:
    """Δmax, as `Robust.mean_deviation` takes Δ, over the groups that have a protected value at all."""
    people, tally = plan.people, plan.groups.tallies[robust.attribute]
    protected = protected_leaves(robust, plan.frequency)
    group = np.repeat(np.arange(len(tally.offsets) - 1), np.diff(tally.offsets))
    there = np.unique(group[protected[tally.values]])
    if not len(there):
        return 0.0
    knowledge = robust.knowledge_of(plan.frequency)
    chance = knowledge.rows[:, protected].sum(axis=1) / knowledge.totals
    sizes = plan.groups.sizes[there]
    of_sets = []
    for row in knowledge.signatures(people.codes) + knowledge.starts[:-1, None]:
        most = np.maximum.reduceat(chance[row], people.offsets[:-1])[there]
        of_sets.append(delta_max(sizes, robust.r, most).mean())
    return float(np.mean(of_sets))
