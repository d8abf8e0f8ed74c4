"""What a release's folder holds: a manifest, the files that it lists, and nothing else.

The folder may be a stranger's. Nothing outside of it is opened because of a word in it: tables are files of the folder
itself, never a link, a pipe or a path; hierarchies and promises are written out.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from discreet.engines.base import DescribedTables, PublishedTables
from discreet.engines.duckdb.publishing import about_file
from discreet.errors import DataError, Mistake, ReleaseError, Unavailable, shown
from discreet.policy.kinds import PUBLICATIONS
from discreet.publications.published import AGAIN, Manifest
from discreet.releases.manifest_words import manifest_mistakes

MANIFEST, MAPPING, REPORT, SIGNATURE = "manifest.json", "mapping.json", "report.html", "manifest.sig"
_FORMS = (".csv", ".parquet")  # of tables that are files
_LARGEST_MANIFEST = 64 << 20  # bytes; taxonomies are written out in it
_LARGEST_MAPPING = 1 << 30
_PARTS = {"files": dict, "columns": list, "roles": dict, "promises": list, "rows": dict, "policy": dict, "publish": str}
_OUTSIDE = "a release names nothing outside of its folder"


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a release, in whose words no other file is named; its tables are files of this folder."""
    path = folder / MANIFEST
    try:
        manifest = _read_json(path, _LARGEST_MANIFEST)
    except (FileNotFoundError, NotADirectoryError):
        rule = "is not a release: it has no manifest.json" if folder.exists() else "no such folder"
        raise DataError(Mistake(str(folder), rule, "name the folder of a release")) from None
    except OSError as error:
        raise DataError(Mistake(str(path), f"can't be read: {(error.strerror or '').lower()}")) from None
    except (ValueError, RecursionError):
        raise ReleaseError(Mistake(str(path), "can't be read", AGAIN)) from None
    if not isinstance(manifest, dict):
        raise ReleaseError(Mistake(str(path), "is not the manifest of a release", AGAIN))
    if isinstance(publish := manifest.get("publish"), str) and publish not in PUBLICATIONS:
        rule = "is of no kind of publication that we know"
        raise ReleaseError(Mistake(str(path), rule, f"install the package that brings it, or {AGAIN}"))
    several = {"tables": dict} if _is_several(publish) else {"table": str}
    missing = [name for name, kind in (_PARTS | several).items() if not isinstance(manifest.get(name), kind)]
    if missing:
        raise ReleaseError(Mistake(str(path), f"lacks {', '.join(missing)}", AGAIN))
    if mistakes := [*manifest_mistakes(manifest), *_misplaced(folder, manifest)]:
        raise ReleaseError(*mistakes)
    return manifest


def read_mapping(folder: Path) -> dict[str, Any]:
    """The mapping that was published with a table."""
    try:
        mapping = _read_json(folder / MAPPING, _LARGEST_MAPPING)
    except (FileNotFoundError, IsADirectoryError):
        raise DataError(Mistake(MAPPING, "can't be read", AGAIN)) from None
    except OSError as error:
        raise Unavailable(Mistake(MAPPING, f"can't be read: {(error.strerror or '').lower()}")) from None
    except (ValueError, RecursionError):
        mapping = None
    if not isinstance(mapping, dict):
        raise DataError(Mistake(MAPPING, "is not the mapping of this release", AGAIN))
    return mapping


def tables_of(manifest: Manifest) -> list[str]:
    """The names of the published tables."""
    return list(manifest["tables"]) if _is_several(manifest["publish"]) else [manifest["table"]]


def _is_several(publish: object) -> bool:
    """Is a release of this kind several tables? One that nobody knows may be anything, and is not read."""
    return isinstance(publish, str) and publish in PUBLICATIONS and PUBLICATIONS[publish].several


def check_contents(folder: Path, manifest: Manifest, tables: PublishedTables | None = None) -> list[Mistake]:
    """Are the files those that were checked? And the tables, if they are in a database that can be asked?

    Whoever publishes the folder publishes everything in it, so hidden files, links and folders are refused as well.
    """
    mistakes = []
    listed, written = manifest["files"], tables_of(manifest)
    elsewhere = written if "database" in manifest else []
    if not set(written) <= listed.keys():
        mistakes.append(Mistake(MANIFEST, "does not list all published tables", AGAIN))
    if set(listed) - {*written, MAPPING, REPORT}:
        mistakes.append(Mistake(MANIFEST, "lists files that no release has", AGAIN))
    for name, about in listed.items():
        path = folder / name
        if name in elsewhere:
            if tables is not None and not _same(tables.about(name), about):
                mistakes.append(Mistake(name, "is not the table that was checked: its fingerprint differs", AGAIN))
        elif not _is_plain(name):
            mistakes.append(Mistake(MANIFEST, f"lists a file of another folder; {_OUTSIDE}", AGAIN))
        elif not os.path.lexists(path):
            mistakes.append(Mistake(name, "is missing from the release", AGAIN))
        elif not _is_own(path, parts=name in written):
            mistakes.append(Mistake(name, f"is not a file of its own; {_OUTSIDE}", "remove it"))
        elif not _same(about_file(path), about):
            mistakes.append(Mistake(name, "is not the file that was checked: its SHA-256 differs", "publish it again"))
    known = {*listed, MANIFEST, SIGNATURE} - {*elsewhere}
    strange = [f.name for f in folder.iterdir() if f.name not in known]
    for name in (MANIFEST, SIGNATURE):
        strange += [name] if os.path.lexists(folder / name) and not _is_own(folder / name) else []
    strange += tables.others(written) if isinstance(tables, DescribedTables) else []
    mistakes += [
        Mistake(_told(n), "is not part of the release, and nobody checked it", "remove it")
        for n in sorted(strange)[:10]
    ]
    return mistakes


def _misplaced(folder: Path, manifest: Manifest) -> list[Mistake]:
    """Tables that are not in this folder, or not files of it: nothing must open them."""
    names = tables_of(manifest)
    if not all(map(_is_plain, names)):
        return [Mistake(MANIFEST, f"names a table of another folder; {_OUTSIDE}", AGAIN)]
    if "database" in manifest:
        return []
    if any(Path(name).suffix not in _FORMS for name in names):
        return [Mistake(MANIFEST, "names a table that is neither CSV nor Parquet", AGAIN)]
    return [
        Mistake(name, f"is not a file of its own; {_OUTSIDE}", AGAIN)
        for name in names
        if os.path.lexists(folder / name) and not _is_own(folder / name, parts=True)
    ]


def _is_plain(name: object) -> bool:
    """Is it the name of a file, and not a path to somewhere?

    >>> [_is_plain(name) for name in ("data.csv", "../data.csv", "/etc/passwd", "..", "", "a\\\\b", "a\\n")]
    [True, False, False, False, False, False, False]
    """
    return (
        isinstance(name, str) and name.isprintable() and not re.search(r"[/\\]", name) and name not in ("", ".", "..")
    )


def _is_own(path: Path, *, parts: bool = False) -> bool:
    """Is it a file, and no link to another one; or, with `parts`, a folder of such files?"""
    mode = path.lstat().st_mode
    if parts and stat.S_ISDIR(mode) and path.suffix == ".parquet":
        return all(_is_own(part) for part in path.iterdir())
    return stat.S_ISREG(mode)


def _same(found: Mapping[str, Any], about: Mapping[str, Any]) -> bool:
    """Is a file or table what the manifest says? It may say more."""
    return all(about[word] == value for word, value in found.items() if word != "bytes")


def _told(name: str) -> str:
    """A file's name as messages show it: a stranger's may be long, or move the cursor."""
    return name if name.isprintable() and len(name) <= 60 else shown(name)


def _read_json(path: Path, largest: int) -> Any:
    """JSON of a file of its own; `ValueError` for whatever is no plain JSON.

    What readers may take differently is refused: names given twice, numbers that JSON has not, halves of characters.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # a pipe must not make us wait
    if path.is_symlink():
        raise ValueError("a link")
    with os.fdopen(os.open(path, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("not a file")
        content = file.read(largest + 1)
    if len(content) > largest:
        raise ValueError("too large")
    text = content.decode("utf-8")
    value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
    if re.search(r"\\u[dD][89a-fA-F]", text):
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    pairs = list(pairs)
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name given twice")
    return found


def _refuse(word: str) -> Any:
    raise ValueError(word)


def _finite(text: str) -> float:
    number = float(text)
    if abs(number) == float("inf"):
        raise ValueError("no number")
    return number
