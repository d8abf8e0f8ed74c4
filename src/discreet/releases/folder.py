"""A release appears whole or not at all: it is made in a folder beside its target and renamed into place."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path

from discreet.errors import DiscreetError, Mistake

_PARTIAL = ".partial-"
_OLD = "-old"


def check_target(target: Path, *, replace: bool = False) -> None:
    """May a release be put there? Asked before the work begins, and once more at its end."""
    if not target.exists():
        return
    if not replace:
        raise DiscreetError(
            Mistake(str(target), "already exists", "choose another folder, or say --force (in Python, replace=True)")
        )
    if not (target / "manifest.json").exists():
        raise DiscreetError(Mistake(str(target), "is not a release, so it is not replaced", "remove it by hand"))


@contextmanager
def whole_folder(target: Path, *, replace: bool = False) -> Iterator[Path]:
    """A folder to write in, which becomes `target` when the block ends without an error.

    What a killed run left behind is swept away at the next one. With `replace`, an older release at `target` stays
    there until the new one is whole; it is moved aside then, and a run killed between the two renames leaves it to the
    next one to put back.
    """
    given, target = target, target.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target)
        check_target(target, replace=replace)
        partial = target.parent / f".{target.name}{_PARTIAL}{secrets.token_hex(8)}"
        partial.mkdir()
    except OSError as error:
        raise _unwritable(given, error) from None
    try:
        yield partial
        for file in partial.rglob("*"):
            _flush(file)
        _flush(partial)
        check_target(target, replace=replace)
        if target.exists():
            aside = partial.with_name(partial.name + _OLD)
            target.rename(aside)
            try:
                partial.rename(target)
            except OSError:
                aside.rename(target)
                raise
            shutil.rmtree(aside)
        else:
            partial.rename(target)
        _flush(target.parent)
    except OSError as error:
        raise _unwritable(given, error) from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _sweep(target: Path) -> None:
    """Put back an old release that was moved aside for one that never came; remove all other leftovers."""
    leftovers = sorted(target.parent.glob(f".{escape(target.name)}{_PARTIAL}*"))
    for old in (found for found in leftovers if found.name.endswith(_OLD)):
        if not target.exists():
            old.rename(target)
    for leftover in leftovers:
        shutil.rmtree(leftover, ignore_errors=True)


def _unwritable(target: Path, error: OSError) -> DiscreetError:
    why = (error.strerror or type(error).__name__).lower()
    return DiscreetError(Mistake(str(target), f"can't be written: {why}", "choose another folder"))


def _flush(path: Path) -> None:
    """To disk, before the rename says it is there."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
