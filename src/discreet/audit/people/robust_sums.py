"""Robustness where people have several rows: what is believed of all rows of somebody is within 1/r, added up.

Somebody has a protected value if one of his rows has it. However the worlds of his groups hang together, its chance is
at most the sum of his rows' posteriors, and that sum is what the promise is on: for every protected set, and every set
of attributes that she may judge by, in both views.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from discreet.arrays import BoolArray, IntArray
from discreet.audit.lines import AT_MOST, Level
from discreet.audit.people.known_people import OwnRows, largest_sums, own_rows
from discreet.audit.people.persons import Persons
from discreet.audit.promises.level import deciding_group, promised_tallies
from discreet.audit.promises.registry import Beside
from discreet.audit.promises.robust import robust_level
from discreet.audit.reading.tallies import Summed, summed_up
from discreet.audit.reading.view import Promise, Tally
from discreet.audit.worst_case.knowledge import Known, People, domain
from discreet.audit.worst_case.worlds_exactly import GroupExactly
from discreet.audit.worst_case.worst_case import (
    Beliefs,
    Judging,
    given_knowledge,
    people_of,
    protected_sets,
    sets_of,
    shares_of_sets,
)

_CLOSE = 1e-9
_MOST_STEPS = 20_000_000  # of exact arithmetic
_FIGURE = "largest sum of what is believed of all rows of one person, by whichever attributes tell most"
_PRIOR = "limits that hang on what was believed before are not added up over the rows of a person"
_LEFT_OUT = "who is not published is not judged by people"
_UNSEEN = "it is not plain who is in every group"


def sums_of_people(promise: Promise, persons: Persons, beside: Beside) -> list[Level]:
    """The largest sum, for each attribute."""
    return [_of(promise, persons, tally, beside) for tally in promised_tallies(promise, persons.rows)]


def _of(promise: Promise, persons: Persons, tally: Tally, beside: Beside) -> Level:
    """By rows first: of whoever has one row, that is all; nobody's sum is smaller than what is believed of a row."""
    said, view = promise.parameters, persons.rows
    limit = 1 / Fraction(str(said["r"]))
    of_rows = robust_level(view, tally, promise, beside.knowledge.get(tally.attribute))
    if of_rows.holds is False:
        return of_rows
    known_before = given_knowledge(said) or beside.knowledge.get(tally.attribute)
    people = None if known_before is None else people_of(view, tally, known_before)
    level = Level(promise.model, tally.attribute, _FIGURE, AT_MOST, float(limit), None, None)
    if "prior" in (said.get("limit"), said.get("absence")):
        return replace(level, note=_PRIOR if said.get("limit") == "prior" else _LEFT_OUT)
    if known_before is None or people is None:
        return replace(level, note="needs what she knows: the source table")
    own, summed = own_rows(persons, people), summed_up(tally, len(view.sizes))
    if int(people.many.sum()) < view.people or int(own.sure.sum()) > int(people.many.sum()):
        return replace(level, note=_UNSEEN)
    protected = protected_sets(said.get("values"), domain(known_before, tally))
    known = sets_of(view, tally, people, known_before, said)
    worst = shares_of_sets(summed, protected)[people.group]
    nothing = Beliefs.before(people, np.zeros(len(worst)), len(view.sizes))
    judging = Judging(people, summed, protected, len(known))
    for each in known:
        worst = np.maximum(worst, judging.judged(each, nothing).at_most)
    sums = largest_sums(persons, people, own, summed, known, protected, lambda beliefs: beliefs.at_most, worst)
    asked = np.flatnonzero((own.rows > 1) & (sums > float(limit) - _CLOSE))
    exactly = _Exactly(people, own, summed, protected, known)
    left_open = 0
    reached = float(sums[own.rows > 1].max(initial=of_rows.achieved or 0.0)) if not len(asked) else 0.0
    decides, kept = -1, True
    for p in asked.tolist():
        found = exactly.largest(p) if own.known[p] else None
        left_open += found is None
        if found is not None and float(found) > reached:
            reached, decides = float(found), int(people.group[own.entry[own.ends[p]]])
        kept &= found is None or found <= limit
    holds = False if not kept else None if left_open or of_rows.holds is None else True
    note = f"{left_open:,} people left open: too many worlds, or it is not plain which rows are theirs"
    note = "" if holds is not None else note if left_open else of_rows.note
    deciding = of_rows.deciding if decides < 0 else deciding_group(view, decides)
    achieved = max(reached, of_rows.achieved or 0.0) if holds is not None else None
    return Level(promise.model, tally.attribute, _FIGURE, AT_MOST, float(limit), achieved, holds, deciding, note)


@dataclass
class _Exactly:
    """Sums in whole numbers, as long as the steps last. The worlds of a group are gone through once."""

    people: People
    own: OwnRows
    summed: Summed
    protected: BoolArray
    known: Sequence[Known]
    steps: int = _MOST_STEPS
    told: dict[tuple[int, int], tuple[IntArray, list[list[list[Fraction]]]] | None] = field(default_factory=dict)

    def largest(self, p: int) -> Fraction | None:
        """The largest sum of one person; None if that takes too long, or no world is possible."""
        entries = range(int(self.own.ends[p]), int(self.own.ends[p + 1]))
        largest = max((self._share(entries, those) for those in self.protected), default=Fraction(0))
        for k in range(len(self.known)):
            sums: dict[tuple[int, int], Fraction] = {}
            for i in entries:
                for at, chance in self._of_row(k, int(self.own.entry[i])):
                    if chance is None:
                        return None
                    sums[at] = sums.get(at, Fraction(0)) + int(self.own.most[i]) * chance
            largest = max([largest, *sums.values()])
        return largest

    def _share(self, entries: range, those: BoolArray) -> Fraction:
        """The shares of a protected set in the groups of some rows, added up: what she believes who knows nothing."""
        total, tally = Fraction(0), self.summed.tally
        for i in entries:
            group = int(self.people.group[self.own.entry[i]])
            low, high = np.searchsorted(tally.group, [group, group + 1])
            having = int(tally.count[low:high][those[tally.value[low:high]]].sum())
            total += Fraction(int(self.own.most[i]) * having, int(self.summed.total[group]))
        return total

    def _of_row(self, k: int, entry: int) -> Iterator[tuple[tuple[int, int], Fraction | None]]:
        """For every protected set and view, what is believed of a row of this entry."""
        group = int(self.people.group[entry])
        if (k, group) not in self.told:
            self.told[k, group] = self._group(k, group)
        found = self.told[k, group]
        if found is None:
            yield (0, 0), None
            return
        kinds, of_sets = found
        kind = int(np.searchsorted(kinds, self.known[k].row[entry]))
        for s, views in enumerate(of_sets):
            for view, chances in enumerate(views):
                yield (s, view), chances[kind] if len(chances) == len(kinds) and chances[kind] <= 1 else None

    def _group(self, k: int, group: int) -> tuple[IntArray, list[list[list[Fraction]]]] | None:
        low, high = np.searchsorted(self.people.group, [group, group + 1])
        exactly = GroupExactly.of(group, self.known[k], self.people.group, self.people.many, self.summed)
        there = [those for those in self.protected if those[exactly.values].any()]
        self.steps -= exactly.steps * max(len(there), 1)
        if self.steps < 0:
            return None
        return np.unique(self.known[k].row[low:high]), [
            exactly.views(those) if those[exactly.values].any() else [] for those in self.protected
        ]
