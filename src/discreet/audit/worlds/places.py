"""Where people of whom the quasi-identifiers are known stand in a release: the groups that may be theirs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from discreet.arrays import IntArray
from discreet.audit.reading.exact_tables import Population, combination_codes
from discreet.audit.reading.view import AMBIGUOUS, BUCKETIZED, ReleaseView
from discreet.audit.worlds.label_join import covered


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
        found = np.where(self.many == 0, -1, -2)
        one = self.many == 1
        found[one] = self.groups[self.starts[:-1][one]]
        return found


def can_place(view: ReleaseView) -> bool:
    """Does the release say of each group who may be in it, one combination at a time?"""
    return view.publish != AMBIGUOUS


def places(view: ReleaseView, listed: Population) -> Places | None:
    """All groups whose labels cover each combination on the list (of a bucketized release: that have its very values).

    The list may have other columns than the release: what only one of them has tells nothing. None if people can't be
    placed: exact values of which some are not listed, or so many groups for everybody that they can't all be told.
    """
    if view.publish == BUCKETIZED:
        return _exact_places(view, listed) if {*view.quasi_identifiers} <= {*listed.columns} else None
    told = tuple(region for region in view.regions if region.attribute in listed.columns)
    found = covered(replace(view, regions=told), listed)
    return Places(found.starts, found.groups.astype(np.int64)) if found.held else None


def _exact_places(view: ReleaseView, listed: Population) -> Places:
    [table] = view.tables
    own, theirs = combination_codes(table, listed)
    pairs = np.unique(np.stack([own, table.group], axis=1), axis=0)
    low, high = np.searchsorted(pairs[:, 0], theirs), np.searchsorted(pairs[:, 0], theirs, side="right")
    many = np.where(theirs < 0, 0, high - low)
    starts = np.concatenate([[0], np.cumsum(many)])
    at = np.repeat(low - starts[:-1], many) + np.arange(starts[-1])
    return Places(starts, pairs[at, 1])
