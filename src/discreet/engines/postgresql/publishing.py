"""The tables of a release in a schema of their own: written in one transaction, by the server itself.

The transaction sees the source as the run has seen it so far. What it needs for a while are temporary tables, which are
gone with it; after an error, or if anybody is killed, there is nothing at all.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from discreet.engines.arrow import numbers, to_numpy
from discreet.engines.base import Rewriting
from discreet.engines.postgresql import types as kinds
from discreet.engines.postgresql.engine import PostgreSQL
from discreet.engines.postgresql.session import begin, plainly, settle
from discreet.engines.sql.quoting import name, text
from discreet.errors import DataError, Mistake

if TYPE_CHECKING:
    import psycopg

    from discreet.engines.counted_rows import CountedRows

LONGEST_NAME = 63  # bytes: the server cuts off what is longer
MANIFEST = "manifest"  # the table that tells what the others are
_FILES = "publish files: format: parquet (or csv) in the policy"
_OURS = "What is published in this schema, and what is promised about it. Written by discreet."
_PART = "Part of a release. Written by discreet."
_PRIVILEGES = {
    "CREATE": "make a schema",
    "TEMPORARY": "make temporary tables",
}
_REFUSED = {
    "42501": ("you may not write here", "ask the owner of the schema or of the database"),
    "22012": ("has a row that the plan does not know", "the table changed meanwhile: start again"),
    "23505": ("somebody else is making the same schema right now", "try again later, or choose another schema"),
    "55P03": (
        "somebody is reading the release that is to be replaced, or writing one there",
        "try again later, or choose another schema",
    ),
    "42939": ("names that begin with pg_ are the server's own", "choose another schema"),
}


class PublishedSchema:
    """The tables of a release, as one transaction sees them."""

    def __init__(self, connection: psycopg.Connection[Any], schema: str):
        self._connection, self.schema = connection, schema

    def open(self, table: str, named: Sequence[str] = ()) -> PostgreSQL:
        """A table, to be read."""
        return PostgreSQL.within(self._connection, self.schema, table)

    def about(self, table: str) -> dict[str, Any]:
        """How many rows it has, and a fingerprint of all that is in it, in whatever order: one scan, in the server.

        Every distinct row is a number (its SHA-256); these are added up, as often as there are such rows.
        """
        opened = self.open(table)
        texts = [opened._written(f"c{i}", c) for i, c in enumerate(opened.columns)]
        row_text = " || ".join(f"COALESCE(length({t}) || ':' || {t}, '-')" for t in texts)
        # In four parts of 32 bits: times a count, each of them is a bigint, which the server adds up fast and exactly.
        parts = (f"CAST(CAST('x' || substr(hash, {start}, 8) AS bit(32)) AS bigint)" for start in (1, 9, 17, 25))
        sums = ", ".join(f"COALESCE(sum({part} * n), 0)" for part in parts)
        query = f"""SELECT COALESCE(sum(n), 0), {sums}
            FROM (SELECT n, encode(sha256(convert_to({row_text}, 'UTF8')), 'hex') AS hash
            FROM ({opened._counted(opened.columns)}) AS v) AS hashed"""
        with plainly(table):
            [(rows, *added)] = self._connection.execute(query.encode()).fetchall()
        known = [opened.columns, [opened._bases[c] for c in opened.columns], int(rows), [str(p) for p in added]]
        return {"rows": int(rows), "fingerprint": hashlib.sha256(json.dumps(known).encode()).hexdigest()}

    def others(self, listed: Collection[str]) -> list[str]:
        """Tables and views in the schema that are no part of the release."""
        query = """SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = %s AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY 1"""
        with plainly(self.schema):
            tables = self._connection.execute(query.encode(), [self.schema]).fetchall()
        return [table for (table,) in tables if table not in (*listed, MANIFEST)]

    def manifest(self) -> str:
        """What was published, as it was described."""
        with plainly(f"{self.schema}.{MANIFEST}"):
            manifests = self._connection.execute(f"SELECT manifest FROM {self._name(MANIFEST)}".encode()).fetchall()
        return str(manifests[0][0]) if manifests else ""

    def _name(self, table: str) -> str:
        return f"{name(self.schema)}.{name(table)}"


class WrittenSchema(PublishedSchema):
    """The same while they are written, from the table of an engine."""

    def __init__(self, connection: psycopg.Connection[Any], schema: str, source: PostgreSQL):
        super().__init__(connection, schema)
        self._source, self._temporary = source, (f"pg_temp.discreet_{i}" for i in count())

    def begin(self, snapshot: str, replace: bool) -> None:
        """Make the schema; an earlier release there is dropped if it is to be replaced, and nothing else ever is."""
        # Looked at in a transaction of its own: the snapshot may be older than what stands there now.
        with self._plainly():
            mistakes = [*self._mistakes_of_name(), *self._missing_privileges(), *self._standby()]
            earlier, more = self._earlier(replace)
            self._connection.rollback()
        if mistakes or more:
            raise DataError(*mistakes, *more)
        with self._plainly():
            begin(self._connection, write=True, snapshot=snapshot)
            settle(self._connection)
            # Table by table: what others have put there, or built upon it, makes the last of it fail.
            for table in earlier:
                self._execute(f"DROP TABLE {self._name(table)}")
            if earlier:
                self._execute(f"DROP SCHEMA {name(self.schema)}")
            self._execute(f"CREATE SCHEMA {name(self.schema)}")
            self._execute(f"COMMENT ON SCHEMA {name(self.schema)} IS {text('A release, written by discreet.')}")

    def name(self, stem: str) -> str:
        """What a table is called there."""
        if len(stem.encode()) > LONGEST_NAME:
            rule = f"the name of this table is longer than {LONGEST_NAME} bytes"
            raise DataError(Mistake(stem, rule, "give the column a shorter name, by a view"))
        return stem

    def write(self, table: str, rows: CountedRows, random: np.random.Generator | None = None) -> None:
        """Write rows as often as they count: the distinct ones are sent, and repeated in the server.

        They stand by a hash of what is published, or in their own order.
        """
        distinct = rows.distinct()
        order, lot = "repeated.place", "0"  # a column may be called place, too
        if random is not None:
            # Of a child: what is drawn later from the generator is the same on every engine. A row's text is looked at
            # once, however often it is written; its repetitions are told apart by number.
            seed = int(random.spawn(1)[0].integers(1 << 62))
            texts = [f"CAST(w{i} AS text)" for i in range(len(rows.columns))]
            lengths = (f"COALESCE(length({t}) || ':' || {t}, '-')" for t in texts)
            lot = f"hashtextextended({' || '.join(lengths)}, {seed})"
            order = f"hashint8extended(repeated.lot # repeated.j, {seed}), repeated.lot, repeated.j"
        values = (kinds.read(f"w{i}", self._type(c.name)) if c.exact else f"w{i}" for i, c in enumerate(rows.columns))
        written = ", ".join(f"{value} AS {name(column)}" for value, column in zip(values, rows.names, strict=True))
        with self._plainly(table):
            sent = self._send(distinct.append_column("place", numbers(np.arange(distinct.num_rows))))
            once = f"(SELECT *, {lot} AS lot FROM {sent} OFFSET 0) AS once"  # OFFSET: not once for each repetition
            repeated = f"(SELECT *, generate_series(1, n) AS j FROM {once}) AS repeated"
            self._create(table, f"SELECT {written} FROM {repeated} ORDER BY {order}")

    def rewrite(self, table: str, rewriting: Rewriting) -> None:
        """Write the source's own rows, recoded: one scan of it."""
        keys, columns, published = rewriting.keys, rewriting.columns, rewriting.published
        source, raw = self._source, [c for c in columns if c not in published]
        types = [self._type(c) for c in raw]
        taken = [f"{source._written(name(k), k)} AS k{i}" for i, k in enumerate(keys)]
        taken += [f"{kinds.plain(name(c), source._kind(c))} AS r{i}" for i, c in enumerate(raw)]
        rows = f"(SELECT {', '.join(taken)} FROM {source._relation} AS t) AS s"
        match = " AND ".join(f"COALESCE('=' || s.k{i}, '') = COALESCE('=' || a.k{i}, '')" for i in range(len(keys)))
        with self._plainly(table):
            source.scans += 1
            plan = self._send(rewriting.assignment)
            joined = f"{rows} LEFT JOIN {plan} AS a ON {match}"
            if np.any(to_numpy(rewriting.assignment.column("first"))):
                lot = source._lot(rewriting.seed, [kinds.written(f"s.r{i}", t) for i, t in enumerate(types)])
                equal = f"row_number() OVER (PARTITION BY a.id ORDER BY {lot}) - 1 AS equal"
                firsts = f"(SELECT * FROM {plan} WHERE first = 0 AND last > 0) AS a"
                numbered = f"(SELECT s.*, a.id, {equal} FROM {rows} LEFT JOIN {firsts} ON {match}) AS s"
                # One row for each that is meant, found by its number: no pair of rows is tried in vain.
                meant = f"(SELECT *, generate_series(first, last - 1) AS equal FROM {plan} WHERE last > first) AS a"
                joined = f"{numbered} LEFT JOIN {meant} ON s.id = a.id AND s.equal = a.equal"
            self._create(table, self._rewritten(rewriting, joined, dict(zip(raw, types, strict=True))))

    def _create(self, table: str, query: str) -> None:
        self._execute(f"CREATE TABLE {self._name(table)} AS {query}")
        self._execute(f"COMMENT ON TABLE {self._name(table)} IS {text(_PART)}")

    def _rewritten(self, rewriting: Rewriting, joined: str, raw: dict[str, str]) -> str:
        """SQL: the rows that are kept, with the values that they are published with."""
        columns, published, star = rewriting.columns, rewriting.published, rewriting.star
        place = {c: i for i, c in enumerate(raw)}
        values, types = [], []
        for column in columns:
            value, kind = (
                (f"a.p{published[column]}", "text") if column in published else (f"s.r{place[column]}", raw[column])
            )
            if star:
                value, kind = f"CASE WHEN a.kept THEN {kinds.written(value, kind)} ELSE '*' END", "text"
            values.append(value)
            types.append(kind)
        taken = ", ".join(f"{value} AS w{i}" for i, value in enumerate(values))
        # LEFT JOIN, and an error for a row it does not find: an inner join would drop it without a word (and a plain
        # condition on a.kept would make it one).
        unplanned = "1 / (CASE WHEN a.kept IS NULL THEN 0 ELSE 1 END) = 1"
        kept = f"CASE WHEN a.kept IS NULL THEN {unplanned} ELSE a.kept OR {str(star).lower()} END"
        if rewriting.sorted_by:
            ranked = [*rewriting.sorted_by, *(c for c in columns if c not in rewriting.sorted_by)]
            order = ", ".join(kinds.key(f"rows.w{i}", types[i]) for i in (columns.index(c) for c in ranked))
        else:  # by what is published alone: whoever knows the seed learns nothing of the original order
            order = self._source._lot(rewriting.seed + 1, [kinds.written(f"w{i}", t) for i, t in enumerate(types)])
        named = ", ".join(f"w{i} AS {name(c)}" for i, c in enumerate(columns))
        rows = f"(SELECT {taken} FROM {joined} WHERE {kept}) AS rows"
        return f"SELECT {named} FROM {rows} ORDER BY {order}"

    def describe(self, manifest: str) -> None:
        """Keep the manifest beside the tables."""
        with self._plainly():
            self._execute(f"CREATE TABLE {self._name(MANIFEST)} (manifest text NOT NULL)")
            self._execute(f"COMMENT ON TABLE {self._name(MANIFEST)} IS {text(_OURS)}")
            self._execute(f"INSERT INTO {self._name(MANIFEST)} VALUES ({text(manifest)})")

    def _type(self, column: str) -> str:
        return kinds.published_type(self._source._kind(column))

    def _send(self, table: pa.Table) -> str:
        """Copy a table of ours into a temporary one."""
        sent = next(self._temporary)
        types = {"int64": "bigint", "int32": "bigint", "bool": "boolean"}
        described = zip(table.column_names, table.schema.types, strict=True)
        columns = ", ".join(f"{name(c)} {types.get(str(t), 'text')}" for c, t in described)
        self._execute(f"CREATE TEMP TABLE {sent.removeprefix('pg_temp.')} ({columns}) ON COMMIT DROP")
        with self._connection.cursor() as cursor, cursor.copy(f"COPY {sent} FROM STDIN (FORMAT csv)".encode()) as copy:
            for piece in _csv(table):
                copy.write(piece)
        self._execute(f"ANALYZE {sent}")
        return sent

    def _earlier(self, replace: bool) -> tuple[list[str], list[Mistake]]:
        """The tables of an earlier release that is to be replaced; or what is wrong with the schema."""
        if not self._found("SELECT 1 FROM pg_namespace WHERE nspname = %s", self.schema):
            return [], []
        tables = dict(
            self._found(
                """SELECT c.relname, obj_description(c.oid, 'pg_class')
                FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = %s AND c.relkind = 'r' AND obj_description(c.oid, 'pg_class') IN (%s, %s)""",
                *(self.schema, _OURS, _PART),
            )
        )
        if tables.get(MANIFEST) != _OURS:
            rule, repair = "there is such a schema, and no release of ours in it", "choose another schema"
        elif not replace:
            rule = "there is a release in this schema"
            repair = "replace it (--force; in Python, replace=True), or choose another schema"
        elif self._source._table in map(self._name, tables):
            rule, repair = "is the schema of the source, which can't be replaced", "choose another schema"
        else:
            return list(tables), []
        return [], [Mistake(self.schema, rule, repair)]

    def _mistakes_of_name(self) -> Iterator[Mistake]:
        if not self.schema:
            yield Mistake("schema", "has no name", "write schema: and a name in the policy")
        elif len(self.schema.encode()) > LONGEST_NAME:
            yield Mistake("schema", f"the name is longer than {LONGEST_NAME} bytes", "choose a shorter one")

    def _missing_privileges(self) -> Iterator[Mistake]:
        for privilege, meaning in _PRIVILEGES.items():
            if not self._found("SELECT 1 WHERE has_database_privilege(current_database(), %s)", privilege):
                grant = f"ask the owner of the database for: GRANT {privilege} ON DATABASE its_name TO your_role"
                grant += f", or {_FILES}"
                yield Mistake(self.schema, f"you may not {meaning} in this database", grant)

    def _standby(self) -> Iterator[Mistake]:
        if self._found("SELECT 1 WHERE pg_is_in_recovery()"):
            repair = f"publish on the primary server, or {_FILES}"
            yield Mistake(self.schema, "the server only reads: it is a standby", repair)

    def _found(self, query: str, *values: str) -> list[Any]:
        return self._connection.execute(query.encode(), values).fetchall()

    def _execute(self, statement: str) -> None:
        self._connection.execute(statement.encode())

    def _plainly(self, table: str = "") -> AbstractContextManager[None]:
        return plainly(f"{self.schema}.{table}" if table else self.schema, _REFUSED)


def _csv(table: pa.Table) -> Iterator[bytes]:
    """A table as CSV, piece by piece: NULL is nothing, "" is a pair of quotes."""
    for batch in table.to_batches(max_chunksize=1 << 16):
        sink = pa.BufferOutputStream()
        csv.write_csv(batch, sink, csv.WriteOptions(include_header=False, quoting_style="needed"))
        yield sink.getvalue().to_pybytes()
