"""Spark itself, in Java: what differs from pysail, CSV files, sessions of our own, and a cluster."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from discreet.engines.arrow import texts
from discreet.engines.base import Rewriting, TooManyCombinations
from discreet.engines.counted_rows import CodedColumn, CountedRows
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.spark.engine import Spark
from discreet.errors import DataError
from tests.engines.spark_rows import EVERY, assignment, counted, rewritten, rows_of, told, told_rows


@pytest.fixture
def strange(spark: Any) -> Iterator[Any]:
    """A session with settings that change what values, texts and names look like."""
    odd = {
        "spark.sql.session.timeZone": "America/New_York",
        "spark.sql.ansi.enabled": "false",
        "spark.sql.parser.escapedStringLiterals": "true",
        "spark.sql.caseSensitive": "true",
    }
    before = {name: spark.conf.get(name) for name in odd}
    for name, value in odd.items():
        spark.conf.set(name, value)
    yield spark
    assert {name: spark.conf.get(name) for name in odd} == odd
    for name, value in before.items():
        spark.conf.set(name, value)


def test_values_of_every_type_are_the_same_with_any_settings(strange: Any, tmp_path: Path) -> None:
    parquet.write_table(EVERY, tmp_path / "every.parquet")
    engine, duckdb = Spark(tmp_path / "every.parquet", session=strange), DuckDB(tmp_path / "every.parquet")
    columns = EVERY.column_names
    assert all(spark_kind in engine.types.values() for spark_kind in ("timestamp", "timestamp_ntz", "decimal(20,12)"))
    assert told(engine.frequencies(columns)) == told(duckdb.frequencies(columns))
    codes = {c: {v: i for i, v in enumerate(duckdb.frequencies([c]).values[0])} for c in columns if c != "bytes"}
    assert told(engine.coded(codes).frequencies(columns)) == told(duckdb.coded(codes).frequencies(columns))
    assert told_rows(engine.sample(columns, 5, 7).found) == told_rows(duckdb.sample(columns, 5, 7).found)


def test_pairs_are_counted_alike(spark: Any) -> None:
    table = pa.table({"a": ["x", None, "x", ""], "b": ["1", "2", "1", None]})
    found, expected = (
        engine.pair_counts(["a", "b"]) for engine in (Spark(spark.createDataFrame(table)), DuckDB(table))
    )
    for counts in (found, expected):
        assert int(counts.pairs[0, 1][counts.values[0].index("x"), counts.values[1].index("1")]) == 2
    assert sorted(found.singles[0].tolist()) == sorted(expected.singles[0].tolist())


def test_texts_with_a_collation_are_told_apart(spark: Any) -> None:
    engine = Spark(spark.sql("SELECT v COLLATE UTF8_LCASE AS v FROM VALUES ('a'), ('A'), ('a') AS t(v)"))
    assert told(engine.frequencies(["v"])) == {("a",): 2, ("A",): 1}
    assert told(engine.coded({"v": {"a": 1}}).frequencies(["v"])) == {("1",): 2, (None,): 1}


def test_too_many_combinations_stay_where_they_are(spark: Any) -> None:
    with pytest.raises(TooManyCombinations):
        Spark(spark.sql("SELECT id FROM range(9)"), limit=8).frequencies(["id"])


def test_releases_are_written_alike(spark: Any, tmp_path: Path) -> None:
    table = pa.table({"k": ["a", None] * 3, "n": [1.0, 2.0, 3.0, 4.0, 1e20, -0.0]})
    pieces = [("a", 0, 0, 1, True, "x", 1), ("a", 0, 1, 3, False, "x", 2), (None, 1, 0, 3, True, None, 3)]
    for star in (False, True):
        r = Rewriting(assignment(pieces), ["k"], ["k", "n", "group"], {"k": 0, "group": 1}, 5, star)
        found = rewritten(Spark(spark.createDataFrame(table)), tmp_path / f"spark{star}", r)
        assert found == rewritten(DuckDB(table), tmp_path / f"duckdb{star}", r)
    with Spark(spark.createDataFrame(table)).publishing(tmp_path, "parquet") as tables:
        tables.write("data.parquet", counted(["a`b", "a,b;{}()=\t"]), np.random.default_rng(1))
        assert tables.open("data.parquet").frequencies(["group"]).counts.sum() == 6
    files = sorted(p.name for p in (tmp_path / "data.parquet").iterdir())
    assert files == [f"part-{i:05}.parquet" for i in range(len(files))]


def test_moments_are_moments_to_other_readers(spark: Any, tmp_path: Path) -> None:
    engine = Spark(spark.sql("SELECT timestamp'2020-01-31 05:00:00Z' AS moment"))
    column = CodedColumn("moment", np.array([0]), texts(["2020-01-31 05:00:00+00"]), exact=True)
    with engine.publishing(tmp_path, "parquet") as tables:
        tables.write("data.parquet", CountedRows((column,), np.array([2])))
    assert rows_of(tmp_path / "data.parquet") == {(datetime(2020, 1, 31, 5, tzinfo=UTC),): 2}


CSV = {
    "ends": b'a,b,c\r\n"",,x\r\n" y ", z,"q""u\r\no"\r\nNULL,\xc3\xa4\\,"\\"\r\n,,\r\n',
    "blank": b"\n\na;b\n\n1;2\n\n",
    "bare": b"1,2,3\n4,,6\n",
    "mark": b'\xef\xbb\xbfa\tb\n1\t"2"\n',
}


def test_csv_files_are_read_as_duckdb_reads_them(spark: Any, tmp_path: Path) -> None:
    for name, content in CSV.items():
        path = tmp_path / f"{name}.csv"
        path.write_bytes(content)
        engine, duckdb = Spark(path, session=spark), DuckDB(path)
        assert engine.columns == duckdb.columns
        assert told(engine.frequencies(engine.columns)) == told(duckdb.frequencies(duckdb.columns)), name


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"a,b\n1,2\n3\n", "more or fewer values than columns"),
        (b"a,b\n1,2\n3,4,5\n", "more or fewer values than columns"),
        (b"a,b\n1,2\nx,\xff\xfe\n", "not UTF-8 text"),
        (b"a\n1\n", "is a CSV file of one column"),
    ],
)
def test_csv_files_with_faults_are_refused(spark: Any, tmp_path: Path, content: bytes, rule: str) -> None:
    (tmp_path / "table.csv").write_bytes(content)
    with pytest.raises(DataError, match=rule):
        Spark(tmp_path / "table.csv", session=spark).frequencies(["a"])


def test_tables_are_found_by_name_and_faults_are_told_plainly(
    spark: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    spark.sql("SELECT 'x' AS a").createOrReplaceTempView("people")
    assert told(Spark("people", session=spark).frequencies(["a"])) == {("x",): 1}
    for source, rule in {
        "no.such_table": "no such table",
        "`no`.`such``table`": "no such table",
        "a..b": "is not the name of a table",
        str(tmp_path / "no.parquet"): "no such file",
        str(tmp_path / "w*.parquet"): "pattern for other files",
        "s3://bucket/x.csv": "is a CSV file elsewhere",
    }.items():
        with pytest.raises(DataError, match=rule):
            Spark(source, session=spark)
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(DataError, match="is not a whole Parquet file"):
        Spark(tmp_path / "broken.parquet", session=spark)
    engine = Spark(spark.sql("SELECT raise_error('Ann Smith, 34') AS a"))
    with pytest.raises(DataError, match="Spark can't read this table"):
        engine.frequencies(["a"])
    shown = capfd.readouterr()
    assert not shown.out and not shown.err


PROGRAM = """
import json, sys
from pathlib import Path
import numpy as np
from discreet.engines.open import open_source
from discreet.engines.arrow import texts
from discreet.engines.counted_rows import CodedColumn, CountedRows
folder = Path(sys.argv[1])
engine = open_source(f"spark:{folder}/people.parquet")
found = engine.frequencies(["a", "b"])
with engine.publishing(folder, "parquet") as tables:
    tables.write("data.parquet", CountedRows((CodedColumn("a", np.array([0, 1]), texts(["x"])),), np.array([1000, 7])))
    again = tables.open("data.parquet").frequencies(["a"])
master = engine._session.conf.get("spark.master")
print(json.dumps([master, sorted(found.counts.tolist()), sorted(again.counts.tolist())]))
"""


def run(folder: Path, environment: dict[str, str]) -> Any:
    people = pa.table({"a": ["x", "y"] * 50, "b": ["1"] * 100})
    parquet.write_table(people, folder / "people.parquet", row_group_size=10)
    program = [sys.executable, "-c", PROGRAM, str(folder)]
    done = subprocess.run(program, env=environment, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_a_cluster_counts_and_writes(spark_cluster: dict[str, str], tmp_path: Path) -> None:
    assert run(tmp_path, spark_cluster) == [spark_cluster["SPARK_MASTER"], [50, 50], [7, 1000]]
    files = sorted(p.name for p in (tmp_path / "data.parquet").iterdir())
    assert files == [f"part-{i:05}.parquet" for i in range(len(files))]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.parquet", "people.parquet"]
