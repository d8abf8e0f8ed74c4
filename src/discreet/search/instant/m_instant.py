"""M-INSTANT: Mondrian on a summary; the data is looked at once, when the canvas is cut.

Nergiz, Tamersoy & Saygin 2011, section 3.3. Everything starts as one piece. Pieces are cut along their widest side
(ranges where half of the expected rows are on either side, a node of a hierarchy into its children, of which those with
too few rows stay together) as long as the whole mapping stays likely to keep every promise. All pieces propose their
cuts at the same time; of those the safest are made, as many as the threshold allows.

Then the table is counted as finely as the cuts tell values apart (a *look*: one aggregate query), and judged exactly. A
piece that breaks a promise is undone: it and its siblings are their parent again. What is then still large enough is
cut further, by the counts that are there already. So a summary that errs costs loss, never a promise. Rows are left out
then, too, by the same counts (`left_out`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.models.base import PrivacyModel
from discreet.models.likelihood.likely import Options
from discreet.progress import Progress, silent
from discreet.search.instant.canvas import Canvas, Tree
from discreet.search.multidimensional.cutting import cut_down
from discreet.search.multidimensional.left_out import one_group, standing, trimmed
from discreet.search.multidimensional.partition import Partition, cover, hold
from discreet.search.plan import Problem, Recoding
from discreet.summaries.base import Summary

# The table counted as finely as boxes tell: of each attribute, leaves between two sides of boxes stand together and are
# coded by the first of them. Box g has the leaves ``low[g, d]..high[g, d]``.
LookBoxes = Callable[[Codes, Codes], FrequencySet]

THRESHOLD = 0.95
_PLAIN = Options()


def m_instant(
    summary: Summary,
    models: Sequence[PrivacyModel],
    look: LookBoxes,
    suppression_limit: int = 0,
    options: Options = _PLAIN,
    threshold: float = THRESHOLD,
    progress: Progress = silent,
) -> Recoding:
    """Groups that keep every promise, each a box. Raises `Infeasible` if all rows together break one, whichever of them
    may be left out.

    The plan is over what was looked at; `facts` say how it went.
    """
    began = perf_counter()
    canvas = Canvas(summary, tuple(models), options, threshold, progress)
    canvas.cut()
    seconds = perf_counter() - began
    tree, low, high = canvas.tree, canvas.pieces.low, canvas.pieces.high
    frequency = look(low, high)
    problem = Problem(frequency, tuple(models), suppression_limit)
    start = one_group(problem)
    piece = tree.piece_of(frequency.codes)[start.row]
    last = tuple(_last(h, np.concatenate([low[:, d], high[:, d] + 1])) for d, h in enumerate(frequency.hierarchies))
    kept = _undone(problem, tree, start, piece)
    group = np.unique(kept, return_inverse=True)[1].reshape(-1)
    coarse = Coarse(frequency, start.row, start.count, group, last)
    cut = cut_down(problem, coarse, progress)
    done = trimmed(problem, standing(problem, cut), progress)
    facts = {
        "search": "instant",
        "looks": 1,
        "pieces": len(canvas.pieces),
        "pieces_undone": len(np.setdiff1d(piece, kept)),
        "mappings_scored": canvas.scored,
        "probability": canvas.probability,
        "seconds_without_data": round(seconds, 6),
    }
    return done.plan(facts)


def _undone(problem: Problem, tree: Tree, start: Partition, piece: IntArray) -> IntArray:
    """The piece of each combination after those that break a promise were put together with their siblings."""
    while True:
        pieces, group = np.unique(piece, return_inverse=True)
        failing = pieces[~hold(problem, start.row, start.count, group.reshape(-1), len(pieces))]
        if not len(failing):
            return piece
        piece = tree.raised(piece, np.unique(tree.parent[failing]))


@dataclass(frozen=True, eq=False)
class Coarse(Partition):
    """A partition of a table that was not looked at closer than leaves ``c..last[d][c]`` of attribute d together."""

    last: tuple[Codes, ...]

    @cached_property
    def covers(self) -> tuple[Codes, Codes]:
        """Per group and attribute, the smallest publishable range of leaves that holds all its rows."""
        f = self.frequency
        ends = replace(f, codes=tuple(last[codes] for last, codes in zip(self.last, f.codes, strict=True)))
        low, _ = Partition(f, self.row, self.count, self.group).covers
        _, high = Partition(ends, self.row, self.count, self.group).covers
        for d, h in enumerate(f.hierarchies):
            low[:, d], high[:, d] = cover(h, low[:, d], high[:, d])
        return low, high

    def merged(self) -> Coarse:
        same = super().merged()
        return Coarse(same.frequency, same.row, same.count, same.group, self.last)


def _last(hierarchy: Hierarchy, starts: IntArray) -> Codes:
    """Per leaf, the last of those that it stands together with."""
    leaves = len(hierarchy.leaves)
    ends = np.unique(np.concatenate([starts, [leaves]]))
    ends = ends[ends > 0]
    return (ends[np.searchsorted(ends, np.arange(leaves), side="right")] - 1).astype(np.int32)
