"""Small random tables of many types, for engines to be compared on."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from datetime import date, datetime
from decimal import Decimal
from itertools import count
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from discreet.engines.base import Frequencies
from discreet.engines.duckdb.engine import DuckDB
from tests.servers import Database

TEXTS = st.one_of(
    st.sampled_from(
        ["", "a", "A", "á", "a\u0301", "NULL", "\\N", '"', "it's", "a,b", "\ufeffa", "x\r\ny", " a ", "\\."]
    ),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=4),
    st.from_regex(r"[+-]?[0-9]{1,3}(\.[0-9]{1,3})?(e[+-]?[0-9])?", fullmatch=True),
    st.from_regex(r" ?[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}([T ]12)?", fullmatch=True),
)
# Each kind of column: its type in PostgreSQL, in Arrow, and its values; few, so that rows are often equal.
KINDS: dict[str, tuple[str, Any, st.SearchStrategy[Any]]] = {
    "text": ("text", pa.string(), TEXTS),
    "whole": ("bigint", pa.int64(), st.sampled_from([0, 1, -1, 7, 2**63 - 1, -(2**63)])),
    "small": ("smallint", pa.int16(), st.integers(-3, 3)),
    "float": ("double precision", pa.float64(), st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 1e15, 1e16, 1e-5]))),
    "real": ("real", pa.float32(), st.one_of(st.floats(width=32), st.sampled_from([1e6, 1e15, 0.5]))),
    "truth": ("boolean", pa.bool_(), st.booleans()),
    "day": ("date", pa.date32(), st.dates(date(1, 1, 1))),
    "moment": ("timestamp", pa.timestamp("us"), st.datetimes(datetime(1, 1, 1))),
    "decimal": ("numeric(6,2)", pa.decimal128(6, 2), st.decimals(-9, 9, places=2)),
    "share": ("numeric(3,3)", pa.decimal128(3, 3), st.decimals("-0.999", "0.999", places=3)),
    "bytes": ("bytea", pa.binary(), st.one_of(st.binary(max_size=3), st.sampled_from([b"'a\\", b'"', b"\x7f~ "]))),
}
_NUMBERS = count()


@st.composite
def random_tables(draw: st.DrawFn, kinds: tuple[str, ...] = tuple(KINDS), max_rows: int = 12) -> pa.Table:
    """Columns c0, c1, c2 of whatever kinds, with their kind as metadata; NULL is a value of each."""
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=3, max_size=3))
    pools = [draw(st.lists(st.one_of(st.none(), KINDS[kind][2]), min_size=1, max_size=4)) for kind in chosen]
    rows = draw(st.lists(st.tuples(*map(st.sampled_from, pools)), max_size=max_rows))
    columns = [pa.array([row[i] for row in rows], type=KINDS[kind][1]) for i, kind in enumerate(chosen)]
    fields = [pa.field(f"c{i}", KINDS[kind][1], metadata={"kind": kind}) for i, kind in enumerate(chosen)]
    return pa.table(columns, schema=pa.schema(fields))


def in_postgresql(database: Database, table: pa.Table) -> str:
    """The same table in a database; returns its address."""
    name = f"random_{next(_NUMBERS)}"
    types = (KINDS[field.metadata[b"kind"].decode()][0] for field in table.schema)
    with database.connect() as connection:
        listed = ", ".join(f"{c} {kind}" for c, kind in zip(table.column_names, types, strict=True))
        connection.execute(f"CREATE TABLE {name} ({listed})")
        marks = ", ".join(["%s"] * table.num_columns)
        rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
        with connection.cursor() as cursor:
            cursor.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
    return database.url(name)


def combinations(found: Frequencies, *more: Any) -> Counter[tuple[Any, ...]]:
    """How often each combination of texts occurs, whatever their order."""
    columns = [[values[i] for i in codes] for values, codes in zip(found.values, found.codes, strict=True)]
    counted: Counter[tuple[Any, ...]] = Counter()
    for row, n in zip(zip(*columns, *(m.tolist() for m in more), strict=True), found.counts.tolist(), strict=True):
        counted[row] += n
    return counted


def rows_of(source: object, named: tuple[str, ...] = ()) -> Counter[tuple[str | None, ...]]:
    """Every row as often as the engine counts it."""
    engine = DuckDB(source, named)
    found = engine.frequencies(engine.columns)
    rows = zip(*([v[c] for c in codes] for v, codes in zip(found.values, found.codes, strict=True)), strict=True)
    return Counter({row: int(n) for row, n in zip(rows, found.counts, strict=True)})


# Columns of every type, and the text of each value.
COLUMNS = {
    "int64": (pa.array([2**63 - 1, -(2**63), None]), ["9223372036854775807", "-9223372036854775808", None]),
    "uint64": (pa.array([2**64 - 1, 0, None], pa.uint64()), ["18446744073709551615", "0", None]),
    "double": (pa.array([0.1, 1e300, None]), ["0.1", "1e+300", None]),
    "two zeros": (pa.array([0.0, -0.0, float("nan")]), ["0", "-0", "nan"]),
    "float": (pa.array([0.1, None, 2.5], pa.float32()), ["0.1", None, "2.5"]),
    "bool": (pa.array([True, False, None]), ["true", "false", None]),
    "date": (pa.array([dt.date(1, 1, 1), dt.date(9999, 12, 31), None]), ["0001-01-01", "9999-12-31", None]),
    "timestamp": (pa.array([dt.datetime(2024, 3, 1, 12, 30), None, None]), ["2024-03-01 12:30:00", None, None]),
    "moment": (pa.array([0, None, None], pa.timestamp("us", tz="Asia/Tokyo")), ["1970-01-01 00:00:00+00", None, None]),
    "decimal": (pa.array([Decimal("1.10"), None, Decimal("-0.05")]), ["1.10", None, "-0.05"]),
    "dictionary": (pa.array(["x", None, "x"]).dictionary_encode(), ["x", None, "x"]),
    "text": (pa.array(["", None, "NULL"]), ["", None, "NULL"]),
    "nothing": (pa.nulls(3), [None, None, None]),
    "list": (pa.array([[1, 2], [], None]), ["[1, 2]", "[]", None]),
}
