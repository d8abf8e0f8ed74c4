"""Weighing many groups beside the same one: compiled, and what is the same for all of them is looked up once.

`weigh` leaves in a `Group` what `growth.fill` would of all people together, to the last bit: chances are added in the
order of the people, first those who are the same each time. Only one loop is over attribute sets, the innermost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.compiled import inner
from discreet.search.art.growth import CERTAIN, Group, is_protected, odds_of
from discreet.search.art.people import Points, Table


class Known(NamedTuple):
    """What is looked up of people and values, both by their places in this room.

    `numbers` are those of the people who are the same each time, of their distinct values, and of all values whose
    chances are known of these people. Value i is `values[i]`; person t has the `chances` of value i, per attribute set,
    and the `odds` of its protected set where it is in one. `sums` are the chances of the people who are the same, and
    `counts` how many of them have a value. Somebody who is there several times in a row has one place: `who`.
    """

    numbers: IntArray
    values: Codes
    counts: IntArray
    sums: Points
    people: IntArray
    who: IntArray
    chances: NDArray[np.float32]
    odds: NDArray[np.float64]
    rarity: Points
    likely: Points
    order: IntArray


def room_for(table: Table, most: int) -> Known:
    """Room for groups of so many people."""
    sets, values = table.signatures.shape[1], 3 * most
    return Known(
        np.zeros(3, dtype=np.int64),
        np.empty(values, dtype=np.int32),
        np.empty(values, dtype=np.int64),
        np.empty((values, sets), dtype=np.float32),
        np.empty(most, dtype=np.int64),
        np.empty(most, dtype=np.int64),
        np.empty((most, values, sets), dtype=np.float32),
        np.empty((most, values, sets)),
        np.empty((most, sets), dtype=np.float32),
        np.empty(sets, dtype=np.float32),
        np.empty(most, dtype=np.int64),
    )


@inner
def look_up(table: Table, known: Known, rows: IntArray) -> None:
    """These combinations are the same from now on, one row of each."""
    known.numbers[0] = _seated(known, rows, np.int64(0))
    known.numbers[1] = known.numbers[2] = 0
    for row in rows:
        i = _place(table, known, table.values[row], len(rows))
        known.counts[i] += 1
    known.numbers[0], known.numbers[1] = len(rows), known.numbers[2]


@inner
def _seated(known: Known, rows: IntArray, first: int) -> int:
    """Give the people of these combinations places; the place behind the last."""
    for t in range(len(rows)):
        if t > 0 and rows[t] == rows[t - 1]:
            known.who[first + t] = known.who[first + t - 1]
        else:
            known.who[first + t] = first + t
            known.people[first + t] = rows[t]
    return first + len(rows)


@inner
def _place(table: Table, known: Known, value: int, same: int) -> int:
    """The place of a value; of a new one, the chances of the people who are the same are looked up."""
    for place in range(known.numbers[2]):
        if known.values[place] == value:
            return place
    i: int = known.numbers[2]
    known.numbers[2] += 1
    known.values[i], known.counts[i] = value, 0
    for a in range(known.sums.shape[1]):
        known.sums[i, a] = 0
    for t in range(same):
        if known.who[t] == t:
            _ask(table, known, t, i)
        for a in range(known.sums.shape[1]):
            known.sums[i, a] += known.chances[known.who[t], i, a]
    return i


@inner
def _ask(table: Table, known: Known, t: int, i: int) -> None:
    """Look up what the person at one place has of the value at another."""
    value, kind = known.values[i], table.kind[known.people[t]]
    protected = is_protected(table, value)
    for a in range(table.signatures.shape[1]):
        at = table.signatures[kind, a]
        known.chances[t, i, a] = table.chances[at, value]
        if protected:
            known.odds[t, i, a] = odds_of(table, at, value)


@inner(error_model="numpy")
def weigh(table: Table, known: Known, rows: IntArray, group: Group) -> None:
    """Make it the group of those who are the same and these combinations, as far as `missing` looks at it."""
    same, fixed = known.numbers[0], known.numbers[1]
    if known.numbers[2] + len(rows) > len(known.values):
        known.numbers[2] = fixed
    members = _seated(known, rows, same)
    distinct = protected = 0
    for i in range(fixed):
        group.values[i], group.counts[i], known.order[i] = known.values[i], known.counts[i], i
    distinct = fixed
    for row in rows:
        i, j = _place(table, known, table.values[row], same), 0
        while j < distinct and known.order[j] != i:
            j += 1
        if j == distinct:
            known.order[j], group.values[j], group.counts[j] = i, known.values[i], 0
            distinct += 1
        group.counts[j] += 1
    for j in range(distinct):
        if is_protected(table, group.values[j]):
            group.protected[protected] = group.values[j]
            protected += 1
    group.numbers[0], group.numbers[1], group.numbers[2] = members, distinct, protected
    if protected == 0:
        return
    for t in range(same, members):
        if known.who[t] == t:
            for j in range(distinct):
                _ask(table, known, t, known.order[j])
    _rarities(known, group)
    _total(table, known, group)


@inner(error_model="numpy")
def _rarities(known: Known, group: Group) -> None:
    """How often the group has each value, divided by how many of its people should."""
    sets = known.sums.shape[1]
    for j in range(group.numbers[1]):
        i, expected = known.order[j], known.rarity[j]
        for a in range(sets):
            expected[a] = known.sums[i, a]
        for t in range(known.numbers[0], group.numbers[0]):
            chance = known.chances[known.who[t], i]
            for a in range(sets):
                expected[a] += chance[a]
        count = float(group.counts[j])
        for a in range(sets):
            expected[a] = count / expected[a] if expected[a] > 0 else 0


@inner(error_model="numpy")
def _total(table: Table, known: Known, group: Group) -> None:
    """The largest q and their sum, in both views, of each protected value."""
    sets, likely = known.sums.shape[1], known.likely
    for p in range(group.numbers[2]):
        for a in range(sets):
            group.largest[p, 0, a] = group.total[p, 0, a] = group.largest[p, 1, a] = group.total[p, 1, a] = 0
    last = -1
    for t in range(group.numbers[0]):
        who = known.who[t]
        if who != last:
            for a in range(sets):
                likely[a] = 0
            for j in range(group.numbers[1]):
                chance, rarity = known.chances[who, known.order[j]], known.rarity[j]
                for a in range(sets):
                    likely[a] += chance[a] * rarity[a]
            last = who
        p = 0
        for j in range(group.numbers[1]):
            if is_protected(table, group.values[j]):
                _add(known.odds[who, known.order[j]], group.largest[p, 0], group.total[p, 0])
                _add_shares(known.chances[who, known.order[j]], likely, group.largest[p, 1], group.total[p, 1])
                p += 1


@inner
def _add(odds: FloatArray, largest: Points, total: Points) -> None:
    for a in range(len(odds)):
        largest[a] = max(largest[a], odds[a])
        total[a] += odds[a]


@inner(error_model="numpy")
def _add_shares(chances: Points, likely: Points, largest: Points, total: Points) -> None:
    for a in range(len(chances)):
        certain = CERTAIN if chances[a] > 0 else np.float32(0)
        share = min(chances[a] / likely[a], CERTAIN) if likely[a] > 0 else certain
        largest[a] = max(largest[a], share)
        total[a] += share
