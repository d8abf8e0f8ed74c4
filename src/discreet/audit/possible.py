"""Who of the people that a group covers are in it: compiled counting of the possible worlds.

A group of `size` people publishes values in tables apart. A possible world is a choice of that many of the people it
covers in which every published value is somebody's. Nothing else is known, so that all worlds are equally likely.

A person has one *entry* (a published value, or combination) in each table. `entry[i, t]` is the entry of candidate i in
table t; entries are numbered through all tables, `table[e]` tells which one. `people[i]` people are equal to candidate
i.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from discreet.audit.one_table import value_chances

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Flags = NDArray[np.uint8]
Codes = NDArray[np.int32]

OPEN, IN, OUT = 0, 1, 2
# How a group was decided.
EXACT, BY_TABLE, CONTRADICTED = 0, 1, 2

_MOST_CANDIDATES = 1 << 12  # for exact counts


@njit(cache=True)
def count_entries(entry: Codes, people: IntArray, state: Flags, having: IntArray) -> int:
    """How many of the open people have each entry; returns how many open people there are."""
    having[:] = 0
    total = 0
    for i in range(len(people)):
        if state[i] == OPEN:
            total += people[i]
            for t in range(entry.shape[1]):
                having[entry[i, t]] += people[i]
    return total


@njit(cache=True)
def _open_people(people: IntArray, state: Flags) -> int:
    total = 0
    for i in range(len(people)):
        if state[i] == OPEN:
            total += people[i]
    return total


@njit(cache=True)
def settle(
    size: int, entry: Codes, people: IntArray, table: IntArray, state: Flags, done: Flags, having: IntArray
) -> int:
    """Find people who are in every possible world, or in none; mark them in `state`, and their entries as `done`.

    Somebody is in if nobody else has a published value, or if no more people are open than are to be found; out if as
    many people are left to be found as a table has values that nobody has yet, and theirs is not one of those. Returns
    how many people are left to be found among the open ones (`having` counts their entries), or −1 if there is no
    possible world at all.
    """
    left, tables = size, entry.shape[1]
    undone = np.empty(tables, dtype=np.int64)
    while True:
        total = count_entries(entry, people, state, having)
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


@njit(cache=True)
def _take(i: int, entry: Codes, state: Flags, done: Flags) -> bool:
    state[i] = IN
    for t in range(entry.shape[1]):
        done[entry[i, t]] = 1
    return True


@njit(cache=True)
def _exclude(t: int, entry: Codes, state: Flags, done: Flags) -> bool:
    """Rule out the open people whose value in table t is somebody's already."""
    changed = False
    for i in range(len(state)):
        if state[i] == OPEN and done[entry[i, t]] == 1:
            state[i] = OUT
            changed = True
    return changed


@njit(cache=True)
def chances(
    left: int,
    entry: Codes,
    people: IntArray,
    table: IntArray,
    state: Flags,
    done: Flags,
    having: IntArray,
    most_values: int,
    first: IntArray,
    second: IntArray,
    chance: FloatArray,
) -> int:
    """The chance of every candidate, after `settle`; returns how it was decided.

    Exact if nothing but one table's values has to be heeded, or if there are few enough worlds (`most_values` at most,
    for which `first` and `second` have room). Else the most that one table by itself tells.
    """
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
        decided: int = exact_chances(
            left, total, entry, people, state, having, heeded, most_values, first, second, chance
        )
        if decided != BY_TABLE:
            return decided
    told = np.full(len(table), left / total if tables > 1 else 0.0)
    counted = _told_by_tables(left, total, table, having, heeded, concerned, told)
    for i in range(len(people)):
        if state[i] == OPEN:
            chance[i] = 0.0
            for t in range(entry.shape[1]):
                chance[i] = max(chance[i], told[entry[i, t]])
    return EXACT if counted and tables == 1 else BY_TABLE


@njit(cache=True)
def _told_by_tables(
    left: int,
    total: int,
    table: IntArray,
    having: IntArray,
    heeded: Flags,
    concerned: IntArray,
    told: FloatArray,
) -> bool:
    """Raise what is told of people with each entry to what its table tells; False if a table has too many values."""
    counted = True
    for t in range(len(concerned)):
        if concerned[t] == 0:
            continue
        values = np.empty(concerned[t], dtype=np.int64)
        found = np.empty(concerned[t] + 1)
        v, rest = 0, total
        for e in range(len(table)):
            if table[e] == t and heeded[e] == 1:
                values[v] = having[e]
                rest -= having[e]
                v += 1
        counted &= value_chances(values, rest, left, found)
        v = 0
        for e in range(len(table)):
            if table[e] == t:
                told[e] = max(told[e], found[v] if heeded[e] == 1 else found[len(values)])
                v += heeded[e]
    return counted


@njit(cache=True)
def exact_chances(
    left: int,
    total: int,
    entry: Codes,
    people: IntArray,
    state: Flags,
    having: IntArray,
    heeded: Flags,
    most_values: int,
    first: IntArray,
    second: IntArray,
    chance: FloatArray,
) -> int:
    """Count the worlds that every open person is in, in whole numbers. `BY_TABLE` if they are too many to be counted.

    By inclusion and exclusion: worlds in which every value is somebody's = Σ over sets V of values of (−1)^|V| · (ways
    to choose among the people who have none of V), for all sets at once by the zeta transform.
    """
    if len(people) > _MOST_CANDIDATES or total * left > 1e6 or _log_2_choose(total, left) > 61.0:
        return BY_TABLE
    place = _needed(entry, people, state, having, heeded)
    values = place.max() + 1
    if values > most_values:
        return BY_TABLE
    all_values = (1 << values) - 1
    mask = np.zeros(len(people), dtype=np.int64)
    without = first[: all_values + 1]
    without[:] = 0
    for i in range(len(people)):
        if state[i] == OPEN:
            for t in range(entry.shape[1]):
                if place[entry[i, t]] >= 0:
                    mask[i] |= 1 << place[entry[i, t]]
            without[mask[i]] += people[i]
    _add_subsets(without, values)  # now: how many people have no other values than these
    ways, ways_beside_one = _choose(total, left)
    worlds = 0
    beside = second[: all_values + 1]
    for excluded in range(all_values + 1):
        kept = without[all_values ^ excluded]
        sign = 1
        rest = excluded
        while rest:
            rest &= rest - 1
            sign = -sign
        worlds += sign * ways[kept]
        beside[excluded] = sign * ways_beside_one[kept - 1] if kept > 0 else 0
    _add_subsets(beside, values)
    if worlds == 0:
        return CONTRADICTED
    for i in range(len(people)):
        if state[i] == OPEN:
            with_this_one = beside[all_values ^ mask[i]]
            chance[i] = with_this_one / worlds
            if with_this_one == worlds:
                state[i] = IN
    return EXACT


@njit(cache=True)
def _needed(entry: Codes, people: IntArray, state: Flags, having: IntArray, heeded: Flags) -> IntArray:
    """A place for each value that must be heeded, −1 for one whose people include all those of another value."""
    n = len(having)
    joint = np.zeros((n, n), dtype=np.int64)
    for i in range(len(people)):
        if state[i] == OPEN:
            for t in range(entry.shape[1]):
                for u in range(entry.shape[1]):
                    joint[entry[i, t], entry[i, u]] += people[i]
    place = np.full(n, -1, dtype=np.int64)
    known = 0
    for b in range(n):
        needed = heeded[b] == 1
        for a in range(n):
            inside = heeded[a] == 1 and a != b and joint[a, b] == having[a]
            if inside and (having[a] < having[b] or a < b):
                needed = False
        if needed:
            place[b] = known
            known += 1
    return place


@njit(cache=True)
def _add_subsets(of: IntArray, bits: int) -> None:
    """Each place becomes the sum over all subsets of its bits (wrapping around, which sums in range undo)."""
    for bit in range(bits):
        for s in range(len(of)):
            if s >> bit & 1:
                of[s] += of[s ^ (1 << bit)]


@njit(cache=True)
def _choose(most: int, k: int) -> tuple[IntArray, IntArray]:
    """n over k and n over k − 1 for all n up to `most`, exactly as long as they are below 2^63."""
    below = np.zeros(most + 1, dtype=np.int64)
    now = np.ones(most + 1, dtype=np.int64)
    for _ in range(k):
        below, now = now, below
        now[0] = 0
        for n in range(most):
            now[n + 1] = now[n] + below[n]
    return now, below


@njit(cache=True)
def _log_2_choose(n: int, k: int) -> float:
    total = 0.0
    for i in range(min(k, n - k)):
        total += np.log2((n - i) / (i + 1.0))
    return total
