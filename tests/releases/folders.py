"""Small releases, as far as folders see them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.releases.folder import whole_folder
from discreet.releases.manifest import checksum


def manifest_of(contents: Mapping[str, str], **more: Any) -> dict[str, Any]:
    """What a manifest says of files with these contents, under a right checksum."""
    told: dict[str, Any] = {"discreet": "1", "publish": "multidimensional", "table": "data.csv", "columns": []}
    told |= {"roles": {}, "promises": [], "rows": {}, "policy": {}}
    told["files"] = {name: {"sha256": hashlib.sha256(text.encode()).hexdigest()} for name, text in contents.items()}
    told |= more
    return told | {"checksum": checksum(told)}


def fill_release(folder: Path, text: str = "old", **more: Any) -> None:
    """A release of one table, whose content is `text`."""
    folder.mkdir(exist_ok=True)
    (folder / "data.csv").write_text(text)
    (folder / "manifest.json").write_text(json.dumps(manifest_of({"data.csv": text}, **more)))


def fill_private(folder: Path, text: str = "old") -> None:
    """What the custodian keeps of it."""
    folder.mkdir(exist_ok=True)
    (folder / "report.html").write_text(text)
    (folder / "figures.json").write_text(json.dumps({"discreet": "1"}))


def contents(folder: Path) -> dict[str, bytes]:
    """All that is in a folder, hidden files included."""
    return {str(f.relative_to(folder)): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


def make_pair(target: Path, text: str, *, replace: bool = False) -> None:
    """A release and its private part, beside it."""
    with whole_folder(target, private=target.with_name(f"{target.name}.private"), replace=replace) as work:
        assert work.private is not None
        fill_release(work.public, text)
        fill_private(work.private, text)
