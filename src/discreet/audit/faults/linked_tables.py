"""Two tables of a bucketized release that are both in the order of the source: then the first person of a group has
its first value, the second the second, and the groups hide nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from discreet.arrays import IntArray, number_equal
from discreet.audit.faults.comparison import Table
from discreet.audit.faults.row_order import at_least
from discreet.audit.reading.equal_values import alike
from discreet.audit.reading.labels import Text
from discreet.audit.reading.release import ReleaseFiles, Rows

_LARGEST = 20_000_000  # people times values of their group, from which on nothing is said


def chance_of_links(release: ReleaseFiles, people: Rows, values: Rows, sensitive: str, table: Table) -> float | None:
    """How likely chance makes as many people as do fit the value that stands at the same place in their group.

    A person and a value fit if somebody in the source has both. Chernoff's bound, given how many values of the group
    fit each person. None if these are too many to be looked at.
    """
    group, order = _by_group(people, release.description.group)
    also, other = _by_group(values, release.description.group)
    if not np.array_equal(group, also):
        return 1.0
    person, known = people_keys(release, people, table)
    value, theirs = _places(release, values, sensitive, table)
    width = len(table.values(sensitive)) + 1
    having = np.unique(known * width + theirs)
    fitting = int(np.isin(person[order] * width + value[other], having).sum())
    # Every person with every value of the group: in how many of the orders the two meet.
    pair, count = np.unique(group * width + value[other], return_counts=True)
    starts = np.searchsorted(pair // width, np.arange(int(group.max(initial=-1)) + 2))
    entries = np.diff(starts)[group]
    if entries.sum() > _LARGEST:
        return None
    who = np.repeat(np.arange(len(group)), entries)
    at = np.arange(len(who)) - np.repeat(np.cumsum(entries) - entries, entries) + np.repeat(starts[group], entries)
    meets = np.isin(person[order][who] * width + pair[at] % width, having)
    size = np.bincount(group)[group[who]]
    return at_least(fitting, len(group), float((meets * count[at] / size).sum()) / max(len(group), 1))


def _by_group(rows: Rows, column: str) -> tuple[IntArray, IntArray]:
    """The groups in the order of their names, and the rows of each as they stand."""
    names, codes = rows.column(column)
    rank = np.argsort(np.argsort(np.array([str(name) for name in names])))
    order = np.argsort(rank[codes], kind="stable")
    return rank[codes][order].astype(np.int64), order


@dataclass(frozen=True, eq=False)
class PeopleInGroups:
    """In which groups of tables apart, which have the same groups, people of the source are.

    ``person[i]`` is a number for the quasi-identifiers of the i-th combination of the source. `pairs` are the groups,
    and the persons who are in them; `number` has that of each group, by its name.
    """

    person: IntArray
    pairs: tuple[IntArray, IntArray]
    number: Mapping[Text, int]

    def of_rows(self, rows: Rows, column: str) -> IntArray:
        """The group of every row of a table."""
        names, codes = rows.column(column)
        return np.fromiter(map(self.number.__getitem__, names), np.int64, len(names))[codes]


def people_in_groups(release: ReleaseFiles, table: Table) -> PeopleInGroups:
    """Who of the source is in which groups, by the table of people."""
    people = next(each for each in release.files if {*each.columns} & {*release.description.quasi_identifiers})
    names, group = people.column(release.description.group)
    person, known = people_keys(release, people, table)
    width = int(max(person.max(initial=0), known.max(initial=0))) + 1
    pairs = np.sort(group.astype(np.int64) * width + person)
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # distinct ones; np.unique is much slower
    return PeopleInGroups(known, (pairs // width, pairs % width), dict(zip(names, range(len(names)), strict=True)))


def people_keys(release: ReleaseFiles, people: Rows, table: Table) -> tuple[IntArray, IntArray]:
    """A number for each combination of quasi-identifiers, the same in the release and in the source."""
    pairs = [_places(release, people, c, table) for c in release.description.quasi_identifiers]
    numbers = number_equal([np.concatenate(both) for both in pairs], len(people) + len(table.frequencies.counts))
    return numbers[: len(people)], numbers[len(people) :]


def _places(release: ReleaseFiles, rows: Rows, column: str, table: Table) -> tuple[IntArray, IntArray]:
    """The place of each row's value among those of the source, and of each combination's there; the one after the last
    for a value that the source has not."""
    values, (texts, codes) = table.values(column), rows.column(column)
    blank = not release.description.manifest
    own, theirs = (alike(several, values, blank_is_null=blank) for several in (texts, values))
    return np.where(own < 0, len(values), own)[codes], theirs[table.codes(column)]
