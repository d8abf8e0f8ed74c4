"""Who of the people that a group covers are in it: compiled counting of the possible worlds.

A group of `size` people publishes values in tables apart. A possible world is a choice of that many of the people it
covers in which every published value is somebody's. Nothing else is known, so that all worlds are equally likely.

A person has one *entry* (a published value, or combination) in each table. `entry[i, t]` is the entry of candidate i in
table t; entries are numbered through all tables, `table[e]` tells which one. `people[i]` people are equal to candidate
i.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.audit.worlds.all_worlds import BY_TABLE, EXACT, IN, OPEN, OUT, Candidates, Room, exact_chances
from discreet.audit.worlds.one_table import value_chances
from discreet.compiled import inner

Flags = NDArray[np.uint8]


class Entries(NamedTuple):
    """Of each entry of a group: its `table`, whether it is `done` (somebody's already), how many open people have it.

    The last two are written in place.
    """

    table: IntArray
    done: Flags
    having: IntArray


@inner
def count_entries(candidates: Candidates, having: IntArray) -> int:
    """How many of the open people have each entry; returns how many open people there are."""
    entry, people, state = candidates
    having[:] = 0
    total = 0
    for i in range(len(people)):
        if state[i] == OPEN:
            total += people[i]
            for t in range(entry.shape[1]):
                having[entry[i, t]] += people[i]
    return total


@inner
def _open_people(people: IntArray, state: Flags) -> int:
    total = 0
    for i in range(len(people)):
        if state[i] == OPEN:
            total += people[i]
    return total


@inner
def settle(size: int, candidates: Candidates, entries: Entries) -> int:
    """Find people who are in every possible world, or in none; mark them in `state`, and their entries as `done`.

    Somebody is in if nobody else has a published value, or if no more people are open than are to be found; out if as
    many people are left to be found as a table has values that nobody has yet, and theirs is not one of those. Returns
    how many people are left to be found among the open ones (`having` counts their entries), or −1 if there is no
    possible world at all.
    """
    entry, people, state = candidates
    table, done, having = entries
    left, tables = size, entry.shape[1]
    undone = np.empty(tables, dtype=np.int64)
    while True:
        total = count_entries(candidates, having)
        undone[:] = 0
        alone = False
        possible = 0 <= left <= total
        for e in range(len(table)):
            if done[e] == 0:
                undone[table[e]] += 1
                alone |= having[e] == 1
                possible &= having[e] > 0 and undone[table[e]] <= left
        if not possible:
            return -1
        changed = False
        if total == left:
            for i in range(len(people)):
                if state[i] == OPEN:
                    changed = _take(i, entry, state, done)
            left = 0
        else:
            for t in range(tables):
                if undone[t] == left:
                    changed |= _exclude(t, entry, state, done)
        if not changed and alone:
            for i in range(len(people)):
                for t in range(tables):
                    if state[i] == OPEN and done[entry[i, t]] == 0 and having[entry[i, t]] == 1:
                        changed = _take(i, entry, state, done)
                        left -= 1
        if not changed:
            return left


@inner
def _take(i: int, entry: Codes, state: Flags, done: Flags) -> bool:
    state[i] = IN
    for t in range(entry.shape[1]):
        done[entry[i, t]] = 1
    return True


@inner
def _exclude(t: int, entry: Codes, state: Flags, done: Flags) -> bool:
    """Rule out the open people whose value in table t is somebody's already."""
    changed = False
    for i in range(len(state)):
        if state[i] == OPEN and done[entry[i, t]] == 1:
            state[i] = OUT
            changed = True
    return changed


@inner
def chances(left: int, candidates: Candidates, entries: Entries, room: Room, chance: FloatArray) -> int:
    """The chance of every candidate, after `settle`; returns how it was decided.

    Exact if nothing but one table's values has to be heeded, or if there are few enough worlds for the `room`. Else the
    most that one table by itself tells.
    """
    entry, people, state = candidates
    table, done, having = entries
    total = _open_people(people, state)
    for i in range(len(people)):
        chance[i] = 1.0 if state[i] == IN else 0.0 if state[i] == OUT else left / total
    if left == 0 or total == 0:
        return EXACT
    # A value that all open people have is somebody's whoever is taken.
    heeded = np.zeros(len(table), dtype=np.uint8)
    concerned = np.zeros(entry.shape[1], dtype=np.int64)
    for e in range(len(table)):
        if done[e] == 0 and having[e] < total:
            heeded[e] = 1
            concerned[table[e]] += 1
    tables = 0
    for t in range(len(concerned)):
        tables += concerned[t] > 0
    if tables == 0:
        return EXACT
    if tables > 1:
        decided: int = exact_chances(left, total, candidates, having, heeded, room, chance)
        if decided != BY_TABLE:
            return decided
    of_entry = np.full(len(table), left / total if tables > 1 else 0.0)
    counted = _told_by_tables(left, total, entries, heeded, concerned, of_entry)
    for i in range(len(people)):
        if state[i] == OPEN:
            chance[i] = 0.0
            for t in range(entry.shape[1]):
                chance[i] = max(chance[i], of_entry[entry[i, t]])
    return EXACT if counted and tables == 1 else BY_TABLE


@inner
def _told_by_tables(
    left: int, total: int, entries: Entries, heeded: Flags, concerned: IntArray, of_entry: FloatArray
) -> bool:
    """Raise what is told of people with each entry to what its table tells; False if a table has too many values."""
    table, having = entries.table, entries.having
    counted = True
    for t in range(len(concerned)):
        if concerned[t] == 0:
            continue
        values = np.empty(concerned[t], dtype=np.int64)
        chance = np.empty(concerned[t] + 1)
        v, rest = 0, total
        for e in range(len(table)):
            if table[e] == t and heeded[e] == 1:
                values[v] = having[e]
                rest -= having[e]
                v += 1
        counted &= value_chances(values, rest, left, chance)
        v = 0
        for e in range(len(table)):
            if table[e] == t:
                of_entry[e] = max(of_entry[e], chance[v] if heeded[e] == 1 else chance[len(values)])
                v += heeded[e]
    return counted
