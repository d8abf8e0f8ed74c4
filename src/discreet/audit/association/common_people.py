"""Two groups that have people in common: what these must have, given what each of the groups has.

Group 1 has value v n₁ᵥ times among its N₁ people, group 2 n₂ᵥ times among its N₂; m people are in both, and have the
same value in both. All pairs of worlds (who of group 1 has which value, who of group 2) in which they do are as
likely. If xᵥ of the m have v, there are

    m! / Π xᵥ! · (N₁ − m)! / Π (n₁ᵥ − xᵥ)! · (N₂ − m)! / Π (n₂ᵥ − xᵥ)!

of them, so x has the weight Π C(n₁ᵥ, xᵥ) C(n₂ᵥ, xᵥ) xᵥ! among all x with Σ xᵥ = m, and each of the m people has v with
probability E[xᵥ] / m. For m = 1 that is n₁ᵥ n₂ᵥ / Σᵤ n₁ᵤ n₂ᵤ (Ganta, Kasiviswanathan & Smith 2008 intersect the sets).
"""

from __future__ import annotations

from typing import NamedTuple

from discreet.arrays import FloatArray, IntArray


class Counts(NamedTuple):
    """The values of a release's groups: group g has ``values[starts[g]:starts[g + 1]]`` (ascending), `counts` times."""

    starts: IntArray
    values: IntArray
    counts: IntArray


class Fits(NamedTuple):
    """Person i fits the groups ``groups[starts[i]:starts[i + 1]]`` of a release, each with its `weight`."""

    starts: IntArray
    groups: IntArray
    weight: FloatArray
