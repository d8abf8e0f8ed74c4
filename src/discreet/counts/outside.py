"""The people outside of a table: everybody who could be in it, or what is known of them one attribute at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.counts.coding import leaf_numbers, merged
from discreet.counts.frequency import FrequencySet, Marginals, Population
from discreet.engines.base import Frequencies
from discreet.errors import DataError, Mistake, did_you_mean, offenders
from discreet.hierarchies.hierarchy import Hierarchy, Value

_ROUNDING = Fraction(1, 100)  # shares written with few digits need not add up to 1 exactly
_SHOWN = 10  # values in one message
_MOST = 10**12  # people in one count, far more than there are
_SAME = "give everybody who could be in the table, with those who are, and write their values alike in both"


def population_of(frequencies: Frequencies, hierarchies: Sequence[Hierarchy]) -> Population:
    """The people whose quasi-identifiers an engine counted, coded by the hierarchies of the table."""
    codes = [leaf_numbers(h, v)[c] for h, v, c in zip(hierarchies, frequencies.values, frequencies.codes, strict=True)]
    ordered, counts = merged(codes, [len(h.leaves) for h in hierarchies], frequencies.counts)
    return Population(tuple(ordered), counts)


def each_once(frequencies: Frequencies, place: str) -> Frequencies:
    """People instead of rows, where rows of different people are told apart: each counts once.

    Whoever is not named is a person for each row. Refused: people whose rows differ, who would be counted twice.
    """
    if frequencies.person is None:
        return frequencies
    named = frequencies.person >= 0
    several = np.bincount(frequencies.person[named]) > 1
    if several.any():
        many = int(several.sum())
        who = "1 person has" if many == 1 else f"{many:,} people have"
        rule = f"{who} rows with different quasi-identifiers, and could be in several groups"
        raise DataError(Mistake(place, rule, "keep one row for each person, the same that the table has"))
    counts = np.where(named, 1, frequencies.counts)
    return replace(frequencies, counts=counts, person=None, names=None)


def check_settled(frequency: FrequencySet, place: str) -> None:
    """Who is in a table is judged group by group, so nobody of it may be in several: refuse people who move."""
    at = frequency.owned_places
    if at is None or at.constant:
        return
    many = len(at.mover_starts) - 1
    who = "1 person has" if many == 1 else f"{many:,} people have"
    rule = (
        f"{who} rows with different quasi-identifiers, and could be in several groups, which no population's people are"
    )
    repair = "give all rows of a person the same quasi-identifiers, those that the population has"
    raise DataError(Mistake(place, rule, repair))


def check_one_row_each(frequency: FrequencySet, place: str, by: str, repair: str) -> None:
    """Refuse people with several rows where a table is held against a population by its rows."""
    if frequency.owners is None:
        return
    several = int((frequency.owners.rows > 1).sum())
    who = "1 person has" if several == 1 else f"{several:,} people have"
    rule = f"{who} several rows, and {by} who is in the table is judged of tables with one row for each person"
    raise DataError(Mistake(place, rule, repair))


def strangers(population: Population, frequency: FrequencySet) -> int:
    """How many people of the table are not among the population: of some combination it has more than there are."""
    frequency = frequency.in_people
    sizes = [len(h.leaves) for h in frequency.hierarchies]
    both = [np.concatenate([t, p]) for t, p in zip(frequency.codes, population.codes, strict=True)]
    _, surplus = merged(both, sizes, np.concatenate([frequency.counts, -population.counts]))
    return int(np.maximum(surplus, 0).sum())


def population_mistakes(population: Population, frequency: FrequencySet, place: str) -> list[Mistake]:
    """Why these can't be the people that the table's were taken from. Counts only: never who is missing."""
    whose = "rows" if frequency.owners is None else "people"
    if population.size < frequency.people:
        rule = f"has {population.size:,} people, fewer than the {frequency.people:,} {whose} of the table"
        return [Mistake(place, rule, _SAME)]
    beyond = strangers(population, frequency)
    if beyond:
        one = "row" if frequency.owners is None else "person"
        who = f"1 {one} of the table is" if beyond == 1 else f"{beyond:,} {whose} of the table are"
        return [Mistake(place, f"{who} not in it, by their quasi-identifiers", _SAME)]
    if population.size == frequency.people:
        rule = "all of it is in the table, so that the presence of none can be hidden"
        return [Mistake(place, rule, "give everybody who could be in the table")]
    return []


def marginals_of(population: Population, frequency: FrequencySet) -> Marginals:
    """What is known of the people who are not in the table, from a population that it was taken from."""
    counts, possible = [], []
    frequency = frequency.in_people
    everybody = zip(frequency.hierarchies, population.codes, frequency.codes, strict=True)
    for hierarchy, of_population, of_table in everybody:
        there = _per_leaf(hierarchy, of_population, population.counts)
        counts.append(there - _per_leaf(hierarchy, of_table, frequency.counts))
        possible.append(there > 0)
    return Marginals(tuple(counts), tuple(possible), population.size - frequency.rows)


def people_by_value(
    shares: Mapping[str, Mapping[Value, Fraction]], size: int | None, attributes: Sequence[str], place: str
) -> tuple[dict[str, dict[Value, int]], list[Mistake]]:
    """How many people have each value of each attribute, from counts, or from shares of `size`; or all that is wrong.

    Numbers of an attribute are shares if none is above 1 and they add up to 1, as nearly as rounded ones do.

    >>> people_by_value({"sex": {"f": Fraction(2, 3), "m": Fraction(1, 3)}}, 100, ["sex"], "marginals")
    ({'sex': {'f': 67, 'm': 33}}, [])
    """
    mistakes = [
        Mistake(f"{place}.{name}", "is not a quasi-identifier", did_you_mean(name, attributes))
        for name in shares
        if name not in attributes
    ]
    mistakes += [
        Mistake(f"{place}.{name}", "is missing: every quasi-identifier needs one", "give its values with their counts")
        for name in attributes
        if name not in shares
    ]
    people: dict[str, dict[Value, int]] = {}
    for name in attributes:
        if name in shares:
            people[name], wrong = _whole(shares[name], size, f"{place}.{name}")
            mistakes += wrong
    if not mistakes:
        mistakes = _disagreeing(people, size, place)
    return people, mistakes


def _whole(numbers: Mapping[Value, Fraction], size: int | None, place: str) -> tuple[dict[Value, int], list[Mistake]]:
    """Counts as they are, shares as whole people."""
    total = sum(numbers.values(), Fraction(0))
    if all(n <= 1 for n in numbers.values()) and abs(total - 1) <= _ROUNDING:
        if size is None:
            return {}, [Mistake(place, "are shares, and nobody says of how many people", "add size: to the promise")]
        return _apportioned({value: n / total for value, n in numbers.items()}, size), []
    crowded = [value for value, n in numbers.items() if n > _MOST]
    if crowded:
        return {}, [Mistake(place, f"has more people than there are: {offenders(crowded)}", "mend the counts")]
    broken = [value for value, n in numbers.items() if n.denominator != 1]
    if not broken:
        return {value: int(n) for value, n in numbers.items()}, []
    if all(n <= 1 for n in numbers.values()):
        rule = f"must be shares that add up to 1, these add up to {float(total):.4g}"
        return {}, [Mistake(place, rule, "give every value its share")]
    rule = "mixes counts and shares" if any(numbers[v] < 1 for v in broken) else "counts whole people"
    return {}, [Mistake(place, f"{rule}; not a whole number: that of {offenders(broken)}", "give counts, or shares")]


def _apportioned(shares: Mapping[Value, Fraction], size: int) -> dict[Value, int]:
    """Whole people that add up to `size`: the largest remainders are rounded up, of equal ones the first."""
    counts = {value: int(share * size) for value, share in shares.items()}
    remainders = sorted(shares, key=lambda value: counts[value] - shares[value] * size)
    for value in remainders[: size - sum(counts.values())]:
        counts[value] += 1
    return counts


def _disagreeing(people: Mapping[str, Mapping[Value, int]], size: int | None, place: str) -> list[Mistake]:
    """Everybody has one value of each attribute, so that all of them add up to the same number of people."""
    totals = {name: sum(counts.values()) for name, counts in people.items()}
    if size is not None:
        return [
            Mistake(f"{place}.{name}", f"adds up to {total:,} people, size says {size:,}", "mend one of them")
            for name, total in totals.items()
            if total != size
        ]
    if len(set(totals.values())) < 2:
        return []
    each = ", ".join(f"{name} {total:,}" for name, total in totals.items())
    return [Mistake(place, f"add up to different numbers of people: {each}", "count the same people in each")]


def marginals_from(
    everybody: Mapping[str, Mapping[Value, int]], frequency: FrequencySet, place: str
) -> tuple[Marginals, list[Mistake]]:
    """What is left of the population's counts when the table's own are taken away; or why they can't be in it."""
    counts, possible = [], []
    mistakes: list[Mistake] = []
    size, whose = 0, "rows" if frequency.owners is None else "people"
    frequency = frequency.in_people
    for hierarchy, codes in zip(frequency.hierarchies, frequency.codes, strict=True):
        listed = everybody[hierarchy.attribute]
        size = sum(listed.values())
        people = np.array([listed.get(leaf, 0) for leaf in hierarchy.leaves], dtype=np.int64)
        inside = _per_leaf(hierarchy, codes, frequency.counts)
        counts.append(people - inside)
        possible.append(people > 0)
        mistakes += _too_few(hierarchy, listed, people, inside, whose, f"{place}.{hierarchy.attribute}")
    if not mistakes and size <= frequency.rows:
        rule = f"are about {size:,} people, and the table alone has {frequency.rows:,} {whose}"
        mistakes = [Mistake(place, rule, "count everybody who could be in the table, with those who are")]
    return Marginals(tuple(counts), tuple(possible), size - frequency.rows), mistakes


def _too_few(
    hierarchy: Hierarchy, listed: Mapping[Value, int], people: IntArray, inside: IntArray, whose: str, place: str
) -> list[Mistake]:
    """Values of the table that nobody was counted with, or fewer people than the table alone has."""
    short = [(hierarchy.leaves[i], int(people[i]), int(inside[i])) for i in np.flatnonzero(inside > people)]
    missing = [leaf for leaf, _, _ in short if leaf not in listed]
    fewer = [f"{offenders([leaf])} ({n:,} people, {r:,} {whose})" for leaf, n, r in short if leaf in listed]
    repair = "count everybody who could be in the table, with those who are, by values written as in the table"
    mistakes = []
    if missing:
        mistakes.append(Mistake(place, f"says nothing of {offenders(missing)}, which the table has", repair))
    if fewer:
        more = f" and {len(fewer) - _SHOWN} more" if len(fewer) > _SHOWN else ""
        rule = f"has fewer people than the table has {whose}: {', '.join(fewer[:_SHOWN])}{more}"
        mistakes.append(Mistake(place, rule, repair))
    return mistakes


def _per_leaf(hierarchy: Hierarchy, codes: Codes, counts: IntArray) -> IntArray:
    return np.bincount(codes, weights=counts, minlength=len(hierarchy.leaves)).astype(np.int64)
