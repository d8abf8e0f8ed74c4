"""Bounds of the posteriors of `worst_case_kernels`, compiled: where worlds are too many, or need not be counted out."""

from __future__ import annotations

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.compiled import inner

_UP = 1 + 1e-12  # bounds are rounded up
_CLEARLY = 1 + 1e-13  # by so much a bound is below what is known, if no more is asked: more than sums are rounded by
_CLEARLY_LESS = 1 - 1e-9  # of a chance that need not be counted out


@inner
def is_known(f: FloatArray, many: IntArray, having: int, known: FloatArray) -> bool:
    """Is it plain that `one_value` tells nobody's chance to be more than is known?

    With the odds q of a person, and e_h the sum over all sets of h others of the products of theirs, she has the value
    with chance q e_{h−1} / (q e_{h−1} + e_h). Adding one more to each set of h − 1 gives each of h so many times: h e_h
    is at least e_{h−1} times the odds of all others but h − 1, who are at worst the likeliest.
    """
    people, largest, total = 0, 0.0, 0.0
    for i in range(len(f)):
        if f[i] >= 1.0:
            return False
        people += many[i] if f[i] > 0.0 else 0
        odds = f[i] / (1.0 - f[i])
        largest, total = max(largest, odds), total + many[i] * odds
    if having >= people:
        return False
    for i in range(len(f)):
        odds = f[i] / (1.0 - f[i])
        others = total - odds - (having - 1) * largest
        if odds * having > known[i] * (odds * having + others) * _CLEARLY_LESS:
            return False
    return True


@inner
def tilted(f: FloatArray, many: IntArray, wanted: int) -> FloatArray:
    """The same odds times a number, by which just about (and no fewer than) as many as are wanted are expected."""
    odds = np.empty(len(f))
    for i in range(len(f)):
        odds[i] = np.inf if f[i] >= 1.0 else -np.inf if f[i] <= 0.0 else np.log(f[i]) - np.log1p(-f[i])
    chances = np.empty(len(f))
    low, high, shift = -1400.0, 1400.0, 0.0
    for _ in range(200):
        expected, slope = _expected(odds, many, shift, chances)
        if expected < wanted:
            low = shift
        else:
            high = shift
        if high - low <= 1e-12 * max(1.0, abs(high)):
            break
        step = (wanted - expected) / slope if slope > 0.0 else np.inf
        # Newton's steps stay on one side in the end: a little further, and the other side is reached, too.
        shift += step + np.copysign(1e-13 * max(1.0, abs(shift)), step)
        if not low < shift < high:
            shift = (low + high) / 2
    _expected(odds, many, high, chances)
    return chances


@inner
def _expected(odds: FloatArray, many: IntArray, shift: float, tilted: FloatArray) -> tuple[float, float]:
    """The chances whose log-odds are these plus `shift`; how many people are expected by them, and its slope."""
    expected, slope = 0.0, 0.0
    for i in range(len(odds)):
        at = odds[i] + shift
        small = np.exp(-abs(at))
        tilted[i] = (1.0 if at > 0 else small) / (1.0 + small)
        expected += many[i] * tilted[i]
        slope += many[i] * small / (1.0 + small) ** 2
    return expected, slope


@inner
def at_most(p: FloatArray, many: IntArray, counts: IntArray, enough: FloatArray, out: FloatArray) -> None:
    """Upper bounds of what `all_values` tells, for groups with too many worlds; 0 where one is not above ``enough[i]``.

    Take a world in which t has x, and somebody else u who has y; let t and u change places. Counting the pairs of such
    worlds gives W(t = y) / W(t = x) ≥ n_y / n_x · p_t(y) / p_t(x) · min over u of p_u(x) / p_u(y), over others who can
    have y; and t's chance of x is 1 / (1 + Σ_y W(t = y) / W(t = x)). Each further y lowers it, so that not all are
    asked where some do.
    """
    kinds, values = p.shape
    open_to, others, needed = np.empty(kinds, dtype=np.int64), np.empty(kinds), np.empty(kinds)
    for i in range(kinds):
        needed[i] = _CLEARLY * _UP / enough[i] - 1.0 if enough[i] > 0.0 else np.inf
    for x in range(values):
        number = 0
        for i in range(kinds):
            out[i, x] = 0.0
            if p[i, x] > 0.0 and enough[i] < 1.0:
                open_to[number], others[i] = i, 0.0
                number += 1
        for y in range(values):
            if number == 0:
                break
            if y == x:
                continue
            least, second, at = np.inf, np.inf, -1
            for i in range(kinds):
                if p[i, y] > 0:
                    ratio = p[i, x] / p[i, y]
                    if ratio < least:
                        second = least
                        least, at = ratio, i
                    elif ratio < second:
                        second = ratio
                    if second == 0.0:  # none is smaller; where many people can't have x, this comes soon
                        break
            if second == 0.0:
                continue
            still = 0
            for turn in range(number):
                i = open_to[turn]
                if p[i, y] > 0:
                    smallest = second if at == i and many[i] == 1 else least
                    others[i] += counts[y] / counts[x] * p[i, y] / p[i, x] * smallest
                if others[i] < needed[i]:
                    open_to[still] = i
                    still += 1
            number = still
        for turn in range(number):
            i = open_to[turn]
            out[i, x] = min(_UP / (1.0 + others[i]), 1.0)


@inner
def one_at_most(f: FloatArray, many: IntArray, having: int, out: FloatArray) -> None:
    """Upper bounds of what `one_value` tells, for groups with too many people.

    Somebody's odds are f / (1 − f) · P(Y = having − 1) / P(Y = having), Y being how many of the others have the value.
    Multiply all odds by a number, so that at least `having` of the others are expected to have it: then `having` is no
    more than the most likely number (Darroch 1964), and the last quotient is at most 1. Expecting one more of all
    people will do.
    """
    people, never = 0, 0
    for i in range(len(f)):
        people += many[i]
        never += many[i] if f[i] <= 0.0 else 0
    if having + 1 > people - never:
        for i in range(len(f)):
            out[i] = 1.0 if f[i] > 0.0 else 0.0
        return
    chances = tilted(f, many, having + 1)
    for i in range(len(f)):
        out[i] = min(chances[i] * _UP, 1.0)
