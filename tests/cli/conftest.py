"""A folder to work in, and commands run in this process."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from discreet.cli import main

POLICY = """
source: t.csv
attributes:
  age: {role: quasi_identifier}
  disease: {role: sensitive}
require:
  - k_anonymity: {k: 2}
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a table and a policy."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("age,disease\n30,flu\n30,cold\n41,flu\n41,cold\n")
    Path("policy.yaml").write_text(POLICY)
    return tmp_path


class Answer:
    """What a command wrote, and how it ended."""

    def __init__(self, code: int, out: str, err: str):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command through the entry point, in this process."""

    def run(*words: str) -> Answer:
        monkeypatch.setattr(sys, "argv", ["discreet", *words])
        with pytest.raises(SystemExit) as ended:
            main.run()
        code = ended.value.code or 0
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Answer(int(code), out, err)

    return run
