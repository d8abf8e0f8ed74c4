"""`make check`: every test function runs, but none for long.

Each has a tenth of a second of CPU. Once its cases have used that up, the others are left to `make test`, and so are
the further examples of a property (three it gets anyway). Cases are taken in an order that spreads over all of them.
What takes more than a second by itself is marked `slow`, and is left out altogether (`conftest.LEFT_OUT`).
"""

from __future__ import annotations

import functools
import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import Any

import pytest

SECONDS = 0.1
FEWEST = 3  # examples
WHY = "its function has used up its time in make check; make test runs it"
_GOLDEN = (5**0.5 - 1) / 2


class Budgets:
    """How much of its time each function has used, in this process and those that it has started."""

    def __init__(self, seconds: float = SECONDS):
        self.seconds = seconds
        self._used: dict[str, float] = defaultdict(float)
        self._start = 0.0

    def is_over(self, item: pytest.Item) -> bool:
        return self._used.get(function_of(item), 0.0) >= self.seconds

    def begin(self) -> None:
        """A case is set up."""
        self._start = _cpu()

    @contextmanager
    def used_by(self, item: pytest.Item) -> Iterator[None]:
        """A case runs. What was set up for the first one may serve all tests of a file, and does not count."""
        function = function_of(item)
        if function not in self._used:
            self._start = _cpu()
        try:
            yield
        finally:
            self._used[function] += _cpu() - self._start

    def limit_examples(self, item: pytest.Item) -> None:
        """A property that has used up its time takes its further examples for granted: until one has failed, that is,
        since what failed is run again."""
        handle = getattr(getattr(item, "obj", None), "hypothesis", None)
        if handle is None or hasattr(handle.inner_test, "discreet_limited"):
            return
        handle.inner_test = limited(handle.inner_test, self.seconds)


def limited(test: Callable[..., Any], seconds: float) -> Callable[..., Any]:
    """The same test for a few examples, and then for none."""
    examples, used, failed = 0, 0.0, False

    @functools.wraps(test)
    def run(*arguments: Any, **named: Any) -> Any:
        nonlocal examples, used, failed
        if not failed and examples >= FEWEST and used >= seconds:
            return None
        examples, start = examples + 1, _cpu()
        try:
            return test(*arguments, **named)
        except Exception:
            failed = True
            raise
        finally:
            used += _cpu() - start

    run.discreet_limited = True  # type: ignore[attr-defined]
    return run


def spread(items: list[pytest.Item]) -> list[pytest.Item]:
    """The cases of each function in an order whose beginning, of whatever length, has something of all parts."""
    ordered = []
    for _, found in groupby(items, function_of):
        cases = list(found)
        if all(map(_is_alone, cases)):
            cases = [cases[i] for i in sorted(range(len(cases)), key=lambda i: i * _GOLDEN % 1)]
        ordered += cases
    return ordered


def function_of(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _is_alone(item: pytest.Item) -> bool:
    """Whether no case shares something with its neighbours that would be made anew for another order."""
    scopes = getattr(getattr(item, "callspec", None), "_arg2scope", {})
    return all(scope.value == "function" for scope in scopes.values())


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
