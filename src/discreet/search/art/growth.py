"""The compiled growth of groups with several protected values, each at most once.

How well somebody fits into a group is estimated, for every attribute set and protected value v of the group, by how
many more people like its likeliest owner it takes: r − Σ q / max q. Once with the odds q = p(v) / (1 − p(v)); once with
q = p(v) / g, where g is how likely the person is to have the values of the group, each weighed by its rarity there: the
first step of balancing the chances, which comes close to the posteriors. The exact verdict is left to the promise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.compiled import inner, kernel
from discreet.search.art.people import Index, Limits, Points, Stock, Table
from discreet.search.art.tree import apart, conflict, enlist, nearest

_TIE = 1e-5
_ERROR = 1e-6
_NEARNESS = 0.01
CERTAIN = np.float32(1e6)  # odds of people whose value is known beforehand


class Group(NamedTuple):
    """A group that grows, with room for more. `numbers` are those of its members, distinct values and protected values.

    For its distinct values: how often the group has them, divided by how many of its people should, per attribute set.
    For its members: g. For its protected values: the largest q and their sum, in both views.
    """

    numbers: IntArray
    rows: IntArray
    values: Codes
    counts: IntArray
    protected: Codes
    rarity: Points
    likely: Points
    largest: Points
    total: Points


def empty_group(table: Table, most: int) -> Group:
    """Room for a group of so many people."""
    sets = table.signatures.shape[1]
    return Group(
        np.zeros(3, dtype=np.int64),
        np.empty(most, dtype=np.int64),
        np.empty(most, dtype=np.int32),
        np.empty(most, dtype=np.int64),
        np.empty(most, dtype=np.int32),
        np.empty((most, sets), dtype=np.float32),
        np.empty((most, sets), dtype=np.float32),
        np.empty((most, 2, sets), dtype=np.float32),
        np.empty((most, 2, sets), dtype=np.float32),
    )


@inner
def is_protected(table: Table, v: int) -> bool:
    """Is a value in a protected set?"""
    return bool(table.set_offsets[v] < table.set_offsets[v + 1])


@inner
def fill(table: Table, group: Group, rows: IntArray) -> None:
    """Make it the group of these combinations, one row of each."""
    members, distinct, protected = len(rows), 0, 0
    for t in range(members):
        group.rows[t] = rows[t]
        v = table.values[rows[t]]
        i = 0
        while i < distinct and group.values[i] != v:
            i += 1
        if i == distinct:
            group.values[i], group.counts[i] = v, 0
            distinct += 1
            if is_protected(table, v):
                group.protected[protected] = v
                protected += 1
        group.counts[i] += 1
    group.numbers[0], group.numbers[1], group.numbers[2] = members, distinct, protected
    if protected == 0:
        return
    for a in range(table.signatures.shape[1]):
        for i in range(distinct):
            expected = np.float32(0)
            for t in range(members):
                expected += table.chances[table.signatures[table.kind[rows[t]], a], group.values[i]]
            group.rarity[i, a] = group.counts[i] / expected if expected > 0 else 0
        for j in range(protected):
            group.largest[j, :, a], group.total[j, :, a] = 0, 0
        for t in range(members):
            at = table.signatures[table.kind[rows[t]], a]
            group.likely[t, a] = _likely(table, group, at, a)
            for j in range(protected):
                v = group.protected[j]
                first, second = odds_of(table, at, v), _share(table, at, v, group.likely[t, a])
                group.largest[j, 0, a] = max(group.largest[j, 0, a], first)
                group.largest[j, 1, a] = max(group.largest[j, 1, a], second)
                group.total[j, 0, a] += first
                group.total[j, 1, a] += second


@inner
def _likely(table: Table, group: Group, at: int, a: int) -> np.float32:
    likely = np.float32(0)
    for i in range(group.numbers[1]):
        likely += table.chances[at, group.values[i]] * group.rarity[i, a]
    return likely


@inner
def odds_of(table: Table, at: int, v: int) -> float:
    """The odds that somebody has a value of the set of v, by one row of `chances`."""
    p = table.inside[at, v]
    return float(p / (1 - p)) if p < 1 else float(CERTAIN)


@inner
def _share(table: Table, at: int, v: int, likely: np.float32) -> np.float32:
    p = table.chances[at, v]
    return min(p / likely, CERTAIN) if likely > 0 else (CERTAIN if p > 0 else np.float32(0))


@inner
def _lacking(largest: np.float32, total: np.float32, r: np.float32) -> np.float32:
    return max(r - total / largest, np.float32(0)) if largest > 0 else r


@inner
def lacks(table: Table, group: Group, r: float) -> bool:
    """Is anybody missing where she only asks whether somebody has a value or not? Then the group can't hold."""
    for j in range(group.numbers[2]):
        for a in range(table.signatures.shape[1]):
            if group.largest[j, 0, a] == 0 or group.total[j, 0, a] < r * group.largest[j, 0, a] * (1 - _TIE):
                return True
    return False


@inner
def cannot_hold(table: Table, group: Group, r: float) -> bool:
    """Is it sure, in spite of single precision, that somebody is missing where she only asks whether it is a value?

    Somebody's posterior is then q / Σ q, if one person of the group has a value of the one set that it is in; and some
    is above 1 / r. The error of a chance p, at most 1e-7 of it, is one of about 1e-7 (1 + q) of the odds.
    """
    for i in range(group.numbers[1]):
        v = group.values[i]
        sets = table.set_offsets[v + 1] - table.set_offsets[v]
        if sets > 1 or (sets == 1 and group.counts[i] > 1):
            return False
    for j in range(group.numbers[2]):
        for a in range(table.signatures.shape[1]):
            largest = float(group.largest[j, 0, a])
            error = _TIE + _ERROR * (1 + largest)
            if group.total[j, 0, a] * (1 + error) < r * largest * (1 - error):
                return True
    return False


@inner
def fits(table: Table, group: Group, row: int) -> bool:
    """Has nobody in the group a value of the same protected set, and is the owner of the row not there?"""
    new, owner = True, table.person[row]
    for j in range(group.numbers[2]):
        new &= not conflict(table, group.protected[j], table.values[row])
    if owner >= 0:
        for t in range(group.numbers[0]):
            new &= table.person[group.rows[t]] != owner
    return new


@inner
def missing_with(table: Table, group: Group, row: int, r: np.float32, enough: float) -> float:
    """How many people are missing in the group if one of this combination joins; no more exact than `enough`."""
    w, kind = table.values[row], table.kind[row]
    joins = is_protected(table, w)
    missing = np.float32(0)
    for a in range(table.signatures.shape[1]):
        at = table.signatures[kind, a]
        likely = _likely(table, group, at, a) if group.numbers[2] else np.float32(1)
        for j in range(group.numbers[2]):
            v = group.protected[j]
            q = odds_of(table, at, v)
            missing += _lacking(max(group.largest[j, 0, a], q), group.total[j, 0, a] + q, r)
            q = _share(table, at, v, likely)
            missing += _lacking(max(group.largest[j, 1, a], q), group.total[j, 1, a] + q, r)
        if joins:
            first = largest = odds_of(table, at, w)
            second = top = _share(table, at, w, likely)
            for t in range(group.numbers[0]):
                of = table.signatures[table.kind[group.rows[t]], a]
                q = odds_of(table, of, w)
                first += q
                largest = max(largest, q)
                q = _share(table, of, w, group.likely[t, a]) if group.numbers[2] else table.chances[of, w]
                second += q
                top = max(top, q)
            missing += _lacking(largest, first, r) + _lacking(top, second, r)
        if missing >= enough:
            break
    return float(missing)


@inner
def missing(table: Table, group: Group, r: float, enough: float) -> float:
    """How many people are missing in the group, both ways; no more exact than `enough`."""
    total = np.float32(0)
    for a in range(table.signatures.shape[1]):
        for j in range(group.numbers[2]):
            for view in range(2):
                total += _lacking(group.largest[j, view, a], group.total[j, view, a], np.float32(r))
        if total >= enough:
            break
    return float(total)


@inner
def _best(table: Table, index: Index, stock: Stock, group: Group, limits: Limits, kinds: Codes) -> int:
    """The combination that fits best, among the nearest ones that are left (of `kinds`, scratch); −1 if none fits."""
    near = nearest(index, stock.of_kind, stock.alive, index.points[table.kind[group.rows[0]]], kinds)
    best, chosen, tried = np.inf, -1, 0
    for k in kinds[:near]:
        for i in range(table.starts[k], table.starts[k + 1]):
            row = table.rows[i]
            if stock.left[row] > 0 and fits(table, group, row):
                score = _NEARNESS * apart(table.features, table.ordered, row, group.rows[0])
                for v in group.values[: group.numbers[1]]:
                    if v == table.values[row]:
                        score += limits.repeated
                score += missing_with(table, group, row, np.float32(limits.r), best - score)
                tried += 1
                if score < best:
                    best, chosen = score, row
        if tried >= limits.tries:
            break
    return chosen


@kernel
def grow_groups(
    table: Table, index: Index, stock: Stock, seeds: IntArray, limits: Limits, group: Group, kinds: Codes
) -> tuple[IntArray, IntArray]:
    """Groups around the seeds (combinations) that are still left: offsets into a list of combinations.

    Each grows to `least` people, and on until nobody seems missing or `most` are reached. Its people leave the stock.
    `group` has room for `most` people and `kinds` for the nearest ones that are looked at.
    """
    offsets = np.zeros(1024, dtype=np.int64)
    members = np.empty(1024, dtype=np.int64)
    number = 0
    for seed in seeds:
        if stock.left[seed] == 0:
            continue
        enlist(table, index, stock, seed)
        group.rows[0] = seed
        size = 1
        fill(table, group, group.rows[:size])
        while size < limits.most and (size < limits.least or lacks(table, group, limits.r)):
            row = _best(table, index, stock, group, limits, kinds)
            if row < 0:
                break
            enlist(table, index, stock, row)
            group.rows[size] = row
            size += 1
            fill(table, group, group.rows[:size])
        if number + 1 == len(offsets):
            offsets = _doubled(offsets)
        start = offsets[number]
        while start + size > len(members):
            members = _doubled(members)
        for t in range(size):
            members[start + t] = group.rows[t]
        number += 1
        offsets[number] = start + size
    return offsets[: number + 1].copy(), members[: offsets[number]].copy()


@inner
def _doubled(numbers: IntArray) -> IntArray:
    """The same numbers, and as much room again."""
    longer = np.empty(2 * len(numbers), dtype=np.int64)
    for i in range(len(numbers)):
        longer[i] = numbers[i]
    return longer


@kernel
def extend_groups(
    table: Table,
    index: Index,
    stock: Stock,
    offsets: IntArray,
    rows: IntArray,
    limits: Limits,
    group: Group,
    kinds: Codes,
) -> IntArray:
    """For each group, the combination of one more member, who leaves the stock; −1 if nobody fits.

    `group` has room for the largest of them and `kinds` for the nearest ones that are looked at.
    """
    joined = np.empty(len(offsets) - 1, dtype=np.int64)
    for g in range(len(joined)):
        fill(table, group, rows[offsets[g] : offsets[g + 1]])
        joined[g] = _best(table, index, stock, group, limits, kinds)
        if joined[g] >= 0:
            enlist(table, index, stock, joined[g])
    return joined
