"""The folder of a release, which may be a stranger's: a name in it is that of a regular file there, or of nothing.

No link, pipe, device or path is followed because somebody wrote it into a manifest.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from discreet.audit.lines import Fault
from discreet.engines.duckdb.publishing import sha256
from discreet.errors import DataError, Mistake, shown
from discreet.files.small_files import read_small, small_json

AGAIN = "get the whole release again"
MANIFEST, MAPPING, REPORT, SIGNATURE = "manifest.json", "mapping.json", "report.html", "manifest.sig"
_TABLE = re.compile(r"[\w][\w .-]{0,200}\.(?:csv|parquet)")
_LARGEST = 64 << 20  # bytes of a file that is no table
_DEEPEST = 100  # lists and mappings in each other, in a JSON
_NESTED = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


def read_json(folder: Path, name: str) -> Any:
    """What a JSON file of the folder says. Numbers that are none (NaN, infinity) are no JSON."""
    path = folder / name
    if not _is_regular(path):
        raise DataError(Mistake(name, "is not a file of the folder", AGAIN))
    text = read_small(path, name, _LARGEST)
    depth = 0
    for sign in _NESTED.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(sign[0], 0)
        if depth > _DEEPEST:
            raise DataError(Mistake(name, f"has more than {_DEEPEST} lists in each other", AGAIN))
    content = small_json(text, name)
    if not _finite(content):
        raise DataError(Mistake(name, "has numbers that JSON does not have", AGAIN))
    return content


def check_table(folder: Path, name: str) -> None:
    """Raise a mistake unless a table is a file of this folder; Spark writes it as a folder of Parquet files."""
    path = folder / name
    if not _TABLE.fullmatch(name):
        raise DataError(Mistake(MANIFEST, f"names a table {shown(name)}, which is no CSV or Parquet file here", AGAIN))
    if path.is_dir() and not path.is_symlink() and name.endswith(".parquet"):
        if all(_is_regular(part) for part in path.iterdir()):
            return
    elif _is_regular(path):
        return
    rule = "is a link, a pipe or a device" if path.is_symlink() or path.exists() else "is not there"
    raise DataError(Mistake(name, rule, AGAIN))


def text_of(folder: Path, name: str) -> str | None:
    """The text of a file that is no table, if it is one of at most 64 MB."""
    if not _is_regular(folder / name):
        return None
    try:
        return read_small(folder / name, name, _LARGEST)
    except DataError:
        return None


def file_faults(folder: Path, files: Mapping[str, Any], elsewhere: Mapping[str, Any]) -> Iterator[Fault]:
    """Is everything as it is listed, and nothing besides? Tables `elsewhere` (in a database) are no files here."""
    for name, about in files.items():
        if name not in elsewhere:
            yield from _changed(folder, name, about if isinstance(about, dict) else {})
    for path in sorted(folder.iterdir()):
        if path.name not in files and path.name not in (MANIFEST, SIGNATURE):
            hidden = " (a hidden file)" if path.name.startswith(".") else ""
            rule = f"is in the folder{hidden}, but the manifest does not list it"
            yield Fault("unlisted_file", _short(path.name), rule, "remove it: whatever lies there is published")
        elif path.is_symlink():
            yield Fault("unlisted_file", _short(path.name), "is a link to something else, and no file", AGAIN)


def _changed(folder: Path, name: str, about: Mapping[str, Any]) -> Iterator[Fault]:
    path, parts = folder / name, about.get("parts")
    plain = Path(name).name == name and "\0" not in name
    if plain and isinstance(parts, dict) and path.is_dir() and not path.is_symlink():
        there = {part.name: sha256(part) if _is_regular(part) else "" for part in path.iterdir()}
        if there != {part: said.get("sha256") if isinstance(said, dict) else None for part, said in parts.items()}:
            yield Fault("changed_file", _short(name), "does not have the files that the manifest lists", AGAIN)
    elif not plain or not _is_regular(path):
        yield Fault("missing_file", _short(name), "is listed in the manifest, but is not there", AGAIN)
    elif not _TABLE.fullmatch(name) and path.stat().st_size > _LARGEST:
        yield Fault("changed_file", _short(name), "is larger than any such file of a release", AGAIN)
    elif sha256(path) != about.get("sha256"):
        rule = "is not the file that the manifest lists: its sha256 differs"
        yield Fault("changed_file", _short(name), rule, AGAIN)


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def _short(name: str) -> str:
    return name if len(name) <= 100 else f"{name[:99]}…"


def _finite(content: Any) -> bool:
    """Is every number one? (Only lists and mappings are gone into; there are at most a hundred in each other.)"""
    match content:
        case float():
            return content - content == 0
        case dict():
            return all(map(_finite, content.values()))
        case list():
            return all(map(_finite, content))
    return True
