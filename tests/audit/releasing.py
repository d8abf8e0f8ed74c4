"""Small releases of every kind, made as a user makes them, and files as other tools write them."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import discreet

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
