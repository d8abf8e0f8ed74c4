"""δ from the harm: beliefs move by exactly as much as is tolerable, and no further."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import discreet
from discreet.errors import PolicyError
from discreet.models.presence.harm import belief, delta_from_harm, harm

SHARES = st.fractions(Fraction(1, 1_000), Fraction(999, 1_000), max_denominator=1_000)
TOLERANCES = st.fractions(0, 2, max_denominator=10_000)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Fraction, int, int]:
    """A share of people with the condition, how many people there are, and how many of those with it are in a table."""
    prior, population = draw(SHARES), draw(st.integers(1, 10**6))
    assume(prior * population >= 1)
    return prior, population, draw(st.integers(1, int(prior * population)))


def test_the_numbers_of_the_paper():
    assert round(delta_from_harm(0.07, 100, 4, 100, 10_000)[1], 4) == Fraction("0.0503")
    assert round(delta_from_harm(0.07, 100, 4, 200, 10_000)[0], 4) == Fraction("0.0194")
    low, high = discreet.delta_from_harm(0.07, 45_222, 1_957, 100, 10_000, misuse_below=200)
    assert low == Fraction(-2 * 45_222 + 95 * 1_957, 93 * 45_222)
    assert high == Fraction(45_222 + 92 * 1_957, 93 * 45_222)
    # Whoever is surely not in the table has it with 3.2% or so, as the paper says.
    assert round(float(belief(0.07, 1_000, 40, 0)), 3) == 0.031


@given(worlds(), TOLERANCES, TOLERANCES)
def test_beliefs_reach_what_is_tolerable_exactly(world, up, down):
    prior, population, table = world
    low, high = delta_from_harm(*world, up, 1, misuse_below=down)
    raised, lowered = belief(*world, high) - prior, prior - belief(*world, low)
    assert raised == up if high < 1 else raised <= up
    assert lowered == down if low > 0 else lowered <= down
    assert 0 <= low <= Fraction(table, population) <= high <= 1


@given(worlds(), st.fractions(0, 1, max_denominator=1_000))
def test_a_belief_is_what_counting_people_gives(world, presence):
    prior, population, table = world
    others = (prior * population - table) / (population - table)  # of those who are not in the table, who have it
    assert belief(*world, presence) == presence * 1 + (1 - presence) * others
    assert belief(*world, Fraction(table, population)) == prior
    assert belief(*world, 1) == 1


@given(worlds(), TOLERANCES)
def test_one_tolerance_goes_both_ways(world, tolerance):
    assert delta_from_harm(*world, tolerance, 1) == delta_from_harm(*world, tolerance, 1, tolerance)


@given(worlds(), TOLERANCES, TOLERANCES)
def test_rounding_is_safe_and_leaves_a_release_possible(world, up, down):
    found = harm(*world, up, 1, down)
    (low, high), (least, most) = found.delta, found.rounded
    assert low <= least <= found.share <= most <= high
    told = 10**-3  # four digits are given away at most, so a thousandth of the number
    assert least - low <= low * told and high - most <= high * told


def test_only_tolerance_decides_about_misuse_of_nothing():
    table = delta_from_harm(0.07, 100, 4, 100, 10_000, misuse_below=0)
    assert table[0] == Fraction(4, 100) < table[1]


def test_numbers_mean_what_is_written():
    assert delta_from_harm(0.07, 100, 4, 0.1, 10) == delta_from_harm("7/100", 100, 4, "0.1", "1e1")


WRONG = {
    "prior": (dict(prior=1), "must be above 0 and below 1"),
    "population": (dict(population=45222.5), "must be a whole number"),
    "table": (dict(table=0), "must be at least 1"),
    "more than everybody": (dict(table=101), "must be at most the population's 100 people, got 101"),
    "more than have it": (dict(table=8), "must be at most the 7 people who have the condition, got 8"),
    "cost": (dict(cost=0), "must be above 0"),
    "misuse": (dict(misuse=-1), "must be at least 0"),
    "misuse_below": (dict(misuse_below="much"), "must be a number"),
}
RIGHT = dict(prior=0.07, population=100, table=4, misuse=1, cost=10)


@pytest.mark.parametrize("kind", WRONG)
def test_what_cannot_be_is_told(kind):
    changes, rule = WRONG[kind]
    with pytest.raises(PolicyError) as told:
        delta_from_harm(**(RIGHT | changes))
    [mistake] = told.value.mistakes
    assert rule in mistake.rule
    assert mistake.place == f"harm.{next(iter(changes))}"


def test_all_mistakes_are_told_at_once():
    with pytest.raises(PolicyError) as told:
        delta_from_harm(0, 0, 0, -1, 0, -1)
    assert len(told.value.mistakes) == 6


def test_a_presence_is_a_probability():
    for presence in (-0.1, "1.1"):
        with pytest.raises(PolicyError, match=r"harm\.presence"):
            belief(0.07, 100, 4, presence)
