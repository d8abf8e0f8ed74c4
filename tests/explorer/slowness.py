"""Searches that take as long as a test wants them to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any

import pytest

from discreet.explorer.figures import candidate as candidates
from discreet.run.anonymize import find_plan


@contextmanager
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """Every search goes on until it is let go, and tells how far it is."""
    go_on = Event()

    def search(policy: Any, intake: Any, progress: Any) -> Any:
        at = 0
        while not go_on.wait(0.02):
            progress("search", at := at + 1, 1000, "a slow one")
        return find_plan(policy, intake, progress)

    monkeypatch.setattr(candidates, "find_plan", search)
    try:
        yield go_on
    finally:
        go_on.set()
        monkeypatch.setattr(candidates, "find_plan", find_plan)
