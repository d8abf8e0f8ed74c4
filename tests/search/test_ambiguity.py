"""Ambiguity: every plan is (α, β)-private group by group, nobody is lost, and what can't be given is refused."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet
from discreet.errors import DiscreetError, Infeasible
from discreet.models.ambiguity.alpha_beta import AlphaBeta, association, presence
from discreet.models.base import PrivacyModel, all_hold
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import EntropyDiversity
from discreet.models.groups.t_closeness import TCloseness
from discreet.search.ambiguity.ambiguity import greedy
from discreet.search.plan import SUPPRESSED, Ambiguity, Problem
from tests.search.patients import PATIENTS, frequency_of, random_table
from tests.strategies import Table, tables

shares = st.sampled_from([Fraction(1, n) for n in (2, 3, 4, 6)] + [Fraction(2, 3), Fraction(3, 4)])


def plan_of(
    frequency: FrequencySet, model: PrivacyModel, *others: PrivacyModel, limit: int = 0, seed: int = 0
) -> Ambiguity:
    return greedy(Problem(frequency, (model, *others), limit, seed=seed))


def check(plan: Ambiguity, alpha: Fraction, beta: Fraction, limit: int) -> None:
    """The promise in plain Python, from the rows of each group; and nobody is lost or there twice."""
    f = plan.frequency
    [sensitive] = f.sensitive.values()
    members: dict[int, list[int]] = {}
    for row, count, group in zip(plan.row.tolist(), plan.count.tolist(), plan.group.tolist(), strict=True):
        members.setdefault(group, []).extend([row] * count)
    assert Counter(row for rows in members.values() for row in rows) == dict(enumerate(f.counts.tolist()))
    assert len(members.pop(SUPPRESSED, [])) == plan.suppressed <= limit
    assert sorted(members) == list(range(plan.group_count))
    for rows in members.values():
        combinations = 1
        for table in plan.tables:
            combinations *= len({tuple(f.codes[d][row] for d in table) for row in rows})
        assert min(Fraction(len(rows), combinations), 1) <= alpha
        assert Fraction(max(Counter(sensitive[row] for row in rows).values()), len(rows)) <= beta


@given(tables(), shares | st.just(Fraction(1)), shares, st.sampled_from(["separate", "best"]), st.integers(0, 5))
def test_every_plan_is_private_or_there_is_none(
    table: Table, alpha: Fraction, beta: Fraction, sets: str, limit: int
) -> None:
    frequency = table.frequency()
    try:
        plan = plan_of(frequency, AlphaBeta(alpha, beta, "disease", sets), limit=limit)
    except Infeasible:
        assert limit < frequency.rows
        return
    check(plan, alpha, beta, limit)


@pytest.mark.parametrize("alpha", ["1/2", "1/10", "1/50"])
@pytest.mark.parametrize("beta", ["1/2", "1/5"])
@pytest.mark.parametrize("sets", ["separate", "best"])
def test_a_table_with_many_values_loses_nobody(alpha: str, beta: str, sets: str) -> None:
    frequency = random_table(600, [20, 8, 5, 2], 12)
    plan = plan_of(frequency, AlphaBeta(alpha, beta, "s", sets))
    check(plan, Fraction(alpha), Fraction(beta), 0)
    assert plan.group_count > 10
    assert plan.facts["groups"] == plan.group_count
    assert plan.facts["suppressed"] == 0


def test_the_patients_stand_in_groups_of_their_own() -> None:
    plan = plan_of(PATIENTS, AlphaBeta("4/9", "1/4", "disease"))
    check(plan, Fraction(4, 9), Fraction(1, 4), 0)
    assert plan.facts["tables"] == "age | gender | zip"


def test_named_sets_share_a_table() -> None:
    frequency = random_table(300, [20, 8, 5], 10)
    plan = plan_of(frequency, AlphaBeta("1/4", "1/4", "s", (("q2", "q1"), ("q0",))))
    assert plan.tables == ((0,), (1, 2))
    assert plan.facts["tables"] == "q0 | q1, q2"
    check(plan, Fraction(1, 4), Fraction(1, 4), 0)


def test_sets_that_fit_no_table_are_told() -> None:
    with pytest.raises(DiscreetError, match="'zipp' is not a quasi-identifier"):
        plan_of(PATIENTS, AlphaBeta("1/4", "1/4", "disease", (("age", "gender", "zipp"), ("zip",))))


def test_one_promise_of_ambiguity_is_needed() -> None:
    with pytest.raises(DiscreetError, match="needs one promise of ambiguity, the policy has 0"):
        plan_of(PATIENTS, KAnonymity(2))


def test_the_same_seed_gives_the_same_plan_and_another_another() -> None:
    frequency = random_table(400, [15, 9, 4], 9)
    one, same, other = (plan_of(frequency, AlphaBeta("1/5", "1/4", "s", "best"), seed=seed) for seed in (3, 3, 4))
    assert one.tables == same.tables
    assert all((getattr(one, name) == getattr(same, name)).all() for name in ("row", "count", "group"))
    assert len(one.group) != len(other.group) or (one.group != other.group).any()


def test_other_promises_are_kept_too() -> None:
    frequency = random_table(500, [20, 9, 4], 10)
    others = (KAnonymity(17), EntropyDiversity(7, "s"), TCloseness("0.3", "s"))
    plan = plan_of(frequency, AlphaBeta("1/5", "1/4", "s"), *others)
    assert all_hold(others, plan.groups).all()
    check(plan, Fraction(1, 5), Fraction(1, 4), 0)


def test_groups_that_break_another_promise_are_joined_no_more_than_needed() -> None:
    frequency = random_table(500, [20, 9, 4], 10)
    alone, beside = AlphaBeta("1/5", "1/4", "s"), TCloseness("0.3", "s")
    plan = plan_of(frequency, alone, beside)
    assert beside.holds(plan.groups).all()
    check(plan, Fraction(1, 5), Fraction(1, 4), 0)
    assert 10 < plan.group_count < plan_of(frequency, alone).group_count


def test_groups_of_more_rows_than_there_are_values_repeat_them() -> None:
    frequency = random_table(300, [20, 15, 4], 3)
    plan = plan_of(frequency, AlphaBeta("1/30", "1/2", "s"))
    check(plan, Fraction(1, 30), Fraction(1, 2), 0)
    assert plan.groups.sizes.min() > 3


@pytest.mark.parametrize("sets", ["separate", "best"])
def test_one_quasi_identifier_hides_nobody(sets: str) -> None:
    frequency = random_table(50, [40], 5)
    with pytest.raises(Infeasible, match="the smallest possible alpha is 1; name more quasi-identifiers"):
        plan_of(frequency, AlphaBeta("0.99", "1/2", "s", sets))
    check(plan_of(frequency, AlphaBeta(1, "1/2", "s", sets)), Fraction(1), Fraction(1, 2), 0)


def test_quasi_identifiers_all_in_one_table_hide_nobody() -> None:
    frequency = random_table(50, [8, 7], 5)
    with pytest.raises(Infeasible, match="the smallest possible alpha is 1"):
        plan_of(frequency, AlphaBeta("0.99", "1/2", "s", (("q0", "q1"),)))


def uneven(common: int, others: int) -> FrequencySet:
    """Different people, so many of whom have the value x."""
    values = ["x"] * common + [f"y{n % 20}" for n in range(others)]
    rows = [(str(n), str(n * 7 % 50), str(n % 2), value) for n, value in enumerate(values)]
    return frequency_of(["age", "zip", "sex", "s"], rows)


def test_beta_may_be_the_share_of_the_most_frequent_value_and_no_less() -> None:
    frequency = uneven(30, 70)
    check(plan_of(frequency, AlphaBeta("1/5", "3/10", "s")), Fraction(1, 5), Fraction(3, 10), 0)
    with pytest.raises(Infeasible) as refused:
        plan_of(frequency, AlphaBeta("1/5", "0.2999", "s"))
    assert "has 30.00% of the rows; the smallest possible beta is 0.3" in str(refused.value)


def test_suppressed_rows_make_room_for_a_smaller_beta() -> None:
    frequency = uneven(31, 70)  # without one of them 30 / 100
    check(plan_of(frequency, AlphaBeta("1/5", "3/10", "s"), limit=1), Fraction(1, 5), Fraction(3, 10), 1)
    with pytest.raises(Infeasible, match=r"the smallest possible beta is 0\.3\b"):
        plan_of(frequency, AlphaBeta("1/5", "0.29", "s"), limit=1)


@pytest.mark.parametrize("share", ["1/5", "1/4", "1/3"])
def test_a_value_at_the_border_finds_room_in_larger_groups(share: str) -> None:
    beta = Fraction(share)
    common = 60
    frequency = uneven(common, int(common / beta) - common)
    plan = plan_of(frequency, AlphaBeta("1/12", beta, "s"))
    check(plan, Fraction(1, 12), beta, 0)
    assert association(plan.groups, "s").max() == float(beta)


def test_the_smallest_alpha_and_beta_are_told_together() -> None:
    with pytest.raises(Infeasible) as refused:
        plan_of(PATIENTS, AlphaBeta("0.0001", "0.1", "disease"))
    assert "the smallest possible beta is 0.25; the smallest possible alpha is 0.125" in str(refused.value)


def test_groups_larger_than_the_table_are_refused() -> None:
    with pytest.raises(Infeasible, match="groups need at least 9 rows and the table has 8"):
        plan_of(PATIENTS, AlphaBeta("1/2", "1/2", "disease"), KAnonymity(9))


def test_too_many_rows_without_a_place_are_told_with_a_repair() -> None:
    alike = frequency_of(["age", "zip", "s"], [("1", "1", str(n)) for n in range(40)] + [("2", "2", "3")])
    with pytest.raises(Infeasible, match=r"38 of 41 rows find no place .* 1 may be suppressed; ask for a larger alpha"):
        plan_of(alike, AlphaBeta("3/4", "1/2", "s"), limit=1)
    different = [(str(n % 9), str(n % 8), str(n)) for n in range(60)]
    half = frequency_of(["age", "zip", "s"], different + [("1", "1", str(n)) for n in range(50)])
    with pytest.raises(
        Infeasible, match=r"rows find no place .* write suppress: 0\.\d+, or ask for a larger alpha, 0\.24"
    ):
        plan_of(half, AlphaBeta("1/6", "1/3", "s"))


def test_equal_people_do_not_hide_each_other() -> None:
    twins = frequency_of(["age", "zip", "s"], [(str(n % 10), str(n % 5), f"{n % 7}") for n in range(70)] * 3)
    plan = plan_of(twins, AlphaBeta("1/3", "1/3", "s"))
    check(plan, Fraction(1, 3), Fraction(1, 3), 0)
    assert presence(plan.groups).max() <= 1 / 3


def test_progress_is_told() -> None:
    told: list[tuple[str, float, float, str]] = []
    greedy(
        Problem(random_table(300, [20, 9, 4], 9), (AlphaBeta("1/5", "1/4", "s", "best"),), seed=1),
        lambda *step: told.append(step),
    )
    assert {stage for stage, *_ in told} == {"tables", "search"}
    assert all(0 <= done <= total for _, done, total, _ in told)


def test_a_null_and_an_empty_text_are_values_like_others() -> None:
    rows = [(None if n % 3 else "", str(n % 8), None if n % 4 == 0 else str(n % 4)) for n in range(80)]
    frequency = frequency_of(["q0", "q1", "s"], rows)
    plan = plan_of(frequency, AlphaBeta("1/2", "1/3", "s"))
    check(plan, Fraction(1, 2), Fraction(1, 3), 0)
    assert np.unique(plan.frequency.codes[0]).tolist() == [0, 1]
