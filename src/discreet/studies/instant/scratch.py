"""Temporary tables beside a table of an engine, for those who ask many questions about the same rows.

Nothing that publishes needs them: reading is enough for that. They vanish with the object that they were made by.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.postgresql.session import answer, begin, connect, settle
from discreet.engines.sql.engine import SqlEngine

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.engines.postgresql.engine import PostgreSQL


class Scratch(Protocol):
    """Where temporary tables are made and asked."""

    wide: str  # a type of whole numbers whose products do not overflow

    def quotient(self, dividend: str, divisor: int) -> str:
        """SQL of a whole number divided by another, without the rest."""

    def give(self, table: str, rows: pa.Table) -> None:
        """A table of ours: texts and whole numbers."""

    def keep(self, table: str, query: str) -> None:
        """The answer of a query, as a table."""

    def ask(self, query: str) -> Iterator[pa.RecordBatch]:
        """The answer of a query, batch by batch; texts as strings, whole numbers as int64."""

    def plainly(self) -> AbstractContextManager[None]:
        """Errors as place and rule, without values."""


def scratch_of(engine: SqlEngine) -> Scratch:
    """Temporary tables where an engine's table is."""
    if isinstance(engine, DuckDB):
        return _InDuckDB(engine)
    from discreet.engines.postgresql.engine import PostgreSQL

    assert isinstance(engine, PostgreSQL), type(engine).__name__
    return _InPostgreSQL(engine)


class _InDuckDB:
    """In the engine's own connection, whose temporary tables are nobody else's."""

    wide = "HUGEINT"

    def __init__(self, engine: DuckDB):
        self._engine, self._connection = engine, engine._connection
        self.plainly, self.ask = engine._plainly, engine._ask

    def quotient(self, dividend: str, divisor: int) -> str:
        return f"{dividend} // {divisor}"

    def give(self, table: str, rows: pa.Table) -> None:
        self._connection.register("given", rows)
        self.keep(table, "SELECT * FROM given")
        self._connection.unregister("given")

    def keep(self, table: str, query: str) -> None:
        self._connection.execute(f"CREATE TEMP TABLE {table} AS {query}")


class _InPostgreSQL:
    """In a connection of its own, which may write: in a transaction that sees the table as the engine does."""

    wide = "numeric"

    def __init__(self, engine: PostgreSQL):
        self._engine, self.plainly = engine, engine._plainly
        self._connection = connect(engine._options, engine._place)
        weakref.finalize(self, self._connection.close)
        with self.plainly():
            [(snapshot,)] = engine._connection.execute("SELECT pg_export_snapshot()").fetchall()
            begin(self._connection, write=True, snapshot=snapshot)
            settle(self._connection)

    def quotient(self, dividend: str, divisor: int) -> str:
        return f"div({dividend}, {divisor})"

    def give(self, table: str, rows: pa.Table) -> None:
        self.keep(table, f"SELECT * FROM {self._engine._relation_of(rows)} AS given")

    def keep(self, table: str, query: str) -> None:
        self._connection.execute(f"CREATE TEMP TABLE {table} ON COMMIT DROP AS {query}".encode())
        self._connection.execute(f"ANALYZE {table}".encode())  # or every query would be planned for a small table

    def ask(self, query: str) -> Iterator[pa.RecordBatch]:
        return answer(self._connection, query)
