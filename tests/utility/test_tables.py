"""Utility of pairs of tables, whoever made them."""

from __future__ import annotations

from math import log

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import DataError
from discreet.hierarchies.build import build
from discreet.hierarchies.intervals import Intervals
from discreet.hierarchies.taxonomy import Taxonomy
from discreet.utility.tables import compare_answers, compare_tables

NATIONS = Taxonomy(
    {
        "Canada": ("N. America", "America"),
        "USA": ("N. America", "America"),
        "Brazil": ("S. America", "America"),
        "Peru": ("S. America", "America"),
        "France": ("EU", "Europe"),
        "Italy": ("EU", "Europe"),
        "Turkey": ("Asia", "Asia"),
    }
)


@pytest.mark.parametrize(("text", "loss"), [("N. America", 1 / 6), ("America", 1 / 2), ("Canada", 0), ("*", 1)])
def test_canada_becomes_ever_less(text, loss):
    found = compare_tables({"nation": ["Canada"]}, {"nation": [text]}, hierarchies={"nation": NATIONS})
    assert found.loss == pytest.approx(loss)


def test_one_release_measured_in_every_way():
    original = {
        "age": [20, 25, 31, 38, 50],
        "sex": ["m", "f", "m", "f", "m"],
        "disease": ["flu", "flu", "cold", "flu", "cold"],
    }
    released = {
        "disease": ["flu", "flu", "flu", "*"],
        "age": ["20-29", "20-29", "38", "*"],
        "sex": ["{f, m}", "{f, m}", "f", "*"],
    }
    found = compare_tables(original, released, sensitive="disease")
    assert (found.rows, found.suppressed, found.groups, found.smallest_group) == (5, 2, 2, 1)
    assert found.average_group == 1.5
    assert found.losses == pytest.approx({"age": (2 * 1 / 4 + 2) / 5, "sex": (2 + 2) / 5})
    assert found.loss == pytest.approx((0.5 + 0.8) / 2)
    assert found.loss_geometric == pytest.approx((1.5 * 1.8) ** 0.5 - 1)
    assert found.discernibility == 4 + 1 + 2 * 5
    hidden = 2 / (5 * 2 * 2)  # a row of stars and a missing row, evenly over all combinations
    estimates = [2 / 4 + hidden, 2 / 4 + hidden, hidden, 1 + hidden, hidden]
    assert found.kl_divergence == pytest.approx(-sum(log(e) for e in estimates) / 5)


rows = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from(["a", "b", "c", "", None]), st.sampled_from(["x", "y"])),
    min_size=1,
    max_size=20,
)


def as_columns(table, stars=False):
    number, letter, secret = zip(*table, strict=True)
    return {
        "number": ["*"] * len(number) if stars else list(number),
        "letter": ["*"] * len(letter) if stars else list(letter),
        "secret": list(secret),
    }


@settings(deadline=None)  # the first call compiles
@given(rows, st.randoms(use_true_random=False))
def test_a_table_loses_nothing_against_itself_in_any_order(table, random):
    shuffled = random.sample(table, len(table))
    found = compare_tables(as_columns(table), as_columns(shuffled), sensitive="secret")
    assert (found.loss, found.loss_geometric, found.suppressed) == (0, 0, 0)
    assert found.kl_divergence == pytest.approx(0, abs=1e-12)
    asked = {"predicates": 2, "sensitive": "secret", "count": 100, "seed": 1}
    answers = compare_answers(as_columns(table), as_columns(shuffled), **asked)
    assert answers.queries + answers.empty == 100
    if answers.queries:
        assert (answers.mean, answers.median) == (0, 0)


@settings(deadline=None)
@given(rows.filter(lambda t: len({r[0] for r in t}) > 1 and len({r[1] for r in t}) > 1))
def test_a_table_of_stars_loses_everything(table):
    found = compare_tables(as_columns(table), as_columns(table, stars=True), sensitive="secret")
    assert (found.loss, found.loss_geometric) == (1, pytest.approx(1))
    assert found.suppressed == found.rows == len(table)
    assert found.discernibility == len(table) ** 2
    assert (found.groups, found.smallest_group, found.average_group) == (0, 0, 0)


@settings(deadline=None)
@given(rows)
def test_missing_rows_cost_as_much_as_rows_of_stars(table):
    columns = as_columns(table)
    half = len(table) // 2
    kept = {name: column[half:] for name, column in columns.items()}
    starred = {name: ["*"] * half + [*column[half:]] for name, column in columns.items()}
    assert compare_tables(columns, kept, sensitive="secret") == compare_tables(columns, starred, sensitive="secret")


def test_queries_see_sets_that_are_no_range():
    """Half of the rows of {a, c} are taken to be a."""
    original = {"letter": ["a", "a", "b", "c"]}
    released = {"letter": ["{a, c}", "{a, c}", "b", "{a, c}"]}
    found = compare_answers(original, released, predicates=1, selectivity=1 / 3, count=600, seed=2)
    # a: act 2, est 1.5 (1/4 off); b: exact; c: act 1, est 1.5 (1/2 off)
    assert found.queries == 600
    assert found.mean == pytest.approx(0.25, abs=0.03)
    assert found.median == 0.25


def test_frames_of_every_kind_say_the_same():
    original = {"age": [20, 25, 31, 38], "sex": ["m", "f", "m", None]}
    released = {"age": ["20-29", "20-29", "31", "38"], "sex": ["*", "*", "m", None]}
    results = [compare_tables(make(original), make(released)) for make in (dict, pa.table, pd.DataFrame, pl.DataFrame)]
    assert results[0].losses == pytest.approx({"age": 2 / 3 / 4, "sex": 2 / 4})
    assert all(result == results[0] for result in results)


def test_categories_dates_and_whole_numbers_read_as_floats():
    original = pd.DataFrame({"n": [1, 2], "c": pd.Categorical(["u", "v"]), "d": pd.to_datetime(["2024-01-01"] * 2)})
    released = pd.DataFrame({"n": [1.0, None], "c": ["u", None], "d": original["d"]})
    assert compare_tables(original, released).losses == {"n": 0.5, "c": 0.5, "d": 0.0}


def test_a_dictionary_may_hold_null_and_texts_that_no_row_has():
    codes = pa.array([0, 1, None, 2], pa.int32())
    letters = pa.DictionaryArray.from_arrays(codes, pa.array(["a", None, "b", "unused"]))
    found = compare_tables({"letter": letters}, {"letter": ["a", None, None, "*"]})
    assert found.losses == {"letter": 0.25}  # three values: a, b and NULL
    assert found.suppressed == 1


def test_a_column_of_nothing_but_null_has_nothing_to_lose():
    found = compare_tables({"a": [None, None], "b": [1, 2]}, {"a": [None, None], "b": ["1-2", "1-2"]})
    assert found.losses == {"a": 0, "b": 1}
    assert found.suppressed == 0


def test_numbers_beside_ranges_in_one_python_list():
    assert compare_tables({"age": [20, 25, 31]}, {"age": ["20-25", "20-25", 31]}).loss == pytest.approx(1 / 3)


def test_a_hierarchy_counts_leaves_that_nobody_has():
    age = build("age", [str(i) for i in range(100)], Intervals((10,)))
    found = compare_tables({"age": [20, 25]}, {"age": ["20-29", "20-29"]}, hierarchies={"age": age})
    assert found.loss == pytest.approx(9 / 99)


def test_two_empty_tables_lose_nothing():
    found = compare_tables({"age": []}, {"age": []})
    assert (found.rows, found.loss, found.discernibility, found.kl_divergence) == (0, 0, 0, 0)


def test_a_release_without_rows_suppresses_them_all():
    found = compare_tables({"age": [1, 2]}, {"age": []})
    assert (found.suppressed, found.loss, found.discernibility) == (2, 1, 4)
    assert found.kl_divergence == pytest.approx(0, abs=1e-12)  # two different people of two: evenly is right


@pytest.mark.parametrize(
    ("original", "released", "options", "message"),
    [
        ({"age": [1]}, {"age": [1]}, {"quasi_identifiers": ["agee"]}, "original.agee: no such column; did you mean"),
        ({"age": [1]}, {"age": [1]}, {"quasi_identifiers": ["age"], "sensitive": "age"}, "more than once"),
        ({"age": [1]}, {"sex": [1]}, {}, "there are none to compare"),
        ({"age": [1]}, {"age": [1, 2]}, {}, "has 2 rows, the original only 1"),
        ({"age": [1, 2], "sex": [1]}, {"age": [1]}, {}, "can't be read as a table"),
        ([1, 2], {"age": [1]}, {}, "must be an Arrow, pandas or polars frame"),
        ({"age": [[1]]}, {"age": [1]}, {}, "original.age: can't be read as text"),
        ({"age": [1, 2]}, {"age": [1, "old"]}, {}, "no telling which values 'old' stand for"),
        (pa.table([[1], [2]], ["a", "a"]), {"a": [1]}, {"quasi_identifiers": ["a"]}, "2 columns have this name"),
        ({"n": ["Mars"]}, {"n": ["*"]}, {"hierarchies": {"n": build("n", [], NATIONS)}}, "'Mars' are not in"),
    ],
)
def test_what_can_not_be_compared_is_said_clearly(original, released, options, message):
    with pytest.raises(DataError, match=message):
        compare_tables(original, released, **options)
