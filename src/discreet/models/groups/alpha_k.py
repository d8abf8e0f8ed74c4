"""(α,k)-anonymity: nobody stands alone, and no value takes over a group."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups
from discreet.labels.whose import Whose
from discreet.models.by_people import chances, chances_at_most
from discreet.models.groups.k_anonymity import LEAST_K
from discreet.models.groups.shares import lost_to_share, share_at_most
from discreet.models.parameters import Name, Number, Parameter, Parameterized, Threshold, as_text, exact
from discreet.models.promise import VALUES, Promise, Setting, Words, nobodys_chance, read_as


@dataclass(frozen=True)
class AlphaK(Parameterized):
    """Groups of at least k people, in which no sensitive value is that of more than a share α.

    Wong, Li, Fu & Wang 2006, for every sensitive value: n(q) ≥ k and n(q, s) ≤ α · n(q). Monotone, as both parts are.
    The level is the largest share; it counts as 1 in a group smaller than k, which fails whatever its shares. Where
    people have several rows, k is of people, and the share is the chance that somebody has the value at least once.

    >>> from discreet.models.examples import groups_of
    >>> groups = groups_of("disease", ["flu", "cold"], ["flu", "cold", "gout"], ["flu", "flu", "gout"])
    >>> AlphaK(0.5, 3, "disease").holds(groups)
    array([False,  True, False])
    """

    alpha: Threshold
    k: int
    attribute: str
    monotone = True
    higher_is_safer = False
    merges_by_people = False
    compares = False
    word = "alpha_k"
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "alpha": Number(0, 1, why="with alpha = 1 no share is bounded: that is k_anonymity"),
        "k": LEAST_K,
        "attribute": Name(),
    }

    @property
    def least_rows(self) -> int:
        return self.k

    @property
    def rows_per_value(self) -> int:
        return math.ceil(1 / exact(self.alpha))

    def holds(self, groups: Groups) -> BoolArray:
        return share_at_most(groups, self.attribute, exact(self.alpha)) & (groups.sizes >= self.k)

    def level(self, groups: Groups) -> FloatArray:
        from discreet.models.groups import kernels

        t = groups.tallies[self.attribute]
        shares = kernels.largest(t.offsets, t.counts) / np.maximum(groups.sizes, 1)
        return np.where(groups.sizes < self.k, 1.0, shares)

    def held_by_people(self, groups: Groups) -> BoolArray:
        return chances_at_most(groups, self.attribute, exact(self.alpha)) & (groups.persons >= self.k)

    def reached_by_people(self, groups: Groups) -> FloatArray:
        return np.where(groups.persons < self.k, 1.0, chances(groups, self.attribute))

    def in_each_of(self, groups: int) -> AlphaK:
        return replace(self, alpha=exact(self.alpha) / groups)

    def lost_by_people(self, groups: Groups) -> IntArray:
        return np.where(groups.persons < self.k, groups.sizes, 0)

    def least_suppressed(self, groups: Groups) -> IntArray:
        lost = lost_to_share(groups, self.attribute, exact(self.alpha), self.holds(groups))
        return np.where(groups.sizes - lost < self.k, groups.sizes, lost)  # fewer than k can't be kept

    def require(self) -> str:
        return f"at most {as_text(self.alpha)} in groups of at least {self.k}"  # rows, or people

    def describe(self) -> str:
        return f"({as_text(self.alpha)}, {self.k})-anonymity of {self.attribute}"


def _sentence(parameters: Words, column: str, setting: Setting) -> str:
    least, most = parameters["k"], parameters["alpha"]
    if setting.whose is Whose.NAMED:
        return f"Every group has rows of at least {least} people, and {nobodys_chance(column, str(most), setting)}."
    people = setting.whose.people
    return f"Every group has at least {least} {people}, and no value of {column} makes up more than {most} of any."


ALPHA_K = Promise(
    AlphaK.word,
    "{alpha: 0.5, k: 5}",
    read_as(AlphaK, "{alpha: 0.5, k: 5}"),
    _sentence,
    about=frozenset({VALUES}),
    examples=({"alpha": 0.9, "k": 2},),
    beside_others=True,
)
