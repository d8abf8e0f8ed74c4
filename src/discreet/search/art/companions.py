"""The compiled search for companions: people who hide one person's protected value, as few and as alike as possible.

All companions of a group share one unprotected value y. Then everything is plain: with x the protected value, the
adversary's p(t : x) is q(t) / Σ q, q = p(x) / p(y); where she only asks "protected or not", the same with the odds
q = p / (1 − p). A group holds as soon as Σ q ≥ r · max q for every attribute set, both ways. That is Theorem 1 of Wong
et al. with everybody's own chance instead of the least, so it asks for fewer people; and because it is the two-valued
case, it is true. It also keeps most of what the table tells: the only open question in the group is whose x it is.

Equal seeds come one after the other. What is looked up of kinds and combinations is kept as long as the seed stays the
same (`Seen`), and so is how far a group of each value grows (`Tried`): a group takes companions of one value away, so
for the other values the next seed finds what the last one found. How a group grows from candidates of one value is in
`companion_groups`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.compiled import inner, kernel
from discreet.search.art.companion_groups import NEARNESS, Candidates, first_of_order, grow_companions, missing_with
from discreet.search.art.people import Index, Limits, Points, Stock, Table
from discreet.search.art.tree import apart, enlist, nearest

_VALUES = 12  # unprotected values that are tried
_AT_HAND = 32  # nearest kinds that are tried first
_NONE = -1


class Seen(NamedTuple):
    """What is known of kinds and combinations beside one seed, whose value is x; `used` counts kinds, places of
    combinations, and combinations.

    Of all of `rows`, `hiding` has the value if it can hide somebody, else −1. By value and signature, `against_all` has
    the odds of the value's set against everything else. Kind k has the place ``of_kind[k]`` (−1:
    not looked up): how likely its people have x, the odds of its set against everything else (both per attribute set),
    and how far their quasi-identifiers are (infinite: some odds are). Combination i has the place ``of_row[i]``, which
    those of one kind and value may share: its odds of x against its own value, then those of its set; how far it is;
    and how many people would be missing if one of them joined the seed alone (infinite: some odds are).
    """

    hiding: Codes
    against_all: Points
    used: IntArray
    of_kind: Codes
    kinds: IntArray
    chance: Points
    against: Points
    gap: FloatArray
    of_row: Codes
    rows: IntArray
    odds: Points
    far: FloatArray
    score: FloatArray


class Tried(NamedTuple):
    """How far groups around one seed grow, by how far is looked (row) and value (column), as long as these `kinds`, so
    many of them, are the nearest.

    `grown` is how large the group was before those were left out again whom it could do without, `sizes` and `far` are
    its size in the end and how far its people are. Negative: it grows beyond so many people. 0: not known.
    """

    kinds: Codes
    number: IntArray
    grown: IntArray
    sizes: IntArray
    far: FloatArray


class Scratch(NamedTuple):
    """Room for one group at a time: how many people there are of each value, the first entry of each (and the end), and
    which of them are tried (at what place, −1 if not); per value that is tried, the odds of the one who is hidden; the
    chances of one combination; who is picked now; the combinations of the best companions so far; and where
    candidates were too few the last time (see `Candidates`).
    """

    supply: IntArray
    starts: IntArray
    turns: IntArray
    own: Points
    chances: Points
    picks: IntArray
    best: IntArray
    lacking: IntArray


@kernel
def find_companions(
    table: Table, index: Index, stock: Stock, seeds: IntArray, limits: Limits, seen: Seen
) -> tuple[IntArray, IntArray]:
    """For every seed (a combination), the combinations of its companions: offsets into a list. None: it has to wait.

    Who finds a group leaves the stock. `seen` is room that is left as it was: `nothing_seen`.
    """
    sets, values = table.signatures.shape[1], len(table.set_offsets) - 1
    kinds = np.empty(limits.kinds, dtype=np.int32)
    offsets = np.zeros(len(seeds) + 1, dtype=np.int64)
    taken = np.empty(1024, dtype=np.int64)
    best = np.empty(limits.most, dtype=np.int64)
    scratch = Scratch(
        np.zeros(values, dtype=np.int64),
        np.zeros(values + 1, dtype=np.int64),
        np.empty(values, dtype=np.int64),
        np.empty((_VALUES, 2 * sets), dtype=np.float32),
        np.empty(sets, dtype=np.float32),
        np.empty(limits.most, dtype=np.int64),
        best,
        np.zeros(1, dtype=np.int64),
    )
    far_and_near = 2
    known = Tried(
        np.empty((far_and_near, limits.kinds), dtype=np.int32),
        np.zeros(far_and_near, dtype=np.int64),
        np.zeros((far_and_near, values), dtype=np.int64),
        np.zeros((far_and_near, values), dtype=np.int64),
        np.zeros((far_and_near, values)),
    )
    hiding = seen.hiding
    for s in range(len(seeds)):
        seed = seeds[s]
        if s > 0 and seed == seeds[s - 1] and offsets[s] == offsets[s - 1]:
            offsets[s + 1] = offsets[s]  # the same person in vain, and nobody has left since
            continue
        if s > 0 and (seed != seeds[s - 1] or seen.used[0] > limits.kinds):
            _forget(seen)
            known.number[:] = 0
        size = limits.most + 1
        for look in range(len(known.number)):
            reach = limits.kinds if look else min(_AT_HAND, limits.kinds)
            number = nearest(index, stock.of_kind, stock.alive, index.points[table.kind[seed]], kinds[:reach])
            _keep_if_same(known, look, kinds[:number])
            places = _left_of(table, stock, seed, kinds[:number], hiding, scratch)
            seen = _with_room(seen, len(places))
            size = _smallest(table, stock, seed, places, limits, scratch, seen, (known, look))
            if size <= limits.least:
                break
        offsets[s + 1] = offsets[s]
        if size <= limits.most:
            offsets[s + 1] += size - 1
            while offsets[s + 1] > len(taken):
                taken = np.concatenate((taken, np.empty_like(taken)))
            enlist(table, index, stock, seed)
            for i in range(size - 1):
                taken[offsets[s] + i] = best[i]
                enlist(table, index, stock, best[i])
            _forget_value(table, known, table.values[best[0]])
    _forget(seen)
    return offsets, taken[: offsets[-1]].copy()


@inner
def _smallest(
    table: Table,
    stock: Stock,
    seed: int,
    places: IntArray,
    limits: Limits,
    scratch: Scratch,
    seen: Seen,
    so_far: tuple[Tried, int],
) -> int:
    """The size of the smallest group with companions of one value, of these combinations; they are put into `best`."""
    picks, best, most = scratch.picks, scratch.best, limits.most
    tried = _tried(table, seed, scratch)
    _look_up(table, seed, places, limits.r, scratch, seen)
    rows = _by_value(table, places, seen.hiding, scratch)
    known, look = so_far
    grown, sizes, far = known.grown[look], known.sizes[look], known.far[look]
    size, cost, which, there = most + 1, 0.0, np.int64(_NONE), True
    for turn in range(len(tried) + 1):
        at_most = min(size, most)
        if turn < len(tried):
            y = tried[turn]
            if grown[y] > at_most or -grown[y] >= at_most:
                continue
            if grown[y] > 0:
                if sizes[y] < size or far[y] < cost:
                    size, cost, which, there = sizes[y], far[y], y, False
                continue
        elif there:
            break
        else:  # of the best one it is only known how large it is
            y, at_most = which, most
        own = scratch.own[scratch.turns[y]]
        people = _candidates(stock, rows[scratch.starts[y] : scratch.starts[y + 1]], seen, scratch.lacking)
        if len(people.rows) > most:  # only those that fit best alone are weighed again and again
            short = first_of_order(people.scores, most)
            people = Candidates(
                people.rows[short],
                people.at[short],
                people.gaps[short],
                people.left[short],
                people.scores[short],
                people.lacking,
            )
        picked, distance, people_then = grow_companions(
            own, people, seen.odds, table.person, limits.r, limits.least, at_most, picks
        )
        grown[y], sizes[y], far[y] = people_then if picked >= 0 else -at_most, picked + 1, distance
        if picked >= 0 and (y == which or picked + 1 < size or distance < cost):
            size, cost, which, there = picked + 1, distance, y, True
            for i in range(picked):
                best[i] = people.rows[picks[i]]
    return size


@inner
def _keep_if_same(known: Tried, look: int, kinds: Codes) -> None:
    """What is known of the groups stays so if the nearest kinds are those of the last time."""
    same, number = known.number[look] == len(kinds), len(kinds)
    for i in range(number):
        same = same and known.kinds[look, i] == kinds[i]
        known.kinds[look, i] = kinds[i]
    known.number[look] = number
    for y in range(0 if same else known.grown.shape[1]):
        known.grown[look, y] = 0


@inner
def _forget_value(table: Table, known: Tried, y: int) -> None:
    """Companions of one value are gone; and more people, where somebody's other rows are gone with one of them."""
    for look in range(len(known.number)):
        known.grown[look, y] = 0
        if len(table.owned) > 0:
            known.number[look] = 0


@inner
def _hiding(table: Table) -> Codes:
    """The value of each of `rows`, −1 where it is protected: only the others can be companions."""
    values = np.empty(len(table.rows), dtype=np.int32)
    for i in range(len(values)):
        v = table.values[table.rows[i]]
        values[i] = v if table.set_offsets[v] == table.set_offsets[v + 1] else _NONE
    return values


@inner(error_model="numpy")
def _odds(table: Table) -> Points:
    """By value and signature, the odds of the value's set against everything else."""
    signatures, values = table.inside.shape
    odds = np.empty((values, signatures), dtype=np.float32)
    for x in range(values):
        for at in range(signatures):
            p = table.inside[at, x]
            odds[x, at] = p / (1 - p)
    return odds


@inner
def _left_of(table: Table, stock: Stock, seed: int, kinds: Codes, hiding: Codes, scratch: Scratch) -> IntArray:
    """The places among `rows` of whom of these kinds can be a companion, and how many people there are of each value.

    None of them is of the seed's own person; but `supply` counts everybody who is left.
    """
    number = 0
    for k in kinds:
        number += table.starts[k + 1] - table.starts[k]
    places, owner = np.empty(number, dtype=np.int64), table.person[seed]
    scratch.supply[:], number = 0, 0
    for k in kinds:
        for i in range(table.starts[k], table.starts[k + 1]):
            if hiding[i] >= 0:
                row = table.rows[i]
                scratch.supply[hiding[i]] += stock.left[row]
                if stock.left[row] > 0 and not (owner >= 0 and table.person[row] == owner):
                    places[number] = i
                    number += 1
    return places[:number]


@inner
def _tried(table: Table, seed: int, scratch: Scratch) -> IntArray:
    """The most frequent values, and their `turns`. Those that somebody surely has not are left out."""
    tried, number = np.empty(_VALUES, dtype=np.int64), 0
    scratch.turns[:] = _NONE
    for _ in range(_VALUES):
        y = np.argmax(scratch.supply)
        if scratch.supply[y] == 0:
            break
        scratch.supply[y] = 0
        if _own_odds(table, seed, y, scratch.own[number]):
            scratch.turns[y], tried[number] = number, y
            number += 1
    return tried[:number]


@inner
def _by_value(table: Table, places: IntArray, hiding: Codes, scratch: Scratch) -> IntArray:
    """The combinations at these places, value by value: `starts`."""
    starts = scratch.starts
    starts[:] = 0
    for i in places:
        starts[hiding[i] + 1] += 1
    for v in range(len(starts) - 1):
        starts[v + 1] += starts[v]
    rows = np.empty(len(places), dtype=np.int64)
    for i in places:
        rows[starts[hiding[i]]] = table.rows[i]
        starts[hiding[i]] += 1
    for v in range(len(starts) - 1, 0, -1):  # each has moved to where the next one begins
        starts[v] = starts[v - 1]
    starts[0] = 0
    return rows


@inner(error_model="numpy")
def _own_odds(table: Table, seed: int, y: int, own: Points) -> bool:
    """The seed's odds of its value against y, and of its set against everything else; are they all finite?"""
    sets, x = table.signatures.shape[1], table.values[seed]
    for a in range(sets):
        at = table.signatures[table.kind[seed], a]
        if table.chances[at, y] <= 0 or table.inside[at, x] >= 1:
            return False
        own[a] = table.chances[at, x] / table.chances[at, y]
        own[sets + a] = table.inside[at, x] / (1 - table.inside[at, x])
    return True


@inner
def _candidates(stock: Stock, rows: IntArray, seen: Seen, lacking: IntArray) -> Candidates:
    """Those of these combinations (of one value) whose odds are finite."""
    number, there, places = 0, np.empty_like(rows), np.empty_like(rows)
    of_row, score, far = seen.of_row, seen.score, seen.far
    for row in rows:
        at = of_row[row]
        if score[at] < np.inf:
            there[number], places[number] = row, at
            number += 1
    there, places = there[:number], places[:number]
    return Candidates(there, places, far[places], stock.left[there], score[places], lacking)


@inner(error_model="numpy")
def _look_up(table: Table, seed: int, places: IntArray, r: float, scratch: Scratch, seen: Seen) -> None:
    """The odds and the scores of all who are not known yet. One loop, for the sake of speed."""
    chances, signatures, x = table.chances, table.signatures, table.values[seed]
    rows, kinds, features, ordered = table.rows, table.kind, table.features, table.ordered
    hiding, used, of_kind, of_row, gap, far = seen.hiding, seen.used, seen.of_kind, seen.of_row, seen.gap, seen.far
    chance, against, odds, score = seen.chance, seen.against, seen.odds, seen.score
    of_set = seen.against_all[x]
    turns, own, mine, sets = scratch.turns, scratch.own, scratch.chances, signatures.shape[1]
    latest = np.full((len(turns), 2), _NONE, dtype=np.int64)
    for i in places:
        y, row = hiding[i], rows[i]
        if turns[y] < 0 or of_row[row] >= 0:
            continue
        kind = kinds[row]
        if of_kind[kind] < 0:
            at = used[0]
            used[0] += 1
            of_kind[kind], seen.kinds[at], gap[at] = at, kind, apart(features, ordered, row, seed)
            for a in range(sets):
                chance[at, a], against[at, a] = chances[signatures[kind, a], x], of_set[signatures[kind, a]]
                if against[at, a] == np.inf:
                    gap[at] = np.inf
        seen.rows[used[2]] = row
        used[2] += 1
        if latest[y, 0] == kind:  # one of the same kind and value was the last of its value
            of_row[row] = latest[y, 1]
            continue
        of, at = of_kind[kind], used[1]
        used[1] += 1
        latest[y, 0], latest[y, 1] = kind, at
        of_row[row], far[at], score[at] = at, gap[of], np.inf
        least = np.float32(1)
        for a in range(sets):
            mine[a] = chances[signatures[kind, a], y]
            least = min(least, mine[a])
        if least > 0 and gap[of] < np.inf:
            for a in range(sets):
                odds[at, a] = chance[of, a] / mine[a]
                odds[at, sets + a] = against[of, a]
            score[at] = NEARNESS * gap[of] + missing_with(own[turns[y]], own[turns[y]], odds[at], np.float32(r))


@kernel
def nothing_seen(table: Table, limits: Limits) -> Seen:
    """Room for what is looked up: twice as many kinds as are looked at for one seed, so that some can be kept."""
    sets = table.signatures.shape[1]
    room = 2 * limits.kinds + _AT_HAND  # kinds that are as near as others may be among the first, and not among all
    return Seen(
        _hiding(table),
        _odds(table),
        np.zeros(3, dtype=np.int64),
        np.full(len(table.signatures), _NONE, dtype=np.int32),
        np.empty(room, dtype=np.int64),
        np.empty((room, sets), dtype=np.float32),
        np.empty((room, sets), dtype=np.float32),
        np.empty(room),
        np.full(len(table.kind), _NONE, dtype=np.int32),
        np.empty(0, dtype=np.int64),
        np.empty((0, 2 * sets), dtype=np.float32),
        np.empty(0),
        np.empty(0),
    )


@inner
def _forget(seen: Seen) -> None:
    for kind in seen.kinds[: seen.used[0]]:
        seen.of_kind[kind] = _NONE
    for row in seen.rows[: seen.used[2]]:
        seen.of_row[row] = _NONE
    seen.used[:] = 0


@inner
def _with_room(seen: Seen, more: int) -> Seen:
    """The same, with places for so many more combinations."""
    used = seen.used[2]  # there are no more places than combinations
    if used + more <= len(seen.rows):
        return seen
    room = 2 * (used + more)
    rows, far, score = np.empty(room, dtype=np.int64), np.empty(room), np.empty(room)
    odds = np.empty((room, seen.odds.shape[1]), dtype=np.float32)
    for i in range(used):
        rows[i] = seen.rows[i]
    for i in range(seen.used[1]):
        far[i], score[i] = seen.far[i], seen.score[i]
        for a in range(odds.shape[1]):
            odds[i, a] = seen.odds[i, a]
    return Seen(
        seen.hiding,
        seen.against_all,
        seen.used,
        seen.of_kind,
        seen.kinds,
        seen.chance,
        seen.against,
        seen.gap,
        seen.of_row,
        rows,
        odds,
        far,
        score,
    )
