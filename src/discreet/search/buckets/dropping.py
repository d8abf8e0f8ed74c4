"""What is left out where people are found in several groups: as few of these as let others keep their promises."""

from __future__ import annotations

import numpy as np

from discreet.arrays import BoolArray, IntArray
from discreet.counts.owners import OwnedGroups
from discreet.models.base import all_hold
from discreet.search.buckets.dealing_kernels import apart
from discreet.search.plan import Plan, Problem


def dropped(problem: Problem, plan: Plan) -> BoolArray:
    """Which groups of a plan have to be left out, so that the others keep every promise.

    Groups that break one by themselves are, all at once. Somebody whose groups tell too much together breaks it in all
    of them, and is safe without one or two: so of these, no two with the same person go in one round.
    """
    groups = plan.groups
    gone = np.zeros(len(groups), dtype=np.bool_)
    failing = ~all_hold(problem.models, groups)
    rng = np.random.default_rng(problem.seed)
    while failing.any():
        here = np.flatnonzero(~gone)
        some = groups.where(~gone)
        assert some.owners is not None
        alone = some.most_rows > 1
        for model in problem.models:
            alone |= ~model.holds(some)
        order = np.flatnonzero(failing & ~alone)
        order = order[np.lexsort((rng.random(len(order)), some.sizes[order]))]
        gone[here[alone]] = True
        gone[here[_apart(some.owners, order)]] = True
        left = groups.where(~gone)
        failing = ~all_hold(problem.models, left)
    return gone


def _apart(owners: OwnedGroups, order: IntArray) -> IntArray:
    """Of some groups the first ones, in order, no two of which have a person in common."""
    group = owners.mover_group.astype(np.int64)
    person = np.repeat(np.arange(len(owners.mover_starts) - 1), np.diff(owners.mover_starts))
    by_group = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[by_group], np.arange(len(owners.settled) + 1)).astype(np.int64)
    chosen: IntArray = order[apart(order, starts, person[by_group], len(owners.mover_starts) - 1)]
    return chosen
