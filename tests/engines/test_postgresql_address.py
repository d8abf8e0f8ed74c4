"""Where a table of PostgreSQL is; who may read it never stands there, and no message tells more than the table."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.engines.postgresql.address import address, server
from discreet.engines.postgresql.engine import PostgreSQL, read_schema
from discreet.errors import DataError
from tests.servers import Database

SECRETS = [
    "postgresql://ann@db.example/clinic#patients",
    "postgresql://ann:hunter2@db.example/clinic#patients",
    "postgresql://ann:hun/ter2@db.example/clinic#patients",
    "postgresql://ann:hun?ter2@db.example/clinic#patients",
    "postgresql://ann:1#hunter2@db.example/clinic#patients",
    "postgresql://ann:hun[ter2@db.example/clinic#patients",
    "postgresql://db.example/clinic?user=hunter2#patients",
    "postgresql://db.example/clinic?password=hunter2#patients",
    "postgresql://db.example/clinic?sslmode=require&passfile=hunter2#patients",
    "postgresql:ann:hunter2@db.example#patients",
]


@pytest.mark.parametrize("url", SECRETS)
def test_a_user_or_password_is_refused_before_connecting(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.engines.postgresql.engine.connect", None)
    for opened in (PostgreSQL, address, server, lambda url: read_schema(url, "release")):
        with pytest.raises(DataError) as caught:
            opened(url)
        said = str(caught.value)
        assert "hunter2" not in said and "ter2" not in said and "ann" not in said and "db.example" not in said
        assert "PGPASSWORD" in said or "well-formed" in said


@pytest.mark.parametrize(
    "url, rule",
    [
        ("postgresql://db.example/clinic", "names no table"),
        ("postgresql:///#", "names no table"),
        ("postgresql:///#a.b.c", "does not name a table"),
        ("postgresql:///#.b", "does not name a table"),
        ('postgresql:///#"a', "does not name a table"),
        ('postgresql:///#"a".', "does not name a table"),
        ("postgresql:///#%00", "does not name a table"),
        ("postgresql://db:port/clinic#t", "host:port"),
        ("postgresql:///clinic?options=-csearch_path%3Dx#t", "options that are not known"),
        ("postgresql:///clinic?service#t", "well-formed"),
        ("mysql:///#t", "not an address of PostgreSQL"),
    ],
)
def test_an_address_that_can_not_be_meant_is_refused(url: str, rule: str) -> None:
    with pytest.raises(DataError, match=rule):
        address(url)


def test_the_parts_of_an_address_are_what_libpq_is_told() -> None:
    found = address("postgresql://db.example:5433/clinic%20a?sslmode=verify-full&service=ward#ward.patients")
    told = {"host": "db.example", "port": "5433", "dbname": "clinic a", "sslmode": "verify-full", "service": "ward"}
    assert (found.options, found.schema, found.table) == (told, "ward", "patients")
    assert server("postgresql://[::1]:1,%2Fvar%2Frun:2") == {"host": "::1,/var/run", "port": "1,2"}
    assert server("postgresql://") == server("postgresql:///") == server("postgresql:") == {}


NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=6)


@given(NAMES, NAMES)
def test_any_name_can_be_written_in_quotes(schema: str, table: str) -> None:
    from urllib.parse import quote

    quoted = ".".join('"' + quote(name.replace('"', '""')) + '"' for name in (schema, table))
    found = address(f"postgresql:///#{quoted}")
    assert (found.schema, found.table) == (schema, table)


def refused(url: str = "postgresql:///#t") -> str:
    with pytest.raises(DataError) as caught:
        PostgreSQL(url)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    said = str(caught.value)
    hidden = ("PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE")
    assert not any(os.environ[v] in said for v in hidden if len(os.environ.get(v, "")) > 3)
    return said


def test_messages_say_what_to_check_and_nothing_else(
    postgresql: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert refused() == "t: no such table; check its schema and name; capitals matter"
    assert "no such table" in refused("postgresql:///#nowhere.t")
    with monkeypatch.context() as patched:
        patched.setenv("PGHOST", "127.0.0.1")
        patched.setenv("PGPASSWORD", "wrong password")
        assert refused().startswith("t: the server does not let you in; check PGHOST")
    with monkeypatch.context() as patched:
        patched.setenv("PGUSER", "nobody here")
        assert "does not let you in" in refused()
    with monkeypatch.context() as patched:
        patched.setenv("PGDATABASE", "nothing here")
        assert "there is no such database" in refused()
    with monkeypatch.context() as patched:
        patched.setenv("PGHOST", str(tmp_path))
        assert "there is no server" in refused()
    assert "there is no server" in refused("postgresql://user.of.service.invalid/#t")
    with monkeypatch.context() as patched:
        patched.setenv("PGSSLMODE", "require")
        patched.setenv("PGHOST", "127.0.0.1")
        assert "SSL" in refused()
    assert "there is no such service" in refused("postgresql:///?service=nobody_knows#t")


def test_a_service_file_is_enough(postgresql: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    postgresql.execute("CREATE TABLE t AS SELECT 1 AS one")
    names = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "password": "PGPASSWORD", "dbname": "PGDATABASE"}
    told = "".join(f"{word}={postgresql.environment[variable]}\n" for word, variable in names.items())
    (tmp_path / "services").write_text(f"[clinic]\n{told}", encoding="utf-8")
    for variable in names.values():
        monkeypatch.delenv(variable)
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    assert PostgreSQL("postgresql://?service=clinic#t").columns == ("one",)


def test_reading_without_the_privilege_says_which_one_is_needed(postgresql: Database) -> None:
    postgresql.execute(
        "CREATE SCHEMA shut", "CREATE TABLE shut.t (v int)", "CREATE TABLE t (v int)", "CREATE ROLE guest LOGIN"
    )
    try:
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("PGUSER", "guest")
            assert "GRANT SELECT ON t TO" in refused("postgresql:///#t")
            assert "GRANT USAGE ON SCHEMA" in refused("postgresql:///#shut.t")
    finally:
        postgresql.execute("DROP ROLE guest")
