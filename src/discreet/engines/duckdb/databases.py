"""Databases in memory. Opening one takes longer than counting a small table, so one that nobody needs any more is kept
for the next: of whoever publishes, verifies and audits small tables in one process, a fifth of the time.

Tables and settings of a connection end with it. What is said of a whole database is either said again by whoever takes
it, or undone here; where that can't be, the database is closed.
"""

from __future__ import annotations

import os
import weakref
from contextlib import suppress

import duckdb

from discreet.engines.sql.quoting import text
from discreet.files.temporary import TemporaryFolder

_MOST = 2  # a table and what it is held against
_idle: list[duckdb.DuckDBPyConnection] = []

if hasattr(os, "register_at_fork"):
    # A fork has none of the threads that a database waits for when it is closed.
    os.register_at_fork(before=_idle.clear)


class Database:
    """One that is nobody else's until the last who holds on to this lets go.

    What does not fit in memory goes to its `folder`, where nobody else can read it, not into the working folder.
    """

    def __init__(self) -> None:
        spill = TemporaryFolder()
        self.folder = spill.path
        weakref.finalize(self, spill.remove)
        try:
            self._kept = _idle.pop()
        except IndexError:
            self._kept = duckdb.connect()
        weakref.finalize(self, _let_go, self._kept).atexit = False
        self._kept.execute(f"SET temp_directory = {text(str(self.folder))}")

    def connect(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own, with tables of its own."""
        return self._kept.cursor()


def _let_go(kept: duckdb.DuckDBPyConnection) -> None:
    if len(_idle) >= _MOST:
        return
    with suppress(duckdb.Error):
        kept.execute("SET temp_directory = ''")  # refused, if something was spilled
        # What was read of files is forgotten: they may have changed within the same moment.
        kept.execute("SET enable_external_file_cache = false")
        kept.execute("RESET enable_external_file_cache")
        # Threads that end give back the memory that they hold for what is to come: after a large table, much.
        kept.execute("SET threads = 1")
        kept.execute("RESET threads")
        _idle.append(kept)
