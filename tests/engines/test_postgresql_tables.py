"""Tables of all sorts in PostgreSQL: what they are called, what they hold, who writes to them meanwhile."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from discreet.engines.postgresql.engine import PostgreSQL
from discreet.engines.rows import OneOf, Rows
from discreet.errors import DataError
from tests.engines.tables import combinations
from tests.servers import Database


def values(database: Database, table: str = "t", column: str = "v") -> dict[str | None, int]:
    return {v: n for (v,), n in combinations(PostgreSQL(database.url(table)).frequencies([column])).items()}


BC = "0044-03-15 (BC)"
TYPES: dict[str, tuple[list[str], dict[str, int]]] = {
    "char(5)": (["ab", "ab   ", ""], {"ab": 2, "": 1}),
    "varchar(5)": (["ab", "ab "], {"ab": 1, "ab ": 1}),
    "numeric": (
        ["1.5", "1.50", "NaN", "Infinity", "-Infinity", "1e20", "0.00"],
        {"1.5": 2, "nan": 1, "inf": 1, "-inf": 1, "100000000000000000000": 1, "0": 1},
    ),
    "json": (['{"a": 1}', '{"a":1}'], {'{"a": 1}': 1, '{"a":1}': 1}),
    "jsonb": (['{"a": 1}', '{"a":1}'], {'{"a": 1}': 2}),
    "int[]": (["{1,2}", "{1, 2}", "{}"], {"{1,2}": 2, "{}": 1}),
    "date": (
        ["infinity", "-infinity", "0044-03-15 BC", "10000-01-01"],
        {"infinity": 1, "-infinity": 1, BC: 1, "10000-01-01": 1},
    ),
    "timestamptz": (
        ["2020-01-31 12:00:00.5+02", "infinity", "0044-03-15 12:00:00 BC"],
        {"2020-01-31 10:00:00.5+00": 1, "infinity": 1, f"{BC} 12:00:00+00": 1},
    ),
    "time": (["12:00", "12:00:00.50", "24:00"], {"12:00:00": 1, "12:00:00.5": 1, "24:00:00": 1}),
    "interval": (
        ["1 mon", "30 days", "-14 months -1 day", "1 month -2 days -1 second"],
        {"1 month": 1, "30 days": 1, "-1 year -2 months -1 day": 1, "1 month -2 days -00:00:01": 1},
    ),
    "uuid": (["A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"], {"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11": 1}),
    "inet": (["10.0.0.1", "10.0.0.1/32", "10.0.0.0/8"], {"10.0.0.1": 2, "10.0.0.0/8": 1}),
    "bit(3)": (["101"], {"101": 1}),
    "point": (["(1,2)"], {"(1,2)": 1}),
    "xml": (["<a/>"], {"<a/>": 1}),
    "money": (["12.5"], {"$12.50": 1}),
}


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_has_one_text_per_value(module_database: Database, kind: str) -> None:
    given, texts = TYPES[kind]
    with module_database.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS t; CREATE TABLE t (v {kind})")
        cursor.executemany(f"INSERT INTO t VALUES (CAST(%s::text AS {kind}))", [(v,) for v in [*given, None]])
    assert values(module_database) == texts | {None: 1}
    engine = PostgreSQL(module_database.url("t"))
    first = next(iter(texts))
    assert engine.only(Rows((OneOf("v", (first,)),))).frequencies([]).counts.sum() == texts[first]
    coded = engine.coded({"v": {first: 7, None: 8}}).frequencies(["v"])
    others = sum(texts.values()) - texts[first]
    wanted = {("7",): texts[first], ("8",): 1} | ({(None,): others} if others else {})
    assert combinations(coded) == wanted


def test_domains_enumerations_and_generated_columns_are_read(postgresql: Database) -> None:
    postgresql.execute(
        "CREATE DOMAIN share AS numeric(3,3) CHECK (VALUE < 1)",
        "CREATE DOMAIN small_share AS share",
        "CREATE TYPE mood AS ENUM ('sad', 'ok', 'it''s fine')",
        "CREATE TABLE t (v small_share, m mood, twice numeric GENERATED ALWAYS AS (v * 2) STORED)",
        "INSERT INTO t VALUES (0.5, 'it''s fine'), (0.5, 'sad')",
    )
    found = PostgreSQL(postgresql.url("t")).frequencies(["v", "m", "twice"])
    assert combinations(found) == {(".500", "it's fine", "1"): 1, (".500", "sad", "1"): 1}


def test_collations_that_take_different_texts_for_equal_do_not_merge_them(postgresql: Database) -> None:
    import psycopg

    with postgresql.connect() as connection:
        try:
            connection.execute(
                "CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"
            )
        except psycopg.Error:
            pytest.skip("this server was built without ICU")
    postgresql.execute(
        'CREATE TABLE t (v text COLLATE "blind")', "INSERT INTO t VALUES ('straße'), ('Straße'), ('STRASSE'), ('x')"
    )
    assert values(postgresql) == {"straße": 1, "Straße": 1, "STRASSE": 1, "x": 1}
    engine = PostgreSQL(postgresql.url("t"))
    assert engine.only(Rows((OneOf("v", ("STRASSE",)),))).frequencies([]).counts.tolist() == [1]
    assert combinations(engine.coded({"v": {"x": 0}}).frequencies(["v"])) == {("0",): 1, (None,): 3}
    assert engine.profile()[0].distinct == 4


def test_texts_that_ignore_case_do_not_merge(postgresql: Database) -> None:
    import psycopg

    with postgresql.connect() as connection:
        try:
            connection.execute("CREATE EXTENSION citext")
        except psycopg.Error:
            pytest.skip("this server has no citext")
    postgresql.execute("CREATE TABLE t (v citext)", "INSERT INTO t VALUES ('a'), ('A'), ('A')")
    assert values(postgresql) == {"a": 1, "A": 2}


NAMES = ["Gesundheit; DROP TABLE x", 'say "hi"', "a.b", "Täter", "select", "100%", "x@y", "a#b", " blank "]


@pytest.mark.parametrize("name", NAMES)
def test_odd_names_are_names(postgresql: Database, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    postgresql.execute(
        "CREATE TABLE x (v int)",
        f"CREATE SCHEMA {quoted}",
        f"CREATE TABLE {quoted}.{quoted} ({quoted} text)",
        f"INSERT INTO {quoted}.{quoted} VALUES ('a')",
    )
    url = f"postgresql:///#{quote(quoted)}.{quote(quoted)}"
    engine = PostgreSQL(url)
    assert engine.columns == (name,) and combinations(engine.frequencies([name])) == {("a",): 1}
    assert combinations(engine.only(Rows((OneOf(name, ("a",)),))).coded({name: {"a": 3}}).frequencies([name])) == {
        ("3",): 1
    }
    assert PostgreSQL(postgresql.url("x")).columns == ("v",)


def test_capitals_matter(postgresql: Database) -> None:
    postgresql.execute('CREATE TABLE "T" (v int)', "CREATE TABLE t (w int)")
    assert PostgreSQL(postgresql.url("T")).columns == ("v",)
    assert PostgreSQL(postgresql.url("t")).columns == ("w",)


def test_a_table_without_a_schema_is_found_by_the_search_path_of_the_reader(
    postgresql: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgresql.execute("CREATE SCHEMA ward", "CREATE TABLE ward.t (v int)")
    monkeypatch.setenv("PGOPTIONS", "-c search_path=ward")
    assert PostgreSQL(postgresql.url("t")).columns == ("v",)


def test_views_partitions_and_materialized_views_are_read(postgresql: Database) -> None:
    postgresql.execute(
        "CREATE TABLE t (v int) PARTITION BY RANGE (v)",
        "CREATE TABLE low PARTITION OF t FOR VALUES FROM (0) TO (10)",
        "CREATE TABLE high PARTITION OF t FOR VALUES FROM (10) TO (20)",
        "INSERT INTO t VALUES (1), (1), (15), (16)",
        "CREATE VIEW seen AS SELECT v FROM t WHERE v < 16",
        "CREATE MATERIALIZED VIEW kept AS SELECT v FROM t",
        "CREATE SEQUENCE numbers",
    )
    assert values(postgresql) == values(postgresql, "kept") == {"1": 2, "15": 1, "16": 1}
    assert values(postgresql, "seen") == {"1": 2, "15": 1}
    with pytest.raises(DataError, match="numbers: is not a table"):
        PostgreSQL(postgresql.url("numbers"))


def test_foreign_tables_are_read(postgresql: Database, tmp_path_factory: pytest.TempPathFactory) -> None:
    import psycopg

    there = postgresql.server.folder / f"{postgresql.name}.csv"
    there.write_text("a\nb\nb\n", encoding="utf-8")
    there.chmod(0o644)
    with postgresql.connect() as connection:
        try:
            connection.execute("CREATE EXTENSION file_fdw")
        except psycopg.Error:
            pytest.skip("this server has no file_fdw")
    postgresql.execute(
        "CREATE SERVER files FOREIGN DATA WRAPPER file_fdw",
        f"CREATE FOREIGN TABLE t (v text) SERVER files OPTIONS (filename '{there}', format 'csv')",
    )
    assert values(postgresql) == {"a": 1, "b": 2}
    there.unlink()
    with pytest.raises(DataError) as caught:
        values(postgresql)
    assert str(there) not in str(caught.value)


@pytest.fixture
def reader(postgresql: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Somebody who may log in, and nothing else."""
    role = f"reader_{secrets.token_hex(4)}"
    postgresql.execute(f"CREATE ROLE {role} LOGIN")
    monkeypatch.setenv("PGUSER", role)
    yield role
    postgresql.execute(f"DROP OWNED BY {role}", f"DROP ROLE {role}")


def test_only_rows_and_columns_that_the_reader_may_see_are_there(postgresql: Database, reader: str) -> None:
    postgresql.execute(
        "CREATE TABLE t (v int, secret text, ward text)",
        "INSERT INTO t VALUES (1, 'x', 'mine'), (2, 'y', 'theirs'), (1, 'z', 'mine')",
        f"GRANT SELECT (v, ward) ON t TO {reader}",
        "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY own ON t USING (ward = 'mine')",
    )
    engine = PostgreSQL(postgresql.url("t"))
    assert engine.columns == ("v", "ward")
    assert combinations(engine.frequencies(["v", "ward"])) == {("1", "mine"): 2}
    assert engine.only(Rows((OneOf("v", ("1", "2")),))).frequencies([]).counts.tolist() == [2]


def test_read_only_access_is_enough(postgresql: Database, reader: str) -> None:
    postgresql.execute(
        "CREATE TABLE t AS SELECT i % 3 AS v, i % 2 AS w FROM generate_series(1, 30) AS i",
        f"GRANT SELECT ON t TO {reader}",
        f"REVOKE ALL ON DATABASE {postgresql.name} FROM PUBLIC",
        f"GRANT CONNECT ON DATABASE {postgresql.name} TO {reader}",
        f"ALTER ROLE {reader} SET default_transaction_read_only = on",
    )
    engine = PostgreSQL(postgresql.url("t"))
    assert engine.coded({"v": {"1": 0}}).only(Rows((OneOf("w", ("1",)),))).frequencies(["v"]).counts.sum() == 15
    assert engine.pair_counts(["v", "w"]).rows == engine.profile()[0].rows == 30
    assert engine.sample(["v"], 5, 1).found.counts.sum() == 5


def test_every_scan_sees_the_table_as_it_was(postgresql: Database) -> None:
    postgresql.execute("CREATE TABLE t (v int)", "INSERT INTO t VALUES (1), (2)")
    engine = PostgreSQL(postgresql.url("t"))
    before = combinations(engine.frequencies(["v"]))
    postgresql.execute("INSERT INTO t VALUES (3)", "UPDATE t SET v = 7 WHERE v = 1", "DELETE FROM t WHERE v = 2")
    assert combinations(engine.frequencies(["v"])) == before == {("1",): 1, ("2",): 1}
    assert engine.pair_counts(["v"]).rows == 2
    assert values(postgresql) == {"3": 1, "7": 1}


def test_a_long_pause_does_not_lose_the_connection(postgresql: Database, reader: str) -> None:
    waits = ("idle_in_transaction_session_timeout", "statement_timeout")
    postgresql.execute(
        "CREATE TABLE t AS SELECT 1 AS v",
        f"GRANT SELECT ON t TO {reader}",
        *(f"ALTER ROLE {reader} SET {setting} = '60s'" for setting in waits),
    )
    engine = PostgreSQL(postgresql.url("t"))
    for setting in waits:
        assert engine._connection.execute(f"SHOW {setting}").fetchall() == [("0",)]


def test_a_lost_connection_is_said_plainly(postgresql: Database) -> None:
    postgresql.execute("CREATE TABLE t AS SELECT i AS v FROM generate_series(1, 200000) AS i")
    engine = PostgreSQL(postgresql.url("t"))
    # The reader is ahead of us; it can't be at the end.
    waits = "CASE WHEN v = 150000 THEN CAST(pg_sleep(60) AS text) END"
    answers = engine._asked(f"SELECT repeat('x', 1000), v, {waits} FROM {engine._relation} AS t")
    next(answers)  # in the middle of an answer
    process = engine._connection.info.backend_pid
    postgresql.execute(f"SELECT pg_terminate_backend({process}, 10000)")
    with pytest.raises(DataError, match=r"^t: the (server was shut down|connection to the server was lost); try again"):
        list(answers)
    with pytest.raises(DataError, match="connection to the server was lost"):
        engine.frequencies(["v"])


def test_a_table_without_rows_or_columns(postgresql: Database) -> None:
    postgresql.execute("CREATE TABLE empty (v int, w text)", "CREATE TABLE bare ()")
    engine = PostgreSQL(postgresql.url("empty"))
    assert len(engine.frequencies(["v", "w"]).counts) == 0 == engine.pair_counts(["v", "w"]).rows
    assert engine.sample(["v"], 3, 1).singles[0].tolist() == [] and engine.profile()[1].rows == 0
    with pytest.raises(DataError, match="bare: has no columns"):
        PostgreSQL(postgresql.url("bare"))


def test_columns_that_differ_by_case_alone_are_refused(postgresql: Database) -> None:
    postgresql.execute('CREATE TABLE t (v int, "V" int)')
    with pytest.raises(DataError, match="t: columns have the same name"):
        PostgreSQL(postgresql.url("t"))


def test_a_value_that_the_server_stumbles_on_is_not_shown(postgresql: Database) -> None:
    postgresql.execute(
        "CREATE TABLE raw (v text)",
        "INSERT INTO raw VALUES ('Ann Smith')",
        "CREATE VIEW t AS SELECT CAST(v AS int) AS v FROM raw",
    )
    with pytest.raises(DataError) as caught:
        values(postgresql)
    assert "Smith" not in str(caught.value) and "SQLSTATE 22P02" in str(caught.value)
