"""The compiled search for companions of people who are likely to have a protected value before any release.

She can't be made less sure of them than 1/r; but she need not get any surer (`limit: prior`). Where all companions
share one unprotected value y, as in `companions`, with x the protected value the adversary's p(t : x) is q(t) / Σ q,
q = p(x) / p(y), or the odds of the set against everything else where she only asks for that. With P the chance of t's
set before, that is at most max(1/r, P) as soon as Σ q ≥ q(t) · min(r, 1 / P): what t *asks for*. So a group of one
protected value holds if Σ q is no less than what anybody in it asks for, for every attribute set, both ways. Whoever is
as likely to have it as he brings most; whoever is certain to have it asks for nothing. Of companions with several
values, kept near the shares that these have among people like the seed, it is about so with q = p(x) / Σ p(y), and the
exact verdict decides.

What others bring is scarce: in a group with somebody likely, as many people must be expected to have the value as have
it, for every attribute set (docs/robust.md). So each candidate has a price: what the group takes from each attribute
set with him, the more the less of it is to spare (`Prices`). Who fills most of what is missing for his price joins
first, and of several choices of values that of the cheapest group is taken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.compiled import inner, kernel
from discreet.search.art.people import Index, Limits, Points, Stock, Table
from discreet.search.art.tree import apart, enlist, nearest

_VALUES = 5  # unprotected values that are tried, by which of them stand together in a group
_TOGETHER = (0, 1), (1, 2), (2, 3), (0, 2), (0, 3), (0, 5)
_MORE = 1.0  # of a value than its share
_NEARNESS = 0.1  # of quasi-identifiers: the price of somebody far away is higher by this share for each that differs
_FAR = 3  # of which no more than so many count
_TIE = 1e-5  # single precision; the exact verdict comes later
_MOST_WEIGHED = 1000  # candidates who are weighed again and again: the nearest
_SMALLEST = 1e-30
_SHARE = 100.0  # of what is asked for, beside prices, where only the number of people is missing


class Sums(NamedTuple):
    """What a group has and what its people ask for at most, by attribute set: all values first, then "x or not"."""

    total: Points
    asked: Points


class Prices(NamedTuple):
    """What it costs to take somebody: for each one expected to have value x (column) by an attribute set (row), and for
    the row itself.
    """

    expected: Points
    row: float


@kernel
def find_likely_companions(
    table: Table, index: Index, stock: Stock, seeds: IntArray, limits: Limits, prices: Prices, alone: bool
) -> tuple[IntArray, IntArray]:
    """For every seed (a combination), the combinations of its companions: offsets into a list. None: it has to wait.

    Who finds a group leaves the stock. Companions of one group have one value if `alone`, else up to five.
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
        supply = np.zeros(len(table.set_offsets) - 1)
        for k in kinds[:number]:
            for row in table.rows[table.starts[k] : table.starts[k + 1]]:
                v = table.values[row]
                if table.set_offsets[v] == table.set_offsets[v + 1]:
                    supply[v] += stock.left[row]
        _weigh_supply(table, seed, supply)
        size, cost = limits.most + 1, np.inf
        ordered = np.argsort(-supply)[:_VALUES]
        for first, last in _TOGETHER:
            some = ordered[first:last]
            if len(some) < last - first or supply[some[-1]] == 0 or (alone and len(some) > 1):
                continue
            picked, paid = _grown(table, stock, seed, some, kinds[:number], limits, (prices, cost), picks)
            if picked > 0 and paid < cost:
                size, cost = picked + 1, paid
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
def _weigh_supply(table: Table, seed: int, supply: FloatArray) -> None:
    """A value that the seed is unlikely to have himself is tried later, however many have it."""
    for y in range(len(supply)):
        least = np.float32(1)
        for at in table.signatures[table.kind[seed]]:
            least = min(least, table.chances[at, y])
        supply[y] *= least


@inner
def _grown(
    table: Table,
    stock: Stock,
    seed: int,
    some: IntArray,
    kinds: IntArray,
    limits: Limits,
    paying: tuple[Prices, float],
    picks: IntArray,
) -> tuple[int, float]:
    """How many companions with these values are enough for the seed, and their price; they are put into `picks`.

    −1 if there are not enough, or if the seed surely has none of the values; the price is infinite if it is too high.
    """
    sets, x, owner = table.signatures.shape[1], table.values[seed], table.person[seed]
    prices, enough = paying
    group = Sums(np.zeros(2 * sets, dtype=np.float32), np.zeros(2 * sets, dtype=np.float32))
    if not _weighed(table, seed, x, some, limits.r, group.total, group.asked):
        return -1, 0.0
    certain = group.asked < 0
    turns, shares = _shares(table, seed, some)
    having = np.zeros(len(some), dtype=np.int64)
    rows, number = np.empty(_MOST_WEIGHED, dtype=np.int64), 0
    totals = np.empty((_MOST_WEIGHED, 2 * sets), dtype=np.float32)
    asks = np.empty((_MOST_WEIGHED, 2 * sets), dtype=np.float32)
    for k in kinds:
        for row in table.rows[table.starts[k] : table.starts[k + 1]]:
            if number == _MOST_WEIGHED or turns[table.values[row]] < 0 or stock.left[row] == 0:
                continue
            if owner >= 0 and table.person[row] == owner:
                continue
            if _weighed(table, row, x, some, limits.r, totals[number], asks[number]) and not (asks[number] < 0).any():
                rows[number] = row
                number += 1
    costs, left, turn = np.empty(number), np.empty(number, dtype=np.int64), np.empty(number, dtype=np.int64)
    for c in range(number):
        turn[c] = turns[table.values[rows[c]]]
        costs[c] = _price(table, rows[c], seed, prices)
        left[c] = stock.left[rows[c]]
    chosen, size, paid = np.empty(limits.most, dtype=np.int64), 1, 0.0
    while True:
        now = _missing(group, group.total, group.asked, certain, np.float32(0))
        if now == 0 and size >= limits.least:
            break
        if size >= limits.most:
            return -1, 0.0
        best, at = np.inf, -1
        for c in range(number):
            if left[c] > 0 and having[turn[c]] < shares[turn[c]] * size + _MORE:
                missing = _missing(group, totals[c], asks[c], certain, np.float32(1))
                score = (missing - now) / costs[c] if now > missing else _SHARE * missing + costs[c]
                if score < best:
                    best, at = score, c
        if at < 0:
            return -1, 0.0
        left[at] -= 1
        having[turn[at]] += 1
        if table.person[rows[at]] >= 0:
            for c in range(number):
                if table.person[rows[c]] == table.person[rows[at]]:
                    left[c] = 0
        chosen[size - 1] = at
        size += 1
        paid += costs[at]
        for k in range(2 * sets):
            group.total[k] += totals[at, k]
            group.asked[k] = max(group.asked[k], asks[at, k])
    number = _trimmed(table, seed, some, limits, certain, totals, asks, chosen, size - 1)
    paid = 0.0
    for i in range(number):
        picks[i] = rows[chosen[i]]
        paid += costs[chosen[i]]
    return int(number), paid if paid < enough else np.inf


@inner
def _shares(table: Table, seed: int, some: IntArray) -> tuple[IntArray, FloatArray]:
    """Which of these each value is (−1: none), and their shares among those who are like the seed, by all sets."""
    turns, shares = np.full(len(table.set_offsets) - 1, -1, dtype=np.int64), np.zeros(len(some))
    together = 0.0
    for i in range(len(some)):
        turns[some[i]] = i
        for at in table.signatures[table.kind[seed]]:
            shares[i] += table.chances[at, some[i]]
        together += shares[i]
    for i in range(len(some)):
        shares[i] /= together
    return turns, shares


@inner
def _price(table: Table, row: int, seed: int, prices: Prices) -> float:
    """What it costs to take somebody: how likely he is to have the seed's value, by each set, for others need such
    people; a row; and more of both if he is far away."""
    total, x = prices.row, table.values[seed]
    for a in range(table.signatures.shape[1]):
        total += prices.expected[a, x] * table.inside[table.signatures[table.kind[row], a], x]
    far = min(apart(table.features, table.ordered, row, seed), float(_FAR))
    return float(total * (1 + _NEARNESS * far))


@inner
def _trimmed(
    table: Table,
    seed: int,
    some: IntArray,
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
        _weighed(table, seed, table.values[seed], some, limits.r, group.total, group.asked)
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
def _weighed(table: Table, row: int, x: int, some: IntArray, r: float, total: Points, asked: Points) -> bool:
    """What somebody brings and asks for, by attribute set, both ways; False if he surely has none of these values.

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
        others = np.float32(0)
        for y in some:
            others += table.chances[at, y]
        if others <= 0:
            return False
        times = np.float32(min(r, 1 / before) if before > 0 else r)
        total[a] = table.chances[at, x] / others
        total[sets + a] = before / (1 - before)
        asked[a], asked[sets + a] = total[a] * times, total[sets + a] * times
    return True


@inner(fastmath=True)
def _missing(group: Sums, total: Points, asked: Points, certain: IntArray, joins: np.float32) -> float:
    """Which share of what is asked for is missing, over all sets, if one joins (1) who brings and asks for this; or if
    nobody does (0)."""
    missing = np.float32(0)
    for k in range(len(total)):
        most = max(max(group.asked[k], asked[k]), np.float32(_SMALLEST))
        lacking = np.float32(1) - (group.total[k] + joins * total[k]) / most
        lacking = lacking if lacking > np.float32(_TIE) else np.float32(0)
        missing += np.float32(0) if certain[k] else lacking
    return float(missing)


@inner
def _lacks(group: Sums, certain: IntArray) -> bool:
    """Is anything missing of what somebody asks for?"""
    for k in range(len(certain)):
        if not certain[k] and (group.total[k] == 0 or group.total[k] < group.asked[k] * (1 - _TIE)):
            return True
    return False
