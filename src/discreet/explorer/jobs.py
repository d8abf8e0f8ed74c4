"""Work that may take longer than a moment: it tells how far it is, can be stopped, and gives way to newer work.

Each kind of work has a lane of its own, where one job runs and the newest of the others waits. So no kind keeps another
waiting, however long an old job takes to see that it is to stop.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock, Thread, current_thread
from time import monotonic
from typing import Any

from discreet.errors import DiscreetError, Mistake, told_mistakes

_KEPT = 30  # jobs that have ended, for who comes late
_LAST_WORDS = 2.0  # seconds for each thread to end, when the server does
_PAUSE = 0.1  # seconds between two tellings of progress

DONE, FAILED, STOPPED, POINT = "done", "failed", "stopped", "point"


class Stopped(BaseException):
    """Somebody stopped the job, or a newer one takes its place. No `except Exception` may swallow it."""


@dataclass(eq=False)
class Job:
    """One piece of work. What it tells is kept, so that who listens later misses nothing."""

    kind: str
    key: object = None  # of jobs of one kind, what this one is about
    listener: Callable[[], None] = lambda: None  # hears that there is something new
    then: Callable[[], None] = lambda: None  # hears that it has ended
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    told: list[tuple[str, str]] = field(default_factory=list)  # points and the end: a name, and JSON
    fault: bool = False  # it failed, and that is our fault
    stopping: bool = False
    last: dict[str, Any] = field(default_factory=lambda: {"done": None, "of": None, "text": ""})  # how far it is
    _end: Event = field(default_factory=Event)
    _lock: Lock = field(default_factory=Lock)
    _spoke: float = 0.0

    @property
    def ended(self) -> bool:
        """Is it done, failed or stopped?"""
        return self._end.is_set()

    @property
    def end(self) -> tuple[str, str]:
        """How it ended: the name, and JSON."""
        assert self.ended, "it is under way"
        return self.told[-1]

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it has ended; False if it takes longer."""
        return self._end.wait(seconds)

    def tell(self, stage: str, done: float, total: float, note: str = "") -> None:
        """A `Progress` for whatever runs; here it learns that it is to stop."""
        words = f"{stage}: {note}" if note else stage
        self._now({"done": float(done), "of": float(total) or None, "text": words})

    def waits_for(self, other: Job) -> None:
        """Tell how far another job is, that this one needs."""
        self._now(other.last)

    def _now(self, standing: dict[str, Any]) -> None:
        if self.stopping:
            raise Stopped
        self.last = standing
        if monotonic() - self._spoke > _PAUSE:
            self._spoke = monotonic()
            self.listener()

    def point(self, point: dict[str, Any]) -> None:
        """A part of the answer, as soon as it is there."""
        if self.stopping:
            raise Stopped
        self.emit(POINT, point)

    def emit(self, name: str, data: Any, *, last: bool = False) -> None:
        """Tell everybody who listens."""
        text = json.dumps(data, allow_nan=False)
        with self._lock:
            if self.ended:
                return
            self.told.append((name, text))
            if last:
                self._end.set()
        self.listener()
        if last:
            self.then()

    def standing(self) -> dict[str, Any]:
        """What everybody is told of it: how far it is, and how much there is to hear."""
        return {"job": self.id, "kind": self.kind, "ended": self.ended, "told": len(self.told), **self.last}


Work = Callable[[Job], Any]


@dataclass(eq=False)
class _Lane:
    """The jobs of one kind: the one that runs, and the one that is next."""

    kind: str
    running: Job | None = None
    next: tuple[Job, Work] | None = None


class Jobs:
    """All jobs, each kind in its lane."""

    def __init__(self, told: Callable[[Exception], DiscreetError], listener: Callable[[], None]) -> None:
        """`told` says what an error of any kind means to who reads it; `listener` hears of whatever is new."""
        self._told, self._listener = told, listener
        self._lock = Lock()
        self._known: dict[str, Job] = {}  # that somebody may ask for by name
        self._lanes: dict[str, _Lane] = {}
        self._threads: set[Thread] = set()
        self._closed = False

    def start(
        self,
        kind: str,
        work: Work,
        *,
        key: object = None,
        alone: bool = False,
        known: bool = True,
        then: Callable[[], None] = lambda: None,
    ) -> Job:
        """Begin something. What is under way of the same kind is stopped; if it is to be `alone`, this is refused.

        A job with the same `key`, if there is one, is gone on with instead. Whoever waits for the answer at once need
        not make the job `known` to all. `then` is called when it has ended.
        """
        job = Job(kind, key, self._listener if known else lambda: None, then)
        left = None
        with self._lock:
            lane = self._lanes.setdefault(kind, _Lane(kind))
            newest = lane.running if lane.next is None else lane.next[0]
            if newest is not None and not newest.ended and not newest.stopping:
                if alone:
                    raise DiscreetError(Mistake(kind, "is under way already", "wait for it, or stop it"))
                if key is not None and newest.key == key:
                    return newest
            if lane.running is not None:
                lane.running.stopping = True
            if lane.next is not None:
                left = lane.next[0]
            lane.next = job, work
            if known:
                self._remember(job)
            if lane.running is None:
                self._begin(lane)
        if left is not None:
            left.emit(STOPPED, {}, last=True)
        return job

    def make_known(self, job: Job) -> None:
        """It takes longer: from now on everybody hears how far it is."""
        with self._lock:
            self._remember(job)
        job.listener = self._listener
        self._listener()

    def _remember(self, job: Job) -> None:
        ended = [other.id for other in self._known.values() if other.ended]
        for old in ended[: max(len(ended) - _KEPT, 0)]:
            del self._known[old]
        self._known[job.id] = job

    def get(self, name: str) -> Job | None:
        """The job of that name, if it is known."""
        with self._lock:
            return self._known.get(name)

    def all(self) -> list[Job]:
        """All that are known: those that run, and the last that ended."""
        with self._lock:
            return list(self._known.values())

    def stop(self, name: str) -> bool:
        """Stop a job; it ends as soon as it tells how far it is."""
        job = self.get(name)
        if job is not None:
            self._stop(job)
        return job is not None

    def stop_kind(self, kind: str) -> None:
        """Stop what is under way of a kind: it is about something that is no longer so."""
        with self._lock:
            lane = self._lanes.get(kind, _Lane(kind))
            under_way = [lane.running, None if lane.next is None else lane.next[0]]
        for job in under_way:
            if job is not None:
                self._stop(job)

    def _stop(self, job: Job) -> None:
        job.stopping = True
        with self._lock:
            lane = self._lanes.get(job.kind)
            waited = lane is not None and lane.next is not None and lane.next[0] is job
            if lane is not None and waited:
                lane.next = None
        if waited:
            job.emit(STOPPED, {}, last=True)

    def running(self) -> list[Job]:
        """What is under way, of what is known."""
        return [job for job in self.all() if not job.ended]

    def close(self) -> None:
        """The server ends: whatever tells how far it is learns that now, and nobody waits long for the rest."""
        with self._lock:
            self._closed = True
            lanes, threads = list(self._lanes), list(self._threads)
        for kind in lanes:
            self.stop_kind(kind)
        end = monotonic() + _LAST_WORDS
        for thread in threads:
            thread.join(max(end - monotonic(), 0.1))

    def _begin(self, lane: _Lane) -> None:
        """A thread for the lane, as long as there is something in it. Whoever calls has the lock."""
        assert lane.next is not None, "there is something to do"
        lane.running = lane.next[0]
        thread = Thread(target=self._run, args=[lane], name=f"explorer {lane.kind}", daemon=True)
        self._threads.add(thread)
        thread.start()

    def _run(self, lane: _Lane) -> None:
        while True:
            with self._lock:
                taken, lane.next = lane.next, None
                if taken is None or self._closed:
                    lane.running = None
                    self._lanes.pop(lane.kind, None)
                    self._threads.discard(current_thread())
                    break
                lane.running = taken[0]
            self._do(*taken)
            del taken  # who waits for the next one holds nothing of this one

    def _do(self, job: Job, work: Work) -> None:
        try:
            if job.stopping:
                raise Stopped
            answer = work(job)
            job.emit(DONE, {} if answer is None else answer, last=True)
        except Stopped:
            job.emit(STOPPED, {}, last=True)
        except Exception as error:  # noqa: BLE001 - whoever waits for it is told, and the thread goes on
            meant = self._told(error)
            job.fault = meant.exit_code == 70
            job.emit(FAILED, {"problems": problems(meant)}, last=True)


def problems(error: DiscreetError) -> list[dict[str, str]]:
    """Every mistake as the page shows it."""
    return [{"place": m.place, "rule": m.rule, "repair": m.repair} for m in told_mistakes(error.mistakes)]
