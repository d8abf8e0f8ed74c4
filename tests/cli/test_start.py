"""How the command begins and ends: without looking through modules for garbage, or taking them to pieces."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FIRST = """
import atexit, gc, sys
from discreet.cli import main, start

def command(stopped):
{body}

main.run = command
start.run()
"""


def _run(body: str, **options: Any) -> subprocess.CompletedProcess[str]:
    code = FIRST.format(body="\n".join("    " + line for line in body.strip().splitlines()))
    options = {"capture_output": True, "text": True, "check": False} | options
    return subprocess.run([sys.executable, "-c", code], **options)


@pytest.mark.parametrize(("end", "code"), [("sys.exit(3)", 3), ("sys.exit()", 0), ("pass", 0), ("sys.exit(0)", 0)])
def test_what_is_left_to_the_end_is_done_and_the_exit_code_stays(end: str, code: int) -> None:
    done = _run(f"atexit.register(print, 'tidied')\nprint('answer', end=' ')\nprint('told', file=sys.stderr)\n{end}")
    assert (done.returncode, done.stdout, done.stderr) == (code, "answer tidied\n", "told\n")


def test_modules_are_not_taken_to_pieces() -> None:
    made = "class Kept:\n    def __del__(self):\n        print('taken to pieces')\nmain.kept = Kept()"
    assert _run(made).stdout == ""


def test_threads_are_waited_for() -> None:
    late = "import threading, time\nthreading.Timer(0.2, lambda: print('late')).start()"
    assert _run(late).stdout == "late\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only where a full disk can be asked for")
def test_an_answer_that_could_not_be_written_is_no_success() -> None:
    buffered = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    with Path("/dev/full").open("w") as full:
        done = _run("print('answer')", capture_output=False, stdout=full, stderr=subprocess.PIPE, env=buffered)
    assert done.returncode == 120 and "No space left" in done.stderr


def test_an_error_of_ours_is_told_by_python() -> None:
    done = _run("raise ValueError('ours')")
    assert done.returncode == 1 and "ValueError: ours" in done.stderr


def test_garbage_is_looked_for_once_there_is_more_than_modules() -> None:
    body = """
usual = 700
print(gc.isenabled(), gc.get_threshold()[0] > usual, gc.get_freeze_count() > 1000)
things = [[] for _ in range(250_000)]
print(gc.isenabled(), gc.get_threshold()[0] > usual, gc.get_freeze_count() > 100_000, gc.callbacks)
"""
    assert _run(body).stdout == "True True False\nTrue False True []\n"
