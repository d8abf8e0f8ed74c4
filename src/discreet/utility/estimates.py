"""How a release answers COUNT queries: whatever it leaves open, it takes as evenly spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.counts.groups import BoolArray, FloatArray, Tally
from discreet.errors import Mistake, PolicyError
from discreet.hierarchies.hierarchy import Hierarchy, IntArray, Value
from discreet.hierarchies.numbers import parse
from discreet.utility.queries import Workload

AnyCodes = NDArray[np.integer]

_CELLS = 4_000_000  # numbers held at once


class Part(Protocol):
    """What a release says about some attributes: each group has one of a few *spreads* of its rows over the leaves.

    Generalization and ambiguity publish one part per attribute. A release that keeps attributes together (a
    bucketized one, all of them) has one part for all of these.
    """

    @property
    def spread(self) -> IntArray:
        """The number of each group's spread."""

    def shares(self, workload: Workload, start: int, stop: int) -> FloatArray:
        """Per spread (rows) and query ``start:stop`` (columns), the share of a group's rows that qualifies."""


@dataclass(frozen=True, eq=False)
class Leaves:
    """One attribute, published per group as a set of leaves, over which its rows are taken to spread evenly.

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
        qualifying = _running_sum(wanted * widths[:, None])
        everything = _running_sum(widths[:, None])
        first = self.offsets[:-1]
        part = np.add.reduceat(qualifying[self.high + 1] - qualifying[self.low], first, axis=0)
        whole = np.add.reduceat(everything[self.high + 1] - everything[self.low], first, axis=0)
        result: FloatArray = part / whole
        return result


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


def estimates(workload: Workload, parts: Sequence[Part], sizes: ArrayLike, tally: Tally | None = None) -> FloatArray:
    """The answers a release gives: Σ over groups of (qualifying sensitive rows) · Π over parts of the share.

    `tally` counts the sensitive values of the workload's last attribute per group. Without it, a group's rows all
    qualify as far as the parts don't say otherwise.
    """
    from discreet.utility.covering import add_products

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
    block = 64 * max(1, _CELLS // (64 * tallest))
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
