"""Which rows of the source may stand where in a release, and which of them surely do.

Rows of the source that are alike are one *kind*, published rows that are alike one *unit* of a group. Where every kind
fits one unit and fills it, it is plain whose rows a group has. Where labels overlap, or rows were left out one by one,
much follows all the same: a unit takes all that fit it, if these are no more than it has; and what a unit takes is
nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import BoolArray, IntArray
from discreet.audit.faults.comparison import Owners, Table
from discreet.audit.faults.comparison_apart import entries_beside, groups_beside
from discreet.audit.faults.comparison_labels import units_beside
from discreet.audit.faults.matching import turned
from discreet.audit.reading.release import ReleaseFiles, Rows
from discreet.audit.reading.view import ReleaseView

_MOST_PAIRS = 60_000_000  # of a person and a unit; more take too much memory


@dataclass(frozen=True, eq=False)
class Reach:
    """Kind i of the source may stand in ``units[starts[i]:starts[i + 1]]``; unit u has ``wanted[u]`` rows.

    Each unit is of a `group`, and looks like all units with the same number in `alike`. `values` are its places among
    the values of each sensitive attribute, in the order of the release's tallies; None where values stand apart. Then
    `like` is a kind with its quasi-identifiers.
    """

    starts: IntArray
    units: NDArray[Any]
    wanted: IntArray
    group: IntArray
    alike: IntArray
    values: tuple[IntArray, ...] | None
    like: IntArray | None = None


def reach_of_labels(release: ReleaseFiles, table: Table) -> Reach | None:
    """Where values are made coarser: published rows that are alike. None if too many kinds fit every one."""
    units = units_beside(release, table)
    if not units.fits.held:
        return None
    group = release.group[units.first]
    values = _values(release.view, release.grouped, np.flatnonzero(release.group >= 0), units.first)
    return Reach(units.fits.starts, units.fits.groups, units.wanted, group, group, values)


def reach_of_entries(release: ReleaseFiles, table: Table) -> Reach | None:
    """Where all values stand in tables apart: the sensitive values of a group. None if too many kinds fit."""
    found = entries_beside(release, table)
    if not found.held:
        return None
    starts, units = turned(found.starts, found.kinds, len(found.counts))
    everything = np.arange(len(found.values), dtype=np.int64)
    values = _values(release.view, found.values, everything, found.first)
    return Reach(starts, units, found.wanted, found.group, found.group, values)


def reach_of_people(release: ReleaseFiles, table: Table) -> Reach:
    """Where exact quasi-identifiers have a group: those that are alike in a group, whose values it has."""
    found = groups_beside(release, table)
    # Every kind has its quasi-identifiers in some groups; it stands in those that have its value, too.
    order = np.argsort(found.unit_key, kind="stable")
    low, high = (np.searchsorted(found.unit_key[order], found.kind_key, side=s) for s in ("left", "right"))
    many = high - low
    kind = np.repeat(np.arange(len(many)), many)
    unit = order[np.repeat(low - (np.cumsum(many) - many), many) + np.arange(len(kind))]
    there = np.isin(found.unit_group[unit] * found.span + found.kind_value[kind], found.values)
    starts = np.concatenate([[0], np.cumsum(np.bincount(kind[there], minlength=len(many)))]).astype(np.int64)
    alike = np.unique(found.unit_key, return_inverse=True)[1]
    order = np.argsort(found.kind_key, kind="stable")  # those that the source has not are torn anyway
    like = order[np.minimum(np.searchsorted(found.kind_key[order], found.unit_key), len(order) - 1)]
    return Reach(starts, unit[there], found.wanted, found.unit_group, alike, None, like)


def _values(view: ReleaseView, rows: Rows, kept: IntArray, first: IntArray) -> tuple[IntArray, ...]:
    """The value of some rows in each sensitive attribute, as a place among those that are published."""
    places = []
    for tally in view.tallies:
        codes = rows.column(tally.attribute)[1]
        used = np.flatnonzero(np.bincount(codes[kept]))
        places.append(np.searchsorted(used, codes[first]).astype(np.int64))
    return tuple(places)


@dataclass(frozen=True, eq=False)
class Owned:
    """Who owns published rows: person ``person[i]`` has at least ``sure[i]`` and at most ``most[i]`` rows of a unit.

    Each pair of a person and a unit stands there once. Units that are `torn` have rows that can't be of this source.
    """

    reach: Reach
    person: IntArray
    unit: IntArray
    sure: IntArray
    most: IntArray
    torn: BoolArray
    people: int  # of the source

    @property
    def exact(self) -> bool:
        """Is it plain whose rows all units have?"""
        return bool((self.sure == self.most).all()) and not self.torn.any()


def owned(reach: Reach, owners: Owners, counts: IntArray) -> Owned | None:
    """Whose rows the units of a release have, by whose the rows of its source are; None if they are too many pairs.

    `counts` are the rows of each kind. Of n rows that fit a unit of m, n − m are elsewhere: so many of a person's may
    be, and whoever has more has the others here.
    """
    from discreet.audit.faults.matching_kernels import by_unit  # late: loads numba
    from discreet.audit.people.reach_kernels import settled

    starts, units = reach.starts.astype(np.int64), reach.units.astype(np.int32)
    all_in = int(counts.sum()) == int(reach.wanted.sum())
    first, edges, kind = by_unit(starts, units, len(reach.wanted))
    alive, having = settled(starts, units, first, edges, kind, counts.astype(np.int64), reach.wanted, all_in)
    left = np.bincount(kind[alive], minlength=len(starts) - 1)
    many = left[owners.kind]
    if many.sum() > _MOST_PAIRS:
        return None
    before = np.concatenate([[0], np.cumsum(left)])[:-1]
    who = np.repeat(np.arange(len(many)), many)
    at = np.repeat(before[owners.kind] - (np.cumsum(many) - many), many) + np.arange(len(who))
    pair = owners.person[who] * len(reach.wanted) + units[alive][at]
    key, place = np.unique(pair, return_inverse=True)
    rows = np.bincount(place, weights=owners.rows[who], minlength=len(key)).astype(np.int64)
    person, unit = np.divmod(key, max(len(reach.wanted), 1))
    torn = having < reach.wanted
    elsewhere = np.maximum(having - reach.wanted, 0)[unit]
    sure = np.maximum(rows - elsewhere, 0)
    placed = np.bincount(unit, weights=sure, minlength=len(reach.wanted)).astype(np.int64)
    room = np.maximum(reach.wanted - placed, 0)[unit]
    most = sure + np.minimum(rows - sure, room)
    there = most > 0
    return Owned(reach, person[there], unit[there], sure[there], most[there], torn, owners.people)


@dataclass(frozen=True, eq=False)
class Standing:
    """The people of cells, which units are put together to: groups, or the rows of a value.

    Person ``person[i]`` has from ``sure[i]`` to ``most[i]`` rows in ``cell[i]``. A cell has `rows`, of `fewest` to
    `people` different people; the one with most of them has from `most_at_least` to `most_rows`.

    >>> from discreet.audit.faults.comparison import Owners
    >>> whole = Reach(np.array([0, 1]), np.array([0]), np.array([4]), np.array([0]), np.array([0]), None)
    >>> visits = Owners(np.array([0, 0, 0]), np.array([0, 1, 2]), np.array([3, 1, 1]), 3)
    >>> at = standing(owned(whole, visits, np.array([5])), np.array([0]), 1)  # four rows of a, a, a, b and c
    >>> at.fewest.tolist(), at.people.tolist(), at.most_at_least.tolist(), at.most_rows.tolist()
    ([2], [3], [2], [3])
    """

    person: IntArray
    cell: IntArray
    sure: IntArray
    most: IntArray
    rows: IntArray
    fewest: IntArray
    people: IntArray
    most_at_least: IntArray
    most_rows: IntArray
    torn: BoolArray

    @property
    def known(self) -> BoolArray:
        """Is it known how many people a cell has?"""
        known: BoolArray = (self.fewest == self.people) & ~self.torn
        return known

    @property
    def exact(self) -> bool:
        """Is it known of everybody how many rows of every cell are theirs?"""
        return bool((self.sure == self.most).all()) and not self.torn.any()


def standing(owners: Owned, cell: IntArray, cells: int) -> Standing:
    """Put units together: unit u belongs to ``cell[u]``, of so many `cells`; those with −1 to none.

    At least the people who surely have rows there are in a cell, and as many more as its other rows need, if whoever
    may have most of them comes first. At most everybody has one of those.
    """
    reach = owners.reach
    inside = cell[owners.unit] >= 0
    key = owners.person[inside] * max(cells, 1) + cell[owners.unit[inside]]
    pairs, place = np.unique(key, return_inverse=True)
    person, at = np.divmod(pairs, max(cells, 1))
    sure, most = (
        np.bincount(place, weights=column[inside], minlength=len(pairs)).astype(np.int64)
        for column in (owners.sure, owners.most)
    )
    own = np.flatnonzero(cell >= 0)
    rows = np.bincount(cell[own], weights=reach.wanted[own], minlength=cells).astype(np.int64)
    torn = np.bincount(cell[own], weights=owners.torn[own], minlength=cells) > 0
    need = np.maximum(rows - np.bincount(at, weights=sure, minlength=cells).astype(np.int64), 0)
    most = sure + np.minimum(most - sure, need[at])
    there = most > 0
    person, at, sure, most = person[there], at[there], sure[there], most[there]
    surely = np.bincount(at[sure > 0], minlength=cells)
    fewest = np.maximum(surely, _first_to_fill(at, sure, most, need))
    maybe = np.bincount(at[sure == 0], minlength=cells)
    people = surely + np.minimum(maybe, need)
    most_rows, at_least = np.zeros(cells, dtype=np.int64), np.zeros(cells, dtype=np.int64)
    np.maximum.at(most_rows, at, most)
    np.maximum.at(at_least, at, sure)
    np.maximum(at_least, -(-rows // np.maximum(people, 1)), out=at_least)
    np.minimum(at_least, most_rows, out=at_least)
    return Standing(person, at, sure, most, rows, np.minimum(fewest, people), people, at_least, most_rows, torn)


def _first_to_fill(cell: IntArray, sure: IntArray, most: IntArray, need: IntArray) -> IntArray:
    """How many people of each cell are counted until the rows that are not surely anybody's are theirs.

    Those come first who surely are in it, then those who may have most.
    """
    spare = most - sure
    order = np.lexsort((-spare, sure == 0, cell))
    cell, spare = cell[order], spare[order]
    before = np.cumsum(spare) - spare
    starts = np.searchsorted(cell, np.arange(len(need)))
    of_cell = np.concatenate([before, [0]])[np.minimum(starts, len(before))]
    return np.bincount(cell[before - of_cell[cell] < need[cell]], minlength=len(need))
