"""Presence over all groups together of the people in a population: against enumeration, and what worlds say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.groups import Groups, entries_of, tally
from discreet.errors import DiscreetError, PolicyError
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.models.ambiguity.alpha_beta import AlphaBeta
from discreet.models.ambiguity.total import presence_of_population, total_presence
from tests.models.rows_apart import Row, few_people, rows_of, shares, sums


def beside(rows: Sequence[Sequence[Row]], people: Sequence[Row]) -> Groups:
    """Groups of rows with different sensitive values, and the people of a population."""
    group = np.repeat(np.arange(len(rows)), [len(some) for some in rows])
    flat = np.array([row for some in rows for row in some], dtype=np.int64)
    others = [[column] for column in np.array(people, dtype=np.int64).T]
    entries = entries_of([(group, [column]) for column in flat.T], len(rows), others)
    values = np.concatenate([np.arange(len(some)) for some in rows]).astype(np.int32)
    hierarchy = build("s", [str(i) for i in range(9)], Flat())
    told = tally(group, values, np.ones_like(group), len(rows), np.ones(9, dtype=np.int64), hierarchy)
    return Groups(np.array([len(some) for some in rows]), {"s": told}, distinct=entries.distinct, entries=entries)


people_of = st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=12)
alphas = st.fractions(Fraction(1, 50), 1, max_denominator=60)


@given(rows_of(3, 4, 12, 6), people_of, alphas)
def test_the_largest_of_anybody_there_is(rows: list[list[Row]], people: list[Row], alpha: Fraction) -> None:
    all_sums = sums(rows)
    theirs = {person: min(all_sums.get(person, Fraction(0)), Fraction(1)) for person in people}
    largest = max(theirs.values())
    found = presence_of_population(beside(rows, people), alpha)
    assert found.most >= largest  # rounding is up
    assert float(found.most) == pytest.approx(float(largest), rel=1e-12)
    assert (found.most <= alpha) == (largest <= alpha)
    assert found.is_exact
    for some, reached, hidden in zip(rows, found.of_groups.tolist(), found.hidden.tolist(), strict=True):
        covered = [p for p in people if all(v in {row[t] for row in some} for t, v in enumerate(p))]
        worst = max((theirs[p] for p in covered), default=Fraction(0))
        assert reached == pytest.approx(float(worst), rel=1e-12)
        assert hidden == (worst <= alpha)


@given(rows_of(3, 4, 12, 6))
def test_of_all_combinations_it_is_the_largest_of_all(rows: list[list[Row]]) -> None:
    everything = [*sums(rows)]
    assert presence_of_population(beside(rows, everything)).most == total_presence(beside(rows, everything)).most


@given(few_people, st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=6))
def test_nobody_of_them_is_in_a_larger_share_of_all_worlds(rows: list[list[Row]], people: list[Row]) -> None:
    in_worlds = shares(rows)
    most = presence_of_population(beside(rows, people)).most
    assert all(in_worlds.get(person, Fraction(0)) <= most for person in people)


@given(rows_of(3, 3, 6, 4), people_of, alphas)
def test_the_promise_is_kept_if_nobody_is_above_alpha(
    rows: list[list[Row]], people: list[Row], alpha: Fraction
) -> None:
    rows = [some for some in rows if len(some) > 1] or [[(0, 0, 0), (1, 1, 1)]]
    people = [*people, *(row for some in rows for row in some)]  # who is in the table is one of them
    all_sums = sums(rows)
    largest = min(max(all_sums.get(person, Fraction(0)) for person in people), Fraction(1))
    model = AlphaBeta(alpha, Fraction(999, 1000), "s", presence="total", population="people.csv")
    groups = beside(rows, people)
    assert model.holds(groups).all() == (largest <= alpha)
    assert model.level(groups).max() == pytest.approx(float(largest), rel=1e-8)


def test_it_is_less_than_of_combinations_that_nobody_has() -> None:
    """(0, 0) is covered twice, by a half each; of the people there are everybody is covered once."""
    rows, people = [[(0, 0), (1, 1)], [(0, 0), (2, 2)]], [(1, 1), (0, 2), (2, 0), (1, 2)]
    assert total_presence(beside(rows, people)).most == 1
    found = presence_of_population(beside(rows, people))
    assert found.most == Fraction(1, 2)
    assert found.covering.tolist() in ([0], [1])


def test_groups_that_cover_nobody_are_of_no_account() -> None:
    found = presence_of_population(beside([[(0, 0), (1, 1)]], [(7, 7), (0, 9)]))
    assert found.most == 0
    assert found.hidden.all()


def test_without_the_population_it_can_not_be_judged() -> None:
    groups = beside([[(0, 0), (1, 1)]], [(0, 0)])
    assert groups.entries is not None
    alone = replace(groups, entries=replace(groups.entries, others=None))
    model = AlphaBeta("1/2", "1/2", "s", presence="total", population="people.csv")
    with pytest.raises(DiscreetError, match="without the population"):
        model.holds(alone)
    assert model.holds(groups.where(np.array([True]))).all()


def test_it_is_for_all_groups_together() -> None:
    with pytest.raises(PolicyError, match="presence: total"):
        AlphaBeta("1/2", "1/2", "s", population="people.csv")
