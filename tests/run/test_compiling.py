"""What is compiled: by one of two processes at a time, and no more of it than there was."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.run.warm_up import steps
from discreet.samples.hospital import write_sample

# Two kernels, one inside the other, and how often a process compiles one of them.
KERNELS = """
from numba import njit

@njit(cache=True)
def inner(values):
    return values.sum()

@njit(cache=True)
def outer(values):
    return inner(values) + 1
"""
BOTH = """
import sys
import time
from pathlib import Path
import numpy as np
from discreet.cli.first_run import listen
from discreet.run.compiling import one_at_a_time
from kernels_of_a_test import outer

told = []
listener = listen(told.append)
folder = Path(sys.argv[1])
with one_at_a_time(folder, "kernels_of_a_test"):
    (folder / f"ready-{sys.argv[2]}").touch()
    while len(list(folder.glob("ready-*"))) < 2:
        time.sleep(0.01)
    assert outer(np.arange(3)) == 4
assert (told[-1:] or [0]) == [0] and max(told, default=0) == listener.count
print(listener.count)
"""
# How many functions a first run compiles, for policies of the sample by kind of publication, those of numba inside of
# ours included. Fewer is better: then lower it.
MOST = {
    ("policy", "generalization"): 26,
    ("policy", "local_recoding"): 52,
    ("bucketization", "bucketization"): 122,
    ("ambiguity", "ambiguity"): 46,
    ("presence", "multidimensional"): 27,
}
FIRST = """
import sys
from dataclasses import replace
from pathlib import Path
from discreet.cli.first_run import listen
listener = listen(lambda count: None)
from discreet.policy.policy import read_policy
from discreet.run.anonymize import anonymize
policy, publish = read_policy(Path(sys.argv[1])), sys.argv[2]
anonymize(policy if policy.publish == publish else replace(policy, publish=publish, search=""), Path(sys.argv[3]))
print(listener.count)
"""


def _half_a_minute(asked: tuple[str, str]) -> list[pytest.MarkDecorator]:
    """Two take twenty seconds each. What they share with the others (counting, judging, the report) is seen there."""
    return [pytest.mark.deep] if MOST[asked] > 50 else []


def _run(code: str, *arguments: object, cache: Path, **environment: str) -> subprocess.Popen[str]:
    script = cache / "script.py"
    script.write_text(code)
    command = [sys.executable, str(script), *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | {"NUMBA_CACHE_DIR": str(cache)} | environment
    )


def test_two_processes_compile_a_kernel_once(tmp_path: Path) -> None:
    (tmp_path / "kernels_of_a_test.py").write_text(KERNELS)
    both = [_run(BOTH, tmp_path, number, cache=tmp_path) for number in range(2)]
    counts = sorted(int(process.communicate(timeout=500)[0]) for process in both)
    assert all(process.returncode == 0 for process in both)
    assert counts[0] == 0 and counts[1] >= 2
    assert not list(tmp_path.glob("*.lock"))


def test_every_step_has_its_own_folder(tmp_path: Path) -> None:
    """The cheapest of them all, without any other."""
    assert len(steps()) > 10
    next(step for step in steps() if getattr(step, "__name__", "") == "_wishes")(tmp_path)
    assert (tmp_path / "wishes" / "manifest.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "publish"), [pytest.param(*asked, marks=_half_a_minute(asked)) for asked in MOST])
def test_a_first_run_compiles_no_more_than_it_did(tmp_path: Path, policy: str, publish: str) -> None:
    write_sample(tmp_path)
    # How many there are is the same without LLVM's optimizations, and a quarter of the time is theirs.
    process = _run(FIRST, tmp_path / f"{policy}.yaml", publish, tmp_path / "release", cache=tmp_path, NUMBA_OPT="0")
    assert int(process.communicate(timeout=500)[0]) <= MOST[policy, publish]
