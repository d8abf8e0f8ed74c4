"""What a command shows: a progress bar for people, one JSON object for scripts, or nothing."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, Timer
from typing import Any

from discreet.compiled import once_numba_is_there
from discreet.errors import DiscreetError, Mistake, shown
from discreet.progress import Progress as Listener
from discreet.progress import silent

# By what became of the promises: kept, broken, not judged; 2 is wrong use, as with every command.
EXIT = {True: 0, False: 1, None: 3}
_PATIENCE = 0.7  # seconds before a bar appears: what is done by then needs none


class Screen:
    """Where a command's answer goes; `to_error`, if something else goes to standard output."""

    def __init__(self, as_json: bool = False, quiet: bool = False, *, to_error: bool = False):
        self._json, self._quiet, self._to_error = as_json, quiet, to_error

    def say(self, answer: dict[str, Any], words: str) -> None:
        """The answer, in the form that was asked for."""
        if self._json:
            _write(one_line(answer))
        elif self._to_error and not self._quiet:
            sys.stderr.write(_printable(words) + "\n")
        elif not self._quiet:
            _write(words)

    @contextmanager
    def progress(self) -> Iterator[Listener]:
        """A bar on a terminal, on everything that takes longer than a moment."""
        if self._json or self._quiet or not sys.stderr.isatty():
            yield silent
            return
        bar = _Bar()
        try:
            yield bar.show
        finally:
            bar.stop()


def write_page(output: Path, text: str) -> None:
    """Write where the user said."""
    from discreet.files.whole import whole_files

    whole_files({output: text})


def a_path(path: Path | None) -> Path | None:
    """What follows an option that takes a path, unless it is the next option: then the path was forgotten."""
    if path is not None and str(path).startswith("-"):
        rule = f"{shown(str(path))} stands where a path should"
        raise DiscreetError(Mistake("command line", rule, f"name the path, or write ./{shown(str(path))[1:-1]}"))
    return path


def one_line(answer: Mapping[str, Any]) -> str:
    """JSON that can be printed here, whatever is in it: names of files need not be text.

    >>> one_line({"file": "ä"}), one_line({"file": "\\udcff"})
    ('{"file": "ä"}', '{"file": "\\\\udcff"}')
    """
    text = json.dumps(answer, ensure_ascii=False)
    return text if _printable(text) == text else json.dumps(answer)


def _printable(text: str) -> str:
    """The text, with signs that can't be printed here written out."""
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


@contextmanager
def whoever_listens() -> Iterator[None]:
    """Writing to standard output. A reader who leaves early (`| head`) changes nothing about the exit code."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains when it closes it


def _write(text: str) -> None:
    with whoever_listens():
        sys.stdout.write(_printable(text) + "\n")


class _Bar:
    """A progress bar that appears by itself when the work takes longer than a moment."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._state: dict[str, Any] = {"description": "start", "completed": 0, "total": None, "note": ""}
        self._bar: Any = None
        self._task: Any = None
        self._listener: Any = None
        self._call_off = once_numba_is_there(self._listen)  # not every command loads a compiler
        self._timer = Timer(_PATIENCE, self._start)
        self._timer.daemon = True
        self._timer.start()

    def show(self, stage: str, done: float, total: float, note: str = "") -> None:
        """A step of the work, from the thread that does it."""
        with self._lock:
            self._state = {"description": stage, "completed": done, "total": total or None, "note": note}
            if self._bar is not None:
                self._bar.update(self._task, **self._state)

    def compiling(self, functions: int) -> None:
        """So many functions were compiled, and another one is; 0: none is, and the work goes on."""
        told = {"description": "compiling, once", "total": None, "note": f"{functions:,} functions so far"}
        with self._lock:
            if self._bar is not None:
                self._bar.update(self._task, **(told if functions else self._state))

    def _listen(self) -> None:
        """Hear what is compiled."""
        from discreet.cli.first_run import listen

        with self._lock:
            self._listener = listen(self.compiling)

    def stop(self) -> None:
        self._timer.cancel()
        self._call_off()
        with self._lock:
            if self._listener is not None:
                from discreet.cli.first_run import stop_listening

                stop_listening(self._listener)
            if self._bar is not None:
                self._bar.stop()

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[note]}"),
            TimeElapsedColumn(),
        )
        with self._lock:
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(**self._state)
            self._bar.start()
