"""MASK, judged row by row."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet
from discreet.errors import Infeasible
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.robust.robust import Robust
from discreet.search.buckets.bucketizing import demand
from discreet.search.buckets.mask import mask, masked
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.plan import Problem
from tests.search.bucketized import SENSITIVE, bucketizable, check_plan, members, published, same, table_of

PROTECTED = ("flu", None)
HALF = Fraction(1, 2)


def people(many: int = 60) -> FrequencySet:
    """Flu is frequent among the young; elsewhere everything is rare."""
    rows = [(str(20 + i // 6), "flu") if i < 12 else (str(20 + i // 6), str(i % 6)) for i in range(many)]
    return table_of([*rows, ("25", "flu"), ("29", "flu")])


@given(bucketizable(max_rows=15, max_count=5), st.integers(2, 4), st.integers(2, 6), st.integers(0, 2))
def test_groups_are_k_anonymous_and_m_confident_as_published(
    frequency: FrequencySet, rows: int, k: int, seed: int
) -> None:
    models = (FrequencyDiversity(rows, SENSITIVE), KAnonymity(k))
    try:
        plan = mask(Problem(frequency, models, seed=seed))
    except Infeasible:
        return
    check_plan(plan)
    assert plan.suppressed == 0
    for group, held in members(plan).items():
        assert len(held) >= max(k, rows)
        assert max(Counter(published(plan)[group]).values()) * rows <= len(held)


@given(bucketizable(max_rows=15, max_count=5), st.integers(2, 4), st.integers(0, 2))
def test_listed_values_are_rare_together_and_true_where_they_were_rare_before(
    frequency: FrequencySet, rows: int, seed: int
) -> None:
    asked = demand(Problem(frequency, (Robust(rows, SENSITIVE, values=[PROTECTED]),)), "mask")
    try:
        plan = masked(frequency, asked, np.random.default_rng(seed))
    except Infeasible:
        return
    check_plan(plan)
    distorted = 0
    for group, held in members(plan).items():
        true, told = Counter(row[-1] for row in held), Counter(published(plan)[group])
        many = sum(true[value] for value in PROTECTED)
        shown = sum(told[value] for value in PROTECTED)
        if many * rows <= len(held):
            assert told == true
        elif set(true) - set(PROTECTED) or frequency_has_others(frequency):
            assert shown * rows <= len(held)
            assert not any(told[value] > true[value] for value in PROTECTED)
        distorted += (true - told).total()
    assert plan.facts["distorted"] == distorted


def frequency_has_others(frequency: FrequencySet) -> bool:
    hierarchy = frequency.sensitive_hierarchies[SENSITIVE]
    return any(hierarchy.leaves[code] not in PROTECTED for code in frequency.sensitive[SENSITIVE].tolist())


@given(bucketizable(max_rows=15, max_count=5), st.integers(2, 4))
def test_groups_are_made_without_a_look_at_the_sensitive_values(frequency: FrequencySet, k: int) -> None:
    if frequency.rows < k:
        return
    asked = demand(Problem(frequency, (Robust(k, SENSITIVE, values=[PROTECTED]),)), "mask")
    try:
        plan = masked(frequency, asked, np.random.default_rng(1))
    except Infeasible:
        return
    cut = mondrian(Problem(frequency, (KAnonymity(k),)))
    expected = {(r, g): n for r, n, g in zip(cut.row.tolist(), cut.count.tolist(), cut.group.tolist(), strict=True)}
    found: Counter[tuple[int, int]] = Counter()
    for r, n, g in zip(plan.row.tolist(), plan.count.tolist(), plan.group.tolist(), strict=True):
        found[r, g] += n
    assert found == expected


def test_violating_groups_take_a_share_that_a_sibling_has() -> None:
    table = people()
    asked = demand(Problem(table, (Robust(3, SENSITIVE, values=["flu"]), KAnonymity(6))), "mask")
    plan = masked(table, asked, np.random.default_rng(5))
    true = {g: Fraction(sum(r[-1] == "flu" for r in held), len(held)) for g, held in members(plan).items()}
    told = {g: Fraction(v.count("flu"), len(v)) for g, v in published(plan).items()}
    violating = {g for g, share in true.items() if share > Fraction(1, 3)}
    sizes = {g: len(held) for g, held in members(plan).items()}
    assert violating
    assert plan.facts["violating"] == len(violating)
    assert plan.facts["siblings"] == min(2 * len(violating), len(true) - len(violating))
    for g in violating:
        possible = {min(floor(true[s] * sizes[g] + HALF), sizes[g] // 3) for s in true if s not in violating}
        assert told[g] * sizes[g] in possible


def test_a_share_that_siblings_have_is_found_again_over_many_draws() -> None:
    table = people()
    asked = demand(Problem(table, (Robust(3, SENSITIVE, values=["flu"]), KAnonymity(6))), "mask")
    shares = set()
    for seed in range(30):
        plan = masked(table, asked, np.random.default_rng(seed))
        true = {g: [r[-1] for r in held] for g, held in members(plan).items()}
        told = published(plan)
        shares |= {told[g].count("flu") for g in told if true[g].count("flu") * 3 > len(true[g])}
    assert shares == {0, 1}  # some siblings have one case of flu, others none


def test_without_a_group_that_holds_there_is_nothing_to_learn_from() -> None:
    table = table_of([("20", "flu"), ("20", "cold"), ("30", "flu"), ("30", "gout")], [3, 1, 3, 1])
    asked = demand(Problem(table, (Robust(2, SENSITIVE, values=["flu"]),)), "mask")
    with pytest.raises(Infeasible, match="none to learn a share from"):
        masked(table, asked, np.random.default_rng(1))


def test_a_set_that_is_too_frequent_everywhere_is_refused_at_once() -> None:
    table = table_of([("20", "flu"), ("30", "cold")], [6, 5])
    with pytest.raises(Infeasible, match=r"mask .* 'flu' of disease has 54.55%"):
        mask(Problem(table, (FrequencyDiversity(2, SENSITIVE),)))


def test_the_same_seed_gives_the_same_plan_and_another_one_another() -> None:
    table, models = people(120), (FrequencyDiversity(3, SENSITIVE),)
    one, other, third = (mask(Problem(table, models, seed=seed)) for seed in (1, 1, 2))
    assert same(one, other)
    assert not same(one, third)
