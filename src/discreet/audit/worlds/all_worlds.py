"""Exact counts of possible worlds, where there are not too many. Compiled; see `possible` for the words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.compiled import inner

Flags = NDArray[np.uint8]

OPEN, IN, OUT = 0, 1, 2  # of a person
EXACT, BY_TABLE, CONTRADICTED = 0, 1, 2  # how a group was decided

_MOST_CANDIDATES = 1 << 12


class Candidates(NamedTuple):
    """The people whom a group covers: candidate i, equal to `people` people, has the entry ``entry[i, t]`` in table t.

    `state` is `OPEN`, or that they are `IN` every possible world or `OUT` of all; it is written in place.
    """

    entry: Codes
    people: IntArray
    state: Flags


class Room(NamedTuple):
    """For how many values at most all sets of them may be gone through, and two arrays with a place for each set."""

    most_values: int
    first: IntArray
    second: IntArray


@inner
def exact_chances(
    left: int, total: int, candidates: Candidates, having: IntArray, heeded: Flags, room: Room, chance: FloatArray
) -> int:
    """Count the worlds that every open person is in, in whole numbers. `BY_TABLE` if they are too many to be counted.

    By inclusion and exclusion: worlds in which every value is somebody's = Σ over sets V of values of (−1)^|V| · (ways
    to choose among the people who have none of V), for all sets at once by the zeta transform.
    """
    entry, people, state = candidates
    if len(people) > _MOST_CANDIDATES or total * left > 1e6 or _log_2_choose(total, left) > 61.0:
        return BY_TABLE
    place = _needed(candidates, having, heeded)
    values = place.max() + 1
    if values > room.most_values:
        return BY_TABLE
    all_values = (1 << values) - 1
    mask = np.zeros(len(people), dtype=np.int64)
    without = room.first[: all_values + 1]
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
    beside = room.second[: all_values + 1]
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


@inner
def _needed(candidates: Candidates, having: IntArray, heeded: Flags) -> IntArray:
    """A place for each value that must be heeded, −1 for one whose people include all those of another value."""
    entry, people, state = candidates
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


@inner
def _add_subsets(of: IntArray, bits: int) -> None:
    """Each place becomes the sum over all subsets of its bits (wrapping around, which sums in range undo)."""
    for bit in range(bits):
        for s in range(len(of)):
            if s >> bit & 1:
                of[s] += of[s ^ (1 << bit)]


@inner
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


@inner
def _log_2_choose(n: int, k: int) -> float:
    total = 0.0
    for i in range(min(k, n - k)):
        total += np.log2((n - i) / (i + 1.0))
    return total
