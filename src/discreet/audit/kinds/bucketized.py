"""Exact quasi-identifiers in one table, sensitive values in another: groups hide whose value is whose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.arrays import IntArray, number_equal
from discreet.audit.faults.comparison import Table
from discreet.audit.faults.comparison_apart import bucketized
from discreet.audit.kinds.base import Alike, AtLarge
from discreet.audit.kinds.registry import BUCKETIZED
from discreet.audit.lines import EXACT, Fault, Line
from discreet.audit.people.reach import Reach, reach_of_people
from discreet.audit.presence.listed_exact import check_same_words, same_values
from discreet.audit.presence.marginals import Marginals
from discreet.audit.presence.presence_lines import presence_of_rows
from discreet.audit.reading.description import Description
from discreet.audit.reading.exact_tables import Population, combination_codes
from discreet.audit.reading.exact_tables import Table as ExactTable
from discreet.audit.reading.release import ReleaseFiles, Rows
from discreet.audit.reading.tables_apart import read_tables_apart
from discreet.audit.reading.view import ReleaseView, Tally
from discreet.audit.worlds.places import Places
from discreet.audit.worst_case.knowledge import Knowledge, People
from discreet.audit.worst_case.worst_case import filling, values_of_groups
from discreet.engines.base import Frequencies


@dataclass(frozen=True, eq=False)
class Bucketized:
    """Who is in the release is plain to see; rows with equal values look alike, in whichever groups they are."""

    view: ReleaseView

    word = BUCKETIZED
    labelled, rows_are_people = False, True
    has_groups = True
    finds = "She knows that somebody is in the release and finds the group in the table of quasi-identifiers."
    about_rows = (
        " Exact values are published: finding the row tells nothing new by itself; what it leads to is the group's "
        "list of sensitive values."
    )

    @classmethod
    def read(cls, description: Description, files: Sequence[Rows]) -> tuple[ReleaseView, IntArray]:
        return read_tables_apart(description, files, rows_are_people=True)

    @property
    def _table(self) -> ExactTable:
        [table] = self.view.tables
        return table

    def alike(self) -> Alike:
        table = self._table
        kind = number_equal(table.frequencies.codes, len(table.group))
        rows = np.bincount(kind, weights=table.frequencies.counts).astype(np.int64)
        return Alike(kind, rows[kind], table.frequencies.counts, table.group)

    def at_large(self, alike: Alike, population: Population) -> AtLarge:
        """Of the people on the list with a row's values, any are equally likely."""
        check_same_words(self.view, population)
        of_row = same_values(self.view, population).of_row
        missing = int(alike.people[of_row < alike.rows].sum())
        return AtLarge(1.0 / np.maximum(of_row, alike.rows), EXACT, missing, {})

    def places(self, listed: Population) -> Places | None:
        """The groups that have somebody's very values; None if the list does not tell them all."""
        if not {*self.view.quasi_identifiers} <= {*listed.columns}:
            return None
        own, theirs = combination_codes(self._table, listed)
        pairs = np.unique(np.stack([own, self._table.group], axis=1), axis=0)
        low, high = np.searchsorted(pairs[:, 0], theirs), np.searchsorted(pairs[:, 0], theirs, side="right")
        many = np.where(theirs < 0, 0, high - low)
        starts = np.concatenate([[0], np.cumsum(many)])
        at = np.repeat(low - starts[:-1], many) + np.arange(starts[-1])
        return Places(starts, pairs[at, 1])

    def people(self, tally: Tally, knowledge: Knowledge | None) -> People:
        """Everybody in the table of quasi-identifiers."""
        table = self._table
        codes = tuple(codes.astype(np.int64) for codes in table.frequencies.codes)
        rows = People(table.columns, table.frequencies.values, codes, table.group, table.frequencies.counts)
        return filling(rows, values_of_groups(self.view, tally))

    def own_list(self) -> Population:
        """It publishes everybody's exact quasi-identifiers."""
        rows = self._table.frequencies
        key = number_equal(rows.codes, len(rows.counts))
        first = np.unique(key, return_index=True)[1]
        counts = np.bincount(key, weights=rows.counts).astype(np.int64)
        codes = tuple(column[first] for column in rows.codes)
        return Population(self._table.columns, Frequencies(rows.values, codes, counts))

    def present(
        self,
        population: Population | None,
        marginals: Marginals | None,
        confidence: float | None,
        threshold: float | None,
        table: Population | None = None,
    ) -> list[Line]:
        """It hides nobody from whoever knows their values; marginals tell nothing more."""
        return [presence_of_rows(self.view, population, threshold)]

    @staticmethod
    def compare(release: ReleaseFiles, table: Table) -> Iterator[Fault]:
        return bucketized(release, table)

    @staticmethod
    def reach(release: ReleaseFiles, table: Table) -> Reach | None:
        return reach_of_people(release, table)
