"""Incognito, upward and downward, against every node of the lattice judged row by row."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.roll_up import Node
from discreet.errors import Infeasible, PolicyError
from discreet.models.base import PrivacyModel
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.presence.presence import Presence
from discreet.progress import silent
from discreet.search.lattice.counting import InMemory
from discreet.search.lattice.incognito import incognito, minimal_nodes
from discreet.search.lattice.optimal import optimal
from discreet.search.plan import Problem
from discreet.utility.objectives import OBJECTIVES
from tests.models.cases import ATTRIBUTE
from tests.presence.worlds import World, deltas, worlds
from tests.search.brute_force import candidates
from tests.strategies import Table, promises, tables

BOTH = (ATTRIBUTE, "job")
both_ways = pytest.mark.parametrize("downward", [False, True], ids=["upward", "downward"])


def finer(node: Node, other: Node) -> bool:
    return node != other and all(a <= b for a, b in zip(node, other, strict=True))


def limits(table: Table) -> st.SearchStrategy[int]:
    return st.just(0) | st.integers(0, len(table.rows) + 1)


@both_ways
@given(data=st.data())
def test_the_minimal_nodes_are_those_of_all_nodes(downward: bool, data: st.DataObject) -> None:
    """Under any promises, monotone or not, with and without suppression."""
    table, models = data.draw(tables(sensitive=BOTH)), data.draw(promises(BOTH))
    limit = data.draw(limits(table))
    possible = [c.node for c in candidates(table, models) if c.suppressed <= limit]
    expected = [node for node in possible if not any(finer(other, node) for other in possible)]
    judge = InMemory(Problem(table.frequency(), models, limit), silent)
    found = minimal_nodes(judge, downward)
    assert sorted(found) == sorted(expected)
    assert [sum(node) for node in found] == sorted(sum(node) for node in found)


@both_ways
@given(utility=st.sampled_from(sorted(OBJECTIVES)), data=st.data())
def test_the_cheapest_node_is_that_of_the_optimal_search(downward: bool, utility: str, data: st.DataObject) -> None:
    table, models = data.draw(tables(sensitive=BOTH)), data.draw(promises(BOTH))
    problem = Problem(table.frequency(), models, data.draw(limits(table)), utility)
    try:
        best = optimal(problem)
    except Infeasible:
        with pytest.raises(Infeasible) as caught:
            incognito(problem, downward=downward)
        assert caught.value.closest and caught.value.witness is not None
        return
    plan = incognito(problem, downward=downward)
    assert plan.node == best.node
    assert plan.suppressed == best.suppressed
    assert plan.facts["score"] == best.facts["score"]
    assert plan.facts["optimal"] is True
    assert 1 <= plan.facts["queries"] <= plan.facts["nodes"]
    assert plan.facts["minimal_nodes"] >= 1


@both_ways
@given(world=worlds(), delta=deltas, limit=st.integers(0, 4))
def test_promises_about_a_population_are_kept_as_by_the_optimal_search(
    downward: bool, world: World, delta: tuple[Fraction, Fraction], limit: int
) -> None:
    problem = Problem(world.frequency(), (Presence(delta),), limit)
    try:
        best = optimal(problem).node
    except Infeasible:
        with pytest.raises(Infeasible):
            incognito(problem, downward=downward)
        return
    assert incognito(problem, downward=downward).node == best


def test_with_suppression_the_cheapest_node_need_not_be_minimal() -> None:
    """Nine people of ten are alike; to hide the tenth costs less than to suppress them."""
    paths = {"a": ("ab", "abc"), "b": ("ab", "abc"), "c": ("abc", "abc"), **{x: ("rest", "rest") for x in "defghijkl"}}
    table = Table((paths,), (("a",),) * 9 + (("b",),))
    problem = Problem(table.frequency(), (KAnonymity(2),), suppression_limit=1)
    assert minimal_nodes(InMemory(problem, silent)) == [(0,)]
    assert incognito(problem).node == optimal(problem).node == (1,)


def patients() -> Table:
    """Three attributes of three levels each, of which only the first tells anybody apart: 64 nodes."""
    paths = {"a": ("ab", "abcd"), "b": ("ab", "abcd"), "c": ("cd", "abcd"), "d": ("cd", "abcd"), "e": ("e", "e")}
    rows = [(x, "a", "c") for x in "abcde" for _ in range(3)]
    return Table((paths,) * 3, tuple(rows), {ATTRIBUTE: ("x", "y", "z") * 5}, {ATTRIBUTE: {v: () for v in "xyz"}})


def counted(models: tuple[PrivacyModel, ...], downward: bool) -> tuple[set[Node], list[Node]]:
    judge = InMemory(Problem(patients().frequency(), models), silent)
    found = minimal_nodes(judge, downward)
    return set(judge.judged), found


def test_what_is_impossible_for_one_attribute_is_not_counted_with_others() -> None:
    judged, found = counted((KAnonymity(4),), downward=False)
    assert found == [(3, 0, 0)]  # e stays alone, with three rows, up to the third level
    for node in judged:
        if node[0] < 3:
            assert node[1:] == (3, 3)


def test_what_is_coarser_than_a_node_that_holds_is_not_counted() -> None:
    judged, found = counted((FrequencyDiversity(3, ATTRIBUTE),), downward=False)
    assert found == [(0, 0, 0)]
    assert judged == set(product((0, 3), repeat=3))  # the finest node of each set of attributes


def test_downward_nothing_below_a_node_that_fails_is_counted() -> None:
    judged, found = counted((KAnonymity(4),), downward=True)
    assert found == [(3, 0, 0)]
    assert judged == {*product((3,), range(4), range(4)), *product((2,), range(4), range(4))} - {
        node for node in product((2,), range(4), range(4)) if node != (2, 3, 3)
    }


def test_a_lattice_of_more_than_a_million_nodes_is_refused() -> None:
    paths = {"a": ("ab",), "b": ("ab",)}
    table = Table((paths,) * 13, (("a",) * 13,) * 2)
    with pytest.raises(PolicyError, match="search: optimal"):
        incognito(Problem(table.frequency(), (KAnonymity(2),)))
