"""The moves of local recoding: rows change groups wherever that makes the release cheaper.

The smallest thing that moves is a unit: some rows of one combination in one group. Four moves are known. A unit *joins*
another group; two units of two groups *swap*; a unit *founds* a new group, filled up with rows that their groups can
spare; a group is *dissolved*, every unit of it joining or founding. To be left out is to join, too, where that is
allowed. Each is taken only if it lowers the total loss and leaves no group below `least` rows. Whether other promises
survive is for the models to say: in careful mode no group takes part in two moves, so that all can be judged at once
and each taken back on its own.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.compiled import inner, kernel
from discreet.search.local.kernels import Space, span
from discreet.search.local.state import (
    AFTER,
    COMBINATION,
    DISSOLVE,
    FEW,
    FOLLOWING,
    FOUND,
    GROUP,
    GROUPS,
    HEAD,
    JOIN,
    LEFT_OUT,
    LIMIT,
    LOCKED,
    LOGGED,
    MANY,
    MEMBERS,
    MOVES,
    NOBODY,
    OPEN,
    PIECE,
    RETURNING,
    ROWS,
    SEEN,
    SIZE,
    SOURCE,
    SPARED,
    STAMPS,
    SWAP,
    TARGET,
    UNIT,
    UNITS,
    WAITING,
    WARY,
    State,
    cost_with,
    is_refused,
    loses,
    range_without,
    reopen,
    room_for_a_move,
    set_up,
    take_back,
    transfer,
    word,
)

_GAIN = 1e-9  # smaller gains are rounding


@kernel
def improve(space: Space, near: Codes, state: State, least: int, careful: bool) -> int:
    """Look at every open group and take the best move of each of its units; returns how many moves were made.

    Stops early when the room for new units, groups or log entries runs out (the caller makes more and calls again).
    """
    set_up(space, state)
    moves = 0
    again = True
    while again:
        again = False
        for g in range(state.used[GROUPS]):
            if (
                not state.group[g, OPEN]
                or state.group[g, LOCKED]
                or state.group[g, SIZE] == 0
                or state.cost[g] <= _GAIN
            ):
                continue
            if _is_full(state, least):
                return moves
            made = _units(space, near, state, g, least, careful)
            if (
                g != state.used[LEFT_OUT]
                and state.group[g, SIZE] > 0
                and state.group[g, MEMBERS] <= MANY
                and not state.group[g, LOCKED]
                and not _is_full(state, least)
            ):
                made += _dissolve(space, near, state, g, least, careful)
            if made:
                moves += made
                again = not careful
            elif not state.group[g, LOCKED]:
                state.group[g, OPEN] = 0
    return moves


@inner
def _is_full(state: State, least: int) -> bool:
    """Might a single move need more room than there is?"""
    room = room_for_a_move(least)
    return bool(
        state.used[UNITS] + room > len(state.unit)
        or state.used[GROUPS] + MANY + 1 > len(state.group)
        or state.used[LOGGED] + room > len(state.log)
    )


@inner
def _made(near: Codes, state: State, begin: int, careful: bool) -> None:
    """A move is complete: in careful mode its groups are locked until it is judged, else it is final."""
    for e in range(begin, state.used[LOGGED]):
        if careful:
            for g in (state.log[e, SOURCE], state.log[e, TARGET]):
                state.group[g, LOCKED] = g != state.used[LEFT_OUT]
                if g == state.used[LEFT_OUT]:
                    state.unit[state.log[e, UNIT], WAITING] = state.unit[state.log[e, PIECE], WAITING] = 1
            if state.log[e, SOURCE] == state.used[LEFT_OUT]:
                state.used[RETURNING] += state.unit[state.log[e, PIECE], ROWS]
        else:
            reopen(near, state, state.unit[state.log[e, UNIT], COMBINATION])
    if not careful:
        state.used[LOGGED] = 0
        state.used[MOVES] += 1


@inner
def _units(space: Space, near: Codes, state: State, g: int, least: int, careful: bool) -> int:
    """Join, swap or found, for every unit of a group.

    In careful mode all the joins count as one move: if the models refuse it, the group goes on one by one. Those who
    are left out come back each by himself.
    """
    alone = g == state.used[LEFT_OUT]
    attributes = space.leaf.shape[1]
    low, high = np.empty(attributes, dtype=np.int32), np.empty(attributes, dtype=np.int32)
    picked = np.empty((least + 1, 2), dtype=np.int64)
    moves = 0
    u = state.group[g, HEAD]
    while u >= 0:
        following = state.unit[u, AFTER]
        if state.unit[u, WAITING]:
            u = following
            continue
        begin = state.used[LOGGED]
        joined = careful and moves > 0 and not alone
        without = range_without(space, state, u, low, high)
        target, rows = _best_join(space, near, state, u, without, least, careful)
        other = NOBODY
        if target < 0 and not joined and not alone and state.group[g, MEMBERS] <= FEW:
            other = _best_swap(space, near, state, u, low, high, least, careful)
        if target >= 0:
            transfer(space, state, JOIN, u, rows, target)
        elif other >= 0:
            home = state.unit[other, GROUP]
            transfer(space, state, SWAP, u, state.unit[u, ROWS], home)
            transfer(space, state, SWAP, other, state.unit[other, ROWS], g)
            following = NOBODY  # the list has changed; the group stays open
        elif not joined:
            spare = state.unit[u, ROWS] if alone else min(state.unit[u, ROWS], state.group[g, SIZE] - least)
            if spare > 0 and not (careful and is_refused(state, word(state, FOUND, u, NOBODY, g, g))):
                state.group[g, SPARED] = spare
                cost, credit, picks = _companions(space, near, state, u, spare, least, NOBODY, picked)
                state.group[g, SPARED] = 0
                if picks >= 0 and cost * least < credit + spare * loses(state, g) - _GAIN:
                    _found(space, state, FOUND, u, spare, picks, picked)
        if state.used[LOGGED] > begin:
            moves += 1
            _made(near, state, begin, careful)
            if careful and alone:
                state.used[MOVES] += 1
            gone = following >= 0 and state.unit[following, GROUP] != g  # as a companion of this one
            if gone or _is_full(state, least) or (careful and not alone and (target < 0 or state.group[g, WARY])):
                break
        u = following
    if careful and moves > 0 and not alone:
        state.used[MOVES] += 1
    return moves


@inner
def _next_near(near: Codes, state: State, c: int, stamp: int, p: int, w: int) -> tuple[int, int, int]:
    """The next group that combination `c`, or one of its neighbours, stands in: none twice, and none that is locked.

    Nor that of those who are left out: whoever may join it need not be near.

    `w` is where to go on (a unit of neighbour `p`; at first, of `c` itself), and both are returned for the next call.
    Groups of that `stamp` were there before. A group of −1 is the end. A generator would be 10% slower.
    """
    while True:
        while w >= 0:
            h = state.unit[w, GROUP]
            w = state.unit[w, FOLLOWING]
            if state.group[h, SEEN] != stamp:
                state.group[h, SEEN] = stamp
                if not state.group[h, LOCKED] and h != state.used[LEFT_OUT]:
                    return h, p, w
        p += 1
        if p == near.shape[1] or near[c, p] < 0:
            return -1, p, w
        w = state.first[near[c, p]]


@inner
def _best_join(
    space: Space, near: Codes, state: State, u: int, without: float, least: int, careful: bool
) -> tuple[np.int64, int]:
    """The group that unit `u` (or the rows of it that its group can spare) joins with the largest gain."""
    g, c, left_out = state.unit[u, GROUP], state.unit[u, COMBINATION], state.used[LEFT_OUT]
    rest = state.group[g, SIZE] - state.unit[u, ROWS]
    whole = rest == 0 or rest >= least or g == left_out
    rows = state.unit[u, ROWS] if whole else state.group[g, SIZE] - least
    best, target = _GAIN, NOBODY
    if rows <= 0:
        return target, rows
    freed = loses(state, g) * state.group[g, SIZE] - (
        without * rest if whole else loses(state, g) * (state.group[g, SIZE] - rows)
    )
    gain = freed - state.cost[left_out] * rows if g != left_out and _has_room(state, rows) else 0.0
    if gain > best and not (careful and is_refused(state, word(state, JOIN, u, NOBODY, g, left_out))):
        best, target = gain, left_out
    state.group[g, SEEN] = stamp = _next_stamp(state)
    h, p, w = _next_near(near, state, c, stamp, np.int64(-1), state.first[c])
    while h >= 0:
        cost = cost_with(space, state, h, c)
        gain = freed - cost * (state.group[h, SIZE] + rows) + state.cost[h] * state.group[h, SIZE]
        if gain > best and not (careful and is_refused(state, word(state, JOIN, u, NOBODY, g, h))):
            best, target = gain, h
        h, p, w = _next_near(near, state, c, stamp, p, w)
    return target, rows


@inner
def _has_room(state: State, rows: int) -> bool:
    """May so many more rows be left out?"""
    left_out = state.used[LEFT_OUT]
    return bool(left_out >= 0 and state.group[left_out, SIZE] + state.used[RETURNING] + rows <= state.used[LIMIT])


@inner
def _best_swap(
    space: Space, near: Codes, state: State, u: int, low: Codes, high: Codes, least: int, careful: bool
) -> np.int64:
    """The unit of another group that changes places with `u` with the largest gain.

    `low` and `high` are the outermost leaves of the group of `u` without it.
    """
    g, c = state.unit[u, GROUP], state.unit[u, COMBINATION]
    best, partner = _GAIN, NOBODY
    alone = state.group[g, MEMBERS] == 1
    paid = state.cost[g] * state.group[g, SIZE]
    state.group[g, SEEN] = stamp = _next_stamp(state)
    for p in range(near.shape[1]):
        y = near[c, p]
        if y < 0:
            break
        w = state.first[y]
        while w >= 0:
            h = state.unit[w, GROUP]
            w = state.unit[w, FOLLOWING]
            if state.group[h, SEEN] == stamp:
                continue
            state.group[h, SEEN] = stamp
            if state.group[h, LOCKED] or state.group[h, MEMBERS] > FEW or h == state.used[LEFT_OUT]:
                continue
            z = state.group[h, HEAD]
            while z >= 0:
                mine = state.group[g, SIZE] - state.unit[u, ROWS] + state.unit[z, ROWS]
                theirs = state.group[h, SIZE] - state.unit[z, ROWS] + state.unit[u, ROWS]
                if mine >= least and theirs >= least:
                    room = paid + state.cost[h] * state.group[h, SIZE]
                    cost = 0.0
                    for d in range(space.leaf.shape[1]):
                        leaf = space.leaf[state.unit[z, COMBINATION], d]
                        cost += span(
                            space, d, leaf if alone else min(low[d], leaf), leaf if alone else max(high[d], leaf)
                        )
                    if room - cost * mine > best:
                        gain = room - cost * mine - _cost_exchanged(space, state, h, z, c) * theirs
                        if gain > best and not (careful and is_refused(state, word(state, SWAP, u, z, g, h))):
                            best, partner = gain, z
                z = state.unit[z, AFTER]
    return partner


@inner
def _cost_exchanged(space: Space, state: State, g: int, gone: int, c: int) -> float:
    """What a row of group `g` would lose with combination `c` in the place of unit `gone`."""
    cost = 0.0
    for d in range(space.leaf.shape[1]):
        low = high = space.leaf[c, d]
        v = state.group[g, HEAD]
        while v >= 0:
            if v != gone:
                leaf = space.leaf[state.unit[v, COMBINATION], d]
                low, high = min(low, leaf), max(high, leaf)
            v = state.unit[v, AFTER]
        cost += span(space, d, low, high)
    return cost


@inner
def _companions(
    space: Space,
    near: Codes,
    state: State,
    u: int,
    rows: int,
    least: int,
    dissolving: int,
    picked: IntArray,
) -> tuple[float, float, int]:
    """The nearest rows that can be spared, enough to found a group with `rows` rows of unit `u`.

    Groups can spare what they have above `least`; the group `dissolving`, and those who are left out, all they have.
    Returns what a row of the new group would lose, what the companions lose now in sum, and how many picks (unit, rows)
    were made; −1 if there are not enough.
    """
    attributes = space.leaf.shape[1]
    c = state.unit[u, COMBINATION]
    low, high = np.empty(attributes, dtype=np.int32), np.empty(attributes, dtype=np.int32)
    for d in range(attributes):
        low[d] = high[d] = space.leaf[c, d]
    need, picks, credit = least - rows, 0, 0.0
    for p in range(-1, near.shape[1]):
        y = c if p < 0 else near[c, p]
        if need <= 0 or y < 0:
            break
        w = state.first[y]
        while w >= 0 and need > 0:
            h = state.unit[w, GROUP]
            if w != u and not state.group[h, LOCKED] and not state.unit[w, WAITING]:
                free = h == dissolving or h == state.used[LEFT_OUT]
                spare = state.group[h, SIZE] - state.group[h, SPARED] - (0 if free else least)
                take = min(need, state.unit[w, ROWS], spare)
                if take > 0:
                    state.group[h, SPARED] += take
                    need -= take
                    credit += take * loses(state, h)
                    picked[picks, 0], picked[picks, 1] = w, take
                    picks += 1
                    for d in range(attributes):
                        leaf = space.leaf[y, d]
                        low[d], high[d] = min(low[d], leaf), max(high[d], leaf)
            w = state.unit[w, FOLLOWING]
    for i in range(picks):
        state.group[state.unit[picked[i, 0], GROUP], SPARED] = 0
    if need > 0:
        return 0.0, 0.0, -1
    cost = 0.0
    for d in range(attributes):
        cost += span(space, d, low[d], high[d])
    return cost, credit, picks


@inner
def _found(space: Space, state: State, kind: int, u: int, rows: int, picks: int, picked: IntArray) -> None:
    """Open a new group with `rows` rows of unit `u` and its companions."""
    fresh = state.used[GROUPS]
    state.used[GROUPS] += 1
    transfer(space, state, kind, u, rows, fresh)
    for i in range(picks):
        transfer(space, state, kind, picked[i, 0], picked[i, 1], fresh)


@inner
def _dissolve(space: Space, near: Codes, state: State, g: int, least: int, careful: bool) -> int:
    """Send every unit of a group elsewhere, if that costs less in sum than the group does; else leave all as it was."""
    if careful and is_refused(state, word(state, DISSOLVE, NOBODY, NOBODY, g, g)):
        return 0
    budget = state.cost[g] * state.group[g, SIZE]
    own = state.cost[g]
    begin, units, groups = state.used[LOGGED], state.used[UNITS], state.used[GROUPS]
    picked = np.empty((least + 1, 2), dtype=np.int64)
    while state.group[g, SIZE] > 0 and budget > _GAIN:
        u = state.group[g, HEAD]
        c, rows = state.unit[u, COMBINATION], state.unit[u, ROWS]
        spent, target = budget, NOBODY
        state.group[g, SEEN] = stamp = _next_stamp(state)
        h, p, w = _next_near(near, state, c, stamp, np.int64(-1), state.first[c])
        while h >= 0:
            cost = cost_with(space, state, h, c) * (state.group[h, SIZE] + rows) - state.cost[h] * state.group[h, SIZE]
            if cost < spent:
                spent, target = cost, h
            h, p, w = _next_near(near, state, c, stamp, p, w)
        if _has_room(state, rows) and rows * state.cost[state.used[LEFT_OUT]] < spent:
            target = state.used[LEFT_OUT]
            spent = rows * state.cost[target]
        picks = -1
        if rows < least:
            state.group[g, SPARED] = rows
            cost, credit, picks = _companions(space, near, state, u, rows, least, g, picked)
            state.group[g, SPARED] = 0
            if picks >= 0:
                mates = 0  # rows of this very group: their loss is in the budget already
                for i in range(picks):
                    if state.unit[picked[i, 0], GROUP] == g:
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
    if state.group[g, SIZE] == 0 and budget > _GAIN:
        _made(near, state, begin, careful)
        state.used[MOVES] += careful
        return 1
    take_back(space, state, begin, state.used[LOGGED])
    state.used[UNITS], state.used[GROUPS], state.used[LOGGED] = units, groups, begin
    return 0


@inner
def _next_stamp(state: State) -> int:
    state.used[STAMPS] += 1
    return int(state.used[STAMPS])
