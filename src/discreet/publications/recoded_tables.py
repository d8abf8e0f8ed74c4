"""A recoded table read back: groups are the rows with equal quasi-identifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.arrays import IntArray, number_equal
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups, Tally
from discreet.counts.wishes import wishes_in_groups
from discreet.engines.base import Frequencies, PublishedTables, Rewriting, Tables
from discreet.hierarchies.hierarchy import EVERYTHING, Value
from discreet.policy.kinds import Writing
from discreet.publications.published import (
    Counted,
    Manifest,
    columns_of,
    counted_values,
    group_sizes,
    open_table,
    quasi_identifiers_of,
    sensitive_tallies,
    sensitive_together,
)
from discreet.publications.regions import SEVERAL, groups_of_rows
from discreet.publications.source.population import Around, Surroundings, around
from discreet.publications.tables import assignment_table, join_keys, release_rows
from discreet.search.plan import Recoding


@dataclass(frozen=True, eq=False)
class Recoded:
    """The published table as anybody can count it: groups of equal quasi-identifiers, suppressed rows apart."""

    frequencies: Frequencies
    group: IntArray  # of each combination; −1: a row published as all *
    groups: int
    sensitive: Mapping[str, int]  # name → column of `frequencies`
    file: str = "data"
    around: Around | None = None  # the people it could be about, where they are known
    names: tuple[str, ...] = ()  # of all columns of `frequencies`
    wishes: Tally | None = None  # of the people in each group, where the source tells them

    @property
    def tables(self) -> Mapping[str, int]:
        return {self.file: self.rows}

    @property
    def rows(self) -> int:
        return int(self.frequencies.counts.sum())

    @property
    def starred(self) -> int:
        return int(self.frequencies.counts[self.group < 0].sum())

    @property
    def sizes(self) -> IntArray:
        """How many rows each group has."""
        kept = self.group >= 0
        return group_sizes(self.group[kept], self.frequencies.counts[kept], self.groups)

    @property
    def smallest(self) -> int:
        return int(self.sizes.min()) if self.groups else 0

    @property
    def alone(self) -> Recoded:
        return replace(self, wishes=None)

    def counted(self) -> Counted:
        kept, rows = self.group >= 0, self.frequencies
        return counted_values(self.names, rows if kept.all() else replace(rows, counts=np.where(kept, rows.counts, 0)))

    def texts(self) -> list[tuple[Value, ...]]:
        """What each group publishes of its quasi-identifiers."""
        kept = np.flatnonzero(self.group >= 0)
        first = kept[np.unique(self.group[kept], return_index=True)[1]]
        width = len(self.frequencies.values) - len(self.sensitive)
        columns = [
            [values[code] for code in codes[first].tolist()]
            for values, codes in zip(self.frequencies.values[:width], self.frequencies.codes[:width], strict=True)
        ]
        return list(zip(*columns, strict=True))

    def judged(self, hierarchies: Mapping[str, object]) -> Groups:
        kept, frequencies, group = self.group >= 0, self.frequencies, self.group
        if not kept.all():
            codes = tuple(c[kept] for c in frequencies.codes)
            frequencies, group = Frequencies(frequencies.values, codes, frequencies.counts[kept]), group[kept]
        tallies = sensitive_tallies(frequencies, self.sensitive, group, self.groups, hierarchies)
        together = sensitive_together(frequencies, self.sensitive, group, self.groups, tallies)
        groups = Groups(self.sizes, tallies, together=together, wishes=self.wishes)
        if self.around is None:
            return groups
        if self.around.named or self.around.inside is None:  # by rows nothing is known of who is in the table
            return replace(groups, population=self.around.population)
        return self.around.beside(replace(groups, left_out=self.around.inside.left_out))


def write_recoded(plan: Recoding, writing: Writing, tables: Tables, table: str, random: np.random.Generator) -> None:
    """Write the table from counts; if columns are published as they are, the engine joins the plan to the source."""
    columns = list(writing.published)
    if not writing.others:
        tables.write(table, release_rows(plan, columns, writing.star), random)
        return
    quasi_identifiers = plan.frequency.attributes
    keys = join_keys(plan, writing.person)
    places = {name: i for i, name in enumerate(quasi_identifiers)}
    seed = int(random.integers(1 << 62))
    tables.rewrite(table, Rewriting(assignment_table(plan), keys, columns, places, seed, writing.star))


def read_recoded(tables: PublishedTables, manifest: Manifest) -> Recoded:
    """Count a published table: one scan of it."""
    table = manifest["table"]
    engine = open_table(tables, table, manifest["columns"])
    quasi_identifiers, sensitive = quasi_identifiers_of(manifest), columns_of(manifest, "sensitive")
    frequencies = engine.frequencies([*quasi_identifiers, *sensitive])
    star = manifest.get("suppressed_as") == "star" and manifest["rows"]["suppressed"] > 0
    recoded = group_recoded(frequencies, len(quasi_identifiers), sensitive, star=star, file=table)
    return replace(recoded, names=(*quasi_identifiers, *sensitive))


def among(
    recoded: Recoded, mapping: Mapping[str, Any], manifest: Manifest, known: Surroundings, inside: Groups | None
) -> Recoded:
    """The same table among the people it could be about; `inside` says who of them is in it, where that is known."""
    people = around(mapping, manifest, known, recoded.texts(), inside, recoded.starred)
    return replace(recoded, around=people)


def with_wishes(recoded: Recoded, mapping: Mapping[str, Any], source: FrequencySet) -> Recoded:
    """The same table with what the people of each group ask for: those of the source who fall in it.

    Where somebody falls in several groups (local recoding) nothing is known of who asks for what.
    """
    group = groups_of_rows(source, mapping, recoded.texts())
    if (group == SEVERAL).any():
        return recoded
    return replace(recoded, wishes=wishes_in_groups(source.wishes, np.arange(len(group)), group, recoded.groups))


def group_recoded(
    frequencies: Frequencies, width: int, sensitive: Sequence[str], *, star: bool, file: str = "data"
) -> Recoded:
    """Put equal quasi-identifiers (the first `width` columns) together; with `star`, rows that are all ``*`` apart."""
    starred = np.full(len(frequencies.counts), star)
    for values, codes in zip(frequencies.values, frequencies.codes, strict=True):
        starred &= np.array([v == EVERYTHING for v in values], dtype=np.bool_)[codes]
    group = number_equal(frequencies.codes[:width], len(frequencies.counts))
    kept, numbers = np.unique(group[~starred], return_inverse=True)
    group = np.full(len(group), -1, dtype=np.int64)
    group[~starred] = numbers
    return Recoded(frequencies, group, len(kept), {name: width + i for i, name in enumerate(sensitive)}, file)
