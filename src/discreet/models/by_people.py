"""Promises where people have several rows: kept by the rows, and by the people whose they are.

Nothing in a release says which rows are one person's. So whoever finds somebody's group sees its rows, and may know how
many of them are his. Each promise is judged by the rows' counts and by the people's: each person counts once in a group
(and once for each value he has there), compared with the people of the whole table. A model for which that is not the
question says itself how it is judged (`held_by_people`, `reached_by_people`): the chance of a value is one. Of some it
makes no difference whose rows they are (`rows_decide`).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups
from discreet.models.exact import decide

if TYPE_CHECKING:
    from discreet.models.base import PrivacyModel


def rows_decide(model: PrivacyModel) -> bool:
    """Is the verdict on a group the same, whosever rows they are?"""
    return bool(getattr(model, "rows_decide", False))


def held(model: PrivacyModel, groups: Groups) -> BoolArray:
    """Which groups keep a promise, by rows and by people.

    >>> from discreet.counts.owners import owned
    >>> from discreet.models.groups.k_anonymity import KAnonymity
    >>> visits = Groups(np.array([4, 4]), owners=owned([0, 0, 1, 1], [0, 1, 2, 2], np.array([3, 1, 2, 2]), 2, {}))
    >>> KAnonymity(2).holds(visits).tolist(), held(KAnonymity(2), visits).tolist()
    ([True, True], [True, False])
    """
    if groups.owners is None or rows_decide(model):
        return model.holds(groups)
    own: Callable[[Groups], BoolArray] | None = getattr(model, "held_by_people", None)
    if own is not None:
        return own(groups)
    return model.holds(groups) & model.holds(groups.of_people(model.attribute))


def reached(model: PrivacyModel, groups: Groups) -> FloatArray:
    """What each group achieves: the worse of what it does by rows and by people."""
    if groups.owners is None or rows_decide(model):
        return model.level(groups)
    own: Callable[[Groups], FloatArray] | None = getattr(model, "reached_by_people", None)
    if own is not None:
        return own(groups)
    worse = np.minimum if model.higher_is_safer else np.maximum
    level: FloatArray = worse(model.level(groups), model.level(groups.of_people(model.attribute)))
    return level


def surely_lost(model: PrivacyModel, groups: Groups) -> IntArray:
    """Per group, a proven minimum of rows that are lost in every refinement of it, by rows or by people.

    A part that breaks a promise by its rows breaks it. Where nobody moves, every person of a group is in one of its
    parts: what is lost of people at least is lost of rows, for everybody counted has one for each value or more.
    Whoever moves is counted in several parts, of which nothing follows; unless all parts of a group that is too small
    are too small, which a model says by `lost_by_people`.
    """
    least = model.least_suppressed(groups)
    if groups.owners is None or rows_decide(model):
        return least
    own: Callable[[Groups], IntArray] | None = getattr(model, "lost_by_people", None)
    if own is not None:
        return np.maximum(least, own(groups))
    if groups.owners.constant and not hasattr(model, "held_by_people"):
        return np.maximum(least, model.least_suppressed(groups.of_people(model.attribute)))
    return least


def survives_merging(model: PrivacyModel, owners: bool, constant: bool) -> bool:
    """Does merging two groups that hold always give one that holds, if rows have owners, who are `constant` or not?

    Merging is adding up, which is what models call monotone, only where nobody is in both groups. A model that is
    judged in a way of its own says `merges_by_people`.
    """
    if not owners or rows_decide(model):
        return model.monotone
    own: bool | None = getattr(model, "merges_by_people", None)
    return model.monotone and (constant if own is None else own)


def tallied_by_people(models: tuple[PrivacyModel, ...]) -> set[str]:
    """The sensitive attributes of which promises ask how many people have each value."""
    counted = (model for model in models if not rows_decide(model) and not hasattr(model, "held_by_people"))
    return {model.attribute for model in counted if model.attribute}


def chances(groups: Groups, attribute: str) -> FloatArray:
    """The largest chance, per group, that somebody has a value at least once, if he has as many rows there as anybody.

    A group's n(s) rows with value s are dealt to its n rows at random, j of which are his: the chance is
    1 − C(n − n(s), j) / C(n, j). It grows with j, so the most rows of one person decide, and with n(s).
    """
    from discreet.models.groups import kernels

    t = groups.tallies[attribute]
    result: FloatArray = kernels.chances(groups.sizes, kernels.largest(t.offsets, t.counts), groups.most_rows)
    return result


def chances_at_most(groups: Groups, attribute: str, cap: Fraction) -> BoolArray:
    """Which groups keep every value's chance within a limit, exactly."""
    from discreet.models.groups import kernels

    t = groups.tallies[attribute]
    largest: IntArray = kernels.largest(t.offsets, t.counts)

    def exactly(group: int) -> bool:
        rows, of_value, own = int(groups.sizes[group]), int(largest[group]), int(groups.most_rows[group])
        spared, ways = comb(rows - of_value, own), comb(rows, own)
        return spared * cap.denominator >= (cap.denominator - cap.numerator) * ways

    return decide(kernels.chances(groups.sizes, largest, groups.most_rows), float(cap), exactly)
