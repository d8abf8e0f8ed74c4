"""The same policy and seed give the same release on every engine: the same rows, the same promises."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from discreet import anonymize, policy_from_words, verify
from discreet.errors import DataError
from discreet.models.presence.presence import Presence
from tests.conformance.clinic import POLICIES, clinic, words
from tests.conformance.loaders import DuckDBLoader, Loader, PostgreSQLLoader, Rows
from tests.servers import Database

# What a manifest says of the moment, the machine and the place; everything else is the same.
# (Spark looks at floating-point numbers a first time, to write them as the others do.)
_ELSEWHERE = ("created", "seconds", "scans", "versions", "checksum", "files", "database", "table", "tables", "policy")

Published = dict[str, tuple[list[str], Rows]]


def publish(loader: Loader, source: Any, asked: dict[str, Any]) -> tuple[dict[str, Any], Published]:
    """Publish, verify, and read: the manifest, and every table by what it is called."""
    folder = loader.target()
    release = anonymize(policy_from_words({**asked, "format": loader.form}), folder, source=source)
    assert verify(folder, source=source).kept
    alone = verify(folder)
    assert alone.kept or alone.unjudged
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    names = manifest["tables"] if "tables" in manifest else [manifest["table"]]
    tables = {Path(name).stem: loader.read(folder, name, folder.name) for name in names}
    for name in names:
        assert manifest["files"][name]["rows"] == tables[Path(name).stem][1].total()
    return manifest | {word: release.figures[word] for word in ("losses", "facts")}, tables


@pytest.fixture(scope="module")
def source(loader: Loader) -> Any:
    return loader.source(clinic())


@pytest.mark.parametrize("kind", POLICIES)
def test_every_kind_of_release_is_the_same_on_every_engine(
    loader: Loader, reference: Loader, source: Any, kind: str
) -> None:
    compare(loader, reference, source, kind)


@pytest.mark.real_spark(only=True)
@pytest.mark.parametrize("kind", ["instant, sample", "local recoding and others", "anatomy"])
def test_releases_are_the_same_on_spark_itself(loader: Loader, reference: Loader, source: Any, kind: str) -> None:
    compare(loader, reference, source, kind)


def compare(loader: Loader, reference: Loader, source: Any, kind: str) -> None:
    """Publish on both engines: the same tables, the same manifest."""
    manifest, tables = publish(loader, source, POLICIES[kind])
    expected_manifest, expected_tables = _expected(kind, reference)
    assert tables.keys() == expected_tables.keys()
    for name, (columns, rows) in expected_tables.items():
        assert tables[name][0] == columns
        assert tables[name][1] == rows
    assert _told(manifest) == _told(expected_manifest)


_published: dict[str, Any] = {}


def _expected(kind: str, reference: Loader) -> tuple[dict[str, Any], Published]:
    """What the reference publishes, once for all engines that share a process."""
    if kind not in _published:
        _published[kind] = publish(reference, reference.source(clinic()), POLICIES[kind])
    return _published[kind]


def _told(manifest: dict[str, Any]) -> dict[str, Any]:
    facts = {word: fact for word, fact in manifest.get("facts", {}).items() if "seconds" not in word}
    told = {word: said for word, said in manifest.items() if word not in _ELSEWHERE} | {"facts": facts}
    for promise in manifest["promises"]:
        for parameters in promise["model"].values():
            parameters.pop("population", None)
    return told


def visits() -> pa.Table:
    """Patients with about three rows each; of some it is not said whose they are."""
    table = clinic()
    numbers = [None if i % 50 == 7 else (i * 7) % 100 for i in range(table.num_rows)]
    return table.append_column("patient", pa.array(numbers, pa.int64()))


_HALF = [{"l_diversity": {"l": 2, "kind": "frequency"}}]
_BY_PEOPLE: dict[str, dict[str, Any]] = {
    "generalization": {"suppress": 0.1},
    "instant": {"search": "instant", "suppress": 0.1},
    "multidimensional": {"publish": "multidimensional"},
    "local recoding": {"publish": "local_recoding"},
    "generalization and others": {"others": True},
    "local recoding and others": {"publish": "local_recoding", "others": True},
    "anatomy": {"publish": "bucketization", "require": [{"l_diversity": {"l": 2, "kind": "distinct"}}]},
    "anatomy and others": {"publish": "bucketization", "others": True, "require": _HALF, "suppress": 0.4},
    "injector": {"publish": "bucketization", "search": "injector", "require": _HALF, "suppress": 0.5},
    "mask": {"publish": "bucketization", "search": "mask", "require": [{"l_diversity": {"l": 2}}], "suppress": 0.2},
    "art": {"publish": "bucketization", "require": [{"robust": {"r": 2, "values": ["gout"]}}], "suppress": 0.3},
    "ambiguity": {"publish": "ambiguity", "require": [{"ambiguity": {"alpha": 0.9, "beta": 0.7}}], "suppress": 0.4},
}


@pytest.mark.parametrize("kind", _BY_PEOPLE)
def test_people_are_counted_the_same_on_every_engine(loader: Loader, reference: Loader, kind: str) -> None:
    asked = words(without=("admitted",), **_BY_PEOPLE[kind])
    asked["attributes"]["patient"] = {"role": "person"}
    if kind not in _by_people:
        _by_people[kind] = publish_by_people(reference, asked)
    assert publish_by_people(loader, asked) == _by_people[kind]


_by_people: dict[str, Any] = {}


def publish_by_people(engine: Loader, asked: dict[str, Any]) -> tuple[Any, ...]:
    """Publish, verify, and read: what the manifest says, every table, and figures about people."""
    folder, source = engine.target(), engine.source(visits())
    release = anonymize(policy_from_words({**asked, "format": engine.form}), folder, source=source)
    assert verify(folder, source=source).kept is not False
    assert verify(folder).kept is None
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    names = manifest["tables"] if "tables" in manifest else [manifest["table"]]
    tables = {Path(name).stem: engine.read(folder, name, folder.name) for name in names}
    assert all("patient" not in columns for columns, _ in tables.values())
    return _told(manifest), tables, release.figures["people"], release.figures["promises"]


@pytest.mark.parametrize("publish", ["bucketization", "local_recoding"])
def test_everybodys_own_rows_go_where_the_plan_has_them(loader: Loader, publish: str) -> None:
    """Many rows are alike but for whose they are, and for a number that is published as it is."""
    random, people = np.random.default_rng(3), 60
    rows = 4 * people
    table = pa.table(
        {
            "who": pa.array([None if i % 40 == 7 else f"p{i % people}" for i in range(rows)]),
            "age": pa.array([20 + 10 * (i % people % 3) for i in range(rows)], pa.int64()),
            "disease": pa.array([f"d{d}" for d in random.integers(0, 12, rows)]),
            "visit": pa.array([f"v{i}" for i in range(rows)]),
        }
    )
    asked = {
        "attributes": {
            "who": {"role": "person"},
            "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20, 40]}},
            "disease": {"role": "sensitive"},
            "visit": {"role": "other"},
        },
        "require": _HALF if publish == "bucketization" else [{"k_anonymity": {"k": 7}}],
        "publish": publish,
        "suppress": 0.1,
        "seed": 5,
        "format": loader.form,
    }
    folder = loader.target()
    release = anonymize(policy_from_words(asked), folder, source=loader.source(table))
    name = next(n for n in release.manifest["files"] if Path(n).stem in ("quasi_identifiers", "data"))
    columns, found = loader.read(folder, name, folder.name)
    assert sorted(columns) == sorted(["age", "group" if publish == "bucketization" else "disease", "visit"])
    owner = [who if who is not None else f"nobody {i}" for i, who in enumerate(table["who"].to_pylist())]
    by = columns.index("group" if publish == "bucketization" else "age")
    groups: dict[Any, list[str]] = {}
    for row in found.elements():
        groups.setdefault(row[by], []).append(owner[int(row[columns.index("visit")][1][1:])])
    assert sum(map(len, groups.values())) == release.manifest["rows"]["published"] >= 0.9 * rows
    if publish == "bucketization":
        assert all(len(set(group)) == len(group) > 1 for group in groups.values())
    else:
        assert all(len(set(group)) >= 7 for group in groups.values())


def test_another_seed_gives_other_groups(loader: Loader, source: Any) -> None:
    first, again = (publish(loader, source, {**POLICIES["anatomy"], "seed": seed})[1] for seed in (1, 2))
    assert first["quasi_identifiers"][1] != again["quasi_identifiers"][1]


def test_one_changed_row_is_noticed(loader: Loader, source: Any) -> None:
    folder = loader.target()
    asked = {**POLICIES["multidimensional and others"], "format": loader.form}
    manifest = anonymize(policy_from_words(asked), folder, source=source).manifest
    assert verify(folder).kept
    loader.spoil(folder, manifest["table"], folder.name)
    assert not verify(folder).kept


def test_presence_among_a_population_in_the_engine(loader: Loader, reference: Loader) -> None:
    found = []
    for engine in (loader, reference):
        everybody = clinic(900, seed=3)
        population = engine.source(everybody.select(["age", "zip code", "sex"]))
        table = everybody.slice(0, 300)
        asked = words(without=("admitted", "disease"), require=[Presence((0, Fraction(3, 5)), population)])
        folder = engine.target()
        anonymize(policy_from_words({**asked, "format": engine.form}), folder, source=engine.source(table))
        assert verify(folder, population=population).kept
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        found.append((_told(manifest), engine.read(folder, manifest["table"], folder.name)))
    assert found[0] == found[1]


def test_private_rows_of_a_table_of_everybody(loader: Loader, reference: Loader) -> None:
    asked = words(
        without=("admitted",),
        private={"disease": ["flu", ""], "age": {"from": 22, "to": 55}},
        require=[{"presence": {"delta": [0, 0.9]}}, {"k_anonymity": {"k": 2}}],
        suppress=0.1,
    )
    found = []
    for engine in (loader, reference):
        folder, everybody = engine.target(), engine.source(clinic(600))
        anonymize(policy_from_words({**asked, "format": engine.form}), folder, source=everybody)
        assert verify(folder, population=everybody).kept
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        found.append((_told(manifest), engine.read(folder, manifest["table"], folder.name)))
    assert found[0] == found[1]


def test_a_table_of_equal_rows_and_no_more(loader: Loader) -> None:
    table = pa.table({"age": [40] * 7, "disease": pa.array([None] * 7, pa.string())})
    asked = {
        "attributes": {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
        "require": [{"k_anonymity": {"k": 7}}],
    }
    _, tables = publish(loader, loader.source(table), asked)
    assert list(tables["data"][1].values()) == [7]


@pytest.mark.postgresql
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_somebody_who_may_only_read_publishes_files(
    postgresql: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    loader = PostgreSQLLoader(tmp_path, postgresql)
    source, role = loader.source(clinic()), f"reader_{postgresql.name}"
    postgresql.execute(
        f"CREATE ROLE {role} LOGIN",
        f"ALTER ROLE {role} SET default_transaction_read_only = on",
        f"REVOKE ALL ON DATABASE {postgresql.name} FROM PUBLIC",
        f"GRANT CONNECT ON DATABASE {postgresql.name} TO {role}",
        f"GRANT SELECT ON {source.partition('#')[2]} TO {role}",
    )
    try:
        monkeypatch.setenv("PGUSER", role)
        with pytest.raises(DataError, match="or publish files: format: parquet"):
            anonymize(policy_from_words(words(others=True, suppress=0.1)), tmp_path / "table", source=source)
        asked = policy_from_words(words(others=True, suppress=0.1, format=form))
        release = anonymize(asked, tmp_path / "release", source=source)
        assert verify(release.folder, source=source).kept
        assert sorted(path.name for path in release.folder.iterdir()) == [
            f"data.{form}",
            "manifest.json",
            "mapping.json",
            "report.html",
        ]
        here = anonymize(asked, tmp_path / "here", source=DuckDBLoader(tmp_path).source(clinic()))
        ours, theirs = (Loader.read(loader, made.folder, f"data.{form}", "") for made in (release, here))
        assert ours == theirs
    finally:
        monkeypatch.undo()
        postgresql.execute(f"DROP OWNED BY {role}", f"DROP ROLE {role}")
