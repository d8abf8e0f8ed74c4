"""How likely it is that no sensitive value is too frequent in any group, or that every group has enough of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import FloatArray
from discreet.counts.cells import Cells
from discreet.models.likelihood.options import Likely, Options
from discreet.models.likelihood.sizes import decided_by_bounds, normal_sums, sizes_allowed, together

if TYPE_CHECKING:
    from discreet.models.likelihood.value_kernels import Kinds

# Sums of so many counts, and of so many rows, are normal enough.
_MANY_GROUPS, _MANY_ROWS = 20, 5000


@dataclass(frozen=True, eq=False)
class Limits:
    """How often each value may occur in a group of x rows; a value that does not occur is always fine.

    With m = x − known, value j may occur at most min(m a / (1 − r m), m (1 − b / (c + r m))) times (the second for
    b > 0 only), `strictly` fewer than m times if so asked, and any number of times if a is infinite. Groups of fewer
    than `least` rows break the promise. For "at most 1/ℓ" only a = 1/ℓ is needed; the rest is for adversaries.
    """

    a: FloatArray
    b: FloatArray
    known: float = 0.0
    least: int = 1
    c: float = 1.0
    r: float = 0.0
    strictly: bool = False

    @property
    def share(self) -> float:
        """The share that no value may pass, if that is all that is asked; else 1."""
        alike = len(self.a) > 0 and (self.a == self.a[0]).all() and not self.b.any()
        return float(self.a[0]) if alike and not (self.known or self.r or self.strictly) else 1.0

    @property
    def shape(self) -> FloatArray:
        """The numbers that all values share, as the kernels want them."""
        return np.array([self.known, self.least, self.c, self.r, float(self.strictly)])


def share_limits(share: float, values: int, least: int = 1) -> Limits:
    """No value is that of more than this share of a group."""
    return Limits(np.full(values, share), np.zeros(values), least=least)


def values_limited(
    cells: Cells,
    rows: int,
    limits: Limits,
    options: Options,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Likely:
    """Every value of every group within its limits.

    Nergiz, Tamersoy & Saygin 2011, section 5; per size x with P(X = x), and the values of a group add up to x.
    """
    from discreet.models.likelihood import block_kernels as kernels

    least = int(kernels.least_possible(limits.a, limits.b, limits.shape, rows)) if rows else 1
    return _judged(cells, rows, limits, 0, least, options, at_least, at_most)


def values_different(
    cells: Cells,
    rows: int,
    different: int,
    options: Options,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Likely:
    """At least so many different values in every group."""
    limits = share_limits(1.0, 0)
    return _judged(cells, rows, limits, different, different, options, at_least, at_most)


def _judged(
    cells: Cells,
    rows: int,
    limits: Limits,
    different: int,
    least: int,
    options: Options,
    at_least: float | None,
    at_most: float | None,
) -> Likely:
    from discreet.models.likelihood import size_kernels as likely_kernels
    from discreet.models.likelihood import value_kernels as kernels

    if rows == 0:
        return Likely(1.0, 0.0, "bounds")
    if least > 1 and (at_least is not None or at_most is not None):
        # A group that is too small for the promise breaks it, whatever its values are: that alone may be too much.
        sizes, most = np.array([least]), np.array([likely_kernels.UNBOUNDED])
        large = sizes_allowed(cells, rows, sizes, most, True, Options(), at_least, at_most)
        if (at_least is not None and large.probability < at_least) or (
            at_most is not None and large.expectation > at_most
        ):
            return Likely(large.probability, large.expectation, "stopped early")
    likelihood = np.require(cells.likelihood, np.float64, ["C", "W"])  # kernels are compiled for such
    kinds = _kinds(cells)
    number = kinds.number
    distance = kernels.distances(kinds.sensitive, kinds.example, limits.share)
    bounds = kernels.value_bounds(likelihood, rows, number, distance, least)
    # Groups of the same kind together; first those of which the bounds say least.
    say = bounds[:, 1] - bounds[:, 0] if at_least is not None else bounds[:, 3] - bounds[:, 2]
    order = np.lexsort((number, -np.bincount(number, weights=say)[number]))
    floor = 0.0 if at_least is None else at_least
    ceiling = math.inf if at_most is None else at_most

    about = likelihood, rows, order, bounds, kinds, kernels.Promise(limits.a, limits.b, limits.shape, different)
    ended, moments, logarithm, union, largest, expectation, _ = kernels.value_masses(
        *about, likely_kernels.Goal(floor, ceiling), 0
    )
    whole = likely_kernels.log_poisson(rows, float(rows))
    upper = min(max(1.0 - largest, 0.0), math.exp(min(logarithm - whole, 0.0)))
    if ended == likely_kernels.ENOUGH:
        return Likely(max(1.0 - union, 0.0), expectation, "bounds")
    if ended != likely_kernels.FINISHED:
        return Likely(upper, expectation, "stopped early")
    if decided_by_bounds(1.0 - union, upper, at_least, at_most, options):
        return Likely(max(1.0 - union, 0.0) if upper >= floor else upper, expectation, "bounds")
    concerned = int((moments[:, 0] > 1e-12).sum())
    if options.sums == "normal" or (concerned > _MANY_GROUPS and rows > _MANY_ROWS):
        fine, all_in_all = normal_sums(rows, *_moments_of_sums(likelihood, rows, moments))
    else:
        points = int(likely_kernels.circle(rows))
        product = kernels.value_masses(*about, likely_kernels.Goal(0.0, math.inf), points).product
        fine, all_in_all = _on_circle(rows, points, product), math.exp(whole)
    return Likely(together(logarithm, fine, all_in_all), expectation, "approximation")


def _kinds(cells: Cells) -> Kinds:
    """The distributions of the groups, which group has which, and an example of each."""
    from discreet.models.likelihood import value_kernels as kernels  # late, as all kernels here

    sensitive = cells.sensitive
    assert sensitive is not None, "the summary has to tell the sensitive values too"
    if len(sensitive) and sensitive.strides[0] == 0:  # one distribution for all, written once
        return kernels.Kinds(np.array(sensitive[:1]), np.zeros(len(cells), dtype=np.int64), np.zeros(1, dtype=np.int64))
    sensitive = np.require(sensitive, np.float64, ["C", "W"])
    return kernels.Kinds(sensitive, *kernels.same_rows(sensitive))


def _moments_of_sums(likelihood: FloatArray, rows: int, moments: FloatArray) -> tuple[float, float, float, float]:
    """Mean and variance of ΣY, then of ΣX."""
    mean = rows * likelihood
    left = np.maximum(1.0 - moments[:, 0], 1e-16)
    fine = (mean - moments[:, 1]) / left
    variance = (mean + mean**2 - moments[:, 2]) / left - fine**2
    rest = max(rows - float(mean.sum()), 0.0)
    return float(fine.sum()) + rest, float(np.maximum(variance, 0.0).sum()) + rest, float(rows), float(rows)


def _on_circle(rows: int, points: int, product: FloatArray) -> float:
    """P(ΣY = N), from the transforms of the groups that may break the promise."""
    k = np.arange(points // 2 + 1)
    angle = 2 * math.pi * k / points
    away = -2 * np.sin(angle / 2) ** 2 + 1j * np.sin(angle)
    back = np.exp(-1j * ((rows * k) % points) * (2 * math.pi / points))
    weight = np.where((k == 0) | (2 * k == points), 1.0, 2.0) / points
    rest = rows * max(1.0 - float(product[-1].real), 0.0)
    return float((weight * product[:-1] * np.exp(rest * away) * back).real.sum())
