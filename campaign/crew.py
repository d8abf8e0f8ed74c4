"""Keeps workers busy, and ends those that hang, take too much memory or die."""

from __future__ import annotations

import contextlib
import multiprocessing
import shutil
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path

from campaign.clock import Clock
from campaign.inputs import Input
from campaign.verdicts import MOST_MEMORY, is_compiling, judge
from campaign.worker import ENTRY, Made, Outcome, Started, grow, work
from campaign.workers import Job, Worker, dismiss, is_of_use, start

LIMIT = 10.0  # seconds for a command
_TURNS = 150  # inputs before a worker is replaced, so that none carries much from one to the next
_COMPILING = 180.0  # seconds that a kernel may take
_LOOK = 0.1  # seconds between two looks at the memory of the workers


@dataclass(frozen=True)
class Result:
    """An input, how its commands ended, and what is wrong with that."""

    number: int
    made: Input
    outcomes: tuple[Outcome, ...]
    troubles: tuple[tuple[str, str], ...]


@dataclass
class _Worker(Worker):
    made: Input | None = None
    argv: tuple[str, ...] | None = None
    clock: Clock | None = None
    before: frozenset[str] = frozenset()
    outcomes: list[Outcome] = field(default_factory=list)


class Crew:
    """Workers that share a garden."""

    def __init__(self, garden: Path, workers: int = 2, entry: str = ENTRY, limit: float = LIMIT):
        self._context = multiprocessing.get_context("forkserver")
        # Imported once; what runs commands starts as a copy of a process that never ran one.
        self._context.set_forkserver_preload(["campaign.preload"])
        self._garden, self._count, self._entry, self._limit = garden, workers, entry, limit

    def grow(self) -> None:
        """Make the valid inputs."""
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=grow, args=(theirs, self._garden))
        process.start()
        theirs.close()
        try:
            message = ours.recv()
        except EOFError:
            message = "the process that makes valid inputs died"
        process.join()
        if message:
            raise RuntimeError(message)

    def run(self, jobs: Sequence[Job]) -> Iterator[Result]:
        """Results as they come. What hung is tried once more at the end: the machine may have been busy."""
        waiting = deque(jobs)
        again: deque[Job] = deque()
        second = False
        crew: list[_Worker] = []
        try:
            while waiting or again or any(w.job for w in crew):
                if not waiting and again and not any(w.job for w in crew):
                    waiting, again, second = again, deque(), True
                crew = [w for w in crew if is_of_use(w, _TURNS)]
                while waiting and len(crew) < self._count:
                    crew.append(self._hire())
                for w in crew:
                    if w.job is None and waiting:
                        w.job, w.made, w.argv, w.outcomes = waiting.popleft(), None, None, []
                        w.pipe.send(w.job)
                wait([w.pipe for w in crew if w.job], timeout=_LOOK)
                for w in crew:
                    result = self._listen(w)
                    if result is None:
                        continue
                    assert w.job is not None
                    if not second and any(kind == "hang" for kind, _ in result.troubles):
                        again.append(w.job)
                        if w.job.family:
                            shutil.rmtree(w.job.folder)
                    else:
                        yield result
                    w.job = None
        finally:
            for w in crew:
                dismiss(w)

    def _hire(self) -> _Worker:
        return _Worker(*start(self._context, work, self._garden, self._entry, self._limit))

    def _listen(self, w: _Worker) -> Result | None:
        """What a worker tells; the result, if its input is done or it had to be ended."""
        if w.job is None:
            return None
        try:
            while w.pipe.poll():
                match w.pipe.recv():
                    case Made(made, before):
                        w.made, w.before = made, before
                    case Started(argv):
                        w.argv, w.clock = argv, Clock.of(w.process.pid)
                    case Outcome() as outcome:
                        w.outcomes.append(outcome)
                        w.argv = None
                    case None:
                        return self._result(w)
        except (EOFError, OSError):
            w.process.join()
            return self._ended(w, "fault", f"died with {w.process.exitcode}")
        # A worker that stays a while after its limit is ended; one that comes back is judged by its own clock.
        # A kernel that nobody ever needed before is compiled once, and found compiled at the second try.
        seconds = w.clock.seconds() if w.clock is not None and w.argv is not None else 0.0
        if seconds > self._limit + 0.5 and (seconds > _COMPILING or not is_compiling(w.job.folder)):
            return self._ended(w, "hang")
        if _memory(w.process.pid) > 2 * MOST_MEMORY:
            return self._ended(w, "memory")
        return None

    def _ended(self, w: _Worker, trouble: str, message: str = "") -> Result:
        if w.made is None:
            raise RuntimeError(f"an input could not be made: {w.job} {message}")
        w.process.kill()
        w.process.join()
        w.outcomes.append(Outcome(w.argv or (), None, w.clock.seconds() if w.clock else 0.0, 0, trouble))
        result = self._result(w)
        return (
            result
            if not message
            else Result(result.number, result.made, result.outcomes, ((trouble, message), *result.troubles))
        )

    def _result(self, w: _Worker) -> Result:
        assert w.job is not None
        assert w.made is not None
        w.turns += 1
        troubles = judge(w.made, w.outcomes, w.job.folder, w.before)
        slow = [("hang", f"{o.seconds:.1f} s") for o in w.outcomes if o.code is not None and o.seconds > self._limit]
        return Result(w.job.number, w.made, tuple(w.outcomes), (*troubles, *slow))


def _memory(pid: int) -> int:
    """Resident bytes of a process."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * 4096
    return 0
