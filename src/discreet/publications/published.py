"""What every kind of release has in common when its files are read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.frequency import FrequencySet, Joint
from discreet.counts.groups import Groups, Tally, Together, stand_together, tally
from discreet.engines.base import Engine, Frequencies, PublishedTables
from discreet.errors import DataError, HierarchyError, Mistake, shown
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.hierarchies.published_as import PublishedAs, published_as
from discreet.hierarchies.words import rule_from_words

if TYPE_CHECKING:
    from discreet.publications.source.population import Around

Manifest = dict[str, Any]

# Per column its published values, and how many published rows (or entries of a group) have each.
Counted = dict[str, tuple[Sequence[Value], IntArray]]

AGAIN = "publish the table again"


class Published(Protocol):
    """A release as anybody can count it from its files."""

    @property
    def tables(self) -> Mapping[str, int]:
        """How many rows each file has."""

    @property
    def rows(self) -> int:
        """How many rows of the source are in it, suppressed ones that are published as all ``*`` included."""

    @property
    def starred(self) -> int:
        """How many of those are all ``*``."""

    @property
    def groups(self) -> int:
        """How many groups there are."""

    @property
    def smallest(self) -> int:
        """How many rows the smallest group has; 0 if there is none."""

    @property
    def around(self) -> Around | None:
        """The people it could be about, where they are known."""

    @property
    def alone(self) -> Self:
        """The same as it looks to whoever has the release and not the source."""

    def counted(self) -> Counted:
        """Per column the published values, and how many published rows (or entries of a group) have each."""

    def judged(self, hierarchies: Mapping[str, object]) -> Groups:
        """What the models see, with sensitive hierarchies in words. The published rows are the whole table to them."""


def columns_of(manifest: Manifest, role: str) -> list[str]:
    """The published columns with a role."""
    return [c for c in manifest["columns"] if manifest["roles"][c] == role]


def quasi_identifiers_of(manifest: Manifest) -> list[str]:
    """Those that are published, in the order of the policy: that of plans and mappings. The file's may be another."""
    place = {name: i for i, name in enumerate(manifest["roles"])}
    return sorted(columns_of(manifest, "quasi_identifier"), key=place.__getitem__)


def unpublished_column(manifest: Manifest, role: str) -> str | None:
    """The column of the source with a role that is never published, and that one column can have."""
    return next((name for name, own in manifest["roles"].items() if own == role), None)


def coarser_columns(manifest: Manifest) -> dict[str, PublishedAs]:
    """The columns that are published as a coarser level of the source's values. No file is opened for it."""
    words = manifest.get("published_as", {})
    try:
        if any(map(names_file, words.values())):
            raise HierarchyError()
        return {name: published_as(said, "", Path()) for name, said in words.items()}
    except HierarchyError:
        rule = "what columns are published as can't be read"
        raise HierarchyError(Mistake("manifest.json", rule, AGAIN)) from None


def open_table(tables: PublishedTables, table: str, columns: Sequence[str]) -> Engine:
    """A published table that must have these columns and no others."""
    engine = tables.open(table, columns)
    if sorted(engine.columns) != sorted(columns):
        raise DataError(Mistake(table, "has other columns than the manifest says", AGAIN))
    return engine


def hierarchy_in_words(name: str, words: object, values: Sequence[Value]) -> Hierarchy:
    """The hierarchy of an attribute, by the rule that the manifest has in words. No file is opened.

    Neither its words nor the values are told if the two don't fit: the release may be a stranger's.
    """
    unique = list(dict.fromkeys(values))
    try:
        if names_file(words):
            raise HierarchyError()
        rule = rule_from_words(words, "", Path(), unique, np.ones(len(unique), dtype=np.int64))
        return build(name, unique, rule)
    except HierarchyError:
        why = f"its hierarchy of {shown(name)} is none, or does not fit the values"
        raise HierarchyError(Mistake("manifest.json", why, AGAIN)) from None


def names_file(hierarchy: object) -> bool:
    """Do the words of a hierarchy name a file instead of telling its rows?

    >>> names_file("nation.csv"), names_file({"taxonomy": "nation.csv"}), names_file({"taxonomy": [["Peru", "all"]]})
    (True, True, False)
    """
    named = hierarchy.get("taxonomy") if isinstance(hierarchy, Mapping) else hierarchy
    return isinstance(named, str)


def sensitive_tallies(
    frequencies: Frequencies,
    sensitive: Mapping[str, int],
    group: IntArray,
    groups: int,
    hierarchies: Mapping[str, object],
    table: FrequencySet | None = None,
) -> dict[str, Tally]:
    """How often each group has each value of the sensitive attributes, beside how often the whole release has it.

    `sensitive` tells their columns in `frequencies`. Values are coded as in the source `table`, where it is given.
    """
    tallies = {}
    for name, column in sensitive.items():
        values, counts = frequencies.values[column], frequencies.rows_by_value(column)
        own = {v: int(n) for v, n in zip(values, counts, strict=True) if n}
        if table is None:
            hierarchy = hierarchy_in_words(name, hierarchies.get(name), list(own))
        else:
            hierarchy = table.sensitive_hierarchies[name]
        reference = np.array([own.get(v, 0) for v in hierarchy.leaves], dtype=np.int64)
        code = np.array([hierarchy.index.get(v, 0) for v in values], dtype=np.int32)
        tallies[name] = tally(group, code[frequencies.codes[column]], frequencies.counts, groups, reference, hierarchy)
    return tallies


def sensitive_together(
    frequencies: Frequencies, sensitive: Mapping[str, int], group: IntArray, groups: int, tallies: Mapping[str, Tally]
) -> Together | None:
    """Which sensitive values stand in one row, where there are several attributes; coded as in their tallies."""
    if len(sensitive) < 2:
        return None
    codes = {}
    for name, column in sensitive.items():
        index = tallies[name].hierarchy.index
        code = np.array([index.get(v, 0) for v in frequencies.values[column]], dtype=np.int32)
        codes[name] = code[frequencies.codes[column]]
    joint = Joint.of(codes)
    return stand_together(group, joint.codes, frequencies.counts, groups, joint)


def counted_values(names: Sequence[str], rows: Frequencies) -> Counted:
    """The values that each column of some rows has, and how many rows have them; values that no row has are gone."""
    columns: Counted = {}
    for column, name in enumerate(names):
        counts = rows.rows_by_value(column)
        used = np.flatnonzero(counts)
        columns[name] = [rows.values[column][i] for i in used.tolist()], counts[used]
    return columns


def group_sizes(group: IntArray, counts: IntArray, groups: int) -> IntArray:
    """How many rows each group has."""
    return np.bincount(group, weights=counts, minlength=groups).astype(np.int64)
