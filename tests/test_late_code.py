"""Kernels inside of kernels get no machine code of their own, and do what they did."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

KERNELS = """
import numpy as np
from discreet.compiled import inner, kernel

@inner
def half(x):
    if x < 0:
        raise ValueError("of this test")
    return np.full(2, x) / 2

@kernel
def one(x):
    return half(x)[0]

@kernel
def other(x):
    return half(x + 1)[1]
"""
PLAIN = """
from discreet import late_code
late_code._library_class = lambda: numba_has_no_such_thing.it
import builtins
class Missing:
    def __getattr__(self, name):
        raise AttributeError(name)
builtins.numba_has_no_such_thing = Missing()
"""
CALLS = """
from kernels_of_this_test import half, one, other
from discreet import late_code
assert {called}(6.0) == {answer}
try:
    {called}(-7.0)
except ValueError as error:
    assert "of this test" in str(error)
else:
    raise AssertionError
libraries = [o.library for k in (half, one, other) for o in k.dispatcher.overloads.values()]
print([getattr(library, "_asked_for", None) for library in libraries], bool(late_code.options()))
"""


def _run(folder: Path, called: str, answer: float, before: str = "") -> str:
    code = before + CALLS.format(called=called, answer=answer)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kernels_of_this_test.py").write_text(KERNELS)
    return tmp_path


def test_only_what_python_calls_is_made_into_machine_code(folder: Path) -> None:
    assert _run(folder, "one", 3.0) == "[False, True] True"
    assert _run(folder, "one", 3.0) == "[None] True"  # as it was kept, and nothing of what is inside
    assert _run(folder, "other", 3.5) == "[False, True] True"  # with `half` as it was kept


def test_a_numba_that_we_do_not_know_compiles_as_it_does(folder: Path) -> None:
    assert _run(folder, "one", 3.0, PLAIN) == "[None, None] False"
    assert _run(folder, "other", 3.5) == "[False, True] True"
    assert _run(folder, "one", 3.0, PLAIN) == "[None] False"


def test_a_version_that_this_was_not_tried_with_compiles_as_it_does(folder: Path) -> None:
    other_version = "import numba\nnumba.__version__ = '0.99.0'\n"
    assert _run(folder, "one", 3.0, other_version) == "[None, None] False"


def test_what_is_kept_by_us_can_be_put_into_kernels_by_numba_itself(folder: Path) -> None:
    assert _run(folder, "one", 3.0) == "[False, True] True"
    assert _run(folder, "other", 3.5, PLAIN) == "[None, None] False"


def test_numpy_is_compiled_once_for_kernels_with_and_without_a_wrapper() -> None:
    from numba.core.compiler import Flags

    from discreet import late_code

    assert late_code.options()
    one, other, third = Flags(), Flags(), Flags()
    one.no_cpython_wrapper, other.no_cfunc_wrapper, third.error_model = True, True, "numpy"
    assert one == other and hash(one) == hash(other)
    assert one != third and one != "flags"
    third.error_model = "python"  # the default
    assert one == third and hash(one) == hash(third)


def test_numba_is_as_it_was_when_a_kernel_has_been_compiled(folder: Path) -> None:
    """What others compile has wrappers, may be timed, and is told of in colours."""
    code = """
import sys
import numpy as np
from numba import cfunc, njit
from numba.core import errors
from numba.core.registry import cpu_target
from llvmlite.binding import ffi
told, colours = list(ffi.lib._lock._cblist), errors._termcolor_inst
from kernels_of_this_test import one
assert one(6.0) == 3.0
assert ffi.lib._lock._cblist == told and errors._termcolor_inst is colours
assert "create_cfunc_wrapper" not in vars(cpu_target.target_context)
assert cfunc("float64(float64)")(lambda x: np.full(2, x)[0] + 1).ctypes(6.0) == 7.0
theirs = njit(lambda x: np.full(2, x)[1] / 2)
assert theirs(6.0) == 3.0
compiled, = theirs.overloads.values()
assert compiled.metadata["timers"]["llvm_lock"] > 0
assert compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)
"""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": str(folder)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
