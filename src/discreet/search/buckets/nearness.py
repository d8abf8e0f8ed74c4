"""Units of people who are alike: for tables of coarser values, whose labels are as wide as a unit is.

Who stands in which signature is settled before, by lot. Here people are only exchanged within one signature, which has
as many of each of its values. Nothing is asked but whether two of them have the same value: whichever name a value of
the signature has, the units come out the same. So whoever knows all quasi-identifiers and this rule may exchange the
names of its values among all who stand in it, and has another table that is as likely: of anybody, each value of the
signature remains as likely as any other. She learns of *several*, though, that near ones who were not put together
rather have the same value (docs/chains.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import IntArray, number_equal
from discreet.counts.frequency import FrequencySet
from discreet.search.buckets.ranks import HELD_BACK, rank_among

if TYPE_CHECKING:
    from discreet.search.buckets.nearness_kernels import Widths

_BITS = 62
_WINDOW = 50  # units beside each that people are exchanged with
_PASSES = 5


def nearest_order(f: FrequencySet, row: IntArray, rng: np.random.Generator) -> IntArray:
    """A rank of rows in which neighbours are near in all quasi-identifiers at once; ties by lot.

    Every attribute halves the rows by turns, as a cut at the median would (Morton 1966): the place of a row in each is
    the share of rows below it, and the binary digits of these are shuffled together. It asks for no sensitive value.
    """
    digits = max(_BITS // max(len(f.hierarchies), 1), 1)
    widths = [len(h.leaves) for h in f.hierarchies]
    order = np.argsort(widths, kind="stable").tolist()[:_BITS]  # what has few values loses most by a step
    places = []
    for d in order:
        many = np.bincount(f.codes[d][row], minlength=widths[d])
        middle = (np.cumsum(many) - many / 2) / max(len(row), 1)  # of all rows with a value, between 0 and 1
        places.append(np.minimum((middle * (1 << digits)).astype(np.int64), (1 << digits) - 1)[f.codes[d][row]])
    key = np.zeros(len(row), dtype=np.int64)
    for digit in reversed(range(digits)):
        for place in places:
            key = (key << 1) | ((place >> digit) & 1)
    by = np.lexsort((rng.random(len(row)), key))
    ranks = np.empty(len(row), dtype=np.int64)
    ranks[by] = np.arange(len(row))
    return ranks


def near_units(
    unit: IntArray, signature_of: IntArray, value: IntArray, near: IntArray, lot: IntArray
) -> tuple[IntArray, IntArray]:
    """The same people in as many units of the same signatures, of people who stand near each other; others stay out.

    The people of a signature are parted into pairs of neighbours, these into fours, and so on. Wherever a part has
    somebody of each value, they are a unit; who of those with one value is left to chance (`lot`). Whoever is left over
    waits for the larger part. In the largest one as many of each value are left.

    >>> unit, value = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    >>> near_units(unit, np.array([0, 0]), value, np.array([0, 2, 3, 1]), np.arange(4))  # 0 and 3 are neighbours
    (array([0, 1, 1, 0]), array([0, 0]))
    """
    made = np.full(len(unit), HELD_BACK, dtype=np.int64)
    waiting = np.flatnonzero(unit != HELD_BACK)
    own = np.full(len(unit), -1, dtype=np.int64)
    own[waiting] = signature_of[unit[waiting]]
    place = rank_among(own, near)
    many = values_of(own[waiting], value[waiting])
    signatures: list[IntArray] = []
    units, size = 0, 2
    while len(waiting) and size < 4 * len(unit):  # in the largest part everybody finds a place
        part = number_equal([own[waiting], place[waiting] // size], len(waiting))
        kind = number_equal([part, value[waiting]], len(waiting))
        counts = np.bincount(kind)
        part_of_kind = np.zeros(len(counts), dtype=np.int64)
        part_of_kind[kind] = part
        parts = int(part.max()) + 1
        own_of_part = np.zeros(parts, dtype=np.int64)
        own_of_part[part] = own[waiting]
        fewest = np.full(parts, len(waiting), dtype=np.int64)
        np.minimum.at(fewest, part_of_kind, counts)
        fewest[np.bincount(part_of_kind, minlength=parts) < many[own_of_part]] = 0  # somebody lacks
        stands = rank_among(kind, lot[waiting])
        placed = stands < fewest[part]
        begin = units + np.cumsum(fewest) - fewest
        made[waiting[placed]] = (begin[part] + stands)[placed]
        signatures.append(np.repeat(own_of_part, fewest))
        units += int(fewest.sum())
        waiting = waiting[~placed]
        size *= 2
    return made, np.concatenate([np.zeros(0, dtype=np.int64), *signatures])


def values_of(signature: IntArray, value: IntArray) -> IntArray:
    """How many values people of each signature have."""
    pairs = np.unique(np.stack([signature, value], axis=1), axis=0) if len(value) else np.zeros((0, 2), dtype=np.int64)
    return np.bincount(pairs[:, 0].astype(np.int64)).astype(np.int64)


def nearer(
    unit: IntArray,
    signature_of: IntArray,
    value: IntArray,
    lot: IntArray,
    *,
    near: IntArray,
    f: FrequencySet,
    row: IntArray,
) -> IntArray:
    """The same units with people exchanged, value for value, while that makes what they publish narrower.

    Values of a signature are taken in the order of the lowest lot that somebody with it has: their names don't count.
    """
    from discreet.search.buckets.nearness_kernels import Widths, exchanged  # late: most runs need no compiled code

    stands = np.flatnonzero(unit != HELD_BACK)
    if not len(stands):
        return unit
    own = signature_of[unit[stands]]
    kind = number_equal([own, value[stands]], len(stands))
    lowest = np.full(int(kind.max()) + 1, len(lot), dtype=np.int64)
    np.minimum.at(lowest, kind, lot[stands])
    middle = np.bincount(unit[stands], weights=near[stands]) / np.bincount(unit[stands])
    order = np.lexsort((np.arange(len(signature_of)), middle, signature_of))  # of units: by signature, then by place
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    slot = rank_among(unit[stands], lowest[kind])
    people = np.full((len(order), int(slot.max()) + 1), -1, dtype=np.int64)
    people[place[unit[stands]], slot] = stands
    begin = np.searchsorted(signature_of[order], np.arange(int(signature_of.max()) + 2)).astype(np.int64)
    codes = np.stack([c[row] for c in f.codes], axis=1).astype(np.int32)
    exchanged(people, codes, begin, _WINDOW, _PASSES, _widths(f, Widths))
    made = unit.copy()
    made[people[people >= 0]] = np.repeat(order, (people >= 0).sum(axis=1))
    return made


def _widths(f: FrequencySet, widths: type[Widths]) -> Widths:
    ranges = np.array([h.ranges for h in f.hierarchies], dtype=np.bool_)
    nodes = [h for h in f.hierarchies if not h.ranges]
    levels, leaves = max((h.height for h in nodes), default=0) + 1, max((len(h.leaves) for h in nodes), default=1)
    shape = (len(f.hierarchies), levels, leaves)
    first, last = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)
    for d, h in enumerate(f.hierarchies):
        for level in range(h.height + 1) if not h.ranges else ():
            first[d, level, : len(h.leaves)] = h.first[level][h.codes[level]]
            last[d, level, : len(h.leaves)] = h.last[level][h.codes[level]]
    share = np.array([1 / max(len(h.leaves) - 1, 1) for h in f.hierarchies])
    return widths(ranges, first, last, share)
