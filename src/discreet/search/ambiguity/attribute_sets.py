"""Which quasi-identifiers to publish in one table: those whose combinations are missed most, as far as α allows.

Wang leaves open how to keep correlations (section 9). Attributes that share a table keep theirs, and a reader also sees
how often their values occur, since combinations repeat less than values. But there are fewer combinations to hide
among: n / Π mᵢ has fewer factors, and groups must be larger. What is worth it is measured: a sample of the table is
published in this or that way, and asked random COUNT queries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations as pairs_of

import numpy as np

from discreet.arrays import Codes, FloatArray, IntArray, number_equal
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import people_of
from discreet.models.ambiguity.alpha_beta import BEST, AlphaBeta
from discreet.models.parameters import exact
from discreet.progress import Progress
from discreet.search.ambiguity.bounds import usual_size
from discreet.search.ambiguity.groups import Leeway, Tables, build, combinations, least_size, tables_of
from discreet.search.plan import SUPPRESSED, Ambiguity, Problem
from discreet.utility.estimates import Combinations, estimates_exact
from discreet.utility.queries import Workload, draw_workload, true_counts

_LEEWAYS = (Leeway(0.5, 0.5), Leeway(1.0, 0.5), Leeway(1.5, 0.5), Leeway(1.0, 0.3))
_FEWER = _LEEWAYS[:2]  # tried with every set
_ROWS = 6000  # of the sample
_QUERIES = 200  # of each kind
_SELECTIVITY = 0.1
_SMALL = 0.001  # counts below this share of the rows are not held to more accuracy than that
_TRIED = 24  # changes that are tried at every step, those that join the most dependent attributes
_WORTH = 0.01  # by how much the error must fall for another step
_ALIKE = 0.05  # errors that differ by less say little
_OTHERS = 2  # further sets to fall back on, if the best turn out not to do for the whole table


def ways(problem: Problem, model: AlphaBeta, progress: Progress) -> Iterator[tuple[Tables, Leeway]]:
    """Tables and leeway for a release, the best first, as measured on a sample."""
    trial = Trial.of(problem, model)
    separate = tuple((d,) for d in range(len(problem.frequency.hierarchies)))
    sets = [*best_tables(trial, progress)[: 1 + _OTHERS], separate] if model.tables == BEST else []
    for tables in dict.fromkeys(sets or [tables_of(problem.frequency, model)]):
        yield tables, min(_LEEWAYS, key=lambda leeway: trial.error(tables, leeway))


def best_tables(trial: Trial, progress: Progress) -> list[Tables]:
    """All sets of quasi-identifiers that were tried and can be kept private, the best first.

    From all separate, two tables at a time are joined, those with the least error, as long as α can be reached. From
    the best of these, one attribute at a time is moved to another table, until that no longer helps. Of sets that are
    about equally good, those that keep the most dependent attributes together are taken.
    """
    dependent = dependence(trial.problem.frequency)
    attributes = len(dependent)
    errors: dict[Tables, float] = {}

    def best_of(changed: Iterable[Tables]) -> Tables | None:
        tried = sorted(changed, key=lambda tables: -_kept(tables, dependent))[:_TRIED]
        for tables in tried:
            if tables not in errors:
                errors[tables] = min(trial.error(tables, leeway) for leeway in _FEWER)
        least = min((errors[tables] for tables in tried), default=np.inf)
        return next((t for t in tried if errors[t] <= least * (1 + _ALIKE)), None) if np.isfinite(least) else None

    step = best_of([tuple((d,) for d in range(attributes))])
    for done in range(attributes - 1):
        progress("tables", done, attributes, f"{len(errors)} sets tried")
        step = best_of(_joined(step, one, other) for one, other in pairs_of(step, 2)) if step else None
    best = best_of(sorted(errors, key=errors.__getitem__)[:_TRIED])
    while best is not None:
        progress("tables", attributes - 1, attributes, f"{len(errors)} sets tried, error {errors[best]:.3g}")
        step = best_of(_moved(best))
        if step is None or errors[step] >= errors[best] * (1 - _WORTH):
            break
        best = step
    others = sorted((tables for tables, error in errors.items() if np.isfinite(error)), key=errors.__getitem__)
    return [] if best is None else list(dict.fromkeys([best, *others]))


def _kept(tables: Tables, dependent: FloatArray) -> float:
    """How much dependence is kept: summed over the pairs of attributes that share a table."""
    return float(sum(dependent[a, b] for table in tables for a, b in pairs_of(table, 2)))


def _joined(tables: Tables, one: tuple[int, ...], other: tuple[int, ...]) -> Tables:
    """Two tables in one, the others as they are."""
    rest = [table for table in tables if table not in (one, other)]
    return tuple(sorted([*rest, tuple(sorted(one + other))]))


def _moved(tables: Tables) -> list[Tables]:
    """All the sets in which one attribute stands in another table, or alone."""
    sets = set()
    for table in tables:
        for d in table:
            left = tuple(other for other in table if other != d)
            rest = [other for other in tables if other != table]
            sets.add(tuple(sorted([*rest, (d,), *([left] if left else [])])))
            for other in rest:
                smaller = [t for t in rest if t != other] + ([left] if left else [])
                sets.add(tuple(sorted([*smaller, tuple(sorted((*other, d)))])))
    return sorted(sets - {tables})


def dependence(frequency: FrequencySet) -> FloatArray:
    """How dependent each two quasi-identifiers are: mutual information over the smaller entropy, from 0 to 1.

    >>> from discreet.hierarchies.build import build
    >>> from discreet.hierarchies.categories import Flat
    >>> h = build("x", ["a", "b"], Flat())
    >>> a, b = np.array([0, 0, 1, 1], dtype=np.int32), np.array([0, 1, 0, 1], dtype=np.int32)
    >>> dependence(FrequencySet((h, h, h), (a, b, a), {}, {}, np.ones(4, dtype=np.int64))).round(3)
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    """
    codes, weights = frequency.codes, frequency.counts
    entropies = [_entropy([c], weights) for c in codes]
    dependent = np.eye(len(codes))
    for a, b in pairs_of(range(len(codes)), 2):
        both = _entropy([codes[a], codes[b]], weights)
        least = min(entropies[a], entropies[b])
        dependent[a, b] = dependent[b, a] = max(0.0, entropies[a] + entropies[b] - both) / least if least > 0 else 0.0
    return dependent


def _entropy(columns: Sequence[Codes], weights: IntArray) -> float:
    share = np.bincount(number_equal(columns, len(weights)), weights=weights) / weights.sum()
    return float(-(share * np.log(share)).sum())


@dataclass(frozen=True, eq=False)
class Trial:
    """A sample of the table, and random queries with their true answers: on one, half and all quasi-identifiers."""

    problem: Problem
    model: AlphaBeta
    workloads: tuple[Workload, ...]
    truth: tuple[IntArray, ...]
    known: dict[tuple[Tables, Leeway], float] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: Problem, model: AlphaBeta) -> Trial:
        seed = 0 if problem.seed is None else problem.seed  # nothing of the trial is published
        f = _sample(problem.frequency, np.random.default_rng(seed))
        limit = max(problem.suppression_limit * f.rows // problem.frequency.rows, f.rows // 100)
        width = len(f.hierarchies)
        drawing = {"selectivity": _SELECTIVITY, "sensitive": model.attribute, "count": _QUERIES, "seed": seed}
        workloads = tuple(
            draw_workload(f, predicates=predicates, **drawing)  # type: ignore[arg-type]
            for predicates in sorted({1, (width + 1) // 2, width})
        )
        columns = [*f.codes, f.sensitive[model.attribute]]
        truth = tuple(true_counts(workload, columns, f.counts) for workload in workloads)
        return cls(replace(problem, frequency=f, suppression_limit=limit, seed=seed), model, workloads, truth)

    def error(self, tables: Tables, leeway: Leeway) -> float:
        """How far answers are off on average, in units of the truth; infinite where α can't be reached."""
        if (tables, leeway) not in self.known:
            self.known[tables, leeway] = self._measured(tables, leeway)
        return self.known[tables, leeway]

    def _measured(self, tables: Tables, leeway: Leeway) -> float:
        f, alpha = self.problem.frequency, float(exact(self.model.alpha))
        least = least_size(self.problem, self.model)
        counts = [np.bincount(column, weights=f.counts) for column in combinations(f, tables).T]
        if usual_size(counts, least, alpha, 0.0)[1] > alpha:
            return np.inf
        plan = build(self.problem, self.model, tables, least, leeway)
        if plan.suppressed > self.problem.suppression_limit:
            return np.inf
        errors = []
        for workload, truth in zip(self.workloads, self.truth, strict=True):
            off = np.abs(truth - _answers(plan, workload, self.model.attribute))
            errors.append(float(np.mean(off / np.maximum(truth, _SMALL * f.rows))))
        return float(np.mean(errors))


def _sample(frequency: FrequencySet, rng: np.random.Generator) -> FrequencySet:
    """Some rows of the table, at random."""
    if frequency.rows <= _ROWS:
        return frequency
    drawn = rng.choice(frequency.rows, _ROWS, replace=False)
    row = np.searchsorted(np.cumsum(frequency.counts), drawn, side="right")
    there, counts = np.unique(row, return_counts=True)
    return replace(
        frequency,
        codes=tuple(c[there] for c in frequency.codes),
        sensitive={name: c[there] for name, c in frequency.sensitive.items()},
        counts=counts.astype(np.int64),
        wishes=None,
    )


def _answers(plan: Ambiguity, workload: Workload, attribute: str) -> FloatArray:
    """What a reader of the release answers to the queries."""
    f, kept, groups = plan.frequency, plan.group != SUPPRESSED, plan.groups
    row, group = plan.row[kept], plan.group[kept]
    tables = []
    for table in plan.tables:
        codes = [f.codes[d][row] for d in table]
        listed = people_of(group, codes, plan.count[kept], len(groups), [f.hierarchies[d] for d in table])
        tables.append(Combinations(table, listed.offsets, listed.codes, np.ones_like(listed.counts)))
    return estimates_exact(workload, tables, groups.sizes, groups.tallies[attribute])
