"""An outsider's promise: no sensitive value has more than so many rows of a group. All of it is in this file."""

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
class AtMost(Parameterized):
    """In no group does a sensitive value have more than `rows` rows."""

    rows: int
    attribute: str
    monotone = False
    higher_is_safer = False
    word = "at_most"
    parameters: ClassVar[Mapping[str, Parameter]] = {"rows": Whole(1, "a value has a row"), "attribute": Name()}

    def holds(self, groups: Groups) -> BoolArray:
        return self._largest(groups) <= self.rows

    def level(self, groups: Groups) -> FloatArray:
        return self._largest(groups).astype(np.float64)

    def least_suppressed(self, groups: Groups) -> IntArray:
        return np.zeros(len(groups), dtype=np.int64)

    def require(self) -> str:
        return f"at most {self.rows}"

    def describe(self) -> str:
        return f"at most {self.rows} rows of a value of {self.attribute}"

    def _largest(self, groups: Groups) -> IntArray:
        tally = groups.tallies[self.attribute]
        most: IntArray = np.maximum.reduceat(tally.counts, tally.offsets[:-1])
        return most


def _sentence(parameters: Words, column: str, setting: Setting) -> str:
    return f"In no group do more than {parameters['rows']} rows have the same {column}."


AT_MOST = Promise(
    AtMost.word,
    "{rows: 3}",
    read_as(AtMost, "{rows: 3}"),
    _sentence,
    about=frozenset({VALUES}),
    examples=({"rows": 40},),
)
