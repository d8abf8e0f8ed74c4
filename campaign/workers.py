"""What both campaigns share: jobs, and the processes that do them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Job:
    """One input or run: to be made from a seed, or (`family` is empty) as it lies in a folder."""

    number: int
    folder: Path
    family: str = ""
    index: int = 0
    seed: int = 0


@dataclass
class Worker:
    """A process, the pipe that it is spoken to by, and what it is doing."""

    process: Any
    pipe: Connection
    turns: int = 0
    job: Job | None = None


def start(context: Any, target: Callable[..., None], *arguments: object) -> tuple[Any, Connection]:
    """A process that is spoken to by a pipe, its first argument."""
    ours, theirs = context.Pipe()
    process = context.Process(target=target, args=(theirs, *arguments), daemon=True)
    process.start()
    theirs.close()
    return process, ours


def is_of_use(worker: Worker, turns: int) -> bool:
    """Is it at work, or may it be given more? One that has had its turns, or died, is dismissed."""
    if worker.job is None and (worker.turns >= turns or not worker.process.is_alive()):
        dismiss(worker)
        return False
    return True


def dismiss(worker: Worker) -> None:
    """End a process, whatever it is doing."""
    if worker.process.is_alive():
        worker.process.kill()
    worker.process.join()
    worker.pipe.close()
