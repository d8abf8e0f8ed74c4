"""The paper's search, against every node of the lattice judged in fractions, and beside the optimal search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet, Marginals, Population
from discreet.errors import Infeasible
from discreet.hierarchies.hierarchy import Value
from discreet.models.base import all_hold
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.search.lattice.optimal import optimal
from discreet.search.plan import Problem, Recoding
from discreet.studies.presence.confidence_paper import Optimizations
from discreet.studies.presence.sfalm import plain_cost, sfalm
from tests.search.brute_force import Candidate, judged
from tests.strategies import Table, meanings, tables

NONE = Optimizations.none()


@dataclass(frozen=True)
class World:
    """A private table, and the values of everybody else, column by column: rows of it mean nothing."""

    table: Table
    others: tuple[tuple[Value, ...], ...]
    model: ConfidentPresence

    def problem(self, utility: str = "loss") -> Problem:
        frequency = self.table.frequency()
        counts = [
            np.array([column.count(leaf) for leaf in h.leaves], dtype=np.int64)
            for column, h in zip(zip(*self.others, strict=True), frequency.hierarchies, strict=True)
        ]
        possible = tuple(np.ones(len(c), dtype=np.bool_) for c in counts)
        marginals = Marginals(tuple(counts), possible, len(self.others))
        return Problem(replace(frequency, marginals=marginals), (self.model,), 0, utility)

    def passing(self) -> list[Candidate]:
        """The nodes that keep the promise, by the definition: no group left out."""
        found = []
        for node in self.table.nodes:
            looks = self.table.generalized(node)
            values = [meanings(paths, level) for paths, level in zip(self.table.paths, node, strict=True)]
            beside = [
                Counter(look[v] for v in column)
                for look, column in zip(values, zip(*self.others, strict=True), strict=True)
            ]

            def private(rows: Sequence[int], looks: list = looks, beside: list = beside) -> bool:
                counts = [count[seen] for count, seen in zip(beside, looks[rows[0]], strict=True)]
                return confidence(len(rows), counts, len(self.others), self.model.delta) >= self.model.confidence

            found += [c for c in judged(self.table, private, [node]) if not c.suppressed]
        return found


def confidence(rows: int, counts: Sequence[int], size: int, delta: tuple[Fraction, Fraction]) -> Fraction:
    now = {counts[0]: Fraction(1)}
    for M in counts[1:]:
        then: dict[int, Fraction] = {}
        for y, p in now.items():
            for x in range(max(0, y + M - size), min(y, M) + 1):
                then[x] = then.get(x, Fraction(0)) + p * Fraction(comb(M, x) * comb(size - M, y - x), comb(size, y))
        now = then
    return sum((p for x, p in now.items() if delta[0] <= Fraction(rows, rows + x) <= delta[1]), Fraction(0))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    table = draw(tables(max_attributes=3, max_rows=8, sensitive=()))
    person = st.tuples(*(st.sampled_from(list(paths)) for paths in table.paths))
    others = tuple(draw(st.lists(person, min_size=8, max_size=40)))
    low, high = sorted(draw(st.tuples(*[st.fractions(0, 1, max_denominator=12)] * 2)))
    delta = draw(st.sampled_from([(low, high), (Fraction(0), max(high, Fraction(1, 6))), (low, Fraction(1))]))
    assume(delta != (0, 1))
    # No confidence of so few people has such a denominator: there are no ties, at which the paper's sum may be short.
    c = Fraction(draw(st.integers(1, 1008)), 1009)
    return World(table, others, ConfidentPresence(delta, c))


def found_by(problem: Problem, optimizations: Optimizations) -> Recoding | None:
    try:
        return sfalm(problem, optimizations)
    except Infeasible as error:
        assert error.closest
        return None


@given(worlds(), st.booleans(), st.sampled_from(["loss", "geometric_loss", "discernibility", "height"]))
def test_without_shortcuts_the_cheapest_node_is_found(world: World, dm: bool, utility: str) -> None:
    problem, passing = world.problem(utility), world.passing()
    plan = found_by(problem, replace(NONE, dm=dm))
    assert (plan is None) == (not passing)
    if plan is None:
        return
    assert plan.node in {c.node for c in passing}
    assert plan.facts["score"] == pytest.approx(min(c.score(utility) for c in passing), abs=1e-12)
    assert plan.facts["score"] == pytest.approx(optimal(problem).facts["score"], abs=1e-12)
    assert plan.facts["nodes_checked"] == plan.facts["nodes"] == len(world.table.nodes)


@given(worlds(), st.sampled_from([1, 2, 4]))
def test_with_shortcuts_the_promise_is_still_kept(world: World, m: int) -> None:
    passing = {c.node: c.score("loss") for c in world.passing()}
    plan = found_by(world.problem(), Optimizations(m=m, width=2))
    if plan is None:
        return
    assert plan.node in passing
    assert plan.facts["score"] == pytest.approx(passing[plan.node], abs=1e-12)
    assert plan.suppressed == 0
    assert all_hold((world.model,), plan.groups).all()


@given(worlds())
def test_practical_anti_monotonicity_looks_below_passing_nodes_only(world: World) -> None:
    plan = found_by(world.problem(), replace(NONE, pa=True))
    passing = {c.node for c in world.passing()}
    alive: set[tuple[int, ...]] = set()
    checked = 0
    for node in sorted(world.table.nodes, key=sum, reverse=True):
        above = [
            (*node[:d], level + 1, *node[d + 1 :]) for d, level in enumerate(node) if level < world.table.heights[d]
        ]
        if all(n in alive for n in above):
            checked += 1
            alive |= {node} & passing
    assert (plan is None) == (not alive)
    if plan is not None:
        assert plan.facts["nodes_checked"] == checked
        assert plan.facts["pruned_by_pa"] == 1 - checked / len(world.table.nodes)
        assert plan.node in alive


@given(worlds())
def test_people_of_the_population_without_rows_change_nothing(world: World) -> None:
    problem = world.problem()
    f: FrequencySet = problem.frequency
    everybody = [*world.table.rows, *world.others]
    codes = tuple(
        np.array([h.index[person[d]] for person in everybody], dtype=np.int32) for d, h in enumerate(f.hierarchies)
    )
    beside = replace(
        problem, frequency=replace(f, population=Population(codes, np.ones(len(everybody), dtype=np.int64)))
    )
    one, other = found_by(problem, NONE), found_by(beside, NONE)
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert (one.node, one.facts["evaluations"]) == (other.node, other.facts["evaluations"])


@settings(max_examples=30)
@given(worlds())
def test_the_cost_of_the_plain_recursion_is_told_without_it(world: World) -> None:
    plan = found_by(world.problem(), NONE)
    cost = plain_cost(world.problem(), part=1000)
    assert cost.evaluations >= cost.until_failure
    assert plan is None or cost.until_failure == plan.facts["evaluations"]
    assert cost.seconds >= cost.seconds_until_failure >= 0
    assert cost.done <= cost.evaluations


def test_no_other_promise_is_taken() -> None:
    table = Table(({"a": ()},), (("a",),))
    covering = ConfidentPresence((0, 0.5), 0.9, coverage=True)
    for models in ((KAnonymity(2),), (covering,), (replace(covering, coverage=False), KAnonymity(2))):
        with pytest.raises(ValueError, match="one promise only"):
            sfalm(Problem(table.frequency(), models))
