"""Which people each group covers: the join of a population list with the tables of a release, compiled.

Every value (or combination) that some table publishes has a *slot*; slots are numbered through all tables. A person who
has a slot in every table may be covered by a group, and is if the group publishes all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from discreet.arrays import FloatArray, IntArray
from discreet.audit.reading.exact_tables import Population, Table, combination_codes
from discreet.audit.reading.view import ReleaseView
from discreet.audit.worlds.all_worlds import CONTRADICTED, IN, OPEN
from discreet.audit.worlds.possible import chances, settle

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
    value is somebody's; `together` adds up over the groups, since nobody is in two. Who is `certain` is in every
    possible world. `told_by` is the group that `chance` comes from (−1: none), `of_group` the largest chance of anybody
    to be in a group. `decided` says how each group was.
    """

    people: IntArray
    covered: NDArray[np.bool_]
    unlisted: FloatArray
    counted: FloatArray
    chance: FloatArray
    together: FloatArray
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
    found = np.zeros((4, len(known)))
    certain = np.zeros(len(known), dtype=np.bool_)
    told, of_group = np.full(len(known), -1, dtype=np.int64), np.zeros(groups)
    decided = np.zeros(groups, dtype=np.int64)
    _weigh(
        release.sizes, unlisted, offsets, codes, starts, members, of_person[known], counts[known], _most_values(groups),
        found, certain, told, of_group, decided,
    )  # fmt: skip
    everybody = np.zeros((4, len(counts)))
    everybody[:, known] = found
    sure, told_by = np.zeros(len(counts), dtype=np.bool_), np.full(len(counts), -1, dtype=np.int64)
    sure[known], told_by[known] = certain, told
    together = np.where(sure, 1.0, np.minimum(everybody[3], 1.0))
    return Beliefs(
        counts, everybody[1] > 0, everybody[0], everybody[1], everybody[2], together, sure, told_by, of_group, decided
    )


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


@njit(cache=True)
def _weigh(
    sizes: IntArray,
    unlisted: FloatArray,
    offsets: IntArray,
    codes: Slots,
    starts: IntArray,
    members: Slots,
    of_person: Slots,
    counts: IntArray,
    most_values: int,
    found: FloatArray,
    certain: NDArray[np.bool_],
    told_by: IntArray,
    of_group: FloatArray,
    decided: IntArray,
) -> None:
    """Per group: who is covered, and what the adversary believes of them; per person, the largest over the groups."""
    tables = len(offsets)
    here = np.full(len(starts), -1, dtype=np.int32)  # the entry of the group at hand that fills a slot
    covered = np.empty(len(counts), dtype=np.int32)
    row, bits = _crowds(starts, members, len(counts))
    one, all_ = np.empty((2, bits.shape[1]), dtype=np.uint64)
    first, second = np.empty(1 << most_values, dtype=np.int64), np.empty(1 << most_values, dtype=np.int64)
    for g in range(len(sizes)):
        entries = 0
        for t in range(tables):
            for e in range(offsets[t, g], offsets[t, g + 1]):
                here[codes[e]] = entries
                entries += 1
        n = _covered(g, offsets, codes, starts, members, row, bits, one, all_, covered)
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
        done = np.zeros(entries, dtype=np.uint8)
        having = np.empty(entries, dtype=np.int64)
        left = settle(sizes[g], entry, people, table, state, done, having)
        decided[g] = CONTRADICTED
        if left >= 0:
            decided[g] = chances(left, entry, people, table, state, done, having, most_values, first, second, chance)
        if decided[g] == CONTRADICTED:  # the list is not everybody: nothing is certain here
            chance[:] = counted
            state[:] = OPEN
        expected = 0.0
        for i in range(n):
            expected += people[i] * chance[i]
        share = min(sizes[g] / max(expected, 1.0), 1.0)  # one table at a time may tell of more people than there are
        for i in range(n):
            p = covered[i]
            found[0, p] = max(found[0, p], unlisted[g])
            found[1, p] = max(found[1, p], counted)
            if chance[i] > found[2, p]:
                found[2, p], told_by[p] = chance[i], g
            of_group[g] = max(of_group[g], chance[i])
            found[3, p] += chance[i] * share
            certain[p] |= state[i] == IN


@njit(cache=True)
def _crowds(starts: IntArray, members: Slots, people: int) -> tuple[Slots, Bits]:
    """For each slot that many people have, a row of bits, one per person; and its number, −1 for other slots.

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
    return row, bits


@njit(cache=True)
def _covered(
    g: int,
    offsets: IntArray,
    codes: Slots,
    starts: IntArray,
    members: Slots,
    row: Slots,
    bits: Bits,
    one: Bits,
    all_: Bits,
    out: Slots,
) -> int:
    """List the people whom a group covers: one of its values in every table, 64 people at a time."""
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
