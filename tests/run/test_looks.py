"""Looks at a table: each an aggregate query, no finer than asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.rows import OneOf, Rows
from discreet.errors import DataError
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import Value
from discreet.hierarchies.rules import Taxonomy
from discreet.run.looks import EstimatedLooks, Looks, Surprised, shared_out
from tests.models.cases import ATTRIBUTE
from tests.strategies import Table, tables


def looks(table: Table) -> Looks:
    frequency = table.frequency()
    columns = dict(zip(frequency.attributes, zip(*table.rows, strict=True), strict=True)) | dict(table.sensitive)
    engine = DuckDB({name: list(values) for name, values in columns.items()})
    leaf_rows = tuple(frequency.rows_by_leaf(d) for d in range(len(frequency.hierarchies)))
    return Looks(engine, frequency.hierarchies, frequency.sensitive_hierarchies, leaf_rows)


def with_text(table: Table) -> bool:
    """A column of nothing but NULL has no type that texts could be compared with."""
    return all(any(v is not None for v in column) for column in zip(*table.rows, strict=True))


@given(table=tables().filter(with_text), data=st.data())
def test_a_look_counts_the_rows_as_the_node_would_publish_them(table: Table, data: st.DataObject) -> None:
    node = data.draw(st.sampled_from(table.nodes))
    looking = looks(table)
    found = looking.at_node(node)
    expected = Counter(zip(table.generalized(node), table.sensitive[ATTRIBUTE], strict=True))
    seen: Counter[object] = Counter()
    for i, count in enumerate(found.counts.tolist()):
        shown = []
        for h, level, codes in zip(found.hierarchies, node, found.codes, strict=True):
            code = h.codes[level][codes[i]]
            assert codes[i] == h.first[level][code]
            shown.append(frozenset(h.leaves[h.first[level][code] : h.last[level][code] + 1]))
        value = found.sensitive_hierarchies[ATTRIBUTE].leaves[found.sensitive[ATTRIBUTE][i]]
        seen[tuple(shown), value] += count
    assert seen == expected
    assert len(seen) == len(found.counts)
    assert looking.engine.scans == 1


@given(table=tables(max_attributes=2).filter(with_text), data=st.data())
def test_boxes_are_told_apart_and_nothing_else(table: Table, data: st.DataObject) -> None:
    looking = looks(table)
    ranges = []
    for h in looking.hierarchies:
        ends = st.integers(0, len(h.leaves) - 1)
        ranges.append(data.draw(st.lists(st.tuples(ends, ends).map(sorted), min_size=2, max_size=2)))
    low = np.array([[r[b][0] for r in ranges] for b in range(2)], dtype=np.int32)
    high = np.array([[r[b][1] for r in ranges] for b in range(2)], dtype=np.int32)
    found, exact = looking.in_boxes(low, high), table.frequency()

    def inside(codes: tuple[np.ndarray, ...], counts: np.ndarray, box: int) -> int:
        within = np.ones(len(counts), dtype=bool)
        for d, c in enumerate(codes):
            within &= (c >= low[box, d]) & (c <= high[box, d])
        return int(counts[within].sum())

    for box in range(2):
        assert inside(found.codes, found.counts, box) == inside(exact.codes, exact.counts, box)


def test_the_leaves_of_a_coarse_look_are_still_counted_exactly() -> None:
    table = Table(({"a": ("x",), "b": ("x",), "c": ("y",)},), (("a",), ("b",), ("b",), ("c",)))
    looking = looks(table)
    found = looking.at_node((1,))
    assert found.counts.tolist() == [3, 1]
    assert found.rows_by_leaf(0).tolist() == [1, 2, 1]


def test_values_that_nobody_told_of_are_refused() -> None:
    table = Table(({"a": (), "b": ()},), (("a",), ("b",)))
    looking = replace(looks(table), engine=DuckDB({"q0": ["a", "z"]}))
    with pytest.raises(DataError, match="does not know"):
        looking.at_node((0,))


def estimated(table: Table, unknown: set[Value], expected: int | None = None) -> EstimatedLooks:
    """Looks by somebody who does not know some of the values."""
    looking = looks(table)
    known = [
        build(h.attribute, (), Taxonomy({v: path for v, path in paths.items() if v not in unknown}))
        for h, paths in zip(looking.hierarchies, table.paths, strict=True)
    ]
    rows = tuple(np.ones(len(h.leaves), dtype=np.int64) for h in known)
    return EstimatedLooks(looking.engine, tuple(known), looking.sensitive, rows, expected=expected)


@given(table=tables().filter(with_text), data=st.data())
def test_a_look_by_estimates_sees_what_any_look_sees(table: Table, data: st.DataObject) -> None:
    node = data.draw(st.sampled_from(table.nodes))
    looking = estimated(table, set(), len(table.rows))
    found, exact = looking.at_node(node), looks(table).at_node(node)
    for one, other in zip((*found.codes, found.counts), (*exact.codes, exact.counts), strict=True):
        assert one.tolist() == other.tolist()
    assert looking.engine.scans == 1
    for d, (h, level) in enumerate(zip(found.hierarchies, node, strict=True)):
        counted = (np.bincount(h.codes[level], f.rows_by_leaf(d)).tolist() for f in (found, exact))
        assert next(counted) == next(counted)


@given(table=tables().filter(with_text), data=st.data())
def test_unknown_values_are_told_by_the_look_that_meets_them_and_it_serves_once_they_are_known(
    table: Table, data: st.DataObject
) -> None:
    """What was seen is not looked at again: neither the same node nor a coarser one."""
    leaves = sorted({v for row in table.rows for v in row}, key=str)
    unknown = set(data.draw(st.lists(st.sampled_from(leaves), min_size=1, unique=True)))
    assume(all(set(paths) - unknown for paths in table.paths))
    node = data.draw(st.sampled_from(table.nodes))
    looking = estimated(table, unknown)
    met = {
        f"q{d}": {v: n for v, n in Counter(column).items() if v in unknown}
        for d, column in enumerate(zip(*table.rows, strict=True))
    }
    with pytest.raises(Surprised) as caught:
        looking.at_node(node)
    assert caught.value.unknown == {name: values for name, values in met.items() if values}
    assert looking.engine.scans == 1
    whole = looks(table)
    again = EstimatedLooks(looking.engine, whole.hierarchies, whole.sensitive, whole.leaf_rows, seen=caught.value.seen)
    coarser = tuple(data.draw(st.integers(level, h.height)) for level, h in zip(node, whole.hierarchies, strict=True))
    for asked in (node, coarser):
        found, exact = again.at_node(asked), whole.at_node(asked)
        for one, other in zip((*found.codes, found.counts), (*exact.codes, exact.counts), strict=True):
            assert one.tolist() == other.tolist()
    assert looking.engine.scans == 1


def test_another_number_of_rows_than_expected_is_told_where_it_matters() -> None:
    table = Table(({"a": (), "b": ()},), (("a",), ("b",)))
    assert estimated(table, set()).at_node((0,)).rows == 2
    with pytest.raises(Surprised) as caught:
        estimated(table, set(), expected=3).at_node((0,))
    assert (caught.value.seen.rows, caught.value.unknown) == (2, {})


def test_an_unexpectedly_empty_table_is_refused() -> None:
    table = Table(({"a": (), "b": ()},), (("a",),))
    empty = DuckDB({"q0": ["a"]}).only(Rows((OneOf("q0", ("b",)),)))
    with pytest.raises(DataError, match="no rows"):
        replace(estimated(table, set()), engine=empty).at_node((0,))


@given(data=st.data())
def test_rows_are_shared_out_in_whole_and_none_is_lost(data: st.DataObject) -> None:
    leaves = data.draw(st.integers(1, 8))
    stands_for = np.sort(np.array(data.draw(st.lists(st.integers(0, leaves - 1), min_size=leaves, max_size=leaves))))
    expected = np.array(data.draw(st.lists(st.integers(0, 9), min_size=leaves, max_size=leaves)))
    total = np.array(data.draw(st.lists(st.integers(0, 99), min_size=leaves, max_size=leaves)), dtype=np.float64)
    total[np.setdiff1d(np.arange(leaves), stands_for)] = 0
    rows = shared_out(total, stands_for, expected)
    assert (rows >= 0).all()
    assert np.bincount(stands_for, rows, leaves).tolist() == total.tolist()
