"""The compiled loops of `refused_splits`; see there for the theory."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.audit.association.refused_splits import DISTANCE, DISTINCT, ENTROPY, RECURSIVE, SHARE, TIE, Demands
from discreet.compiled import inner, kernel


@kernel
def weigh(
    counts: IntArray,
    parts: IntArray,
    free: int,
    demands: Demands,
    most: int,
    chance: FloatArray,
    held: FloatArray,
) -> bool:
    """Per set of parts that break a promise (a number, part j being bit j): its chance, and what each part then has.

    `free` people are in no part that is judged. `chance` has an entry per set, ``held[set, part, value]`` is the
    expected count of a value where this set breaks the promise (zero elsewhere), the last part being the free one.
    False if more than `most` tables would have to be gone through; then nothing is meant by what was written.
    """
    values, judged = len(counts), len(parts)
    columns = judged + (1 if free > 0 else 0)
    room = np.zeros(columns, dtype=np.int64)
    room[:judged] = parts
    if free > 0:
        room[judged] = free
    logs = np.zeros(counts.sum() + 1)  # of the factorials
    for n in range(1, len(logs)):
        logs[n] = logs[n - 1] + math.log(float(n))
    cells = values * columns
    log_weight = np.empty(cells + 1)  # of all that is decided before each cell
    log_weight[0] = -logs[-1]
    for j in range(columns):
        log_weight[0] += logs[room[j]]
    for v in range(values):
        log_weight[0] += logs[counts[v]]
    x = np.full(cells, -1, dtype=np.int64)
    left = counts.copy()
    gone = 0
    steps = 0
    cell = 0
    while cell >= 0:
        if cell == cells:
            gone += 1
            weight = math.exp(log_weight[cells])
            broken = 0
            for j in range(judged):
                if not _keeps(x[j::columns], parts[j], demands):
                    broken |= 1 << j
            chance[broken] += weight
            for j in range(columns):
                for v in range(values):
                    held[broken, j, v] += weight * x[v * columns + j]
            cell -= 1
            continue
        steps += 1
        if gone > most or steps > 20 * most:
            return False
        v, j = cell // columns, cell % columns
        if x[cell] >= 0:  # back here: take it away again
            left[v] += x[cell]
            room[j] += x[cell]
        following = x[cell] + 1
        if j == columns - 1:  # takes what is left of the value, and nothing else
            following = left[v] if x[cell] < 0 else room[j] + 1
        if following > left[v] or following > room[j]:
            x[cell] = -1
            cell -= 1
            continue
        x[cell] = following
        left[v] -= following
        room[j] -= following
        log_weight[cell + 1] = log_weight[cell] - logs[following]
        cell += 1
    return True


@inner
def _keeps(has: IntArray, size: int, demands: Demands) -> bool:
    """Does a part with these counts keep all promises? Ties count as kept, but for recursive diversity (r₁ < …)."""
    for p in range(len(demands.kinds)):
        if demands.kinds[p] == DISTINCT:
            distinct = 0
            for n in has:
                distinct += n > 0
            if distinct < demands.limit[p]:
                return False
        elif demands.kinds[p] == SHARE:
            most = 0
            for n in has:
                most = max(most, n)
            if most > demands.limit[p] * size * (1 + TIE):
                return False
        elif demands.kinds[p] == ENTROPY:
            entropy = 0.0
            for n in has:
                if n > 0:
                    entropy -= n / size * math.log(n / size)
            if entropy < math.log(demands.limit[p]) - TIE:
                return False
        elif demands.kinds[p] == RECURSIVE:
            falling = np.sort(has)[::-1]
            rest = falling[int(demands.limit[p]) - 1 :].sum()
            if not falling[0] < demands.factor[p] * rest * (1 - TIE):
                return False
        elif demands.kinds[p] == DISTANCE:
            apart = demands.missing
            for v in range(len(has)):
                apart += abs(has[v] / size - demands.table[v])
            if apart / 2 > demands.limit[p] + TIE:
                return False
    return True


class Drawn(NamedTuple):
    """What random worlds have shown of the parts that break a promise: a row for each set of these, as it came up.

    ``set[i]`` is the set (part j being bit j), ``many[i]`` in how many worlds, and ``held[i, part, value]`` what each
    part then has, added up over worlds and divided by their number. ``at`` says how many random numbers are used,
    worlds are drawn, sets are known.
    """

    set: IntArray
    many: IntArray
    held: FloatArray
    at: IntArray


@kernel
def draw(
    random: Any, counts: IntArray, parts: IntArray, judged: int, demands: Demands, worlds: int, drawn: Drawn
) -> bool:
    """Draw worlds until there are as many as asked for. False if the random numbers ran out, or the room for sets.

    There are ``counts[v]`` people of value v, and as many seats, of the first part first; the first so many parts are
    `judged`. People are shuffled (Fisher & Yates) from the last seat on, by the bits of `random`. What seats the first
    part has among themselves is all one; only their bits are used up.
    """
    people, seat = np.empty(counts.sum(), dtype=np.int32), 0
    for v in range(len(counts)):
        for _ in range(counts[v]):
            people[seat] = v
            seat += 1
    seated, dealt = people.copy(), np.empty((len(parts), len(counts)), dtype=np.int64)
    at = drawn.at
    for _ in range(at[1], worlds):
        used = _shuffle(random, at[0], people, parts[0], seated)
        if used < 0:
            return False
        dealt[0] = counts
        seat = parts[0]
        for part in range(1, len(parts)):
            dealt[part] = 0
            for _ in range(parts[part]):
                dealt[part, seated[seat]] += 1
                seat += 1
            for v in range(len(counts)):
                dealt[0, v] -= dealt[part, v]
        broken = 0
        for j in range(judged):
            if not _keeps(dealt[j], parts[j], demands):
                broken |= 1 << j
        row = 0
        while row < at[2] and drawn.set[row] != broken:
            row += 1
        if row == len(drawn.set):
            return False
        if row == at[2]:
            drawn.set[row], drawn.many[row], drawn.held[row] = broken, 0, 0.0
            at[2] += 1
        drawn.many[row] += 1
        for part in range(len(parts)):
            for v in range(len(counts)):
                if dealt[part, v] > 0:
                    drawn.held[row, part, v] += dealt[part, v] / worlds
        at[0] = used
        at[1] += 1
    return True


@inner
def _shuffle(random: Any, used: int, people: IntArray, first: int, seated: IntArray) -> int:
    """Seat the people at random, but for those in the `first` seats; how many random numbers are used, or −1."""
    mask, i = 1, len(people) - 1
    while mask < i:
        mask = 2 * mask + 1
    seated[:] = people
    while i > 0:
        last = max(mask // 2 + 1, first)
        while i >= last:  # no branch that would be guessed wrongly: who stays changes places with himself
            if used == len(random):
                return -1
            j = int(np.int64(random[used]) & mask)
            used += 1
            moved = j <= i
            j = j if moved else i
            seated[i], seated[j] = seated[j], seated[i]
            i -= moved
        last = mask // 2 + 1
        while i >= last and i > 0:
            if used == len(random):
                return -1
            i -= int(np.int64(random[used]) & mask) <= i
            used += 1
        mask //= 2
    return used
