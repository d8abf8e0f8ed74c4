"""A release appears whole or not at all: it is made in a folder beside its target and renamed into place."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from discreet.errors import DiscreetError, Mistake

_PARTIAL = ".partial-"


@contextmanager
def whole_folder(target: Path, *, replace: bool = False) -> Iterator[Path]:
    """A folder to write in, which becomes `target` when the block ends without an error.

    Folders that a killed run left behind are swept away at the next one. With `replace`, an older release at `target`
    is moved aside first, and removed once the new one is in place.
    """
    target = target.resolve()
    if target.exists() and not replace:
        raise DiscreetError(Mistake(target.name, "already exists", "choose another folder, or say --force"))
    if target.exists() and not (target / "manifest.json").exists():
        raise DiscreetError(Mistake(target.name, "is not a release, so it is not replaced", "remove it by hand"))
    target.parent.mkdir(parents=True, exist_ok=True)
    for leftover in target.parent.glob(f".{target.name}{_PARTIAL}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    partial = target.parent / f".{target.name}{_PARTIAL}{secrets.token_hex(8)}"
    partial.mkdir()
    try:
        yield partial
        for file in partial.iterdir():
            _flush(file)
        _flush(partial)
        if target.exists():
            aside = partial.with_name(partial.name + "-old")
            target.rename(aside)
            partial.rename(target)
            shutil.rmtree(aside)
        else:
            partial.rename(target)
        _flush(target.parent)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def sha256(path: Path) -> str:
    """Fingerprint of a file."""
    with path.open("rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def _flush(path: Path) -> None:
    """To disk, before the rename says it is there."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
