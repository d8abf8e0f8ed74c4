"""Who falls into what: sets of leaves as bits, and the compiled loops that add up over them (`leaf_twins`: in NumPy).

A *column* here is a query, or a group of a release: something that holds some leaves of every attribute. Each leaf
has one bit per column, 64 to a word, so one AND per attribute decides 64 columns at once for a combination of leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.compiled import inner, kernel
from discreet.counts.kernels import group_equal
from discreet.utility import leaf_twins

Bits = NDArray[np.uint64]
Words = NDArray[np.uint64]  # one bit per column
Octets = NDArray[np.uint8]
AnyCodes = NDArray[np.integer]

# The place of the lowest set bit by one multiplication (de Bruijn sequence; Leiserson, Prokop & Randall 1998).
_SEQUENCE = 0x03F79D71B4CB0A89
_BRUIJN = np.uint64(_SEQUENCE)
_PLACE = np.zeros(64, dtype=np.int64)
for _place in range(64):
    _PLACE[((_SEQUENCE << _place) & (2**64 - 1)) >> 58] = _place


def words(columns: int) -> int:
    """How many 64-bit words hold one bit per column."""
    return (columns + 63) // 64


def pack(held: BoolArray) -> Bits:
    """Bits of a (leaves × columns) table of truths."""
    return packed([held], *held.shape)


def packed(parts: Iterable[BoolArray], leaves: int, columns: int) -> Bits:
    """The same of a table that comes in parts, some columns at a time: a multiple of 8, but for the last."""
    room = np.zeros((leaves, 8 * words(columns)), dtype=np.uint8)
    start = 0
    for held in parts:
        octets = np.packbits(held, axis=1, bitorder="little")
        room[:, start : start + octets.shape[1]] = octets
        start += octets.shape[1]
    return room.view("<u8").astype(np.uint64, copy=False)


def unpack(bits: Bits, start: int, stop: int) -> BoolArray:
    """The columns ``start:stop`` of the table of truths again; start is a multiple of 8."""
    octets = np.ascontiguousarray(bits.astype("<u8", copy=False)).view(np.uint8)[:, start // 8 : (stop + 7) // 8]
    return np.unpackbits(octets, axis=1, count=stop - start, bitorder="little").view(np.bool_)


def distinct(codes: Sequence[AnyCodes], rows: int) -> tuple[IntArray, IntArray]:
    """Number equal rows of several code columns alike; also the first row of each number.

    >>> distinct([np.array([0, 1, 0]), np.array([2, 2, 2])], 3)
    (array([0, 1, 0]), array([0, 1]))
    """
    key = np.zeros(rows, dtype=np.uint64)
    width = 1
    for column in codes:
        values = int(column.max(initial=0)) + 1
        if width * values >= 2**63:
            key = group_equal(key)[0].astype(np.uint64)
            width = int(key.max(initial=0)) + 1
        key = key * np.uint64(values) + column.astype(np.uint64)
        width *= values
    number, first = group_equal(key)
    return number.astype(np.int64), first.astype(np.int64)


@kernel
def mark(bits: Bits, column: IntArray, low: IntArray, high: IntArray) -> None:
    """Set the bit of `column[i]` in the leaves ``low[i]..high[i]``."""
    for i in range(len(column)):
        word = column[i] >> 6
        bit = np.uint64(1) << np.uint64(column[i] & 63)
        for leaf in range(low[i], high[i] + 1):
            bits[leaf, word] |= bit


@kernel(twin=leaf_twins.PER_COLUMN, nogil=True)
def add_per_column(bits: Bits, rows: Codes, counts: IntArray, total: IntArray) -> None:
    """Add to each column's total the counts of the combinations it holds.

    `rows[d, i]` is the row of `bits` for attribute d of combination i. Combinations that stand in order begin like
    those before them: what their first attributes leave is known. Counts are added up bit by bit, 64 columns at once:
    plane p holds bit p of so many sums, and `waiting` what was carried to it and not added yet. Two of these are added
    at once, so half as often as they come, and half as often again in the next plane.
    """
    (attributes, n), words = rows.shape, bits.shape[1]
    left = np.empty((attributes, words), dtype=np.uint64)  # the columns that the attributes up to this one leave
    planes = np.zeros((64, words), dtype=np.uint64)
    waiting = np.zeros((64, words), dtype=np.uint64)
    waits = np.zeros(64, dtype=np.bool_)
    carried = np.empty(words, dtype=np.uint64)
    until = 0  # attributes whose rows are known: all up to the first that leaves nothing
    for i in range(n):
        same = 0
        while same < until and rows[same, i] == rows[same, i - 1]:
            same += 1
        if same == until and 0 < until < attributes:
            continue  # what left nothing before leaves nothing now
        until = attributes
        for d in range(same, attributes):
            any_left = np.uint64(0)
            for word in range(words):
                here = bits[rows[d, i], word]
                if d > 0:
                    here &= left[d - 1, word]
                left[d, word] = here
                any_left |= here
            if any_left == np.uint64(0):
                until = d + 1
                break
        if until < attributes:
            continue
        count, plane = counts[i], 0
        while count > 0:
            if count & 1 != 0:
                _add_bits(left[attributes - 1], plane, planes, waiting, waits, carried)
            count >>= 1
            plane += 1
    for plane in range(64):
        _add_plane(planes[plane], plane, total)
        if waits[plane]:
            _add_plane(waiting[plane], plane, total)


@inner
def _add_bits(bits: Words, plane: int, planes: Bits, waiting: Bits, waits: NDArray[np.bool_], carried: Words) -> None:
    """Add a bit to each column's sum at this plane."""
    for word in range(len(bits)):
        carried[word] = bits[word]
    while waits[plane]:
        for word in range(len(bits)):
            one, other, third = planes[plane, word], waiting[plane, word], carried[word]
            odd = one ^ other
            planes[plane, word] = odd ^ third
            carried[word] = (one & other) | (odd & third)
        waits[plane] = False
        plane += 1
    for word in range(len(bits)):
        waiting[plane, word] = carried[word]
    waits[plane] = True


@inner
def _add_plane(bits: Words, plane: int, total: IntArray) -> None:
    """Add 2^plane to the total of each column that has a bit."""
    for word in range(len(bits)):
        here = bits[word]
        while here != np.uint64(0):
            lowest = here & (~here + np.uint64(1))
            total[64 * word + _PLACE[(lowest * _BRUIJN) >> np.uint64(58)]] += np.int64(1) << plane
            here ^= lowest


@kernel
def add_per_combination(bits: Bits, rows: IntArray, weights: FloatArray, total: FloatArray) -> None:
    """Add to each combination's total the weights of the columns that hold it."""
    attributes, n = rows.shape
    for i in range(n):
        for word in range(bits.shape[1]):
            left = bits[rows[0, i], word]
            for d in range(1, attributes):
                if left == np.uint64(0):
                    break
                left &= bits[rows[d, i], word]
            while left != np.uint64(0):
                lowest = left & (~left + np.uint64(1))
                total[i] += weights[64 * word + _PLACE[(lowest * _BRUIJN) >> np.uint64(58)]]
                left ^= lowest


@kernel(twin=leaf_twins.PRODUCTS)
def add_products(
    shares: FloatArray,
    rows: IntArray,
    offsets: IntArray,
    values: NDArray[np.int32],
    counts: IntArray,
    wanted: FloatArray,
    total: FloatArray,
) -> None:
    """Σ over groups of (rows with a wanted value) · Π over attributes of the share that qualifies, per query.

    `shares` and `wanted` have one column per query; `rows[d, g]` is the row of `shares` for attribute d of group g, and
    group g has the pairs ``offsets[g]:offsets[g + 1]`` of `values` (a row of `wanted`) and `counts`.
    """
    queries = shares.shape[1]
    product = np.empty(queries, dtype=np.float64)
    for g in range(rows.shape[1]):
        product[:] = 0.0
        for pair in range(offsets[g], offsets[g + 1]):
            count = float(counts[pair])
            value = values[pair]
            for q in range(queries):
                product[q] += count * wanted[value, q]
        for d in range(rows.shape[0]):
            row = rows[d, g]
            for q in range(queries):
                product[q] *= shares[row, q]
        for q in range(queries):
            total[q] += product[q]


@kernel(twin=leaf_twins.EXACT)
def add_exact(
    wanted: Octets,
    rows: IntArray,
    first: IntArray,
    widths: IntArray,
    offsets: IntArray,
    counts: IntArray,
    scale: FloatArray,
    total: FloatArray,
) -> None:
    """Σ over groups of scale · Π over tables of the people (or combinations) that qualify, per query.

    `wanted` has a row per leaf and a column per query, 1 where the leaf qualifies. Group g has the entries
    ``offsets[t, g]:offsets[t, g + 1]`` of table t; entry e counts ``counts[e]`` and qualifies where all of its leaves
    do, the `widths[t]` rows of `wanted` that ``rows[first[t] + (e − offsets[t, 0]) · widths[t]:]`` names.
    """
    queries = wanted.shape[1]
    both = np.empty(queries, dtype=np.uint8)
    few = np.empty(queries, dtype=np.uint8)
    many = np.empty(queries, dtype=np.int64)
    product = np.empty(queries, dtype=np.float64)
    for g in range(len(scale)):
        product[:] = scale[g]
        for t in range(len(widths)):
            begin, end = offsets[t, g], offsets[t, g + 1]
            at = first[t] + (begin - offsets[t, 0]) * widths[t]
            if counts[begin:end].sum() < 256:  # octets add up 32 at a time: 15 times as fast
                few[:] = 0
                _add_qualifying(wanted, rows[at:], widths[t], counts[begin:end], both, few)
                for q in range(queries):
                    product[q] *= few[q]
            else:
                many[:] = 0
                _add_qualifying(wanted, rows[at:], widths[t], counts[begin:end], both, many)
                for q in range(queries):
                    product[q] *= many[q]
        for q in range(queries):
            total[q] += product[q]


@inner
def _add_qualifying(
    wanted: Octets, rows: IntArray, width: int, counts: IntArray, both: Octets, total: NDArray[np.integer]
) -> None:
    """Per query, add the counts of the entries all of whose leaves qualify."""
    for e in range(len(counts)):
        count = counts[e]
        line = wanted[rows[e * width]]
        if width > 1:
            for q in range(len(both)):
                both[q] = line[q]
            for d in range(1, width):
                line = wanted[rows[e * width + d]]
                for q in range(len(both)):
                    both[q] &= line[q]
            line = both
        for q in range(len(line)):
            total[q] += count * line[q]
