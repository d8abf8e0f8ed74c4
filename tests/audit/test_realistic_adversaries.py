"""The smallest ε against realistic adversaries, against what they believe over all possible worlds."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.audit.association.realistic import (
    Adversary,
    protected_by,
    realistic_lines,
    smallest_epsilon,
    smallest_epsilons,
)
from discreet.audit.reading.tallies import summed_up, whole_table
from discreet.studies import worlds
from tests.audit.association_cases import groups_of_values, promise, view_of

HOSPITAL = [["flu"] * flu + ["cancer"] * cancer for flu, cancer in ((200, 300), (1800, 2700), (18000, 2000))]
METROPOLIS = {"counts": [["flu", 11999], ["cancer", 17999]]}

sigmas = st.sampled_from([Fraction(n, 2) for n in range(2, 13)])
two_valued = st.lists(st.sampled_from("xy"), min_size=2, max_size=5).filter(lambda group: len(set(group)) == 2)


def believed(group, person, of_x, of_y):
    """What she believes that a person has x: with the row in the release, and had it not been there.

    With it: any of the group's values may be the person's. Without it: the others' values are published, and the
    person is one more draw from the same Dirichlet prior.
    """
    prior = worlds.dirichlet({"all": {"x": of_x, "y": of_y}}, ["all"] * len(group))
    inside = worlds.belief(worlds.enumerate(group, prior), lambda world: world[person] == "x")
    others = [value for i, value in enumerate(group) if i != person]
    outside = [
        (world, weight)
        for own in "xy"
        for world, weight in worlds.enumerate([*others, own], prior)
        if world[-1] == own  # the person stands last
    ]
    return inside, worlds.belief(outside, lambda world: world[-1] == "x")


def ratio_of_beliefs(inside, outside):
    return max(inside / outside, (1 - outside) / (1 - inside))


@given(two_valued, sigmas, sigmas)
def test_no_belief_changes_by_more_than_the_smallest_epsilon_of_class_one(group, of_x, of_y):
    told = smallest_epsilon(Adversary("I", of_x + of_y), len(group), group.count("x"), of_x / (of_x + of_y))
    changes = [ratio_of_beliefs(*believed(group, i, of_x, of_y)) for i in range(len(group))]
    assert told is not None
    assert max(changes) <= told
    # The paper asks for one person's weight more than the definition, and for nothing else.
    n, c, sigma = len(group), group.count("x"), of_x + of_y
    first = Fraction(c, n) * (sigma + n - 1) / (c + of_x - 1)
    second = (of_y / (1 - Fraction(c, n)) + n) / (sigma + n - 1)
    assert max(changes) == max(first, second)


@given(two_valued, st.integers(3, 12))
def test_class_two_is_the_worst_of_class_one_over_shapes(group, sigma):
    n, c = len(group), group.count("x")
    told = smallest_epsilon(Adversary("II", Fraction(sigma)), n, c, Fraction(1, 2))
    shapes = [Fraction(of_x, sigma) for of_x in range(1, sigma)]
    each = [smallest_epsilon(Adversary("I", Fraction(sigma)), n, c, p) for p in shapes]
    assert told == max(each)  # the shape that gives the value the least, σ(s) = 1


@given(two_valued, st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(3, 4)]))
def test_class_three_is_approached_by_ever_more_stubborn_ones_of_class_one(group, p):
    n, c = len(group), group.count("x")
    told = smallest_epsilon(Adversary("III"), n, c, p)
    near = smallest_epsilon(Adversary("I", Fraction(10**9)), n, c, p)
    assert float(near) == pytest.approx(float(told), rel=1e-6)


@given(
    groups_of_values,
    st.sampled_from(["I", "II", "III"]),
    sigmas,
    st.integers(0, 2),
    st.sampled_from(["table", "uniform", {"shares": [["asthma", 0.25], ["cold", 0.75]]}, {"counts": [["gout", 2]]}]),
    st.sampled_from([None, ["asthma"], [{"not": "cold"}, ["gout", "asthma"]], [{"each": True}, {"not": [None]}]]),
)
def test_floating_point_tells_what_fractions_do(groups, kind, sigma, known, prior, predicates):
    view = view_of(groups)
    summed = summed_up(view.tallies[0], len(groups))
    adversary = Adversary(kind, sigma, known)
    protected = protected_by(summed, whole_table(view.tallies[0]), prior, predicates)
    found = smallest_epsilons(adversary, protected, summed.total)
    for g, satisfied, share, epsilon in zip(
        protected.group, protected.satisfied, protected.share, found.tolist(), strict=True
    ):
        exact = smallest_epsilon(adversary, len(groups[g]), int(satisfied), protected.shares[share])
        assert epsilon == (inf if exact is None else pytest.approx(float(exact)))


@given(two_valued, two_valued, st.sampled_from(["I", "II", "III"]), sigmas)
def test_merging_two_groups_needs_no_larger_epsilon(one, other, kind, sigma):
    adversary, p = Adversary(kind, 2 + sigma), Fraction(1, 2)
    apart = [smallest_epsilon(adversary, len(g), g.count("x"), p) for g in (one, other)]
    merged = smallest_epsilon(adversary, len(one + other), (one + other).count("x"), p)
    assert merged <= max(apart)


def epsilons(sigma, prior=METROPOLIS):
    view = view_of(HOSPITAL)
    found = realistic_lines(view, view.tallies[0], stubbornness=sigma, prior=prior)
    return {line.adversary[len("realistic_") :]: line for line in found}


def test_the_paper_s_hospital():
    found = epsilons(30_000)
    smallest = {kind: next(iter(line.details["smallest_epsilon"].values())) for kind, line in found.items()}
    assert smallest["I"] == pytest.approx(4, abs=0.001) and smallest["I"] > 4  # one person's weight more
    assert smallest["II"] == pytest.approx(61)
    assert smallest["III"] == pytest.approx(6)
    women = found["I"]
    assert women.deciding.group == 2 and women.worst == 0.9
    assert women.details["belief_without"] == pytest.approx(0.6, abs=1e-4)
    assert "no such release" in found["II"].details["class_IV"]
    assert epsilons(1000)["II"].details["smallest_epsilon"]["1000"] == pytest.approx(3)


def test_class_two_keeps_three_against_a_thousand_people_with_the_bounds_of_the_paper():
    """R2: x ≤ 1 − 1/(ε' + δ), the paper's .7498, 11/12 and 42/43; no group comes above its own."""
    sigma, epsilon = 1000, 3
    for n, bound in ((500, 0.7498), (4500, 11 / 12), (20000, 42 / 43)):
        edge = 1 - 1 / (epsilon * (1 - 1 / sigma) + (epsilon - 1) * n / sigma)
        assert edge == pytest.approx(bound, abs=1e-3)
        most = int(edge * n)
        adversary = Adversary("II", Fraction(sigma))
        assert smallest_epsilon(adversary, n, most, Fraction(1, 2)) <= epsilon
        assert smallest_epsilon(adversary, n, most + 1, Fraction(1, 2)) > epsilon


def test_a_few_usual_adversaries_are_told_where_nobody_says_which():
    view = view_of(HOSPITAL)
    one, two, three = realistic_lines(view, view.tallies[0])
    for line in (one, two):
        told = list(line.details["smallest_epsilon"].values())
        assert list(line.details["smallest_epsilon"]) == ["10", "100", "1000", "10000"]
        assert told == sorted(told)  # ε grows with what she has seen
    assert list(three.details["smallest_epsilon"]) == ["any"]
    assert {line.worst for line in (one, two, three)} <= {0.6, 0.9}


def test_the_promised_adversary_is_taken():
    said = promise("realistic", **{"class": "I", "stubbornness": 50, "epsilon": 3, "known": 1, "prior": "uniform"})
    view = view_of([["x"] * 3 + ["y"] * 3], promises=[said])
    one = realistic_lines(view, view.tallies[0])[0]
    assert list(one.details["smallest_epsilon"]) == ["50"] and one.details["known"] == 1
    assert one.worst == pytest.approx(3 / 5)


def test_a_group_of_one_value_keeps_no_epsilon():
    view = view_of([["x", "x"], ["x", "y"]])
    found = realistic_lines(view, view.tallies[0])
    assert all(None in line.details["smallest_epsilon"].values() for line in found)
    assert all(line.worst == 1 and line.deciding.group == 0 for line in found)


@given(st.integers(2, 30), st.integers(1, 29), st.sampled_from([Fraction(2), Fraction(3), Fraction(5, 2)]))
def test_two_values_with_c_2_diversity_are_class_three_with_a_uniform_prior(n, count, c):
    count = min(count, n - 1)
    diverse = max(count, n - count) < c * min(count, n - count)
    told = [smallest_epsilon(Adversary("III"), n, x, Fraction(1, 2)) for x in (count, n - count)]
    limit = (c + 1) / 2
    assert diverse == (max(told) < limit)


def test_nobody_in_the_release_is_nobody_to_learn_of():
    view = view_of([["x", "y"]])
    summed = summed_up(view.tallies[0], 1)
    protected = protected_by(summed, whole_table(view.tallies[0]), None, ["z"])
    assert len(protected.group) == 0
    assert np.array_equal(smallest_epsilons(Adversary("I"), protected, summed.total), [])
