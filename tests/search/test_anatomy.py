"""Anatomy, judged row by row."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet
from discreet.errors import Infeasible
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.robust.robust import Robust
from discreet.search.buckets.anatomy import anatomized, anatomy
from discreet.search.buckets.bucketizing import demand, eligible, set_sizes
from discreet.search.plan import Problem
from tests.search.bucketized import SENSITIVE, bucketizable, check_plan, members, rows_of, same, table_of


def totals(frequency: FrequencySet) -> Counter[str | None]:
    found: Counter[str | None] = Counter()
    for row, count in zip(rows_of(frequency), frequency.counts.tolist(), strict=True):
        found[row[-1]] += count
    return found


@given(bucketizable(max_rows=20), st.integers(2, 5), st.integers(0, 2))
def test_groups_have_l_rows_or_a_few_more_all_of_different_values(
    frequency: FrequencySet, rows: int, seed: int
) -> None:
    problem = Problem(frequency, (FrequencyDiversity(rows, SENSITIVE),), seed=seed)
    if max(totals(frequency).values()) * rows > frequency.rows:
        with pytest.raises(Infeasible):
            anatomy(problem)
        return
    plan = anatomy(problem)
    check_plan(plan)
    assert plan.suppressed == 0
    groups = members(plan)
    assert len(groups) == frequency.rows // rows
    for group in groups.values():
        assert len(group) >= rows
        assert len({row[-1] for row in group}) == len(group)


@given(bucketizable(max_rows=20), st.integers(2, 4), st.integers(0, 2))
def test_of_values_that_are_too_frequent_the_fewest_rows_are_suppressed(
    frequency: FrequencySet, rows: int, seed: int
) -> None:
    models = (FrequencyDiversity(rows, SENSITIVE),)
    asked = demand(Problem(frequency, models), "anatomy")
    sizes, _ = set_sizes(frequency, asked)
    lost = int((sizes - eligible(sizes, 0, rows)).sum())
    plan = anatomy(Problem(frequency, models, suppression_limit=lost, seed=seed))
    check_plan(plan)
    assert plan.suppressed == lost
    for group, held in members(plan).items():
        assert group == -1 or max(Counter(row[-1] for row in held).values()) * rows <= len(held)
    if lost:
        with pytest.raises(Infeasible):
            anatomy(Problem(frequency, models, suppression_limit=lost - 1))


@given(bucketizable(max_rows=20), st.integers(2, 5), st.sets(st.sampled_from(["flu", "cold", None]), min_size=1))
def test_unprotected_rows_may_stand_together(frequency: FrequencySet, rows: int, protected: set[str | None]) -> None:
    there = sum(n for value, n in totals(frequency).items() if value in protected)
    model = Robust(rows, SENSITIVE, values=[tuple(sorted(protected, key=str))])
    asked = demand(Problem(frequency, (model,)), "anatomy")
    plan = anatomized(frequency, asked, np.random.default_rng(1))
    check_plan(plan)
    assert plan.suppressed == max(0, there - (frequency.rows - there) // (rows - 1))
    for group, held in members(plan).items():
        many = sum(row[-1] in protected for row in held)
        assert group == -1 or many * rows <= len(held)


def test_a_value_of_exactly_one_in_l_rows_is_eligible_and_of_one_more_is_refused_with_its_share() -> None:
    others = [("30", str(value)) for value in range(8)]
    border = table_of([("20", "flu"), *others], [4, *[1] * 8])
    models = (FrequencyDiversity(3, SENSITIVE),)
    assert anatomy(Problem(border, models, seed=1)).group_count == 4
    beyond = table_of([("20", "flu"), *others], [5, *[1] * 8])
    with pytest.raises(Infeasible, match=r"'flu' of disease has 38.46%.* 1 of 13 rows .* at most 2"):
        anatomy(Problem(beyond, models, seed=1))
    assert anatomy(Problem(beyond, models, 1, seed=1)).suppressed == 1


def test_a_set_that_is_too_frequent_is_named_without_naming_everything() -> None:
    table = table_of([("20", str(value)) for value in range(6)], [2] * 6)
    with pytest.raises(Infeasible, match=r"the set of '0', '1', '2' and 1 more of disease has 66.67%"):
        anatomy(Problem(table, (Robust(2, SENSITIVE, values=[("0", "1", "2", "3")]),)))


def test_the_same_seed_gives_the_same_plan_and_another_one_another() -> None:
    table = table_of([(str(age), value) for age in range(30) for value in ("flu", "cold", "gout")])
    plans = [anatomy(Problem(table, (FrequencyDiversity(3, SENSITIVE),), seed=seed)) for seed in (1, 1, 2)]
    assert same(plans[0], plans[1])
    assert not same(plans[0], plans[2])


def test_combinations_that_are_often_there_are_spread_over_many_groups() -> None:
    table = table_of([("20", "flu"), ("30", "cold")], [100, 100])
    plan = anatomy(Problem(table, (FrequencyDiversity(2, SENSITIVE),)))
    assert plan.group_count == 100
    assert sorted(plan.groups.sizes.tolist()) == [2] * 100


def test_few_rows_of_unprotected_values_alone_are_one_group() -> None:
    table = table_of([("20", "flu"), ("30", "cold")])
    plan = anatomy(Problem(table, (Robust(5, SENSITIVE, values=["flu"]),), suppression_limit=1, seed=1))
    assert members(plan) == {-1: [("20", "flu")], 0: [("30", "cold")]}
