"""Worlds of small groups counted out side by side, compiled: the same steps for many groups, one lane for each.

Where each value is there once, a state of `all_values` is the set of values that are dealt out, as bits: a step from
set to set waits for the one before, but a processor can make it for several groups at once. Each group's sums are added
up in the same order as in `all_values` and `one_value`, so that they are the same numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.compiled import inner, kernel

LANES = 64  # fewer, and compilers make one step after the other
ONCE = 8  # values that one person has each, up to which sets of them are counted as bits
TINY, HUGE = 1e-200, 1e200  # between which the weight of all worlds must be for chances to be exact


class Entries(NamedTuple):
    """People of groups, group by group: entry e of group g, from ``starts[g]`` on, is ``many[e]`` people.

    Group g has the values ``value[value_starts[g]:value_starts[g + 1]]``; who has v matters where ``asked[v]``.
    """

    starts: IntArray
    many: IntArray
    value_starts: IntArray
    value: IntArray
    asked: BoolArray


class Lanes(NamedTuple):
    """Groups of n people with n values, one each, that are counted out together, people of a kind one after the other.

    ``likely[j, v, lane]`` is the chance of person j to have value v, and ``out`` how likely it is in all possible
    worlds. The first of a kind has the `row` of all of it, and says how `many` they are; the others say 0.
    ``asked[v, lane]`` is 1 where v matters, else 0. `forward` and `backward` are weights of sets of values, of which
    `size` is how many there are in each. `one` and `together` are the largest chance of each person to have one of the
    values: by that value alone, and by all at once.
    """

    row: IntArray
    likely: FloatArray
    many: FloatArray
    asked: FloatArray
    out: FloatArray
    forward: FloatArray
    backward: FloatArray
    size: IntArray
    one: FloatArray
    together: FloatArray


@inner
def empty_lanes() -> Lanes:
    """Nobody is there. In free lanes stands anything: what is made of it is not looked at."""
    size = np.zeros(1 << ONCE, dtype=np.int64)
    for state in range(1, len(size)):
        size[state] = size[state >> 1] + (state & 1)
    return Lanes(
        np.zeros((LANES, ONCE), dtype=np.int64),
        np.zeros((ONCE, ONCE, LANES)),
        np.zeros((ONCE, LANES)),
        np.zeros((ONCE, LANES)),
        np.zeros((ONCE, ONCE, LANES)),
        np.zeros((1 << ONCE, LANES)),
        np.zeros((1 << ONCE, LANES)),
        size,
        np.zeros((ONCE, LANES)),
        np.zeros((ONCE, LANES)),
    )


@kernel
def differing(starts: IntArray, row: IntArray) -> BoolArray:
    """The groups whose people (entry by entry, as in `Entries`) are not all of the same row."""
    differ = np.zeros(len(starts) - 1, dtype=np.bool_)
    for g in range(len(differ)):
        for e in range(starts[g] + 1, starts[g + 1]):
            if row[e] != row[starts[g]]:
                differ[g] = True
                break
    return differ


@kernel(nogil=True)
def judge_side_by_side(
    groups: IntArray,
    entries: Entries,
    row: IntArray,
    chances: FloatArray,
    chance: FloatArray,
    one: FloatArray,
    left_open: BoolArray,
) -> None:
    """Raise what is known of every entry of these groups, by all values and by one at a time, to what its `row` tells.

    Each group has at most `ONCE` values, one person each, and as many people; those of one size stand together.
    ``left_open[i]`` is set where the i-th group can't be judged so: somebody surely has a value, or all its worlds
    weigh too little or too much.
    """
    lanes, low = empty_lanes(), 0
    value_starts = entries.value_starts
    while low < len(groups):
        n, high = value_starts[groups[low] + 1] - value_starts[groups[low]], low
        while high < min(low + LANES, len(groups)) and value_starts[groups[high] + 1] - value_starts[groups[high]] == n:
            high += 1
        take(lanes, n, groups[low:high], entries, row, chances, left_open[low:high])
        by_one_value(lanes, n)
        count_out(lanes, n)
        _raise(lanes, n, groups[low:high], entries, row, chance, one, left_open[low:high])
        low = high


@inner
def take(
    lanes: Lanes,
    n: int,
    groups: IntArray,
    entries: Entries,
    row: IntArray,
    chances: FloatArray,
    left_open: BoolArray,
) -> None:
    """Put groups of n people into lanes, people in the order of their rows."""
    rows, likely, of_kind, asked = lanes.row, lanes.likely, lanes.many, lanes.asked
    starts, many, value_starts, value = entries.starts, entries.many, entries.value_starts, entries.value
    own, people = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for lane in range(len(groups)):
        g, kinds = groups[lane], 0
        first, first_value = starts[g], value_starts[g]
        for e in range(first, starts[g + 1]):
            i = kinds
            while i > 0 and own[i - 1] > row[e]:
                own[i], people[i] = own[i - 1], people[i - 1]
                i -= 1
            own[i], people[i] = row[e], many[e]
            kinds += 1
        j, of_them = 0, 0
        for i in range(kinds):
            if i == 0 or own[i] != own[i - 1]:
                of_them = j
                of_kind[j, lane] = 0.0
            of_kind[of_them, lane] += people[i]
            for _ in range(people[i]):
                if j != of_them:
                    of_kind[j, lane] = 0.0
                rows[lane, j] = own[i]
                for v in range(n):
                    p = chances[own[i], value[first_value + v]]
                    likely[j, v, lane] = p
                    if p >= 1.0:
                        left_open[lane] = True
                j += 1
        for v in range(n):
            asked[v, lane] = 1.0 if entries.asked[value[first_value + v]] else 0.0


@inner
def _raise(
    lanes: Lanes,
    n: int,
    groups: IntArray,
    entries: Entries,
    row: IntArray,
    chance: FloatArray,
    one: FloatArray,
    left_open: BoolArray,
) -> None:
    rows, starts, total = lanes.row, entries.starts, lanes.forward[(1 << n) - 1]
    by_one, together = lanes.one, lanes.together
    for lane in range(len(groups)):
        left_open[lane] |= not TINY < total[lane] < HUGE
        if left_open[lane]:
            continue
        g = groups[lane]
        for e in range(starts[g], starts[g + 1]):
            j, own = 0, row[e]
            while rows[lane, j] != own:
                j += 1
            one[e] = max(one[e], by_one[j, lane])
            chance[e] = max(chance[e], by_one[j, lane], min(together[j, lane], 1.0))


@inner(error_model="numpy")
def by_one_value(lanes: Lanes, n: int) -> None:
    """The largest chance that each person has a value, by that value against all others; nobody surely has one."""
    likely, many, one, asked = lanes.likely, lanes.many, lanes.one, lanes.asked
    total, differ, equal_share = np.empty(LANES), np.empty(LANES), 1 / n
    for j in range(n):
        for lane in range(LANES):
            one[j, lane] = 0.0
    for v in range(n):
        for lane in range(LANES):
            total[lane] = differ[lane] = 0.0
        for j in range(n):
            for lane in range(LANES):
                p = likely[j, v, lane]
                total[lane] += many[j, lane] * p / (1.0 - p)
                differ[lane] += abs(p - likely[0, v, lane])
        for j in range(n):
            for lane in range(LANES):
                p = likely[j, v, lane]
                share = p / (1.0 - p) / total[lane]
                share = share if differ[lane] > 0.0 else equal_share
                one[j, lane] = max(one[j, lane], share * asked[v, lane])


@inner(error_model="numpy")
def count_out(lanes: Lanes, n: int) -> None:
    """The chance of everybody to have each value, by all of them at once, and the largest of those that matter."""
    _scale(lanes, n)
    likely, out, forward, backward = lanes.likely, lanes.out, lanes.forward, lanes.backward
    size, together, asked = lanes.size, lanes.together, lanes.asked
    last = (1 << n) - 1
    for lane in range(LANES):
        forward[0, lane] = backward[last, lane] = 1.0
    for state in range(1, last + 1):
        j = size[state] - 1
        for lane in range(LANES):
            forward[state, lane] = 0.0
        for v in range(n):
            if state >> v & 1:
                before = state ^ (1 << v)
                for lane in range(LANES):
                    forward[state, lane] += forward[before, lane] * likely[j, v, lane]
    for j in range(n):
        for v in range(n):
            for lane in range(LANES):
                out[j, v, lane] = 0.0
    for state in range(last - 1, -1, -1):
        j = size[state]
        for lane in range(LANES):
            backward[state, lane] = 0.0
        for v in range(n):
            if not state >> v & 1:
                after = state | (1 << v)
                for lane in range(LANES):
                    onward = likely[j, v, lane] * backward[after, lane]
                    backward[state, lane] += onward
                    out[j, v, lane] += forward[state, lane] * onward / forward[last, lane]
    for j in range(n):
        for lane in range(LANES):
            together[j, lane] = 0.0
        for v in range(n):
            for lane in range(LANES):
                together[j, lane] = max(together[j, lane], out[j, v, lane] * asked[v, lane])


@inner(error_model="numpy")
def _scale(lanes: Lanes, n: int) -> None:
    """As for single groups: about as many people as are there are expected to have each value, and each person one."""
    likely, many = lanes.likely, lanes.many
    total = np.empty(LANES)
    for v in range(n):
        for lane in range(LANES):
            total[lane] = 0.0
        for j in range(n):
            for lane in range(LANES):
                total[lane] += many[j, lane] * likely[j, v, lane]
        for j in range(n):
            for lane in range(LANES):
                expected = total[lane]
                likely[j, v, lane] = likely[j, v, lane] / expected if expected > 0.0 else 0.0
    for j in range(n):
        for lane in range(LANES):
            total[lane] = 0.0
        for v in range(n):
            for lane in range(LANES):
                total[lane] += likely[j, v, lane]
        for v in range(n):
            for lane in range(LANES):
                whole = total[lane]
                likely[j, v, lane] = likely[j, v, lane] / whole if whole > 0.0 else 0.0
