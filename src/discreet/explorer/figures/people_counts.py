"""How many people have each value of a column: each person once, whatever their rows."""

from __future__ import annotations

import numpy as np

from discreet.arrays import IntArray
from discreet.engines.base import Frequencies


def values_by_people(frequencies: Frequencies, column: int, most: int) -> list[tuple[str | None, int, int]]:
    """The most frequent values, each with how many rows and how many people have it.

    >>> visits = Frequencies((("flu", "cold"),), (np.array([0, 0, 1]),), np.array([9, 1, 4]), np.array([0, 1, 0]))
    >>> values_by_people(visits, 0, 5)
    [('flu', 10, 2), ('cold', 4, 1)]
    """
    rows, people = frequencies.rows_by_value(column), people_by_value(frequencies, column)
    values = frequencies.values[column]
    order = sorted(range(len(values)), key=lambda i: (-int(rows[i]), values[i] is None, values[i] or ""))
    return [(values[i], int(rows[i]), int(people[i])) for i in order[:most]]


def people_by_value(frequencies: Frequencies, column: int) -> IntArray:
    """How many people have each value, all who are not named being one; where nobody knows whose the rows are, how many
    rows."""
    if frequencies.person is None:
        return frequencies.rows_by_value(column)
    pairs = np.unique(np.stack([frequencies.codes[column], frequencies.person]), axis=1)
    return np.bincount(pairs[0], minlength=len(frequencies.values[column])).astype(np.int64)
