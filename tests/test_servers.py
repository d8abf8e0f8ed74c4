"""The server that tests share, and those that they may kill."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.servers import Database, PostgresServer

pytestmark = pytest.mark.postgresql


def test_a_database_of_its_own_is_what_the_environment_means(postgresql: Database) -> None:
    import psycopg

    with psycopg.connect() as connection:
        assert connection.execute("SELECT current_database()").fetchall() == [(postgresql.name,)]


def test_loopback_asks_for_the_password(postgresql: Database) -> None:
    import psycopg

    with postgresql.connect(host="127.0.0.1") as connection:
        assert connection.execute("SELECT 1").fetchall() == [(1,)]
    with pytest.raises(psycopg.OperationalError):
        postgresql.connect(host="127.0.0.1", password="wrong")


@pytest.mark.postgresql
def test_a_server_that_was_killed_starts_again_with_what_was_committed() -> None:
    import psycopg

    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        server = PostgresServer(Path(folder) / "server")
        try:
            with server.connect() as connection:
                connection.execute("CREATE TABLE kept AS SELECT 1 AS one")
            server.kill()
            assert not server.process
            with pytest.raises(psycopg.OperationalError):
                server.connect()
            server.start()
            with server.connect() as connection:
                assert connection.execute("SELECT one FROM kept").fetchall() == [(1,)]
        finally:
            server.remove()
