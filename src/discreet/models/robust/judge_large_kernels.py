"""The compiled loop over groups that are too large for sums over all their worlds: their posteriors are integrals.

An integral is right to about as many digits as it is given time for, and says how many. A few tell nearly always on
which side of its limit a posterior is; those that are close are computed as exactly as in small groups.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.compiled import inner, kernel
from discreet.counts.groups import Pairs
from discreet.models.robust.beliefs import (
    LARGE,
    LEVELS,
    MARGIN,
    NEAR_FULL,
    NEAR_TWO,
    VERDICTS,
    Chances,
    Entries,
    Limits,
    Posteriors,
    Protected,
)
from discreet.models.robust.contour_kernels import contour
from discreet.models.robust.judge_kernels import (
    MOST_VALUES,
    Before,
    alike,
    chances_of,
    counted,
    most_of,
    note,
    possible,
    priors,
    protected,
    raise_entries,
    total,
)
from discreet.models.robust.judge_rest_kernels import bounded

COARSE, FINER, FINE = 8.0, 1.4, 30.0  # how far off integrals are (e to the −8 at first), and by what factor they grow
_EXACT = MARGIN / 10  # what is off by no more is as exact as a sum over worlds


@kernel
def judge_large(
    entries: Entries,
    tally: Pairs,
    beliefs: Chances,
    protected_sets: Protected,
    limits: Limits,
    made: Posteriors,
    left: NDArray[np.uint8],
) -> None:
    """Judge the groups that `judge` left because they are large; what can't be told here is left to `judge_rest`."""
    offsets, people, rows = entries.offsets, entries.people, entries.rows
    sets = rows.shape[0]
    place = np.full(len(beliefs.supports), -1, dtype=np.int64)
    for g in range(len(offsets) - 1):
        begin, end = offsets[g], offsets[g + 1]
        names = tally.values[tally.offsets[g] : tally.offsets[g + 1]]
        values = tally.counts[tally.offsets[g] : tally.offsets[g + 1]]
        which, inside, satisfied = protected(names, values, protected_sets)
        for view in (NEAR_TWO, NEAR_FULL):  # what is known soon first
            for k in range(sets):
                if not left[k, g] & LARGE or not left[k, g] & view:
                    continue
                if limits.wanted == VERDICTS and not made.kept[g]:
                    left[k, g] = 0
                    continue
                kinds, kind, own = _signatures(rows[k, begin:end], people[begin:end], place)
                before = priors(kinds, beliefs, names, which, protected_sets)
                if len(kinds) == 1:
                    can_be = possible(beliefs.known[kinds[0]], names)
                    alike(made, g, k, begin, kind, total(people[begin:end]), can_be, before, satisfied, limits)
                    left[k, g] = 0
                elif view == NEAR_TWO:
                    for x in range(len(which)):
                        _in_two_values(made, g, k, begin, kind, own, before, satisfied, x, limits)
                    left[k, g] ^= NEAR_TWO
                else:
                    chances = chances_of(kinds, beliefs, names)
                    told = _told(made, g, k, NEAR_FULL, begin, kind, chances, own, values, inside, before, limits)
                    left[k, g] = 0 if told else NEAR_FULL


@inner
def _signatures(rows: IntArray, people: IntArray, place: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """As `judge_kernels.signatures`, without putting rows in order: `place` has room for all, −1 everywhere."""
    n, many = len(rows), 0
    kind = np.empty(n, dtype=np.int64)
    kinds, own = np.empty(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for e in range(n):
        if place[rows[e]] < 0:
            place[rows[e]] = many
            kinds[many] = rows[e]
            many += 1
        kind[e] = place[rows[e]]
        own[kind[e]] += people[e]
    for j in range(many):
        place[kinds[j]] = -1
    return kinds[:many], kind, own[:many]


@inner
def _in_two_values(
    made: Posteriors,
    g: int,
    k: int,
    begin: int,
    kind: IntArray,
    own: IntArray,
    before: FloatArray,
    satisfied: IntArray,
    x: int,
    limits: Limits,
) -> None:
    """Keep what is believed of a group if she asks of set x "in it or not"."""
    sets, kinds, size = len(satisfied), len(own), total(own)
    pair, two, first = np.empty((kinds, 2)), np.empty(2, dtype=np.int64), np.zeros((1, 2), dtype=np.bool_)
    certain = able = 0
    for j in range(kinds):
        pair[j, 0], pair[j, 1] = before[j, x], before[j, sets + x]
        certain += own[j] if pair[j, 1] <= 0 else 0
        able += own[j] if pair[j, 0] > 0 else 0
    two[0], two[1], first[0, 0] = satisfied[x], size - satisfied[x], True
    told = False
    if certain <= satisfied[x] <= able and satisfied[x] < size:
        own_before = before[:, x : x + 1].copy()
        told = _told(made, g, k, NEAR_TWO, begin, kind, pair, own, two, first, own_before, limits)
    if not told:  # no world has weight, or everybody has it
        made.kept[g], made.level[g] = False, 1.0
        raise_entries(made.of_entry, begin, kind, np.ones(kinds), np.bool_(True))


@inner
def _told(
    made: Posteriors,
    g: int,
    k: int,
    view: int,
    begin: int,
    kind: IntArray,
    chances: FloatArray,
    own: IntArray,
    values: IntArray,
    inside: BoolArray,
    before: FloatArray,
    limits: Limits,
) -> bool:
    """Keep what is believed of a group by these chances of its values, as exactly as need be; can it be told at all?"""
    prior = Before(limits.prior, limits.threshold, limits.wanted)
    digits = FINE if len(values) == 2 else COARSE
    bounds, some = np.ones(len(own)), False
    while digits < FINE * FINER and len(values) <= MOST_VALUES:
        found, off = contour(chances, own, values, inside, digits, limits.most_points)
        digits *= FINER
        if off == np.inf:
            continue
        some = True
        worst, above = np.zeros(len(own)), False
        bounds[:] = 0.0
        for j in range(len(own)):
            for x in range(len(inside)):
                worst[j] = max(worst[j], counted(found[j, x], before[j, x], prior))
                bounds[j] = max(bounds[j], bounded(min(found[j, x] + off, 1.0), before[j, x], prior))
                above |= counted(found[j, x] - off, before[j, x], prior) > prior.threshold + MARGIN
        if off <= _EXACT:
            note(made, g, k, np.uint8(view), begin, kind, (worst, np.bool_(False)), prior.threshold)
            return True
        if prior.wanted == VERDICTS and (above or most_of(bounds) <= prior.threshold - MARGIN):
            made.kept[g] &= not above
            return True
        if prior.wanted == LEVELS and most_of(bounds) <= made.level[g]:
            return True
    if some:
        made.bounded[g] = True
        made.kept[g] &= most_of(bounds) <= prior.threshold - MARGIN
        made.level[g] = max(made.level[g], most_of(bounds))
        raise_entries(made.of_entry, begin, kind, bounds, np.bool_(False))
    return some
