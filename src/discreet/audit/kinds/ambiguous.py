"""Exact values in tables apart, several for the quasi-identifiers: it is hidden which values belong together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from discreet.arrays import IntArray
from discreet.audit.faults.comparison import Table
from discreet.audit.faults.comparison_apart import ambiguous
from discreet.audit.kinds.base import Alike, AtLarge, Unplaced
from discreet.audit.kinds.registry import AMBIGUOUS
from discreet.audit.lines import ESTIMATE, Fault, Line
from discreet.audit.people.reach import Reach, reach_of_entries
from discreet.audit.presence.listed_exact import check_same_words
from discreet.audit.presence.marginals import Marginals
from discreet.audit.presence.presence_lines import presence_of_entries
from discreet.audit.reading.description import Description
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.release import ReleaseFiles, Rows
from discreet.audit.reading.tables_apart import read_tables_apart
from discreet.audit.reading.view import ReleaseView
from discreet.audit.worlds.all_worlds import CONTRADICTED
from discreet.audit.worlds.table_join import beliefs


class Ambiguous(Unplaced):
    """Any combination of a group's values may be a person of it; entries, not rows, are published."""

    word = AMBIGUOUS
    labelled, rows_are_people = False, False
    has_groups = True
    finds = "She knows that somebody is in the release and in which group."
    about_rows = (
        " There are no rows of values here: what she looks for is the right entry in the group's sensitive values."
    )

    @classmethod
    def read(cls, description: Description, files: Sequence[Rows]) -> tuple[ReleaseView, IntArray]:
        return read_tables_apart(description, files, rows_are_people=False)

    def alike(self) -> Alike:
        groups = np.arange(len(self.view.sizes), dtype=np.int64)
        return Alike(groups, self.view.sizes, self.view.sizes, groups)

    def at_large(self, alike: Alike, population: Population) -> AtLarge:
        """By how many people of the list each group may have; each group is weighed by itself."""
        check_same_words(self.view, population)
        posterior, sizes = beliefs(self.view, population), self.view.sizes
        chance = np.where(posterior.of_group > 0, posterior.of_group, 1.0) / sizes
        return AtLarge(chance, ESTIMATE, int(sizes[posterior.decided == CONTRADICTED].sum()), {})

    def present(
        self,
        population: Population | None,
        marginals: Marginals | None,
        confidence: float | None,
        threshold: float | None,
        table: Population | None = None,
    ) -> list[Line]:
        """It has a figure without a list, too: |G| / Π mᵢ (Theorem 5.1)."""
        return presence_of_entries(self.view, population, threshold)

    @staticmethod
    def compare(release: ReleaseFiles, table: Table) -> Iterator[Fault]:
        return ambiguous(release, table)

    @staticmethod
    def reach(release: ReleaseFiles, table: Table) -> Reach | None:
        return reach_of_entries(release, table)
