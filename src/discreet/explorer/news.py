"""What every tab is told: that the policy changed, that its release was found, or that a job is further than before."""

from __future__ import annotations

import asyncio
from threading import Lock


class News:
    """A number that grows with whatever there is to show, and who waits for it."""

    def __init__(self) -> None:
        self.stamp = 0
        self._lock = Lock()
        self._listeners: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    def tell(self) -> None:
        """The state has changed. From any thread."""
        with self._lock:
            self.stamp += 1
        self.wake()

    def wake(self) -> None:
        """There is something to hear, although the state is as it was. From any thread."""
        with self._lock:
            listeners = list(self._listeners)
        for loop, event in listeners:
            if not loop.is_closed():
                loop.call_soon_threadsafe(event.set)

    def listen(self) -> asyncio.Event:
        """An event that is set whenever something is told; for the running loop."""
        event = asyncio.Event()
        with self._lock:
            self._listeners.append((asyncio.get_running_loop(), event))
        return event

    def leave(self, event: asyncio.Event) -> None:
        """No longer listen."""
        with self._lock:
            self._listeners = [pair for pair in self._listeners if pair[1] is not event]
