"""The frequency set: the distinct (quasi-identifiers…, sensitive…) combinations of a table, with their counts.

Nearly everything here needs no more than this: rows with equal values are interchangeable.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Codes, IntArray, number_equal
from discreet.counts.owners import OwnedGroups, Owners, alone, owned
from discreet.hierarchies.hierarchy import Hierarchy

if TYPE_CHECKING:
    from discreet.counts.groups import Tally

Edge = tuple[int, int]  # two attributes by their places, the first one first


@dataclass(frozen=True, eq=False)
class Population:
    """Everybody who could be in a table, those who are in it included: quasi-identifiers only, each combination once.

    The codes are leaf numbers of the same hierarchies as the table's.
    """

    codes: tuple[Codes, ...]
    counts: IntArray

    @cached_property
    def size(self) -> int:
        """How many people there are."""
        return int(self.counts.sum())


@dataclass(frozen=True, eq=False)
class Pairs:
    """How values of two attributes go together: ``counts[i, j][a, b]`` people have leaf a of i and leaf b of j, i < j.

    By `edges`, some of these pairs, the attributes hang together as a tree (or several).
    """

    counts: Mapping[Edge, IntArray]
    edges: tuple[Edge, ...]


@dataclass(frozen=True, eq=False)
class Marginals:
    """What is known of the people who are *not* in a table: one attribute at a time, or also two (`pairs`).

    `counts[d][leaf]` of them have a leaf of attribute d, and `size` is how many they are. `possible[d][leaf]` says
    whether anybody has it, in the table or not.
    """

    counts: tuple[IntArray, ...]
    possible: tuple[NDArray[np.bool_], ...]
    size: int
    pairs: Pairs | None = None

    @cached_property
    def running(self) -> tuple[IntArray, ...]:
        """Per attribute, how many have a leaf before each: leaves a..b are had by ``running[b + 1] - running[a]``."""
        return tuple(np.concatenate([[0], np.cumsum(c)]).astype(np.int64) for c in self.counts)

    @cached_property
    def running_possible(self) -> tuple[IntArray, ...]:
        """The same for the number of possible leaves."""
        return tuple(np.concatenate([[0], np.cumsum(c)]).astype(np.int64) for c in self.possible)


@dataclass(frozen=True, eq=False)
class Joint:
    """The sensitive values of a row as one number: ``values[attribute][number]`` is the value that stands for.

    >>> joint = Joint.of({"disease": np.array([0, 1, 0]), "drug": np.array([2, 2, 2])})
    >>> joint.codes.tolist(), joint.values["disease"].tolist(), joint.values["drug"].tolist()
    ([0, 1, 0], [0, 1], [2, 2])
    """

    codes: Codes  # the number of each row, or combination
    values: Mapping[str, Codes]

    @classmethod
    def of(cls, columns: Mapping[str, Codes]) -> Joint:
        """Number the combinations of some coded columns."""
        codes = number_equal(list(columns.values()), len(next(iter(columns.values()))))
        first = np.unique(codes, return_index=True)[1]
        return cls(codes.astype(np.int32), {name: column[first] for name, column in columns.items()})

    def __len__(self) -> int:
        """How many numbers there are."""
        return len(next(iter(self.values.values())))

    def others(self, attribute: str) -> IntArray:
        """For each number, one for the values of all attributes but one: the same for equal values."""
        return number_equal([codes for name, codes in self.values.items() if name != attribute], len(self))


@dataclass(frozen=True, eq=False)
class Seats:
    """A person's rows with the same quasi-identifiers, which always stand together: whoever knows the person knows how
    many they are. Seat i has the combinations ``entry[starts[i]:starts[i + 1]]`` of a frequency set `by_person`.
    """

    apart: FrequencySet
    starts: IntArray
    entry: IntArray

    def entries(self, seat: IntArray, group: IntArray) -> tuple[IntArray, IntArray]:
        """The combinations of some seats, and the group of each."""
        many = self.starts[seat + 1] - self.starts[seat]
        nth = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
        return self.entry[np.repeat(self.starts[seat], many) + nth], np.repeat(group, many)


@dataclass(frozen=True, eq=False)
class FrequencySet:
    """Coded combinations; the codes are leaf numbers of each attribute's hierarchy.

    `hierarchies` are those of the quasi-identifiers, in order. A sensitive attribute has a hierarchy too (flat, if
    nobody gave one): it knows the values and their order. `population` and `marginals` are there where a promise speaks
    of people outside of the table.

    Where a table was looked at no closer than it is published, a quasi-identifier's leaf stands for all those that it
    is published with; `leaf_rows` then tells how many rows have each leaf.

    If it is `tied`, a promise asks which sensitive values stand in one row (see `joint`). `owners` says whose rows they
    are, where somebody has several; else every row is taken for a person. If it has `seats`, its combinations are
    those, and what sensitive values they have is known of their rows. `wishes` are what the people of each combination
    ask for, where a promise reads it (see `counts/wishes.py`).
    """

    hierarchies: tuple[Hierarchy, ...]
    codes: tuple[Codes, ...]
    sensitive: Mapping[str, Codes]
    sensitive_hierarchies: Mapping[str, Hierarchy]
    counts: IntArray
    population: Population | None = None
    marginals: Marginals | None = None
    leaf_rows: tuple[IntArray, ...] | None = None
    tied: bool = False
    owners: Owners | None = None
    seats: Seats | None = None
    wishes: Tally | None = None

    @cached_property
    def joint(self) -> Joint | None:
        """The sensitive values of each combination as one number, where somebody asks for them."""
        return Joint.of(self.sensitive) if self.tied else None

    @cached_property
    def rows(self) -> int:
        """How many rows the table has."""
        return int(self.counts.sum())

    def rows_by_leaf(self, attribute: int) -> IntArray:
        """How many rows have each leaf of a quasi-identifier."""
        return self.counted_leaves[attribute] if self.leaf_rows is None else self.leaf_rows[attribute]

    @cached_property
    def counted_leaves(self) -> tuple[IntArray, ...]:
        """Per quasi-identifier, how many rows are counted at each leaf: several parts of a report ask for it."""
        counts = self.counts.astype(np.float64)  # once: each sum of weights would do it again
        return tuple(
            np.bincount(codes, weights=counts, minlength=len(h.leaves)).astype(np.int64)
            for h, codes in zip(self.hierarchies, self.codes, strict=True)
        )

    def counted_before(self, leaves: Sequence[IntArray], sensitive: Sequence[IntArray]) -> FrequencySet:
        """The same, with what a scan has told of single columns: it is not counted again."""
        vars(self).update(counted_leaves=tuple(leaves), totals=dict(zip(self.sensitive, sensitive, strict=True)))
        return self

    @property
    def nodes(self) -> int:
        """How many nodes the lattice has: combinations of one level for each attribute."""
        return math.prod(h.height + 1 for h in self.hierarchies)

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers."""
        return tuple(h.attribute for h in self.hierarchies)

    @cached_property
    def totals(self) -> Mapping[str, IntArray]:
        """Per sensitive attribute, how many rows of the whole table have each value."""
        return {
            name: np.bincount(
                codes, weights=self.counts, minlength=len(self.sensitive_hierarchies[name].leaves)
            ).astype(np.int64)
            for name, codes in self.sensitive.items()
        }

    @property
    def people(self) -> int:
        """How many people the table has; as many as rows, where nothing else is known."""
        return self.rows if self.owners is None else self.owners.people

    @cached_property
    def in_people(self) -> FrequencySet:
        """Its people by their quasi-identifiers alone, each once: for who stays at one place, as all must who are
        compared with a population.
        """
        at = self.owned_places
        if at is None:
            return self
        assert at.constant, "who moves would be counted at several places"
        first = np.unique(self.places, return_index=True)[1]
        codes = tuple(c[first] for c in self.codes)
        return FrequencySet(self.hierarchies, codes, {}, {}, at.people)

    @cached_property
    def by_person(self) -> FrequencySet:
        """The same rows with every person's by themselves, for searches that part rows with equal values."""
        if self.owners is None or self.owners.apart:
            return self
        row = self.owners.row
        return replace(
            self,
            codes=tuple(codes[row] for codes in self.codes),
            sensitive={name: codes[row] for name, codes in self.sensitive.items()},
            counts=self.owners.count,
            owners=alone(self.owners),
            wishes=None,
        )

    @cached_property
    def by_seat(self) -> FrequencySet:
        """The same rows, a person's with the same quasi-identifiers together."""
        if self.owners is None:
            return self
        apart = self.by_person
        assert apart.owners is not None
        seat = number_equal([apart.places, apart.owners.person], len(apart.counts))
        entry = np.argsort(seat, kind="stable")
        starts = np.searchsorted(seat[entry], np.arange(int(seat.max(initial=-1)) + 2))
        first = entry[starts[:-1]]
        counts = np.bincount(seat, weights=apart.counts, minlength=len(first)).astype(np.int64)
        codes = tuple(c[first] for c in apart.codes)
        seats = Seats(apart, starts, entry)
        return replace(self, codes=codes, sensitive={}, counts=counts, owners=None, seats=seats, wishes=None)

    def of(self, kept: IntArray) -> FrequencySet:
        """The table if it had only so many rows of each combination, as readers see it, who don't know whose they are.

        Of seats all rows are kept, or none.
        """
        if self.seats is None:
            return replace(self, counts=kept, owners=None)
        entry, here = self.seats.entries(np.arange(len(kept)), kept)
        counts = np.zeros_like(self.seats.apart.counts)
        counts[entry] = np.where(here > 0, self.seats.apart.counts[entry], 0)
        return replace(self, counts=kept, seats=replace(self.seats, apart=self.seats.apart.of(counts)))

    @cached_property
    def places(self) -> IntArray:
        """A number for the quasi-identifiers of each combination, the same for equal ones."""
        return number_equal(self.codes, len(self.counts))

    @cached_property
    def owned_places(self) -> OwnedGroups | None:
        """Whose rows stand at each of the `places`; constant, if all of a person's stand at one."""
        if self.seats is not None:
            return self.seats.apart.owned_places
        o = self.owners
        if o is None:
            return None
        values = {name: (codes[o.row], o.values[name]) for name, codes in self.sensitive.items()}
        at = owned(self.places[o.row], o.person, o.count, int(self.places.max(initial=-1)) + 1, values)
        return replace(at, constant=not len(at.mover_group))


def owned_groups(
    f: FrequencySet,
    row: IntArray,
    count: IntArray,
    group: IntArray,
    groups: int,
    published: Mapping[str, Codes] | None = None,
) -> OwnedGroups | None:
    """Whose rows stand in which group, if `count[i]` rows of combination `row[i]` stand in group `group[i]`.

    All rows with equal quasi-identifiers stand in the same group, or the frequency set is one `by_person`. Then
    `published` may tell sensitive values that are not those of the combinations.
    """
    o = f.owners
    if o is None:
        return None
    if o.apart:
        own = {name: codes[row] for name, codes in f.sensitive.items()} | dict(published or {})
        values = {name: (codes, o.values[name]) for name, codes in own.items()}
        return replace(owned(group, o.person[row], count, groups, values), everybody=o.people)
    at = f.owned_places
    assert at is not None
    to = np.full(len(at.settled), -1, dtype=np.int32)
    to[f.places[row]] = group
    stand = np.bincount(f.places[row], weights=count, minlength=len(to))
    whole = np.array_equal(stand[to >= 0], np.bincount(f.places, weights=f.counts)[to >= 0])
    if not whole or (to[f.places[row]] != group).any():  # else people would be counted who are not there
        raise AssertionError("rows with equal quasi-identifiers stand in one group, all of them")
    return at.merged(to, groups)
