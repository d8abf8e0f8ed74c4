"""Work that takes longer than a moment: it tells how far it is, can be stopped, and gives way to newer work."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Any

from discreet.errors import DiscreetError, Mistake, told_mistakes
from discreet.explorer.news import News

WORKERS = 3
_KEPT = 30  # jobs that have ended, for who comes late
_LAST_WORDS = 2.0  # seconds for each thread to end, when the server does
_PAUSE = 0.05  # seconds between two tellings of progress


class Stopped(BaseException):
    """Somebody stopped the job, or a newer one takes its place. No `except Exception` may swallow it."""


@dataclass(eq=False)
class Job:
    """One piece of work. Every event is kept, so that who listens later misses nothing."""

    kind: str
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    events: list[tuple[str, str]] = field(default_factory=list)  # a name, and JSON
    ended: bool = False
    stopping: bool = False
    last: dict[str, Any] = field(default_factory=dict)  # how far it is
    _lock: Lock = field(default_factory=Lock)
    news: News = field(default_factory=News)
    _told: float = 0.0

    def tell(self, stage: str, done: float, total: float, note: str = "") -> None:
        """A `Progress` for whatever runs; here it learns that it is to stop."""
        if self.stopping:
            raise Stopped
        words = f"{stage}: {note}" if note else stage
        self.last = {"done": float(done), "of": float(total) or None, "text": words}
        if monotonic() - self._told > _PAUSE:
            self._told = monotonic()
            self.emit("progress", self.last)

    def point(self, point: dict[str, Any]) -> None:
        """A part of the answer, as soon as it is there."""
        if self.stopping:
            raise Stopped
        self.emit("point", point)

    def emit(self, name: str, data: Any, *, last: bool = False) -> None:
        """Tell everybody who listens."""
        text = json.dumps(data)
        with self._lock:
            if self.ended:
                return
            self.events.append((name, text))
            self.ended = last
        self.news.tell()


Work = Callable[[Job], Any]


class Jobs:
    """A few threads, and what they do."""

    def __init__(self, told: Callable[[Exception], DiscreetError]) -> None:
        self._told = told  # what an error of any kind means to who reads it
        self._lock = Lock()
        self._jobs: dict[str, Job] = {}
        self._queue: SimpleQueue[tuple[Job, Work] | None] = SimpleQueue()
        self._threads = [Thread(target=self._work, name=f"explorer-{n}", daemon=True) for n in range(WORKERS)]
        for thread in self._threads:
            thread.start()

    def start(self, kind: str, work: Work, *, alone: bool = False) -> Job:
        """Begin something. What is under way of the same kind is stopped; if it is to be `alone`, this is refused."""
        job = Job(kind)
        with self._lock:
            older = [other for other in self._jobs.values() if other.kind == kind and not other.ended]
            if older and alone:
                raise DiscreetError(Mistake(kind, "is under way already", "wait for it, or stop it"))
            for other in older:
                other.stopping = True
            ended = [other.id for other in self._jobs.values() if other.ended]
            for old in ended[: max(len(ended) - _KEPT, 0)]:
                del self._jobs[old]
            self._jobs[job.id] = job
        self._queue.put((job, work))
        return job

    def get(self, name: str) -> Job | None:
        """The job of that name, if it is known."""
        with self._lock:
            return self._jobs.get(name)

    def stop(self, name: str) -> bool:
        """Stop a job; it ends as soon as it tells how far it is."""
        job = self.get(name)
        if job is not None:
            job.stopping = True
        return job is not None

    def running(self) -> list[Job]:
        """What is under way."""
        with self._lock:
            return [job for job in self._jobs.values() if not job.ended]

    def close(self) -> None:
        """The server ends: whatever tells how far it is learns that now, and nobody waits long for the rest."""
        for job in self.running():
            job.stopping = True
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join(_LAST_WORDS)

    def _work(self) -> None:
        while (taken := self._queue.get()) is not None:
            job, work = taken
            try:
                if job.stopping:
                    raise Stopped
                answer = work(job)
                job.emit("done", {} if answer is None else answer, last=True)
            except Stopped:
                job.emit("stopped", {}, last=True)
            except Exception as error:  # noqa: BLE001 - whoever waits for it is told, and the thread goes on
                job.emit("failed", {"problems": problems(self._told(error))}, last=True)
            del taken, job, work  # who waits for the next one holds nothing of this one


def problems(error: DiscreetError) -> list[dict[str, str]]:
    """Every mistake as the page shows it."""
    return [{"place": m.place, "rule": m.rule, "repair": m.repair} for m in told_mistakes(error.mistakes)]
