"""Seeded releases of every kind, each file as a fingerprint: `python -m tests.seeded before.json`, and again after a
change that must not change any release. What differs is told.

Left out is what is different in every run: times, and fingerprints of files that tell them.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from discreet import Infeasible, anonymize, policy_from_words
from discreet.samples.hospital import write_sample
from tests.folder import cases, more_cases
from tests.folder.reading import columns_of
from tests.moments import without_moment

PATIENTS = 400
# What else is done with the sample's table: the searches that its own policies don't show.
SEARCHES: dict[str, dict[str, Any]] = {
    "mondrian": {"publish": "multidimensional"},
    "mondrian from a summary": {"publish": "multidimensional", "search": "instant"},
    "local": {"publish": "local_recoding"},
    "instant": {"search": "instant"},
    "instant_cuts": {"search": "instant_cuts"},
    "incognito": {"search": "incognito"},
    "optimize": {"search": "optimize", "time_limit": 60},
}
_TIMES = ("created", "checksum", "files", "release", "versions", "discreet")


def fingerprints() -> dict[str, dict[str, str]]:
    """By release and file."""
    with TemporaryDirectory() as name:
        return {title: _of_files(release) for title, release in _releases(Path(name))}


def _releases(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every case of small worlds, of which the first that can be released; then the sample."""
    for number, (title, case) in enumerate((cases.CASES | more_cases.CASES).items()):
        here = folder / f"{number}"
        here.mkdir()
        for file, text in case.files.items():
            (here / file).write_text(text, encoding="utf-8")
        policy = policy_from_words(dict(case.words), here)
        for world in case.worlds():
            try:
                yield title, anonymize(policy, here / "release", source=columns_of(case.names, world)).folder
            except Infeasible:
                continue
            break
    write_sample(folder / "sample", rows=PATIENTS, seed=7)
    for path in sorted((folder / "sample").glob("*.yaml")):
        words = yaml.safe_load(path.read_text(encoding="utf-8")) | {"seed": 7}
        yield f"sample: {path.name}", _released(words, folder, path.stem)
    words = yaml.safe_load((folder / "sample" / "policy.yaml").read_text(encoding="utf-8")) | {"seed": 7}
    for number, (title, other) in enumerate(SEARCHES.items()):
        words.pop("search", None)
        yield f"sample: {title}", _released(words | other, folder, f"search{number}")


def _released(words: dict[str, Any], folder: Path, name: str) -> Path:
    return anonymize(policy_from_words(words, folder / "sample"), folder / name).folder


def _of_files(release: Path) -> dict[str, str]:
    private = release.with_name(f"{release.name}.private")
    files = [*sorted(release.iterdir()), private / "figures.json"]
    return {file.name: hashlib.sha256(_lasting(file)).hexdigest()[:16] for file in files}


def _lasting(file: Path) -> bytes:
    """The content, without what is different in every run."""
    if file.suffix == ".json" and file.name != "mapping.json":
        words = json.loads(file.read_text(encoding="utf-8"), object_hook=_without_times)
        return json.dumps(words).encode()
    if file.suffix == ".html":
        created = json.loads((file.parent / "manifest.json").read_text(encoding="utf-8"))["created"]
        return without_moment(file.read_text(encoding="utf-8"), created).encode()
    return file.read_bytes()


def _without_times(words: dict[str, Any]) -> dict[str, Any]:
    return {word: said for word, said in words.items() if word not in _TIMES and "seconds" not in word}


def main() -> None:
    """Write what is there now, or compare with what was."""
    path, now = Path(sys.argv[1]), fingerprints()
    if not path.exists():
        path.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
        sys.stdout.write(f"{len(now)} releases\n")
        return
    before = json.loads(path.read_text(encoding="utf-8"))
    changed = [f"{title}: {file}" for title in before | now for file in _differences(before, now, title)]
    sys.stdout.write("\n".join([*changed, f"{len(now)} releases, {len(changed)} files differ"]) + "\n")
    sys.exit(bool(changed))


def _differences(before: dict[str, Any], now: dict[str, Any], title: str) -> list[str]:
    one, other = before.get(title, {}), now.get(title, {})
    return [file for file in one | other if one.get(file) != other.get(file)]


if __name__ == "__main__":
    main()
