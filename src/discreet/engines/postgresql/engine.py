"""PostgreSQL: a table, a view or a foreign table, counted in the server.

All is read in one read-only transaction: every scan sees the table as it was when the first one began, whoever writes
to it meanwhile. Only frequencies leave the server, in one stream per question.
"""

from __future__ import annotations

import weakref
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from discreet.engines.base import Tables
from discreet.engines.lists import listed_values
from discreet.engines.postgresql import statistics
from discreet.engines.postgresql import types as kinds
from discreet.engines.postgresql.address import address, server
from discreet.engines.postgresql.conditions import condition, valid_day
from discreet.engines.postgresql.session import answer, begin, connect, plainly, settle
from discreet.engines.profile import ColumnProfile
from discreet.engines.rows import Condition, ListedIn
from discreet.engines.sources import check_column_names
from discreet.engines.sql.engine import SqlEngine
from discreet.engines.sql.pairs import grouped_set
from discreet.engines.sql.quoting import name, text
from discreet.engines.sql.reading import DATE
from discreet.errors import DataError, Mistake, Unavailable

if TYPE_CHECKING:
    import psycopg

    from discreet.engines.postgresql.publishing import PublishedSchema
    from discreet.engines.statistics import Statistics

_READABLE = ("r", "p", "v", "m", "f")  # tables, partitioned ones, views, materialized ones, foreign tables
_COMMON = 1000  # values of a column that a profile shows
_LARGEST = (1 << 63) - 1  # of a bigint


class PostgreSQL(SqlEngine):
    """One table, and the verbs of `base.Engine`, answered by a server.

    `url` is ``postgresql://…#[schema.]table`` (see `address`), without a user or password. Columns that the
    reader may not see are not there. `named` are columns that the table is said to have; the server knows better.
    """

    forms: tuple[str, ...] = ("table", "csv", "parquet")
    text_type = "text"
    once = "MATERIALIZED "

    _connection: psycopg.Connection[Any]
    _table: str  # its name in SQL, whatever rows and columns of it are meant
    _bases: dict[str, str]  # the type of each column, as `types` knows it
    _options: dict[str, str]  # how to connect once more

    def __init__(self, url: str, named: Collection[str] = ()):
        where = address(url)
        self._place, self._options = where.place, where.options
        self._connection = connect(where.options, where.place)
        weakref.finalize(self, self._connection.close)
        with self._plainly():
            begin(self._connection)
            self._open(where.sql)

    @classmethod
    def within(cls, connection: psycopg.Connection[Any], schema: str, table: str) -> PostgreSQL:
        """A table as a transaction that has begun sees it."""
        opened = cls.__new__(cls)
        opened._place, opened._options, opened._connection = table, {}, connection
        with opened._plainly():
            opened._open(f"{name(schema)}.{name(table)}")
        return opened

    def _open(self, table: str) -> None:
        """Find the table by the reader's own search path, and all that is to be known of its columns."""
        self.scans, self._lists = 0, dict[ListedIn, str]()
        relations = self._connection.execute(
            f"""SELECT c.oid::bigint, n.nspname, c.relname, c.relkind::text
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass({text(table)})"""
        ).fetchall()
        settle(self._connection)
        if not relations or relations[0][3] not in _READABLE:
            rule = "is not a table" if relations else "no such table"
            raise DataError(Mistake(self._place, rule, "check its schema and name; capitals matter"))
        oid, schema, relation, _ = relations[0]
        columns = self._connection.execute(_COLUMNS.format(oid=oid)).fetchall()
        self.types = {column: declared for column, declared, _, readable in columns if readable}
        self._bases = {column: base for column, _, base, readable in columns if readable}
        self.columns = tuple(self.types)
        if not self.columns:
            if not columns:
                raise DataError(Mistake(self._place, "has no columns", "add one"))
            repair = f"ask its owner for: GRANT SELECT ON {self._place} TO your role"
            raise Unavailable(Mistake(self._place, "has no column that you may read", repair))
        check_column_names(self.columns, self._place)
        self._relation = self._table = f"{name(schema)}.{name(relation)}"
        if len(self.columns) < len(columns):
            self._relation = f"(SELECT {', '.join(map(name, self.columns))} FROM {self._relation} AS seen)"

    # What PostgreSQL adds to the common words.

    def name(self, column: str) -> str:
        return name(column)

    def text(self, value: str) -> str:
        return text(value)

    def _ask(self, query: str) -> Iterator[pa.RecordBatch]:
        return answer(self._connection, query)

    def _plainly(self, place: str = "") -> AbstractContextManager[None]:
        return plainly(place or self._place)

    def _relation_of(self, table: pa.Table) -> str:
        """As arrays within the query: to read is enough, no table has to be made."""
        rows = [row for row in zip(*(column.to_pylist() for column in table.columns), strict=True) if _sayable(row)]
        columns = zip(*rows, strict=True) if rows else ((),) * table.num_columns
        arrays = ", ".join(
            f"CAST({text(_array(values))} AS {'text' if str(kind).endswith('string') else 'bigint'}[])"
            for values, kind in zip(columns, table.schema.types, strict=True)
        )
        return f"(SELECT * FROM unnest({arrays}) AS ours({', '.join(map(name, table.column_names))}))"

    def _condition(self, row_condition: Condition) -> str:
        if isinstance(row_condition, ListedIn) and row_condition not in self._lists:
            self._lists[row_condition] = self._relation_of(listed_values(row_condition))
        listed = self._lists[row_condition] if isinstance(row_condition, ListedIn) else ""
        return condition(row_condition, self._kind(row_condition.column), listed)

    def _number(self, written: str) -> str:
        number = f"CAST({written} AS numeric)"
        inside = f"{number} BETWEEN -9223372036854775808 AND 9223372036854775807"
        return f"""CASE WHEN {written} ~ '^(0|-?[1-9][0-9]{{0,18}})$'
            THEN CASE WHEN {inside} THEN CAST({number} AS bigint) ELSE -1 END ELSE -1 END"""

    def _group_number(self, column: str) -> str:
        if kinds.WHOLE.fullmatch(self._kind(column)):
            return f"COALESCE(CAST({name(column)} AS bigint), -1)"
        return super()._group_number(column)

    def _hash(self, text: str) -> str:
        return f"(hashtextextended({text}, 0) & {_LARGEST})"

    def _both(self, first: str, second: str) -> str:
        return f"({first} # {second})"

    def _one_to(self, n: str) -> str:
        return f"generate_series(1, {n})"

    def _fault(self, seen: str) -> str:
        return f"CAST(1 / COALESCE({seen}, 0) AS text)"  # not a constant, which the planner would try beforehand

    def _whole_type(self) -> str:
        return "integer"

    def _kind(self, column: str) -> str:
        return self.types[column] if self.types[column] in ("integer", "text") else self._bases[column]

    def _key(self, column: str) -> str:
        return kinds.key(name(column), self._kind(column))

    def _written(self, value: str, column: str) -> str:
        return kinds.written(value, self._kind(column))

    def _matches(self, column: str, value: str, text: str) -> str:
        """By one equality, with a place for NULL: of IS NOT DISTINCT FROM, PostgreSQL would try all pairs of rows."""
        return f"COALESCE('=' || {self._written(value, column)}, '') = COALESCE('=' || {text}, '')"

    def _like(self, value: str, pattern: str) -> str:
        return f"({value} ~ {text(f'^(?:{pattern})$')})"

    def _found(self, value: str, pattern: str) -> str:
        return f"substring({value} from {text(pattern)})"

    def _real_day(self, year: str, month: str, day: str, found: str) -> str:
        written = f"{year} || '-' || lpad({month}, 2, '0') || '-' || lpad({day}, 2, '0')"
        there = f"{valid_day(year, month, day)} IS NOT NULL"
        return f"CASE WHEN {found} IS NOT NULL THEN CASE WHEN {there} THEN {written} END END"

    def _day_of_moment(self, column: str) -> str | None:
        if not kinds.DAYS.fullmatch(self._kind(column)):
            return None
        return name(column) if self._kind(column) == "date" else f"CAST({name(column)} AS date)"

    def _is_nan(self, column: str) -> str | None:
        number = self._kind(column) in ("real", "double precision")
        return f"{name(column)} = 'NaN'" if number else None

    def _is_text(self, column: str) -> bool:
        return self._kind(column).startswith(("text", "character", "enum", '"char"', "name", "bpchar"))

    def _become(self, columns: Mapping[str, str]) -> None:
        names = {column: "date" if kind == DATE else "text" for column, kind in columns.items()}
        self.types, self._bases = self.types | names, self._bases | names

    # Verbs of its own.

    def kind_of(self, column: str) -> str:
        """The type of a column, as `types` knows it."""
        return self._kind(column)

    def texts(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """All rows of some columns as texts, batch by batch: one scan."""
        taken = ", ".join(f"{self._written(name(c), c)} AS c{i}" for i, c in enumerate(columns))
        return self._asked(f"SELECT {taken} FROM {self._relation} AS t")

    def profile(self) -> list[ColumnProfile]:
        """What can be said of each column by itself: one scan."""
        keys = [f"c{i}" for i in range(len(self.columns))]
        taken = ", ".join(f"{self._key(c)} AS {key}" for c, key in zip(self.columns, keys, strict=True))
        texts = [self._written(key, c) for c, key in zip(self.columns, keys, strict=True)]
        query = f"""
            WITH sets AS (SELECT {grouped_set(keys)} AS a, {", ".join(keys)}, count(*) AS n
                FROM (SELECT {taken} FROM {self._relation} AS t) AS u
                GROUP BY GROUPING SETS ({", ".join(f"({key})" for key in keys)})),
            singles AS (SELECT a, n, CASE a {" ".join(f"WHEN {i} THEN {t}" for i, t in enumerate(texts))} END AS v
                FROM sets),
            ranked AS (SELECT a, v, n, row_number() OVER (PARTITION BY a ORDER BY n DESC, v) AS place,
                sum(n) OVER (PARTITION BY a) AS rows, count(*) OVER (PARTITION BY a) AS found,
                sum(CASE WHEN v IS NULL THEN n ELSE 0 END) OVER (PARTITION BY a) AS nulls FROM singles)
            SELECT a, v, n, CAST(rows AS bigint), found, CAST(nulls AS bigint)
            FROM ranked WHERE place <= {_COMMON} ORDER BY a, place"""
        by_column: list[list[Any]] = [[] for _ in self.columns]
        for batch in self._asked(query):
            for a, *about in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                by_column[a].append(about)
        return [_profile(column, about) for column, about in zip(self.columns, by_column, strict=True)]

    def statistics(self, columns: Sequence[str], seed: int | None = None) -> Statistics:
        """What the planner keeps about some columns of the whole table: no scan. See `statistics`."""
        return statistics.read_statistics(self, columns, seed)

    def drawn_statistics(self, columns: Sequence[str], seed: int | None = None) -> Statistics:
        """The same from a sample of the table's pages, whatever is kept."""
        return statistics.drawn_statistics(self, columns, seed)

    @contextmanager
    def publishing(
        self, folder: Path, form: str, schema: str = "", replace: bool = False, escape: bool = False
    ) -> Iterator[Tables]:
        """Tables in a schema of their own, in the same database: they are there when all is done, or not at all.

        Or files in a folder, which whoever made it puts into place: then nothing is written in the database.
        """
        if form != self.forms[0]:
            from discreet.engines.postgresql.files import files_of  # late: most releases stay in the database

            yield files_of(self, folder, form, escape)
            return
        from discreet.engines.postgresql.publishing import WrittenSchema  # late: it is made of this module

        with self._plainly():
            [(snapshot,)] = self._connection.execute("SELECT pg_export_snapshot()").fetchall()
        connection = connect(self._options, self._place)
        try:
            written = WrittenSchema(connection, schema, self)
            written.begin(snapshot, replace)
            yield written
            with plainly(schema):
                connection.commit()
        finally:
            connection.close()


def read_schema(url: str, schema: str) -> PublishedSchema:
    """The tables of a finished release, to be read; what table the url names does not matter."""
    from discreet.engines.postgresql.publishing import PublishedSchema  # late: it is made of this module

    connection = connect(server(url), schema)
    read = PublishedSchema(connection, schema)
    weakref.finalize(read, connection.close)
    with plainly(schema):
        begin(connection)
        settle(connection)
        if not connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [schema]).fetchall():
            repair = "check its name and the database: capitals matter"
            raise DataError(Mistake(schema, "no such schema in this database", repair))
    return read


def _profile(column: str, about: list[list[Any]]) -> ColumnProfile:
    rows, distinct, nulls = about[0][2:] if about else (0, 0, 0)
    return ColumnProfile(column, rows, distinct, nulls, tuple((v, n) for v, n, *_ in about))


def _sayable(row: tuple[Any, ...]) -> bool:
    """Can a server have it? No text of PostgreSQL has a zero byte."""
    return not any(isinstance(value, str) and "\0" in value for value in row)


def _array(values: Collection[str | int | None]) -> str:
    """An array as PostgreSQL writes it.

    >>> print(_array(["a", None, 'say "b"', ""]))
    {"a",NULL,"say \\"b\\"",""}
    """
    quoted = ("NULL" if v is None else str(v) if isinstance(v, int) else '"' + _escaped(v) + '"' for v in values)
    return "{" + ",".join(quoted) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


# Name and type of each column, the type that domains rest on, and whether we may read it.
_COLUMNS = """
    WITH RECURSIVE columns AS (SELECT attrelid, attnum, attname, atttypid, atttypmod FROM pg_attribute
        WHERE attrelid = {oid} AND attnum > 0 AND NOT attisdropped),
    chain AS (SELECT attnum, atttypid AS type, atttypmod AS modifier FROM columns
        UNION ALL SELECT chain.attnum, t.typbasetype, t.typtypmod FROM chain JOIN pg_type t ON t.oid = chain.type
        WHERE t.typtype = 'd')
    SELECT attname, format_type(atttypid, atttypmod),
        CASE t.typtype WHEN 'e' THEN 'enum' ELSE format_type(type, modifier) END,
        has_column_privilege(attrelid, attnum, 'SELECT')
    FROM columns JOIN chain USING (attnum) JOIN pg_type t ON t.oid = chain.type
    WHERE t.typtype <> 'd' ORDER BY attnum"""
