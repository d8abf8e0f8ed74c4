"""`presence: total`: whatever the search publishes keeps the sum, for every combination; what can't be is refused."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DiscreetError, Infeasible
from discreet.models.ambiguity.alpha_beta import AlphaBeta
from discreet.models.ambiguity.total import total_presence
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.search.ambiguity.ambiguity import greedy
from discreet.search.ambiguity.bounds import smallest_total
from discreet.search.ambiguity.together import Attempt, mend
from discreet.search.plan import SUPPRESSED, Ambiguity, Problem
from tests.search.bucketized import SENSITIVE
from tests.search.owned import grouped, owned_table
from tests.search.patients import PATIENTS, frequency_of, random_table
from tests.strategies import Table, tables

shares = st.sampled_from([Fraction(1, n) for n in (2, 3, 4, 6)] + [Fraction(2, 3), Fraction(3, 4)])


def members_of(plan: Ambiguity) -> dict[int, list[int]]:
    """The combinations that stand in each group, as often as they do; nobody of the table is lost or there twice."""
    members: dict[int, list[int]] = {}
    for row, count, group in zip(plan.row.tolist(), plan.count.tolist(), plan.group.tolist(), strict=True):
        members.setdefault(group, []).extend([row] * count)
    there = Counter(row for rows in members.values() for row in rows)
    assert there == dict(enumerate(plan.frequency.counts.tolist()))
    return members


def largest_sum(plan: Ambiguity) -> Fraction:
    """The sum for every combination of values of every table that somebody could have, in the plainest way."""
    f, members = plan.frequency, members_of(plan)
    members.pop(SUPPRESSED, None)
    sums: dict[tuple[object, ...], Fraction] = {}
    for rows in members.values():
        listed = [{tuple(int(f.codes[d][row]) for d in table) for row in rows} for table in plan.tables]
        chance = min(Fraction(len(rows), prod(map(len, listed))), Fraction(1))
        for point in product(*listed):
            sums[point] = sums.get(point, Fraction(0)) + chance
    return min(max(sums.values(), default=Fraction(0)), Fraction(1))


def largest_share(plan: Ambiguity) -> Fraction:
    """That of a sensitive value in a group."""
    [sensitive] = plan.frequency.sensitive.values()
    groups = [rows for group, rows in members_of(plan).items() if group != SUPPRESSED]
    return max(Fraction(max(Counter(sensitive[row] for row in rows).values()), len(rows)) for rows in groups)


@given(tables(), shares, shares, st.integers(0, 5))
def test_every_plan_keeps_the_sum_or_there_is_none(table: Table, alpha: Fraction, beta: Fraction, limit: int) -> None:
    frequency = table.frequency()
    try:
        plan = greedy(Problem(frequency, (AlphaBeta(alpha, beta, "disease", presence="total"),), limit, seed=0))
    except Infeasible:
        assert limit < frequency.rows
        return
    assert plan.suppressed <= limit
    if plan.group_count:
        assert largest_share(plan) <= beta
        assert largest_sum(plan) <= alpha


@given(tables(), st.integers(0, 3))
def test_no_grouping_has_a_smaller_sum_than_the_bound(table: Table, groups: int) -> None:
    f = table.frequency()
    rows = np.arange(len(f.counts))
    plan = Ambiguity(f, rows, f.counts, np.unique(rows % (groups + 1), return_inverse=True)[1], ((0,), (1,)))
    if len(f.codes) != 2:
        plan = Ambiguity(f, plan.row, plan.count, plan.group, tuple((d,) for d in range(len(f.codes))))
    assert largest_sum(plan) >= smallest_total([len(np.unique(c)) for c in f.codes], f.rows)


@pytest.mark.parametrize("alpha", ["1/2", "1/5", "1/20"])
def test_a_table_with_many_values_is_published_in_many_groups(alpha: str) -> None:
    frequency = random_table(600, [20, 18, 15, 12], 12)
    model = AlphaBeta(alpha, "1/4", "s", presence="total")
    plan = greedy(Problem(frequency, (model,), 0, seed=1))
    assert plan.suppressed == 0
    assert largest_share(plan) <= Fraction(1, 4)
    assert total_presence(plan.groups).most <= Fraction(alpha)
    assert plan.group_count > 5


def test_named_sets_share_a_table() -> None:
    frequency = random_table(300, [20, 8, 15], 10)
    model = AlphaBeta("1/2", "1/4", "s", (("q2", "q1"), ("q0",)), "total")
    plan = greedy(Problem(frequency, (model,), 0, seed=1))
    assert plan.tables == ((0,), (1, 2))
    assert largest_sum(plan) <= Fraction(1, 2)


def test_other_promises_are_kept_too() -> None:
    frequency = random_table(500, [20, 19, 14], 10)
    models = (KAnonymity(7), AlphaBeta("1/3", "1/4", "s", presence="total"))
    plan = greedy(Problem(frequency, models, 0, seed=1))
    assert plan.groups.sizes.min() >= 7
    assert largest_sum(plan) <= Fraction(1, 3)


def test_one_group_of_all_rows_is_the_smallest_there_is() -> None:
    # 8 patients, 4 · 2 · 5 combinations: 8 / 40, and no release has less
    plan = greedy(Problem(PATIENTS, (AlphaBeta("1/5", "1/2", "disease", presence="total"),), 0, seed=0))
    assert (plan.group_count, largest_sum(plan)) == (1, Fraction(1, 5))
    with pytest.raises(Infeasible) as refused:
        greedy(Problem(PATIENTS, (AlphaBeta("0.19", "1/2", "disease", presence="total"),), 0, seed=0))
    assert "the smallest possible alpha is 0.2" in str(refused.value)
    assert "over all groups together" in str(refused.value)


def test_what_was_not_found_is_told_with_the_smallest_that_was_reached() -> None:
    rows = [(str(i % 4), str(i % 3), "flu" if i < 3 else f"ill {i}") for i in range(6)]
    frequency = frequency_of(["a", "b", "s"], rows)
    with pytest.raises(Infeasible, match="alpha"):
        greedy(Problem(frequency, (AlphaBeta("0.3", "1/2", "s", presence="total"),), 0, seed=0))


@given(st.integers(0, 50), st.sampled_from([Fraction(1, 2), Fraction(1, 4), Fraction(1, 10)]))
def test_mending_never_makes_it_worse_and_loses_nobody(seed: int, alpha: Fraction) -> None:
    frequency = random_table(80, [8, 6, 5], 6, seed)
    rows = np.arange(len(frequency.counts))
    group = np.random.default_rng(seed).integers(0, 12, len(rows))
    group = np.unique(group, return_inverse=True)[1]
    plan = Ambiguity(frequency, rows, frequency.counts, group, ((0,), (1,), (2,)))
    model = AlphaBeta(alpha, "1/2", "disease", presence="total")
    mended = mend(Attempt(plan, model.total(plan.groups)), model)
    assert mended.plan.published.tolist() == frequency.counts.tolist()
    assert mended.reached <= alpha or mended.plan.group_count <= 2
    assert float(mended.reached) == pytest.approx(float(largest_sum(mended.plan)), rel=1e-8)


def test_people_with_several_rows_are_refused_with_the_reason() -> None:
    rows = [
        ("Ann", "20", "A", "flu"),
        ("Ann", "20", "A", "cold"),
        ("Bob", "30", "B", "flu"),
        ("Eve", "40", "C", "gout"),
    ]
    model = AlphaBeta("1/2", "1/2", SENSITIVE, presence="total")
    with pytest.raises(DiscreetError, match="presence: group"):
        greedy(Problem(owned_table(rows), (model,), 0, seed=0))


def test_what_is_promised_to_people_with_several_rows_is_never_called_kept() -> None:
    """Whoever writes it into a manifest by hand: the sums of all that somebody is are not known."""
    rows = [("Ann", "0", "0", "0"), ("Bob", "1", "1", "1"), ("Ann", "2", "2", "1"), ("Eve", "3", "3", "0")]
    groups = grouped(rows, [0, 0, 1, 1], ((0,), (1,))).groups
    model = AlphaBeta("9/10", "9/10", SENSITIVE, presence="total")
    assert model.holds(groups).all()
    assert not model.held_by_people(groups).any()
    assert model.reached_by_people(groups).tolist() == [1.0, 1.0]


def test_with_a_seed_the_same_plan() -> None:
    frequency = random_table(300, [12, 10, 8], 9)
    model = AlphaBeta("1/3", "1/4", "s", presence="total")
    one, same = (greedy(Problem(frequency, (model,), 0, seed=3)) for _ in range(2))
    assert (one.group == same.group).all() and (one.row == same.row).all()
    with pytest.raises(DiscreetError):
        AlphaBeta("1/3", "1/4", "s", presence="everything")
