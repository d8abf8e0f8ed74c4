"""Values made coarser, with the number of a group in each row: as one of a chain of releases is published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.arrays import IntArray
from discreet.audit.kinds.generalized import Generalized
from discreet.audit.kinds.registry import NUMBERED
from discreet.audit.reading.description import Description
from discreet.audit.reading.folder import AGAIN
from discreet.audit.reading.release import Rows, counted_people, joint_of, labels_in, numbered, sizes_of, tally_of
from discreet.audit.reading.view import Region, ReleaseView
from discreet.errors import DataError, Mistake


@dataclass(frozen=True, eq=False)
class Numbered(Generalized):
    """Rows with one number can't be told apart; people fit every group whose labels cover them, however many."""

    word = NUMBERED
    has_groups = True

    @classmethod
    def read(cls, description: Description, files: Sequence[Rows]) -> tuple[ReleaseView, IntArray]:
        """Rows with the same number are one group, which has one label for every quasi-identifier."""
        rows = files[0]
        everything = np.arange(len(rows), dtype=np.int64)
        group, first = numbered([rows.column(description.group)[1]], len(rows))
        regions = []
        for column in description.quasi_identifiers:
            texts, codes = rows.column(column)
            if (codes != codes[first[group]]).any():
                rule = "has groups in which rows have different quasi-identifiers"
                raise DataError(Mistake(rows.file, rule, AGAIN))
            used, label = np.unique(codes[first], return_inverse=True)
            labels = labels_in(description, column, texts)
            regions.append(Region(column, tuple(labels[i] for i in used), label.astype(np.int64)))
        weights = counted_people(rows, description.count)
        view = ReleaseView(
            cls.word,
            description.quasi_identifiers,
            sizes=sizes_of(group, weights, len(first)),
            tallies=tuple(tally_of(rows, c, everything, group, weights) for c in description.sensitive),
            regions=tuple(regions),
            left_out=description.left_out,
            promises=description.promises,
            file=rows.file,
            first_line=rows.first(first),
            hierarchies=description.hierarchies,
            manifest=description.manifest,
            rows=joint_of(rows, description.sensitive, everything, group, weights),
        )
        return view, group
