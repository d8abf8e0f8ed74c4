"""A release in a schema of a database: whatever anybody does there is found out, and a server that is away is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from discreet import anonymize, policy_from_words, verify
from discreet.cli.main import app
from discreet.errors import DataError, ReleaseError, Unavailable
from tests.servers import Database

WORDS = {
    "attributes": {"age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10]}}, "ill": {"role": "sensitive"}},
    "require": [{"k_anonymity": {"k": 4}}],
}


@pytest.fixture
def release(postgresql: Database, tmp_path: Path) -> Path:
    postgresql.execute("CREATE TABLE people AS SELECT 20 + n % 20 AS age, n % 3 AS ill FROM generate_series(1, 60) n")
    anonymize(policy_from_words(WORDS), tmp_path / "release", source=postgresql.url("people"))
    assert verify(tmp_path / "release").kept
    return tmp_path / "release"


@pytest.mark.parametrize(
    "change, rule",
    [
        ("UPDATE release.data SET ill = 9 WHERE ctid = '(0,1)'", "data: is not the table that was checked"),
        ("CREATE TABLE release.names AS TABLE people", "names: is not part of the release, and nobody checked it"),
        ("CREATE VIEW release.names AS TABLE people", "names: is not part of the release, and nobody checked it"),
        ("UPDATE release.manifest SET manifest = '{}'", "the table manifest: is not the manifest of this folder"),
        ("UPDATE release.manifest SET manifest = 'x'", "the table manifest: is not the manifest of this folder"),
        ("DROP TABLE release.manifest", "release.manifest: no such table"),
        ("DROP TABLE release.data", "data: no such table"),
    ],
)
def test_what_somebody_did_in_the_schema_is_found_out(
    release: Path, postgresql: Database, change: str, rule: str
) -> None:
    postgresql.execute(change)
    found = verify(release)
    assert not found.kept and any(str(m).startswith(rule) for m in found.mistakes)


def test_a_server_that_does_not_answer_says_nothing_about_the_release(release: Path) -> None:
    with pytest.raises(DataError, match="release: there is no server"):
        verify(release, database="postgresql://127.0.0.1:1")
    with pytest.raises(DataError, match="holds a user or a password"):
        verify(release, database="postgresql://ann@127.0.0.1")


@pytest.mark.parametrize(
    "grants",
    [
        (),
        ("GRANT USAGE ON SCHEMA release TO {0}",),
        ("GRANT USAGE ON SCHEMA release TO {0}", "GRANT SELECT ON release.manifest TO {0}"),
        ("GRANT USAGE ON SCHEMA release TO {0}", "GRANT SELECT ON release.data TO {0}"),
    ],
)
def test_who_may_not_look_has_found_nothing(
    release: Path, postgresql: Database, monkeypatch: pytest.MonkeyPatch, grants: tuple[str, ...]
) -> None:
    role = f"guest_{postgresql.name}"
    postgresql.execute(f"CREATE ROLE {role} LOGIN", *(grant.format(role) for grant in grants))
    try:
        with monkeypatch.context() as guest:
            guest.setenv("PGUSER", role)
            with pytest.raises(Unavailable, match="GRANT"):
                verify(release)
            told = CliRunner().invoke(app, ["verify", str(release)])
            assert isinstance(told.exception, Unavailable) and told.exception.exit_code == 2
            assert "promise" not in told.output
        postgresql.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA release TO {role}")
        postgresql.execute(f"GRANT USAGE ON SCHEMA release TO {role}")
        with monkeypatch.context() as guest:
            guest.setenv("PGUSER", role)
            assert verify(release).kept
    finally:
        postgresql.execute(f"DROP OWNED BY {role}", f"DROP ROLE {role}")


def test_a_manifest_that_names_no_database_of_ours_is_found_out(release: Path) -> None:
    manifest = json.loads((release / "manifest.json").read_text(encoding="utf-8"))
    (release / "manifest.json").write_text(json.dumps(manifest | {"database": {"engine": "x"}}), encoding="utf-8")
    with pytest.raises(ReleaseError, match="names a database that is not known here"):
        verify(release)
