"""Workers that run cases one after the other in processes of their own, and are ended if they hang or die."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TypeVar

from campaign.clock import Clock
from campaign.promises.audited import Trouble
from campaign.promises.case import Case
from campaign.promises.product import Answer
from campaign.workers import Job, Worker, dismiss, is_of_use, start

LIMIT = 20.0  # seconds for a run; one that takes longer is tried once more, for kernels may have been compiled
_TURNS = 400  # runs before a worker is replaced, so that none carries much from one to the next
_LOOK = 0.2  # seconds between two looks at the clock


@dataclass(frozen=True)
class Result:
    """How a run ended, and what is wrong with that."""

    job: Job
    family: str
    ended: str
    message: str
    troubles: tuple[Trouble, ...]
    seconds: float
    judging: float  # of these


@dataclass
class _Worker(Worker):
    clock: Clock = field(init=False)

    def __post_init__(self) -> None:
        self.clock = Clock.of(self.process.pid)


Answered = TypeVar("Answered", bound=Answer)


def run_case(
    job: Job,
    make: Callable[[str, int, int], Case],
    ask: Callable[[Case, Path], Answered],
    judge: Callable[[Case, Answered, Path], list[Trouble]],
) -> Result:
    """Draw a case, let the real thing publish it, and judge what came of it."""
    clock = Clock.of(os.getpid())
    case = make(job.family, job.index, job.seed) if job.family else Case.load(job.folder)
    shutil.rmtree(job.folder, ignore_errors=True)
    job.folder.mkdir(parents=True)
    case.save(job.folder)
    answer = ask(case, job.folder)
    asked = clock.seconds()
    try:
        troubles = judge(case, answer, job.folder)
    except Exception:  # noqa: BLE001  an outsider who can't read a release has found something
        troubles = [("untrue", f"could not be read: {traceback.format_exc(limit=-3)}")]
    seconds = clock.seconds()
    return Result(job, case.family, answer.ended, answer.message, tuple(troubles), seconds, max(seconds - asked, 0.0))


def work(pipe: Connection, run: Callable[[Job], Result]) -> None:
    """Take jobs until there are none."""
    for variable in [v for v in os.environ if v.startswith(("PG", "SPARK_", "DISCREET_"))]:
        del os.environ[variable]
    while (job := pipe.recv()) is not None:
        pipe.send(run(job))


class Crew:
    """So many workers, each a copy of a process that has imported everything and run nothing; `run` does a job."""

    def __init__(self, run: Callable[[Job], Result], workers: int = 2, limit: float = LIMIT):
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["campaign.preload", run.__module__])
        self._run, self._count, self._limit = run, workers, limit
        self._tried: set[Job] = set()

    def run(self, jobs: Sequence[Job]) -> Iterator[Result]:
        """Results as they come; what hung is tried once more at the end."""
        waiting, again = deque(jobs), deque[Job]()
        crew: list[_Worker] = []
        try:
            while waiting or again or any(w.job for w in crew):
                second = not waiting and not any(w.job for w in crew)
                if second:
                    waiting, again = again, deque()
                    self._limit *= 3
                crew = [w for w in crew if is_of_use(w, _TURNS)]
                while waiting and len(crew) < self._count:
                    crew.append(self._hire())
                for w in crew:
                    if w.job is None and waiting:
                        w.job, w.clock = waiting.popleft(), Clock.of(w.process.pid)
                        w.pipe.send(w.job)
                wait([w.pipe for w in crew if w.job], timeout=_LOOK)
                for w in crew:
                    result = self._listen(w)
                    if result is None:
                        continue
                    if any(kind == "hang" for kind, _ in result.troubles) and result.job not in self._tried:
                        self._tried.add(result.job)
                        again.append(result.job)
                    else:
                        yield result
        finally:
            for w in crew:
                dismiss(w)

    def _hire(self) -> _Worker:
        return _Worker(*start(self._context, work, self._run))

    def _listen(self, w: _Worker) -> Result | None:
        """The result of a worker's job, if it has one, died or had to be ended."""
        if w.job is None:
            return None
        job, seconds = w.job, w.clock.seconds()
        ended = Result(job, job.family, "hang", "", (("hang", f"{seconds:.0f} s"),), seconds, 0.0)
        try:
            if w.pipe.poll():
                ended = w.pipe.recv()
            elif seconds <= self._limit:
                return None
            else:
                w.process.kill()
                w.process.join()
        except (EOFError, OSError):
            w.process.join()
            ended = replace(ended, ended="fault", troubles=(("fault", f"died with {w.process.exitcode}"),))
        w.job = None
        w.turns += 1
        return ended
