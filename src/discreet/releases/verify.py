"""A second opinion on a release, from its published files and its manifest alone."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from discreet.counts.coding import value_counts
from discreet.counts.groups import Groups, tally
from discreet.engines.duckdb import DuckDB, Frequencies
from discreet.errors import DataError, DiscreetError, Mistake, ReleaseError
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import EVERYTHING, Hierarchy, IntArray, Value
from discreet.hierarchies.words import rule_from_words
from discreet.models.base import PrivacyModel
from discreet.models.verdicts import Verdict, verdicts
from discreet.models.words import model_from_words
from discreet.releases.folder import sha256
from discreet.releases.manifest import checksum, promises

Manifest = dict[str, Any]
_PARTS = {"files": dict, "columns": list, "roles": dict, "promises": list, "rows": dict, "table": str, "policy": dict}
_CHANGED = Mistake("manifest.json", "is not what was written: its checksum differs", "publish the table again")
# What everybody is taken to know of a sensitive attribute: weights per value, or None for the release's own.
Reference = Mapping[Value, int] | None


@dataclass(frozen=True)
class Findings:
    """What a re-reading found: the verdict on every promise, and everything that does not agree with the manifest."""

    verdicts: tuple[Verdict, ...]
    mistakes: tuple[Mistake, ...]
    groups: int
    smallest_group: int

    @property
    def kept(self) -> bool:
        return not self.mistakes and all(v.holds for v in self.verdicts)


@dataclass(frozen=True, eq=False)
class Published:
    """The published table as anybody can count it: groups of equal quasi-identifiers, suppressed rows apart."""

    found: Frequencies
    group: IntArray  # of each combination; −1: a row published as all *
    groups: int
    sensitive: Mapping[str, int]  # name → column of `found`

    @property
    def rows(self) -> int:
        return int(self.found.counts.sum())

    @property
    def starred(self) -> int:
        return int(self.found.counts[self.group < 0].sum())

    @property
    def smallest(self) -> int:
        kept = self.group >= 0
        return int(np.bincount(self.group[kept], weights=self.found.counts[kept]).min()) if kept.any() else 0

    def judged(
        self,
        models: Sequence[PrivacyModel],
        hierarchies: Mapping[str, object],
        references: Mapping[str, Reference],
    ) -> Groups:
        """What the models see, against the given references."""
        kept = self.group >= 0
        group, count = self.group[kept], self.found.counts[kept]
        sizes = np.bincount(group, weights=count, minlength=self.groups).astype(np.int64)
        tallies = {}
        for name in {m.attribute for m in models} & self.sensitive.keys():
            column = self.sensitive[name]
            values, own = self.found.values[column], self._own_counts(column)
            known = references.get(name)
            weights = own if known is None else known
            hierarchy = _sensitive_hierarchy(name, hierarchies.get(name), [*own, *weights])
            reference = np.array([weights.get(v, 0) for v in hierarchy.leaves], dtype=np.int64)
            code = np.array([hierarchy.index.get(v, 0) for v in values], dtype=np.int32)
            tallies[name] = tally(group, code[self.found.codes[column][kept]], count, self.groups, reference, hierarchy)
        return Groups(sizes, tallies)

    def _own_counts(self, column: int) -> dict[Value, int]:
        kept = self.group >= 0
        part = Frequencies(self.found.values, tuple(c[kept] for c in self.found.codes), self.found.counts[kept])
        counts = value_counts(part, column)
        return {v: int(n) for v, n in zip(self.found.values[column], counts, strict=True) if n}


def verify(folder: Path | str) -> Findings:
    """Re-check every promise of the release in `folder`."""
    folder = Path(folder)
    manifest = read_manifest(folder)
    try:
        published = read_published(folder / manifest["table"], manifest)
        found = recheck(manifest, folder, published)
        return replace(found, mistakes=(*check_manifest(manifest, found), *found.mistakes))
    except DiscreetError as error:
        return Findings((), (*_check_files(folder, manifest), *error.mistakes), 0, 0)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError):  # not what we wrote
        return Findings((), (_CHANGED,), 0, 0)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a release."""
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        rule = "is not a release: it has no manifest.json" if folder.exists() else "no such folder"
        raise DataError(Mistake(str(folder), rule, "name the folder of a release")) from None
    except OSError as error:
        raise DataError(Mistake(str(path), f"can't be read: {(error.strerror or '').lower()}")) from None
    except (ValueError, RecursionError):
        raise ReleaseError(Mistake(str(path), "can't be read", "publish the table again")) from None
    if not isinstance(manifest, dict):
        raise ReleaseError(Mistake(str(path), "is not the manifest of a release", "publish the table again"))
    missing = [name for name, kind in _PARTS.items() if not isinstance(manifest.get(name), kind)]
    if missing:
        raise ReleaseError(Mistake(str(path), f"lacks {', '.join(missing)}", "publish the table again"))
    return manifest


def recheck(manifest: Manifest, folder: Path, published: Published) -> Findings:
    """Compare the files in `folder`, already counted, with what the manifest says of them."""
    mistakes = _check_files(folder, manifest)
    models, wrong = _promised(manifest)
    mistakes += wrong + _check_counts(published, manifest)
    return Findings(judge(published, models, manifest), tuple(mistakes), published.groups, published.smallest)


def judge(published: Published, models: Sequence[PrivacyModel], manifest: Manifest) -> tuple[Verdict, ...]:
    """The verdicts on what was published, against the references the manifest names."""
    references = {
        name: None if weights == "published" else {_value(v): n for v, n in weights}
        for name, weights in manifest.get("references", {}).items()
    }
    return verdicts(models, published.judged(models, manifest.get("hierarchies", {}), references))


def read_published(table: Path, manifest: Manifest) -> Published:
    """Count a published table: one scan of the file."""
    engine = DuckDB(table, manifest["columns"])
    roles = manifest["roles"]
    if sorted(engine.columns) != sorted(manifest["columns"]):
        raise DataError(Mistake(table.name, "has other columns than the manifest says", "publish the table again"))
    quasi_identifiers = [c for c in manifest["columns"] if roles[c] == "quasi_identifier"]
    sensitive = [c for c in manifest["columns"] if roles[c] == "sensitive"]
    found = engine.frequencies([*quasi_identifiers, *sensitive])
    return group_published(found, len(quasi_identifiers), sensitive, manifest.get("suppressed_as") == "star")


def group_published(found: Frequencies, width: int, sensitive: Sequence[str], star: bool) -> Published:
    """Put equal quasi-identifiers (the first `width` columns) together; rows that are all ``*`` stand apart."""
    starred = np.full(len(found.counts), star)
    for values, codes in zip(found.values, found.codes, strict=True):
        starred &= np.array([v == EVERYTHING for v in values], dtype=np.bool_)[codes]
    group = np.zeros(len(found.counts), dtype=np.int64)
    for values, codes in zip(found.values[:width], found.codes[:width], strict=True):
        group = np.unique(group * len(values) + codes, return_inverse=True)[1]
    kept, numbers = np.unique(group[~starred], return_inverse=True)
    group = np.full(len(group), -1, dtype=np.int64)
    group[~starred] = numbers
    return Published(found, group, len(kept), {name: width + i for i, name in enumerate(sensitive)})


def check_manifest(manifest: Manifest, found: Findings) -> list[Mistake]:
    """Does the manifest say what it said when it was written, and what the files say?"""
    mistakes = [] if manifest.get("checksum") == checksum(manifest) else [_CHANGED]
    said, reached = manifest["promises"], promises(found.verdicts)
    if len(said) != len(reached) or not all(map(_agree, said, reached)):
        rule = "what it says about its promises is not what the files show"
        mistakes.append(Mistake("manifest.json", rule, "publish the table again"))
    asked, _ = _models(manifest, manifest["policy"]["require"])
    roles = {name: about["role"] for name, about in manifest["policy"]["attributes"].items()}
    if roles != manifest["roles"] or sorted(str(m.to_words()) for m in asked) != sorted(
        str(v.model.to_words()) for v in found.verdicts
    ):
        rule = "it promises other things than its policy asks for"
        mistakes.append(Mistake("manifest.json", rule, "publish the table again"))
    return mistakes


def _agree(said: Mapping[str, Any], reached: Mapping[str, Any]) -> bool:
    """The same promise and verdict; levels up to the last digits, which depend on the machine.

    So does which of two groups decides, if both reach nearly the same.
    """
    a, b = said["level"], reached["level"]
    close = a == b or (a is not None and b is not None and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12))
    return close and all(said.get(k) == v for k, v in reached.items() if k not in ("level", "deciding_group"))


def _check_files(folder: Path, manifest: Manifest) -> list[Mistake]:
    mistakes = []
    listed = manifest["files"]
    if manifest["table"] not in listed:
        mistakes.append(Mistake("manifest.json", "does not list the published table", "publish the table again"))
    for name, about in listed.items():
        path = folder / name
        if Path(name).name != name:
            mistakes.append(Mistake("manifest.json", "lists a file of another folder", "publish the table again"))
        elif not path.is_file():
            mistakes.append(Mistake(name, "is missing from the release", "publish the table again"))
        elif sha256(path) != about["sha256"]:
            mistakes.append(Mistake(name, "is not the file that was checked: its SHA-256 differs", "publish it again"))
    # Whoever publishes the folder publishes these too. (Hidden files are the desktop's.)
    strange = [f.name for f in folder.iterdir() if f.name not in (*listed, "manifest.json") and f.name[0] != "."]
    mistakes += [
        Mistake(n, "is no part of the release, and nobody checked it", "remove it") for n in sorted(strange)[:10]
    ]
    return mistakes


def _promised(manifest: Manifest) -> tuple[list[PrivacyModel], list[Mistake]]:
    models, mistakes = _models(manifest, [promise["model"] for promise in manifest["promises"]])
    if not models:
        mistakes.append(Mistake("manifest.json", "promises nothing", "publish the table again"))
    return models, mistakes


def _models(manifest: Manifest, entries: Sequence[Mapping[str, Any]]) -> tuple[list[PrivacyModel], list[Mistake]]:
    """The models that promises in words mean."""
    sensitive = tuple(c for c, role in manifest["roles"].items() if role == "sensitive")
    models: list[PrivacyModel] = []
    mistakes: list[Mistake] = []
    for i, entry in enumerate(entries):
        for word, parameters in entry.items():
            found, wrong = model_from_words(word, parameters, f"promises[{i}].{word}", sensitive)
            models += found
            mistakes += wrong
    return models, mistakes


def _check_counts(published: Published, manifest: Manifest) -> list[Mistake]:
    rows = manifest["rows"]
    expected = rows["published"] + (rows["suppressed"] if manifest.get("suppressed_as") == "star" else 0)
    mistakes = []
    if published.rows != expected or published.starred < expected - rows["published"]:
        mistakes.append(
            Mistake(
                manifest["table"], f"has {published.rows:,} rows, the manifest says {expected:,}", "publish it again"
            )
        )
    if rows["published"] + rows["suppressed"] != rows["source"] or rows["suppressed"] > rows["limit"]:
        mistakes.append(Mistake("manifest.json", "its row counts don't add up", "publish the table again"))
    if published.groups != manifest["groups"] or published.smallest != manifest["smallest_group"]:
        mistakes.append(
            Mistake(
                manifest["table"],
                f"has {published.groups:,} groups, the smallest of {published.smallest:,} rows, "
                f"the manifest says {manifest['groups']:,} and {manifest['smallest_group']:,}",
                "publish it again",
            )
        )
    return mistakes


def _sensitive_hierarchy(name: str, words: object, values: Sequence[Value]) -> Hierarchy:
    unique = list(dict.fromkeys(values))
    place = f"attributes.{name}.hierarchy"
    rule = rule_from_words(words, place, Path(), unique, np.ones(len(unique), dtype=np.int64))
    return build(name, unique, rule)


def _value(value: Any) -> Value:
    return None if value is None else str(value)
