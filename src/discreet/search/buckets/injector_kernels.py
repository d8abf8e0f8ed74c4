"""The compiled loops of Injector: groups of rows that can stand together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import IntArray
from discreet.compiled import inner, kernel
from discreet.search.buckets.injector_rules import has, meet, put
from discreet.utility.queries import Bits

WORK = 300_000_000  # groups that are looked at in all for rows that are left, about a second
LOOK_AT = 32  # kinds of a value that are looked at from either end of its list


class Kinds(NamedTuple):
    """Rows of a kind are interchangeable: `people` rows with the same value, for whom the same values are struck out.

    Kinds that fit with fewest others come first. `set_of` has the protected set of each value, −1 for none.
    """

    value: IntArray
    excluded: Bits
    people: IntArray
    set_of: IntArray
    sets: int


class Rest(NamedTuple):
    """Rows without a group: of each kind, value and set, and in a list for each value (`first` … `after` … −1)."""

    of_kind: IntArray
    of_value: IntArray
    of_set: IntArray
    first: IntArray
    last: IntArray
    before: IntArray
    after: IntArray


class Group(NamedTuple):
    """A group: the values of its rows, all that is struck out for them, and the protected sets it has."""

    values: Bits
    excluded: Bits
    sets: Bits


class Groups(NamedTuple):
    """All groups, a line each."""

    values: NDArray[np.uint64]
    excluded: NDArray[np.uint64]
    sets: NDArray[np.uint64]


@kernel
def compatible_groups(kinds: Kinds, rows: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Put rows into groups of `rows` in which nobody stands with a value that is struck out for them.

    A group has at most one row of each protected set. It starts with the kind that fits with fewest others, or with a
    set that has to be in every group from now on, and takes from the largest sets that fit, filled up with unprotected
    rows at random. What is left goes to groups where it fits. Returns the kind and the group of each row, −1 for those
    that fit nowhere.
    """
    rest = _everything(kinds)
    left = kinds.people.sum()
    words, set_words = kinds.excluded.shape[1], max(kinds.sets + 63 >> 6, 1)
    groups = Groups(
        np.zeros((left // rows, words), dtype=np.uint64),
        np.zeros((left // rows, words), dtype=np.uint64),
        np.zeros((left // rows, set_words), dtype=np.uint64),
    )
    kind, group = np.empty(left, dtype=np.int64), np.full(left, -1, dtype=np.int64)
    members = np.empty(rows, dtype=np.int64)
    waiting = np.zeros(len(kinds.people), dtype=np.int64)
    tried = np.full(len(kinds.set_of), -1, dtype=np.int64)
    many = picks = next_kind = 0
    while left >= rows:
        while rest.of_kind[next_kind] == 0:
            next_kind += 1
        needed = _needed_everywhere(kinds, rest, left, rows)
        g = _group(groups, many)
        members[0] = next_kind if needed < 0 else needed
        _start(g)
        _add(kinds, g, members[0])
        size = 1
        while size < rows:
            picks += 1
            members[size] = _next(kinds, rest, g, members[:size], tried, picks, rng)
            if members[size] < 0:
                break
            _add(kinds, g, members[size])
            size += 1
        if size == rows:
            for i in range(rows):
                kind[many * rows + i], group[many * rows + i] = members[i], many
                _take(kinds, rest, members[i], 1)
            left -= rows
            many += 1
        else:
            t = members[0]
            waiting[t] = rest.of_kind[t]
            left -= waiting[t]
            _take(kinds, rest, t, waiting[t])
    waiting += rest.of_kind
    looked_at = min(many, WORK // max((waiting > 0).sum(), 1))
    done = many * rows
    for t in range(len(waiting)):
        place = 0
        for _ in range(waiting[t]):
            kind[done] = t
            if place >= 0:  # else no other row of the kind finds one either
                place = _where_it_fits(kinds, groups, many, t, looked_at, rng.integers(0, max(many, 1)))
                group[done] = place
            done += 1
    return kind, group


@inner
def _where_it_fits(kinds: Kinds, groups: Groups, many: int, t: int, looked_at: int, start: int) -> int:
    """Put a row into some group where it fits: its number, or −1."""
    for j in range(looked_at):
        g = _group(groups, (start + j) % many)
        if _fits(kinds, g, t):
            _add(kinds, g, t)
            return (start + j) % many
    return -1


@inner
def _everything(kinds: Kinds) -> Rest:
    """Nobody has a group yet."""
    n, v = len(kinds.people), len(kinds.set_of)
    rest = Rest(
        kinds.people.copy(),
        np.zeros(v, dtype=np.int64),
        np.zeros(max(kinds.sets, 1), dtype=np.int64),
        np.full(v, -1, dtype=np.int64),
        np.full(v, -1, dtype=np.int64),
        np.full(n, -1, dtype=np.int64),
        np.full(n, -1, dtype=np.int64),
    )
    for t in range(n):
        value = kinds.value[t]
        rest.of_value[value] += kinds.people[t]
        if kinds.set_of[value] >= 0:
            rest.of_set[kinds.set_of[value]] += kinds.people[t]
        if rest.first[value] < 0:
            rest.first[value] = t
        else:
            rest.before[t] = rest.last[value]
            rest.after[rest.last[value]] = t
        rest.last[value] = t
    return rest


@inner
def _take(kinds: Kinds, rest: Rest, t: int, many: int) -> None:
    """These rows are without a group no more."""
    value = kinds.value[t]
    rest.of_kind[t] -= many
    rest.of_value[value] -= many
    if kinds.set_of[value] >= 0:
        rest.of_set[kinds.set_of[value]] -= many
    if rest.of_kind[t] == 0:
        before, after = rest.before[t], rest.after[t]
        if before < 0:
            rest.first[value] = after
        else:
            rest.after[before] = after
        if after < 0:
            rest.last[value] = before
        else:
            rest.before[after] = before


@inner
def _needed_everywhere(kinds: Kinds, rest: Rest, left: int, rows: int) -> int:
    """The first kind of a set so large that every group from now on must have a row of it, or −1."""
    s = np.argmax(rest.of_set)
    if rest.of_set[s] * rows < left:
        return -1
    best = -1
    for value in range(len(kinds.set_of)):
        t = rest.first[value]
        if kinds.set_of[value] == s and t >= 0 and (best < 0 or t < best):
            best = t
    return best


@inner
def _group(groups: Groups, at: int) -> Group:
    return Group(groups.values[at], groups.excluded[at], groups.sets[at])


@inner
def _start(g: Group) -> None:
    g.values[:] = np.uint64(0)
    g.excluded[:] = np.uint64(0)
    g.sets[:] = np.uint64(0)


@inner
def _add(kinds: Kinds, g: Group, t: int) -> None:
    value = kinds.value[t]
    put(g.values, value)
    if kinds.set_of[value] >= 0:
        put(g.sets, kinds.set_of[value])
    for w in range(len(g.excluded)):
        g.excluded[w] |= kinds.excluded[t, w]


@inner
def _fits(kinds: Kinds, g: Group, t: int) -> bool:
    """Does a row of this kind fit in beside those of the group?"""
    value = kinds.value[t]
    s = kinds.set_of[value]
    if s >= 0 and has(g.sets, s):
        return False
    return not has(g.excluded, value) and not meet(g.values, kinds.excluded[t])


@inner
def _next(
    kinds: Kinds, rest: Rest, g: Group, members: IntArray, tried: IntArray, pick: int, rng: np.random.Generator
) -> int:
    """A kind that fits into the group: of the largest protected set that has one, else of an unprotected value."""
    t: int = -1
    while True:
        best = -1
        for value in range(len(kinds.set_of)):
            s = kinds.set_of[value]
            if s < 0 or rest.of_value[value] == 0 or tried[value] == pick or has(g.sets, s) or has(g.excluded, value):
                continue
            if best < 0 or (rest.of_set[s], rest.of_value[value]) > (
                rest.of_set[kinds.set_of[best]],
                rest.of_value[best],
            ):
                best = value
        if best < 0:
            break
        t = _of_value(kinds, rest, g, members, best)
        if t >= 0:
            return t
        tried[best] = pick
    while True:
        weight = 0
        for value in range(len(kinds.set_of)):
            if kinds.set_of[value] < 0 and tried[value] != pick and not has(g.excluded, value):
                weight += rest.of_value[value]
        if weight == 0:
            return -1
        place = rng.integers(0, weight)
        for value in range(len(kinds.set_of)):
            if kinds.set_of[value] < 0 and tried[value] != pick and not has(g.excluded, value):
                place -= rest.of_value[value]
                if place < 0:
                    t = _of_value(kinds, rest, g, members, value)
                    if t >= 0:
                        return t
                    tried[value] = pick
                    break


@inner
def _of_value(kinds: Kinds, rest: Rest, g: Group, members: IntArray, value: int) -> int:
    """The kind of this value that fits into the group and strikes out least more; of equal ones the first; or −1.

    Kinds are looked at from both ends of the value's list: those that fit with fewest others, and with most.
    """
    best, least = -1, 0
    t, backward = rest.first[value], rest.last[value]
    for i in range(2 * LOOK_AT):
        if t < 0:
            break
        if not meet(g.values, kinds.excluded[t]) and _is_left(rest, members, t):
            more = _more(g.excluded, kinds.excluded[t])
            if best < 0 or more < least:
                best, least = t, more
            if least == 0:
                break
        t = backward if i == LOOK_AT - 1 else rest.after[t] if i < LOOK_AT else rest.before[t]
    return best


@inner
def _more(excluded: Bits, others: Bits) -> int:
    """How many bits the others would add."""
    number = 0
    for w in range(len(excluded)):
        bits = others[w] & ~excluded[w]
        while bits != np.uint64(0):
            bits &= bits - np.uint64(1)
            number += 1
    return number


@inner
def _is_left(rest: Rest, members: IntArray, t: int) -> bool:
    """Are there more rows of the kind than the group has already?"""
    return bool(rest.of_kind[t] > (members == t).sum())
