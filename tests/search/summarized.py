"""Summaries for tests: one that knows everything, and one that knows nothing but says something."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.counts.cells import Cells
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups
from discreet.counts.roll_up import Node, RollUp
from discreet.search.instant.s_instant import coarsened
from discreet.search.multidimensional.partition import groups_of
from discreet.summaries.exact import Exact


@dataclass(frozen=True, eq=False)
class Knowing(Exact):
    """What a table really has."""

    @cached_property
    def _roll_up(self) -> RollUp:
        return RollUp(replace(self.frequency, population=None, marginals=None))

    def marginal(self, attribute: int) -> FloatArray:
        leaves = len(self.hierarchies[attribute].leaves)
        counts = np.bincount(self.frequency.codes[attribute], weights=self.frequency.counts, minlength=leaves)
        return counts / self.rows

    def count(self, node: Node) -> int:
        return len(self._roll_up.groups(node).groups)

    def cells(self, node: Node, sensitive: str = "") -> Cells:
        return self._cells(self._roll_up.groups(node).groups, sensitive)

    def boxes(self, low: Codes, high: Codes, sensitive: str = "") -> Cells:
        f = self.frequency
        found = np.full(len(f.counts), len(low), dtype=np.int64)
        for g in range(len(low)):
            inside = [(c >= low[g, d]) & (c <= high[g, d]) for d, c in enumerate(f.codes)]
            found[np.logical_and.reduce(inside)] = g
        return self._cells(groups_of(f, np.arange(len(found)), f.counts, found, len(low) + 1), sensitive, len(low))

    def _cells(self, groups: Groups, sensitive: str, many: int | None = None) -> Cells:
        sizes = groups.sizes[:many]
        if not sensitive:
            return Cells(sizes / self.rows)
        t = groups.tallies[sensitive]
        shares = np.zeros((len(groups), len(t.reference)))
        shares[np.repeat(np.arange(len(groups)), np.diff(t.offsets)), t.values] = t.counts
        shares = shares[:many]
        empty = sizes == 0
        shares[empty] = t.reference
        return Cells(sizes / self.rows, shares / shares.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Lying(Knowing):
    """Noise: the likelihoods are drawn anew for everything that is asked, but the marginals are right."""

    seed: int

    def _cells(self, groups: Groups, sensitive: str, many: int | None = None) -> Cells:
        honest = super()._cells(groups, sensitive, many)
        random = np.random.default_rng([self.seed, len(honest)])
        shares = random.dirichlet(np.full(len(honest), random.choice([0.1, 1.0, 100.0])))
        if honest.sensitive is None:
            return Cells(shares)
        return Cells(shares, random.dirichlet(np.ones(honest.sensitive.shape[1]), len(honest)))


@dataclass(eq=False)
class Looks:
    """A table that counts how often it is looked at."""

    frequency: FrequencySet
    nodes: list[Node]

    def at(self, node: Node) -> FrequencySet:
        self.nodes.append(node)
        return coarsened(self.frequency, node)


def looks(frequency: FrequencySet) -> Looks:
    return Looks(frequency, [])


def leaf_counts(frequency: FrequencySet, attribute: int) -> IntArray:
    """How many rows have each leaf."""
    leaves = len(frequency.hierarchies[attribute].leaves)
    return np.bincount(frequency.codes[attribute], weights=frequency.counts, minlength=leaves).astype(np.int64)
