"""What may be deleted to make room for a new release: an older one of ours with nothing else in it, and that alone."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from discreet.engines.duckdb.publishing import sha256
from discreet.errors import shown
from discreet.releases.manifest import checksum

_KEYS = {
    "discreet": str,
    "publish": str,
    "files": dict,
    "columns": list,
    "roles": dict,
    "promises": list,
    "rows": dict,
    "policy": dict,
    "checksum": str,
}
_MANIFEST, _SIGNATURE, _FIGURES = "manifest.json", "manifest.sig", "figures.json"
_NAMES = re.compile(r"(data|quasi_identifiers|sensitive|auxiliary_\w*)\.(csv|parquet)|mapping\.json|report\.html")
_LONGEST = 1 << 26  # bytes of a manifest; longer ones are not read


def read_from(folder: Path, inputs: Iterable[Path]) -> str | None:
    """Why a folder must stay, whatever is in it: we read from it, or stand in it."""
    for path in inputs:
        if Path(os.path.realpath(path)).is_relative_to(folder):
            return f"holds {shown(path.name)}, which is read"
    try:
        return "holds the working folder" if Path.cwd().is_relative_to(folder) else None
    except FileNotFoundError:
        return None  # somebody removed where we stand


def not_a_release(folder: Path) -> str | None:
    """Why a folder is not a whole release of ours with nothing else in it; None if it is.

    Every file is the manifest or listed in it, has a name that files of releases have, and the SHA-256 that it had.
    """
    try:
        return _not_a_release(folder)
    except OSError as error:
        return _unreadable(error)


def not_private(folder: Path) -> str | None:
    """Why a folder is not what we write for the custodian, beside a release; None if it is."""
    try:
        figures = _read(folder / _FIGURES)
        if figures is None or "discreet" not in figures:
            return f"is not the private part of a release: it has no {_FIGURES} of ours"
        return _stranger(folder, {_FIGURES, "report.html", "standing.json", "ledger.json"})
    except OSError as error:
        return _unreadable(error)


def _not_a_release(folder: Path) -> str | None:
    manifest = _read(folder / _MANIFEST)
    if manifest is None:
        return f"is not a release: it has no {_MANIFEST} of ours"
    lacking = [key for key, kind in _KEYS.items() if not isinstance(manifest.get(key), kind)]
    if lacking or not _unchanged(manifest):
        return f"is not a release: its {_MANIFEST} is not as we wrote it"
    listed = dict(manifest["files"])
    if "database" in manifest:  # the tables are there, not here
        tables = manifest.get("tables")
        elsewhere = tables if isinstance(tables, dict) else [manifest.get("table")]
        listed = {name: about for name, about in listed.items() if name not in elsewhere}
    for name, about in listed.items():
        if not _NAMES.fullmatch(name):
            return f"is not a release: its {_MANIFEST} lists {shown(name)}"
        if not _as_listed(folder / name, about):
            return f"is not the release that it was: {shown(name)} is missing or changed"
    return _stranger(folder, {*listed, _MANIFEST, _SIGNATURE}, parts=listed)


def _stranger(folder: Path, known: set[str], parts: Iterable[str] = ()) -> str | None:
    """A file that has no place in the folder, hidden ones included; links and other folders have none."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        table = entry.name in parts and entry.is_dir(follow_symlinks=False)
        if entry.name not in known or not (table or entry.is_file(follow_symlinks=False)):
            return f"holds {shown(entry.name)}, which is not part of a release"
    return None


def _as_listed(path: Path, about: Any) -> bool:
    """Is a file, or a folder with the parts of a table, what the manifest says?"""
    parts = about.get("parts") if isinstance(about, dict) else None
    if not isinstance(parts, dict):
        return _is_file(path, about)
    if not _is(path, stat.S_ISDIR) or {entry.name for entry in os.scandir(path)} != parts.keys():
        return False
    return all(_is_file(path / name, part) for name, part in parts.items())


def _is_file(path: Path, about: Any) -> bool:
    return isinstance(about, dict) and _is(path, stat.S_ISREG) and bool(sha256(path) == about.get("sha256"))


def _read(path: Path) -> dict[str, Any] | None:
    """A JSON object in a file of decent size; None if it is anything else."""
    if not _is(path, stat.S_ISREG) or path.stat().st_size > _LONGEST:
        return None
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def _unchanged(manifest: dict[str, Any]) -> bool:
    try:
        return bool(checksum(manifest) == manifest["checksum"])
    except (ValueError, RecursionError):
        return False


def _is(path: Path, kind: Any) -> bool:
    """Of what kind is it? A link is of none: what it points to is elsewhere."""
    try:
        return bool(kind(path.lstat().st_mode))
    except (FileNotFoundError, NotADirectoryError):
        return False


def _unreadable(error: OSError) -> str:
    return f"can't be read: {(error.strerror or type(error).__name__).lower()}"
