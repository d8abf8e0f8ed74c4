"""Promises where people have several rows: kept by the rows, and by the people whose they are.

Nothing in a release says which rows are one person's. So whoever finds somebody's group sees its rows, and may know how
many of them are his. Each promise is judged by the rows' counts and by the people's: each person counts once in a group
(and once for each value he has there), compared with the people of the whole table. A model for which that is not the
question says itself how it is judged (`held_by_people`, `reached_by_people`): the chance of a value is one. Of some it
makes no difference whose rows they are (`rows_decide`). What is told of a population's people is judged by people alone
(`among_people`).

Where quasi-identifiers are published as they are, somebody is found in every group that he has a row in, and all of
them tell of him. No group may hold two rows of one person; and what promises limit the chance of is judged by the sum
over his groups, an upper bound however their values hang together. Other promises hold in each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups
from discreet.counts.owners import OwnedGroups
from discreet.models.exact import MARGIN, decide, pairs

if TYPE_CHECKING:
    from discreet.models.base import PrivacyModel


def rows_decide(model: PrivacyModel) -> bool:
    """Is the verdict on a group the same, whosever rows they are?"""
    return bool(getattr(model, "rows_decide", False))


def among_people(model: PrivacyModel) -> bool:
    """Does it ask how many of a population's people are in the table? How many rows these have means nothing then."""
    return bool(getattr(model, "among_people", False))


def held(model: PrivacyModel, groups: Groups) -> BoolArray:
    """Which groups keep a promise, by rows and by people.

    >>> from discreet.counts.owners import owned
    >>> from discreet.models.groups.k_anonymity import KAnonymity
    >>> visits = Groups(np.array([4, 4]), owners=owned([0, 0, 1, 1], [0, 1, 2, 2], np.array([3, 1, 2, 2]), 2, {}))
    >>> KAnonymity(2).holds(visits).tolist(), held(KAnonymity(2), visits).tolist()
    ([True, True], [True, False])
    """
    if groups.owners is None:
        return model.holds(groups)
    if among_people(model):
        return model.holds(groups.in_people())
    own: Callable[[Groups], BoolArray] | None = getattr(model, "held_by_people", None)
    if rows_decide(model):
        verdict = model.holds(groups)
    elif own is not None:
        verdict = own(groups)
    else:
        verdict = model.holds(groups) & model.holds(groups.of_people(model.attribute))
    return verdict & (groups.most_rows <= 1) if groups.owners.found else verdict


def reached(model: PrivacyModel, groups: Groups) -> FloatArray:
    """What each group achieves: the worse of what it does by rows and by people.

    A group of exact values in which somebody stands twice achieves nothing.
    """
    if groups.owners is None:
        return model.level(groups)
    if among_people(model):
        return model.level(groups.in_people())
    own: Callable[[Groups], FloatArray] | None = getattr(model, "reached_by_people", None)
    if rows_decide(model):
        level = model.level(groups)
    elif own is not None:
        level = own(groups)
    else:
        worse = np.minimum if model.higher_is_safer else np.maximum
        level = worse(model.level(groups), model.level(groups.of_people(model.attribute)))
    if groups.owners.found:
        level = np.where(groups.most_rows > 1, 0.0 if model.higher_is_safer else np.inf, level)
    return level


def surely_lost(model: PrivacyModel, groups: Groups) -> IntArray:
    """Per group, a proven minimum of rows that are lost in every refinement of it, by rows or by people.

    A part that breaks a promise by its rows breaks it. Where nobody moves, every person of a group is in one of its
    parts: what is lost of people at least is lost of rows, for everybody counted has one for each value or more.
    Whoever moves is counted in several parts, of which nothing follows; unless all parts of a group that is too small
    are too small, which a model says by `lost_by_people`.
    """
    if groups.owners is not None and among_people(model):  # everybody has a row or more
        return model.least_suppressed(groups.in_people())
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


def adds_up(model: PrivacyModel) -> bool:
    """Does it limit a chance, so that those of all groups add up in which somebody is found?"""
    return hasattr(model, "in_each_of")


def in_each_of(model: PrivacyModel, groups: int) -> PrivacyModel:
    """What each of so many groups must keep at least so that somebody with a row in each of them is kept a promise.

    >>> from discreet.models.groups.l_diversity import FrequencyDiversity
    >>> in_each_of(FrequencyDiversity(2, "disease"), 3).describe()
    '6-diversity of disease (no value above 1/6)'
    """
    own: Callable[[int], PrivacyModel] | None = getattr(model, "in_each_of", None)
    return model if own is None or groups == 1 else own(groups)


def tallied_by_people(models: tuple[PrivacyModel, ...]) -> set[str]:
    """The sensitive attributes of which promises ask how many people have each value."""
    counted = (model for model in models if not rows_decide(model) and not hasattr(model, "held_by_people"))
    return {model.attribute for model in counted if model.attribute}


def chances(groups: Groups, attribute: str) -> FloatArray:
    """The largest chance, per group, that somebody has a value at least once, if he has as many rows there as anybody.

    A group's n(s) rows with value s are dealt to its n rows at random, j of which are his: the chance is
    1 − C(n − n(s), j) / C(n, j). It grows with j, so the most rows of one person decide, and with n(s). Where people
    are found in several groups with a row in each, it is at most the sum of n(s) / n over these, for the person and
    the value with the largest.
    """
    from discreet.models.groups import kernels

    t = groups.tallies[attribute]
    result: FloatArray = kernels.chances(groups.sizes, kernels.largest(t.offsets, t.counts), groups.most_rows)
    if groups.owners is not None and groups.owners.found:
        level, _ = _sums(groups, groups.owners, attribute, Fraction(1))
        result = np.minimum(worst_of_movers(groups.owners, level, result), 1.0)
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

    verdict = decide(kernels.chances(groups.sizes, largest, groups.most_rows), float(cap), exactly)
    if groups.owners is not None and groups.owners.found:
        _, above = _sums(groups, groups.owners, attribute, cap)
        verdict &= ~groups_of_movers(groups.owners, above)
    return verdict


def _sums(groups: Groups, owners: OwnedGroups, attribute: str, cap: Fraction) -> tuple[FloatArray, BoolArray]:
    """For each mover, the largest sum over his groups of one value's share, and whether it is above a limit."""
    from discreet.models import summed_kernels as kernels

    t, starts, group = groups.tallies[attribute], owners.mover_starts, owners.mover_group
    limit = (cap.numerator, cap.denominator) if cap.denominator < 1 << 31 else (0, 0)
    level, verdict = kernels.summed_shares(
        t.pairs, groups.sizes, starts, group, len(t.reference), float(cap), limit, MARGIN
    )
    above = verdict == kernels.BROKEN
    for p in np.flatnonzero(verdict == kernels.UNSURE).tolist():
        sums: dict[int, Fraction] = {}
        for g in group[starts[p] : starts[p + 1]].tolist():
            for value, count in pairs(t, g):
                sums[value] = sums.get(value, Fraction(0)) + Fraction(count, int(groups.sizes[g]))
        above[p] = max(sums.values()) > cap
    return level, above


def summed(owners: OwnedGroups, level: FloatArray) -> FloatArray:
    """For each mover, what his groups reach together, given what each of them does."""
    return np.add.reduceat(np.append(level[owners.mover_group], 0.0), owners.mover_starts[:-1])


def worst_of_movers(owners: OwnedGroups, level: FloatArray, alone: FloatArray) -> FloatArray:
    """What is largest in each group: of those who move, given what each of them reaches, or `alone`."""
    worst = alone.copy()
    np.maximum.at(worst, owners.mover_group, np.repeat(level, np.diff(owners.mover_starts)))
    return worst


def groups_of_movers(owners: OwnedGroups, which: BoolArray) -> BoolArray:
    """The groups in which one of some movers stands."""
    verdict = np.zeros(len(owners.settled), dtype=np.bool_)
    verdict[owners.mover_group[np.repeat(which, np.diff(owners.mover_starts))]] = True
    return verdict
