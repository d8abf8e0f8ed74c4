"""Summaries from what a database keeps: as good as counting where it keeps everything, consistent where it does not."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.counts.structure import mutual_information
from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Cuts, Flat, Taxonomy
from discreet.summaries.build import network_from_pairs
from discreet.summaries.estimated import WHOLE, in_parts, table_in_parts
from discreet.summaries.statistics import fit, known_values, leaf_shares, statistics_summary, with_values
from tests.strategies import Table, tables
from tests.summaries.cases import PEOPLE, RULES, of_people, of_table
from tests.summaries.stated import column_statistics, stated


def rows_of(table: Table) -> list[tuple[str | None, ...]]:
    return list(zip(*zip(*table.rows, strict=True), *table.sensitive.values(), strict=True))


@given(table=tables(), width=st.integers(2, 3))
def test_complete_statistics_give_the_network_of_exact_counts(table: Table, width: int) -> None:
    """Also where pairs are told as parts of larger combinations."""
    found, hierarchies, sensitive = of_table(table)
    exact = network_from_pairs(found, hierarchies, sensitive)
    told = {mutual_information(pairs) for pairs in found.pairs.values()}
    assume(len(hierarchies) + 1 >= width)
    assume(all(abs(a - b) > 1e-9 for a, b in combinations(told, 2)) and len(told) == len(found.pairs))
    made = statistics_summary(stated(found.columns, rows_of(table), width=width), hierarchies, sensitive)
    assert made.rows == exact.rows
    assert made.edges == exact.edges
    for d in range(len(hierarchies)):
        assert made.marginal(d) == pytest.approx(exact.marginal(d), abs=1e-12)
    for node in table.nodes:
        assert made.likelihoods(node) == pytest.approx(exact.likelihoods(node), abs=1e-10)


@given(table=tables(), most=st.integers(1, 4), width=st.integers(2, 3), seen=st.sampled_from([None, 5]))
def test_whatever_is_kept_the_summary_is_consistent(table: Table, most: int, width: int, seen: int | None) -> None:
    found, hierarchies, sensitive = of_table(table)
    made = statistics_summary(stated(found.columns, rows_of(table), most, width, seen), hierarchies, sensitive)
    for (i, j), pairs in made.tables.items():
        assert (pairs >= 0).all()
        assert (pairs.sum(axis=1) == made.counts[i]).all()
        assert (pairs.sum(axis=0) == made.counts[j]).all()
    for node in table.nodes:
        assert made.likelihoods(node).sum() == pytest.approx(1.0, abs=1e-9)


def test_columns_that_nothing_is_known_of_together_are_independent() -> None:
    _, hierarchies, sensitive = of_people()
    statistics = stated(list(RULES), PEOPLE, width=5)
    made = statistics_summary(statistics, hierarchies, sensitive)
    assert made.edges == ()
    assert made.likelihoods((0, 1, 1))[0, 0] == pytest.approx(0.5 * 0.5)


def test_an_edge_must_tell_more_than_the_chance_of_a_sample() -> None:
    rows = [(a, b) for a in "xy" for b in "xy" for _ in range(25)] + [("x", "x")]
    hierarchies = [build(name, "xy", Flat()) for name in "ab"]
    assert statistics_summary(stated("ab", rows), hierarchies, {}).edges == (("a", "b"),)
    assert statistics_summary(stated("ab", rows, seen=50), hierarchies, {}).edges == ()


def test_other_rows_are_spread_between_the_bounds_of_a_histogram() -> None:
    values = ["5"] * 6 + ["1", "2", "8", "9"]
    kept = column_statistics(values, most=1)
    assert (kept.values, kept.bounds, kept.others) == (("5",), ("1", "9"), 4)
    statistics = stated(["n"], [(v,) for v in values], most=1)
    assert known_values(statistics, "n") == {"5": 6, "1": 2, "9": 2}
    wide = build("n", [*values, "7"], Cuts(((5,),)))
    assert dict(zip(wide.leaves, leaf_shares(statistics, wide).tolist(), strict=True)) == pytest.approx(
        {"1": 0.08, "2": 0.08, "5": 0.6, "7": 0.08, "8": 0.08, "9": 0.08}
    )


def test_leaves_of_a_taxonomy_that_are_not_kept_get_what_is_left() -> None:
    values = ["a"] * 6 + ["b", "c"]
    listed = build("n", (), Taxonomy({v: () for v in "abcd"}))
    rest = stated(["n"], [(v,) for v in values], most=1)
    assert leaf_shares(rest, listed).tolist() == pytest.approx([0.75, 0.25 / 3, 0.25 / 3, 0.25 / 3])
    complete = stated(["n"], [(v,) for v in values])
    assert leaf_shares(complete, listed).tolist() == [0.75, 0.125, 0.125, 0.0]


def test_values_that_were_met_later_have_their_rows_and_the_others_what_is_left() -> None:
    statistics = stated(["n"], [("a",)] * 6 + [("b",), ("c",)], most=1)
    met = with_values(statistics, 10, {"n": {"z": 2}})
    assert met.rows == 10
    assert met.columns["n"].values == ("a", "z")
    assert met.columns["n"].shares.tolist() == pytest.approx([0.75, 0.2])
    assert met.columns["n"].rest == pytest.approx(0.05)


@given(data=st.data())
def test_parts_add_up_to_the_whole(data: st.DataObject) -> None:
    share = st.floats(0, 1, allow_subnormal=False)
    shape = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    table = np.array(data.draw(st.lists(share, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])))
    table = table.reshape(shape)
    first, second = (
        np.array(data.draw(st.lists(share, min_size=n, max_size=n).filter(lambda s: sum(s) > 0.01))) for n in shape
    )
    rows, columns = in_parts(first), in_parts(second)
    assert rows.sum() == columns.sum() == WHOLE
    fitted = fit(table, first / first.sum(), second / second.sum())
    parts = table_in_parts(fitted, rows, columns)
    assert (parts >= 0).all()
    assert (parts.sum(axis=1) == rows).all()
    assert (parts.sum(axis=0) == columns).all()
