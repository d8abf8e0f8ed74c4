"""Loss, discernibility, group sizes and divergence, on plain numbers."""

from __future__ import annotations

from math import inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counts.groups import tally
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.utility import metrics


def test_eu_of_six_nations_loses_two_fifths():
    assert metrics.losses([[0]], [[2]], [5], [6]) == pytest.approx([0.4])


@pytest.mark.parametrize(("last", "loss"), [(1, 1 / 6), (3, 1 / 2)])
def test_canada_becomes_north_america_and_america(last, loss):
    assert metrics.losses([[0]], [[last]], [1], [7]) == pytest.approx([loss])


def test_a_suppressed_row_loses_everything_in_every_attribute():
    assert metrics.losses([[2, 0]], [[2, 0]], [3], [4, 9], suppressed=1) == pytest.approx([0.25, 0.25])


def test_an_attribute_with_one_leaf_has_nothing_to_lose():
    assert metrics.losses([[0]], [[0]], [3], [1], suppressed=2) == [0.0]


def test_everything_suppressed_is_a_loss_of_one():
    nothing = np.empty((0, 2), dtype=np.int32)
    each = metrics.losses(nothing, nothing, [], [4, 9], suppressed=5)
    assert metrics.arithmetic_loss(each) == 1
    assert metrics.geometric_loss(each) == pytest.approx(1)


def test_the_geometric_form_is_the_one_of_arx():
    each = [0.1, 0.5, 0.0]
    assert metrics.geometric_loss(each) == pytest.approx((1.1 * 1.5) ** (1 / 3) - 1)


def test_a_suppressed_row_can_not_be_told_from_any_row():
    assert metrics.discernibility([4, 5], suppressed=2) == 16 + 25 + 2 * 11


def test_squares_of_huge_groups_do_not_overflow():
    assert metrics.discernibility([2**33]) == 2**66


def test_nothing_published_has_no_group_size():
    assert metrics.average_group_size([]) == 0


def table_strategy():
    return st.integers(1, 3).flatmap(
        lambda d: st.tuples(
            st.lists(st.tuples(*[st.integers(0, 4)] * d), min_size=1, max_size=30),
            st.integers(0, 3),
        )
    )


def exact_groups(rows):
    combos, sizes = np.unique(rows, axis=0, return_counts=True)
    return combos, sizes


@settings(deadline=None)  # the first call compiles
@given(table_strategy())
def test_an_exact_release_loses_nothing(table):
    rows = np.array(table[0])
    combos, sizes = exact_groups(rows)
    leaves = [5] * rows.shape[1]
    assert metrics.losses(combos, combos, sizes, leaves).tolist() == [0.0] * rows.shape[1]
    assert metrics.kl_divergence(list(rows.T), np.ones(len(rows)), combos, combos, sizes, leaves) == 0


@settings(deadline=None)  # the first call compiles
@given(table_strategy(), st.randoms(use_true_random=False))
def test_divergence_equals_the_sum_over_all_groups_written_out(table, random):
    rows, suppressed = np.array(table[0]), min(table[1], len(table[0]))
    kept = rows[suppressed:]
    spread = np.array([[random.randint(0, 2) for _ in row] for row in kept], dtype=np.int64).reshape(kept.shape)
    low, high = np.maximum(kept - spread, 0), np.minimum(kept + spread, 4)
    sizes, leaves = np.ones(len(kept), dtype=np.int64), [5] * rows.shape[1]
    expected = 0.0
    for row in rows:
        estimate = suppressed / 5 ** rows.shape[1]
        for a, b in zip(low, high, strict=True):
            if (a <= row).all() and (row <= b).all():
                estimate += 1 / float(np.prod(b - a + 1))
        expected += log((rows == row).all(axis=1).sum() / estimate) / len(rows)
    found = metrics.kl_divergence(list(rows.T), np.ones(len(rows)), low, high, sizes, leaves, suppressed)
    assert found == pytest.approx(expected, abs=1e-9)


def test_groups_are_counted_in_blocks_without_a_difference(monkeypatch):
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 6, (400, 3))
    low, high = np.maximum(rows - 1, 0), np.minimum(rows + 1, 5)
    arguments = (list(rows.T), np.ones(400), low, high, np.ones(400), [6, 6, 6])
    whole = metrics.kl_divergence(*arguments)
    monkeypatch.setattr(metrics, "_MEMORY", 1)  # 64 groups at a time
    assert metrics.kl_divergence(*arguments) == pytest.approx(whole, rel=1e-12)


def test_a_row_outside_all_groups_is_an_infinite_surprise():
    assert metrics.kl_divergence([np.array([0, 3])], [1, 1], [[0]], [[1]], [2], [4]) == inf


def test_equal_rows_are_one_combination_even_if_listed_apart():
    """Combinations of a frequency set differ in the sensitive value and may agree in all quasi-identifiers."""
    codes, counts = [np.array([0, 0, 1])], [2, 1, 3]
    assert metrics.kl_divergence(codes, counts, [[0], [1]], [[0], [1]], [3, 3], [2]) == 0


def test_exact_groups_split_by_value_hide_which_row_has_which():
    """Two people, two diseases, one group: each combination is estimated at a quarter where the data says half."""
    disease = build("disease", ["cold", "flu"], Flat())
    group, value, one = np.array([0, 0]), np.array([0, 1], dtype=np.int32), np.array([1, 1])
    t = tally(group, value, one, 1, np.array([1, 1]), disease)
    low, high, sizes = metrics.by_value(np.array([[0]]), np.array([[1]]), t)
    found = metrics.kl_divergence([np.array([0, 1]), value], [1, 1], low, high, sizes, [2, 2])
    assert found == pytest.approx(log(2))
