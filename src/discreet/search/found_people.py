"""What can't be had where people have several rows, and are found in each group that has one: told before any search.

No two rows of one person may stand in a group, and promises that limit a chance limit its sum over somebody's groups.
Three things follow, whatever the grouping:

- A group has rows of `least` people or more. G groups publish at most G rows of anybody, so they need Σ min(rows, G) ≥
  least · G, which holds up to a largest G.
- In each group the shares of all values (or what is believed of a row) are 1 together. If each may come to c, somebody
  has no more rows than c times the number of values.
- What is believed of all rows of a group to have a value is as much as rows have it. So over everybody the sums are as
  many as all rows with the value: c times the number of people at most.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.frequency import FrequencySet
from discreet.errors import Infeasible
from discreet.models.ambiguity.alpha_beta import AlphaBeta
from discreet.models.base import PrivacyModel, least_rows, protected_values, rows_per_value
from discreet.models.groups.alpha_k import AlphaK
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.parameters import exact
from discreet.models.robust.robust import Robust
from discreet.search.plan import Problem


def check_people(problem: Problem, *, sums: bool = True) -> None:
    """Refuse at once what no grouping can give people who have several rows.

    Without `sums`, promises are not asked that are kept by these: what is published need not be true.
    """
    f = problem.frequency
    if f.owners is None:
        return
    reasons = [_in_few_groups(problem.models, f), *(_by_sums(model, f) for model in problem.models if sums)]
    lost, why = max(reasons, key=lambda reason: reason[0])
    if lost > problem.suppression_limit:
        raise Infeasible(
            f"{several_rows(f)}, no two of which may stand in one group of exact values. {why}; so at least {lost:,} "
            f"of {f.rows:,} rows have to be suppressed, {problem.suppression_limit:,} may be",
            repair="publish fewer rows of each person, weaken a promise, raise `suppress`, or publish coarser values",
        )


def several_rows(frequency: FrequencySet) -> str:
    """How many people have several rows, in words."""
    assert frequency.owners is not None
    rows = frequency.owners.rows
    several = rows[rows > 1]
    low, high = int(several.min()), int(several.max())
    return f"{len(several):,} of {frequency.people:,} people have {low if low == high else f'{low} to {high:,}'} rows"


def most_groups(rows: IntArray, least: int) -> int:
    """The most groups of at least `least` rows, of different people each, if people have so many rows.

    >>> most_groups(np.array([5, 1, 1]), 2), most_groups(np.array([2, 2, 2]), 2), most_groups(np.array([9]), 1)
    (2, 3, 9)
    """
    low, high = 0, int(rows.sum()) // least
    while low < high:
        groups = (low + high + 1) // 2
        low, high = (groups, high) if np.minimum(rows, groups).sum() >= least * groups else (low, groups - 1)
    return low


def _in_few_groups(models: tuple[PrivacyModel, ...], f: FrequencySet) -> tuple[int, str]:
    """How many rows are lost at least, as they would stand beside others of the same person; and why."""
    assert f.owners is not None
    everywhere = [rows_per_value(model) for model in models if protected_values(model) is None]
    least = max([least_rows(models), *everywhere])
    groups = most_groups(f.owners.rows, least)
    lost = int(np.maximum(f.owners.rows - groups, 0).sum())
    return lost, f"There can be {groups:,} group{'s' * (groups != 1)} of {least:,} people or more"


def _by_sums(model: PrivacyModel, f: FrequencySet) -> tuple[int, str]:
    """How many rows are lost at least, as somebody's groups would tell too much together; and why."""
    cap = _cap(model)
    if cap is None or f.owners is None:
        return 0, ""
    leaves, totals = f.sensitive_hierarchies[model.attribute].leaves, f.totals[model.attribute]
    listed, lost, why = protected_values(model), 0, ""
    if listed is None:
        values = int(np.count_nonzero(totals))
        most = int(cap * values)
        lost = int(np.maximum(f.owners.rows - most, 0).sum())
        why = (
            f"{model.describe()} is kept by the sum over all groups of a person, and {values:,} values allow for "
            f"{most:,} row{'s' * (most != 1)} of each"
        )
    sets = [(leaf,) for leaf in leaves] if listed is None else listed
    having = [int(totals[[i for i, leaf in enumerate(leaves) if leaf in s]].sum()) for s in sets]
    most = int(cap * f.people)
    above = [max(rows - most, 0) for rows in having]
    apart = len([leaf for s in sets for leaf in s]) == len({leaf for s in sets for leaf in s})
    too_many = sum(above) if apart else max(above, default=0)
    if too_many > lost:
        lost = too_many
        why = (
            f"{model.describe()} is kept by the sum over all groups of a person, and {f.people:,} people allow for "
            f"{most:,} row{'s' * (most != 1)} of a value, where one has {max(having):,}"
        )
    return lost, why


def _cap(model: PrivacyModel) -> Fraction | None:
    """What the chance of a value may come to, summed over the groups of a person; None if it may be anything."""
    match model:
        case FrequencyDiversity():
            return 1 / exact(model.l)
        case AlphaK():
            return exact(model.alpha)
        case AlphaBeta():
            return exact(model.beta)
        case Robust():
            return 1 / exact(model.r)
    return None
