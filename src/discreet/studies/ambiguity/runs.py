"""The releases of the ambiguity study, each made once: how long it took, what it keeps, how far its answers are off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, isfinite

import numpy as np

from discreet.arrays import FloatArray
from discreet.counts.frequency import FrequencySet
from discreet.errors import Infeasible
from discreet.models.ambiguity.alpha_beta import BEST, GROUP, SEPARATE, TOTAL, AlphaBeta
from discreet.models.ambiguity.total import total_presence
from discreet.models.groups.l_diversity import DistinctDiversity, FrequencyDiversity
from discreet.publications.answers import answers
from discreet.releases.queries import true_answers
from discreet.search.ambiguity.ambiguity import greedy
from discreet.search.buckets.anatomy import anatomy
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.plan import Ambiguity, Plan, Problem
from discreet.studies.data.census import SENSITIVE
from discreet.studies.timing import timed
from discreet.utility.queries import Workload, draw_workload, relative_error

SEPARATE_TABLES, ATTRIBUTE_SETS, GENERALIZATION, ANATOMY, OVER_ALL = METHODS = (
    "ambiguity",
    "ambiguity, attribute sets",
    "generalization",
    "Anatomy",
    "ambiguity, over all groups",  # presence: total
)
WITHOUT_SETS = (SEPARATE_TABLES, GENERALIZATION, ANATOMY)  # the search for sets takes its time
ALPHA, BETA = Fraction(1, 10), Fraction(1, 5)
DENSE_BETA = Fraction(1, 3)  # of 10 classes of salary one has more than a fifth of the people
PREDICATES = (3, 4, 5)
SELECTIVITIES = (0.01, 0.05, 0.1)
_SEED = 7
QueryKind = tuple[int, float]  # predicates, selectivity


@dataclass(frozen=True)
class Design:
    """What is varied, and how many queries of each kind are asked. `betas` have `BETA` among them."""

    alphas: tuple[Fraction, ...] = tuple(Fraction(1, n) for n in (10, 30, 100))  # whose time is measured
    tighter: tuple[Fraction, ...] = tuple(Fraction(1, n) for n in (10, 100, 1000))  # whose error is
    betas: tuple[Fraction, ...] = tuple(Fraction(1, n) for n in (10, 7, 5, 3, 2))
    densities: tuple[int, ...] = (1, 2, 3, 4, 5)
    fifths: tuple[int, ...] = (1, 2, 3, 4, 5)  # of the table: 100,000 to 500,000 rows in the paper
    queries: int = 5_000

    @property
    def timed_betas(self) -> tuple[Fraction, ...]:
        """Every other one: the whole table takes its time."""
        return self.betas[::2]


@dataclass(frozen=True)
class Release:
    """What was measured of one release. `errors` are means over the queries of one kind."""

    seconds: float
    groups: int
    rows: int  # published
    suppressed: float  # share
    largest_presence: float | None  # of a group; None where exact people are published together
    added_up: float | None  # over all groups together, a bound that none is above
    keeps: bool  # its promise: α and β, or what β asks for
    diverse: bool  # ⌈1/β⌉ different sensitive values in every group
    errors: Mapping[QueryKind, float]

    @property
    def group_size(self) -> float:
        return self.rows / max(self.groups, 1)


@dataclass(frozen=True, eq=False)
class Questions:
    """COUNT queries on one table: one sensitive value, and some quasi-identifiers (the paper's section 8.1)."""

    frequency: FrequencySet
    kinds: tuple[QueryKind, ...]
    count: int

    @cached_property
    def workloads(self) -> Mapping[QueryKind, tuple[Workload, FloatArray]]:
        """The queries of each kind, with the true answers."""
        workloads = {}
        for predicates, selectivity in self.kinds:
            queries = draw_workload(
                self.frequency,
                predicates=predicates,
                selectivity=selectivity,
                sensitive=SENSITIVE,
                sensitive_values=1,
                count=self.count,
                seed=_SEED,
            )
            workloads[predicates, selectivity] = (queries, true_answers(self.frequency, queries))
        return workloads

    def errors(self, plan: Plan) -> dict[QueryKind, float]:
        """The mean relative error of a release's answers, where anything qualified at all."""
        errors = {}
        for kind, (queries, truth) in self.workloads.items():
            mean = relative_error(truth, answers(plan, queries)).mean
            if isfinite(mean):
                errors[kind] = mean
        return errors


def release(
    method: str, frequency: FrequencySet, alpha: Fraction, beta: Fraction, questions: Questions | None = None
) -> Release | None:
    """Publish by one method, and measure; None where the table has no such release."""
    least = ceil(1 / beta)
    try:
        plan, seconds = timed(lambda: _SEARCHES[method](frequency, alpha, beta))
    except Infeasible:
        return None
    groups = plan.groups
    presence = added_up = None
    keeps = bool(FrequencyDiversity(1 / beta, SENSITIVE).holds(groups).all())
    if isinstance(plan, Ambiguity):
        paper = AlphaBeta(alpha, beta, SENSITIVE)
        promise = replace(paper, presence=TOTAL) if method == OVER_ALL else paper
        presence, keeps = float(paper.level(groups).max(initial=0.0)), bool(promise.holds(groups).all())
        added_up = float(total_presence(groups, alpha).most)
    return Release(
        seconds,
        plan.group_count,
        frequency.rows - plan.suppressed,
        plan.suppressed / frequency.rows,
        presence,
        added_up,
        keeps,
        bool(DistinctDiversity(least, SENSITIVE).holds(groups).all()),
        {} if questions is None else questions.errors(plan),
    )


def _ambiguity(tables: str, presence: str = GROUP) -> Callable[[FrequencySet, Fraction, Fraction], Plan]:
    def search(frequency: FrequencySet, alpha: Fraction, beta: Fraction) -> Plan:
        models = (AlphaBeta(alpha, beta, SENSITIVE, tables, presence),)
        try:
            return greedy(Problem(frequency, models, frequency.rows // 100, seed=_SEED))
        except Infeasible:  # how many rows fit no group is one of the results
            if presence == TOTAL:  # few people left would have a small sum, and tell nothing of the others
                raise
            return greedy(Problem(frequency, models, frequency.rows - 1, seed=_SEED))

    return search


def _diverse(frequency: FrequencySet, beta: Fraction) -> Problem:
    return Problem(frequency, (FrequencyDiversity(Fraction(ceil(1 / beta)), SENSITIVE),), seed=_SEED)


_SEARCHES: Mapping[str, Callable[[FrequencySet, Fraction, Fraction], Plan]] = {
    SEPARATE_TABLES: _ambiguity(SEPARATE),
    ATTRIBUTE_SETS: _ambiguity(BEST),
    OVER_ALL: _ambiguity(SEPARATE, TOTAL),
    GENERALIZATION: lambda frequency, _, beta: mondrian(_diverse(frequency, beta)),
    ANATOMY: lambda frequency, _, beta: anatomy(_diverse(frequency, beta)),
}


@dataclass(frozen=True)
class SameGroups:
    """Theorem 6.1: the groups of a generalization, published by ambiguity, and how the same queries fare."""

    queries: int
    worse: int
    generalized: float
    ambiguous: float


def same_groups(questions: Questions, beta: Fraction, kind: QueryKind) -> SameGroups:
    """Publish the same groups in both ways; count the queries that ambiguity answers worse."""
    frequency = questions.frequency
    recoded = mondrian(_diverse(frequency, beta))
    tables = tuple((d,) for d in range(len(frequency.hierarchies)))
    apart = Ambiguity(frequency, recoded.row, recoded.count, recoded.group, tables)
    queries, truth = questions.workloads[kind]
    there = truth > 0
    generalized, ambiguous = (
        np.abs(answers(plan, queries)[there] - truth[there]) / truth[there] for plan in (recoded, apart)
    )
    worse = int((ambiguous > generalized * (1 + 1e-9) + 1e-12).sum())  # not by rounding
    return SameGroups(int(there.sum()), worse, float(generalized.mean()), float(ambiguous.mean()))


@dataclass(frozen=True)
class Measured:
    """All releases of the study; None where the table has none."""

    design: Design
    grid: Mapping[tuple[Fraction, Fraction], Release | None]  # α, β: figure 6
    by_rows: Mapping[tuple[str, int], Release | None]
    by_beta: Mapping[tuple[str, Fraction], Release | None]  # figures 8 and 9 (1)
    by_density: Mapping[tuple[str, int], Release | None]  # figures 7, 9 (2) and 10
    by_alpha: Mapping[tuple[str, Fraction], Release | None]
    same: SameGroups

    @property
    def ambiguous(self) -> list[Release]:
        """Every ambiguous release that there is."""
        parts = (self.grid, self.by_rows, self.by_beta, self.by_density, self.by_alpha)
        return [r for p in parts for r in p.values() if r is not None and r.largest_presence is not None]
