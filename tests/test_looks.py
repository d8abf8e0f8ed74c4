"""Looks at a table: each an aggregate query, no finer than asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.engines.duckdb import DuckDB
from discreet.errors import DataError
from discreet.looks import Looks
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
