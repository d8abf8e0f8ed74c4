"""Apache Spark: a table, a view or files that Spark reads, counted where they are.

Rows never come to the driver, only their frequencies, and no more than a limit of them. All is said in SQL, with small
tables of ours as views, so that a Spark Connect server does as well as a session on this machine.
"""

from __future__ import annotations

import os
import re
import secrets
import weakref
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.engines.arrow import texts
from discreet.engines.base import SampledRows, Tables, TooManyCombinations
from discreet.engines.lists import listed_values
from discreet.engines.profile import ColumnProfile
from discreet.engines.reading import AS_IT_STANDS, Reading
from discreet.engines.rows import Condition, ListedIn
from discreet.engines.sources import check_column_names
from discreet.engines.spark import sql
from discreet.engines.spark.floats import double_text, real_text
from discreet.engines.spark.publishing import WrittenParts
from discreet.engines.spark.session import failures, find_session, silent
from discreet.engines.spark.sources import frame_of
from discreet.engines.sql.engine import SqlEngine
from discreet.engines.sql.reading import DATE
from discreet.errors import DataError, Mistake

LIMIT = 5_000_000  # combinations that come to the driver: a few hundred megabytes
_ENVIRONMENT = "DISCREET_SPARK_COMBINATIONS"  # another limit
_PARTS = 16  # of an answer that is kept while it is counted and fetched
_COMMON = 1000  # values of a column that a profile shows
_LARGEST = (1 << 63) - 1  # of a bigint
_CANONICAL = {"double": double_text, "float": real_text, "binary": sql.bytes_text}  # of texts that SQL wrote
_gone: deque[tuple[Any, list[str]]] = deque()  # sessions and their views of ours that nobody needs any more
_TYPES = {"large_string": "STRING", "string": "STRING", "int32": "INT", "int64": "BIGINT", "bool": "BOOLEAN"}


class Spark(SqlEngine):
    """One table, and the verbs of `base.Engine`, answered by Spark.

    `source` is a table or view (``clinic.patients``), a path that Spark reads (Parquet, or CSV), or a DataFrame.
    `named` are columns that it is said to have. `limit` is how many distinct combinations may come to the driver.
    `file` says how a CSV file is written.
    """

    forms: tuple[str, ...] = ("parquet",)
    text_type = "STRING"
    same = "<=>"

    def __init__(
        self,
        source: Any,
        named: Collection[str] = (),
        session: Any = None,
        limit: int | None = None,
        file: Reading = AS_IT_STANDS,
    ):
        self._limit = limit or _limit_of_environment()
        self._session = session or getattr(source, "sparkSession", None) or find_session()
        self._place = str(source) if isinstance(source, str | Path) else "source"
        self._lists: dict[ListedIn, str] = {}  # views with values from files
        self._names = (f"discreet_{secrets.token_hex(8)}_{i}" for i in count())
        self._views: list[str] = []
        # At the end of the program the session ends, and its views with it. Before, whoever comes next drops them: a
        # collection of garbage, perhaps in the midst of a call of Spark's, must not wait for a server.
        weakref.finalize(self, _gone.append, (self._session, self._views)).atexit = False
        self.scans = 0
        _forget_the_gone()
        with self._plainly():
            frame = frame_of(self._session, str(source), named, file) if isinstance(source, str | Path) else source
            self.types = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
            self.columns: tuple[str, ...] = tuple(frame.columns)
            self._check_names()
            self._relation = self._view(frame)

    def _check_names(self) -> None:
        check_column_names(self.columns, self._place)
        if any("${" in column for column in self.columns):
            repair = "rename the column: Spark puts a variable there"
            raise DataError(Mistake(self._place, "a column's name has ${ in it", repair))

    # What Spark adds to the common words.

    def name(self, column: str) -> str:
        return sql.name(column)

    def text(self, value: str) -> str:
        return sql.text(value)

    def _ask(self, query: str) -> Iterator[pa.RecordBatch]:
        """The answer of a query; counted first where it is, so that too large a one stays there."""
        # In few parts: what is kept is not put together by Spark itself, and 200 small parts take a while.
        answer = self._session.sql(query).coalesce(_PARTS).cache()
        try:
            size = answer.count()
            if size > self._limit:
                raise TooManyCombinations(self._place, size, self._limit)
            yield from answer.toArrow().to_batches()
        finally:
            answer.unpersist()

    def _small(self, query: str) -> list[dict[str, Any]]:
        """A few rows that speak of the table, not of people."""
        rows: list[dict[str, Any]] = self._session.sql(query).toArrow().to_pylist()
        return rows

    def _relation_of(self, table: pa.Table) -> str:
        if not table.num_rows:  # Spark Connect can't tell the types of nothing
            kinds = zip(table.column_names, (_TYPES[str(kind)] for kind in table.schema.types), strict=True)
            return f"(SELECT {', '.join(f'CAST(NULL AS {kind}) AS {name}' for name, kind in kinds)} WHERE FALSE)"
        return self._view(self._session.createDataFrame(table))

    def _view(self, frame: Any) -> str:
        view = next(self._names)
        frame.createOrReplaceTempView(view)
        self._views.append(view)
        return view

    @contextmanager
    def _passing(self) -> Iterator[None]:
        """Views that are made meanwhile are not needed afterwards: some have values of people in them."""
        made = len(self._views)
        try:
            yield
        finally:
            _forget(self._session, self._views[made:])
            del self._views[made:]
            _forget_the_gone()

    def _condition(self, row_condition: Condition) -> str:
        kind = self._kind(row_condition.column)
        if isinstance(row_condition, ListedIn) and row_condition not in self._lists:
            said = [v for v in listed_values(row_condition).column(0).to_pylist() if sql.sayable(v, kind)]
            self._lists[row_condition] = self._relation_of(pa.table({"v": texts(said)}))
        return sql.condition(row_condition, kind, self._lists)

    def _number(self, written: str) -> str:
        number = f"TRY_CAST({written} AS BIGINT)"
        return f"COALESCE(CASE WHEN CAST({number} AS STRING) <=> {written} THEN {number} END, CAST(-1 AS BIGINT))"

    def _hash(self, text: str) -> str:
        return f"(xxhash64({text}) & {_LARGEST}L)"

    def _both(self, first: str, second: str) -> str:
        return f"({first} ^ {second})"

    def _one_to(self, n: str) -> str:
        return f"explode(sequence(CAST(1 AS BIGINT), {n}))"

    def _fault(self, seen: str) -> str:
        return "raise_error('row without a plan')"

    def _whole_type(self) -> str:
        return "int"

    def _label_type(self) -> str:
        return "string"

    def _kind(self, column: str) -> str:
        """The type of a column whose values can be told by a text."""
        kind = self.types[column]
        if not sql.readable(kind):
            rule = f"is of type {re.split('[<(]', kind)[0]}, whose values have no text"
            raise DataError(Mistake(f"{self._place}, column {column}", rule, "make it text or a number"))
        return kind

    def _key(self, column: str) -> str:
        return sql.key(self.name(column), self._kind(column))

    def _written(self, value: str, column: str) -> str:
        return sql.written(value, self._kind(column))  # of a text, it is the text: values may be counted by it

    def _canonical(self, column: str, texts: Sequence[str | None]) -> Sequence[str | None]:
        rewrite = _CANONICAL.get(self.types[column])
        return texts if rewrite is None else [None if text is None else rewrite(text) for text in texts]

    def _matches(self, column: str, value: str, text: str) -> str:
        kind = self._kind(column)
        if kind == "binary":
            rule = "is binary: its values can be counted and published as they are, not compared"
            raise DataError(Mistake(f"{self._place}, column {column}", rule, "make it text"))
        return f"{self._written(value, column)} {self.same} {sql.sought(text, kind)}"

    def _like(self, value: str, pattern: str) -> str:
        whole = rf"\A(?:{pattern})\z"
        return f"({value} RLIKE {sql.text(whole)})"

    def _found(self, value: str, pattern: str) -> str:
        return f"NULLIF(regexp_extract({value}, {sql.text(pattern)}, 1), '')"

    def _real_day(self, year: str, month: str, day: str, found: str) -> str:
        written = f"{year} || '-' || lpad({month}, 2, '0') || '-' || lpad({day}, 2, '0')"
        return f"CAST(TRY_CAST({written} AS DATE) AS STRING)"

    def _day_of_moment(self, column: str) -> str | None:
        return sql.day_of(self.name(column), self.types[column])

    def _is_nan(self, column: str) -> str | None:
        return f"isnan({self.name(column)})" if sql.is_float(self.types[column]) else None

    def _is_text(self, column: str) -> bool:
        return self.types[column].startswith("string")

    def _is_readable(self, column: str) -> bool:
        return sql.readable(self.types[column])

    def _become(self, columns: Mapping[str, str]) -> None:
        self.types = self.types | {c: "date" if kind == DATE else "string" for c, kind in columns.items()}

    # Verbs that are more than one query.

    def sample(self, columns: Sequence[str], rows: int, seed: int | None) -> SampledRows:
        """Some rows, each set of them as likely (all, if there are fewer). A seed chooses the same on every engine."""
        with self._passing():
            relation, texts_sql = self._with_texts(columns)
            taken = (f"{text} AS {self.name(column)}" for text, column in zip(texts_sql, columns, strict=True))
            part = self._part(f"(SELECT {', '.join(taken)} FROM {relation})")
            part.types = dict.fromkeys(columns, "string")
            self.scans += 1
            return super(Spark, part).sample(columns, rows, seed)

    def _with_texts(self, columns: Sequence[str]) -> tuple[str, list[str]]:
        """Rows to select from (called s), and the SQL of the text that every engine has for their values.

        Where SQL can't write it, the texts of the column are looked at first (a scan), and joined.
        """
        relation, texts_sql = f"{self._relation} AS s", []
        for i, column in enumerate(columns):
            written = self._written(f"s.{self.name(column)}", column)
            if self.types[column] in _CANONICAL:
                relation += f" LEFT JOIN {self._said(column)} AS m{i} ON {written} {self.same} m{i}.said"
                written = f"m{i}.told"
            texts_sql.append(written)
        return relation, texts_sql

    def _said(self, column: str) -> str:
        """Every text that Spark has for a column's values, and the one that every engine has."""
        written = sql.written(self.name(column), self.types[column])
        said: list[str | None] = []
        for batch in self._asked(f"SELECT DISTINCT {written} AS said FROM {self._relation} AS t"):
            said += batch.column(0).to_pylist()
        return self._relation_of(pa.table({"said": texts(said), "told": texts(self._canonical(column, said))}))

    def profile(self) -> list[ColumnProfile]:
        """What can be said of each column by itself: a scan for all counts, and one for each column's values."""
        readable = [c for c in self.columns if sql.readable(self.types[c])]
        keys = [self._key(c) for c in readable]
        counts = ", ".join(f"count(DISTINCT {k}) AS d{i}, count({k}) AS n{i}" for i, k in enumerate(keys))
        with self._plainly():
            self.scans += 1
            [row] = self._small(f"SELECT count(*) AS rows, {counts} FROM {self._relation} AS t")
            return [self._profile_of(c, row["rows"], row[f"d{i}"], row[f"n{i}"]) for i, c in enumerate(readable)]

    def _profile_of(self, column: str, rows: int, distinct: int, known: int) -> ColumnProfile:
        self.scans += 1
        query = f"""
            SELECT {self._written("c0", column)} AS v, n FROM ({self._counted([column])}) AS counted
            ORDER BY n DESC, v NULLS LAST LIMIT {_COMMON}"""
        common = self._small(query)
        canonical = self._canonical(column, [row["v"] for row in common])
        values = tuple((value, row["n"]) for value, row in zip(canonical, common, strict=True))
        nulls = rows - known
        return ColumnProfile(column, rows, distinct + (nulls > 0), nulls, values)

    @contextmanager
    def publishing(
        self, folder: Path, form: str, schema: str = "", replace: bool = False, escape: bool = False
    ) -> Iterator[Tables]:
        """Folders of Parquet files in a folder, which whoever made it puts into place."""
        yield WrittenParts(folder, self)

    @contextmanager
    def _plainly(self, place: str = "") -> Iterator[None]:
        """Spark's messages quote the query, paths and values; say the place and the rule instead."""
        try:
            with silent():
                yield
        except failures() as error:
            raise DataError(_mistake(place or self._place, str(error))) from None


def _limit_of_environment() -> int:
    """The limit that the environment tells, else ours."""
    limit = os.environ.get(_ENVIRONMENT) or str(LIMIT)
    if not limit.isdecimal() or not int(limit):
        raise DataError(Mistake(_ENVIRONMENT, "must be a whole number above 0", f"as a rule {LIMIT}"))
    return int(limit)


def _forget(session: Any, views: Sequence[str]) -> None:
    """Nothing of ours stays in the user's session. If that is gone, so are its views."""
    with silent(), suppress(*failures(), AttributeError):
        for view in views:
            session.catalog.dropTempView(view)


def _forget_the_gone() -> None:
    """The views of engines that are gone."""
    while _gone:
        _forget(*_gone.popleft())


def _mistake(place: str, message: str) -> Mistake:
    known = [
        (r"TABLE_OR_VIEW_NOT_FOUND|SCHEMA_NOT_FOUND|Table not found", "no such table", "check its name"),
        (r"PATH_NOT_FOUND|[Nn]o such file|os error 2", "no such file", "check the path, and that all of Spark sees it"),
        (
            r"MALFORMED|number of fields",
            "has a row with more or fewer values than columns",
            "check that the file is complete and that values with the delimiter in them are quoted",
        ),
        (r"codec can't decode|UTF-?8|unreadable text", "is not UTF-8 text", "save the text as UTF-8"),
        (
            r"row without a plan",
            "has different rows from when it was counted",
            "start again when nobody is changing the table",
        ),
        (r"CORRUPT|not a Parquet|magic", "is not a whole Parquet file", "write it again, or check the download"),
        (r"[Pp]ermission|AccessControl|denied", "Spark may not read it", "check the rights of the user that Spark has"),
        (r"OutOfMemory|Java heap|ResourcesExhausted", "Spark ran out of memory", "give it more, or use fewer columns"),
        (r"No space left", "no space left for temporary files", "free some disk space"),
        (r"[Cc]onnection|UNAVAILABLE|refused|Gateway", "Spark does not answer any more", "start Spark, and then again"),
    ]
    for pattern, rule, repair in known:
        if re.search(pattern, message):
            return Mistake(place, rule, repair)
    return Mistake(place, "Spark can't read this table", "ask Spark for it by hand: SELECT * FROM the table")
