"""Reads a finished release, ours or another tool's, as an adversary does: from its files and what is said of them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Codes, IntArray, number_equal
from discreet.audit.kinds.registry import KINDS
from discreet.audit.reading.description import Description, How, describe, example, read_description
from discreet.audit.reading.folder import AGAIN
from discreet.audit.reading.labels import Label
from discreet.audit.reading.manifest import check_tables, described_by, read_manifest
from discreet.audit.reading.source import in_order, repeated
from discreet.audit.reading.texts import column_of, labels_of
from discreet.audit.reading.view import Joint, ReleaseView, Tally
from discreet.engines.base import PublishedTables
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.formulas import are_escaped, escaped
from discreet.engines.duckdb.publishing import PublishedFiles
from discreet.engines.open import published_tables
from discreet.engines.sources import csv_layout
from discreet.errors import DataError, Mistake
from discreet.files.temporary import temporary_folder


@dataclass(frozen=True, eq=False)
class Rows:
    """A published table, row by row: per column its distinct values, and the place of each row's among them.

    In a file, rows stand in an order, and in `lines`: where each begins; in Parquet, its number from 1.
    """

    file: str
    columns: tuple[str, ...]
    values: tuple[tuple[str | None, ...], ...]
    codes: tuple[Codes, ...]
    lines: IntArray | None = None

    def __len__(self) -> int:
        return len(self.codes[0])

    def first(self, places: IntArray) -> IntArray | None:
        """The lines of some rows, where there are lines."""
        return None if self.lines is None else self.lines[places]

    def column(self, name: str) -> tuple[tuple[str | None, ...], Codes]:
        """The values of a column, and the place of each row's."""
        at = self.columns.index(name)
        return self.values[at], self.codes[at]


@dataclass(frozen=True, eq=False)
class ReleaseFiles:
    """A release as it was read: what is said about it, its files, and what an adversary sees in them."""

    path: Path
    description: Description
    files: tuple[Rows, ...]
    view: ReleaseView
    group: IntArray  # of each row of the file that groups are pointed at in; −1: a row of nothing but *

    @property
    def grouped(self) -> Rows:
        """The file that groups are pointed at in."""
        return next(rows for rows in self.files if rows.file == self.view.file)


def read(
    release: Path | str,
    description: Path | str | Mapping[str, Any] | None = None,
    database: str | None = None,
) -> ReleaseView:
    """What is published: a folder of ours, or a file (or folder) of another tool with a description of it.

    `database` says where the tables are, if they are in one that the environment does not name.
    """
    return look(release, description, database).view


def look(
    release: Path | str,
    description: Path | str | Mapping[str, Any] | None = None,
    database: str | None = None,
) -> ReleaseFiles:
    """The same, with the files as they stand: one scan of each."""
    path = Path(release)
    if (path.is_dir() and (path / "manifest.json").exists()) or (description is None and not path.is_file()):
        if description is not None:
            rule = "says itself what it is: its manifest goes before the description"
            raise DataError(Mistake(str(path), rule, "leave the description out, or name the file in it"))
        return _ours(path, described_by(read_manifest(path)), database)
    return _foreign(path, description)


def _ours(path: Path, description: Description, database: str | None) -> ReleaseFiles:
    if "database" not in description.manifest:
        check_tables(path, description)
        return _read(path, dict.fromkeys(description.tables, path), description, ours=True)
    tables = published_tables(path, description.manifest["database"], database)
    counted = [_counted(tables, t, _needed(description, columns)) for t, columns in description.tables.items()]
    return _whole(path, description, counted)


def _foreign(path: Path, description: Path | str | Mapping[str, Any] | None) -> ReleaseFiles:
    words: Mapping[str, Any] = {} if description is None else read_description(description)[0]
    folder = path if path.is_dir() else path.parent
    tables = words.get("tables") if path.is_dir() else None
    files = [str(file) for file in tables] if isinstance(tables, Mapping) else [path.name]
    lacking = [file for file in files if Path(file).name != file or not (folder / file).is_file()]
    if lacking:
        raise DataError(*(Mistake(str(folder / file), "no such file", "name a published file") for file in lacking))
    with temporary_folder() as beside:
        within = {file: _with_names(folder / file, beside) for file in files}
        columns = {file: DuckDB(place / file, _named(words, file)).columns for file, place in within.items()}
        if description is None:
            rule = "nothing is said about its columns"
            repair = f"write a description of it, such as\n{example(columns[files[0]])}"
            raise DataError(Mistake(str(path), rule, repair))
        return _read(path, within, describe(description, columns), ours=False)


def _with_names(path: Path, beside: Path) -> Path:
    """The folder of the file; or of a copy in which the index that pandas wrote has the name that pandas reads it by.

    A column without a name could not be told.
    """
    if path.suffix.lower() != ".csv":
        return path.parent
    with path.open("rb") as file:
        header = file.readline().removeprefix(b"\xef\xbb\xbf")
        rest = header.removeprefix(b'""')
        if rest[:1] not in (b",", b";", b"\t"):
            return path.parent
        with (beside / path.name).open("wb") as copy:
            copy.write(b"Unnamed: 0" + rest)
            shutil.copyfileobj(file, copy)
    return beside


def _named(words: Mapping[str, Any], file: str) -> list[str]:
    """The columns that a file is said to have, which tell a header from a row."""
    named = words["tables"].get(file) if isinstance(words.get("tables"), Mapping) else words.get("quasi_identifiers")
    return [str(c) for c in named] if isinstance(named, list | tuple) else []


def _read(path: Path, within: Mapping[str, Path], description: Description, *, ours: bool) -> ReleaseFiles:
    escape = ours and are_escaped(description.manifest.get("csv"))
    files = [
        _rows(within[file] / file, _needed(description, columns), ours, escape)
        for file, columns in description.tables.items()
    ]
    return _whole(path, description, files)


def _whole(path: Path, description: Description, files: Sequence[Rows]) -> ReleaseFiles:
    view, group = KINDS[description.publish].read(description, files)
    return ReleaseFiles(path, description, tuple(files), replace(view, whose=description.whose), group)


def _needed(description: Description, columns: Sequence[str]) -> list[str]:
    counted = description.count and not {*columns} & {*description.quasi_identifiers}
    return [*columns, *([description.group] if description.group else []), *([description.count] if counted else [])]


def _rows(path: Path, needed: Sequence[str], ours: bool, escape: bool) -> Rows:
    """All columns of a file in the order of its rows."""
    engine = PublishedFiles(path.parent, escape=escape).open(path.name, needed)
    if not {*needed} <= {*engine.columns}:
        by = "the manifest" if ours else "the description"
        raise DataError(Mistake(path.name, f"does not have the columns that {by} says", AGAIN if ours else "mend it"))
    values, codes = in_order(engine, engine.columns)
    written = [escaped(column) for column in needed] if escape else needed
    return Rows(path.name, engine.columns, values, codes, _lines(path, written, values, codes))


def _counted(tables: PublishedTables, table: str, needed: Sequence[str]) -> Rows:
    """All columns of a table in a database, whose rows have no order."""
    engine = tables.open(table, needed)
    if not {*needed} <= {*engine.columns}:
        raise DataError(Mistake(table, "does not have the columns that the manifest says", AGAIN))
    return Rows(table, engine.columns, *repeated(engine.frequencies(engine.columns)))


def _lines(
    path: Path, needed: Sequence[str], values: Sequence[Sequence[str | None]], codes: Sequence[Codes]
) -> IntArray:
    """The line in which each row begins: values may have line ends in them."""
    rows = np.arange(len(codes[0]) if codes else 0, dtype=np.int64)
    if path.suffix.lower() in (".parquet", ".pq"):
        return rows + 1
    layout = csv_layout(path, needed)
    more = np.zeros(len(rows), dtype=np.int64)
    for texts, code in zip(values, codes, strict=True):
        ends = np.array([(text or "").count("\n") for text in texts], dtype=np.int64)
        if ends.any():
            more += ends[code]
    before = np.cumsum(more) - more
    heading = 1 + sum(c.count("\n") for c in layout.columns) if layout.header else 0
    return rows + before + layout.skip + heading + 1


def labels_in(description: Description, name: str, texts: Sequence[str | None]) -> tuple[Label, ...]:
    """What the distinct texts of a column say, by the description."""
    how = description.columns.get(name, How())
    paths = description.hierarchies.get(name, ())
    column = column_of(
        texts,
        how.kind,
        paths,
        level=how.level,
        suppressed=description.suppressed,
        days=how.days,
        ours=bool(description.manifest),
    )
    return labels_of(texts, column)


def counted_people(rows: Rows, column: str) -> IntArray:
    """For how many people each row stands."""
    if not column:
        return np.ones(len(rows), dtype=np.int64)
    texts, codes = rows.column(column)
    if not all(text is not None and re.fullmatch(r"0*[1-9][0-9]{0,9}", text) for text in texts):
        repair = f"{AGAIN}, or name another column than {column!r} in the description as count"
        raise DataError(Mistake(rows.file, "has counts that are no whole numbers from 1", repair))
    return np.array([int(str(text)) for text in texts], dtype=np.int64)[codes]


def tally_of(rows: Rows, column: str, kept: IntArray, group: IntArray, weights: IntArray) -> Tally:
    """How often each group has each value of a column, in the rows that are kept: their groups, and for how many."""
    values, codes = rows.column(column)
    used, value = np.unique(codes[kept], return_inverse=True)
    width = max(len(used), 1)
    key, entry = np.unique(group * width + value, return_inverse=True)
    count = np.bincount(entry, weights=weights, minlength=len(key)).astype(np.int64)
    return Tally(column, tuple(values[i] for i in used), key // width, key % width, count)


def joint_of(rows: Rows, columns: Sequence[str], kept: IntArray, group: IntArray, weights: IntArray) -> Joint | None:
    """The same for combinations of several columns; None if there are fewer than two: a tally tells all of one."""
    if len(columns) < 2:
        return None
    values, codes = [], []
    for column in columns:
        texts, of_row = rows.column(column)
        used, place = np.unique(of_row[kept], return_inverse=True)
        values.append(tuple(texts[i] for i in used))
        codes.append(place.astype(np.int64))
    entry = number_equal([group, *codes], len(kept))
    first = np.unique(entry, return_index=True)[1]
    count = np.bincount(entry, weights=weights, minlength=len(first)).astype(np.int64)
    return Joint(tuple(columns), tuple(values), group[first], tuple(c[first] for c in codes), count)


def sizes_of(group: IntArray, weights: NDArray[Any], groups: int) -> IntArray:
    """How many people are in each group, by the group of every row and for how many it stands."""
    return np.bincount(group, weights=weights, minlength=groups).astype(np.int64)


def numbered(columns: Sequence[NDArray[Any]], rows: int) -> tuple[IntArray, IntArray]:
    """A number for each distinct combination in the order in which they first stand, and where that is."""
    key = number_equal(columns, rows)
    first = np.unique(key, return_index=True)[1]
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[key], first[order]
