"""A recoded table read back: groups are the rows with equal quasi-identifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from discreet.counts.groups import Groups
from discreet.engines.duckdb import Frequencies
from discreet.hierarchies.hierarchy import EVERYTHING, IntArray
from discreet.models.base import PrivacyModel
from discreet.releases.published import (
    Manifest,
    Reference,
    columns_of,
    group_sizes,
    open_table,
    sensitive_tallies,
)


@dataclass(frozen=True, eq=False)
class Recoded:
    """The published table as anybody can count it: groups of equal quasi-identifiers, suppressed rows apart."""

    found: Frequencies
    group: IntArray  # of each combination; −1: a row published as all *
    groups: int
    sensitive: Mapping[str, int]  # name → column of `found`
    file: str = "data"

    @property
    def tables(self) -> Mapping[str, int]:
        return {self.file: self.rows}

    @property
    def rows(self) -> int:
        return int(self.found.counts.sum())

    @property
    def starred(self) -> int:
        return int(self.found.counts[self.group < 0].sum())

    @property
    def smallest(self) -> int:
        kept = self.group >= 0
        return int(group_sizes(self.group[kept], self.found.counts[kept], self.groups).min()) if kept.any() else 0

    def judged(
        self,
        models: Sequence[PrivacyModel],
        hierarchies: Mapping[str, object],
        references: Mapping[str, Reference],
    ) -> Groups:
        kept = self.group >= 0
        group = self.group[kept]
        found = Frequencies(self.found.values, tuple(c[kept] for c in self.found.codes), self.found.counts[kept])
        tallies = sensitive_tallies(found, self.sensitive, group, self.groups, models, hierarchies, references)
        return Groups(group_sizes(group, found.counts, self.groups), tallies)


def read_recoded(table: Path, manifest: Manifest) -> Recoded:
    """Count a published table: one scan of the file."""
    engine = open_table(table, manifest["columns"])
    quasi_identifiers, sensitive = columns_of(manifest, "quasi_identifier"), columns_of(manifest, "sensitive")
    found = engine.frequencies([*quasi_identifiers, *sensitive])
    star = manifest.get("suppressed_as") == "star"
    return group_recoded(found, len(quasi_identifiers), sensitive, star=star, file=table.name)


def group_recoded(
    found: Frequencies, width: int, sensitive: Sequence[str], *, star: bool, file: str = "data"
) -> Recoded:
    """Put equal quasi-identifiers (the first `width` columns) together; with `star`, rows that are all ``*`` apart."""
    starred = np.full(len(found.counts), star)
    for values, codes in zip(found.values, found.codes, strict=True):
        starred &= np.array([v == EVERYTHING for v in values], dtype=np.bool_)[codes]
    group = np.zeros(len(found.counts), dtype=np.int64)
    for values, codes in zip(found.values[:width], found.codes[:width], strict=True):
        group = np.unique(group * len(values) + codes, return_inverse=True)[1]
    kept, numbers = np.unique(group[~starred], return_inverse=True)
    group = np.full(len(group), -1, dtype=np.int64)
    group[~starred] = numbers
    return Recoded(found, group, len(kept), {name: width + i for i, name in enumerate(sensitive)}, file)
