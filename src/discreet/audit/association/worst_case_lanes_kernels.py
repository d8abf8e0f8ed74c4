"""Worlds of small groups counted out side by side, compiled: the same steps for many groups, one lane for each.

Where each value is there once, a state of `all_values` is the set of values that are dealt out, as bits: a step from
set to set waits for the one before, but a processor can make it for several groups at once. Each group's sums are added
up in the same order as in `all_values`, so that they are the same numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.compiled import inner

LANES = 16
ONCE = 8  # values that one person has each, up to which sets of them are counted as bits


class Lanes(NamedTuple):
    """Groups of n people with n values, one each, that wait to be counted out: ``waiting[n]`` of them in `group`.

    ``chance[n, i, v, lane]`` is how likely people of kind i have value v, ``many[n, i, lane]`` how many they are;
    ``likely[n, j, v, lane]`` is the same of person j, and ``out`` how likely it is in all possible worlds. `forward`
    and `backward` are weights of sets of values, of which `size` is how many there are in each.
    """

    waiting: IntArray
    group: IntArray
    chance: FloatArray
    many: FloatArray
    likely: FloatArray
    out: FloatArray
    forward: FloatArray
    backward: FloatArray
    size: IntArray


@inner
def empty_lanes() -> Lanes:
    """Nobody waits. In free lanes stands anything: what is made of it is not looked at."""
    size = np.zeros(1 << ONCE, dtype=np.int64)
    for state in range(1, len(size)):
        size[state] = size[state >> 1] + (state & 1)
    n = ONCE + 1
    return Lanes(
        np.zeros(n, dtype=np.int64),
        np.zeros((n, LANES), dtype=np.int64),
        np.empty((n, ONCE, ONCE, LANES)),
        np.empty((n, ONCE, LANES)),
        np.empty((n, ONCE, ONCE, LANES)),
        np.empty((n, ONCE, ONCE, LANES)),
        np.empty((n, 1 << ONCE, LANES)),
        np.empty((n, 1 << ONCE, LANES)),
        size,
    )


@inner
def wait(lanes: Lanes, g: int, p: FloatArray, many: IntArray, people: int) -> bool:
    """Put a group into a lane; is none free any more?"""
    lane, kinds = lanes.waiting[people], len(many)
    lanes.group[people, lane] = g
    for i in range(people):
        lanes.many[people, i, lane] = many[i] if i < kinds else 0
        for v in range(people):
            lanes.chance[people, i, v, lane] = p[i, v] if i < kinds else 0.0
    lanes.waiting[people] += 1
    return bool(lanes.waiting[people] == LANES)


@inner(error_model="numpy")
def count_out(lanes: Lanes, n: int) -> None:
    """All groups of n people that wait: the chance of everybody to have each value."""
    _scale(lanes, n)
    chance, likely, out, forward, backward = lanes.chance, lanes.likely, lanes.out, lanes.forward, lanes.backward
    for lane in range(LANES):
        kind, left = 0, lanes.many[n, 0, lane]
        for j in range(n):
            while left <= 0.0 and kind < n - 1:
                kind += 1
                left = lanes.many[n, kind, lane]
            left -= 1.0
            for v in range(n):
                likely[n, j, v, lane] = chance[n, kind, v, lane]
    last = (1 << n) - 1
    for lane in range(LANES):
        forward[n, 0, lane] = backward[n, last, lane] = 1.0
    for state in range(1, last + 1):
        j = lanes.size[state] - 1
        for lane in range(LANES):
            forward[n, state, lane] = 0.0
        for v in range(n):
            if state >> v & 1:
                before = state ^ (1 << v)
                for lane in range(LANES):
                    forward[n, state, lane] += forward[n, before, lane] * likely[n, j, v, lane]
    for j in range(n):
        for v in range(n):
            for lane in range(LANES):
                out[n, j, v, lane] = 0.0
    for state in range(last - 1, -1, -1):
        j = lanes.size[state]
        for lane in range(LANES):
            backward[n, state, lane] = 0.0
        for v in range(n):
            if not state >> v & 1:
                after = state | (1 << v)
                for lane in range(LANES):
                    onward = likely[n, j, v, lane] * backward[n, after, lane]
                    backward[n, state, lane] += onward
                    out[n, j, v, lane] += forward[n, state, lane] * onward / forward[n, last, lane]


@inner(error_model="numpy")
def _scale(lanes: Lanes, n: int) -> None:
    """As for single groups: about as many people as are there are expected to have each value, and each person one."""
    chance, many = lanes.chance, lanes.many
    total = np.empty(LANES)
    for v in range(n):
        for lane in range(LANES):
            total[lane] = 0.0
        for i in range(n):
            for lane in range(LANES):
                total[lane] += many[n, i, lane] * chance[n, i, v, lane]
        for i in range(n):
            for lane in range(LANES):
                expected = total[lane]
                chance[n, i, v, lane] = chance[n, i, v, lane] / expected if expected > 0.0 else 0.0
    for i in range(n):
        for lane in range(LANES):
            total[lane] = 0.0
        for v in range(n):
            for lane in range(LANES):
                total[lane] += chance[n, i, v, lane]
        for v in range(n):
            for lane in range(LANES):
                whole = total[lane]
                chance[n, i, v, lane] = chance[n, i, v, lane] / whole if whole > 0.0 else 0.0
