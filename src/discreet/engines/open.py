"""The engine that holds a table: by its address, its file, or the frame that it is."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from discreet.addresses import is_address
from discreet.engines.base import Engine, PublishedTables
from discreet.engines.duckdb.formulas import are_escaped
from discreet.engines.duckdb.publishing import PublishedFiles
from discreet.engines.reading import AS_IT_STANDS, Reading
from discreet.errors import DataError, Mistake, ReleaseError

POSTGRESQL = "postgresql"


def open_source(
    source: Any, named: Collection[str] = (), reading: Reading = AS_IT_STANDS, *, said_of_it: bool = True
) -> Engine:
    """Open a table; `named` are columns that it is said to have: they tell a header from a row.

    Its cells are read by the words in `reading`. Words about a file that were said of another table (not `said_of_it`)
    count where they fit.

    >>> open_source({"age": [40, 41]}).frequencies(["age"]).counts.tolist()
    [1, 1]
    """
    # Each engine is loaded when it is asked for: their libraries take long to load, and may not be installed.
    if type(source).__module__.split(".")[0] == "pyspark":
        from discreet.engines.spark.engine import Spark

        return Spark(source, named).read_as(reading)
    if isinstance(source, Path) or not isinstance(source, str) or not is_address(source):
        from discreet.engines.duckdb.engine import DuckDB

        return DuckDB(source, named, reading, said_of_it=said_of_it).read_as(reading)
    scheme, _, rest = source.partition(":")
    if scheme == "spark":
        from discreet.engines.spark.engine import Spark

        return Spark(rest, named, file=reading).read_as(reading)
    if scheme in ("postgresql", "postgres"):
        from discreet.engines.postgresql.engine import PostgreSQL

        return PostgreSQL(source, named).read_as(reading)
    repair = "name a CSV or Parquet file, postgresql://…#table, or spark:table"
    raise DataError(Mistake("source", f"no engine reads {scheme}:// addresses", repair))


def published_tables(
    folder: Path, database: object = None, address: str | None = None, csv: object = None
) -> PublishedTables:
    """The tables of a finished release: files of its folder, or what its manifest says of a `database`.

    The database is that of the environment, unless there is an `address`. `csv` is what the manifest says of CSV files.
    """
    if database is None:
        return PublishedFiles(folder, escape=are_escaped(csv))
    about = database if isinstance(database, dict) else {}
    if about.get("engine") != POSTGRESQL or not isinstance(about.get("schema"), str):
        raise ReleaseError(
            Mistake("manifest.json", "names a database that is not known here", "publish the table again")
        )
    from discreet.engines.postgresql.engine import read_schema

    return read_schema(address or f"{POSTGRESQL}://", about["schema"])
