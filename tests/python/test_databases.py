"""A table in a database, published without a folder: as a frame, or through a pipe; nothing is written there."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import discreet
from discreet.cli import main
from discreet.errors import DiscreetError
from tests.servers import Database

WORDS: dict[str, Any] = {
    "attributes": {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
    "require": [{"k_anonymity": {"k": 2}}],
}


@pytest.fixture
def people(postgresql: Database) -> Database:
    postgresql.execute(
        "CREATE TABLE people (age int, disease text)",
        "INSERT INTO people VALUES (30, 'flu'), (30, 'cold'), (41, 'flu'), (41, NULL)",
    )
    return postgresql


def schemas(database: Database) -> set[str]:
    with database.connect() as connection:
        found = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_'").fetchall()
    return {schema for (schema,) in found} - {"public", "information_schema"}


def test_a_table_of_a_database_comes_out_as_arrow(people: Database, tmp_path: Path) -> None:
    release = discreet.anonymize(people.url("people"), **WORDS)
    assert isinstance(release.frame, pa.Table)
    assert sorted(map(repr, release.frame["disease"].to_pylist())) == ["'cold'", "'flu'", "'flu'", "None"]
    release.save(tmp_path / "release")
    assert discreet.verify(tmp_path / "release", source=people.url("people")).kept
    assert schemas(people) == set()


def test_tables_that_stay_in_the_database_are_read_there(people: Database, tmp_path: Path) -> None:
    release = discreet.anonymize(people.url("people"), **WORDS, folder=tmp_path / "published")
    assert schemas(people) == {"published"}
    with pytest.raises(DiscreetError, match=r"release\.frame: its tables are in a database; read them there"):
        _ = release.frame
    with pytest.raises(DiscreetError, match=r"release\.save: its tables are in a database; publish it with"):
        release.save(tmp_path / "elsewhere")


def test_a_table_of_a_database_goes_through_a_pipe(
    people: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        f"source: {people.url('people')}\n"
        "attributes: {age: {role: quasi_identifier}, disease: {role: sensitive}}\n"
        "require: [{k_anonymity: {k: 2}}]\n"
    )
    output = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", output)
    monkeypatch.setattr(sys, "argv", ["discreet", "anonymize", str(policy), "--table", "-"])
    with pytest.raises(SystemExit) as ended:
        main.run()
    written = output.buffer.getvalue().decode()  # type: ignore[attr-defined]
    assert (ended.value.code or 0, written.splitlines()[0], len(written.splitlines())) == (0, "age,disease", 5)
    assert schemas(people) == set()
