"""The table that a release was made from, read again: for promises about what others know of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from discreet.arrays import Codes
from discreet.counts.coarser import labelled
from discreet.counts.coding import frequency_set, merged
from discreet.counts.frequency import FrequencySet
from discreet.counts.wishes import wishes_of, without_last
from discreet.engines.base import Engine, Frequencies
from discreet.engines.open import open_source
from discreet.engines.reading import Reading
from discreet.engines.reading_words import reading_from_words
from discreet.errors import DataError, Mistake, did_you_mean
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.hierarchies.published_as import PublishedAs
from discreet.labels.whose import PERSON
from discreet.policy.policy import Policy, read_policy
from discreet.publications.published import (
    Manifest,
    coarser_columns,
    columns_of,
    hierarchy_in_words,
    quasi_identifiers_of,
    unpublished_column,
)


def read_source(source: Any, manifest: Manifest, *, rules: bool = False) -> FrequencySet:
    """The table that a release was made from (a path or a frame), counted for adversaries who know it: one scan.

    The policy (or its path) will do, too: it names the table, and says which of its rows are private.

    Quasi-identifiers are read as exact values, for releases that publish them so; with `rules`, by the hierarchies that
    the manifest has in words.
    """
    quasi_identifiers, sensitive = quasi_identifiers_of(manifest), columns_of(manifest, "sensitive")
    columns = [*quasi_identifiers, *sensitive]
    person, wishes = unpublished_column(manifest, PERSON), unpublished_column(manifest, "wishes")
    counted = count_source(source, columns, coarser_columns(manifest), person, wishes, reading=reading_of(manifest))
    asked = len(counted.values) > len(columns)
    frequencies = without_last(counted) if asked else counted
    values = dict(zip(columns, frequencies.values, strict=True))
    words = manifest.get("hierarchies", {})
    table = frequency_set(
        frequencies,
        [
            hierarchy_in_words(name, words[name], values[name])
            if rules and name in words
            else build(name, values[name], Flat())
            for name in quasi_identifiers
        ],
        {name: hierarchy_in_words(name, words.get(name), values[name]) for name in sensitive},
    )
    return replace(table, wishes=wishes_of(table, counted, wishes)) if wishes is not None and asked else table


def reading_of(manifest: Manifest) -> Reading:
    """How the table of a release is read, by the policy that its manifest has in words."""
    return reading_from_words(manifest.get("policy"))


def count_source(
    source: Any,
    columns: Sequence[str],
    coarser: Mapping[str, PublishedAs],
    person: str | None = None,
    last: str | None = None,
    *,
    reading: Reading,
) -> Frequencies:
    """Columns of the table that a release was made from, as they are: one scan. One may say whose row it is.

    Those in `coarser` are what they are published as, which takes a scan more for each.

    The `last` one is there if the table has it. Its cells are read as they were, unless a policy says how.
    """
    needed = [*columns, *([] if person is None else [person])]
    more = [] if last is None else [last]
    engine = _open(source, [*needed, *more], reading)
    lacking = [c for c in needed if c not in engine.columns]
    if lacking:
        raise DataError(
            *(
                Mistake("source", f"has no column {c!r}, which the release has", did_you_mean(c, engine.columns))
                for c in lacking
            )
        )
    engine = labelled(engine, {name: level for name, level in coarser.items() if name in columns})
    return engine.frequencies([*columns, *(c for c in more if c in engine.columns)], person)


def _open(source: Any, columns: Sequence[str], reading: Reading) -> Engine:
    """The table itself, or the rows of it that a policy chooses."""
    if isinstance(source, str | Path) and Path(source).suffix.lower() in (".yaml", ".yml"):
        source = read_policy(source)
    if not isinstance(source, Policy):
        return open_source(source, columns, reading, said_of_it=False)
    if source.location is None:
        raise DataError(Mistake("source", "is missing from the policy", "give the original table itself"))
    rows = source.private_rows
    engine = open_source(source.location, [*columns, *(rows.columns if rows else ())], source.reading)
    return engine if rows is None else engine.only(rows)


def value_codes(hierarchy: Hierarchy, values: Sequence[Value]) -> Codes:
    """The leaf of each value; −1 for one that the hierarchy does not know."""
    return np.array([hierarchy.index.get(v, -1) for v in values], dtype=np.int32)


def misfits(
    file: str, frequencies: Frequencies, columns: Sequence[str], table: FrequencySet, distorted: Sequence[str] = ()
) -> list[Mistake]:
    """What a published file has that the source lacks: rows, counted with repetitions, or values that were distorted.

    `frequencies` are the published `columns`. Rows are compared without the distorted ones.
    """
    hierarchies = dict(zip(table.attributes, table.hierarchies, strict=True)) | dict(table.sensitive_hierarchies)
    codes = dict(zip(table.attributes, table.codes, strict=True)) | dict(table.sensitive)
    published = {
        name: value_codes(hierarchies[name], values)[places]
        for name, values, places in zip(columns, frequencies.values, frequencies.codes, strict=True)
    }
    repair = "give the very table that was published, or publish it again"
    mistakes = [
        Mistake(file, f"has values of {name!r} that the source does not have", repair)
        for name in distorted
        if name in published and (published[name] < 0).any()
    ]
    compared = [name for name in columns if name not in distorted]
    known = np.ones(len(frequencies.counts), dtype=np.bool_)
    for name in compared:
        known &= published[name] >= 0
    both = [np.concatenate([published[name][known], codes[name]]) for name in compared]
    sizes = [len(hierarchies[name].leaves) for name in compared]
    _, surplus = merged(both, sizes, np.concatenate([frequencies.counts[known], -table.counts]))
    beyond = int(frequencies.counts[~known].sum() + np.maximum(surplus, 0).sum())
    if beyond:
        rows = "row" if beyond == 1 else "rows"
        mistakes.append(Mistake(file, f"has {beyond:,} {rows} that the source does not have", repair))
    return mistakes
