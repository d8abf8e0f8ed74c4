"""δ-presence as a promise: the paper's numbers, ties, merging, what every refinement loses, and those in no group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counts.groups import Groups
from discreet.errors import DataError, PolicyError
from discreet.models.base import AboutPopulation, may_leave_out
from discreet.models.presence.presence import Presence
from discreet.models.verdicts import verdict

Group = tuple[int, int]  # rows of the table, people of the population
shares = st.sampled_from([Fraction(a, b) for b in (2, 3, 5, 10) for a in range(b + 1)])
models = (
    st.tuples(shares, shares)
    .map(lambda pair: (min(pair), max(pair)))
    .filter(lambda delta: delta != (0, 1))
    .map(Presence)
)
some_people = st.integers(1, 6).flatmap(lambda people: st.tuples(st.integers(0, people), st.just(people)))


def groups_of(groups: Sequence[Group], left_out: int = 0, elsewhere: int = 0) -> Groups:
    rows, people = (np.array([g[i] for g in groups], dtype=np.int64) for i in (0, 1))
    return Groups(rows, population=people, left_out=left_out, elsewhere=elsewhere)


def present(model: Presence, group: Group) -> bool:
    return model.delta[0] <= Fraction(*group) <= model.delta[1]


def test_the_tables_of_the_paper() -> None:
    """Nergiz & Clifton 2008, tables 1 and 2: 3 of 6 Americans and 2 of 3 Europeans are in the private table."""
    america_and_europe = groups_of([(3, 6), (2, 3)])
    assert Presence((0.5, "2/3")).holds(america_and_europe).all()
    assert Presence((0.5, "2/3")).level(america_and_europe) == pytest.approx([1 / 2, 2 / 3])
    assert Presence((0.5, 0.66)).holds(america_and_europe).tolist() == [True, False]
    assert Presence((0.51, "2/3")).holds(america_and_europe).tolist() == [False, True]
    assert verdict(Presence((0.5, 0.66)), america_and_europe).deciding_group == 2


@settings(deadline=None, max_examples=200)
@given(model=models, groups=st.lists(some_people, min_size=1, max_size=6))
def test_a_group_holds_if_its_share_lies_within_delta(model: Presence, groups: list[Group]) -> None:
    assert model.holds(groups_of(groups)).tolist() == [present(model, g) for g in groups]


def test_ties_are_exact_where_floating_point_is_not() -> None:
    ties = groups_of([(7, 10), (49, 70), (7 * 10**15, 10**16), (7 * 10**15 + 1, 10**16)])
    assert Presence((0.7, 0.7)).holds(ties).tolist() == [True, True, True, False]
    close = Fraction(10**24 - 1, 10**25)  # below a tenth by 1e-25
    assert Presence((0, close)).holds(groups_of([(1, 10), (1, 11)])).tolist() == [False, True]
    assert Presence((0, close)).least_suppressed(groups_of([(2, 20), (2, 21)])).tolist() == [1, 0]
    assert Presence((0, Fraction(1, 10**25))).least_suppressed(groups_of([(2, 20), (0, 20)])).tolist() == [2, 0]
    far = Fraction(10**24 + 1, 10**25)
    told = Presence((far, 1), suppression="told")
    assert told.least_suppressed(groups_of([(2, 20), (2, 19)])).tolist() == [1, 0]


@settings(deadline=None, max_examples=200)
@given(model=models, one=some_people, other=some_people)
def test_merging_two_groups_that_hold_gives_one_that_holds(model: Presence, one: Group, other: Group) -> None:
    assert model.monotone
    merged = one[0] + other[0], one[1] + other[1]
    if model.holds(groups_of([one, other])).all():
        assert model.holds(groups_of([merged])).all()


@settings(deadline=None, max_examples=150)
@given(model=models, combinations=st.lists(some_people, min_size=1, max_size=5))
def test_no_way_to_cut_a_group_loses_fewer_rows_than_the_bound(model: Presence, combinations: list[Group]) -> None:
    """A part that fails is left out; one without rows only if it follows from the population who is."""
    fewest: dict[str, float] = {"judged": inf, "told": inf}
    for parts in _partitions(combinations):
        together = [(sum(g[0] for g in part), sum(g[1] for g in part)) for part in parts]
        failing = [g for g in together if not present(model, g)]
        for suppression in fewest if all(rows for rows, _ in failing) else ("judged",):
            fewest[suppression] = min(fewest[suppression], sum(rows for rows, _ in failing))
    whole = sum(g[0] for g in combinations), sum(g[1] for g in combinations)
    for suppression, lost in fewest.items():
        [bound] = replace(model, suppression=suppression).least_suppressed(groups_of([whole])).tolist()
        assert 0 <= bound <= lost
        assert (bound > 0) <= (not present(model, whole))
        assert suppression == "judged" or (bound > 0) == (not present(model, whole))


def test_what_exceeds_delta_is_lost_and_a_group_without_rows_can_not_be_mended() -> None:
    assert Presence((0, 0.2)).least_suppressed(groups_of([(5, 10), (2, 10), (0, 4)])).tolist() == [3, 0, 0]
    told = Presence((0.3, 0.5), suppression="told")
    lost = told.least_suppressed(groups_of([(2, 10), (0, 4), (3, 10)])).tolist()
    assert lost[0] == 1
    assert lost[1] > 10**9
    assert lost[2] == 0


@settings(deadline=None, max_examples=100)
@given(model=models, elsewhere=st.integers(0, 6), data=st.data())
def test_everybody_in_no_group_is_judged_as_one(model: Presence, elsewhere: int, data: st.DataObject) -> None:
    left_out = data.draw(st.integers(0, elsewhere))
    rest = model.rest(groups_of([(1, 2)], left_out, elsewhere))
    assert isinstance(model, AboutPopulation)
    if elsewhere:
        assert rest == (present(model, (left_out, elsewhere)), left_out / elsewhere)
    else:
        assert rest is None


def test_a_group_without_rows_that_fails_can_not_be_left_out() -> None:
    """Leaving out says that nobody is published; there nobody is already."""
    model = Presence((0.1, 0.5), suppression="told")
    groups = groups_of([(2, 4), (0, 4)])
    assert not may_leave_out([model], groups, *[model.holds(groups)] * 2)
    crowded = groups_of([(2, 4), (3, 4), (2, 6)])
    assert model.holds(crowded).tolist() == [True, False, True]
    assert not may_leave_out([model], crowded, *[model.holds(crowded)] * 2)  # three of four remain three of four
    with_others = groups_of([(2, 4), (3, 4)], elsewhere=4)
    assert may_leave_out([model], with_others, *[model.holds(with_others)] * 2)


def test_it_says_what_it_promises() -> None:
    model = Presence([0, "1/3"], "/some/folder/people.csv")
    assert model.describe() == "(0, 1/3)-presence"
    assert model.require() == "between 0 and 1/3"
    assert model.to_words() == {"presence": {"delta": [0, "1/3"], "population": "people.csv"}}
    assert model == Presence([0, "1/3"])


@pytest.mark.parametrize("delta", [0.2, [0.2], [0.5, 0.2], [0, 1], [-0.1, 0.2], ["a", 0.2], [0, 1.2], "01"])
def test_a_delta_that_says_nothing_is_refused(delta: object) -> None:
    with pytest.raises(PolicyError, match=r"presence\.delta"):
        Presence(delta)


def test_without_the_population_it_says_what_is_missing() -> None:
    with pytest.raises(DataError, match="--population"):
        Presence((0, 0.1)).holds(Groups(np.array([3])))


def _partitions(items: Sequence[Group]) -> Iterator[list[list[Group]]]:
    if not items:
        yield []
        return
    first, *others = items
    for parts in _partitions(others):
        yield [[first], *parts]
        for i, part in enumerate(parts):
            yield [*parts[:i], [first, *part], *parts[i + 1 :]]


@settings(deadline=None, max_examples=200)
@given(model=models, groups=st.lists(some_people, min_size=1, max_size=6))
def test_limits_are_out_of_reach_only_where_no_grouping_keeps_them(model: Presence, groups: list[Group]) -> None:
    rows, people = (sum(g[i] for g in groups) for i in (0, 1))
    refused = model.out_of_reach(rows, people)
    together = present(model, (rows, people))
    assert (refused is None) == together
    assert not (refused and all(present(model, g) for g in groups))


def test_limits_out_of_reach_tell_what_would_do() -> None:
    assert "publish fewer rows, or name a larger population" in str(Presence((0, 0.1)).out_of_reach(70, 300))
    assert "publish more rows, or name a smaller population" in str(Presence((0.4, 0.5)).out_of_reach(70, 300))


def test_tiny_shares_are_exact_where_nobody_is_in_the_table() -> None:
    assert Presence(("1e-20", 0.5)).holds(groups_of([(0, 10)])).tolist() == [False]
    assert Presence((0, "1e-20")).holds(groups_of([(0, 10), (0, 0)])).tolist() == [True, True]
