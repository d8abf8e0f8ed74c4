"""Whatever stops the command, it cleans up, says nothing, and its exit code tells what it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

STOPS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
# A command whose work is the code that comes with it. It writes a line where signals are to be sent.
COMMAND = """
import sys, time
from discreet.cli import main, start

def ready():
    print("ready", flush=True)
    time.sleep(600)

code = sys.argv[1]

@main.app.command()
def work() -> None:
    exec(code, globals())

sys.argv = ["discreet", "work"]
start.run()
"""


def stopped(code: str, *signals: signal.Signals, command: str = COMMAND, folder: Path) -> tuple[int, str]:
    """The exit code of a command and what it said, after signals were sent to it at the line "ready"."""
    process = subprocess.Popen(
        [sys.executable, "-c", command, code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(folder)},
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", process.communicate()
        for number in signals:
            process.send_signal(number)
        out, err = process.communicate(timeout=100)
    finally:
        process.kill()
        process.wait()
    return process.returncode, out + err


@pytest.mark.parametrize("number", STOPS)
def test_a_stopped_command_says_nothing_and_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    code = """
from discreet.files.temporary import TemporaryFolder
folder = TemporaryFolder()
(folder.path / "records").write_text("Ann")
ready()
"""
    assert stopped(code, number, folder=tmp_path) == (STOPS[number], "")
    assert not list(tmp_path.iterdir())


ENDLESS = "SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE a.range * b.range % 7 = 3"
WORK = {
    "a query": "engine._connection.execute(query)",
    "a query whose errors are told": "with engine._plainly(): engine._connection.execute(query)",
    "an answer": "list(engine._ask('SELECT hash(range) AS h FROM range(100000000000) ORDER BY h'))",
}


@pytest.mark.parametrize("kind", WORK)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_engine_ends_its_query(tmp_path: Path, number: signal.Signals, kind: str) -> None:
    """DuckDB would work on to the end of the query, and then speak of a runtime error."""
    table = tmp_path / "t.csv"
    table.write_text("a\n1\n")
    code = f"""
from pathlib import Path
from discreet.engines.duckdb.engine import DuckDB
engine = DuckDB(Path({str(table)!r}))
import threading
threading.Timer(0.5, lambda: print("ready", flush=True)).start()
query = {ENDLESS!r}
{WORK[kind]}
"""
    assert stopped(code, number, folder=tmp_path) == (STOPS[number], "")
    assert [f.name for f in tmp_path.iterdir()] == ["t.csv"]


FATES = {
    "another error": "try:\n ready()\nexcept BaseException: raise ValueError('Ann') from None",
    "a mistake of the user": (
        "from discreet.errors import DiscreetError\n"
        "try:\n ready()\nexcept BaseException: raise DiscreetError('the table is bad') from None"
    ),
    "a good end": "try:\n ready()\nexcept BaseException: pass",
    "a verdict": "try:\n ready()\nexcept BaseException: sys.exit(1)",
}


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize("number", STOPS)
def test_the_exit_code_tells_the_signal_whatever_became_of_it(
    tmp_path: Path, number: signal.Signals, fate: str
) -> None:
    assert stopped(FATES[fate], number, folder=tmp_path) == (STOPS[number], "")


def test_a_stop_that_python_swallows_comes_again(tmp_path: Path) -> None:
    """What is raised while an object is tidied up is dropped, with a traceback."""
    code = """
class Tidied:
    def __del__(self):
        ready()
Tidied()
time.sleep(600)
"""
    assert stopped(code, signal.SIGTERM, folder=tmp_path) == (143, "")


def test_a_second_ctrl_c_does_not_keep_it_from_cleaning_up(tmp_path: Path) -> None:
    code = """
import os, signal
from pathlib import Path
try:
    ready()
finally:
    for _ in range(20):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
    Path(os.environ["TMPDIR"], "cleaned").touch()
"""
    assert stopped(code, signal.SIGINT, folder=tmp_path) == (130, "")
    assert (tmp_path / "cleaned").exists()


def test_ctrl_c_at_the_very_end_changes_nothing(tmp_path: Path) -> None:
    code = """
import atexit
atexit.register(lambda: (print("ready", flush=True), time.sleep(1)))
sys.exit(1)
"""
    assert stopped(code, signal.SIGINT, signal.SIGTERM, folder=tmp_path) == (1, "")


def test_ctrl_c_while_it_is_loaded_is_no_fault(tmp_path: Path) -> None:
    """The first thing that is loaded is what handles signals."""
    command = """
import builtins, os, signal, sys
load = builtins.__import__

def slow(name, *more):
    if name == "typer":
        builtins.__import__ = load
        print("ready", flush=True)
        import time
        time.sleep(600)
    return load(name, *more)

builtins.__import__ = slow
sys.argv = ["discreet", "--help"]
from discreet.cli.start import run
run()
"""
    for number in STOPS:
        assert stopped("", number, command=command, folder=tmp_path) == (STOPS[number], "")


def test_what_the_caller_wants_unheard_stays_unheard(tmp_path: Path) -> None:
    """nohup: whoever logs out does not end it."""
    command = f"""
import signal, subprocess, sys
signal.signal(signal.SIGHUP, signal.SIG_IGN)
sys.exit(subprocess.run([sys.executable, "-c", {COMMAND!r}, sys.argv[1]], check=False).returncode)
"""
    code = "import os, signal\nos.kill(os.getpid(), signal.SIGHUP)\nprint('ready', flush=True)\nsys.exit(7)"
    assert stopped(code, command=command, folder=tmp_path) == (7, "")
