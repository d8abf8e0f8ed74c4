"""δ-presence in the optimal search (SPALM), against every node judged person by person."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet, Population
from discreet.errors import Infeasible
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.presence.presence import Presence
from discreet.models.verdicts import verdict
from discreet.search.lattice.optimal import optimal
from discreet.search.lattice.whole_lattice import whole_lattice
from discreet.search.plan import Problem
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


def outcome(world: World, node: Node, delta: tuple[Fraction, Fraction], k: int) -> Outcome:
    looks = world.everybody.generalized(node)
    people = Counter(looks)
    rows = Counter(look for look, there in zip(looks, world.private, strict=True) if there)

    def present(n_t: int, n_p: int) -> bool:
        return delta[0] <= Fraction(n_t, n_p) <= delta[1]

    published = {look for look in people if present(rows[look], people[look]) and rows[look] >= k}
    absent_and_known = any(rows[look] == 0 and not present(0, people[look]) for look in people)
    left_out = sum(rows[look] for look in people if look not in published)
    elsewhere = sum(people[look] for look in people if look not in published)
    allowed = not absent_and_known and (elsewhere == 0 or present(left_out, elsewhere))
    losses = []
    for d, paths in enumerate(world.everybody.paths):
        widest = len(paths) - 1
        spread = sum(
            len(look[d]) - 1 if look in published else widest  # type: ignore[arg-type]
            for look, there in zip(looks, world.private, strict=True)
            if there
        )
        losses.append(Fraction(spread, widest * sum(world.private)) if widest else Fraction(0))
    return Outcome(node, allowed, left_out, sum(losses, Fraction(0)) / len(losses))


@given(world=worlds(), delta=deltas, k=st.sampled_from([1, 2, 3]), data=st.data())
def test_the_search_finds_the_cheapest_node_that_hides_presence(
    world: World, delta: tuple[Fraction, Fraction], k: int, data: st.DataObject
) -> None:
    limit = data.draw(st.integers(0, sum(world.private)))
    models = (Presence(delta), *([KAnonymity(k)] if k > 1 else []))
    every = [outcome(world, node, delta, k) for node in world.everybody.nodes]
    possible = [o for o in every if o.allowed and o.suppressed <= limit]
    problem = Problem(world.frequency(), models, limit)
    try:
        plan = optimal(problem)
    except Infeasible as error:
        assert not possible
        assert error.witness is not None
        return
    assert possible
    chosen = next(o for o in possible if o.node == plan.node)
    assert plan.facts["optimal"]
    assert float(chosen.loss) == pytest.approx(min(float(o.loss) for o in possible), abs=1e-12)
    assert plan.suppressed == chosen.suppressed
    assert (plan.groups.sizes > 0).all()
    assert all(verdict(model, plan.groups).holds for model in models)


@given(world=worlds(), delta=deltas)
def test_every_node_of_the_lattice_is_judged_as_by_counting_people(
    world: World, delta: tuple[Fraction, Fraction]
) -> None:
    lattice = whole_lattice(world.frequency(), (), [Presence(delta)])
    judged = {lattice.node(at): bool(lattice.keeps[at]) for at in range(len(lattice))}
    for node in world.everybody.nodes:
        found = outcome(world, node, delta, 1)
        assert judged[node] == (found.allowed and found.suppressed == 0)


def test_a_group_is_judged_by_everybody_in_it_and_the_rest_by_everybody_else() -> None:
    paths = {"young": (), "old": ()}
    people = [("young",)] * 4 + [("old",)] * 4
    world = World(Table((paths,), tuple(people)), (True, False, False, False, True, True, True, False))
    with pytest.raises(Infeasible) as caught:  # the three who are left out would be three of the four old people
        optimal(Problem(world.frequency(), (Presence((0, "1/4")),), suppression_limit=3))
    assert caught.value.witness is not None
    assert caught.value.witness.level == pytest.approx(3 / 4)
    plan = optimal(Problem(world.frequency(), (Presence((0, "1/2")),), suppression_limit=0))
    assert plan.node == (1,)
    assert plan.groups.population is not None
    assert plan.groups.population.tolist() == [8]


def test_nobody_is_left_out_where_absence_must_not_be_known() -> None:
    paths = {"young": (), "old": ()}
    people = [("young",)] * 4 + [("old",)] * 4
    world = World(Table((paths,), tuple(people)), (True, False, False, False, False, False, False, False))
    plan = optimal(Problem(world.frequency(), (Presence(("1/10", "1/2")),), suppression_limit=1))
    assert plan.node == (1,)  # nobody old is in the table, and that would show


def test_population_and_rows_are_counted_by_the_same_mapping() -> None:
    paths = {str(age): (f"{age // 10 * 10}s",) for age in range(20, 40)}
    everybody = Table((paths,), tuple((str(age),) for age in range(20, 40)))
    world = World(everybody, tuple(age % 5 == 0 for age in range(20, 40)))
    plan = optimal(Problem(world.frequency(), (Presence((0, "1/4")),)))
    assert plan.node == (1,)
    assert plan.groups.population is not None
    assert np.array_equal(plan.groups.population, [10, 10])
    assert np.array_equal(plan.groups.sizes, [2, 2])
