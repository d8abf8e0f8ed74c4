"""DuckDB, the embedded engine: reads files and frames, counts, rewrites. Larger tables than memory spill to disk."""

from __future__ import annotations

import re
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, count
from pathlib import Path
from typing import Any, Self

import duckdb
import numpy as np
import pyarrow as pa

from discreet.engines.arrow import numbered_texts, numbers
from discreet.engines.base import Frequencies, PairCounts, Rewriting, Tables
from discreet.engines.duckdb.conditions import condition
from discreet.engines.duckdb.databases import Database
from discreet.engines.duckdb.formulas import unescaped, unescaped_sql, written_sql
from discreet.engines.duckdb.memory import limit_in_bytes, memory_limit, one_thread
from discreet.engines.duckdb.publishing import WrittenFiles
from discreet.engines.duckdb.rewriting import rewritten
from discreet.engines.duckdb.stored_codes import stored_frequencies
from discreet.engines.duckdb.texts import as_text, is_float
from discreet.engines.duckdb.writing import write_csv, write_parquet
from discreet.engines.profile import ColumnProfile
from discreet.engines.reading import AS_IT_STANDS, Reading
from discreet.engines.rows import Condition, ListedIn
from discreet.engines.sources import arrow_table, is_parquet, listed, readable, relation
from discreet.engines.sql.engine import SqlEngine
from discreet.engines.sql.pairs import pair_counts
from discreet.engines.sql.quoting import name, text
from discreet.errors import DataError, Mistake, Unavailable, did_you_mean

# Types whose equal values have one text each; and those whose values can be read back from their text.
_PLAIN = re.compile(r"VARCHAR|U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|BOOLEAN|DATE|TIMESTAMP(_S|_MS|_NS)?|DECIMAL\(.*\)")
_SCALAR = re.compile(rf"{_PLAIN.pattern}|FLOAT|DOUBLE|TIME|TIMESTAMP WITH TIME ZONE|UUID|BLOB")

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")

_WORTH = 1 << 20  # bytes of a Parquet file from which its stored codes are counted; a smaller one is read at once
_NARROW = 50  # columns that are profiled together
_TOP = 1000  # the most common values of a column that a profile tells
_TABLES = count()  # small tables of ours, through one connection
_MEMORY = (
    "generalize or leave out columns with very many values, use a machine with more memory, "
    "or let TMPDIR name a folder on a larger disk"
)

_ENCODING = "write its encoding in the policy, for example encoding: cp1252, or save it as UTF-8"

_open: weakref.WeakSet[DuckDB] = weakref.WeakSet()


def interrupt() -> None:
    """End all queries: DuckDB itself sees a signal at once, but works on to the end of the query."""
    for engine in list(_open):
        engine._connection.interrupt()


class DuckDB(SqlEngine):
    """One table, and the few verbs that are asked of it. `scans` counts the passes over its rows.

    `named` are columns that the table is said to have: they tell a header from a row. `reading` says what its bytes
    mean, if it is a file (of cells, `read_as`), and was `said_of_it` or of another table. One that is opened `beside`
    another lives in its database, by a connection of its own: opening a database takes longer than counting a small
    table. The two must not be asked at the same time: whether rows stay in order is said for a whole database.
    """

    forms: tuple[str, ...] = ("csv", "parquet")

    def __init__(
        self,
        source: Path | str | Any,
        named: Collection[str] = (),
        reading: Reading = AS_IT_STANDS,
        *,
        said_of_it: bool = True,
        beside: DuckDB | None = None,
    ):
        database = Database() if beside is None else beside._database
        self._connection: duckdb.DuckDBPyConnection = database.connect()
        self._database: Database = database  # said last: what goes first has given back its memory when this one goes
        _open.add(self)
        self._connection.execute("SET preserve_insertion_order = false")
        # Gives memory back once a query is done: the peak of a run over 10 million rows is 0.8 GB lower.
        self._connection.execute("SET allocator_background_threads = true")
        self._connection.execute(f"SET memory_limit = {text(memory_limit())}")
        with suppress(duckdb.InvalidInputException):  # in a notebook without widgets even this is refused: it has none
            self._connection.execute("SET enable_progress_bar = false")  # it writes to where answers go
        self._connection.execute("SET TimeZone = 'UTC'")  # a moment has one text, on whatever machine
        self._folder = self._database.folder
        self.scans = 0
        self._lists: dict[ListedIn, str] = {}  # tables with values from files
        if isinstance(source, str | Path):
            self._place = str(source)
            source = readable(Path(source), reading, self._folder, said_of_it=said_of_it)
        else:
            self._place = "source"
            source = arrow_table(source)
        self._stored: tuple[Path, str] | None = None  # a large Parquet file, and how it is read as it stands
        if isinstance(source, Path):
            self._relation = relation(source, named, reading.delimiter, self._place)
            if is_parquet(source) and source.stat().st_size >= _WORTH:
                self._stored = source, self._relation
        else:
            self._relation = "frame"
            with self._plainly():
                self._connection.register("frame", source)
        with self._plainly():
            empty = self._connection.sql(f"SELECT * FROM {self._relation} LIMIT 0")
        self.columns: tuple[str, ...] = tuple(empty.columns)
        self.types = dict(zip(self.columns, (str(t) for t in empty.types), strict=True))

    @classmethod
    def keeping(cls, types: Mapping[str, str], batches: Iterable[pa.RecordBatch] = ()) -> Self:
        """A table of columns with these types, whose texts come in batches. What does not fit in memory is spilled."""
        kept = cls(pa.table({column: pa.array([], pa.string()) for column in types}))
        declared = ", ".join(f"{name(column)} {kind}" for column, kind in types.items())
        kept._relation = "kept"
        with kept._plainly():
            kept._connection.execute(f"CREATE TEMP TABLE kept ({declared})")
            kept.types = dict(zip(types, map(str, kept._connection.sql("SELECT * FROM kept").types), strict=True))
        for batch in batches:  # outside of `_plainly`: their engine has words of its own for what goes wrong
            with kept._plainly():
                kept._connection.register("incoming", pa.Table.from_batches([batch]))
                cast = ", ".join(
                    f"CAST({name(own)} AS {kind})" for own, kind in zip(batch.schema.names, types.values(), strict=True)
                )
                kept._connection.execute(f"INSERT INTO kept SELECT {cast} FROM incoming")
                kept._connection.unregister("incoming")
        return kept

    def name(self, column: str) -> str:
        return name(column)

    def text(self, value: str) -> str:
        return text(value)

    def _ask(self, query: str) -> Iterator[Any]:
        return iter(self._connection.sql(query).to_arrow_reader())

    def _relation_of(self, table: Any) -> str:
        registered = f"ours{next(_TABLES)}"
        self._connection.register(registered, table)
        return registered

    def _condition(self, row_condition: Condition) -> str:
        if isinstance(row_condition, ListedIn) and row_condition not in self._lists:
            self._lists[row_condition] = self._list(row_condition)
        return condition(row_condition, self._text_of(row_condition.column), self._lists)

    def _number(self, written: str) -> str:
        number = f"TRY_CAST({written} AS BIGINT)"
        return f"CASE WHEN CAST({number} AS VARCHAR) = {written} THEN {number} ELSE -1 END"

    def _hash(self, text: str) -> str:
        return f"CAST(hash({text}) >> 1 AS BIGINT)"

    def _both(self, first: str, second: str) -> str:
        return f"xor({first}, {second})"

    def _one_to(self, n: str) -> str:
        return f"unnest(range(1, {n} + 1))"

    def _fault(self, seen: str) -> str:
        return "error('row without a plan')"

    def listed_values(self, listing: ListedIn) -> pa.Table:
        """The distinct values that a file lists, in column v."""
        with self._plainly(str(listing.file)):
            return self._connection.sql(f"SELECT v FROM {self._list(listing)}").to_arrow_table()

    def _list(self, listing: ListedIn) -> str:
        """The table that the values of a file are in, read once: later changes of the file do not matter."""
        with self._plainly(str(listing.file)):
            source, columns = listed(listing.file, listing.column, listing.encoding, self._folder)
            columns = columns or tuple(self._connection.sql(f"SELECT * FROM {source} LIMIT 0").columns)
            if listing.column not in columns and len(columns) > 1:
                rule = f"has no column {listing.column!r}"
                raise DataError(Mistake(str(listing.file), rule, did_you_mean(listing.column, columns)))
            value = name(listing.column if listing.column in columns else columns[0])
            table = f"listed{next(_TABLES)}"
            [kind] = self._connection.sql(f"SELECT {value} FROM {source} LIMIT 0").types
            values = f"SELECT DISTINCT {as_text(value, str(kind))} AS v FROM {source} WHERE {value} IS NOT NULL"
            self._connection.execute(f"CREATE TEMP TABLE {table} AS {values}")
        return table

    def rows(self, columns: Sequence[str], known: Sequence[dict[str | None, int]], in_order: bool = False) -> Any:
        """All rows of `columns`, batch by batch: per column the number of each row's value. One scan. NULL is a value.

        `known` has the numbers of each column's values (as text) and grows as new ones are met. `in_order`, the rows
        come as they stand in the table, which is slower.
        """
        taken = ", ".join(f"{self._text_of(c)} AS c{i}" for i, c in enumerate(columns))
        with self._plainly():
            self.scans += 1
            self._connection.execute(f"SET preserve_insertion_order = {'true' if in_order else 'false'}")
            try:
                for batch in self._connection.sql(f"SELECT {taken} FROM {self._relation}").to_arrow_reader():
                    yield [numbered_texts(batch.column(i), place) for i, place in enumerate(known)]
            finally:
                self._connection.execute("SET preserve_insertion_order = false")

    def _frequencies(
        self, columns: Sequence[str], number: Sequence[str] = (), person: str | None = None
    ) -> tuple[Frequencies, Any]:
        """The same sooner, of a large Parquet file that is counted as it stands."""
        if self._stored and self._stored[1] == self._relation and columns and not number:
            path, most = self._stored[0], limit_in_bytes(self._connection) // 2
            counted = stored_frequencies(path, columns, self.types, person, most)
            if counted is not None:
                self.scans += 1
                return counted, []
        return super()._frequencies(columns, number, person)

    def pair_counts(self, columns: Sequence[str]) -> PairCounts:
        """Counts of single values and of pairs of values of every two columns: one scan."""
        return pair_counts(self.rows, columns)

    def profile(self) -> list[ColumnProfile]:
        """What can be said of each column by itself: one scan into a table of the engine, then counts."""
        scan = f"CREATE OR REPLACE TEMP TABLE profiled AS SELECT * FROM {self._relation}"
        with self._plainly():
            self.scans += 1
            if len(self.columns) <= _NARROW:
                self._connection.execute(scan)
                return self._profiles_of(self.columns, "profiled")
            with one_thread(self._connection):  # each thread would hold a part of every column
                self._connection.execute(scan)
                profiles = []
                for start in range(0, len(self.columns), _NARROW):
                    columns = self.columns[start : start + _NARROW]
                    # Every query looks at all columns of its table, needed or not.
                    few = f"SELECT {', '.join(map(name, columns))} FROM profiled"
                    self._connection.execute(f"CREATE OR REPLACE TEMP TABLE narrow AS {few}")
                    profiles += self._profiles_of_many(columns, "narrow")
                return profiles

    def _profiles_of_many(self, columns: Sequence[str], table: str) -> list[ColumnProfile]:
        """The same in one short query: in a table of thousands of columns, asking takes longer than counting."""
        [(rows,)] = self._connection.sql(f"SELECT count(*) FROM {table}").fetchall()
        texts = ", ".join(map(self._text_of, columns))
        cells = f"SELECT unnest(range({len(columns)})) AS i, unnest([{texts}]) AS v FROM {table}"
        values = self._connection.sql(
            f"""SELECT i, v, n, count(v) OVER of_column, coalesce(sum(n) FILTER (v IS NULL) OVER of_column, 0)
                FROM (SELECT i, v, count(*) AS n FROM ({cells}) GROUP BY i, v) WINDOW of_column AS (PARTITION BY i)
                QUALIFY row_number() OVER (PARTITION BY i ORDER BY n DESC, v) <= {_TOP} ORDER BY i, n DESC, v"""
        ).fetchall()
        counts = [(0, 0)] * len(columns)
        top: list[list[tuple[str | None, int]]] = [[] for _ in columns]
        for i, value, n, distinct, nulls in values:
            counts[i] = distinct, int(nulls)
            top[i].append((value, n))
        return [
            ColumnProfile(column, rows, distinct + (nulls > 0), nulls, tuple(most))
            for column, (distinct, nulls), most in zip(columns, counts, top, strict=True)
        ]

    def _profiles_of(self, columns: Sequence[str], table: str) -> list[ColumnProfile]:
        """Two queries for all of them."""
        counts = ", ".join(f"count(DISTINCT {self._key(c)}), count(*) - count({name(c)})" for c in columns)
        [(rows, *of_columns)] = self._connection.sql(f"SELECT count(*), {counts} FROM {table}").fetchall()
        each = (
            f"(SELECT {i} AS i, {self._text_of(c)} AS v, count(*) AS n FROM {table} "
            f"GROUP BY 2 ORDER BY 3 DESC, 2 LIMIT {_TOP})"  # by place: the table may have columns of these names
            for i, c in enumerate(columns)
        )
        top: list[list[tuple[str | None, int]]] = [[] for _ in columns]
        for i, value, n in self._connection.sql(f"{' UNION ALL '.join(each)} ORDER BY i, n DESC, v").fetchall():
            top[i].append((value, n))
        return [
            ColumnProfile(column, rows, distinct + (nulls > 0), nulls, tuple(most))
            for column, distinct, nulls, most in zip(columns, of_columns[::2], of_columns[1::2], top, strict=True)
        ]

    @contextmanager
    def publishing(
        self, folder: Path, form: str, schema: str = "", replace: bool = False, escape: bool = False
    ) -> Iterator[Tables]:
        """Files in a folder, which whoever made it puts into place."""
        yield WrittenFiles(folder, form, self, escape=escape)

    def unescaped(self) -> Self:
        """The same CSV file, whose formulas have apostrophes in front, as what it means."""
        meant = {column: unescaped(column) for column in self.columns}
        taken = ", ".join(f"{unescaped_sql(name(column))} AS {name(said)}" for column, said in meant.items())
        part = self._part(f"(SELECT {taken} FROM {self._relation})")
        part.columns, part.types = tuple(meant.values()), dict.fromkeys(meant.values(), "VARCHAR")
        return part

    def rewrite(self, rewriting: Rewriting, target: Path, escape: bool = False) -> None:
        """Write the rows of the table recoded, in random order or sorted: one scan."""
        query = rewritten(self, rewriting, escape, typed=target.suffix == ".parquet")
        self._connection.register("assignment", rewriting.assignment)
        with self._plainly():
            self.scans += 1
            try:
                self._copy(query, target, escape)
            except duckdb.OutOfMemoryException:  # what is sorted is spilled, but not what each thread holds of it
                self.scans += 1
                with one_thread(self._connection):
                    self._copy(query, target, escape)

    def write(self, batches: Iterator[Any], target: Path, escape: bool = False) -> None:
        """Write Arrow batches as they come; in CSV, NULL is nothing and "" is a pair of quotes."""
        first = next(batches)
        if target.suffix == ".parquet":
            write_parquet(first, batches, target)
            return
        taken = written_sql({name(column): column for column in first.schema.names}, escape)

        def copy(table: Any, part: Path, header: bool) -> None:
            self._connection.register("outgoing", table)
            self._copy(f"SELECT {taken} FROM outgoing", part, escape, header)

        with self._plainly():
            write_csv(chain([first], batches), target, copy)
        self._connection.unregister("outgoing")

    def ask_in_order(self, taken: str) -> pa.Table:
        """Columns (in SQL) of the table, as an Arrow table whose rows stand as they do here."""
        with self._plainly():
            self.scans += 1
            self._connection.execute("SET preserve_insertion_order = true")
            try:
                return self._connection.sql(f"SELECT {taken} FROM {self._relation}").to_arrow_table()
            finally:
                self._connection.execute("SET preserve_insertion_order = false")

    @property
    def scalars(self) -> dict[str, str]:
        """The types of columns whose values can be read back from their texts, and are no texts themselves."""
        return {c: kind for c, kind in self.types.items() if kind != "VARCHAR" and _SCALAR.fullmatch(kind)}

    def typed(self, column: str, texts: Any) -> Any:
        """Texts of a column's values (an Arrow array) in the column's own type again.

        Types with parts of their own stay text. So do enumerations: they carry values that no row has.
        """
        if column not in self.scalars:
            return texts
        self._connection.register("given", pa.table({"place": numbers(np.arange(len(texts))), "v": texts}))
        query = f"SELECT CAST(v AS {self.types[column]}) FROM given ORDER BY place"
        with self._plainly():
            return self._connection.sql(query).to_arrow_table().column(0).combine_chunks()

    def _like(self, value: str, pattern: str) -> str:
        return f"regexp_full_match({value}, {text(pattern)})"

    def _found(self, value: str, pattern: str) -> str:
        return f"NULLIF(regexp_extract({value}, {text(pattern)}, 1), '')"

    def _real_day(self, year: str, month: str, day: str, found: str) -> str:
        return (
            f"CAST(TRY_CAST({year} || '-' || lpad({month}, 2, '0') || '-' || lpad({day}, 2, '0') AS DATE) AS VARCHAR)"
        )

    def _day_of_moment(self, column: str) -> str | None:
        if self.types[column].startswith("TIMESTAMP"):
            return f"CAST({name(column)} AS DATE)"
        return name(column) if self.types[column] == "DATE" else None

    def _is_nan(self, column: str) -> str | None:
        if not is_float(self.types[column]):
            return None
        # DuckDB takes isnan(x) for false if the statistics of a Parquet file name a largest x: they don't count NaN. A
        # text is looked at only where a number is no whole one of any size.
        return (
            f"CASE WHEN TRY_CAST({name(column)} AS HUGEINT) IS NULL THEN {self._text_of(column)} = 'nan' ELSE FALSE END"
        )

    def _is_text(self, column: str) -> bool:
        return self.types[column] == "VARCHAR" or self.types[column].startswith("ENUM")

    def _key(self, column: str) -> str:
        """What rows are counted by: values as they are where equal ones are written alike, else as text (0.0, −0.0)."""
        return name(column) if _PLAIN.fullmatch(self.types[column]) else self._text_of(column)

    def _written(self, value: str, column: str) -> str:
        return as_text(value, self.types[column])

    def _text_of(self, column: str) -> str:
        """SQL of the text of a column's values."""
        return as_text(name(column), self.types[column])

    def _named(self, value: str, column: str) -> str:
        """Whole numbers stay numbers: hundreds of thousands of people are to be written once, not in every row."""
        return f"CAST({value} AS BIGINT)" if self.types[column] in _WHOLE else self._written(value, column)

    def plain(self, column: str) -> str:
        """A column to be written as it is; enumerations as text, since their type lists values of rows left out.

        So are intervals, which few readers of Parquet understand.
        """
        as_text = self.types[column].startswith("ENUM") or self.types[column] == "INTERVAL"
        return f"CAST({name(column)} AS VARCHAR)" if as_text else name(column)

    def _copy(self, query: str, target: Path, escape: bool, header: bool = True) -> None:
        form = "FORMAT parquet" if target.suffix == ".parquet" else f"FORMAT csv, HEADER {header}, NULLSTR ''"
        if escape:  # a spreadsheet with another separator would begin a cell at one of its own, if nothing is quoted
            form += ", FORCE_QUOTE *"
        self._connection.execute("SET preserve_insertion_order = true")
        self._connection.execute(f"COPY ({query}) TO {text(str(target))} ({form})")
        self._connection.execute("SET preserve_insertion_order = false")

    @contextmanager
    def _plainly(self, place: str = "") -> Iterator[None]:
        """DuckDB's messages quote the row they stumbled on; say the place and the rule instead."""
        try:
            yield
        except duckdb.InterruptException:
            raise KeyboardInterrupt from None
        except duckdb.Error as error:
            away = isinstance(error, duckdb.OutOfMemoryException) or _NO_LOOK.search(str(error))
            kind = Unavailable if away else DataError
            raise kind(_mistake(place or self._place, str(error))) from None
        except RuntimeError as error:
            if str(error) == "Query interrupted":  # what it makes of Ctrl-C
                raise KeyboardInterrupt from None
            raise


# What says nothing about the table, only that it can't be looked at: permissions, the disk, memory.
_NO_LOOK = re.compile(
    r"permission denied|input/output error|too many open files|no space left|could not (write|read)"
    r"|max_temp_directory_size|out of memory",
    re.IGNORECASE,
)


def _mistake(place: str, message: str) -> Mistake:
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f"{place}, line {line[1]}" if line else place
    # After the message come the dialect and its quotes; before it, the row and its values.
    message = re.split(r"Possible Solution|Possible fixes", message)[0].strip()
    if "Original Line:" in message:
        message = message.splitlines()[-1]
    known = [
        (r"not utf-8|Invalid unicode|encoding", "is not UTF-8 text", _ENCODING),
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
        (
            r"state machine reached an invalid state",
            "breaks the rules of CSV: a quote inside a value, or line ends of two kinds",
            "save the file again as CSV",
        ),
        (
            "row without a plan",
            "has different rows from when it was counted",
            "start again when nobody is changing the table",
        ),
        (r"Unsupported .*Arrow Type", "has a column of a type the engine can't read", "make it text or a number"),
        (r"No space left|could not write|max_temp_directory_size", "no space left for temporary files", _MEMORY),
        (r"Out of Memory|out of memory", "the engine ran out of memory", _MEMORY),
        (r"permission denied", "you may not read this file", "ask its owner for the permission"),
        (r"parquet|Parquet|magic bytes", "is not a whole Parquet file", "write it again, or check the download"),
    ]
    for pattern, rule, repair in known:
        match = re.search(pattern, message, re.IGNORECASE)
        if match:
            return Mistake(where, rule.format(*match.groups()), repair)
    return Mistake(where, "the engine can't read this table", "check that the file is complete and well formed")
