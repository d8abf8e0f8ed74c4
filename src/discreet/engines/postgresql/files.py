"""A release of a table in PostgreSQL as files: for whoever may read the table, and may write nothing in the database.

Most releases are written from counts, which are here already. Only columns that are published as they are have to be
read out, with the columns that tell which group a row is in: once, by the transaction that counted them. They are kept
by DuckDB, which spills what does not fit in memory, and writes the files as it does for tables of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.engines.base import Rewriting
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.publishing import WrittenFiles

if TYPE_CHECKING:
    from discreet.engines.postgresql.engine import PostgreSQL

_MOST_DIGITS = 38  # of a decimal number in DuckDB
_TYPES = {
    "smallint": "SMALLINT",
    "integer": "INTEGER",
    "bigint": "BIGINT",
    "boolean": "BOOLEAN",
    "real": "FLOAT",
    "double precision": "DOUBLE",
    "date": "DATE",
    "uuid": "UUID",
    "bytea": "BLOB",
}


@dataclass(frozen=True, eq=False)
class FilesOfTable(WrittenFiles):
    """Files of a release while they are written; what they need of the table beyond its counts is read out of it."""

    table: PostgreSQL = field(kw_only=True)

    def rewrite(self, table: str, rewriting: Rewriting) -> None:
        """Write the table's own rows, recoded: one scan of it, for the columns that this takes."""
        raw = [column for column in rewriting.columns if column not in rewriting.published]
        needed = list(dict.fromkeys([*rewriting.keys, *raw]))
        types = {column: duckdb_type(self.table.kind_of(column)) for column in needed}
        kept = DuckDB.keeping(types, self.table.texts(needed))
        kept.rewrite(rewriting, self.folder / table, self.escape)


def files_of(table: PostgreSQL, folder: Path, form: str, escape: bool) -> FilesOfTable:
    """Where the files of a release of this table go. What is published as it is has the type that it has there."""
    types = {column: duckdb_type(table.kind_of(column)) for column in table.columns}
    return FilesOfTable(folder, form, DuckDB.keeping(types), escape=escape, table=table)


def duckdb_type(kind: str) -> str:
    """The type of DuckDB that holds the values of a type of PostgreSQL and writes them alike; else text.

    >>> [duckdb_type(kind) for kind in ("integer", "numeric(10,2)", "numeric", "timestamp(3) with time zone", "inet")]
    ['INTEGER', 'DECIMAL(10,2)', 'VARCHAR', 'TIMESTAMP WITH TIME ZONE', 'VARCHAR']
    """
    if (decimal := re.fullmatch(r"numeric\((\d+),(\d+)\)", kind)) and int(decimal[1]) <= _MOST_DIGITS:
        return f"DECIMAL({decimal[1]},{decimal[2]})" if int(decimal[2]) <= int(decimal[1]) else "VARCHAR"
    if moment := re.fullmatch(r"timestamp(?:\(\d\))? (with|without) time zone", kind):
        return "TIMESTAMP WITH TIME ZONE" if moment[1] == "with" else "TIMESTAMP"
    if re.fullmatch(r"time(\(\d\))? without time zone", kind):
        return "TIME"
    return _TYPES.get(kind, "VARCHAR")
