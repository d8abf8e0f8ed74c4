"""A release as somebody reads it who has nothing but the files: text, split by hand, and a manifest's figures."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from campaign.promises.case import Row, Value

GROUP, COUNT = "group", "count"


@dataclass(frozen=True)
class Table:
    """A published file: the names of its columns and its rows."""

    names: tuple[str, ...]
    rows: tuple[Row, ...]

    def parts(self, names: Sequence[str]) -> list[Row]:
        places = [self.names.index(name) for name in names]
        return [tuple(row[at] for at in places) for row in self.rows]


@dataclass(frozen=True)
class Folder:
    """The tables of a release by the names of their files, and its manifest."""

    tables: Mapping[str, Table]
    manifest: Mapping[str, Any]

    @property
    def data(self) -> Table:
        """The one table of a release of coarser values."""
        return self.tables["data"]


@dataclass(frozen=True)
class Group:
    """Rows that can't be told apart: how many, which labels they have, and how often each has which value.

    `people` are the exact quasi-identifiers of its rows where they are published; where they are published apart,
    `listed` are the entries of each of its tables, and `distinct` their numbers.
    """

    size: int
    labels: Row
    values: Mapping[str, Counter[Value]]
    people: tuple[Row, ...] = ()
    distinct: tuple[int, ...] = ()
    listed: tuple[tuple[Row, ...], ...] = ()


def read_folder(folder: Path) -> Folder:
    tables = {
        path.stem: read_parquet(path) if path.suffix == ".parquet" else read_csv(path)
        for path in sorted(folder.iterdir())
        if path.suffix in (".csv", ".parquet")
    }
    return Folder(tables, json.loads((folder / "manifest.json").read_text(encoding="utf-8")))


def read_parquet(path: Path) -> Table:
    from pyarrow import parquet

    table = parquet.read_table(path)
    columns = [[None if v is None else str(v) for v in column.to_pylist()] for column in table.columns]
    return Table(tuple(table.column_names), tuple(zip(*columns, strict=True)))


def read_csv(path: Path) -> Table:
    """An empty field is NULL, a quoted one the empty text, which Python's own reader can't tell apart."""
    [names, *rows] = _records(path.read_text(encoding="utf-8"))
    return Table(tuple(str(name) for name in names), tuple(rows))


def _records(text: str) -> list[Row]:
    """
    >>> _records('a,"b, ""c"" d",,' + '""' + chr(10))
    [('a', 'b, "c" d', None, '')]
    """
    records: list[Row] = []
    fields: list[Value] = []
    at = 0
    while at < len(text):
        if text[at] == '"':
            end = at + 1
            while text[end] != '"' or text[end : end + 2] == '""':
                end += 2 if text[end] == '"' else 1
            fields.append(text[at + 1 : end].replace('""', '"'))
            at = end + 1
        else:
            end = min(place for place in (text.find(",", at), text.find("\n", at)) if place >= 0)
            fields.append(text[at:end] or None)
            at = end
        if text[at] == "\n":
            records.append(tuple(fields))
            fields = []
        elif text[at + 1 : at + 2] == "\n":  # a comma at the end of a line
            fields.append(None)
            records.append(tuple(fields))
            fields = []
            at += 1
        at += 1
    return records


def write_csv(path: Path, names: Sequence[str], rows: Sequence[Row]) -> None:
    """A table with NULL as nothing and the empty text in quotes."""
    lines = [",".join(names), *(",".join(_cell(value) for value in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _cell(value: Value) -> str:
    if value is None:
        return ""
    return value if value and not set(value) & set(',"\n') else '"' + value.replace('"', '""') + '"'


def labelled_groups(folder: Folder, quasi_identifiers: Sequence[str], sensitive: Sequence[str]) -> list[Group]:
    """The groups of coarser values. Rows that were suppressed and stand there as stars are none."""
    table = folder.data
    labels, values = table.parts(quasi_identifiers), table.parts(sensitive)
    starred = {place for place, row in enumerate(table.rows) if is_starred(folder, row)}
    members: dict[Row, list[int]] = {}
    for place, label in enumerate(labels):
        if place not in starred:
            members.setdefault(label, []).append(place)
    return [
        Group(
            len(places), label, {name: Counter(values[at][i] for at in places) for i, name in enumerate(sensitive)}
        )
        for label, places in members.items()
    ]  # fmt: skip


def is_starred(folder: Folder, row: Row) -> bool:
    """Is it a row that was suppressed? Then nothing of it is left, and the manifest says that such rows are there."""
    return folder.manifest["suppressed_as"] == "star" and all(value == "*" for value in row)


def bucket_groups(folder: Folder, quasi_identifiers: Sequence[str], attribute: str) -> list[Group]:
    """The groups of a bucketization: who is in each, and which values it has."""
    people, values = folder.tables["quasi_identifiers"], folder.tables["sensitive"]
    members: dict[Value, list[Row]] = {}
    for person, (number,) in zip(people.parts(quasi_identifiers), people.parts([GROUP]), strict=True):
        members.setdefault(number, []).append(person)
    dealt: dict[Value, Counter[Value]] = {}
    for number, value in values.parts([GROUP, attribute]):
        dealt.setdefault(number, Counter())[value] += 1
    if set(members) != set(dealt):
        return []
    return [
        Group(len(rows), (number,), {attribute: dealt[number]}, people=tuple(rows))
        for number, rows in members.items()
    ]  # fmt: skip


def ambiguous_groups(folder: Folder, attribute: str) -> list[Group]:
    """The groups of an ambiguity: how many entries each table has of it, and how often it has which value."""
    counts: dict[Value, Counter[Value]] = {}
    for number, value, count in folder.tables["sensitive"].parts([GROUP, attribute, COUNT]):
        counts.setdefault(number, Counter())[value] += int(str(count))
    entries = auxiliary(folder)
    listed = {
        number: tuple(tuple(row[:-1] for row in rows if row[-1] == number) for rows in entries.values())
        for number in counts
    }
    return [
        Group(
            dealt.total(),
            (number,),
            {attribute: dealt},
            distinct=tuple(map(len, listed[number])),
            listed=listed[number],
        )
        for number, dealt in counts.items()
    ]


def auxiliary(folder: Folder) -> dict[tuple[str, ...], list[Row]]:
    """The tables of an ambiguity by the columns they are about; of each entry its values, and last its group."""
    tables = [table for name, table in folder.tables.items() if name.startswith("auxiliary")]
    names = [tuple(name for name in table.names if name != GROUP) for table in tables]
    return {of: table.parts([*of, GROUP]) for of, table in zip(names, tables, strict=True)}
