"""Spark gives the answers that DuckDB gives, about the same table."""

from __future__ import annotations

import datetime
import gc
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from discreet.engines.base import TooManyCombinations
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.rows import Between, ListedIn, OneOf, Rows
from discreet.engines.spark.engine import Spark
from discreet.errors import DataError
from tests.engines.spark_rows import EVERY, told, told_rows

ODD = ["a`b", "a.b", 'q"x', "it's", "ä ö", "back\\slash", "new\nline", "select", "c0"]
UTC = datetime.UTC


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with a column of every type."""
    path = tmp_path_factory.mktemp("every") / "every.parquet"
    parquet.write_table(EVERY, path)
    return path


@pytest.fixture(scope="module")
def both(every: Path, sail: Any) -> tuple[Spark, DuckDB]:
    return Spark(every, session=sail), DuckDB(every)


def opened(sail: Any, table: pa.Table) -> Spark:
    return Spark(sail.createDataFrame(table))


@pytest.mark.parametrize("column", EVERY.column_names)
def test_values_of_every_type_are_counted_and_written_alike(both: tuple[Spark, DuckDB], column: str) -> None:
    found, expected = (told(engine.frequencies([column, "yes"])) for engine in both)
    assert found == expected


@pytest.mark.parametrize("column", [c for c in EVERY.column_names if c != "bytes"])
def test_values_of_every_type_are_found_by_their_text(both: tuple[Spark, DuckDB], column: str) -> None:
    spark, duckdb = both
    values = duckdb.frequencies([column]).values[0]
    codes = {column: {value: i for i, value in enumerate(values) if i != 1}}
    found, expected = (told(engine.coded(codes).frequencies([column])) for engine in (spark, duckdb))
    assert found == expected
    for value in values:
        rows = Rows((OneOf(column, (value,)),))
        assert told(spark.only(rows).frequencies([column])) == told(duckdb.only(rows).frequencies([column]))


def test_binary_values_can_not_be_compared(both: tuple[Spark, DuckDB]) -> None:
    with pytest.raises(DataError, match="column bytes: is binary"):
        both[0].coded({"bytes": {"a": 0}})


def test_a_number_is_found_only_by_the_text_that_it_has(both: tuple[Spark, DuckDB]) -> None:
    rows = Rows((OneOf("double", ("1e20", "1E+20", "0.0", ".1")),))
    assert not told(both[0].only(rows).frequencies(["double"]))


def test_the_session_may_have_any_time_zone_and_mode(every: Path, sail: Any) -> None:
    expected = [told(DuckDB(every).frequencies([c])) for c in EVERY.column_names]
    before = {name: sail.conf.get(name) for name in ("spark.sql.session.timeZone", "spark.sql.ansi.enabled")}
    try:
        sail.conf.set("spark.sql.session.timeZone", "America/New_York")
        sail.conf.set("spark.sql.ansi.enabled", "false")
        engine = Spark(every, session=sail)
        assert [told(engine.frequencies([c])) for c in EVERY.column_names] == expected
        assert sail.conf.get("spark.sql.session.timeZone") == "America/New_York"
    finally:
        for name, value in before.items():
            sail.conf.set(name, value)


def test_names_are_quoted(sail: Any) -> None:
    table = pa.table({name: [name, None, ""] for name in ODD})
    spark, duckdb = opened(sail, table), DuckDB(table)
    assert spark.columns == tuple(ODD)
    assert told(spark.frequencies(ODD)) == told(duckdb.frequencies(ODD))
    coded = [engine.coded({ODD[0]: {None: 3}}).frequencies(ODD) for engine in (spark, duckdb)]
    assert told(coded[0]) == told(coded[1])


def test_names_that_spark_would_change_or_mistake_are_refused(sail: Any) -> None:
    with pytest.raises(DataError, match=r"a column's name has \$\{ in it"):
        opened(sail, pa.table({"${env:HOME}": ["x"]}))
    with pytest.raises(DataError, match="same name"):
        Spark(sail.sql("SELECT 1 AS a, 2 AS a"))


def test_types_without_a_text_are_refused_when_they_are_asked_for(sail: Any) -> None:
    engine = Spark(sail.sql("SELECT array(1, 2) AS list, 'x' AS word"))
    assert told(engine.frequencies(["word"])) == {("x",): 1}
    with pytest.raises(DataError, match="column list: is of type array, whose values have no text"):
        engine.frequencies(["list"])


def test_groups_are_told_by_number(sail: Any) -> None:
    table = pa.table({"group": ["1", "02", "x", None, "9"], "v": ["a"] * 5})
    spark, duckdb = (engine.grouped_frequencies(["v"], "group") for engine in (opened(sail, table), DuckDB(table)))
    assert told(spark[0]) == told(duckdb[0])
    assert sorted(spark[1].tolist()) == sorted(duckdb[1].tolist())


def test_no_rows_are_no_combinations(sail: Any) -> None:
    engine = Spark(sail.sql("SELECT 'x' AS a WHERE FALSE"))
    assert told(engine.frequencies(["a"])) == {}
    assert told(engine.coded({"a": {}}).frequencies(["a"])) == {}


@pytest.mark.parametrize(
    "asked",
    [
        Between("v", 5, 10),
        Between("v", Decimal("9.99"), None),
        Between("v", datetime.date(2020, 1, 1), datetime.date(2020, 1, 31)),
        Between("v", None, datetime.date(2020, 1, 31)),
        OneOf("v", ("it's", "a\\b", "${x}", "", None)),
        OneOf("v", (None,)),
    ],
)
def test_conditions_mean_the_same_rows(sail: Any, asked: Any) -> None:
    numbers = ["1e3", " 5 ", "5.", "+5", ".5", "1,000", "nan", "0x1f", "10", "9.9999999999999", "1e300", "5\n", "5\nx"]
    days = ["2020-01-05", "2020-1-5", "20-1-5", "5.1.2020", "5.1.20", "2020/01/05", "2020-02-30", "2020-01-05T10:00"]
    others = ["2020-01-05 x\ny", "0000-01-01", "12020-01-05", "1.2.3.4", None, "", "it's", "a\\b", "${x}", "--"]
    table = pa.table({"v": [*numbers, *days, *others]})
    found, expected = (
        told(engine.only(Rows((asked,))).frequencies(["v"])) for engine in (opened(sail, table), DuckDB(table))
    )
    assert found == expected


def test_rows_are_those_that_a_file_lists(sail: Any, tmp_path: Path) -> None:
    file = tmp_path / "wanted.csv"
    file.write_text("v\n1.5\n2\nit's\n\n")
    for values in ([1.5, 2.0, None], ["1.5", "it's", None]):
        table = pa.table({"v": values})
        rows = Rows((ListedIn("v", file),))
        found, expected = (
            told(engine.only(rows).frequencies(["v"])) for engine in (opened(sail, table), DuckDB(table))
        )
        assert found == expected


def test_conditions_on_columns_that_are_not_there_are_refused(both: tuple[Spark, DuckDB]) -> None:
    with pytest.raises(DataError, match="has no column 'texd'; did you mean 'text'"):
        both[0].only(Rows((OneOf("texd", ("x",)),)))


TEXTS = st.lists(st.tuples(*[st.sampled_from(["a", "b", "", None, "ä'\\"])] * 3), min_size=1, max_size=30)


@settings(max_examples=6)
@given(rows=TEXTS, size=st.integers(1, 10), seed=st.integers(0, 2**63))
def test_random_tables_are_counted_and_sampled_alike(sail: Any, rows: list[Any], size: int, seed: int) -> None:
    columns = ["x", "y", "z"]
    kinds = pa.schema([(c, pa.string()) for c in columns])
    table = pa.table(dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)), schema=kinds)
    spark, duckdb = opened(sail, table), DuckDB(table)
    assert told(spark.frequencies(columns)) == told(duckdb.frequencies(columns))
    samples = [engine.sample(columns, size, seed) for engine in (spark, duckdb)]
    assert told_rows(samples[0].found) == told_rows(samples[1].found)
    for column in range(3):
        assert singles(samples[0], column) == singles(samples[1], column)
    pairs = [engine.pair_counts(columns) for engine in (spark, duckdb)]
    for i, j in pairs[1].pairs:
        assert pair(pairs[0], i, j) == pair(pairs[1], i, j)


def singles(sample: Any, column: int) -> dict[str | None, int]:
    return dict(zip(sample.found.values[column], sample.singles[column].tolist(), strict=True))


def pair(counts: Any, i: int, j: int) -> dict[tuple[Any, Any], int]:
    found = counts.pairs[i, j]
    return {(counts.values[i][a], counts.values[j][b]): int(found[a, b]) for a, b in np.argwhere(found)}


def test_numbers_are_sampled_alike(both: tuple[Spark, DuckDB]) -> None:
    columns = ["double", "bytes", "money", "moment"]
    for seed in range(4):
        found, expected = (told_rows(engine.sample(columns, 4, seed).found) for engine in both)
        assert found == expected


def test_columns_are_profiled_alike(both: tuple[Spark, DuckDB]) -> None:
    found, expected = (engine.profile() for engine in both)
    for one, other in zip(found, expected, strict=True):
        assert (one.name, one.rows, one.distinct, one.nulls) == (other.name, other.rows, other.distinct, other.nulls)
        assert dict(one.values) == dict(other.values)


def test_more_combinations_than_the_limit_stay_in_the_engine(sail: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = sail.sql("SELECT id AS a, id % 7 AS b FROM range(50)")
    with pytest.raises(TooManyCombinations, match="about 50 distinct combinations, more than the 49") as caught:
        Spark(frame, limit=49).frequencies(["a", "b"])
    assert (caught.value.found, caught.value.limit) == (50, 49)
    assert len(Spark(frame, limit=50).frequencies(["a", "b"]).counts) == 50
    monkeypatch.setenv("DISCREET_SPARK_COMBINATIONS", "6")
    with pytest.raises(TooManyCombinations):
        Spark(frame).frequencies(["b"])


def test_scans_are_counted(sail: Any) -> None:
    engine = opened(sail, pa.table({"a": ["x"], "f": [1.5]}))
    engine.frequencies(["a"])
    assert engine.scans == 1
    part = engine.only(Rows((OneOf("a", ("x",)),)))
    part.frequencies(["a"])
    assert (engine.scans, part.scans) == (1, 1)
    engine.sample(["a", "f"], 1, 1)
    assert engine.scans == 3  # the texts of floating-point numbers are looked at first


def test_views_of_engines_that_are_gone_are_dropped(sail: Any) -> None:
    before = {table.name for table in sail.catalog.listTables()}
    engine = opened(sail, pa.table({"a": ["x"]}))
    engine.coded({"a": {"x": 0}}).frequencies(["a"])
    views = {table.name for table in sail.catalog.listTables()} - before
    assert views
    del engine
    gc.collect()  # an error of before may hold on to it
    opened(sail, pa.table({"a": ["x"]}))  # whoever comes next drops what it left
    assert not {table.name for table in sail.catalog.listTables()} & views


def test_the_limit_must_be_a_number(sail: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCREET_SPARK_COMBINATIONS", "many")
    with pytest.raises(DataError, match="DISCREET_SPARK_COMBINATIONS: must be a whole number"):
        opened(sail, pa.table({"a": ["x"]}))


def test_csv_files_are_refused_where_nothing_and_the_empty_text_are_one(sail: Any, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text('a,b\n"",\n')
    with pytest.raises(DataError, match="can't tell an empty text from nothing there; save the table as Parquet"):
        Spark(tmp_path / "table.csv", session=sail)


PROGRAM = """
import sys
from discreet.engines.open import open_source
from discreet.errors import DataError
try:
    found = open_source(f"spark:{sys.argv[1]}").frequencies(["a"])
    print(found.values, found.counts.tolist())
except DataError as error:
    print(error)"""


def asked_of(source: str, **environment: str) -> str:
    """What a program prints that has no session of its own. A session of ours would be found by it here."""
    plain = {k: v for k, v in os.environ.items() if k not in ("SPARK_REMOTE", "SPARK_MASTER", "JAVA_HOME")}
    program = [sys.executable, "-c", PROGRAM, source]
    done = subprocess.run(program, env=plain | environment, capture_output=True, text=True, timeout=300)
    assert not done.stderr
    return done.stdout.strip()


def test_a_session_is_found_by_the_environment(sail_server: str, tmp_path: Path) -> None:
    parquet.write_table(pa.table({"a": ["x", "x"]}), tmp_path / "people.parquet")
    assert asked_of(f"{tmp_path}/people.parquet", SPARK_REMOTE=sail_server) == "(('x',),) [2]"


def test_a_server_that_does_not_answer_is_told_plainly() -> None:
    for port in (1, 99999):
        shown = asked_of("people", SPARK_REMOTE=f"sc://127.0.0.1:{port}/;token=s3cret")
        assert shown == "source: no Spark answers; check SPARK_REMOTE or SPARK_MASTER, and that the server runs"


def test_without_java_the_repair_is_told() -> None:
    shown = asked_of("people", PATH="")
    assert shown.startswith("source: Spark needs Java, which is not here; install Java 17")
