"""Whoever is killed in the middle of publishing leaves nothing: no schema, no table, no folder; the next run succeeds.

Publishing is held up where we want it, by the server itself: a trigger on a statement, or a row of the source, waits
for a lock that another session has. What is killed then is killed in the middle.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from discreet import verify
from tests.conformance.clinic import clinic, words
from tests.conformance.loaders import PostgreSQLLoader
from tests.servers import Database, PostgresServer, fresh_database

pytestmark = pytest.mark.postgresql

_LOCK = 4711
_PATIENCE = 50  # seconds until something that must happen has not; less than a session of ours waits for a lock

# Where publishing is held up: when something of that name has been made, or while rows of the source are rewritten.
POINTS = {
    "schema": "released",
    "temporary table": "pg_temp.%",
    "table": "released.data",
    "manifest": "released.manifest",
}
ROWS = "rows"


def eventually(asked: Callable[[], Any]) -> Any:
    """The answer, as soon as there is one."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        if answer := asked():
            return answer
        time.sleep(0.05)
    raise AssertionError("it never happened")


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server that may be killed."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o711)
        server = PostgresServer(Path(name) / "server")
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture
def database(server: PostgresServer) -> Iterator[Database]:
    with fresh_database(server) as database:
        yield database


class Publishing:
    """A process that publishes a table with columns of role other, as a user would."""

    def __init__(self, folder: Path, database: Database):
        self.folder, self.database = folder, database
        source = PostgreSQLLoader(folder, database).source(clinic()).partition("#")[2]
        asked = words(others=True, suppress=0.1, source=database.url("patients"), schema="released")
        (folder / "policy.yaml").write_text(json.dumps(asked), encoding="utf-8")
        database.execute(
            f"""CREATE FUNCTION wait() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$ BEGIN
                  PERFORM pg_advisory_xact_lock({_LOCK}); RETURN true; END $$""",
            "CREATE TABLE point (named text)",
            """CREATE FUNCTION wait_there() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
                  IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() JOIN public.point ON object_identity LIKE named
                      WHERE command_tag LIKE 'CREATE%') THEN PERFORM public.wait(); END IF; END $$""",
        )
        self.source = source

    def hold_up(self, point: str) -> None:
        """From now on, wait there for the lock, and nowhere else."""
        # Whoever only reads does not wait; whoever publishes does, at the 200th patient.
        wait = "current_setting('transaction_read_only') = 'off' AND person LIKE '% 200'" if point == ROWS else "false"
        self.database.execute(
            "DROP EVENT TRIGGER IF EXISTS held_up",
            f"""CREATE OR REPLACE VIEW patients AS SELECT * FROM {self.source}
                WHERE CASE WHEN {wait} THEN public.wait() ELSE true END""",
            f"TRUNCATE point; INSERT INTO point VALUES ('{POINTS.get(point, '')}')",
            "CREATE EVENT TRIGGER held_up ON ddl_command_end EXECUTE FUNCTION wait_there()",
        )

    def start(self, *options: str) -> subprocess.Popen[str]:
        command = "from discreet.cli.start import run; run()"
        return subprocess.Popen(
            [sys.executable, "-c", command, "anonymize", "policy.yaml", "-o", "release", *options],
            cwd=self.folder,
            env=os.environ | self.database.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def waits(self) -> bool:
        """Is it in the middle of publishing?"""
        return bool(self.asked("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"))

    def is_gone(self) -> bool:
        """Has the server let go of it?"""
        return not self.asked("SELECT 1 FROM pg_stat_activity WHERE application_name = 'discreet'")

    def leftovers(self) -> list[str]:
        """Schemas and tables that were not there before, and folders that are no release."""
        ours = self.asked(
            """SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$|public$)'
               UNION ALL SELECT relname FROM pg_class WHERE relpersistence = 't'"""
        )
        return [name for (name,) in ours] + [f.name for f in self.folder.iterdir() if "release" in f.name]

    def succeeds(self, *options: str) -> None:
        """The next run does, and leaves nothing but the release."""
        self.hold_up("")
        with self.start(*options) as process:
            output, _ = process.communicate(timeout=_PATIENCE)
        assert process.returncode == 0, output
        assert sorted(self.leftovers()) == ["release", "release.private", "released"]
        assert verify(self.folder / "release").kept

    def asked(self, query: str) -> list[tuple[Any, ...]]:
        with self.database.connect() as connection:
            return list(connection.execute(query).fetchall())


@contextmanager
def held_up(publishing: Publishing, point: str) -> Iterator[tuple[subprocess.Popen[str], Any]]:
    """A process in the middle of publishing, and the connection that has the lock it waits for."""
    publishing.hold_up(point)
    holder = publishing.database.connect()
    holder.execute(f"SELECT pg_advisory_lock({_LOCK})")
    with holder, publishing.start() as process:
        try:
            eventually(lambda: publishing.waits() or process.poll() is not None)
            assert process.poll() is None, process.communicate()[0]
            yield process, holder
        finally:
            process.kill()


def test_a_client_killed_anywhere_leaves_nothing(tmp_path: Path, database: Database) -> None:
    publishing = Publishing(tmp_path, database)
    for point in (*POINTS, ROWS):
        with held_up(publishing, point) as (process, holder):
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert "released" not in publishing.leftovers()
            holder.execute(f"SELECT pg_advisory_unlock({_LOCK})")
        eventually(publishing.is_gone)
        # Of the folder, so much as the next start has to sweep away: what the client before left, it has.
        left = sorted(name.partition("-")[0] for name in publishing.leftovers())
        assert left == [f".release{part}.{kind}" for part in ("", ".private") for kind in ("lock", "partial")]
    publishing.succeeds()


def test_a_killed_server_leaves_nothing(tmp_path: Path, database: Database) -> None:
    publishing = Publishing(tmp_path, database)
    for point in ("manifest", ROWS):
        with held_up(publishing, point) as (process, _):
            database.server.kill()
            output, _ = process.communicate(timeout=_PATIENCE)
        assert process.returncode == 2
        assert not any(secret in output for secret in ("Traceback", str(database.server.folder), database.name))
        database.server.start()
        assert not publishing.leftovers()
    publishing.succeeds()


def test_an_interrupted_client_leaves_nothing(tmp_path: Path, database: Database) -> None:
    publishing = Publishing(tmp_path, database)
    with held_up(publishing, ROWS) as (process, _):
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=_PATIENCE)
        assert (process.returncode, output) == (130, "")
        eventually(publishing.is_gone)
        assert not publishing.leftovers()


def test_a_client_killed_after_the_commit_leaves_a_whole_release(tmp_path: Path, database: Database) -> None:
    """The server has committed, and waits for a standby that is not there before it tells the client."""
    publishing = Publishing(tmp_path, database)
    with held_up(publishing, "manifest") as (process, holder):
        database.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'", "SELECT pg_reload_conf()")
        time.sleep(2)  # the checkpointer has to hear of it before anybody commits, and nothing tells when it has
        try:
            holder.execute(f"SELECT pg_advisory_unlock({_LOCK})")
            eventually(lambda: publishing.asked("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"))
            process.send_signal(signal.SIGKILL)
            process.wait()
        finally:  # or whatever is committed on this server waits for ever
            database.execute("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
    eventually(publishing.is_gone)
    [(told,)] = publishing.asked("SELECT manifest FROM released.manifest")
    [(rows,)] = publishing.asked("SELECT count(*) FROM released.data")
    assert rows == json.loads(told)["rows"]["published"]
    publishing.succeeds("--force")
