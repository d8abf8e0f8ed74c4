"""Values made coarser: each group of rows has one label for every quasi-identifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.arrays import IntArray
from discreet.audit.faults.comparison import Table
from discreet.audit.faults.comparison_labels import untrue_rows
from discreet.audit.kinds.base import Alike, AtLarge
from discreet.audit.kinds.registry import GENERALIZED
from discreet.audit.lines import AT_MOST, EXACT, Fault, Line
from discreet.audit.people.reach import Reach, reach_of_labels
from discreet.audit.presence.by_marginals import presence_by_pairs, presence_marginals, promised_marginals
from discreet.audit.presence.by_pairs import promised
from discreet.audit.presence.listed_generalized import check_same_words, presence_generalized
from discreet.audit.presence.marginals import Marginals
from discreet.audit.reading.description import Description
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.release import (
    ReleaseFiles,
    Rows,
    counted_people,
    joint_of,
    labels_in,
    numbered,
    sizes_of,
    tally_of,
)
from discreet.audit.reading.view import Region, ReleaseView, Tally
from discreet.audit.worlds.assignments import assignments
from discreet.audit.worlds.label_join import covered
from discreet.audit.worlds.places import Places
from discreet.audit.worst_case.knowledge import Counted, Knowledge, People
from discreet.audit.worst_case.worst_case import placed_people


@dataclass(frozen=True, eq=False)
class Generalized:
    """Rows of a group can't be told apart; people fit every group whose labels cover them."""

    view: ReleaseView

    word = GENERALIZED
    labelled, rows_are_people = True, True
    has_groups = False
    finds = "She knows that somebody is in the release, and enough about the person to find the group."
    about_rows = ""

    @classmethod
    def read(cls, description: Description, files: Sequence[Rows]) -> tuple[ReleaseView, IntArray]:
        """Rows with equal labels are one group."""
        rows = files[0]
        labels = {c: labels_in(description, c, rows.column(c)[0]) for c in description.quasi_identifiers}
        starred = np.full(len(rows), description.starred)
        for column in (*description.quasi_identifiers, *description.sensitive):
            values, codes = rows.column(column)
            starred &= np.array([value == description.suppressed for value in values], dtype=np.bool_)[codes]
        nobody = bool(description.manifest) and description.manifest["rows"]["published"] == 0
        if starred.all() and not nobody:  # not suppressed rows among others, but one group of which nothing is said
            starred[:] = False
        kept = np.flatnonzero(~starred)
        group, first = numbered([rows.column(c)[1][kept] for c in description.quasi_identifiers], len(kept))
        regions = []
        for column in description.quasi_identifiers:
            used, label = np.unique(rows.column(column)[1][kept[first]], return_inverse=True)
            regions.append(Region(column, tuple(labels[column][i] for i in used), label.astype(np.int64)))
        of_row = np.full(len(rows), -1, dtype=np.int64)
        of_row[kept] = group
        weights = counted_people(rows, description.count)
        view = ReleaseView(
            cls.word,
            description.quasi_identifiers,
            sizes=sizes_of(group, weights[kept], len(first)),
            tallies=tuple(tally_of(rows, c, kept, group, weights[kept]) for c in description.sensitive),
            regions=tuple(regions),
            starred=int(weights[starred].sum()),
            left_out=description.left_out,
            promises=description.promises,
            file=rows.file,
            first_line=rows.first(kept[first]),
            hierarchies=description.hierarchies,
            manifest=description.manifest,
            rows=joint_of(rows, description.sensitive, kept, group, weights[kept]),
        )
        return view, of_row

    def alike(self) -> Alike:
        groups = np.arange(len(self.view.sizes), dtype=np.int64)
        return Alike(groups, self.view.sizes, self.view.sizes, groups)

    def at_large(self, alike: Alike, population: Population) -> AtLarge:
        """All ways to find different people for all rows, of those whom the labels cover."""
        check_same_words(self.view, population)
        placed = assignments(covered(self.view, population), self.view.sizes)
        missing = int(self.view.sizes[placed.contradicted].sum())
        details = {"groups_not_counted_out": int((~placed.exact).sum())}
        return AtLarge(placed.row, EXACT if placed.exact.all() else AT_MOST, missing, details)

    def places(self, listed: Population) -> Places | None:
        """All groups whose labels cover each combination; None if they are so many that they can't all be told."""
        regions = tuple(region for region in self.view.regions if region.attribute in listed.columns)
        fits = covered(replace(self.view, regions=regions), listed)
        return Places(fits.starts, fits.groups.astype(np.int64)) if fits.held else None

    def people(self, tally: Tally, knowledge: Knowledge | None) -> People | None:
        """Those of the source table who fit one group alone."""
        return placed_people(self.view, tally, knowledge) if isinstance(knowledge, Counted) else None

    def own_list(self) -> None:
        return None

    def present(
        self,
        population: Population | None,
        marginals: Marginals | None,
        confidence: float | None,
        threshold: float | None,
        table: Population | None = None,
    ) -> list[Line]:
        """Nothing without either; the marginals that a promise was made with are taken where no others are given."""
        lines = [] if population is None else presence_generalized(self.view, population, threshold)
        known = marginals or promised_marginals(self.view, population)
        promise = promised(self.view, beyond=True)
        by_pairs = "" if promise is None else presence_by_pairs(self.view, promise, population, table)
        lines += [] if isinstance(by_pairs, str) else [by_pairs]
        return lines if known is None else lines + presence_marginals(self.view, known, confidence, threshold)

    @staticmethod
    def compare(release: ReleaseFiles, table: Table) -> Iterator[Fault]:
        return untrue_rows(release, table)

    @staticmethod
    def reach(release: ReleaseFiles, table: Table) -> Reach | None:
        return reach_of_labels(release, table)
