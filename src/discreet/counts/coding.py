"""From what an engine counted to a frequency set: values become leaf numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.owners import owners_of
from discreet.engines.base import Frequencies
from discreet.hierarchies.hierarchy import Hierarchy

_MANY = 100_000  # combinations: fewer are sorted before the compiled loops are there


def frequency_set(
    frequencies: Frequencies,
    quasi_identifiers: Sequence[Hierarchy],
    sensitive: Mapping[str, Hierarchy],
    leaf_rows: tuple[IntArray, ...] | None = None,
) -> FrequencySet:
    """Code the columns of `frequencies`: first the quasi-identifiers, then the sensitive attributes, in order.

    The combinations are put in the order of their codes, so that a search and a seed give the same release in whatever
    order the engine answered. If it is known whose they are, the set has owners, unless nobody has several rows.
    Whoever is not named is a person by himself, row by row.
    """
    hierarchies = [*quasi_identifiers, *sensitive.values()]
    leaves = [leaf_numbers(h, v) for h, v in zip(hierarchies, frequencies.values, strict=True)]
    sizes, counts, owners = [len(h.leaves) for h in hierarchies], frequencies.counts, None
    if frequencies.person is None:
        codes, order = _in_order(_Leaves(leaves, frequencies.codes), sizes, len(counts))
        counts = np.ascontiguousarray(counts[order])
    else:
        codes, owner, each = _owned([*_Leaves(leaves, frequencies.codes)], sizes, frequencies)
        first = _changes(codes, len(each))
        row, codes = np.cumsum(first) - 1, [c[first] for c in codes]
        counts = np.add.reduceat(each, np.flatnonzero(first)) if len(each) else each
        owners = owners_of(
            row, owner, each, dict(zip(sensitive, codes[len(quasi_identifiers) :], strict=True)), sensitive
        )
        owners = None if owners is None else replace(owners, names=frequencies.names)
    width = len(quasi_identifiers)
    known = [
        np.bincount(leaf, weights=frequencies.rows_by_value(i), minlength=size).astype(np.int64)
        for i, (leaf, size) in enumerate(zip(leaves, sizes, strict=True))
    ]
    return FrequencySet(
        tuple(quasi_identifiers),
        tuple(codes[:width]),
        dict(zip(sensitive, codes[width:], strict=True)),
        dict(sensitive),
        counts,
        leaf_rows=leaf_rows,
        owners=owners,
    ).counted_before(known[:width], known[width:])


@dataclass(frozen=True)
class _Leaves(Sequence[Codes]):
    """Columns of leaf numbers, each made when it is asked for: all at once they are as large as what comes of them."""

    leaves: Sequence[Codes]  # of the values of each column
    codes: Sequence[Codes]

    def __len__(self) -> int:
        return len(self.leaves)

    @overload
    def __getitem__(self, column: int) -> Codes: ...
    @overload
    def __getitem__(self, column: slice) -> list[Codes]: ...
    def __getitem__(self, column: int | slice) -> Codes | list[Codes]:
        if isinstance(column, slice):
            return [self[c] for c in range(*column.indices(len(self)))]
        return self.leaves[column][self.codes[column]]


def _owned(codes: list[Codes], sizes: Sequence[int], frequencies: Frequencies) -> tuple[list[Codes], Codes, IntArray]:
    """The columns, whose each combination is, and its rows, in order; whoever is not named is one person for each row.

    The numbers of people don't hang on the order of the engine's answer.
    """
    owner, counts, many = frequencies.person, frequencies.counts, len(frequencies.names)
    nameless = np.flatnonzero(owner < 0)
    if len(nameless):
        nameless = nameless[_in_order([c[nameless] for c in codes], sizes, len(nameless))[1]]
        named = np.flatnonzero(owner >= 0)
        at = np.concatenate([named, np.repeat(nameless, counts[nameless])])
        more = len(at) - len(named)
        owner = np.concatenate([owner[named], many + np.arange(more, dtype=np.int32)])
        counts = np.concatenate([counts[named], np.ones(more, dtype=np.int64)])
        codes, many = [c[at] for c in codes], many + more
    (*codes, owner), order = _in_order([*codes, owner], [*sizes, many], len(counts))
    return codes, owner, counts[order]


def merged(columns: Sequence[Any], sizes: Sequence[int], count: IntArray) -> tuple[list[Codes], IntArray]:
    """The distinct combinations of coded columns in order, first column first, and the sum of their counts.

    >>> [columns, count] = merged([np.array([1, 0, 1]), np.array([2, 0, 2])], [2, 3], np.array([1, 1, 4]))
    >>> [c.tolist() for c in columns], count.tolist()
    ([[0, 1], [0, 2]], [1, 5])
    """
    ordered, order = _in_order(columns, sizes, len(count))
    first = np.flatnonzero(_changes(ordered, len(count)))
    total = np.add.reduceat(count[order], first) if len(first) else count[:0]
    return [c[first] for c in ordered], total.astype(np.int64)


def _changes(ordered: Sequence[Any], rows: int) -> BoolArray:
    """Which combinations, in order, differ from the one before."""
    new = np.zeros(rows, dtype=np.bool_)
    new[:1] = True
    for c in ordered:
        new[1:] |= c[1:] != c[:-1]
    return new


def _in_order(codes: Sequence[Any], sizes: Sequence[int], rows: int) -> tuple[list[Codes], IntArray]:
    """The combinations sorted by their codes, first column first, and what sorts them. Codes lie below `sizes`."""
    bits = [max(1, (size - 1).bit_length()) for size in sizes]
    places = max(1, (rows - 1).bit_length())
    if rows > _MANY and sum(bits) + places > 63 and max(bits) <= places:
        return counted_into_order(codes, bits, places)
    if sum(bits) > 63:
        order = np.lexsort(codes[::-1])
        return [np.ascontiguousarray(c[order]) for c in codes], order
    key = np.zeros(rows, dtype=np.int64)  # one sort of packed keys instead of one per column: 5 times as fast
    for code, width in zip(codes, bits, strict=True):
        key <<= width
        key |= code
    if sum(bits) + places <= 63:  # the place rides along in the low bits: sorting values is 5 times as fast as argsort
        key <<= places
        key |= np.arange(rows, dtype=np.int64)
        key.sort()
        order = key & ((1 << places) - 1)
        key >>= places
    else:
        order = np.argsort(key, kind="stable")
        key = key[order]
    unpacked = []  # from the sorted keys, which are read in order; a column by itself would be read at random
    for width in reversed(bits):
        unpacked.append((key & ((1 << width) - 1)).astype(np.int32))
        key >>= width
    return unpacked[::-1], order


def counted_into_order(codes: Sequence[Any], bits: Sequence[int], most: int) -> tuple[list[Codes], IntArray]:
    """The same by counting, the last columns first, as many at a time as have `most` bits together.

    A million combinations of 49 bits: a third of the time of a sort.
    """
    from discreet.counts.kernels import members_by_group  # late: reading a policy should not wait for numba

    parts: list[list[int]] = []
    for column in reversed(range(len(codes))):
        if not parts or bits[column] + sum(bits[c] for c in parts[-1]) > most:
            parts.append([])
        parts[-1].insert(0, column)
    keys, order = [], None
    for part in parts:
        key = codes[part[0]].astype(np.int32)
        for column in part[1:]:
            key = (key << bits[column]) | codes[column]
        keys.append(key)
        members = members_by_group(key if order is None else key[order], int(key.max(initial=0)) + 1)[1]
        order = members if order is None else order[members]
    assert order is not None
    ordered: dict[int, Codes] = {}
    for part, key in zip(parts, keys, strict=True):
        here = key[order]
        for column in reversed(part):
            ordered[column] = here & np.int32((1 << bits[column]) - 1)
            here >>= bits[column]
    return [ordered[column] for column in range(len(codes))], order


def leaf_numbers(hierarchy: Hierarchy, values: Sequence[str | None]) -> Codes:
    """The leaf of each value."""
    return np.array([hierarchy.index[v] for v in values], dtype=np.int32)
