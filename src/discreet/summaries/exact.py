"""The whole frequency set as a summary: nothing is estimated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.counts.cells import Cells
from discreet.counts.frequency import FrequencySet
from discreet.counts.roll_up import Node, RollUp
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.summaries.base import check_limit
from discreet.summaries.kernels import rows_in_boxes


@dataclass(frozen=True, eq=False)
class Exact:
    """Shares of a frequency set's rows: what other summaries estimate, for comparison.

    It holds the combinations of a private table, with their sensitive values: keep it as private as the table.
    """

    frequency: FrequencySet

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return self.frequency.rows

    @property
    def hierarchies(self) -> tuple[Hierarchy, ...]:
        """Those of the quasi-identifiers, in order."""
        return self.frequency.hierarchies

    @property
    def sensitive_hierarchies(self) -> Mapping[str, Hierarchy]:
        """Those of the sensitive attributes, by name."""
        return self.frequency.sensitive_hierarchies

    def marginal(self, attribute: int) -> FloatArray:
        """The share of each leaf of a quasi-identifier."""
        f = self.frequency
        leaves = len(f.hierarchies[attribute].leaves)
        return np.bincount(f.codes[attribute], weights=f.counts, minlength=leaves) / f.rows

    def count(self, node: Node) -> int:
        """At most how many groups a node has."""
        possible = prod(len(h.labels[level]) for h, level in zip(self.hierarchies, node, strict=True))
        return min(possible, len(self.frequency.counts))

    def cells(self, node: Node, sensitive: str = "") -> Cells:
        """The groups of a node that have rows; with the share of each sensitive value in them, if one is named."""
        groups = self._roll_up(sensitive).groups(node).groups
        likelihood = groups.sizes / self.frequency.rows
        if not sensitive:
            return Cells(likelihood)
        tally = groups.tallies[sensitive]
        values = len(tally.reference)
        check_limit(len(groups), values)
        shares = np.zeros((len(groups), values))
        group = np.repeat(np.arange(len(groups)), np.diff(tally.offsets))
        shares[group, tally.values] = tally.counts / groups.sizes[group]
        return Cells(likelihood, shares)

    def boxes(self, low: Codes, high: Codes, sensitive: str = "") -> Cells:
        """The same for any boxes: group g has the leaves ``low[g, d]..high[g, d]`` of attribute d. None is left out."""
        f, (first, order, codes) = self.frequency, self._sorted
        values, counts = np.zeros_like(order, dtype=np.int32), f.counts[order]
        totals = np.array([f.rows])
        if sensitive:
            values, totals = f.sensitive[sensitive][order], f.totals[sensitive]
        rows = np.zeros((len(low), len(totals)), dtype=np.int64)
        begin = np.searchsorted(codes[first], low[:, first])
        end = np.searchsorted(codes[first], high[:, first], side="right")
        rows_in_boxes(codes, counts, values, low.astype(np.int32), high.astype(np.int32), rows, begin, end)
        size = rows.sum(axis=1)
        if not sensitive:
            return Cells(size / f.rows)
        # Of a box without rows, nothing better is known than the table.
        shares = np.where(size[:, None] > 0, rows / np.maximum(size, 1)[:, None], totals / f.rows)
        return Cells(size / f.rows, shares)

    def _roll_up(self, sensitive: str) -> RollUp:
        """What counts nodes: with the tallies of one sensitive attribute, or with none."""
        known = self._roll_ups.get(sensitive)
        if known is None:
            known = RollUp(self.frequency, {sensitive} if sensitive else frozenset())
            self._roll_ups[sensitive] = known
        return known

    @cached_property
    def _roll_ups(self) -> dict[str, RollUp]:
        return {}

    @cached_property
    def _sorted(self) -> tuple[int, IntArray, Codes]:
        """The attribute with most leaves, and the combinations in its order: a box has a run of them."""
        first = max(range(len(self.hierarchies)), key=lambda d: len(self.hierarchies[d].leaves))
        order = np.argsort(self.frequency.codes[first], kind="stable")
        return first, order, np.stack([codes[order] for codes in self.frequency.codes])
