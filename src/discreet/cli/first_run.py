"""The first run after an install compiles what it needs, which takes seconds: whoever waits is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import event


class Compilations(event.Listener):  # type: ignore[misc]
    """Counts what numba compiles, also inside of something else, and tells each; 0 when all of it is done."""

    def __init__(self, tell: Callable[[int], None]):
        self.count = 0
        self._tell, self._open = tell, 0

    def on_start(self, _: Any) -> None:
        self.count += 1
        self._open += 1
        self._tell(self.count)

    def on_end(self, _: Any) -> None:
        self._open -= 1
        if not self._open:
            self._tell(0)


def listen(tell: Callable[[int], None]) -> Compilations:
    """Tell of everything that is compiled from now on in this process."""
    listener = Compilations(tell)
    event.register("numba:compile", listener)
    return listener


def stop_listening(listener: Compilations) -> None:
    """Tell of nothing more."""
    event.unregister("numba:compile", listener)
