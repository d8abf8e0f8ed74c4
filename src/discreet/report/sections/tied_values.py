"""Sensitive columns that tell each other: whoever knows one of somebody's values may know the next one by it.

Promises look at each sensitive column by itself. In a group where flu goes with x, HIV with y and gout with z, both
columns have three values, and whoever knows the one knows the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.arrays import IntArray, number_equal
from discreet.labels.figures import percent
from discreet.labels.whose import Whose
from discreet.models.others_known import OTHERS_KNOWN
from discreet.models.promise import Risk
from discreet.publications.recoded_tables import Recoded
from discreet.report.marginals import shown
from discreet.report.sections.registry import CUSTODIAN, RELEASE, Public, Section
from discreet.report.words import model_of

_NAMED = 8  # columns that are told by name, or a line each


@dataclass(frozen=True)
class Tied:
    """The share of published rows whose value of a column is the only one that their group has beside the `known`
    values of other columns; and the share of those whose whole group agrees on it already. If it is `promised`, a
    promise about the column heeds the others."""

    column: str
    known: tuple[str, ...]
    promised: bool
    share: float
    agreeing: float
    whose: Whose

    @property
    def sentence(self) -> str:
        """For a privacy board."""
        known = f"all {len(self.known)} other sensitive columns"
        if len(self.known) <= _NAMED:
            known = " and ".join(map(shown, self.known))
        return (
            f"Whoever finds {self.whose.somebody}'s group and knows {known} of the "
            f"{self.whose.person} knows {shown(self.column)}, too: {percent(self.share)} of the published rows."
        )

    @property
    def is_new(self) -> bool:
        """Does it tell more than the groups do by themselves, and no promise speaks of it?"""
        return self.share > self.agreeing and not self.promised


def tied_values(known: Public) -> tuple[Tied, ...]:
    """Each sensitive column beside all others, where they stand in one row. Other kinds publish one column only."""
    published = known.published
    if not isinstance(published, Recoded) or len(published.sensitive) < 2:
        return ()
    kept = published.group >= 0
    group, counts = published.group[kept], np.asarray(published.frequencies.counts, dtype=np.int64)[kept]
    columns = {name: published.frequencies.codes[place][kept] for name, place in published.sensitive.items()}
    total = max(int(counts.sum()), 1)
    parameters = [said for _, said in map(model_of, known.manifest["promises"])]
    promised = {said.get("attribute") for said in parameters if said.get(OTHERS_KNOWN) is True}
    ties = []
    for name, own in columns.items():
        others = {other: codes for other, codes in columns.items() if other != name}
        cell = number_equal([group, *others.values()], len(group))
        beside, alone = (_determined(of, own, counts) / total for of in (cell, group))
        ties.append(Tied(name, tuple(others), name in promised, beside, alone, whose=known.whose.by_rows))
    return tuple(ties)


def _determined(cell: IntArray, value: IntArray, counts: IntArray) -> int:
    """How many rows are in a cell with one value only."""
    pairs = np.unique(np.stack([cell, value], axis=1), axis=0)
    alone = np.bincount(pairs[:, 0], minlength=int(cell.max(initial=-1)) + 1) == 1
    return int(counts[alone[cell]].sum())


def tied_risks(ties: Sequence[Tied]) -> list[Risk]:
    """What several sensitive columns leave open."""
    return [
        (
            f"Learning {shown(tie.column)} from "
            + (", ".join(map(shown, tie.known)) if len(tie.known) <= _NAMED else "the other sensitive columns"),
            f"Promises look at each sensitive column by itself. {tie.sentence}",
        )
        for tie in ties
        if not tie.promised
    ]


def _lines(ties: tuple[Tied, ...]) -> list[str]:
    lines = [f"open: {tie.sentence}" for tie in ties if tie.is_new]
    return lines if len(lines) <= _NAMED else [*lines[:_NAMED], f"open: the same of {len(lines) - _NAMED} more columns"]


TIED_VALUES = Section(tied_values, pages=(RELEASE, CUSTODIAN), lines=_lines)
