"""What a re-check may compare the groups with, without giving away the rows that were left out.

Promises like t-closeness compare each group with the whole table, suppressed rows included. A reader of the release has
no such table; and its exact counts, less those that are published, are the sensitive values of the suppressed rows.
Whoever knows that somebody is missing from the release knows that he is one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from discreet.counts.groups import Groups
from discreet.hierarchies.hierarchy import IntArray
from discreet.models.base import AboutPopulation, PrivacyModel, all_hold
from discreet.search.plan import SUPPRESSED, Ambiguity, Bucketization, Plan

ROWS_PER_STEP = 20  # a rounded count leaves this many rows open: a difference of two names nobody


def references(plan: Plan, models: Sequence[PrivacyModel]) -> dict[str, Any] | None:
    """For each sensitive attribute what the groups of a plan that keeps its promises are compared with.

    None where nothing that is safe will do. In this order: the release's own distribution ("published"), if the
    promises hold against that too; the table's, rounded to shares of many rows; the table's exact counts, if the
    suppressed rows would keep every promise as a group of their own. Values that only suppressed rows have are never
    named.
    """
    chosen: dict[str, Any] = {}
    filled = plan.groups.where(plan.groups.sizes > 0)
    for name in filled.tallies:
        own = tuple(m for m in models if m.attribute == name)
        weights = next((w for w in _candidates(plan, filled, models, name) if _hold(own, filled, name, w)), None)
        if weights is None:
            return None
        leaves = plan.frequency.sensitive_hierarchies[name].leaves
        listed = [[leaf, int(n)] for leaf, n in zip(leaves, weights, strict=True) if n]
        chosen[name] = "published" if np.array_equal(weights, _published(filled, name)) else listed
    return chosen


def _candidates(plan: Plan, groups: Groups, models: Sequence[PrivacyModel], name: str) -> Iterator[IntArray]:
    published, table = _published(groups, name), plan.frequency.totals[name]
    yield published
    named = published > 0
    shares = 20
    while shares * ROWS_PER_STEP <= plan.frequency.rows:
        rounded = np.rint(table / table.sum() * shares).astype(np.int64)
        yield np.where(named, np.maximum(rounded, 1), 0)
        shares *= 2
    # Promises about a population are about the number of suppressed rows, which is told anyway, not about their values.
    concerned = tuple(m for m in models if m.attribute in ("", name) and not isinstance(m, AboutPopulation))
    if named[table > 0].all() and all_hold(concerned, _left_out(plan)).all():
        yield table


def _hold(models: Sequence[PrivacyModel], groups: Groups, name: str, reference: IntArray) -> bool:
    if np.array_equal(reference, groups.tallies[name].reference):
        return True  # what the plan was judged against
    against = {**groups.tallies, name: replace(groups.tallies[name], reference=reference)}
    return bool(all_hold(models, replace(groups, tallies=against)).all())


def _published(groups: Groups, name: str) -> IntArray:
    """How many published rows have each value."""
    t = groups.tallies[name]
    return np.bincount(t.values, weights=t.counts, minlength=len(t.reference)).astype(np.int64)


def _left_out(plan: Plan) -> Groups:
    """The suppressed rows as one group, with the values they have."""
    group = np.where(plan.group == SUPPRESSED, 0, SUPPRESSED)
    if isinstance(plan, Ambiguity):
        return replace(plan, group=group).groups
    kind = Bucketization if isinstance(plan, Bucketization) else Plan
    return kind(plan.frequency, plan.row, plan.count, group).groups
