"""Bounds on who stands behind which row, where there are too many worlds to count; see `assignments` for the words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.audit.worlds.assignment_kernels import Fits
from discreet.compiled import inner, kernel

_UP, _DOWN = 1.0 + 1e-11, 1.0 - 1e-11  # more than the arithmetic can have lost
_STEPS = 2e8  # of counting shared people, and of sharpening bounds
_DEPTH = 6  # times that bounds are sharpened by those of others, if the steps suffice


class Groups(NamedTuple):
    """Groups of so many rows (`sizes`), that fit so many people (`having`), with the balanced `odds` to be in each."""

    sizes: IntArray
    having: IntArray
    odds: FloatArray


class Bounds(NamedTuple):
    """What is told of each entry, and in `row` of each group; see `Assignments`. Written in place."""

    most: FloatArray
    least: FloatArray
    likely: FloatArray
    told_by: IntArray
    row: FloatArray


@kernel
def fence(
    entries: IntArray,
    kind: IntArray,
    fits: Fits,
    kinds: Fits,
    by_group: Groups,
    chance: FloatArray,
    counted: BoolArray,
    bounds: Bounds,
) -> None:
    """What is told of every entry and group: as counted, or bounds.

    Those of the `entries` that have the same `kind` fit the same groups; `chance` is of each kind, in each of these.
    """
    starts, groups, _ = fits
    sizes, having, odds = by_group
    most, least, likely, told_by, row = bounds
    taken = _takeable(entries, kind, fits, kinds, sizes, counted)
    for g in range(len(sizes)):
        if taken[g] >= 0:
            row[g] = 1.0 / max(having[g] - taken[g], sizes[g])
        elif counted[g]:
            row[g] = 0.0
    open_entries = np.array([i for i in entries if not counted[groups[starts[i]]]], dtype=np.int64)
    out_least, out_most = _chances_of_being_out(open_entries, fits, by_group, taken, row)
    for e in range(len(open_entries)):
        i = open_entries[e]
        least[i] = max(1.0 - out_most[e] * _UP, 0.0)
        most[i] = min((1.0 - out_least[e]) * _UP, 1.0)
        sum_odds, largest = 0.0, -1.0
        for at in range(starts[i], starts[i + 1]):
            sum_odds += odds[groups[at]]
            if odds[groups[at]] > largest:
                largest, told_by[i] = odds[groups[at]], groups[at]
        likely[i] = min(max(sum_odds / (1.0 + sum_odds), least[i]), most[i])
    for e in range(len(entries)):
        i = entries[e]
        if counted[groups[starts[i]]]:
            inside, largest = 0.0, -1.0
            own = kinds.starts[kind[e]]
            for at in range(starts[i], starts[i + 1]):
                g, share = groups[at], chance[own + at - starts[i]]
                inside += share
                row[g] = max(row[g], share / sizes[g])
                if share > largest:
                    largest, told_by[i] = share, g
            # Sums of positive terms: 1 is met only if nobody else can be there, but for the last digits.
            most[i] = least[i] = likely[i] = 1.0 if inside > 1.0 - 1e-11 else inside


@inner
def _chances_of_being_out(
    entries: IntArray, fits: Fits, by_group: Groups, taken: IntArray, row: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The least and the most chance of each entry to stand behind no row; the chances of rows are lowered in place.

    Let Z be the number of worlds. Somebody t is out of all of Z(−t), or behind one of the rows that fit; and each row r
    is somebody's. So P(t out) = 1 / (1 + Σ over rows r that fit t of 1 / Σ over others u who fit r of P′(u out)), where
    P′ is the chance in the worlds without t and r. It rises with every P′: bounds on these give sharper ones, from
    those that hold after any k people and k rows are gone.
    """
    starts, groups, people = fits
    sizes, having = by_group.sizes, by_group.having
    number = len(sizes)
    least, most = np.zeros(len(entries)), np.ones(len(entries))
    low, high = np.zeros(len(entries)), np.zeros(len(entries))
    low_sum, high_sum, largest = np.zeros(number), np.zeros(number), np.zeros(number)
    pairs = 0
    for i in entries:
        pairs += starts[i + 1] - starts[i]
    depth = _DEPTH
    while depth > 1 and depth * (depth + 1) * pairs > _STEPS:
        depth -= 1
    for k in range(depth + 1):
        for e in range(len(entries)):
            against, for_sure = 0.0, 0.0
            for at in range(starts[entries[e]], starts[entries[e] + 1]):
                g = groups[at]
                against += _ratio(sizes[g], having[g] - k - taken[g] - sizes[g])
                for_sure += _ratio(max(sizes[g] - k, 0), having[g] - max(sizes[g] - k, 0))
            low[e], high[e] = 1.0 / (1.0 + against), 1.0 / (1.0 + for_sure)
        for gone in range(k - 1, -1, -1):
            low_sum[:] = 0.0
            high_sum[:] = 0.0
            largest[:] = 0.0
            for e in range(len(entries)):
                i = entries[e]
                for at in range(starts[i], starts[i + 1]):
                    low_sum[groups[at]] += people[i] * low[e]
                    high_sum[groups[at]] += people[i] * high[e]
                    largest[groups[at]] = max(largest[groups[at]], low[e])
            if gone == 0:
                for g in range(number):
                    if taken[g] >= 0:
                        row[g] = min(row[g], 1.0 / max(low_sum[g] * _DOWN - largest[g] + sizes[g], 1e-300))
            for e in range(len(entries)):
                against, for_sure = 0.0, 0.0
                for at in range(starts[entries[e]], starts[entries[e] + 1]):
                    g = groups[at]
                    against += _ratio(sizes[g], low_sum[g] * _DOWN - low[e] - gone * largest[g])
                    for_sure += _ratio(max(sizes[g] - gone, 0), high_sum[g] / _DOWN - high[e])
                low[e], high[e] = 1.0 / (1.0 + against), 1.0 / (1.0 + for_sure)
        for e in range(len(entries)):
            least[e], most[e] = max(least[e], low[e]), min(most[e], high[e])
    return least, most


@inner
def _ratio(rows: float, left: float) -> float:
    return np.inf if left <= 0.0 and rows > 0 else 0.0 if rows == 0 else rows / left


@inner
def _takeable(
    entries: IntArray, kind: IntArray, fits: Fits, kinds: Fits, sizes: IntArray, counted: BoolArray
) -> IntArray:
    """How many people of each group that was not counted others could take, at most; −1 for other groups.

    Group h can't take more of them than it has rows, nor more than it shares with the group.
    """
    starts, groups, _ = fits
    example = np.full(len(kinds.people), -1, dtype=np.int64)
    for e in range(len(entries)):
        example[kind[e]] = entries[e]
    number = np.zeros(len(sizes) + 1, dtype=np.int64)
    steps = 0.0
    for k in range(len(example)):
        i = example[k]
        if not counted[groups[starts[i]]]:
            width = starts[i + 1] - starts[i]
            steps += width * width
            for at in range(starts[i], starts[i + 1]):
                number[groups[at] + 1] += 1
    offsets = np.cumsum(number)
    of_group = np.empty(offsets[-1], dtype=np.int64)
    place = offsets[:-1].copy()
    for k in range(len(example)):
        i = example[k]
        if not counted[groups[starts[i]]]:
            for at in range(starts[i], starts[i + 1]):
                of_group[place[groups[at]]] = k
                place[groups[at]] += 1
    taken = np.full(len(sizes), -1, dtype=np.int64)
    overlap = np.zeros(len(sizes), dtype=np.int64)
    touched = np.empty(len(sizes), dtype=np.int64)
    for g in range(len(sizes)):
        if offsets[g] == offsets[g + 1]:
            continue
        common, others = 0, 0
        for o in range(offsets[g], offsets[g + 1]):
            k = of_group[o]
            i = example[k]
            if starts[i + 1] - starts[i] > 1:
                common += kinds.people[k]
                if steps <= _STEPS:
                    for at in range(starts[i], starts[i + 1]):
                        h = groups[at]
                        if h != g:
                            if overlap[h] == 0:
                                touched[others] = h
                                others += 1
                            overlap[h] += kinds.people[k]
        by_group = 0
        for t in range(others):
            by_group += min(sizes[touched[t]], overlap[touched[t]])
            overlap[touched[t]] = 0
        taken[g] = min(common, by_group) if steps <= _STEPS else common
    return taken
