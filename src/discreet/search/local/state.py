"""Who stands in which group while local recoding improves a partition, with every change logged to be taken back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.compiled import PLAIN, Patience, Twin, inner, kernel
from discreet.counts.kernels import Keys
from discreet.search.local.kernels import Space, span

UNITS, GROUPS, LOGGED, MOVES, STAMPS, REFUSALS, LEFT_OUT, LIMIT, VARYING, RETURNING, LINKED = range(11)  # of `used`
ENTRY, COMBINATION, ROWS, GROUP, AFTER, BEFORE, FOLLOWING, PRECEDING, WAITING = range(9)  # columns of `unit`
HEAD, MEMBERS, SIZE, VERSION, SEEN, SPARED, OPEN, LOCKED, WARY = range(9)  # columns of `group`
MOVE, KIND, UNIT, PIECE, SOURCE, TARGET = range(6)  # columns of `log`
# Arguments of compiled functions: as plain numbers, each value of them would be compiled anew.
JOIN, SWAP, FOUND, DISSOLVE = np.arange(1, 5)  # kinds of moves
NOBODY = np.int64(-1)

MANY = 64  # units: a larger group is not taken apart, and not measured again for each unit that leaves
FEW = 16  # units: swaps are tried between groups up to this size; in larger ones they change little
CLOSE = 8  # neighbours of a combination that moved are looked at again at once, the others in the next round


class State(NamedTuple):
    """Who stands where. Few arrays with many columns: every array of a tuple costs compile time at every call.

    A *unit* is some rows of one combination in one group (`entry` is what they are to the caller). The units of a
    group (from its `head`, by `after` and `before`) and of a combination (from `first`, by `following` and `preceding`)
    are doubly linked. A group is `open` if it is worth looking at, `locked` while a move of it waits to be judged,
    `wary` if the models refused to let several units leave at once; `version` counts the moves it took part in. `cost`
    is what a row of it loses, `low` and `high` are its outermost leaves. The log has an entry per transfer: a piece of
    a unit, or all of it, went from one group to another.

    Rows that are left out stand in a group of their own (`left_out`; −1 if there is none), which may be of any size up
    to `limit` and is never measured, locked or judged: each of its rows loses all there is, 1 for each attribute that
    varies (`varying`) at all. Its `cost` is what a row pays to get in: that much or more, so that at first only those
    are left out who save the others much. As it is never locked, its units are: those that came or went by a move which
    waits to be judged are `waiting`, and the rows that went may have to come back (`returning`).
    """

    used: IntArray
    unit: IntArray
    group: IntArray
    first: IntArray
    cost: FloatArray
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    log: IntArray
    refused: Keys  # moves that the models have turned down: a hash table


def new_state(
    combination: IntArray,
    entry: IntArray,
    rows: IntArray,
    group: IntArray,
    least: int,
    careful: bool,
    shape: tuple[int, int],
    left_out: int = -1,
) -> State:
    """Room for `rows` rows of each unit in its group, and for about as many new units and groups again.

    `shape` is the number of combinations and of attributes, `left_out` the group of those who are left out.
    """
    n, groups = len(rows), max(int(group.max()), left_out) + 1
    room = room_for_a_move(least)
    most_units, most_groups = 2 * n + 4 * room, 2 * groups + 8 * MANY
    state = State(
        used=np.zeros(11, dtype=np.int64),
        unit=np.full((most_units, 9), NOBODY, dtype=np.int64),
        group=np.zeros((most_groups, 9), dtype=np.int64),
        first=np.full(shape[0], NOBODY, dtype=np.int64),
        cost=np.zeros(most_groups),
        low=np.zeros((most_groups, shape[1]), dtype=np.int32),
        high=np.zeros((most_groups, shape[1]), dtype=np.int32),
        log=np.zeros((2 * room + (2 * n if careful else 0), 6), dtype=np.int64),
        refused=np.zeros(1 << (16 * n).bit_length() if careful else 1, dtype=np.uint64),
    )
    state.used[UNITS], state.used[GROUPS], state.used[LEFT_OUT] = n, groups, left_out
    for column, values in ((COMBINATION, combination), (ENTRY, entry), (ROWS, rows), (GROUP, group)):
        state.unit[:n, column] = values
    state.group[:, HEAD], state.unit[:, WAITING] = NOBODY, 0
    return state


@kernel
def room_for_a_move(least: int) -> int:
    """The most units and log entries that a single move can need."""
    return (MANY + 1) * (least + 1)


@inner
def set_up(space: Space, state: State) -> None:
    """Link the units and measure the groups, unless that is done."""
    if state.used[LINKED]:
        return
    state.used[LINKED] = 1
    for u in range(state.used[UNITS]):
        link(state, u, state.unit[u, GROUP])
        enroll(state, u)
    for g in range(state.used[GROUPS]):
        measure(space, state, g)
        state.group[g, OPEN] = 1


@inner
def link(state: State, u: int, g: int) -> None:
    state.unit[u, GROUP] = g
    head = state.group[g, HEAD]
    state.unit[u, BEFORE] = NOBODY
    state.unit[u, AFTER] = head
    if head >= 0:
        state.unit[head, BEFORE] = u
    state.group[g, HEAD] = u
    state.group[g, MEMBERS] += 1
    state.group[g, SIZE] += state.unit[u, ROWS]


@inner
def unlink(state: State, u: int) -> None:
    g, left, right = state.unit[u, GROUP], state.unit[u, BEFORE], state.unit[u, AFTER]
    if left >= 0:
        state.unit[left, AFTER] = right
    else:
        state.group[g, HEAD] = right
    if right >= 0:
        state.unit[right, BEFORE] = left
    state.group[g, MEMBERS] -= 1
    state.group[g, SIZE] -= state.unit[u, ROWS]


@inner
def enroll(state: State, u: int) -> None:
    c = state.unit[u, COMBINATION]
    head = state.first[c]
    state.unit[u, PRECEDING] = NOBODY
    state.unit[u, FOLLOWING] = head
    if head >= 0:
        state.unit[head, PRECEDING] = u
    state.first[c] = u


@inner
def strike(state: State, u: int) -> None:
    left, right = state.unit[u, PRECEDING], state.unit[u, FOLLOWING]
    if left >= 0:
        state.unit[left, FOLLOWING] = right
    else:
        state.first[state.unit[u, COMBINATION]] = right
    if right >= 0:
        state.unit[right, PRECEDING] = left


@inner
def measure(space: Space, state: State, g: int) -> None:
    """The outermost leaves of a group and its cost, from its units."""
    if g == state.used[LEFT_OUT]:
        return
    u = state.group[g, HEAD]
    cost = 0.0
    if u >= 0:
        for d in range(space.leaf.shape[1]):
            low = high = space.leaf[state.unit[u, COMBINATION], d]
            v = state.unit[u, AFTER]
            while v >= 0:
                leaf = space.leaf[state.unit[v, COMBINATION], d]
                low, high = min(low, leaf), max(high, leaf)
                v = state.unit[v, AFTER]
            state.low[g, d], state.high[g, d] = low, high
            cost += span(space, d, low, high)
    state.cost[g] = cost


@inner
def loses(state: State, g: int) -> float:
    """What a row of group `g` loses now."""
    return float(state.used[VARYING] / state.low.shape[1] if g == state.used[LEFT_OUT] else state.cost[g])


@inner
def cost_with(space: Space, state: State, g: int, c: int) -> float:
    """What a row of group `g` would lose if combination `c` were in it."""
    cost = 0.0
    for d in range(space.leaf.shape[1]):
        leaf = space.leaf[c, d]
        cost += span(space, d, min(state.low[g, d], leaf), max(state.high[g, d], leaf))
    return cost


@inner
def range_without(space: Space, state: State, u: int, low: Codes, high: Codes) -> float:
    """The outermost leaves of the group of `u` without `u`, into `low` and `high`, and what a row of it then loses.

    In large groups nothing is gained by a single unit that leaves: taken as unchanged.
    """
    g = state.unit[u, GROUP]
    attributes = space.leaf.shape[1]
    if g == state.used[LEFT_OUT]:
        return float(loses(state, g))
    if state.group[g, MEMBERS] > MANY:
        for d in range(attributes):
            low[d], high[d] = state.low[g, d], state.high[g, d]
        return float(state.cost[g])
    some = False
    v = state.group[g, HEAD]
    while v >= 0:
        if v != u:
            for d in range(attributes):
                leaf = space.leaf[state.unit[v, COMBINATION], d]
                low[d] = min(low[d], leaf) if some else leaf
                high[d] = max(high[d], leaf) if some else leaf
            some = True
        v = state.unit[v, AFTER]
    cost = 0.0
    if some:
        for d in range(attributes):
            cost += span(space, d, low[d], high[d])
    return cost


@inner
def transfer(space: Space, state: State, kind: int, u: int, rows: int, target: int) -> None:
    """Send `rows` rows of unit `u` to another group, and log it."""
    source = state.unit[u, GROUP]
    piece = u
    if rows == state.unit[u, ROWS]:
        unlink(state, u)
        if state.group[source, MEMBERS] <= MANY:
            measure(space, state, source)
    else:
        piece = state.used[UNITS]
        state.used[UNITS] += 1
        state.unit[u, ROWS] -= rows
        state.group[source, SIZE] -= rows
        state.unit[piece, ENTRY], state.unit[piece, COMBINATION], state.unit[piece, ROWS] = (
            state.unit[u, ENTRY],
            state.unit[u, COMBINATION],
            rows,
        )
        enroll(state, piece)
    c = state.unit[u, COMBINATION]
    empty = state.group[target, MEMBERS] == 0
    link(state, piece, target)
    if target != state.used[LEFT_OUT]:
        cost = 0.0
        for d in range(space.leaf.shape[1]):
            leaf = space.leaf[c, d]
            state.low[target, d] = leaf if empty else min(state.low[target, d], leaf)
            state.high[target, d] = leaf if empty else max(state.high[target, d], leaf)
            cost += span(space, d, state.low[target, d], state.high[target, d])
        state.cost[target] = cost
    e = state.used[LOGGED]
    state.used[LOGGED] += 1
    state.log[e, MOVE], state.log[e, KIND] = state.used[MOVES], kind
    state.log[e, UNIT], state.log[e, PIECE], state.log[e, SOURCE], state.log[e, TARGET] = u, piece, source, target


@inner
def take_back(space: Space, state: State, begin: int, end: int) -> None:
    """Undo the transfers ``begin:end`` of the log, the last one first."""
    for e in range(end - 1, begin - 1, -1):
        u, piece, source = state.log[e, UNIT], state.log[e, PIECE], state.log[e, SOURCE]
        unlink(state, piece)
        if piece == u:
            link(state, u, source)
        else:
            state.unit[u, ROWS] += state.unit[piece, ROWS]
            state.group[source, SIZE] += state.unit[piece, ROWS]
            state.unit[piece, ROWS] = 0
            state.unit[piece, GROUP] = NOBODY
            strike(state, piece)
    for e in range(begin, end):
        measure(space, state, state.log[e, SOURCE])
        measure(space, state, state.log[e, TARGET])


@inner
def word(state: State, kind: int, a: int, b: int, one: int, other: int) -> np.uint64:
    """A hash of a proposed move, for as long as the two groups don't change."""
    key = np.uint64(kind)
    for part in (a, b, one, state.group[one, VERSION], other, state.group[other, VERSION]):
        key = (key ^ np.uint64(part + 1)) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    return key | np.uint64(1)  # 0 marks an empty place


@inner
def is_refused(state: State, key: np.uint64) -> bool:
    last = len(state.refused) - 1
    j = np.int64(key >> np.uint64(20)) & last
    while state.refused[j] != 0:
        if state.refused[j] == key:
            return True
        j = (j + 1) & last
    return False


@inner
def refuse(state: State, key: np.uint64) -> None:
    last = len(state.refused) - 1
    j = np.int64(key >> np.uint64(20)) & last
    while state.refused[j] != 0 and state.refused[j] != key:
        j = (j + 1) & last
    state.used[REFUSALS] += state.refused[j] == 0
    state.refused[j] = key


def _settle_plainly(space: Space, near: Codes, state: State, holds: BoolArray) -> int:
    """The same as `settle`, by Python."""
    with np.errstate(over="ignore"):  # hashes overflow, and are meant to
        kept: int = settle.plainly(space, near, state, holds)
    return kept


_PLAIN = Twin(_settle_plainly, lambda space, near, state, holds: 100 + 500 * int(state.used[LOGGED]), Patience(PLAIN))


@kernel(twin=_PLAIN)
def settle(space: Space, near: Codes, state: State, holds: BoolArray) -> int:
    """After the models have judged every group (`holds`): take back the moves that break a promise, keep the others.

    Returns how many were kept; the log is empty afterwards and all groups are free again.
    """
    kept = 0
    begin = np.int64(0)
    while begin < state.used[LOGGED]:
        end = begin
        good = True
        while end < state.used[LOGGED] and state.log[end, MOVE] == state.log[begin, MOVE]:
            for g in (state.log[end, SOURCE], state.log[end, TARGET]):
                good = good and (state.group[g, SIZE] == 0 or holds[g])
            end += 1
        if good:
            kept += 1
            for e in range(begin, end):
                for g in (state.log[e, SOURCE], state.log[e, TARGET]):
                    state.group[g, VERSION] += g != state.used[LEFT_OUT]  # nothing depends on who else is left out
                    state.group[g, WARY] = 0
                reopen(near, state, state.unit[state.log[e, UNIT], COMBINATION])
        else:
            take_back(space, state, begin, end)
            kind, u, source, target = (
                state.log[begin, KIND],
                state.log[begin, UNIT],
                state.log[begin, SOURCE],
                state.log[begin, TARGET],
            )
            if kind == JOIN and end > begin + 1:
                state.group[source, WARY] = 1
            elif kind == JOIN:
                refuse(state, word(state, JOIN, u, NOBODY, source, target))
            elif kind == SWAP:
                refuse(state, word(state, SWAP, u, state.log[begin + 1, UNIT], source, target))
            elif kind == FOUND:
                refuse(state, word(state, FOUND, u, NOBODY, source, source))
            else:
                refuse(state, word(state, DISSOLVE, NOBODY, NOBODY, source, source))
            state.group[source, OPEN] = 1
        for e in range(begin, end):
            state.group[state.log[e, SOURCE], LOCKED] = state.group[state.log[e, TARGET], LOCKED] = 0
            state.unit[state.log[e, UNIT], WAITING] = state.unit[state.log[e, PIECE], WAITING] = 0
        begin = end
    state.used[LOGGED] = state.used[RETURNING] = 0
    return kept


@inner
def reopen(near: Codes, state: State, c: int) -> None:
    """Groups near a combination that has moved are worth another look."""
    for p in range(-1, min(CLOSE, near.shape[1])):
        y = c if p < 0 else near[c, p]
        if y < 0:
            break
        w = state.first[y]
        while w >= 0:
            state.group[state.unit[w, GROUP], OPEN] = 1
            w = state.unit[w, FOLLOWING]
