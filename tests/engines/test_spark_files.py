"""What Spark publishes: the rows that DuckDB publishes, in files that tell nothing else."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from discreet.engines.arrow import texts
from discreet.engines.base import Rewriting
from discreet.engines.counted_rows import CodedColumn, CountedRows
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.spark.engine import Spark
from discreet.errors import DataError
from tests.engines.spark_rows import assignment, counted, rewritten, rows_of

ODD = ["a`b", "a,b;{}()=\t", "new\nline"]


@pytest.mark.parametrize("shuffled", [True, False])
def test_rows_are_written_as_often_as_they_count(sail: Any, tmp_path: Path, shuffled: bool) -> None:
    engine = Spark(sail.sql("SELECT 1 AS a"))
    with engine.publishing(tmp_path, "parquet") as tables:
        name = tables.name("data")
        tables.write(name, counted(ODD), np.random.default_rng(1) if shuffled else None)
        assert name == "data.parquet"
        files = sorted(p.name for p in (tmp_path / name).iterdir())
        assert files == [f"part-{i:05}.parquet" for i in range(len(files))]
        found = parquet.read_table(tmp_path / name)
        assert found.column_names == [*ODD, "group"]
        assert rows_of(tmp_path / name) == {("x",) * 3 + (7,): 3, ("",) * 3 + (7,): 1, (None,) * 3 + (2**62,): 2}
        assert found.column("group").type == pa.int64()
        again = tables.open(name, [*ODD, "group"])
        assert again.grouped_frequencies(ODD, "group")[0].counts.sum() == 6
        assert set(tables.about(name)["parts"]) == set(files)
    if not shuffled:
        assert found.column("group").to_pylist() == [7, 7, 7, 7, 2**62, 2**62]


def test_no_rows_are_a_table_with_columns(sail: Any, tmp_path: Path) -> None:
    engine = Spark(sail.sql("SELECT 1 AS a"))
    rows = CountedRows((CodedColumn("a", np.array([], dtype=np.int32), texts(["x"])),), np.array([], dtype=np.int64))
    with engine.publishing(tmp_path, "parquet") as tables:
        tables.write("data.parquet", rows, np.random.default_rng(1))
        assert tables.open("data.parquet").frequencies(["a"]).counts.tolist() == []
    assert parquet.read_table(tmp_path / "data.parquet").column_names == ["a"]


EXACT = {
    "whole": (pa.array([5, None], pa.int32()), ["5"]),
    "double": (pa.array([1e20, None], pa.float64()), ["1e+20"]),
    "real": (pa.array([0.1, None], pa.float32()), ["0.1"]),
    "yes": (pa.array([True, None]), ["true"]),
    "day": (pa.array([date(2020, 1, 31), None]), ["2020-01-31"]),
    "moment": (
        pa.array([datetime(2020, 1, 31, 5, tzinfo=UTC), None], pa.timestamp("us", tz="UTC")),
        ["2020-01-31 05:00:00+00"],
    ),
    "clock": (pa.array([datetime(2020, 1, 31, 5, 0, 0, 500000), None], pa.timestamp("us")), ["2020-01-31 05:00:00.5"]),
    "money": (pa.array([Decimal("1.50"), None], pa.decimal128(9, 2)), ["1.50"]),
    "bytes": (pa.array([b"a\xff", None]), ["a\\xFF"]),
}


def test_exact_values_have_the_type_of_the_source_again(sail: Any, tmp_path: Path) -> None:
    parquet.write_table(pa.table({name: column for name, (column, _) in EXACT.items()}), tmp_path / "source.parquet")
    engine = Spark(tmp_path / "source.parquet", session=sail)
    columns = tuple(CodedColumn(c, np.array([0, 1]), texts(said), exact=True) for c, (_, said) in EXACT.items())
    before = sail.conf.get("spark.sql.parquet.outputTimestampType")
    with engine.publishing(tmp_path, "parquet") as tables:
        tables.write("data.parquet", CountedRows(columns, np.array([2, 1])), np.random.default_rng(1))
    found = parquet.read_table(tmp_path / "data.parquet")
    for name, (column, _) in EXACT.items():
        first, last = column.to_pylist()
        assert Counter(found.column(name).to_pylist()) == {first: 2, last: 1}
    assert DuckDB(tmp_path / "data.parquet").types == DuckDB(tmp_path / "source.parquet").types
    assert sail.conf.get("spark.sql.parquet.outputTimestampType") == before


def test_rows_are_rewritten_by_their_combination(sail: Any, tmp_path: Path) -> None:
    table = pa.table({"k": [1.5, -0.0, None, 1.5], "other": ["a", "b", None, "a"], "f": [1e20, 2.5, None, 1e20]})
    parts = assignment(
        [("1.5", 0, 0, 2, True, "1-2", 5), ("-0", 1, 0, 1, False, None, 0), (None, 2, 0, 1, True, None, 6)]
    )
    for star in (False, True):
        r = Rewriting(parts, ["k"], ["k", "other", "f", "group"], {"k": 0, "group": 1}, 3, star)
        found = rewritten(Spark(sail.createDataFrame(table)), tmp_path / f"s{star}", r)
        expected = rewritten(DuckDB(table), tmp_path / f"d{star}", r)
        assert found == expected
        assert sum(found.values()) == 3 + star


def test_a_row_without_a_plan_is_never_dropped_in_silence(sail: Any, tmp_path: Path) -> None:
    engine = Spark(sail.createDataFrame(pa.table({"k": ["a", "b"], "other": ["x", "y"]})))
    parts = [("a", 0, 0, 1, True, "a", 1)]
    for i, pieces in enumerate([parts, [*parts, ("b", 1, 0, 0, True, "b", 1), ("b", 1, 1, 2, True, "b", 1)]]):
        r = Rewriting(assignment(pieces), ["k"], ["k", "other"], {"k": 0}, 3)
        before = {view.name for view in sail.catalog.listTables()}
        with pytest.raises(DataError, match="has different rows from when it was counted"):
            rewritten(engine, tmp_path / str(i), r)
        assert not {view.name for view in sail.catalog.listTables()} - before  # no copy of the plan stays


@settings(max_examples=5)
@given(rows=st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.integers(0, 9)), min_size=1), data=st.data())
def test_equal_rows_go_to_the_same_groups_on_every_engine(
    sail: Any, tmp_path_factory: pytest.TempPathFactory, rows: list[Any], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("split")
    table = pa.table(
        {"k": pa.array([k for k, _ in rows], pa.string()), "n": [n for _, n in rows], "f": [n / 8 for _, n in rows]}
    )
    pieces: list[Any] = []
    for number, (key, size) in enumerate(Counter(k for k, _ in rows).items()):
        cut = data.draw(st.integers(0, size))
        pieces.append((key, number, 0, cut, True, key, 2 * number))
        pieces.append((key, number, cut, size, data.draw(st.booleans()), key, 2 * number + 1))
    pieces = [p for p in pieces if p[3] > p[2]]
    seed = data.draw(st.integers(0, 2**62))
    sort = data.draw(st.sampled_from([(), ("group",)]))
    r = Rewriting(assignment(pieces), ["k"], ["k", "n", "f", "group"], {"k": 0, "group": 1}, seed, sorted_by=sort)
    found = rewritten(Spark(sail.createDataFrame(table)), folder / "spark", r)
    assert found == rewritten(DuckDB(table), folder / "duckdb", r)


def test_sorted_rows_stand_in_order(sail: Any, tmp_path: Path) -> None:
    table = pa.table({"k": ["a", "b"] * 5, "other": [str(i) for i in range(10)]})
    parts = assignment([("a", 0, 0, 5, True, "y", 2), ("b", 1, 0, 5, True, "x", 1)])
    r = Rewriting(parts, ["k"], ["other", "group"], {"group": 1}, 3, sorted_by=["group"])
    rewritten(Spark(sail.createDataFrame(table)), tmp_path / "out", r)
    found = parquet.read_table(tmp_path / "out" / "data.parquet")
    assert found.to_pylist() == sorted(found.to_pylist(), key=lambda row: (row["group"], row["other"]))


def test_nothing_but_data_is_left_in_a_folder(sail: Any, tmp_path: Path) -> None:
    from discreet.engines.spark.publishing import WrittenParts

    made = tmp_path / "data.parquet"
    (made / "_temporary" / "0").mkdir(parents=True)
    for name in ("_SUCCESS", "._SUCCESS.crc", ".part-00001-uuid.parquet.crc", "part-00001-uuid.parquet"):
        (made / name).touch()
    WrittenParts(tmp_path, Spark(sail.sql("SELECT 1 AS a")))._tidy(made, None)
    assert [p.name for p in made.iterdir()] == ["part-00000.parquet"]


def test_a_folder_that_spark_would_take_for_others_is_refused(sail: Any, tmp_path: Path) -> None:
    engine = Spark(sail.sql("SELECT 1 AS a"))
    (tmp_path / "w*").mkdir()
    with engine.publishing(tmp_path / "w*", "parquet") as tables, pytest.raises(DataError, match="pattern for other"):
        tables.write("data.parquet", counted(["a"]), None)
