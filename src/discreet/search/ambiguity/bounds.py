"""What (α, β)-privacy a table can give: proven limits, and the size of groups that will do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np

from discreet.arrays import IntArray


def smallest_beta(totals: IntArray, suppressed: int = 0) -> Fraction:
    """The smallest β that any grouping can keep when so many rows may be suppressed: an exact limit.

    In all published rows together, no value may have a larger share than β, as in every group. If no value keeps more
    than t rows, Y(t) = Σ min(rows of the value, t) remain, and the largest share is t / Y(t) or less, which grows with
    t: so it is that of the smallest t for which enough rows remain. Then one group of them all keeps it.

    >>> smallest_beta(np.array([3, 2, 1])), smallest_beta(np.array([3, 2, 1]), suppressed=1)
    (Fraction(1, 2), Fraction(2, 5))
    """
    enough = int(totals.sum()) - suppressed
    if enough <= 0:
        return Fraction(0)
    low, high = 1, int(totals.max())
    while low < high:
        t = (low + high) // 2
        low, high = (low, t) if np.minimum(totals, t).sum() >= enough else (t + 1, high)
    return Fraction(low, int(np.minimum(totals, low).sum()))


def smallest_alpha(different: Sequence[int], least: int, rows: int) -> Fraction:
    """No grouping has a smaller presence than this, if groups have at least `least` rows: a lower bound.

    `different` are the numbers of different combinations in each table. A group of n rows has at most min(n, V) of
    them, so its presence is at least g(n) = n / Π min(n, V). From n to n + 1 that changes by the factor
    ((n + 1) / n)^(1 − tables with V > n): it is monotone between the V's, and smallest at one of them or at an end.

    >>> smallest_alpha([4, 2, 5], 2, 8), smallest_alpha([7], 2, 8)
    (Fraction(1, 8), Fraction(1, 1))
    """
    least = min(least, rows)
    sizes = {least, rows, *(v for v in different if least <= v <= rows)}
    return min(min(Fraction(n, math.prod(min(n, v) for v in different)) for n in sizes), Fraction(1))


def smallest_total(different: Sequence[int], rows: int) -> Fraction:
    """Over all groups together, some combination has at least this presence, however so many rows are grouped.

    A group of n rows with n / Π m ≤ 1 adds n / Π m to each of Π m combinations, all groups as much as there are rows;
    and there are Π V combinations. One group of all rows comes to it. If a group has n / Π m > 1, the largest is 1.

    >>> smallest_total([4, 2, 5], 8)
    Fraction(1, 5)
    """
    return min(Fraction(rows, math.prod(different)), Fraction(1))


def round_up(number: Fraction, digits: int = 4) -> str:
    """A limit as a decimal that keeps it: never told smaller than it is.

    >>> round_up(Fraction(1, 3)), round_up(Fraction(1, 5)), round_up(Fraction(2, 100001))
    ('0.3334', '0.2', '0.00002')
    """
    exponent = 0 if number == 0 else Decimal(number.numerator).adjusted() - Decimal(number.denominator).adjusted()
    exponent -= digits
    while (whole := math.ceil(number / Fraction(10) ** exponent)) >= 10**digits:
        exponent += 1
    return format(Decimal(whole).scaleb(exponent).normalize(), "f")


def usual_size(
    counts: Sequence[IntArray], least: int, alpha: float, slack: float, beside: float = 0.0
) -> tuple[int, float]:
    """The size at which groups of a table reach α on average, with some slack, and the α that they reach.

    `counts` are the rows of each combination, per table. In groups of n rows each, a table has on average at most
    Σ min(1, c · n / rows) different combinations (see `neighbourhood_kernels`). If no size will do, the one that comes
    closest. With `beside`, each must hide so many rows, if it has fewer.
    """
    rows = int(counts[0].sum())
    n, closest, reached = least, least, np.inf
    while True:
        expected = np.log(max(n, beside)) - sum(np.log(np.minimum(1.0, c * (n / rows)).sum()) for c in counts)
        if expected < reached - 1e-12:
            closest, reached = n, float(expected)
        if (alpha > 0 and reached <= np.log(alpha) - slack) or n >= rows or n > 4 * closest + 64:
            return closest, float(np.exp(reached))
        n = min(rows, max(n + 1, n * 21 // 20))
