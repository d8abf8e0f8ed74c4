"""One group of people and what is known of them, over all its possible worlds, in whole numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, IntArray
from discreet.audit.reading.tallies import Summed
from discreet.audit.worst_case.knowledge import Known


class GroupExactly:
    """One group and what one set of attributes tells of it, in whole numbers."""

    def __init__(
        self, weights: list[list[int]], supports: list[int], many: list[int], values: list[int], counts: list[int]
    ):
        self.weights, self.supports, self.many = weights, supports, many
        self.values, self.counts = values, counts

    @classmethod
    def of(cls, group: int, known: Known, groups: IntArray, many: IntArray, summed: Summed) -> GroupExactly:
        low, high = np.searchsorted(groups, [group, group + 1])
        rows, place = np.unique(known.row[low:high], return_inverse=True)
        counted = np.bincount(place, weights=many[low:high]).astype(int).tolist()
        weights = [[int(w) for w in known.weight[row]] for row in rows.tolist()]
        supports = [int(known.support[row]) for row in rows.tolist()]
        first, last = np.searchsorted(summed.tally.group, [group, group + 1])
        tally = summed.tally
        return cls(weights, supports, counted, tally.value[first:last].tolist(), tally.count[first:last].tolist())

    @property
    def steps(self) -> int:
        states = 1
        for count in self.counts:
            states *= count + 1
        return states * len(self.counts) * len(self.many)

    def before(self, those: BoolArray) -> list[Fraction]:
        """How likely each kind of people has one of these values before anything is published."""
        return [
            Fraction(sum(w for w, there in zip(weights, those.tolist(), strict=True) if there), support)
            for weights, support in zip(self.weights, self.supports, strict=True)
        ]

    def views(self, those: BoolArray) -> list[list[Fraction]]:
        """How likely each kind of people has one of these values, in both views; 2 stands for no possible world."""
        inside = [i for i, v in enumerate(self.values) if those[v]]
        having = sum(self.counts[i] for i in inside)
        own = [[weights[v] for v in self.values] for weights in self.weights]
        together = all_values_exactly(own, self.many, self.counts)
        alone = one_value_exactly(self.before(those), self.many, having)
        all_at_once = [sum((chances[i] for i in inside), Fraction(0)) for chances in together]
        return [view or [Fraction(2)] * len(self.many) for view in (alone, all_at_once)]

    def posteriors(self, protected: Any) -> Iterator[Fraction]:
        """Of every kind of people and every protected set, in both views."""
        own = [[weights[v] for v in self.values] for weights in self.weights]
        together = all_values_exactly(own, self.many, self.counts)
        for those in protected.tolist():
            inside = [i for i, v in enumerate(self.values) if those[v]]
            having = sum(self.counts[i] for i in inside)
            if not having:
                continue
            shares = [
                Fraction(sum(w for w, there in zip(weights, those, strict=True) if there), support)
                for weights, support in zip(self.weights, self.supports, strict=True)
            ]
            yield from one_value_exactly(shares, self.many, having)
            yield from (sum((chances[i] for i in inside), Fraction(0)) for chances in together)


def one_value_exactly(shares: Sequence[Fraction], many: Sequence[int], having: int) -> list[Fraction]:
    """The chance of each kind of people to be among the `having` who have a value; none if no world is possible.

    >>> american, japanese = Fraction(1, 10), Fraction(3, 1000)
    >>> [round(float(p), 4) for p in one_value_exactly([american, japanese], [1, 1], 1)]
    [0.9736, 0.0264]
    """
    chances = []
    for i, share in enumerate(shares):
        others = [m - (k == i) for k, m in enumerate(many)]
        worlds = _dealt(shares, others, having)
        has, lacks = worlds[having - 1] * share, worlds[having] * (1 - share)
        if has + lacks:
            chances.append(has / (has + lacks))
    return chances


def _dealt(shares: Sequence[Fraction], many: Sequence[int], most: int) -> list[Fraction]:
    """The weight of 0, 1, … of these people having the value."""
    worlds = [Fraction(1)] + [Fraction(0)] * most
    for share, people in zip(shares, many, strict=True):
        for _ in range(people):
            worlds = [weight * (1 - share) + (worlds[k - 1] * share if k else 0) for k, weight in enumerate(worlds)]
    return worlds


def all_values_exactly(
    weights: Sequence[Sequence[int]], many: Sequence[int], counts: Sequence[int]
) -> list[list[Fraction]]:
    """The chance of each kind of people to have each value; none if no world is possible.

    The paper's example: two people who have x and y with one half each, two who have y with 4/5.

    >>> str(all_values_exactly([[1, 1], [1, 4]], [2, 2], [2, 2])[0][0])
    '8/11'
    """
    of_kinds = []
    for i, own in enumerate(weights):
        worlds = {tuple(counts): 1}  # by what is left
        for k, (chances, people) in enumerate(zip(weights, many, strict=True)):
            for _ in range(people - (k == i)):
                after: dict[tuple[int, ...], int] = {}
                for left, weight in worlds.items():
                    for v, chance in enumerate(chances):
                        if left[v] and chance:
                            rest = (*left[:v], left[v] - 1, *left[v + 1 :])
                            after[rest] = after.get(rest, 0) + weight * chance
                worlds = after
        each = [own[v] * worlds.get(tuple(int(w == v) for w in range(len(counts))), 0) for v in range(len(counts))]
        if sum(each):
            of_kinds.append([Fraction(weight, sum(each)) for weight in each])
    return of_kinds
