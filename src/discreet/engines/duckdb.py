"""DuckDB, the embedded engine: reads files and frames, counts, rewrites. Larger tables than memory spill to disk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from discreet.engines.arrow import to_numpy
from discreet.engines.profile import ColumnProfile
from discreet.engines.sources import arrow_table, check_column_names, relation
from discreet.engines.sql import name, text
from discreet.errors import DataError, Mistake


@dataclass(frozen=True, eq=False)
class Frequencies:
    """Distinct combinations of some columns, in no order: the values of each column (as text), and codes into them."""

    values: tuple[tuple[str | None, ...], ...]
    codes: tuple[Any, ...]  # int32 arrays
    counts: Any  # int64 array


class DuckDB:
    """One table, and the few verbs that are asked of it. `scans` counts the passes over its rows."""

    def __init__(self, source: Path | str | Any):
        import duckdb

        self._duckdb = duckdb
        self._connection = duckdb.connect()
        self._connection.execute("SET preserve_insertion_order = false")
        self.scans = 0
        if isinstance(source, str | Path):
            self._place = str(source)
            self._relation = relation(Path(source))
        else:
            self._place = "source"
            self._connection.register("frame", arrow_table(source))
            self._relation = "frame"
        with self._plainly():
            found = self._connection.sql(f"SELECT * FROM {self._relation} LIMIT 0")
        self.columns: tuple[str, ...] = tuple(found.columns)
        self.types = dict(zip(self.columns, (str(t) for t in found.types), strict=True))
        check_column_names(self.columns, self._place)

    def frequencies(self, columns: Sequence[str]) -> Frequencies:
        """The distinct combinations of `columns` with their counts: one scan. NULL is a value."""
        inner = ", ".join(f"{name(c)} AS c{i}" for i, c in enumerate(columns))
        keys = ", ".join(f"c{i}" for i in range(len(columns)))
        outer = ", ".join(f"CAST(c{i} AS VARCHAR) AS c{i}" for i in range(len(columns)))
        # Grouped by the values as they are (numbers group faster), then written as text once per combination.
        query = (
            f"SELECT {outer}, n FROM (SELECT {keys}, count(*) AS n FROM (SELECT {inner} FROM {self._relation}) "
            f"GROUP BY {keys})"
        )
        known: list[dict[str | None, int]] = [{} for _ in columns]
        codes: list[list[Any]] = [[] for _ in columns]
        counts = [np.empty(0, dtype=np.int64)]
        with self._plainly():
            self.scans += 1
            # Batch by batch, so that the texts of millions of combinations are never in memory together.
            for batch in self._connection.sql(query).to_arrow_reader():
                for i, numbers in enumerate(known):
                    column = batch.column(i).dictionary_encode(null_encoding="encode")
                    found = [numbers.setdefault(v, len(numbers)) for v in column.dictionary.to_pylist()]
                    codes[i].append(np.array(found, dtype=np.int32)[to_numpy(column.indices)])
                counts.append(to_numpy(batch.column(len(columns))).astype(np.int64))
        none = np.empty(0, dtype=np.int32)
        return Frequencies(
            tuple(tuple(numbers) for numbers in known),
            tuple(np.concatenate([none, *parts]) for parts in codes),
            np.concatenate(counts),
        )

    def profile(self) -> list[ColumnProfile]:
        """What can be said of each column by itself: one scan into a table of the engine, then counts."""
        with self._plainly():
            self.scans += 1
            self._connection.execute(f"CREATE OR REPLACE TEMP TABLE profiled AS SELECT * FROM {self._relation}")
            return [self._profile_of(column) for column in self.columns]

    def _profile_of(self, column: str) -> ColumnProfile:
        c = name(column)
        counts = f"SELECT count(*), count(DISTINCT {c}), count(*) - count({c}) FROM profiled"
        rows, distinct, nulls = self._connection.sql(counts).fetchall()[0]
        top = self._connection.sql(
            f"SELECT CAST({c} AS VARCHAR) AS v, count(*) AS n FROM profiled GROUP BY v ORDER BY n DESC, v LIMIT 1000"
        ).fetchall()
        return ColumnProfile(column, rows, distinct + (nulls > 0), nulls, tuple((v, n) for v, n in top))

    def rewrite(
        self,
        assignment: Any,
        keys: Sequence[str],
        columns: Sequence[str],
        published: Mapping[str, int],
        target: Path,
        seed: int,
        star: bool,
    ) -> None:
        """Write `columns` of every row the way the assignment says, in random order: one scan.

        `assignment` is an Arrow table: k0… (values of `keys`, as text), first and last (which of the equal rows it
        speaks of, numbered at random), kept, and p0… (published values); `published` names the columns that become one
        of those, the others are written as they are. Rows not kept are left out, or with `star` are all ``*``.
        """
        place = {column: i for i, column in enumerate(self.columns)}
        numbered = bool(np.any(to_numpy(assignment.column("first"))))
        match = [f"CAST(s.t{place[k]} AS VARCHAR) IS NOT DISTINCT FROM a.k{i}" for i, k in enumerate(keys)]
        if numbered:
            match.append("s.equal >= a.first AND s.equal < a.last")
        partition = ", ".join(f"t{place[k]}" for k in keys)
        equal = f"row_number() OVER (PARTITION BY {partition} ORDER BY hash(rowid, {seed}), rowid) - 1"
        shown = []
        for column in columns:
            value = f"a.p{published[column]}" if column in published else f"s.t{place[column]}"
            if star:
                value = f"CASE WHEN a.kept THEN CAST({value} AS VARCHAR) ELSE '*' END"
            shown.append(f"{value} AS {name(column)}")
        # LEFT JOIN, and an error for a row it does not find: an inner join would drop it without a word.
        query = f"""
            SELECT {", ".join(shown)}
            FROM (SELECT *, rowid AS place{f", {equal} AS equal" if numbered else ""} FROM taken) s
            LEFT JOIN assignment a ON {" AND ".join(match)}
            WHERE CASE WHEN a.kept IS NULL THEN error('row without a plan') ELSE a.kept OR {str(star).lower()} END
            ORDER BY hash(s.place, {seed} + 1), s.place"""
        taken = ", ".join(f"{name(c)} AS t{i}" for i, c in enumerate(self.columns))
        self._connection.register("assignment", assignment)
        with self._plainly():
            self.scans += 1
            # A table of the engine gives the rows numbers, which make the random order repeatable for a seed.
            self._connection.execute(f"CREATE OR REPLACE TEMP TABLE taken AS SELECT {taken} FROM {self._relation}")
            self._copy(query, target)
            self._connection.execute("DROP TABLE taken")

    def write(self, batches: Iterator[Any], target: Path) -> None:
        """Write Arrow batches as they come; in CSV, NULL is nothing and "" is a pair of quotes."""
        import pyarrow as pa

        first = next(batches)
        if target.suffix == ".parquet":
            # Dictionary columns go straight through: 2.5 times as fast as a COPY of the same batches.
            from pyarrow import parquet

            with parquet.ParquetWriter(target, first.schema) as writer, ThreadPoolExecutor(1) as pool:
                written = pool.submit(writer.write_batch, first)
                for batch in batches:  # the next batch is put together while this one is written
                    written.result()
                    written = pool.submit(writer.write_batch, batch)
                written.result()
            return
        reader = pa.RecordBatchReader.from_batches(first.schema, chain([first], batches))
        self._connection.register("outgoing", reader)
        with self._plainly():
            self._copy("SELECT * FROM outgoing", target)

    def arrow_type(self, column: str) -> Any:
        """The Arrow type of a column."""
        empty = self._connection.sql(f"SELECT {name(column)} FROM {self._relation} LIMIT 0").to_arrow_table()
        return empty.schema.types[0]

    def _copy(self, query: str, target: Path) -> None:
        form = "FORMAT parquet" if target.suffix == ".parquet" else "FORMAT csv, HEADER, NULLSTR ''"
        self._connection.execute("SET preserve_insertion_order = true")
        self._connection.execute(f"COPY ({query}) TO {text(str(target))} ({form})")
        self._connection.execute("SET preserve_insertion_order = false")

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        """DuckDB's messages quote the row they stumbled on; say the place and the rule instead."""
        try:
            yield
        except self._duckdb.Error as error:
            raise DataError(_mistake(self._place, str(error))) from None


def _mistake(place: str, message: str) -> Mistake:
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f"{place}, line {line[1]}" if line else place
    message = message.split("Possible Solution")[0].split("Possible fixes")[
        0
    ]  # after it comes the dialect, quotes and all
    known = [
        (r"not utf-8|Invalid unicode|encoding", "is not UTF-8 text", "save the file as UTF-8"),
        (r"unterminated|quote", "a quoted value does not end", "close the quote, or check that the file is complete"),
        (
            r"Expected Number of Columns: (\d+) Found: (\d+)",
            "has {1} values where the header has {0} columns",
            "check that the file is complete and that values with the delimiter in them are quoted",
        ),
        (
            r"maximum line size|Maximum line size",
            "a row is longer than two megabytes",
            "check for a quote that is not closed",
        ),
        (r"No space left|could not write", "no space left for temporary files", "free some disk space"),
        (r"Out of Memory|out of memory", "the engine ran out of memory", "use fewer columns or a machine with more"),
        (r"parquet|Parquet|magic bytes", "is not a whole Parquet file", "write it again, or check the download"),
    ]
    for pattern, rule, repair in known:
        found = re.search(pattern, message, re.IGNORECASE)
        if found:
            return Mistake(where, rule.format(*found.groups()), repair)
    return Mistake(where, "the engine can't read this table", "check that the file is complete and well formed")
