"""Tests stand alone: what two of them share is in a module that is no test."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent
# On one line or, in brackets, on several; also in a program that a test has as text.
_OF_A_TEST = re.compile(r"^[ \t]*(?:from|import)[ \t]+tests\b[^()\n]*(?:\([^)]*)?\btest_\w+", re.MULTILINE)


def test_no_test_module_imports_another() -> None:
    assert _OF_A_TEST.search("from tests.audit import (\n    lists,\n    test_faults,\n)")
    imports = {path: _OF_A_TEST.findall(path.read_text(encoding="utf-8")) for path in TESTS.rglob("*.py")}
    assert not {str(path.relative_to(TESTS)): lines for path, lines in imports.items() if lines}
