"""Counting by numbers, and those values by themselves that have none: the same on every engine, whatever the types."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.postgresql.engine import PostgreSQL
from discreet.engines.sql.coded_counts import CodedCounts, coded_counts
from tests.engines.tables import combinations, in_postgresql, random_tables
from tests.servers import Database


def told(found: CodedCounts) -> Counter[tuple[object, ...]]:
    """Combinations of numbers, or of values without one, and of the other column's values."""
    counted: Counter[tuple[object, ...]] = Counter()
    for i, n in enumerate(found.others.counts.tolist()):
        row: list[object] = []
        for numbers, values, codes in zip(found.numbers, found.unknown.values, found.unknown.codes, strict=True):
            row.append(int(numbers[i]) if numbers[i] >= 0 else values[codes[i]])
        row += [v[c[i]] for v, c in zip(found.others.values, found.others.codes, strict=True)]
        counted[tuple(row)] += n
    return counted


@settings(max_examples=25)
@given(table=random_tables(), data=st.data())
def test_every_engine_counts_the_rows_by_number_or_by_value(
    module_database: Database, table: pa.Table, data: st.DataObject
) -> None:
    engine, served = DuckDB(table), PostgreSQL(in_postgresql(module_database, table))
    columns = ["c0", "c1", "c2"]
    rows = combinations(engine.frequencies(columns))
    codes = {}
    for d, column in enumerate(columns[:2]):
        values = sorted({row[d] for row in rows} | {"strange"}, key=str)
        known = data.draw(st.lists(st.sampled_from(values), unique=True))
        codes[column] = {value: i // 2 for i, value in enumerate(known)}  # two values may have one number
    expected: Counter[tuple[object, ...]] = Counter()
    for row, n in rows.items():
        expected[(*(codes[c].get(v, v) for c, v in zip(codes, row, strict=False)), row[2])] += n
    for one in (engine, served):
        before = one.scans
        assert told(coded_counts(one, codes, ["c2"])) == expected
        assert one.scans == before + 1
