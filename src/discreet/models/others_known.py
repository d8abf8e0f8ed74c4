"""A promise about one sensitive attribute that holds for whoever knows the others, too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups
from discreet.errors import DataError, Mistake
from discreet.models.base import PrivacyModel, compares, least_rows

OTHERS_KNOWN = "others_known"


@dataclass(frozen=True)
class OthersKnown:
    """A promise that every group keeps, and every part of it whose rows have the same other sensitive values.

    Somebody who finds a person's group and knows the person's other sensitive values looks at those rows of the group
    alone that have them. So they are judged like groups. Monotone where the promise is: when groups are merged, so are
    their parts with the same other values. Whatever is lost at least in every refinement of each part is lost of the
    group, as the parts have no row in common.

    >>> from discreet.models.examples import tied_groups
    >>> from discreet.models.groups.l_diversity import DistinctDiversity
    >>> groups = tied_groups([("flu", "x"), ("HIV", "y")], [("flu", "x"), ("HIV", "x")])
    >>> DistinctDiversity(2, "s1").holds(groups), OthersKnown(DistinctDiversity(2, "s1")).holds(groups)
    (array([ True,  True]), array([False,  True]))
    """

    model: PrivacyModel

    @property
    def attribute(self) -> str:
        return self.model.attribute

    @property
    def monotone(self) -> bool:
        return self.model.monotone

    @property
    def higher_is_safer(self) -> bool:
        return self.model.higher_is_safer

    @property
    def compares(self) -> bool:
        return compares(self.model)

    @property
    def least_rows(self) -> int:
        return least_rows([self.model])  # the whole group must keep the promise, too

    def holds(self, groups: Groups) -> BoolArray:
        parts, group = self._parts(groups)
        verdict = self.model.holds(groups).copy()
        verdict[group[~self.model.holds(parts)]] = False
        return verdict

    def level(self, groups: Groups) -> FloatArray:
        parts, group = self._parts(groups)
        levels = self.model.level(groups).astype(np.float64)
        worse = np.minimum if self.higher_is_safer else np.maximum
        worse.at(levels, group, self.model.level(parts))
        return levels

    def least_suppressed(self, groups: Groups) -> IntArray:
        parts, group = self._parts(groups)
        lost = np.bincount(group, weights=self.model.least_suppressed(parts), minlength=len(groups))
        return np.maximum(lost.astype(np.int64), self.model.least_suppressed(groups))

    def require(self) -> str:
        return self.model.require()

    def describe(self) -> str:
        return f"{self.model.describe()}, beside the other sensitive values"

    def to_words(self) -> dict[str, dict[str, object]]:
        return {word: {**said, OTHERS_KNOWN: True} for word, said in self.model.to_words().items()}

    def _parts(self, groups: Groups) -> tuple[Groups, IntArray]:
        """The parts of all groups, and the group of each."""
        if groups.together is None:
            rule = f"{self.describe()}: nothing tells which sensitive values stand in one row"
            raise DataError(Mistake("require", rule, f"leave {OTHERS_KNOWN} out"))
        return groups.together.cells(self.attribute, groups.tallies[self.attribute])


def asks_for_others(model: PrivacyModel) -> bool:
    """Does a promise look at several sensitive values of a row at once?"""
    return isinstance(model, OthersKnown)
