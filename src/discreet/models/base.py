"""What a privacy model is: a promise about a release, decided from its groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from discreet.counts.groups import BoolArray, FloatArray, Groups
from discreet.hierarchies.hierarchy import IntArray


class PrivacyModel(Protocol):
    """A promise about a release, decided from its groups alone.

    A model is a small frozen value whose fields can't contradict each other. It never searches and never sees a
    table.
    """

    @property
    def attribute(self) -> str:
        """The sensitive attribute it speaks of; empty if it needs none."""

    @property
    def monotone(self) -> bool:
        """Does merging two groups that hold always give one that holds?"""

    @property
    def higher_is_safer(self) -> bool:
        """Is a larger `level` the better one (k), or a smaller one (t)?"""

    def holds(self, groups: Groups) -> BoolArray:
        """The verdict on each group. Exact: rounding never lets a group pass that should not."""

    def level(self, groups: Groups) -> FloatArray:
        """What each group achieves, in the unit of the parameter."""

    def least_suppressed(self, groups: Groups) -> IntArray:
        """Per group, a proven minimum of rows that are lost in *every* refinement of it.

        However the group is cut into parts, the parts that break the promise together have at least this many
        rows. Zero is always right; the larger it is, the more a search can prune. A model for which every part of
        a failing group fails (k-anonymity) answers the size of each failing group.
        """

    def require(self) -> str:
        """What is asked of `level`, for messages: ``at least 5``."""

    def describe(self) -> str:
        """The promise in one line, for manifests and reports: ``5-anonymity``."""

    def to_words(self) -> dict[str, dict[str, object]]:
        """The promise in the words of a policy: ``{"k_anonymity": {"k": 5}}``."""


def all_hold(models: Sequence[PrivacyModel], groups: Groups) -> BoolArray:
    """Which groups keep every promise."""
    verdict = np.ones(len(groups), dtype=np.bool_)
    for model in models:
        verdict &= model.holds(groups)
    return verdict


def least_suppressed(models: Sequence[PrivacyModel], groups: Groups) -> IntArray:
    """Rows lost at least, per group, in every refinement: the strongest of the models' bounds."""
    least = np.zeros(len(groups), dtype=np.int64)
    for model in models:
        np.maximum(least, model.least_suppressed(groups), out=least)
    return least
