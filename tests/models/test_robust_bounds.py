"""Bounds on posteriors: never below what the worlds add up to, and close enough to be of use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.groups import Groups
from discreet.models.examples import bucketized
from discreet.models.robust import beliefs as robust_beliefs
from discreet.models.robust import exact_posteriors as robust_exact
from discreet.models.robust.beliefs import LEVELS, PEOPLE, VERDICTS
from discreet.models.robust.exact_posteriors import deal_exactly, two_valued_exactly
from discreet.models.robust.robust import Robust
from tests.inner_kernels import dealable, marginals, most, states, two_valued
from tests.models.dealt_groups import Group, exactly, groups, is_dealable, scaled

S = "disease"


@given(group=groups(6))
def test_a_group_is_dealable_if_somebody_can_deal_it(group: Group) -> None:
    chances, people, values = group
    assert dealable(chances.astype(float), people, values) == is_dealable(group)


@given(group=groups(), inside=st.lists(st.booleans(), min_size=4, max_size=4), steps=st.sampled_from([0, 1, 5, 40]))
def test_a_bound_is_never_below_the_posterior(group: Group, inside: list[bool], steps: int) -> None:
    chances, people, values = group
    protected = np.array(inside[: len(values)])
    if not dealable(chances.astype(float), people, values) or not protected.any():
        return
    bounds = most(scaled(chances), people, values, protected, 0.0, steps)
    for bound, row in zip(bounds, exactly(group), strict=True):
        assert bound <= 1
        assert bound >= float(sum(p for p, there in zip(row, protected, strict=True) if there)) * (1 - 1e-9)


@given(group=groups(), enough=st.sampled_from([0.0, 0.3, 0.6]))
def test_more_steps_of_duality_never_loosen_a_bound(group: Group, enough: float) -> None:
    chances, people, values = group
    if not dealable(chances.astype(float), people, values):
        return
    protected = np.arange(len(values)) == 0
    loose = most(scaled(chances), people, values, protected, 1.0, 0)
    tight = most(scaled(chances), people, values, protected, enough, 40)
    assert (tight <= loose).all()
    assert (tight == loose)[loose <= enough].all()


def test_one_against_many_of_another_value_is_bounded_by_the_posterior_itself() -> None:
    chances, people, values = np.array([[0.2, 0.8], [0.1, 0.9], [0.5, 0.5]]), np.array([1, 5, 2]), np.array([1, 7])
    odds = chances[:, 0] / chances[:, 1]
    bound = most(chances, people, values, np.array([True, False]), 1.0, 0)
    assert bound == pytest.approx(odds / (odds @ people))


@given(group=groups())
def test_posteriors_in_floating_point_are_those_in_whole_numbers(group: Group) -> None:
    chances, people, values = group
    steps = int(max(states(values) * len(values), states(people) * len(people)))
    found = marginals(scaled(chances), people, values, np.empty(steps), np.empty(steps))
    if not dealable(chances.astype(float), people, values):
        assert np.isinf(found).all()
        assert all(p == 1 for row in exactly(group) for p in row)
    else:
        assert found == pytest.approx(np.array(exactly(group), dtype=float), abs=1e-12)


@given(
    inside=st.lists(st.sampled_from([0, 1, 2, 50, 99, 100]), min_size=1, max_size=5),
    counts=st.lists(st.integers(1, 60), min_size=5, max_size=5),
    share=st.floats(0, 1),
)
def test_two_values_of_many_people_are_right_too(inside: list[int], counts: list[int], share: float) -> None:
    people = counts[: len(inside)]
    m = max(1, round(share * sum(people)))
    outside = [100 - a for a in inside]
    found = two_valued(np.array(inside) / 100, np.array(outside) / 100, np.array(people), m)
    wanted = two_valued_exactly(inside, outside, people, m)
    assert wanted is not None
    if np.isinf(found).all():
        assert wanted == [1] * len(inside)
    else:
        assert found == pytest.approx(np.array(wanted, dtype=float), rel=1e-9, abs=1e-12)


def test_extreme_chances_are_scaled_before_they_vanish() -> None:
    # As products of chances, all worlds together weigh less than 1e-400.
    chances, people = np.array([[1, 10**9], [1, 2 * 10**9]]), np.array([50, 50])
    found = marginals(scaled(chances), people, np.array([50, 50]), np.empty(9999), np.empty(9999))
    wanted = exactly((chances, people, np.array([50, 50])))
    assert found == pytest.approx(np.array(wanted, dtype=float), abs=1e-12)


def test_what_takes_too_long_in_whole_numbers_is_left_undecided() -> None:
    assert deal_exactly([tuple(range(n, n + 20)) for n in range(1, 21)], [1] * 20, [1] * 20) is None
    assert two_valued_exactly([1, 2], [2, 1], [500, 500], 400) is None


def zero_of(of: Callable[[float], float], low: float, high: float) -> float:
    """Where an increasing function is 0."""
    for _ in range(200):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if of(middle) < 0 else (low, middle)
    return low


def people_of_many_kinds(size: int, seed: int) -> list[tuple[str, str, str]]:
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(size):
        age, town = random.integers(0, 4, 2)
        weights = np.array([1 + age, 2, 3 + town, 1.5]) ** 0.5
        rows.append((str(age), str(town), "abcd"[random.choice(4, p=weights / weights.sum())]))
    return rows


@pytest.mark.parametrize("protected", [None, ["a", ["b", "c"]]])
@pytest.mark.parametrize(("most_steps", "most_points"), [(0, 0.0), (60, 0.0), (1000, 0.0), (0, 300.0), (0, 3e7)])
def test_groups_judged_by_bounds_are_on_the_safe_side(
    monkeypatch: pytest.MonkeyPatch, most_steps: int, most_points: float, protected: object
) -> None:
    table = people_of_many_kinds(400, 1)
    cut = [table[a : a + 3 + a % 9] for a in range(0, 390, 12)]
    shown = bucketized(S, ["age", "town"], cut, table)
    model = Robust("5/4", S, protected, min_support=5)
    exact, people = model.level(shown), model.posteriors(shown)
    holds = model.holds(shown)
    assert model.decided(shown)["by_bound"] == 0
    monkeypatch.setattr(robust_beliefs, "MOST_STEPS", most_steps)
    monkeypatch.setattr(robust_beliefs, "MOST_POINTS", most_points)
    shown = replace(shown)  # what was judged before is not judged again
    assert not (model.holds(shown) & ~holds).any()
    assert (model.level(shown) >= np.minimum(exact, 0.8) - 1e-12).all()
    bounded = model.posteriors(shown)
    assert (bounded.levels >= people.levels - 1e-12).all()
    assert not (people.above & ~bounded.above).any()
    assert not (bounded.proven & ~people.above).any()
    decided = model.decided(shown)
    assert (decided["by_bound"] > 0) == (most_steps < 1000 and most_points < 3e7)
    assert decided["exactly"] + decided["by_bound"] == len(shown)
    at_level = model._judged(shown, LEVELS)
    assert at_level.level[~at_level.bounded] == pytest.approx(exact[~at_level.bounded])


def test_what_is_spared_can_not_matter() -> None:
    table = people_of_many_kinds(400, 2)
    shown = bucketized(S, ["age", "town"], [table[a : a + 24] for a in range(0, 384, 24)], table)
    model = Robust(2, S, min_support=5)
    levels, holds = model.level(shown), model.holds(shown)
    judged = [model._judged(shown, asked) for asked in (VERDICTS, LEVELS, PEOPLE)]
    assert not any(found.bounded.any() for found in judged)
    start = shown.people.offsets[:-1]
    assert np.maximum.reduceat(judged[2].of_entry[0], start) == pytest.approx(levels)
    assert judged[1].level == pytest.approx(levels)
    assert judged[0].kept.tolist() == holds.tolist() == (levels <= 0.5).tolist()


def test_groups_of_very_many_people_are_bounded_in_two_values_too() -> None:
    table = people_of_many_kinds(400, 3)
    few = bucketized(S, ["age", "town"], [table[:200]], table)
    assert few.people is not None
    times = 10_000
    t, people = few.tallies[S], few.people
    many = Groups(
        few.sizes * times, {S: replace(t, counts=t.counts * times)}, replace(people, counts=people.counts * times)
    )
    model = Robust(2, S, ["a"], attribute_sets=[["age"]], min_support=5)
    [level] = model.level(many)
    assert model.decided(many) == {"exactly": 0, "by_bound": 1}
    # Of so many people, those who have the value do so by their odds: by factors that make the expected number right.
    known = model.knowledge_of(people.table)
    row = known.signatures(people.codes)[0]
    f = known.shares[0][row, 0]
    share = t.counts[t.values == 0].sum() / t.counts.sum()
    factor = zero_of(lambda c: people.counts @ (c * f / (c * f + 1 - f)) / people.counts.sum() - share, 1e-6, 1e6)
    worst = (factor * f / (factor * f + 1 - f)).max()
    assert worst - 1e-6 <= level < 1.5 * worst


def test_a_tie_that_takes_too_long_to_decide_is_not_proven_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    # Both towns have the same chances in different numbers, so that everybody's posterior is exactly 1/3.
    table = [("1", value) for value in "abc"] + [("2", value) for value in "abc" * 2]
    shown = bucketized(S, ["town"], [[("1", "a"), ("2", "b"), ("2", "c")]], table)
    model = Robust(3, S, min_support=1)
    assert model.holds(shown).all()
    assert not model.posteriors(shown).above.any()
    monkeypatch.setattr(robust_exact, "MOST_STEPS", 0)
    monkeypatch.setattr(robust_exact, "_reduced", lambda row: row)
    shown = replace(shown)  # what was judged before is not judged again
    assert not model.holds(shown).any()
    found = model.posteriors(shown)
    assert found.above.all()
    assert not found.proven.any()


@pytest.mark.parametrize("at_a_time", [1, 30, 100])
def test_groups_may_be_judged_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch, at_a_time: int) -> None:
    table = people_of_many_kinds(100, 4)
    shown = bucketized(S, ["age", "town"], [table[a : a + a % 7] for a in range(0, 93, 6)], table)
    model = Robust(2, S, min_support=3)
    holds, levels, people = model.holds(shown), model.level(shown), model.posteriors(shown)
    monkeypatch.setattr(robust_beliefs, "_AT_A_TIME", at_a_time)
    assert model.holds(shown).tolist() == holds.tolist()
    assert model.level(shown).tolist() == levels.tolist()
    assert model.posteriors(shown).levels.tolist() == people.levels.tolist()
    assert model.posteriors(shown).above.tolist() == people.above.tolist()
