"""Kernels: functions that numba compiles when they are first called, and keeps beside the sources.

numba is imported by the first call, not with the module: a run that calls no kernel does not wait for it (half a second
with what it loads). Most kernels are called by kernels alone. For these, `inner` leaves out the wrappers by which
Python calls them, a sixth of all that there is to compile.

Some kernels have a *twin* in NumPy, with the same answers to the last bit. Little tables are done by twins alone: numba
takes half a second to load, and seconds to compile. Once twins have done as much as loading would have cost, the rest
of the process belongs to the kernels. So it does from the start where numba has been loaded for another kernel and
finds this one compiled.

Others are `plain`: where they have little to do, Python itself runs their source, with all that it calls. That is right
where the source means the same to both: whole numbers that don't overflow what they are kept in, no sum of an array of
floats (NumPy adds in another order), no sort that leaves equals in any order, no random numbers.

What numba wrote in C calls back into Python here and there (to load machine code, to make a named tuple of an answer),
and goes on as if nothing had happened where that raises: the process ends with a segmentation fault. A Ctrl-C that
comes while a kernel runs is raised in just such a call, so signals wait until the kernel has returned.

Python's search for garbage waits, too. A kernel makes none that would have to be searched for, but compiling one makes
millions of small things, nearly all of which are kept: to go through them again and again was a sixth of the time.
"""

from __future__ import annotations

import gc
import sys
import threading

# Not from signal, which makes enums of numbers: that takes longer than a small kernel.
from _signal import SIGINT, default_int_handler, getsignal  # type: ignore[import-not-found]
from _signal import signal as set_handler
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, update_wrapper
from types import FrameType
from typing import Any, ClassVar, NamedTuple

Function = Callable[..., Any]


@dataclass
class Patience:
    """How much work twins may still do in this process."""

    left: int
    over: ClassVar[bool] = False  # for all of them

    def may(self, work: int) -> bool:
        """Whether they may do this, too; if not, they may do no more."""
        self.left = self.left - work if work <= self.left and not self.over else 0
        return self.left > 0


TWINS = Patience(3_000_000)
PLAIN = 2_000_000  # of each plain kernel: to compile one takes longer, also where numba is loaded


def compile_everything() -> None:
    """From now on, whatever this process calls is compiled, however little it has to do."""
    Patience.over = True


class Twin(NamedTuple):
    """What does the same as a kernel in NumPy, how much work that is (1 for some 100 nanoseconds), and may be."""

    function: Function
    work: Callable[..., int]
    patience: Patience = TWINS


class _Plainly(threading.local):
    """Whether this thread runs the source of a kernel."""

    on = False


_PLAINLY = _Plainly()


class Kernel:
    """A function to be compiled. What numba knows of it is made at its first use."""

    def __init__(self, function: Function, called_by_python: bool, twin: Twin | None = None, **options: Any):
        update_wrapper(self, function)
        self._function, self._called_by_python, self._options = function, called_by_python, options
        self.twin = twin

    def plainly(self, *arguments: Any) -> Any:
        """What Python makes of the source, and of all kernels that it calls."""
        before, _PLAINLY.on = _PLAINLY.on, True
        try:
            return self._function(*arguments)
        finally:
            _PLAINLY.on = before

    def __call__(self, *arguments: Any) -> Any:
        if _PLAINLY.on:
            return self._function(*arguments)
        if not self._called_by_python:  # there is nothing to call: the process would end
            raise TypeError(
                f"{self._function.__name__} is called by kernels alone; @kernel makes it one for Python, too"
            )
        if self.twin is not None and not self._is_at_hand() and self.twin.patience.may(self.twin.work(*arguments)):
            return self.twin.function(*arguments)
        collects = gc.isenabled()
        gc.disable()
        hurried = getsignal(SIGINT) is default_int_handler and threading.current_thread() is threading.main_thread()
        if hurried:
            set_handler(SIGINT, _patient)
        try:
            return self.dispatcher(*arguments)
        finally:
            if collects:
                gc.enable()
            if hurried:
                set_handler(SIGINT, default_int_handler)
            while _ENDED and threading.current_thread() is threading.main_thread():
                _ENDED.pop()()

    def _is_at_hand(self) -> bool:
        """Whether numba has been loaded for another kernel anyway, and this one was compiled before."""
        return "numba" in sys.modules and self._was_compiled

    @cached_property
    def _was_compiled(self) -> bool:
        file = getattr(getattr(self.dispatcher, "_cache", None), "_cache_file", None)
        index = getattr(file, "_load_index", None)  # numba's own: without it, twins go first
        return index is not None and bool(index())

    @cached_property
    def dispatcher(self) -> Any:
        """What numba makes of the function."""
        from numba import njit

        from discreet import late_code

        while _WAITING:
            _WAITING.pop()()
        bare = not self._called_by_python
        options = late_code.options() | self._options
        made = njit(cache=True, no_cfunc_wrapper=True, no_cpython_wrapper=bare, **options)(self._function)
        return late_code.load_at_once(made)

    @property
    def _numba_type_(self) -> Any:
        """By this, numba knows what other kernels call."""
        return self.dispatcher._numba_type_


def kernel(function: Function | None = None, plain: Callable[..., int] | None = None, **options: Any) -> Any:
    """Compile a function that Python calls.

    Options are numba's (``error_model="numpy"`` divides by zero as NumPy does), a `twin`, or `plain`: how much work it
    is for Python itself, as a twin says.

    >>> @kernel
    ... def twice(number):
    ...     return 2 * number  # compiled for whole numbers at twice(4), for others at twice(4.5)
    """
    if function is None:
        return lambda later: kernel(later, plain, **options)
    made = Kernel(function, True, **options)
    if plain is not None:
        made.twin = Twin(made.plainly, plain, Patience(PLAIN))
    return made


def inner(function: Function | None = None, **options: Any) -> Any:
    """Compile a function that only kernels call; called by Python, it refuses."""
    if function is None:
        return lambda later: Kernel(later, False, **options)
    return Kernel(function, False, **options)


def waits_for_kernel(frame: FrameType | None, deliver: Callable[[], object]) -> bool:
    """For handlers of signals: must it wait until a kernel has returned? Then `deliver` is called at that moment.

    It need not where the frame shows that numba is compiling in its own Python: that takes long, and may raise.
    """
    compiling = False
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.startswith("llvmlite.binding"):  # called by LLVM, which knows nothing of exceptions
            _ENDED.append(deliver)
            return True
        compiling |= module == "numba.core.dispatcher" and frame.f_code.co_name == "compile"
        if frame.f_code is Kernel.__call__.__code__:
            if not compiling:
                _ENDED.append(deliver)
            return not compiling
        frame = frame.f_back
    return False


@contextmanager
def patiently() -> Iterator[None]:
    """For whoever calls thousands of small kernels: a Ctrl-C waits for each of them without being told so each time.

    Where none is running, it is raised at once, as always.
    """
    hurried = getsignal(SIGINT) is default_int_handler and threading.current_thread() is threading.main_thread()
    if hurried:
        set_handler(SIGINT, _patient)
    try:
        yield
    finally:
        if hurried:
            set_handler(SIGINT, default_int_handler)


_ENDED: list[Callable[[], object]] = []  # what is called when the kernel has returned


def _patient(number: int, frame: FrameType | None) -> None:
    """Python's own Ctrl-C, while a kernel runs."""
    if not waits_for_kernel(frame, lambda: default_int_handler(number, frame)):
        default_int_handler(number, frame)


_WAITING: list[Callable[[], None]] = []


def once_numba_is_there(act: Callable[[], None]) -> Callable[[], None]:
    """Do it when numba has just been imported for the first kernel, or now, if it has been. The answer calls it off."""
    if "numba" in sys.modules:
        act()
    else:
        _WAITING.append(act)

    def call_off() -> None:
        if act in _WAITING:
            _WAITING.remove(act)

    return call_off
