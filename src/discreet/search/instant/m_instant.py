"""M-INSTANT: Mondrian on a summary; the data is looked at once, when the canvas is cut.

Nergiz, Tamersoy & Saygin 2011, section 3.3. Everything starts as one piece. Pieces are cut along their widest side
(ranges where half of the expected rows are on either side, a node of a hierarchy into its children, of which those with
too few rows stay together) as long as the whole mapping stays likely to keep every promise. All pieces propose their
cuts at the same time; of those the safest are made, as many as the threshold allows.

Then the table is counted as finely as the cuts tell values apart (a *look*: one aggregate query), and judged exactly. A
piece that breaks a promise is undone: it and its siblings are their parent again. What is then still large enough is
cut further, by the counts that are there already. So a summary that errs costs loss, never a promise. Rows are left out
then, too, by the same counts (`left_out`).

Promises about presence (which the paper leaves out) speak of everybody in a population, whose groups must not overlap:
then a piece is one box, published as it was cut, and judged by all the people in it. Nothing is cut after the look, and
nobody is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.counts.frequency import FrequencySet, Population
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.models.base import PrivacyModel, all_hold
from discreet.models.likelihood.likely import Options
from discreet.progress import Progress, silent
from discreet.search.instant.canvas import Canvas, Tree
from discreet.search.multidimensional.cutting import cut_down
from discreet.search.multidimensional.left_out import holding, one_group, refuse, standing, trimmed
from discreet.search.multidimensional.partition import Partition, cover, groups_of, hold
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
    population: Population | None = None,
) -> Recoding:
    """Groups that keep every promise, each a box. Raises `Infeasible` if all rows together break one, whichever of them
    may be left out.

    For promises about presence, `population` is given. The plan is over what was looked at; `facts` say how it went.
    """
    began = perf_counter()
    canvas = Canvas(summary, tuple(models), options, threshold, progress, population)
    canvas.cut()
    seconds = perf_counter() - began
    tree, low, high = canvas.tree, canvas.pieces.low, canvas.pieces.high
    frequency = look(low, high)
    problem = Problem(frequency, tuple(models), suppression_limit)
    if suppression_limit and population is None:  # then rows that look alike may be parted, but not those of one person
        problem = problem.by_seat
        frequency = problem.frequency
    facts = {
        "search": "instant",
        "looks": 1,
        "pieces": len(canvas.pieces),
        "pieces_undone": 0,
        "mappings_scored": canvas.scored,
        "probability": canvas.probability,
        "seconds_without_data": round(seconds, 6),
    }
    if population is not None:
        return _among_people(problem, canvas, population, facts)
    whole = one_group(problem)
    piece = tree.piece_of(frequency.codes)[whole.row]
    last = tuple(_last(h, np.concatenate([low[:, d], high[:, d] + 1])) for d, h in enumerate(frequency.hierarchies))
    kept = _undone(problem, tree, whole, piece)
    group = np.unique(kept, return_inverse=True)[1].reshape(-1)
    cut = cut_down(problem, Coarse(frequency, whole.row, whole.count, group, last), progress)
    done = holding(problem, trimmed(problem, standing(problem, cut), progress), whole)
    return done.plan({**facts, "pieces_undone": len(np.setdiff1d(piece, kept))})


def _among_people(problem: Problem, canvas: Canvas, population: Population, facts: dict[str, object]) -> Recoding:
    """The pieces as boxes of the population, those that break a promise undone; what has rows is published."""
    f, tree, pieces = problem.frequency, canvas.tree, canvas.pieces
    rows_in, people_in = tree.piece_of(f.codes), tree.piece_of(population.codes)
    node = pieces.node
    before = len(node)
    while True:
        number, box = np.unique(node, return_inverse=True)
        of_row, of_person = np.searchsorted(number, rows_in), np.searchsorted(number, people_in)
        people = np.bincount(of_person, weights=population.counts, minlength=len(number)).astype(np.int64)
        groups = groups_of(f, np.arange(len(f.counts)), f.counts, of_row, len(number))
        groups = replace(groups, population=people)
        holds = all_hold(problem.models, groups)
        if holds.all():
            break
        if len(number) == 1:
            refuse(problem, groups)
        raised = np.unique(tree.parent[number[~holds]])
        node, rows_in, people_in = (tree.raised(at, raised) for at in (node, rows_in, people_in))
    published = groups.sizes > 0
    low = np.full((len(number), pieces.low.shape[1]), np.iinfo(np.int32).max, dtype=np.int32)
    high = np.full_like(low, -1)
    np.minimum.at(low, box.reshape(-1)[pieces.piece], pieces.low)
    np.maximum.at(high, box.reshape(-1)[pieces.piece], pieces.high)
    return Recoding(
        f,
        np.arange(len(f.counts)),
        f.counts,
        (np.cumsum(published) - 1)[of_row],
        low[published],
        high[published],
        population=people[published],
        facts={**facts, "pieces_undone": before - len(number)},
    )


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
