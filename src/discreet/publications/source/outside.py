"""The people around a release, read again: a population or its marginals, and whose rows of it are published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.frequency import Edge, FrequencySet, Marginals, Pairs
from discreet.counts.outside import check_settled, each_once, people_by_value, population_of
from discreet.counts.pairs import check_cells, outside_pairs, pair_table, pairs_of, tables_of
from discreet.engines.open import open_source
from discreet.errors import DataError, Mistake, did_you_mean
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.labels.whose import PERSON
from discreet.models.base import PrivacyModel
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.models.presence.pair_words import given_pairs
from discreet.models.presence.words import counts_population, read_marginals
from discreet.publications.published import Manifest, hierarchy_in_words, quasi_identifiers_of, unpublished_column
from discreet.publications.source.population import THE_VERY, Surroundings, outsiders
from discreet.publications.source.table import reading_of, value_codes

_MARGINALS = "confident_presence.marginals"


def read_population(
    population: Any, manifest: Manifest, models: Sequence[PrivacyModel], table: FrequencySet | None
) -> Surroundings:
    """Everybody in a population (a path or a frame): their quasi-identifiers alone, each person once; one scan.

    `table` is the source, where it is given too: it tells exactly who is not in it.
    """
    columns, person = quasi_identifiers_of(manifest), unpublished_column(manifest, PERSON)
    needed = [*columns, *([] if person is None else [person])]
    engine = open_source(population, needed, reading_of(manifest), said_of_it=False)
    lacking = [
        Mistake("population", f"has no column {c!r}, which the release has", did_you_mean(c, engine.columns))
        for c in needed
        if c not in engine.columns
    ]
    if lacking:
        raise DataError(*lacking)
    frequencies = each_once(engine.frequencies(columns, person), "population")
    words = manifest["hierarchies"]
    hierarchies = tuple(
        hierarchy_in_words(name, words[name], values) for name, values in zip(columns, frequencies.values, strict=True)
    )
    everyone = population_of(frequencies, hierarchies)
    everybody = tuple(
        np.bincount(codes, weights=everyone.counts, minlength=len(h.leaves)).astype(np.int64)
        for h, codes in zip(hierarchies, everyone.codes, strict=True)
    )
    judged = [model for model in models if isinstance(model, ConfidentPresence)]
    by_pairs = any(model.by_pairs for model in judged)
    marginals = _marginals(hierarchies, everybody, everyone.size, table) if judged else None
    if by_pairs and marginals is not None and table is not None:
        leaves = [len(h.leaves) for h in hierarchies]
        check_cells(columns, leaves, "population")
        marginals = replace(marginals, pairs=_pairs(hierarchies, pairs_of(everyone, leaves), table))
    return Surroundings(
        hierarchies,
        everyone.size,
        everyone if any(map(counts_population, models)) else None,
        marginals,
        everybody if judged and marginals is None else None,
    )


def promised_marginals(
    manifest: Manifest, models: Sequence[PrivacyModel], table: FrequencySet | None
) -> Surroundings | None:
    """What a promise itself says of everybody, one attribute at a time; None where none does."""
    promised = [m for m in models if isinstance(m, ConfidentPresence) and m.marginals is not None]
    if not promised:
        return None
    columns, words = quasi_identifiers_of(manifest), manifest["hierarchies"]
    marginals_told, mistakes = read_marginals(promised[0].marginals, _MARGINALS)
    if not mistakes:
        people, mistakes = people_by_value(marginals_told, promised[0].size, columns, _MARGINALS)
    if mistakes:
        raise DataError(*mistakes)
    hierarchies = tuple(hierarchy_in_words(name, words[name], list(people[name])) for name in columns)
    everybody = tuple(
        np.array([people[h.attribute].get(leaf, 0) for leaf in h.leaves], dtype=np.int64) for h in hierarchies
    )
    size = int(everybody[0].sum())
    marginals = _marginals(hierarchies, everybody, size, table)
    by_pair, mistakes = given_pairs(promised, columns, people)
    if mistakes:
        raise DataError(*mistakes)
    if by_pair is not None and marginals is not None and table is not None:
        marginals = replace(marginals, pairs=_pairs(hierarchies, tables_of(by_pair, hierarchies), table))
    return Surroundings(hierarchies, size, None, marginals, everybody if marginals is None else None)


def _marginals(
    hierarchies: Sequence[Hierarchy], everybody: Sequence[IntArray], people: int, table: FrequencySet | None
) -> Marginals | None:
    """Those of the people outside of the table, if it is given."""
    if table is None:
        return None
    check_settled(table, "source")
    table = table.in_people
    own = zip(hierarchies, table.hierarchies, table.codes, strict=True)
    inside = [_counted(hierarchy, exact, codes, table) for hierarchy, exact, codes in own]
    return outsiders(everybody, inside, people, table.rows)


def _pairs(hierarchies: Sequence[Hierarchy], everybody: Mapping[Edge, IntArray], table: FrequencySet) -> Pairs:
    """The same of pairs; the table's values are among those of everybody, as its marginals were."""
    table = table.in_people
    codes = [
        value_codes(h, own.leaves)[c] for h, own, c in zip(hierarchies, table.hierarchies, table.codes, strict=True)
    ]
    leaves = [len(h.leaves) for h in hierarchies]
    inside = {(i, j): pair_table(codes[i], codes[j], table.counts, (leaves[i], leaves[j])) for i, j in everybody}
    found = outside_pairs(everybody, inside)
    if found is None:
        rule = "has fewer people with some two values than the table has rows with them"
        raise DataError(Mistake("population", rule, THE_VERY))
    return found


def _counted(hierarchy: Hierarchy, own: Hierarchy, codes: Any, table: FrequencySet) -> IntArray:
    """How many people of the table, each counted once, have each leaf of a population's hierarchy."""
    leaves = value_codes(hierarchy, own.leaves)
    if (leaves[np.unique(codes)] < 0).any():
        rule = f"lacks values of {hierarchy.attribute!r} that the source has"
        raise DataError(Mistake("population", rule, "give everybody who could be in the table, with those who are"))
    return np.bincount(leaves[codes], weights=table.counts, minlength=len(hierarchy.leaves)).astype(np.int64)
