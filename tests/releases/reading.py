"""Releases as an outsider reads them: with pyarrow and plain Python, sharing no code with `discreet`."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyarrow import csv, parquet

Row = tuple[Any, ...]


def read_table(folder: Path) -> tuple[list[str], list[Row]]:
    """Columns and rows of the table of a recoded release."""
    [path] = folder.glob("data.*")
    return read_file(path)


def read_file(path: Path) -> tuple[list[str], list[Row]]:
    """Columns and rows of a published table, NULL and "" kept apart."""
    if path.suffix == ".parquet":
        table = parquet.read_table(path)
    else:
        names = csv.open_csv(path, parse_options=csv.ParseOptions(newlines_in_values=True)).schema.names
        table = csv.read_csv(
            path,
            parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=len(names) > 1),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, "string"),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    return table.column_names, list(zip(*(c.to_pylist() for c in table.columns), strict=True)) if len(table) else []


def manifest_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return found


def groups_of(rows: Sequence[Row], width: int) -> dict[Row, list[Row]]:
    """Rows with equal quasi-identifiers (the first `width` columns), what they have besides."""
    groups: dict[Row, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row[:width]].append(row[width:])
    return dict(groups)


def covers(text: str | None, value: str | None) -> bool:
    """May `value` have been published as `text`? For whole numbers, masked codes and categories."""
    if text == value or text == "*":
        return True
    if not text:
        return False
    if text.startswith("{"):
        members = {"NULL": None, '""': ""}
        return any(covers(members.get(part, part), value) for part in text[1:-1].split(", "))
    if not value:
        return False
    if "*" in text:
        return len(text) == len(value) and all(t in ("*", v) for t, v in zip(text, value, strict=True))
    low, dash, high = text.partition("-")
    return bool(dash) and value.isdigit() and int(low) <= int(value) <= int(high)


def can_stem_from(published: Sequence[Row], original: Sequence[Row], width: int) -> bool:
    """Is there an original row of its own for every published one: covered by it, and equal beyond `width`?

    Bipartite matching by augmenting paths, over distinct rows with their counts.
    """
    left, right = Counter(published), Counter(original)
    edges = {
        p: [
            o for o in right if p[width:] == o[width:] and all(map(covers, p[:width], o[:width]))
        ]
        for p in left
    }  # fmt: skip
    flow: Counter[tuple[Row, Row]] = Counter()
    free = Counter(right)

    def augment(p: Row, seen: set[Row]) -> bool:
        for o in edges[p]:
            if o in seen:
                continue
            seen.add(o)
            holders = [q for q in left if flow[q, o]]
            if free[o] > 0 or any(augment(q, seen) and not flow.subtract({(q, o): 1}) for q in holders):
                free[o] -= free[o] > 0
                flow[p, o] += 1
                return True
        return False

    return all(augment(p, set()) for p, n in left.items() for _ in range(n))
