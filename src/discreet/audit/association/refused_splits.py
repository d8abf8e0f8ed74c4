"""A group that was not split although it could have been: all ways to deal its values out to the parts, counted.

The group has value v nᵥ times, its parts have s₁, …, sₘ people. If all worlds are equally likely, part j has v xⱼᵥ
times with probability

    Πᵥ nᵥ! / Πⱼ xⱼᵥ!  ·  Πⱼ sⱼ! / N!

(hypergeometric). Every such table is gone through and asked which parts break the promise.
"""

from __future__ import annotations

from typing import NamedTuple

from discreet.arrays import FloatArray, IntArray

# What a promise asks of a part, as numbers: (kind, ℓ or α or t, c).
DISTINCT, ENTROPY, RECURSIVE, SHARE, DISTANCE = range(5)
BY_VALUE = (DISTINCT, SHARE)  # ask of every value by itself
TIE = 1e-9  # numbers that differ by no more, relatively, are level
MOST_PARTS = 6  # sets of parts are told apart by bits


class Demands(NamedTuple):
    """What promises ask of every part: their `kinds`, with the `limit` and the `factor` of each.

    `table` is the share of each value in the whole table, `missing` that of all values which the group has not.
    """

    kinds: IntArray
    limit: FloatArray
    factor: FloatArray
    table: FloatArray
    missing: float
