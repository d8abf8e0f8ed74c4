"""An outsider's search: values stay exact, and rows whose group breaks a promise are suppressed."""

from __future__ import annotations

import numpy as np

from discreet.arrays import number_equal
from discreet.errors import Infeasible
from discreet.models.base import all_hold
from discreet.progress import Progress
from discreet.search.plan import Problem, Recoding
from discreet.search.registry import Search


def alone_or_not(problem: Problem, progress: Progress) -> Recoding:
    """The node of exact values, without the groups that fail."""
    frequency = problem.frequency
    group = number_equal(frequency.codes, len(frequency.counts))
    first = np.unique(group, return_index=True)[1]
    exact = np.stack([codes[first] for codes in frequency.codes], axis=1)
    node = (0,) * len(frequency.hierarchies)
    plan = Recoding(frequency, np.arange(len(group)), frequency.counts, group, exact, exact, node)
    plan = plan.without(~all_hold(problem.models, plan.groups))
    if plan.suppressed > problem.suppression_limit:
        raise Infeasible(f"{plan.suppressed:,} rows would have to be left out", repair="raise `suppress`")
    return plan


ALONE_OR_NOT = Search(("generalization",), alone_or_not)
