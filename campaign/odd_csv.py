"""CSV files with whatever goes wrong in CSV files."""

from __future__ import annotations

import csv
import gzip
import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

from campaign.garden import HEADER, rows
from campaign.mutations import ENDLESS, FIFO, TEXTS, WORDS, spoil_bytes
from campaign.planted import BROKEN_OUT, IMAGE, PERSON, SCRIPT

Table = list[list[str]]
VALUES = (
    *TEXTS, "NULL", "NA", "-", "1,5", "1.000,50", "1e999", "-1e999", "nan", "NaN", "Infinity", "0.1", "00012", "+5",
    "5-", "@SUM(A1)",
    "+1", "=cmd|' /C calc'!A0", "2020-13-45", "10000-01-01", "31.12.2024", "24:00:00", "2024-02-29T25:61:61Z",
    "0000-00-00",
    "18446744073709551616", "1" * 40, "1" * 400, "0." + "1" * 400, "true", "{a, b}", "[1, 2)", ">=90", "479**",
    "a\r\nb", "\\N",
)  # fmt: skip
NUMBERS = (
    "1", "2.5", "-0", "1e308", "-1e308", "nan", "inf", "-inf", "9223372036854775807", "9223372036854775808", "1e-320",
)  # fmt: skip
DATES = (
    "0001-01-01", "9999-12-31", "2024-02-29", "1582-10-10", "1970-01-01", "290000-01-01", "-0044-03-15", "infinity",
)  # fmt: skip
NAMES = (
    SCRIPT, IMAGE, BROKEN_OUT, 'x"; DROP TABLE t; --', "'); COPY (SELECT 1) TO 'pwned.csv'; --", "select", "a b",
    "a.b", "*", "#",
    "rowid", "count", "count(*)", "group", "\u202eage", "ä", "a\nb", "0", "NULL", "x" * 300, "%", "a'b", "file",
    "size",
    "n", "weight", "index", "code", "value", "key", "level", "row", "rows", "filename", "main", "../x", "data",
    "sensitive",
)  # fmt: skip


def odd_csv(random: Random, number: int, path: Path) -> tuple[str, dict[str, str]]:
    """Write one; what was done, and how columns are called now."""
    table: Table = [list(HEADER), *rows(random, random.choice((6, 30, 90)))]
    ways = list(_WAYS)
    what = ways[number % len(ways)]
    renamed: dict[str, str] = {}
    made = _WAYS[what](random, table, path, renamed)
    if isinstance(made, list):
        made = _text(made)
    if made is not None:
        path.unlink(missing_ok=True)
        path.write_bytes(made if isinstance(made, bytes) else made.encode("utf-8", "surrogatepass"))
    return what, renamed


def _text(table: Table, delimiter: str = ",", end: str = "\n") -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, lineterminator=end).writerows(table)
    return file.getvalue()


Way = Callable[[Random, Table, Path, dict[str, str]], "Table | bytes | str | None"]
_WAYS: dict[str, Way] = {}


def _way(function: Way) -> Way:
    _WAYS[function.__name__.strip("_").replace("_", " ")] = function
    return function


def _cells(random: Random, table: Table, values: tuple[str, ...], often: float) -> Table:
    for row in table[1:]:
        for i in range(1, len(row)):
            if random.random() < often:
                row[i] = random.choice(values)
    return table


@_way
def _strange_values(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> Table:
    return _cells(random, table, VALUES, random.choice((0.01, 0.2, 1)))


@_way
def _one_strange_column(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> Table:
    column = random.randrange(1, len(HEADER))
    few = random.sample(VALUES, random.choice((1, 2, 8)))
    for row in table[1:]:
        row[column] = random.choice(few)
    return table


@_way
def _only_numbers(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> Table:
    return _cells(random, table, NUMBERS, 1)


@_way
def _only_dates(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> Table:
    return _cells(random, table, DATES, 1)


@_way
def _only_nothing(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> Table:
    return _cells(random, table, ("",), 1)


@_way
def _formulas_and_markup(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> Table:
    return _cells(random, table, (SCRIPT, IMAGE, BROKEN_OUT, "=1+1", "@x", "-2+3", "+cmd|x"), 0.5)


@_way
def _strange_names(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> Table:
    for i, new in zip(range(1, len(HEADER)), random.sample(NAMES, len(HEADER) - 1), strict=True):
        if random.random() < 0.6:
            renamed[table[0][i]] = table[0][i] = new
            renamed[HEADER[i]] = new
    return table


@_way
def _ragged(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> Table:
    for row in table[random.choice((0, 1)) :]:
        if random.random() < 0.2:
            row[:] = row[: random.randrange(len(row))] if random.random() < 0.5 else [*row, "more", PERSON]
    return table


@_way
def _quotes(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> str:
    text = _text(table)
    for _ in range(random.choice((1, 3, 40))):
        at = random.randrange(len(text))
        text = text[:at] + random.choice(('"', '""', '"""', '\\"', "'", '",', ',"')) + text[at:]
    return text


@_way
def _bytes(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> bytes:
    return spoil_bytes(random, _text(table).encode())


@_way
def _encodings(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> bytes:
    text = _text(table).replace("Asthma", "Asthmaé")
    return text.encode(random.choice(("utf-16", "utf-16-le", "latin-1", "utf-8-sig", "utf-32", "cp037")))


@_way
def _delimiters(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> str:
    return _text(table, random.choice((";", "\t", "|", " ", ":")), random.choice(("\r", "\r\n", "\n\n", "\n\r")))


@_way
def _giant_cell(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> Table:
    row = random.choice(table[1:])
    row[random.randrange(1, len(row))] = random.choice(("x", "9", "\n", '"', ",")) * random.choice(
        (70_000, 1_000_000, 3_000_000)
    )
    return table


@_way
def _giant_name(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> Table:
    table[0][random.randrange(len(HEADER))] = random.choice(("x", SCRIPT, "\n")) * 50_000
    return table


@_way
def _many_columns(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> Table:
    more = random.choice((100, 1000, 4000))
    return [row + [f"c{i}" if row is table[0] else str(i % 3) for i in range(more)] for row in table[:40]]


@_way
def _header(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> Table:
    for i in range(len(HEADER)):
        if random.random() < 0.3:
            table[0][i] = random.choice(("", " ", "age", "AGE", "age ", "disease", '"', "age_1", *WORDS))
    return table if random.random() < 0.8 else table[1:]


@_way
def _few_rows(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> Table | str:
    return random.choice((table[:1], table[:2], table[:3], table[1:2], "", "\n", "\n\n\n", " ", "x", "\ufeff", "name"))


@_way
def _many_rows(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> Table:
    body = table[1:] * 200
    for i, row in enumerate(body):
        body[i] = [*row[:1], str(i) if random.random() < 0.5 else row[1], *row[2:]]
    return [table[0], *body]


@_way
def _one_value(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> Table:
    return [table[0], *([f"{PERSON}{i}", *table[1][1:]] for i in range(len(table)))]


@_way
def _no_file(random: Random, table: Table, path: Path, renamed: dict[str, str]) -> bytes | None:
    path.unlink(missing_ok=True)
    match random.randrange(8):
        case 0:
            path.mkdir()
        case 1:
            os.mkfifo(path)
        case 2:
            path.symlink_to("/dev/zero")
        case 3:
            path.symlink_to(path.name)
        case 4:
            path.symlink_to(random.choice((ENDLESS, FIFO)))
        case 5:
            path.mkdir()
            (path / "part-0.csv").write_text(_text(table), encoding="utf-8")
            shutil.copy(path / "part-0.csv", path / "_SUCCESS")
        case 6:
            return gzip.compress(_text(table).encode())[: random.choice((10, 100, 10**6))]
    return None
