"""ART where people have several rows: sums of posteriors are kept, whatever is published, over all worlds."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import Infeasible
from discreet.models.base import PrivacyModel, all_hold
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import DistinctDiversity, FrequencyDiversity
from discreet.models.robust.given_knowledge import GivenKnowledge
from discreet.models.robust.robust import Robust
from discreet.search.art.art import art
from discreet.search.buckets.mask import mask
from discreet.search.plan import Bucketization, Problem
from tests.search.bucketized import SENSITIVE, check_plan, same
from tests.search.dealt import PROMISES, visits
from tests.search.dealt import check as check_dealt
from tests.search.owned import Row, owned_rows, owned_table, published, worst_sums


def check(plan: Bucketization, models: tuple[PrivacyModel, ...], limit: int) -> None:
    check_plan(plan)
    assert plan.suppressed <= limit
    assert all_hold(models, plan.groups).all()
    assert all(max(Counter(row[0] for row in g).values()) == 1 for g in published(plan))


others = st.sampled_from(
    [(), (KAnonymity(2),), (FrequencyDiversity(2, SENSITIVE),), (DistinctDiversity(2, SENSITIVE),)]
)


@given(
    rows=owned_rows(max_people=10),
    r=st.sampled_from([1.5, 2, 3]),
    listed=st.sampled_from([None, ["flu"], [["flu", "cold"]], ["flu", "cold"]]),
    others=others,
    share=st.sampled_from([0.0, 0.3, 0.9]),
    seed=st.integers(0, 9),
)
def test_every_plan_of_art_keeps_what_it_promises_or_there_is_none(
    rows: list[Row],
    r: float,
    listed: list[str] | None,
    others: tuple[PrivacyModel, ...],
    share: float,
    seed: int,
) -> None:
    models = (Robust(r, SENSITIVE, values=listed, min_support=2), *others)
    limit = int(share * len(rows))
    try:
        plan = art(Problem(owned_table(rows), models, limit, seed=seed))
    except Infeasible:
        return
    check(plan, models, limit)


def test_nobody_is_told_anything_by_all_his_groups_together() -> None:
    """She knows nothing but the shares: then posteriors are shares, and their sums are those of the values."""
    rows = visits(300, 3, 12)
    known = GivenKnowledge([({}, f"d{i}", Fraction(1, 12)) for i in range(12)])
    models = (Robust(2, SENSITIVE, knowledge=known),)
    plan = art(Problem(owned_table(rows), models, 90, seed=1))
    check(plan, models, 90)
    assert max(worst_sums(published(plan)).values()) <= Fraction(1, 2)


def test_rows_without_a_protected_value_may_stay_alone() -> None:
    rows = visits(400, 3, 20)
    models = (Robust(3, SENSITIVE, values=["d0"], min_support=1000),)
    plan = art(Problem(owned_table(rows), models, 0, seed=1))
    check(plan, models, 0)
    groups = published(plan)
    assert sum(len(g) == 1 for g in groups) > 600
    for person, sums in sums_of(groups, "d0").items():
        assert sums <= Fraction(1, 3), person


def sums_of(groups: list[list[Row]], value: str) -> dict[str | None, Fraction]:
    found: dict[str | None, Fraction] = {}
    for g in groups:
        share = Fraction(sum(row[-1] == value for row in g), len(g))
        for row in g:
            found[row[0]] = found.get(row[0], Fraction(0)) + share
    return found


def test_several_rows_cost_those_with_one_nothing() -> None:
    rows = visits(1500, 1, 12)
    rows += [(p, a, f"d{(int(d[1:]) + 1 + i) % 12}") for p, a, d in rows[:100] for i in range(2)]
    models = (Robust(2, SENSITIVE, min_support=10_000),)
    plan = art(Problem(owned_table(rows), models, 0, seed=1))
    check(plan, models, 0)
    single = Counter(row[0] for row in rows)
    names = sorted(single)
    sizes = [len(g) for g in published(plan) if all(single[names[int(str(row[0]))]] == 1 for row in g)]
    assert np.mean(sizes) < 2.2


def test_the_same_seed_gives_the_same_plan_of_art() -> None:
    table, models = owned_table(visits(60, 3, 12)), (Robust(2, SENSITIVE, min_support=100),)
    assert same(*(art(Problem(table, models, 60, seed=1)) for _ in range(2)))


def test_whom_art_could_not_protect_is_told_with_the_number_of_people() -> None:
    rows = visits(40, 3, 6)
    with pytest.raises(Infeasible, match="40 of 40 people have 3 rows"):
        art(Problem(owned_table(rows), (Robust(2, SENSITIVE, min_support=2),), 0, seed=1))


@given(
    rows=owned_rows(max_people=10),
    models=st.sampled_from(PROMISES),
    share=st.sampled_from([0.0, 0.3, 0.8]),
    seed=st.integers(0, 9),
)
def test_every_plan_of_mask_keeps_what_it_promises_or_there_is_none(
    rows: list[Row], models: tuple[PrivacyModel, ...], share: float, seed: int
) -> None:
    limit = int(share * len(rows))
    try:
        plan = mask(Problem(owned_table(rows), models, limit, seed=seed))
    except Infeasible:
        return
    check_dealt(plan, models, limit)


def test_mask_makes_groups_of_people_and_cuts_them() -> None:
    models = (DistinctDiversity(2, SENSITIVE), KAnonymity(5))
    plan = mask(Problem(owned_table(visits(400, 5, 20)), models, 0, seed=1))
    check_dealt(plan, models, 0)
    assert plan.groups.sizes.mean() < 12
