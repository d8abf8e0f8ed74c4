"""Which nodes of a lattice are likely to keep the promises, by a summary alone; the least loss first.

What a node loses depends on its levels and on the attributes one by one, so the summary's marginals tell it. A node is
a candidate if it and every coarser one look good enough (Nergiz, Tamersoy & Saygin 2011, algorithm 1). To list all of
them would mean to score nearly all; but the best ones come first, and as a rule nobody asks for the others. So boxes of
the lattice are cut in two, the one with the least possible loss first: if the coarsest node of a box does not look good
enough, none of it does. (True of probabilities, and of expectations under k-anonymity. Under ℓ-diversity a finer node
may have fewer rows in failing groups; like the paper, we let such a node go.)
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from discreet.arrays import FloatArray
from discreet.counts.frequency import Population
from discreet.counts.roll_up import Node
from discreet.errors import DiscreetError, Mistake
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.models.base import PrivacyModel
from discreet.models.likelihood.likely import Options
from discreet.progress import Progress
from discreet.search.instant.scores import Score, Scorer
from discreet.summaries.base import Summary
from discreet.utility.objectives import OBJECTIVES, Outcome

_TELL_EVERY = 64  # nodes scored


@dataclass(frozen=True)
class Candidate:
    """A node, what publishing it is expected to cost, and how likely it is to hold (or how many rows are not)."""

    node: Node
    cost: float
    score: Score


class Candidates:
    """The candidates, found as they are asked for. Each is given out once; some may be looked at ahead."""

    def __init__(
        self,
        summary: Summary,
        models: tuple[PrivacyModel, ...],
        suppression_limit: int,
        utility: str,
        options: Options,
        threshold: float,
        progress: Progress,
        population: Population | None = None,
    ):
        self.hierarchies = summary.hierarchies
        self.top: Node = tuple(h.height for h in self.hierarchies)
        self.nodes = math.prod(level + 1 for level in self.top)
        self.number = 0  # candidates so far
        self.least_cost = math.inf  # nobody asks for candidates that cost as much as this
        self._rows = summary.rows
        self._scorer = Scorer(summary, models, suppression_limit, options, threshold, population)
        self._objective = OBJECTIVES[utility]
        if self._objective.needs_groups:
            raise DiscreetError(
                Mistake(
                    "utility",
                    f"a summary does not tell what `{utility}` would be",
                    "take loss, geometric_loss or height, or another search",
                )
            )
        self._progress = progress
        self._losses = [_losses(h, summary.marginal(d)) for d, h in enumerate(self.hierarchies)]
        self._scores: dict[Node, Score] = {}
        self._failed = Below(len(self.top))  # too unlikely, with everything finer
        self._refused = Below(len(self.top))  # proven to fail, with everything finer
        self._waiting: deque[Candidate] = deque()
        # (bound on the cost, finest node, coarsest node, the candidate if there is just one and its cost is known)
        self._queue: list[tuple[float, Node, Node, Candidate | None]] = []
        start = perf_counter()
        self._push((0,) * len(self.top), self.top)
        self.seconds = perf_counter() - start

    def __iter__(self) -> Iterator[Candidate]:
        while self.ahead(1):
            yield self._waiting.popleft()

    @property
    def scored(self) -> int:
        """How many nodes were scored."""
        return len(self._scores)

    def ahead(self, many: int) -> list[Candidate]:
        """The next candidates (fewer if there are no more), which stay where they are."""
        while len(self._waiting) < many:
            candidate = self._find()
            if candidate is None:
                break
            self._waiting.append(candidate)
        return [self._waiting[i] for i in range(min(many, len(self._waiting)))]

    def refuse(self, node: Node) -> None:
        """Neither this node nor any finer one is to be proposed any more."""
        self._refused.add(node)
        self._waiting = deque(c for c in self._waiting if not self._refused.has(c.node))

    def candidate(self, node: Node) -> Candidate:
        """A node as a candidate, whether it looks good enough or not."""
        score = self._score(node)
        suppressed = score.expectation if self._scorer.expecting else 0.0
        return Candidate(node, self._cost(node, suppressed), score)

    def facts(self) -> dict[str, object]:
        """How it went, for the report."""
        return {
            "nodes": self.nodes,
            "nodes_scored": self.scored,
            "candidates": self.number,
            "seconds_without_data": round(self.seconds, 6),
        }

    def _find(self) -> Candidate | None:
        start = perf_counter()
        try:
            while self._queue and self._queue[0][0] < self.least_cost:
                _, low, high, candidate = heapq.heappop(self._queue)
                if self._refused.has(high) or (candidate is None and self._failed.has(high)):
                    continue
                if candidate is not None:
                    self.number += 1
                    return candidate
                if low == high:
                    settled = self.candidate(low)
                    heapq.heappush(self._queue, (settled.cost, low, low, settled))
                    continue
                for half_low, half_high in self._halves(low, high):
                    self._push(half_low, half_high)
            return None
        finally:
            self.seconds += perf_counter() - start

    def _push(self, low: Node, high: Node) -> None:
        """Put a box in the queue, unless nothing in it is likely to hold."""
        if self._failed.has(high) or self._refused.has(high):
            return
        if self._score(high).passes:
            heapq.heappush(self._queue, (self._cost(low, 0.0), low, high, None))
        else:
            self._failed.add(high)

    def _score(self, node: Node) -> Score:
        known = self._scores.get(node)
        if known is None:
            known = self._scores[node] = self._scorer.node(node)
            if self.scored % _TELL_EVERY == 0:
                self._progress("search", 0, 0, f"{self.scored:,} nodes scored")
        return known

    def _cost(self, node: Node, suppressed: float) -> float:
        """What publishing a node costs if so many rows, no others than the average, are suppressed."""
        share = suppressed / max(self._rows, 1)
        exact = [self._losses[d][level] for d, level in enumerate(node)]
        losses = [loss + share * (1 - loss) for loss in exact]
        return self._objective.score(Outcome(losses, sum(node), None, round(suppressed), self._rows))

    def _halves(self, low: Node, high: Node) -> tuple[tuple[Node, Node], tuple[Node, Node]]:
        """Cut a box across the attribute whose levels differ most in loss."""
        ends = enumerate(zip(low, high, strict=True))
        gains = [self._losses[d][b] - self._losses[d][a] if b > a else -1.0 for d, (a, b) in ends]
        d = int(np.argmax(gains))
        middle = (low[d] + high[d]) // 2
        return (low, (*high[:d], middle, *high[d + 1 :])), ((*low[:d], middle + 1, *low[d + 1 :]), high)


class Below:
    """Everything that is no coarser than one of some nodes."""

    def __init__(self, attributes: int):
        self._nodes = np.empty((0, attributes), dtype=np.int16)

    def add(self, node: Node) -> None:
        finer = (self._nodes <= np.array(node, dtype=np.int16)).all(axis=1)
        self._nodes = np.vstack([self._nodes[~finer], np.array([node], dtype=np.int16)])

    def has(self, node: Node) -> bool:
        return bool((self._nodes >= np.array(node, dtype=np.int16)).all(axis=1).any())


def _losses(hierarchy: Hierarchy, share: FloatArray) -> list[float]:
    """What an attribute loses on each level: the mean of (leaves − 1) / (all leaves − 1)."""
    widest = max(len(hierarchy.leaves) - 1, 1)
    return [
        float(share @ (hierarchy.sizes(level) - 1)[hierarchy.codes[level]]) / widest
        for level in range(hierarchy.height + 1)
    ]
