"""Ties and near-ties: the verdict must not hang on rounding, whatever the size of the counts."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.groups import Groups, tally
from discreet.models.base import PrivacyModel
from discreet.models.exact import sign_with_logs
from discreet.models.examples import groups_of
from discreet.models.groups.alpha_k import AlphaK
from discreet.models.groups.beta_likeness import BetaLikeness
from discreet.models.groups.delta_disclosure import DeltaDisclosure
from discreet.models.groups.l_diversity import EntropyDiversity, FrequencyDiversity, RecursiveDiversity
from discreet.models.groups.t_closeness import TCloseness

TINY = Fraction(1, 10**24)


def counted(group: list[int], table: list[int]) -> Groups:
    """One group with these counts of values 0, 1, 2, … in a table with those."""
    hierarchy = groups_of("x", [str(value) for value in range(len(table))]).tallies["x"].hierarchy
    reference = np.array(table, dtype=np.int64)
    values = np.arange(len(group), dtype=np.int32)
    seen = tally(np.zeros(len(group), dtype=np.int64), values, np.array(group), 1, reference, hierarchy)
    kept = seen.counts > 0
    offsets = np.array([0, kept.sum()], dtype=np.int64)
    seen = replace(seen, offsets=offsets, values=seen.values[kept], counts=seen.counts[kept])
    return Groups(np.array([sum(group)], dtype=np.int64), {"x": seen})


def holds(model: PrivacyModel, group: list[int], table: list[int] | None = None) -> bool:
    return bool(model.holds(counted(group, table or group))[0])


LARGE = 10**9


@pytest.mark.parametrize("scale", [1, 7, LARGE])
def test_shares_that_are_exactly_the_bound_hold_and_any_tighter_bound_does_not(scale: int) -> None:
    group = [scale, scale, scale]
    assert holds(FrequencyDiversity(3, "x"), group)
    assert not holds(FrequencyDiversity(3 + TINY, "x"), group)
    assert holds(AlphaK("1/3", 2, "x"), group)
    assert not holds(AlphaK(Fraction(1, 3) - TINY, 2, "x"), group)
    assert not holds(AlphaK(1 / 3, 2, "x"), group)  # the number 0.3333333333333333 is below a third


@pytest.mark.parametrize("scale", [1, 7, LARGE])
def test_a_recursive_tie_fails_because_the_bound_is_strict(scale: int) -> None:
    group = [3 * scale, 2 * scale, scale]
    assert not holds(RecursiveDiversity(3, 3, "x"), group)
    assert holds(RecursiveDiversity(3 + TINY, 3, "x"), group)
    assert not holds(RecursiveDiversity(1, 2, "x"), group)
    assert holds(RecursiveDiversity(1 + TINY, 2, "x"), group)


@pytest.mark.parametrize("scale", [1, 3, 10**7])
def test_entropy_ties_are_seen_for_even_and_uneven_groups(scale: int) -> None:
    even, uneven = [scale] * 4, [4 * scale, scale, scale, scale, scale]  # both have two bits
    for group in (even, uneven):
        assert holds(EntropyDiversity(4, "x"), group)
        assert not holds(EntropyDiversity(4 + TINY, "x"), group)
    assert not holds(EntropyDiversity(4, "x"), [4 * 10**7 + 1, 10**7, 10**7, 10**7, 10**7])


@pytest.mark.parametrize("scale", [1, 3, 10**8])
def test_likeness_ties_hold_and_any_tighter_bound_does_not(scale: int) -> None:
    group, table = [2 * scale, scale], [4 * scale, 8 * scale]  # 2/3 instead of 1/3
    assert holds(BetaLikeness(1, "x"), group, table)
    assert not holds(BetaLikeness(1 - TINY, "x"), group, table)
    assert holds(BetaLikeness(1, "x", "enhanced"), group, table)  # −ln(1/3) = 1.0986 does not bind
    assert not holds(BetaLikeness(1 - TINY, "x", "enhanced"), group, table)


def test_the_logarithm_of_enhanced_likeness_is_compared_with_all_its_digits() -> None:
    # p = 1/2, so a share may grow by a factor 1 + ln 2; these are fractions within 10⁻¹¹ of ln 2, from both sides.
    for gain, fine in ((Fraction(287209, 414355), True), (Fraction(548949, 791966), False)):
        share = (1 + gain) / 2
        group = [share.numerator, share.denominator - share.numerator]
        assert holds(BetaLikeness(5, "x", "enhanced"), group, [LARGE, LARGE]) is fine


def test_disclosure_is_decided_on_both_sides_of_a_logarithm() -> None:
    ln_2 = Fraction("0.693147180559945309417232")  # rounded down
    for group in ([2, 1, 1], [1, 3, 4]):  # a share that doubled, and one that halved
        table = [1, 1, 2] if group == [2, 1, 1] else [2, 2, 4]
        assert not holds(DeltaDisclosure(ln_2, "x"), group, table)
        assert holds(DeltaDisclosure(ln_2 + TINY, "x"), group, table)


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_distances_that_are_exactly_the_bound_hold_and_any_tighter_bound_does_not(distance: str) -> None:
    group, table = [1, 1, 1], [LARGE, LARGE, LARGE, LARGE]
    most = {"equal": Fraction(1, 4), "ordered": Fraction(1, 6), "hierarchical": Fraction(1, 4)}[distance]
    assert holds(TCloseness(most, "x", distance), group, table)
    assert not holds(TCloseness(most - TINY, "x", distance), group, table)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=6), st.lists(st.integers(-5, 5), min_size=6, max_size=6))
def test_signs_of_sums_of_logarithms_are_those_of_the_product(arguments: list[int], factors: list[int]) -> None:
    terms = list(zip(factors, arguments, strict=False))
    product = Fraction(1)
    for factor, argument in terms:
        product *= Fraction(argument) ** factor
    assert sign_with_logs(Fraction(0), terms) == (product > 1) - (product < 1)


def test_a_number_far_closer_to_a_logarithm_than_the_first_digits_show_is_told_apart() -> None:
    ln_2 = "0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863326996"
    assert sign_with_logs(Fraction(ln_2), [(-1, 2)]) == -1
    assert sign_with_logs(Fraction(ln_2) + Fraction(1, 10**92), [(-1, 2)]) == 1
