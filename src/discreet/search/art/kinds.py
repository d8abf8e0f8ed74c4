"""The compiled grouping of people whom nobody can tell apart."""

from __future__ import annotations

import numpy as np

from discreet.arrays import IntArray
from discreet.compiled import inner, kernel
from discreet.search.art.people import Index, Stock, Table
from discreet.search.art.tree import conflict, enlist


@kernel(plain=lambda table, index, stock, *_: 40 * int(stock.left.sum()) + 100 * len(stock.left))
def alike_groups(table: Table, index: Index, stock: Stock, kinds: IntArray, starts: IntArray, size: int) -> IntArray:
    """Groups of people with equal signatures, one of each of their most frequent values: a row of combinations each.

    All have equal chances, so everybody has each value with 1 / `size`. Xiao & Tao's Anatomy puts all into such groups
    as long as no value has more than 1 / `size` of the people. People of one kind, whose quasi-identifiers are equal
    too, come first, for they lose nothing; but only as long as that leaves to the others what they need.

    The kinds ``starts[c]:starts[c + 1]`` of `kinds` are alike.
    """
    members = np.empty((1024, size), dtype=np.int64)
    number = 0
    counts = np.zeros(len(table.set_offsets) - 1, dtype=np.int64)  # people left, by value
    chosen = np.empty(size, dtype=np.int64)
    for c in range(len(starts) - 1):
        some = kinds[starts[c] : starts[c + 1]]
        rows = _rows_of(table, some)
        for row in rows:
            counts[table.values[row]] += stock.left[row]
        people = counts.sum()
        for k in some:
            own = table.rows[table.starts[k] : table.starts[k + 1]]
            while _choose(table, own, stock.left[own], chosen) and _is_fair(table, counts, people, chosen):
                if number == len(members):
                    members = np.concatenate((members, np.empty_like(members)))
                for i in range(size):
                    members[number, i] = chosen[i]
                number += 1
                people -= size
                for row in chosen:
                    enlist(table, index, stock, row)
                    counts[table.values[row]] -= 1
        # The others by value: the first combination of each that has somebody left.
        rows = _by_value(table, rows, len(counts)) if len(some) > 1 else rows[:0]
        heads, ends = _heads(table, rows)
        while len(heads) >= size:
            for i in range(len(heads)):
                while heads[i] < ends[i] - 1 and stock.left[rows[heads[i]]] == 0:
                    heads[i] += 1
            if not _choose(table, rows[heads], counts[table.values[rows[heads]]], chosen):
                break
            if number == len(members):
                members = np.concatenate((members, np.empty_like(members)))
            for i in range(size):
                members[number, i] = chosen[i]
            number += 1
            for row in chosen:
                enlist(table, index, stock, row)
                counts[table.values[row]] -= 1
        counts[:] = 0
    return members[:number].copy()


@inner
def _rows_of(table: Table, kinds: IntArray) -> IntArray:
    """All combinations of these kinds."""
    number = 0
    for k in kinds:
        number += table.starts[k + 1] - table.starts[k]
    rows = np.empty(number, dtype=np.int64)
    number = 0
    for k in kinds:
        for row in table.rows[table.starts[k] : table.starts[k + 1]]:
            rows[number] = row
            number += 1
    return rows


@inner
def _by_value(table: Table, rows: IntArray, values: int) -> IntArray:
    """Combinations in order of their values; those with one value stay as they were."""
    place = np.zeros(values + 1, dtype=np.int64)
    for row in rows:
        place[table.values[row] + 1] += 1
    for v in range(values):
        place[v + 1] += place[v]
    ordered = np.empty(len(rows), dtype=np.int64)
    for row in rows:
        ordered[place[table.values[row]]] = row
        place[table.values[row]] += 1
    return ordered


@inner
def _heads(table: Table, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Where each value begins and ends in combinations that are in order of their values."""
    heads, ends = np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.int64)
    number = 0
    for i in range(len(rows)):
        if i == 0 or table.values[rows[i]] != table.values[rows[i - 1]]:
            heads[number] = i
            number += 1
        ends[number - 1] = i + 1
    return heads[:number], ends[:number]


@inner
def _choose(table: Table, rows: IntArray, left: IntArray, chosen: IntArray) -> bool:
    """Fill `chosen` with the combinations of which most are left, no two with one value, protected set or owner."""
    for i in range(len(chosen)):
        best, most = -1, 0
        for j in range(len(rows)):
            if left[j] > most:
                free = True
                for other in chosen[:i]:
                    v, w, owner = table.values[other], table.values[rows[j]], table.person[other]
                    free &= v != w and not conflict(table, v, w)
                    free &= owner < 0 or owner != table.person[rows[j]]
                if free:
                    best, most = rows[j], left[j]
        if best < 0:
            return False
        chosen[i] = best
    return True


@inner
def _is_fair(table: Table, counts: IntArray, people: int, chosen: IntArray) -> bool:
    """Do these leave no value to more than its share of the others, unless it had more before?"""
    fair = True
    for v in range(len(counts)):
        if counts[v] * len(chosen) >= people:
            there = False
            for row in chosen:
                there |= table.values[row] == v
            fair &= there
    return fair
