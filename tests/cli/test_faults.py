"""Too little memory is an answer, a fault of ours is told as one, and neither is taken for a broken promise."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from discreet.cli.faults import told
from discreet.errors import Infeasible, PolicyError

SECRET = "Ann-Smith"
POLICY = """
source: t.csv
attributes:
  age: {role: quasi_identifier}
  disease: {role: sensitive}
  note: {role: other}
require: [{k_anonymity: {k: 2}}]
"""
# The command, with something that happens on the way.
COMMAND = """
import os, sys
import duckdb, discreet.run.anonymize as pipeline
from discreet.cli import start
connect = duckdb.connect

def fail(*_, **__):
    {failure}

def small(memory_limit, **config):
    os.environ["DISCREET_MEMORY"] = memory_limit
    duckdb.connect = lambda: connect(config=config | {{"threads": 2}})

{change}
sys.argv = ["discreet", "anonymize", "policy.yaml", "-o", "r", *sys.argv[1:]]
start.run()
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("policy.yaml").write_text(POLICY)
    rows = "".join(f"{20 + i % 50},flu,{SECRET}{i * 7919:0200}\n" for i in range(60_000))
    Path("t.csv").write_text(f"age,disease,note\n{rows}")
    return tmp_path


def ended(place: Path, change: str, failure: str = "pass", *words: str) -> subprocess.CompletedProcess[str]:
    code = COMMAND.format(change=change, failure=failure)
    run = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)
    said = run.stdout + run.stderr
    assert SECRET not in said
    assert "Traceback" not in said
    assert sorted(p.name for p in place.iterdir()) == ["policy.yaml", "t.csv"]
    return run


@pytest.mark.parametrize("failure", ["import numpy as np; np.empty(1 << 50)", "raise MemoryError"])
def test_too_little_memory_is_an_answer(place: Path, failure: str) -> None:
    run = ended(place, "pipeline.find_plan = fail", failure)
    assert run.returncode == 2
    assert run.stderr.startswith("discreet: discreet: this machine ran out of memory; leave out quasi-identifiers")
    assert "search: instant" in run.stderr
    run = ended(place, "pipeline.find_plan = fail", failure, "--json")
    assert (run.returncode, run.stderr) == (2, "")
    assert "ran out of memory" in json.loads(run.stdout)["mistakes"][0]["rule"]


@pytest.mark.parametrize("limits", ["memory_limit='20MB'", "memory_limit='30MB', max_temp_directory_size='1KB'"])
def test_an_engine_with_too_little_memory_or_disk_says_so(place: Path, limits: str) -> None:
    run = ended(place, f"small({limits})")
    assert (run.returncode, run.stdout) == (2, "")
    assert "ran out of memory" in run.stderr or "no space left for temporary files" in run.stderr
    assert "TMPDIR" in run.stderr


def test_a_full_disk_is_an_answer(place: Path) -> None:
    run = ended(place, "pipeline.find_plan = fail", "raise OSError(28, 'No space left on device', 'r/data.csv')")
    assert run.returncode == 2
    assert "r/data.csv: no space left on the disk" in run.stderr


def test_a_fault_of_ours_is_not_a_broken_promise(place: Path) -> None:
    for failure in (f"raise KeyError('{SECRET}')", "fail()", f"raise RuntimeError('{SECRET}')"):
        run = ended(place, "pipeline.find_plan = fail", failure)
        assert run.returncode == 70
        assert "a fault of ours" in run.stderr
        assert "please report it" in run.stderr
        run = ended(place, "pipeline.find_plan = fail", failure, "--json")
        assert (run.returncode, run.stderr) == (70, "")
        assert json.loads(run.stdout)["error"] == "Fault"


def test_every_error_has_its_exit_code() -> None:
    assert told(Infeasible("no")).exit_code == 1
    assert told(PolicyError("no")).exit_code == 2
    assert told(OSError(errno.ENOMEM, "Cannot allocate memory")).exit_code == 2
    assert told(OSError(errno.EACCES, "Permission denied", "x")).exit_code == 2
    assert told(np.exceptions.AxisError("x")).exit_code == 70
