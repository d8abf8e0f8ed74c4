"""Rows whose columns are published in tables apart: a code for each table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from hypothesis import strategies as st

from discreet.counts.groups import Groups, entries_of

Row = tuple[int, ...]  # a code for each table
Point = tuple[int, ...]


def groups_of(rows: Sequence[Sequence[Row]]) -> Groups:
    """Groups of rows, as their tables tell of them."""
    group = np.repeat(np.arange(len(rows)), [len(some) for some in rows])
    flat = np.array([row for some in rows for row in some], dtype=np.int64)
    entries = entries_of([(group, [column]) for column in flat.T], len(rows))
    sizes = np.array([len(some) for some in rows])
    return Groups(sizes, distinct=entries.distinct, entries=entries)


def listed(some: Sequence[Row]) -> list[set[int]]:
    return [set(column) for column in zip(*some, strict=True)]


def chance(some: Sequence[Row]) -> Fraction:
    return min(Fraction(len(some), math.prod(len(values) for values in listed(some))), Fraction(1))


def sums(rows: Sequence[Sequence[Row]]) -> dict[Point, Fraction]:
    """The sum for every combination that any group covers, in the plainest way."""
    found: dict[Point, Fraction] = {}
    for some in rows:
        for point in product(*listed(some)):
            found[point] = found.get(point, Fraction(0)) + chance(some)
    return found


def rows_of(tables: int, values: int, most_groups: int, most_rows: int) -> st.SearchStrategy[list[list[Row]]]:
    row = st.tuples(*[st.integers(0, values - 1)] * tables)
    return st.lists(st.lists(row, min_size=1, max_size=most_rows), min_size=1, max_size=most_groups)


few_people = st.lists(
    st.sets(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=3).map(list),
    min_size=1,
    max_size=3,
)


def worlds_of(some: Sequence[Row]) -> Iterator[frozenset[Point]]:
    """All sets of people that the tables of one group could be about: as many as its rows, and every value is one's."""
    values = listed(some)
    for people in combinations(product(*values), len(some)):
        if [set(column) for column in zip(*people, strict=True)] == values:
            yield frozenset(people)


def shares(rows: Sequence[Sequence[Row]]) -> dict[Point, Fraction]:
    """In which share of all worlds each combination is in the table; every group is filled by itself."""
    together = list(product(*(list(worlds_of(some)) for some in rows)))
    return {point: Fraction(sum(any(point in g for g in w) for w in together), len(together)) for point in sums(rows)}
