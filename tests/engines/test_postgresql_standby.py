"""A hot standby, which can't write anything, is enough to read from."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from discreet.engines.postgresql.engine import PostgreSQL
from discreet.engines.rows import OneOf, Rows
from discreet.errors import DataError
from tests.servers import PostgresServer

pytestmark = pytest.mark.postgresql


@pytest.fixture
def standby(monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresServer]:
    """A server that follows another one."""
    servers = []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        try:
            primary = PostgresServer(Path(folder) / "primary")
            servers.append(primary)
            with primary.connect() as connection:
                connection.execute("CREATE TABLE t AS SELECT i % 3 AS v, i % 2 AS w FROM generate_series(1, 30) AS i")
            servers.append(following(primary, primary.folder / "standby"))
            for variable, value in servers[1].environment.items():
                monkeypatch.setenv(variable, value)
            yield servers[1]
        finally:
            for server in servers:
                server.stop()


def following(primary: PostgresServer, folder: Path) -> PostgresServer:
    where = ["-h", str(primary.folder), "-p", str(primary.port), "-U", primary.environment["PGUSER"]]
    primary._run("pg_basebackup", "-D", str(folder / "data"), "-R", "-c", "fast", *where)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (folder / "data" / "postgresql.conf").open("a") as f:
        f.write(f"port={port}\nunix_socket_directories='{folder}'\n")
    (folder / "password").write_text(primary.password)
    (folder / "port").write_text(str(port))
    return PostgresServer(folder)


def test_a_standby_answers_every_verb_and_publishes_nothing(standby: PostgresServer) -> None:
    engine = PostgreSQL("postgresql:///#t")
    assert engine.only(Rows((OneOf("w", ("1",)),))).coded({"v": {"1": 0}}).frequencies(["v"]).counts.sum() == 15
    assert engine.pair_counts(["v", "w"]).rows == engine.profile()[0].rows == 30
    assert engine.sample(["v"], 5, 1).found.counts.sum() == 5
    rule = "release: the server only reads: it is a standby; publish on the primary server"
    with pytest.raises(DataError, match=rule), engine.publishing(Path("nowhere"), "table", "release"):
        pass
