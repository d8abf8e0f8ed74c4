"""Small releases of every kind, made as a user makes them, and files as other tools write them."""

from __future__ import annotations

import csv
import json
import random
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

import discreet
from discreet.audit.kinds.registry import AMBIGUOUS
from discreet.audit.reading.exact_tables import Table
from discreet.audit.reading.view import ReleaseView
from discreet.engines.base import Frequencies

HIERARCHIES: dict[str, object] = {
    "age": {"intervals": [5, 10, 20, 40]},
    "zip": {"prefixes": [3, 2]},
    "nation": {"taxonomy": [["Spain", "Europe"], ["France", "Europe"], ["Peru", "America"], ["Chile", "America"]]},
    "born": {"dates": ["month", "year", "decade"]},
}
REQUIRE: dict[str, list[object]] = {
    "generalization": [{"k_anonymity": {"k": 3}}],
    "multidimensional": [{"k_anonymity": {"k": 3}}],
    "local_recoding": [{"k_anonymity": {"k": 3}}],
    "bucketization": [{"l_diversity": {"l": 2, "kind": "frequency"}}],
    "ambiguity": [{"ambiguity": {"alpha": "1/2", "beta": "1/2"}}],
}
Columns = dict[str, list[Any]]
PLAIN = {"quasi_identifiers": ["age", "zip"], "sensitive": ["disease"]}


def people(n: int = 300, seed: int = 1) -> Columns:
    """Invented people, in no order, with NULLs and empty texts."""
    draw = random.Random(seed)
    return {
        "name": [f"person {i}" for i in range(n)],
        "age": [str(draw.randint(17, 80)) for _ in range(n)],
        "zip": [draw.choice(["47906", "47907", "47302", "12345", "479"]) for _ in range(n)],
        "nation": [draw.choice(["Spain", "Peru", "France", "Chile", None]) for _ in range(n)],
        "born": [f"19{draw.randint(50, 69)}-0{draw.randint(1, 9)}-1{draw.randint(0, 9)}" for _ in range(n)],
        "disease": [draw.choice(["flu", "cold", "gout", "stroke", None, ""]) for _ in range(n)],
    }


def words(publish: str, **others: object) -> dict[str, object]:
    """The policy of a release of these people."""
    known: dict[str, object] = {n: {"role": "quasi_identifier", "hierarchy": h} for n, h in HIERARCHIES.items()}
    roles = {"name": {"role": "identifier"}} | known | {"disease": {"role": "sensitive"}}
    given = {"attributes": roles, "require": REQUIRE[publish], "publish": publish, "suppress": 0.3, "seed": 1}
    return given | others


def publish(folder: Path, kind: str, source: Columns | None = None, **others: object) -> Path:
    """A release in `folder` (a new one)."""
    policy = discreet.policy_from_words(words(kind, **others))
    discreet.anonymize(policy, folder, source=source or people())
    return folder


def read_table(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV as they stand; NULL and the empty text are alike here."""
    with path.open(encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def write_table(path: Path, rows: list[dict[str, Any]]) -> Path:
    """The same rows as a CSV."""
    with path.open("w", encoding="utf-8", newline="") as f:
        writer = csv.DictWriter(f, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def manifest_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return found


def resign(folder, **changes):
    """Put a manifest in place with all its fingerprints right, as a clever forger would."""
    manifest = manifest_of(folder) | changes
    for name, about in manifest["files"].items():
        about["sha256"] = sha256((folder / name).read_bytes()).hexdigest()
    manifest.pop("checksum", None)
    manifest["checksum"] = sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def change_rows(folder, change, file="data.csv"):
    """Seed a fault into the rows of a table; the manifest is made to fit."""
    rows = read_lines(folder / file)
    changed = change(rows)
    with (folder / file).open("w", encoding="utf-8", newline="") as f:
        f.writelines(changed)
    resign(folder)


def read_lines(path):
    return path.read_text(encoding="utf-8").splitlines(keepends=True)


def counted(rows, width):
    """Distinct rows with their counts, as an engine would."""
    distinct = list(dict.fromkeys(rows))
    values = [tuple(dict.fromkeys(row[i] for row in distinct)) for i in range(width)]
    codes = [np.array([v.index(row[i]) for row in distinct], dtype=np.int32) for i, v in enumerate(values)]
    return Frequencies(tuple(values), tuple(codes), np.array([rows.count(row) for row in distinct], dtype=np.int64))


def released(groups, tables):
    """An ambiguous release of groups of people, each table with some attributes."""
    published = []
    for attributes in tables:
        rows = [(*(p[d] for d in attributes), g) for g, people in enumerate(groups) for p in people]
        found = counted(list(dict.fromkeys(rows)), len(attributes) + 1)
        group = np.array(found.values[-1], dtype=np.int64)[found.codes[-1]]
        own = Frequencies(found.values[:-1], found.codes[:-1], found.counts)
        published.append(Table(tuple(f"q{d}" for d in attributes), own, group))
    sizes = np.array([len(people) for people in groups], dtype=np.int64)
    names = tuple(f"q{d}" for table in sorted(tables) for d in table)
    return ReleaseView(AMBIGUOUS, names, sizes, (), tables=tuple(published))


def in_order(source, age="[{}-{}]"):
    """A table as a tool publishes it that never moves a row (and takes empty texts for NULL)."""
    rows = []
    for a, z, d in zip(source["age"], source["zip"], source["disease"], strict=True):
        low = int(a) // 20 * 20
        rows.append({"age": age.format(low, low + 19), "zip": z[:2] + "*" * (len(z) - 2), "disease": d or None})
    return rows


def first_screen(page: str) -> str:
    """What stands above the table of adversaries."""
    return page[page.index("<main>") : page.index('id="adversaries"')]
