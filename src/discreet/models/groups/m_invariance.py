"""m-invariance: whoever is in several releases has the same signature in all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups
from discreet.models.parameters import Name, Parameter, Parameterized, Whole
from discreet.models.promise import RELEASES, VALUES, Promise, Risk, Setting, Words, read_as

_LEAST_M = Whole(2, "a signature of one value tells it")


@dataclass(frozen=True)
class MInvariance(Parameterized):
    """In each release, a group has at least m values of the attribute, each of them equally often.

    This is the part of the promise that one release shows. The other part is about all releases of a chain: the values
    of a group are the *signature* of its people, and whoever comes again has the signature that he had. Then every way
    to exchange the values of a signature, in all groups that have it, in all releases, turns a possible world into
    another: a person has each value with a chance of 1 / (values of the signature), at most 1/m, however many releases
    somebody holds.

    Xiao & Tao 2007, definitions 4 and 5, where every value occurs once. Equally often will do, as the exchange shows.
    The level is the number of values; it counts as 1 in a group in which one is more frequent than another.

    >>> from discreet.models.examples import groups_of
    >>> groups = groups_of("disease", ["flu", "cold", "gout"], ["flu", "flu", "cold"], ["flu", "flu", "gout", "gout"])
    >>> MInvariance(2, "disease").holds(groups), MInvariance(2, "disease").level(groups)
    (array([ True, False,  True]), array([3., 1., 2.]))
    """

    m: int
    attribute: str
    monotone = False
    higher_is_safer = True
    rows_decide = True  # in a chain everybody has one row; the chain sees to that
    compares = False
    word = "m_invariance"
    parameters: ClassVar[Mapping[str, Parameter]] = {"m": _LEAST_M, "attribute": Name()}

    @property
    def least_rows(self) -> int:
        return self.m

    @property
    def rows_per_value(self) -> int:
        return self.m

    def holds(self, groups: Groups) -> BoolArray:
        values, level = self._values(groups)
        return level & (values >= self.m)

    def level(self, groups: Groups) -> FloatArray:
        values, level = self._values(groups)
        return np.where(level, values, 1).astype(np.float64)

    def _values(self, groups: Groups) -> tuple[IntArray, BoolArray]:
        """How many values each group has, and whether all of them are equally frequent."""
        t = groups.tallies[self.attribute]
        many = np.diff(t.offsets).astype(np.int64)
        largest = np.zeros(len(many), dtype=np.int64)
        np.maximum.at(largest, np.repeat(np.arange(len(many)), many), t.counts)
        return many, largest * many == groups.sizes

    def least_suppressed(self, groups: Groups) -> IntArray:
        values, _ = self._values(groups)
        return np.where(values < self.m, groups.sizes, 0)  # parts have no more values than the whole

    def require(self) -> str:
        return f"at least {self.m}"

    def describe(self) -> str:
        return f"{self.m}-invariance of {self.attribute}"


def _sentence(parameters: Words, column: str, setting: Setting) -> str:
    m, whose = parameters["m"], setting.whose
    return (
        f"Whoever holds all releases of the chain, and does not weigh how the search placed rows, still cannot be "
        f"surer than 1 in {m} which value of {column} {whose.somebody} had in any of them."
    )


def _leaves_open(parameters: Words, agreeing: float, setting: Setting) -> list[Risk]:
    whose = setting.whose
    return [
        (
            "Values that change",
            f"The promise is about the value that {whose.somebody} had at the time of each release. A "
            "change of the value can show: whoever then has a value outside of the old signature comes again under "
            "another one, which has no value of the old. Somebody whose value changes within a signature may have had "
            "two of its values, each with the promised chance.",
        ),
        (
            "Knowing individuals, or how it was made",
            f"Whoever knows the value of {whose.somebody} in a group can strike it out, and be surer of the others. "
            "Whoever could not be placed is left out, and that depends on the value: whoever knows that a row is "
            "missing, and how rows are placed, may be certain of it, and then of others in the groups that it had "
            "before. From the second release on, whoever weighs how the rest was placed may be surer than "
            "promised, too.",
        ),
        (
            "Releases outside of the chain",
            "Only releases that were made from one another count. Another one about the same people, by whomever, is "
            "not covered; nor is finding out who is who in two releases of coarser values.",
        ),
    ]


M_INVARIANCE = Promise(
    MInvariance.word,
    "{m: 3}",
    read_as(MInvariance, "{m: 3}"),
    _sentence,
    about=frozenset({VALUES, RELEASES}),
    leaves_open=_leaves_open,
    only=("bucketization", "numbered_groups"),
    examples=({"m": 2},),
)
