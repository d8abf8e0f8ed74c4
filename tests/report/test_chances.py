"""Probabilities over people: nobody is lost, and nobody stands on the wrong side of an edge."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.labels.whose import Whose
from discreet.report.charts import spread
from discreet.report.marginals import Grain
from discreet.report.sections.chances import MOST_BINS, chances

SHARES = st.floats(1e-9, 1)


@given(st.lists(st.tuples(SHARES, st.integers(1, 1_000)), min_size=1, max_size=30), st.none() | SHARES)
def test_everybody_is_in_exactly_one_bin(found, limit):
    values, people = np.array([f for f, _ in found]), np.array([n for _, n in found])
    spread_of = chances(values, people, limit)
    bins = spread_of.bins
    assert sum(b.share for b in bins) == pytest.approx(1)
    assert len(bins) <= MOST_BINS
    assert bins[0].low == 0 and all(a.high == b.low for a, b in pairwise(bins))
    assert bins[-1].low * (1 + 1e-9) < spread_of.largest <= bins[-1].high * (1 + 1e-9)
    for b in bins[1:]:
        inside = people[(values > b.low * (1 + 1e-9)) & (values <= b.high * (1 + 1e-9))].sum()
        assert b.share == pytest.approx(inside / people.sum())


@given(st.integers(2, 50), st.integers(1, 40))
def test_no_bin_lies_on_both_sides_of_the_limit(r, share):
    bins = chances(np.array([share / 40, 0.5 / r, 1.0]), np.array([1, 1, 1]), 1 / r).bins
    assert all(b.high <= 1 / r or b.low >= 1 / r for b in bins[1:])


def test_a_rounded_tie_stands_at_the_limit():
    third = chances(np.array([0.1 + 0.2 + 1e-17, 1 / 3 + 1e-12]), np.array([1, 1]), 1 / 3)
    assert third.bins[-1].high == 1 / 3


def test_shares_are_rounded_by_the_grain():
    found = chances(np.array([0.01, 0.3]), np.array([1, 999]), None, Grain(1_000))
    assert [b.share for b in found.bins if b.share] == [1.0]


def test_the_mark_claims_no_more_than_is_true():
    below, above = (chances(np.array([0.04, x]), np.array([9, 1]), 0.1).bins for x in (0.1, 0.11))
    assert "1/r = 10%, as asked: nobody is above" in spread(below, 0.1, "1/r", "belief", True, Whose.ONE_EACH)
    assert "1/r = 10%, as asked<" in spread(below, 0.1, "1/r", "belief", False, Whose.ONE_EACH)
    assert "1/r = 10%, as asked<" in spread(above, 0.1, "1/r", "belief", True, Whose.ONE_EACH)
    assert "as asked" not in spread(below, None, "1/r", "belief", True, Whose.ONE_EACH)


def test_a_bar_rounded_to_nothing_is_not_called_empty():
    bins = chances(np.array([0.01, 0.3]), np.array([1, 999]), None, Grain(1_000)).bins
    assert "up to 1%: &lt;1% of the people" in spread(bins, None, "", "belief", True, Whose.ONE_EACH, 1)


def test_those_of_whom_it_cannot_be_true_have_a_bin_of_their_own():
    bins = chances(np.array([0.0, 0.3, 0.0]), np.array([1, 2, 1]), 0.5).bins
    assert [(b.low, b.high, b.share) for b in bins] == [(0, 0, 0.5), (0, 0.5, 0.5)]
    drawn = spread(bins, 0.5, "1/r", "belief", True, Whose.ONE_EACH)
    assert ">none</text>" in drawn and "none: 50% of the people" in drawn
    nobody = chances(np.array([0.0]), np.array([7]), 0.5).bins
    assert "nobody is above" in spread(nobody, 0.5, "1/r", "belief", True, Whose.ONE_EACH)
