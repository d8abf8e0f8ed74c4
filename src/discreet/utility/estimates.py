"""How a release answers COUNT queries: whatever it leaves open, it takes as evenly spread.

Σ over groups of (people with a qualifying sensitive value) · Π over what is published apart of the share that
qualifies. Generalized groups publish each attribute as `Leaves`; groups of exact values publish `Combinations`, of all
attributes together (bucketization) or of some at a time (ambiguity).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Tally
from discreet.errors import Mistake, PolicyError
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.hierarchies.numbers import parse
from discreet.utility.queries import Workload

AnyCodes = NDArray[np.integer]

_CELLS = 4_000_000  # numbers held at once
_QUERIES = 512  # at most, answered at a time from exact values: what they want of all leaves stays in the cache


@dataclass(frozen=True, eq=False)
class Leaves:
    """One attribute, published per group as one of a few sets of leaves (its *spread*), each taken as equally likely.

    Spread i is made of the runs ``offsets[i]:offsets[i + 1]``, each the leaves ``low..high``. `widths` says how much
    of the attribute each leaf stands for, if not all the same (see `number_line`).
    """

    attribute: int
    spread: IntArray
    offsets: IntArray
    low: IntArray
    high: IntArray
    widths: FloatArray | None = None

    def shares(self, workload: Workload, start: int, stop: int) -> FloatArray:
        wanted = workload.wants(self.attribute, start, stop)
        even = np.ones(len(wanted))
        if self.widths is None:
            return self._shares(wanted, even)
        with np.errstate(invalid="ignore"):
            result = self._shares(wanted, self.widths)
        # A spread of no width at all, such as the last number alone, is spread evenly over its leaves.
        return np.where(np.isnan(result), self._shares(wanted, even), result)

    def _shares(self, wanted: BoolArray, widths: FloatArray) -> FloatArray:
        columns = max(1, _CELLS // max(len(wanted), 1))
        part = [
            self._in_runs(wanted[:, start : start + columns] * widths[:, None])
            for start in range(0, wanted.shape[1], columns)
        ]
        result: FloatArray = np.concatenate(part, axis=1) / self._in_runs(widths[:, None])
        return result

    def _in_runs(self, weights: FloatArray) -> FloatArray:
        """How much of the weights of all leaves is in each spread."""
        running = _running_sum(weights)
        sums: FloatArray = np.add.reduceat(running[self.high + 1] - running[self.low], self.offsets[:-1], axis=0)
        return sums


def _running_sum(values: FloatArray) -> FloatArray:
    total = np.zeros((len(values) + 1, values.shape[1]))
    np.cumsum(values, axis=0, out=total[1:])
    return total


def number_line(hierarchy: Hierarchy) -> FloatArray:
    """Widths of leaves that are numbers: each reaches up to the next one, the last nowhere.

    A reader who sees the ages 20 to 60 and not which of them occur counts forty years in it (the ambiguity paper's
    example), however few of them are leaves. Leaves that are no numbers (NULL) are as wide as the narrowest number.
    """
    number = np.array([_number(leaf) for leaf in hierarchy.leaves])
    is_number = ~np.isnan(number)
    widths = np.zeros(len(number))
    widths[np.flatnonzero(is_number)[:-1]] = np.diff(number[is_number])
    if not (widths >= 0).all():
        place = f"attributes.{hierarchy.attribute}.hierarchy"
        raise PolicyError(Mistake(place, "its leaves are not numbers in ascending order", "use intervals"))
    widths[~is_number] = min(widths[widths > 0], default=1.0)
    return widths


def _number(leaf: Value) -> float:
    exact = None if leaf is None else parse(leaf)
    return float("nan") if exact is None else float(exact)


def estimates(workload: Workload, parts: Sequence[Leaves], sizes: ArrayLike, tally: Tally | None = None) -> FloatArray:
    """The answers a release gives: Σ over groups of (qualifying sensitive rows) · Π over parts of the share.

    `tally` counts the sensitive values of the workload's last attribute per group. Without it, a group's rows all
    qualify as far as the parts don't say otherwise.
    """
    from discreet.utility.leaf_bits import add_products

    n = np.asarray(sizes, dtype=np.int64)
    total = np.zeros(len(workload))
    if not len(n):
        return total
    if tally is None:
        offsets, values, counts = np.arange(len(n) + 1), np.zeros(len(n), dtype=np.int32), n
    else:
        offsets, values, counts = tally.offsets, tally.values, tally.counts
    last = len(workload.attributes) - 1
    tallest = max([len(w) for w in workload.wanted] + [sum(int(p.spread.max()) + 1 for p in parts)])
    block = 8 * max(1, _CELLS // (8 * tallest))
    for start in range(0, len(workload), block):
        stop = min(start + block, len(workload))
        shares = [part.shares(workload, start, stop) for part in parts]
        # One table of shares for all parts, and for each part and group the row that is meant.
        above = np.cumsum([0, *(len(s) for s in shares)], dtype=np.int64)
        rows = np.array([p.spread + a for p, a in zip(parts, above[:-1], strict=True)], dtype=np.int64)
        stacked = np.concatenate([*shares, np.empty((0, stop - start))])
        wanted = np.ones((1, stop - start)) if tally is None else workload.wants(last, start, stop).astype(float)
        add_products(stacked, rows.reshape(-1, len(n)), offsets, values, counts, wanted, total[start:stop])
    return total


def estimates_generalized(
    workload: Workload,
    low: AnyCodes,
    high: AnyCodes,
    sizes: ArrayLike,
    tally: Tally | None = None,
    widths: Sequence[FloatArray | None] | None = None,
) -> FloatArray:
    """Answers from groups that publish ranges: the overlap of the query with the range, under uniformity.

    Suppressed rows are in no group, so the release does not count them. Four people aged 20 to 60, one of whom had a
    stroke; how many had one at 45 or above? The truth is 1, the release says (60 − 45) / (60 − 20):

    >>> from discreet.counts.groups import tally
    >>> from discreet.hierarchies.build import build
    >>> from discreet.hierarchies.categories import Flat
    >>> from discreet.utility.queries import workload
    >>> disease = build("disease", ["flu", "stroke"], Flat())
    >>> age = build("age", ["20", "45", "50", "60"], Flat())
    >>> asked = workload({"age": 4, "disease": 2}, [{"age": [1, 2, 3], "disease": [1]}])
    >>> t = tally(np.array([0, 0]), np.array([0, 1]), np.array([3, 1]), 1, np.array([3, 1]), disease)
    >>> estimates_generalized(asked, np.array([[0]]), np.array([[3]]), [4], t, widths=[number_line(age)])
    array([0.375])
    """
    parts = [published_ranges(d, low[:, d], high[:, d], widths[d] if widths else None) for d in range(low.shape[1])]
    return estimates(workload, parts, sizes, tally)


def published_ranges(attribute: int, low: AnyCodes, high: AnyCodes, widths: FloatArray | None = None) -> Leaves:
    """One attribute published as one range of leaves per group."""
    width = int(high.max(initial=0)) + 1
    pairs, spread = np.unique(low.astype(np.int64) * width + high, return_inverse=True)
    return Leaves(attribute, spread, np.arange(len(pairs) + 1), pairs // width, pairs % width, widths)


def published_sets(attribute: int, spread: IntArray, sets: Sequence[IntArray]) -> Leaves:
    """One attribute published as one of some sets of leaves (ascending, none empty) per group."""
    return Leaves(attribute, spread, *runs(sets))


def runs(sets: Sequence[IntArray]) -> tuple[IntArray, IntArray, IntArray]:
    """Sets of leaves as runs of neighbours: set i has the runs ``offsets[i]:offsets[i + 1]``, each ``low..high``.

    >>> runs([np.array([0, 1, 4]), np.array([2])])
    (array([0, 2, 3]), array([0, 4, 2]), array([1, 4, 2]))
    """
    starts = [np.flatnonzero(np.diff(s, prepend=-2) != 1) for s in sets]
    low = [s[at] for s, at in zip(sets, starts, strict=True)]
    high = [s[np.append(at[1:], len(s)) - 1] for s, at in zip(sets, starts, strict=True)]
    none: IntArray = np.empty(0, dtype=np.int64)
    offsets = np.cumsum([0, *(len(at) for at in starts)])
    return offsets, np.concatenate([none, *low]), np.concatenate([none, *high])


@dataclass(frozen=True, eq=False)
class Combinations:
    """Some attributes, published per group as the exact combinations of their values that its people have.

    Group g has the entries ``offsets[g]:offsets[g + 1]`` of `codes` (a column of leaf numbers for each of `attributes`,
    which are places in the workload) and `counts`: how many people have each, or 1 where a release does not tell.
    """

    attributes: tuple[int, ...]
    offsets: IntArray
    codes: tuple[AnyCodes, ...]
    counts: IntArray


def estimates_exact(
    workload: Workload, tables: Sequence[Combinations], sizes: ArrayLike, tally: Tally | None = None
) -> FloatArray:
    """Answers from groups that publish exact values: per table, the share of the group's entries that qualifies.

    Attributes of one table are seen together; between tables, and between these and the sensitive values (`tally`, of
    the workload's last attribute), everything is taken as independent inside a group (Wang, section 6). Four people of
    20, 45, 50 and 60, one of whom had a stroke; at 45 or above?

    >>> from discreet.counts.groups import tally
    >>> from discreet.hierarchies.build import build
    >>> from discreet.hierarchies.categories import Flat
    >>> from discreet.utility.queries import workload
    >>> asked = workload({"age": 4, "disease": 2}, [{"age": [1, 2, 3], "disease": [1]}])
    >>> ages = Combinations((0,), np.array([0, 4]), (np.arange(4),), np.ones(4, dtype=np.int64))
    >>> disease = build("disease", ["flu", "stroke"], Flat())
    >>> t = tally(np.array([0, 0]), np.array([0, 1]), np.array([3, 1]), 1, np.array([3, 1]), disease)
    >>> estimates_exact(asked, [ages], [4], t)
    array([0.75])
    """
    from discreet.utility.leaf_bits import add_exact

    scale = np.ones(len(np.asarray(sizes))) if tally is not None else np.asarray(sizes, dtype=np.float64)
    parts = [table for table in tables if table.attributes]
    for table in parts:
        people = np.diff(np.concatenate([[0], np.cumsum(table.counts)])[table.offsets])
        scale = np.divide(scale, people, out=np.zeros(len(scale)), where=people > 0)
    if tally is not None:
        last = len(workload.attributes) - 1
        parts.append(Combinations((last,), tally.offsets, (tally.values,), tally.counts))
    total = np.full(len(workload), scale.sum() if not parts else 0.0)
    if not parts or not len(scale):
        return total
    above = np.cumsum([0, *(len(w) for w in workload.wanted)])
    rows = [
        np.stack([c.astype(np.int64) + above[a] for a, c in zip(table.attributes, table.codes, strict=True)], axis=1)
        for table in parts
    ]
    widths = np.array([len(table.attributes) for table in parts])
    before = np.cumsum([0, *(len(table.counts) for table in parts[:-1])])
    offsets = np.stack([table.offsets + b for table, b in zip(parts, before, strict=True)])
    first = np.cumsum([0, *(r.size for r in rows[:-1])])
    flat, counts = np.concatenate([r.ravel() for r in rows]), np.concatenate([table.counts for table in parts])
    block = 8 * min(max(1, _CELLS // (8 * int(above[-1]))), _QUERIES // 8)
    for start in range(0, len(workload), block):
        stop = min(start + block, len(workload))
        wanted = np.concatenate([workload.wants(a, start, stop) for a in range(len(workload.wanted))])
        add_exact(wanted.view(np.uint8), flat, first, widths, offsets, counts, scale, total[start:stop])
    return total
