"""No test takes long for what few examples show: its time is bounded, in CPU, not by a clock.

In `make check`, every test function runs for a tenth of a second. Once its cases have used that up, the others are left
to `make test`, and so are the further examples of a property (three it gets anyway). Cases are taken in an order that
spreads over all of them. What takes twice that before its first case is over is left out (`slow.txt`).

In `make test`, all cases run; a property has ten examples anyway, and more of those it asks for until half a second is
over. Where it has cases (`parametrize`) that have used two seconds together, each further case has four.
`make test-deep` knows no bounds.
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
from hypothesis.errors import UnsatisfiedAssumption

SECONDS = 0.1  # of a function, in `make check`
OF_A_PROPERTY = {"few": (SECONDS, 3), "usual": (0.5, 10)}  # seconds and fewest examples, each time it is run
OF_ALL_CASES, FEWEST_LATER = 2.0, 4  # seconds of all cases of a property, and examples of each one after that
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


def limit_examples(item: pytest.Item, how_many: str) -> None:
    """Bound the examples of a property test. Those that it names by itself run anyway."""
    handle = getattr(getattr(item, "obj", None), "hypothesis", None)
    if how_many in OF_A_PROPERTY and handle is not None:
        if not hasattr(handle.inner_test, "begin"):
            seconds, fewest = OF_A_PROPERTY[how_many]
            named = len(getattr(item.obj, "hypothesis_explicit_examples", ()))  # type: ignore[attr-defined]
            handle.inner_test = limited(handle.inner_test, seconds, fewest + named, FEWEST_LATER + named)
        handle.inner_test.begin()


def limited(test: Callable[..., Any], seconds: float, fewest: int, later: int | None = None) -> Any:
    """The same test, which takes further examples for granted once it has had its time and the fewest of them: until
    one has failed, that is, since what failed is run again. `begin` gives it its time anew; cases that begin when those
    before have used `OF_ALL_CASES` have `later` examples."""
    examples, used, failed, before = 0, 0.0, False, 0.0

    @functools.wraps(test)
    def run(*arguments: Any, **named: Any) -> Any:
        nonlocal examples, used, failed
        enough = examples >= fewest and used >= seconds
        if later is not None and before >= OF_ALL_CASES:
            enough = examples >= min(fewest, later)
        if enough and not failed and not draws(*arguments, *named.values()):
            return None
        start = _cpu()
        try:
            answer = test(*arguments, **named)
            examples += 1
            return answer
        except UnsatisfiedAssumption:  # not an example
            raise
        except Exception:
            failed = True
            raise
        finally:
            used += _cpu() - start

    def begin() -> None:
        nonlocal examples, used, failed, before
        examples, used, failed, before = 0, 0.0, False, before + used

    run.begin = begin  # type: ignore[attr-defined]
    return run


def draws(*arguments: object) -> bool:
    """Whether a test draws by itself (`st.data()`): one that ends before it has drawn would be called flaky."""
    return any(type(argument).__name__ == "DataObject" for argument in arguments)


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
