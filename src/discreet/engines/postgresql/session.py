"""A connection to PostgreSQL: how it is set up, how answers are read, and what its errors are called.

The server's own messages quote hosts, users and values of people: none of them is ever shown.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import csv

from discreet.errors import DataError, Mistake, Unavailable

if TYPE_CHECKING:
    import psycopg

_BLOCK = 1 << 24  # bytes parsed at a time; no row is longer
_MEMORY = 1 << 26  # bytes for a sort or a hash table of the server, unless it has more
_PIECE = 1 << 20  # bytes handed on at a time
_WHOLE = (20, 21, 23)  # oids of bigint, smallint, integer
_ENVIRONMENT = "check PGHOST, PGPORT, PGDATABASE, PGUSER and the password, or the service: psql should connect with it"
# So that a value has one text on whatever server, and a long search does not lose its connection.
_SETTINGS = {
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "lc_monetary": "C",
    "xmloption": "content",
    "standard_conforming_strings": "on",
    "client_min_messages": "error",
    "idle_in_transaction_session_timeout": "0",
    "statement_timeout": "0",
    "lock_timeout": "60s",  # for whoever changes the table, or reads a release that is to be replaced
    "jit": "off",
    "enable_mergejoin": "off",  # our small tables are best hashed; it would sort the large one
}


def connect(options: Mapping[str, str], place: str) -> psycopg.Connection[Any]:
    """A connection by the environment and these options, in a transaction that has not started yet."""
    try:
        import psycopg
    except ImportError:
        repair = "pip install 'discreet[postgresql]'"
        raise DataError(Mistake(place, "reading PostgreSQL needs psycopg, which is not installed", repair)) from None
    with plainly(place):
        return psycopg.connect(**options, client_encoding="UTF8", application_name="discreet")  # type: ignore[arg-type]


def begin(connection: psycopg.Connection[Any], write: bool = False, snapshot: str = "") -> None:
    """Start the one transaction: all that it reads was there when it began, or when the snapshot was taken."""
    import psycopg  # late, as everywhere here: without it, `connect` says what to install

    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.read_only = not write
    if snapshot:
        connection.execute(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
    late = {"transaction_timeout": "0"} if connection.info.server_version >= 170000 else {}
    set_up = "; ".join(f"SET LOCAL {setting} = '{value}'" for setting, value in (_SETTINGS | late).items())
    connection.execute(set_up.encode())
    # The server's own 4 MB make it sort what it could hash: a look at 500,000 rows takes twice as long.
    more = f"greatest(pg_size_bytes(current_setting('work_mem')), {_MEMORY}) / 1024 || 'kB'"
    connection.execute(f"SELECT set_config('work_mem', {more}, true)")


def settle(connection: psycopg.Connection[Any]) -> None:
    """From here on, no name means anything but what it says: all others are written with their schema."""
    connection.execute("SET LOCAL search_path = pg_catalog, pg_temp")


def answer(connection: psycopg.Connection[Any], query: str) -> Iterator[pa.RecordBatch]:
    """What a query answers, batch by batch: texts as strings, whole numbers as int64."""
    with connection.cursor() as cursor:
        described = cursor.execute(f"SELECT * FROM ({query}) AS described LIMIT 0".encode()).description or []
        types = {f"{i}": pa.int64() if c.type_code in _WHOLE else pa.string() for i, c in enumerate(described)}
        with cursor.copy(f"COPY ({query}) TO STDOUT (FORMAT csv, FORCE_QUOTE *)".encode()) as copy:
            stream = io.BufferedReader(_Stream(_blocks(copy)), _PIECE)
            if not stream.peek(1):
                return
            yield from csv.open_csv(
                stream,
                csv.ReadOptions(column_names=list(types), block_size=_BLOCK),
                csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
                csv.ConvertOptions(
                    column_types=types, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
                ),
            )


def _blocks(pieces: Iterable[Any]) -> Iterator[bytes]:
    """The same bytes in larger pieces: the server sends one for each row."""
    block, size = [], 0
    for piece in pieces:
        block.append(piece)
        size += len(piece)
        if size >= _PIECE:
            yield b"".join(block)
            block, size = [], 0
    yield b"".join(block)


class _Stream(io.RawIOBase):
    """The pieces of an answer, as one file to be read."""

    def __init__(self, pieces: Iterator[Any]):
        self._pieces, self._rest = pieces, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        filled = 0
        while filled < len(buffer):
            if not self._rest:
                self._rest = memoryview(next(self._pieces, b""))
                if not self._rest:
                    break
            taken = min(len(buffer) - filled, len(self._rest))
            buffer[filled : filled + taken] = self._rest[:taken]
            self._rest = self._rest[taken:]
            filled += taken
        return filled


@contextmanager
def plainly(place: str, known: Mapping[str, tuple[str, str]] | None = None) -> Iterator[None]:
    """Errors of the server, said as place, rule and repair; `known` are those that mean something special here."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        kind = Unavailable if _keeps_from_looking(error.sqlstate) else DataError
        raise kind(_mistake(place, error, _STATES | dict(known or {}))) from None
    except pa.ArrowInvalid as error:
        raise Unavailable(_unreadable(place, str(error))) from None


# By SQLSTATE, or its first two signs: what says nothing about the tables, only that they can't be looked at just now.
# No state at all: the connection was lost, or never made.
_NO_LOOK = ("42501", "08", "28", "3D", "40", "53", "55", "57", "58", "XX")


def _keeps_from_looking(state: str | None) -> bool:
    """Is it an error of the server, of the way to it, or of a permission, whatever the tables hold?

    >>> _keeps_from_looking("42501"), _keeps_from_looking("57P01"), _keeps_from_looking("42P01")
    (True, True, False)
    """
    return not state or state.startswith(_NO_LOOK)


# By SQLSTATE, or its first two signs.
_STATES = {
    "42501": ("you may not do this", "ask the owner for: GRANT SELECT ON the table, GRANT USAGE ON SCHEMA its schema"),
    "42P01": ("no such table", "check its schema and name; capitals matter"),
    "3F000": ("no such schema", "check its name; capitals matter"),
    "42P06": ("there is such a schema already", "choose another one"),
    "42P07": ("there is such a table already", "choose another schema"),
    "2BP01": ("something else in the database depends on it", "drop that first, or choose another schema"),
    "25006": ("the server only reads: it is a standby, or set so", "publish on the primary server"),
    "28": ("the server does not let you in", _ENVIRONMENT),
    "3D000": ("there is no such database", _ENVIRONMENT),
    "40001": ("the standby stopped the query to follow its primary", "set hot_standby_feedback, or ask the primary"),
    "53100": ("the server has no space left on its disk", "free some, or ask for fewer columns"),
    "53200": ("the server ran out of memory", "ask for fewer columns"),
    "53300": ("the server has too many connections", "try again later"),
    "55P03": ("somebody else has locked the table", "try again later"),
    "57014": ("the server was told to stop the query", "try again, or ask who did"),
    "57P": ("the server was shut down", "try again when it is running"),
    "08": ("the connection to the server was lost", "try again"),
    "22P05": ("holds, or is asked for, a character that the encoding of the database lacks", "use a database in UTF-8"),
    "22021": ("holds text that is not in the encoding of the database", "mend these values"),
    "54": ("is too wide or too long for the server", "ask for fewer columns"),
}


def _mistake(place: str, error: psycopg.Error, known: Mapping[str, tuple[str, str]]) -> Mistake:
    state = error.sqlstate or ""
    for code in (state, state[:3], state[:2]):
        if code in known:
            return Mistake(place, *known[code])
    if state:
        return Mistake(place, f"the server can't answer this (SQLSTATE {state})", "look into the server's log")
    import psycopg

    message = str(error)
    if isinstance(error, psycopg.ProgrammingError):
        return Mistake(place, "the options of the connection can't be used together", _ENVIRONMENT)
    for pattern, rule in _CONNECTING:
        if re.search(pattern, message):
            return Mistake(place, rule, _ENVIRONMENT)
    return Mistake(place, *_STATES["08"])


# libpq gives no SQLSTATE while it connects; nothing of the message is shown.
_CONNECTING = (
    (r"failed to resolve|could not translate", "there is no server"),  # first: its name may be anything
    (r"password authentication failed|no password supplied|authentication|pg_hba", "the server does not let you in"),
    (r'database ".*" does not exist', "there is no such database"),
    (r"role|user", "the server does not let you in"),
    (r"service", "there is no such service"),
    (r"SSL|certificate|GSS", "the server can't be reached in the way that is asked for (SSL)"),
    (r"timeout|timed out", "the server does not answer"),
    (r"refused|No such file|could not connect|connection failed", "there is no server"),
)


def _unreadable(place: str, message: str) -> Mistake:
    if "straddling" in message:
        return Mistake(place, f"a row is longer than {_BLOCK >> 20} megabytes", "leave the column out")
    if "UTF8" in message or "UTF-8" in message:
        return Mistake(place, *_STATES["22021"])
    return Mistake(place, "the server's answer can't be read", "try again")
