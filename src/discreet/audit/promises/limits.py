"""What a promise says of every group in plain numbers, so that adversaries of other kinds can be held to it.

An adversary who wants to know whose row is whose is limited by whatever promises a number of people, one who wants to
know who has what by whatever promises a share; neither needs to know how the promise is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from discreet.audit.promises.parameters import OTHERS_KNOWN
from discreet.audit.promises.registry import of_others, reading_of
from discreet.audit.reading.view import Promise


class Demand(NamedTuple):
    """What is asked of the values of a group: at least `limit` different ones, no share above `limit`, and so on.

    `kind` is one of `association.refused_splits`: DISTINCT or ENTROPY (ℓ), RECURSIVE (ℓ, and c as the `factor`), SHARE
    (the largest) or DISTANCE (t, equal distance).
    """

    kind: int
    limit: float
    factor: float = 0.0


@dataclass(frozen=True)
class Limits:
    """The limits of one promise.

    Every group has at least `people`; no value has more than `share` of it, and none is that of all if there are
    `several_values`; nobody's chance of being in the table is below or above `presence`. `demands` are all that the
    promise asks beyond `people`, so that whoever knows the search can tell what it would have refused; None if that
    can't be said in numbers.
    """

    people: Fraction | None = None
    share: Fraction | None = None
    several_values: bool = False
    presence: tuple[Fraction, Fraction] | None = None
    demands: tuple[Demand, ...] | None = None


def limits_of(promise: Promise) -> Limits:
    """The limits of a promise; none if nobody says any.

    >>> limits_of(Promise("k_anonymity", {"k": 5})).people, limits_of(Promise("u_anonymity")).people
    (Fraction(5, 1), None)
    """
    reading = reading_of(promise.model)
    limits = None if reading is None else reading.limits
    if reading is None or limits is None:
        return Limits()
    told = of_others(reading, lambda: limits(promise), lambda error: Limits())
    # Of whoever knows other sensitive values more is promised than numbers about a group say.
    return replace(told, demands=None) if promise.parameters.get(OTHERS_KNOWN) else told


def all_limits(promises: Iterable[Promise], attribute: str | None = None) -> Iterator[Limits]:
    """The limits of all promises, or of those about one attribute and about none in particular."""
    return (limits_of(p) for p in promises if attribute is None or p.attribute in (None, attribute))


def fewest_people(promises: Iterable[Promise]) -> Fraction | None:
    """The number of people that every group is promised to have."""
    return max((limits.people for limits in all_limits(promises) if limits.people is not None), default=None)


def most_share(promises: Iterable[Promise], attribute: str) -> Fraction | None:
    """The largest share of a group that a value may have, by what is promised: 1/ℓ, α or β, whichever is smallest."""
    shares = [limits.share for limits in all_limits(promises, attribute)]
    return min((share for share in shares if share is not None), default=None)
