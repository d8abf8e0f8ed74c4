"""How much memory DuckDB takes before it spills to disk: half of what there is, or as the environment says.

It would take four fifths by itself. But the counts, the search and whoever else works on the machine need some, too.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from duckdb import DuckDBPyConnection

from discreet.errors import DataError, Mistake, shown

VARIABLE = "DISCREET_MEMORY"
_SIZE = re.compile(r"[1-9][0-9]{0,8} ?(?:MB|GB|TB|MiB|GiB|TiB)|[1-9][0-9]?%")
_HALF = "50%"


def memory_limit() -> str:
    """In the words of DuckDB, which knows the memory of the machine and of the container that it is in.

    >>> memory_limit()
    '50%'
    """
    amount = os.environ.get(VARIABLE)
    if amount is not None:
        if not _SIZE.fullmatch(amount.strip()):
            rule = f"must be an amount of memory, got {shown(amount)}"
            raise DataError(Mistake(VARIABLE, rule, "for example 4GB, or 25%; leave it out for half of what there is"))
        return amount.strip()
    if sys.platform == "win32":
        return _HALF
    import resource

    allowed = resource.getrlimit(resource.RLIMIT_AS)[0]  # as `ulimit -v` says, which DuckDB does not look at
    return _HALF if allowed == resource.RLIM_INFINITY else f"{max(allowed // 4 // 1_000_000, 1)}MB"


def limit_in_bytes(connection: DuckDBPyConnection) -> int:
    """The memory that DuckDB takes at most; 0 where it can't say."""
    [[amount]] = connection.sql("SELECT current_setting('memory_limit')").fetchall()
    size = re.fullmatch(r"([0-9.]+) ?(bytes|KiB|MiB|GiB|TiB)", str(amount))
    return int(float(size[1]) * 1024 ** ("bytes", "KiB", "MiB", "GiB", "TiB").index(size[2])) if size else 0


@contextmanager
def one_thread(connection: DuckDBPyConnection) -> Iterator[None]:
    """Queries by one thread: slower, but nothing takes less memory."""
    [[threads]] = connection.sql("SELECT current_setting('threads')").fetchall()
    connection.execute("SET threads = 1")
    try:
        yield
    finally:
        connection.execute(f"SET threads = {threads}")
