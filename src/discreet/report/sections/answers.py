"""How well a release answers questions: its answers to random COUNT queries, beside the true ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arrays import FloatArray
from discreet.counts.frequency import FrequencySet
from discreet.publications.answers import answers as release_answers
from discreet.publications.answers import can_answer
from discreet.releases.queries import true_answers
from discreet.report.marginals import shown
from discreet.report.sections.registry import Private, Section
from discreet.search.plan import Plan
from discreet.utility.queries import Workload, draw_workload, relative_error

SELECTIVITY = 0.05
MOST_LINES = 5
MOST_QUERIES = 1_024  # per line
ENOUGH_QUERIES = 140  # per line, of a large table
WORK = 150_000_000  # queries × combinations, of all lines together: a moment
SEED = 0  # the same plan gives the same page

_WORD = 64  # queries that are answered at once
_DRAWING = 30  # a query's value takes as long to draw as so many combinations to count


@dataclass(frozen=True)
class AnswerLine:
    """Queries on so many quasi-identifiers: the relative error |true − told| / true, its median and mean.

    None where no query had anything to count. `empty` queries, where nothing qualifies, are not among `queries`.
    """

    predicates: int
    median: float | None
    mean: float | None
    queries: int
    empty: int


@dataclass(frozen=True)
class ByColumn:
    """The median relative error of those queries that are about one quasi-identifier, this one."""

    name: str
    median: float


@dataclass(frozen=True)
class Answers:
    """Random COUNT queries on one, two, … quasi-identifiers and the sensitive attribute, if there is one.

    `columns` are the quasi-identifiers by what counting by them costs, the costliest first.
    """

    attribute: str | None
    selectivity: float
    asked: int  # per line
    lines: tuple[AnswerLine, ...]
    columns: tuple[ByColumn, ...]

    @property
    def typical(self) -> AnswerLine | None:
        """The line that stands for all: two conditions, or one if there are not more."""
        told = [line for line in self.lines[:2] if line.median is not None]
        return told[-1] if told else None


def answers(plan: Plan) -> Answers | None:
    """The error of a few hundred random queries for each number of conditions; None if there is nothing to ask.

    A large table is asked fewer queries, so that a report stays a matter of a moment.
    """
    frequency = plan.frequency
    if not frequency.rows or not frequency.hierarchies:
        return None
    conditions = range(1, min(len(frequency.hierarchies), MOST_LINES) + 1)
    sensitive = next(iter(frequency.sensitive), None)
    count = _affordable(plan, len(conditions))
    drawn = [
        draw_workload(frequency, predicates=n, selectivity=SELECTIVITY, sensitive=sensitive, count=count, seed=SEED)
        for n in conditions
    ]
    # All at once: what a release has to be brought into order for is done once.
    wanted = tuple(np.concatenate(parts, axis=1) for parts in zip(*(w.wanted for w in drawn), strict=True))
    together = Workload(drawn[0].attributes, wanted, count * len(drawn))
    actual, told = true_answers(frequency, together), release_answers(plan, together)
    found = [relative_error(actual[i : i + count], told[i : i + count]) for i in range(0, len(together), count)]
    lines = [
        AnswerLine(n, e.median if e.queries else None, e.mean if e.queries else None, e.queries, e.empty)
        for n, e in zip(conditions, found, strict=True)
    ]
    columns = _by_column(frequency, drawn[0], actual[:count], told[:count])
    return Answers(None if sensitive is None else shown(sensitive), SELECTIVITY, count, tuple(lines), columns)


def _by_column(frequency: FrequencySet, asked: Workload, actual: FloatArray, told: FloatArray) -> tuple[ByColumn, ...]:
    """The queries with one condition, parted by the column that it is on."""
    found = []
    for at, hierarchy in enumerate(frequency.hierarchies):
        about = ~asked.wants(at).all(axis=0)  # who does not speak of a column wants all of its leaves
        error = relative_error(actual[about], told[about])
        if error.queries:
            found.append(ByColumn(shown(hierarchy.attribute), error.median))
    return tuple(sorted(found, key=lambda column: -column.median))


def _affordable(plan: Plan, lines: int) -> int:
    """How many queries a line may have."""
    combinations = max(len(plan.frequency.counts), len(plan.count))
    leaves = sum(len(h.leaves) for h in plan.frequency.hierarchies)
    work = max(WORK, ENOUGH_QUERIES * lines * combinations)
    words = work // (_WORD * lines * (combinations + _DRAWING * leaves))
    return _WORD * min(max(words, 1), MOST_QUERIES // _WORD)


def _figures(known: Private) -> Answers | None:
    if known.plan.frequency.leaf_rows is not None or not can_answer(known.plan):
        return None
    return answers(known.plan)


ANSWERS = Section(_figures, "report_answers.html.j2")
