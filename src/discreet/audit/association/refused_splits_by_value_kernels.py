"""The compiled loops of `refused_splits` for promises that ask of every value by itself; see there for the theory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.audit.association.refused_splits import DISTINCT, TIE, Demands
from discreet.compiled import inner, kernel

_MOST_ROOM, _MOST_STATES = 250, 1 << 18  # seats of parts that may fail; numbers of states
_LARGEST, _SMALLEST = 1e250, 1e-250  # beyond, numbers are no longer told apart from nothing, or from no number


class _Asked(NamedTuple):
    """What is dealt out, and to whom: value i, of the most frequent first, `many[i]` times, `up_to[i]` are of those
    before it. Part j, of those that may fail, has `size[j]` seats, and fails with fewer than `needed` values or with
    more than `most_of_one[j]` people of one value. Its states are `step[j]` apart.
    """

    many: IntArray
    up_to: IntArray
    needed: int
    size: IntArray
    most_of_one: FloatArray
    step: IntArray


class _Walk(NamedTuple):
    """States as they came up, with their chance; moves between them, each with the `value` that is dealt out, how
    `likely` it is, and how many people of the value each part is `given`. `counted` are states, moves and steps.
    """

    state: IntArray
    chance: FloatArray
    came_from: IntArray
    went_to: IntArray
    value: IntArray
    likely: FloatArray
    given: IntArray
    counted: IntArray


@kernel
def weigh_by_value(
    counts: IntArray,
    falling: IntArray,
    parts: IntArray,
    free: int,
    demands: Demands,
    most: int,
    chance: FloatArray,
    held: FloatArray,
) -> bool:
    """The same as `weigh`, of promises of distinct values and of largest shares alone; `falling` is the values' order.

    Values are dealt out one after the other, the most frequent first. Of a part that may still fail it is enough to
    know how many seats are left, and how many values it has so far; all others, and the free one, are told apart
    afterwards. Worlds in which nothing fails are what the other worlds leave of all.
    False if more than `most` steps would have to be taken; then nothing is meant by what was written.
    """
    asked, fails = _asked(counts, falling, parts, demands)
    chance[:] = 0.0
    held[:] = 0.0
    numbers = np.flatnonzero(fails)
    if len(numbers) and not _deal(asked, falling, numbers, most, chance, held):
        return False
    columns, people, others = held.shape[1], counts.sum(), counts.sum() - asked.size.sum()
    size = np.empty(columns)
    for j in range(columns):
        size[j] = float(parts[j] if j < len(parts) else free)
    chance[0] = max(1.0 - chance.sum(), 0.0)
    for v in range(len(counts)):
        for s in range(1, len(chance)):
            rest = counts[v] * chance[s]
            for tracked in numbers:
                rest -= held[s, tracked, v]
            for j in range(columns):
                if j >= len(parts) or not fails[j]:
                    held[s, j, v] = max(rest, 0.0) * size[j] / others
        for j in range(columns):
            rest = counts[v] * size[j] / people
            for s in range(1, len(chance)):
                rest -= held[s, j, v]
            held[0, j, v] = max(rest, 0.0)
    return True


@inner
def _asked(counts: IntArray, falling: IntArray, parts: IntArray, demands: Demands) -> tuple[_Asked, BoolArray]:
    """What is asked of the parts that may fail, and which ones these are."""
    needed, share = 0, np.inf
    for p in range(len(demands.kinds)):
        if demands.kinds[p] == DISTINCT:
            needed = max(needed, int(np.ceil(demands.limit[p])))
        else:
            share = min(share, demands.limit[p])
    many, up_to = counts[falling], np.zeros(len(counts) + 1, dtype=np.int64)
    for i in range(len(many)):
        up_to[i + 1] = up_to[i] + many[i]
    fails, most_of_one = np.zeros(len(parts), dtype=np.bool_), np.empty(len(parts))
    for j in range(len(parts)):
        most_of_one[j] = share * parts[j] * (1 + TIE)
        fails[j] = _may_fail(0, parts[j], 0, needed, most_of_one[j], many, up_to)
    size, step = parts[fails], np.ones(fails.sum(), dtype=np.int64)
    for j in range(1, len(size)):
        step[j] = min(step[j - 1] * (size[j - 1] + 1) * (needed + 2), _MOST_STATES + 1)
    return _Asked(many, up_to, needed, size, most_of_one[fails], step), fails


@inner
def _may_fail(i: int, left: int, mark: int, needed: int, most_of_one: float, many: IntArray, up_to: IntArray) -> bool:
    """May a part with so many seats left fail when the values from i on are dealt out?

    Its `mark` is how many values it has, as far as they are needed, and one more if it has failed. It will have too few
    only if the most frequent of those that it may still get fill its seats.
    """
    if mark > needed:
        return True
    if mark < needed and left <= up_to[min(i + needed - 1 - mark, len(many))] - up_to[i]:
        return True
    return bool(i < len(many) and min(many[i], left) > most_of_one)


@inner
def _deal(asked: _Asked, falling: IntArray, numbers: IntArray, most: int, chance: FloatArray, held: FloatArray) -> bool:
    """Worlds in which one of these parts fails: their chance, and what the parts then have."""
    apart, marks, room = len(numbers), asked.needed + 2, asked.size.sum()
    states = asked.step[-1] * (asked.size[-1] + 1) * marks
    if room > _MOST_ROOM or states > _MOST_STATES:
        return False
    walk = _Walk(
        np.empty(most, dtype=np.int64),
        np.empty(most),
        np.empty(most, dtype=np.int64),
        np.empty(most, dtype=np.int64),
        np.empty(most, dtype=np.int64),
        np.empty(most),
        np.empty((most, apart), dtype=np.int64),
        np.zeros(3, dtype=np.int64),
    )
    walk.state[0] = (asked.step * asked.size * marks).sum()
    walk.chance[0], walk.counted[0] = 1.0, 1
    place, choose = np.full(states, -1, dtype=np.int64), _binomials(room)
    first, seats = 0, asked.many.sum()
    for i in range(len(asked.many)):
        last = walk.counted[0]
        others = _others(asked.many[i], seats, room)
        if not _finite(others):
            return False
        for e in range(first, last):
            if not _go_on(walk, e, i, last, asked, choose, others, place):
                return False
        first, seats = last, seats - asked.many[i]
    _look_back(walk, first, asked, falling, numbers, chance, held)
    return bool(first == walk.counted[0] or chance.sum() > _SMALLEST)


@inner
def _binomials(n: int) -> FloatArray:
    choose = np.zeros((n + 1, n + 1))
    for a in range(n + 1):
        choose[a, 0] = 1.0
        for b in range(1, a + 1):
            choose[a, b] = choose[a - 1, b - 1] + choose[a - 1, b]
    return choose


@inner
def _others(many: int, seats: int, room: int) -> FloatArray:
    """C(seats − a, many − b) / C(seats, many): of so many people, b sit elsewhere, in a of the seats."""
    quotient = np.zeros((room + 1, room + 1))
    quotient[0, 0] = 1.0
    for b in range(1, min(room, many) + 1):
        quotient[0, b] = quotient[0, b - 1] * (many - b + 1) / (seats - many + b)
    for a in range(1, min(room, seats) + 1):
        for b in range(min(room, many) + 1):
            quotient[a, b] = quotient[a - 1, b] * max(seats - a + 1 - many + b, 0) / (seats - a + 1)
    return quotient


@inner
def _finite(numbers: FloatArray) -> bool:
    return bool(numbers.max() < _LARGEST)


@inner
def _go_on(
    walk: _Walk,
    e: int,
    i: int,
    last: int,
    asked: _Asked,
    choose: FloatArray,
    others: FloatArray,
    place: IntArray,
) -> bool:
    """Deal out value i in one state, in all ways: x people to part j with chance Π C(leftⱼ, xⱼ) times that of `others`.

    States of the next value stand from `last` on; of each number, `place` tells where. False if there is no room.
    """
    apart, marks, most = len(asked.size), asked.needed + 2, len(walk.state)
    left, mark = np.empty(apart, dtype=np.int64), np.empty(apart, dtype=np.int64)
    x, seats, given = np.zeros(apart, dtype=np.int64), 0, 0
    for j in range(apart):
        own = walk.state[e] // asked.step[j] % ((asked.size[j] + 1) * marks)
        left[j], mark[j] = own // marks, own % marks
        seats += left[j]
    turn = 0
    while turn < apart:
        walk.counted[2] += 1
        move = walk.counted[1]
        if walk.counted[2] >= most or move == most - 1 or walk.counted[0] == most - 1:
            return False
        likely = others[seats, given]
        for j in range(apart):
            likely *= choose[left[j], x[j]]
        to = _after(left, mark, x, i, asked) if likely > 0.0 else -1
        if to >= 0:
            if place[to] < last:
                place[to] = walk.counted[0]
                walk.state[place[to]], walk.chance[place[to]] = to, 0.0
                walk.counted[0] += 1
            walk.came_from[move], walk.went_to[move], walk.value[move], walk.likely[move] = e, place[to], i, likely
            walk.chance[place[to]] += walk.chance[e] * likely
            for j in range(apart):
                walk.given[move, j] = x[j]
            walk.counted[1] += 1
        turn = 0
        while turn < apart and (x[turn] == left[turn] or given == asked.many[i]):
            given -= x[turn]
            x[turn] = 0
            turn += 1
        if turn < apart:
            x[turn] += 1
            given += 1
    return True


@inner
def _after(left: IntArray, mark: IntArray, x: IntArray, i: int, asked: _Asked) -> int:
    """The state in which x people more have value i; −1 if none of the parts may fail any more."""
    state, open_still = 0, False
    for j in range(len(x)):
        now = mark[j] + (1 if mark[j] < asked.needed and x[j] > 0 else 0)
        if x[j] > asked.most_of_one[j]:
            now = asked.needed + 1
        rest = left[j] - x[j]
        if _may_fail(i + 1, rest, now, asked.needed, asked.most_of_one[j], asked.many, asked.up_to):
            open_still = True
        else:
            now = asked.needed
        state += asked.step[j] * (rest * (asked.needed + 2) + now)
    return state if open_still else -1


@inner
def _look_back(
    walk: _Walk,
    first: int,
    asked: _Asked,
    falling: IntArray,
    numbers: IntArray,
    chance: FloatArray,
    held: FloatArray,
) -> None:
    """From what has become of the parts in the last states (from `first` on) back to what they had on the way."""
    sets, marks = len(chance), asked.needed + 2
    ends = np.zeros((walk.counted[0], sets))  # how likely each set of parts fails, from a state on
    for e in range(first, walk.counted[0]):
        broken = 0
        for j in range(len(numbers)):
            if walk.state[e] // asked.step[j] % marks != asked.needed:
                broken |= 1 << numbers[j]
        ends[e, broken] = 1.0
    for move in range(walk.counted[1] - 1, -1, -1):
        e, to, likely = walk.came_from[move], walk.went_to[move], walk.likely[move]
        v = falling[walk.value[move]]
        for s in range(1, sets):
            onward = likely * ends[to, s]
            if onward > 0.0:
                ends[e, s] += onward
                for j in range(len(numbers)):
                    held[s, numbers[j], v] += walk.chance[e] * onward * walk.given[move, j]
    for s in range(1, sets):
        chance[s] = ends[0, s]
