"""The compiled search for companions: people who hide one person's protected value, as few and as alike as possible.

All companions of a group share one unprotected value y. Then everything is plain: with x the protected value, the
adversary's p(t : x) is q(t) / Σ q, q = p(x) / p(y); where she only asks "protected or not", the same with the odds
q = p / (1 − p). A group holds as soon as Σ q ≥ r · max q for every attribute set, both ways. That is Theorem 1 of Wong
et al. with everybody's own chance instead of the least, so it asks for fewer people; and because it is the two-valued
case, it is true. It also keeps most of what the table tells: the only open question in the group is whose x it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.search.art.people import Index, Limits, Points, Stock, Table
from discreet.search.art.tree import apart, enlist, nearest

_TIE = 1e-5  # equal chances, added up, may come out a bit below r times one of them; the exact verdict comes later
_VALUES = 12  # unprotected values that are tried
_AT_HAND = 32  # nearest kinds that are tried first
_NEARNESS = 0.01  # of quasi-identifiers; decides where chances are about the same


class Scratch(NamedTuple):
    """Room for one group at a time: how many people there are of each value; the odds of the one who is hidden; who is
    picked now, as places among the candidates; and the combinations of the best companions so far.
    """

    supply: IntArray
    own: Points
    picks: IntArray
    best: IntArray


@njit(cache=True)
def find_companions(
    table: Table, index: Index, stock: Stock, seeds: IntArray, limits: Limits
) -> tuple[IntArray, IntArray]:
    """For every seed (a combination), the combinations of its companions: offsets into a list. None: it has to wait.

    Who finds a group leaves the stock.
    """
    sets = table.signatures.shape[1]
    kinds = np.empty(limits.kinds, dtype=np.int32)
    offsets = np.zeros(len(seeds) + 1, dtype=np.int64)
    taken = np.empty(1024, dtype=np.int64)
    best = np.empty(limits.most, dtype=np.int64)
    scratch = Scratch(
        np.zeros(len(table.set_offsets) - 1, dtype=np.int64),
        np.empty(2 * sets, dtype=np.float32),
        np.empty(limits.most, dtype=np.int64),
        best,
    )
    for s in range(len(seeds)):
        seed = seeds[s]
        size = limits.most + 1
        for reach in (min(_AT_HAND, limits.kinds), limits.kinds):
            near = nearest(index, stock.of_kind, stock.alive, index.points[table.kind[seed]], kinds[:reach])
            size = _smallest(table, stock, seed, kinds[:near], limits, scratch)
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
    return offsets, taken[: offsets[-1]].copy()


@njit(cache=True)
def _smallest(table: Table, stock: Stock, seed: int, near: Codes, limits: Limits, scratch: Scratch) -> int:
    """The size of the smallest group with companions of one value, of these kinds; they are put into `best`."""
    supply, own, picks, best = scratch.supply, scratch.own, scratch.picks, scratch.best
    r, least, most = limits.r, limits.least, limits.most
    x, kind = table.values[seed], table.kind[seed]
    supply[:] = 0
    for k in near:
        for i in range(table.starts[k], table.starts[k + 1]):
            v = table.values[table.rows[i]]
            if table.set_offsets[v] == table.set_offsets[v + 1]:
                supply[v] += stock.left[table.rows[i]]
    size, cost = most + 1, 0.0
    for _ in range(_VALUES):
        y = np.argmax(supply)
        if supply[y] == 0:
            break
        supply[y] = 0
        if not _odds(table, kind, x, y, own):
            continue
        candidates, odds, gaps = _candidates(table, stock, seed, y, near)
        if len(candidates) > most:  # only those that fit best alone are weighed again and again
            scores = np.empty(len(candidates))
            for c in range(len(candidates)):
                scores[c] = _NEARNESS * gaps[c] + _missing(own, own, odds[c], np.float32(r))
            short = np.argsort(scores)[:most]
            candidates, odds, gaps = candidates[short], odds[short], gaps[short]
        left, owners = stock.left[candidates], table.person[candidates]
        picked, distance = _grow(own, odds, left, owners, gaps, r, least, min(size, most), picks)
        if picked >= 0 and (picked + 1 < size or distance < cost):
            size, cost = picked + 1, distance
            for i in range(picked):
                best[i] = candidates[picks[i]]
    return size


@njit(cache=True)
def _odds(table: Table, kind: int, x: int, y: int, odds: Points) -> bool:
    """The odds of x against y, and of its set against everything else, per attribute set; are they all finite?"""
    sets = table.signatures.shape[1]
    for a in range(sets):
        at = table.signatures[kind, a]
        if table.chances[at, y] <= 0 or table.inside[at, x] >= 1:
            return False
        odds[a] = table.chances[at, x] / table.chances[at, y]
        odds[sets + a] = table.inside[at, x] / (1 - table.inside[at, x])
    return True


@njit(cache=True)
def _candidates(table: Table, stock: Stock, seed: int, y: int, near: Codes) -> tuple[IntArray, Points, FloatArray]:
    """Combinations of these kinds with the value y: their odds, and how far their quasi-identifiers are apart."""
    number = 0
    for k in near:
        for i in range(table.starts[k], table.starts[k + 1]):
            number += table.values[table.rows[i]] == y
    candidates, gaps = np.empty(number, dtype=np.int64), np.empty(number)
    odds = np.empty((number, 2 * table.signatures.shape[1]), dtype=np.float32)
    number = 0
    for k in near:
        for i in range(table.starts[k], table.starts[k + 1]):
            row = table.rows[i]
            if table.values[row] != y or stock.left[row] == 0 or 0 <= table.person[row] == table.person[seed]:
                continue
            if _odds(table, k, table.values[seed], y, odds[number]):
                candidates[number], gaps[number] = row, apart(table, row, seed)
                number += 1
    return candidates[:number], odds[:number], gaps[:number]


@njit(cache=True)
def _grow(
    own: Points,
    odds: Points,
    left: IntArray,
    owners: IntArray,
    gaps: FloatArray,
    r: float,
    least: int,
    most: int,
    picks: IntArray,
) -> tuple[int, float]:
    """Add whoever leaves the fewest people missing, over all attribute sets, until none is; −1 if it takes too many."""
    largest, total = own.copy(), own.copy()
    size = 1
    while size < least or _is_missing(largest, total, r):
        if size >= most:
            return -1, 0.0
        best, chosen = np.inf, -1
        for c in range(len(odds)):
            if left[c] > 0:
                score = _NEARNESS * gaps[c] + _missing(largest, total, odds[c], np.float32(r))
                if score < best:
                    best, chosen = score, c
        if chosen < 0:
            return -1, 0.0
        left[chosen] -= 1
        if owners[chosen] >= 0:
            for c in range(len(odds)):
                if owners[c] == owners[chosen]:
                    left[c] = 0
        picks[size - 1] = chosen
        size += 1
        for a in range(len(own)):
            largest[a] = max(largest[a], odds[chosen, a])
            total[a] += odds[chosen, a]
    number, distance = _trim(own, odds, gaps, r, least, size - 1, picks)
    return number, distance


@njit(cache=True)
def _trim(
    own: Points, odds: Points, gaps: FloatArray, r: float, least: int, number: int, picks: IntArray
) -> tuple[int, float]:
    """Who was taken early may not be needed any more: leave out whom the group can do without."""
    largest, total = np.empty_like(own), np.empty_like(own)
    distance = 0.0
    i = 0
    while i < number and number + 1 > least:
        largest[:], total[:] = own, own
        for j in range(number):
            if j != i:
                for a in range(len(own)):
                    largest[a] = max(largest[a], odds[picks[j], a])
                    total[a] += odds[picks[j], a]
        if _is_missing(largest, total, r):
            i += 1
        else:
            number -= 1
            picks[i:number] = picks[i + 1 : number + 1].copy()
    for j in range(number):
        distance += gaps[picks[j]]
    return number, distance


@njit(cache=True, fastmath=True)
def _missing(largest: Points, total: Points, odds: Points, r: np.float32) -> np.float32:
    """How many more people like the likeliest one it takes, over all attribute sets, if one of these odds joins."""
    missing = np.float32(0)
    for a in range(len(odds)):
        top = max(max(largest[a], odds[a]), np.float32(1e-30))
        missing += max(r - (total[a] + odds[a]) / top, np.float32(0))
    return missing


@njit(cache=True)
def _is_missing(largest: Points, total: Points, r: float) -> bool:
    """Is anybody missing?"""
    missing = False
    for a in range(len(total)):
        missing |= largest[a] == 0 or total[a] < r * largest[a] * (1 - _TIE)
    return missing
