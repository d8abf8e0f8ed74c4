"""Confidences as Nergiz & Clifton 2008 compute them: the plain recursion, and what they do to make it bearable.

For comparison only. What the product uses is `discreet.models.presence.confidence`: exact, and faster than all of this.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.models.presence.confidence import Delta, limits
from discreet.studies.presence import confidence_paper_kernels as kernels


@dataclass(frozen=True)
class Optimizations:
    """Which of the paper's four are on. None of them overstates a confidence.

    `sd` (§5.2): hyp(x; y, M, N) counts only within `m` standard deviations of its mean y·M/N.
    `pa` (§5.1): a search takes it for granted that below a node that fails every node fails.
    `dm` (§5.3): where δmin = 0 or δmax = 1, groups that are dominated by another one are not computed.
    `dc` (§5.4): hyp is computed at multiples of `width` only; between two of them the smaller one counts. Only where
    four such steps fit in two standard deviations.

    >>> Optimizations.none().sd
    False
    """

    sd: bool = True
    pa: bool = True
    dm: bool = True
    dc: bool = True
    m: float = 4
    width: int = 4

    def __post_init__(self) -> None:
        if self.m <= 0 or self.width < 1:
            raise ValueError(f"m must be above 0 and width at least 1, got {self.m} and {self.width}")

    @classmethod
    def none(cls) -> Optimizations:
        """The plain recursion."""
        return cls(sd=False, pa=False, dm=False, dc=False)


@dataclass(frozen=True)
class Work:
    """What was done: for the paper's figure 6, and for comparing without a clock."""

    groups: int = 0  # that should be computed
    dominated: int = 0  # of them, skipped by DM
    computed: int = 0  # the rest, up to the first that fails
    evaluations: int = 0  # of hyp
    pairs: int = 0  # (x, y) for which hyp is not 0, and y has a chance
    cut: int = 0  # of them, left out by SD

    def __add__(self, other: Work) -> Work:
        return Work(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    @property
    def pruned_by_sd(self) -> float:
        """The share of pairs (x, y) that SD leaves out; what that spares later steps is not counted."""
        return self.cut / self.pairs if self.pairs else 0.0

    @property
    def pruned_by_dm(self) -> float:
        """The share of groups that DM skips."""
        return self.dominated / self.groups if self.groups else 0.0


def paper_confidence(
    rows: IntArray,
    counts: IntArray,
    size: int,
    delta: Delta,
    optimizations: Optimizations = Optimizations(),  # noqa: B008 (frozen)
) -> FloatArray:
    """Per group, a confidence that is never above the true one. (That of its dominator, where DM skips it.)

    Nergiz & Clifton 2008, §4.2: ℓ_x ← Σ_y ℓ_y · hyp(x; y, f_n, U), attribute by attribute in the order given; then
    the sum of ℓ_x for c_low ≤ x ≤ c_high (equation 4). A group has `rows` rows in the table, and of the `size` people
    outside, `counts[g, d]` show its value of attribute d.

    >>> delta = Fraction("0.33"), Fraction(1)
    >>> paper_confidence(np.array([1]), np.array([[3, 3, 3]]), 4, delta, Optimizations.none()).round(6)
    array([0.9375])
    """
    confidence, _, _ = _computed(rows, counts, size, delta, optimizations, 0.0)
    return confidence


def paper_holds(
    rows: IntArray, counts: IntArray, size: int, delta: Delta, least: Fraction, optimizations: Optimizations
) -> tuple[bool, Work]:
    """Do all groups reach the confidence `least`? It stops at the first that does not (algorithm 1, lines 5–9)."""
    confidence, work, last = _computed(rows, counts, size, delta, optimizations, _rounded_up(least))
    return last is None or Fraction(confidence[last]) >= least, work


def dominant(rows: IntArray, counts: IntArray, delta: Delta) -> BoolArray:
    """The minimum dominant subset: its least confidence is that of all groups (definitions 11 and 12).

    With δmin = 0 a group with as many rows and as few people outside, attribute by attribute, has a confidence that
    is no higher; with δmax = 1 one with as few rows and as many people outside. (The number outside grows with each
    count, as theorem 3 proves.) Of equal groups the first stays. Where neither is so, all stay.

    >>> dominant(np.array([1, 1]), np.array([[1, 1, 1], [3, 3, 3]]), (Fraction("0.33"), Fraction(1)))
    array([False,  True])
    """
    return _dominators(rows, counts, delta)[0]


def plain_evaluations(rows: IntArray, counts: IntArray, size: int, delta: Delta) -> IntArray:
    """How often the plain recursion evaluates hyp for each group: one for every pair (x, y) that can be.

    >>> plain_evaluations(np.array([1]), np.array([[3, 3, 3]]), 4, (Fraction("0.33"), Fraction(1)))
    array([5])
    """
    low, high = _asked(rows, size, delta)
    evaluations: IntArray = kernels.plain_evaluations(counts, size, low, high)
    return evaluations


def _computed(
    rows: IntArray, counts: IntArray, size: int, delta: Delta, optimizations: Optimizations, least: float
) -> tuple[FloatArray, Work, int | None]:
    """Confidences up to the first below `least`, the work that was, and the last group computed."""
    kept, by = np.ones(len(rows), dtype=np.bool_), np.arange(len(rows))
    if optimizations.dm:
        kept, by = _dominators(rows, counts, delta)
    order = np.flatnonzero(kept)
    low, high = _asked(rows, size, delta)
    confidence, tallies = np.zeros(len(rows)), np.zeros(kernels.TALLIES, dtype=np.int64)
    sigmas = float(optimizations.m) if optimizations.sd else 0.0
    width = optimizations.width if optimizations.dc else 1
    recursion = kernels.Recursion(size, _log_factorials(size), sigmas, width, tallies)
    done = kernels.first_failing(recursion, order, counts, low, high, least, confidence)
    work = Work(len(rows), len(rows) - len(order), done, *tallies.tolist())
    return confidence[by], work, int(order[done - 1]) if done else None


@lru_cache(maxsize=2)  # a search asks for the same table at every node
def _log_factorials(size: int) -> FloatArray:
    logs: FloatArray = kernels.log_factorials(size)
    return logs


def _dominators(rows: IntArray, counts: IntArray, delta: Delta) -> tuple[BoolArray, IntArray]:
    """The groups to compute, and for every group one of them whose confidence is no higher."""
    least, most = delta
    if least > 0 and most < 1:
        return np.ones(len(rows), dtype=np.bool_), np.arange(len(rows))
    # With fewer rows or more people outside it dominates if δmax = 1; the other way round if δmin = 0.
    points = np.column_stack([-rows, counts]).astype(np.int64) * (1 if least == 0 else -1)
    kept_and_by: tuple[BoolArray, IntArray] = kernels.dominators(np.argsort(points.sum(axis=1), kind="stable"), points)
    return kept_and_by


def _asked(rows: IntArray, size: int, delta: Delta) -> tuple[IntArray, IntArray]:
    """c_low and c_high, as numbers of people that can be: at most one more than there are."""
    low, high = limits(rows, delta)
    return np.minimum(low, size + 1), np.minimum(high, size)


def _rounded_up(least: Fraction) -> float:
    """The smallest number of the machine that is at least so large."""
    near = float(least)
    return near if Fraction(near) >= least else float(np.nextafter(near, np.inf))
