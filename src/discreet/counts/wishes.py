"""What people ask for, each in a cell of one column, beside the counts of a table. Wishes are counted, never published.

A tally of wishes is like one of a sensitive attribute: group g has the pairs ``offsets[g]:offsets[g + 1]``. A frequency
set has one by combinations, groups have one by groups; what a wish means is for the promises that read it.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import IntArray, number_equal
from discreet.counts.coding import leaf_numbers, merged, value_counts
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Tally, tally
from discreet.engines.base import Frequencies
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat


def without_last(frequencies: Frequencies) -> Frequencies:
    """The same rows counted without the last column.

    >>> counted = Frequencies((("a",), ("x", "y")), (np.array([0, 0]), np.array([0, 1])), np.array([3, 1]))
    >>> without_last(counted).counts
    array([4])
    """
    values = frequencies.values[:-1]
    codes, counts = merged(frequencies.codes[:-1], [len(v) for v in values], frequencies.counts)
    return Frequencies(values, tuple(codes), counts)


def wishes_of(frequency: FrequencySet, counted: Frequencies, attribute: str) -> Tally:
    """The wishes of each combination of a frequency set.

    `counted` are the same rows by quasi-identifiers, sensitive attributes and, last, the column that holds the wishes.
    """
    hierarchies = [*frequency.hierarchies, *frequency.sensitive_hierarchies.values()]
    own = [*frequency.codes, *frequency.sensitive.values()]
    theirs = [leaf_numbers(h, v)[c] for h, v, c in zip(hierarchies, counted.values, counted.codes, strict=False)]
    rows = len(frequency.counts)
    number = number_equal([np.concatenate(pair) for pair in zip(own, theirs, strict=True)], rows + len(counted.counts))
    row = np.zeros(int(number.max(initial=-1)) + 1, dtype=np.int64)
    row[number[:rows]] = np.arange(rows)
    hierarchy = build(attribute, counted.values[-1], Flat())
    leaves = leaf_numbers(hierarchy, counted.values[-1])
    reference = np.zeros(len(hierarchy.leaves), dtype=np.int64)
    reference[leaves] = value_counts(counted, len(counted.values) - 1)
    wish = leaves[counted.codes[-1]]
    return tally(row[number[rows:]], wish, counted.counts, rows, reference, hierarchy)


def wishes_in_groups(wishes: Tally | None, row: IntArray, group: IntArray, groups: int) -> Tally | None:
    """The wishes of groups that hold the combinations `row` of a frequency set, each in the `group` beside it (−1: in
    none). People of one combination can't be told apart: what one of them asks for counts wherever another stands.
    """
    if wishes is None:
        return None
    row, group = row[group >= 0], group[group >= 0]
    many = np.diff(wishes.offsets)[row]
    before = np.cumsum(many) - many
    pair = np.repeat(wishes.offsets[row] - before, many) + np.arange(int(many.sum()))
    of_pair = np.repeat(group, many)
    return tally(of_pair, wishes.values[pair], wishes.counts[pair], groups, wishes.reference, wishes.hierarchy)
