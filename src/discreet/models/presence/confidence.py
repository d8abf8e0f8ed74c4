"""How sure one can be that a group's people can't be told to be in the table, from marginals alone.

Nergiz & Clifton 2008, §4: of the U people outside of the table it is known how many have each value of each attribute,
not how these go together. A group's confidence is the probability that as many of them fall in it as δ-presence asks
for. Here it is exact: bounds that are certain, and verdicts that are right.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.models.presence.presence import UNLIMITED, times

Delta = tuple[Fraction, Fraction]

_EXACT = 4000  # people of the rarest value: a sum of so many large integers takes less than a second


def limits(rows: IntArray, delta: Delta) -> tuple[IntArray, IntArray]:
    """c_low = ⌈n/δmax − n⌉ and c_high = ⌊n/δmin − n⌋: how many people outside a group of n rows must and may have.

    Nergiz & Clifton 2008, equation 4; exact. Without a limit (δmin = 0), and where no number is enough (δmax = 0), it
    is UNLIMITED.

    >>> limits(np.array([1, 7]), (Fraction("0.33"), Fraction("0.7")))
    (array([1, 3]), array([ 2, 14]))
    """
    least, most = delta
    unlimited = np.full(rows.shape, UNLIMITED)
    low = -times(-rows, 1 / most - 1) if most else np.where(rows > 0, unlimited, 0)
    return low, times(rows, 1 / least - 1) if least else unlimited


def confidence(rows: IntArray, counts: IntArray, size: int, delta: Delta) -> tuple[FloatArray, FloatArray]:
    """Per group, bounds that its confidence lies between: about 1e-12 apart, farther only for millions of people.

    A group has `rows` rows in the table, and of the `size` people outside, `counts[g, d]` show its value of attribute
    d.

    >>> delta = Fraction("0.33"), Fraction(1)
    >>> lower, upper = confidence(np.array([1, 1]), np.array([[3, 3, 3], [1, 1, 1]]), 4, delta)
    >>> lower.round(9), bool((lower <= [15 / 16, 1]).all() and (upper >= [15 / 16, 1]).all())
    (array([0.9375, 1.    ]), True)
    """
    from discreet.models.presence.confidence_kernels import bounds  # late: reading a policy should not wait for numba

    low, high = limits(rows, delta)
    lower, upper = bounds(counts, size, low, high, 1.0, 0.0)
    return lower, upper


def sure_levels(rows: IntArray, counts: IntArray, size: int, delta: Delta, least: Fraction) -> FloatArray:
    """Per group a confidence that it certainly reaches: the closest such number for those that may be the least of all.

    The others, which are above that for sure, are bounded as roughly as tells it: a release with many groups has few
    that come near what is asked (`least`).

    >>> delta = Fraction("0.33"), Fraction(1)
    >>> sure_levels(np.array([1, 1]), np.array([[3, 3, 3], [1, 1, 1]]), 4, delta, Fraction(4, 5)).round(9).tolist()
    [0.9375, 1.0]
    """
    from discreet.models.presence.confidence_kernels import bounds

    low, high = limits(rows, delta)
    lower: FloatArray = bounds(counts, size, low, high, float(least), float(least))[0]
    order = np.argsort(lower, kind="stable")
    at, step, worst = 0, 16, np.inf
    while at < len(order) and lower[order[at]] < worst:
        some = order[at : at + step]
        lower[some], upper = bounds(counts[some], size, low[some], high[some], 1.0, 0.0)
        worst = min(worst, float(upper.min()))
        at, step = at + step, 2 * step
    return lower


def confident(rows: IntArray, counts: IntArray, size: int, delta: Delta, least: Fraction) -> BoolArray:
    """Which groups have a confidence of at least `least`.

    Decided by bounds that are certain, as rough as will do. Where even the closest don't tell, as at a tie, in whole
    numbers. (With more than some thousand people of the rarest value that would take long, and the answer is no.)

    >>> delta = Fraction("0.33"), Fraction(1)
    >>> counts = np.array([[3, 3, 3], [3, 3, 3]])
    >>> confident(np.array([1, 2]), counts, 4, delta, Fraction(15, 16)).tolist()
    [True, True]
    >>> confident(np.array([1, 2]), counts, 4, delta, Fraction(15, 16) + Fraction(1, 10**30)).tolist()
    [False, True]
    """
    from discreet.models.presence.confidence_kernels import bounds

    low, high = limits(rows, delta)
    rounded = float(least)
    below, above = (float(np.nextafter(rounded, to)) for to in (0.0, 2.0))
    lower, upper = bounds(counts, size, low, high, below, above)
    verdict: BoolArray = lower >= above
    verdict |= lower == 1.0  # from what is possible at all; nothing else makes it 1
    if least < 1:
        for g in np.flatnonzero(~verdict & (upper >= below)).tolist():
            verdict[g] = _reaches(counts[g].tolist(), size, int(low[g]), int(high[g]), least)
    return verdict


def _reaches(factors: list[int], size: int, low: int, high: int, least: Fraction) -> bool:
    """Is P(low ≤ X ≤ high) ≥ least, in whole numbers? No, where that would take too long."""
    if min(factors) > _EXACT:
        return False
    above, of_above = at_least(low, factors, size)
    beyond, of_beyond = at_least(high + 1, factors, size)
    inside = above * of_beyond - beyond * of_above
    return inside * least.denominator >= least.numerator * of_above * of_beyond


def at_least(t: int, factors: list[int], size: int) -> tuple[int, int]:
    """P(X ≥ t) as a numerator and a denominator, X = |A_1 ∩ … ∩ A_d| for subsets of these sizes.

    Inclusion and exclusion: P(X ≥ t) = Σ_k (−1)^(k − t) C(k − 1, t − 1) E[C(X, k)] over k = t … min f, and
    E[C(X, k)] = Π (f_i)_k / ((U)_k^(d − 1) k!). Neighbouring terms have a simple ratio, so the sum is taken from its
    end.

    >>> at_least(3, [3, 3, 3], 4)
    (216, 3456)
    """
    fewest, others = min(factors), len(factors) - 1
    if t <= 0:
        return 1, 1
    if t > fewest:
        return 0, 1
    total, of_total = 1, 1
    for k in range(fewest - 1, t - 1, -1):
        ratio = k * math.prod(f - k for f in factors)
        of_ratio = (k - t + 1) * (k + 1) * (size - k) ** others
        of_total *= of_ratio
        total = of_total - ratio * total
    first = math.prod(math.perm(f, t) for f in factors)
    return first * total, math.perm(size, t) ** others * math.factorial(t) * of_total
