"""Mondrian by count queries: the same cuts as `mondrian`, but each decided by what an engine says about a region.

For tables of which not even the counts fit in memory, and to see what that costs: two queries or more for each group.
What comes back of a query is one attribute's histogram in one region.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.errors import DiscreetError, Mistake
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.models.base import AboutPopulation, PrivacyModel
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.progress import Progress, silent
from discreet.search.multidimensional.cutting import judge_cuts, propose
from discreet.search.multidimensional.left_out import one_group
from discreet.search.multidimensional.partition import Partition, cover
from discreet.search.plan import Problem
from discreet.utility.metrics import losses

Runs = tuple[tuple[int, int], ...]  # first and last leaf of each
Region = tuple[Runs, ...]  # for each attribute, the leaves that its rows may have


class RegionEngine(Protocol):
    """An engine that answers questions about regions; each is a pass over the rows."""

    @property
    def queries(self) -> int: ...

    def extent(self, region: Region) -> tuple[IntArray, IntArray]:
        """The first and the last leaf of each attribute that a row of the region has."""

    def histogram(self, region: Region, d: int, sensitive: Sequence[str] = ()) -> tuple[IntArray, ...]:
        """The leaves of an attribute, those of the sensitive attributes beside them, and how many rows have these."""


@dataclass(frozen=True, eq=False)
class Regions:
    """Groups of rows: how many each has, and the range of leaves that it publishes of each attribute."""

    low: Codes
    high: Codes
    sizes: IntArray
    hierarchies: tuple[Hierarchy, ...]
    queries: int

    @property
    def losses(self) -> FloatArray:
        """Per attribute, the mean over all rows of (leaves − 1) / (all leaves − 1)."""
        return losses(self.low, self.high, self.sizes, [len(h.leaves) for h in self.hierarchies])


@dataclass(frozen=True, eq=False)
class _Histogram(FrequencySet):
    """One attribute's values in one region, as if they were a table; what is known of the whole table stays so."""

    of_table: Mapping[str, IntArray] = field(default_factory=dict)

    @property
    def totals(self) -> Mapping[str, IntArray]:
        return self.of_table


def mondrian_by_queries(
    engine: RegionEngine,
    hierarchies: Sequence[Hierarchy],
    sensitive: Mapping[str, Hierarchy],
    models: Sequence[PrivacyModel],
    progress: Progress = silent,
) -> Regions:
    """The groups that `mondrian` finds. Raises `Infeasible` if even all rows together break a promise."""
    about = [model.describe() for model in models if isinstance(model, AboutPopulation)]
    if about:
        raise DiscreetError(Mistake("require", f"count queries can't judge {' and '.join(about)}", "search in memory"))
    table = _Table(engine, tuple(hierarchies), sensitive, tuple(models))
    everything: Region = tuple(((0, len(h.leaves) - 1),) for h in hierarchies)
    whole = one_group(Problem(table.histogram(everything, 0), table.models))
    waiting = [(everything, int(whole.count.sum()))]
    boxes: list[tuple[IntArray, IntArray, int]] = []
    while waiting:
        region, size = waiting.pop()
        low, high = table.covers(region)
        parts = table.cut(region, low, high) if size >= 2 * table.k else []
        waiting += parts
        if not parts:
            boxes.append((low, high, size))
            progress("search", 0, 0, f"{len(boxes):,} groups, {engine.queries:,} queries")
    return Regions(
        np.array([low for low, _, _ in boxes], dtype=np.int32),
        np.array([high for _, high, _ in boxes], dtype=np.int32),
        np.array([size for _, _, size in boxes], dtype=np.int64),
        table.hierarchies,
        engine.queries,
    )


class _Table:
    """What is asked of the engine, and how its answers are judged."""

    def __init__(
        self,
        engine: RegionEngine,
        hierarchies: tuple[Hierarchy, ...],
        sensitive: Mapping[str, Hierarchy],
        models: tuple[PrivacyModel, ...],
    ):
        self.engine, self.hierarchies, self.models = engine, hierarchies, models
        self._sensitive = {name: sensitive[name] for name in sorted({model.attribute for model in models} - {""})}
        self.k = max((model.k for model in models if isinstance(model, KAnonymity)), default=1)  # of every part
        self._totals: Mapping[str, IntArray] | None = None

    def histogram(self, region: Region, d: int) -> _Histogram:
        """One attribute in a region; the first time, the region is the whole table."""
        leaf, *values, count = self.engine.histogram(region, d, tuple(self._sensitive))
        coded = {name: v.astype(np.int32) for name, v in zip(self._sensitive, values, strict=True)}
        if self._totals is None:
            self._totals = {
                name: np.bincount(v, weights=count, minlength=len(self._sensitive[name].leaves)).astype(np.int64)
                for name, v in coded.items()
            }
        return _Histogram(
            (self.hierarchies[d],), (leaf.astype(np.int32),), coded, self._sensitive, count, of_table=self._totals
        )

    def covers(self, region: Region) -> tuple[IntArray, IntArray]:
        """The smallest publishable range of leaves that holds all rows of the region, for each attribute."""
        low, high = self.engine.extent(region)
        ends = [
            cover(h, low[d : d + 1].astype(np.int32), high[d : d + 1].astype(np.int32))
            for d, h in enumerate(self.hierarchies)
        ]
        first, last = (np.array([int(pair[i][0]) for pair in ends], dtype=np.int64) for i in (0, 1))
        return first, last

    def cut(self, region: Region, low: IntArray, high: IntArray) -> list[tuple[Region, int]]:
        """The parts of the first cut that leaves only parts which hold, along the widest attribute; none if none."""
        share = (high - low) / np.array([max(len(h.leaves) - 1, 1) for h in self.hierarchies])
        for d in np.argsort(-share, kind="stable").tolist():
            if not share[d] > 0:
                break
            values = self.histogram(region, d)
            n = len(values.counts)
            piece = Partition(values, np.arange(n), values.counts, np.zeros(n, dtype=np.int64))
            part, of_piece, _ = propose(piece, np.zeros(1, dtype=np.int64))
            part, cut = judge_cuts(Problem(values, self.models), piece, part, of_piece)
            if cut[0]:
                return [
                    (
                        (*region[:d], _runs(values.codes[0], part == p), *region[d + 1 :]),
                        int(values.counts[part == p].sum()),
                    )
                    for p in np.unique(part).tolist()
                ]
        return []


def _runs(leaves: Codes, chosen: BoolArray) -> Runs:
    """The chosen leaves as runs; a run may hold leaves that are not among the given ones, which are in order.

    >>> _runs(np.array([0, 2, 2, 5, 7]), np.array([True, True, True, False, True]))
    ((0, 2), (7, 7))
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[False], chosen, [False]]).astype(np.int8)))
    return tuple((int(leaves[a]), int(leaves[b - 1])) for a, b in zip(edges[::2], edges[1::2], strict=True))
