"""Runs commands in one process, one after the other, as the command line would."""

from __future__ import annotations

import contextlib
import faulthandler
import io
import os
import resource
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path

from campaign.clock import Clock
from campaign.garden import Garden, plant
from campaign.inputs import HERE, Input, make

ENTRY = "discreet.cli.start:run"


@dataclass(frozen=True)
class Made:
    """An input is ready, and what is in its folder now."""

    made: Input
    names: frozenset[str]


@dataclass(frozen=True)
class Started:
    """A command begins."""

    argv: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """How a command ended. `code` is None if it did not; `trouble` is what went wrong beyond its exit code."""

    argv: tuple[str, ...]
    code: int | None
    seconds: float
    peak: int  # bytes
    trouble: str = ""


def work(pipe: Connection, garden: Path, entry: str, limit: float) -> None:
    """Take jobs until there are none; tell when a command starts and how it ended."""
    module, _, name = entry.partition(":")
    run: Callable[[], None] = getattr(import_module(module), name)
    sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115
    os.dup2(sys.stdin.fileno(), 0)
    sys.modules["__main__"].__file__ = sys.argv[0]  # or DuckDB takes it for a prompt, and shows bars
    for variable in [v for v in os.environ if v.startswith(("PG", "SPARK_", "DISCREET_"))]:
        del os.environ[variable]
    while (job := pipe.recv()) is not None:
        folder = job.folder
        made = make(job.family, job.index, job.seed, folder, Garden(garden)) if job.family else Input.load(folder)
        pipe.send(Made(made, frozenset(path.name for place in (folder, folder / HERE) for path in place.iterdir())))
        for number, argv in enumerate([made.argv, *made.after]):
            pipe.send(Started(argv))
            outcome = command(run, argv, folder, number, limit)
            pipe.send(outcome)
            if outcome.code != 0:
                break
        pipe.send(None)


def grow(pipe: Connection, folder: Path) -> None:
    """Make the garden; tell what went wrong, or an empty text."""
    from discreet.cli.start import run

    shutil.rmtree(folder, ignore_errors=True)

    def publish(place: Path, argv: list[str]) -> int:
        (folder / HERE).unlink(missing_ok=True)
        (folder / HERE).symlink_to(place)
        return command(run, tuple(argv), folder, 0, 600).code or 0

    folder.mkdir(parents=True)
    try:
        plant(folder, publish)
        pipe.send("")
    except RuntimeError as error:
        pipe.send(f"{error}\n{(folder / '0.stderr').read_text(encoding='utf-8', errors='replace')}")


def command(run: Callable[[], None], argv: tuple[str, ...], folder: Path, number: int, limit: float) -> Outcome:
    """Run one command in the folder `here`; what it prints goes to files beside it."""
    os.chdir(folder / HERE)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for which in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(which, signal.SIG_DFL)  # as a new process has them
    sys.argv = ["discreet", *argv]
    trouble = ""
    with _printed(folder, number), (folder / "stack").open("w", encoding="utf-8") as stack:
        faulthandler.dump_traceback_later(max(0.1, limit - 0.3), file=stack)
        _forget_peak()
        clock = Clock.of(os.getpid())
        try:
            run()
            code = 0
        except SystemExit as leave:
            code = leave.code if isinstance(leave.code, int) else 0 if leave.code is None else 1
        except BaseException as error:  # noqa: BLE001  what the interpreter would do with it
            code = 1
            trouble = "".join(traceback.format_exception(error)[-4:])
            sys.excepthook(type(error), error, error.__traceback__)
        seconds, peak = clock.seconds(), _peak()
        faulthandler.cancel_dump_traceback_later()
    os.chdir(folder)
    return Outcome(argv, code, seconds, peak, trouble)


@contextlib.contextmanager
def _printed(folder: Path, number: int) -> Iterator[None]:
    """Send what is printed, by Python or by anything else in the process, to files."""
    texts = sys.stdout, sys.stderr
    kept = os.dup(1), os.dup(2)
    for place, name in ((1, "stdout"), (2, "stderr")):
        file = os.open(folder / f"{number}.{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, place)
        os.close(file)
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), encoding="utf-8")
    sys.stderr = io.TextIOWrapper(
        io.FileIO(2, "w", closefd=False), encoding="utf-8", errors="backslashreplace", line_buffering=True
    )
    try:
        yield
    finally:
        for text in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                text.flush()
        sys.stdout, sys.stderr = texts
        for place, old in ((1, kept[0]), (2, kept[1])):
            os.dup2(old, place)
            os.close(old)


def _forget_peak() -> None:
    """Start to measure memory from here."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _peak() -> int:
    """The most memory that was in use since."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
