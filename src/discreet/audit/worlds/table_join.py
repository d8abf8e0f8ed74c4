"""Which people each group covers: the join of a population list with the tables of a release, compiled.

Every value (or combination) that some table publishes has a *slot*; slots are numbered through all tables. A person who
has a slot in every table may be covered by a group, and is if the group publishes all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import FloatArray, IntArray
from discreet.audit.reading.exact_tables import Population, Table, combination_codes
from discreet.audit.reading.view import ReleaseView
from discreet.audit.worlds.all_worlds import CONTRADICTED, IN, OPEN, Candidates, Room
from discreet.audit.worlds.possible import Entries, chances, settle
from discreet.compiled import inner, kernel

Slots = NDArray[np.int32]
Bits = NDArray[np.uint64]

# The place of the lowest set bit by one multiplication (de Bruijn sequence).
_SEQUENCE = 0x03F79D71B4CB0A89
_BRUIJN = np.uint64(_SEQUENCE)
_PLACE = np.zeros(64, dtype=np.int64)
for _place in range(64):
    _PLACE[((_SEQUENCE << _place) & (2**64 - 1)) >> 58] = _place

_WORK = 3e9  # steps that exact counting may take in all
_MOST_VALUES = 18  # values that must be heeded in a group whose worlds are counted


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What the adversary believes of each combination on the list: the largest chance over the groups that cover it.

    `unlisted` knows no list, `counted` counts the people whom a group covers, `chance` also heeds that every published
    value is somebody's; `together` adds up over the groups, since nobody is in two, and `added_up` does so for those
    who know no list. Who is `certain` is in every
    possible world. `told_by` is the group that `chance` comes from (−1: none), `of_group` the largest chance of anybody
    to be in a group. `decided` says how each group was.
    """

    people: IntArray
    covered: NDArray[np.bool_]
    unlisted: FloatArray
    counted: FloatArray
    chance: FloatArray
    together: FloatArray
    added_up: FloatArray
    certain: NDArray[np.bool_]
    told_by: IntArray
    of_group: FloatArray
    decided: IntArray


def beliefs(release: ReleaseView, population: Population) -> Beliefs:
    """Weigh every group against the list."""
    of_entry, of_person, slots = _slots(release.tables, population)
    groups = len(release.sizes)
    order = [np.argsort(table.group, kind="stable") for table in release.tables]
    within = [np.searchsorted(t.group[o], np.arange(groups + 1)) for t, o in zip(release.tables, order, strict=True)]
    before = np.cumsum([0, *(len(o) for o in order)])
    offsets = np.stack([w + b for w, b in zip(within, before[:-1], strict=True)]).astype(np.int64)
    codes = np.concatenate([c[o] for c, o in zip(of_entry, order, strict=True)])
    counts = population.frequencies.counts
    known = np.flatnonzero((of_person >= 0).all(axis=1))  # who has a value that nobody published is covered by no group
    starts, members = _index(of_person[known], slots)
    distinct = np.diff(offsets, axis=1)
    unlisted = np.minimum(release.sizes / np.maximum(distinct.prod(axis=0, dtype=np.float64), 1.0), 1.0)
    weighed = _Weighed(
        np.zeros((5, len(known))),
        np.zeros(len(known), dtype=np.bool_),
        np.full(len(known), -1, dtype=np.int64),
        np.zeros(groups),
        np.zeros(groups, dtype=np.int64),
    )
    published = _Published(release.sizes, unlisted, offsets, codes)
    _weigh(published, _Listed(starts, members, of_person[known], counts[known]), _most_values(groups), weighed)
    believed = np.zeros((5, len(counts)))
    believed[:, known] = weighed.believed
    certain, told_by = np.zeros(len(counts), dtype=np.bool_), np.full(len(counts), -1, dtype=np.int64)
    certain[known], told_by[known] = weighed.certain, weighed.told_by
    alone, counted, chance, added, unlisted = believed
    together, added_up = np.where(certain, 1.0, np.minimum(added, 1.0)), np.minimum(unlisted, 1.0)
    of_group, decided = weighed.of_group, weighed.decided
    return Beliefs(counts, counted > 0, alone, counted, chance, together, added_up, certain, told_by, of_group, decided)


def _most_values(groups: int) -> int:
    """For how many values per group all sets of them may be gone through."""
    return max(b for b in range(_MOST_VALUES + 1) if b == 0 or groups * b * 2.0**b <= _WORK)


def _slots(tables: Sequence[Table], population: Population) -> tuple[list[Slots], Slots, int]:
    """The slot of every entry of every table, that of every person in each (−1: none), and how many there are."""
    of_entry, of_person, known = [], [], 0
    for table in tables:
        own, theirs = combination_codes(table, population)
        slots, code = np.unique(own, return_inverse=True)
        place = np.minimum(np.searchsorted(slots, theirs), max(len(slots) - 1, 0))
        has = slots[place] == theirs if len(slots) else np.zeros(len(theirs), dtype=np.bool_)
        of_entry.append((code + known).astype(np.int32))
        of_person.append(np.where(has, place + known, -1).astype(np.int32))
        known += len(slots)
    return of_entry, np.stack(of_person, axis=1), known


def _index(of_person: Slots, slots: int) -> tuple[IntArray, Slots]:
    """Who has each slot: the people ``members[starts[s]:starts[s + 1]]``."""
    by_slot = np.argsort(of_person.T.ravel(), kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(of_person.ravel(), minlength=slots))])
    return starts.astype(np.int64), (by_slot % max(len(of_person), 1)).astype(np.int32)


class _Published(NamedTuple):
    """What groups publish: in table t, group g has the slots ``codes[offsets[t, g]:offsets[t, g + 1]]``.

    It has `sizes` people, each of whom is believed to be in it with the chance `unlisted` by those who know no list.
    """

    sizes: IntArray
    unlisted: FloatArray
    offsets: IntArray
    codes: Slots


class _Listed(NamedTuple):
    """The people of a list: ``of_person[p, t]`` is the slot of p in table t, `counts` how many people are equal to p.

    Slot s is that of ``members[starts[s]:starts[s + 1]]``.
    """

    starts: IntArray
    members: Slots
    of_person: Slots
    counts: IntArray


class _Crowds(NamedTuple):
    """For each slot that many people have, a row of `bits`, one per person; `row` is its number, −1 for other slots."""

    row: Slots
    bits: Bits


class _Weighed(NamedTuple):
    """What is believed, written in place; for the words see `Beliefs`.

    `believed` has the rows unlisted, counted, chance, together and added_up (sums that may be above 1), a column per
    person, as `certain` and `told_by`; `of_group` and `decided` are per group.
    """

    believed: FloatArray
    certain: NDArray[np.bool_]
    told_by: IntArray
    of_group: FloatArray
    decided: IntArray


@kernel
def _weigh(published: _Published, listed: _Listed, most_values: int, weighed: _Weighed) -> None:
    """Per group: who is covered, and what the adversary believes of them; per person, the largest over the groups."""
    sizes, unlisted, offsets, codes = published
    starts, members, of_person, counts = listed
    believed, certain, told_by, of_group, decided = weighed
    tables = len(offsets)
    here = np.full(len(starts), -1, dtype=np.int32)  # the entry of the group at hand that fills a slot
    covered = np.empty(len(counts), dtype=np.int32)
    crowds = _crowds(starts, members, len(counts))
    one, all_ = np.empty((2, crowds.bits.shape[1]), dtype=np.uint64)
    room = Room(most_values, np.empty(1 << most_values, dtype=np.int64), np.empty(1 << most_values, dtype=np.int64))
    for g in range(len(sizes)):
        entries = 0
        for t in range(tables):
            for e in range(offsets[t, g], offsets[t, g + 1]):
                here[codes[e]] = entries
                entries += 1
        n = _covered(g, published, listed, crowds, one, all_, covered)
        table = np.empty(entries, dtype=np.int64)
        entry = np.empty((n, tables), dtype=np.int32)
        people = np.empty(n, dtype=np.int64)
        total = 0
        for i in range(n):
            people[i] = counts[covered[i]]
            total += people[i]
            for t in range(tables):
                entry[i, t] = here[of_person[covered[i], t]]
        entries = 0
        for t in range(tables):
            for e in range(offsets[t, g], offsets[t, g + 1]):
                here[codes[e]] = -1
                table[entries] = t
                entries += 1
        state = np.zeros(n, dtype=np.uint8)
        chance = np.full(n, min(sizes[g] / max(total, 1), 1.0))
        counted = chance[0] if n else 0.0
        candidates = Candidates(entry, people, state)
        of_entries = Entries(table, np.zeros(entries, dtype=np.uint8), np.empty(entries, dtype=np.int64))
        left = settle(sizes[g], candidates, of_entries)
        decided[g] = CONTRADICTED
        if left >= 0:
            decided[g] = chances(left, candidates, of_entries, room, chance)
        if decided[g] == CONTRADICTED:  # the list is not everybody: nothing is certain here
            chance[:] = counted
            state[:] = OPEN
        expected = 0.0
        for i in range(n):
            expected += people[i] * chance[i]
        share = min(sizes[g] / max(expected, 1.0), 1.0)  # one table at a time may tell of more people than there are
        for i in range(n):
            p = covered[i]
            believed[0, p] = max(believed[0, p], unlisted[g])
            believed[1, p] = max(believed[1, p], counted)
            if chance[i] > believed[2, p]:
                believed[2, p], told_by[p] = chance[i], g
            of_group[g] = max(of_group[g], chance[i])
            believed[3, p] += chance[i] * share
            believed[4, p] += unlisted[g]
            certain[p] |= state[i] == IN


@inner
def _crowds(starts: IntArray, members: Slots, people: int) -> _Crowds:
    """A row of bits for each slot that many people have.

    There can't be many such slots, so that memory stays within some hundred bits per person and table.
    """
    words = (people + 63) // 64
    row = np.full(len(starts) - 1, -1, dtype=np.int32)
    crowds = 0
    for s in range(len(row)):
        if 2 * (starts[s + 1] - starts[s]) >= words:
            row[s] = crowds
            crowds += 1
    bits = np.zeros((crowds, words), dtype=np.uint64)
    for s in range(len(row)):
        if row[s] >= 0:
            for m in range(starts[s], starts[s + 1]):
                bits[row[s], members[m] >> 6] |= np.uint64(1) << np.uint64(members[m] & 63)
    return _Crowds(row, bits)


@inner
def _covered(g: int, published: _Published, listed: _Listed, crowds: _Crowds, one: Bits, all_: Bits, out: Slots) -> int:
    """List the people whom a group covers: one of its values in every table, 64 people at a time."""
    offsets, codes = published.offsets, published.codes
    starts, members = listed.starts, listed.members
    row, bits = crowds
    for t in range(len(offsets)):
        for w in range(len(one)):
            one[w] = np.uint64(0)
        for e in range(offsets[t, g], offsets[t, g + 1]):
            s = codes[e]
            if row[s] >= 0:
                line = bits[row[s]]
                for w in range(len(one)):
                    one[w] |= line[w]
            else:
                for m in range(starts[s], starts[s + 1]):
                    one[members[m] >> 6] |= np.uint64(1) << np.uint64(members[m] & 63)
        for w in range(len(one)):
            all_[w] = one[w] if t == 0 else all_[w] & one[w]
    n = 0
    for w in range(len(all_)):
        left = all_[w]
        while left != np.uint64(0):
            lowest = left & (~left + np.uint64(1))
            out[n] = 64 * w + _PLACE[(lowest * _BRUIJN) >> np.uint64(58)]
            left ^= lowest
            n += 1
    return n
