"""How likely it is that all groups have an allowed size: k-anonymity, and presence in a known population."""

from __future__ import annotations

import math

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.cells import Cells
from discreet.models.likelihood.options import Likely, Options


def sizes_allowed(
    cells: Cells,
    rows: int,
    least: IntArray,
    most: IntArray,
    empty: bool,
    options: Options,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Likely:
    """Every group of `least` to `most` rows (one entry for all, or one each), or of none at all if it may be `empty`.

    Nergiz, Tamersoy & Saygin 2011, sections 4.1 and 4.2; the numerator is the sum of the *truncated* counts. E counts
    the rows in groups of other sizes, exactly.
    """
    from discreet.models.likelihood import size_kernels as kernels

    if rows == 0:
        return Likely(1.0 if empty else 0.0, 0.0, "bounds")
    likelihood = np.require(cells.likelihood, np.float64, ["C", "W"])  # kernels are compiled for such
    binomial = options.counts == "binomial"
    floor = 0.0 if at_least is None else at_least
    sizes = kernels.Sizes(least, most, empty)
    goal = kernels.Goal(floor, math.inf if at_most is None else at_most)
    ended, breaking, logarithm, union, largest, expectation = kernels.size_masses(
        likelihood, rows, sizes, binomial, goal
    )
    upper = min(max(1.0 - largest, 0.0), math.exp(min(logarithm - kernels.log_poisson(rows, float(rows)), 0.0)))
    if ended != kernels.FINISHED:
        return Likely(upper, expectation, "stopped early")
    if decided_by_bounds(1.0 - union, upper, at_least, at_most, options):
        return Likely(max(1.0 - union, 0.0) if upper >= floor else upper, expectation, "bounds")
    if options.sums == "normal":
        fine, whole = normal_sums(rows, *kernels.size_moments(likelihood, rows, sizes, binomial))
    else:
        fine, whole = kernels.size_sums(likelihood, rows, sizes, binomial, breaking)
    return Likely(together(logarithm, fine, whole), expectation, "approximation")


def decided_by_bounds(
    lower: float, upper: float, at_least: float | None, at_most: float | None, options: Options
) -> bool:
    """Is it clear without the sums? Below 1e-12 and above 1 − 1e-12 always; also if only rows are asked for."""
    if not options.bounds:
        return False
    if upper < 1e-12 or lower > 1 - 1e-12:
        return True
    return at_most is not None if at_least is None else lower >= at_least or upper < at_least


def normal_sums(
    rows: int, mean: float, variance: float, whole_mean: float, whole_variance: float
) -> tuple[float, float]:
    """P(abs(ΣY − N) ≤ ½) and P(abs(ΣX − N) ≤ ½) if both sums were normal."""
    return _near(rows, mean, variance), _near(rows, whole_mean, whole_variance)


def together(logarithm: float, fine: float, whole: float) -> float:
    """P(ΣY = N) / P(ΣX = N) · Π P(X_i fine)."""
    if fine <= 0.0 or whole <= 0.0:
        return 0.0
    return math.exp(min(math.log(fine) - math.log(whole) + logarithm, 0.0))


def _near(rows: int, mean: float, variance: float) -> float:
    if variance <= 0.0:
        return 1.0 if abs(mean - rows) <= 0.5 else 0.0
    scale = math.sqrt(2.0 * variance)
    low, high = (rows - 0.5 - mean) / scale, (rows + 0.5 - mean) / scale
    if low > 0.0:  # the difference of the smaller tails keeps its digits
        low, high = -high, -low
    return 0.5 * (math.erfc(-high) - math.erfc(-low))
