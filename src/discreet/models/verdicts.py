"""The verdict of each promise on a whole release, with the group that decides it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.counts.groups import Groups
from discreet.errors import Witness
from discreet.models.base import AboutPopulation, PrivacyModel, left_out
from discreet.models.by_people import held, reached


@dataclass(frozen=True)
class Verdict:
    """Does the release keep the promise, what does it reach, and how large is the group that decides?"""

    model: PrivacyModel
    holds: bool
    level: float
    deciding_group: int

    def witness(self) -> Witness:
        return Witness(self.model.describe(), self.deciding_group, self.level, self.model.require())


def verdict(model: PrivacyModel, groups: Groups) -> Verdict:
    """Judge every group; the one with the worst level decides. A release without rows keeps every promise.

    >>> from discreet.models.groups.k_anonymity import KAnonymity
    >>> print(verdict(KAnonymity(5), Groups(np.array([7, 4]))).witness())
    a group of 4 rows reaches 4 where 5-anonymity asks for at least 5
    """
    if not isinstance(model, AboutPopulation):
        return _beside_left_out(_of_groups(model, groups.where(groups.sizes > 0)), groups)
    found, rest = _of_groups(model, groups), model.rest(groups.in_people())
    if rest is None:
        return found
    holds, level = rest
    worse = level < found.level if model.higher_is_safer else level > found.level
    if found.holds == holds and not worse:
        return found
    return found if holds and not found.holds else Verdict(model, holds, level, groups.left_out)


def _beside_left_out(found: Verdict, groups: Groups) -> Verdict:
    """The same where a promise is about the rows that are left out, too: these together are judged like a group."""
    missing = left_out(found.model, groups)
    if missing is None:
        return found
    holds, level, rows = missing
    worse = level < found.level if found.model.higher_is_safer else level > found.level
    decides = worse if holds == found.holds else not holds
    return Verdict(found.model, holds, level, rows) if decides else found


def _of_groups(model: PrivacyModel, groups: Groups) -> Verdict:
    if not len(groups):
        return Verdict(model, True, float("inf") if model.higher_is_safer else 0.0, 0)
    holds, levels = held(model, groups), reached(model, groups)
    # Among failing groups if there are any: exact verdicts and rounded levels may disagree in the last digit.
    open_to = np.flatnonzero(~holds) if not holds.all() else np.arange(len(groups))
    order = levels[open_to] if model.higher_is_safer else -levels[open_to]
    worst = open_to[np.lexsort((groups.sizes[open_to], order))[0]]  # of several, the smallest: not by chance
    return Verdict(model, bool(holds.all()), float(levels[worst]), int(groups.sizes[worst]))


def verdicts(models: Sequence[PrivacyModel], groups: Groups) -> tuple[Verdict, ...]:
    """One verdict per promise."""
    return tuple(verdict(model, groups) for model in models)


def witness(models: Sequence[PrivacyModel], groups: Groups) -> Witness | None:
    """The deciding group of the first broken promise, if any is broken."""
    return next((v.witness() for v in verdicts(models, groups) if not v.holds), None)
