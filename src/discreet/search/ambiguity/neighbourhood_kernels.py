"""The compiled cuts of a table into neighbourhoods: rows alike in as many attributes as ambiguity can spare.

Rows that are published in a group of tables apart are mixed with each other. The more alike they are, the less is lost;
but they must differ in enough values to hide each other. So the table is cut, like Mondrian's canvas, as long as groups
of either side could still differ enough.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray
from discreet.compiled import inner, kernel

_SPREAD_OF_UNIFORM = math.sqrt(12.0)  # one over the standard deviation of numbers spread evenly from 0 to 1
_FREE = 0.02  # what a cut costs at least, in units of log(combinations): one that costs nothing is not infinitely good


class Columns(NamedTuple):
    """The table that is cut, coded: a line of codes per attribute and per table, and those of the sensitive attribute.

    Attribute a has `leaves[a]` leaves, which are numbers of a kind if it is `ordered`. All codes are below `widest`.
    """

    attributes: Codes
    leaves: IntArray
    ordered: BoolArray
    tables: Codes
    values: Codes
    widest: int


class Needs(NamedTuple):
    """What each half must allow for: groups of `size` rows that reach `reach` = log(size / α), see `_reach`.

    No sensitive value may have more than the share `most` of a half. Groups of a half with R rows must also reach
    log(R) + `apart`, if the chances of all of them are to add up to α at most.
    """

    size: float
    reach: float
    most: float
    apart: float


class Neighbourhoods(NamedTuple):
    """Neighbourhood i holds ``row[begin[i]:end[i]]``; its halves are ``half[i]`` and the one after it, or none (−1)."""

    row: Codes
    begin: IntArray
    end: IntArray
    half: IntArray


class Counter(NamedTuple):
    """Scratch to count codes with: how often each occurs on either side (zero between uses), and which do."""

    counts: IntArray
    codes: IntArray


@kernel
def cut(row: Codes, columns: Columns, needs: Needs, sample: int) -> Neighbourhoods:
    """Cut the rows into neighbourhoods, in place: which of them form each, and which neighbourhoods were its halves.

    Neighbourhoods of more than `sample` rows are judged by as many of them.
    """
    size = needs.size
    counter = Counter(np.zeros((2, columns.widest), dtype=np.int64), np.empty(columns.widest, dtype=np.int64))
    some, side = np.empty(2 * sample, dtype=np.int32), np.empty(2 * sample, dtype=np.int64)
    later = np.empty(len(row), dtype=np.int32)
    room = int(len(row) / size) + 2  # a half has at least 2 · size rows, so there are less than len(row) / size of them
    begin, end, half = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64), np.full(room, -1, dtype=np.int64)
    end[0], many = len(row), 1
    i = -1
    while i + 1 < many:
        i += 1
        rows = end[i] - begin[i]
        if rows < 4 * size:
            continue
        step, taken = max(1, rows // sample), 0
        for p in range(begin[i], end[i], step):
            some[taken] = row[p]
            taken += 1
        a, at = _best_cut(some[:taken], side[:taken], rows, columns, needs, counter)
        if a < 0:
            continue
        kept, gone = begin[i], 0
        for p in range(begin[i], end[i]):
            if columns.attributes[a, row[p]] <= at:
                row[kept] = row[p]
                kept += 1
            else:
                later[gone] = row[p]
                gone += 1
        for p in range(gone):
            row[kept + p] = later[p]
        if kept - begin[i] >= 2 * size and gone >= 2 * size:
            half[i] = many
            begin[many], end[many] = begin[i], kept
            begin[many + 1], end[many + 1] = kept, end[i]
            many += 2
    return Neighbourhoods(row, begin[:many], end[:many], half[:many])


@inner
def _best_cut(
    some: Codes, side: IntArray, rows: int, columns: Columns, needs: Needs, counter: Counter
) -> tuple[int, int]:
    """The attribute and leaf to cut after: what makes rows most alike for what it costs in reach; −1 if nothing may."""
    best, best_at, best_score = -1, 0, 0.0
    for p in range(len(some)):
        side[p] = 0
    whole = 0.0
    for t in range(len(columns.tables)):
        whole += _reach(columns.tables[t], some, side, needs.size, counter)[0]
    for a in range(len(columns.attributes)):
        codes, leaves, ordered = columns.attributes[a], columns.leaves[a], columns.ordered[a]
        at = _middle(codes, some, leaves, counter.counts[0])
        if at < 0:
            continue
        for p in range(len(some)):
            side[p] = 0
        before = _unlikeness(codes, some, side, ordered, leaves, counter)[0]
        upper = 0
        for p in range(len(some)):
            side[p] = 1 if codes[some[p]] > at else 0
            upper += side[p]
        lower = len(some) - upper
        left, right = _unlikeness(codes, some, side, ordered, leaves, counter)
        gain = before - (lower * left + upper * right) / len(some)
        if gain <= 0.0:
            continue
        left_most, right_most = _most_frequent(columns.values, some, side, counter)
        if left_most > needs.most * lower or right_most > needs.most * upper:
            continue
        left_reach, right_reach = 0.0, 0.0
        for t in range(len(columns.tables)):
            left, right = _reach(columns.tables[t], some, side, needs.size, counter)
            left_reach += left
            right_reach += right
        left_needs = max(needs.reach, needs.apart + math.log(rows * lower / len(some)))
        right_needs = max(needs.reach, needs.apart + math.log(rows * upper / len(some)))
        if left_reach < left_needs or right_reach < right_needs:
            continue
        cost = whole - (lower * left_reach + upper * right_reach) / len(some)
        score = gain / (max(cost, 0.0) + _FREE)
        if score > best_score:
            best, best_at, best_score = a, at, score
    return best, best_at


@inner
def _middle(codes: Codes, some: Codes, leaves: int, counts: IntArray) -> int:
    """The leaf to cut after that comes closest to halves; −1 if all have the same."""
    for p in range(len(some)):
        counts[codes[some[p]]] += 1
    running, best, off = 0, -1, 2 * len(some)
    for leaf in range(leaves):
        if counts[leaf]:
            running += counts[leaf]
            counts[leaf] = 0
            if running < len(some) and abs(2 * running - len(some)) < off:
                best, off = leaf, abs(2 * running - len(some))
    return best


@inner
def _count(codes: Codes, some: Codes, side: IntArray, counter: Counter) -> int:
    """Count the codes on both sides; returns how many different ones there are."""
    counts, different = counter.counts, 0
    for p in range(len(some)):
        code = codes[some[p]]
        if counts[0, code] + counts[1, code] == 0:
            counter.codes[different] = code
            different += 1
        counts[side[p], code] += 1
    return different


@inner
def _reach(codes: Codes, some: Codes, side: IntArray, size: float, counter: Counter) -> tuple[float, float]:
    """The log of how many different combinations a table has in a group of `size` rows, on average, at best; per side.

    If R rows are put into R / size groups, a combination that c rows have can be in at most min(c, R / size) of them:
    a group has Σ min(1, c · size / R) different ones on average, and the mean of logs is at most the log of the mean.
    """
    counts, different = counter.counts, _count(codes, some, side, counter)
    upper = 0
    for p in range(len(some)):
        upper += side[p]
    left, right = 0.0, 0.0
    for code in counter.codes[:different]:
        if counts[0, code]:
            left += min(1.0, counts[0, code] * size / (len(some) - upper))
        if counts[1, code]:
            right += min(1.0, counts[1, code] * size / upper)
        counts[0, code] = counts[1, code] = 0
    return math.log(max(left, 1.0)), math.log(max(right, 1.0))


@inner
def _unlikeness(
    codes: Codes, some: Codes, side: IntArray, ordered: bool, leaves: int, counter: Counter
) -> tuple[float, float]:
    """How unlike the rows of each side are, from 0 to about 1.

    Numbers: their standard deviation, where that of all leaves evenly is 1. Others: how often two rows differ.
    """
    codes_there = counter.codes[: _count(codes, some, side, counter)]
    left = _unlike(counter.counts[0], codes_there, ordered, leaves)
    right = _unlike(counter.counts[1], codes_there, ordered, leaves)
    return left, right


@inner
def _unlike(counts: IntArray, codes: IntArray, ordered: bool, leaves: int) -> float:
    rows, first, second, squares = 0.0, 0.0, 0.0, 0.0
    for each in codes:
        code, count = float(each), float(counts[each])
        counts[each] = 0
        rows += count
        first += count * code
        second += count * code * code
        squares += count * count
    if rows == 0.0:
        return 0.0
    if ordered:
        return math.sqrt(max(0.0, second / rows - (first / rows) ** 2)) * _SPREAD_OF_UNIFORM / leaves
    return 1.0 - squares / (rows * rows)


@inner
def _most_frequent(codes: Codes, some: Codes, side: IntArray, counter: Counter) -> tuple[int, int]:
    """How many rows of each side have its most frequent code."""
    counts, different = counter.counts, _count(codes, some, side, counter)
    left, right = 0, 0
    for code in counter.codes[:different]:
        left, right = max(left, counts[0, code]), max(right, counts[1, code])
        counts[0, code] = counts[1, code] = 0
    return left, right
