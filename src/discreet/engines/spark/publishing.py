"""The tables of a release as folders of Parquet files, written by Spark where the rows are."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from discreet.engines.arrow import numbers, to_numpy
from discreet.engines.base import Rewriting
from discreet.engines.counted_rows import CodedColumn, CountedRows
from discreet.engines.duckdb.publishing import about_file
from discreet.engines.spark import sql
from discreet.engines.spark.session import setting
from discreet.engines.spark.sources import plain_path
from discreet.errors import DataError, Mistake

if TYPE_CHECKING:
    from discreet.engines.spark.engine import Spark

_MOMENTS = "spark.sql.parquet.outputTimestampType"  # the one of old times is no moment to other readers


@dataclass(frozen=True, eq=False)
class WrittenParts:
    """Folders like ``data.parquet`` with files part-00000.parquet, … in them."""

    folder: Path
    source: Spark

    def name(self, stem: str) -> str:
        """What a table is called there."""
        return f"{stem}.parquet"

    def open(self, table: str, named: Sequence[str] = ()) -> Spark:
        """A table that was written, read by Spark."""
        return type(self.source)(self.folder / table, named, self.source._session, self.source._limit)

    def about(self, table: str) -> dict[str, Any]:
        """Fingerprint and size of each part."""
        return about_file(self.folder / table)

    def describe(self, manifest: str) -> None:
        """The folder keeps the manifest beside the tables."""

    def write(self, table: str, rows: CountedRows, random: np.random.Generator | None = None) -> None:
        """Write rows as often as they count, in random order or as they stand: Spark gets each once, and repeats it."""
        distinct = rows.distinct().append_column("place", numbers(np.arange(len(rows.counts))))
        for i, column in enumerate(rows.columns):
            if self._kind(column) == "binary":
                said = [None if v is None else sql.bytes_said(v) for v in distinct.column(i).to_pylist()]
                distinct = distinct.set_column(i, f"w{i}", pa.array(said, pa.binary()))
        with self.source._plainly(table), self.source._passing():
            counted = self.source._relation_of(distinct)
            repeated = f"SELECT *, {self.source._one_to('n')} AS copy FROM {counted} AS counted WHERE n > 0"
            values = [f"{self._typed(f'w{i}', column)} AS w{i}" for i, column in enumerate(rows.columns)]
            lot = f"xxhash64({'0' if random is None else random.integers(1 << 62)}L, place, copy)"
            order = "place" if random is None else "lot"
            query = f"SELECT {', '.join(values)}, place, {lot} AS lot FROM ({repeated}) AS repeated"
            self._put(query, [] if random is None else [order], [order], rows.names, table)

    def _kind(self, column: CodedColumn) -> str:
        kind = "bigint" if column.dictionary is None else "string"
        return self.source.types[column.name] if column.exact else kind

    def _typed(self, value: str, column: CodedColumn) -> str:
        """A text in the type that its column has in the source."""
        kind = self._kind(column)
        return value if column.dictionary is None or kind in ("string", "binary") else f"CAST({value} AS {kind})"

    def rewrite(self, table: str, rewriting: Rewriting) -> None:
        """Write the rows of the table recoded, in random order or sorted: one scan.

        A LEFT JOIN, and an error for a row it does not find: an inner join would drop it without a word.
        """
        r, source = rewriting, self.source
        raw = [c for c in r.columns if c not in r.published]
        with source._plainly(table), source._passing():
            source.scans += 1
            assignment = source._relation_of(r.assignment)
            split = bool(np.any(to_numpy(r.assignment.column("first"))))
            joined = self._split(assignment, r, raw) if split else self._whole(assignment, r, raw)
            published = [f"p{r.published[c]}" if c in r.published else f"r{raw.index(c)}" for c in r.columns]
            if r.star:
                columns = (p.replace("r", "t") for p in published)
                published = [f"CASE WHEN kept THEN CAST({t} AS STRING) ELSE '*' END" for t in columns]
            values = [f"{p} AS w{i}" for i, p in enumerate(published)]
            kept = f"CASE WHEN unplanned THEN raise_error('row without a plan') ELSE kept OR {r.star} END"
            rows = f"SELECT {', '.join(values)} FROM ({joined}) AS joined WHERE {kept}"
            # Rows stand in the order of what is published, or of its lots: nothing of the original order is left.
            names = [f"w{i}" for i in range(len(r.columns))]
            lots = f"SELECT *, xxhash64({r.seed}L, {', '.join(names)}) AS lot FROM ({rows}) AS written"
            ranked = [*r.sorted_by, *(c for c in r.columns if c not in r.sorted_by)]
            order = [names[list(r.columns).index(c)] for c in ranked]
            self._put(lots, [] if r.sorted_by else ["lot"], order if r.sorted_by else ["lot", *order], r.columns, table)

    def _source_rows(self, r: Rewriting, raw: Sequence[str], split: bool) -> str:
        """The rows of the source: keys k0…, columns as they are r0… and, where they are needed, as text t0…"""
        source = self.source
        keys = [f"s.{source.name(c)} AS k{i}" for i, c in enumerate(r.keys)]
        raws = [f"s.{source.name(c)} AS r{i}" for i, c in enumerate(raw)]
        if not (r.star or split):
            return f"SELECT {', '.join([*keys, *raws])} FROM {source._relation} AS s"
        relation, texts = source._with_texts(raw)
        as_texts = [f"{text} AS t{i}" for i, text in enumerate(texts)]
        return f"SELECT {', '.join([*keys, *raws, *as_texts])} FROM {relation}"

    def _match(self, r: Rewriting) -> str:
        return " AND ".join(self.source._matches(c, f"s.k{i}", f"a.k{i}") for i, c in enumerate(r.keys)) or "TRUE"

    def _whole(self, assignment: str, r: Rewriting, raw: Sequence[str]) -> str:
        """Rows beside what is published of their combination."""
        taken = [*(f"s.r{i}" for i in range(len(raw))), *(f"s.t{i}" for i in range(len(raw)) if r.star)]
        taken += [f"a.{c}" for c in r.assignment.column_names if c[0] == "p"]
        rows = self._source_rows(r, raw, split=False)
        return f"""SELECT {", ".join([*taken, "a.kept", "a.kept IS NULL AS unplanned"])}
            FROM ({rows}) AS s LEFT JOIN {assignment} AS a ON {self._match(r)}"""

    def _split(self, assignment: str, r: Rewriting, raw: Sequence[str]) -> str:
        """The same where rows of one combination go to several groups, so many to each, by lot.

        Rows are numbered, and the first numbers of the groups set among them: a row belongs to the last one before it.
        """
        own = [*(f"r{i}" for i in range(len(raw))), *(f"t{i}" for i in range(len(raw)))]
        lot = self.source._lot(r.seed, [f"t{i}" for i in range(len(raw))])
        firsts = f"(SELECT * FROM {assignment} AS every WHERE first = 0 AND last > 0)"
        rows = self._source_rows(r, raw, split=True)
        known = f"SELECT s.*, a.id FROM ({rows}) AS s LEFT JOIN {firsts} AS a ON {self._match(r)}"
        listed = ", ".join(own)
        numbered = f"""SELECT {listed}, id, 1 AS turn, CAST(NULL AS BIGINT) AS begun,
            CAST(row_number() OVER (PARTITION BY id ORDER BY {lot}) AS BIGINT) - 1 AS equal FROM ({known}) AS known"""
        kinds = [*(self.source.types[c] for c in raw), *("STRING" for _ in raw)]
        nothing = ", ".join(f"CAST(NULL AS {kind}) AS {c}" for kind, c in zip(kinds, own, strict=True))
        groups = f"SELECT * FROM {assignment} AS g WHERE last > first"
        begins = f"SELECT {nothing}, id, 0 AS turn, first AS begun, first AS equal FROM ({groups}) AS g"
        among = f"""SELECT {listed}, id, turn, equal, max(begun) OVER (PARTITION BY id ORDER BY equal, turn
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS begun FROM ({numbered} UNION ALL {begins}) AS mixed"""
        taken = [*(f"s.{c}" for c in own), *(f"a.{c}" for c in r.assignment.column_names if c[0] == "p")]
        return f"""SELECT {", ".join([*taken, "a.kept", "(a.kept IS NULL OR s.equal >= a.last) AS unplanned"])}
            FROM (SELECT * FROM ({among}) AS u WHERE turn = 1) AS s
            LEFT JOIN ({groups}) AS a ON s.id = a.id AND s.begun = a.first"""

    def _put(self, query: str, spread: list[str], order: list[str], names: Sequence[str], table: str) -> None:
        """Write w0… of a query under their names: spread over files by some columns, in order within each."""
        frame = self.source._session.sql(query)
        frame = frame.repartition(*spread).sortWithinPartitions(*order) if spread else frame.orderBy(*order)
        frame = frame.select(*(f"w{i}" for i in range(len(names)))).toDF(*names)
        target = self.folder / table
        with setting(self.source._session, _MOMENTS, "TIMESTAMP_MICROS"):
            frame.write.parquet(plain_path(target))
        self._tidy(target, frame)

    def _tidy(self, target: Path, frame: Any) -> None:
        """The files of data, under names that say nothing of the job; no marks and no fingerprints of its own."""
        if not target.exists():  # not every Spark makes a file for no rows
            if frame.count():
                rule = "Spark wrote it on another machine"
                raise DataError(Mistake(target.name, rule, "choose a folder that this machine and all of Spark share"))
            self._write_nothing(target, frame)
        parts = []
        for entry in sorted(target.iterdir()):
            if entry.suffix == ".parquet" and entry.name[0] not in "._":
                parts.append(entry)
            elif entry.is_dir():
                shutil.rmtree(entry)
            else:
                entry.unlink()
        for i, part in enumerate(parts):
            part.rename(target / f"part-{i:05}.parquet")

    def _write_nothing(self, target: Path, frame: Any) -> None:
        from pyarrow import parquet  # late: tables have rows, as a rule

        target.mkdir()
        parquet.write_table(frame.limit(0).toArrow(), target / "part-00000.parquet")
