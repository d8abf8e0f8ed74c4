"""Groups of two releases that overlap in a chain: what the people of one pair have tells of those in the next.

If it is known who is in which group of both releases, m(g, h) people are in group g of the one and h of the other. A
world gives x(g, h, v) of them the value v, so that all groups have the values that they publish:

    Σᵥ x(g, h, v) = m(g, h)        Σₕ x(g, h, v) = n₁(g, v)        Σ₉ x(g, h, v) = n₂(h, v)

and there are Π m! / Π x! worlds for each such x. (People who are in one release only are a cell of their own, whose
values the other release says nothing of.) Somebody of a cell has v with the chance E[x(g, h, v)] / m(g, h). Where few
groups hang together, all x are gone through. Elsewhere no x is larger than what the sums leave, so that the largest
x / m bounds the chance. The bounds are made tighter in turns: what a sum leaves for one x is at most the sum less the
least of the others, and at least the sum less the most of the others (Buzzigoli & Giusti 1999).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.audit.association.common_people import Counts

MOST_ENTRIES = 5_000_000  # x that bounds are worked out for; with more of them, only certainty is a bound
MOST_TURNS = 200  # of making bounds tighter; they are right after each
MOST_WORK = 100_000_000  # x gone through in all turns together
MOST_STEPS = 20_000_000  # of going through worlds, of all chains together
MOST_STEPS_OF_ONE = 2_000_000


class Sums(NamedTuple):
    """One kind of sums: entry e counts towards ``total[key[e]]``, or to none if that is −1."""

    key: IntArray
    total: IntArray


class Entries(NamedTuple):
    """The x that are not zero at once: the cell and the value of each, and the three sums that it counts towards."""

    cell: IntArray
    cells: Sums
    here: Sums
    there: Sums


class Search(NamedTuple):
    """What is looked up on the way through worlds, for each of the three kinds of sums.

    The `keys` of entries, what is `left` of each sum, and whether an entry is the `last` of its sum; and bounds of x.
    """

    keys: tuple[IntArray, IntArray, IntArray]
    left: tuple[IntArray, IntArray, IntArray]
    last: BoolArray
    least: IntArray
    most: IntArray


def chained_chances(
    first: IntArray, second: IntArray, common: IntArray, mine: Counts, theirs: Counts
) -> tuple[FloatArray, BoolArray]:
    """Per pair of groups with `common` people in both, the largest chance of a value or a bound of it; which are exact.

    `common` is known of all pairs of groups: whoever is in none of these pairs is in one release only.
    """
    from discreet.audit.association.chain_kernels import go_through, linked  # late: loads numba

    chance, exact = np.ones(len(first)), np.zeros(len(first), dtype=np.bool_)
    entries = _entries(first, second, common, mine, theirs)
    if entries is None:
        return chance, exact
    least, most = _bounds(entries)
    if (least > most).any():  # there is no such world: somebody is not where she was said to be
        return chance, exact
    pairs = entries.cell < len(first)
    chance[:] = 0.0
    np.maximum.at(chance, entries.cell[pairs], most[pairs] / common[entries.cell[pairs]])
    chain = linked(entries.here.key, entries.there.key, entries.cell, len(entries.cells.total))
    order = np.lexsort((entries.cell, chain))
    sorted_entries = Entries(entries.cell[order], *(Sums(sums.key[order], sums.total) for sums in entries[1:]))
    expected, settled = go_through(
        sorted_entries, chain[order], least[order], most[order], MOST_STEPS_OF_ONE, MOST_STEPS
    )
    counted = pairs[order] & settled
    at = sorted_entries.cell[counted]
    exact[at] = True
    chance[exact] = 0.0
    np.maximum.at(chance, at, expected[counted] / common[at])
    return np.round(chance, 12), exact


def _entries(first: IntArray, second: IntArray, common: IntArray, mine: Counts, theirs: Counts) -> Entries | None:
    """All x that may be more than nothing; None if they are too many."""
    rest_1 = _rest(mine, first, common)
    rest_2 = _rest(theirs, second, common)
    alone_1, alone_2 = np.flatnonzero(rest_1), np.flatnonzero(rest_2)
    group = np.concatenate([first, alone_1])
    many = np.diff(mine.starts)[group]
    if many.sum() + np.diff(theirs.starts)[alone_2].sum() > MOST_ENTRIES:
        return None
    cell = np.repeat(np.arange(len(group)), many)
    here = _within(mine.starts[group], many)
    there = np.full(len(cell), -1, dtype=np.int64)
    of_pair = cell < len(first)
    width = int(max(mine.values.max(initial=0), theirs.values.max(initial=0))) + 1
    known = np.repeat(np.arange(len(theirs.starts) - 1), np.diff(theirs.starts)) * width + theirs.values
    wanted = second[cell[of_pair]] * width + mine.values[here[of_pair]]
    at = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
    there[of_pair] = np.where(known[at] == wanted, at, -2) if len(known) else -2
    kept = there != -2  # the other group has not that value
    of_others = np.repeat(len(group) + np.arange(len(alone_2)), np.diff(theirs.starts)[alone_2])
    theirs_alone = _within(theirs.starts[alone_2], np.diff(theirs.starts)[alone_2])
    cell = np.concatenate([cell[kept], of_others])
    return Entries(
        cell,
        Sums(cell, np.concatenate([common, rest_1[alone_1], rest_2[alone_2]])),
        Sums(np.concatenate([here[kept], np.full(len(of_others), -1, dtype=np.int64)]), mine.counts),
        Sums(np.concatenate([there[kept], theirs_alone]), theirs.counts),
    )


def _rest(counts: Counts, group: IntArray, common: IntArray) -> IntArray:
    """How many people of each group are in none of the pairs."""
    groups = len(counts.starts) - 1
    of_entry = np.repeat(np.arange(groups), np.diff(counts.starts))
    sizes = np.bincount(of_entry, weights=counts.counts, minlength=groups)
    rest = sizes - np.bincount(group, weights=common, minlength=groups)
    people: IntArray = np.maximum(rest, 0).astype(np.int64)
    return people


def _within(starts: IntArray, many: IntArray) -> IntArray:
    """``starts[i], starts[i] + 1, …``, `many` of each."""
    before = np.cumsum(many) - many
    places: IntArray = np.repeat(starts - before, many) + np.arange(int(many.sum()))
    return places


def _bounds(entries: Entries) -> tuple[IntArray, IntArray]:
    """The least and the most that each x can be, as far as the sums tell."""
    least = np.zeros(len(entries.cell), dtype=np.int64)
    most = np.full(len(entries.cell), np.iinfo(np.int64).max // (len(entries.cell) + 2), dtype=np.int64)
    kinds = [(np.flatnonzero(sums.key >= 0), sums) for sums in (entries.cells, entries.here, entries.there)]
    for some, (key, total) in kinds:
        most[some] = np.minimum(most[some], total[key[some]])
    for _ in range(min(MOST_TURNS, 1 + MOST_WORK // max(len(least), 1))):
        tighter = False
        for some, (key, total) in kinds:
            of = key[some]
            lowest = np.bincount(of, weights=least[some], minlength=len(total)).astype(np.int64)
            highest = np.bincount(of, weights=most[some], minlength=len(total)).astype(np.int64)
            left = np.minimum(most[some], total[of] - (lowest[of] - least[some]))
            needed = np.maximum(least[some], total[of] - (highest[of] - most[some]))
            tighter |= bool((left < most[some]).any() or (needed > least[some]).any())
            most[some], least[some] = left, needed
        if not tighter or (least > most).any():
            break
    return least, most
