"""A release held against the table that it was made from: is there a row of the table for everything it says?

Of recoded tables this is exact: every published row must be a row of the source whose values its labels hold, with the
same sensitive values and other columns, and no row serves twice. Of exact values apart it is not: to tell whether
people and values can be put together in every group at once is as hard as any puzzle (three-way tables with given
margins). There each value, and each person, is asked for by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import Codes, IntArray, number_equal
from discreet.counts.coding import merged
from discreet.counts.frequency import FrequencySet
from discreet.engines.base import Frequencies
from discreet.errors import Mistake
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.policy.kinds import Comparing
from discreet.publications.ambiguous_tables import Ambiguous
from discreet.publications.bucketized_tables import Bucketized
from discreet.publications.grouped import Grouped, read_grouped
from discreet.publications.mapping import MappedGroups, mapped_groups, runs_of_groups
from discreet.publications.published import coarser_columns, columns_of, open_table, quasi_identifiers_of
from discreet.publications.recoded_tables import Recoded, group_recoded
from discreet.publications.source.assignment import (
    Asked,
    Labels,
    Offered,
    Pairs,
    beyond,
    pairs_of,
    unpaired,
    unplaced,
)
from discreet.publications.source.table import count_source, reading_of, value_codes

_REPAIR = "give the very table that was published, or publish it again"


def recoded_misfits(published: Recoded, comparing: Comparing) -> list[Mistake]:
    """What a recoded table says that its source does not."""
    manifest = comparing.manifest
    others, sensitive = columns_of(manifest, "other"), columns_of(manifest, "sensitive")
    if others:  # compared together with the rest; only they need another scan of source and release
        quasi_identifiers = quasi_identifiers_of(manifest)
        engine = open_table(comparing.tables, published.file, manifest["columns"])
        star = bool((published.group < 0).any())
        width, beside = len(quasi_identifiers), [*sensitive, *others]
        frequencies = engine.frequencies([*quasi_identifiers, *beside])
        published = group_recoded(frequencies, width, beside, star=star, file=published.file)
    return labelled_misfits(published, comparing)


def labelled_misfits(recoded: Recoded, comparing: Comparing) -> list[Mistake]:
    """What groups with labels say that their source does not: of all columns that they were read with."""
    manifest, table = comparing.manifest, comparing.table
    others, rows = columns_of(manifest, "other"), _counted(table)
    if others:
        columns = [*quasi_identifiers_of(manifest), *columns_of(manifest, "sensitive"), *others]
        rows = count_source(comparing.source, columns, coarser_columns(manifest), reading=reading_of(manifest))
    assert comparing.mapping is not None
    return _recoded(recoded, rows, table.hierarchies, comparing.mapping)


def bucketized_misfits(published: Bucketized, comparing: Comparing) -> list[Mistake]:
    """What exact people and values apart say that their source does not."""
    manifest, table = comparing.manifest, comparing.table
    others, sensitive = columns_of(manifest, "other"), columns_of(manifest, "sensitive")
    distorted = set(manifest.get("distorted", ()))
    compared = [i for i, name in enumerate(sensitive) if name not in distorted]
    people, rows = published.people, _counted(table)
    if others:
        named = [*table.attributes, *others]
        people = read_grouped(comparing.tables, people.file, named, manifest["group_column"])
        named = [*named, *sensitive]
        rows = count_source(comparing.source, named, coarser_columns(manifest), reading=reading_of(manifest))
    return _bucketized(people, published.values, rows, compared)


def ambiguous_misfits(published: Ambiguous, comparing: Comparing) -> list[Mistake]:
    """What exact values in tables apart say that their source does not."""
    return _ambiguous(published, published.sets, comparing.table)


def _counted(table: FrequencySet) -> Frequencies:
    """The table as an engine counts it."""
    hierarchies = [*table.hierarchies, *table.sensitive_hierarchies.values()]
    codes = (*table.codes, *table.sensitive.values())
    return Frequencies(tuple(h.leaves for h in hierarchies), codes, table.counts)


@dataclass(frozen=True, eq=False)
class _Common:
    """One number per combination of some columns, the same in the source and in a release (where all are `known`)."""

    source: IntArray
    release: IntArray
    known: Any
    many: int


def _common(source: Frequencies, theirs: Sequence[int], release: Frequencies, ours: Sequence[int]) -> _Common:
    """Number the combinations of the columns `theirs` of the source, which are the columns `ours` of the release."""
    coded = []
    known = np.ones(len(release.counts), dtype=np.bool_)
    for there, here in zip(theirs, ours, strict=True):
        index = {value: i for i, value in enumerate(source.values[there])}
        codes = np.array([index.get(value, -1) for value in release.values[here]], dtype=np.int64)[release.codes[here]]
        known &= codes >= 0
        coded.append(np.concatenate([source.codes[there], np.maximum(codes, 0)]))
    rows = len(source.counts)
    numbers = number_equal(coded, rows + len(release.counts))
    return _Common(numbers[:rows], numbers[rows:], known, int(numbers.max(initial=-1)) + 1)


def _recoded(
    recoded: Recoded, source: Frequencies, hierarchies: Sequence[Hierarchy], mapping: Mapping[str, Any]
) -> list[Mistake]:
    """Exactly: rows that no row of the source can have become, if all the others have one."""
    width, frequencies = len(hierarchies), recoded.frequencies
    beside = range(width, len(frequencies.values))
    kinds = _common(source, beside, frequencies, beside)
    shown = recoded.group >= 0
    strange = int(frequencies.counts[shown & ~kinds.known].sum())
    asks = np.flatnonzero(shown & kinds.known)
    wanted = Asked(kinds.release[asks], recoded.group[asks], frequencies.counts[asks])
    leaves = [value_codes(h, v)[c] for h, v, c in zip(hierarchies, source.values, source.codes, strict=False)]
    if "levels" in mapping:
        levels = [mapping["levels"][h.attribute] for h in hierarchies]
        group = _groups_at(levels, hierarchies, leaves, recoded)
        places = np.where(group < 0, -1, group * kinds.many + kinds.source)
        left = beyond(places, source.counts, wanted, kinds.many)
    else:
        offered = Offered(kinds.source, np.stack(leaves, axis=1), source.counts)
        left = unplaced(offered, wanted, labels_of(recoded, hierarchies, mapping))
    return _misfits(
        recoded.file,
        (strange, "with values that no row of the source has"),
        (left, "that no row of the source can have become, if each becomes one at most"),
    )


def labels_of(recoded: Recoded, hierarchies: Sequence[Hierarchy], mapping: Mapping[str, Any]) -> Labels:
    """What the groups of a table hold, by what its mapping says of their texts."""
    groups = mapped_groups(mapping, [h.attribute for h in hierarchies])
    number = {text: i for i, text in enumerate(groups.texts())}
    published = groups.numbers[[number[text] for text in recoded.texts()]]
    runs = runs_of_groups(hierarchies, MappedGroups(groups.entries, published))
    return Labels(*runs, tuple(len(h.leaves) for h in hierarchies))


def _groups_at(
    levels: Sequence[int], hierarchies: Sequence[Hierarchy], leaves: Sequence[Codes], recoded: Recoded
) -> IntArray:
    """The published group of each row of the source, where a whole column is published at one level; −1 for none."""
    texts = recoded.texts()
    columns = []
    nobody = np.zeros(len(leaves[0]), dtype=np.bool_)
    for d, (h, level, codes) in enumerate(zip(hierarchies, levels, leaves, strict=True)):
        number = {text: i for i, text in enumerate(dict.fromkeys(text[d] for text in texts))}
        of_node = np.array([number.get(name, -1) for name in h.labels[level]], dtype=np.int64)
        own = of_node[h.codes[level][codes]]
        nobody |= own < 0
        columns.append(
            np.concatenate([np.array([number[text[d]] for text in texts], dtype=np.int64), np.maximum(own, 0)])
        )
    numbers = number_equal(columns, len(texts) + len(nobody))
    group = np.full(int(numbers.max(initial=-1)) + 1, -1, dtype=np.int64)
    group[numbers[: len(texts)]] = np.arange(len(texts))
    return np.where(nobody, -1, group[numbers[len(texts) :]])


def _bucketized(people: Grouped, values: Grouped, source: Frequencies, compared: Sequence[int]) -> list[Mistake]:
    """Whoever stands in a group, and every value of it, by itself: is there a row for each, counted by groups?

    `compared` are the sensitive columns that nobody distorted.
    """
    width = len(people.frequencies.values)
    if not compared:
        return []
    place = _common(source, range(width), people.frequencies, range(width))
    kind = _common(source, [width + i for i in compared], values.frequencies, compared)
    strange = int(people.frequencies.counts[~place.known].sum())
    (of_place, of_kind), count = merged([place.source, kind.source], [place.many, kind.many], source.counts)
    own_place, own_kind = of_place.astype(np.int64), of_kind.astype(np.int64)
    standing = _in_groups(people, place)
    shown = _in_groups(values, kind)
    unheld = unpaired(own_kind, own_place, count, _wanted(values.group, kind, values.frequencies), standing)
    unserved = unpaired(own_place, own_kind, count, _wanted(people.group, place, people.frequencies), shown)
    return [
        *_misfits(people.file, (strange, "with values that no row of the source has")),
        *_misfits(people.file, (unserved, "in groups that have none of the values which the source has for them")),
        *_misfits(values.file, (unheld, "in groups where no row has them in the source")),
    ]


def _wanted(group: IntArray, numbers: _Common, frequencies: Frequencies) -> Asked:
    known = numbers.known
    (groups, kinds), count = merged(
        [group[known], numbers.release[known]], [int(group.max(initial=0)) + 1, numbers.many], frequencies.counts[known]
    )
    return Asked(kinds.astype(np.int64), groups.astype(np.int64), count)


def _in_groups(table: Grouped, numbers: _Common) -> Pairs:
    """Which combinations each group of a table lists, and how often."""
    listed = _wanted(table.group, numbers, table.frequencies)
    return pairs_of(listed.group, listed.kind, listed.count, table.groups, numbers.many)


def _ambiguous(published: Ambiguous, sets: Sequence[Sequence[str]], table: FrequencySet) -> list[Mistake]:
    """Every value of a group needs somebody all of whose values it lists; everything listed, somebody who fits."""
    source, values = _counted(table), published.values
    columns = range(len(table.attributes), len(source.values))
    kind = _common(source, columns, values.frequencies, range(len(columns)))
    codes, runs, leaves = [], [], []
    for auxiliary, attributes in zip(published.auxiliary, sets, strict=True):
        theirs = [table.attributes.index(a) for a in attributes]
        numbers = _common(source, theirs, auxiliary.frequencies, range(len(theirs)))
        codes.append(numbers.source)
        runs.append(_in_groups(auxiliary, numbers))
        leaves.append(numbers.many)
    run, listed, table_of = _side_by_side(runs, values.groups)
    labels = Labels(run, listed, listed, tuple(leaves))
    met = np.zeros(len(listed), dtype=np.int64)
    offered = Offered(kind.source, np.stack(codes, axis=1).astype(np.int32), source.counts)
    left = unplaced(offered, _wanted(values.group, kind, values.frequencies), labels, met)
    unheld = np.bincount(table_of[met == 0], minlength=len(runs)).tolist()
    misfits = _misfits(values.file, (left, "in groups where no row has them in the source"))
    for auxiliary, many in zip(published.auxiliary, unheld, strict=True):
        misfits += _misfits(auxiliary.file, (many, "of which no row of the source fits the group"))
    return misfits


def _side_by_side(tables: Sequence[Pairs], groups: int) -> tuple[IntArray, Codes, IntArray]:
    """What each group lists, table after table: where it begins, the numbers in order, and the table of each."""
    width = len(tables)
    at = np.concatenate([np.repeat(np.arange(groups), np.diff(t.starts)) * width + d for d, t in enumerate(tables)])
    numbers = np.concatenate([t.place for t in tables])
    order = np.lexsort([numbers, at])
    run = np.searchsorted(at[order], np.arange(groups * width + 1)).astype(np.int64)
    return run, numbers[order].astype(np.int32), at[order] % width


def _misfits(file: str, *counted: tuple[int, str]) -> list[Mistake]:
    return [
        Mistake(file, f"has {many:,} {'row' if many == 1 else 'rows'} {rule}", _REPAIR)
        for many, rule in counted
        if many
    ]
