"""δ-presence in the optimal search (SPALM), against every node judged person by person."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import Infeasible
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.presence.presence import Presence
from discreet.models.verdicts import verdict
from discreet.search.lattice.optimal import optimal
from discreet.search.lattice.whole_lattice import whole_lattice
from discreet.search.plan import Problem
from tests.presence.worlds import World, deltas, outcome, worlds
from tests.strategies import Table


@pytest.mark.parametrize("suppression", ["judged", "told"])
@given(world=worlds(), delta=deltas, k=st.sampled_from([1, 2, 3]), data=st.data())
def test_the_search_finds_the_cheapest_node_that_hides_presence(
    suppression: str, world: World, delta: tuple[Fraction, Fraction], k: int, data: st.DataObject
) -> None:
    limit = data.draw(st.integers(0, sum(world.private)))
    models = (Presence(delta, suppression=suppression), *([KAnonymity(k)] if k > 1 else []))
    hides = limit if suppression == "judged" else None
    every = [outcome(world, node, delta, k, hides) for node in world.everybody.nodes]
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
        optimal(Problem(world.frequency(), (Presence((0, "1/4"), suppression="told"),), suppression_limit=3))
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
    plan = optimal(Problem(world.frequency(), (Presence(("1/10", "1/2"), suppression="told"),), suppression_limit=1))
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
