"""ℓ-diversity seen from a summary, against all tables and against drawn ones."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counts.cells import Cells
from discreet.models.groups.l_diversity import DistinctDiversity, FrequencyDiversity
from discreet.models.likelihood.likely import Options, likely, supports
from tests.models.multinomials import enumerated, simulated


def frequency(least: str) -> FrequencyDiversity:
    return FrequencyDiversity(least, "salary")


def cells_of(weights: list[list[int]]) -> tuple[Cells, list[list[Fraction]]]:
    """Groups with these weights of each value."""
    total = sum(map(sum, weights))
    sizes = np.array([sum(group) for group in weights], dtype=np.float64)
    sensitive = np.array(weights) / np.maximum(sizes, 1)[:, None]
    return Cells(sizes / total, sensitive), [[Fraction(w, total) for w in group] for group in weights]


@st.composite
def small_cells(draw: st.DrawFn) -> list[list[int]]:
    groups, values = draw(st.sampled_from([(1, 2), (1, 3), (1, 4), (2, 2), (2, 3), (3, 2)]))
    weights = [[draw(st.integers(0, 9)) for _ in range(values)] for _ in range(groups)]
    weights[0][0] += 1
    return weights


def test_node_011_of_the_eight_people() -> None:
    cells = Cells(np.full(4, 0.25), np.full((4, 2), 0.5))
    found = likely(frequency("2"), cells, 8)
    shares = [[Fraction(1, 8)] * 2] * 4
    truth = enumerated(8, shares, lambda group: 2 * max(group) <= sum(group))
    assert (found.probability, found.expectation) == pytest.approx(truth, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(small_cells(), st.integers(0, 7), st.sampled_from(["3/2", "2", "2.5", "3"]))
def test_every_small_table_agrees_on_frequency(weights: list[list[int]], rows: int, least: str) -> None:
    cells, shares = cells_of(weights)
    found = likely(frequency(least), cells, rows, Options(bounds=False))
    truth = enumerated(rows, shares, lambda group: max(group) * Fraction(least) <= sum(group))
    assert found.probability == pytest.approx(truth[0], abs=1e-5)
    assert found.expectation == pytest.approx(truth[1], abs=1e-4)


@settings(max_examples=60, deadline=None)
@given(small_cells(), st.integers(0, 7), st.integers(2, 4))
def test_every_small_table_agrees_on_different_values(weights: list[list[int]], rows: int, least: int) -> None:
    cells, shares = cells_of(weights)
    model = DistinctDiversity(least, "salary")
    found = likely(model, cells, rows, Options(bounds=False))
    truth = enumerated(rows, shares, lambda group: sum(count > 0 for count in group) >= least)
    assert found.probability == pytest.approx(truth[0], abs=1e-5)
    assert found.expectation == pytest.approx(truth[1], abs=1e-4)
    assert supports(model)


@pytest.mark.parametrize(
    ("rows", "groups", "values", "least", "evenness"),
    [
        (100, 3, 4, "2", 10.0),
        (300, 4, 10, "3", 5.0),
        (1000, 10, 10, "4", 5.0),
        (1000, 4, 2, "1.8", 200.0),
        (3000, 12, 30, "6", 3.0),
        (6000, 40, 8, "4", 20.0),
        (40_000, 3, 4, "3.8", 5000.0),
    ],
)
def test_drawn_tables_agree(rows: int, groups: int, values: int, least: str, evenness: float) -> None:
    rng = np.random.default_rng(rows + groups)
    likelihood = rng.dirichlet(np.full(groups, 20.0))
    sensitive = rng.dirichlet(np.full(values, evenness), size=groups)
    most = float(Fraction(1) / Fraction(least))
    probability, expectation, error = simulated(
        rows,
        likelihood[:, None] * sensitive,
        lambda counts: counts.max(axis=2) <= counts.sum(axis=2) * most + 1e-9,
        12_000,
        seed=3,
    )
    found = likely(frequency(least), Cells(likelihood, sensitive), rows)
    assert abs(found.probability - probability) <= 0.014  # three standard errors of 12,000 draws are 0.0137
    assert abs(found.expectation - expectation) <= max(0.01 * expectation, 4 * error)


def test_normal_sums_agree_with_exact_ones_where_groups_are_many() -> None:
    rng = np.random.default_rng(4)
    likelihood, sensitive = rng.dirichlet(np.full(60, 20.0)), rng.dirichlet(np.full(12, 8.0), size=60)
    found = [
        likely(frequency("4"), Cells(likelihood, sensitive), 4500, Options(sums=sums, bounds=False))
        for sums in ("exact", "normal")
    ]
    assert 0.05 < found[0].probability < 0.95
    assert found[0].probability == pytest.approx(found[1].probability, abs=0.002)
    assert found[0].expectation == found[1].expectation


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 12),
    st.integers(1, 400),
    st.sampled_from(["1.5", "2", "3"]),
    st.floats(0.01, 1.0),
    st.floats(0.0, 100.0),
)
def test_stopping_early_never_turns_a_verdict(
    seed: int, groups: int, rows: int, least: str, at_least: float, at_most: float
) -> None:
    rng = np.random.default_rng(seed)
    cells = Cells(rng.dirichlet(np.full(groups, 2.0)), rng.dirichlet(np.full(5, 8.0), size=groups))
    full = likely(frequency(least), cells, rows, Options(bounds=False))
    short = likely(frequency(least), cells, rows, at_least=at_least, at_most=at_most)
    margin = 1e-5
    kept = full.probability >= at_least + margin and full.expectation <= at_most - margin
    dropped = full.probability < at_least - margin or full.expectation > at_most + margin
    passes = short.probability >= at_least and short.expectation <= at_most
    assert not (kept and not passes)
    assert not (dropped and passes)


def test_groups_with_one_distribution_are_judged_alike_however_it_is_stored() -> None:
    rng = np.random.default_rng(8)
    likelihood, one = rng.dirichlet(np.full(30, 3.0)), rng.dirichlet(np.full(6, 4.0))
    once = likely(frequency("2"), Cells(likelihood, np.broadcast_to(one, (30, 6))), 700)
    copied = likely(frequency("2"), Cells(likelihood, np.tile(one, (30, 1))), 700)
    assert once == copied


def test_a_large_group_far_from_the_limit_is_certain() -> None:
    sensitive = np.array([[0.3, 0.3, 0.4]])
    assert likely(frequency("2"), Cells(np.ones(1), sensitive), 100_000).probability == 1.0
    assert likely(frequency("3"), Cells(np.ones(1), sensitive), 100_000).probability == 0.0
    assert likely(frequency("3"), Cells(np.ones(1), sensitive), 100_000).expectation == pytest.approx(100_000)
