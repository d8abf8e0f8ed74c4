"""The people outside of a table: everybody who could be in it, or what is known of them one attribute at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.counts.coding import leaf_numbers, merged
from discreet.counts.frequency import FrequencySet, Marginals, Population
from discreet.engines.duckdb import Frequencies
from discreet.errors import Mistake
from discreet.hierarchies.hierarchy import Codes, Hierarchy, IntArray

_SAME = "give everybody who could be in the table, with those who are, and write their values alike in both"


def population_of(found: Frequencies, hierarchies: Sequence[Hierarchy]) -> Population:
    """The people whose quasi-identifiers an engine counted, coded by the hierarchies of the table."""
    codes = [leaf_numbers(h, v)[c] for h, v, c in zip(hierarchies, found.values, found.codes, strict=True)]
    ordered, counts = merged(codes, [len(h.leaves) for h in hierarchies], found.counts)
    return Population(tuple(ordered), counts)


def strangers(population: Population, frequency: FrequencySet) -> int:
    """How many rows of the table are not among the population: of some combination it has more than all people do."""
    sizes = [len(h.leaves) for h in frequency.hierarchies]
    both = [np.concatenate([t, p]) for t, p in zip(frequency.codes, population.codes, strict=True)]
    _, surplus = merged(both, sizes, np.concatenate([frequency.counts, -population.counts]))
    return int(np.maximum(surplus, 0).sum())


def population_mistakes(population: Population, frequency: FrequencySet, place: str) -> list[Mistake]:
    """Why these can't be the people that the table's were taken from. Counts only: never who is missing."""
    if population.size < frequency.rows:
        rule = f"has {population.size:,} people, fewer than the {frequency.rows:,} rows of the table"
        return [Mistake(place, rule, _SAME)]
    beyond = strangers(population, frequency)
    if beyond:
        rows = "1 row of the table is" if beyond == 1 else f"{beyond:,} rows of the table are"
        return [Mistake(place, f"{rows} not in it, by their quasi-identifiers", _SAME)]
    if population.size == frequency.rows:
        rule = "everybody in it is in the table, so that nobody's presence can be hidden"
        return [Mistake(place, rule, "give everybody who could be in the table")]
    return []


def marginals_of(population: Population, frequency: FrequencySet) -> Marginals:
    """What is known of the people who are not in the table, from a population that it was taken from."""
    counts, possible = [], []
    everybody = zip(frequency.hierarchies, population.codes, frequency.codes, strict=True)
    for hierarchy, of_population, of_table in everybody:
        there = _per_leaf(hierarchy, of_population, population.counts)
        counts.append(there - _per_leaf(hierarchy, of_table, frequency.counts))
        possible.append(there > 0)
    return Marginals(tuple(counts), tuple(possible), population.size - frequency.rows)


def _per_leaf(hierarchy: Hierarchy, codes: Codes, counts: IntArray) -> IntArray:
    return np.bincount(codes, weights=counts, minlength=len(hierarchy.leaves)).astype(np.int64)
