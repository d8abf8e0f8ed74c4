"""Compiled: bets on which row of a file comes next, by where the rows before it stand in the source."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import FloatArray, IntArray
from discreet.compiled import inner, kernel

_SHARE = 0.5  # of the stake is bet; the rest is kept
_CHANGE = 0.01  # how likely she begins or ceases to bet, row by row
_DECAY = 0.5  # how much less likely each further row of the source is to be the next
_JUMP = 0.02  # how likely the next row is anywhere else
_FAR = 60  # rows of the source, from which on nothing is expected


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
            _add(places[low:high], here[:known], belief[:known], chance, 1)
            _add(places[low:high], here[:known], belief[:known], chance, -1)
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
def _add(places: IntArray, here: IntArray, belief: FloatArray, chance: FloatArray, step: int) -> None:
    """Add to the chance of every place what is expected from believed ones before it (`step` 1) or after it (−1)."""
    many, known = len(places), len(here)
    near, at, j = 0.0, 0, 0
    for n in range(many):
        k = n if step == 1 else many - 1 - n
        while j < known:
            b = j if step == 1 else known - 1 - j
            if (places[k] - here[b]) * step <= 0:
                break
            gap = (here[b] - at) * step
            near = (near * _DECAY**gap if j and gap < _FAR else 0.0) + belief[b]
            at = here[b]
            j += 1
        if near > 0.0:
            gap = (places[k] - at) * step
            if gap < _FAR:
                chance[k] += (1.0 - _JUMP) * 0.5 * (1.0 - _DECAY) * near * _DECAY ** (gap - 1)
