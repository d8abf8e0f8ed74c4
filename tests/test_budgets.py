"""In `make check` no test function takes long; and what it lets go is neither the first case nor what has failed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests import budgets
from tests.budgets import OF_A_PROPERTY, OF_ALL_CASES, limited

FEWEST = OF_A_PROPERTY["few"][1]

ROOT = Path(__file__).parent.parent
SLOW = """
import time
import pytest
from hypothesis import example, given, settings, strategies as st

def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

@pytest.fixture(scope="module")
def costly():
    busy(0.3)

@pytest.mark.parametrize("case", range(10))
def test_cases(case):
    busy(0.045)

@pytest.mark.parametrize("case", range(10))
def test_what_is_set_up_first_does_not_count(costly, case):
    busy(0.001)

@settings(max_examples=100)
@given(number=st.integers(0, 10**9))
def test_property(number):
    busy(0.045)
    print("example")

@settings(max_examples=100)
@example(number=-1)
@example(number=-2)
@example(number=-3)
@example(number=-4)
@given(number=st.integers(0, 10**9))
def test_named_examples_run_anyway(number):
    busy(0.045)
    print("named" if number < 0 else "drawn")

@settings(max_examples=100)
@given(number=st.just(1))
def test_a_failure_stays_one(number):
    busy(0.045)
    assert False
"""


def test_a_function_runs_for_a_while_and_its_other_cases_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_slow.py").write_text(SLOW)
    command = "-m pytest -rA -n0 -p no:cacheprovider -p tests.conftest test_slow.py"
    ran = subprocess.run(
        [sys.executable, *command.split()],
        cwd=tmp_path,
        env={"PATH": "", "PYTHONPATH": str(ROOT), "DISCREET_EXAMPLES": "few"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    of_cases = [line for line in ran.stdout.splitlines() if line.startswith("PASSED") and "test_cases" in line]
    numbers = sorted(int(line.split("[")[1].rstrip("]")) for line in of_cases)
    assert numbers == [0, 2, 5], ran.stdout  # not the first ones: they lie far apart
    assert ran.stdout.count("PASSED test_slow.py::test_what_is_set_up") == 10
    assert ran.stdout.count("example\n") == FEWEST
    assert ran.stdout.count("named\n") == 4 and ran.stdout.count("drawn\n") == FEWEST
    assert "FAILED test_slow.py::test_a_failure_stays_one" in ran.stdout and "Flaky" not in ran.stdout


def test_examples_are_taken_for_granted_only_once_time_is_up_and_nothing_has_failed() -> None:
    seen: list[int] = []

    def test(number: int) -> None:
        seen.append(number)
        if number < 0:
            raise ValueError

    within, over = limited(test, 1000.0, FEWEST), limited(test, 0.0, FEWEST)
    for number in range(10):
        within(number)
    assert seen == [*range(10)]
    seen.clear()
    for number in range(10):
        over(number)
    assert seen == [*range(FEWEST)]
    over.begin()  # a case of its own
    over(7)
    assert seen == [*range(FEWEST), 7]
    over = limited(test, 0.0, FEWEST)
    for _ in range(9):  # as often as it is asked to run what has failed
        with pytest.raises(ValueError):
            over(-1)


def test_cases_that_come_late_have_a_few_examples_each_and_what_fails_stays_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0

    def test(number: int) -> None:
        nonlocal now
        now += 0.25
        assert number != 13

    monkeypatch.setattr(budgets, "_cpu", lambda: now)
    of_cases, seen = limited(test, 0.5, 6, 4), []
    for _ in range(4):
        of_cases.begin()
        before = now
        for number in range(10):
            of_cases(number)
        seen.append((now - before) / 0.25)
    assert OF_ALL_CASES == 2.0 and seen == [6, 6, 4, 4]  # 1.5 and 3 seconds of all cases, when the third begins
    for _ in range(5):
        with pytest.raises(AssertionError):
            of_cases.begin()
            of_cases(13)


def test_what_a_property_does_not_assume_is_no_failure_and_no_example() -> None:
    looked_at, seen = [], []

    @settings(max_examples=100)
    @given(number=st.integers(0, 1000))
    def a_property(number: int) -> None:
        looked_at.append(number)
        assume(number % 2)
        seen.append(number)

    a_property.hypothesis.inner_test = limited(a_property.hypothesis.inner_test, 0.0, 7)  # type: ignore[attr-defined]
    a_property()
    assert len(seen) == 7 < len(looked_at)


def test_a_property_that_draws_by_itself_is_let_run() -> None:
    drawn = []

    @settings(max_examples=30, database=None)
    @given(data=st.data())
    def a_property(data: st.DataObject) -> None:
        drawn.append([data.draw(st.integers(0, 5)) for _ in range(data.draw(st.integers(1, 4)))])

    a_property.hypothesis.inner_test = limited(a_property.hypothesis.inner_test, 0.0, 3)  # type: ignore[attr-defined]
    a_property()
    assert len(drawn) == 30
