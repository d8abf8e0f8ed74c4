"""Time as a command would take it on a machine of its own: without what it waited for others to leave a processor."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Clock:
    """Starts when it is made; looks at the threads of a process from inside or outside.

    Waiting for a processor is no hang, waiting for a file is: only the former is left out. Where the system does not
    tell (only Linux does), nothing is.
    """

    process: int
    start: float = field(default_factory=time.monotonic)
    delays: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, process: int) -> Clock:
        return cls(process, delays=_delays(process))

    def seconds(self) -> float:
        waited = [delay - self.delays.get(thread, 0.0) for thread, delay in _delays(self.process).items()]
        return time.monotonic() - self.start - max(waited, default=0.0)


def _delays(process: int) -> dict[str, float]:
    """How long each thread was ready to run and did not."""
    delays = {}
    with suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            with suppress(OSError, ValueError, IndexError):
                delays[thread.name] = int((thread / "schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    return delays
