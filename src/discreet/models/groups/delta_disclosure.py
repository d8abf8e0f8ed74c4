"""δ-disclosure privacy: a group says little more, and little less, about a sensitive value than the table does."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups
from discreet.models.exact import MARGIN, decide, pairs, sign_with_logs
from discreet.models.groups.shares import largest_shares, lost_to_caps, one_over, table_shares
from discreet.models.parameters import Name, Number, Parameter, Parameterized, Threshold, as_text, exact
from discreet.models.promise import SHIFT, VALUES, Promise, Setting, Words, read_as

_LARGEST_EXPONENT = 700.0  # e^700 is above every ratio of two counts and still a number


@dataclass(frozen=True)
class DeltaDisclosure(Parameterized):
    """For every sensitive value of the table, its share in each group is within a factor e^±δ of that in the table.

    Brickell & Shmatikov 2008: |ln(q(s) / p(s))| < δ for every value s of the table, so every group must have *every*
    value of the table (else the logarithm is infinite). The logarithm is the natural one. ARX takes logarithms to the
    base 2 and skips the values that a group does not have, which is weaker: there a group with a single value may pass.
    Monotone: both sides bound q(s) by numbers that depend on the table alone, and sums keep that.

    >>> from discreet.models.examples import groups_of
    >>> groups = groups_of("disease", ["flu", "flu", "cold"], ["flu", "cold", "cold", "cold"], ["flu"])
    >>> DeltaDisclosure(0.7, "disease").level(groups).round(3)
    array([0.405, 0.693,   inf])
    >>> DeltaDisclosure(0.7, "disease").holds(groups)
    array([ True,  True, False])
    """

    delta: Threshold
    attribute: str
    monotone = True
    higher_is_safer = False
    word = "delta_disclosure"
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "delta": Number(0, why="with delta = 0 no group can hold, as the bound is strict"),
        "attribute": Name(),
    }

    def holds(self, groups: Groups) -> BoolArray:
        t, delta = groups.tallies[self.attribute], exact(self.delta)
        reference, rows = t.reference.tolist(), int(t.reference.sum())

        def within(share: Fraction, reference: int) -> bool:
            # −δ < ln(q / p) < δ
            p = Fraction(reference, rows)
            up = [(1, share.numerator), (-1, share.denominator), (-1, p.numerator), (1, p.denominator)]
            return sign_with_logs(-delta, up) < 0 < sign_with_logs(delta, up)

        def exactly(group: int) -> bool:
            n = int(groups.sizes[group])
            return all(within(Fraction(count, n), reference[value]) for value, count in pairs(t, group))

        return decide(self._range(groups)[1], math.exp(self._exponent()), exactly)

    def level(self, groups: Groups) -> FloatArray:
        result: FloatArray = np.log(self._range(groups)[1])
        return result

    def least_suppressed(self, groups: Groups) -> IntArray:
        t = groups.tallies[self.attribute]
        holds, factor = self.holds(groups), math.exp(self._exponent())
        above = lost_to_caps(groups, t, table_shares(t) * factor, holds)
        # Kept rows K need more than p(s) · K / factor rows of each value, and the group has n(s).
        most = np.floor(np.minimum(self._range(groups)[0] * factor * (1 + 1e-11), 1.0) * groups.sizes)
        return np.where(holds, 0, np.maximum(above, groups.sizes - most.astype(np.int64)))

    def beyond_help(self, groups: Groups, rows: int) -> BoolArray:
        """A share of the table is largest if all that goes has other values, and smallest if all of it has this one."""
        from discreet.models.groups import kernels

        t, factor = groups.tallies[self.attribute], math.exp(self._exponent())
        most = one_over(largest_shares(t, rows))
        above = kernels.largest_ratio(t.offsets, t.values, t.counts, groups.sizes, most) > factor * (1 + MARGIN)
        there = t.reference > 0
        if (t.reference[there] <= rows).any():  # then a value may vanish, and nobody has to have it
            return np.asarray(above)
        least = one_over((t.reference - rows) / max(int(t.reference.sum()) - rows, 1))
        low, _ = kernels.ratio_range(t.offsets, t.values, t.counts, groups.sizes, least, int(np.count_nonzero(there)))
        return np.asarray(above | (low * factor < 1 - MARGIN))

    def require(self) -> str:
        return f"below {as_text(self.delta)}"

    def describe(self) -> str:
        return f"{as_text(self.delta)}-disclosure privacy of {self.attribute}"

    def _exponent(self) -> float:
        return min(float(exact(self.delta)), _LARGEST_EXPONENT)

    def _range(self, groups: Groups) -> tuple[FloatArray, FloatArray]:
        """The smallest q(s) / p(s) in each group, and the largest factor by which a share changed, up or down."""
        from discreet.models.groups import kernels

        t = groups.tallies[self.attribute]
        domain = int(np.count_nonzero(t.reference))
        low, change = kernels.ratio_range(
            t.offsets, t.values, t.counts, groups.sizes, one_over(table_shares(t)), domain
        )
        return low, change


def _sentence(parameters: Words, column: str, setting: Setting) -> str:
    return (
        f"In every group, the share of each value of {column} differs from that in the whole table by less than "
        f"a factor of e to the power of {parameters['delta']}{setting.whose.counted}."
    )


DELTA_DISCLOSURE = Promise(
    DeltaDisclosure.word,
    "{delta: 1}",
    read_as(DeltaDisclosure, "{delta: 1}"),
    _sentence,
    about=frozenset({VALUES, SHIFT}),
    examples=({"delta": 9},),
    beside_others=True,
)
