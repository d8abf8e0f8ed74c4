"""A release's folder as an adversary reads it: the tables up to what is random in them, and all the rest as text.

Sharing no code with `discreet`. What is left out is what a run leaves in any folder by chance: the time, the order of
rows, the numbers of groups, and the fingerprints of files that hold one of these.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyarrow import parquet

from tests.moments import without_moment
from tests.releases.reading import Row, manifest_of, read_file

Canonical = tuple[Any, ...]


@dataclass(frozen=True)
class Folder:
    """`tables` are equal where two releases publish the same; `besides` are the other files, line by line."""

    tables: Canonical
    suppressed: int
    besides: Mapping[str, tuple[str, ...]]


def read_folder(folder: Path) -> Folder:
    """Every file of the folder, each of them either a table or text."""
    manifest = manifest_of(folder)
    files = sorted(folder.iterdir())
    tables = [p for p in files if p.suffix in (".csv", ".parquet")]
    besides = {p.name: _lines(p, manifest) for p in files if p not in tables}
    besides |= {f"{p.name}: schema": _schema(p) for p in tables if p.suffix == ".parquet"}
    return Folder(
        (tuple(p.name for p in tables), _canonical(tables, manifest.get("group_column"))),
        manifest["rows"]["suppressed"],
        besides,
    )


def _canonical(tables: list[Path], group: str | None) -> Canonical:
    """The rows of every table in one order; where groups are numbered, group by group, whatever their numbers."""
    of_group: dict[Any, list[tuple[int, Row]]] = defaultdict(list)
    headers = []
    for number, path in enumerate(tables):
        names, rows = read_file(path)
        headers.append(tuple(names))
        place = None if group is None else names.index(group)
        for row in rows:
            key = None if place is None else row[place]
            of_group[key].append((number, row if place is None else (*row[:place], *row[place + 1 :])))
    groups = [tuple(sorted(rows, key=repr)) for rows in of_group.values()]
    return tuple(headers), tuple(sorted(groups, key=repr))


def _schema(path: Path) -> tuple[str, ...]:
    """What a Parquet file says of its columns beside their values."""
    metadata = parquet.read_metadata(path)
    return (*str(parquet.read_schema(path)).splitlines(), *map(repr, sorted((metadata.metadata or {}).items())))


def _lines(path: Path, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """A file's text, line by line; of JSON, each value with its place."""
    if path.name == "manifest.json":
        return tuple(_places(_without_chance(manifest)))
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return tuple(_places(json.loads(text)))
    text = without_moment(text, manifest["created"])
    return tuple(re.sub(r"\b[0-9a-f]{64}\b", "FINGERPRINT", text).splitlines())


def _places(value: Any, place: str = "") -> Iterator[str]:
    """Everything that a JSON value says, in its order."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _places(inner, f"{place}.{name}")
    elif isinstance(value, list) and value:
        for i, inner in enumerate(value):
            yield from _places(inner, f"{place}[{i}]")
    else:
        yield f"{place} = {json.dumps(value, ensure_ascii=False)}"


def _without_chance(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What a manifest says besides the time and fingerprints; bytes of Parquet follow the (random) order of rows."""
    told = {name: value for name, value in manifest.items() if name not in ("created", "checksum")}
    left_out = {".parquet": ("sha256", "bytes")}
    told["files"] = {
        name: {key: x for key, x in about.items() if key not in left_out.get(Path(name).suffix, ("sha256",))}
        for name, about in manifest["files"].items()
    }
    return told


def columns_of(names: tuple[str, ...], rows: tuple[Row, ...] | list[Row]) -> dict[str, list[Any]]:
    """A source table by columns, as `anonymize` takes it."""
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def differences(one: Folder, other: Folder, most: int = 6) -> list[str]:
    """The first lines, per file, in which two folders differ besides their tables."""
    found = []
    for name in sorted({*one.besides, *other.besides}):
        first, second = one.besides.get(name, ()), other.besides.get(name, ())
        if first != second:
            lost, new = Counter(first) - Counter(second), Counter(second) - Counter(first)
            here = [f"{name} - {line.strip()}" for line in first if line in lost]
            there = [f"{name} + {line.strip()}" for line in second if line in new]
            found += (here[:most] + there[:most]) or [f"{name}: the same lines in another order"]
    return found
