"""A partition: which rows stand together, before it becomes a plan. What all multidimensional searches share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray, number_equal
from discreet.counts.frequency import FrequencySet, owned_groups
from discreet.counts.groups import Groups, rows_together, tally
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.models.base import all_hold
from discreet.search.local.kernels import linked
from discreet.search.plan import SUPPRESSED, Problem, Recoding


@dataclass(frozen=True, eq=False)
class Partition:
    """`count[i]` rows of combination `row[i]` stand in group `group[i]`; groups are numbered 0, 1, … without gaps.

    Rows that stand in no group are left out.
    """

    frequency: FrequencySet
    row: IntArray
    count: IntArray
    group: IntArray

    @cached_property
    def groups(self) -> int:
        return int(self.group.max()) + 1 if len(self.group) else 0

    @cached_property
    def covers(self) -> tuple[Codes, Codes]:
        """Per group and attribute, the smallest publishable range of leaves that holds all its rows."""
        order = np.argsort(self.group, kind="stable")
        starts = np.searchsorted(self.group[order], np.arange(self.groups))
        low = np.empty((self.groups, len(self.frequency.hierarchies)), dtype=np.int32)
        high = np.empty_like(low)
        if self.groups:
            for d, (h, codes) in enumerate(zip(self.frequency.hierarchies, self.frequency.codes, strict=True)):
                leaves = codes[self.row[order]]
                ends = np.minimum.reduceat(leaves, starts), np.maximum.reduceat(leaves, starts)
                low[:, d], high[:, d] = cover(h, *ends)
        return low, high

    @cached_property
    def costs(self) -> FloatArray:
        """What a row of each group loses: the mean over the attributes of (leaves − 1) / (all leaves − 1)."""
        low, high = self.covers
        widest = [max(len(h.leaves) - 1, 1) for h in self.frequency.hierarchies]
        result: FloatArray = ((high - low) / np.array(widest)).sum(axis=1) / max(len(widest), 1)
        return result

    @property
    def most(self) -> float:
        """What a row loses that is left out: 1, but for attributes of which nothing could be lost."""
        varying = [len(h.leaves) > 1 for h in self.frequency.hierarchies]
        return sum(varying) / max(len(varying), 1)

    @cached_property
    def left_out(self) -> IntArray:
        """How many rows of each combination stand in no group."""
        rows = len(self.frequency.counts)
        return self.frequency.counts - np.bincount(self.row, weights=self.count, minlength=rows).astype(np.int64)

    @cached_property
    def suppressed(self) -> int:
        """How many rows stand in no group."""
        return self.frequency.rows - int(self.count.sum())

    @cached_property
    def loss(self) -> float:
        """The arithmetic loss metric of publishing this partition; a row that is left out loses everything."""
        published = float((self.costs[self.group] * self.count).sum())
        return (published + self.suppressed * self.most) / max(self.frequency.rows, 1)

    def merged(self) -> Partition:
        """Groups that look alike when published are one group, for nobody can tell them apart."""
        low, high = self.covers
        look = number_equal([*low.T, *high.T], len(low))
        rows = max(len(self.frequency.counts), 1)
        place, at = np.unique(look[self.group] * rows + self.row, return_inverse=True)
        count = np.bincount(at.reshape(-1), weights=self.count, minlength=len(place)).astype(np.int64)
        return Partition(self.frequency, place % rows, count, place // rows)

    def plan(self, facts: Mapping[str, object]) -> Recoding:
        """The plan that publishes it; what survives merging two groups survives this."""
        merged = self.merged()
        row, count, group = merged.row, merged.count, merged.group
        if merged.suppressed:
            missing = np.flatnonzero(merged.left_out)
            row, count = np.concatenate([row, missing]), np.concatenate([count, merged.left_out[missing]])
            group = np.concatenate([group, np.full(len(missing), SUPPRESSED, dtype=np.int64)])
        frequency = self.frequency
        if frequency.seats is not None:
            row, group = frequency.seats.entries(row, group)
            frequency = frequency.seats.apart
            count = frequency.counts[row]
        return Recoding(frequency, row, count, group, *merged.covers, facts=facts)


def cover(hierarchy: Hierarchy, low: Codes, high: Codes) -> tuple[Codes, Codes]:
    """`Hierarchy.cover` for many ranges at once."""
    if hierarchy.ranges and not hierarchy.unit:
        return low, high
    first, last = low.copy(), high.copy()
    undecided = low != high
    top = hierarchy.height
    if hierarchy.ranges:  # neighbours of level `unit`
        top, code = hierarchy.unit, hierarchy.codes[hierarchy.unit]
        apart = code[low] != code[high]
        first[apart] = hierarchy.first[top][code[low[apart]]]
        last[apart] = hierarchy.last[top][code[high[apart]]]
        undecided &= ~apart
    for level in range(1, top + 1):
        code = hierarchy.codes[level][low]
        here = undecided & (code == hierarchy.codes[level][high])
        first[here], last[here] = hierarchy.first[level][code[here]], hierarchy.last[level][code[here]]
        undecided &= ~here
    return first, last


def groups_of(f: FrequencySet, row: IntArray, count: IntArray, group: IntArray, groups: int) -> Groups:
    """What models see of `groups` groups, given who stands where."""
    if f.seats is not None:
        row, group = f.seats.entries(row, group)
        f = f.seats.apart
        count = f.counts[row]
    sizes = np.bincount(group, weights=count, minlength=groups).astype(np.int64)
    return Groups(
        sizes,
        {
            name: tally(group, codes[row], count, groups, f.totals[name], f.sensitive_hierarchies[name])
            for name, codes in f.sensitive.items()
        },
        together=rows_together(f, row, count, group, groups),
        owners=owned_groups(f, row, count, group, groups),
    )


def hold(problem: Problem, row: IntArray, count: IntArray, group: IntArray, groups: int) -> BoolArray:
    """Which of the groups keep every promise."""
    return all_hold(problem.models, groups_of(problem.frequency, row, count, group, groups))


def cheaper_of(one: Partition, other: Partition) -> Partition:
    """The best of both: wherever the two share out the same rows in different ways, the cheaper way (`one` on ties).

    Groups that have rows in common are one neighbourhood; neighbourhoods can be chosen one by one.
    """
    n = len(one.frequency.counts)
    links = np.concatenate([one.row, other.row])
    place = linked(links, np.concatenate([n + one.group, n + one.groups + other.group]), n + one.groups + other.groups)
    losses = [np.bincount(place[p.row], weights=p.costs[p.group] * p.count, minlength=len(place)) for p in (one, other)]
    better = (losses[1] < losses[0] - 1e-9)[place]
    stays, comes = ~better[one.row], better[other.row]
    group = np.concatenate([one.group[stays], one.groups + other.group[comes]])
    return Partition(
        one.frequency,
        np.concatenate([one.row[stays], other.row[comes]]),
        np.concatenate([one.count[stays], other.count[comes]]),
        np.unique(group, return_inverse=True)[1].reshape(-1),
    )
