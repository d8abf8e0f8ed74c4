"""What Spark reads: a table or view of its catalog, Parquet files, or a CSV file."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from discreet.engines.reading import AS_IT_STANDS, Reading
from discreet.engines.sources import CsvLayout, csv_layout
from discreet.engines.spark.sql import name, text
from discreet.errors import DataError, Mistake

_PARQUET = (".parquet", ".pq")
_CSV = (".csv", ".tsv", ".txt", ".gz")
_PART = "(?:`(?:[^`]|``)+`|[^`.]+)"
_NOTHING = "\ue000nothing\ue000"  # what stands in no file: read for a value that is not there
_PROBE = text('"",')
_UNREADABLE = "\ufffd"  # what Spark reads for bytes that are no text


def frame_of(session: Any, source: str, named: Collection[str] = (), file: Reading = AS_IT_STANDS) -> Any:
    """A table or file as a DataFrame; `named` are columns that it is said to have, `file` says how it is written."""
    if "/" not in source and not source.lower().endswith(_PARQUET + _CSV):
        return session.sql(f"SELECT * FROM {'.'.join(map(name, parts_of(source)))}")
    path = plain_path(source)
    if not source.lower().endswith(_CSV):
        return session.read.parquet(path)
    if "://" in source:
        raise DataError(Mistake(source, "is a CSV file elsewhere", "save it as Parquet, or make it a table of Spark"))
    if file.encoding and codecs.lookup(file.encoding).name not in ("utf-8", "ascii"):
        rule = f"Spark reads CSV files as UTF-8 here, not as {file.encoding}"
        raise DataError(Mistake("encoding", rule, "save the file as UTF-8 or Parquet"))
    return _csv(session, source, path, csv_layout(Path(source), named, file.delimiter))


def parts_of(table: str) -> list[str]:
    """The parts of a table's name; those with odd signs stand in backticks.

    >>> parts_of("clinic.patients"), parts_of("`my.schema`.`a``b`")
    (['clinic', 'patients'], ['my.schema', 'a`b'])
    """
    if not re.fullmatch(rf"{_PART}(\.{_PART})*", table):
        raise DataError(Mistake(table, "is not the name of a table", "write schema.table, with odd names in backticks"))
    parts = re.findall(_PART, table)
    return [part[1:-1].replace("``", "`") if part[0] == "`" else part for part in parts]


def plain_path(source: str | Path) -> str:
    """A path that Spark takes for one path."""
    path = str(source)
    if "://" not in path:
        path = str(Path(path).resolve())
    if re.search(r"[*?{}\[\]\\]", path):
        rule = "has a character in its path that Spark takes as a pattern for other files"
        raise DataError(Mistake(str(source), rule, "put it elsewhere: no *, ?, [, ], {, } or backslash in the path"))
    return path


def _csv(session: Any, source: str, path: str, layout: CsvLayout) -> Any:
    """A CSV file, every value as text; "" and nothing stay different."""
    if layout.separator_line:
        raise DataError(Mistake(source, "has a first line sep=, which Spark takes for a row", "remove that line"))
    if len(layout.columns) == 1:  # Spark skips blank lines, which are rows there
        raise DataError(Mistake(source, "is a CSV file of one column", "save it as Parquet"))
    csv_options = f"map('nullValue', {text(_NOTHING)}, 'emptyValue', '')"
    probe = f"SELECT from_csv({_PROBE}, 'a STRING, b STRING', {csv_options}) AS row"
    if session.sql(probe).toArrow().to_pylist() != [{"row": {"a": "", "b": None}}]:
        rule = "is a CSV file, and this Spark can't tell an empty text from nothing there"
        raise DataError(Mistake(source, rule, "save the table as Parquet"))
    schema = ", ".join(f"{name(column)} STRING" for column in layout.columns)
    options = {
        "sep": layout.delimiter,
        "header": layout.header,
        "lineSep": layout.end,
        "quote": '"',
        "escape": '"',
        "multiLine": True,
        "nullValue": _NOTHING,
        "emptyValue": "",
        "mode": "FAILFAST",
    }
    frame = session.read.options(**options).schema(schema).csv(path)
    # All columns are looked at: Spark notices neither rows of another length nor bad text in what it leaves out.
    whole = f"concat_ws('', {', '.join(map(name, layout.columns))})"
    checked = f"CASE WHEN contains({whole}, {text(_UNREADABLE)}) THEN raise_error('unreadable text') ELSE true END"
    return frame.where(checked)
