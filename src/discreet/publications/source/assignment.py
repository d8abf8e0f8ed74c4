"""Can every published row be a row of the source of its own? Answered on counts, exactly.

What is published as it is (sensitive values, other columns) must be equal, so rows of different *kinds* never meet;
within a kind, a row of the source may be published in every group whose labels hold it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.errors import DataError, Mistake
from discreet.publications.published import group_sizes


@dataclass(frozen=True, eq=False)
class Labels:
    """What the groups of a release hold: of attribute d, group g the leaves in ``run[g·D + d]:run[g·D + d + 1]``.

    Runs go from `first` to `last`, apart and in order; `leaves` is how many leaves each attribute has.
    """

    run: IntArray
    first: Codes
    last: Codes
    leaves: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Offered:
    """Distinct rows of a source: the kind of each, its leaves (rows × attributes), and how often it occurs."""

    kind: IntArray
    codes: Codes
    count: IntArray


@dataclass(frozen=True, eq=False)
class Asked:
    """Distinct rows of a release: the kind of each, its group, and how often it occurs."""

    kind: IntArray
    group: IntArray
    count: IntArray


@dataclass(frozen=True, eq=False)
class Pairs:
    """Which places may stand in which group, and how often: of group g those in ``starts[g]:starts[g + 1]``."""

    starts: IntArray
    place: IntArray
    count: IntArray
    places: int


def pairs_of(group: IntArray, place: IntArray, count: IntArray, groups: int, places: int) -> Pairs:
    """The same from a list in any order, each pair once."""
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(groups + 1))
    return Pairs(starts.astype(np.int64), place[order], count[order], places)


def unplaced(offered: Offered, wanted: Asked, labels: Labels, met: IntArray | None = None) -> int:
    """How many published rows are left over, if every other one gets a row of the source that its labels hold.

    0 if and only if there is an assignment. In `met`, if given, runs that somebody who fits their group has become 1.

    >>> labels = Labels(np.array([0, 1, 2]), np.array([0, 1], np.int32), np.array([1, 2], np.int32), (3,))  # 0-1, 1-2
    >>> alike, once = np.zeros(2, np.int64), np.ones(2, np.int64)
    >>> people = lambda *leaves: Offered(alike, np.array([leaves], np.int32).T, once)
    >>> [unplaced(people(*p), Asked(alike, np.array([0, 1]), once), labels) for p in [(1, 2), (0, 1), (0, 0), (2, 2)]]
    [0, 0, 1, 1]
    """
    # Late: most re-checks need no compiled code.
    from discreet.publications.source.assignment_kernels import (
        MOST_EDGES,
        TOO_MANY,
        Asks,
        Offers,
        Runs,
        unmet_by_labels,
    )

    offers, asks, by_offer, by_ask = _by_kind(offered.kind, wanted.kind)
    codes = np.ascontiguousarray(offered.codes[by_offer], dtype=np.int32)
    missing = unmet_by_labels(
        Offers(offers, codes, offered.count[by_offer]),
        Asks(asks, wanted.group[by_ask], wanted.count[by_ask]),
        Runs(labels.run, labels.first, labels.last, np.array(labels.leaves, dtype=np.int64)),
        np.empty(0, dtype=np.int64) if met is None else met,
    )
    if (missing == TOO_MANY).any():
        rule = f"can't be compared with its source: labels overlap more than {MOST_EDGES:,} times"
        raise DataError(Mistake("release", rule, "compare it on a part of the table, or publish it with fewer groups"))
    return int(missing.sum())


def unpaired(kind: IntArray, place: IntArray, count: IntArray, wanted: Asked, pairs: Pairs) -> int:
    """The same where groups list who stands in them: entries of the source have a `place`, each once in a kind."""
    from discreet.publications.source.assignment_kernels import Asks, Listed, Offers, unmet_by_pairs

    offers, asks, by_offer, by_ask = _by_kind(kind, wanted.kind)
    source = Offers(offers, place[by_offer], count[by_offer])
    release = Asks(asks, wanted.group[by_ask], wanted.count[by_ask])
    listed = Listed(pairs.starts, pairs.place, pairs.count)
    return int(unmet_by_pairs(source, release, listed, pairs.places).sum())


def beyond(offered: IntArray, count: IntArray, wanted: Asked, kinds: int) -> int:
    """The same where labels don't overlap: `offered` has the group (or −1) of each row of the source, times the kinds.

    Everybody can be published in one way only, so counting decides.

    >>> asked = Asked(np.array([0, 1]), np.array([0, 0]), np.array([2, 1]))
    >>> beyond(np.array([0, 1, -1]), np.array([1, 5, 9]), asked, kinds=2)  # kind 0 of group 0 has one row, not two
    1
    """
    fits = offered >= 0
    keys = np.concatenate([offered[fits], wanted.group * kinds + wanted.kind])
    distinct, number = np.unique(keys, return_inverse=True)
    surplus = group_sizes(number, np.concatenate([-count[fits], wanted.count]), len(distinct))
    return int(np.maximum(surplus, 0).sum())


def _by_kind(offered: IntArray, wanted: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Where each kind begins and ends in the source and in the release, and what puts their entries in that order."""
    kinds = np.unique(wanted)
    by_offer = np.argsort(offered, kind="stable")
    sorted_offers = offered[by_offer]
    low, high = np.searchsorted(sorted_offers, kinds), np.searchsorted(sorted_offers, kinds, side="right")
    taken = np.repeat(low - np.concatenate([[0], np.cumsum(high - low)[:-1]]), high - low) + np.arange(
        (high - low).sum()
    )
    by_ask = np.argsort(wanted, kind="stable")
    offers = np.concatenate([[0], np.cumsum(high - low)]).astype(np.int64)
    asks = np.searchsorted(wanted[by_ask], np.append(kinds, np.iinfo(np.int64).max)).astype(np.int64)
    return offers, asks, by_offer[taken.astype(np.int64)], by_ask
