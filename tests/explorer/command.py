"""What the page says to type, typed; and releases held against each other, byte for byte."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

from tests.moments import without_moment


def anonymized(command: str, folder: Path, into: Path) -> Path:
    """Run the command as it stands, in the folder of the explorer, but into another folder."""
    name, *words = shlex.split(command)
    assert name == "discreet"
    words[words.index("-o") + 1] = str(into)
    run = subprocess.run([sys.executable, "-m", "discreet", *words], cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return into


def same_files(one: Path, two: Path) -> None:
    """The same files with the same bytes; of the manifest all but the moment when it was written."""
    names = [{file.name for file in folder.iterdir()} for folder in (one, two)]
    assert names[0] == names[1] and any(name.endswith(".csv") for name in names[0])
    for name in names[0] - {"manifest.json", "report.html"}:
        assert (one / name).read_bytes() == (two / name).read_bytes(), name
    manifests = [json.loads((folder / "manifest.json").read_text()) for folder in (one, two)]
    times = [manifest["created"] for manifest in manifests]
    pages = [
        without_moment((folder / "report.html").read_text(), time)
        for folder, time in zip((one, two), times, strict=True)
    ]
    for manifest in manifests:
        assert manifest["files"].pop("report.html")
        tables = manifest.pop("files")
        assert {name for name in tables} == names[0] - {"manifest.json", "report.html"}
        for word in ("created", "checksum"):
            manifest.pop(word)
    assert manifests[0] == manifests[1] and pages[0] == pages[1]
