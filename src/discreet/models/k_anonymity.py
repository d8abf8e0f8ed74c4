"""k-anonymity: nobody stands alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.counts.groups import BoolArray, FloatArray, Groups
from discreet.errors import Mistake, PolicyError
from discreet.hierarchies.hierarchy import IntArray


@dataclass(frozen=True)
class KAnonymity:
    """Every person shares the published quasi-identifiers with at least k − 1 others.

    Sweeney 2002: n(q) ≥ k for every group q.

    >>> KAnonymity(3).holds(Groups(np.array([2, 3, 7])))
    array([False,  True,  True])
    """

    k: int
    attribute = ""
    monotone = True
    higher_is_safer = True

    def __post_init__(self) -> None:
        if self.k < 2:
            raise PolicyError(
                Mistake(
                    "k_anonymity.k",
                    f"must be at least 2, got {self.k}",
                    "a release with k = 1 promises nothing",
                )
            )

    def holds(self, groups: Groups) -> BoolArray:
        return groups.sizes >= self.k

    def level(self, groups: Groups) -> FloatArray:
        return groups.sizes.astype(np.float64)

    def least_suppressed(self, groups: Groups) -> IntArray:
        return np.where(groups.sizes < self.k, groups.sizes, 0)

    def require(self) -> str:
        return f"at least {self.k}"

    def describe(self) -> str:
        return f"{self.k}-anonymity"

    def to_words(self) -> dict[str, dict[str, object]]:
        return {"k_anonymity": {"k": self.k}}
