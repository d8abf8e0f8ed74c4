"""What one table of a group tells by itself: each of its values is somebody's. Compiled; see `possible` for the words.

The worlds are the coefficient of x^left in (1 + x)^rest · Π over values ((1 + x)^people − 1): of the people who have a
value at least one is taken, of the rest any. All terms are positive, so that no digits are lost.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.compiled import inner

_UP = 1.0 + 1e-12  # more than the arithmetic can have lost: a chance is never told smaller than it is
_MOST_WORK = 1e7  # multiplications for one table of one group


@inner
def value_chances(having: IntArray, rest: int, left: int, chance: FloatArray) -> bool:
    """The chance of a person with each value, and last that of one of the rest; False if there are too many values.

    `having` people have each value, `left` of them and the `rest` are to be found. Two have the first value, three the
    second, and one of each is in:

    >>> found = np.empty(3)
    >>> value_chances.plainly(np.array([2, 3]), 0, 2, found), found.round(4)
    (True, array([0.5   , 0.3333, 0.    ]))
    """
    values, total, alike = len(having), rest, rest == 0
    for v in range(values):
        total += having[v]
        alike &= having[v] == having[0]
    chance[:] = left / total
    if alike:
        return True  # nothing tells one value from another
    degree = left + 1
    if 2.0 * values * degree * degree > _MOST_WORK:
        return False
    scale = left / total  # keeps all coefficients near 1
    before, after = np.empty((values + 1, degree)), np.empty((values + 1, degree))
    log_before, log_after = np.zeros(values + 1), np.zeros(values + 1)
    factor, others = np.empty(degree), np.empty(degree)
    _powers(rest, scale, before[0])
    log_before[0] = _normalized(before[0])
    after[values] = 0.0
    after[values, 0] = 1.0
    for v in range(values):
        _powers(having[v], scale, factor)
        factor[0] = 0.0
        _multiply(before[v], factor, before[v + 1])
        log_before[v + 1] = log_before[v] + _normalized(before[v + 1])
    for v in range(values - 1, -1, -1):
        _powers(having[v], scale, factor)
        factor[0] = 0.0
        _multiply(after[v + 1], factor, after[v])
        log_after[v] = log_after[v + 1] + _normalized(after[v])
    worlds = before[values, left]
    if worlds < 1e-290:
        return False
    for v in range(values):
        _multiply(before[v], after[v + 1], others)
        share = _with_one(others, having[v], scale, factor) / worlds
        chance[v] = min(share * np.exp(log_before[v] + log_after[v + 1] - log_before[values]) * _UP, 1.0)
    chance[values] = 0.0
    if rest > 0:
        share = _with_one(after[0], rest, scale, factor) / worlds
        chance[values] = min(share * np.exp(log_after[0] - log_before[values]) * _UP, 1.0)
    return True


@inner
def _powers(people: int, scale: float, out: FloatArray) -> None:
    """The coefficients of (1 + scale · x)^people."""
    out[0] = 1.0
    for k in range(1, len(out)):
        out[k] = out[k - 1] * max(people - k + 1, 0) / k * scale


@inner
def _normalized(of: FloatArray) -> float:
    """Divide by the largest; returns its logarithm."""
    largest = 0.0
    for k in range(len(of)):
        largest = max(largest, of[k])
    for k in range(len(of)):
        of[k] /= largest
    return float(np.log(largest))


@inner
def _multiply(a: FloatArray, b: FloatArray, out: FloatArray) -> None:
    for k in range(len(out)):
        total = 0.0
        for j in range(k + 1):
            total += a[j] * b[k - j]
        out[k] = total


@inner
def _with_one(others: FloatArray, people: int, scale: float, scratch: FloatArray) -> float:
    """The worlds with a given one of `people` equal ones: the others' factor times x · (1 + x)^(people − 1)."""
    _powers(people - 1, scale, scratch)
    total = 0.0
    for k in range(len(others) - 1):
        total += others[len(others) - 2 - k] * scratch[k]
    return total * scale
