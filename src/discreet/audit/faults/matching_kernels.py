"""The compiled part of `matching`: a largest flow from rows of the source to published rows, by counts."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from discreet.arrays import IntArray

Numbers = NDArray[np.int32]


@njit(cache=True)
def by_unit(starts: IntArray, units: Numbers, many: int) -> tuple[IntArray, IntArray, Numbers]:
    """The edges of every unit: ``edges[first[u]:first[u + 1]]``, and the kind that each edge comes from."""
    first = np.zeros(many + 1, dtype=np.int64)
    for e in range(len(units)):
        first[units[e] + 1] += 1
    for u in range(many):
        first[u + 1] += first[u]
    at = first[:-1].copy()
    edges = np.empty(len(units), dtype=np.int64)
    kind = np.empty(len(units), dtype=np.int32)
    for i in range(len(starts) - 1):
        for e in range(starts[i], starts[i + 1]):
            kind[e] = i
            edges[at[units[e]]] = e
            at[units[e]] += 1
    return first, edges, kind


@njit(cache=True)
def give(
    starts: IntArray, units: Numbers, most: IntArray, order: IntArray, spare: IntArray, need: IntArray, flow: IntArray
) -> None:
    """A first flow: kinds in the given order, each to the units it fits, as they stand."""
    for i in order:
        for e in range(starts[i], starts[i + 1]):
            if spare[i] == 0:
                break
            given = min(spare[i], need[units[e]], most[e])
            spare[i] -= given
            need[units[e]] -= given
            flow[e] = given


@njit(cache=True)
def augment(
    starts: IntArray,
    units: Numbers,
    most: IntArray,
    first: IntArray,
    edges: IntArray,
    kind: Numbers,
    spare: IntArray,
    need: IntArray,
    flow: IntArray,
) -> NDArray[np.bool_]:
    """Improve the flow until nothing can be improved (Dinic 1970); says which units can't get more whoever gives way.

    A unit in need takes from a kind with rows to spare; or from one that gives to another unit, which then takes from
    somebody else, and so on, along the shortest such ways first.
    """
    many = len(need)
    unit_level = np.empty(many, dtype=np.int32)
    kind_level = np.empty(len(starts) - 1, dtype=np.int32)
    queue = np.empty(many, dtype=np.int64)
    next_edge, next_unit = np.empty(many, dtype=np.int64), np.empty(len(starts) - 1, dtype=np.int64)
    taken, passed = np.empty(many + 1, dtype=np.int64), np.empty(many + 1, dtype=np.int64)
    while True:
        reached = _levels(starts, units, most, first, edges, kind, spare, need, flow, unit_level, kind_level, queue)
        if not reached:
            return unit_level >= 0
        next_edge[:] = first[:-1]
        next_unit[:] = starts[:-1]
        for root in range(many):
            while need[root] > 0 and _path(
                root, starts, units, most, first, edges, kind, spare, need, flow, unit_level, kind_level,
                next_edge, next_unit, taken, passed,
            ):  # fmt: skip
                pass


@njit(cache=True)
def _levels(
    starts: IntArray,
    units: Numbers,
    most: IntArray,
    first: IntArray,
    edges: IntArray,
    kind: Numbers,
    spare: IntArray,
    need: IntArray,
    flow: IntArray,
    unit_level: Numbers,
    kind_level: Numbers,
    queue: IntArray,
) -> bool:
    """How far every unit and kind is from a unit in need; is anybody reached who has rows to spare?"""
    unit_level[:] = -1
    kind_level[:] = -1
    last = 0
    for u in range(len(need)):
        if need[u] > 0:
            unit_level[u] = 0
            queue[last] = u
            last += 1
    at, reached = 0, -1
    while at < last:
        u = queue[at]
        at += 1
        if reached >= 0 and unit_level[u] > reached:
            break
        for x in range(first[u], first[u + 1]):
            e = edges[x]
            i = kind[e]
            if kind_level[i] >= 0 or flow[e] == most[e]:
                continue
            kind_level[i] = unit_level[u]
            if spare[i] > 0:
                reached = unit_level[u]
                continue
            for f in range(starts[i], starts[i + 1]):
                v = units[f]
                if unit_level[v] < 0 and flow[f] > 0:
                    unit_level[v] = unit_level[u] + 1
                    queue[last] = v
                    last += 1
    return reached >= 0


@njit(cache=True)
def _path(
    root: int,
    starts: IntArray,
    units: Numbers,
    most: IntArray,
    first: IntArray,
    edges: IntArray,
    kind: Numbers,
    spare: IntArray,
    need: IntArray,
    flow: IntArray,
    unit_level: Numbers,
    kind_level: Numbers,
    next_edge: IntArray,
    next_unit: IntArray,
    taken: IntArray,
    passed: IntArray,
) -> bool:
    """One shortest way from the unit `root` to somebody with rows to spare, along which the flow is improved.

    The way goes back along ``taken[0]`` to a kind, on along ``passed[0]`` to a unit, along ``taken[1]``, and so on.
    """
    depth, u = 0, root
    while True:
        found = False
        while next_edge[u] < first[u + 1]:
            e = edges[next_edge[u]]
            i = kind[e]
            if kind_level[i] != unit_level[u] or flow[e] == most[e]:
                next_edge[u] += 1
                continue
            taken[depth] = e
            if spare[i] > 0:
                _improve(root, i, depth, most, spare, need, flow, taken, passed)
                return True
            while next_unit[i] < starts[i + 1]:
                f = next_unit[i]
                v = units[f]
                if flow[f] > 0 and unit_level[v] == unit_level[u] + 1:
                    passed[depth] = f
                    depth, u, found = depth + 1, v, True
                    break
                next_unit[i] += 1
            if found:
                break
            next_edge[u] += 1
        if found:
            continue
        if depth == 0:
            return False
        depth -= 1  # a dead end: whoever led there goes on with the next
        e = taken[depth]
        next_unit[kind[e]] += 1
        u = units[e]


@njit(cache=True)
def _improve(
    root: int,
    last: int,
    depth: int,
    most: IntArray,
    spare: IntArray,
    need: IntArray,
    flow: IntArray,
    taken: IntArray,
    passed: IntArray,
) -> None:
    more = min(need[root], spare[last])
    for d in range(depth + 1):
        more = min(more, most[taken[d]] - flow[taken[d]])
        if d < depth:
            more = min(more, flow[passed[d]])
    for d in range(depth + 1):
        flow[taken[d]] += more
        if d < depth:
            flow[passed[d]] -= more
    need[root] -= more
    spare[last] -= more
