"""A stranger's release: its manifest, its mapping or its folder forged, with and without correct checksums."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from random import Random
from typing import Any

from campaign.garden import POLICIES, Garden
from campaign.inputs import Input
from campaign.mutations import ADDRESSES, NUMBERS, PATHS, change, nasty, places, spoil_bytes, strange_files
from campaign.planted import BROKEN_OUT, OUTSIDE, SCRIPT
from campaign.policies import OUTPUT

_KINDS = [kind for kind in POLICIES if kind not in ("summary", "boxes")]
_MAPPED = [kind for kind in _KINDS if POLICIES[kind].get("publish") not in ("bucketization", "ambiguity")]
_FAR = (
    "../outside/secret.csv",
    "../../outside/secret.csv",
    "../patients.csv",
    "/etc/hostname",
    "../../outside/secret.txt",
)


def manifests(random: Random, number: int, here: Path, garden: Garden) -> Input:
    """Another manifest for an honest table."""
    kind = _KINDS[number % len(_KINDS)]
    garden.copy(kind, here, release=True)
    strange_files(here)
    path = here / "release" / "manifest.json"
    draw = random.random()
    if draw < 0.2:
        path.write_bytes(spoil_bytes(random, path.read_bytes()))
        what = "bytes"
    else:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        manifest, what = _forged(random, manifest) if draw < 0.45 else _changed(random, number, manifest)
        _write(random, path, manifest)
    return _command(random, "manifests", f"{kind}: {what}", kind)


def mappings(random: Random, number: int, here: Path, garden: Garden) -> Input:
    """Another mapping, which the manifest lists."""
    kind = _MAPPED[number % len(_MAPPED)]
    garden.copy(kind, here, release=True)
    strange_files(here)
    folder = here / "release"
    path = folder / "mapping.json"
    if random.random() < 0.3:
        path.write_bytes(spoil_bytes(random, path.read_bytes()))
        what = "bytes"
    else:
        mapping, what = _changed(random, number, json.loads(path.read_text(encoding="utf-8")))
        path.write_bytes(_dumped(mapping))
    if random.random() < 0.8:
        _relist(folder)
    return _command(random, "mappings", f"{kind}: {what}", kind, apply=0.7)


def folders(random: Random, number: int, here: Path, garden: Garden) -> Input:
    """Other files in the folder."""
    kind = _KINDS[number % len(_KINDS)]
    garden.copy(kind, here, release=True)
    strange_files(here)
    folder = here / "release"
    listed = sorted(path.name for path in folder.iterdir())
    victim = folder / random.choice(listed)
    what = random.choice(
        ("pipe", "endless", "circle", "outside", "folder", "gone", "empty", "bytes", "hidden", "strange", "many",
        "another table",
         "large")
    )  # fmt: skip
    if what in ("pipe", "endless", "circle", "outside", "folder", "gone", "empty", "another table"):
        victim.unlink()
    match what:
        case "pipe":
            os.mkfifo(victim)
        case "endless":
            victim.symlink_to("/dev/zero")
        case "circle":
            victim.symlink_to(victim.name)
        case "outside":
            victim.symlink_to("../../outside/secret.csv")
        case "folder":
            victim.mkdir()
        case "empty":
            victim.touch()
        case "bytes":
            victim.write_bytes(spoil_bytes(random, victim.read_bytes()))
        case "hidden":
            (folder / ".hidden").write_text(OUTSIDE, encoding="utf-8")
        case "strange":
            (folder / random.choice((SCRIPT.replace("/", "∕"), "a\nb", "x" * 200, "\udcff", "patients.csv"))).touch()
        case "many":
            for i in range(3000):
                (folder / f"file{i}").touch()
        case "another table":
            shutil.copy(here / "patients.csv", victim)
        case "large":
            with victim.open("ab") as file:
                file.truncate(300_000_000)
    if random.random() < 0.5 and what not in ("pipe", "endless", "large"):
        _relist(folder)
    return _command(random, "release folders", f"{kind}: {what} {victim.name}", kind)


def _changed(random: Random, number: int, words: Any) -> tuple[Any, str]:
    """One to three places changed; each part of a manifest as often, however long it is."""
    parts = list(words) if isinstance(words, dict) else []
    if parts and random.random() < 0.95:
        part = parts[number // 13 % len(parts)]
        inner = random.choice(places(words[part]))
        words, what = change(random, words, (part, *inner))
    else:
        words, what = change(random, words, random.choice(places(words)))
    while random.random() < 0.3:
        words, more = change(random, words, random.choice(places(words)))
        what += f", {more}"
    return words, what


def _forged(random: Random, manifest: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """What somebody would write who knows how manifests are read."""
    far = random.choice((*_FAR, *PATHS))
    columns = [name for name, role in manifest["roles"].items() if role != "identifier"] or ["age"]
    column = random.choice(columns)
    what = random.choice(
        ("table", "tables", "hierarchy", "files", "references", "database", "population", "prior", "name",
        "promise", "counts",
         "deep", "long", "numbers")
    )  # fmt: skip
    match what:
        case "table":
            manifest["table"] = far
            manifest["files"][far] = random.choice(list(manifest["files"].values()))
        case "tables":
            tables = manifest.get("tables", {"data": "data.csv"})
            manifest["tables"] = {name: far for name in tables} | {far: tables[next(iter(tables))]}
        case "hierarchy":
            manifest.setdefault("hierarchies", {})[column] = random.choice((far, {"taxonomy": far}, nasty(random)))
        case "files":
            manifest["files"][far] = {"sha256": "0" * 64, "bytes": 5, "rows": 5}
        case "references":
            many = random.choice((3, 50_000))
            manifest["references"] = {column: [[f"v{i}", random.choice((1, 1e300, -1, 10**30))] for i in range(many)]}
        case "database":
            manifest["database"] = random.choice((*ADDRESSES, nasty(random), {"schema": far, "engine": "postgresql"}))
        case "population":
            manifest["population"] = random.choice((far, nasty(random), {"path": far}))
            manifest["promises"][0]["model"] = {"presence": {"delta": [0, 0.5], "population": far}}
        case "prior":
            model = {"class": "I", "stubbornness": random.choice((5, "1e99999999")), "prior": far, "epsilon": 2}
            manifest["promises"][0]["model"] = {"realistic": model}
        case "name":
            new = random.choice((SCRIPT, BROKEN_OUT, "x" * 10_000))
            text = json.dumps(manifest).replace(json.dumps(column), json.dumps(new))
            manifest = json.loads(text)
        case "promise":
            other = json.loads(json.dumps(random.choice(list(POLICIES.values()))["require"][0]))
            other, _ = change(random, other, random.choice(places(other)))
            manifest["promises"] = [{"model": other, "holds": True, "level": 1}] * random.choice((1, 2000))
            manifest["policy"]["require"] = [other]
        case "counts":
            for name in ("source", "published", "suppressed", "limit"):
                manifest["rows"][name] = random.choice((*NUMBERS, manifest["rows"].get(name)))
        case "deep":
            manifest[random.choice(list(manifest))] = json.loads("[" * 900 + "]" * 900)
        case "long":
            manifest[random.choice(list(manifest))] = {f"k{i}": "x" * 100 for i in range(20_000)}
        case "numbers":
            manifest[random.choice(list(manifest))] = random.choice(NUMBERS)
    return manifest, f"{what} {far[:40]}"


def _dumped(words: object) -> bytes:
    try:
        return json.dumps(words, indent=1).encode()
    except RecursionError:
        return b"[" * 100_000


def _write(random: Random, path: Path, manifest: Any) -> None:
    """Most forgers recompute the checksum; it has no key."""
    if isinstance(manifest, dict) and random.random() < 0.8:
        manifest["checksum"] = _checksum(manifest)
    path.write_bytes(_dumped(manifest))


def _relist(folder: Path) -> None:
    """List the files as they are now."""
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        for name, about in manifest["files"].items():
            if (folder / name).is_file():
                data = (folder / name).read_bytes()
                about |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
        manifest["checksum"] = _checksum(manifest)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return  # the manifest itself was the victim
    path.write_bytes(_dumped(manifest))


def _checksum(manifest: dict[str, Any]) -> str:
    """As any outsider computes it, who reads our code."""
    said = {name: value for name, value in manifest.items() if name != "checksum"}
    try:
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
    except (TypeError, ValueError, RecursionError):
        return "0" * 64


def _command(random: Random, family: str, what: str, kind: str, apply: float = 0.2) -> Input:
    """Verify, audit or apply it."""
    options: tuple[str, ...] = ("--json",) if random.random() < 0.3 else ()
    if random.random() < apply and kind in _MAPPED:
        argv = ("apply", "release", "patients.csv", "-o", OUTPUT, *options)
        return Input(family, what, argv, release=OUTPUT, nameless=False)
    if random.random() < 0.4:
        for option in ("--source", "--population"):
            if random.random() < 0.4:
                options = (*options, option, "patients.csv" if option == "--source" else "people.csv")
        return Input(family, what, ("audit", "release", "-o", "page.html", *options))
    if random.random() < 0.5:
        options = (*options, "--source", random.choice(("patients.csv", "policy.yaml")))
    if random.random() < 0.2 or ("presence" in kind and random.random() < 0.6):
        options = (*options, "--population", "people.csv")
    return Input(family, what, ("verify", "release", *options))
