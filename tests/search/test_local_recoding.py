"""Local recoding, judged row by row, against Mondrian, and against every way to share out a few rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet
from discreet.errors import DiscreetError, Infeasible
from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Flat, Intervals
from discreet.models.base import PrivacyModel
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import DistinctDiversity, FrequencyDiversity
from discreet.models.groups.t_closeness import TCloseness
from discreet.search.lattice.optimal import optimal
from discreet.search.local.kernels import nearest
from discreet.search.local.local_recoding import local_recoding
from discreet.search.local.space import combinations, nodes_by_cost
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.multidimensional.partition import Partition, cheaper_of
from discreet.search.plan import Problem, Recoding
from tests.search.multidimensional import (
    Fragile,
    best_loss,
    check,
    frequencies,
    loss,
    mergeable_promises,
    one_group_holds,
    same,
)


@pytest.fixture(scope="module")
def people() -> FrequencySet:
    """Some hundred people with an age, a job and a town, and a disease that depends on the job."""
    random = np.random.default_rng(5)
    n = 400
    columns = {
        "age": random.normal(45, 15, n).astype(int).clip(18, 90),
        "job": random.geometric(0.3, n).clip(1, 8),
        "town": random.geometric(0.15, n).clip(1, 20),
    }
    disease = (columns["job"] + random.integers(0, 3, n)) % 5
    rules = {"age": Intervals((5, 20)), "job": Flat(), "town": Flat()}
    hierarchies = {name: build(name, [str(v) for v in values], rules[name]) for name, values in columns.items()}
    diseases = build("disease", [str(v) for v in disease], Flat())
    codes = tuple(np.array([h.index[str(v)] for v in columns[name]], dtype=np.int32) for name, h in hierarchies.items())
    sensitive = np.array([diseases.index[str(v)] for v in disease], dtype=np.int32)
    ones = np.ones(n, dtype=np.int64)
    return FrequencySet(tuple(hierarchies.values()), codes, {"disease": sensitive}, {"disease": diseases}, ones)


CONJUNCTIONS: list[tuple[PrivacyModel, ...]] = [
    (KAnonymity(3),),
    (KAnonymity(12),),
    (KAnonymity(3), DistinctDiversity(2, "disease")),
    (FrequencyDiversity(2, "disease"),),
    (TCloseness("0.3", "disease"),),
]


@given(frequencies(), mergeable_promises())
def test_every_group_holds_and_every_row_is_placed_once(
    frequency: FrequencySet, models: tuple[PrivacyModel, ...]
) -> None:
    problem = Problem(frequency, models)
    if not one_group_holds(frequency, models):
        with pytest.raises(Infeasible):
            local_recoding(problem)
        return
    plan = local_recoding(problem)
    check(plan, models)
    assert loss(plan) <= loss(mondrian(problem)) + 1e-12


@settings(max_examples=30)
@given(frequencies(max_rows=7, max_attributes=2), mergeable_promises())
def test_nothing_is_better_than_the_best(frequency: FrequencySet, models: tuple[PrivacyModel, ...]) -> None:
    if one_group_holds(frequency, models):
        assert loss(local_recoding(Problem(frequency, models))) >= best_loss(frequency, models) - 1e-12


@pytest.mark.parametrize("models", CONJUNCTIONS, ids=lambda models: " and ".join(m.describe() for m in models))
def test_hundreds_of_people_are_grouped_well(people: FrequencySet, models: tuple[PrivacyModel, ...]) -> None:
    problem = Problem(people, models)
    plan = local_recoding(problem)
    check(plan, models)
    assert loss(plan) < 0.9 * loss(mondrian(problem))
    assert same(plan, local_recoding(problem))


def test_it_goes_on_from_a_start_and_is_never_worse(people: FrequencySet) -> None:
    problem = Problem(people, (KAnonymity(4),))
    first = local_recoding(problem)
    again = local_recoding(problem, start=first)
    check(again, problem.models)
    assert loss(again) <= loss(first) + 1e-12
    full_domain = optimal(problem)
    assert loss(local_recoding(problem, start=full_domain)) < loss(full_domain)


def test_what_a_start_suppresses_is_published(people: FrequencySet) -> None:
    problem = Problem(people, (KAnonymity(4),), suppression_limit=40)
    start = optimal(problem)
    assert start.suppressed > 0
    plan = local_recoding(problem, start=start)
    assert plan.suppressed == 0
    check(plan, problem.models)


def test_rows_that_a_group_can_spare_help_others() -> None:
    # Four of a and one of b: with k = 2 three of a stay exact, which needs a combination in two groups.
    letters = build("letter", ["a", "b", "c"], Flat())
    codes = np.array([0, 1], dtype=np.int32)
    frequency = FrequencySet((letters,), (codes,), {}, {}, np.array([4, 1]))
    plan = local_recoding(Problem(frequency, (KAnonymity(2),)))
    assert sorted(plan.groups.sizes.tolist()) == [2, 3]
    assert loss(plan) == pytest.approx(2 / 5)


def test_a_region_with_too_much_of_a_value_is_thinned_out() -> None:
    # Six of the ten a have x; only four of them may stay, the other two are needed for the two b.
    letters, diseases = build("letter", ["a", "b"], Flat()), build("disease", ["x", "y"], Flat())
    frequency = FrequencySet(
        (letters,),
        (np.array([0, 0, 1], dtype=np.int32),),
        {"disease": np.array([0, 1, 1], dtype=np.int32)},
        {"disease": diseases},
        np.array([6, 4, 2]),
    )
    models = (FrequencyDiversity(2, "disease"),)
    plan = local_recoding(Problem(frequency, models))
    check(plan, models)
    assert sorted(plan.groups.sizes.tolist()) == [4, 8]
    assert loss(plan) == pytest.approx(4 / 12)


def test_the_cheaper_of_two_partitions_is_taken_where_they_differ() -> None:
    numbers = build("number", [str(i) for i in range(8)], Intervals((4,)))
    frequency = FrequencySet((numbers,), (np.arange(8, dtype=np.int32),), {}, {}, np.ones(8, dtype=np.int64))
    rows, ones = np.arange(8), np.ones(8, dtype=np.int64)
    one = Partition(frequency, rows, ones, np.array([0, 0, 1, 1, 2, 3, 2, 3]))
    other = Partition(frequency, rows, ones, np.array([0, 1, 0, 1, 2, 2, 3, 3]))
    best = cheaper_of(one, other)
    assert best.group.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert best.loss < min(one.loss, other.loss)


@given(frequencies(max_rows=30))
def test_the_nearest_are_found(frequency: FrequencySet) -> None:
    space = combinations(frequency).space
    hierarchies = sorted(frequency.hierarchies, key=lambda h: -1 / max(len(h.leaves) - 1, 1))
    n = len(space.leaf)
    apart = np.zeros((n, n))
    for d, h in enumerate(hierarchies):
        for i in range(n):
            for j in range(n):
                low, high = h.cover(*sorted((int(space.leaf[i, d]), int(space.leaf[j, d]))))
                apart[i, j] += (high - low) / max(len(h.leaves) - 1, 1) / len(hierarchies)
    wanted = min(4, n)
    found = nearest(space, wanted, 1 / 16, 10_000)
    for i in range(n):
        others = np.sort(np.delete(apart[i], i))
        neighbours = found[i][found[i] >= 0]
        assert i not in neighbours
        assert len(set(neighbours.tolist())) == len(neighbours) == min(wanted, n - 1)
        assert apart[i][neighbours] == pytest.approx(others[: len(neighbours)])


@given(frequencies(max_rows=30), st.integers(1, 40))
def test_neighbours_found_in_a_hurry_are_real_ones(frequency: FrequencySet, steps: int) -> None:
    space = combinations(frequency).space
    for i, found in enumerate(nearest(space, min(4, len(space.leaf)), 1 / 16, steps)):
        neighbours = found[found >= 0].tolist()
        assert found.tolist() == neighbours + [-1] * (len(found) - len(neighbours))
        assert i not in neighbours
        assert len(set(neighbours)) == len(neighbours)


@given(frequencies(), st.integers(1, 40))
def test_generalizations_are_visited_once_and_finer_ones_first(frequency: FrequencySet, limit: int) -> None:
    nodes = nodes_by_cost(combinations(frequency), limit).tolist()
    assert nodes[0] == [0] * len(frequency.hierarchies)
    assert len(nodes) <= limit
    assert len(set(map(tuple, nodes))) == len(nodes)
    for i, later in enumerate(nodes):
        for earlier in nodes[:i]:
            assert earlier == later or not all(a >= b for a, b in zip(earlier, later, strict=True))


def test_promises_that_break_by_merging_are_named(people: FrequencySet) -> None:
    with pytest.raises(DiscreetError, match="survive merging two groups"):
        local_recoding(Problem(people, (Fragile(2),)))


def test_one_combination_stays_as_it_is() -> None:
    letters = build("letter", ["a", "b"], Flat())
    frequency = FrequencySet((letters,), (np.array([1], dtype=np.int32),), {}, {}, np.array([5]))
    plan = local_recoding(Problem(frequency, (KAnonymity(5),)))
    assert (plan.low.tolist(), plan.high.tolist(), plan.count.tolist()) == ([[1]], [[1]], [5])


def test_a_table_without_rows_has_a_plan_without_groups(people: FrequencySet) -> None:
    none = np.empty(0, dtype=np.int32)
    frequency = replace(
        people, codes=(none, none, none), sensitive={"disease": none}, counts=np.empty(0, dtype=np.int64)
    )
    plan: Recoding = local_recoding(Problem(frequency, (KAnonymity(2),)))
    assert len(plan.low) == len(plan.row) == 0


def test_groups_that_look_alike_are_one_group(people: FrequencySet) -> None:
    twice = Partition(people, np.array([0, 0, 1]), np.array([1, 2, 3]), np.array([0, 1, 2]))
    merged = twice.merged()
    assert merged.groups == 2
    assert sorted(merged.count.tolist()) == [3, 3]
