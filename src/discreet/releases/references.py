"""What a re-check compares the groups with: the published rows themselves, and nothing else.

Promises like t-closeness compare each group with the whole table. The search takes the source for it, suppressed rows
included, as the literature does. A reader of the release has the published rows only; and whatever else a release said
of the source's distribution, exact or rounded, would be a statement about the rows that were left out. So a plan has to
keep its promises against both: the source's distribution, and its own.

Searches that claim an optimum look for such plans themselves (`search/confirmed.py`); what the others find is settled
here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.arrays import BoolArray
from discreet.models.base import PrivacyModel, all_hold, compares
from discreet.search.plan import Plan

PUBLISHED = "published"  # the word of manifests for "this release's own distribution"


def failing_alone(plan: Plan, models: Sequence[PrivacyModel]) -> BoolArray:
    """Which groups of a plan break a promise once the published rows are the whole table."""
    groups = plan.groups
    failing = np.zeros(len(groups), dtype=np.bool_)
    comparing = [model for model in models if compares(model)]
    if plan.suppressed and comparing:  # else both are the same table
        filled = groups.sizes > 0
        failing[filled] = ~all_hold(comparing, groups.where(filled).among_themselves())
    return failing


def settled(plan: Plan, models: Sequence[PrivacyModel], limit: int) -> Plan | None:
    """The plan without the groups that fail alone; None if more than `limit` rows would be left out.

    Leaving groups out changes what the others are compared with, so it is done until nothing fails.
    """
    while (failing := failing_alone(plan, models)).any():
        plan = plan.without(failing)
        if plan.suppressed > limit:
            return None
    return plan
