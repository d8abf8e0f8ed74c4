"""Parquet files and frames in memory: every type, NULLs, extremes; never modified."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from discreet.engines.duckdb.engine import DuckDB
from discreet.errors import DataError
from tests.engines.tables import COLUMNS, rows_of


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("stored", [True, False])
def test_every_type_has_a_text_of_its_own(tmp_path: Path, kind: str, stored: bool) -> None:
    values, texts = COLUMNS[kind]
    table = pa.table({"v": values})
    if stored:
        parquet.write_table(table, tmp_path / "t.parquet")
    assert rows_of(tmp_path / "t.parquet" if stored else table) == Counter((t,) for t in texts)


@pytest.mark.parametrize("kind", [k for k in COLUMNS if k not in ("nothing", "list")])
def test_what_is_written_in_its_own_type_is_what_was_read(kind: str) -> None:
    values, texts = COLUMNS[kind]
    engine = DuckDB(pa.table({"v": values}))
    again = engine.typed("v", pa.array([t for t in texts if t is not None]))
    assert list(map(repr, again.to_pylist())) == [repr(v.as_py()) for v in values if v.is_valid] or kind == "moment"


def test_frames_of_all_kinds_say_the_same_and_stay_as_they_are() -> None:
    columns = {"a": [1, 2, 2], "b": ["x", None, ""]}
    expected = {("1", "x"): 1, ("2", None): 1, ("2", ""): 1}
    pandas_frame, polars_frame, arrow_frame = pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)
    before = pandas_frame.copy(deep=True), polars_frame.clone(), pa.table(columns)
    for frame in (columns, pandas_frame, polars_frame, arrow_frame, arrow_frame.to_reader()):
        assert rows_of(frame) == expected
    pd.testing.assert_frame_equal(pandas_frame, before[0])
    assert polars_frame.equals(before[1])
    assert arrow_frame.equals(before[2])


def test_the_index_of_a_frame_is_never_a_column() -> None:
    assert DuckDB(pd.DataFrame({"a": [1, 2]}, index=["Ann", "Bob"])).columns == ("a",)


def test_categories_are_texts() -> None:
    frame = pd.DataFrame({"a": pd.Categorical(["x", "y", "x"], categories=["z", "y", "x"])})
    assert rows_of(frame) == {("x",): 2, ("y",): 1}
    assert rows_of(pl.DataFrame({"a": ["x", "y", "x"]}, schema={"a": pl.Categorical})) == {("x",): 2, ("y",): 1}


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1, "Ann-Smith"]}),
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        {"a": [1, "Ann-Smith"]},
        {"a": [1, 2], "b": [1]},
        pa.table([pa.array([1]), pa.array([2])], names=["a", "A"]),
        pa.table({"a": pa.array([1.5], pa.float16())}),
        [("Ann-Smith", 3)],
        3,
    ],
    ids=["mixed types", "twin columns", "mixed dict", "lengths", "case", "half floats", "list", "number"],
)
def test_frames_that_are_no_tables_are_refused_without_a_value(frame: object) -> None:
    with pytest.raises(DataError) as caught:
        rows_of(frame)
    assert "Ann-Smith" not in str(caught.value)


def test_a_parquet_file_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"a": list(range(1000))}), path)
    content = path.read_bytes()
    for cut in (0, 3, 100, len(content) - 1):
        path.write_bytes(content[:cut])
        with pytest.raises(DataError, match="not a whole Parquet file"):
            rows_of(path)


def test_parquet_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    table = pa.table([pa.array([1]), pa.array([2])], names=["a", "A"])
    parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(DataError, match="same name"):
        DuckDB(tmp_path / "t.parquet")


def test_parquet_in_a_folder_called_like_a_partition_has_no_further_column(tmp_path: Path) -> None:
    (tmp_path / "year=2024").mkdir()
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "year=2024" / "t.parquet")
    assert DuckDB(tmp_path / "year=2024" / "t.parquet").columns == ("a",)


def test_a_wide_table_is_profiled_as_a_narrow_one(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table(
        {
            "text": ["x", "", None, "x", "y\n"],
            "whole": pa.array([1, None, 3, 1, 2], pa.int64()),
            "float": [0.0, -0.0, float("nan"), None, 1.5],
            "nothing": pa.nulls(5, pa.string()),
            "day": pa.array([None, 1, 1, 2, 3], pa.date32()),
            "many": [str(i) for i in range(5)],
        }
    )
    empty = table.slice(0, 0)
    narrow = [DuckDB(source).profile() for source in (table, empty)]
    monkeypatch.setattr("discreet.engines.duckdb.engine._NARROW", 2)
    assert [DuckDB(source).profile() for source in (table, empty)] == narrow
