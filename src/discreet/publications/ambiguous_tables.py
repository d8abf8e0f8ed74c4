"""Ambiguous releases: exact values, but each attribute (or set of attributes) in a table of its own.

An auxiliary table has the distinct values of every group, ``sensitive`` the group's sensitive values with their counts.
Which values of a group belong together is not told.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.counts.coding import merged
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups, entries_of
from discreet.engines.base import Frequencies, PublishedTables, Tables
from discreet.errors import DataError, Mistake
from discreet.hierarchies.hierarchy import Value
from discreet.publications.grouped import (
    Apart,
    Grouped,
    added_name,
    assigned,
    quasi_identifier_columns,
    read_grouped,
    sensitive_columns,
    write_grouped,
)
from discreet.publications.published import AGAIN, Counted, Manifest, columns_of, counted_values
from discreet.publications.source.population import Surroundings, surroundings_of
from discreet.publications.source.table import misfits
from discreet.search.plan import Ambiguity

SENSITIVE = "sensitive"


def write_ambiguous(plan: Ambiguity, columns: Sequence[str], tables: Tables, numbers: IntArray) -> Manifest:
    """Write all tables and say in the words of a manifest what they are; `columns` are those of the source.

    Groups are published under their `numbers`.
    """
    rows = assigned(plan, numbers)
    quasi_identifiers, sensitive = quasi_identifier_columns(plan, rows), sensitive_columns(plan, rows)
    group = added_name("group", columns)
    count = added_name("count", columns)
    written: dict[str, list[str]] = {}
    sets = [[plan.frequency.attributes[d] for d in table] for table in plan.tables]
    for attributes, stem in zip(sets, auxiliary_names(sets), strict=True):
        table = tables.name(stem)
        write_grouped(tables, table, [quasi_identifiers[a] for a in attributes], rows, group, repeated=False)
        written[table] = attributes
    within = [c for c in columns if c in sensitive]
    table, values = tables.name(SENSITIVE), [sensitive[c] for c in within]
    write_grouped(tables, table, values, rows, group, group_first=True, repeated=False, count_column=count)
    return {"tables": written | {table: within}, "group_column": group, "count_column": count}


def auxiliary_names(sets: Sequence[Sequence[str]]) -> list[str]:
    """A file name (without its ending) for each set of attributes, good on every system.

    >>> auxiliary_names([["age"], ["zip", "sex"], ["Age"], ["a/b"], ["?"]])
    ['auxiliary_age', 'auxiliary_zip_sex', 'auxiliary_Age_2', 'auxiliary_a_b', 'auxiliary_']
    """
    names: list[str] = []
    for attributes in sets:
        plain = unicodedata.normalize("NFC", "_".join(attributes))
        stem = "auxiliary_" + re.sub(r"\W+", "_", plain)[:48].strip("_")
        taken = {unicodedata.normalize("NFC", name.casefold()) for name in names}
        name, i = stem, 1
        while unicodedata.normalize("NFC", name.casefold()) in taken:
            i += 1
            name = f"{stem}_{i}"
        names.append(name)
    return names


@dataclass(frozen=True, eq=False, kw_only=True)
class Ambiguous(Apart):
    """All tables as anybody can count them; those of `values` are rows of the source, by the counts in the file."""

    auxiliary: tuple[Grouped, ...]
    sets: tuple[tuple[str, ...], ...]  # the attributes of each of them
    known: Surroundings | None = None  # whom a promise is about, where it is given

    @property
    def tables(self) -> Mapping[str, int]:
        return {t.file: t.rows for t in self.auxiliary} | {self.values.file: len(self.values.frequencies.counts)}

    def counted(self) -> Counted:
        columns: Counted = {}
        for names, table in zip(self.sets, self.auxiliary, strict=True):
            columns |= counted_values(names, table.frequencies)
        return columns | self.counted_sensitive()

    def judged(self, hierarchies: Mapping[str, object]) -> Groups:
        listed = [(t.group, t.frequencies.codes) for t in self.auxiliary]
        entries = entries_of(listed, self.groups, self._others())
        return Groups(self.values.sizes, self.tallies(hierarchies), distinct=entries.distinct, entries=entries)

    def _others(self) -> list[list[Codes]] | None:
        """The people of the population in the codes of each table, where it is known."""
        known = self.known
        if known is None or known.population is None:
            return None
        theirs = {h.attribute: (h, c) for h, c in zip(known.hierarchies, known.population.codes, strict=True)}
        found = []
        for names, table in zip(self.sets, self.auxiliary, strict=True):
            columns = []
            for name, values in zip(names, table.frequencies.values, strict=True):
                hierarchy, codes = theirs[name]
                place = {value: i for i, value in enumerate(values)}
                columns.append(np.array([place.get(v, len(values)) for v in hierarchy.leaves], dtype=np.int32)[codes])
            found.append(columns)
        return found


def read_ambiguous(
    tables: PublishedTables, manifest: Manifest, table: FrequencySet | None = None, known: Surroundings | None = None
) -> Ambiguous:
    """Count all tables, one scan of each, and check that they fit each other (and the source, if given).

    `known` is the population that a promise is about; left out, the one that the source was read with, if any.
    """
    files, group, count = manifest["tables"], manifest["group_column"], manifest["count_column"]
    [last] = [file for file in files if Path(file).stem == SENSITIVE]
    sensitive = columns_of(manifest, "sensitive")
    sets = {file: attributes for file, attributes in files.items() if file != last}
    apart = sorted(a for attributes in sets.values() for a in attributes)
    if apart != sorted(columns_of(manifest, "quasi_identifier")) or files[last] != sensitive or not all(sets.values()):
        raise DataError(Mistake("manifest.json", "its tables don't have the columns that its roles ask for", AGAIN))
    auxiliary = tuple(read_grouped(tables, file, attributes, group) for file, attributes in sets.items())
    values = _counted(read_grouped(tables, last, [*sensitive, count], group))
    mistakes = [m for grouped in auxiliary for m in _auxiliary_mistakes(grouped, values)]
    if table is not None:
        for grouped, attributes in zip(auxiliary, sets.values(), strict=True):  # who has a value is one row at least
            mistakes += misfits(grouped.file, grouped.frequencies, attributes, table)
        mistakes += misfits(last, values.frequencies, sensitive, table)
    if mistakes:
        raise DataError(*mistakes)
    named = tuple(tuple(attributes) for attributes in sets.values())
    known = surroundings_of(table) if known is None else known
    return Ambiguous(
        auxiliary=auxiliary, sets=named, values=values, sensitive=tuple(sensitive), table=table, known=known
    )


def _auxiliary_mistakes(grouped: Grouped, values: Grouped) -> list[Mistake]:
    if grouped.groups != values.groups:
        return [Mistake(grouped.file, f"does not have the groups of {values.file}", AGAIN)]
    mistakes = []
    if (grouped.frequencies.counts > 1).any():
        mistakes.append(Mistake(grouped.file, "lists a row twice", AGAIN))
    if (grouped.sizes > values.sizes).any():
        mistakes.append(Mistake(grouped.file, "lists more combinations of a group than the group has rows", AGAIN))
    return mistakes


def _counted(grouped: Grouped) -> Grouped:
    """The sensitive table with each entry counted as its last column says."""
    texts = grouped.frequencies.values[-1]
    counts = np.array([_whole(text) for text in texts], dtype=np.int64)
    if (counts < 1).any():
        raise DataError(Mistake(grouped.file, "has counts that are not whole numbers from 1", AGAIN))
    per_entry: IntArray = counts[grouped.frequencies.codes[-1]]
    own = Frequencies(grouped.frequencies.values[:-1], grouped.frequencies.codes[:-1], per_entry)
    if (grouped.frequencies.counts > 1).any() or _repeats(own, grouped):
        raise DataError(Mistake(grouped.file, "lists a value of a group twice", AGAIN))
    return replace(grouped, frequencies=own)


def _repeats(own: Frequencies, grouped: Grouped) -> bool:
    """Has a group the same sensitive values with two counts?"""
    columns = [grouped.group, *own.codes]
    distinct, _ = merged(columns, [grouped.groups, *(len(v) for v in own.values)], own.counts)
    return len(distinct[0]) < len(own.counts)


def _whole(text: Value) -> int:
    """A count in plain digits; 0 for anything else, and for more rows than a sum of counts is exact for."""
    return int(text) if text is not None and re.fullmatch(r"[1-9][0-9]{0,9}", text) else 0
