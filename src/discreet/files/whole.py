"""Files that somebody asked for: whole, or not there. A run that is stopped leaves what was there before."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from discreet.errors import DiscreetError, Mistake
from discreet.files.temporary import undisturbed


def check_places(*paths: Path | None) -> None:
    """Is there a folder for each file? Asked before long work, so that nobody waits for an error."""
    lacking = [path for path in paths if path is not None and not path.absolute().parent.is_dir()]
    taken = [path for path in paths if path is not None and path.is_dir()]
    mistakes = [Mistake(str(path), "its folder does not exist", "make the folder first") for path in lacking]
    mistakes += [Mistake(str(path), "is a folder", "give the path of a file") for path in taken]
    if mistakes:
        raise DiscreetError(*mistakes)


def whole_files(texts: Mapping[Path, str]) -> None:
    """Write all of these files, or none: each beside its place, and then all are put there."""
    written: list[tuple[Path, Path]] = []
    with undisturbed():
        try:
            for path, text in texts.items():
                place = Path(os.path.realpath(path))
                if place.exists() and not place.is_file():
                    _into(place, path, text)
                    continue
                beside = place.with_name(f".{place.name[:100]}.{secrets.token_hex(8)}")
                written.append((beside, place))
                mode = place.stat().st_mode & 0o777 if place.exists() else None
                handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    file.write(text)
                if mode is not None:
                    beside.chmod(mode)
            for beside, place in written:
                beside.replace(place)
        finally:
            for beside, _ in written:
                with suppress(OSError):
                    beside.unlink()


def _into(place: Path, named: Path, text: str) -> None:
    """Into a pipe or a device. A pipe that nobody reads from would keep us waiting for ever."""
    try:
        handle = os.open(place, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        rule = "is a pipe that nobody reads from, or a device"
        raise DiscreetError(Mistake(str(named), rule, "give the path of a file")) from None
    if hasattr(os, "set_blocking"):
        os.set_blocking(handle, True)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
