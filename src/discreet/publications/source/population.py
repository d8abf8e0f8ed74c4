"""A release among the people it could be about: how many of them are in each published group, and in none.

Everything is found the way an adversary would find it: the population's quasi-identifiers, the release's own mapping,
and the groups that the published table has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.arrays import Codes, IntArray, number_equal
from discreet.counts.frequency import FrequencySet, Marginals, Population
from discreet.counts.groups import Groups, Outside, unpublished
from discreet.errors import DataError, Mistake
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.labels.whose import Whose, whose_of
from discreet.models.base import people_allowed, small_groups
from discreet.models.presence.presence import JUDGED
from discreet.publications.published import AGAIN, Manifest
from discreet.publications.regions import regions

THE_VERY = "give the very population that the release was made with"


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What is known of the people around a table, coded by hierarchies over all values that anybody has.

    `people` is how many they are, with those who are in it; `everybody` how many of them have each leaf, for where
    nobody said how many of those are in the table (`marginals`).
    """

    hierarchies: tuple[Hierarchy, ...]
    people: int
    population: Population | None = None
    marginals: Marginals | None = None
    everybody: tuple[IntArray, ...] | None = None


@dataclass(frozen=True, eq=False)
class Around:
    """The published groups with the people around them, as `Groups` has it.

    `inside` are these groups with the people of the table who are in them; None where it is not known who is. If rows
    are `named`, people may have several: then a release does not tell how many there are, nor what follows from it.
    """

    inside: Groups | None
    people: int
    population: IntArray | None
    outside: Outside | None
    elsewhere: int
    hidden: int | None = None
    named: bool = False

    def words(self) -> dict[str, Any]:
        """What the manifest says of it: sizes, and the least and the largest probability of being in the table."""
        if self.population is None:
            return {"people": self.people}
        published = {"people": self.people, "in_published_groups": self.people - self.elsewhere}
        if self.named or self.inside is None:
            return published
        others = unpublished(self.inside.left_out, self.elsewhere, self.hidden)  # a row is a person here
        rows, people = np.append(self.inside.sizes, others[0]), np.append(self.population, others[1])
        chances = rows[people > 0] / people[people > 0]
        return published | {"presence": [float(chances.min(initial=1.0)), float(chances.max(initial=0.0))]}

    def beside(self, groups: Groups) -> Groups:
        """The published groups with the people around them."""
        return replace(
            groups,
            population=self.population,
            outside=self.outside,
            elsewhere=self.elsewhere,
            hidden=self.hidden,
        )


def surroundings_of(frequency: FrequencySet | None) -> Surroundings | None:
    """Those that a table was read with, if any."""
    if frequency is None or (frequency.population is None and frequency.marginals is None):
        return None
    population, marginals = frequency.population, frequency.marginals
    people = 0 if marginals is None else marginals.size + frequency.people
    people = people if population is None else population.size
    return Surroundings(frequency.hierarchies, people, population, marginals)


def around(
    mapping: Mapping[str, Any],
    manifest: Manifest,
    known: Surroundings,
    texts: Sequence[tuple[Value, ...]],
    inside: Groups | None,
    starred: int,
) -> Around:
    """Find everybody's group among the published ones, which are given by their `texts`; `inside` is who is in them.

    Refused: groups that overlap, that the mapping does not know, or that more people are in than there are.
    """
    where = regions(known.hierarchies, mapping, texts)
    suppressed, whose = int(manifest["rows"]["suppressed"]), whose_of(manifest)
    population, elsewhere, mistakes = None, 0, []
    if manifest["suppressed_as"] == "star" and starred != suppressed:
        rule = "has rows of nothing but * that are not the suppressed ones"
        mistakes.append(Mistake(manifest["table"], rule, AGAIN))
    if known.population is not None:
        population, several = where.people(known.population, known.hierarchies)
        elsewhere = known.population.size - int(population.sum())
        mistakes += _misplaced(population, several, elsewhere, inside, whose)
    low, high = where.hull()
    strange = int((low > high).any(axis=1).sum())
    if strange and not mistakes:
        mistakes.append(Mistake("population", f"{strange:,} published groups have values that nobody has", THE_VERY))
    if mistakes:
        raise DataError(*mistakes)
    marginals = known.marginals
    if (
        marginals is None
        and known.everybody is not None
        and "levels" in mapping
        and inside is not None
        and not suppressed
    ):
        levels = [mapping["levels"][h.attribute] for h in known.hierarchies]
        marginals = _as_published(known, levels, low, inside.persons)
    outside = None if marginals is None else Outside(low, high, marginals)
    hidden = None
    if known.population is not None and inside is not None:
        in_people = inside.in_people()
        many = int(in_people.sizes.sum()) + in_people.left_out
        hidden = _hidden(mapping, manifest, known.population, known.hierarchies, many)
    return Around(inside, known.people, population, outside, elsewhere, hidden, whose is Whose.NAMED)


def _hidden(
    mapping: Mapping[str, Any],
    manifest: Manifest,
    population: Population,
    hierarchies: Sequence[Hierarchy],
    inside: int,
) -> int | None:
    """How many people would be left out if they were in the table, where the release says that no others are."""
    rows = manifest["rows"]
    limit = int(rows["limit"])
    if not limit or "levels" not in mapping or not _hides_by_people(manifest):
        return None
    columns = [
        h.codes[mapping["levels"][h.attribute]][codes] for h, codes in zip(hierarchies, population.codes, strict=True)
    ]
    people = np.bincount(number_equal(columns, len(population.counts)), weights=population.counts).astype(np.int64)
    small = small_groups(people, inside, population.size, people_allowed(limit, int(rows["source"]), inside))
    return int(people[small].sum())


def _hides_by_people(manifest: Manifest) -> bool:
    """Does a promise about presence leave it to the population who is left out?"""
    said = [promise["model"].get("presence") for promise in manifest["promises"]]
    return any(isinstance(words, Mapping) and words.get("suppression", JUDGED) == JUDGED for words in said)


def outsiders(everybody: Sequence[IntArray], inside: Sequence[IntArray], people: int, rows: int) -> Marginals:
    """What is left of everybody without the table's own rows, both counted by leaves."""
    counts = tuple(a - b for a, b in zip(everybody, inside, strict=True))
    if people < rows or any((c < 0).any() for c in counts):
        rule = "has fewer people with some value than the table has rows with it"
        raise DataError(Mistake("population", rule, THE_VERY))
    return Marginals(counts, tuple(c > 0 for c in everybody), people - rows)


def _as_published(known: Surroundings, levels: Sequence[int], low: Codes, sizes: IntArray) -> Marginals:
    """The same from published values alone, where they have one level and no row is missing.

    All people of a published value are counted at its first leaf, so that the published ranges of leaves are right.
    """
    assert known.everybody is not None
    everybody, inside = [], []
    for d, (h, level, counts) in enumerate(zip(known.hierarchies, levels, known.everybody, strict=True)):
        first = h.first[level][h.codes[level]]
        everybody.append(np.bincount(first, weights=counts, minlength=len(counts)).astype(np.int64))
        inside.append(np.bincount(low[:, d], weights=sizes, minlength=len(counts)).astype(np.int64))
    marginals = outsiders(everybody, inside, known.people, int(sizes.sum()))
    return replace(marginals, possible=tuple(c > 0 for c in known.everybody))


def _misplaced(
    population: IntArray, several: int, elsewhere: int, inside: Groups | None, whose: Whose
) -> list[Mistake]:
    mistakes = []
    if several:
        rule = f"{several:,} people of the population fall in more than one published group"
        mistakes.append(Mistake("mapping.json", rule, AGAIN))
    if inside is None:
        return mistakes
    inside, ours = inside.in_people(), "people" if whose is Whose.NAMED else "rows"
    crowded = int((population < inside.sizes).sum())
    if crowded:
        rule = f"{crowded:,} published groups have more {ours} than the population has people there"
        mistakes.append(Mistake("population", rule, THE_VERY))
    if inside.left_out > elsewhere:
        rule = f"{inside.left_out:,} {ours} were left out, but only {elsewhere:,} people are in no published group"
        mistakes.append(Mistake("population", rule, THE_VERY))
    return mistakes


def differing(around_it: Around, said: object) -> list[Mistake]:
    """Is this the population that the manifest speaks of?"""
    counted = around_it.words()
    if said == counted:
        return []
    people = said.get("people") if isinstance(said, Mapping) else None
    rule = "its people fall in other groups than those that the release was made with"
    if people != counted["people"]:
        rule = f"has {counted['people']:,} people, but the release was made with {people}"
    return [Mistake("population", rule, THE_VERY)]
