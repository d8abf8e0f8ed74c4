"""What people ask for, each in a cell of one column, beside the counts of a table. Wishes are counted, never published.

A tally of wishes is like one of a sensitive attribute: group g has the pairs ``offsets[g]:offsets[g + 1]``, of which
each row is in one, or in several if its person asks for several things in several rows. A frequency set has one by
combinations, groups have one by groups; what a wish means is for the promises that read it.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import Codes, IntArray, number_equal
from discreet.counts.coding import leaf_numbers, merged
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
    values, person = frequencies.values[:-1], frequencies.person
    columns, sizes = list(frequencies.codes[:-1]), [len(v) for v in values]
    if person is None:
        codes, counts = merged(columns, sizes, frequencies.counts)
        return Frequencies(values, tuple(codes), counts)
    (*codes, owner), counts = merged([*columns, person + 1], [*sizes, len(frequencies.names) + 1], frequencies.counts)
    return Frequencies(values, tuple(codes), counts, owner - np.int32(1), frequencies.names)


def wishes_of(frequency: FrequencySet, counted: Frequencies, attribute: str) -> Tally:
    """The wishes of each combination of a frequency set.

    `counted` are the same rows by quasi-identifiers, sensitive attributes and, last, the column that holds the wishes.
    Where it is known whose rows they are, what somebody asks for in one row is asked for in all of them.
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
    reference[leaves] = counted.rows_by_value(len(counted.values) - 1)
    at, wish, count = row[number[rows:]], leaves[counted.codes[-1]], counted.counts
    if counted.person is not None:
        at, wish, count = _of_all_rows(at, wish, count, counted.person, len(hierarchy.leaves))
    return tally(at, wish, count, rows, reference, hierarchy)


def _of_all_rows(
    row: IntArray, wish: Codes, count: IntArray, person: Codes, wishes: int
) -> tuple[IntArray, Codes, IntArray]:
    """Rows with wishes, where each row has all wishes of its person; rows that are nobody's (−1) have their own."""
    named = person >= 0
    pairs = np.unique(person[named].astype(np.int64) * wishes + wish[named])
    starts = np.searchsorted(pairs, np.arange(int(person.max(initial=-1)) + 2) * wishes)
    seat = number_equal([row[named], person[named]], int(named.sum()))
    first = np.unique(seat, return_index=True)[1]
    owner = person[named][first]
    many = starts[owner + 1] - starts[owner]
    nth = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
    asked = (pairs % wishes)[np.repeat(starts[owner], many) + nth]
    rows = np.bincount(seat, weights=count[named], minlength=len(first)).astype(np.int64)
    return (
        np.concatenate([row[~named], np.repeat(row[named][first], many)]),
        np.concatenate([wish[~named], asked.astype(np.int32)]),
        np.concatenate([count[~named], np.repeat(rows, many)]),
    )


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
