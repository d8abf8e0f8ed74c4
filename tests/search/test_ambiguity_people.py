"""Ambiguity where people have several rows: presence and association add up over somebody's groups."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import Infeasible
from discreet.models.ambiguity.alpha_beta import AlphaBeta
from discreet.models.base import PrivacyModel, all_hold
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.t_closeness import TCloseness
from discreet.search.ambiguity.ambiguity import greedy
from discreet.search.plan import Ambiguity, Problem
from tests.search.bucketized import SENSITIVE
from tests.search.owned import Row, owned_rows, owned_table, published, worst_sums


def check(plan: Ambiguity, alpha: Fraction, beta: Fraction, models: tuple[PrivacyModel, ...], limit: int) -> None:
    """Every row once, nobody twice in a group, and both sums within their limits."""
    f = plan.frequency
    placed = np.bincount(plan.row, weights=plan.count, minlength=len(f.counts))
    assert placed.tolist() == f.counts.tolist()
    assert plan.suppressed <= limit
    assert all_hold(models, plan.groups).all()
    groups = published(plan)
    assert all(max(Counter(row[0] for row in g).values()) == 1 for g in groups)
    assert max(worst_sums(groups).values(), default=Fraction(0)) <= beta
    presence: dict[str, Fraction] = defaultdict(Fraction)
    for g in groups:
        combinations = np.prod([len({tuple(row[1 + d] for d in table) for row in g}) for table in plan.tables])
        for row in g:
            presence[str(row[0])] += Fraction(len(g), int(combinations))
    assert alpha == 1 or max(presence.values(), default=Fraction(0)) <= alpha


@given(
    rows=owned_rows(max_people=12, width=3),
    alpha=st.sampled_from([Fraction(1), Fraction(9, 10), Fraction(1, 2)]),
    beta=st.sampled_from([Fraction(9, 10), Fraction(2, 3), Fraction(1, 2)]),
    others=st.sampled_from([(), (KAnonymity(3),), (TCloseness(0.6, SENSITIVE),)]),
    share=st.sampled_from([0.0, 0.3, 0.8]),
    seed=st.integers(0, 9),
)
def test_every_plan_is_private_or_there_is_none(
    rows: list[Row],
    alpha: Fraction,
    beta: Fraction,
    others: tuple[PrivacyModel, ...],
    share: float,
    seed: int,
) -> None:
    models = (AlphaBeta(alpha, beta, SENSITIVE), *others)
    limit = int(share * len(rows))
    try:
        plan = greedy(Problem(owned_table(rows), models, limit, seed=seed))
    except Infeasible:
        return
    check(plan, alpha, beta, models, limit)


def visits(people: int, rows: int, values: int, seed: int = 0) -> list[Row]:
    """People who live somewhere, with so many visits each."""
    rng = np.random.default_rng(seed)
    return [
        (f"p{p:04}", str(rng.integers(20, 60)), f"zip{p % 29}", "mf"[p % 2], f"d{d}")
        for p in range(people)
        for d in rng.integers(0, values, rows).tolist()
    ]


def test_five_visits_each_all_find_a_group() -> None:
    models = (AlphaBeta("0.3", "0.5", SENSITIVE),)
    plan = greedy(Problem(owned_table(visits(400, 5, 20)), models, 0, seed=1))
    check(plan, Fraction(3, 10), Fraction(1, 2), models, 0)


def test_nearly_no_more_is_suppressed_than_any_grouping_has_to() -> None:
    """Eight values leave 4 of 5 rows to each."""
    table, models = owned_table(visits(400, 5, 8)), (AlphaBeta("0.3", "0.5", SENSITIVE),)
    plan = greedy(Problem(table, models, 500, seed=1))
    check(plan, Fraction(3, 10), Fraction(1, 2), models, 500)
    with pytest.raises(Infeasible, match=r"400 of 400 people have 5 rows.*8 values allow for 4 rows"):
        greedy(Problem(table, models, 399, seed=1))


def test_a_few_people_with_several_rows_hide_among_those_with_one() -> None:
    rows = visits(1500, 1, 40)
    rows += [("z", "30", "zip3", "m", f"d{i}") for i in range(4)] + [
        ("y", "40", "zip9", "f", f"d{i}") for i in range(3)
    ]
    models = (AlphaBeta("0.1", "0.25", SENSITIVE),)
    plan = greedy(Problem(owned_table(rows), models, 0, seed=1))
    check(plan, Fraction(1, 10), Fraction(1, 4), models, 0)
    assert plan.groups.sizes.mean() < 20


def test_the_same_seed_gives_the_same_plan() -> None:
    table, models = owned_table(visits(100, 2, 20)), (AlphaBeta("0.5", "0.5", SENSITIVE),)
    one, again = (greedy(Problem(table, models, 0, seed=3)) for _ in range(2))
    assert all(np.array_equal(getattr(one, part), getattr(again, part)) for part in ("row", "count", "group"))
