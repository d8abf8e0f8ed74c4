"""Which columns hang together, before and after: Cramér's V of each pair, from counts alone.

"After" is what somebody can tell from the release who takes the rows of a group for interchangeable and a range for
evenly filled: the table of two columns that she would expect. Both are counted at the same labels, the finest of each
hierarchy that a table of this kind has room for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.counts.groups import Tally
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.search.plan import Ambiguity, Plan, Recoding

MOST_LABELS = 32  # of a column, in a table of two
_BLOCK = 20_000  # groups that are spread at once


def cramers_v(table: FloatArray) -> float | None:
    """How strongly two columns hang together, from 0 to 1: √(χ² / (n (m − 1))), m the labels of the one with fewer.

    None where a column has a single label: then it says nothing.

    >>> cramers_v(np.array([[5.0, 0.0], [0.0, 5.0]])), cramers_v(np.array([[2.0, 2.0], [2.0, 2.0]]))
    (1.0, 0.0)
    """
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    smaller = min(table.shape) - 1 if table.size else 0
    if smaller < 1:
        return None
    n = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    squares = float(((table - expected) ** 2 / expected).sum() / n)
    return min(math.sqrt(max(squares, 0.0) / smaller), 1.0)


def associations(plan: Plan) -> tuple[list[str], list[list[float | None]], list[list[float | None]]]:
    """The names of the columns, and their matrices before and after."""
    before, after = _before(plan), _Release(plan)
    names = [h.attribute for h in plan.frequency.hierarchies] + list(plan.frequency.sensitive)
    return names, _matrix(names, before), _matrix(names, after.table)


def _matrix(names: list[str], table: Callable[[str, str], FloatArray]) -> list[list[float | None]]:
    made: list[list[float | None]] = [[None] * len(names) for _ in names]
    for i, one in enumerate(names):
        for j in range(i):
            made[i][j] = made[j][i] = cramers_v(table(one, names[j]))
    return made


def _before(plan: Plan) -> Callable[[str, str], FloatArray]:
    frequency = plan.frequency
    columns = {
        h.attribute: (_coarse(h), codes) for h, codes in zip(frequency.hierarchies, frequency.codes, strict=True)
    }
    columns |= {n: (_coarse(frequency.sensitive_hierarchies[n]), codes) for n, codes in frequency.sensitive.items()}
    return partial(_counted, columns, frequency.counts)


def _counted(columns: Mapping[str, tuple[Codes, Codes]], counts: IntArray, one: str, other: str) -> FloatArray:
    (a, of_a), (b, of_b) = columns[one], columns[other]
    wide = int(b.max(initial=0)) + 1
    pair = a[of_a].astype(np.int64) * wide + b[of_b]
    many = (int(a.max(initial=0)) + 1) * wide
    return np.bincount(pair, weights=counts, minlength=many).astype(np.float64).reshape(-1, wide)


def _coarse(h: Hierarchy) -> Codes:
    """A label for each leaf, of the finest level that has few enough; if none has, neighbours are put together."""
    level = next((at for at, labels in enumerate(h.labels[:-1]) if len(labels) <= MOST_LABELS), None)
    if level is not None:
        return h.codes[level]
    if h.height > 1:
        return h.codes[h.height - 1] * MOST_LABELS // len(h.labels[h.height - 1])
    return (np.arange(len(h.leaves)) * MOST_LABELS // max(len(h.leaves), 1)).astype(np.int32)


class _Release:
    """What each group of a release tells of each column: how many of its rows have each label, as far as is known."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.frequency = plan, plan.frequency
        self._place = {h.attribute: d for d, h in enumerate(self.frequency.hierarchies)}
        self.sizes = plan.groups.sizes.astype(np.float64)

    def table(self, one: str, other: str) -> FloatArray:
        """Two columns, as they are expected to go together."""
        if self._published_together(one, other):
            kept = self.plan.group >= 0
            row, count = self.plan.row[kept], self.plan.count[kept]
            columns = {
                name: (_coarse(self.frequency.hierarchies[d]), self.frequency.codes[d][row])
                for name, d in self._place.items()
            }
            return _counted(columns, count, one, other)
        total = np.zeros((self._labels(one), self._labels(other)))
        for begin in range(0, len(self.sizes), _BLOCK):
            which = slice(begin, min(begin + _BLOCK, len(self.sizes)))
            a, b = self._shares(one, which), self._shares(other, which)
            total += (a * self.sizes[which, None]).T @ b
        return total

    def _published_together(self, one: str, other: str) -> bool:
        """Are exact values of both in one table?"""
        plan = self.plan
        if not {one, other} <= self._place.keys() or isinstance(plan, Recoding):
            return False
        pair = {self._place[one], self._place[other]}
        return not isinstance(plan, Ambiguity) or any(pair <= set(table) for table in plan.tables)

    def _hierarchy(self, name: str) -> Hierarchy:
        at = self._place.get(name)
        return self.frequency.sensitive_hierarchies[name] if at is None else self.frequency.hierarchies[at]

    def _labels(self, name: str) -> int:
        return int(_coarse(self._hierarchy(name)).max(initial=0)) + 1

    def _shares(self, name: str, which: slice) -> FloatArray:
        """Per group, the share of its rows that has each label."""
        at, coarse, many = self._place.get(name), _coarse(self._hierarchy(name)), self._labels(name)
        if at is None:
            return _of_tally(self.plan.groups.tallies[name], which, coarse, many)
        if isinstance(self.plan, Recoding):
            return _spread(self.plan.low[which, at], self.plan.high[which, at], coarse, many)
        return self._exact(at, which, coarse, many)

    def _exact(self, at: int, which: slice, coarse: Codes, many: int) -> FloatArray:
        """Of values that are published as they are: all rows of the group, or its distinct values in tables apart."""
        people = self.plan.people
        start, stop = people.offsets[which.start], people.offsets[which.stop]
        group = people.group[start:stop] - which.start
        code, counts = people.codes[at][start:stop], people.counts[start:stop]
        if isinstance(self.plan, Ambiguity):
            _, first = np.unique(group.astype(np.int64) * len(coarse) + code, return_index=True)
            group, code, counts = group[first], code[first], np.ones(len(first), dtype=np.int64)
        return _normalized(group, coarse[code], counts, which.stop - which.start, many)


def _of_tally(tally: Tally, which: slice, coarse: Codes, many: int) -> FloatArray:
    start, stop = tally.offsets[which.start], tally.offsets[which.stop]
    group = np.repeat(np.arange(which.stop - which.start), np.diff(tally.offsets[which.start : which.stop + 1]))
    return _normalized(
        group, coarse[tally.values[start:stop]], tally.counts[start:stop], which.stop - which.start, many
    )


def _normalized(group: IntArray, code: Codes, weight: IntArray | FloatArray, groups: int, many: int) -> FloatArray:
    shares = np.bincount(group * many + code, weights=weight, minlength=groups * many).reshape(groups, many)
    parts: FloatArray = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)
    return parts


def _spread(low: Codes, high: Codes, coarse: Codes, many: int) -> FloatArray:
    """Each range of leaves, spread evenly over the labels of its leaves."""
    running = np.zeros((len(coarse) + 1, many))
    running[np.arange(1, len(coarse) + 1), coarse] = 1.0
    running = np.cumsum(running, axis=0)
    shares: FloatArray = (running[high + 1] - running[low]) / (high.astype(np.int64) - low + 1)[:, None]
    return shares
