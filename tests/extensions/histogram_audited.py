"""What an audit makes of the outsider's kind of release: one group of everybody, of whom nothing but counts is told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from discreet.arrays import IntArray
from discreet.audit.faults.comparison import Table
from discreet.audit.kinds.base import Alike, AtLarge, Unplaced
from discreet.audit.lines import EXACT, Fault
from discreet.audit.reading.description import Description
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.release import ReleaseFiles, Rows, counted_people, sizes_of, tally_of
from discreet.audit.reading.view import ReleaseView


class AuditedHistogram(Unplaced):
    """All rows look alike."""

    word = "histogram"
    labelled, rows_are_people, has_groups = False, False, False
    finds = "She knows that somebody is in the release."
    about_rows = " There are no rows here, only how many have each value."

    @classmethod
    def read(cls, description: Description, files: Sequence[Rows]) -> tuple[ReleaseView, IntArray]:
        [rows] = files
        everybody = np.zeros(len(rows), dtype=np.int64)
        weights = counted_people(rows, description.count)
        kept = np.arange(len(rows), dtype=np.int64)
        view = ReleaseView(
            cls.word,
            description.quasi_identifiers,
            sizes=sizes_of(everybody, weights, 1),
            tallies=tuple(tally_of(rows, c, kept, everybody, weights) for c in description.sensitive),
            promises=description.promises,
            file=rows.file,
            first_line=rows.first(np.zeros(1, dtype=np.int64)),
            manifest=description.manifest,
        )
        return view, everybody

    def alike(self) -> Alike:
        return Alike(np.zeros(1, dtype=np.int64), self.view.sizes, self.view.sizes, np.zeros(1, dtype=np.int64))

    def at_large(self, alike: Alike, population: Population) -> AtLarge:
        return AtLarge(1 / np.maximum(self.view.sizes, 1), EXACT, 0, {})

    @staticmethod
    def compare(release: ReleaseFiles, table: Table) -> Iterable[Fault]:
        return ()
