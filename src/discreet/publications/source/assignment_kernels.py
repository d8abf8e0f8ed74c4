"""The compiled loops that give every published row a row of the source of its own.

Rows with equal published-as-they-are values form a *kind*; kinds don't mix. Within a kind, combinations of the source
offer rows (`supply`), published groups ask for rows (`demand`), and a combination may serve a group if the group's
labels hold it. Whether all demands can be met is a question of flows (`flow_kernels`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.compiled import inner, kernel
from discreet.publications.source.flow_kernels import serve

TOO_MANY = -1
MOST_EDGES = 60_000_000  # of one kind; each takes 20 bytes
_FEW = 4096  # pairs that are tried one by one: for less than that, words of bits don't pay
_WORDS = 64  # groups are tried 64 a word, so many words at a time


class Offers(NamedTuple):
    """What the source has: entries ``starts[k]:starts[k + 1]`` are of kind k, each so many `rows` of one combination.

    A combination is told by its leaves (entries × attributes), or by its place among all.
    """

    starts: IntArray
    combination: Any
    rows: IntArray


class Asks(NamedTuple):
    """What the release has: entries ``starts[k]:starts[k + 1]`` are of kind k, each so many `rows` of a group."""

    starts: IntArray
    group: IntArray
    rows: IntArray


class Runs(NamedTuple):
    """What labels hold: of attribute d in group g the runs ``run[g·D + d]:run[g·D + d + 1]``, `first` to `last`."""

    run: IntArray
    first: Codes
    last: Codes
    leaves: IntArray  # of each attribute


class Listed(NamedTuple):
    """Which places may serve group g: those in ``starts[g]:starts[g + 1]``, each with so many rows at most."""

    starts: IntArray
    place: IntArray
    limit: IntArray


@kernel
def unmet_by_labels(source: Offers, release: Asks, labels: Runs, met: IntArray) -> IntArray:
    """How many rows each published entry lacks, where all that can be had is given away.

    In `met`, unless it is empty, runs that somebody who may serve their group has are marked. TOO_MANY alone, if labels
    overlap more often than memory is made for.
    """
    offers, codes, supply = source
    asks, group, demand = release
    run, first, last, leaves = labels
    missing = demand.copy()
    no_limits = np.empty(0, dtype=np.int64)
    for k in range(len(offers) - 1):
        if asks[k] == asks[k + 1]:
            continue
        own_codes, own_groups = codes[offers[k] : offers[k + 1]], group[asks[k] : asks[k + 1]]
        starts, rights = _edges(own_codes, own_groups, run, first, last, leaves)
        if starts[-1] > MOST_EDGES:
            return np.full(1, TOO_MANY, dtype=np.int64)
        if len(met):
            _mark(own_codes, own_groups, starts, rights, run, first, met)
        wanted = missing[asks[k] : asks[k + 1]]
        serve(starts, rights, no_limits, supply[offers[k] : offers[k + 1]].copy(), wanted)
    return missing


@kernel
def unmet_by_pairs(source: Offers, release: Asks, listed: Listed, places: int) -> IntArray:
    """The same where it is listed which of the source's `places` may serve each group."""
    offers, place, supply = source
    asks, group, demand = release
    pairs, place_of_pair, limit_of_pair = listed
    missing = demand.copy()
    number = np.full(places, -1, dtype=np.int64)
    for k in range(len(offers) - 1):
        n, m = offers[k + 1] - offers[k], asks[k + 1] - asks[k]
        if m == 0:
            continue
        for i in range(n):
            number[place[offers[k] + i]] = i
        starts = np.zeros(n + 1, dtype=np.int64)
        for j in range(m):
            g = group[asks[k] + j]
            for pair in range(pairs[g], pairs[g + 1]):
                if number[place_of_pair[pair]] >= 0:
                    starts[number[place_of_pair[pair]] + 1] += 1
        for i in range(n):
            starts[i + 1] += starts[i]
        rights, limits = np.empty(starts[n], dtype=np.int32), np.empty(starts[n], dtype=np.int64)
        cursor = starts[:-1].copy()
        for j in range(m):
            g = group[asks[k] + j]
            for pair in range(pairs[g], pairs[g + 1]):
                i = number[place_of_pair[pair]]
                if i >= 0:
                    rights[cursor[i]], limits[cursor[i]] = j, limit_of_pair[pair]
                    cursor[i] += 1
        wanted = missing[asks[k] : asks[k + 1]]
        serve(starts, rights, limits, supply[offers[k] : offers[k + 1]].copy(), wanted)
        for i in range(n):
            number[place[offers[k] + i]] = -1
    return missing


@inner
def _edges(
    codes: Codes, groups: IntArray, run: IntArray, first: Codes, last: Codes, leaves: IntArray
) -> tuple[IntArray, Codes]:
    """Which of the groups hold each combination: ``rights[starts[i]:starts[i + 1]]``."""
    n, m, width = codes.shape[0], len(groups), codes.shape[1]
    starts = np.zeros(n + 1, dtype=np.int64)
    if n * m <= _FEW:
        for i in range(n):
            for j in range(m):
                starts[i + 1] += _holds(codes[i], groups[j], run, first, last)
            starts[i + 1] += starts[i]
        rights = np.empty(starts[n], dtype=np.int32)
        edge = 0
        for i in range(n):
            for j in range(m):
                if _holds(codes[i], groups[j], run, first, last):
                    rights[edge] = j
                    edge += 1
        return starts, rights
    one = np.uint64(1)
    places = np.zeros(width + 1, dtype=np.int64)
    for d in range(width):
        places[d + 1] = places[d] + leaves[d] + 1  # one more, where the last runs end
    rights = np.empty(0, dtype=np.int32)
    cursor = starts[:-1].copy()
    for filling in range(2):  # first count, then list
        if filling:
            for i in range(n):
                starts[i + 1] += starts[i]
            if starts[n] > MOST_EDGES:
                break
            rights = np.empty(starts[n], dtype=np.int32)
            cursor = starts[:-1].copy()
        for begin in range(0, m, 64 * _WORDS):
            end = min(begin + 64 * _WORDS, m)
            words = (end - begin + 63) // 64
            bits = np.zeros((places[width], words), dtype=np.uint64)
            for j in range(begin, end):
                word, bit = (j - begin) // 64, one << np.uint64((j - begin) % 64)
                for d in range(width):
                    at = groups[j] * width + d
                    for r in range(run[at], run[at + 1]):
                        bits[places[d] + first[r], word] ^= bit
                        bits[places[d] + last[r] + 1, word] ^= bit
            for d in range(width):
                for place in range(places[d] + 1, places[d + 1]):
                    for word in range(words):
                        bits[place, word] ^= bits[place - 1, word]
            for i in range(n):
                for word in range(words):
                    left = bits[places[0] + codes[i, 0], word]
                    for d in range(1, width):
                        if left == 0:
                            break
                        left &= bits[places[d] + codes[i, d], word]
                    j = begin + 64 * word
                    while left != 0:
                        if left & one:
                            if filling:
                                rights[cursor[i]] = j
                                cursor[i] += 1
                            else:
                                starts[i + 1] += 1
                        left >>= one
                        j += 1
    return starts, rights


@inner
def _holds(code: Codes, g: int, run: IntArray, first: Codes, last: Codes) -> bool:
    """Do the labels of group g hold a combination?"""
    width = len(code)
    for d in range(width):
        inside = False
        for r in range(run[g * width + d], run[g * width + d + 1]):
            if first[r] <= code[d] <= last[r]:
                inside = True
                break
        if not inside:
            return False
    return True


@inner
def _mark(
    codes: Codes, groups: IntArray, starts: IntArray, rights: Codes, run: IntArray, first: Codes, met: IntArray
) -> None:
    """Mark the runs (of one leaf each, in order) that the combinations which fit their group have."""
    width = codes.shape[1]
    for i in range(codes.shape[0]):
        for edge in range(starts[i], starts[i + 1]):
            for d in range(width):
                at = groups[rights[edge]] * width + d
                low, high = run[at], run[at + 1] - 1
                while low < high:
                    middle = (low + high) // 2
                    if first[middle] < codes[i, d]:
                        low = middle + 1
                    else:
                        high = middle
                met[low] = 1
