"""`discreet stats`: what the database keeps about a table, and statements that would help; it changes nothing."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from discreet.cli.main import app
from discreet.errors import PolicyError
from discreet.samples.census import census_attributes, census_like
from tests.conformance.loaders import PostgreSQLLoader
from tests.servers import Database


@pytest.fixture
def asked(postgresql: Database, tmp_path: Path) -> str:
    """A table that nobody analyzed yet, and a policy for it; returns the table's name."""
    drawn = census_like(5_000)
    people = pa.table({c: drawn.column(c).cast(pa.string()) for c in census_attributes(3)})
    url = PostgreSQLLoader(tmp_path, postgresql).source(people)
    name = url.partition("#")[2]
    postgresql.execute(f"ALTER TABLE {name} SET (autovacuum_enabled = off)")
    words = {"source": url, "attributes": census_attributes(3), "require": [{"k_anonymity": {"k": 5}}]}
    (tmp_path / "policy.yaml").write_text(json.dumps(words))
    return name


def said(folder: Path, *options: str) -> str:
    answer = CliRunner().invoke(app, ["stats", str(folder / "policy.yaml"), *options])
    if answer.exception is not None:
        raise answer.exception
    return answer.stdout


def stats(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said(folder, "--json"))
    return found


def kept(database: Database, name: str) -> object:
    with database.connect() as connection:
        of_columns = f"SELECT count(*) FROM pg_statistic WHERE starelid = '{name}'::regclass"
        objects = f"SELECT count(*) FROM pg_statistic_ext WHERE stxrelid = '{name}'::regclass"
        return connection.execute(f"SELECT ({of_columns}), ({objects})").fetchone()


def test_what_it_suggests_helps_until_nothing_more_would(postgresql: Database, asked: str, tmp_path: Path) -> None:
    first = stats(tmp_path)
    assert first["kept"] is False
    assert first["suggestions"][0]["statements"] == [f'ANALYZE "public"."{asked}";']
    assert kept(postgresql, asked) == (0, 0)
    postgresql.execute(*first["suggestions"][0]["statements"])
    second = stats(tmp_path)
    assert second["kept"] is True
    assert second["rows"] == 5_000
    created = [s for s in second["suggestions"] if s["statements"][0].startswith("CREATE STATISTICS")]
    used = [tuple(p["columns"]) for p in second["pairs"] if p["used"]]
    assert len(created) == len(used) <= len(second["columns"]) - 1
    assert [s["benefit"] for s in created] == sorted((s["benefit"] for s in created), reverse=True)
    for suggestion in second["suggestions"]:
        assert (suggestion["rows_sampled"], suggestion["pages_read"]) == (5_000, second["pages"])
        assert suggestion["statements"][-1] == f'ANALYZE "public"."{asked}";'
        postgresql.execute(*suggestion["statements"])
    third = stats(tmp_path)
    covered = {tuple(p["columns"]): p["covered"] for p in third["pairs"]}
    assert all(covered[pair] is not None for pair in used)
    assert not any(s["statements"][0].startswith("CREATE") for s in third["suggestions"])


def test_people_read_the_same(postgresql: Database, asked: str, tmp_path: Path) -> None:
    postgresql.execute(f"ANALYZE {asked}")
    words = said(tmp_path)
    assert "CREATE STATISTICS" in words
    assert "nothing was changed" in words
    assert words.rstrip().endswith(f'ANALYZE "public"."{asked}";')
    assert postgresql.environment["PGHOST"] not in words


def test_lists_that_only_the_owner_may_read_are_named(postgresql: Database, asked: str, tmp_path: Path) -> None:
    names = [name for name in census_attributes(3)]
    lists = (f"CREATE STATISTICS s_{a}_{b} (mcv) ON {a}, {b} FROM {asked}" for a, b in combinations(names, 2))
    postgresql.execute(*lists, f"ANALYZE {asked}")
    role = f"reader_{postgresql.name}"
    postgresql.execute(f"CREATE ROLE {role} LOGIN", f"GRANT SELECT ON {asked} TO {role}")
    try:
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("PGUSER", role)
            found = stats(tmp_path)
    finally:
        postgresql.execute(f"DROP OWNED BY {role}", f"DROP ROLE {role}")
    assert len(found["hidden"]) == len(list(combinations(names, 2)))
    assert all(p["covered"] is None for p in found["pairs"])
    assert not any("CREATE" in statement for s in found["suggestions"] for statement in s["statements"])
    assert all(c["covered"] > 0.9 for c in found["columns"])


def test_a_file_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age\n30\n30\n")
    words = {
        "source": "t.csv",
        "attributes": {"age": {"role": "quasi_identifier"}},
        "require": [{"k_anonymity": {"k": 2}}],
    }
    (tmp_path / "policy.yaml").write_text(json.dumps(words))
    with pytest.raises(PolicyError, match="only PostgreSQL"):
        said(tmp_path)
