"""The compiled search for companions of people who are likely to have a protected value before any release.

She can't be made less sure of them than 1/r; but she need not get any surer (`limit: prior`). All companions share one
unprotected value y, as in `companions`: with x the protected value, the adversary's p(t : x) is q(t) / Σ q, where
q = p(x) / p(y), or the odds of the set against everything else where she only asks for that. With P the chance of t's
set before, that is at most max(1/r, P) as soon as Σ q ≥ q(t) · min(r, 1 / P): what t *asks for*. So a group of one
protected value holds if Σ q is no less than what anybody in it asks for, for every attribute set, both ways. Whoever is
as likely to have it as he brings most; whoever is certain to have it asks for nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import IntArray
from discreet.compiled import inner, kernel
from discreet.search.art.people import Index, Limits, Points, Stock, Table
from discreet.search.art.tree import apart, enlist, nearest

_VALUES = 6  # unprotected values that are tried
_NEARNESS = 0.01  # of quasi-identifiers; decides where chances are about the same
_LIKELY = 0.5  # of how likely somebody is to have the value
_TIE = 1e-5  # single precision; the exact verdict comes later
_MOST_WEIGHED = 1000  # candidates who are weighed again and again
_SMALLEST = 1e-30
_SHARE = 10.0  # of what is asked for, beside how far away somebody is


class Sums(NamedTuple):
    """What a group has and what its people ask for at most, by attribute set: all values first, then "x or not"."""

    total: Points
    asked: Points


@kernel
def find_likely_companions(
    table: Table, index: Index, stock: Stock, seeds: IntArray, limits: Limits
) -> tuple[IntArray, IntArray]:
    """For every seed (a combination), the combinations of its companions: offsets into a list. None: it has to wait.

    Who finds a group leaves the stock.
    """
    kinds = np.empty(limits.kinds, dtype=np.int32)
    offsets = np.zeros(len(seeds) + 1, dtype=np.int64)
    taken = np.empty(1024, dtype=np.int64)
    best, picks = np.empty(limits.most, dtype=np.int64), np.empty(limits.most, dtype=np.int64)
    for s in range(len(seeds)):
        seed = seeds[s]
        offsets[s + 1] = offsets[s]
        if stock.left[seed] == 0 or (s > 0 and seed == seeds[s - 1] and offsets[s] == offsets[s - 1]):
            continue
        number = nearest(index, stock.of_kind, stock.alive, index.points[table.kind[seed]], kinds)
        supply = np.zeros(len(table.set_offsets) - 1, dtype=np.int64)
        for k in kinds[:number]:
            for row in table.rows[table.starts[k] : table.starts[k + 1]]:
                v = table.values[row]
                if table.set_offsets[v] == table.set_offsets[v + 1]:
                    supply[v] += stock.left[row]
        size = limits.most + 1
        for _ in range(_VALUES):
            y = np.argmax(supply)
            if supply[y] == 0:
                break
            supply[y] = 0
            most = min(size - 1, limits.most)
            picked = _grown(table, stock, seed, y, kinds[:number], limits, most, picks)
            if picked > 0 and picked + 1 < size:
                size = picked + 1
                for i in range(picked):
                    best[i] = picks[i]
        if size <= limits.most:
            offsets[s + 1] += size - 1
            while offsets[s + 1] > len(taken):
                taken = np.concatenate((taken, np.empty_like(taken)))
            enlist(table, index, stock, seed)
            for i in range(size - 1):
                taken[offsets[s] + i] = best[i]
                enlist(table, index, stock, best[i])
    return offsets, taken[: offsets[-1]].copy()


@inner
def _grown(
    table: Table,
    stock: Stock,
    seed: int,
    y: int,
    kinds: IntArray,
    limits: Limits,
    most: int,
    picks: IntArray,
) -> int:
    """How many companions with the value y are enough for the seed, at most `most` with it; they are put into `picks`.

    −1 if there are not enough, or the seed surely has not y.
    """
    sets, x, owner = table.signatures.shape[1], table.values[seed], table.person[seed]
    group = Sums(np.zeros(2 * sets, dtype=np.float32), np.zeros(2 * sets, dtype=np.float32))
    if not _weighed(table, seed, x, y, limits.r, group.total, group.asked):
        return -1
    certain = group.asked < 0
    number = 0
    for k in kinds:
        for row in table.rows[table.starts[k] : table.starts[k + 1]]:
            number += table.values[row] == y and stock.left[row] > 0
    rows, scores = np.empty(number, dtype=np.int64), np.empty(number)
    total, asked = np.empty(2 * sets, dtype=np.float32), np.empty(2 * sets, dtype=np.float32)
    number = 0
    for k in kinds:
        for row in table.rows[table.starts[k] : table.starts[k + 1]]:
            if table.values[row] != y or stock.left[row] == 0 or (owner >= 0 and table.person[row] == owner):
                continue
            if _weighed(table, row, x, y, limits.r, total, asked) and not (asked < 0).any():
                rows[number] = row
                gap = _beside(table, row, seed)
                scores[number] = gap + _missing(group, total, asked, certain)
                number += 1
    order = np.argsort(scores[:number])[:_MOST_WEIGHED]
    rows, number = rows[order], len(order)
    totals, asks = np.empty((number, 2 * sets), dtype=np.float32), np.empty((number, 2 * sets), dtype=np.float32)
    gaps, left = np.empty(number), np.empty(number, dtype=np.int64)
    for c in range(number):
        _weighed(table, rows[c], x, y, limits.r, totals[c], asks[c])
        gaps[c] = _beside(table, rows[c], seed)
        left[c] = stock.left[rows[c]]
    chosen = np.empty(most, dtype=np.int64)
    size = 1
    while size < limits.least or _lacks(group, certain):
        if size >= most:
            return -1
        best, at = np.inf, -1
        for c in range(number):
            if left[c] > 0:
                score = gaps[c] + _missing(group, totals[c], asks[c], certain)
                if score < best:
                    best, at = score, c
        if at < 0:
            return -1
        left[at] -= 1
        if table.person[rows[at]] >= 0:
            for c in range(number):
                if table.person[rows[c]] == table.person[rows[at]]:
                    left[c] = 0
        chosen[size - 1] = at
        size += 1
        for k in range(2 * sets):
            group.total[k] += totals[at, k]
            group.asked[k] = max(group.asked[k], asks[at, k])
    number = _trimmed(table, seed, y, limits, certain, totals, asks, chosen, size - 1)
    for i in range(number):
        picks[i] = rows[chosen[i]]
    return int(number)


@inner
def _beside(table: Table, row: int, seed: int) -> float:
    """What it costs to take somebody, besides what is missing: how far away he is, and how likely to have the seed's
    value, for others need such people."""
    likely, x = np.float32(0), table.values[seed]
    for at in table.signatures[table.kind[row]]:
        likely = max(likely, table.inside[at, x])
    return float(_NEARNESS * apart(table.features, table.ordered, row, seed) + _LIKELY * float(likely))


@inner
def _trimmed(
    table: Table,
    seed: int,
    y: int,
    limits: Limits,
    certain: IntArray,
    totals: Points,
    asks: Points,
    chosen: IntArray,
    number: int,
) -> int:
    """Who was taken early may not be needed any more: leaves out whom the group can do without. How many stay."""
    width = totals.shape[1]
    group = Sums(np.zeros(width, dtype=np.float32), np.zeros(width, dtype=np.float32))
    i = 0
    while i < number and number + 1 > limits.least:
        _weighed(table, seed, table.values[seed], y, limits.r, group.total, group.asked)
        for j in range(number):
            if j != i:
                for k in range(width):
                    group.total[k] += totals[chosen[j], k]
                    group.asked[k] = max(group.asked[k], asks[chosen[j], k])
        if _lacks(group, certain):
            i += 1
        else:
            number -= 1
            for j in range(i, number):
                chosen[j] = chosen[j + 1]
    return number


@inner(error_model="numpy")
def _weighed(table: Table, row: int, x: int, y: int, r: float, total: Points, asked: Points) -> bool:
    """What somebody brings and asks for, by attribute set, both ways; False if he surely has not y.

    Whoever is certain to have a value of the set is marked by −1.
    """
    sets = table.signatures.shape[1]
    for a in range(sets):
        at = table.signatures[table.kind[row], a]
        before = table.inside[at, x]
        if before >= 1:
            total[a] = total[sets + a] = 0
            asked[a] = asked[sets + a] = -1
            continue
        if table.chances[at, y] <= 0:
            return False
        times = np.float32(min(r, 1 / before) if before > 0 else r)
        total[a] = table.chances[at, x] / table.chances[at, y]
        total[sets + a] = before / (1 - before)
        asked[a], asked[sets + a] = total[a] * times, total[sets + a] * times
    return True


@inner(fastmath=True)
def _missing(group: Sums, total: Points, asked: Points, certain: IntArray) -> float:
    """Which share of what is asked for is missing if one joins who brings and asks for this, over all sets."""
    missing = np.float32(0)
    for k in range(len(total)):
        most = max(max(group.asked[k], asked[k]), np.float32(_SMALLEST))
        lacking = max(1 - (group.total[k] + total[k]) / most, np.float32(0))
        missing += np.float32(0) if certain[k] else lacking
    return _SHARE * float(missing)


@inner
def _lacks(group: Sums, certain: IntArray) -> bool:
    """Is anything missing of what somebody asks for?"""
    for k in range(len(certain)):
        if not certain[k] and (group.total[k] == 0 or group.total[k] < group.asked[k] * (1 - _TIE)):
            return True
    return False
