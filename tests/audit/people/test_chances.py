"""The chance that somebody with several rows has a value, against all ways to deal the values out."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.audit.people.chances import chances, is_at_most
from tests.audit.people.worlds import has


def chance(rows: int, having: int, own: int) -> float:
    return float(chances(np.array([rows]), np.array([having]), np.array([own]))[0])


@pytest.mark.parametrize(("own", "told"), [(1, 0.3), (2, 0.5333), (5, 0.9167)])
def test_the_figures_of_the_specification(own: int, told: float) -> None:
    assert round(chance(10, 3, own), 4) == told


@given(st.lists(st.sampled_from("xyz"), min_size=1, max_size=6), st.data())
def test_it_is_the_share_of_worlds_in_which_one_of_the_rows_has_the_value(
    values: list[str], data: st.DataObject
) -> None:
    own = data.draw(st.integers(1, len(values)))
    for value in set(values):
        exactly = has(tuple(values), own, value)
        assert chance(len(values), values.count(value), own) == pytest.approx(float(exactly), rel=1e-12)
        assert (chance(len(values), values.count(value), own) == 1) is (exactly == 1)
        assert is_at_most(exactly, len(values), values.count(value), own)
        assert not is_at_most(exactly - Fraction(1, 10**40), len(values), values.count(value), own)


@given(st.integers(1, 10**9), st.data())
def test_more_rows_and_more_frequent_values_never_make_it_smaller(rows: int, data: st.DataObject) -> None:
    having, own = (data.draw(st.integers(1, min(rows, 10**5))) for _ in range(2))
    here = chance(rows, having, own)
    rounding = 1e-11  # of 1 − a product of up to a hundred thousand factors
    assert max(having, own) / rows <= here + rounding and here <= min(1.0, having * own / rows + rounding)
    assert chance(rows, min(having + 1, rows), own) >= here - rounding
    assert chance(rows, having, min(own + 1, rows)) >= here - rounding


def test_large_groups_neither_overflow_nor_are_called_certain() -> None:
    most = chance(10**9, 10**8, 10**8)
    assert most < 1 and most == float(np.nextafter(1.0, 0.0))
    assert chance(10**9, 9 * 10**8, 10**8) < 1
    assert chance(10**9, 9 * 10**8, 10**8 + 1) == 1.0  # more rows than others could have without it


@given(st.integers(1, 400), st.data())
def test_floats_agree_with_whole_numbers(rows: int, data: st.DataObject) -> None:
    having, own = (data.draw(st.integers(1, rows)) for _ in range(2))
    exactly = 1 - Fraction(comb(rows - having, own), comb(rows, own))
    assert chance(rows, having, own) == pytest.approx(float(exactly), rel=1e-11, abs=1e-15)
    assert is_at_most(exactly, rows, having, own)
