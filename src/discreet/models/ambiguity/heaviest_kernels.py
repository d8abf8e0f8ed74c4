"""Compiled: the heaviest point among weighted product sets, by branch and bound.

Set g holds the points that have one of its codes in every table, and weighs `weight[g]`. The weight of a point is that
of all sets it is in. With some of a point's codes fixed, only the sets that have these count; whatever code it has in
another table, no more than the sets that have that code do. So the least over the tables of the largest such sum
bounds all points that begin so, and the table with the least is the one to go on with.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Codes, IntArray
from discreet.compiled import PLAIN, Patience, Twin, inner, kernel

_LITTLE = 4  # times all entries of sets: as much is looked at without compiling
Bits = NDArray[np.uint64]


class Sets(NamedTuple):
    """Product sets: in table t, set g has the codes ``codes[offsets[t, g]:offsets[t, g + 1]]``.

    Codes of different tables differ: those of table t are the numbers from ``start[t]`` up to ``start[t + 1]``.
    """

    offsets: IntArray
    codes: Codes
    start: IntArray
    weight: IntArray


class Branches(NamedTuple):
    """The way to the point at hand: the table that each step branches on, its codes, heaviest first, and their sets.

    ``code[start[t] + i]`` is the i-th code of table t and ``sums`` its weight. Of `steps`, the first row has the table
    of each step, the second how many codes it has, the third how many of them are done. The sets that have a code are
    the `many` ones from `first` on of `member`: on the way to a point, each table is branched on once.
    """

    steps: IntArray
    code: IntArray
    sums: IntArray
    first: IntArray
    many: IntArray
    member: Codes
    point: IntArray  # −1: the table's code is not fixed yet


def _heaviest_plainly(sets: Sets, floor: int, stop: int, work: int) -> tuple[int, int, IntArray]:
    """The same as `heaviest`, in Python as long as that has little to do."""
    little = min(work, _LITTLE * len(sets.codes))
    found, bound, point = heaviest.plainly(sets, floor, stop, little)
    if found < bound and found <= stop and little < work:
        found, bound, point = heaviest.dispatcher(sets, floor, stop, work)
    return int(found), int(bound), point


_PLAIN = Twin(_heaviest_plainly, lambda sets, *_: 10 * (2 + _LITTLE) * len(sets.codes), Patience(PLAIN))


@kernel(twin=_PLAIN)
def heaviest(sets: Sets, floor: int, stop: int, work: int) -> tuple[int, int, IntArray]:
    """The weight of the heaviest point if it is above `floor` (else that), a bound that none is above, and the point.

    Both weights are the same where the search comes to its end. It gives up at a point above `stop`, or after `work`
    entries of sets were looked at. Where no point is known to be above `floor`, its codes are −1. Sets that weigh
    nothing are left out.
    """
    tables, codes = len(sets.offsets), sets.start[-1]
    way = Branches(
        np.zeros((3, tables), dtype=np.int64),
        np.zeros(codes, dtype=np.int64),
        np.zeros(codes, dtype=np.int64),
        np.zeros(codes, dtype=np.int64),
        np.zeros(codes, dtype=np.int64),
        np.zeros(len(sets.codes), dtype=np.int32),
        np.full(tables, -1, dtype=np.int64),
    )
    table, many, done = way.steps
    scratch = np.zeros(codes, dtype=np.int64)
    best, best_point = floor, np.full(tables, -1, dtype=np.int64)
    depth = int(np.int64(0))  # a literal would have `_branch` compiled twice
    looked = _branch(sets, _weighing(sets.weight), depth, way, scratch)
    while depth >= 0 and best <= stop and looked <= work:
        t, at = table[depth], sets.start[table[depth]] + done[depth]
        if done[depth] == many[depth] or way.sums[at] <= best:  # codes that follow are no heavier
            way.point[t] = -1
            depth -= 1
            continue
        done[depth] += 1
        way.point[t] = way.code[at]
        if depth == tables - 1:
            best = way.sums[at]
            for other in range(tables):
                best_point[other] = way.point[other]
            continue
        some = way.member[way.first[at] : way.first[at] + way.many[at]]
        depth += 1
        looked += _branch(sets, some, depth, way, scratch)
    bound = best
    for d in range(depth + 1):
        if done[d] < many[d]:
            bound = max(bound, way.sums[sets.start[table[d]] + done[d]])
    return best, bound, best_point


@inner
def _weighing(weight: IntArray) -> Codes:
    """The sets that weigh anything: codes of others could not be told from codes that were not met yet."""
    some, many = np.empty(len(weight), dtype=np.int32), 0
    for g in range(len(weight)):
        if weight[g] > 0:
            some[many] = g
            many += 1
    return some[:many]


@inner
def _branch(sets: Sets, some: Codes, depth: int, way: Branches, scratch: IntArray) -> int:
    """Go on from some sets with the table whose heaviest code is lightest. Returns how many entries were looked at.

    `scratch` has a zero for every code, before and after.
    """
    looked, chosen, lightest = 0, int(np.int64(-1)), 0  # a literal would have `_order_codes` compiled twice
    for t in range(len(way.point)):
        if way.point[t] < 0:
            most, entries = _heaviest_code(sets, some, t, scratch)
            looked += entries
            if chosen < 0 or most < lightest:
                chosen, lightest = t, most
    way.steps[0, depth], way.steps[2, depth] = chosen, 0
    way.steps[1, depth] = _order_codes(sets, some, chosen, way, scratch)
    return looked


@inner
def _heaviest_code(sets: Sets, some: Codes, t: int, scratch: IntArray) -> tuple[int, int]:
    """The weight of the code of a table that weighs most, and how many entries some sets have there."""
    most, entries = 0, 0
    for g in some:
        for e in range(sets.offsets[t, g], sets.offsets[t, g + 1]):
            scratch[sets.codes[e]] += sets.weight[g]
            most = max(most, scratch[sets.codes[e]])
        entries += sets.offsets[t, g + 1] - sets.offsets[t, g]
    for g in some:
        for e in range(sets.offsets[t, g], sets.offsets[t, g + 1]):
            scratch[sets.codes[e]] = 0
    return most, entries


@inner
def _order_codes(sets: Sets, some: Codes, t: int, way: Branches, scratch: IntArray) -> int:
    """Write down the codes that some sets have in a table, heaviest first, each with its sets; returns how many."""
    begin, different, entries = sets.start[t], 0, 0
    for g in some:
        for e in range(sets.offsets[t, g], sets.offsets[t, g + 1]):
            code = sets.codes[e]
            if scratch[code] == 0:
                way.code[begin + different] = code
                different += 1
            scratch[code] += sets.weight[g]
    _sort(way.code[begin : begin + different], scratch)
    for i in range(begin, begin + different):
        way.sums[i], way.many[i] = scratch[way.code[i]], 0
        scratch[way.code[i]] = i
    for g in some:
        for e in range(sets.offsets[t, g], sets.offsets[t, g + 1]):
            way.many[scratch[sets.codes[e]]] += 1
    entries = sets.offsets[t, 0]
    for i in range(begin, begin + different):
        way.first[i] = entries
        entries += way.many[i]
        way.many[i] = 0
    for g in some:
        for e in range(sets.offsets[t, g], sets.offsets[t, g + 1]):
            i = scratch[sets.codes[e]]
            way.member[way.first[i] + way.many[i]] = g
            way.many[i] += 1
    for i in range(begin, begin + different):
        scratch[way.code[i]] = 0
    return different


@inner
def _sort(codes: IntArray, weight: IntArray) -> None:
    """Put codes in order, heaviest first, equals by number: a heap sort, as NumPy's takes seconds to compile."""
    many = len(codes)
    for last in range(many // 2 - 1, -1, -1):
        _sink(codes, weight, last, many)
    for last in range(many - 1, 0, -1):
        codes[0], codes[last] = codes[last], codes[0]
        _sink(codes, weight, np.int64(0), last)


@inner
def _sink(codes: IntArray, weight: IntArray, at: int, end: int) -> None:
    """Restore the heap below `at`: whatever comes last in order is on top."""
    while 2 * at + 1 < end:
        child = 2 * at + 1
        if child + 1 < end and _comes_before(codes[child], codes[child + 1], weight):
            child += 1
        if not _comes_before(codes[at], codes[child], weight):
            return
        codes[at], codes[child] = codes[child], codes[at]
        at = child


@inner
def _comes_before(code: int, other: int, weight: IntArray) -> bool:
    return bool(weight[code] > weight[other] or (weight[code] == weight[other] and code < other))


@kernel
def weigh_points(sets: Sets, points: IntArray, room: int) -> tuple[IntArray, IntArray]:
    """The sum of the weights of all sets that each point (row) is in; one with a code of −1 is in none. And of each
    set, the largest sum of a point in it.

    Sets are bits: of the rows of a point's codes, those that are set in all of them count. As many sets at a time as
    `room` for 64-bit words allows.
    """
    groups, codes = sets.offsets.shape[1] - 1, sets.start[-1]
    words = min(max(1, room // max(codes, 1)), (groups + 63) // 64)
    bits = np.zeros((codes, words), dtype=np.uint64)
    sums, largest = np.zeros(len(points), dtype=np.int64), np.zeros(groups, dtype=np.int64)
    for first in range(0, groups, 64 * words):
        _fill(sets, bits, first)
        for p in range(len(points)):
            if points[p].min() >= 0:
                sums[p] += _weigh_point(bits, points[p], sets.weight[first:])
    for first in range(0, groups, 64 * words):
        if groups > 64 * words:
            _fill(sets, bits, first)
        for p in range(len(points)):
            if sums[p] > 0:
                _raise_sets(bits, points[p], sums[p], largest[first:])
    return sums, largest


@inner
def _fill(sets: Sets, bits: Bits, first: int) -> None:
    """Which of the sets from `first` on have each code."""
    groups = sets.offsets.shape[1] - 1
    bits[:] = 0
    for t in range(len(sets.offsets)):
        for g in range(first, min(first + 64 * bits.shape[1], groups)):
            for e in range(sets.offsets[t, g], sets.offsets[t, g + 1]):
                bits[sets.codes[e], (g - first) >> 6] |= np.uint64(1) << np.uint64((g - first) & 63)


@inner
def _weigh_point(bits: Bits, point: IntArray, weights: IntArray) -> int:
    """The sum of the weights of the sets that have all codes of a point."""
    total = 0
    for w in range(bits.shape[1]):
        common = bits[point[0], w]
        for t in range(1, len(point)):
            common &= bits[point[t], w]
        g = 64 * w
        while common != np.uint64(0):
            if common & np.uint64(1):
                total += weights[g]
            common >>= np.uint64(1)
            g += 1
    return total


@inner
def _raise_sets(bits: Bits, point: IntArray, total: int, largest: IntArray) -> None:
    """Every set that has all codes of a point has one with so large a sum."""
    for w in range(bits.shape[1]):
        common = bits[point[0], w]
        for t in range(1, len(point)):
            common &= bits[point[t], w]
        g = 64 * w
        while common != np.uint64(0):
            if common & np.uint64(1):
                largest[g] = max(largest[g], total)
            common >>= np.uint64(1)
            g += 1
