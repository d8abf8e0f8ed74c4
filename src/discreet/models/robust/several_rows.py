"""People with several rows: what an adversary with worst-case knowledge believes of them by all their groups together.

Somebody has a protected value if one of his rows has it. Its chance is at most the sum of his rows' posteriors, however
the worlds of his groups hang together: that sum has to keep to 1/r, for every protected set, attribute set and view.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups, People
from discreet.models.parameters import exact
from discreet.models.robust.beliefs import MOST_STEPS, Chances, Entries, Protected, Worlds, rows_known

if TYPE_CHECKING:
    from discreet.models.robust.robust import Robust


@dataclass(frozen=True, eq=False)
class SeveralRows:
    """People with several rows: person p has the entries ``entry[starts[p]:starts[p + 1]]``, of these groups."""

    starts: IntArray
    entry: IntArray
    group: IntArray
    rows: IntArray

    @classmethod
    def of(cls, people: People) -> SeveralRows:
        """All of them, where it is known whose the entries are."""
        assert people.person is not None
        order = np.argsort(people.person, kind="stable")
        owner, rows = people.person[order], people.counts[order]
        many = np.bincount(owner, weights=rows)[owner] > 1
        order, owner, rows = order[many], owner[many], rows[many]
        starts = np.append(np.flatnonzero(np.diff(owner, prepend=-1)), len(owner)).astype(np.int64)
        return cls(starts, order, people.group[order], rows)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def only(self, which: BoolArray) -> SeveralRows:
        """Some of them."""
        sizes = np.diff(self.starts)
        at = np.repeat(which, sizes)
        starts = np.concatenate([[0], np.cumsum(sizes[which])]).astype(np.int64)
        return SeveralRows(starts, self.entry[at], self.group[at], self.rows[at])

    def any_in(self, entries: BoolArray) -> BoolArray:
        """Who has one of some of the entries here."""
        return np.logical_or.reduceat(np.append(entries, False), self.starts[:-1])


def above_in_sum(model: Robust, groups: Groups, people: People) -> BoolArray:
    """The groups with somebody who is believed to have a protected value with more than 1/r, by all his rows.

    If the groups of somebody with j rows keep to 1/(r · j), he is safe: that is asked first.
    """
    several = SeveralRows.of(people)
    undecided = np.zeros(len(several), dtype=np.bool_)
    of_person = np.add.reduceat(np.append(several.rows, 0), several.starts[:-1])
    alone = replace(groups, owners=None, people=people)
    for rows in np.unique(of_person).tolist():
        there = np.zeros(len(groups), dtype=np.bool_)
        there[several.group[np.repeat(of_person == rows, np.diff(several.starts))]] = True
        unsafe = there.copy()
        unsafe[there] = ~model.in_each_of(rows).holds(alone.where(there))
        undecided |= (of_person == rows) & several.any_in(unsafe[several.group])
    verdict = np.zeros(len(groups), dtype=np.bool_)
    if undecided.any():
        several = several.only(undecided)
        _, above = sums(model, groups, people, several)
        verdict[several.group[np.repeat(above, np.diff(several.starts))]] = True
    return verdict


def sums(model: Robust, groups: Groups, people: People, several: SeveralRows) -> tuple[FloatArray, BoolArray]:
    """The worst sum of each of some people, rounded, and whether it is above 1/r (or not proven to be at most that)."""
    from discreet.models.robust.summed_kernels import TWO_VALUES, Several, add_up  # late: takes numba

    there = np.zeros(len(groups), dtype=np.bool_)
    there[several.group] = True
    number = np.cumsum(np.repeat(there, np.diff(people.offsets))) - 1  # entries among those of these groups
    some = replace(groups, owners=None, people=people).where(there)
    assert some.people is not None
    tally, entry = some.tallies[model.attribute], number[several.entry]
    knowledge, sets = model.knowledge_for(some.people, tally), Protected(*model.protected_sets(tally))
    limit, own = 1 / exact(model.r), some.people
    level, above, near = add_up(
        Entries(own.offsets, own.counts, rows_known(knowledge, own, 0, len(own.counts))),
        tally.pairs,
        Chances(knowledge.rows, knowledge.totals),
        sets,
        Several(several.starts, entry, several.rows),
        float(limit),
        (limit.numerator, limit.denominator) if limit.denominator < 1 << 31 else (0, 0),
        MOST_STEPS,
    )
    worlds, group = Worlds(tally, own, knowledge, sets), own.group
    for p, k, view in near.tolist():
        if not above[p]:
            at = slice(several.starts[p], several.starts[p + 1])
            exactly = _sum_exactly(worlds, group, entry[at].tolist(), several.rows[at].tolist(), k, view == TWO_VALUES)
            above[p] = exactly is None or exactly > limit
    return level, above


def _sum_exactly(
    worlds: Worlds, group: IntArray, entries: list[int], rows: list[int], k: int, two_values: bool
) -> Fraction | None:
    """The largest sum for any set, in whole numbers; None where that would take too long."""
    totals: dict[tuple[int, ...], Fraction] = {}
    for e, n in zip(entries, rows, strict=True):
        at, _, sets = worlds.of(int(group[e]))
        beliefs = (worlds.in_two_values if two_values else worlds.in_full)(int(group[e]), k)
        for s, posteriors in zip(sets, beliefs, strict=True):
            if posteriors is None:
                return None
            totals[tuple(s)] = totals.get(tuple(s), Fraction(0)) + n * posteriors[e - at.start]
    return max(totals.values(), default=Fraction(0))
