"""Where tests write: into memory, if there is room. A release is flushed to the disk before it is put in its place, and
where thousands of them are made, waiting for a disk takes longer than making them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from unittest import mock

import pytest
from _pytest.doctest import DoctestItem

_MEMORY = Path("/dev/shm")
_ROOM = 6 * 2**30  # bytes; the largest tables of tests, three at once, take half of that


def write_into_memory() -> None:
    """Make temporary files in memory, here and in every process that we start, unless TMPDIR says where."""
    if "TMPDIR" not in os.environ and _room() >= _ROOM:
        os.environ["TMPDIR"] = str(_MEMORY)
        tempfile.tempdir = None


def _room() -> int:
    """Of that folder and of the memory behind it, whichever is less; 0 where there is no such thing."""
    with suppress(OSError, ValueError):
        folder = os.statvfs(_MEMORY)
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        [memory] = (int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
        return min(folder.f_bavail * folder.f_frsize, memory * 1024) if os.access(_MEMORY, os.W_OK | os.X_OK) else 0
    return 0


class OfExamples:
    """What examples of the documents make with `mkdtemp` and leave is removed: nobody asks their reader to."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        if not isinstance(item, DoctestItem):
            return (yield)
        make = tempfile.mkdtemp
        with tempfile.TemporaryDirectory() as folder:

            def inside(suffix: str | None = None, prefix: str | None = None, dir: str | None = None) -> str:
                return make(suffix, prefix, dir or folder)

            with mock.patch.object(tempfile, "mkdtemp", inside):
                return (yield)
