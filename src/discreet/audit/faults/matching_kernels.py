"""The compiled part of `matching`: a largest flow from rows of the source to published rows, by counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import IntArray
from discreet.compiled import inner, kernel

Numbers = NDArray[np.int32]


@kernel
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


@kernel
def give(
    starts: IntArray, units: Numbers, most: IntArray, order: IntArray, spare: IntArray, need: IntArray, flow: IntArray
) -> None:
    """A first flow: kinds in the given order, each to the units it fits, as they stand."""
    for i in order:
        for e in range(starts[i], starts[i + 1]):
            if spare[i] == 0:
                break
            more = min(spare[i], need[units[e]], most[e])
            spare[i] -= more
            need[units[e]] -= more
            flow[e] = more


class Network(NamedTuple):
    """Who fits whom: kind i the units ``units[starts[i]:starts[i + 1]]``, with at most ``most[e]`` rows along edge e.

    Seen from the other side, unit u has ``edges[first[u]:first[u + 1]]``, and edge e comes from ``kind[e]``.
    """

    starts: IntArray
    units: Numbers
    most: IntArray
    first: IntArray
    edges: IntArray
    kind: Numbers


class Flow(NamedTuple):
    """What kinds have to spare, what units are in need of, and what goes along each edge; improved in place."""

    spare: IntArray
    need: IntArray
    along: IntArray


class _Search(NamedTuple):
    """How far everybody is from a unit in need, where the search goes on, and the way that it came."""

    unit_level: Numbers
    kind_level: Numbers
    next_edge: IntArray
    next_unit: IntArray
    taken: IntArray
    passed: IntArray


@kernel
def augment(network: Network, flow: Flow) -> NDArray[np.bool_]:
    """Improve the flow until nothing can be improved (Dinic 1970); says which units can't get more whoever gives way.

    A unit in need takes from a kind with rows to spare; or from one that gives to another unit, which then takes from
    somebody else, and so on, along the shortest such ways first.
    """
    need, kinds = flow.need, len(flow.spare)
    many = len(need)
    search = _Search(
        np.empty(many, dtype=np.int32),
        np.empty(kinds, dtype=np.int32),
        np.empty(many, dtype=np.int64),
        np.empty(kinds, dtype=np.int64),
        np.empty(many + 1, dtype=np.int64),
        np.empty(many + 1, dtype=np.int64),
    )
    queue = np.empty(many, dtype=np.int64)
    while _levels(network, flow, search, queue):
        search.next_edge[:] = network.first[:-1]
        search.next_unit[:] = network.starts[:-1]
        for root in range(many):
            while need[root] > 0 and _path(root, network, flow, search):
                pass
    return search.unit_level >= 0


@inner
def _levels(network: Network, flow: Flow, search: _Search, queue: IntArray) -> bool:
    """How far every unit and kind is from a unit in need; is anybody reached who has rows to spare?"""
    starts, units, most, first, edges, kind = network
    spare, need, along = flow
    unit_level, kind_level = search.unit_level, search.kind_level
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
            if kind_level[i] >= 0 or along[e] == most[e]:
                continue
            kind_level[i] = unit_level[u]
            if spare[i] > 0:
                reached = unit_level[u]
                continue
            for f in range(starts[i], starts[i + 1]):
                v = units[f]
                if unit_level[v] < 0 and along[f] > 0:
                    unit_level[v] = unit_level[u] + 1
                    queue[last] = v
                    last += 1
    return reached >= 0


@inner
def _path(root: int, network: Network, flow: Flow, search: _Search) -> bool:
    """One shortest way from the unit `root` to somebody with rows to spare, along which the flow is improved.

    The way goes back along ``taken[0]`` to a kind, on along ``passed[0]`` to a unit, along ``taken[1]``, and so on.
    """
    starts, units, most, first, edges, kind = network
    spare, _, along = flow
    unit_level, kind_level, next_edge, next_unit, taken, passed = search
    depth, u = 0, root
    while True:
        further = False
        while next_edge[u] < first[u + 1]:
            e = edges[next_edge[u]]
            i = kind[e]
            if kind_level[i] != unit_level[u] or along[e] == most[e]:
                next_edge[u] += 1
                continue
            taken[depth] = e
            if spare[i] > 0:
                _improve(root, i, depth, most, flow, search)
                return True
            while next_unit[i] < starts[i + 1]:
                f = next_unit[i]
                v = units[f]
                if along[f] > 0 and unit_level[v] == unit_level[u] + 1:
                    passed[depth] = f
                    depth, u, further = depth + 1, v, True
                    break
                next_unit[i] += 1
            if further:
                break
            next_edge[u] += 1
        if further:
            continue
        if depth == 0:
            return False
        depth -= 1  # a dead end: whoever led there goes on with the next
        e = taken[depth]
        next_unit[kind[e]] += 1
        u = units[e]


@inner
def _improve(root: int, last: int, depth: int, most: IntArray, flow: Flow, search: _Search) -> None:
    """Send as much along the way that was found as it can bear."""
    spare, need, along = flow
    taken, passed = search.taken, search.passed
    more = min(need[root], spare[last])
    for d in range(depth + 1):
        more = min(more, most[taken[d]] - along[taken[d]])
        if d < depth:
            more = min(more, along[passed[d]])
    for d in range(depth + 1):
        along[taken[d]] += more
        if d < depth:
            along[passed[d]] -= more
    need[root] -= more
    spare[last] -= more
