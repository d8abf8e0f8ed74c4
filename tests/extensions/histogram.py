"""An outsider's kind of publication: how often each sensitive value occurs in the table, and nothing else.

Everybody is in one group. Its search, its plan, its tables, how they are read and what is said of them are all here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups
from discreet.engines.arrow import texts
from discreet.engines.base import Frequencies, PublishedTables, Tables
from discreet.engines.counted_rows import CodedColumn, CountedRows
from discreet.errors import DataError, Infeasible, Mistake
from discreet.models.verdicts import witness
from discreet.policy.kinds import Comparing, KindWords, Writing
from discreet.progress import Progress
from discreet.publications.base import Kind
from discreet.publications.published import AGAIN, Counted, Manifest, columns_of, open_table, sensitive_tallies
from discreet.publications.source.population import Surroundings
from discreet.publications.tables import in_use
from discreet.search.plan import Plan, Problem
from discreet.search.registry import Search
from discreet.utility.queries import Workload

COUNT = "rows"


@dataclass(frozen=True, eq=False)
class Everybody(Plan):
    """All rows in one group."""


def one_group(problem: Problem, progress: Progress) -> Everybody:
    """The only plan there is, if it keeps the promises."""
    counts = problem.frequency.counts
    plan = Everybody(problem.frequency, np.arange(len(counts)), counts, np.zeros(len(counts), dtype=np.int64))
    if (broken := witness(problem.models, plan.groups)) is not None:
        raise Infeasible("all rows together break a promise", witness=broken)
    return plan


@dataclass(frozen=True, eq=False)
class ReadHistogram:
    """The published values and their counts, as anybody can read them."""

    file: str
    attribute: str
    values: tuple[str | None, ...]
    counts: IntArray
    starred = 0
    around = None

    @property
    def tables(self) -> Mapping[str, int]:
        return {self.file: len(self.counts)}

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    @property
    def groups(self) -> int:
        return 1 if self.rows else 0

    @property
    def smallest(self) -> int:
        return self.rows

    @property
    def alone(self) -> ReadHistogram:
        return self

    def counted(self) -> Counted:
        return {self.attribute: (self.values, self.counts)}

    def judged(self, hierarchies: Mapping[str, object]) -> Groups:
        one = np.zeros(len(self.counts), dtype=np.int64)
        found = Frequencies((self.values,), (np.arange(len(self.values), dtype=np.int32),), self.counts)
        tallies = sensitive_tallies(found, {self.attribute: 0}, one, self.groups, hierarchies)
        return Groups(np.array([self.rows][: self.groups], dtype=np.int64), tallies)


@dataclass(frozen=True)
class Histogram(Kind):
    """One table: a value of the sensitive column, and how many rows have it."""

    several = True

    def misfits(self, sensitive: Sequence[str], others: Sequence[str], suppressed: str) -> list[Mistake]:
        if len(sensitive) == 1 and not others:
            return []
        rule = "'histogram' counts one sensitive column, and publishes no other"
        return [Mistake("attributes", rule, "give one column the role sensitive, and none the role other")]

    def write(self, plan: Everybody, writing: Writing, tables: Tables, random: np.random.Generator) -> Manifest:
        [(name, hierarchy)] = plan.frequency.sensitive_hierarchies.items()
        counts = plan.frequency.totals[name]
        values, codes = in_use(list(hierarchy.leaves), np.flatnonzero(counts).astype(np.int32))
        column = CodedColumn(name, codes, texts([value for value in values if value is not None]))
        written = CountedRows((column, CodedColumn(COUNT, counts[counts > 0])), np.ones(len(codes), dtype=np.int64))
        table = tables.name("histogram")
        tables.write(table, written)
        return {"tables": {table: [name]}, "count_column": COUNT, "columns": [name]}

    def read(
        self,
        tables: PublishedTables,
        manifest: Manifest,
        mapping: Mapping[str, Any] | None,
        source: FrequencySet | None,
        known: Surroundings | None,
    ) -> ReadHistogram:
        [(table, [name])] = manifest["tables"].items()
        read = open_table(tables, table, [name, COUNT]).frequencies([name, COUNT])
        if (read.counts > 1).any() or len(set(read.codes[0].tolist())) < len(read.counts):
            raise DataError(Mistake(table, "lists a value twice", AGAIN))
        rows = np.array([int(read.values[1][code] or 0) for code in read.codes[1]], dtype=np.int64)
        values = tuple(read.values[0][code] for code in read.codes[0])
        return ReadHistogram(table, name, values, rows)

    def compare(self, published: ReadHistogram, comparing: Comparing) -> list[Mistake]:
        [name] = columns_of(comparing.manifest, "sensitive")
        leaves, totals = comparing.table.sensitive_hierarchies[name].leaves, comparing.table.totals[name]
        true = {leaf: int(n) for leaf, n in zip(leaves, totals, strict=True) if n}
        if dict(zip(published.values, published.counts.tolist(), strict=True)) == true:
            return []
        return [Mistake(published.file, "does not count the rows of the source", AGAIN)]

    def answers(
        self, published: ReadHistogram, manifest: Manifest, source: FrequencySet, workload: Workload
    ) -> FloatArray:
        raise NotImplementedError("a histogram answers no query about quasi-identifiers")


HISTOGRAM = Histogram(
    "histogram",
    KindWords(
        title="histogram: how often each sensitive value occurs, and nothing else",
        group="all rows of the table",
        together="No row is told from another.",
        use=("Each row is a sensitive value, and how many rows of the original table have it.",),
        quasi_identifiers="never published",
        undeclared="is not published.",
    ),
)
ONE_GROUP = Search(("histogram",), one_group)
