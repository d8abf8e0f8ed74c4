"""Small worlds: people, of whom some are in the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet, Population
from tests.strategies import Node, Table, tables

ENDS = [Fraction(n, d) for d in (1, 2, 3, 4, 5) for n in range(d + 1)]


deltas = st.tuples(st.sampled_from(ENDS), st.sampled_from(ENDS)).map(sorted).map(tuple).filter(lambda d: d != (0, 1))


@dataclass(frozen=True)
class World:
    """Everybody, and who of them is in the private table."""

    everybody: Table
    private: tuple[bool, ...]

    @property
    def table(self) -> Table:
        return self.everybody.in_order([i for i, there in enumerate(self.private) if there])

    def frequency(self) -> FrequencySet:
        people = self.everybody.frequency()
        return replace(self.table.frequency(), population=Population(people.codes, people.counts))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    everybody = draw(tables(max_rows=16, sensitive=()))
    size = len(everybody.rows)
    private = draw(st.lists(st.booleans(), min_size=size, max_size=size).filter(any))
    return World(everybody, tuple(private))


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
    so many that `hides` rows are enough."""
    looks = world.everybody.generalized(node)
    people = Counter(looks)
    rows = Counter(look for look, there in zip(looks, world.private, strict=True) if there)

    def present(n_t: int, n_p: int) -> bool:
        return delta[0] <= Fraction(n_t, n_p) <= delta[1]

    published = {look for look in people if present(rows[look], people[look]) and rows[look] >= k}
    if hides:
        hidden = small(people, rows.total(), hides)
        shown = {*people} - hidden
        failing = any(look not in published and (rows[look] or not present(0, people[look])) for look in shown)
        published = {*rows} - hidden
        elsewhere = sum(people[look] for look in hidden)
    else:
        failing = any(rows[look] == 0 and not present(0, people[look]) for look in people)
        elsewhere = sum(people[look] for look in people if look not in published)
    left_out = sum(rows[look] for look in people if look not in published)
    allowed = not failing and (elsewhere == 0 or present(left_out, elsewhere))
    return Outcome(node, allowed, left_out, mean_loss(world, looks, published))


def mean_loss(world: World, looks: Sequence[tuple[object, ...]], published: set[tuple[object, ...]]) -> Fraction:
    """Of the private rows, whose groups are published or not."""
    losses = []
    for d, paths in enumerate(world.everybody.paths):
        widest = len(paths) - 1
        spread = sum(
            len(look[d]) - 1 if look in published else widest  # type: ignore[arg-type]
            for look, there in zip(looks, world.private, strict=True)
            if there
        )
        losses.append(Fraction(spread, widest * sum(world.private)) if widest else Fraction(0))
    return sum(losses, Fraction(0)) / len(losses)
