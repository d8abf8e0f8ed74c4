"""Groups: the rows of a release that can't be told apart, as models see them. Counts only, never a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray, number_equal
from discreet.counts.coding import merged
from discreet.counts.frequency import FrequencySet, Joint, Marginals
from discreet.counts.owners import OwnedGroups
from discreet.hierarchies.hierarchy import Hierarchy


class Pairs(NamedTuple):
    """A tally for compiled loops: group g has the pairs ``offsets[g]:offsets[g + 1]`` of `values` and `counts`."""

    offsets: IntArray
    values: Codes
    counts: IntArray


@dataclass(frozen=True, eq=False)
class Tally:
    """How often each sensitive value occurs in each group, as n(q, s) > 0 only.

    Group g has the pairs ``offsets[g]:offsets[g + 1]`` of `values` and `counts`, in no particular order.
    `reference` is the distribution that counts as known to everybody: how many rows of the whole table have each
    value (models that compare with "the table" compare with this).
    """

    offsets: IntArray
    values: Codes
    counts: IntArray
    reference: IntArray
    hierarchy: Hierarchy

    @property
    def pairs(self) -> Pairs:
        """The pairs alone, for compiled loops."""
        return Pairs(self.offsets, self.values, self.counts)


@dataclass(frozen=True, eq=False)
class Together:
    """How often each combination of sensitive values occurs in each group: a tally of their numbers in `joint`."""

    offsets: IntArray
    values: Codes
    counts: IntArray
    joint: Joint

    def cells(self, attribute: str, tally_of_groups: Tally) -> tuple[Groups, IntArray]:
        """The groups as they look to whoever knows all sensitive values of people but one, and the group of each.

        Rows that differ in the other values are told apart; `tally_of_groups` says what the attribute is compared with.
        """
        group = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        cell = number_equal([group, self.joint.others(attribute)[self.values]], len(group))
        own = self.joint.values[attribute][self.values]
        first = np.unique(cell, return_index=True)[1]
        sizes = np.bincount(cell, weights=self.counts, minlength=len(first)).astype(np.int64)
        t = tally_of_groups
        counted = tally(cell, own, self.counts, len(first), t.reference, t.hierarchy)
        return Groups(sizes, {attribute: counted}), group[first]


@dataclass(frozen=True, eq=False)
class People:
    """Who stands in each group, where a release shows it: exact quasi-identifiers, equal people counted together.

    Group g has the entries ``offsets[g]:offsets[g + 1]`` of `codes` (a column of leaf numbers per quasi-identifier) and
    `counts`, in the order of their codes. `table` is the source itself, for adversaries who know its distributions;
    None where the files of a release are read without it. Where people have several rows, entries are told apart by
    whose they are (`person`), too.
    """

    offsets: IntArray
    codes: tuple[Codes, ...]
    counts: IntArray
    hierarchies: tuple[Hierarchy, ...]
    table: FrequencySet | None = None
    person: Codes | None = None

    @property
    def group(self) -> IntArray:
        """The group of each entry."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def distinct(self, attributes: Sequence[int]) -> IntArray:
        """Per group, how many different combinations of these attributes it has."""
        return self.entries([attributes]).distinct[:, 0]

    def entries(self, tables: Sequence[Sequence[int]]) -> Entries:
        """What each group lists in tables of these attributes."""
        others = None if self.table is None else self.table.population
        return entries_of(
            [(self.group, [self.codes[d] for d in table]) for table in tables],
            len(self.offsets) - 1,
            None if others is None else [[others.codes[d] for d in table] for table in tables],
        )


@dataclass(frozen=True, eq=False)
class Entries:
    """What each group lists, where its values are published in tables apart: each combination of a table once.

    Of group g, table t has the numbers ``codes[t][offsets[t][g]:offsets[t][g + 1]]``, in their order. They mean a
    combination of that table, the same one in every group.

    Where a promise is about a population, `others` are its people: a row for each combination of values that somebody
    has, with its number in every table, or −1 where no group lists it.
    """

    offsets: tuple[IntArray, ...]
    codes: tuple[IntArray, ...]
    others: IntArray | None = None

    @property
    def distinct(self) -> IntArray:
        """Per group (row) and table (column), how many there are."""
        return np.stack([np.diff(offsets) for offsets in self.offsets], axis=1)

    def where(self, chosen: BoolArray) -> Entries:
        """Those of the chosen groups alone."""
        offsets, codes = [], []
        for first, code in zip(self.offsets, self.codes, strict=True):
            many = np.diff(first)
            offsets.append(np.concatenate([[0], np.cumsum(many[chosen])]).astype(np.int64))
            codes.append(code[np.repeat(chosen, many)])
        return Entries(tuple(offsets), tuple(codes), self.others)


@dataclass(frozen=True, eq=False)
class Outside:
    """What is known, one attribute at a time, of the people who are not in the table.

    Group g shows the leaves ``low[g, d]..high[g, d]`` of attribute d.
    """

    low: Codes
    high: Codes
    marginals: Marginals

    @cached_property
    def counts(self) -> IntArray:
        """Per group and attribute, how many of them have one of the leaves that the group shows."""
        return self._between(self.marginals.running)

    @cached_property
    def possible(self) -> IntArray:
        """Per group and attribute, how many leaves that anybody has are among those that the group shows."""
        return self._between(self.marginals.running_possible)

    def where(self, some: BoolArray) -> Outside:
        """Only some of the groups."""
        return self if some.all() else Outside(self.low[some], self.high[some], self.marginals)

    def _between(self, running: Sequence[IntArray]) -> IntArray:
        between = np.empty(self.low.shape, dtype=np.int64)
        for d, before in enumerate(running):
            between[:, d] = before[self.high[:, d] + 1] - before[self.low[:, d]]
        return between


@dataclass(frozen=True, eq=False)
class Groups:
    """Sizes n(q), and one tally per sensitive attribute.

    Releases of exact values have more to judge: `people`, and where these are published apart, `distinct`: how many
    different combinations each table (column) has of each group (row), and `entries`: which.

    Promises about who is in the table look outside of it: `population` is how many people of the population fall in
    each group (its own rows included), `outside` what marginals tell. Then a group may have no rows at all. `left_out`
    rows of the table and `elsewhere` people of the population (with those rows) are in none of the groups. Where it is
    known whose rows are left out, whoever is in the table, `hidden` of them are those people; else it is None.

    `together` tells which sensitive values stand in one row, where a promise asks for it. `owners` tells whose rows
    they are, where people have several; else a row is a person. `wishes` are what the people of each group ask for,
    where it is known.
    """

    sizes: IntArray
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    people: People | None = None
    distinct: IntArray | None = None
    entries: Entries | None = None
    population: IntArray | None = None
    outside: Outside | None = None
    left_out: int = 0
    elsewhere: int = 0
    hidden: int | None = None
    together: Together | None = None
    owners: OwnedGroups | None = None
    wishes: Tally | None = None

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def unpublished(self) -> tuple[IntArray, IntArray]:
        """Rows and people of those in none of the groups: who may be left out, and who is known not to be in."""
        return unpublished(self.left_out, self.elsewhere, self.hidden)

    def where(self, chosen: BoolArray) -> Groups:
        """The chosen groups alone; everybody in the others is in none."""
        if chosen.all():
            return self
        number, many = np.cumsum(chosen) - 1, int(chosen.sum())
        tallies = {name: _where(t, chosen) for name, t in self.tallies.items()}
        together = self.together
        if together is not None:
            group = np.repeat(np.arange(len(self)), np.diff(together.offsets))
            here = chosen[group]
            together = stand_together(
                number[group[here]], together.values[here], together.counts[here], many, together.joint
            )
        people = self.people
        if people is not None:
            group = people.group
            here = chosen[group]
            codes = tuple(c[here] for c in people.codes)
            person = None if people.person is None else people.person[here]
            people = people_of(
                number[group[here]], codes, people.counts[here], many, people.hierarchies, people.table, person
            )
        return replace(
            self.rest_of(chosen),
            tallies=tallies,
            people=people,
            distinct=None if self.distinct is None else self.distinct[chosen],
            entries=None if self.entries is None else self.entries.where(chosen),
            together=together,
            owners=None if self.owners is None else self.owners.where(chosen),
            wishes=None if self.wishes is None else _where(self.wishes, chosen),
        )

    def among_themselves(self) -> Groups:
        """The same groups, compared with all of them together: what a reader has who sees nothing but them.

        Whose rows they are is not published.
        """
        return replace(self, tallies={name: _own(t) for name, t in self.tallies.items()}, owners=None)

    @property
    def persons(self) -> IntArray:
        """How many people stand in each group; as many as rows, where nothing else is known."""
        return self.sizes if self.owners is None else self.owners.people

    @property
    def most_rows(self) -> IntArray:
        """The most rows that one person has in each group."""
        return np.minimum(self.sizes, 1) if self.owners is None else self.owners.most

    def of_people(self, attribute: str) -> Groups:
        """The same groups in people: sizes are how many there are, or if it is about an attribute, each person counts
        once for each value that he has.
        """
        if self.owners is None:
            return self
        if not attribute:
            return Groups(self.owners.people)
        t = self.tallies[attribute]
        offsets, values, counts = self.owners.values(attribute)
        sizes = np.bincount(
            np.repeat(np.arange(len(self)), np.diff(offsets)), weights=counts, minlength=len(self)
        ).astype(np.int64)
        tallied = Tally(offsets, values, counts, self.owners.reference(attribute), t.hierarchy)
        return Groups(sizes, {attribute: tallied}, wishes=self.wishes)

    def in_people(self) -> Groups:
        """The same groups for promises that compare them with a population: sizes, and who is left out, in people.

        Only of people who don't move: they are in one group, or left out, and add up like rows.
        """
        owners = self.owners
        if owners is None:
            return self
        assert owners.constant, "who moves is in several groups, or in one and left out"
        left_out = owners.everybody - int(owners.people.sum()) if self.left_out else 0
        return replace(
            self,
            sizes=owners.people,
            tallies={},
            people=None,
            left_out=left_out,
            together=None,
            owners=None,
            wishes=None,
        )

    def rest_of(self, chosen: BoolArray) -> Groups:
        """What is known of the population if only the chosen groups are published; without tallies and people."""
        outside, population = self.outside, self.population
        return Groups(
            self.sizes[chosen],
            population=None if population is None else population[chosen],
            outside=None if outside is None else replace(outside, low=outside.low[chosen], high=outside.high[chosen]),
            left_out=self.left_out + int(self.sizes[~chosen].sum()),
            elsewhere=self.elsewhere + (0 if population is None else int(population[~chosen].sum())),
        )


def unpublished(left_out: int, elsewhere: int, hidden: int | None) -> tuple[IntArray, IntArray]:
    """Rows and people of the parts of `elsewhere` people that can be told apart.

    >>> unpublished(2, 12, 4)
    (array([2, 0]), array([4, 8]))
    """
    if hidden is None:
        hidden = elsewhere
    parts = [(left_out, hidden), (0, elsewhere - hidden)]
    found = [(rows, people) for rows, people in parts if rows or people]
    return np.array([r for r, _ in found], dtype=np.int64), np.array([p for _, p in found], dtype=np.int64)


def _where(t: Tally, chosen: BoolArray) -> Tally:
    """The tally of the chosen groups alone."""
    group = np.repeat(np.arange(len(chosen)), np.diff(t.offsets))
    here = chosen[group]
    number = (np.cumsum(chosen) - 1)[group[here]]
    return tally(number, t.values[here], t.counts[here], int(chosen.sum()), t.reference, t.hierarchy)


def _own(t: Tally) -> Tally:
    counts = np.bincount(t.values, weights=t.counts, minlength=len(t.reference))
    return replace(t, reference=counts.astype(np.int64))


def tally(
    group: IntArray,
    value: Codes,
    count: IntArray,
    groups: int,
    reference: IntArray,
    hierarchy: Hierarchy,
) -> Tally:
    """Add up (group, value, count) triples, given in any order and with repetitions."""
    from discreet.counts.kernels import merge_tallies  # late: reading a policy should not wait for numba

    each = np.arange(len(group) + 1, dtype=np.int64)  # every triple a tally of its own, merged by group
    offsets, values, counts = merge_tallies(
        group.astype(np.int32), groups, each, value.astype(np.int32), np.ascontiguousarray(count), len(reference)
    )
    return Tally(offsets, values, counts, reference, hierarchy)


def stand_together(group: IntArray, codes: Codes, count: IntArray, groups: int, joint: Joint) -> Together:
    """Add up (group, number of a combination, count) triples, given in any order and with repetitions."""
    from discreet.counts.kernels import merge_tallies  # late, as above

    each = np.arange(len(group) + 1, dtype=np.int64)
    offsets, values, counts = merge_tallies(
        group.astype(np.int32), groups, each, codes.astype(np.int32), count, len(joint)
    )
    return Together(offsets, values, counts, joint)


def rows_together(f: FrequencySet, row: IntArray, count: IntArray, group: IntArray, groups: int) -> Together | None:
    """The same for combinations of a frequency set, if a promise asks for it."""
    joint = f.joint
    return None if joint is None else stand_together(group, joint.codes[row], count, groups, joint)


def entries_of(
    tables: Sequence[tuple[IntArray, Sequence[Codes]]],
    groups: int,
    others: Sequence[Sequence[Codes]] | None = None,
) -> Entries:
    """What each group lists, from the group and the codes of each row of every table, in any order.

    `others` have the codes of a population's people in every table; of values that nobody lists, any other number.

    >>> listed = entries_of([(np.array([1, 0, 1, 1]), [np.array([5, 5, 2, 5])])], 2)
    >>> listed.offsets, listed.codes
    ((array([0, 1, 3]),), (array([1, 0, 1]),))
    """
    offsets, codes, theirs = [], [], []
    for t, (group, columns) in enumerate(tables):
        rows = len(group)
        beside = columns if others is None else [np.concatenate(pair) for pair in zip(columns, others[t], strict=True)]
        number = number_equal(beside, len(beside[0]))
        span = int(number[:rows].max(initial=0)) + 1
        of_group, code = np.divmod(np.unique(group * span + number[:rows]), span)
        offsets.append(np.searchsorted(of_group, np.arange(groups + 1)).astype(np.int64))
        codes.append(code)
        theirs.append(np.where(np.isin(number[rows:], code), number[rows:], -1))
    return Entries(tuple(offsets), tuple(codes), None if others is None else np.stack(theirs, axis=1))


def people_of(
    group: IntArray,
    codes: Sequence[Codes],
    count: IntArray,
    groups: int,
    hierarchies: Sequence[Hierarchy],
    table: FrequencySet | None = None,
    person: Codes | None = None,
) -> People:
    """Put (group, quasi-identifiers, count) entries, given in any order and with repetitions, in order.

    If it is known whose they are (`person`), those of different people stay apart.
    """
    sizes, told_apart = [groups, *(len(h.leaves) for h in hierarchies)], [group, *codes]
    if person is not None:
        sizes, told_apart = [*sizes, int(person.max(initial=0)) + 1], [*told_apart, person]
    (of_entry, *columns), counts = merged(told_apart, sizes, count)
    owner = None if person is None else columns.pop()
    offsets = np.searchsorted(of_entry, np.arange(groups + 1)).astype(np.int64)
    return People(offsets, tuple(columns), counts, tuple(hierarchies), table, owner)
