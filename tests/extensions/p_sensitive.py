"""An outsider's promise in two parts, which searches that build groups and adversaries of all kinds are held to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups
from discreet.models.parameters import Name, Parameter, Parameterized, Whole
from discreet.models.promise import VALUES, Promise, Setting, Words, read_as


@dataclass(frozen=True)
class PSensitive(Parameterized):
    """Every group has at least k rows and p different sensitive values (Truta & Vinay 2006)."""

    k: int
    p: int
    attribute: str
    monotone = True
    higher_is_safer = True
    word = "p_sensitive"
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "k": Whole(2, "one row is alone"),
        "p": Whole(2, "a group has a value"),
        "attribute": Name(),
    }

    @property
    def least_rows(self) -> int:
        return self.k

    @property
    def rows_per_value(self) -> int:
        return self.p

    def holds(self, groups: Groups) -> BoolArray:
        return (self._values(groups) >= self.p) & (groups.sizes >= self.k)

    def level(self, groups: Groups) -> FloatArray:
        return np.where(groups.sizes >= self.k, self._values(groups), 0).astype(np.float64)

    def least_suppressed(self, groups: Groups) -> IntArray:
        return np.where(self.holds(groups), 0, groups.sizes)

    def require(self) -> str:
        return f"at least {self.p} in at least {self.k} rows"

    def describe(self) -> str:
        return f"{self.p}-sensitive {self.k}-anonymity of {self.attribute}"

    def _values(self, groups: Groups) -> IntArray:
        return np.diff(groups.tallies[self.attribute].offsets)


def _sentence(parameters: Words, column: str, setting: Setting) -> str:
    return f"Every group has at least {parameters['k']} rows and {parameters['p']} different values of {column}."


P_SENSITIVE = Promise(
    PSensitive.word,
    "{k: 5, p: 2}",
    read_as(PSensitive, "{k: 5, p: 2}"),
    _sentence,
    about=frozenset({VALUES}),
    examples=({"k": 2, "p": 2},),
)
