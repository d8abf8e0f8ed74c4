from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import HierarchyError
from discreet.hierarchies.build import build
from discreet.hierarchies.defaults import BINS, FEW, default_rule, quantile_cuts
from discreet.hierarchies.rules import Cuts, Dates, Flat

from .strategies import blanks, decimals, spellings

counted = st.lists(st.tuples(spellings | decimals | blanks, st.integers(1, 50)), unique_by=lambda pair: pair[0])


@given(counted, st.integers(2, 20))
def test_quantile_cuts_place_every_number_and_nest(pairs, bins):
    values, counts = [v for v, _ in pairs], [c for _, c in pairs]
    rule = quantile_cuts(values, counts, bins)
    h = build("x", values, rule)
    distinct = len({Decimal(v.strip()) for v in values if v})
    assert isinstance(rule, Cuts) == (distinct > 1)
    if isinstance(rule, Cuts):
        assert all(len(cuts) < bins for cuts in rule.levels)
        filled = [name for name in h.labels[1] if name]
        assert len(filled) == len(rule.levels[0]) + 1  # no interval is empty


@given(st.lists(st.integers(0, 9), min_size=2), st.randoms())
def test_quantile_cuts_depend_on_neither_order_nor_repetition(numbers, random):
    once = sorted(set(numbers))
    counts = [numbers.count(n) for n in once]
    random.shuffle(numbers)
    one = quantile_cuts([str(n) for n in numbers], [1] * len(numbers), 4)
    assert one == quantile_cuts([str(n) for n in once], counts, 4)


def test_bins_hold_about_equally_many_rows():
    values = [str(n) for n in range(1000)]
    h = build("x", values, quantile_cuts(values, [1] * 1000, 8))
    assert h.sizes(1).tolist() == [125] * 8
    assert h.sizes(2).tolist() == [250] * 4
    assert h.sizes(3).tolist() == [500] * 2


def test_a_value_with_most_of_the_rows_gets_a_bin_of_its_own():
    h = build("x", ["1", "2", "3"], quantile_cuts(["1", "2", "3"], [1, 98, 1], 8))
    assert h.labels[1] == ("<2", "2", ">=3")


def test_texts_have_no_quantiles():
    with pytest.raises(HierarchyError, match="quantiles: not a number: 'x'"):
        quantile_cuts(["1", "x"], [1, 1])


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ([], Flat()),
        ([None, ""], Flat()),
        (["a", "b"], Flat()),
        (["2024-03-05", None, ""], Dates(("month", "quarter", "year"))),
        (["2024-03-05", "2024-03-05 10:30"], Dates(("day", "month", "quarter", "year"))),
        (["2024-03-05", "soon"], Flat()),
        ([str(n) for n in range(FEW)], Flat()),
        ([*map(str, range(FEW + 1)), "x"], Flat()),
        ([f"{n:05}" for n in range(FEW + 1)], Flat()),
    ],
)
def test_the_default_suits_the_data(values, rule):
    assert default_rule(values, [1] * len(values)) == rule


def test_many_numbers_are_cut_into_bins():
    values = [*(f"{n}.5" for n in range(320)), None]
    rule = default_rule(values, [1] * len(values))
    assert isinstance(rule, Cuts)
    assert [len(cuts) + 1 for cuts in rule.levels] == [BINS, BINS // 2, BINS // 4, BINS // 8]
    assert build("x", values, rule).sizes(1).tolist() == [320 // BINS] * BINS + [1]
