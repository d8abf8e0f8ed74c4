"""Anatomy and Injector where people have several rows: whatever is published is judged by an oracle, row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import anonymize, policy_from_words
from discreet.errors import Infeasible
from discreet.models.base import PrivacyModel, all_hold
from discreet.models.groups.l_diversity import (
    DistinctDiversity,
    FrequencyDiversity,
)
from discreet.models.groups.t_closeness import TCloseness
from discreet.search.buckets.anatomy import anatomy
from discreet.search.buckets.injector import injector
from discreet.search.found_people import check_people
from discreet.search.plan import Bucketization, Problem
from tests.search.bucketized import SENSITIVE, same
from tests.search.dealt import PROMISES, check, visits
from tests.search.owned import Row, grouped, owned_rows, owned_table, published

Search = Callable[[Problem], Bucketization]
SEARCHES = (anatomy, injector)


@pytest.mark.parametrize("search", SEARCHES)
@given(
    rows=owned_rows(), models=st.sampled_from(PROMISES), share=st.sampled_from([0.0, 0.3, 0.8]), seed=st.integers(0, 9)
)
def test_every_plan_keeps_what_it_promises_or_there_is_none(
    search: Search, rows: list[Row], models: tuple[PrivacyModel, ...], share: float, seed: int
) -> None:
    limit = int(share * len(rows))
    try:
        plan = search(Problem(owned_table(rows), models, limit, seed=seed))
    except Infeasible:
        return
    check(plan, models, limit)


@given(rows=owned_rows(max_people=4, max_rows=3), models=st.sampled_from(PROMISES), limit=st.integers(0, 3))
def test_what_is_refused_at_once_is_what_no_grouping_can_give(
    rows: list[Row], models: tuple[PrivacyModel, ...], limit: int
) -> None:
    """Every way to group all rows but a few: none of them keeps the promises."""
    rows = rows[:6]
    if max(Counter(row[0] for row in rows).values()) < 2:
        return
    problem = Problem(owned_table(rows).by_person, models, limit)
    try:
        check_people(problem)
    except Infeasible:
        for group in groupings(len(rows)):
            if sum(g < 0 for g in group) <= limit and len(set(group) - {-1}):
                assert not all_hold(models, grouped(rows, group).groups).all()


def groupings(rows: int) -> Iterator[list[int]]:
    """Every way to put rows into groups 0, 1, … or leave them out (−1)."""
    if rows == 0:
        yield []
        return
    for group in groupings(rows - 1):
        yield from ([*group, g] for g in range(-1, max(group, default=-1) + 2))


@pytest.mark.parametrize("search", SEARCHES)
def test_five_visits_each_stand_in_groups_as_small_as_single_rows_would(search: Search) -> None:
    models = (DistinctDiversity(2, SENSITIVE),)
    plan = search(Problem(owned_table(visits(400, 5, 8)), models, seed=1))
    check(plan, models, 0)
    assert plan.groups.sizes.mean() < 2.1


def test_chances_that_add_up_cost_little_where_there_are_values_enough() -> None:
    models = (FrequencyDiversity(2, SENSITIVE),)
    plan = anatomy(Problem(owned_table(visits(400, 5, 20)), models, seed=1))
    check(plan, models, 0)
    assert plan.groups.sizes.mean() < 2.5


def test_nearly_no_more_is_suppressed_than_any_grouping_has_to() -> None:
    """Eight values leave 4 rows to each: 400 of 2,000 have to go, and with them nearly everything must fit."""
    table, models = owned_table(visits(400, 5, 8)), (FrequencyDiversity(2, SENSITIVE),)
    plan = anatomy(Problem(table, models, 500, seed=1))
    check(plan, models, 500)
    assert plan.suppressed <= 420
    with pytest.raises(
        Infeasible, match=r"400 of 400 people have 5 rows.*8 values allow for 4 rows of each.*at least 400 of 2,000"
    ):
        anatomy(Problem(table, models, 399, seed=1))


def test_a_few_people_with_several_rows_cost_the_others_nothing() -> None:
    rows = visits(1000, 1, 8)
    rows += [(p, a, f"d{(int(d[1:]) + 1 + i) % 8}") for p, a, d in rows[:100] for i in range(2)]
    models = (FrequencyDiversity(2, SENSITIVE),)
    plan = anatomy(Problem(owned_table(rows), models, seed=1))
    check(plan, models, 0)
    assert plan.groups.sizes.mean() < 2.2


def test_somebody_who_always_has_the_same_needs_larger_groups() -> None:
    rows = [("p", "20", "flu")] * 3 + [(f"q{i}", "30", f"d{i % 7}") for i in range(30)]
    plan = anatomy(Problem(owned_table(rows), (FrequencyDiversity(2, SENSITIVE),), seed=1))
    check(plan, (FrequencyDiversity(2, SENSITIVE),), 0)
    own = [g for g in published(plan) if any(row[-1] == "flu" for row in g)]
    assert len(own) == 3
    assert sum(Fraction(1, len(g)) for g in own) <= Fraction(1, 2)


def test_larger_groups_are_tried_for_other_promises() -> None:
    models = (DistinctDiversity(2, SENSITIVE), TCloseness(0.2, SENSITIVE))
    rows = [(p, a, "d0" if i % 3 == 0 else d) for i, (p, a, d) in enumerate(visits(200, 4, 6))]
    for search in SEARCHES:
        plan = search(Problem(owned_table(rows), models, 80, seed=1))
        check(plan, models, 80)


def test_the_same_seed_gives_the_same_plan() -> None:
    table, models = owned_table(visits(60, 3, 8)), (FrequencyDiversity(2, SENSITIVE),)
    for search in SEARCHES:
        one, again, other = (search(Problem(table, models, 20, seed=s)) for s in (1, 1, 2))
        assert same(one, again)
        assert not same(one, other)


def test_one_row_each_is_dealt_out_as_if_nobody_had_said_whose_they_are() -> None:
    rows = visits(300, 1, 6)
    table = owned_table(rows)
    assert table.owners is None
    assert isinstance(anatomy(Problem(table, (FrequencyDiversity(2, SENSITIVE),), seed=1)), Bucketization)


def test_what_all_rows_together_reach_by_people_refuses_no_groups_of_exact_values(tmp_path: Path) -> None:
    """Two people have all four cases of gout, and four have the flu: in pairs, both are as frequent."""
    table = {
        "who": ["a", "b", "c", "d", "e", "e", "f", "f"],
        "age": ["20", "21", "22", "23", "24", "24", "25", "25"],
        "disease": ["flu"] * 4 + ["gout"] * 4,
    }
    asked = {
        "attributes": {
            "who": {"role": "person"},
            "age": {"role": "quasi_identifier"},
            "disease": {"role": "sensitive"},
        },
        "require": [{"l_diversity": {"l": 2, "kind": "entropy"}}],
        "publish": "bucketization",
        "seed": 1,
    }
    release = anonymize(policy_from_words(asked), tmp_path / "release", source=table)
    assert release.manifest["rows"]["suppressed"] == 0
    assert release.manifest["groups"] == 4


def test_somebody_with_more_rows_than_there_are_groups_is_told() -> None:
    rows = [("p", "20", d) for d in ("flu", "gout", "cold", "ulcer", "flu")] + [("q", "30", "cold"), ("r", "30", "flu")]
    with pytest.raises(
        Infeasible, match=r"1 of 3 people have 5 rows.*There can be 2 groups of 2 people or more.*at least 3 of 7"
    ):
        anatomy(Problem(owned_table(rows), (DistinctDiversity(2, SENSITIVE),), 2, seed=1))
    plan = anatomy(Problem(owned_table(rows), (DistinctDiversity(2, SENSITIVE),), 3, seed=1))
    check(plan, (DistinctDiversity(2, SENSITIVE),), 3)
