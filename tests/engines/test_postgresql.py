"""Every verb on PostgreSQL against the same on DuckDB, on the same rows."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.engines.base import PairCounts
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.postgresql.engine import PostgreSQL
from discreet.engines.rows import Between, Condition, ListedIn, OneOf, Rows
from discreet.engines.sql import pairs
from discreet.errors import DataError
from tests.engines.tables import TEXTS, combinations, in_postgresql, random_tables
from tests.servers import Database

COLUMNS = ["c0", "c1", "c2"]
FEW = settings(max_examples=10, deadline=None)
WORDS = ("text", "whole", "day", "float", "decimal", "moment")


def both(database: Database, table: pa.Table) -> tuple[PostgreSQL, DuckDB]:
    return PostgreSQL(in_postgresql(database, table)), DuckDB(table)


@FEW
@given(table=random_tables())
def test_frequencies_are_the_same(module_database: Database, table: pa.Table) -> None:
    ours, duck = both(module_database, table)
    assert combinations(ours.frequencies(COLUMNS)) == combinations(duck.frequencies(COLUMNS))
    assert ours.scans == 1
    assert combinations(ours.frequencies(["c1"])) == combinations(duck.frequencies(["c1"]))


@FEW
@given(table=random_tables(("text", "whole", "small", "float")))
def test_groups_are_numbered_the_same(module_database: Database, table: pa.Table) -> None:
    ours, duck = (engine.grouped_frequencies(["c0", "c1"], "c2") for engine in both(module_database, table))
    assert combinations(*ours) == combinations(*duck)


@FEW
@given(table=random_tables(), asked=st.data())
def test_codes_stand_for_the_same_values(module_database: Database, table: pa.Table, asked: st.DataObject) -> None:
    ours, duck = both(module_database, table)
    known = [*duck.frequencies(["c0"]).values[0], "strange", "\0", None]
    codes = {v: i for i, v in enumerate(asked.draw(st.lists(st.sampled_from(known), unique=True)))}
    coded = [engine.coded({"c0": codes, "c1": {}}) for engine in (ours, duck)]
    assert combinations(coded[0].frequencies(COLUMNS)) == combinations(coded[1].frequencies(COLUMNS))


def conditions(column: str, values: tuple[str | None, ...]) -> st.SearchStrategy[Condition]:
    numbers = st.one_of(st.none(), st.integers(-10, 300), st.decimals(-9, 9, places=3))
    days = st.one_of(st.none(), st.dates(date(1, 1, 1)))
    bounds = st.one_of(st.tuples(numbers, numbers), st.tuples(days, days)).filter(lambda b: b != (None, None))
    among = st.lists(st.sampled_from([*values, "none of them", None]), min_size=1, max_size=3)
    return st.one_of(bounds.map(lambda b: Between(column, *b)), among.map(lambda chosen: OneOf(column, tuple(chosen))))


@settings(max_examples=20, deadline=None)
@given(table=random_tables(WORDS), asked=st.data())
def test_conditions_mean_the_same_rows(module_database: Database, table: pa.Table, asked: st.DataObject) -> None:
    ours, duck = both(module_database, table)
    chosen = [asked.draw(conditions(c, duck.frequencies([c]).values[0])) for c in COLUMNS]
    for i in range(3):  # one by one, since few rows fulfil all of them
        only = Rows((chosen[i],))
        assert combinations(ours.only(only).frequencies(COLUMNS)) == combinations(duck.only(only).frequencies(COLUMNS))
    everything = Rows(tuple(chosen))
    found = (combinations(e.only(everything).frequencies(COLUMNS)) for e in (ours, duck))
    assert next(found) == next(found)


ODD_DAYS = [
    *(
        "2020-1-5",
        "20-01-05",
        "02020-01-05",
        "5.1.2020",
        "05.01.20",
        "10.02.30",
        "2020-02-30",
        "2020-02-29T10",
        "0-1-1",
    ),
    *("2020-01-05 x", "2020-01-05x", "-2020-01-05", "2020-01-05T\nx", "\v2020-01-05", "2020-01/05", "31.12.9999"),
    *("2000-02-29", "1900-02-29", "29.02.2100", "2020.04.31", "2020-13-01", "13.13.13", "1.2.3", "2020-1-1-1"),
]
ODD_NUMBERS = [
    *(
        "1e5",
        "1e-12",
        "5e-13",
        "-5e-13",
        "1e30",
        "1e300",
        "1e400",
        "9" * 50,
        " 1 ",
        "+1",
        "1.",
        ".5",
        "1.0000000000005",
    ),
    *("nan", "inf", "0x1f", "1,000", "1_0", "", "\v1", "\u00a01", "1\n", "--1", "1e", ".", "1e-999"),
]


@pytest.mark.parametrize(
    "condition",
    [
        Between("v", date(1, 1, 1), None),
        Between("v", None, date(9999, 12, 31)),
        Between("v", date(2020, 1, 5), date(2020, 2, 29)),
        Between("v", 1, None),
        Between("v", None, Decimal("0.000000000001")),
        Between("v", Decimal("1.000000000001"), 10**20),
    ],
)
def test_odd_days_and_numbers_are_read_the_same(postgresql: Database, condition: Condition) -> None:
    values = [*ODD_DAYS, *ODD_NUMBERS, None]
    postgresql.execute("CREATE TABLE odd (v text)")
    with postgresql.connect() as connection, connection.cursor() as cursor:
        cursor.executemany("INSERT INTO odd VALUES (%s)", [(v,) for v in values])
    engines = (PostgreSQL(postgresql.url("odd")), DuckDB({"v": pa.array(values, type=pa.string())}))
    found = [combinations(engine.only(Rows((condition,))).frequencies(["v"])) for engine in engines]
    assert found[0] == found[1] and found[0]


def test_values_listed_in_a_file_are_meant(postgresql: Database, tmp_path: Path) -> None:
    postgresql.execute("CREATE TABLE t (v text)", "INSERT INTO t VALUES ('a'), ('it''s'), ('\\\"'), (NULL), ('c')")
    (tmp_path / "list.csv").write_text('v\na\nit\'s\n"\\"""\n""\n', encoding="utf-8")
    only = PostgreSQL(postgresql.url("t")).only(Rows((ListedIn("v", tmp_path / "list.csv"),)))
    assert combinations(only.frequencies(["v"])) == {("a",): 1, ("it's",): 1, ('\\"',): 1}


def told(found: PairCounts) -> dict[tuple[object, ...], int]:
    counted: dict[tuple[object, ...], int] = {}
    for i, (values, n) in enumerate(zip(found.values, found.singles, strict=True)):
        counted |= {(i, v): int(k) for v, k in zip(values, n, strict=True)}
    for (i, j), table in found.pairs.items():
        for a, b in zip(*np.nonzero(table), strict=True):
            counted[i, j, found.values[i][a], found.values[j][b]] = int(table[a, b])
    return counted


@FEW
@given(table=random_tables())
def test_pairs_are_counted_the_same(module_database: Database, table: pa.Table) -> None:
    ours, duck = both(module_database, table)
    assert told(ours.pair_counts(COLUMNS)) == told(duck.pair_counts(COLUMNS))
    assert ours.scans == 1


def test_pairs_of_too_many_values_stay_in_the_server(postgresql: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "LARGEST_PAIR", 19)
    postgresql.execute("CREATE TABLE t AS SELECT i AS place, i % 2 AS half FROM generate_series(1, 10) AS i")
    found = PostgreSQL(postgresql.url("t")).pair_counts(["place", "half"])
    assert found.pairs == {} and found.singles[1].tolist() == [5, 5]


@FEW
@given(table=random_tables(), rows=st.integers(0, 8), seed=st.integers(-5, 2**64))
def test_a_seed_draws_the_same_rows(module_database: Database, table: pa.Table, rows: int, seed: int) -> None:
    drawn = [engine.sample(COLUMNS, rows, seed) for engine in both(module_database, table)]
    chosen = [combinations(of.found) for of in drawn]
    assert chosen[0] == chosen[1] and chosen[0].total() == min(rows, table.num_rows)
    singles = [
        [dict(zip(v, n.tolist(), strict=True)) for v, n in zip(of.found.values, of.singles, strict=True)]
        for of in drawn
    ]
    assert singles[0] == singles[1]


@FEW
@given(table=random_tables())
def test_profiles_are_the_same(module_database: Database, table: pa.Table) -> None:
    ours, duck = (engine.profile() for engine in both(module_database, table))
    for mine, other in zip(ours, duck, strict=True):
        assert (mine.name, mine.rows, mine.nulls) == (other.name, other.rows, other.nulls)
        assert sorted(mine.values, key=str) == sorted(other.values, key=str)


def test_a_profile_shows_the_most_frequent_thousand(postgresql: Database) -> None:
    postgresql.execute(
        "CREATE TABLE t AS SELECT i AS v FROM generate_series(1, 1500) AS i",
        "INSERT INTO t SELECT 7 FROM generate_series(1, 3)",
    )
    [profile] = PostgreSQL(postgresql.url("t")).profile()
    assert (profile.rows, profile.distinct, profile.nulls, len(profile.values)) == (1503, 1500, 0, 1000)
    assert profile.values[:2] == (("7", 4), ("1", 1))


@FEW
@given(st.lists(TEXTS, max_size=6))
def test_texts_pass_through_queries_unharmed(module_database: Database, texts: list[str]) -> None:
    engine = PostgreSQL(in_postgresql(module_database, pa.table([pa.array(texts, type=pa.string())], _ONE_TEXT)))
    codes = {v: i for i, v in enumerate(dict.fromkeys(texts))}
    found = engine.coded({"c0": codes}).frequencies(["c0"])
    assert combinations(found) == {(str(codes[v]),): texts.count(v) for v in texts}
    everybody = engine.only(Rows((OneOf("c0", tuple(codes) or ("x",)),)))
    assert everybody.frequencies([]).counts.sum() == len(texts)


_ONE_TEXT = pa.schema([pa.field("c0", pa.string(), metadata={"kind": "text"})])


def test_unknown_columns_are_named(postgresql: Database) -> None:
    postgresql.execute("CREATE TABLE t (age int)")
    with pytest.raises(DataError, match="t: has no column 'agee'; did you mean 'age'"):
        PostgreSQL(postgresql.url("t")).only(Rows((OneOf("agee", ("1",)),)))
