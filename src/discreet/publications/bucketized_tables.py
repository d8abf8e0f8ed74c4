"""Bucketized releases: exact quasi-identifiers in one table, sensitive values in another, joined by groups alone.

``quasi_identifiers`` has the quasi-identifiers of every row and its group, ``sensitive`` the group and the sensitive
values. Inside a group nothing tells whose value is which.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from discreet.arrays import Codes, IntArray, number_equal
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups, people_of
from discreet.engines.arrow import numbers
from discreet.engines.base import Frequencies, PublishedTables, Rewriting, Tables
from discreet.errors import DataError, Mistake
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.policy.kinds import Writing
from discreet.publications.grouped import (
    Apart,
    Assigned,
    Grouped,
    added_name,
    assigned,
    quasi_identifier_columns,
    read_grouped,
    sensitive_columns,
    write_grouped,
)
from discreet.publications.published import AGAIN, Counted, Manifest, columns_of, counted_values
from discreet.publications.source.table import misfits, value_codes
from discreet.publications.tables import assignments, join_keys
from discreet.search.plan import Bucketization

QUASI_IDENTIFIERS, SENSITIVE = "quasi_identifiers", "sensitive"


def write_bucketized(plan: Bucketization, writing: Writing, tables: Tables, random: np.random.Generator) -> Manifest:
    """Write both tables and say in the words of a manifest what they are.

    Columns of role other stand beside the quasi-identifiers; only they need a second scan of the source.
    """
    columns, others = writing.source, writing.others
    assert writing.numbers is not None, "its groups have numbers"
    rows = assigned(plan, writing.numbers)
    quasi_identifiers, sensitive = quasi_identifier_columns(plan, rows), sensitive_columns(plan, rows)
    group = added_name("group", columns)
    beside = [c for c in columns if c in quasi_identifiers or c in others]
    within = [c for c in columns if c in sensitive]
    people, values = tables.name(QUASI_IDENTIFIERS), tables.name(SENSITIVE)
    if others:
        keys, seed = join_keys(plan, writing.person), int(random.integers(1 << 62))
        tables.rewrite(people, _rewriting(plan, rows, keys, [*beside, group], group, seed))
    else:
        write_grouped(tables, people, [quasi_identifiers[c] for c in beside], rows, group)
    write_grouped(tables, values, [sensitive[c] for c in within], rows, group, group_first=True)
    distorted = {"distorted": sorted(plan.exchanged)} if plan.exchanged else {}
    return {"tables": {people: beside, values: within}, "group_column": group} | distorted


def _rewriting(
    plan: Bucketization, rows: Assigned, keys: list[str], columns: list[str], group: str, seed: int
) -> Rewriting:
    """The quasi-identifiers of the source's own rows, each with the group of its assignment."""
    number = np.zeros(len(plan.group), dtype=np.int64)
    number[rows.kept] = rows.number
    return Rewriting(assignments(plan, [numbers(number)]), keys, columns, {group: 0}, seed, sorted_by=[group])


@dataclass(frozen=True, eq=False, kw_only=True)
class Bucketized(Apart):
    """Both tables as anybody can count them; those who are in a group are as many as its values.

    Values of columns that are `distorted` were exchanged on purpose.
    """

    people: Grouped
    quasi_identifiers: tuple[str, ...]
    distorted: tuple[str, ...] = ()

    @property
    def tables(self) -> Mapping[str, int]:
        return {self.people.file: self.people.rows, self.values.file: self.values.rows}

    def counted(self) -> Counted:
        return counted_values(self.quasi_identifiers, self.people.frequencies) | self.counted_sensitive()

    def judged(self, hierarchies: Mapping[str, object]) -> Groups:
        leaves, codes = self._coded()
        people = people_of(self.people.group, codes, self.people.frequencies.counts, self.groups, leaves, self.table)
        return Groups(self.people.sizes, self.tallies(hierarchies), people)

    def _coded(self) -> tuple[tuple[Hierarchy, ...], list[Codes]]:
        """The quasi-identifiers as leaves of flat hierarchies: the source's, so that codes agree, or their own."""
        frequencies = self.people.frequencies
        if self.table is None:
            leaves = tuple(build(n, v, Flat()) for n, v in zip(self.quasi_identifiers, frequencies.values, strict=True))
        else:
            leaves = self.table.hierarchies
        return leaves, [
            value_codes(h, v)[c] for h, v, c in zip(leaves, frequencies.values, frequencies.codes, strict=True)
        ]


def read_bucketized(tables: PublishedTables, manifest: Manifest, table: FrequencySet | None = None) -> Bucketized:
    """Count both tables, one scan of each, and check that they fit each other (and the source, if given)."""
    files, group = manifest["tables"], manifest["group_column"]
    [first] = [file for file in files if Path(file).stem == QUASI_IDENTIFIERS]
    [second] = [file for file in files if Path(file).stem == SENSITIVE]
    others, sensitive = columns_of(manifest, "other"), columns_of(manifest, "sensitive")
    quasi_identifiers = columns_of(manifest, "quasi_identifier") if table is None else list(table.attributes)
    if len(files) != 2 or sorted(files[first]) != sorted([*quasi_identifiers, *others]) or files[second] != sensitive:
        raise DataError(Mistake("manifest.json", "its tables don't have the columns that its roles ask for", AGAIN))
    people = read_grouped(tables, first, quasi_identifiers, group, beside=others)
    values = read_grouped(tables, second, sensitive, group)
    mistakes = [] if _fit(people, values) else [Mistake(second, f"does not have the groups of {first}", AGAIN)]
    if table is not None:
        mistakes += misfits(first, people.frequencies, quasi_identifiers, table)
        mistakes += misfits(second, values.frequencies, sensitive, table, manifest.get("distorted", []))
    if mistakes:
        raise DataError(*mistakes)
    return Bucketized(
        people=people,
        quasi_identifiers=tuple(quasi_identifiers),
        distorted=tuple(manifest.get("distorted", ())),
        values=values,
        sensitive=tuple(sensitive),
        table=table,
    )


def seated(bucketized: Bucketized, people: Frequencies, signature: IntArray, of_group: IntArray) -> bool:
    """Are as many people with each combination of quasi-identifiers in groups of each signature as are said to be?"""
    f = bucketized.people.frequencies
    columns = []
    for ours, theirs, here, there in zip(f.values, people.values, f.codes, people.codes, strict=False):
        known = {value: i for i, value in enumerate(dict.fromkeys([*ours, *theirs]))}
        mine = np.array([known[v] for v in ours], dtype=np.int64)[here]
        columns.append(np.concatenate([mine, np.array([known[v] for v in theirs], dtype=np.int64)[there]]))
    signatures = np.concatenate([of_group[bucketized.people.group] + 1, signature + 1])
    both = number_equal([*columns, signatures], len(f.counts) + len(people.counts))
    return not np.bincount(both, weights=np.concatenate([f.counts, -people.counts])).any()


def _fit(people: Grouped, values: Grouped) -> bool:
    """Have both tables the same groups, of the same sizes?"""
    return people.groups == values.groups and np.array_equal(people.sizes, values.sizes)
