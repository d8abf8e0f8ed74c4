"""Who stands in which group while local recoding improves a partition, with every change logged to be taken back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from discreet.counts.groups import BoolArray, FloatArray
from discreet.counts.kernels import Keys
from discreet.hierarchies.hierarchy import Codes, IntArray
from discreet.search.recoding_kernels import Space, span

JOIN, SWAP, FOUND, DISSOLVE = 1, 2, 3, 4
MANY = 64  # groups with more units are not taken apart one by one: others are cheaper and do more good
CLOSE = 8  # so many neighbours of a combination that moved are looked at again at once; the others in the next round
NOBODY = -1


class State(NamedTuple):
    """Who stands where. Units of a group, and units of a combination, are doubly linked lists.

    `used` holds the number of units, of groups, of log entries and of moves made. `low` and `high` are the outermost
    leaves in each group, `cost` what a row of it loses. The log has one entry per transfer: `piece` of unit `unit` went
    from `source` to `target`, as part of a move.
    """

    used: IntArray
    entry: IntArray
    combination: IntArray
    count: IntArray
    group: IntArray
    after: IntArray
    before: IntArray
    following: IntArray
    preceding: IntArray
    head: IntArray
    first: IntArray
    units: IntArray
    size: IntArray
    cost: FloatArray
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    open: BoolArray  # worth looking at again
    locked: BoolArray
    version: IntArray
    log: IntArray  # entries × (move, kind, unit, piece, source, target)
    refused: Keys  # moves the models have turned down: a hash table
    seen: IntArray
    spared: IntArray


@njit(cache=True)
def set_up(space: Space, state: State) -> None:
    """Link the units and measure the groups."""
    for u in range(state.used[0]):
        link(state, u, state.group[u])
        list(state, u)
    for g in range(state.used[1]):
        measure(space, state, g)
        state.open[g] = True


@njit(cache=True)
def link(state: State, u: int, g: int) -> None:
    state.group[u] = g
    head = state.head[g]
    state.before[u] = NOBODY
    state.after[u] = head
    if head >= 0:
        state.before[head] = u
    state.head[g] = u
    state.units[g] += 1
    state.size[g] += state.count[u]


@njit(cache=True)
def unlink(state: State, u: int) -> None:
    g, left, right = state.group[u], state.before[u], state.after[u]
    if left >= 0:
        state.after[left] = right
    else:
        state.head[g] = right
    if right >= 0:
        state.before[right] = left
    state.units[g] -= 1
    state.size[g] -= state.count[u]


@njit(cache=True)
def list(state: State, u: int) -> None:
    c = state.combination[u]
    head = state.first[c]
    state.preceding[u] = NOBODY
    state.following[u] = head
    if head >= 0:
        state.preceding[head] = u
    state.first[c] = u


@njit(cache=True)
def unlist(state: State, u: int) -> None:
    left, right = state.preceding[u], state.following[u]
    if left >= 0:
        state.following[left] = right
    else:
        state.first[state.combination[u]] = right
    if right >= 0:
        state.preceding[right] = left


@njit(cache=True)
def measure(space: Space, state: State, g: int) -> None:
    """The outermost leaves of a group and its cost, from its units."""
    u = state.head[g]
    cost = 0.0
    if u >= 0:
        for d in range(space.leaf.shape[1]):
            low = high = space.leaf[state.combination[u], d]
            v = state.after[u]
            while v >= 0:
                leaf = space.leaf[state.combination[v], d]
                low, high = min(low, leaf), max(high, leaf)
                v = state.after[v]
            state.low[g, d], state.high[g, d] = low, high
            cost += span(space, d, low, high)
    state.cost[g] = cost


@njit(cache=True)
def cost_with(space: Space, state: State, g: int, c: int) -> float:
    """What a row of group `g` would lose if combination `c` were in it."""
    cost = 0.0
    for d in range(space.leaf.shape[1]):
        leaf = space.leaf[c, d]
        cost += span(space, d, min(state.low[g, d], leaf), max(state.high[g, d], leaf))
    return cost


@njit(cache=True)
def range_without(space: Space, state: State, u: int, low: Codes, high: Codes) -> float:
    """The outermost leaves of the group of `u` without `u`, into `low` and `high`, and what a row of it then loses.

    In large groups nothing is gained by a single unit that leaves: taken as unchanged.
    """
    g = state.group[u]
    attributes = space.leaf.shape[1]
    if state.units[g] > MANY:
        low[:], high[:] = state.low[g], state.high[g]
        return state.cost[g]
    some = False
    v = state.head[g]
    while v >= 0:
        if v != u:
            for d in range(attributes):
                leaf = space.leaf[state.combination[v], d]
                low[d] = min(low[d], leaf) if some else leaf
                high[d] = max(high[d], leaf) if some else leaf
            some = True
        v = state.after[v]
    cost = 0.0
    if some:
        for d in range(attributes):
            cost += span(space, d, low[d], high[d])
    return cost


@njit(cache=True)
def transfer(space: Space, state: State, kind: int, u: int, rows: int, target: int) -> None:
    """Send `rows` rows of unit `u` to another group, and log it."""
    source = state.group[u]
    piece = u
    if rows == state.count[u]:
        unlink(state, u)
        if state.units[source] <= MANY:
            measure(space, state, source)
    else:
        piece = state.used[0]
        state.used[0] += 1
        state.count[u] -= rows
        state.size[source] -= rows
        state.entry[piece], state.combination[piece], state.count[piece] = state.entry[u], state.combination[u], rows
        list(state, piece)
    c = state.combination[u]
    empty = state.units[target] == 0
    link(state, piece, target)
    cost = 0.0
    for d in range(space.leaf.shape[1]):
        leaf = space.leaf[c, d]
        state.low[target, d] = leaf if empty else min(state.low[target, d], leaf)
        state.high[target, d] = leaf if empty else max(state.high[target, d], leaf)
        cost += span(space, d, state.low[target, d], state.high[target, d])
    state.cost[target] = cost
    e = state.used[2]
    state.used[2] += 1
    state.log[e, 0], state.log[e, 1] = state.used[3], kind
    state.log[e, 2], state.log[e, 3], state.log[e, 4], state.log[e, 5] = u, piece, source, target


@njit(cache=True)
def take_back(space: Space, state: State, begin: int, end: int) -> None:
    """Undo the transfers ``begin:end`` of the log, the last one first."""
    for e in range(end - 1, begin - 1, -1):
        u, piece, source = state.log[e, 2], state.log[e, 3], state.log[e, 4]
        unlink(state, piece)
        if piece == u:
            link(state, u, source)
        else:
            state.count[u] += state.count[piece]
            state.size[source] += state.count[piece]
            state.count[piece] = 0
            state.group[piece] = NOBODY
            unlist(state, piece)
    for e in range(begin, end):
        measure(space, state, state.log[e, 4])
        measure(space, state, state.log[e, 5])


@njit(cache=True)
def word(state: State, kind: int, a: int, b: int, one: int, other: int) -> np.uint64:
    """A hash of a proposed move, for as long as the two groups don't change."""
    key = np.uint64(kind)
    for part in (a, b, one, state.version[one], other, state.version[other]):
        key = (key ^ np.uint64(part + 1)) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    return key | np.uint64(1)  # 0 marks an empty place


@njit(cache=True)
def is_refused(state: State, key: np.uint64) -> bool:
    last = len(state.refused) - 1
    j = np.int64(key >> np.uint64(20)) & last
    while state.refused[j] != 0:
        if state.refused[j] == key:
            return True
        j = (j + 1) & last
    return False


@njit(cache=True)
def refuse(state: State, key: np.uint64) -> None:
    last = len(state.refused) - 1
    j = np.int64(key >> np.uint64(20)) & last
    while state.refused[j] != 0 and state.refused[j] != key:
        j = (j + 1) & last
    state.refused[j] = key


@njit(cache=True)
def settle(space: Space, near: Codes, state: State, holds: BoolArray) -> int:
    """After the models have judged every group (`holds`): take back the moves that break a promise, keep the others.

    Returns how many were kept; the log is empty afterwards and all groups are free again.
    """
    kept = 0
    begin = 0
    while begin < state.used[2]:
        end = begin
        good = True
        while end < state.used[2] and state.log[end, 0] == state.log[begin, 0]:
            for g in (state.log[end, 4], state.log[end, 5]):
                good = good and (state.size[g] == 0 or holds[g])
            end += 1
        if good:
            kept += 1
            for e in range(begin, end):
                for g in (state.log[e, 4], state.log[e, 5]):
                    state.version[g] += 1
                reopen(near, state, state.combination[state.log[e, 2]])
        else:
            take_back(space, state, begin, end)
            kind, u, source, target = state.log[begin, 1], state.log[begin, 2], state.log[begin, 4], state.log[begin, 5]
            if kind == JOIN:
                refuse(state, word(state, JOIN, u, 0, source, target))
            elif kind == SWAP:
                refuse(state, word(state, SWAP, u, state.log[begin + 1, 2], source, target))
            elif kind == FOUND:
                refuse(state, word(state, FOUND, u, 0, source, source))
            else:
                refuse(state, word(state, DISSOLVE, 0, 0, source, source))
            state.open[source] = True
        for e in range(begin, end):
            state.locked[state.log[e, 4]] = state.locked[state.log[e, 5]] = False
        begin = end
    state.used[2] = 0
    return kept


@njit(cache=True)
def reopen(near: Codes, state: State, c: int) -> None:
    """Groups near a combination that has moved are worth another look."""
    for p in range(-1, min(CLOSE, near.shape[1])):
        y = c if p < 0 else near[c, p]
        if y < 0:
            break
        w = state.first[y]
        while w >= 0:
            state.open[state.group[w]] = True
            w = state.following[w]
