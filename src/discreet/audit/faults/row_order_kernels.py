"""Compiled: bets on which row of a file comes next, by where the rows before it stand in the source."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import FloatArray, IntArray
from discreet.compiled import inner, kernel

_SHARE = 0.5  # of the stake is bet; the rest is kept
_CHANGE = 0.01  # how likely she begins or ceases to bet, row by row
_DECAY = 0.5  # how much less likely each further row of the source is to be the next
_JUMP = 0.02  # how likely the next row is anywhere else
_FAR = 60  # rows of the source, from which on nothing is expected
_STRETCH = 6  # of 2 to the power of that many rows, no fewer than these


@kernel
def largest_stake(ratio: FloatArray) -> float:
    """The logarithm of the largest stake that she ever has who begins with 1; `ratio` is what each bet multiplies.

    Half of the stake is never risked at once, and she may begin and cease to bet: some rows in order are enough.
    """
    asleep, betting, logarithm, largest = 0.5, 0.5, 0.0, 0.0
    for i in range(len(ratio)):
        betting *= 1.0 - _SHARE + _SHARE * ratio[i]
        total = asleep + betting
        logarithm += math.log(total)
        largest = max(largest, logarithm)
        asleep, betting = asleep / total, betting / total
        asleep, betting = asleep + _CHANGE * (betting - asleep), betting + _CHANGE * (asleep - betting)
    return largest


@kernel
def earlier(codes: IntArray, many: int) -> NDArray[np.int64]:
    """How many equal ones stand before each; codes are below `many`."""
    counted, before = np.zeros(many, dtype=np.int64), np.empty(len(codes), dtype=np.int64)
    for i in range(len(codes)):
        before[i] = counted[codes[i]]
        counted[codes[i]] += 1
    return before


@kernel
def nearby(
    unit: IntArray,
    centre: IntArray,
    width: int,
    first: IntArray,
    size: IntArray,
    expected: FloatArray,
    starts: IntArray,
    places: IntArray,
    before: FloatArray,
    within: FloatArray,
    nothing: float,
) -> NDArray[np.float64]:
    """What betting on what the source has around a place (`centre`) multiplies, row by row.

    The places of unit u are ``places[starts[u]:starts[u + 1]]``. ``before`` and ``within`` are sums of the weights
    before each place, and before each of ``places``; a weight is none if it is not above `nothing`.
    """
    ratio = np.ones(len(unit))
    for i in range(len(unit)):
        high = min(centre[i] + width + 1, first[i] + size[i])
        low = min(max(centre[i] - width, first[i]), high)
        there = before[high] - before[low]
        if there > nothing:
            begin = _place_of(places, starts[unit[i]], starts[unit[i] + 1], low)
            end = _place_of(places, begin, starts[unit[i] + 1], high)
            ratio[i] = (within[end] - within[begin]) / there / expected[i]
    return ratio


@inner
def _place_of(places: IntArray, low: int, high: int, wanted: int) -> int:
    """Where the first of some places (rising, from `low` up to `high`) stands that is not before this one."""
    while low < high:
        middle = (low + high) // 2
        if places[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


class _Beside(NamedTuple):
    """What is expected `after` and `before` each place that the last row may have had, with what the places before and
    after that one add; by what it `decay`s, row by row; and which stretches of the source have such a place (`marked`
    with a number of the row's own, one further on): most have none, and are passed over.
    """

    after: FloatArray
    before: FloatArray
    decay: FloatArray
    marked: IntArray


@kernel
def following(
    unit: IntArray,
    stratum: IntArray,
    expected: FloatArray,
    size: IntArray,
    starts: IntArray,
    places: IntArray,
    weights: FloatArray,
    most: int,
) -> NDArray[np.float64]:
    """What betting on neighbours multiplies, row by row: she keeps account of where in the source the last row may be.

    The places of unit u are ``places[starts[u]:starts[u + 1]]``, with the chance of each to be published as u. After so
    many (`most`) steps she stops.
    """
    ratio = np.ones(len(unit))
    longest = 0
    for u in range(len(starts) - 1):
        longest = max(longest, starts[u + 1] - starts[u])
    here, belief = np.zeros(longest, dtype=np.int64), np.zeros(longest)
    known, steps = 0, 0
    chance = np.zeros(longest)
    beside = _Beside(
        np.empty(longest),
        np.empty(longest),
        np.empty(_FAR),
        np.zeros(((places.max() if len(places) else 0) >> _STRETCH) + 3, dtype=np.int64),
    )
    for gap in range(_FAR):
        beside.decay[gap] = _DECAY**gap
    for i in range(len(unit)):
        low, high = starts[unit[i]], starts[unit[i] + 1]
        many = high - low
        steps += many + known
        if steps > most:
            break
        if size[i] == 0:  # nobody of the source fits anything that may come: she does not bet
            known = 0
            continue
        if many == 0:  # she expected somebody else, whoever it was
            ratio[i], known = 0.0, 0
            continue
        if i == 0 or stratum[i] != stratum[i - 1]:
            known = 0
        uniform = (1.0 if known == 0 else _JUMP) / size[i]
        for k in range(many):
            chance[k] = uniform
        if known:
            _add(places[low:high], here[:known], belief[:known], chance, beside, i + 1)
        total = 0.0
        for k in range(many):
            chance[k] *= weights[low + k]
            total += chance[k]
        ratio[i] = total / expected[i]
        for k in range(many):
            here[k] = places[low + k]
            belief[k] = chance[k] / total if total > 0 else 1.0 / many
        known = many
    return ratio


@inner
def _add(places: IntArray, here: IntArray, belief: FloatArray, chance: FloatArray, beside: _Beside, stamp: int) -> None:
    """Add to the chance of every place what is expected from believed ones before and after it."""
    known, decay, marked = len(here), beside.decay, beside.marked
    for b in range(known):
        marked[(here[b] >> _STRETCH) + 1] = stamp
        near = belief[b]
        if b > 0 and here[b] - here[b - 1] < _FAR:
            near = beside.after[b - 1] * decay[here[b] - here[b - 1]] + belief[b]
        beside.after[b] = near
    for b in range(known - 1, -1, -1):
        near = belief[b]
        if b < known - 1 and here[b + 1] - here[b] < _FAR:
            near = beside.before[b + 1] * decay[here[b + 1] - here[b]] + belief[b]
        beside.before[b] = near
    j = 0
    for k in range(len(places)):
        place = places[k]
        at = (place >> _STRETCH) + 1
        if marked[at - 1] != stamp and marked[at] != stamp and marked[at + 1] != stamp:
            continue
        while j < known and here[j] < place:
            j += 1
        if j > 0 and place - here[j - 1] < _FAR:
            expected = (1.0 - _JUMP) * 0.5 * (1.0 - _DECAY) * beside.after[j - 1]
            chance[k] += expected * decay[place - here[j - 1] - 1]
        b = j + 1 if j < known and here[j] == place else j
        if b < known and here[b] - place < _FAR:
            expected = (1.0 - _JUMP) * 0.5 * (1.0 - _DECAY) * beside.before[b]
            chance[k] += expected * decay[here[b] - place - 1]
