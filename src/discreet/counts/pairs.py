"""How values of two attributes go together among the people outside of a table, and how much of them falls in boxes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.counts.frequency import Edge, FrequencySet, Marginals, Pairs, Population
from discreet.counts.structure import heaviest_caterpillar, mutual_information
from discreet.errors import DataError, Mistake, offenders
from discreet.hierarchies.hierarchy import Hierarchy, Value

MOST_CELLS = 50_000_000  # of all tables of pairs together: half a gigabyte
_DIGITS = 9  # of what a pair tells, in nats: equal pairs stay equal whatever rounding did
_SHOWN = 10  # mistakes of one pair

# Per two columns, how many people have two values at once.
PeopleByPair = Mapping[tuple[str, str], Mapping[tuple[Value, Value], int]]


def check_cells(attributes: Sequence[str], leaves: Sequence[int], place: str) -> None:
    """Refuse attributes of which all pairs of values would not fit into memory."""
    cells = sum(a * b for a, b in combinations(leaves, 2))
    if cells > MOST_CELLS:
        widest = offenders([attributes[int(np.argmax(leaves))]])
        rule = f"would count {cells:,} pairs of values, more than {MOST_CELLS:,}"
        raise DataError(Mistake(place, rule, f"publish {widest} as something coarser (publish_as), or know marginals"))


def pair_table(first: Codes, second: Codes, counts: IntArray, leaves: tuple[int, int]) -> IntArray:
    """How many people have each leaf of the one and of the other attribute.

    >>> pair_table(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([5, 2, 1]), (2, 2)).tolist()
    [[5, 0], [2, 1]]
    """
    place = first.astype(np.int64) * leaves[1] + second
    found: IntArray = np.bincount(place, weights=counts, minlength=leaves[0] * leaves[1]).astype(np.int64)
    return found.reshape(leaves)


def pairs_of(population: Population, leaves: Sequence[int]) -> dict[Edge, IntArray]:
    """All pairs of attributes of a population."""
    return {
        (i, j): pair_table(population.codes[i], population.codes[j], population.counts, (leaves[i], leaves[j]))
        for i, j in combinations(range(len(leaves)), 2)
    }


def in_pairs(frequency: FrequencySet, edges: Sequence[Edge]) -> dict[Edge, IntArray]:
    """The same of the people of a table, each counted once."""
    frequency = frequency.in_people
    leaves = [len(h.leaves) for h in frequency.hierarchies]
    return {
        (i, j): pair_table(frequency.codes[i], frequency.codes[j], frequency.counts, (leaves[i], leaves[j]))
        for i, j in edges
    }


def outside_pairs(everybody: Mapping[Edge, IntArray], inside: Mapping[Edge, IntArray]) -> Pairs | None:
    """What is left of everybody without those in the table; None if of two values together fewer people were counted.

    The tree follows from everybody: it does not depend on who is in the table.
    """
    left = {edge: everybody[edge] - inside[edge] for edge in everybody}
    if any((table < 0).any() for table in left.values()):
        return None
    told = {edge: round(mutual_information(table), _DIGITS) for edge, table in everybody.items()}
    return Pairs(left, heaviest_caterpillar(told))


def with_pairs(marginals: Marginals, population: Population, frequency: FrequencySet, place: str) -> Marginals:
    """Marginals of a population, and how its values go together two by two."""
    leaves = [len(h.leaves) for h in frequency.hierarchies]
    check_cells(frequency.attributes, leaves, place)
    everybody = pairs_of(population, leaves)
    pairs = outside_pairs(everybody, in_pairs(frequency, list(everybody)))
    assert pairs is not None, "the table's people are among the population"
    return replace(marginals, pairs=pairs)


def tables_of(people: PeopleByPair, hierarchies: Sequence[Hierarchy]) -> dict[Edge, IntArray]:
    """Counts of listed pairs by leaves, attributes in their order. Values that no leaf stands for are left out."""
    place = {h.attribute: d for d, h in enumerate(hierarchies)}
    leaf = [{value: n for n, value in enumerate(h.leaves)} for h in hierarchies]
    tables: dict[Edge, IntArray] = {}
    for (first, second), counts in people.items():
        i, j = place[first], place[second]
        turned = i > j
        i, j = min(i, j), max(i, j)
        table = np.zeros((len(leaf[i]), len(leaf[j])), dtype=np.int64)
        for (a, b), many in counts.items():
            one, other = (b, a) if turned else (a, b)
            if one in leaf[i] and other in leaf[j]:
                table[leaf[i][one], leaf[j][other]] += many
        tables[i, j] = table
    return tables


def pairs_from(people: PeopleByPair, frequency: FrequencySet, place: str) -> tuple[Pairs | None, list[Mistake]]:
    """What is left of listed pairs when the table's own are taken away; or why they can't be in them."""
    everybody = tables_of(people, frequency.hierarchies)
    inside = in_pairs(frequency, list(everybody))
    pairs = outside_pairs(everybody, inside)
    if pairs is not None:
        return pairs, []
    return None, [
        mistake
        for edge, table in everybody.items()
        for mistake in _too_few(frequency.hierarchies, edge, table, inside[edge], place)
    ]


def _too_few(
    hierarchies: Sequence[Hierarchy], edge: Edge, everybody: IntArray, inside: IntArray, place: str
) -> Iterator[Mistake]:
    """Two values that the table has together more often than the people who were counted."""
    one, other = (hierarchies[d] for d in edge)
    short = int((inside > everybody).sum())
    if short:
        what = "1 pair of values has" if short == 1 else f"{short:,} pairs of values have"
        rule = f"{what} more people in the table than were counted"
        repair = "count everybody who could be in the table, with those who are, by values written as in the table"
        yield Mistake(f"{place}.{one.attribute}, {other.attribute}", rule, repair)


def disagreeing(people: PeopleByPair, by_value: Mapping[str, Mapping[Value, int]], place: str) -> list[Mistake]:
    """Pairs that are about other people than the marginals: whoever has a value has it with one of the other's.

    >>> by_value = {"sex": {"f": 2, "m": 2}, "age": {"1": 5}}
    >>> disagreeing({("sex", "age"): {("f", "1"): 2, ("m", "1"): 3}}, by_value, "pairs")
    [Mistake(place='pairs.sex, age', rule="has other numbers of people than the marginals of 'sex': 'm' (3, not 2)", \
repair='count the same people in both')]
    """
    mistakes: list[Mistake] = []
    for names, counts in people.items():
        for at, name in enumerate(names):
            added: dict[Value, int] = {}
            for values, many in counts.items():
                added[values[at]] = added.get(values[at], 0) + many
            listed = by_value.get(name, added)
            wrong = [v for v in {**listed, **added} if added.get(v, 0) != listed.get(v, 0)]
            if wrong:
                each = ", ".join(
                    f"{offenders([v])} ({added.get(v, 0):,}, not {listed.get(v, 0):,})" for v in wrong[:_SHOWN]
                )
                more = f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
                rule = f"has other numbers of people than the marginals of {name!r}: {each}{more}"
                mistakes.append(Mistake(f"{place}.{', '.join(names)}", rule, "count the same people in both"))
    return mistakes
