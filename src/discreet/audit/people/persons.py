"""The people of a release, counted: a view of it in which groups have people, not rows.

Each person counts once in a group, and once for each value that he has there; groups are compared with the people of
the source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.arrays import BoolArray, IntArray, number_equal
from discreet.audit.faults.comparison import Owners, Table
from discreet.audit.people.reach import Owned, Standing, owned, standing
from discreet.audit.reading.equal_values import alike
from discreet.audit.reading.release import ReleaseFiles
from discreet.audit.reading.view import Bounds, ReleaseView, Tally
from discreet.audit.reading.whose import Ownership


@dataclass(frozen=True, eq=False)
class Persons:
    """Who stands where: `groups` has the people of each group, `wholes` the values of the source's people.

    `rows` is the release by rows, `table_rows` how many rows everybody has in the source, which is the `table`.
    """

    rows: ReleaseView
    owners: Owned
    groups: Standing
    wholes: Mapping[str, tuple[tuple[str | None, ...], IntArray]]
    table_rows: IntArray
    table: Table

    @cached_property
    def together(self) -> Standing:
        """Everybody, in the whole release."""
        return standing(self.owners, np.zeros(len(self.owners.reach.wanted), dtype=np.int64), 1)

    @property
    def people(self) -> int:
        """How many different people are published, or at most may be."""
        return int(self.together.people[0])

    @cached_property
    def several(self) -> int:
        """How many people have rows in several groups, or may have."""
        return int((np.bincount(self.groups.person, minlength=1) > 1).sum())

    @property
    def settled(self) -> bool:
        """Does everybody stand in one group, and is it known which?"""
        return self.groups.exact and self.several == 0

    @property
    def one_each(self) -> bool:
        """Has nobody two rows in the source?"""
        return int(self.table_rows.max(initial=0)) <= 1

    @cached_property
    def view(self) -> ReleaseView:
        """The release by people."""
        groups = np.arange(len(self.rows.sizes), dtype=np.int64)
        left = max(self.owners.people - self.people, 0)
        return replace(self._by_people(self.rows, self.owners.reach.group, groups), starred=0, left_out=left)

    def _by_people(self, parts: ReleaseView, cell: IntArray, group: IntArray) -> ReleaseView:
        """Parts of groups by people: unit u belongs to part ``cell[u]``, part i to ``group[i]``."""
        if self.owners.reach.values is None:
            return self._where_values_are_apart(parts, group)
        at = standing(self.owners, cell, len(parts.sizes))
        having = {tally.attribute: self._having(tally, cell) for tally in parts.tallies}
        return self._viewed(parts, at.fewest, (at.people, at.most_at_least, at.most_rows), having)

    def _where_values_are_apart(self, parts: ReleaseView, group: IntArray) -> ReleaseView:
        """Which value is whose is hidden: it is known how many people have it where nobody has two rows of a group."""
        at, several = self.groups, self.groups.most_rows[group] > 1
        having = {tally.attribute: (tally.count, ~several[tally.group]) for tally in parts.tallies}
        if len(group) == len(at.rows):  # whole groups
            return self._viewed(parts, at.fewest, (at.people, at.most_at_least, at.most_rows), having)
        one = np.ones_like(parts.sizes)
        bounds = (parts.sizes, one, np.minimum(at.most_rows[group], parts.sizes))
        return self._viewed(parts, np.where(several, one, parts.sizes), bounds, having)

    def _viewed(
        self,
        parts: ReleaseView,
        fewest: IntArray,
        bounds: tuple[IntArray, IntArray, IntArray],
        having: Mapping[str, tuple[IntArray, BoolArray]],
    ) -> ReleaseView:
        tallies, left_open = [], {}
        for tally in parts.tallies:
            count, known = having[tally.attribute]
            tallies.append(replace(tally, count=count, whole=self.wholes[tally.attribute]))
            left_open[tally.attribute] = np.bincount(tally.group[~known], minlength=len(fewest)) > 0
        return replace(
            parts,
            sizes=fewest,
            tallies=tuple(tallies),
            whose=Ownership(self.rows.whose.person, one_each=True),
            bounds=Bounds(parts, *bounds, left_open, self._told_apart),
        )

    def _having(self, tally: Tally, cell: IntArray) -> tuple[IntArray, BoolArray]:
        """How many people of each part have each value, at least, and whether that is known: by entry of a tally."""
        reach = self.owners.reach
        assert reach.values is not None
        value = reach.values[[t.attribute for t in self.rows.tallies].index(tally.attribute)]
        width = max(len(tally.values), 1)
        entry = np.searchsorted(tally.group * width + tally.value, cell * width + value)
        at = standing(self.owners, entry, len(tally.count))
        return np.maximum(at.fewest, 1), at.known

    def _told_apart(self, parts: ReleaseView, group: IntArray, others: Sequence[str]) -> ReleaseView:
        reach = self.owners.reach
        if reach.values is None:
            return self._by_people(parts, reach.group, group)
        names = [tally.attribute for tally in self.rows.tallies]
        columns = [reach.group, *(reach.values[names.index(name)] for name in others)]
        return self._by_people(parts, number_equal(columns, len(reach.group)), group)


def count_people(release: ReleaseFiles, table: Table) -> Persons | None:
    """Count the people of a release by the table that it was made of; None if it can't be told who may be where."""
    if table.owners is None:
        return None
    view, counts = release.view, table.frequencies.counts
    reach = view.kind.reach(release, table)
    owners = None if reach is None else owned(reach, table.owners, counts)
    if reach is None or owners is None:
        return None
    groups = standing(owners, reach.group, len(view.sizes))
    wholes = {tally.attribute: _whole(release, table, table.owners, tally) for tally in view.tallies}
    rows = np.bincount(table.owners.person, weights=table.owners.rows, minlength=table.owners.people)
    return Persons(view, owners, groups, wholes, rows.astype(np.int64), table)


def _whole(
    release: ReleaseFiles, table: Table, owners: Owners, tally: Tally
) -> tuple[tuple[str | None, ...], IntArray]:
    """How many people of the source have each value of an attribute; the published values first."""
    texts = table.values(tally.attribute)
    place = alike(texts, tally.values, blank_is_null=not release.description.manifest)
    strange = place < 0
    place[strange] = len(tally.values) + np.arange(int(strange.sum()))
    values = (*tally.values, *(text for text, other in zip(texts, strange, strict=True) if other))
    value = place[table.codes(tally.attribute)][owners.kind]
    pairs = np.sort(owners.person * len(values) + value)
    once = pairs[np.diff(pairs, prepend=-1) > 0] % max(len(values), 1)
    return values, np.bincount(once, minlength=len(values)).astype(np.int64)
