"""The moves of local recoding: rows change groups wherever that makes the release cheaper.

The smallest thing that moves is a unit: some rows of one combination in one group. Four moves are known. A unit *joins*
another group; two units of two groups *swap*; a unit *founds* a new group, filled up with rows that their groups can
spare; a group is *dissolved*, every unit of it joining or founding. Each is taken only if it lowers the total loss and
leaves no group below `least` rows. Whether other promises survive is for the models to say: in careful mode no group
takes part in two moves, so that all can be judged at once and each taken back on its own.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from discreet.hierarchies.hierarchy import Codes, IntArray
from discreet.search.recoding_kernels import Space, span
from discreet.search.recoding_state import (
    DISSOLVE,
    FOUND,
    JOIN,
    MANY,
    NOBODY,
    SWAP,
    State,
    cost_with,
    is_refused,
    range_without,
    reopen,
    take_back,
    transfer,
    word,
)

_GAIN = 1e-9  # smaller gains are rounding


@njit(cache=True)
def improve(space: Space, near: Codes, state: State, least: int, careful: bool) -> int:
    """Look at every open group and take the best move of each of its units; returns how many moves were made.

    Stops early when the room for new units, groups or log entries runs out (the caller makes more and calls again).
    """
    moves = 0
    again = True
    while again:
        again = False
        for g in range(state.used[1]):
            if not state.open[g] or state.locked[g] or state.size[g] == 0 or state.cost[g] <= _GAIN:
                continue
            if _is_full(state, least):
                return moves
            made = _units(space, near, state, g, least, careful)
            if state.size[g] > 0 and state.units[g] <= MANY and not state.locked[g] and not _is_full(state, least):
                made += _dissolve(space, near, state, g, least, careful)
            if made:
                moves += made
                again = not careful
            elif not state.locked[g]:
                state.open[g] = False
    return moves


@njit(cache=True)
def _is_full(state: State, least: int) -> bool:
    """A single move needs at most this much room."""
    room = (MANY + 1) * (least + 1)
    return (
        state.used[0] + room > len(state.count)
        or state.used[1] + MANY + 1 > len(state.size)
        or state.used[2] + room > len(state.log)
    )


@njit(cache=True)
def _made(near: Codes, state: State, begin: int, careful: bool) -> None:
    """A move is complete: in careful mode its groups are locked until it is judged, else it is final."""
    for e in range(begin, state.used[2]):
        if careful:
            state.locked[state.log[e, 4]] = state.locked[state.log[e, 5]] = True
        else:
            reopen(near, state, state.combination[state.log[e, 2]])
    state.used[3] += 1
    if not careful:
        state.used[2] = 0


@njit(cache=True)
def _units(space: Space, near: Codes, state: State, g: int, least: int, careful: bool) -> int:
    """Join, swap or found, for every unit of a group."""
    attributes = space.leaf.shape[1]
    low, high = np.empty(attributes, dtype=np.int32), np.empty(attributes, dtype=np.int32)
    picked = np.empty((least + 1, 2), dtype=np.int64)
    moves = 0
    u = state.head[g]
    while u >= 0:
        following = state.after[u]
        begin = state.used[2]
        without = range_without(space, state, u, low, high)
        gain, target, rows = _best_join(space, near, state, u, without, least, careful)
        other = NOBODY
        if target < 0 and state.units[g] <= MANY:
            gain, other = _best_swap(space, near, state, u, low, high, least, careful)
        if target >= 0:
            transfer(space, state, JOIN, u, rows, target)
        elif other >= 0:
            home = state.group[other]
            transfer(space, state, SWAP, u, state.count[u], home)
            transfer(space, state, SWAP, other, state.count[other], g)
            following = NOBODY  # the list has changed; the group stays open
        else:
            spare = min(state.count[u], state.size[g] - least)
            if spare > 0 and not (careful and is_refused(state, word(state, FOUND, u, 0, g, g))):
                state.spared[g] = spare
                cost, credit, picks = _companions(space, near, state, u, spare, least, NOBODY, careful, picked)
                state.spared[g] = 0
                if picks >= 0 and cost * least < credit + spare * state.cost[g] - _GAIN:
                    _found(space, state, FOUND, u, spare, picks, picked)
        if state.used[2] > begin:
            moves += 1
            _made(near, state, begin, careful)
            gone = following >= 0 and state.group[following] != g  # as a companion of this one
            if careful or gone or _is_full(state, least):
                break
        u = following
    return moves


@njit(cache=True)
def _best_join(
    space: Space, near: Codes, state: State, u: int, without: float, least: int, careful: bool
) -> tuple[float, int, int]:
    """The group that unit `u` (or the rows of it that its group can spare) joins with the largest gain."""
    g, c = state.group[u], state.combination[u]
    rest = state.size[g] - state.count[u]
    whole = rest == 0 or rest >= least
    rows = state.count[u] if whole else state.size[g] - least
    best, target = _GAIN, NOBODY
    if rows <= 0:
        return best, target, rows
    freed = state.cost[g] * state.size[g] - (without * rest if whole else state.cost[g] * (state.size[g] - rows))
    state.seen[g] = stamp = _next_stamp(state)
    for p in range(-1, near.shape[1]):
        y = c if p < 0 else near[c, p]
        if y < 0:
            break
        w = state.first[y]
        while w >= 0:
            h = state.group[w]
            if state.seen[h] != stamp:
                state.seen[h] = stamp
                if not state.locked[h]:
                    cost = cost_with(space, state, h, c)
                    gain = freed - cost * (state.size[h] + rows) + state.cost[h] * state.size[h]
                    if gain > best and not (careful and is_refused(state, word(state, JOIN, u, 0, g, h))):
                        best, target = gain, h
            w = state.following[w]
    return best, target, rows


@njit(cache=True)
def _best_swap(
    space: Space, near: Codes, state: State, u: int, low: Codes, high: Codes, least: int, careful: bool
) -> tuple[float, int]:
    """The unit of another group that changes places with `u` with the largest gain.

    `low` and `high` are the outermost leaves of the group of `u` without it.
    """
    g, c = state.group[u], state.combination[u]
    best, partner = _GAIN, NOBODY
    alone = state.units[g] == 1
    paid = state.cost[g] * state.size[g]
    state.seen[g] = stamp = _next_stamp(state)
    for p in range(near.shape[1]):
        y = near[c, p]
        if y < 0:
            break
        w = state.first[y]
        while w >= 0:
            h = state.group[w]
            w = state.following[w]
            if state.seen[h] == stamp:
                continue
            state.seen[h] = stamp
            if state.locked[h] or state.units[h] > MANY:
                continue
            z = state.head[h]
            while z >= 0:
                mine = state.size[g] - state.count[u] + state.count[z]
                theirs = state.size[h] - state.count[z] + state.count[u]
                if mine >= least and theirs >= least:
                    room = paid + state.cost[h] * state.size[h]
                    cost = 0.0
                    for d in range(space.leaf.shape[1]):
                        leaf = space.leaf[state.combination[z], d]
                        cost += span(
                            space, d, leaf if alone else min(low[d], leaf), leaf if alone else max(high[d], leaf)
                        )
                    if room - cost * mine > best:
                        gain = room - cost * mine - _cost_exchanged(space, state, h, z, c) * theirs
                        if gain > best and not (careful and is_refused(state, word(state, SWAP, u, z, g, h))):
                            best, partner = gain, z
                z = state.after[z]
    return best, partner


@njit(cache=True)
def _cost_exchanged(space: Space, state: State, g: int, gone: int, c: int) -> float:
    """What a row of group `g` would lose with combination `c` in the place of unit `gone`."""
    cost = 0.0
    for d in range(space.leaf.shape[1]):
        low = high = space.leaf[c, d]
        v = state.head[g]
        while v >= 0:
            if v != gone:
                leaf = space.leaf[state.combination[v], d]
                low, high = min(low, leaf), max(high, leaf)
            v = state.after[v]
        cost += span(space, d, low, high)
    return cost


@njit(cache=True)
def _companions(
    space: Space,
    near: Codes,
    state: State,
    u: int,
    rows: int,
    least: int,
    dissolving: int,
    careful: bool,
    picked: IntArray,
) -> tuple[float, float, int]:
    """The nearest rows that can be spared, enough to found a group with `rows` rows of unit `u`.

    Groups can spare what they have above `least`; the group `dissolving` all it has. Returns what a row of the new
    group would lose, what the companions lose now in sum, and how many picks (unit, rows) were made; −1 if there are
    not enough.
    """
    attributes = space.leaf.shape[1]
    c = state.combination[u]
    low, high = space.leaf[c].copy(), space.leaf[c].copy()
    need, picks, credit = least - rows, 0, 0.0
    for p in range(-1, near.shape[1]):
        y = c if p < 0 else near[c, p]
        if need <= 0 or y < 0:
            break
        w = state.first[y]
        while w >= 0 and need > 0:
            h = state.group[w]
            if w != u and not state.locked[h]:
                spare = state.size[h] - state.spared[h] - (0 if h == dissolving else least)
                take = min(need, state.count[w], spare)
                if take > 0:
                    state.spared[h] += take
                    need -= take
                    credit += take * state.cost[h]
                    picked[picks, 0], picked[picks, 1] = w, take
                    picks += 1
                    for d in range(attributes):
                        leaf = space.leaf[y, d]
                        low[d], high[d] = min(low[d], leaf), max(high[d], leaf)
            w = state.following[w]
    for i in range(picks):
        state.spared[state.group[picked[i, 0]]] = 0
    if need > 0:
        return 0.0, 0.0, -1
    cost = 0.0
    for d in range(attributes):
        cost += span(space, d, low[d], high[d])
    return cost, credit, picks


@njit(cache=True)
def _found(space: Space, state: State, kind: int, u: int, rows: int, picks: int, picked: IntArray) -> int:
    """Open a new group with `rows` rows of unit `u` and its companions."""
    fresh = state.used[1]
    state.used[1] += 1
    transfer(space, state, kind, u, rows, fresh)
    for i in range(picks):
        transfer(space, state, kind, picked[i, 0], picked[i, 1], fresh)
    return fresh


@njit(cache=True)
def _dissolve(space: Space, near: Codes, state: State, g: int, least: int, careful: bool) -> int:
    """Send every unit of a group elsewhere, if that costs less in sum than the group does; else leave all as it was."""
    if careful and is_refused(state, word(state, DISSOLVE, 0, 0, g, g)):
        return 0
    budget = state.cost[g] * state.size[g]
    own = state.cost[g]
    begin, units, groups = state.used[2], state.used[0], state.used[1]
    picked = np.empty((least + 1, 2), dtype=np.int64)
    while state.size[g] > 0 and budget > _GAIN:
        u = state.head[g]
        c, rows = state.combination[u], state.count[u]
        spent, target = budget, NOBODY
        state.seen[g] = stamp = _next_stamp(state)
        for p in range(-1, near.shape[1]):
            y = c if p < 0 else near[c, p]
            if y < 0:
                break
            w = state.first[y]
            while w >= 0:
                h = state.group[w]
                if state.seen[h] != stamp:
                    state.seen[h] = stamp
                    if not state.locked[h]:
                        cost = cost_with(space, state, h, c) * (state.size[h] + rows) - state.cost[h] * state.size[h]
                        if cost < spent:
                            spent, target = cost, h
                w = state.following[w]
        picks = -1
        if rows < least:
            state.spared[g] = rows
            cost, credit, picks = _companions(space, near, state, u, rows, least, g, careful, picked)
            state.spared[g] = 0
            if picks >= 0:
                mates = 0  # rows of this very group: their loss is in the budget already
                for i in range(picks):
                    if state.group[picked[i, 0]] == g:
                        mates += picked[i, 1]
                founding = cost * least - (credit - mates * state.cost[g])
                if founding - mates * own < spent and founding < budget:
                    spent, target = founding, NOBODY
                    _found(space, state, DISSOLVE, u, rows, picks, picked)
                else:
                    picks = -1
        if picks < 0:
            if target < 0:
                break
            transfer(space, state, DISSOLVE, u, rows, target)
        budget -= spent
    if state.size[g] == 0 and budget > _GAIN:
        _made(near, state, begin, careful)
        return 1
    take_back(space, state, begin, state.used[2])
    state.used[0], state.used[1], state.used[2] = units, groups, begin
    return 0


@njit(cache=True)
def _next_stamp(state: State) -> int:
    state.used[4] += 1
    return int(state.used[4])
