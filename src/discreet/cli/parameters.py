"""Texts, paths and numbers of a command line are taken as they are, without pydantic.

Typer 0.29 has pydantic decide what becomes of each parameter, also of those that nobody gave: to load it is a fifteenth
of a small run. What takes more than a look is still left to it, and so is all in versions that do otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import typer.core

_MADE = "build_runtime_param"  # who decides how a parameter is read
_DIGITS = 18  # of a whole number that is read here


def take_as_they_are() -> None:
    """From now on, a command's parameters are read by `_Plain`."""
    usual = getattr(typer.core, _MADE, None)
    if usual is not None and getattr(usual, "func", None) is not _Plain:
        setattr(typer.core, _MADE, partial(_Plain, usual))


@dataclass(frozen=True)
class _Plain:
    """How a parameter is read: by a look, or as typer usually does it."""

    usual: Callable[[Any], Any]
    descriptor: Any

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """What typer makes of what was given."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        taken = _at_a_look(value, self.descriptor) if isinstance(value, str) else None
        return self.usual(self.descriptor).coerce(value, param, ctx) if taken is None else taken


def _at_a_look(text: str, descriptor: Any) -> str | Path | int | None:
    """Where there is nothing that could be wrong with it."""
    wanted, told = descriptor.annotation, descriptor.parameter_info
    if told.parser is not None:
        return None
    if wanted is str:
        return text
    if wanted is Path and (os.access(text, os.R_OK) or not os.path.lexists(text)):
        return Path(text)
    if wanted is int and told.min is None and told.max is None and len(text) <= _DIGITS and text.isascii():
        return int(text) if text.isdigit() else None
    return None
