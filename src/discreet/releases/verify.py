"""A second opinion on a release, from its published files and its manifest alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.counts.coding import value_counts
from discreet.counts.groups import Groups, tally
from discreet.engines.duckdb import DuckDB, Frequencies
from discreet.errors import DataError, DiscreetError, Mistake
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import EVERYTHING, Hierarchy, IntArray, Value
from discreet.hierarchies.words import rule_from_words
from discreet.models.base import PrivacyModel
from discreet.models.verdicts import Verdict, verdicts
from discreet.models.words import model_from_words
from discreet.releases.folder import sha256

Manifest = dict[str, Any]
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
    table = folder / manifest["table"]
    try:
        published = read_published(table, manifest)
    except DiscreetError as error:
        return Findings((), (*_check_files(folder, manifest), *error.mistakes), 0, 0)
    return recheck(manifest, folder, published)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a release."""
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(Mistake(str(folder), "is not a release: it has no manifest.json", "name a release")) from None
    except (ValueError, OSError):
        raise DataError(Mistake(str(path), "can't be read", "publish the table again")) from None
    missing = [k for k in ("files", "columns", "roles", "promises", "rows", "table") if k not in manifest]
    if not isinstance(manifest, dict) or missing:
        raise DataError(Mistake(str(path), f"lacks {', '.join(missing)}", "publish the table again"))
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


def _check_files(folder: Path, manifest: Manifest) -> list[Mistake]:
    mistakes = []
    for name, about in manifest["files"].items():
        path = folder / name
        if not path.exists():
            mistakes.append(Mistake(name, "is missing from the release", "publish the table again"))
        elif sha256(path) != about["sha256"]:
            mistakes.append(Mistake(name, "is not the file that was checked: its SHA-256 differs", "publish it again"))
    return mistakes


def _promised(manifest: Manifest) -> tuple[list[PrivacyModel], list[Mistake]]:
    sensitive = tuple(c for c, role in manifest["roles"].items() if role == "sensitive")
    models: list[PrivacyModel] = []
    mistakes: list[Mistake] = []
    for i, promise in enumerate(manifest["promises"]):
        for word, parameters in promise["model"].items():
            found, wrong = model_from_words(word, parameters, f"promises[{i}].{word}", sensitive)
            models += found
            mistakes += wrong
    if not models:
        mistakes.append(Mistake("manifest.json", "promises nothing", "publish the table again"))
    return models, mistakes


def _check_counts(published: Published, manifest: Manifest) -> list[Mistake]:
    rows = manifest["rows"]
    expected = rows["published"] + (rows["suppressed"] if manifest.get("suppressed_as") == "star" else 0)
    mistakes = []
    if published.rows != expected:
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
