"""The eight patients of the ambiguity paper, and random tables for its search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.counts.frequency import FrequencySet
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.hierarchies.hierarchy import Value
from tests.patients import NAMES
from tests.patients import PATIENTS as ROWS


def frequency_of(names: Sequence[str], rows: Sequence[Sequence[Value]]) -> FrequencySet:
    """The frequency set of some rows, in their order; the last column is sensitive."""
    counts: dict[tuple[Value, ...], int] = {}
    for row in rows:
        counts[tuple(row)] = counts.get(tuple(row), 0) + 1
    columns = list(zip(*counts, strict=True))
    hierarchies = [build(name, list(column), Flat()) for name, column in zip(names, columns, strict=True)]
    codes = [
        np.array([h.index[value] for value in column], dtype=np.int32)
        for h, column in zip(hierarchies, columns, strict=True)
    ]
    return FrequencySet(
        tuple(hierarchies[:-1]),
        tuple(codes[:-1]),
        {names[-1]: codes[-1]},
        {names[-1]: hierarchies[-1]},
        np.array(list(counts.values()), dtype=np.int64),
    )


PATIENTS = frequency_of(NAMES, ROWS)


def random_table(rows: int, leaves: Sequence[int], values: int, seed: int = 0) -> FrequencySet:
    """Independent attributes with so many leaves each, evenly spread."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, n, rows).astype(str).tolist() for n in [*leaves, values]]
    names = [*(f"q{d}" for d in range(len(leaves))), "s"]
    return frequency_of(names, list(zip(*columns, strict=True)))
