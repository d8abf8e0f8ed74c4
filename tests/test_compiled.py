"""Kernels are made when they are called, and those without a wrapper for Python refuse Python."""

from __future__ import annotations

import ast
import gc
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from discreet.compiled import Kernel
from discreet.counts.owner_kernels import fold_rows
from discreet.search.local.state import word

ROOT = Path(__file__).parent.parent
LATE = """
import sys
import numpy as np
import discreet.run.anonymize, discreet.search.local.moves, discreet.audit.audit
from discreet.compiled import once_numba_is_there
assert "numba" not in sys.modules
told = []
once_numba_is_there(lambda: told.append("called off"))()
once_numba_is_there(lambda: told.append("called"))
from discreet.counts.kernels import suppression
assert not told and "numba" not in sys.modules
suppression.dispatcher
assert told == ["called"] and "numba" in sys.modules
once_numba_is_there(lambda: told.append("at once"))
assert told == ["called", "at once"]
"""


def test_numba_is_loaded_by_the_first_kernel_that_is_called() -> None:
    subprocess.run([sys.executable, "-c", LATE], check=True)


def test_what_only_kernels_call_refuses_python_also_when_it_is_compiled(tmp_path: Path) -> None:
    assert isinstance(fold_rows, Kernel) and fold_rows.__doc__
    with pytest.raises(TypeError, match="word is called by kernels alone"):
        word(1, 2, 3, 4, 5, 6)
    (tmp_path / "kernels_of_this_test.py").write_text(
        "from discreet.compiled import inner, kernel\n"
        "@inner(error_model='numpy')\ndef half(x):\n    return x / 0 if x == 7 else x / 2\n"
        "@kernel\ndef quarter(x):\n    return half(half(x))\n"
    )
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from kernels_of_this_test import half, quarter
assert quarter(8.0) == 2.0 and quarter(7.0) == float("inf")
assert (half.dispatcher.overloads or quarter.dispatcher.stats.cache_hits)
try:
    half(8.0)
except TypeError as error:
    assert "half is called by kernels alone" in str(error)
else:
    raise AssertionError
"""
    for _ in range(2):  # compiled, and as it was kept
        subprocess.run([sys.executable, "-c", code], check=True)


def test_nothing_is_searched_for_garbage_while_a_kernel_runs() -> None:
    searched = []

    def raises(fails: bool) -> None:
        searched.append(gc.isenabled())
        if fails:
            raise ValueError("of this test")

    a_kernel = Kernel(raises, called_by_python=True)
    vars(a_kernel)["dispatcher"] = raises
    assert gc.isenabled()
    a_kernel(False)
    with pytest.raises(ValueError, match="of this test"):
        a_kernel(True)
    assert gc.isenabled()
    gc.disable()
    try:
        a_kernel(False)
        assert not gc.isenabled()  # whoever had it off finds it off
    finally:
        gc.enable()
    assert searched == [False] * 3


def _decorators(function: ast.FunctionDef) -> set[str]:
    """`kernel` and `inner`, with options or without."""
    return {d.func.id if isinstance(d, ast.Call) else d.id for d in function.decorator_list if _is_plain(d)}


def _is_plain(decorator: ast.expr) -> bool:
    return isinstance(decorator.func if isinstance(decorator, ast.Call) else decorator, ast.Name)


def _functions(tree: ast.Module, *words: str) -> list[ast.FunctionDef]:
    return [node for node in tree.body if isinstance(node, ast.FunctionDef) and _decorators(node) & {*words}]


def _named_by_python(tree: ast.AST) -> Iterator[str]:
    """What is named outside of kernels, as `name` or as `module.name`."""
    if isinstance(tree, ast.Name):
        yield tree.id
    elif isinstance(tree, ast.Attribute) and isinstance(tree.value, ast.Name):
        yield f"{tree.value.id}.{tree.attr}"
    elif not (isinstance(tree, ast.FunctionDef) and _decorators(tree) & {"kernel", "inner"}):
        for part in ast.iter_child_nodes(tree):
            yield from _named_by_python(part)


def _with_kernels() -> dict[Path, ast.Module]:
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")}
    return {
        path: ast.parse(text) for path, text in texts.items() if re.search(r"^@(kernel|inner)\b", text, re.MULTILINE)
    }


def _uses_by_python(with_kernels: dict[Path, ast.Module]) -> set[str]:
    """All that Python code names, with its module: its own, what it imported, what imported modules have. Of files
    alone that have the word of a kernel and that of its module: whoever uses one has both."""
    pairs = {(path.stem, f.name) for path, tree in with_kernels.items() for f in _functions(tree, "kernel", "inner")}
    uses = set()
    for path in (p for folder in ("src", "tests", "benchmarks", "campaign") for p in (ROOT / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        words = {path.stem, *re.findall(r"\w+", text)}
        if not any(stem in words and name in words for stem, name in pairs):
            continue
        tree = ast.parse(text)
        origins = {f.name: {f"{_module(path)}.{f.name}"} for f in _functions(tree, "kernel", "inner")}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):  # two functions may import different modules by one name
                for a in node.names:
                    origins.setdefault(a.asname or a.name, set()).add(f"{node.module}.{a.name}")
        for first, *rest in (name.split(".") for name in set(_named_by_python(tree))):
            uses |= {".".join([origin, *rest]) for origin in origins.get(first, [first])}
    return uses


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT / "src").with_suffix("").parts) if path.is_relative_to(ROOT / "src") else ""


def test_a_kernel_has_a_wrapper_for_python_where_python_calls_it_and_nowhere_else() -> None:
    with_kernels = _with_kernels()
    uses = _uses_by_python(with_kernels)
    lacking, needless = [], []
    for path, tree in with_kernels.items():
        lacking += [f.name for f in _functions(tree, "inner") if f"{_module(path)}.{f.name}" in uses]
        needless += [f.name for f in _functions(tree, "kernel") if f"{_module(path)}.{f.name}" not in uses]
    assert (lacking, needless) == (["word"], [])  # `word` is called above, to be refused


STOPPED = """
import subprocess, sys
from typing import NamedTuple
import numpy as np
from discreet.compiled import kernel
class Pair(NamedTuple):
    first: float
    second: np.ndarray
@kernel
def slow(rounds):
    total = 0.0
    for i in range(rounds):
        total += np.sin(float(i))
    return Pair(total, np.zeros(3))
slow(1)
if sys.argv[1:]:
    import signal
    from discreet.cli.start import _Stop
    signal.signal(signal.SIGTERM, _Stop().handle)
for number in ["TERM" if sys.argv[1:] else "INT"]:
    subprocess.Popen(["sh", "-c", f"sleep 0.3; kill -{number} $PPID"])
    try:
        for _ in range(1000):
            slow(100_000_000)
    except KeyboardInterrupt:
        print("stopped")
assert isinstance(slow(3), Pair)
"""


@pytest.mark.parametrize("words", [[], ["by a handler of ours"]])
def test_a_signal_that_comes_while_a_kernel_runs_is_raised_when_it_has_returned(
    tmp_path: Path, words: list[str]
) -> None:
    """Numba makes the named tuple of the answer by calling Python, and ends the process if that raises."""
    (tmp_path / "slow.py").write_text(STOPPED)
    run = subprocess.run([sys.executable, tmp_path / "slow.py", *words], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "stopped\n"), run.stderr
