"""The compiled search for a flow: who offers rows, who asks for them, and who may serve whom.

First whatever fits is given away, then rows are moved along shortest paths until nobody gains (Dinic 1970; on such
graphs, Hopcroft & Karp 1973).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.compiled import inner


class Trade(NamedTuple):
    """Offer i may serve ``rights[starts[i]:starts[i + 1]]``, and has `given` them rows (`limits`: at most so many).

    Of the edges into ask j, ``into[j]:into[j + 1]``, `edge_into` tells the number and `left_of` whose they are. `free`
    and `missing` are what is left of supply and demand; `far_…` and `at_…` are the search's own.
    """

    starts: IntArray
    rights: Codes
    limits: IntArray
    given: IntArray
    free: IntArray
    missing: IntArray
    into: IntArray
    edge_into: Codes
    left_of: Codes
    far_ask: IntArray
    far_offer: IntArray
    at_ask: IntArray
    at_offer: IntArray
    path: IntArray


@inner
def serve(starts: IntArray, rights: Codes, limits: IntArray, free: IntArray, missing: IntArray) -> None:
    """Give away as many rows as can be: `free` and `missing` become what is left of supply and demand.

    Offer i may serve the asks ``rights[starts[i]:starts[i + 1]]``; unless it is empty, with at most `limits` rows each.
    """
    n, m = len(free), len(missing)
    given = np.zeros(len(rights), dtype=np.int64)
    # Whoever has the least choice gives first.
    for i in np.argsort(starts[1:] - starts[:-1], kind="mergesort"):
        for edge in range(starts[i], starts[i + 1]):
            if free[i] == 0:
                break
            more = min(free[i], missing[rights[edge]])
            if len(limits):
                more = min(more, limits[edge])
            given[edge] += more
            free[i] -= more
            missing[rights[edge]] -= more
    if not missing.any() or not free.any():
        return
    into = np.zeros(m + 1, dtype=np.int64)
    for edge in range(len(rights)):
        into[rights[edge] + 1] += 1
    for j in range(m):
        into[j + 1] += into[j]
    edge_into, left_of = np.empty(len(rights), dtype=np.int32), np.empty(len(rights), dtype=np.int32)
    cursor = into[:-1].copy()
    for i in range(n):
        for edge in range(starts[i], starts[i + 1]):
            edge_into[cursor[rights[edge]]] = edge
            cursor[rights[edge]] += 1
            left_of[edge] = i
    far_ask, far_offer = np.empty(m, dtype=np.int64), np.empty(n, dtype=np.int64)
    at_ask, at_offer, path = into[:-1].copy(), starts[:-1].copy(), np.empty(2 * m + 2, dtype=np.int64)
    trade = Trade(
        starts,
        rights,
        limits,
        given,
        free,
        missing,
        into,
        edge_into,
        left_of,
        far_ask,
        far_offer,
        at_ask,
        at_offer,
        path,
    )
    queue = np.empty(m, dtype=np.int64)
    while _reach(trade, queue):
        at_ask[:], at_offer[:] = into[:-1], starts[:-1]
        for j in range(m):
            while missing[j] > 0 and _move(trade, j):
                pass


@inner
def _reach(t: Trade, queue: IntArray) -> bool:
    """How far everything is from the asks that lack rows; is a free row within reach?"""
    t.far_ask[:] = -1
    t.far_offer[:] = -1
    head, tail = 0, 0
    for j in range(len(t.missing)):
        if t.missing[j] > 0:
            t.far_ask[j] = 0
            queue[tail] = j
            tail += 1
    horizon = np.int64(-1)  # where the first free row is
    while head < tail:
        j = queue[head]
        head += 1
        if 0 <= horizon <= t.far_ask[j]:
            break
        for k in range(t.into[j], t.into[j + 1]):
            edge = t.edge_into[k]
            i = t.left_of[edge]
            if t.far_offer[i] >= 0 or _is_full(t, edge):
                continue
            t.far_offer[i] = t.far_ask[j] + 1
            if t.free[i] > 0:
                horizon = t.far_offer[i]
            if horizon < 0:
                for other in range(t.starts[i], t.starts[i + 1]):
                    if t.given[other] > 0 and t.far_ask[t.rights[other]] < 0:
                        t.far_ask[t.rights[other]] = t.far_offer[i] + 1
                        queue[tail] = t.rights[other]
                        tail += 1
    return bool(horizon >= 0)


@inner
def _is_full(t: Trade, edge: int) -> bool:
    return len(t.limits) > 0 and bool(t.given[edge] >= t.limits[edge])


@inner
def _move(t: Trade, j: int) -> bool:
    """Move rows along one shortest path from a free row to ask j; False if there is none left.

    The path has edges: taken into an ask, taken back from another one, taken into that one, …
    """
    length, here = 0, j
    while True:
        if t.at_ask[here] == t.into[here + 1]:
            if length == 0:
                return False
            length -= 2  # a dead end: that row can't be taken back from here
            t.at_offer[t.left_of[t.path[length + 1]]] += 1
            here = t.rights[t.path[length]]
            continue
        edge = t.edge_into[t.at_ask[here]]
        i = t.left_of[edge]
        if t.far_offer[i] != t.far_ask[here] + 1 or _is_full(t, edge):
            t.at_ask[here] += 1
            continue
        t.path[length] = edge
        if t.free[i] > 0:
            length += 1
            break
        while t.at_offer[i] < t.starts[i + 1]:
            other = t.at_offer[i]
            if t.given[other] > 0 and t.far_ask[t.rights[other]] == t.far_offer[i] + 1:
                break
            t.at_offer[i] += 1
        if t.at_offer[i] == t.starts[i + 1]:
            t.at_ask[here] += 1
            continue
        t.path[length + 1] = t.at_offer[i]
        length += 2
        here = t.rights[t.at_offer[i]]
    giver = t.left_of[t.path[length - 1]]
    more = min(t.missing[j], t.free[giver])
    for step in range(length):
        edge = t.path[step]
        if step % 2:
            more = min(more, t.given[edge])
        elif len(t.limits):
            more = min(more, t.limits[edge] - t.given[edge])
    for step in range(length):
        t.given[t.path[step]] += -more if step % 2 else more
    t.missing[j] -= more
    t.free[giver] -= more
    return True
