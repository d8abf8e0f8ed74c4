"""Where a table comes from: a CSV or Parquet file, or a frame in memory."""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.engines.encodings import as_utf8, is_utf8, opened, refusal
from discreet.engines.excel import is_workbook, sheet_names, sheet_table
from discreet.engines.reading import Reading
from discreet.engines.sql.quoting import text
from discreet.errors import DataError, Mistake, Unavailable

DELIMITERS = ",;\t|"
PARQUET = (".parquet", ".pq")
_SEPARATOR = re.compile(r'"?sep=([^"\r\n])"?\r?\n', re.IGNORECASE)  # what tells Excel the delimiter
_HEAD = 1 << 20  # bytes read to find the header; DuckDB reads the rest
_ROWS = 1000  # rows of those that the layout is judged by
_VALUE = re.compile(
    r"\s*(?:[+-]?(?:\d+(?:[.,]\d*)*|[.,]\d+)(?:[eE][+-]?\d+)?%?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].*)?)\s*"
)  # a number or a date: nobody calls a column that, unless the policy says so


@dataclass(frozen=True)
class CsvLayout:
    """How a CSV file is written: `skip` blank lines, then a header or not; `end` is what ends the first row."""

    delimiter: str
    header: bool
    columns: tuple[str, ...]
    skip: int
    end: str
    separator_line: bool = False  # the first of the lines that are skipped is Excel's ``sep=;``


def readable(path: Path, reading: Reading, folder: Path, *, said_of_it: bool = True) -> Path | pa.Table:
    """A file that `relation` reads: the path itself, or a copy as UTF-8 in a folder of our own; a sheet as a table.

    Words about another table (not `said_of_it`) count where they fit.
    """
    check_file(path)
    if is_workbook(path):
        return sheet_table(path, reading.sheet if said_of_it or reading.sheet in sheet_names(path) else "")
    if reading.encoding and is_text_file(path):
        return as_utf8(path, reading.encoding, folder, said_of_it=said_of_it)
    return path


def relation(path: Path, named: Collection[str] = (), delimiter: str = "", place: str = "") -> str:
    """The SQL that reads a file, every CSV value as text; `named` are columns it is said to have.

    Messages call it `place`, if it is a copy of another.
    """
    check_file(path)
    if path.is_dir():
        return _folder_relation(path)
    if is_parquet(path):
        _check_parquet_names(path)
        return f"read_parquet({_file(path)}, hive_partitioning=false)"
    try:
        return _csv_relation(path, csv_layout(path, named, delimiter))
    except DataError as error:
        renamed = (replace(m, place=m.place.replace(str(path), place or str(path))) for m in error.mistakes)
        raise type(error)(*renamed) from None


def check_file(path: Path) -> None:
    """Is there a file, or a folder of them, that we read?"""
    try:
        there = path.exists()
    except OSError:  # a name that no file can have
        there = False
    if not there:
        raise DataError(Mistake(str(path), "no such file", "check the path; in a policy it is relative to the policy"))
    if not path.is_dir() and not path.is_file():
        raise DataError(Mistake(str(path), "is not an ordinary file, so not a table", "name a CSV or Parquet file"))
    if _suffix(path) in (".json", ".sav", ".dta", ".zip", ".sas7bdat", ".rds"):
        raise DataError(Mistake(str(path), "not a CSV or Parquet file", "save the table as CSV or Parquet"))


def is_text_file(path: Path) -> bool:
    """Is it read as CSV?"""
    return path.is_file() and not is_parquet(path) and not is_workbook(path)


def is_parquet(path: Path) -> bool:
    """Is a file a Parquet file, by its name?"""
    return path.is_file() and _suffix(path) in PARQUET


def _suffix(path: Path) -> str:
    return (path.with_suffix("").suffix if path.suffix.lower() == ".gz" else path.suffix).lower()


def _folder_relation(folder: Path) -> str:
    """One table in the Parquet files of a folder, as Spark writes it; what is hidden or has another name is no part."""
    parts = sorted(part for part in folder.glob("*.parquet") if part.is_file() and part.name[0] not in "._")
    if not parts:
        repair = "name a CSV or Parquet file, or a folder of Parquet files"
        raise DataError(Mistake(str(folder), "is a folder without Parquet files, not a table", repair))
    if len({_check_parquet_names(part) for part in parts} - {None}) > 1:
        rule = "is a folder of Parquet files with different columns"
        raise DataError(Mistake(str(folder), rule, "keep the files of one table in a folder of their own"))
    return f"read_parquet([{', '.join(map(_file, parts))}], hive_partitioning=false)"


def listed(path: Path, column: str, encoding: str, folder: Path) -> tuple[str, tuple[str, ...]]:
    """The SQL that reads a list of a column's values from a file, and the columns that this file has.

    One that is not UTF-8 is in the `encoding` of the policy; `folder` is ours, for a copy of it.

    A CSV with one column may do without a header: unless its first row says the name of the column, it is a value. (A
    header that is taken for a value is nobody's; a value that is taken for a header would be lost.)
    """
    place = str(path)
    if is_workbook(path):
        raise DataError(Mistake(place, "not a CSV or Parquet file", "save the list as CSV"))
    check_file(path)
    if encoding and is_text_file(path):
        path = as_utf8(path, encoding, folder, said_of_it=False)
    read = relation(path, place=place)  # whatever is wrong with the file is told here
    if not read.startswith("read_csv"):
        return read, ()
    bare = csv_layout(path)
    if len(bare.columns) > 1:
        named = csv_layout(path, [column])
        return _csv_relation(path, named), named.columns
    head, cut = _head(path)
    header = _has(_rows(head.decode("utf-8", errors="replace"), bare.delimiter, cut), [column])
    return _csv_relation(path, replace(bare, header=header, columns=(column,))), (column,)


def _csv_relation(path: Path, layout: CsvLayout) -> str:
    columns = ", ".join(f"{text(c)}: 'VARCHAR'" for c in layout.columns)
    end = layout.end.replace("\r", "\\r").replace("\n", "\\n")
    # A dialect that DuckDB guesses can change with one broken row, and a line break in a column's name makes it lose
    # all rows: so it gets told. "" and nothing stay different.
    return (
        f"read_csv({_file(path)}, auto_detect=false, header={str(layout.header).lower()}, skip={layout.skip}, "
        f"new_line='{end}', delim={text(layout.delimiter)}, quote='\"', escape='\"', nullstr='', "
        f"allow_quoted_nulls=false, hive_partitioning=false, columns={{{columns}}})"
    )


def csv_layout(path: Path, named: Collection[str] = (), delimiter: str = "") -> CsvLayout:
    """Delimiter, header and column names, from the first rows. A first line ``sep=;``, as Excel writes it, is obeyed.

    The delimiter is the one under which the first row has the columns in `named`; else under which the rows have the
    same number of values as the first. The first row is a header if it has the columns in `named`; else unless one of
    its values is a number or a date, or is found again further down in its column.
    """
    head, cut = _head(path)
    sample = head.decode("utf-8", errors="replace")
    said = _SEPARATOR.match(sample)
    if said:
        sample = sample[said.end() :]
    readings = [(d, _rows(sample, d, cut)) for d in (delimiter or (said and said[1]) or DELIMITERS)]
    delimiter, rows = max(readings, key=lambda reading: (_has(reading[1], named), *_fit(reading[1])))
    skip = next((i for i, row in enumerate(rows) if row), len(rows))
    rows = [row for row in rows if row]
    if not rows:
        raise DataError(Mistake(str(path), "is empty: no header, no rows", "give a table with at least one row"))
    first = rows[0]
    if not is_utf8(head, cut):
        raise refusal(path, head)
    numbered = tuple(f"column{i + 1}" for i in range(len(first)))
    if named and set(named) <= set(first):
        header = True
    elif named and set(named) <= set(numbered):
        header = False
    else:
        header = _is_header(rows)
    columns = tuple(first) if header else numbered
    if header and named and not _akin(named, columns):  # don't show a row that may be a person's
        rule = "its first row has none of the columns that are asked for"
        raise DataError(Mistake(str(path), rule, "add a header, or call the columns column1, column2, …"))
    check_column_names(columns, str(path))
    return CsvLayout(delimiter, header, columns, skip + bool(said), _line_end(sample, delimiter), bool(said))


def check_column_names(columns: Sequence[str], place: str) -> None:
    """Every column needs a name of its own, or nobody can say which one is meant (case does not tell them apart).

    The message counts columns: where a header is missing, the "names" are somebody's values.
    """
    mistakes = []
    places: dict[str, list[int]] = {}
    for i, column in enumerate(columns, start=1):
        places.setdefault(column.lower(), []).append(i)
    twice = [" and ".join(map(str, numbers)) for numbers in places.values() if len(numbers) > 1]
    if twice:
        rule = f"columns have the same name (case aside): {', '.join(twice[:10])}"
        mistakes.append(Mistake(place, rule, "rename all but one; if there is no header, add one"))
    if any(not c.strip() for c in columns):
        mistakes.append(Mistake(place, "a column has no name", "give every column a name in the first row"))
    if mistakes:
        raise DataError(*mistakes)


def arrow_table(frame: Any) -> Any:
    """A frame of Arrow, pandas or polars (or a mapping of columns) as an Arrow table. The frame is not touched."""
    kind = type(frame).__name__
    try:
        table = _as_arrow(frame)
    except (pa.ArrowException, TypeError, ValueError):  # its message quotes a value
        rule = f"this {kind} can't be read as a table"
        repair = "give every column one type, one length and a name of its own"
        raise DataError(Mistake("source", rule, repair)) from None
    if table is None:
        lazy = "say frame.collect()" if kind == "LazyFrame" else ""
        repair = lazy or "give a path, or an Arrow, pandas or polars frame"
        raise DataError(Mistake("source", f"can't read a table from {kind}", repair))
    check_column_names(table.column_names, "source")
    return table


def _as_arrow(frame: Any) -> Any:
    if isinstance(frame, pa.Table):
        return frame
    if type(frame).__module__.split(".")[0] == "pandas":
        return pa.Table.from_pandas(_with_texts(frame), preserve_index=False)  # an index is row numbers: not published
    if hasattr(frame, "__arrow_c_stream__") or isinstance(frame, dict):
        return pa.table(frame)
    return None


def _with_texts(frame: Any) -> Any:
    """The same; intervals of pandas (``pandas.cut``) as the texts that they are shown as."""
    if not hasattr(frame, "columns"):  # a lone column
        return frame
    intervals = [name for name, kind in frame.dtypes.items() if _is_interval(kind)]
    if not intervals:
        return frame
    texts = frame.copy(deep=False)
    for name in intervals:
        texts[name] = frame[name].astype("str").where(frame[name].notna(), None)
    return texts


def _is_interval(kind: Any) -> bool:
    values = getattr(kind, "categories", None)
    return str(kind if values is None else values.dtype).startswith("interval")


def _check_parquet_names(path: Path) -> tuple[str, ...] | None:
    """DuckDB would rename the second of two equal names; a file it can't read is for DuckDB to tell."""
    from pyarrow import parquet  # late: CSV does without it

    try:
        names = tuple(parquet.read_schema(path).names)
    except (pa.ArrowException, OSError):
        return None
    check_column_names(names, str(path))
    return names


def _file(path: Path) -> str:
    """A path as SQL; signs that stand for other files, elsewhere, stand for themselves."""
    return text("".join(f"[{c}]" if c in "*?[" else c for c in str(path)))


def _head(path: Path) -> tuple[bytes, bool]:
    """The beginning of a file without its byte order mark, and whether there is more."""
    try:
        with opened(path) as f:
            head = f.read(_HEAD)
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None)
        kind = Unavailable if why else DataError
        raise kind(Mistake(str(path), f"can't be read: {why or 'not a whole gzip file'}", "check the file")) from None
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise refusal(path, head)
    return head.removeprefix(b"\xef\xbb\xbf"), len(head) == _HEAD


def _rows(sample: str, delimiter: str, cut: bool) -> list[list[str]]:
    """The first rows under a delimiter, without one that was cut off; blank lines are empty rows."""
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    rows: list[list[str]] = []
    try:
        for row in reader:
            rows.append(row)
            if len(rows) == _ROWS:
                return rows
    except csv.Error:  # a value beyond all bounds: judge by what came before
        return rows
    return rows[:-1] if cut and len(rows) > 1 else rows


def _line_end(sample: str, delimiter: str) -> str:
    """What ends the first row; a line break inside of quotes does not."""
    lines: list[str] = []
    reader = csv.reader(_noted(io.StringIO(sample, newline=""), lines), delimiter=delimiter)
    next((row for row in reader if row), None)
    last = lines[-1] if lines else ""
    return last[len(last.rstrip("\r\n")) :] or "\n"


def _noted(lines: Iterable[str], notes: list[str]) -> Iterator[str]:
    for line in lines:
        notes.append(line)
        yield line


def _has(rows: Sequence[Sequence[str]], named: Collection[str]) -> bool:
    """Has the first row these columns?"""
    return bool(named) and set(named) <= set(next((row for row in rows if row), []))


def _fit(rows: Sequence[Sequence[str]]) -> tuple[bool, float, int]:
    """How well a delimiter suits: more than one value, rows of the same length as the first, many values."""
    widths = [len(row) for row in rows if row]
    if not widths:
        return False, 0.0, 0
    return widths[0] > 1, sum(w == widths[0] for w in widths) / len(widths), widths[0]


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    first, others = rows[0], [row for row in rows[1:] if row != rows[0] and len(row) == len(rows[0])]
    if any(_VALUE.fullmatch(cell) for cell in first):
        return False
    return not any(cell and any(row[i] == cell for row in others) for i, cell in enumerate(first))


def _akin(named: Collection[str], columns: Sequence[str]) -> bool:
    """Is any of the names among the columns, or at least close to one?"""
    folded = [c.strip().casefold() for c in columns]
    return any(get_close_matches(n.strip().casefold(), folded, n=1, cutoff=0.6) for n in named)
