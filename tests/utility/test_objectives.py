"""What a search minimizes: the papers' numbers, by hand and against sums over rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.utility import metrics
from discreet.utility.objectives import OBJECTIVES, AtLeast, Outcome, Volumes, arithmetic_loss, geometric_loss

sizes = st.lists(st.integers(1, 20), max_size=6)
losses = st.lists(st.floats(0, 1), min_size=1, max_size=5)


def outcome(sizes: list[int], suppressed: int, losses: list[float] | None = None, height: int = 0) -> Outcome:
    return Outcome(losses or [0.0], height, np.array(sizes, dtype=np.int64), suppressed, sum(sizes) + suppressed)


def test_the_numbers_of_the_specification() -> None:
    assert OBJECTIVES["loss"].score(outcome([3], 0, [0.4, 1 / 6, 0.5])) == pytest.approx((0.4 + 1 / 6 + 0.5) / 3)
    assert OBJECTIVES["geometric_loss"].score(outcome([3], 0, [1.0, 0.0])) == pytest.approx(math.sqrt(2) - 1)
    assert OBJECTIVES["discernibility"].score(outcome([3, 2], 1)) == 9 + 4 + 6
    assert OBJECTIVES["average_group"].score(outcome([3, 2], 7)) == 2.5
    assert OBJECTIVES["height"].score(outcome([3], 5, height=4)) == 4


def test_the_divergence_is_that_of_the_library_call() -> None:
    """Six rows of two attributes, two of them suppressed."""
    codes, counts = [np.array([0, 1, 2, 3]), np.array([0, 0, 1, 2])], [2, 1, 1, 2]
    low, high, leaves = [[0, 0], [2, 0]], [[1, 0], [2, 2]], [4, 3]
    whole = metrics.kl_divergence(codes, counts, low, high, [3, 1], leaves, suppressed=2)
    shares = np.array(counts) / 6
    volumes = Volumes(np.log([2.0, 3.0]), math.log(12), float(shares @ np.log(shares)))
    reached = Outcome([0.0], 0, np.array([3, 1]), 2, 6, volumes)
    assert OBJECTIVES["kl_divergence"].score(reached) == pytest.approx(whole)


def test_publishing_nothing_is_the_worst_average_group() -> None:
    assert OBJECTIVES["average_group"].score(outcome([], 9)) == math.inf


@given(sizes=sizes, suppressed=st.integers(0, 9))
def test_a_row_costs_the_rows_it_hides_among(sizes: list[int], suppressed: int) -> None:
    rows = sum(sizes) + suppressed
    each_row = [n for n in sizes for _ in range(n)] + [rows] * suppressed
    assert OBJECTIVES["discernibility"].score(outcome(sizes, suppressed)) == sum(each_row)


@given(losses=losses)
def test_losses_are_those_of_the_library_calls(losses: list[float]) -> None:
    assert arithmetic_loss(losses) == pytest.approx(metrics.arithmetic_loss(losses), abs=1e-12)
    assert geometric_loss(losses) == pytest.approx(metrics.geometric_loss(losses), abs=1e-12)


@pytest.mark.parametrize("mean", [arithmetic_loss, geometric_loss])
@given(losses=losses, data=st.data())
def test_a_mean_of_losses_lies_between_them_and_grows_with_each(mean, losses, data) -> None:  # type: ignore[no-untyped-def]
    assert min(losses) - 1e-12 <= mean(losses) <= max(losses) + 1e-12
    more = [data.draw(st.floats(x, 1)) for x in losses]
    assert mean(losses) <= mean(more) * (1 + 1e-15)


@pytest.mark.parametrize("mean", [arithmetic_loss, geometric_loss])
def test_no_attributes_lose_nothing(mean) -> None:  # type: ignore[no-untyped-def]
    assert mean([]) == 0.0


@pytest.mark.parametrize("utility", sorted(OBJECTIVES))
@given(finest=st.lists(st.integers(1, 9), min_size=1, max_size=6), data=st.data())
def test_no_way_to_merge_and_suppress_undercuts_the_bound(utility: str, finest: list[int], data: st.DataObject) -> None:
    """Groups are merged twice: to a node, of which some are suppressed, and further to the node that was counted."""
    node = data.draw(st.lists(st.integers(0, 3), min_size=len(finest), max_size=len(finest)))
    coarse = {g: data.draw(st.integers(0, 2)) for g in set(node)}
    size = {g: sum(n for n, own in zip(finest, node, strict=True) if own == g) for g in set(node)}
    lost = data.draw(st.sets(st.sampled_from(sorted(size))))
    of_coarse = {c: sum(size[g] for g in size if coarse[g] == c) for c in coarse.values()}
    suppressed = sum(size[g] for g in lost)
    limit = data.draw(st.integers(suppressed, sum(finest)))
    proven = {g: data.draw(st.integers(0, size[g])) for g in lost}
    mates = sum(n * of_coarse[coarse[g]] for g, n in proven.items())
    volume = data.draw(st.lists(st.integers(1, 9), min_size=len(finest), max_size=len(finest)))
    everything, of_data = math.log(sum(volume) + data.draw(st.integers(0, 9))), data.draw(st.floats(-3, 0))
    fine = Volumes(np.log(volume), everything, of_data)
    least = AtLeast([0.0], 3, np.array(finest), sum(proven.values()), mates, limit, sum(finest), fine)
    kept = [g for g in size if g not in lost]
    coarser = [sum(v for v, own in zip(volume, node, strict=True) if own == g) for g in kept]
    sizes_kept = np.array([size[g] for g in kept], dtype=np.int64)
    volumes = Volumes(np.log(np.array(coarser, dtype=np.float64)), everything, of_data)
    reached = Outcome([suppressed / sum(finest)], 3, sizes_kept, suppressed, sum(finest), volumes)
    assert OBJECTIVES[utility].bound(least) <= OBJECTIVES[utility].score(reached)


def test_a_lost_row_that_could_only_hide_among_few_costs_all_rows() -> None:
    """Two rows of a group of two are lost everywhere: 100 each instead of the 1 they would cost alone."""
    least = AtLeast([0.0], 0, np.ones(100, dtype=np.int64), lost=2, lost_mates=4, suppression_limit=5, rows=100)
    assert OBJECTIVES["discernibility"].bound(least) == 100 + 2 * 100 - 4
