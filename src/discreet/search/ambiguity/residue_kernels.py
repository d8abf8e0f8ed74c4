"""Compiled: room for rows that ambiguity's greedy has left over, each in a group near it that stays private.

Groups near it come first, then others, then several near it that become one.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import Codes
from discreet.compiled import inner, kernel
from discreet.search.ambiguity.greedy_kernels import NEAR, Limits, Made, Rows, Space, add, at_most, draw, hides, take_in

_FAR = 4096  # groups looked at for a row that none of the nearest has room for
_FIRST = 4  # groups with room among which the smallest is taken
_WORK = 1000  # rows of groups that are looked at in all, per row of the table
_HOPELESS = 3  # rows of one sensitive value that found no place so far away, until others of it are spared that


@kernel
def place_all(pool: Codes, rows: Rows, limits: Limits, made: Made, space: Space) -> int:
    """Find room for rows left over, each in a group near it, or in several that become one; the rest comes first."""
    groups, kept, work = made.done[1], 0, _WORK * (made.done[0] + len(pool))
    hopeless = np.zeros(len(space.per_value), dtype=np.int64)
    for e in pool:
        value = rows.values[e]
        at = space.near[e] + draw(space.random, space.wide[e] + 1)
        placed = False
        if groups > 0 and space.looked[0] < work:
            placed = _place(e, at, np.int64(0), np.int64(NEAR), rows, limits, made, space)
        if not placed and groups > 0 and space.looked[0] < work and hopeless[value] < _HOPELESS:
            placed = _place(e, at, np.int64(NEAR), np.int64(_FAR), rows, limits, made, space) or _join(
                e, at, rows, limits, made, space
            )
            hopeless[value] = 0 if placed else hopeless[value] + 1
        if not placed:
            pool[kept] = e
            kept += 1
    return kept


@inner
def _neighbour(at: int, i: int, groups: int) -> int:
    """The i-th of the groups around a place: itself, the one after it, the one before it, and so on."""
    step = (i + 1) // 2 if i % 2 else -(i // 2)
    return (at + step) % groups


@inner
def _place(e: int, at: int, begin: int, end: int, rows: Rows, limits: Limits, made: Made, space: Space) -> bool:
    """Put a row into the smallest of the first groups that stay private with it, if there are any.

    A code that is new to table t of a group makes n / Π mᵢ no larger: mₜ ≤ n, so (n + 1) / n ≤ (mₜ + 1) / mₜ.
    """
    best, fitting = -1, 0
    for i in range(begin, min(end, made.done[1])):
        group = _neighbour(at, i, made.done[1])
        n = made.sizes[group]
        if n == 0 or (fitting and n >= made.sizes[best]):
            continue
        space.looked[0] += n
        same = 1 + _times(rows.values[e], group, rows, made)
        if not at_most(same * limits.beta[1], limits.beta[0] * (n + 1)):
            continue
        if _brings_new(e, group, rows, made, space) or _hidden(e, group, rows, limits, made, space):
            best = group
            fitting += 1
            if fitting == _FIRST:
                break
    if fitting:
        add(made, best, e)
    return fitting > 0


@inner
def _times(value: int, group: int, rows: Rows, made: Made) -> int:
    """How many rows of a group have a sensitive value."""
    times, at = 0, made.last[group]
    while at >= 0:
        times += rows.values[made.row[at]] == value
        at = made.before[at]
    return times


@inner
def _brings_new(e: int, group: int, rows: Rows, made: Made, space: Space) -> bool:
    """Would a row bring something new to a table of a group? Tables with many codes come first."""
    for t in range(len(rows.start)):
        space.looked[0] += made.sizes[group]
        at = made.last[group]
        while at >= 0 and rows.codes[made.row[at], t] != rows.codes[e, t]:
            at = made.before[at]
        if at < 0:
            return True
    return False


@inner
def _hidden(e: int, group: int, rows: Rows, limits: Limits, made: Made, space: Space) -> bool:
    """Is the presence at most α if a row joins a group?"""
    space.clock[0] += 1
    space.distinct[:] = 0
    product = take_in(e, rows, space)
    at = made.last[group]
    while at >= 0:
        product = take_in(made.row[at], rows, space)
        at = made.before[at]
    return bool(hides(made.sizes[group] + 1, made.beside[group], product, limits))


@inner
def _join(e: int, at: int, rows: Rows, limits: Limits, made: Made, space: Space) -> bool:
    """Make one group of a row and some groups near it that together have room for it."""
    space.clock[0] += 1
    space.distinct[:] = 0
    value, n, same, joined, beside = rows.values[e], 1, 1, 0, 0.0
    product = take_in(e, rows, space)
    for i in range(min(_FAR, made.done[1])):
        group = _neighbour(at, i, made.done[1])
        times = _times(value, group, rows, made)
        room = limits.beta[0] * made.sizes[group] - limits.beta[1] * times
        if made.sizes[group] == 0 or (room <= 0 and same * limits.beta[1] > limits.beta[0] * n):
            continue
        space.chosen[joined] = group
        joined += 1
        n += made.sizes[group]
        same += times
        beside = max(beside, made.beside[group])
        member = made.last[group]
        while member >= 0:
            product = take_in(made.row[member], rows, space)
            member = made.before[member]
        if at_most(same * limits.beta[1], limits.beta[0] * n) and hides(n, beside, product, limits):
            for j in range(1, joined):
                _unite(space.chosen[0], space.chosen[j], made)
            made.beside[space.chosen[0]] = beside
            add(made, space.chosen[0], e)
            return True
        if joined == NEAR:
            return False
    return False


@inner
def _unite(group: int, other: int, made: Made) -> None:
    """Put the rows of another group into a group; the other one is empty then."""
    at = made.last[other]
    while True:
        made.group[at] = group
        if made.before[at] < 0:
            break
        at = made.before[at]
    made.before[at] = made.last[group]
    made.last[group] = made.last[other]
    made.last[other] = -1
    made.sizes[group] += made.sizes[other]
    made.sizes[other] = 0
