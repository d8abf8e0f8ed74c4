"""Where people of whom the quasi-identifiers are known stand in a release: the groups that may be theirs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arrays import IntArray
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.view import ReleaseView


@dataclass(frozen=True, eq=False)
class Places:
    """The people with the i-th combination on a list may be in ``groups[starts[i]:starts[i + 1]]``, and in no other."""

    starts: IntArray
    groups: IntArray

    @property
    def many(self) -> IntArray:
        """How many groups each combination may be in."""
        return np.diff(self.starts)

    @property
    def only(self) -> IntArray:
        """The group of those who can be in one alone; −1 for those who fit nowhere, −2 for those who fit several."""
        group = np.where(self.many == 0, -1, -2)
        one = self.many == 1
        group[one] = self.groups[self.starts[:-1][one]]
        return group


def places(view: ReleaseView, listed: Population) -> Places | None:
    """All groups whose labels cover each combination on the list (of a bucketized release: that have its very values).

    The list may have other columns than the release: what only one of them has tells nothing. None if people can't be
    placed: exact values of which some are not listed, or so many groups for everybody that they can't all be told.
    """
    return view.kind.places(listed)
