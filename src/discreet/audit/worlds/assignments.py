"""Which person of a list stands behind which published row, where several groups may fit one person.

A possible world takes for each group as many different people of the list as it has rows, from those it covers, and
nobody for two groups. Nothing else is known, so that all worlds are equally likely.

Groups that share nobody are independent of each other: there everybody's chance is n / N (rows of the group, people
whom it covers). Groups that share people are weighed together. The worlds are the coefficient of Π z_g^n_g in
Π over people (1 + Σ z_g of the groups that they fit), and those without somebody the same without their factor; all
terms are positive, so that no digits are lost. Where that is too much to count, chances are fenced in:

Whatever the other groups take, at least n_g / N_g and at most n_g / (N_g − o_g) of those left to group g are in it, if
the others can take o_g of its people. So somebody's odds of being in g against being in none lie between those of
these two shares, and the odds of being in at all between their sums over the groups that fit. These bounds are then
sharpened by those of the other people (`assignment_bounds`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.audit.worlds.label_join import Covered

# How much is counted out: numbers of rows left per group (all combinations), these times kinds of people, steps in all.
_MOST_STATES, _MOST_KEPT, _WORK = 1 << 16, 4_000_000, 3e8


@dataclass(frozen=True, eq=False)
class Assignments:
    """What the worlds say of each entry of a list (see `Covered`), and of each group.

    `most` and `least` fence in the chance that somebody stands behind some row, `likely` is an estimate between them;
    all three are the same, and right, where everything was counted. `told_by` is the group that says most of it (−1:
    none fits). `row` is the largest chance of anybody to be the one behind a given row of a group, or a bound on it.
    `exact` groups were counted out; `contradicted` ones can't be filled from the list, which is not everybody then.
    """

    most: FloatArray
    least: FloatArray
    likely: FloatArray
    told_by: IntArray
    row: FloatArray
    exact: BoolArray
    contradicted: BoolArray


def assignments(covered: Covered, sizes: IntArray) -> Assignments:
    """Weigh everybody on the list.

    Of two groups of one row, the first fits two people and the second one of them, who is in for sure if nobody else
    can be in the second; three worlds are possible where it fits a third one, too:

    >>> people, groups = np.array([1, 1, 1]), np.array([0, 0, 1, 1], dtype=np.int32)
    >>> found = assignments(Covered(people, np.array([0, 1, 3, 4]), groups, np.array([2, 2])), np.array([1, 1]))
    >>> found.most.round(4), found.exact
    (array([0.6667, 0.6667, 0.6667]), array([ True,  True]))
    """
    having = covered.having
    contradicted = sizes > having
    share = np.minimum(sizes / np.maximum(having, 1), 1.0)
    row = 1.0 / np.maximum(np.maximum(having, sizes), 1)
    fits = covered.fits
    if not covered.held:
        some = (fits > 0).astype(np.float64)
        none, inexact = np.full(len(fits), -1, dtype=np.int64), np.zeros(len(sizes), dtype=np.bool_)
        return Assignments(some, np.zeros(len(fits)), some, none, 1.0 / np.maximum(sizes, 1), inexact, contradicted)
    first = np.append(covered.groups, np.int32(-1))[np.minimum(covered.starts[:-1], len(covered.groups))]
    told_by = np.where(fits > 0, first, -1).astype(np.int64)
    most = np.where(fits > 0, share[told_by] if len(share) else 0.0, 0.0)
    exact = np.ones(len(sizes), dtype=np.bool_)
    weighed = Assignments(most, most.copy(), most.copy(), told_by, row, exact, contradicted)
    if (fits > 1).any():
        _weigh_shared(covered, sizes, weighed)
    return weighed


def _weigh_shared(covered: Covered, sizes: IntArray, weighed: Assignments) -> None:
    """Weigh the groups that share people, in place."""
    from discreet.audit.worlds.assignment_bounds import Bounds, Groups, fence  # late: loads numba
    from discreet.audit.worlds.assignment_kernels import Fits, Limits, alike, balanced, components, count_worlds

    fits = Fits(covered.starts, covered.groups, covered.people)
    part = components(fits.starts, fits.groups, len(sizes))
    shared = np.bincount(part, minlength=len(sizes))[part] > 1
    entries = np.flatnonzero((covered.fits > 0) & shared[weighed.told_by])
    odds = balanced(fits, sizes, entries, shared)
    # Entries that fit the same groups are one kind of people, whatever their values.
    kind, kinds = alike(fits, entries)
    chance_in = np.zeros(len(kinds.groups))
    by_part = np.argsort(part[kinds.groups[kinds.starts[:-1]]], kind="stable")
    limits = Limits(_MOST_STATES, _MOST_KEPT, _WORK)
    counted = count_worlds(by_part, part, kinds, sizes, odds, limits, chance_in, weighed.contradicted)
    weighed.exact[:] = ~shared | counted
    by_group = Groups(sizes, covered.having, odds)
    bounds = Bounds(weighed.most, weighed.least, weighed.likely, weighed.told_by, weighed.row)
    fence(entries, kind, fits, kinds, by_group, chance_in, counted, bounds)
