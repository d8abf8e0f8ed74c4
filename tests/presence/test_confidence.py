"""Confidences: between their bounds lies the truth, verdicts are right, and neither depends on the order."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.models.presence.confidence import at_least, confidence, confident, limits
from discreet.models.presence.confidence_kernels import bounds
from discreet.models.presence.presence import UNLIMITED
from tests.presence import worlds_outside as oracle

EXAMPLE = Fraction("0.33"), Fraction(1)
tenths = st.sampled_from([Fraction(a, 10) for a in range(11)])
thirds = st.sampled_from([Fraction(a, b) for b in (3, 7) for a in range(b + 1)])
deltas = st.tuples(tenths | thirds, tenths | thirds).map(lambda pair: (min(pair), max(pair)))


@st.composite
def cases(draw: st.DrawFn, most: int = 12, attributes: int = 5) -> tuple[int, list[int], int]:
    """Rows of a group, how many people outside have each of its values, and how many there are."""
    people = draw(st.integers(0, most))
    factors = draw(st.lists(st.integers(0, people), min_size=1, max_size=attributes))
    return draw(st.integers(1, 6)), factors, people


def between(rows: int, factors: list[int], people: int, delta: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    lower, upper = confidence(np.array([rows]), np.array([factors]), people, delta)
    return Fraction(lower[0]), Fraction(upper[0])


def decided(rows: int, factors: list[int], people: int, delta: tuple[Fraction, Fraction], least: Fraction) -> bool:
    return bool(confident(np.array([rows]), np.array([factors]), people, delta, least)[0])


def test_the_example_of_the_paper() -> None:
    """Nergiz & Clifton 2008, §4.2: four people, three of whom have a2, b2 and c2."""
    assert [x.tolist() for x in limits(np.array([1]), EXAMPLE)] == [[0], [2]]
    three, one = [3, 3, 3], [1, 1, 1]
    assert oracle.chain(three, 4) == {1: Fraction(3, 8), 2: Fraction(9, 16), 3: Fraction(1, 16)}
    assert oracle.chain(one, 4) == {0: Fraction(15, 16), 1: Fraction(1, 16)}
    assert oracle.chain([3, 3], 4) == {2: Fraction(3, 4), 3: Fraction(1, 4)}
    lower, upper = between(1, three, 4, EXAMPLE)
    assert lower <= Fraction(15, 16) <= upper < lower + Fraction(1, 10**12)
    assert decided(1, three, 4, EXAMPLE, Fraction(15, 16))
    assert not decided(1, three, 4, EXAMPLE, Fraction(15, 16) + Fraction(1, 10**25))
    assert between(1, one, 4, EXAMPLE) == (1, 1)
    assert decided(1, one, 4, EXAMPLE, Fraction(1))


@settings(deadline=None, max_examples=200)
@given(rows=st.integers(0, 10**6), delta=deltas)
def test_limits_are_the_people_that_presence_allows(rows: int, delta: tuple[Fraction, Fraction]) -> None:
    [low], [high] = (x.tolist() for x in limits(np.array([rows]), delta))

    def present(others: int) -> bool:
        return rows == 0 or delta[0] <= Fraction(rows, rows + others) <= delta[1]

    if low < UNLIMITED:
        assert low == 0 or Fraction(rows, rows + low - 1) > delta[1]
        assert rows == 0 or Fraction(rows, rows + low) <= delta[1]
    else:
        assert delta[1] == 0
    if high < UNLIMITED:
        assert present(high) or high < low
        assert not present(high + 1) or rows == 0
    else:
        assert delta[0] == 0


def test_limits_are_exact_where_floating_point_is_not() -> None:
    seven_tenths = Fraction(7, 10)
    assert [x.tolist() for x in limits(np.array([7, 49]), (seven_tenths, seven_tenths))] == [[3, 21], [3, 21]]
    fine = Fraction(10**24 - 1, 10**25)  # just below a tenth: one more person is needed
    assert limits(np.array([10]), (Fraction(0), fine))[0].tolist() == [91]
    rare = Fraction(1, 10**25)
    assert [x.tolist() for x in limits(np.array([0, 3]), (rare, rare))] == [[0, UNLIMITED], [0, UNLIMITED]]
    assert limits(np.array([], dtype=np.int64), (Fraction(0), fine))[0].tolist() == []


@settings(deadline=None, max_examples=100)
@given(case=cases(most=5, attributes=3))
def test_the_chain_is_what_counting_all_people_gives(case: tuple[int, list[int], int]) -> None:
    _, factors, people = case
    assert {x: p for x, p in oracle.chain(factors, people).items() if p} == oracle.by_counting(factors, people)


@settings(deadline=None, max_examples=400)
@given(case=cases(), delta=deltas)
def test_the_truth_lies_between_the_bounds(case: tuple[int, list[int], int], delta: tuple[Fraction, Fraction]) -> None:
    lower, upper = between(*case, delta)
    assert lower <= oracle.confidence(*case, delta) <= upper <= lower + Fraction(1, 10**12)


@settings(deadline=None, max_examples=400)
@given(case=cases(), delta=deltas, other=tenths.filter(bool))
def test_verdicts_are_right_even_at_ties(
    case: tuple[int, list[int], int], delta: tuple[Fraction, Fraction], other: Fraction
) -> None:
    truth = oracle.confidence(*case, delta)
    assert decided(*case, delta, other) == (truth >= other)
    if truth:
        assert decided(*case, delta, truth)
    if truth < 1:
        assert not decided(*case, delta, truth + Fraction(1, 10**30))


@settings(deadline=None, max_examples=100)
@given(case=cases(most=9), delta=deltas, data=st.data())
def test_the_order_of_attributes_changes_nothing(
    case: tuple[int, list[int], int], delta: tuple[Fraction, Fraction], data: st.DataObject
) -> None:
    rows, factors, people = case
    order = data.draw(st.permutations(factors))
    assert oracle.chain(factors, people) == oracle.chain(order, people)
    assert between(rows, factors, people, delta) == between(rows, order, people, delta)


@settings(deadline=None, max_examples=100)
@given(case=cases(most=10), more=st.integers(1, 3), data=st.data())
def test_more_people_of_a_value_never_lessen_a_one_sided_confidence(
    case: tuple[int, list[int], int], more: int, data: st.DataObject
) -> None:
    """Theorem 3 of the paper."""
    rows, factors, people = case
    at = data.draw(st.integers(0, len(factors) - 1))
    larger = [min(f + more, people) if i == at else f for i, f in enumerate(factors)]
    one_sided = Fraction(0), Fraction(1, 3)
    assert oracle.confidence(rows, larger, people, one_sided) >= oracle.confidence(rows, factors, people, one_sided)
    assert between(rows, larger, people, one_sided)[1] >= between(rows, factors, people, one_sided)[0]


@settings(deadline=None, max_examples=100)
@given(case=cases(most=14))
def test_the_number_of_people_is_a_sum_of_independent_trials(case: tuple[int, list[int], int]) -> None:
    """Then Newton's inequalities hold: p(x)² ≥ p(x − 1) p(x + 1) (1 + 1/x) (1 + 1/(n − x)) with n trials."""
    _, factors, people = case
    p, n = oracle.chain(factors, people), min(factors)
    for x in range(1, n):
        neighbours = p.get(x - 1, Fraction(0)) * p.get(x + 1, Fraction(0))
        assert p.get(x, Fraction(0)) ** 2 >= neighbours * (1 + Fraction(1, x)) * (1 + Fraction(1, n - x))


@settings(deadline=None, max_examples=60)
@given(case=cases(most=11), t=st.integers(-1, 12))
def test_whole_numbers_give_the_tail(case: tuple[int, list[int], int], t: int) -> None:
    _, factors, people = case
    over, under = at_least(t, factors, people)
    assert Fraction(over, under) == oracle.within(oracle.chain(factors, people), t, people)


def test_some_hundred_people_are_as_exact_as_four() -> None:
    """Against integers that share nothing with what is tested."""
    rng = np.random.default_rng(5)
    for _ in range(12):
        people = int(rng.integers(100, 300))
        a, b, c = (int(f) for f in rng.integers(people // 10, people, 3))
        ways = {
            x: sum(
                comb(a, y) * comb(people - a, b - y) * comb(y, x) * comb(people - y, c - x)
                for y in range(max(0, a + b - people), min(a, b) + 1)
                if x <= y and 0 <= c - x <= people - y
            )
            for x in range(min(a, b, c) + 1)
        }
        everything = comb(people, b) * comb(people, c)
        assert sum(ways.values()) == everything
        mean = a * b * c / people**2
        rows = max(1, round(mean / 9 * rng.uniform(0.6, 1.2)))
        for delta in ((Fraction(0), Fraction(1, 10)), (Fraction(1, 13), Fraction(1, 8))):
            [low], [high] = (x.tolist() for x in limits(np.array([rows]), delta))
            truth = Fraction(sum(w for x, w in ways.items() if low <= x <= high), everything)
            lower, upper = between(rows, [a, b, c], people, delta)
            assert lower <= truth <= upper < lower + Fraction(1, 10**11)
            assert decided(rows, [a, b, c], people, delta, truth) or truth == 0
            assert truth == 1 or not decided(rows, [a, b, c], people, delta, truth + Fraction(1, 10**40))


@pytest.mark.parametrize("people", [43_265, 400_000_000])
@pytest.mark.parametrize("shares", [[0.4, 0.3], [0.1, 0.5, 0.6, 0.9], [0.02, 0.3, 0.3, 0.5, 0.7, 0.8, 0.95]])
def test_drawing_people_at_random_agrees(people: int, shares: list[float]) -> None:
    rng = np.random.default_rng(len(shares))
    factors = [int(share * people) for share in shares]
    draws = 40_000
    found = np.full(draws, factors[0])
    for f in factors[1:]:
        found = rng.hypergeometric(f, people - f, found)
    low, high = (np.quantile(found, q).astype(np.int64) for q in (0.2, 0.95))
    lower, upper = bounds(np.array([factors]), people, np.array([low]), np.array([high]), 1.0, 0.0)
    share = ((found >= low) & (found <= high)).mean()
    assert lower[0] - 0.01 <= share <= upper[0] + 0.01  # four deviations of such a share
    assert upper[0] - lower[0] < 1e-10 or people > 10**6


@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_rough_bounds_hold_what_close_ones_say(data: st.DataObject) -> None:
    """Whatever is to be decided, and so wherever the narrowing stops, the truth lies between the bounds."""
    people = data.draw(st.integers(50, 30_000))
    factors = data.draw(st.lists(st.integers(1, people), min_size=2, max_size=7))
    mean = people * float(np.prod(np.array(factors) / people))
    low = round(mean + data.draw(st.floats(-3, 3)) * (mean**0.5 + 1))
    high = data.draw(st.sampled_from([low, low + round(mean**0.5) + 1, people]))
    case = np.array([factors]), people, np.array([low]), np.array([high])
    close = bounds(*case, 1.0, 0.0)
    for to_decide in data.draw(st.lists(st.floats(0.001, 0.999), min_size=1, max_size=5)):
        rough = bounds(*case, to_decide, to_decide)
        assert rough[0][0] <= close[1][0]
        assert close[0][0] <= rough[1][0]
        assert rough[0][0] >= to_decide or rough[1][0] < to_decide or close[0][0] <= to_decide <= close[1][0]


def test_certainty_is_not_what_rounding_makes_certain() -> None:
    """One person too few in 10^4000 worlds is one too few for confidence 1."""
    factors = [20_000, 20_000]
    assert between(1, factors, 40_000, (Fraction(0), Fraction(1, 2)))[0] < 1
    assert not decided(1, factors, 40_000, (Fraction(0), Fraction(1, 2)), Fraction(1))
    assert decided(1, [20_000, 20_001], 40_000, (Fraction(0), Fraction(1, 2)), Fraction(1))


def test_many_groups_are_judged_as_each_alone() -> None:
    rng = np.random.default_rng(3)
    counts, rows = rng.integers(0, 101, (40, 3)), rng.integers(1, 5, 40)
    delta, least = (Fraction(1, 50), Fraction(1, 5)), Fraction(4, 5)
    together = confident(rows, counts, 100, delta, least).tolist()
    assert together == [decided(int(n), f.tolist(), 100, delta, least) for n, f in zip(rows, counts, strict=True)]
    assert 0 < sum(together) < 40
