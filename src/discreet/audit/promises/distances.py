"""How far the values of a group are from those of the whole table: earth mover's distances, in whole numbers.

The least work that turns one distribution into another, by what it costs to move a share from one value to another.
Each function returns a numerator per group; the distance is numerator / (`steps` · n · N), n being the group's total
and N the table's: nothing is rounded before it is compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.arrays import IntArray
from discreet.audit.reading.tallies import Summed, Whole

_DENSE = 4_000_000  # numbers held at once


def equal_distances(summed: Summed, whole: Whole) -> tuple[IntArray, int]:
    """Every move costs 1: half the sum of absolute differences.

    >>> from discreet.audit.reading.view import Tally
    >>> from discreet.audit.reading.tallies import summed_up
    >>> both = np.array([0, 1, 0, 1])
    >>> tally = Tally("disease", ("flu", "cold"), np.array([0, 0, 1, 1]), both, np.array([2, 1, 1, 2]))
    >>> equal_distances(summed_up(tally, 2), Whole(("flu", "cold"), np.array([3, 3])))
    (array([6, 6]), 2)
    """
    return _absolute(summed, np.arange(len(whole.weight)), whole.weight), 2


def ordered_distances(summed: Summed, whole: Whole, order: Sequence[int]) -> tuple[IntArray, int]:
    """A move costs how many values of the table lie between, of the most that can.

    Li, Li & Venkatasubramanian 2007: the sum of absolute differences of cumulative shares, over m − 1.
    """
    there = (whole.weight > 0) | (np.bincount(summed.tally.value, minlength=len(whole.weight)) > 0)
    domain = [place for place in order if there[place]]
    column = np.full(len(whole.values), -1, dtype=np.int64)
    column[domain] = np.arange(len(domain))
    weight = whole.weight[domain]
    groups, tally = len(summed.total), summed.tally
    work = np.zeros(groups, dtype=np.int64)
    chunk = max(_DENSE // max(len(domain), 1), 1)
    for start in range(0, groups, chunk):
        stop = min(start + chunk, groups)
        low, high = np.searchsorted(tally.group, [start, stop])
        dense = np.zeros((stop - start, len(domain)), dtype=np.int64)
        dense[tally.group[low:high] - start, column[tally.value[low:high]]] = tally.count[low:high]
        difference = dense * whole.total - summed.total[start:stop, None] * weight
        work[start:stop] = np.abs(np.cumsum(difference, axis=1)).sum(axis=1)
    return work, max(len(domain) - 1, 1)


def hierarchical_distances(
    summed: Summed, whole: Whole, levels: Sequence[Sequence[str | None]]
) -> tuple[IntArray, int]:
    """A move costs the level on which two values become one, of the height of the hierarchy.

    In such a tree each edge costs 1 / (2 · height) either way, and what crosses it is the difference of the shares
    below: the mean, over the levels below everything, of the equal distance there.
    """
    work = np.zeros(len(summed.total), dtype=np.int64)
    for names in levels:
        numbers: dict[str | None, int] = {}
        node = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)
        weight = np.bincount(node, weights=whole.weight, minlength=len(numbers)).astype(np.int64)
        work += _absolute(summed, node, weight)
    return work, 2 * len(levels)


def _absolute(summed: Summed, node: IntArray, weight: IntArray) -> IntArray:
    """Σ over nodes of \\|count · N − weight · n\\|, per group; `node` of each value, `weight` of each node."""
    tally = summed.tally
    key = tally.group * len(weight) + node[tally.value]
    pairs, place = np.unique(key, return_inverse=True)
    count = np.bincount(place, weights=tally.count, minlength=len(pairs)).astype(np.int64)
    group, at = pairs // len(weight), pairs % len(weight)
    expected = weight[at] * summed.total[group]
    # Nodes that a group has nobody in differ by what is expected of them: all that is, less that of the others.
    change = np.abs(count * int(weight.sum()) - expected) - expected
    sums = np.zeros(len(summed.total), dtype=np.int64)
    np.add.at(sums, group, change)
    return sums + int(weight.sum()) * summed.total
