"""What is believed of somebody whose rows stand in several groups: over all of them together.

A group's values are dealt to its rows whatever the other groups are. Of a person with rows in groups 1, 2, … the chance
to have a value in one of them or more is 1 − Π (1 − pᵢ), and never more than Σ pᵢ: what a promise must be kept by where
nothing is assumed of how groups were made.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.audit.people.persons import Persons
from discreet.audit.reading.tallies import summed_up
from discreet.audit.reading.view import Tally

_CLOSE = 1e-10  # sums nearer than this to a limit may be equal to it
_MOST_EXACTLY = 20_000  # people of whom sums are worked out in fractions


@dataclass(frozen=True, eq=False)
class Sums:
    """Of every person who stands in groups: the largest sum of a value's shares, the largest `chance` of one.

    Both are bounds for people of whom it is not `known` in which groups they stand. `first` and `last` are where a
    person's groups are among those of `persons.groups`; `decides` is the group that tells most of each.
    """

    person: IntArray
    total: FloatArray
    chance: FloatArray
    known: BoolArray
    decides: IntArray
    first: IntArray
    last: IntArray


def over_all_groups(persons: Persons, tally: Tally) -> Sums:
    """Add up what groups tell of everybody's values of one attribute (`tally` is that of the rows)."""
    from discreet.audit.people.chance_kernels import Values, over_groups  # late: loads numba

    at, sizes = persons.groups, persons.rows.sizes
    person, first = np.unique(at.person, return_index=True)
    ends = np.append(first, len(at.person)).astype(np.int64)
    unsure = np.bincount(np.repeat(np.arange(len(person)), np.diff(ends)), weights=at.sure != at.most)
    starts = np.searchsorted(tally.group, np.arange(len(sizes) + 1))
    values = Values(sizes, starts.astype(np.int64), tally.value, tally.count)
    known = unsure == 0 if len(person) else np.zeros(0, dtype=np.bool_)
    total, chance, *_ = over_groups(ends, at.cell, at.most, values, max(len(tally.values), 1))
    share = summed_up(tally, len(sizes)).largest / np.maximum(sizes, 1)
    bound = _at_most(persons, share, person, ends)
    total = np.where(known, total, bound)
    chance = np.where(known, chance, np.minimum(bound, 1.0))
    order = np.lexsort((share[at.cell], at.person))
    decides = at.cell[order][ends[1:] - 1]
    return Sums(person, total, chance, known, decides, ends[:-1], ends[1:])


def _at_most(persons: Persons, share: FloatArray, person: IntArray, ends: IntArray) -> FloatArray:
    """No sum is larger than if everybody's rows stood where most is told, as many as may."""
    at = persons.groups
    order = np.lexsort((-share[at.cell], at.person))
    many = at.most[order]
    before = np.cumsum(many) - many
    of_person = np.repeat(np.arange(len(person)), np.diff(ends))
    left = persons.table_rows[person][of_person] - (before - before[ends[:-1]][of_person])
    taken = np.clip(left, 0, many)
    weights = taken * share[at.cell[order]]
    return np.bincount(of_person, weights=weights, minlength=len(person)).astype(np.float64)


def within(sums: Sums, persons: Persons, tally: Tally, limit: Fraction) -> tuple[BoolArray, BoolArray]:
    """Of which people every sum is within a limit, and of which some is surely above it; of the rest nothing is sure.

    Sums that come near are decided in whole numbers: they are equal if their common denominator is too small for
    anything between.
    """
    at, sizes = persons.groups, persons.rows.sizes
    kept = sums.total <= float(limit)
    broken = ~kept & sums.known
    near = np.abs(sums.total - float(limit)) <= _CLOSE
    logs = np.bincount(
        np.repeat(np.arange(len(sums.person)), sums.last - sums.first),
        weights=np.log(sizes[at.cell].astype(np.float64)),
        minlength=len(sums.person),
    )
    equal = near & sums.known & (logs + log(limit.denominator) < -np.log(4 * _CLOSE))
    kept, broken = (kept & ~near) | equal, broken & ~near
    starts = np.searchsorted(tally.group, np.arange(len(sizes) + 1))
    for i in np.flatnonzero(near & sums.known & ~equal)[:_MOST_EXACTLY].tolist():
        added: dict[int, Fraction] = {}
        for e in range(int(sums.first[i]), int(sums.last[i])):
            group = int(at.cell[e])
            for v in range(int(starts[group]), int(starts[group + 1])):
                share = Fraction(int(at.most[e]) * int(tally.count[v]), int(sizes[group]))
                added[int(tally.value[v])] = added.get(int(tally.value[v]), Fraction(0)) + share
        kept[i] = max(added.values(), default=Fraction(0)) <= limit
        broken[i] = not kept[i]
    return kept, broken
