"""Tables for the tests of summaries, and what a summary should say of them, by listing every combination of leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, product

import numpy as np

from discreet.engines.base import PairCounts
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.hierarchies.rules import Flat, Taxonomy
from tests.strategies import Table

# Table I of the paper.
PEOPLE = [
    ("M", "US", "Grad", "L"),
    ("M", "Spain", "Grad", "L"),
    ("F", "Italy", "Pdoc", "H"),
    ("F", "Brazil", "Pdoc", "L"),
    ("M", "Canada", "Prof", "H"),
    ("F", "US", "Prof", "H"),
    ("F", "France", "Prof", "L"),
    ("M", "Italy", "Prof", "H"),
]
NATIONS = {
    "US": ("AM",),
    "Canada": ("AM",),
    "Brazil": ("AM",),
    "Spain": ("EU",),
    "Italy": ("EU",),
    "France": ("EU",),
}
RULES = {"sex": Flat(), "nation": Taxonomy(NATIONS), "occupation": Flat(), "salary": Flat()}


def counted(columns: Sequence[str], rows: Sequence[tuple[Value, ...]]) -> PairCounts:
    """The counts of pairs, row by row."""
    values = [tuple(dict.fromkeys(column)) for column in zip(*rows, strict=True)]
    singles = [np.array([sum(row[i] == v for row in rows) for v in found]) for i, found in enumerate(values)]
    pairs = {}
    for i, j in combinations(range(len(columns)), 2):
        seen = Counter((row[i], row[j]) for row in rows)
        pairs[i, j] = np.array([[seen[a, b] for b in values[j]] for a in values[i]])
    return PairCounts(tuple(columns), tuple(values), tuple(singles), pairs)


def of_people() -> tuple[PairCounts, list[Hierarchy], dict[str, Hierarchy]]:
    """The paper's table, as builders want it."""
    found = counted(list(RULES), PEOPLE)
    built = [build(name, values, RULES[name]) for name, values in zip(RULES, found.values, strict=True)]
    return found, built[:3], {"salary": built[3]}


def of_table(table: Table) -> tuple[PairCounts, list[Hierarchy], dict[str, Hierarchy]]:
    """A random table, as builders want it."""
    frequency = table.frequency()
    names = [*frequency.attributes, *frequency.sensitive]
    rows = list(zip(*zip(*table.rows, strict=True), *table.sensitive.values(), strict=True))
    return counted(names, rows), list(frequency.hierarchies), dict(frequency.sensitive_hierarchies)


def boxes_of(hierarchies: Sequence[Hierarchy], node: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    """All groups of a node, as the first and last leaf of each attribute."""
    ends = [
        list(zip(h.first[level].tolist(), h.last[level].tolist(), strict=True))
        for h, level in zip(hierarchies, node, strict=True)
    ]
    return product(*ends)
