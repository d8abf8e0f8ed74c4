"""Tests stand alone: what two of them share is in a module that is no test. And each gets the examples it should."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from _pytest.doctest import DoctestItem
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import LEFT_OUT, how_many, scale_examples
from tests.scratch import OfExamples

TESTS = Path(__file__).parent
# On one line or, in brackets, on several; also in a program that a test has as text.
_OF_A_TEST = re.compile(r"^[ \t]*(?:from|import)[ \t]+tests\b[^()\n]*(?:\([^)]*)?\btest_\w+", re.MULTILINE)


def test_no_test_module_imports_another() -> None:
    assert _OF_A_TEST.search("from tests.audit import (\n    lists,\n    test_faults,\n)")
    imports = {path: _OF_A_TEST.findall(path.read_text(encoding="utf-8")) for path in TESTS.rglob("*.py")}
    assert not {str(path.relative_to(TESTS)): lines for path, lines in imports.items() if lines}


@pytest.mark.parametrize("own", [1, 2, 70, 700])
def test_property_tests_get_as_many_examples_as_the_environment_says(own: int, request: pytest.FixtureRequest) -> None:
    numbers = []

    @settings(max_examples=own)
    @given(st.integers())
    def a_property(number: int) -> None:
        numbers.append(number)

    for _ in range(2):  # parameters share their function, and it is scaled once
        scale_examples(pytest.Function.from_parent(request.node.parent, name="a_property", callobj=a_property))
    a_property()
    assert len(numbers) == how_many(own)


def test_what_make_check_leaves_out_is_there() -> None:
    for path in (path for paths in LEFT_OUT.values() for path in paths):
        file, _, function = path.partition("::")
        found = list(TESTS.parent.glob(f"{file}*"))
        assert found, path
        assert not function or f"def {function}" in found[0].read_text(encoding="utf-8"), path


def test_make_check_leaves_something_of_every_file_but_of_those_that_it_leaves_out_as_a_whole() -> None:
    functions = Counter(path.partition("::")[0] for paths in LEFT_OUT.values() for path in paths if "::" in path)
    for file, left_out in functions.items():
        there = re.findall(r"^def test_\w+", (TESTS.parent / file).read_text(encoding="utf-8"), re.MULTILINE)
        assert left_out < len(there), file


def test_folders_that_examples_make_and_leave_are_removed() -> None:
    examples = OfExamples().pytest_runtest_call(DoctestItem.__new__(DoctestItem))
    next(examples)
    left = Path(tempfile.mkdtemp(prefix="of-this-test-"))
    (left / "policy.yaml").touch()
    with pytest.raises(StopIteration):
        next(examples)
    assert not left.exists()
