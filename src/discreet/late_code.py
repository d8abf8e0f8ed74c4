"""Less work for numba and LLVM, with the same machine code in the end: of kernels that only kernels call, none is made.

Numba compiles whatever a kernel calls as if Python might call it, too: it is optimized and made into machine code by
itself, and once more inside of each kernel that it is part of. Here that waits until somebody asks where the function
is, which happens for those alone that Python calls. What numba has for NumPy's functions is compiled once for all
kernels that want the same of it, not once more for each way in which the kernels themselves are wrapped, and without
wrappers of its own. Nobody is told of each call of LLVM, and no reasons are coloured that nobody will see.

This needs to know numba's insides. In versions that it was not tried with, or where they are not what we know, all is
compiled as numba does it by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

KNOWN = ("0.68.",)  # versions of numba that this was tried with
# What a function is wrapped in does not matter for what it calls.
_WRAPPERS = frozenset({"no_cpython_wrapper", "no_cfunc_wrapper"})
_ENVIRONMENT = "_ZN08NumbaEnv"
_NONE = object()


@cache
def options() -> dict[str, Any]:
    """What `njit` must be told for it; nothing where numba is not as we know it."""
    with suppress(ImportError, AttributeError, KeyError, TypeError):
        return {"pipeline_class": _compiler()} if _is_known() else {}
    return {}


def load_at_once(dispatcher: Any) -> Any:
    """The same function; what was kept of it is loaded without what only compiling needs: a tenth of a second.

    That is, all that numba knows of NumPy's functions. Machine code calls none of it but hashes, which no kernel uses.
    """
    if not _is_known():
        return dispatcher
    with suppress(ImportError, AttributeError):
        from numba.core.runtime import rtsys

        silent = _silent()
        kept, load = dispatcher._cache, dispatcher._cache._load_overload
        guarded, _ = kept._guard_against_spurious_io_errors, rtsys.initialize

        def load_overload(signature: Any, context: Any) -> Any:
            rtsys.initialize(context)
            with _instead(silent), guarded():
                return load(signature, context)

        kept.load_overload = load_overload
    return dispatcher


def _is_known() -> bool:
    import numba

    return str(numba.__version__).startswith(KNOWN)


Change = tuple[Any, str, Any]  # an object, the name of an attribute, and what it is instead


@contextmanager
def _instead(*changes: Change) -> Iterator[None]:
    """Attributes of numba's objects are others for now."""
    before = [(owner, name, vars(owner).get(name, _NONE)) for owner, name, _ in changes]
    for owner, name, value in changes:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in before:
            if value is _NONE:
                delattr(owner, name)
            else:
                setattr(owner, name, value)


def _silent() -> Change:
    """Nobody is told that LLVM was called: numba would sum up the time, after each of some hundred thousand calls."""
    from numba.core.codegen import ll  # llvmlite's, which numba brings with it

    lock = ll.ffi.lib._lock
    _ = lock._cblist
    return lock, "_cblist", []


def _compiler() -> type:
    """Numba's compiler, by which libraries of code are late ones as long as it is at work."""
    from numba.core import errors
    from numba.core.compiler import Compiler, Flags
    from numba.core.registry import cpu_target

    codegen = cpu_target.target_context.codegen()
    set_environment = codegen.set_env

    def set_env(name: str, environment: Any) -> None:
        if codegen._engine.is_symbol_defined(name):  # else when it is
            set_environment(name, environment)

    changes = (
        (codegen, "_library_class", _library_class()),
        (cpu_target.target_context, "create_cfunc_wrapper", lambda *_: None),  # asked of NumPy's functions alone
        (errors, "_termcolor_inst", _Plain()),
        _silent(),
    )

    class KernelCompiler(Compiler):  # type: ignore[misc]
        def _compile_core(self) -> Any:
            with _instead(*changes):
                return super()._compile_core()

    # All that is relied on must be there before anything is changed.
    _ = Compiler._compile_core, Flags.options, codegen._engine.is_symbol_defined, codegen._library_class
    _ = cpu_target.target_context.create_cfunc_wrapper, vars(errors)["_termcolor_inst"]
    codegen._module_pass_manager()[0].run  # noqa: B018 (numba that still makes them otherwise ends here)
    codegen.set_env = set_env
    Flags.__eq__, Flags.__hash__ = _alike, _hash
    return KernelCompiler


class _Plain:
    """Texts as they are. Numba tries one way to compile after the other, and colours why each would not do."""

    def __getattr__(self, name: str) -> Callable[[str], str]:
        return str


def _inherited(flags: Any) -> dict[str, Any]:
    """The options of a function that differ from the default and matter for what it calls."""
    of = flags.options
    return {k: v for k, v in flags._values.items() if k not in _WRAPPERS and v != of[k].default}


def _alike(flags: Any, other: object) -> bool:
    return flags is other or (isinstance(other, type(flags)) and _inherited(flags) == _inherited(other))


def _hash(flags: Any) -> int:
    return hash(frozenset(_inherited(flags)))


def _library_class() -> type:
    from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary
    from numba.core.environment import lookup_environment

    class LateLibrary(JITCodeLibrary):  # type: ignore[misc]
        """Code of a function, to be put into what calls it; made into machine code only if that is asked for."""

        _asked_for = False

        def _optimize_final_module(self) -> None:
            if self._asked_for:
                super()._optimize_final_module()
                # Once more, as each part would have been by itself before: loops that were cleaned up are vectorized.
                manager, builder = self._codegen._module_pass_manager()
                manager.run(self._final_module, builder)

        def _finalize_final_module(self) -> None:
            if self._asked_for or getattr(self, "_compiled_object", None):  # the latter: as it was kept
                super()._finalize_final_module()
            else:
                self._finalize_dynamic_globals()
                self._finalized = True

        def get_pointer_to_function(self, name: str) -> int:
            self._ensure_finalized()
            if not self._asked_for and self._defines(name):
                self._asked_for = True
                self._dynamic_globals.clear()
                self._optimize_final_module()
                self._final_module.verify()
                self._finalize_final_module()
                for variable in self._final_module.global_variables:
                    environment = lookup_environment(variable.name) if variable.name.startswith(_ENVIRONMENT) else None
                    if environment is not None:
                        self._codegen.set_env(variable.name, environment)
            address: int = super().get_pointer_to_function(name)
            return address

        def _defines(self, name: str) -> bool:
            return any(function.name == name for function in self.get_defined_functions())

        def serialize_using_object_code(self) -> Any:
            if self._asked_for:
                return super().serialize_using_object_code()
            return self.serialize_using_bitcode()

    for name in (
        "_optimize_final_module",
        "_finalize_final_module",
        "_finalize_dynamic_globals",
        "get_defined_functions",
    ):
        getattr(CPUCodeLibrary, name)
    return LateLibrary
