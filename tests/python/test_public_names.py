"""Everything public is found by completion, has types, a docstring and an example, and stands in the reference."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import pytest

import discreet
from tests.api_reference import TARGET, reference

FUNCTIONS = [name for name in discreet.__all__ if not inspect.isclass(getattr(discreet, name))]
CLASSES = [name for name in discreet.__all__ if inspect.isclass(getattr(discreet, name))]


def test_completion_finds_the_public_names_and_no_others() -> None:
    code = "import discreet; print([name for name in dir(discreet) if not name.startswith('__')])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert eval(run.stdout) == sorted(discreet.__all__)


@pytest.mark.parametrize("name", discreet.__all__)
def test_everything_public_says_what_it_is_and_shows_it(name: str) -> None:
    thing: Any = getattr(discreet, name)
    doc = inspect.getdoc(thing) or ""
    assert doc.splitlines()[0].rstrip().endswith((".", ":", ","))
    is_error = inspect.isclass(thing) and issubclass(thing, discreet.DiscreetError)
    assert ">>>" in doc or (is_error and thing is not discreet.DiscreetError)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_call_has_types(name: str) -> None:
    signature = inspect.signature(getattr(discreet, name))
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(p.annotation is not p.empty for p in signature.parameters.values())


@pytest.mark.parametrize("name", CLASSES)
def test_every_method_says_what_it_does(name: str) -> None:
    for member, value in vars(getattr(discreet, name)).items():
        if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
            assert inspect.getdoc(value), f"{name}.{member}"


@pytest.mark.parametrize("call", ["anonymize", "compare"])
def test_the_words_of_a_policy_are_keywords_that_editors_complete(call: str) -> None:
    parameters = inspect.signature(getattr(discreet, call)).parameters
    assert {"attributes", "require", "publish", "suppress", "seed", "one_row_per_person"} <= parameters.keys()


def test_the_reference_is_that_of_this_code() -> None:
    assert TARGET.read_text(encoding="utf-8") == reference(), "python -m tests.api_reference writes it anew"
