"""Which leaves a published text stands for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DataError
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.hierarchies.taxonomy import Taxonomy
from discreet.utility.published import is_withheld, leaves_of, read_published

from ..hierarchies.strategies import columns
from ..hierarchies.test_hierarchy import publishable

AGES = build("age", ["17", "20", "39", "40", "89", "90"], Flat())
ZIPS = build("zip", ["47905", "47906", "47677", "4790", "10115"], Flat())
NATIONS = build(
    "nation",
    [],
    Taxonomy(
        {
            "Canada": ("N. America", "America"),
            "USA": ("N. America", "America"),
            "Brazil": ("S. America", "America"),
            "Peru": ("S. America", "America"),
            "Italy": ("EU", "EU"),
        }
    ),
)
WORDS = build("word", ["a", "b", "a, b", "", None, 'say "x"', "NULL"], Flat())


def values(text, hierarchy):
    return {hierarchy.leaves[i] for i in leaves_of(text, hierarchy)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("39", {"39"}),
        ("39.0", {"39"}),
        ("20-39", {"20", "39"}),
        ("[20-39]", {"20", "39"}),
        ("20 – 39", {"20", "39"}),
        ("20 to 39", {"20", "39"}),
        ("18~39", {"20", "39"}),
        ("[20, 40)", {"20", "39"}),
        ("[20, 40[", {"20", "39"}),
        ("]20, 40]", {"39", "40"}),
        ("(20.0, 40.0]", {"39", "40"}),
        ("[20,40]", {"20", "39", "40"}),
        (">=90", {"90"}),
        ("≥ 89", {"89", "90"}),
        (">89", {"90"}),
        ("90+", {"90"}),
        ("<20", {"17"}),
        ("<=20", {"17", "20"}),
        ("{17, 90}", {"17", "90"}),
        ("17,90", {"17", "90"}),
        ("*", {"17", "20", "39", "40", "89", "90"}),
        (None, {"17", "20", "39", "40", "89", "90"}),
    ],
)
def test_numbers_as_other_tools_write_them(text, expected):
    assert values(text, AGES) == expected


def test_negative_numbers_and_decimals():
    cold = build("t", ["-10", "-5", "-0.5", "3"], Flat())
    assert values("-10--1", cold) == {"-10", "-5"}
    assert values("-5 to 3", cold) == {"-5", "-0.5", "3"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("479**", {"47905", "47906"}),
        ("4****", {"47905", "47906", "47677"}),
        ("4*6*7", {"47677"}),
        ("479*", {"4790"}),
        ("47*", {"47905", "47906", "47677", "4790"}),
        ("*****", set(ZIPS.leaves)),
    ],
)
def test_a_star_hides_one_character_or_the_rest(text, expected):
    assert values(text, ZIPS) == expected


def test_names_of_levels_stand_for_their_leaves():
    assert values("N. America", NATIONS) == {"Canada", "USA"}
    assert values("America", NATIONS) == {"Canada", "USA", "Brazil", "Peru"}
    assert values("{N. America, Italy}", NATIONS) == {"Canada", "USA", "Italy"}


def test_a_name_on_two_levels_counts_as_the_wider():
    h = build("n", [], Taxonomy({"a": ("X", "X"), "b": ("X", "X"), "c": ("Y", "X"), "d": ("Z", "Z")}))
    assert values("X", h) == {"a", "b", "c"}


def test_a_leaf_that_is_also_the_name_of_a_level_is_the_leaf():
    h = build("n", [], Taxonomy({"EU": ("EU",), "Italy": ("EU",), "Peru": ("America",)}))
    assert values("EU", h) == {"EU"}


def test_members_of_sets_with_commas_quotes_null_and_nothing():
    assert values('{a, "a, b"}', WORDS) == {"a", "a, b"}
    assert values('{b, "say ""x"""}', WORDS) == {"b", 'say "x"'}
    assert values('{NULL, "NULL"}', WORDS) == {None, "NULL"}
    assert values("{a, }", WORDS) == {"a", "", None}
    assert values("{'a', 'b'}", build("word", ["a", "b"], Flat())) == {"a", "b"}


def test_null_is_its_own_value_where_the_domain_has_it():
    assert values(None, WORDS) == {None}
    assert values("", WORDS) == {""}
    assert not is_withheld(None, WORDS)
    assert is_withheld(None, AGES)


def test_dates_are_points_on_a_line():
    days = build("day", ["2024-01-15", "2024-02-01", "2024-03-31", "2025-01-01"], Flat())
    assert values("[2024-01-15, 2024-03-31)", days) == {"2024-01-15", "2024-02-01"}
    assert values("2024-02-01 to 2024-12-31", days) == {"2024-02-01", "2024-03-31"}
    assert values(">=2024-03-01", days) == {"2024-03-31", "2025-01-01"}


def test_all_texts_nobody_understands_are_listed_once():
    strange = [f"x{i}" for i in range(12)]
    with pytest.raises(DataError) as raised:
        read_published(["20-39", *strange, "500-600"], AGES)
    (mistake,) = raised.value.mistakes
    assert mistake.place == "age"
    assert "'x0'" in mistake.rule and "'x9'" in mistake.rule and "and 3 more" in mistake.rule
    assert "20-39" not in mistake.rule


@pytest.mark.parametrize("text", ["40-20", "500-600", "Atlantis", "{17, Atlantis}", "2024-13-45", "99*", ""])
def test_texts_that_stand_for_nothing_are_refused(text):
    with pytest.raises(DataError, match="no telling"):
        leaves_of(text, AGES)


@given(columns)
def test_whatever_we_publish_is_read_back(column):
    h = build("x", column[1], column[0])
    for low, high in publishable(h):
        if len(h.leaves) > 1:
            assert leaves_of(h.label(low, high), h).tolist() == list(range(low, high + 1))


@given(st.sets(st.integers(-50, 50), min_size=1), st.integers(-50, 50), st.integers(0, 60))
def test_a_range_holds_exactly_the_numbers_between_its_ends(numbers, low, width):
    h = build("n", [str(n) for n in numbers], Flat())
    expected = {str(n) for n in numbers if low <= n <= low + width}
    if expected:
        assert values(f"[{low}, {low + width}]", h) == expected
        assert values(f"{low} to {low + width}", h) == expected
