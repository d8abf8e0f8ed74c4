"""Every node of a lattice: what it costs, and what it reaches of each promise.

A search asks which node is cheapest under given numbers. Here the numbers are left open: of every node the level that
it reaches (the smallest ε, the size of the smallest group, …) is kept, so any number can be asked for afterwards.
Nothing is suppressed: a node is judged with all rows of the table published.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups
from discreet.counts.kernels import Levels
from discreet.counts.roll_up import Counted, Node, RollUp
from discreet.errors import Mistake, PolicyError
from discreet.models.base import AboutPopulation, PrivacyModel, all_hold, may_leave_out
from discreet.models.by_people import reached
from discreet.models.exact import MARGIN
from discreet.models.parameters import Threshold, exact
from discreet.models.realistic.adversaries import ClassOne, ClassThree, ClassTwo
from discreet.models.realistic.predicates import EACH_VALUE
from discreet.models.realistic.realistic import Realistic
from discreet.models.realistic.several_adversaries import Panel
from discreet.progress import Progress, silent

MOST_NODES = 200_000  # half a minute or more; what is kept of them takes some 100 MB


@dataclass(frozen=True)
class Measure:
    """A promise with its number left open: the same model for each sensitive attribute it is about.

    `parameter` is the number that a level is compared with: k, l, c, t or epsilon, or the upper end of delta.
    """

    models: tuple[PrivacyModel, ...]
    parameter: str

    @property
    def higher_is_safer(self) -> bool:
        return self.models[0].higher_is_safer

    def at(self, number: Threshold) -> tuple[PrivacyModel, ...]:
        """The promises with this number."""
        value = (0, number) if self.parameter == "delta" else number
        return tuple(replace(model, **{self.parameter: value}) for model in self.models)  # type: ignore[type-var]


@dataclass(frozen=True, eq=False)
class WholeLattice:
    """All nodes, the finer before the coarser, and what was measured of each (one row per node)."""

    frequency: FrequencySet
    measures: tuple[Measure, ...]
    nodes: Levels
    groups: IntArray
    smallest_group: IntArray
    discernibility: FloatArray
    losses: FloatArray  # per attribute
    levels: FloatArray  # per measure: what the worst group reaches
    keeps: BoolArray  # the promises that were asked for, with their own numbers
    roll_up: RollUp

    def __len__(self) -> int:
        return len(self.nodes)

    @cached_property
    def loss(self) -> FloatArray:
        """The loss metric of each node: the mean over its attributes."""
        mean: FloatArray = self.losses.mean(axis=1)
        return mean

    @cached_property
    def average_group(self) -> FloatArray:
        """Rows per group."""
        return self.frequency.rows / self.groups

    def node(self, at: int) -> Node:
        """One node, as levels of the attributes."""
        return tuple(self.nodes[at].tolist())

    def holds(self, measure: int, number: Threshold) -> BoolArray:
        """Which nodes keep the promise with this number. Exact: what is too close to call is counted again."""
        quantity = self.measures[measure]
        levels, border = self.levels[:, measure], float(exact(number))
        verdict: BoolArray = levels >= border if quantity.higher_is_safer else levels <= border
        if quantity.parameter == "k":  # a count: nothing is rounded
            return verdict
        near = np.flatnonzero(np.abs(levels - border) <= MARGIN * max(1.0, abs(border)))
        models = quantity.at(number)
        for at in near.tolist():
            verdict[at] = _keeps(models, self.roll_up.groups(self.node(at)).groups)
        return verdict

    def best(self, allowed: BoolArray, cost: FloatArray | None = None) -> int | None:
        """The cheapest of the allowed nodes (default: by loss); None if there is none."""
        cost = self.loss if cost is None else cost
        open_to = np.flatnonzero(allowed)
        return int(open_to[np.argmin(cost[open_to])]) if len(open_to) else None

    def frontier(self, measure: int) -> IntArray:
        """Nodes that no other node beats in both loss and level, from the least loss to the best level."""
        risk = self.levels[:, measure] * (-1 if self.measures[measure].higher_is_safer else 1)
        order = np.lexsort((risk, self.loss))
        best = np.minimum.accumulate(risk[order])
        better = np.concatenate([[np.isfinite(best[0])], best[1:] < best[:-1]])
        nodes: IntArray = order[better]
        return nodes


def whole_lattice(
    frequency: FrequencySet,
    measures: Sequence[Measure],
    require: Sequence[PrivacyModel] = (),
    progress: Progress = silent,
) -> WholeLattice:
    """Count and measure every node; `require` are promises of which only the verdict is wanted.

    Each node is merged from one that is finer in a single attribute, the lattice being walked depth first: the
    attributes with most values are raised first, as their merging shrinks what the others have to merge.
    """
    heights = tuple(h.height for h in frequency.hierarchies)
    many = frequency.nodes
    if many > MOST_NODES:
        rule = f"the lattice has {many:,} nodes, and every one would be looked at; at most {MOST_NODES:,} can be"
        raise PolicyError(Mistake("attributes", rule, "give the hierarchies fewer levels, or take columns out"))
    attributes = {model.attribute for measure in measures for model in measure.models} | {m.attribute for m in require}
    roll_up = RollUp(frequency, attributes)
    walk = _Walk(measures, require, many, len(heights))
    order = sorted(range(len(heights)), key=lambda d: -len(frequency.hierarchies[d].leaves))

    open_nodes: list[tuple[Counted, int]] = [(roll_up.groups((0,) * len(heights)), 0)]
    while open_nodes:
        counted, first = open_nodes.pop()
        walk.visit(counted)
        if walk.visited % 64 == 0:
            progress("nodes", walk.visited, many, f"{walk.visited:,} of {many:,} nodes")
        for place in range(first, len(order)):
            d = order[place]
            if counted.node[d] < heights[d]:
                node = (*counted.node[:d], counted.node[d] + 1, *counted.node[d + 1 :])
                open_nodes.append((roll_up.coarser(counted, node), place))
    return walk.result(frequency, roll_up)


class _Walk:
    """What has been measured so far."""

    def __init__(self, measures: Sequence[Measure], require: Sequence[PrivacyModel], many: int, width: int):
        self.measures, self.require = tuple(measures), tuple(require)
        self.visited = 0
        self.nodes = np.empty((many, width), dtype=np.int16)
        self.counts = np.empty((many, 2), dtype=np.int64)
        self.squares = np.empty(many)
        self.levels = np.empty((many, len(measures)))
        self.keeps = np.empty(many, dtype=np.bool_)
        self._panels: list[tuple[Panel, list[int]]] | None = None
        self._alone: list[tuple[int, PrivacyModel]] = []

    def visit(self, counted: Counted) -> None:
        at, everybody = self.visited, counted.groups
        groups = everybody.where(everybody.sizes > 0)
        if self._panels is None:
            self._panels = self._seated(groups)
        self.nodes[at] = counted.node
        self.counts[at] = len(groups), groups.sizes.min()
        self.squares[at] = float(groups.sizes @ groups.sizes)
        levels = self.levels[at]
        levels[:] = [np.inf if m.higher_is_safer else -np.inf for m in self.measures]
        for panel, columns in self._panels:
            levels[columns] = np.maximum(levels[columns], panel.worst(groups))
        for column, model in self._alone:
            level = reached(model, everybody if isinstance(model, AboutPopulation) else groups)
            safer = model.higher_is_safer
            levels[column] = min(levels[column], level.min()) if safer else max(levels[column], level.max())
        self.keeps[at] = _keeps(self.require, everybody)
        self.visited += 1

    def _seated(self, groups: Groups) -> list[tuple[Panel, list[int]]]:
        """Adversaries that can be judged together, by attribute; every other model is asked by itself."""
        together: dict[str, list[tuple[int, Any]]] = {}
        for column, measure in enumerate(self.measures):
            for model in measure.models:
                if _plain(model) and groups.owners is None:
                    together.setdefault(model.attribute, []).append((column, model))
                else:
                    self._alone.append((column, model))
        return [
            (Panel([m.adversary for _, m in seats], name, groups.tallies[name]), [column for column, _ in seats])
            for name, seats in together.items()
        ]

    def result(self, frequency: FrequencySet, roll_up: RollUp) -> WholeLattice:
        order = np.lexsort((*self.nodes.T[::-1], self.nodes.sum(axis=1)))
        losses = np.empty(self.nodes.shape)
        for d, (codes, h) in enumerate(zip(frequency.codes, frequency.hierarchies, strict=True)):
            rows = np.bincount(codes, weights=frequency.counts, minlength=len(h.leaves)).astype(np.int64)
            widest = max((len(h.leaves) - 1) * frequency.rows, 1)
            of_level = [int(rows @ (h.sizes(level) - 1)[h.codes[level]]) / widest for level in range(h.height + 1)]
            losses[:, d] = np.array(of_level)[self.nodes[:, d]]
        return WholeLattice(
            frequency,
            self.measures,
            self.nodes[order],
            self.counts[order, 0],
            self.counts[order, 1],
            self.squares[order],
            losses[order],
            self.levels[order],
            self.keeps[order],
            roll_up,
        )


def _keeps(models: Sequence[PrivacyModel], groups: Groups) -> bool:
    """Do all groups keep the promises, and the people in none?"""
    holds = all_hold(models, groups)
    return bool(holds.all()) and may_leave_out(models, groups, holds, holds)


def _plain(model: PrivacyModel) -> bool:
    """Can a panel judge it: an adversary of the paper, and every single value protected?"""
    return (
        isinstance(model, Realistic)
        and model.predicates == EACH_VALUE
        and isinstance(model.adversary, ClassOne | ClassTwo | ClassThree)
    )
