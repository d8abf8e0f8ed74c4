"""A partition: which rows stand together, before it becomes a plan. What all multidimensional searches share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray, number_equal
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups, tally
from discreet.errors import DiscreetError, Infeasible, Mistake
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.models.base import all_hold
from discreet.models.verdicts import witness
from discreet.search.local.kernels import linked
from discreet.search.out_of_reach import out_of_reach
from discreet.search.plan import Problem, Recoding


@dataclass(frozen=True, eq=False)
class Partition:
    """`count[i]` rows of combination `row[i]` stand in group `group[i]`; groups are numbered 0, 1, … without gaps."""

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

    @cached_property
    def loss(self) -> float:
        """The arithmetic loss metric of publishing this partition."""
        return float((self.costs[self.group] * self.count).sum()) / max(self.frequency.rows, 1)

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
        return Recoding(self.frequency, merged.row, merged.count, merged.group, *merged.covers, facts=facts)


def cover(hierarchy: Hierarchy, low: Codes, high: Codes) -> tuple[Codes, Codes]:
    """`Hierarchy.cover` for many ranges at once."""
    if hierarchy.ranges:
        return low, high
    first, last = low.copy(), high.copy()
    undecided = low != high
    for level in range(1, hierarchy.height + 1):
        code = hierarchy.codes[level][low]
        here = undecided & (code == hierarchy.codes[level][high])
        first[here], last[here] = hierarchy.first[level][code[here]], hierarchy.last[level][code[here]]
        undecided &= ~here
    return first, last


def one_group(problem: Problem) -> Partition:
    """Everybody together: what every multidimensional search falls back on. If that fails, nothing is possible."""
    f = problem.frequency
    fragile = [model.describe() for model in problem.models if not model.monotone]
    if fragile:
        raise DiscreetError(
            Mistake(
                "publish",
                "a multidimensional search needs promises that survive merging two groups; "
                f"{' and '.join(fragile)} may break",
                "publish by generalization, or change the promise",
            )
        )
    n = len(f.counts)
    whole = Partition(f, np.arange(n), f.counts, np.zeros(n, dtype=np.int64))
    groups = groups_of(f, whole.row, whole.count, whole.group, whole.groups)
    if not all_hold(problem.models, groups).all():
        refuse(problem, groups)
    return whole


def refuse(problem: Problem, everybody: Groups) -> NoReturn:
    """All rows together break a promise."""
    beyond = out_of_reach(problem.models, problem.frequency, 0)
    raise Infeasible(
        "no grouping keeps every promise" if beyond is None else beyond.rule,
        closest="all rows in one group",
        witness=witness(problem.models, everybody),
        repair="weaken a promise" if beyond is None else beyond.repair,
    )


def groups_of(f: FrequencySet, row: IntArray, count: IntArray, group: IntArray, groups: int) -> Groups:
    """What models see of `groups` groups, given who stands where."""
    sizes = np.bincount(group, weights=count, minlength=groups).astype(np.int64)
    return Groups(
        sizes,
        {
            name: tally(group, codes[row], count, groups, f.totals[name], f.sensitive_hierarchies[name])
            for name, codes in f.sensitive.items()
        },
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
