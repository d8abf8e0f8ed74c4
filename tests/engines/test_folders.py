"""A folder of Parquet files is a table, as Spark and others write it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from discreet.engines.duckdb.engine import DuckDB
from discreet.errors import DataError


def write(folder: Path, parts: dict[str, pa.Table]) -> Path:
    folder.mkdir()
    for name, part in parts.items():
        parquet.write_table(part, folder / name)
    return folder


def test_the_files_of_a_folder_are_one_table(tmp_path: Path) -> None:
    parts = {"part-00000.parquet": pa.table({"a": ["x", None]}), "part-00001.parquet": pa.table({"a": ["x"]})}
    folder = write(tmp_path / "data.parquet", parts)
    (folder / "_SUCCESS").touch()
    (folder / ".part-00000.parquet.crc").touch()
    found = DuckDB(folder).frequencies(["a"])
    assert dict(zip([found.values[0][c] for c in found.codes[0]], found.counts.tolist(), strict=True)) == {
        "x": 2,
        None: 1,
    }


def test_a_folder_whose_name_has_signs_for_other_files_is_read(tmp_path: Path) -> None:
    folder = write(tmp_path / "w[1] *?.parquet", {"it's.parquet": pa.table({"a": ["x"]})})
    write(tmp_path / "w1 ab.parquet", {"it's.parquet": pa.table({"a": ["y"]})})
    assert DuckDB(folder).frequencies(["a"]).values == (("x",),)


def test_a_folder_without_parquet_files_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder without Parquet files, not a table"):
        DuckDB(tmp_path)


def test_files_with_different_columns_are_not_one_table(tmp_path: Path) -> None:
    for i, other in enumerate([{"a": ["y"], "name": ["Ann"]}, {"b": ["y"]}]):
        folder = write(tmp_path / str(i), {"0.parquet": pa.table({"a": ["x"]}), "1.parquet": pa.table(other)})
        with pytest.raises(DataError, match="Parquet files with different columns"):
            DuckDB(folder)


def test_a_file_that_is_broken_is_told_with_the_folder(tmp_path: Path) -> None:
    folder = write(tmp_path / "data", {"0.parquet": pa.table({"a": ["x"]})})
    (folder / "1.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(DataError, match="is not a whole Parquet file"):
        DuckDB(folder).frequencies(["a"])
