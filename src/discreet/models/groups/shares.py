"""One bound for the share of every sensitive value: what 1/ℓ-diversity and (α,k)-anonymity have in common."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups, Tally
from discreet.models.exact import products_at_most


def share_at_most(groups: Groups, attribute: str, cap: Fraction) -> BoolArray:
    """Does the most frequent value of each group have at most this share of it?"""
    from discreet.models.groups import kernels

    t = groups.tallies[attribute]
    return products_at_most(kernels.largest(t.offsets, t.counts), cap.denominator, groups.sizes, cap.numerator)


def lost_to_share(groups: Groups, attribute: str, cap: Fraction, holds: BoolArray) -> IntArray:
    """Rows lost at least in every refinement of the groups that do not hold."""
    t = groups.tallies[attribute]
    return lost_to_caps(groups, t, np.full(len(t.reference), float(cap)), holds)


def lost_to_caps(groups: Groups, t: Tally, cap: FloatArray, holds: BoolArray, filled: float = 1.0) -> IntArray:
    """Rows lost at least where each value has a cap of its own; see `bounds.lost_to_caps`."""
    from discreet.models.groups import bounds

    least: IntArray = bounds.lost_to_caps(t.offsets, t.values, t.counts, groups.sizes, holds, cap, filled)
    return least


def table_shares(t: Tally) -> FloatArray:
    """The share of each value in the whole table."""
    result: FloatArray = t.reference / max(int(t.reference.sum()), 1)
    return result


def largest_shares(t: Tally, rows: int) -> FloatArray:
    """The largest share that each value can have in the table without so many of its rows, or fewer."""
    left = max(int(t.reference.sum()) - rows, 1)
    return np.where(t.reference > 0, np.minimum(t.reference / left, 1.0), 0.0)


def one_over(share: FloatArray) -> FloatArray:
    """What to multiply a share by to get 1; infinite for a value that may have no share at all."""
    return np.where(share > 0, 1 / np.where(share > 0, share, 1), np.inf)
