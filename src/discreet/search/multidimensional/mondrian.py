"""Mondrian: cut the table like a canvas, every piece along its widest side, as long as all parts keep the promises.

LeFevre, DeWitt & Ramakrishnan 2006, strict: rows with equal values always stay together. Numbers and dates are cut at
the median, a node of a hierarchy into its children. Children that are too small for a promise stay together as the rest
of their parent, so that one rare value does not forbid the whole cut. Rows may be left out where the promises can't be
kept with them, or where that makes their groups so much narrower that less is lost in sum (`left_out`).
"""

from __future__ import annotations

from discreet.models.base import AboutPopulation
from discreet.progress import Progress, silent
from discreet.search.multidimensional.cutting import cut_down
from discreet.search.multidimensional.left_out import holding, one_group, standing, trimmed
from discreet.search.multidimensional.population_boxes import boxes
from discreet.search.plan import Problem, Recoding


def mondrian(problem: Problem, progress: Progress = silent) -> Recoding:
    """Groups that can't be cut any further; never worse than without suppression.

    Raises `Infeasible` if even all rows together break a promise, whichever of them may be left out. Promises about a
    population ask for groups that don't overlap in it: those are cut another way (`boxes`), and nothing is left out.
    """
    if any(isinstance(model, AboutPopulation) for model in problem.models):
        return boxes(problem, progress)
    if problem.suppression_limit:  # then rows with equal values may be parted
        problem = problem.by_seat
    start = one_group(problem)
    cut = cut_down(problem, start, progress)
    groups = trimmed(problem, standing(problem, cut), progress)
    return holding(problem, groups, start).plan({"search": "mondrian"})
