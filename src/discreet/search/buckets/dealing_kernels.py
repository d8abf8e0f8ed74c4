"""The compiled loops that deal out the rows of people who have several: no two of anybody's into one group."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.compiled import inner, kernel
from discreet.search.buckets.injector_rules import has, meet, put
from discreet.utility.queries import Bits

WORK = 300_000_000  # steps for rows that are left, about a second
LOOK_AT = 32  # rows of a set that are looked at from either end of its list
_ROUNDING = 1e-9


class Rows(NamedTuple):
    """Single rows: whose they are (−1: somebody with no other), their protected set (−1: none), and how large their
    group must be at least. `value` and `excluded` are the bits of what a row has, and of what is struck out for it.

    Person p has the rows ``starts[p]:starts[p + 1]`` of `of_person`.
    """

    person: IntArray
    set_of: IntArray
    least: IntArray
    value: IntArray
    excluded: Bits
    starts: IntArray
    of_person: IntArray


class Limits(NamedTuple):
    """A protected set may take 1/`l` of a group; and 1/`sum` of all groups of a person together, if that is not 0."""

    l: int  # noqa: E741, the theory's own name
    sum: int
    sets: int


class Dealt(NamedTuple):
    """Group g has the rows ``begins[g]:begins[g] + sizes[g]`` of `rows`, and room up to ``begins[g + 1]``."""

    group: IntArray
    rows: IntArray
    begins: IntArray
    sizes: IntArray


class Lists(NamedTuple):
    """Rows without a group, a list for each set (`first` … `after` … −1), the last one for those of no set."""

    many: IntArray
    first: IntArray
    last: IntArray
    before: IntArray
    after: IntArray


class Shares(NamedTuple):
    """What a person's groups have of each set, added up: right where `mark` is that of the last person asked for."""

    total: FloatArray
    mark: IntArray
    touched: IntArray
    state: IntArray  # the mark, and how many sets are touched


class Draft(NamedTuple):
    """A group in the making: how many rows of a set it has, and may have (where `mark` is its turn); in which turn
    somebody was last put into a group; what its rows have, and what is struck out for them.
    """

    counts: IntArray
    room: IntArray
    mark: IntArray
    here: IntArray
    values: Bits
    excluded: Bits


@kernel
def deal(rows: Rows, order: IntArray, limits: Limits, chance: FloatArray) -> IntArray:
    """Put rows into groups; the group of each, −1 for those that find no place or are not in `order`.

    In that order, each row without a group starts one, of the size that it needs. It is filled from the largest sets,
    with the first row of each that fits: nobody twice, and nobody whose groups would have too much of a set together.
    What is left goes to groups where it fits, from a place that `chance` gives.
    """
    n, sets = len(rows.set_of), limits.sets
    lists = _listed(rows, order, sets)
    dealt = Dealt(
        np.full(n, -1, dtype=np.int64),
        np.empty(2 * len(order), dtype=np.int64),
        np.zeros(len(order) + 1, dtype=np.int64),
        np.zeros(len(order), dtype=np.int64),
    )
    none = np.zeros(max(sets, 1), dtype=np.int64)
    shares = Shares(np.zeros(len(none)), none.copy(), none.copy(), np.zeros(2, dtype=np.int64))
    words = rows.excluded.shape[1]
    draft = Draft(
        none.copy(),
        none.copy(),
        none.copy(),
        np.zeros(max(len(rows.starts) - 1, 1), dtype=np.int64),
        np.zeros(words, dtype=np.uint64),
        np.zeros(words, dtype=np.uint64),
    )
    waiting = np.empty(len(order), dtype=np.int64)
    tried = np.zeros(sets + 1, dtype=np.int64)
    many = left_over = pick = turn = 0
    left = len(order)
    for seed in order:
        if dealt.group[seed] >= 0:
            continue
        turn += 1
        size, begin, filled = rows.least[seed], dealt.begins[many], 0
        draft.values[:] = np.uint64(0)
        draft.excluded[:] = np.uint64(0)
        row = seed if left >= size and _fits(rows, dealt, limits, shares, draft, seed, size, turn) else -1
        while row >= 0:
            _add(rows, limits, shares, draft, row, size, turn)
            _take(rows, lists, row, sets)
            dealt.rows[begin + filled] = row
            filled += 1
            if filled == size:
                break
            pick += 1
            row = _next(rows, dealt, limits, lists, shares, draft, size, left, turn, tried, pick)
        if filled < size:
            for i in range(filled - 1, 0, -1):
                _give_back(rows, lists, dealt.rows[begin + i], sets)
            if filled == 0:
                _take(rows, lists, seed, sets)
            waiting[left_over] = seed
            left_over, left = left_over + 1, left - 1
            continue
        for i in range(begin, begin + size):
            dealt.group[dealt.rows[i]] = many
        dealt.sizes[many], dealt.begins[many + 1] = size, begin + 2 * size
        many, left = many + 1, left - size
    looked_at = int(min(float(many), WORK / (max(left_over, 1) * _steps(rows, dealt, limits, many))))
    for i in range(left_over):
        start = np.int64(chance[i] * many)
        for j in range(looked_at):
            g = (start + j) % many
            turn += 1
            if _fits_in(rows, dealt, limits, shares, draft, waiting[i], g, turn):
                dealt.rows[dealt.begins[g] + dealt.sizes[g]] = waiting[i]
                dealt.sizes[g] += 1
                dealt.group[waiting[i]] = g
                break
    return dealt.group


@inner
def _steps(rows: Rows, dealt: Dealt, limits: Limits, many: int) -> float:
    """How long it takes to see whether a row fits into a group, about."""
    size, people = dealt.sizes[:many].sum() / max(many, 1), len(rows.starts) - 1
    if limits.sum == 0 or people == 0:
        return float(size + 1.0)
    return float(size * (1.0 + size * len(rows.of_person) / people) + 1.0)


@inner
def _listed(rows: Rows, order: IntArray, sets: int) -> Lists:
    n = len(rows.set_of)
    lists = Lists(
        np.zeros(sets + 1, dtype=np.int64),
        np.full(sets + 1, -1, dtype=np.int64),
        np.full(sets + 1, -1, dtype=np.int64),
        np.full(n, -1, dtype=np.int64),
        np.full(n, -1, dtype=np.int64),
    )
    for row in order:
        s = rows.set_of[row] if rows.set_of[row] >= 0 else sets
        lists.many[s] += 1
        if lists.first[s] < 0:
            lists.first[s] = row
        else:
            lists.before[row] = lists.last[s]
            lists.after[lists.last[s]] = row
        lists.last[s] = row
    return lists


@inner
def _take(rows: Rows, lists: Lists, row: int, sets: int) -> None:
    """Out of its list."""
    s = rows.set_of[row] if rows.set_of[row] >= 0 else sets
    before, after = lists.before[row], lists.after[row]
    lists.many[s] -= 1
    if before < 0:
        lists.first[s] = after
    else:
        lists.after[before] = after
    if after < 0:
        lists.last[s] = before
    else:
        lists.before[after] = before


@inner
def _give_back(rows: Rows, lists: Lists, row: int, sets: int) -> None:
    """Into its list, at its old place: what was taken last must come first."""
    s = rows.set_of[row] if rows.set_of[row] >= 0 else sets
    before, after = lists.before[row], lists.after[row]
    lists.many[s] += 1
    if before < 0:
        lists.first[s] = row
    else:
        lists.after[before] = row
    if after < 0:
        lists.last[s] = row
    else:
        lists.before[after] = row


@inner
def _add_up(rows: Rows, dealt: Dealt, shares: Shares, row: int, without: int) -> None:
    """What the groups of a row's owner have of each set, but for one of them, and what those of his rows will at least
    that have none yet, but for this row.
    """
    shares.state[0] += 1
    shares.state[1] = 0
    p = rows.person[row]
    for i in range(rows.starts[p], rows.starts[p + 1]):
        other = rows.of_person[i]
        g = dealt.group[other]
        if g < 0 and other != row:
            _count(shares, rows.set_of[other], 1.0 / rows.least[other])
        elif g >= 0 and g != without:
            for j in range(dealt.begins[g], dealt.begins[g] + dealt.sizes[g]):
                _count(shares, rows.set_of[dealt.rows[j]], 1.0 / dealt.sizes[g])


@inner
def _count(shares: Shares, s: int, share: float) -> None:
    if s < 0:
        return
    if shares.mark[s] != shares.state[0]:
        shares.mark[s] = shares.state[0]
        shares.total[s] = 0.0
        shares.touched[shares.state[1]] = s
        shares.state[1] += 1
    shares.total[s] += share


@inner
def _room(shares: Shares, limits: Limits, s: int, size: int) -> int:
    """How many rows of a set the last person asked for lets a group of this size have."""
    spent = shares.total[s] if shares.mark[s] == shares.state[0] else 0.0
    return int(np.floor((1.0 / limits.sum - spent) * size + _ROUNDING))


@inner
def _fits(
    rows: Rows, dealt: Dealt, limits: Limits, shares: Shares, draft: Draft, row: int, size: int, turn: int
) -> bool:
    """May a row join a group in the making, for which its set has room? `shares` are its owner's then."""
    p, s = rows.person[row], rows.set_of[row]
    if rows.least[row] > size or (p >= 0 and draft.here[p] == turn):
        return False
    if has(draft.excluded, rows.value[row]) or meet(draft.values, rows.excluded[row]):
        return False
    return p < 0 or limits.sum == 0 or _keeps(rows, dealt, limits, shares, draft, row, s, size, turn)


@inner
def _keeps(
    rows: Rows, dealt: Dealt, limits: Limits, shares: Shares, draft: Draft, row: int, s: int, size: int, turn: int
) -> bool:
    """Would all groups of its owner together have no more than they may of a set, if the row joined this one?"""
    _add_up(rows, dealt, shares, row, -1)
    if s >= 0 and (draft.counts[s] if draft.mark[s] == turn else 0) + 1 > _room(shares, limits, s, size):
        return False
    for i in range(shares.state[1]):
        v = shares.touched[i]
        if draft.mark[v] == turn and draft.counts[v] > _room(shares, limits, v, size):
            return False
    return True


@inner
def _open(draft: Draft, limits: Limits, s: int, size: int, turn: int) -> None:
    """A set of which the group in the making has nothing yet."""
    if draft.mark[s] != turn:
        draft.mark[s] = turn
        draft.counts[s] = 0
        draft.room[s] = size // max(limits.l, limits.sum)


@inner
def _add(rows: Rows, limits: Limits, shares: Shares, draft: Draft, row: int, size: int, turn: int) -> None:
    """Put a row that fits into the group in the making; `shares` are its owner's."""
    p, s = rows.person[row], rows.set_of[row]
    if s >= 0:
        _open(draft, limits, s, size, turn)
        draft.counts[s] += 1
    put(draft.values, rows.value[row])
    for w in range(len(draft.excluded)):
        draft.excluded[w] |= rows.excluded[row, w]
    if p < 0:
        return
    draft.here[p] = turn
    if limits.sum:
        for i in range(shares.state[1]):
            v = shares.touched[i]
            _open(draft, limits, v, size, turn)
            draft.room[v] = min(draft.room[v], _room(shares, limits, v, size))


@inner
def _next(
    rows: Rows,
    dealt: Dealt,
    limits: Limits,
    lists: Lists,
    shares: Shares,
    draft: Draft,
    size: int,
    left: int,
    turn: int,
    tried: IntArray,
    pick: int,
) -> int:
    """A row for the group in the making, or −1: of a protected set, if one has a row that fits.

    The group is to have of each as many as all rows that are `left` have; the largest sets come first.
    """
    while True:
        best, most = -1, np.int64(0)
        for s in range(limits.sets):
            if lists.many[s] == 0 or tried[s] == pick:
                continue
            count, room = np.int64(0), size // max(limits.l, limits.sum)
            if draft.mark[s] == turn:
                count, room = draft.counts[s], draft.room[s]
            lacking = (lists.many[s] + count) * size - count * left
            if count < room and (best < 0 or lacking > most):
                best, most = s, lacking
        if best < 0:
            return int(_of_set(rows, dealt, limits, lists, shares, draft, size, turn, limits.sets))
        row = _of_set(rows, dealt, limits, lists, shares, draft, size, turn, best)
        if row >= 0:
            return int(row)
        tried[best] = pick


@inner
def _of_set(
    rows: Rows,
    dealt: Dealt,
    limits: Limits,
    lists: Lists,
    shares: Shares,
    draft: Draft,
    size: int,
    turn: int,
    s: int,
) -> int:
    """The first row of a list that fits, from its beginning and then from its end; −1 if none is found."""
    row, backward = lists.first[s], lists.last[s]
    for i in range(2 * LOOK_AT):
        if i == LOOK_AT:
            row = backward
        if row < 0 or _fits(rows, dealt, limits, shares, draft, row, size, turn):
            return int(row)
        row = lists.after[row] if i < LOOK_AT else lists.before[row]
        if row < 0 and i < LOOK_AT:  # the whole list was seen
            return -1
    return -1


@inner
def _fits_in(
    rows: Rows, dealt: Dealt, limits: Limits, shares: Shares, draft: Draft, row: int, g: int, turn: int
) -> bool:
    """May a row join a group that is made already?"""
    begin, size = dealt.begins[g], dealt.sizes[g] + 1
    p, s = rows.person[row], rows.set_of[row]
    if rows.least[row] > size or begin + size > dealt.begins[g + 1]:
        return False
    own = 1
    for i in range(begin, begin + size - 1):
        other = dealt.rows[i]
        if p >= 0 and rows.person[other] == p:
            return False
        if has(rows.excluded[other], rows.value[row]) or has(rows.excluded[row], rows.value[other]):
            return False
        own += rows.set_of[other] == s
    if s >= 0 and own * limits.l > size:
        return False
    if limits.sum == 0:
        return True
    if s >= 0:
        if own * limits.sum > size:
            return False
        for i in range(begin, begin + size - 1):
            if rows.person[dealt.rows[i]] >= 0:
                _add_up(rows, dealt, shares, dealt.rows[i], g)
                if own > _room(shares, limits, s, size):
                    return False
    if p < 0:
        return True
    for i in range(begin, begin + size - 1):
        v = rows.set_of[dealt.rows[i]]
        if v >= 0:
            _open(draft, limits, v, size, turn)
            draft.counts[v] += 1
    return bool(_keeps(rows, dealt, limits, shares, draft, row, s, size, turn))


@kernel
def apart(order: IntArray, starts: IntArray, person: IntArray, people: int) -> BoolArray:
    """Which of some groups are the first of all people in them: group g has those of ``starts[g]:starts[g + 1]``."""
    seen = np.zeros(people, dtype=np.bool_)
    first = np.ones(len(order), dtype=np.bool_)
    for i in range(len(order)):
        own = person[starts[order[i]] : starts[order[i] + 1]]
        for p in own:
            first[i] &= not seen[p]
        if first[i]:
            for p in own:
                seen[p] = True
    return first


@kernel
def thin_out(stay: BoolArray, set_of: IntArray, starts: IntArray, of_person: IntArray, most: int) -> None:
    """Leave nobody more than `most` rows, taking them from the sets that are largest then."""
    many = np.bincount(set_of)
    for p in range(len(starts) - 1):
        own = of_person[starts[p] : starts[p + 1]]
        for _ in range(len(own) - most):
            largest = -1
            for row in own:
                if stay[row] and (largest < 0 or many[set_of[row]] > many[set_of[largest]]):
                    largest = row
            stay[largest] = False
            many[set_of[largest]] -= 1
