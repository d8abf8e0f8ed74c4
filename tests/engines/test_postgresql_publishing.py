"""Releases as tables of PostgreSQL: what is written is what was meant, all of it or nothing."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.engines.arrow import numbers, texts, truths
from discreet.engines.base import Rewriting
from discreet.engines.counted_rows import CodedColumn, CountedRows
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.postgresql import session as postgresql_session
from discreet.engines.postgresql.engine import PostgreSQL, read_schema
from discreet.engines.postgresql.publishing import WrittenSchema
from discreet.errors import DataError
from tests.engines.tables import combinations, in_postgresql, random_tables
from tests.servers import Database

FOLDER = Path("nowhere")


def people(database: Database) -> PostgreSQL:
    database.execute(
        "CREATE TABLE people (age int, sex text, born date, mark bytea)",
        r"INSERT INTO people VALUES (40, 'f', '1980-01-31', '\x00'), (41, NULL, '1979-05-01', ''), (41, '', NULL, 'a')",
    )
    return PostgreSQL(database.url("people"))


def counted(counts: list[int]) -> CountedRows:
    codes = np.arange(len(counts), dtype=np.int32) % 3
    said = CodedColumn("said", codes, texts(["*", "it's"]))  # the third is NULL
    return CountedRows((said, CodedColumn("group", np.arange(len(counts)))), np.array(counts, dtype=np.int64))


@contextmanager
def publishing(engine: PostgreSQL, schema: str = "release", replace: bool = False) -> Iterator[WrittenSchema]:
    with engine.publishing(FOLDER, "table", schema, replace) as tables:
        assert isinstance(tables, WrittenSchema)
        yield tables


def schemas(database: Database) -> set[str]:
    with database.connect() as connection:
        found = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_'").fetchall()
    return {schema for (schema,) in found} - {"public", "information_schema"}


def test_rows_are_written_as_often_as_they_count(postgresql: Database) -> None:
    rows = counted([3, 1, 0, 2])
    with publishing(people(postgresql)) as tables:
        tables.write(tables.name("data"), rows, np.random.default_rng(1))
        tables.write(tables.name("sensitive"), rows)
        for table in ("data", "sensitive"):
            opened = tables.open(table)
            assert opened.types == {"said": "text", "group": "bigint"}
            assert combinations(opened.frequencies(["said", "group"])) == {
                ("*", "0"): 3,
                ("it's", "1"): 1,
                ("*", "3"): 2,
            }
        tables.describe("{}")
    with postgresql.connect() as connection:
        found = connection.execute("SELECT * FROM release.sensitive ORDER BY ctid").fetchall()
    assert found == [("*", 0)] * 3 + [("it's", 1)] + [("*", 3)] * 2


def test_columns_may_be_called_as_our_own(postgresql: Database) -> None:
    postgresql.execute("CREATE TABLE t (w1 int, w0 int, t text)", "INSERT INTO t VALUES (1, 4, 'x'), (2, 3, 'x')")
    plan = assignment([("x", 0, 0, 2, True, "*")])
    codes = np.arange(2)
    with publishing(PostgreSQL(postgresql.url("t"))) as tables:
        tables.rewrite("data", Rewriting(plan, ["t"], ["w1", "w0", "t"], {"t": 0}, 1, sorted_by=["w1"]))
        numbered = (CodedColumn("place", -codes), CodedColumn("n", codes), CodedColumn("j", codes))
        tables.write("sensitive", CountedRows(numbered, np.array([1, 1])))
    with postgresql.connect() as connection:
        found = [
            connection.execute(f"SELECT * FROM release.{t} ORDER BY ctid").fetchall() for t in ("data", "sensitive")
        ]
    assert found == [[(1, 4, "*"), (2, 3, "*")], [(0, 0, 0), (-1, 1, 1)]]


def test_nothing_is_seen_before_the_end(postgresql: Database) -> None:
    with publishing(people(postgresql)) as tables:
        tables.write("data", counted([1]))
        assert schemas(postgresql) == set()
    assert schemas(postgresql) == {"release"}


def test_an_error_leaves_nothing(postgresql: Database) -> None:
    engine = people(postgresql)
    with pytest.raises(RuntimeError), publishing(engine) as tables:
        tables.write("data", counted([1]))
        raise RuntimeError
    assert schemas(postgresql) == set()
    with postgresql.connect() as connection:
        assert connection.execute("SELECT relname FROM pg_class WHERE relname LIKE 'discreet%'").fetchall() == []
    assert engine.frequencies(["age"]).counts.sum() == 3  # and the source can still be asked


def test_temporary_tables_are_gone_afterwards(postgresql: Database) -> None:
    with publishing(people(postgresql)) as tables:
        tables.write("data", counted([1]))
    with postgresql.connect() as connection:
        assert connection.execute("SELECT relname FROM pg_class WHERE relname LIKE 'discreet%'").fetchall() == []


def test_exact_columns_get_their_type_again(postgresql: Database) -> None:
    engine = people(postgresql)
    columns = []
    found = engine.frequencies(engine.columns)
    for column, values, codes in zip(engine.columns, found.values, found.codes, strict=True):
        known = [v for v in values if v is not None]
        place = np.array([len(known) if v is None else known.index(v) for v in values], dtype=np.int32)
        columns.append(CodedColumn(column, place[codes], texts(known), exact=True))
    with publishing(engine) as tables:
        tables.write("data", CountedRows(tuple(columns), found.counts), np.random.default_rng(1))
    with postgresql.connect() as connection:
        rows, again = (connection.execute(f"SELECT * FROM {t}").fetchall() for t in ("people", "release.data"))
    assert Counter(again) == Counter(rows)


@settings(max_examples=6, deadline=None)
@given(table=random_tables())
def test_every_type_survives_being_published(module_database: Database, table: pa.Table) -> None:
    engine = PostgreSQL(in_postgresql(module_database, table))
    found = engine.frequencies(["c0", "c1", "c2"])
    columns = []
    for i, (values, codes) in enumerate(zip(found.values, found.codes, strict=True)):
        known = [v for v in values if v is not None]
        place = np.array([len(known) if v is None else known.index(v) for v in values], dtype=np.int32)
        columns.append(CodedColumn(f"c{i}", place[codes], texts(known), exact=True))
    schema = f"s{secrets.token_hex(4)}"
    with publishing(engine, schema) as tables:
        tables.write("data", CountedRows(tuple(columns), found.counts), np.random.default_rng(1))
        opened = tables.open("data")
        assert list(opened.types.values()) == [engine._bases[f"c{i}"] for i in range(3)]
        assert combinations(opened.frequencies(["c0", "c1", "c2"])) == combinations(found)


def test_enumerations_and_domains_are_published_without_what_they_allow(postgresql: Database) -> None:
    postgresql.execute(
        "CREATE TYPE mood AS ENUM ('ok', 'a mood that only others have')",
        "CREATE DOMAIN age AS int CHECK (VALUE < 150)",
        "CREATE TABLE t (mood mood, age age, note json)",
        "INSERT INTO t VALUES ('ok', 40, '{}')",
    )
    plan = assignment([("40", 0, 0, 1, True, "40-49")])
    with publishing(PostgreSQL(postgresql.url("t"))) as tables:
        tables.rewrite("data", Rewriting(plan, ["age"], ["mood", "age", "note"], {}, 1))
        assert tables.open("data").types == {"mood": "text", "age": "integer", "note": "text"}


def assignment(rows: list[tuple[str | None, int, int, int, bool, str]]) -> pa.Table:
    key, number, first, last, kept, published = zip(*rows, strict=True)
    whole = {n: numbers(np.array(v, dtype=np.int64)) for n, v in (("id", number), ("first", first), ("last", last))}
    return pa.table({"k0": texts(key), **whole, "kept": truths(np.array(kept)), "p0": texts(published)})


@st.composite
def rewritings(draw: st.DrawFn, table: pa.Table) -> Rewriting:
    """Every combination of c0 split among some groups, kept or not."""
    found = DuckDB(table).frequencies(["c0"])
    rows = []
    for place, n in enumerate(found.counts.tolist()):
        ends = sorted({n, *draw(st.lists(st.integers(1, max(n - 1, 1)), max_size=2))})
        value = found.values[0][found.codes[0][place]]
        for first, last in zip([0, *ends], ends, strict=False):
            rows.append((value, place, first, min(last, n), draw(st.booleans()), f"{place} from {first}"))
    sorted_by = draw(st.sampled_from([[], ["c2"], ["c0", "c1"]]))
    return Rewriting(assignment(rows), ["c0"], ["c2", "c0", "c1"], {"c0": 0}, 7, draw(st.booleans()), sorted_by)


@settings(max_examples=10, deadline=None)
@given(table=random_tables(), asked=st.data())
def test_rows_are_rewritten_as_by_duckdb(
    module_database: Database, tmp_path_factory: pytest.TempPathFactory, table: pa.Table, asked: st.DataObject
) -> None:
    if not table.num_rows:
        return
    rewriting = asked.draw(rewritings(table))
    target = tmp_path_factory.mktemp("rewritten") / "data.parquet"
    DuckDB(table).rewrite(rewriting, target)
    engine = PostgreSQL(in_postgresql(module_database, table))
    with publishing(engine, f"s{secrets.token_hex(4)}") as tables:
        tables.rewrite("data", rewriting)
        written = combinations(tables.open("data").frequencies(["c0", "c1", "c2"]))
    assert engine.scans == 1
    assert written == combinations(DuckDB(target).frequencies(["c0", "c1", "c2"]))


def test_a_row_that_the_plan_does_not_know_stops_everything(postgresql: Database) -> None:
    engine = people(postgresql)
    plan = assignment([("40", 0, 0, 1, True, "40-49"), ("x", 1, 0, 1, True, "x")])
    with (
        pytest.raises(DataError, match=r"release\.data: has a row that the plan does not know"),
        publishing(engine) as tables,
    ):
        tables.rewrite("data", Rewriting(plan, ["age"], ["age", "sex"], {"age": 0}, 1))
    assert "release" not in schemas(postgresql)


def test_publishing_sees_the_table_as_the_run_has_seen_it(postgresql: Database) -> None:
    engine = people(postgresql)
    engine.frequencies(["age"])
    postgresql.execute("INSERT INTO people VALUES (99, 'f', NULL, NULL)", "DELETE FROM people WHERE age = 40")
    plan = assignment([("40", 0, 0, 1, True, "40-49"), ("41", 1, 0, 2, True, "40-49")])
    with publishing(engine) as tables:
        tables.rewrite("data", Rewriting(plan, ["age"], ["age", "sex"], {"age": 0}, 1))
        found = combinations(tables.open("data").frequencies(["age", "sex"]))
    assert found == {("40-49", "f"): 1, ("40-49", None): 1, ("40-49", ""): 1}


def test_rows_do_not_stand_in_the_order_of_the_source(postgresql: Database) -> None:
    postgresql.execute("CREATE TABLE t AS SELECT i AS v, 'x' AS w FROM generate_series(1, 50) AS i")
    plan = assignment([("x", 0, 0, 50, True, "*")])

    def stored(schema: str, seed: int) -> list[Any]:
        with publishing(PostgreSQL(postgresql.url("t")), schema) as tables:
            tables.rewrite("data", Rewriting(plan, ["w"], ["v", "w"], {"w": 0}, seed))
        with postgresql.connect() as connection:
            return list(connection.execute(f"SELECT v FROM {schema}.data ORDER BY ctid").fetchall())

    first = stored("a", 1)
    postgresql.execute("CREATE TABLE u AS SELECT * FROM t ORDER BY v DESC", "DROP TABLE t", "ALTER TABLE u RENAME TO t")
    assert first == stored("b", 1) != stored("c", 2)
    assert first != sorted(first)


def test_a_fingerprint_notices_every_change_but_not_the_order(postgresql: Database) -> None:
    engine = people(postgresql)
    with publishing(engine) as tables:
        tables.write("data", counted([3, 1, 1]), np.random.default_rng(1))
        tables.write("sensitive", counted([3, 1, 1]))
        told = tables.about("data")
        assert told == tables.about("sensitive") and told["rows"] == 5
        tables.describe("{}")
    assert read_schema("postgresql://", "release").about("data") == told
    for change in (
        "UPDATE release.data SET said = '' WHERE \"group\" = 2",
        'UPDATE release.data SET "group" = 2 WHERE "group" = 1',
        "INSERT INTO release.data SELECT * FROM release.data LIMIT 1",
        "ALTER TABLE release.data RENAME said TO says",
        'ALTER TABLE release.data ALTER "group" TYPE int',
    ):
        before = read_schema("postgresql:///#whatever", "release").about("data")
        postgresql.execute(change)
        assert read_schema("postgresql://", "release").about("data") != before


def test_a_release_is_replaced_only_if_it_is_one_and_if_asked(postgresql: Database) -> None:
    engine = people(postgresql)
    for rows in (1, 2):
        with publishing(engine, replace=rows == 2) as tables:
            tables.write("data", counted([rows]))
            tables.describe(f"of {rows} rows")
    release = read_schema("postgresql://", "release")
    assert (release.about("data")["rows"], release.manifest()) == (2, "of 2 rows")
    del release
    with pytest.raises(DataError, match="there is a release in this schema; replace it"), publishing(engine):
        pass
    rule = "is the schema of the source"
    with pytest.raises(DataError, match=rule), publishing(PostgreSQL("postgresql:///#release.data"), replace=True):
        pass
    postgresql.execute("CREATE SCHEMA theirs", "CREATE TABLE theirs.manifest (manifest text)")
    rule = "theirs: there is such a schema, and no release of ours in it"
    with pytest.raises(DataError, match=rule), publishing(engine, "theirs", replace=True):
        pass
    assert schemas(postgresql) >= {"release", "theirs"}


@pytest.mark.parametrize(
    "more",
    [
        "CREATE VIEW people_view AS SELECT * FROM release.data",
        "CREATE TABLE release.mine (v int)",
        "CREATE TABLE release.auxiliary_mine (v int)",
    ],
)
def test_what_others_have_built_upon_a_release_is_not_dropped(postgresql: Database, more: str) -> None:
    engine = people(postgresql)
    with publishing(engine) as tables:
        tables.write("data", counted([1]))
        tables.describe("{}")
    postgresql.execute(more)
    rule = "release: something else in the database depends on it"
    with pytest.raises(DataError, match=rule), publishing(engine, replace=True):
        pass
    assert read_schema("postgresql://", "release").about("data")["rows"] == 1


def test_a_replacement_that_fails_leaves_the_earlier_release(postgresql: Database) -> None:
    engine = people(postgresql)
    with publishing(engine) as tables:
        tables.write("data", counted([1]))
        tables.describe("{}")
    with pytest.raises(RuntimeError), publishing(engine, replace=True) as tables:
        tables.write("data", counted([5]))
        raise RuntimeError
    assert read_schema("postgresql://", "release").about("data")["rows"] == 1


@pytest.mark.parametrize(
    "schema, rule",
    [("", "has no name"), ("é" * 32, "longer than 63 bytes"), ("pg_release", "begin with pg_ are the server's own")],
)
def test_a_schema_that_can_not_be_is_refused(postgresql: Database, schema: str, rule: str) -> None:
    with pytest.raises(DataError, match=rule), publishing(people(postgresql), schema):
        pass


def test_a_table_whose_name_would_be_cut_off_is_refused(postgresql: Database) -> None:
    with pytest.raises(DataError, match="longer than 63 bytes"), publishing(people(postgresql)) as tables:
        tables.name("auxiliary_" + "x" * 54)


def test_a_schema_may_have_any_name(postgresql: Database) -> None:
    schema = 'Gesundheit 100% "; DROP TABLE people; --'
    with publishing(people(postgresql), schema) as tables:
        tables.write("data", counted([1]))
        tables.describe("it's a \\ manifest")
    assert schema in schemas(postgresql) and read_schema("postgresql://", schema).about("data")["rows"] == 1


def test_who_may_not_publish_is_told_what_to_ask_for(postgresql: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    people(postgresql)
    role = f"reader_{secrets.token_hex(4)}"
    postgresql.execute(
        f"CREATE ROLE {role} LOGIN",
        f"GRANT SELECT ON people TO {role}",
        f"REVOKE ALL ON DATABASE {postgresql.name} FROM PUBLIC",
        f"GRANT CONNECT ON DATABASE {postgresql.name} TO {role}",
    )
    monkeypatch.setenv("PGUSER", role)
    try:
        with pytest.raises(DataError) as caught, publishing(PostgreSQL(postgresql.url("people"))):
            pass
        said = str(caught.value)
        assert "GRANT CREATE ON DATABASE" in said and "GRANT TEMPORARY ON DATABASE" in said
        assert role not in said and postgresql.name not in said
    finally:
        postgresql.execute(f"DROP OWNED BY {role}", f"DROP ROLE {role}")


def test_a_release_that_is_not_there_is_said_plainly(postgresql: Database) -> None:
    with pytest.raises(DataError, match="no such schema"):
        read_schema("postgresql://", "nowhere")
    with publishing(people(postgresql)) as tables:
        tables.write("data", counted([1]))
    with pytest.raises(DataError, match="sensitive: no such table"):
        read_schema("postgresql://", "release").open("sensitive")


def test_of_two_who_publish_the_same_at_once_one_is_told(postgresql: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = people(postgresql), PostgreSQL("postgresql:///#people")
    monkeypatch.setitem(postgresql_session._SETTINGS, "lock_timeout", "200ms")
    with publishing(first) as tables:
        tables.write("data", counted([1]))
        tables.describe("{}")
        with pytest.raises(DataError, match="or writing one there; try again later"), publishing(second):
            pass
    assert read_schema("postgresql://", "release").about("data")["rows"] == 1


def test_a_table_that_somebody_keeps_locked_is_not_waited_for_without_end(
    postgresql: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = people(postgresql)
    monkeypatch.setitem(postgresql_session._SETTINGS, "lock_timeout", "200ms")
    with postgresql.connect() as other:
        other.execute("BEGIN")
        other.execute("LOCK TABLE people IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(DataError, match="people: somebody else has locked the table"):
            PostgreSQL("postgresql:///#people").frequencies(engine.columns)
