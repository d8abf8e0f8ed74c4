"""How likely somebody with several rows of a group has a value at least once.

The values of a group are dealt to its rows at random, and nothing says which rows are whose. Whoever knows that j of
the N rows are somebody's, and that n of the N have a value, believes that this person has it with the chance
1 − C(N − n, j) / C(N, j): that not all n are among the others' rows. It grows with j and with n; for j = 1 it is n / N.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np

from discreet.arrays import FloatArray, IntArray


def chances(rows: IntArray, having: IntArray, own: IntArray) -> FloatArray:
    """The chance for groups of so many `rows`, `having` of them with the value, of which somebody has `own`.

    Up to rounding (some 10 digits). 1 is certainty and nothing else.

    >>> np.round(chances(np.array([10, 10, 10]), np.array([3, 3, 3]), np.array([1, 2, 5])), 4)
    array([0.3   , 0.5333, 0.9167])
    >>> chances(np.array([10, 10**7]), np.array([6, 10**6]), np.array([5, 10**6])).tolist()[0]
    1.0
    """
    from discreet.audit.people.chance_kernels import each_chance  # late: loads numba

    result: FloatArray = each_chance(*(np.ascontiguousarray(a, dtype=np.int64) for a in (rows, having, own)))
    return result


def is_at_most(limit: Fraction, rows: int, having: int, own: int) -> bool:
    """Is the chance within a limit? In whole numbers.

    >>> is_at_most(Fraction(8, 15), 10, 3, 2), is_at_most(Fraction(8, 15) - Fraction(1, 10**30), 10, 3, 2)
    (True, False)
    """
    few, many = sorted((having, own))  # C(N − n, j) / C(N, j) is the same with n and j exchanged
    return comb(rows - many, few) * limit.denominator >= (limit.denominator - limit.numerator) * comb(rows, few)
