"""A chain of two releases, of either kind, is the same on every engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from discreet import anonymize, apply, policy_from_words, verify
from tests.conformance.clinic import clinic, words
from tests.conformance.loaders import Loader, PostgreSQLLoader

# With columns that are published as they are, the engine joins the plan to its rows; else they are told by counts.
CHAINS: dict[str, dict[str, Any]] = {
    "bucketization": {"publish": "bucketization"},
    "bucketization and others": {"publish": "bucketization", "others": True},
    "numbered groups": {"publish": "numbered_groups"},
    "numbered groups and others": {"publish": "numbered_groups", "others": True},
}
_made: dict[str, Any] = {}


@pytest.mark.parametrize("kind", CHAINS)
def test_a_chain_is_the_same_on_every_engine(loader: Loader, reference: Loader, kind: str) -> None:
    if kind not in _made:
        _made[kind] = chain(reference, kind)
    assert chain(loader, kind) == _made[kind]


def chain(engine: Loader, kind: str) -> Any:
    """The tables of both releases, and what their manifests say of groups and rows."""
    policy = words(without=("admitted",), require=[{"m_invariance": {"m": 2}}], suppress=0.3, **CHAINS[kind])
    policy["attributes"]["person"] = {"role": "person"}
    table = clinic()
    later = pa.concat_tables([table.slice(15), clinic(320, seed=9).slice(300)])
    tables = [engine.source(one) for one in (table, later)]
    first, second = engine.target(), engine.target()
    anonymize(policy_from_words({**policy, "format": engine.form}), first, source=tables[0])
    apply(first, tables[1], second, seed=3)
    found = []
    for folder, source, earlier in ((first, tables[0], []), (second, tables[1], [first])):
        assert verify(folder, source=source, earlier=earlier).kept is True
        manifest = manifest_of(folder)
        # What follows a release is published beside the table that it was made from.
        reader = PostgreSQLLoader(engine.folder, engine.database) if "database" in manifest else engine  # type: ignore[attr-defined]
        names = manifest["tables"] if "tables" in manifest else [manifest["table"]]
        found.append((manifest["groups"], manifest["rows"], manifest["promises"]))
        found.append({Path(name).stem: reader.read(folder, name, folder.name) for name in names})
    return found


def manifest_of(folder: Path) -> dict[str, Any]:
    said: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return said
