"""Where a table comes from: a CSV or Parquet file, or a frame in memory."""

from __future__ import annotations

import csv
import gzip
import io
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.engines.sql import text
from discreet.errors import DataError, Mistake, offenders

DELIMITERS = ",;\t|"
_HEAD = 1 << 20  # bytes read to find the header; DuckDB reads the rest


@dataclass(frozen=True)
class CsvLayout:
    """How a CSV file is written."""

    delimiter: str
    header: bool
    columns: tuple[str, ...]


def relation(path: Path) -> str:
    """The SQL that reads a file, every CSV value as text."""
    if not path.exists():
        raise DataError(Mistake(str(path), "no such file", "check the path; it is relative to the policy"))
    if path.is_dir():
        raise DataError(Mistake(str(path), "is a folder, not a table", "name a CSV or Parquet file"))
    suffixes = {s.lower() for s in path.suffixes}
    if suffixes & {".parquet", ".pq"}:
        return f"read_parquet({text(str(path))})"
    if suffixes & {".xlsx", ".xls", ".json", ".sav", ".dta"}:
        raise DataError(Mistake(str(path), "not a CSV or Parquet file", "save the table as CSV or Parquet"))
    layout = csv_layout(path)
    columns = ", ".join(f"{text(c)}: 'VARCHAR'" for c in layout.columns)
    # A dialect that DuckDB guesses can change with one broken row, so it gets told; "" and nothing stay different.
    return (
        f"read_csv({text(str(path))}, auto_detect=false, header={str(layout.header).lower()}, "
        f"delim={text(layout.delimiter)}, quote='\"', escape='\"', nullstr='', allow_quoted_nulls=false, "
        f"columns={{{columns}}})"
    )


def csv_layout(path: Path) -> CsvLayout:
    """Delimiter, header and column names, from the first row.

    The delimiter is the one the first row has most of. The first row is a header unless one of its values is a number.
    """
    first = _first_row(path)
    counts = Counter({d: _count_outside_quotes(first, d) for d in DELIMITERS})
    delimiter = max(DELIMITERS, key=lambda d: counts[d])
    row = next(csv.reader(io.StringIO(first), delimiter=delimiter), [])
    if not row:
        raise DataError(Mistake(str(path), "is empty: no header, no rows", "give a table with at least one row"))
    header = not any(_is_number(cell) for cell in row)
    columns = tuple(row) if header else tuple(f"column{i + 1}" for i in range(len(row)))
    check_column_names(columns, str(path))
    return CsvLayout(delimiter, header, columns)


def check_column_names(columns: tuple[str, ...], place: str) -> None:
    """Every column needs a name of its own, or nobody can say which one is meant (case does not tell them apart)."""
    mistakes = []
    twice = [c for c, n in Counter(c.lower() for c in columns).items() if n > 1]
    if twice:
        mistakes.append(Mistake(place, f"column names occur more than once: {offenders(twice)}", "rename all but one"))
    if any(not c.strip() for c in columns):
        mistakes.append(Mistake(place, "a column has no name", "give every column a name in the first row"))
    if mistakes:
        raise DataError(*mistakes)


def arrow_table(frame: Any) -> Any:
    """A frame of Arrow, pandas or polars (or a mapping of columns) as an Arrow table. The frame is not touched."""
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return frame
    if type(frame).__module__.split(".")[0] == "pandas":
        return pa.Table.from_pandas(frame, preserve_index=False)  # an index is row numbers: never published
    if hasattr(frame, "__arrow_c_stream__") or isinstance(frame, dict):
        return pa.table(frame)
    kind = type(frame).__name__
    raise DataError(
        Mistake("source", f"can't read a table from {kind}", "give a path, or an Arrow, pandas or polars frame")
    )


def _first_row(path: Path) -> str:
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rb") as f:
            head = f.read(_HEAD)
    except (OSError, EOFError) as error:
        raise DataError(Mistake(str(path), f"can't be read ({type(error).__name__})", "check the file")) from None
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError(Mistake(str(path), "is not UTF-8 text", "save it as UTF-8"))
    line = io.BytesIO(head.removeprefix(b"\xef\xbb\xbf"))
    rows = b""
    while chunk := line.readline():  # a quoted name may hold a line break
        rows += chunk
        if rows.count(b'"') % 2 == 0 and rows.strip():
            break
    try:
        return rows.decode("utf-8").strip("\r\n")
    except UnicodeDecodeError:
        raise DataError(Mistake(f"{path}, line 1", "is not UTF-8 text", "save it as UTF-8")) from None


def _count_outside_quotes(line: str, delimiter: str) -> int:
    return sum(part.count(delimiter) for part in line.split('"')[::2])


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
