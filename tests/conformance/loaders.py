"""How a table comes into each engine, and how an outsider reads what was published there: no code of `discreet`."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from discreet.engines.base import Engine
from discreet.engines.open import open_source
from tests.releases.reading import read_file
from tests.servers import Database

Rows = Counter[tuple[Any, ...]]

_NUMBERS = count()
_POSTGRESQL = {
    pa.string(): "text",
    pa.int64(): "bigint",
    pa.int32(): "integer",
    pa.int16(): "smallint",
    pa.bool_(): "boolean",
    pa.float64(): "double precision",
    pa.float32(): "real",
    pa.date32(): "date",
    pa.timestamp("us"): "timestamp",
    pa.timestamp("us", "UTC"): "timestamptz",
}


class Loader(ABC):
    """One engine, and a place for its tables."""

    form: str  # of releases, with types

    def __init__(self, folder: Path):
        self.folder = folder

    @abstractmethod
    def source(self, table: pa.Table) -> Any:
        """Load a table; returns what `source=` may be."""

    def open(self, table: pa.Table) -> Engine:
        return open_source(self.source(table)).as_it_stands  # what a policy makes of cells is a matter of its own

    def target(self) -> Path:
        """A new place for a release."""
        return self.folder / f"release_{next(_NUMBERS)}"

    def read(self, folder: Path, name: str, schema: str) -> tuple[list[str], Rows]:
        """Columns and rows of a published table, as Python values."""
        columns, rows = read_file(folder / name)
        return columns, as_counted(rows)

    def spoil(self, folder: Path, name: str, schema: str) -> None:
        """Exchange a row for another one that is there already."""
        path = folder / name
        part = min(path.iterdir()) if path.is_dir() else path
        table = parquet.read_table(part)
        parquet.write_table(pa.concat_tables([table.slice(1), table.slice(1, 1)]), part)

    def published(self, folder: Path) -> list[str]:
        """What is left of a release: where a folder holds it, whoever made the folder removes it."""
        return []

    def _parquet(self, table: pa.Table) -> Path:
        path = self.folder / f"table_{next(_NUMBERS)}.parquet"
        parquet.write_table(table, path)
        return path


class DuckDBLoader(Loader):
    form = "parquet"

    def source(self, table: pa.Table) -> Path:
        return self._parquet(table)


class PostgreSQLLoader(Loader):
    form = "table"

    def __init__(self, folder: Path, database: Database):
        super().__init__(folder)
        self.database = database

    def source(self, table: pa.Table) -> str:
        name = f"table_{next(_NUMBERS)}"
        columns = ", ".join(f"{quoted(field.name)} {postgresql_type(field.type)}" for field in table.schema)
        with self.database.connect() as connection:
            connection.execute(f"CREATE TABLE {name} ({columns})")
            with connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
                for row in zip(*(c.to_pylist() for c in table.columns), strict=True):
                    copy.write_row(row)
        return self.database.url(name)

    def read(self, folder: Path, name: str, schema: str) -> tuple[list[str], Rows]:
        with self.database.connect() as connection:
            found = connection.execute(f"SELECT * FROM {quoted(schema)}.{quoted(name)}", binary=True)
            return [c.name for c in found.description], as_counted(found.fetchall())

    def spoil(self, folder: Path, name: str, schema: str) -> None:
        table = f"{quoted(schema)}.{quoted(name)}"
        self.database.execute(
            f"DELETE FROM {table} WHERE ctid = (SELECT min(ctid) FROM {table})",
            f"INSERT INTO {table} SELECT * FROM {table} LIMIT 1",
        )

    def published(self, folder: Path) -> list[str]:
        """The release's schema, and temporary tables of whoever."""
        with self.database.connect() as connection:
            schemas = "SELECT nspname FROM pg_namespace WHERE nspname = %s"
            passing = "SELECT relname FROM pg_class WHERE relpersistence = 't'"
            found = [*connection.execute(schemas, [folder.name]), *connection.execute(passing)]
        return [name for (name,) in found]


class PostgreSQLFilesLoader(PostgreSQLLoader):
    """The same tables, published as files."""

    form = "parquet"
    read, spoil, published = Loader.read, Loader.spoil, Loader.published


class SparkLoader(Loader):
    form = "parquet"

    def __init__(self, folder: Path, session: Any):
        super().__init__(folder)
        self.session = session

    def source(self, table: pa.Table) -> Any:
        return self.session.read.parquet(str(self._parquet(table)))


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def postgresql_type(kind: pa.DataType) -> str:
    if pa.types.is_decimal(kind):
        return f"numeric({kind.precision}, {kind.scale})"
    return _POSTGRESQL[kind]


def as_counted(rows: Any) -> Rows:
    """Rows of Python values as a multiset; NaN equals itself and is apart from NULL, 0.0 and −0.0 are two values."""
    return Counter(tuple(map(_plain, row)) for row in rows)


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return ("float", "nan" if math.isnan(value) else value.hex())
    if isinstance(value, datetime) and value.tzinfo:
        return ("instant", value.astimezone(UTC).replace(tzinfo=None).isoformat())
    return (type(value).__name__, value)
