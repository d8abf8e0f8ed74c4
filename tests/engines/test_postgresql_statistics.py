"""What PostgreSQL's planner keeps, read without a scan; and by whom it can be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations, count
from secrets import token_hex

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.engines.postgresql.engine import PostgreSQL
from discreet.errors import DataError
from tests.engines.tables import TEXTS
from tests.servers import Database

_NUMBERS = count()
Row = Sequence[object]


def made(database: Database, rows: Sequence[Row], types: Sequence[str] = (), lists: Sequence[str] = ()) -> str:
    """A new analyzed table c0, c1, … with these rows; `lists` are columns to keep common combinations of."""
    name = f"stated_{next(_NUMBERS)}"
    width = len(types) or len(rows[0])
    columns = ", ".join(f"c{i} {(types or ['text'] * width)[i]}" for i in range(width))
    with database.connect() as connection:
        connection.execute(f"CREATE TABLE {name} ({columns})")
        with connection.cursor() as cursor:
            cursor.executemany(f"INSERT INTO {name} VALUES ({', '.join(['%s'] * width)})", rows)
        for i, listed in enumerate(lists):
            connection.execute(f"CREATE STATISTICS {name}_{i} (mcv) ON {listed} FROM {name}")
        connection.execute(f"ANALYZE {name}")
    return name


def opened(database: Database, name: str) -> PostgreSQL:
    return PostgreSQL(database.url(name))


@settings(max_examples=20)
@given(data=st.data())
def test_of_a_small_table_everything_is_kept_exactly(module_database: Database, data: st.DataObject) -> None:
    """Values that are rare among few rows are not: so every row is there thirty times."""
    pools = [data.draw(st.lists(st.none() | TEXTS, min_size=1, max_size=3, unique=True)) for _ in range(3)]
    rows = 30 * data.draw(st.lists(st.tuples(*map(st.sampled_from, pools)), min_size=1, max_size=4))
    engine = opened(module_database, made(module_database, rows, lists=["c0, c1", "c0, c2", "c0, c1, c2"]))
    found = engine.statistics(engine.columns)
    assert (found.rows, found.of_all, found.sampled, engine.scans) == (len(rows), True, False, 0)
    for i, column in enumerate(engine.columns):
        kept, counted = found.columns[column], Counter(row[i] for row in rows)
        assert kept.shares * len(rows) == pytest.approx([counted[v] for v in kept.values], abs=1e-3)
        assert (set(kept.values), kept.rest, kept.bounds) == (set(counted), 0.0, ())
    assert [set(o.columns) for o in found.objects] == [{"c0", "c1"}, {"c0", "c2"}, {"c0", "c1", "c2"}]
    for i, j in combinations(range(3), 2):
        joint = found.pair(f"c{i}", f"c{j}")
        assert joint is not None
        listed = dict(zip(zip(*joint.values, strict=True), np.rint(joint.shares * len(rows)).tolist(), strict=True))
        assert listed == Counter((row[i], row[j]) for row in rows)
        assert joint.covered == pytest.approx(1.0)
        assert joint.whole == ((i, j) != (1, 2))


TYPED = {
    "bigint": [7, -1],
    "boolean": [True, False],
    "date": ["2020-01-31", "0044-03-15 BC"],
    "timestamptz": ["2020-01-31 12:00:00+02", "2021-01-31 00:00:00.5+00"],
    "double precision": [1.0, 1e15, 0.1],
    "numeric(6,2)": ["1.50", "-3.00"],
    "numeric": ["1.50", "2"],
    "char(5)": ["ab", "abc"],
    "varchar(9)": ["", "it's"],
    "uuid": ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
    "bytea": [b"'a\\", b"\x00"],
}


@pytest.mark.parametrize("kind", TYPED)
def test_values_are_written_as_those_of_the_rows(module_database: Database, kind: str) -> None:
    rows = 30 * [(value, "x") for value in [*TYPED[kind], None]]
    engine = opened(module_database, made(module_database, rows, [kind, "text"], ["c0, c1"]))
    found = engine.statistics(engine.columns)
    assert set(found.known("c0")) == set(engine.frequencies(["c0"]).values[0])
    assert set(found.joint[0].values[0]) == set(engine.frequencies(["c0"]).values[0])


def test_enumerations_and_domains_are_written_as_the_rows_too(module_database: Database) -> None:
    module_database.execute("CREATE TYPE mood AS ENUM ('low', 'high')", "CREATE DOMAIN age AS int CHECK (VALUE > 0)")
    rows = 30 * [("low", 3), ("high", 4)]
    engine = opened(module_database, made(module_database, rows, ["mood", "age"], ["c0, c1"]))
    found = engine.statistics(engine.columns)
    assert set(found.known("c0")) == {"low", "high"}
    assert set(found.known("c1")) == {"3", "4"}


def test_of_many_values_the_common_ones_and_bounds_are_kept(module_database: Database) -> None:
    rows = [(i % 400 if i % 2 else 0,) for i in range(4000)]
    engine = opened(module_database, made(module_database, rows, ["int"]))
    kept = engine.statistics(["c0"]).columns["c0"]
    counted = Counter(str(v) for (v,) in rows)
    assert kept.values[0] == "0"
    assert kept.shares[0] == pytest.approx(0.5)
    assert kept.rest == pytest.approx(1 - sum(counted[str(v)] for v in kept.values) / 4000, abs=1e-6)
    assert kept.others == len(counted) - len(kept.values)
    numbers = [int(bound) for bound in kept.bounds]
    assert numbers == sorted(numbers)
    assert set(kept.bounds) <= set(counted) - set(kept.values)


@contextmanager
def somebody_else(database: Database, name: str) -> Iterator[PostgreSQL]:
    """A reader who does not own the table."""
    role = f"reader_{token_hex(4)}"
    database.execute(f"CREATE ROLE {role} LOGIN", f"GRANT SELECT ON {name} TO {role}")
    try:
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("PGUSER", role)
            engine = PostgreSQL(database.url(name))
            yield engine
            engine._connection.close()
    finally:
        database.execute(f"DROP OWNED BY {role}", f"DROP ROLE {role}")


def test_a_reader_who_is_not_the_owner_sees_single_columns_only(module_database: Database) -> None:
    rows = 30 * [("a", "x"), ("a", "y"), ("b", "y")]
    name = made(module_database, rows, lists=["c0, c1"])
    with somebody_else(module_database, name) as engine:
        found = engine.statistics(["c0", "c1"])
    assert set(found.columns["c0"].values) == {"a", "b"}
    assert found.joint == ()
    assert [(o.columns, o.covered) for o in found.objects] == [(("c0", "c1"), None)]
    assert not found.sampled


def test_a_table_that_nobody_analyzed_is_sampled(module_database: Database) -> None:
    name = f"stated_{next(_NUMBERS)}"
    module_database.execute(
        f"CREATE TABLE {name} WITH (autovacuum_enabled = off, fillfactor = 10) AS "
        "SELECT (i % 3)::text AS c0, (i % 2)::text AS c1 FROM generate_series(1, 30000) AS i"
    )
    engine = opened(module_database, name)
    found = engine.statistics(["c0", "c1"], seed=7)
    assert (found.sampled, engine.scans, found.of_all) == (True, 0, False)
    assert found.rows == pytest.approx(30_000, rel=0.1)
    assert found.columns["c0"].shares.sum() == pytest.approx(1.0)
    pair = found.pair("c0", "c1")
    assert pair is not None
    assert pair.covered == pytest.approx(1.0)
    again = opened(module_database, name).statistics(["c0", "c1"], seed=7)
    assert (again.rows, again.seen) == (found.rows, found.seen)


def test_to_sample_all_pages_of_a_small_table_is_a_scan(module_database: Database) -> None:
    name = f"stated_{next(_NUMBERS)}"
    module_database.execute(
        f"CREATE TABLE {name} WITH (autovacuum_enabled = off) AS SELECT 'a' AS c0 FROM generate_series(1, 10)"
    )
    engine = opened(module_database, name)
    assert (engine.statistics(["c0"]).rows, engine.scans) == (10, 1)


def test_a_partitioned_table_is_known_as_a_whole(module_database: Database) -> None:
    name = f"stated_{next(_NUMBERS)}"
    module_database.execute(
        f"CREATE TABLE {name} (c0 int, c1 text) PARTITION BY LIST (c0)",
        f"CREATE TABLE {name}_1 PARTITION OF {name} FOR VALUES IN (1)",
        f"CREATE TABLE {name}_2 PARTITION OF {name} FOR VALUES IN (2)",
        f"CREATE STATISTICS {name}_s (mcv) ON c0, c1 FROM {name}",
        f"INSERT INTO {name} SELECT 1 + i % 2, 'x' FROM generate_series(1, 200) AS i",
        f"ANALYZE {name}",
    )
    found = opened(module_database, name).statistics(["c0", "c1"])
    assert found.rows == 200
    assert dict(zip(found.columns["c0"].values, found.columns["c0"].shares, strict=True)) == {"1": 0.5, "2": 0.5}
    assert [o.columns for o in found.objects] == [("c0", "c1")]


def test_a_view_keeps_nothing_and_that_is_said(module_database: Database) -> None:
    name = made(module_database, [("a",)])
    module_database.execute(f"CREATE VIEW seen_{name} AS SELECT * FROM {name}")
    with pytest.raises(DataError, match="keeps no statistics"):
        opened(module_database, f"seen_{name}").statistics(["c0"])


def test_expressions_of_a_list_are_left_out(module_database: Database) -> None:
    rows = 30 * [("a", "x"), ("b", "y")]
    name = made(module_database, rows, lists=["c0, c1, (c0 || c1)"])
    [listed] = opened(module_database, name).statistics(["c0", "c1"]).joint
    assert (listed.columns, listed.whole) == (("c0", "c1"), False)
    assert sorted(zip(*listed.values, strict=True)) == [("a", "x"), ("b", "y")]
