"""What Anatomy, Injector and MASK share."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DiscreetError, Infeasible
from discreet.models.groups.alpha_k import AlphaK
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import (
    DistinctDiversity,
    EntropyDiversity,
    FrequencyDiversity,
    RecursiveDiversity,
)
from discreet.models.groups.t_closeness import TCloseness
from discreet.models.robust.robust import Robust
from discreet.search.buckets.anatomy import anatomized
from discreet.search.buckets.bucketizing import UNPROTECTED, demand, eligible, kept, set_numbers
from discreet.search.plan import Problem
from tests.search.bucketized import SENSITIVE, check_plan, members, published, table_of
from tests.search.multidimensional import Fragile

ROWS = [(str(age), value) for age in range(20, 24) for value in ("flu", "cold", "gout", None)]
TABLE = table_of(ROWS)


def test_the_strictest_promise_says_how_many_rows_a_protected_one_needs() -> None:
    models = (DistinctDiversity(2, SENSITIVE), FrequencyDiversity("5/2", SENSITIVE), KAnonymity(7))
    asked = demand(Problem(TABLE, models), "anatomy")
    assert (asked.attribute, asked.l, asked.k, asked.sets) == (SENSITIVE, 3, 7, 4)


@pytest.mark.parametrize(
    ("model", "rows"),
    [
        (EntropyDiversity("2.1", SENSITIVE), 3),
        (RecursiveDiversity(1, 2, SENSITIVE), 3),
        (RecursiveDiversity("0.4", 2, SENSITIVE), 4),
        (AlphaK("0.3", 2, SENSITIVE), 4),
        (Robust("3.5", SENSITIVE), 4),
    ],
)
def test_different_values_in_a_group_of_so_many_rows_keep_the_promise_and_in_smaller_ones_break_it(
    model: DistinctDiversity, rows: int
) -> None:
    asked = demand(Problem(TABLE, (model,)), "anatomy")
    assert asked.l == rows
    alike = table_of([("20", str(value)) for value in range(12)])  # nobody is likelier than anybody else
    for size in (rows - 1, rows):
        plan = anatomized(alike, demand(Problem(alike, (DistinctDiversity(size, SENSITIVE),)), "anatomy"), chance())
        groups = plan.groups
        assert model.holds(groups)[groups.sizes == size].all() == (size == rows)


def test_listed_values_are_protected_as_a_set_and_the_others_are_not() -> None:
    asked = demand(Problem(TABLE, (Robust(3, SENSITIVE, values=[["flu", None]]),)), "mask")
    leaves = TABLE.sensitive_hierarchies[SENSITIVE].leaves
    protected = {leaf for leaf, number in zip(leaves, asked.set_of.tolist(), strict=True) if number != UNPROTECTED}
    assert protected == {"flu", None}
    assert asked.sets == 1


def test_a_promise_about_fewer_values_may_be_the_strictest() -> None:
    models = (FrequencyDiversity(2, SENSITIVE), Robust(3, SENSITIVE, values=["flu"]))
    asked = demand(Problem(TABLE, models), "anatomy")
    assert (asked.l, asked.sets) == (3, 1)


@pytest.mark.parametrize("models", [(KAnonymity(5),), (TCloseness(0.2, SENSITIVE),)])
def test_without_a_promise_about_shares_of_values_there_is_nothing_to_go_by(models: tuple[KAnonymity, ...]) -> None:
    with pytest.raises(DiscreetError, match="no promise says how well"):
        demand(Problem(TABLE, models), "anatomy")


@given(st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=3), max_size=4))
def test_two_leaves_are_of_one_set_exactly_if_a_chain_of_overlapping_sets_joins_them(sets: list[list[int]]) -> None:
    number = set_numbers(sets, 6).tolist()
    linked = {(a, b) for s in sets for a, b in product(s, s)}
    while more := {(a, d) for (a, b), (c, d) in product(linked, linked) if b == c} - linked:
        linked |= more
    for a, b in product(range(6), range(6)):
        assert ((a, b) in linked) == (number[a] == number[b] != UNPROTECTED)
    assert sorted(set(number) - {UNPROTECTED}) == list(range(len(set(number) - {UNPROTECTED})))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), st.integers(0, 4), st.integers(2, 4))
def test_as_many_rows_stay_as_can_be_shared_out(sizes: list[int], unprotected: int, rows: int) -> None:
    stay = eligible(np.array(sizes), unprotected, rows)
    assert (stay <= sizes).all()
    assert stay.max() * rows <= stay.sum() + unprotected
    best = max(sum(s) for s in product(*(range(n + 1) for n in sizes)) if max(s) * rows <= sum(s) + unprotected)
    assert stay.sum() == best


def chance() -> np.random.Generator:
    return np.random.default_rng(3)


@given(st.integers(2, 16), st.integers(0, 3))
def test_groups_that_are_too_small_are_joined(k: int, seed: int) -> None:
    models = (DistinctDiversity(2, SENSITIVE), KAnonymity(k))
    problem = Problem(TABLE, models, seed=seed)
    plan = kept(problem, anatomized(TABLE, demand(problem, "anatomy"), chance()))
    check_plan(plan)
    assert min(len(rows) for rows in members(plan).values()) >= k
    assert plan.suppressed == 0


def test_what_no_joining_mends_is_told_with_the_group_that_decides() -> None:
    problem = Problem(TABLE, (DistinctDiversity(2, SENSITIVE), KAnonymity(17)), seed=1)
    with pytest.raises(Infeasible, match=r"100.00% of the rows") as failed:
        kept(problem, anatomized(TABLE, demand(problem, "anatomy"), chance()))
    assert failed.value.witness is not None
    assert failed.value.witness.size == 16


class NoFlu(Fragile):
    """Breaks in every group that has the first value; joining never helps."""

    def holds(self, groups):
        t = groups.tallies[SENSITIVE]
        first = np.repeat(np.arange(len(groups)), np.diff(t.offsets))[t.values == 0]
        return ~np.isin(np.arange(len(groups)), first)


def test_groups_that_can_not_be_mended_are_suppressed_within_the_limit_and_not_beyond() -> None:
    models = (DistinctDiversity(2, SENSITIVE), NoFlu(2))
    start = anatomized(TABLE, demand(Problem(TABLE, models), "anatomy"), chance())
    lost = sum(len(rows) for g, rows in members(start).items() if any(row[-1] == first_value() for row in rows))
    plan = kept(Problem(TABLE, models, lost, seed=1), start)
    check_plan(plan)
    assert plan.suppressed == lost
    assert all(first_value() not in values for values in published(plan).values())
    with pytest.raises(Infeasible):
        kept(Problem(TABLE, models, lost - 1, seed=1), start)


def first_value() -> str | None:
    return TABLE.sensitive_hierarchies[SENSITIVE].leaves[0]


def test_joining_is_undone_where_it_does_not_help() -> None:
    models = (DistinctDiversity(2, SENSITIVE), NoFlu(2))
    start = anatomized(TABLE, demand(Problem(TABLE, models), "anatomy"), chance())
    plan = kept(Problem(TABLE, models, 16, seed=1), start)
    assert max(len(rows) for g, rows in members(plan).items() if g >= 0) == 2
    assert plan.facts["joined"] == 0
