"""Mondrian, judged row by row."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet
from discreet.errors import DiscreetError, Infeasible
from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Flat, Intervals, Taxonomy
from discreet.models.base import PrivacyModel
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.multidimensional.partition import cover
from discreet.search.plan import Problem
from tests.search.multidimensional import (
    Fragile,
    check,
    frequencies,
    loss,
    mergeable_promises,
    one_group_holds,
    same,
)


def frequency_of(**columns: tuple[object, list[str | None]]) -> FrequencySet:
    """A table from its columns, each with the rule of its hierarchy; every row is a combination of its own."""
    hierarchies = [build(name, values, rule) for name, (rule, values) in columns.items()]
    codes = [
        np.array([h.index[v] for v in values], dtype=np.int32)
        for h, (_, values) in zip(hierarchies, columns.values(), strict=True)
    ]
    return FrequencySet(tuple(hierarchies), tuple(codes), {}, {}, np.ones(len(codes[0]), dtype=np.int64))


@given(frequencies(), mergeable_promises())
def test_every_group_holds_and_every_row_is_placed_once(
    frequency: FrequencySet, models: tuple[PrivacyModel, ...]
) -> None:
    problem = Problem(frequency, models)
    if one_group_holds(frequency, models):
        check(mondrian(problem), models)
    else:
        with pytest.raises(Infeasible) as failed:
            mondrian(problem)
        assert failed.value.witness is not None
        assert failed.value.witness.size == frequency.rows


@given(frequencies(max_rows=40), st.integers(2, 4))
def test_equal_combinations_are_never_parted(frequency: FrequencySet, k: int) -> None:
    if frequency.rows < k:
        return
    plan = mondrian(Problem(frequency, (KAnonymity(k),)))
    groups = defaultdict(set)
    for row, group in zip(plan.row.tolist(), plan.group.tolist(), strict=True):
        groups[tuple(codes[row] for codes in frequency.codes)].add(group)
    assert all(len(found) == 1 for found in groups.values())


@given(frequencies(max_rows=30), st.integers(2, 4))
def test_the_same_table_is_cut_the_same_way(frequency: FrequencySet, k: int) -> None:
    if frequency.rows < k:
        return
    problem = Problem(frequency, (KAnonymity(k),))
    assert same(mondrian(problem), mondrian(problem))


def test_numbers_are_cut_at_the_median() -> None:
    frequency = frequency_of(age=(Intervals((10,)), ["20", "21", "22", "60", "61", "62"]))
    plan = mondrian(Problem(frequency, (KAnonymity(3),)))
    assert list(zip(plan.low[:, 0], plan.high[:, 0], strict=True)) == [(0, 2), (3, 5)]


def test_a_node_is_cut_into_its_children() -> None:
    paths = {"a": ("x",), "b": ("x",), "c": ("y",), "d": ("y",)}
    plan = mondrian(Problem(frequency_of(letter=(Taxonomy(paths), ["a", "b", "c", "d"])), (KAnonymity(2),)))
    assert list(zip(plan.low[:, 0], plan.high[:, 0], strict=True)) == [(0, 1), (2, 3)]


def test_a_rare_value_does_not_forbid_the_whole_cut() -> None:
    frequency = frequency_of(letter=(Flat(), ["a", "a", "b", "b", "b", "c"]))
    plan = mondrian(Problem(frequency, (KAnonymity(2),)))
    assert sorted(plan.groups.sizes.tolist()) == [3, 3]  # b alone; c with a, the smallest that holds
    assert loss(plan) == pytest.approx(0.5)


def test_null_has_a_place_of_its_own() -> None:
    frequency = frequency_of(age=(Intervals((10,)), ["20", "20", None, None]))
    plan = mondrian(Problem(frequency, (KAnonymity(2),)))
    assert loss(plan) == 0
    assert plan.groups.sizes.tolist() == [2, 2]


def test_a_table_without_rows_has_a_plan_without_groups() -> None:
    hierarchy = build("age", ["20"], Intervals((10,)))
    nothing = np.empty(0, dtype=np.int32)
    frequency = FrequencySet((hierarchy,), (nothing,), {}, {}, np.empty(0, dtype=np.int64))
    plan = mondrian(Problem(frequency, (KAnonymity(2),)))
    assert len(plan.low) == len(plan.row) == 0


def test_one_row_alone_cannot_be_hidden() -> None:
    with pytest.raises(Infeasible, match=r"the table has 1 row, and no group has more.*a group of 1 row reaches 1"):
        mondrian(Problem(frequency_of(age=(Intervals((10,)), ["20"])), (KAnonymity(2),)))


def test_promises_that_break_by_merging_are_named() -> None:
    frequency = frequency_of(age=(Intervals((10,)), ["20"]))
    with pytest.raises(DiscreetError, match="survive merging two groups; 3-anonymity may break"):
        mondrian(Problem(frequency, (KAnonymity(2), Fragile(3))))


@given(frequencies())
def test_covering_many_ranges_is_covering_each(frequency: FrequencySet) -> None:
    for h in frequency.hierarchies:
        n = len(h.leaves)
        low, high = (a.astype(np.int32) for a in np.triu_indices(n))
        first, last = cover(h, low, high)
        each = [h.cover(a, b) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
        assert list(zip(first.tolist(), last.tolist(), strict=True)) == each
