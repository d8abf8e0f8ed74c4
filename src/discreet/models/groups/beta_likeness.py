"""β-likeness: no sensitive value becomes much more likely by knowing the group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups, Tally
from discreet.labels.whose import Whose
from discreet.models.exact import MARGIN, decide, pairs, sign_with_logs
from discreet.models.groups.shares import largest_shares, lost_to_caps, one_over, table_shares
from discreet.models.parameters import Choice, Name, Number, Parameter, Parameterized, Threshold, as_text, exact
from discreet.models.promise import SHIFT, VALUES, Promise, Setting, Words, read_as


@dataclass(frozen=True)
class BetaLikeness(Parameterized):
    """The share of a sensitive value in a group exceeds its share in the table by a factor of at most 1 + β.

    Cao & Karras 2012, with p(s) the share in the table and q(s) in the group, for every value with q(s) > p(s):
    *basic* (q − p) / p ≤ β; *enhanced* (q − p) / p ≤ min(β, −ln p), which holds frequent values back too. Values
    that become less likely do not matter. Monotone: both say q(s) ≤ a number that depends on the table alone, and
    sums keep that. The level is the largest (q − p) / p; in the enhanced form it is infinite where −ln p is exceeded,
    since no β allows that.

    >>> from discreet.models.examples import groups_of
    >>> groups = groups_of("disease", ["flu", "flu", "cold"], ["flu", "cold", "cold", "cold"])
    >>> BetaLikeness(0.5, "disease").level(groups).round(3)
    array([0.556, 0.312])
    >>> BetaLikeness(0.5, "disease").holds(groups)
    array([False,  True])
    """

    beta: Threshold
    attribute: str
    kind: str = "basic"
    monotone = True
    higher_is_safer = False
    word = "beta_likeness"
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "beta": Number(0, why="with beta = 0 every group must have the table's own shares"),
        "kind": Choice(("basic", "enhanced")),
        "attribute": Name(),
    }

    def holds(self, groups: Groups) -> BoolArray:
        t = groups.tallies[self.attribute]
        reference, rows = t.reference.tolist(), int(t.reference.sum())

        def exactly(group: int) -> bool:
            n = int(groups.sizes[group])
            return all(self._allows(Fraction(count, n), reference[value], rows) for value, count in pairs(t, group))

        weight = one_over(self._caps(t, float(exact(self.beta))))
        weight[t.reference == rows] = 0  # where everybody has the value, nothing can be learnt
        return decide(self._largest(groups, weight), 1.0, exactly)

    def level(self, groups: Groups) -> FloatArray:
        t = groups.tallies[self.attribute]
        gain = np.maximum(self._largest(groups, one_over(table_shares(t))) - 1, 0)
        if self.kind == "basic":
            return gain
        over = self._largest(groups, one_over(self._caps(t, np.inf))) > 1 + 1e-12
        return np.where(over, np.inf, gain)

    def least_suppressed(self, groups: Groups) -> IntArray:
        t = groups.tallies[self.attribute]
        return lost_to_caps(groups, t, self._caps(t, float(exact(self.beta))), self.holds(groups))

    def beyond_help(self, groups: Groups, rows: int) -> BoolArray:
        """A share of the table is largest if all that goes has other values; what a group may have grows with it."""
        t = groups.tallies[self.attribute]
        weight = one_over(self._caps_of(largest_shares(t, rows), float(exact(self.beta))))
        return self._largest(groups, weight) > 1 + MARGIN

    def require(self) -> str:
        return f"at most {as_text(self.beta)}"

    def describe(self) -> str:
        return f"{self.kind} {as_text(self.beta)}-likeness of {self.attribute}"

    def _caps(self, t: Tally, beta: float) -> FloatArray:
        """The largest share that each value may have in a group under this β."""
        return self._caps_of(table_shares(t), beta)

    def _caps_of(self, share: FloatArray, beta: float) -> FloatArray:
        if self.kind == "basic":
            return share * (1 + beta)
        present = np.where(share > 0, share, 1)
        caps: FloatArray = share * (1 + np.minimum(beta, -np.log(present)))
        return caps

    def _allows(self, share: Fraction, reference: int, rows: int) -> bool:
        """May a value with this share in a group have `reference` of the table's rows? In exact arithmetic."""
        if reference == 0:
            return False
        gain = share * rows / reference - 1
        if gain > exact(self.beta):
            return False
        # gain ≤ −ln p = ln rows − ln reference
        return self.kind == "basic" or sign_with_logs(-gain, [(1, rows), (-1, reference)]) >= 0

    def _largest(self, groups: Groups, weight: FloatArray) -> FloatArray:
        from discreet.models.groups import kernels

        t = groups.tallies[self.attribute]
        ratio: FloatArray = kernels.largest_ratio(t.offsets, t.values, t.counts, groups.sizes, weight)
        return ratio


def _sentence(parameters: Words, column: str, setting: Setting) -> str:
    times = f"by more than {parameters['beta']} times its share in the whole table"
    if setting.whose is Whose.NAMED:  # somebody with many rows is likelier to have a value, whatever its share is
        return f"In no group is a value of {column} more common {times}{setting.whose.counted}."
    return f"Knowing {setting.whose.somebody}'s group makes no value of {column} more likely {times}."


BETA_LIKENESS = Promise(
    BetaLikeness.word,
    "{beta: 1, kind: basic}",
    read_as(BetaLikeness, "{beta: 1, kind: basic}"),
    _sentence,
    about=frozenset({VALUES, SHIFT}),
    examples=tuple({"beta": 3, "kind": kind} for kind in ("basic", "enhanced")),
    beside_others=True,
)
