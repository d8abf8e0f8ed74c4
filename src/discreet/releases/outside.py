"""The people around a release, read again: a population, and whose rows of it are published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.counts.frequency import FrequencySet, Marginals
from discreet.counts.outside import population_of
from discreet.engines.duckdb import DuckDB
from discreet.errors import DataError, Mistake, did_you_mean
from discreet.hierarchies.hierarchy import Hierarchy, IntArray
from discreet.models.base import PrivacyModel
from discreet.models.confident_presence import ConfidentPresence
from discreet.models.presence import Presence
from discreet.releases.population import Surroundings, outsiders
from discreet.releases.published import Manifest, columns_of, hierarchy_in_words
from discreet.releases.source import value_codes


def read_surroundings(
    population: Any, manifest: Manifest, models: Sequence[PrivacyModel], table: FrequencySet | None
) -> Surroundings:
    """Everybody in a population (a path or a frame): their quasi-identifiers alone, one scan.

    `table` is the source, where it is given too: it tells exactly who is not in it.
    """
    columns = columns_of(manifest, "quasi_identifier")
    engine = DuckDB(population, columns)
    lacking = [
        Mistake("population", f"has no column {c!r}, the release does", did_you_mean(c, engine.columns))
        for c in columns
        if c not in engine.columns
    ]
    if lacking:
        raise DataError(*lacking)
    found = engine.frequencies(columns)
    words = manifest["hierarchies"]
    hierarchies = tuple(
        hierarchy_in_words(name, words[name], values) for name, values in zip(columns, found.values, strict=True)
    )
    everyone = population_of(found, hierarchies)
    everybody = tuple(
        np.bincount(codes, weights=everyone.counts, minlength=len(h.leaves)).astype(np.int64)
        for h, codes in zip(hierarchies, everyone.codes, strict=True)
    )
    return Surroundings(
        hierarchies,
        everyone.size,
        everyone if any(isinstance(m, Presence) for m in models) else None,
        *_marginals(hierarchies, everybody, everyone.size, models, table),
    )


def _marginals(
    hierarchies: Sequence[Hierarchy],
    everybody: tuple[IntArray, ...],
    people: int,
    models: Sequence[PrivacyModel],
    table: FrequencySet | None,
) -> tuple[Marginals | None, tuple[IntArray, ...] | None]:
    """Of the people outside of the table, if it is given; else of everybody. Nothing where no promise asks for them."""
    if not any(isinstance(m, ConfidentPresence) for m in models):
        return None, None
    if table is None:
        return None, everybody
    inside = [
        _counted(h, own, codes, table)
        for h, own, codes in zip(hierarchies, table.hierarchies, table.codes, strict=True)
    ]
    return outsiders(everybody, inside, people, table.rows), None


def _counted(hierarchy: Hierarchy, own: Hierarchy, codes: Any, table: FrequencySet) -> IntArray:
    """How many rows of the table have each leaf of a population's hierarchy."""
    leaves = value_codes(hierarchy, own.leaves)
    if (leaves[np.unique(codes)] < 0).any():
        rule = f"lacks values of {hierarchy.attribute!r} that the source has"
        raise DataError(Mistake("population", rule, "give everybody who could be in the table, with those who are"))
    return np.bincount(leaves[codes], weights=table.counts, minlength=len(hierarchy.leaves)).astype(np.int64)
