"""What a search is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import ClassVar, Self

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.counts.frequency import FrequencySet, owned_groups
from discreet.counts.groups import Groups, Outside, People, people_of, rows_together, tally
from discreet.counts.wishes import wishes_in_groups
from discreet.hierarchies.hierarchy import Value
from discreet.models.base import PrivacyModel
from discreet.models.by_people import survives_merging
from discreet.utility.metrics import losses

SUPPRESSED = -1


@dataclass(frozen=True, eq=False)
class Problem:
    """Counts, the promises to keep, how many rows may be suppressed, and what to spare (a name of `utility`).

    `seed` is for searches that choose at random; None lets the operating system choose. If `confirmed`, searches for
    the best look only at plans that keep the promises among the published rows too (see `search/confirmed.py`).
    `spans` are the levels that whole columns may be published at, each the finest and the coarsest; all, if empty.
    """

    frequency: FrequencySet
    models: tuple[PrivacyModel, ...]
    suppression_limit: int = 0
    utility: str = "loss"
    seed: int | None = None
    confirmed: bool = False
    spans: tuple[tuple[int, int], ...] = ()

    @property
    def finest(self) -> tuple[int, ...]:
        """The finest level of each whole column that may be published."""
        return tuple(low for low, _ in self.spans) or (0,) * len(self.frequency.hierarchies)

    @property
    def coarsest(self) -> tuple[int, ...]:
        """The coarsest."""
        return tuple(high for _, high in self.spans) or tuple(h.height for h in self.frequency.hierarchies)

    @property
    def nodes(self) -> int:
        """How many combinations of these levels there are."""
        return prod(high - low + 1 for low, high in zip(self.finest, self.coarsest, strict=True))

    @property
    def by_person(self) -> Problem:
        """The same for a search that parts a person's rows: whose each of them is, is known."""
        return replace(self, frequency=self.frequency.by_person)

    @property
    def by_seat(self) -> Problem:
        """The same for a search that parts rows with equal values, but not those of one person."""
        return replace(self, frequency=self.frequency.by_seat)

    def survives_merging(self, model: PrivacyModel) -> bool:
        """Does merging two groups that keep a promise always give one that does, whoever owns the rows?"""
        owners = self.frequency.owned_places
        return survives_merging(model, owners is not None, owners is None or owners.constant)


@dataclass(frozen=True, eq=False)
class Plan:
    """What happens to each combination of a frequency set: which group it stands in.

    Assignment i sends `count[i]` rows of combination `row[i]` to group `group[i]` (or suppresses them, group −1); a
    combination may be spread over several groups, and each of its rows is in one assignment. What a group publishes of
    its rows is said by the kinds of plan below. Groups are numbered 0, 1, … without gaps.
    """

    frequency: FrequencySet
    row: IntArray
    count: IntArray
    group: IntArray
    facts: Mapping[str, object] = field(default_factory=dict, kw_only=True)  # how the search went, for the report
    exact: ClassVar[bool] = False  # are quasi-identifiers published as they are?

    @property
    def node(self) -> tuple[int, ...] | None:
        """The level of each attribute, where it is the same for all rows."""
        return None

    @property
    def group_count(self) -> int:
        """How many groups there are."""
        return int(self.group.max(initial=SUPPRESSED)) + 1

    @cached_property
    def suppressed(self) -> int:
        """How many rows will not be published."""
        return int(self.count[self.group == SUPPRESSED].sum())

    @cached_property
    def published(self) -> IntArray:
        """How many rows of each combination are published."""
        kept = self.group != SUPPRESSED
        counts = np.bincount(self.row[kept], weights=self.count[kept], minlength=len(self.frequency.counts))
        return counts.astype(np.int64)

    @cached_property
    def published_leaves(self) -> tuple[IntArray, ...]:
        """Per quasi-identifier, how many published rows have each leaf: all but those of the few suppressed ones."""
        f, lost = self.frequency, np.flatnonzero(self.group == SUPPRESSED)
        row, count = self.row[lost], self.count[lost].astype(np.float64)
        return tuple(
            rows - np.bincount(codes[row], weights=count, minlength=len(rows)).astype(np.int64)
            for rows, codes in zip(f.counted_leaves, f.codes, strict=True)
        )

    @property
    def empty(self) -> bool:
        """Is nothing published?"""
        return self.suppressed == self.frequency.rows

    def without(self, groups: BoolArray) -> Self:
        """The same plan with the rows of some groups suppressed, too. It is not proven to be the best any more."""
        number = np.where(groups, SUPPRESSED, np.cumsum(~groups) - 1)
        proven = {"optimal": False} if "optimal" in self.facts else {}
        group = np.where(self.group == SUPPRESSED, SUPPRESSED, number[self.group])
        return replace(self, group=group, facts={**self.facts, **proven})

    def values(self, attribute: str) -> Codes:
        """The sensitive value that each assignment publishes: as a rule that of its rows."""
        return self.frequency.sensitive[attribute][self.row]

    @cached_property
    def groups(self) -> Groups:
        """What the models see of the published groups."""
        f, kept = self.frequency, self.group != SUPPRESSED
        count, group = self.count[kept], self.group[kept]
        n = self.group_count
        sizes = np.bincount(group, weights=count, minlength=n).astype(np.int64)
        values = {name: self.values(name)[kept] for name in f.sensitive}
        tallies = {
            name: tally(group, codes, count, n, f.totals[name], f.sensitive_hierarchies[name])
            for name, codes in values.items()
        }
        together = rows_together(f, self.row[kept], count, group, n)
        owners = owned_groups(f, self.row[kept], count, group, n, values)
        if owners is not None and self.exact:
            owners = replace(owners, found=True)
        wishes = wishes_in_groups(f.wishes, self.row[kept], group, n)
        return Groups(sizes, tallies, together=together, owners=owners, wishes=wishes)

    @cached_property
    def people(self) -> People:
        """Who stands in which group, for an adversary who knows everybody's exact quasi-identifiers."""
        f, kept = self.frequency, self.group != SUPPRESSED
        row, count, group = self.row[kept], self.count[kept], self.group[kept]
        person = f.owners.person[row] if f.owners is not None and f.owners.apart else None
        return people_of(group, tuple(c[row] for c in f.codes), count, self.group_count, f.hierarchies, f, person)

    @cached_property
    def losses(self) -> FloatArray:
        """Per attribute, the mean over all rows of (leaves − 1) / (all leaves − 1); a suppressed row counts 1.

        Exact values lose nothing by this measure; what their separation loses, queries tell.
        """
        share = self.suppressed / max(self.frequency.rows, 1)
        return np.full(len(self.frequency.hierarchies), share)


@dataclass(frozen=True, eq=False)
class Recoding(Plan):
    """Group g publishes attribute d as the range of leaves ``low[g, d]..high[g, d]`` of its hierarchy.

    `population` is how many people of the table's population fall in each group, where a promise asks for it; `hidden`
    how many would be left out whoever of them is in the table, where no others are.
    """

    low: Codes
    high: Codes
    node: tuple[int, ...] | None = None
    texts: tuple[tuple[Value, ...], ...] | None = None  # what each group publishes, where an earlier release fixed it
    population: IntArray | None = None
    hidden: int | None = None

    @property
    def group_count(self) -> int:
        return len(self.low)

    def without(self, groups: BoolArray) -> Self:
        stay = np.flatnonzero(~groups)
        texts = None if self.texts is None else tuple(tuple(column[g] for g in stay) for column in self.texts)
        population = None if self.population is None else self.population[stay]
        return replace(
            super().without(groups), low=self.low[stay], high=self.high[stay], texts=texts, population=population
        )

    @cached_property
    def groups(self) -> Groups:
        f, groups = self.frequency, super().groups
        if f.population is not None and self.population is not None:
            elsewhere = f.population.size - int(self.population.sum())
            groups = replace(groups, population=self.population, elsewhere=elsewhere)
        if f.marginals is not None:
            groups = replace(groups, outside=Outside(self.low, self.high, f.marginals))
        return replace(groups, left_out=self.suppressed, hidden=self.hidden)

    @cached_property
    def losses(self) -> FloatArray:
        leaves = [len(h.leaves) for h in self.frequency.hierarchies]
        return losses(self.low, self.high, self.groups.sizes, leaves, self.suppressed)


@dataclass(frozen=True, eq=False)
class Bucketization(Plan):
    """A group publishes the exact quasi-identifiers of its rows in one table and their sensitive values in another.

    `exchanged` are published codes of a sensitive attribute, per assignment, where a search has distorted them (MASK).
    """

    exchanged: Mapping[str, Codes] = field(default_factory=dict)
    exact = True

    def values(self, attribute: str) -> Codes:
        exchanged = self.exchanged.get(attribute)
        return super().values(attribute) if exchanged is None else exchanged

    @cached_property
    def groups(self) -> Groups:
        return replace(super().groups, people=self.people)


@dataclass(frozen=True, eq=False)
class Ambiguity(Plan):
    """A group publishes its values in tables apart: one per set of attributes (`tables`), without combinations."""

    tables: tuple[tuple[int, ...], ...]
    exact = True

    @cached_property
    def groups(self) -> Groups:
        people = self.people
        entries = people.entries(self.tables)
        return replace(super().groups, people=people, distinct=entries.distinct, entries=entries)
