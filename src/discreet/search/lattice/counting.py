"""Who counts the groups of a node for a search: a frequency set in memory, or queries that an engine answers.

A search that asks a `Judge` does not know which. Each node is counted once; how many were is what a search costs where
every count is a pass over the rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from discreet.arrays import IntArray
from discreet.counts.roll_up import Node
from discreet.errors import DiscreetError, Mistake
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.models.base import PrivacyModel
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.parameters import exact
from discreet.search.lattice.node_judge import NodeJudge
from discreet.utility.objectives import OBJECTIVES, Outcome


class Verdict(Protocol):
    """What was found about one node."""

    @property
    def node(self) -> Node: ...

    @property
    def score(self) -> float:
        """What publishing it costs; infinite if it can't be."""

    @property
    def suppressed(self) -> int:
        """Rows in groups that break a promise."""

    @property
    def feasible(self) -> bool:
        """May it be published?"""

    @property
    def hopeless(self) -> bool:
        """Is it proven that no finer node can be published?"""


class Judge(Protocol):
    """Somebody who counts the groups of a node and says whether it may be published."""

    @property
    def top(self) -> Node:
        """The coarsest node."""

    @property
    def judged(self) -> Mapping[Node, Verdict]:
        """Every node that was counted."""

    @property
    def best(self) -> Verdict | None:
        """The cheapest of them that may be published; of equals, the first in the order of the nodes."""

    def judge(self, node: Node) -> Verdict:
        """Count a node, or remember it."""

    def least(self, node: Node) -> float:
        """What publishing a node costs at least, told without counting it."""


class InMemory(NodeJudge):
    """Counts from a frequency set."""

    thorough = True  # minimal nodes are asked for, not the best alone

    def least(self, node: Node) -> float:
        return 0.0 if self._objective.needs_groups else self.bound(node, self.judge(self.top))


class Violations(Protocol):
    """What a query says about the groups of a node that break a promise."""

    @property
    def rows(self) -> int:
        """How many rows they have."""

    @property
    def lost(self) -> int:
        """How many of these are lost in every finer node, at least."""

    @property
    def spreads(self) -> Sequence[int]:
        """Per attribute, the sum over these rows of the leaves − 1 of their value."""


class LatticeEngine(Protocol):
    """An engine that holds a table, coded by leaves, and answers questions about nodes. A query is a pass over it."""

    def leaf_counts(self) -> Sequence[IntArray]:
        """Per attribute, how many rows have each leaf."""

    def violations(self, levels: Node, k: int, share: tuple[int, int] | None, attribute: str) -> Violations:
        """Groups with fewer than k rows, or in which a value of the attribute has more than a share of them."""


@dataclass(frozen=True)
class Queried:
    """A node as a query has judged it."""

    node: Node
    score: float
    suppressed: int
    feasible: bool
    hopeless: bool


class ByQueries:
    """Counts by one aggregate query for each node; of the table itself, nothing is held in memory.

    For k-anonymity and for the ℓ-diversity that bounds the share of the most frequent value; `utility` must not need
    the size of every group.
    """

    def __init__(
        self,
        engine: LatticeEngine,
        hierarchies: Sequence[Hierarchy],
        models: Sequence[PrivacyModel],
        suppression_limit: int = 0,
        utility: str = "loss",
    ):
        self._engine, self._limit, self._objective = engine, suppression_limit, OBJECTIVES[utility]
        self._limits = _limits_of(models)
        if self._objective.needs_groups:
            rule = f"{utility!r} needs the size of every group, which is more than one query tells"
            raise DiscreetError(Mistake("utility", rule, "take loss, geometric_loss or height"))
        self.top: Node = tuple(h.height for h in hierarchies)
        self.judged: dict[Node, Queried] = {}
        self.best: Queried | None = None
        counts = engine.leaf_counts()
        self._rows = int(counts[0].sum()) if counts else 0
        self._widest = [len(h.leaves) - 1 for h in hierarchies]
        self._spread_of_all = [
            [int(n @ (h.sizes(level) - 1)[h.codes[level]]) for level in range(h.height + 1)]
            for n, h in zip(counts, hierarchies, strict=True)
        ]

    def judge(self, node: Node) -> Queried:
        known = self.judged.get(node)
        if known is not None:
            return known
        violations = self._engine.violations(node, *self._limits)
        feasible = violations.rows <= self._limit
        # Both promises are monotone: with nothing to suppress, a node that fails has no finer one that holds.
        hopeless = not feasible and (self._limit == 0 or violations.lost > self._limit)
        score = self._score(node, violations.rows, violations.spreads) if feasible else math.inf
        judged = self.judged[node] = Queried(node, score, violations.rows, feasible, hopeless)
        if feasible and (self.best is None or (score, node) < (self.best.score, self.best.node)):
            self.best = judged
        return judged

    def least(self, node: Node) -> float:
        return self._score(node, 0, [0] * len(node))

    def _score(self, node: Node, suppressed: int, spreads: Sequence[int]) -> float:
        losses = []
        for d, level in enumerate(node):
            spread = self._spread_of_all[d][level] + suppressed * self._widest[d] - spreads[d]
            losses.append(spread * (1.0 / max(self._widest[d] * self._rows, 1)))
        return self._objective.score(Outcome(losses, sum(node), None, suppressed, self._rows))


def _limits_of(models: Sequence[PrivacyModel]) -> tuple[int, tuple[int, int] | None, str]:
    """All promises as one k, and one share of the values of one attribute: the strictest of each kind."""
    k, share, attributes, strange = 1, None, set(), []
    for model in models:
        match model:
            case KAnonymity():
                k = max(k, model.k)
            case FrequencyDiversity():
                limit = 1 / exact(model.l)
                share = limit if share is None else min(share, limit)
                attributes.add(model.attribute)
            case _:
                strange.append(model.describe())
    if strange or len(attributes) > 1:
        rule = f"{' and '.join(strange)} can't be counted by one query" if strange else "two sensitive attributes"
        repair = "count in memory, or ask for k-anonymity and l-diversity (kind: frequency) of one attribute"
        raise DiscreetError(Mistake("require", rule, repair))
    return k, None if share is None else (share.numerator, share.denominator), "".join(attributes)
