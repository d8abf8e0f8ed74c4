"""Which columns hang together, before and after: Cramér's V of each pair, from counts alone.

"After" is what somebody can tell from the release who takes the rows of a group for interchangeable and a range for
evenly filled: the table of two columns that she would expect. Both are counted at the same labels, the finest of each
hierarchy that a table of this kind has room for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Tally
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.search.plan import Ambiguity, Plan, Recoding

MOST_LABELS = 32  # of a column, in a table of two
_BLOCK = 4_000  # groups that are spread at once
_FEW_RANGES = 1_000


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


@dataclass(frozen=True)
class Most:
    """How many combinations, and groups, are looked at; of more, a random part is taken."""

    combinations: int | None = None
    groups: int | None = None


ALL = Most()


@dataclass(frozen=True)
class Associations:
    """The matrices of some columns before and after; `sampled` if they were taken from a random part of the counts."""

    names: tuple[str, ...]
    before: list[list[float | None]]
    after: list[list[float | None]]
    sampled: bool = False


def associations(plan: Plan, names: Sequence[str] | None = None, most: Most = ALL) -> Associations:
    """Of all columns, or of those named."""
    f = plan.frequency
    chosen = tuple(f.attributes) + tuple(f.sensitive) if names is None else tuple(names)
    before, after = _before(f, chosen, most), _Release(plan, chosen, most)
    sampled = _is_more(len(f.counts), most.combinations) or _is_more(len(plan.groups), most.groups)
    return Associations(chosen, _matrix(chosen, before), _matrix(chosen, after.table), sampled)


def hang_together(f: FrequencySet, one: str, others: Sequence[str], most: Most = ALL) -> list[float]:
    """How strongly one column goes with each of some others in the source; 0 where a column has a single label."""
    table = _before(f, (one, *others), most)
    return [cramers_v(table(one, other)) or 0.0 for other in others]


def _matrix(names: Sequence[str], table: Callable[[str, str], FloatArray]) -> list[list[float | None]]:
    made: list[list[float | None]] = [[None] * len(names) for _ in names]
    for i, one in enumerate(names):
        for j in range(i):
            made[i][j] = made[j][i] = cramers_v(table(one, names[j]))
    return made


def _before(f: FrequencySet, names: Sequence[str], most: Most) -> Callable[[str, str], FloatArray]:
    some = _some(len(f.counts), most.combinations)
    columns = {h.attribute: (_coarse(h), codes) for h, codes in zip(f.hierarchies, f.codes, strict=True)}
    columns |= {name: (_coarse(f.sensitive_hierarchies[name]), codes) for name, codes in f.sensitive.items()}
    labels = {name: columns[name][0][columns[name][1][some]] for name in names}
    return partial(_counted, labels, f.counts[some])


def _some(many: int, most: int | None) -> IntArray | slice:
    """All, or a random part of so many; the same for the same number."""
    if not _is_more(many, most):
        return slice(None)
    chosen: IntArray = np.sort(np.random.default_rng(0).choice(many, most, replace=False))
    return chosen


def _is_more(many: int, most: int | None) -> bool:
    return most is not None and many > most


def _counted(labels: Mapping[str, Codes], counts: IntArray, one: str, other: str) -> FloatArray:
    a, b = labels[one], labels[other]
    wide, high = int(b.max(initial=0)) + 1, int(a.max(initial=0)) + 1
    pair = a.astype(np.int64) * wide + b
    return np.bincount(pair, weights=counts, minlength=high * wide).astype(np.float64).reshape(-1, wide)


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

    def __init__(self, plan: Plan, names: Sequence[str], most: Most) -> None:
        self.plan, self.frequency, self.names = plan, plan.frequency, names
        self._place = {h.attribute: d for d, h in enumerate(self.frequency.hierarchies)}
        self._most = most

    def table(self, one: str, other: str) -> FloatArray:
        """Two columns, as they are expected to go together."""
        if self._published_together(one, other):
            return self._together(one, other)
        if one in self._ranges and other in self._ranges:
            return self._by_ranges(one, other)
        if one in self._ranges and other in self.frequency.sensitive:
            return self._by_range_and_value(one, other)
        if other in self._ranges and one in self.frequency.sensitive:
            return self._by_range_and_value(other, one).T
        (first, last), (begin, end) = self._columns[one], self._columns[other]
        return self._expected[first:last, begin:end]

    @cached_property
    def _ranges(self) -> dict[str, tuple[IntArray, FloatArray]]:
        """Of columns that are published in ranges: which range each group has, and the labels that it is spread over.

        Only where there are so few that counting them is less than spreading every group.
        """
        if not isinstance(self.plan, Recoding):
            return {}
        found = {}
        for name, at in ((name, self._place[name]) for name in self.names if name in self._place):
            low, high = self.plan.low[self._chosen, at], self.plan.high[self._chosen, at]
            leaves = len(self._hierarchy(name).leaves)
            number, range_of = np.unique(low.astype(np.int64) * leaves + high, return_inverse=True)
            if len(number) <= _FEW_RANGES:
                ends = (number // leaves).astype(low.dtype), (number % leaves).astype(low.dtype)
                found[name] = range_of, _spread(*ends, _coarse(self._hierarchy(name)), self._labels(name))
        return found

    def _by_ranges(self, one: str, other: str) -> FloatArray:
        (first, spread), (second, beside) = self._ranges[one], self._ranges[other]
        sizes = self.plan.groups.sizes[self._chosen]
        cell = first * len(beside) + second
        counts = np.bincount(cell, weights=sizes, minlength=len(spread) * len(beside)).reshape(len(spread), -1)
        table: FloatArray = spread.T @ counts @ beside
        return table

    def _by_range_and_value(self, one: str, sensitive: str) -> FloatArray:
        (range_of, spread), coarse = self._ranges[one], _coarse(self._hierarchy(sensitive))
        tally, many = self.plan.groups.tallies[sensitive], self._labels(sensitive)
        number = np.full(len(self.plan.groups), -1)
        number[self._chosen] = range_of
        of_entry = np.repeat(number, np.diff(tally.offsets))
        looked_at = of_entry >= 0
        cell = of_entry[looked_at] * many + coarse[tally.values[looked_at]]
        counts = np.bincount(cell, weights=tally.counts[looked_at], minlength=len(spread) * many)
        table: FloatArray = spread.T @ counts.reshape(len(spread), many)
        return table

    @cached_property
    def _chosen(self) -> IntArray:
        """The groups that are looked at: all, or blocks of them."""
        groups = np.arange(len(self.plan.groups))
        return groups[np.isin(groups // _BLOCK, self._blocks)]

    @cached_property
    def _blocks(self) -> IntArray:
        blocks, most = np.arange(-(-len(self.plan.groups) // _BLOCK)), self._most.groups
        return blocks[_some(len(blocks), None if most is None else max(most // _BLOCK, 1))]

    @cached_property
    def _columns(self) -> dict[str, tuple[int, int]]:
        """Where the labels of each column stand among those of all."""
        ends = np.cumsum([0, *(self._labels(name) for name in self.names)]).tolist()
        return dict(zip(self.names, pairwise(ends), strict=True))

    @cached_property
    def _expected(self) -> FloatArray:
        """All tables of two columns at once, each group's rows being interchangeable."""
        sizes, wide = self.plan.groups.sizes, sum(self._labels(name) for name in self.names)
        total = np.zeros((wide, wide))
        for begin in (self._blocks * _BLOCK).tolist():
            which = slice(begin, min(begin + _BLOCK, len(sizes)))
            shares = np.hstack([self._shares(name, which) for name in self.names])
            total += (shares * sizes[which, None]).T @ shares
        return total

    @cached_property
    def _together(self) -> Callable[[str, str], FloatArray]:
        """Counts of exact values that stand in one table."""
        kept = np.flatnonzero(self.plan.group >= 0)
        kept = kept[_some(len(kept), self._most.combinations)]
        row, count = self.plan.row[kept], self.plan.count[kept]
        at = {name: self._place[name] for name in self.names if name in self._place}
        codes, hierarchies = self.frequency.codes, self.frequency.hierarchies
        return partial(_counted, {n: _coarse(hierarchies[d])[codes[d][row]] for n, d in at.items()}, count)

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
