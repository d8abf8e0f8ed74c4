"""Folders that hold people's records for a while: nobody else can look in, and none is left behind.

Each is removed when its work is done, at the end of the process at the latest; and what a killed process left is swept
away by the next one. A lock in it, which ends with its process, tells the living from the dead.
"""

from __future__ import annotations

import atexit
import os
import re
import secrets
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from time import sleep
from types import FrameType

from discreet.files.locks import Held, Lock

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_NAME = re.compile(r"discreet-[0-9a-f]{16}")
_LOCK = "lock"

_to_remove: dict[Path, int] = {}  # what is still to be removed, and by which process


class TemporaryFolder:
    """A folder of our own where temporary files go (TMPDIR)."""

    def __init__(self) -> None:
        root = Path(tempfile.gettempdir())
        _sweep(root)
        while True:
            self.path = root / f"discreet-{secrets.token_hex(8)}"
            remove_at_exit(self.path)
            self.path.mkdir(mode=0o700)
            try:
                self._lock = Lock(self.path / _LOCK)
            except (Held, FileNotFoundError):  # one who sweeps took it for a dead one's
                _to_remove.pop(self.path, None)
            else:
                return

    def remove(self) -> None:
        """It is no longer needed."""
        with undisturbed():
            _empty(self.path, self._lock)
            _to_remove.pop(self.path, None)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is gone after the block."""
    folder = TemporaryFolder()
    try:
        yield folder.path
    finally:
        folder.remove()


def remove_at_exit(path: Path) -> None:
    """Whatever happens in this process, this folder is removed at its end. Said before the folder is made."""
    _to_remove[path] = os.getpid()


def remove(path: Path) -> None:
    """Remove a folder now, whatever signals come meanwhile."""
    with undisturbed():
        _remove_tree(path)  # it stays on the list: whoever still writes there (Spark) may make it anew


@atexit.register
def _remove_all() -> None:
    for path, process in list(_to_remove.items()):
        if process == os.getpid():  # a fork has its parent's list
            _remove_tree(path)


def _remove_tree(path: Path) -> None:
    """Also if somebody still writes into it for a moment."""
    for pause in (0.02, 0.1, 0.4, 1.0, 2.0, 0.0):
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            return
        sleep(pause)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Signals wait until the block is over, so that nothing in it is left half done because of Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield  # no signal is handled here
        return
    waiting: list[int] = []

    def wait(number: int, _: FrameType | None) -> None:
        waiting.append(number)

    # What Python does not handle ends the process at once, or not at all: as it should.
    before = {number: signal.getsignal(number) for number in SIGNALS if callable(signal.getsignal(number))}
    try:
        for number in before:
            signal.signal(number, wait)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in waiting[:1]:
            signal.raise_signal(number)


@cache
def _sweep(root: Path) -> None:
    """Remove what dead processes of ours left, once in a process. Others' folders and links are no business of ours."""
    with suppress(OSError):
        for entry in list(os.scandir(root)):
            if _NAME.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False) and _is_mine(entry):
                _sweep_one(Path(entry.path))


def _sweep_one(folder: Path) -> None:
    with suppress(OSError, Held):
        if not (folder / _LOCK).exists():
            folder.rmdir()  # not if anything is in it: somebody lives there without a lock that we could ask
            return
        _empty(folder, Lock(folder / _LOCK))


def _empty(folder: Path, lock: Lock) -> None:
    """The lock goes last: whoever dies in the middle leaves a folder that can still be told to be a dead one's."""
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            elif entry.name != _LOCK:
                with suppress(OSError):
                    Path(entry.path).unlink()
    lock.let_go()
    try:
        folder.rmdir()
    except OSError:  # something could not be removed: the next run tries again
        with suppress(OSError):
            (folder / _LOCK).touch()


def _is_mine(entry: os.DirEntry[str]) -> bool:
    return not hasattr(os, "geteuid") or entry.stat(follow_symlinks=False).st_uid == os.geteuid()
