"""Presence over all groups together: the heaviest point against enumeration, its meaning against possible worlds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.groups import Groups, tally
from discreet.errors import DiscreetError
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.models.ambiguity.alpha_beta import AlphaBeta
from discreet.models.ambiguity.total import presence_of, total_presence
from tests.models.rows_apart import Point, Row, chance, few_people, groups_of, listed, rows_of, shares, sums, worlds_of

many_groups = st.integers(1, 4).flatmap(lambda tables: rows_of(tables, 4, 12, 6))


@given(many_groups)
def test_the_largest_of_all_combinations(rows: list[list[Row]]) -> None:
    largest = min(max(sums(rows).values()), Fraction(1))
    found = total_presence(groups_of(rows))
    assert found.is_exact
    assert float(found.most) == pytest.approx(float(largest), rel=1e-12)
    assert found.most >= largest  # rounding is up


@given(many_groups, st.fractions(Fraction(1, 50), 1, max_denominator=60))
def test_above_alpha_or_not_is_decided_exactly(rows: list[list[Row]], alpha: Fraction) -> None:
    largest = min(max(sums(rows).values()), Fraction(1))
    assert (total_presence(groups_of(rows), alpha).most <= alpha) == (largest <= alpha)
    assert total_presence(groups_of(rows), largest).most == largest


@given(many_groups)
def test_no_group_covers_anything_above_its_own_bound(rows: list[list[Row]]) -> None:
    all_sums = sums(rows)
    found = total_presence(groups_of(rows))
    for some, bound in zip(rows, found.of_groups.tolist(), strict=True):
        covered = max(all_sums[point] for point in product(*listed(some)))
        assert bound >= float(min(covered, Fraction(1))) * (1 - 1e-12)
    assert found.of_groups.max() == float(found.most)


@given(many_groups)
def test_the_groups_that_cover_the_heaviest_combination_add_up_to_it(rows: list[list[Row]]) -> None:
    found = total_presence(groups_of(rows))
    there = [chance(rows[g]) for g in found.covering.tolist()]
    assert float(min(sum(there), Fraction(1))) == pytest.approx(found.least, rel=1e-12)


@given(many_groups, st.integers(0, 40))
def test_what_ends_early_is_a_bound(rows: list[list[Row]], work: int) -> None:
    largest = min(max(sums(rows).values()), Fraction(1))
    found = total_presence(groups_of(rows), work=work)
    assert found.least <= float(largest) * (1 + 1e-12)
    assert found.most >= largest


@given(many_groups, st.fractions(Fraction(1, 50), 1, max_denominator=60), st.integers(0, 40))
def test_what_ends_early_never_says_kept_of_what_is_not(rows: list[list[Row]], alpha: Fraction, work: int) -> None:
    largest = min(max(sums(rows).values()), Fraction(1))
    if total_presence(groups_of(rows), alpha, work).most <= alpha:
        assert largest <= alpha


@given(many_groups)
def test_each_combination_of_a_list(rows: list[list[Row]]) -> None:
    groups, all_sums = groups_of(rows), sums(rows)
    tables = len(rows[0][0])
    used = [sorted({row[t] for some in rows for row in some}) for t in range(tables)]
    points = list(product(range(4), repeat=tables))
    codes = np.array([[used[t].index(v) if v in used[t] else -1 for t, v in enumerate(point)] for point in points])
    found = presence_of(groups, codes)
    assert found.tolist() == pytest.approx([float(all_sums.get(point, Fraction(0))) for point in points])


def test_more_groups_than_fit_into_a_word() -> None:
    rows = [[(i % 7, i % 5), ((i + 1) % 7, (i + 2) % 5)] for i in range(200)]
    largest = max(sums(rows).values())
    assert total_presence(groups_of(rows)).most == 1 < largest
    codes = np.array([*product(range(7), range(5))])
    assert presence_of(groups_of(rows), codes).max() == pytest.approx(float(largest))


def test_there_is_no_presence_where_there_is_no_group() -> None:
    empty = groups_of([[(0, 0)]]).where(np.array([False]))
    assert total_presence(empty).most == 0


def test_values_that_are_not_in_tables_apart_have_none() -> None:
    with pytest.raises(DiscreetError, match="publish: ambiguity"):
        total_presence(Groups(np.array([3])))


# What the sum means: the share of possible worlds in which somebody with these values is in the table.


@given(few_people)
def test_in_no_larger_share_of_all_worlds_than_the_sum(rows: list[list[Row]]) -> None:
    all_sums = sums(rows)
    for point, share in shares(rows).items():
        assert share <= all_sums[point]


@given(few_people)
def test_in_exactly_that_share_where_only_one_group_covers_somebody(rows: list[list[Row]]) -> None:
    all_sums = sums(rows)
    for point, share in shares(rows).items():
        if sum(point in set(product(*listed(some))) for some in rows) == 1:
            assert share == all_sums[point]


def test_the_largest_of_one_group_is_less_than_what_is_true() -> None:
    """The counterexample to taking the largest: each group says one half, and three quarters of all worlds have him."""
    rows = [[(0, 0), (1, 1)], [(0, 1), (1, 0)]]
    assert {chance(some) for some in rows} == {Fraction(1, 2)}
    assert shares(rows)[0, 0] == Fraction(3, 4)
    assert total_presence(groups_of(rows)).most == 1


def apart(rows: Sequence[Sequence[Row]]) -> list[frozenset[Point]]:
    """All worlds in which, besides, no two people have the same values: nobody is then in two groups."""
    worlds = product(*(list(worlds_of(some)) for some in rows))
    return [frozenset().union(*w) for w in worlds if sum(map(len, w)) == len(frozenset().union(*w))]


def test_whoever_knows_that_all_people_differ_may_be_surer_than_the_sum() -> None:
    """Why the report leaves it open: groups filled by themselves tell nothing of each other, these do."""
    rows = [[(0, 0), (1, 1)], [(0, 0), (2, 3)]]
    worlds = apart(rows)
    assert sums(rows)[0, 1] == Fraction(1, 2)
    assert Fraction(sum((0, 1) in world for world in worlds), len(worlds)) == Fraction(2, 3)


# The promise.


def judged(rows: Sequence[Sequence[Row]], alpha: Fraction, presence: str) -> tuple[list[bool], list[float]]:
    """Of groups in which no two rows have the same sensitive value: which of them hold, and what they reach."""
    hierarchy = build("s", [str(i) for i in range(9)], Flat())
    group = np.repeat(np.arange(len(rows)), [len(some) for some in rows])
    values = np.concatenate([np.arange(len(some)) for some in rows]).astype(np.int32)
    listed_values = tally(group, values, np.ones_like(group), len(rows), np.ones(9, dtype=np.int64), hierarchy)
    groups = replace(groups_of(rows), tallies={"s": listed_values})
    model = AlphaBeta(alpha, Fraction(999, 1000), "s", presence=presence)
    return model.holds(groups).tolist(), model.level(groups).tolist()


@given(rows_of(2, 3, 6, 4), st.fractions(Fraction(1, 50), 1, max_denominator=60))
def test_the_promise_is_kept_if_no_combination_is_above_alpha(rows: list[list[Row]], alpha: Fraction) -> None:
    rows = [some for some in rows if len(some) > 1] or [[(0, 0), (1, 1)]]
    largest = min(max(sums(rows).values()), Fraction(1))
    hold, levels = judged(rows, alpha, "total")
    assert all(hold) == (largest <= alpha)
    assert max(levels) == pytest.approx(float(largest), rel=1e-8)
    for some, holds in zip(rows, hold, strict=True):  # what holds covers nobody above α
        assert not holds or min(max(sums(rows)[point] for point in product(*listed(some))), 1) <= alpha


@given(rows_of(2, 3, 6, 4), st.fractions(Fraction(1, 50), 1, max_denominator=60))
def test_who_keeps_the_sum_keeps_the_papers_promise(rows: list[list[Row]], alpha: Fraction) -> None:
    rows = [some for some in rows if len(some) > 1] or [[(0, 0), (1, 1)]]
    total, group = (judged(rows, alpha, presence)[0] for presence in ("total", "group"))
    assert all(g for t, g in zip(total, group, strict=True) if t)


def test_the_papers_promise_is_the_default_and_needs_no_word() -> None:
    plain, total = AlphaBeta("1/2", "1/2", "s"), AlphaBeta("1/2", "1/2", "s", presence="total")
    assert "presence" not in plain.to_words()["ambiguity"]
    assert total.to_words()["ambiguity"]["presence"] == "total"
    assert plain.describe() != total.describe()


def test_where_nothing_is_promised_of_presence_the_sum_is_told_all_the_same() -> None:
    hold, levels = judged([[(0, 0), (1, 1)], [(0, 0), (1, 2)]], Fraction(1), "total")
    assert (hold, max(levels)) == ([True, True], 1.0)


def test_groups_without_rows_weigh_nothing() -> None:
    groups = groups_of([[(0, 0), (1, 1)], [(5, 5)], [(6, 6)]])
    forged = replace(groups, sizes=np.array([2, 0, 0]))
    assert total_presence(forged).most == Fraction(1, 2)
