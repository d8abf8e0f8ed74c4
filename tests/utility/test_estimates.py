"""What releases answer to COUNT queries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counts.groups import tally
from discreet.errors import PolicyError
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.utility import estimates as module
from discreet.utility.estimates import Leaves, estimates, estimates_generalized, number_line
from discreet.utility.queries import relative_error, true_counts, workload
from tests.patients import PATIENTS

# The eight patients of the ambiguity paper: age, gender, zip, disease; groups of four.
AGES = build("age", ["20", "45", "50", "60"], Flat())
ZIPS = build("zip", ["11000", "12000", "21000", "23000", "54000"], Flat())
DISEASES = build("disease", ["diabetes", "diarrhea", "dyspepsia", "flu", "leukemia", "stroke"], Flat())
GROUP = np.array([0, 0, 0, 0, 1, 1, 1, 1])


def disease_tally():
    value = np.array([DISEASES.index[p[3]] for p in PATIENTS], dtype=np.int32)
    return tally(GROUP, value, np.ones(8, dtype=np.int64), 2, np.bincount(value), DISEASES)


def at_least_45_with_stroke():
    return workload({"age": 4, "disease": 6}, [{"age": [1, 2, 3], "disease": [DISEASES.index["stroke"]]}])


def test_ages_20_to_60_answer_three_eighths_of_a_stroke():
    low, high = np.array([[0], [0]]), np.array([[3], [3]])
    found = estimates_generalized(
        at_least_45_with_stroke(), low, high, [4, 4], disease_tally(), widths=[number_line(AGES)]
    )
    assert found == pytest.approx([3 / 8])


def test_forty_ages_as_leaves_answer_the_same():
    ages = {"age": 40, "disease": 6}  # 20 to 59
    asked = workload(ages, [{"age": range(25, 40), "disease": [DISEASES.index["stroke"]]}])
    low, high = np.array([[0], [0]]), np.array([[39], [39]])
    assert estimates_generalized(asked, low, high, [4, 4], disease_tally()) == pytest.approx([3 / 8])


def published_sets(attribute, column, index):
    """One auxiliary table: the distinct values of each group."""
    sets = [sorted({index[p[column]] for p, g in zip(PATIENTS, GROUP, strict=True) if g == k}) for k in (0, 1)]
    leaves = np.concatenate(sets)
    return Leaves(attribute, np.arange(2), np.cumsum([0, *map(len, sets)]), leaves, leaves)


def test_sets_of_exact_values_answer_three_quarters_of_a_stroke():
    part = published_sets(0, 0, AGES.index)
    assert estimates(at_least_45_with_stroke(), [part], [4, 4], disease_tally()) == pytest.approx([3 / 4])


def test_shares_multiply_inside_a_group_and_add_over_groups():
    asked = workload(
        {"age": 4, "zip": 5, "disease": 6}, [{"age": [2, 3], "zip": [ZIPS.index["23000"]], "disease": [0]}]
    )
    parts = [published_sets(0, 0, AGES.index), published_sets(1, 2, ZIPS.index)]
    assert estimates(asked, parts, [4, 4], disease_tally()) == pytest.approx([7 / 18])


def test_the_last_number_alone_is_a_range_without_width_yet_counts():
    asked = workload({"age": 4}, [{"age": [3]}, {"age": [2]}])
    found = estimates_generalized(asked, np.array([[3]]), np.array([[3]]), [5], widths=[number_line(AGES)])
    assert found.tolist() == [5, 0]


def test_null_is_as_wide_as_the_narrowest_number():
    assert number_line(build("age", ["20", "45", "50", None], Flat())).tolist() == [25, 5, 0, 5]


def test_numbers_out_of_order_are_no_line():
    zigzag = build("age", ["9", "10"], Flat())
    zigzag = type(zigzag)("age", zigzag.rule, ("10", "9"), zigzag.codes, zigzag.labels)
    with pytest.raises(PolicyError, match="ascending"):
        number_line(zigzag)


@st.composite
def releases(draw):
    leaves = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    cell = st.tuples(*[st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).map(sorted) for n in leaves])
    groups = draw(st.lists(st.tuples(cell, st.lists(st.integers(0, 2), min_size=1, max_size=5)), max_size=6))
    one = st.fixed_dictionaries(
        {},
        optional={f"a{i}": st.sets(st.integers(0, n - 1)) for i, n in enumerate(leaves)}
        | {"s": st.sets(st.integers(0, 2))},
    )
    return leaves, groups, draw(st.lists(one, min_size=1, max_size=100))


@settings(deadline=None)  # the first call compiles
@given(releases(), st.booleans())
def test_estimates_equal_a_plain_loop(case, in_blocks):
    leaves, groups, asked = case
    ranges = np.array([cell for cell, _ in groups], dtype=np.int64).reshape(len(groups), len(leaves), 2)
    sizes = np.array([len(values) for _, values in groups], dtype=np.int64)
    owner = np.repeat(np.arange(len(groups)), sizes)
    values = np.array([v for _, each in groups for v in each], dtype=np.int32)
    sick = build("s", ["x", "y", "z"], Flat())
    t = tally(owner, values, np.ones(len(values), dtype=np.int64), len(groups), np.array([1, 1, 1]), sick)
    work = workload({f"a{i}": n for i, n in enumerate(leaves)} | {"s": 3}, asked)
    with pytest.MonkeyPatch.context() as patch:
        if in_blocks:
            patch.setattr(module, "_CELLS", 1)
        found = estimates_generalized(work, ranges[:, :, 0], ranges[:, :, 1], sizes, t)
    expected = []
    for query in asked:
        total = 0.0
        for cell, each in groups:
            product = float(sum("s" not in query or v in query["s"] for v in each))
            for i, (low, high) in enumerate(cell):
                if f"a{i}" in query:
                    product *= sum(leaf in query[f"a{i}"] for leaf in range(low, high + 1)) / (high - low + 1)
            total += product
        expected.append(total)
    assert found == pytest.approx(expected)


@settings(deadline=None)  # the first call compiles
@given(releases())
def test_groups_that_publish_exact_values_answer_exactly(case):
    leaves, groups, asked = case
    low = np.array([[a for a, _ in cell] for cell, _ in groups], dtype=np.int64).reshape(len(groups), len(leaves))
    sizes = np.array([len(values) for _, values in groups], dtype=np.int64)
    owner = np.repeat(np.arange(len(groups)), sizes)
    values = np.array([v for _, each in groups for v in each], dtype=np.int32)
    sick = build("s", ["x", "y", "z"], Flat())
    ones = np.ones(len(values), dtype=np.int64)
    t = tally(owner, values, ones, len(groups), np.array([1, 1, 1]), sick)
    work = workload({f"a{i}": n for i, n in enumerate(leaves)} | {"s": 3}, asked)
    actual = true_counts(work, [*low[owner].T, values], ones)
    assert estimates_generalized(work, low, low, sizes, t).tolist() == actual.tolist()
    assert relative_error(actual, actual).queries == (actual > 0).sum()
