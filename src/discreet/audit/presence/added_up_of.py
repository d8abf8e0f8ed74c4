"""Presence over all groups together, of the people on a list: how much do the chances of those groups add up to that
cover one of them?

The list says for whom it is promised, not what she knows: she has none, so every combination of a group's values is as
likely to be there. Groups that list a value are bits of a long number; those that cover somebody are what the numbers
of all of his values have in common.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from discreet.arrays import IntArray
from discreet.audit.presence.added_up import SLACK, AddedUp
from discreet.audit.reading.exact_tables import Population, combination_codes
from discreet.audit.reading.view import ReleaseView

_BITS = 1 << 27  # of people times groups that are looked at together


def added_up_of(view: ReleaseView, listed: Population, alpha: Fraction) -> AddedUp:
    """The largest sum over all groups of a release in tables apart, of anybody on a list, and whether it is within α.

    Sums that come too close to α to be told in floats are added up in fractions.
    """
    groups = len(view.sizes)
    numbered = [combination_codes(table, listed) for table in view.tables]
    exact = _chances(view, [own for own, _ in numbered])
    chance = np.array([float(one) for one in exact])
    people = np.unique(np.stack([theirs for _, theirs in numbered], axis=1), axis=0)
    people = people[(people >= 0).all(axis=1)]
    bits = []
    for (own, _), table in zip(numbered, view.tables, strict=True):
        listing = np.zeros((int(own.max(initial=0)) + 1, groups), dtype=np.bool_)
        listing[own, table.group] = True
        bits.append(np.packbits(listing, axis=1))
    best, group, broken, limit = 0.0, 0, False, float(alpha)
    step = max(_BITS // max(groups, 1), 1)
    for first in range(0, len(people), step):
        some = people[first : first + step]
        common = bits[0][np.minimum(some[:, 0], len(bits[0]) - 1)]
        for t, lists in enumerate(bits[1:], start=1):
            common = common & lists[np.minimum(some[:, t], len(lists) - 1)]
        for t, lists in enumerate(bits):
            common[some[:, t] >= len(lists)] = 0  # a combination that no group lists
        covering = np.unpackbits(common, axis=1, count=groups)
        sums = covering @ chance
        most = int(np.argmax(sums))
        if sums[most] > best:
            best, group = float(sums[most]), int(np.argmax(np.where(covering[most] > 0, chance, -1.0)))
        broken |= bool((sums > limit * (1 + SLACK)).any()) and alpha < 1
        for near in np.flatnonzero(np.abs(sums - limit) <= limit * SLACK) if not broken and alpha < 1 else ():
            broken |= sum((exact[g] for g in np.flatnonzero(covering[near]).tolist()), Fraction(0)) > alpha
    reached = min(best, 1.0)
    return AddedUp(reached, reached, group, not broken)


def _chances(view: ReleaseView, numbers: list[IntArray]) -> list[Fraction]:
    """|G| / Π mᵢ of each group, at most 1: what a table lists twice counts once."""
    many = []
    for table, own in zip(view.tables, numbers, strict=True):
        pairs = np.unique(np.stack([table.group, own], axis=1), axis=0)
        many.append(np.bincount(pairs[:, 0], minlength=len(view.sizes)))
    return [
        min(Fraction(int(n), max(math.prod(int(m) for m in each), 1)), Fraction(1))
        for n, *each in zip(view.sizes.tolist(), *(m.tolist() for m in many), strict=True)
    ]
