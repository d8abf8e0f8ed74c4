"""Small files that somebody else may have made: policies, hierarchies, manifests, read without trusting them.

A path may name a pipe that nobody writes to, a device that never ends, or a file that fills the memory. What is read
here is a regular file of bounded size in UTF-8, or a mistake that says why not; nothing of its content is told.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

from discreet.errors import DataError, Mistake, Unavailable

LIMIT = 64_000_000  # bytes: a taxonomy of a million zip codes, also written out in a manifest
ENTRIES = 5_000_000  # of a JSON: so that a small file can't become large in memory
NO_FILE = "no such file"
_MISSING = "check the path"


def read_small(path: Path | str, place: str, limit: int = LIMIT, *, missing: str = _MISSING) -> str:
    """The text of a file of at most `limit` bytes; raises `DataError` with one mistake at `place`.

    `missing` is the repair where there is no such file. A mark that says "UTF-8" at the start is left out.
    """
    data = read_small_bytes(path, place, limit, missing=missing)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(Mistake(place, f"is not UTF-8 text (line {line})", "save the file as UTF-8")) from None


def small_json(text: str, place: str) -> Any:
    """What a JSON says; deep or broken ones, and those of too many entries, are mistakes.

    Entries are counted first, so that it can't fill the memory.
    """
    if text.count(",") + text.count("[") + text.count("{") > ENTRIES:
        raise DataError(Mistake(place, f"has more than {ENTRIES:,} entries", "give a file that discreet has written"))
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise DataError(Mistake(place, "is not JSON", "give a file that discreet has written")) from None


def read_small_bytes(path: Path | str, place: str, limit: int = LIMIT, *, missing: str = _MISSING) -> bytes:
    """The bytes of a regular file, at most `limit` of them."""
    try:
        check_regular(path, place)
        # A pipe that takes the file's place in this moment must not make us wait.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise DataError(_irregular(place))
            data = file.read(limit + 1)  # not by its size, which some files don't tell
    except FileNotFoundError:
        raise DataError(Mistake(place, NO_FILE, missing)) from None
    except (OSError, ValueError) as error:  # ValueError: a path that no file can have
        why = getattr(error, "strerror", None) or "no file can have this path"
        raise Unavailable(Mistake(place, f"can't be read: {why}", _MISSING)) from None
    if len(data) > limit:
        raise DataError(Mistake(place, f"is larger than {_size(limit)}", "give a smaller file"))
    return data


def check_regular(path: Path | str, place: str) -> None:
    """Raise a mistake where the path is a folder, a pipe, a socket or a device; also for files that engines read."""
    mode = Path(path).stat().st_mode
    if stat.S_ISDIR(mode):
        raise DataError(Mistake(place, "is a folder", "give the path of a file"))
    if not stat.S_ISREG(mode):
        raise DataError(_irregular(place))


def _irregular(place: str) -> Mistake:
    return Mistake(place, "is not a regular file but a pipe or a device", "save it as a file")


def _size(limit: int) -> str:
    """
    >>> _size(32_000_000), _size(500_000)
    ('32 MB', '500 kB')
    """
    return f"{limit // 1_000_000} MB" if limit >= 1_000_000 else f"{limit // 1000} kB"
