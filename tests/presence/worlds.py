"""Small worlds: people, of whom some are in the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet, Population
from discreet.counts.owners import owners_of
from tests.strategies import Node, Table, tables

ENDS = [Fraction(n, d) for d in (1, 2, 3, 4, 5) for n in range(d + 1)]


deltas = st.tuples(st.sampled_from(ENDS), st.sampled_from(ENDS)).map(sorted).map(tuple).filter(lambda d: d != (0, 1))


@dataclass(frozen=True)
class World:
    """Everybody, and who of them is in the private table."""

    everybody: Table
    private: tuple[bool, ...]
    rows: tuple[int, ...] | None = None  # of each of everybody, if he is in it; one, if nobody says

    @property
    def people(self) -> list[int]:
        """Who is in the table."""
        return [i for i, there in enumerate(self.private) if there]

    @property
    def owners(self) -> list[int]:
        """Whose each row of the table is."""
        return [i for i in self.people for _ in range(1 if self.rows is None else self.rows[i])]

    @property
    def table(self) -> Table:
        return self.everybody.in_order(self.owners)

    def frequency(self) -> FrequencySet:
        people, own = self.everybody.frequency(), self.table.frequency()
        if self.rows is not None:
            combinations = {combination: i for i, combination in enumerate(dict.fromkeys(self.table.rows))}
            row = np.array([combinations[self.everybody.rows[i]] for i in self.people])
            count = np.array([self.rows[i] for i in self.people])
            order = np.argsort(row, kind="stable")
            person = np.arange(len(row), dtype=np.int32)
            own = replace(own, owners=owners_of(row[order], person, count[order], {}, {}))
        return replace(own, population=Population(people.codes, people.counts))


@st.composite
def worlds(draw: st.DrawFn, several_rows: bool = False) -> World:
    everybody = draw(tables(max_rows=16, sensitive=()))
    size = len(everybody.rows)
    private = draw(st.lists(st.booleans(), min_size=size, max_size=size).filter(any))
    rows = draw(st.lists(st.integers(1, 4), min_size=size, max_size=size)) if several_rows else None
    return World(everybody, tuple(private), None if rows is None else tuple(rows))


@dataclass(frozen=True)
class Outcome:
    """A node after suppression: may it be published, how many rows go, and the loss of the private rows."""

    node: Node
    allowed: bool
    suppressed: int
    loss: Fraction


def small(people: Counter[Any], rows: int, limit: int) -> set[Any]:
    """The groups of fewest people, all of a size or none, that are expected to hold two deviations fewer rows."""
    hidden: set[Any] = set()
    for size in sorted(set(people.values())):
        more = {look for look in people if people[look] <= size}
        expected = Fraction(rows * sum(people[look] for look in more), people.total())
        if expected > limit or 4 * expected > (limit - expected) ** 2:
            break
        hidden = more
    return hidden


def outcome(world: World, node: Node, delta: tuple[Fraction, Fraction], k: int, hides: int | None = None) -> Outcome:
    """What is left out are groups that fail; or, if it is to follow from the population, those of the fewest people,
    so many that `hides` rows are enough. Who is in the table counts once, however many rows he has."""
    looks = world.everybody.generalized(node)
    people = Counter(looks)
    rows = Counter(look for look, there in zip(looks, world.private, strict=True) if there)
    published_rows = Counter(looks[i] for i in world.owners)

    def present(n_t: int, n_p: int) -> bool:
        return delta[0] <= Fraction(n_t, n_p) <= delta[1]

    published = {look for look in people if present(rows[look], people[look]) and rows[look] >= k}
    if hides:
        hidden = small(people, rows.total(), hides * rows.total() // published_rows.total())
        shown = {*people} - hidden
        failing = any(look not in published and (rows[look] or not present(0, people[look])) for look in shown)
        published = {*rows} - hidden
        elsewhere = sum(people[look] for look in hidden)
    else:
        failing = any(rows[look] == 0 and not present(0, people[look]) for look in people)
        elsewhere = sum(people[look] for look in people if look not in published)
    left_out = sum(rows[look] for look in people if look not in published)
    allowed = not failing and (elsewhere == 0 or present(left_out, elsewhere))
    suppressed = sum(published_rows[look] for look in people if look not in published)
    return Outcome(node, allowed, suppressed, mean_loss(world, looks, published))


def mean_loss(world: World, looks: Sequence[tuple[object, ...]], published: set[tuple[object, ...]]) -> Fraction:
    """Of the private rows, whose groups are published or not."""
    losses = []
    for d, paths in enumerate(world.everybody.paths):
        widest = len(paths) - 1
        spread = sum(
            len(looks[i][d]) - 1 if looks[i] in published else widest  # type: ignore[arg-type]
            for i in world.owners
        )
        losses.append(Fraction(spread, widest * len(world.owners)) if widest else Fraction(0))
    return sum(losses, Fraction(0)) / len(losses)
