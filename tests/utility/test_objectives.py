"""What a search minimizes: the papers' numbers, by hand and against sums over rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.utility import metrics
from discreet.utility.objectives import OBJECTIVES, AtLeast, Outcome, arithmetic_loss, geometric_loss

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
    least = AtLeast([0.0], 3, np.array(finest), sum(proven.values()), mates, limit, sum(finest))
    kept = [size[g] for g in size if g not in lost]
    reached = Outcome([suppressed / sum(finest)], 3, np.array(kept, dtype=np.int64), suppressed, sum(finest))
    assert OBJECTIVES[utility].bound(least) <= OBJECTIVES[utility].score(reached)


def test_a_lost_row_that_could_only_hide_among_few_costs_all_rows() -> None:
    """Two rows of a group of two are lost everywhere: 100 each instead of the 1 they would cost alone."""
    least = AtLeast([0.0], 0, np.ones(100, dtype=np.int64), lost=2, lost_mates=4, suppression_limit=5, rows=100)
    assert OBJECTIVES["discernibility"].bound(least) == 100 + 2 * 100 - 4
