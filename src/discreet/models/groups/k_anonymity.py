"""k-anonymity: nobody stands alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups
from discreet.models.parameters import Parameter, Parameterized, Whole
from discreet.models.promise import Promise, Setting, Words, read_as

LEAST_K = Whole(2, "a release with k = 1 promises nothing")


@dataclass(frozen=True)
class KAnonymity(Parameterized):
    """Every person shares the published quasi-identifiers with at least k − 1 others.

    Sweeney 2002: n(q) ≥ k for every group q. Where people have several rows, it is k of them that a group needs, of
    which merging it with others takes none away, and cutting it adds none.

    >>> KAnonymity(3).holds(Groups(np.array([2, 3, 7])))
    array([False,  True,  True])
    """

    k: int
    attribute = ""
    monotone = True
    higher_is_safer = True
    size_alone = True
    merges_by_people = True
    word = "k_anonymity"
    parameters: ClassVar[Mapping[str, Parameter]] = {"k": LEAST_K}

    @property
    def least_rows(self) -> int:
        return self.k

    def holds(self, groups: Groups) -> BoolArray:
        return groups.sizes >= self.k

    def level(self, groups: Groups) -> FloatArray:
        return groups.sizes.astype(np.float64)

    def least_suppressed(self, groups: Groups) -> IntArray:
        return np.where(groups.sizes < self.k, groups.sizes, 0)

    def lost_by_people(self, groups: Groups) -> IntArray:
        return np.where(groups.persons < self.k, groups.sizes, 0)

    def require(self) -> str:
        return f"at least {self.k}"

    def describe(self) -> str:
        return f"{self.k}-anonymity"


def _sentence(parameters: Words, column: str, setting: Setting) -> str:
    whose = setting.whose
    others = f"at least {whose.others(int(parameters['k']) - 1)}."
    if setting.exact:  # who they are is plain to see, or any combination of their values
        return f"{whose.everybody.capitalize()} shares a group with {others}"
    return f"By what others may know, {whose.everybody} looks the same as {others}"


_EVERY_COLUMN = {"attribute": ("k_anonymity is about all sensitive attributes alike", "leave it out")}
K_ANONYMITY = Promise(
    KAnonymity.word,
    "{k: 5}",
    read_as(KAnonymity, "{k: 5}", strange=_EVERY_COLUMN),
    _sentence,
    examples=({"k": 2},),
)
