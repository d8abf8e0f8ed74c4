"""A database of DuckDB serves one table after the other, and no table hears of the one before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.engines.duckdb import databases
from discreet.engines.duckdb.databases import Database
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.memory import limit_in_bytes


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    databases._idle.clear()


def test_one_is_kept_for_the_next_and_no_more_than_two_at_once() -> None:
    first = Database()
    kept = first._kept
    assert Database()._kept is not kept  # nobody shares one
    del first
    assert kept in databases._idle
    several = [Database() for _ in range(3)]
    assert kept in [database._kept for database in several] and not databases._idle
    several.clear()
    assert len(databases._idle) == 2


def test_a_table_beside_another_keeps_its_database_alive() -> None:
    table = DuckDB(pa.table({"a": ["x"]}))
    beside = DuckDB(pa.table({"a": ["y"]}), beside=table)
    folder = table._folder
    del table
    assert not databases._idle and folder.exists()
    assert [cells.to_pylist() for cells in beside.ask_in_order("a").columns] == [["y"]]
    del beside
    assert len(databases._idle) == 1 and not folder.exists()


def test_nothing_of_a_table_is_left_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCREET_MEMORY", "300MB")
    table = DuckDB.keeping({"secret": "VARCHAR"}, [pa.RecordBatch.from_pydict({"secret": ["flu"]})])
    assert table.profile()[0].distinct == 1
    list(table.rows(["secret"], [{}], in_order=True))
    assert table._connection.sql("SELECT count(*) FROM duckdb_tables()").fetchall() != [(0,)]
    kept = table._database._kept
    del table
    monkeypatch.delenv("DISCREET_MEMORY")
    other = DuckDB(pa.table({"a": ["x"]}))
    assert other._database._kept is kept
    views = "duckdb_views() WHERE NOT internal AND view_name <> 'frame'"
    for found in ("duckdb_tables()", "duckdb_temporary_files()", views):
        assert other._connection.sql(f"SELECT count(*) FROM {found}").fetchall() == [(0,)], found
    fresh = duckdb.connect()
    fresh.execute("SET memory_limit = '50%'")
    assert limit_in_bytes(other._connection) == limit_in_bytes(fresh)
    threads = "SELECT current_setting('threads')"
    assert other._connection.sql(threads).fetchall() == fresh.sql(threads).fetchall()
    with pytest.raises(duckdb.CatalogException):
        other._connection.sql("SELECT * FROM profiled")


def test_a_file_that_is_another_one_now_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    for value in ("a", "b", "c"):  # of the same length, and in the same moment
        pq.write_table(pa.table({"v": [value] * 4}), path)
        os.utime(path, (1_000_000_000, 1_000_000_000))
        assert DuckDB(path).ask_in_order("v").column(0).to_pylist() == [value] * 4
        assert len(databases._idle) == 1


def test_one_that_has_spilled_is_closed() -> None:
    database = Database()
    connection = database.connect()
    connection.execute("SET memory_limit = '60MB'")
    connection.execute("CREATE TEMP TABLE t AS SELECT range AS a, hash(range) AS b FROM range(8000000)")
    assert list(database.folder.glob("duckdb_temp*"))
    folder = database.folder
    del connection, database
    assert not databases._idle and not folder.exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_has_databases_of_its_own() -> None:
    program = """
import os, sys
from discreet.engines.duckdb import databases
from discreet.engines.duckdb.engine import DuckDB
DuckDB({"a": ["x"]})
assert databases._idle
child = os.fork()
assert not databases._idle
assert len(DuckDB({"a": ["x", "y"]}).frequencies(["a"]).counts) == 2
if child == 0:
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stderr) == (0, "")
