"""Compiling in two processes: neither compiles what the other one is at, or has done.

Numba keeps what it has compiled in files that all processes share, but does not know of processes at the same time:
both would compile the same kernel, and of two that compile it for different types one could forget the other's. So each
kernel has a lock. A kernel is compiled inside of those that call it, never the other way round, so no two wait for each
other; and nobody waits for ever: to compile twice is no harm but of time.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any

from discreet.compiled import compile_everything
from discreet.files.locks import Held, Lock

PROCESSES = 2
_PAUSE = 0.02  # seconds
_PATIENCE = 120.0  # seconds; no kernel takes as long


def main() -> None:
    """Compile everything in two processes, and tell how far they are. One that fails says why, and so do we."""
    from discreet.run.warm_up import steps

    if len(sys.argv) > 1:
        _work(Path(sys.argv[1]), int(sys.argv[2]))
        return
    total = len(steps())
    with TemporaryDirectory() as name:
        folder = Path(name)
        command = [sys.executable, "-m", "discreet.run.warm_up", name]
        workers = [subprocess.Popen([*command, str(number)]) for number in range(PROCESSES)]
        try:
            told = -1
            while any(worker.poll() is None for worker in workers):
                done = len(list(folder.glob("*.done")))
                if done != told:
                    sys.stderr.write(f"compiling the kernels, once: {done} of {total} steps\n")
                    told = done
                sleep(0.5)
        finally:
            for worker in workers:
                worker.terminate()
                worker.wait()
    if any(worker.returncode for worker in workers):
        sys.exit(1)


def _work(folder: Path, number: int) -> None:
    """Take what nobody has taken yet, the first process from the front, the second one from the back."""
    from discreet.run.warm_up import steps

    compile_everything()
    todo = list(enumerate(steps()))
    with one_at_a_time(folder):
        for at, step in todo if number == 0 else reversed(todo):
            try:
                os.close(os.open(folder / f"{at}.taken", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            with TemporaryDirectory() as place:
                step(Path(place))
            (folder / f"{at}.done").touch()


@contextmanager
def one_at_a_time(folder: Path, package: str = "discreet") -> Iterator[None]:
    """While this lasts, a kernel of a package that another process is compiling is waited for, and then read."""
    from numba.core.dispatcher import Dispatcher

    compile_now = Dispatcher.compile
    held: set[str] = set()

    def compile_locked(self: Any, signature: Any) -> Any:
        kernel = f"{self.py_func.__module__}.{self.py_func.__qualname__}"
        if kernel in held or not kernel.startswith(f"{package}."):  # parts of numba are kept with whoever uses them
            return compile_now(self, signature)
        lock = _waited_for(folder / f"{sha256(kernel.encode()).hexdigest()[:20]}.lock")
        held.add(kernel)
        try:
            return compile_now(self, signature)
        finally:
            held.discard(kernel)
            if lock is not None:
                lock.let_go()

    Dispatcher.compile = compile_locked  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        Dispatcher.compile = compile_now  # type: ignore[method-assign]


def _waited_for(path: Path) -> Lock | None:
    end = monotonic() + _PATIENCE
    while monotonic() < end:
        try:
            return Lock(path)
        except (Held, FileNotFoundError):
            sleep(_PAUSE)
    return None
