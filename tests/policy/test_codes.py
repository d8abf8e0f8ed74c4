"""Which whole numbers are codes, and never become intervals; which count or measure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.policy.proposing.codes import NO_ANSWER, why_codes
from discreet.policy.proposing.columns import meaning_of
from discreet.policy.proposing.hierarchy_proposals import hierarchy_words
from tests.policy.profiles import profile

CODES = {
    "marital": [1, 2, 3, 4, 5, 6],
    "workclass": [1, 2, 3, 4, 5, 6, 7],
    "occupation": list(range(1, 23)),
    "status_code": [1, 2, 3, 4, 5],
    "q12": [1, 2, 3, 4, 5, 98, 99],
    "hhtype": [1, 2, 3, 4, 97],
    "place_of_service": [11, 21, 22, 23],
    "tariff": [99213, 99214, 99285, 80053, 71046, 93000, 36415],
    "region": list(range(1, 17)),
    "x": [1, 2, 3, 4],
}
AMOUNTS = {
    "age": list(range(18, 90)),
    "household_size": [1, 2, 3, 4, 5, 6],
    "education-num": list(range(1, 17)),
    "children": [0, 1, 2, 3, 4, 5],
    "birth_year": [1950, 1960, 1970, 1980, 1990],
    "hours": [0, 25, 50, 400, 975],
    "x": list(range(40)),
    "y": [2001, 2002, 2003, 2004, 2009],
    "score": [1, 2, 3, 4, 5],
}


def _what(name: str) -> str:
    meaning = meaning_of(name)
    return meaning.what if meaning else ""


@pytest.mark.parametrize("name", CODES)
def test_codes_are_categories_with_a_reason_and_never_intervals(name: str) -> None:
    numbers = CODES[name]
    assert why_codes(name, _what(name), dict.fromkeys(numbers, 10))
    words, note = hierarchy_words(profile(name, [str(n) for n in numbers] * 10), _what(name))
    assert "intervals" not in words and "quantiles" not in words
    assert "codes" in note or "stand for something" in note


@pytest.mark.parametrize("name", CODES)
def test_codes_that_pandas_wrote_as_floats_are_codes(name: str) -> None:
    words, _ = hierarchy_words(profile(name, [f"{n}.0" for n in CODES[name]] * 10), _what(name))
    assert "intervals" not in words and "quantiles" not in words


@pytest.mark.parametrize("name", AMOUNTS)
def test_what_counts_measures_or_ranks_is_no_code(name: str) -> None:
    assert why_codes(name, _what(name), dict.fromkeys(AMOUNTS[name], 10)) == ""


def test_what_starts_at_nothing_and_gets_rarer_is_a_count() -> None:
    assert why_codes("x", "", {0: 50, 1: 30, 2: 15, 3: 5}) == ""
    assert why_codes("x", "", {0: 50, 1: 10, 2: 15, 3: 25}) != ""


@given(st.sets(st.integers(1, 9), min_size=2), st.sets(st.sampled_from([97, 98, 99, 999]), min_size=1), st.integers(1))
def test_a_code_for_no_answer_makes_all_of_them_codes(answers: set[int], silent: set[int], rows: int) -> None:
    for name in ("q1", "score", "hhsize"):  # also where the name counts something: 99 is no score
        assert why_codes(name, "", dict.fromkeys(answers | silent, rows))


@given(st.sets(st.fractions(max_denominator=7), min_size=1))
def test_numbers_with_fractions_are_no_codes(numbers: set[object]) -> None:
    whole = all(n == int(n) for n in numbers)  # type: ignore[call-overload]
    assert whole or why_codes("marital", "family", dict.fromkeys(numbers, 1)) == ""  # type: ignore[arg-type]


def test_an_age_of_99_years_is_an_age() -> None:
    assert 99 in NO_ANSWER
    assert why_codes("age", "age or birth", dict.fromkeys(range(18, 100), 3)) == ""
