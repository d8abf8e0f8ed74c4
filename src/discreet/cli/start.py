"""Where the command begins and ends: whatever stops it (Ctrl-C, TERM, HUP), it cleans up, and its exit code says so.

Loaded before everything else, so that a signal finds us ready for it while the rest is still being loaded.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import Any

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_AGAIN = 0.05  # seconds after which a stop that somebody swallowed is told again
_LOADED = 200_000  # objects: more than all modules of a run bring with them, which stay to its end


class Stopped(KeyboardInterrupt):
    """Somebody wants us to end. Libraries know how to end on a Ctrl-C: psycopg cancels what the server is doing."""


class _Stop:
    """The first signal that came. It is raised once: what comes while we clean up must not keep us from that."""

    number = 0
    raised = False

    def handle(self, number: int, frame: FrameType | None) -> None:
        self.number = self.number or number
        compiled = sys.modules.get("discreet.compiled")  # not loaded for this
        if compiled and compiled.waits_for_kernel(frame, lambda: self.handle(number, None)):
            return
        if not self.raised:
            self.raised = True
            # Neither is loaded for this, nor needed if it is not. What libraries log of being stopped is no news.
            if logging := sys.modules.get("logging"):
                logging.disable()
            if engine := sys.modules.get("discreet.engines.duckdb.engine"):
                with suppress(Exception):
                    engine.interrupt()
            raise Stopped

    def swallowed(self, unraisable: Any) -> None:
        """Python drops what is raised while it tidies up objects. A stop is told again; the rest was of no interest."""
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            self.raised = False
            later = threading.Timer(_AGAIN, _signal, [self.number or signal.SIGINT])
            later.daemon = True
            later.start()
        elif not self.number:
            sys.__unraisablehook__(unraisable)


def run() -> None:
    """Run the command. Exit 130, 143 or 129 if it was stopped, whatever became of that in somebody else's code."""
    stop = _Stop()
    code: Any = 0
    ended: list[int] = []
    atexit.register(_leave_at_once, ended)  # before all others, so that it is called after them
    _look_for_garbage_later()
    try:
        try:
            sys.unraisablehook = stop.swallowed
            for number in SIGNALS:
                # Whoever started us so that we don't hear it (nohup) keeps that.
                if signal.getsignal(number) is not signal.SIG_IGN:
                    signal.signal(number, stop.handle)
            code = _exit_code(stop)
        finally:
            _hear_nothing()
    except KeyboardInterrupt:
        _hear_nothing()
        code = 128 + signal.SIGINT
    code = 128 + stop.number if stop.number else code or 0
    if isinstance(code, int):
        ended.append(code)
    sys.exit(code)


def _look_for_garbage_later() -> None:
    """Modules are no garbage: to look through them again and again while they are loaded was a tenth of a small run."""
    usual = gc.get_threshold()

    def as_usual(phase: str, _: object) -> None:
        if phase == "stop":
            gc.callbacks.remove(as_usual)
            gc.freeze()
            gc.set_threshold(*usual)

    gc.callbacks.append(as_usual)
    gc.set_threshold(_LOADED, *usual[1:])


def _leave_at_once(ended: list[int]) -> None:
    """Everything is closed and removed. Python would now take all modules to pieces, which takes a tenth of a second.

    Where what was said can't be brought out, it is left to Python to complain.
    """
    with suppress(Exception):
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(ended[0])


def _exit_code(stop: _Stop) -> Any:
    from discreet.cli import main

    try:
        main.run(lambda: bool(stop.number))
    except SystemExit as end:
        return end.code
    return 0


def _signal(number: int) -> None:
    """To the main thread, which may be asleep."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:
        signal.raise_signal(number)


def _hear_nothing() -> None:
    """The answer is given, and what is left takes a moment: folders are removed, threads end."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
