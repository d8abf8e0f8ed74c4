"""How a group grows around one person from candidates who share a value: compiled, and no more is weighed than counts.

Who joins leaves, in every attribute set, r − Σ q / max q people missing. A new member with the odds q' lowers that by
at most q' / max(max q, q'), whoever else is weighed. So the score of a candidate, once known, tells how small it can be
some members later, and few are weighed anew; and a group in which more are missing than those candidates bring who
bring the most is given up at once. Both leave out only what could not have changed the result.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.compiled import inner
from discreet.search.art.people import Points

NEARNESS = 0.01  # of quasi-identifiers; decides where chances are about the same
_TIE = 1e-5  # equal chances, added up, may come out a bit below r times one of them; the exact verdict comes later
_SMALL = 15  # what is left of a sort is done by insertion
_ROUNDING = 1e-6  # of scores in single precision, relative
_HALVINGS = 5  # by which a bound is made sharper
_FEW = 3  # candidates who are weighed as they are
_WORTH = 100  # how many entries of a column are as much work as to weigh a candidate


class Candidates(NamedTuple):
    """Combinations (`rows`) with one value: the places of their odds, how far they are, and how many are left.

    `scores` say how many people would be missing if each of them joined first. `lacking` is the attribute set in which
    others had too few the last time: where that is so again, it is found out at once.
    """

    rows: IntArray
    at: IntArray
    gaps: FloatArray
    left: IntArray
    scores: FloatArray
    lacking: IntArray


@inner
def grow_companions(
    own: Points,
    people: Candidates,
    odds: Points,
    person: IntArray,
    r: float,
    least: int,
    most: int,
    picks: IntArray,
) -> tuple[int, float, int]:
    """Add whoever leaves the fewest people missing, over all attribute sets, until none is; −1 if it takes too many.

    How many joined, how far they are, and how large the group was before those were left out whom it could do without;
    who they are, as places among the candidates, is in `picks`. So the answer is the same for whatever `most` is not
    below that size, and −1 for others.
    """
    at, gaps, left, sets = people.at, people.gaps, people.left, len(own)
    column, there, first = np.empty(len(at), dtype=np.float32), np.int64(1), people.lacking[0]
    for c in range(len(at)):
        column[c] = odds[at[c], first]
        there += left[c]
    if there < least or (most > 1 and _too_few_in(own[first], own[first], column, left, r, most - 1)):
        return -1, 0.0, 0
    largest, total, top = own.copy(), own.copy(), own.copy()
    by_set = np.empty((sets, len(at)), dtype=np.float32)
    for c in range(len(at)):
        for a in range(sets):
            by_set[a, c] = odds[at[c], a]
            top[a] = max(top[a], odds[at[c], a])
    margin = _ROUNDING * r * sets * (sets + 16) / 4
    # What scores are at least, plus what they can have fallen since everybody was missing.
    once, fallen = people.scores.copy(), 0.0
    size = look = 1
    while size < least or is_missing(largest, total, r):
        if size >= most:
            return -1, 0.0, 0
        if size == look:
            if _too_few(largest, total, by_set, people, r, most - size):
                return -1, 0.0, 0
            look *= 2
        best, chosen = np.inf, -1
        for c in range(len(at)):
            if left[c] > 0 and once[c] < best:
                best, chosen = once[c], c
        if chosen < 0:
            return -1, 0.0, 0
        if size > 1:
            first = chosen
            best = NEARNESS * gaps[first] + missing_with(largest, total, odds[at[first]], np.float32(r))
            once[first] = best + fallen
            waiting = 0
            for c in range(len(at)):
                waiting += left[c] > 0 and once[c] - fallen - margin <= best
            if waiting > _FEW:
                _raise(once, fallen, largest, total, by_set, gaps, np.float32(r), waiting)
            for c in range(len(at)):
                if left[c] > 0 and c != first and once[c] - fallen - margin <= best:
                    score = NEARNESS * gaps[c] + missing_with(largest, total, odds[at[c]], np.float32(r))
                    once[c] = score + fallen
                    if score < best or (score == best and c < chosen):
                        best, chosen = score, c
        left[chosen] -= 1
        owner = person[people.rows[chosen]]
        if owner >= 0:
            for c in range(len(at)):
                if person[people.rows[c]] == owner:
                    left[c] = 0
        picks[size - 1] = chosen
        size += 1
        fallen += _join(largest, total, top, odds[at[chosen]], r)
    number, distance = _trim(own, people, odds, r, least, size - 1, picks)
    return number, distance, size


@inner(error_model="numpy")
def _raise(
    once: FloatArray,
    fallen: float,
    largest: Points,
    total: Points,
    by_set: Points,
    gaps: FloatArray,
    r: np.float32,
    waiting: int,
) -> None:
    """Raises what scores are at least to what is missing in those attribute sets where somebody is missing now.

    In the others nobody is, unless someone joins whose odds are larger than all. Where there are too many sets for so
    few who wait to be weighed, nothing is done.
    """
    sets, number = by_set.shape
    lacking = np.empty(sets, dtype=np.int64)
    few = 0
    for a in range(sets):
        if total[a] < r * largest[a]:
            lacking[few] = a
            few += 1
    if few * number > _WORTH * waiting:
        return
    missing = np.zeros(number, dtype=np.float32)
    for a in lacking[:few]:
        odds, highest, together = by_set[a], max(largest[a], np.float32(1e-30)), total[a]
        for c in range(number):
            missing[c] += max(r - (together + odds[c]) / max(highest, odds[c]), np.float32(0))
    for c in range(number):
        once[c] = max(once[c], NEARNESS * gaps[c] + missing[c] + fallen)


@inner(error_model="numpy")
def _join(largest: Points, total: Points, top: Points, odds: Points, r: float) -> float:
    """Somebody joins. By how much that can lower the score of anybody else, at most."""
    fallen = _ROUNDING * r * len(odds)
    for a in range(len(odds)):
        tiny = np.float32(1e-30)
        lacking = r - min(total[a] / max(largest[a], tiny), 1 + total[a] / max(top[a], tiny))
        largest[a] = max(largest[a], odds[a])
        total[a] += odds[a]
        fallen += max(min(odds[a] / max(largest[a], tiny), lacking), 0.0)
    return fallen


@inner
def _too_few(largest: Points, total: Points, by_set: Points, people: Candidates, r: float, more: int) -> bool:
    """Do so many of the candidates not bring enough to some attribute set? Then `lacking` tells to which."""
    for a in range(len(by_set)):
        if _too_few_in(largest[a], total[a], by_set[a], people.left, r, more):
            people.lacking[0] = a
            return True
    return False


@inner(error_model="numpy", fastmath={"reassoc", "nsz"})
def _too_few_in(largest: np.float32, total: np.float32, odds: Points, left: IntArray, r: float, more: int) -> bool:
    """Do those of the candidates who bring the most to one attribute set, so many of them, not bring enough?

    Whoever joins brings at most q = min(1, odds / largest). Whatever t is, the `more` largest of these together are at
    most ``more * t`` plus all that is above t; the bound is exact where t is the last of them. If that one is above
    needed / more, they are enough.
    """
    if largest <= 0:
        return False
    one, none, people = np.float32(1), np.float32(0), len(odds)
    margin, scale = _ROUNDING * (people + 16), one / largest
    needed = np.float32(r * (1 - _TIE) - total * scale)
    low, high = none, needed / np.float32(more)
    level = high
    for _ in range(_HALVINGS):
        above = number = none
        for c in range(people):
            over, supply = min(odds[c] * scale, one) - level, np.float32(min(left[c], more))
            above += supply * max(over, none)
            number += supply if over > none else none
        bound = more * level + above
        if needed > bound + margin * (bound + r):
            return True
        if number > more:
            low = level
        else:
            high = level
        if low >= high:
            break
        level = (low + high) / np.float32(2)
    return False


@inner
def _trim(
    own: Points, people: Candidates, odds: Points, r: float, least: int, number: int, picks: IntArray
) -> tuple[int, float]:
    """Who was taken early may not be needed any more: leave out whom the group can do without."""
    i = lacking = 0
    while i < number and number + 1 > least:
        a, needed = 0, _is_needed(own, people.at, odds, r, number, picks, i, lacking)
        while not needed and a < len(own):
            needed = _is_needed(own, people.at, odds, r, number, picks, i, a)
            lacking = a if needed else lacking
            a += 1
        if needed:
            i += 1
        else:
            number -= 1
            for j in range(i, number):
                picks[j] = picks[j + 1]
    distance = 0.0
    for j in range(number):
        distance += people.gaps[picks[j]]
    return number, distance


@inner
def _is_needed(own: Points, at: IntArray, odds: Points, r: float, number: int, picks: IntArray, i: int, a: int) -> bool:
    """Is somebody missing in one attribute set without the i-th who was picked?"""
    largest = total = own[a]
    for j in range(number):
        if j != i:
            joining = odds[at[picks[j]], a]
            largest = max(largest, joining)
            total += joining
    return bool(largest == 0 or total < r * largest * (1 - _TIE))


@inner(fastmath=True)
def missing_with(largest: Points, total: Points, odds: Points, r: np.float32) -> np.float32:
    """How many more people like the likeliest one it takes, over all attribute sets, if one of these odds joins."""
    missing = np.float32(0)
    for a in range(len(odds)):
        top = max(max(largest[a], odds[a]), np.float32(1e-30))
        missing += max(r - (total[a] + odds[a]) / top, np.float32(0))
    return missing


@inner
def is_missing(largest: Points, total: Points, r: float) -> bool:
    """Is anybody missing?"""
    missing = False
    for a in range(len(total)):
        missing |= largest[a] == 0 or total[a] < r * largest[a] * (1 - _TIE)
    return missing


@inner
def first_of_order(scores: FloatArray, number: int) -> IntArray:
    """The places of the smallest scores, ascending: a quicksort that leaves alone what comes behind.

    Equal ones come as numba's ``np.argsort`` would have them, so that releases stay what they were.
    """
    order = np.arange(len(scores))
    lows, highs = np.empty(64, dtype=np.int64), np.empty(64, dtype=np.int64)
    lows[0], highs[0] = 0, len(scores) - 1
    waiting = 1
    while waiting:
        waiting -= 1
        low, high = lows[waiting], highs[waiting]
        while high - low >= _SMALL:
            i = _part(scores, order, low, high)
            if high - i > i - low:  # the larger part waits, so that few do
                if i + 1 < number:
                    lows[waiting], highs[waiting] = i + 1, high
                    waiting += 1
                high = i - 1
            elif i + 1 < number:
                lows[waiting], highs[waiting] = low, i - 1
                waiting += 1
                low = i + 1
            else:
                high = i - 1
        for i in range(low + 1, high + 1):
            moved, j = order[i], i
            while j > low and scores[moved] < scores[order[j - 1]]:
                order[j] = order[j - 1]
                j -= 1
            order[j] = moved
    return order[:number]


@inner
def _part(scores: FloatArray, order: IntArray, low: int, high: int) -> int:
    """Parts ``order[low:high + 1]`` at the median of three, whose place is returned."""
    middle = (low + high) >> 1
    if scores[order[middle]] < scores[order[low]]:
        order[low], order[middle] = order[middle], order[low]
    if scores[order[high]] < scores[order[middle]]:
        order[high], order[middle] = order[middle], order[high]
    if scores[order[middle]] < scores[order[low]]:
        order[low], order[middle] = order[middle], order[low]
    pivot = scores[order[middle]]
    order[high], order[middle] = order[middle], order[high]
    i, j = low, high - 1
    while True:
        while i < high and scores[order[i]] < pivot:
            i += 1
        while j >= low and pivot < scores[order[j]]:
            j -= 1
        if i >= j:
            break
        order[i], order[j] = order[j], order[i]
        i += 1
        j -= 1
    order[i], order[high] = order[high], order[i]
    return i
