"""k-anonymity seen from a summary, against all tables and against drawn ones."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counts.cells import Cells
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.likelihood.likely import Likely, Options, likely, supports
from tests.models.multinomials import enumerated, simulated

EVERY = [
    Options(counts, sums, bounds)
    for counts, sums, bounds in product(("poisson", "binomial"), ("exact", "normal"), (True, False))
]


def of_shares(weights: list[int]) -> list[list[Fraction]]:
    return [[Fraction(weight, sum(weights))] for weight in weights]


def cells_of(weights: list[int]) -> Cells:
    return Cells(np.array(weights) / sum(weights))


def drawn(k: int, rows: int, likelihood: np.ndarray, draws: int = 20_000) -> tuple[float, float, float]:
    return simulated(rows, likelihood[:, None], lambda counts: counts[:, :, 0] >= k, draws, seed=7)


def test_the_eight_people_in_four_equal_groups() -> None:
    found = likely(KAnonymity(2), Cells(np.full(4, 0.25)), 8)
    truth = enumerated(8, of_shares([1, 1, 1, 1]), lambda group: sum(group) >= 2)
    assert (found.probability, found.expectation) == pytest.approx(truth, abs=1e-9)
    assert supports(KAnonymity(2))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 20), min_size=1, max_size=4), st.integers(0, 9), st.integers(2, 6))
def test_every_small_table_agrees(weights: list[int], rows: int, k: int) -> None:
    weights[0] += 1
    found = likely(KAnonymity(k), cells_of(weights), rows)
    truth = enumerated(rows, of_shares(weights), lambda group: sum(group) >= k)
    assert (found.probability, found.expectation) == pytest.approx(truth, abs=1e-8)


@pytest.mark.parametrize(
    ("rows", "groups", "k", "evenness"),
    [
        (50, 5, 5, 3.0),
        (300, 3, 90, 30.0),
        (1000, 2, 480, 300.0),
        (1000, 20, 30, 60.0),
        (2000, 60, 12, 8.0),
        (5000, 100, 30, 60.0),
        (3000, 400, 2, 20.0),
        (100_000, 300, 200, 60.0),
    ],
)
def test_drawn_tables_agree(rows: int, groups: int, k: int, evenness: float) -> None:
    likelihood = np.random.default_rng(rows + k).dirichlet(np.full(groups, evenness))
    probability, expectation, error = drawn(k, rows, likelihood)
    found = likely(KAnonymity(k), Cells(likelihood), rows)
    assert abs(found.probability - probability) <= 0.012  # of which 0.011 is three standard errors of 20,000 draws
    assert abs(found.expectation - expectation) <= max(0.01 * expectation, 4 * error)


def test_rare_groups_beside_common_ones_agree_with_drawn_tables() -> None:
    likelihood = np.array([1e-7, 1e-4, 0.002, 0.02, 0.3, 0.6778999])
    probability, expectation, error = drawn(5, 3000, likelihood)
    found = likely(KAnonymity(5), Cells(likelihood), 3000)
    assert abs(found.probability - probability) <= 0.012
    assert abs(found.expectation - expectation) <= max(0.01 * expectation, 4 * error)


def test_the_truncated_sum_belongs_in_the_numerator() -> None:
    """The paper's algorithm has the ratio upside down; four groups are enough to tell."""
    truth, _ = enumerated(12, of_shares([1] * 4), lambda group: sum(group) >= 2)
    product = (1 - 3 * np.exp(-3.0)) ** 4
    found = likely(KAnonymity(2), Cells(np.full(4, 0.25)), 12).probability
    inverted = product**2 / found  # from r Π to Π / r
    assert abs(found - truth) < 1e-8
    assert abs(inverted - truth) > 0.01


@pytest.mark.parametrize("options", EVERY)
def test_no_way_of_computing_is_far_off_where_groups_are_many(options: Options) -> None:
    likelihood = np.random.default_rng(3).dirichlet(np.full(60, 40.0))
    exact = likely(KAnonymity(20), Cells(likelihood), 2500, Options(bounds=False))
    found = likely(KAnonymity(20), Cells(likelihood), 2500, options)
    assert 0.2 < exact.probability < 0.8
    assert found.probability == pytest.approx(exact.probability, abs=0.02)
    assert found.expectation == pytest.approx(exact.expectation, rel=1e-9)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=40),
    st.integers(1, 3000),
    st.integers(2, 30),
    st.floats(0.01, 1.0),
    st.floats(0.0, 100.0),
)
def test_stopping_early_never_turns_a_verdict(
    weights: list[int], rows: int, k: int, at_least: float, at_most: float
) -> None:
    model, cells = KAnonymity(k), cells_of(weights)
    full = likely(model, cells, rows, Options(bounds=False))
    short = likely(model, cells, rows, at_least=at_least, at_most=at_most)
    margin = 1e-8
    if abs(full.probability - at_least) > margin and short.decided != "stopped early":
        assert (short.probability >= at_least) == (full.probability >= at_least)
    kept = full.probability >= at_least + margin and full.expectation <= at_most - margin
    dropped = full.probability < at_least - margin or full.expectation > at_most + margin
    passes = short.probability >= at_least and short.expectation <= at_most
    assert not (kept and not passes)
    assert not (dropped and passes)
    if short.decided == "stopped early":
        assert short.probability >= full.probability - margin
        assert short.expectation <= full.expectation + margin


def test_many_groups_share_a_table_without_a_difference() -> None:
    rng = np.random.default_rng(11)
    likelihood = rng.gamma(0.7, size=120_000)
    likelihood /= likelihood.sum()
    whole = likely(KAnonymity(5), Cells(likelihood), 400_000)
    alone = [likely(KAnonymity(5), Cells(part), 400_000).expectation for part in np.array_split(likelihood, 150)]
    assert whole.expectation == pytest.approx(sum(alone), rel=1e-9)


def test_one_group_of_everybody_is_certain_and_no_rows_break_nothing() -> None:
    assert likely(KAnonymity(5), Cells(np.array([1.0])), 100).probability == 1.0
    assert likely(KAnonymity(5), Cells(np.array([1.0])), 4) == Likely(0.0, 4.0, "bounds")
    assert likely(KAnonymity(5), Cells(np.array([0.5, 0.5])), 0).probability == 1.0
