"""Estimates of population uniques: exact where their models are, near the truth in simulated populations."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, lgamma, log

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from discreet.audit.reidentification.uniqueness import (
    PITMAN,
    SLIDE,
    ZAYATZ,
    chance_of_one,
    fit_pitman,
    pitman_uniques,
    population_uniques,
)
from discreet.errors import PolicyError


def sizes_of(people):
    return np.unique(people, return_counts=True)[1]


def partitions(n):
    """Every way to put n people into groups, one after the other: the group of each."""
    for groups in product(range(n), repeat=n):
        if all(g <= max(groups[:i], default=-1) + 1 for i, g in enumerate(groups)):
            yield groups


def pitman_weight(groups, theta, alpha):
    """Pitman's model: somebody new has new values with (θ + kα) / (θ + n), or those of a group of f with (f − α)."""
    weight = Fraction(1)
    for n, group in enumerate(groups):
        there = groups[:n].count(group)
        weight *= (there - alpha if there else theta + len(set(groups[:n])) * alpha) / (theta + n)
    return weight


@pytest.mark.parametrize(("theta", "alpha"), [(Fraction(2), Fraction(1, 2)), (Fraction(-1, 4), Fraction(1, 3))])
def test_pitmans_expectation_is_that_of_all_partitions(theta, alpha):
    weights = {groups: pitman_weight(groups, theta, alpha) for groups in partitions(6)}
    assert sum(weights.values()) == 1
    expected = sum(w * sum(groups.count(g) == 1 for g in groups) for groups, w in weights.items())
    assert pitman_uniques(float(theta), float(alpha), 6) == pytest.approx(float(expected), rel=1e-12)


def test_pitmans_expectation_grows_as_hoshino_says():
    theta, alpha, people = 30.0, 0.6, 10**8
    told = people**alpha * np.exp(lgamma(theta + 1) - lgamma(theta + alpha))
    assert pitman_uniques(theta, alpha, people) == pytest.approx(told, rel=1e-6)


def log_likelihood(sizes, theta, alpha):
    found = sum(log(theta + i * alpha) for i in range(1, len(sizes))) - sum(
        log(theta + i) for i in range(1, sum(sizes))
    )
    return found + sum(log(i - alpha) for size in sizes for i in range(1, size))


@given(st.lists(st.integers(1, 12), min_size=2, max_size=30).filter(lambda sizes: 1 in sizes and max(sizes) > 1))
@example([1, 1, 1, 3, 4, 12])  # it rises towards α = 0 for ever
def test_no_place_nearby_or_far_has_a_larger_likelihood(sizes):
    values, counts = np.unique(sizes, return_counts=True)
    theta, alpha = fit_pitman(values, counts)
    assert 0 <= alpha < 1
    assert theta > -alpha
    best = log_likelihood(sizes, theta, max(alpha, 1e-12))
    for a in (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99):
        for t in (-a + 1e-3, 0.1, 1.0, 10.0, 100.0, theta * 0.99, theta * 1.01):
            if t > -a:
                assert log_likelihood(sizes, t, a) <= best + 1e-6


def chinese_restaurant(theta, alpha, people, rng):
    """A population drawn from Pitman's model."""
    groups, sizes = np.empty(people, dtype=np.int64), []
    for n in range(people):
        if rng.random() * (theta + n) < theta + len(sizes) * alpha:
            groups[n] = len(sizes)
            sizes.append(1)
        else:
            while True:  # somebody before at random, but α of each group's people don't count
                g = groups[rng.integers(n)]
                if rng.random() < (sizes[g] - alpha) / sizes[g]:
                    break
            groups[n] = g
            sizes[g] += 1
    return groups


def test_pitmans_estimate_is_near_the_truth_where_his_model_is():
    rng = np.random.default_rng(3)
    population = chinese_restaurant(200.0, 0.5, 20_000, rng)
    truth = (sizes_of(population) == 1).sum()
    assert fit_pitman(*np.unique(sizes_of(population), return_counts=True))[1] == pytest.approx(0.5, abs=0.03)
    found = [population_uniques(sizes_of(rng.choice(population, 1900, replace=False)), 20_000) for _ in range(8)]
    assert {f.rule for f in found} == {PITMAN}
    assert np.median([f.chosen for f in found]) == pytest.approx(truth, rel=0.15)  # one sample is off by a tenth


def slide_population(groups, alpha, beta, rng):
    return np.repeat(np.arange(groups), 1 + rng.negative_binomial(alpha, beta, groups))


@pytest.mark.parametrize(("alpha", "beta"), [(0.8, 0.3), (3.0, 0.6)])
def test_the_slide_negative_binomial_is_near_the_truth_where_its_model_is(alpha, beta):
    rng = np.random.default_rng(4)
    population = slide_population(4000, alpha, beta, rng)
    truth = (sizes_of(population) == 1).sum()
    n = len(population) // 2
    found = [population_uniques(sizes_of(rng.choice(population, n, replace=False)), len(population)) for _ in range(8)]
    assert np.median([f.slide for f in found]) == pytest.approx(truth, rel=0.1)


def test_zayatz_weighs_by_the_hypergeometric_chances():
    sizes, population = np.array([1, 1, 1, 2, 2, 4]), 33
    n = int(sizes.sum())
    once = {j: Fraction(j * comb(population - j, n - 1), comb(population, n)) for j in (1, 2, 4)}
    alone = Fraction(3, 6) * once[1]
    expected = 3 * alone / (alone + Fraction(2, 6) * once[2] + Fraction(1, 6) * once[4]) * population / n
    assert population_uniques(sizes, population).zayatz == pytest.approx(float(expected), rel=1e-12)


def test_the_rule_takes_pitman_for_small_samples_and_the_smaller_of_the_others_for_larger():
    rng = np.random.default_rng(6)
    population = slide_population(3000, 1.5, 0.5, rng)
    small = population_uniques(sizes_of(rng.choice(population, len(population) // 12, replace=False)), len(population))
    assert (small.rule, small.chosen) == (PITMAN, small.pitman)
    large = population_uniques(sizes_of(rng.choice(population, len(population) // 3, replace=False)), len(population))
    assert large.rule in (SLIDE, ZAYATZ)
    assert large.chosen == min(large.zayatz, large.slide)
    assert large.share == large.chosen / len(population)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=40), st.integers(0, 5000))
def test_every_sample_has_an_estimate_within_the_population(sizes, more):
    found = population_uniques(np.array(sizes), sum(sizes) + more)
    for estimate in (found.zayatz, found.slide, found.pitman, found.chosen):
        assert estimate is None or 0 <= estimate <= found.population
    if 1 not in sizes:
        assert found.chosen == 0
    if more == 0:
        assert found.chosen == sizes.count(1)


def test_a_sample_in_which_all_differ_says_that_all_do():
    assert population_uniques(np.ones(50, dtype=np.int64), 1000).pitman == 1000


def test_a_population_smaller_than_the_sample_is_refused():
    with pytest.raises(PolicyError, match="at least 6, as many as the release is about, got 5"):
        population_uniques(np.array([1, 2, 3]), 5)


@given(st.integers(1, 400), st.floats(0.001, 1.0))
def test_the_expected_chance_lies_between_its_bounds_and_falls_with_the_group(f, fraction):
    here, larger = chance_of_one(np.array([f, f + 1]), fraction)
    assert fraction / f <= here <= 1 / f
    assert larger <= here


@pytest.mark.parametrize("fraction", [0.002, 0.05, 0.5])
@pytest.mark.parametrize("f", [1, 2, 7])
def test_the_expected_chance_is_that_of_the_sum(f, fraction):
    total, term = 0.0, fraction**f  # P(F = f), then from one F to the next
    for size in range(f, 60_000):
        total += term / size
        term *= size / (size - f + 1) * (1 - fraction)
    assert chance_of_one(np.array([f]), fraction)[0] == pytest.approx(total, rel=1e-9)
