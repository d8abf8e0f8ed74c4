"""A release among the people it could be about: how many of them are in each published group, and in none.

Everything is found the way an adversary would find it: the population's quasi-identifiers, the release's own mapping,
and the groups that the published table has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.counts.coding import frequency_set
from discreet.counts.frequency import FrequencySet, Marginals, Population
from discreet.counts.groups import Outside
from discreet.engines.duckdb import DuckDB
from discreet.errors import DataError, Mistake, did_you_mean
from discreet.hierarchies.hierarchy import Hierarchy, IntArray, Value
from discreet.releases.published import Manifest, columns_of, hierarchy_in_words
from discreet.releases.regions import read_mapping, regions

_THE_VERY = "give the very population that the release was made with"


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What is known of the people around a table, coded by hierarchies over all values that anybody has."""

    hierarchies: tuple[Hierarchy, ...]
    population: Population | None = None
    marginals: Marginals | None = None


@dataclass(frozen=True, eq=False)
class Around:
    """The published groups with the people around them, as `Groups` has it."""

    sizes: IntArray
    population: IntArray | None
    outside: Outside | None
    left_out: int
    elsewhere: int

    def told(self) -> dict[str, Any]:
        """What the manifest says of it: sizes, and the least and the largest probability of being in the table."""
        said: dict[str, Any] = {}
        if self.population is not None:
            inside = int(self.population.sum())
            rows = np.append(self.sizes, self.left_out)
            people = np.append(self.population, self.elsewhere)
            chances = rows[people > 0] / people[people > 0]
            said = {"people": inside + self.elsewhere, "in_published_groups": inside}
            said["presence"] = [float(chances.min(initial=1.0)), float(chances.max(initial=0.0))]
        elif self.outside is not None:
            said = {"people": self.outside.marginals.size + int(self.sizes.sum()) + self.left_out}
        return said


def surroundings_of(frequency: FrequencySet | None) -> Surroundings | None:
    """Those that a table was read with, if any."""
    if frequency is None or (frequency.population is None and frequency.marginals is None):
        return None
    return Surroundings(frequency.hierarchies, frequency.population, frequency.marginals)


def around(
    folder: Path,
    manifest: Manifest,
    known: Surroundings,
    texts: Sequence[tuple[Value, ...]],
    sizes: IntArray,
    starred: int,
) -> Around:
    """Find everybody's group among the published ones, which are given by their `texts` and `sizes`.

    Refused: groups that overlap, that the mapping does not know, or that have more rows than people.
    """
    where = regions(known.hierarchies, read_mapping(folder), texts)
    left_out = int(manifest["rows"]["suppressed"])
    population, elsewhere, mistakes = None, 0, []
    if manifest["suppressed_as"] == "star" and starred != left_out:
        rule = "has rows of nothing but * that are not the suppressed ones"
        mistakes.append(Mistake(manifest["table"], rule, "publish the table again"))
    if known.population is not None:
        population, several = where.people(known.population, known.hierarchies)
        elsewhere = known.population.size - int(population.sum())
        mistakes += _misplaced(population, several, elsewhere, sizes, left_out)
    outside = None
    if known.marginals is not None:
        outside = Outside(*where.hull(), known.marginals)
        strange = int((outside.low > outside.high).any(axis=1).sum())
        if strange:
            rule = f"{strange:,} published groups have values that nobody outside of the table is known to have"
            mistakes.append(Mistake("marginals", rule, "give the very marginals that the release was made with"))
    if mistakes:
        raise DataError(*mistakes)
    return Around(sizes, population, outside, left_out, elsewhere)


def _misplaced(population: IntArray, several: int, elsewhere: int, sizes: IntArray, left_out: int) -> list[Mistake]:
    mistakes = []
    if several:
        rule = f"{several:,} people of the population fall in more than one published group"
        mistakes.append(Mistake("mapping.json", rule, "publish the table again"))
    crowded = int((population < sizes).sum())
    if crowded:
        rule = f"{crowded:,} published groups have more rows than the population has people there"
        mistakes.append(Mistake("population", rule, _THE_VERY))
    if left_out > elsewhere:
        rule = f"{left_out:,} rows were left out, but only {elsewhere:,} people are in no published group"
        mistakes.append(Mistake("population", rule, _THE_VERY))
    return mistakes


def differing(found: Around, said: object) -> list[Mistake]:
    """Is this the population that the manifest speaks of?"""
    told = found.told()
    if said == told or not told:
        return []
    people = said.get("people") if isinstance(said, Mapping) else None
    if people != told["people"]:
        rule = f"has {told['people']:,} people, the release was made with {people}"
        return [Mistake("population", rule, _THE_VERY)]
    rule = "its people fall in other groups than those that the release was made with"
    return [Mistake("population", rule, _THE_VERY)]


def read_population(population: Any, manifest: Manifest) -> tuple[tuple[Hierarchy, ...], Population]:
    """The people of a population (a path or a frame): their quasi-identifiers alone, one scan."""
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
    coded = frequency_set(found, hierarchies, {})
    return hierarchies, Population(coded.codes, coded.counts)
