"""What one table of a group tells by itself: each of its values is somebody's. Compiled; see `possible` for the words.

The worlds are the coefficient of x^left in (1 + x)^rest · Π over values ((1 + x)^people − 1): of the people who have a
value at least one is taken, of the rest any. All terms are positive, so that no digits are lost.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Flags = NDArray[np.uint8]

_UP = 1.0 + 1e-12  # more than the arithmetic can have lost: a chance is never told smaller than it is
_MOST_WORK = 1e7  # multiplications for one table of one group


@njit(cache=True)
def table_chances(
    left: int,
    total: int,
    t: int,
    alone: bool,
    entry: IntArray,
    people: IntArray,
    table: IntArray,
    state: Flags,
    having: IntArray,
    heeded: Flags,
    chance: FloatArray,
) -> bool:
    """Raise the chances of open people to what table t tells; if it is `alone`, they become that.

    False if it has too many values, and nothing was done.
    """
    values = 0
    rest = total
    least, most = total, 0
    for e in range(len(table)):
        if table[e] == t and heeded[e] == 1:
            values += 1
            rest -= having[e]
            least, most = min(least, having[e]), max(most, having[e])
    if rest == 0 and least == most:
        return True  # nothing tells one value from another
    degree = left + 1
    if 2.0 * values * degree * degree > _MOST_WORK:
        return False
    which = np.empty(values, dtype=np.int64)
    v = 0
    for e in range(len(table)):
        if table[e] == t and heeded[e] == 1:
            which[v] = e
            v += 1
    scale = left / total  # keeps all coefficients near 1
    before = np.empty((values + 1, degree))
    after = np.empty((values + 1, degree))
    log_before, log_after = np.zeros(values + 1), np.zeros(values + 1)
    _powers(rest, scale, before[0])
    log_before[0] = _normalized(before[0])
    after[values, :] = 0.0
    after[values, 0] = 1.0
    factor = np.empty(degree)
    for v in range(values):
        _powers(having[which[v]], scale, factor)
        factor[0] = 0.0
        _multiply(before[v], factor, before[v + 1])
        log_before[v + 1] = log_before[v] + _normalized(before[v + 1])
    for v in range(values - 1, -1, -1):
        _powers(having[which[v]], scale, factor)
        factor[0] = 0.0
        _multiply(after[v + 1], factor, after[v])
        log_after[v] = log_after[v + 1] + _normalized(after[v])
    worlds = before[values, left]
    if worlds < 1e-290:
        return False
    of_entry = np.zeros(len(table))
    others = np.empty(degree)
    for v in range(values):
        _multiply(before[v], after[v + 1], others)
        found = _with_one(others, having[which[v]], scale, factor)
        of_entry[which[v]] = found / worlds * np.exp(log_before[v] + log_after[v + 1] - log_before[values])
    of_rest = 0.0
    if rest > 0:
        found = _with_one(after[0], rest, scale, factor)
        of_rest = found / worlds * np.exp(log_after[0] - log_before[values])
    for i in range(len(people)):
        if state[i] == 0:
            e = entry[i, t]
            told = of_entry[e] if heeded[e] == 1 else of_rest
            told = min(told * _UP, 1.0)
            chance[i] = told if alone else max(chance[i], told)
    return True


@njit(cache=True)
def _powers(people: int, scale: float, out: FloatArray) -> None:
    """The coefficients of (1 + scale · x)^people."""
    out[0] = 1.0
    for k in range(1, len(out)):
        out[k] = out[k - 1] * max(people - k + 1, 0) / k * scale


@njit(cache=True)
def _normalized(of: FloatArray) -> float:
    """Divide by the largest; returns its logarithm."""
    largest = of.max()
    of /= largest
    return float(np.log(largest))


@njit(cache=True)
def _multiply(a: FloatArray, b: FloatArray, out: FloatArray) -> None:
    for k in range(len(out)):
        total = 0.0
        for j in range(k + 1):
            total += a[j] * b[k - j]
        out[k] = total


@njit(cache=True)
def _with_one(others: FloatArray, people: int, scale: float, scratch: FloatArray) -> float:
    """The worlds with a given one of `people` equal ones: the others' factor times x · (1 + x)^(people − 1)."""
    _powers(people - 1, scale, scratch)
    total = 0.0
    for k in range(len(others) - 1):
        total += others[len(others) - 2 - k] * scratch[k]
    return total * scale
