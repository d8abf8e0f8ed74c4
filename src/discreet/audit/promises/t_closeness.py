"""t-closeness, read a second time: no group is farther than t from the table (Li, Li & Venkatasubramanian 2007)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from discreet.audit.association.refused_splits import DISTANCE
from discreet.audit.lines import AT_MOST, Level
from discreet.audit.promises.distances import equal_distances, hierarchical_distances, ordered_distances
from discreet.audit.promises.level import exact, level, promised_sums
from discreet.audit.promises.limits import Demand, Limits
from discreet.audit.promises.parameters import Parameter, above_zero, one_of
from discreet.audit.promises.registry import Beside, Reading
from discreet.audit.reading.tallies import Summed, in_order, levels_of, whole_table
from discreet.audit.reading.view import Promise, ReleaseView
from discreet.errors import Mistake


def levels(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    """The group that is farthest from the table, for each attribute."""
    return [_farthest(promise, view, summed) for summed in promised_sums(promise, view)]


def _farthest(promise: Promise, view: ReleaseView, summed: Summed) -> Level:
    t, distance, tally = exact(promise.parameters["t"]), promise.parameters.get("distance", "equal"), summed.tally
    whole = whole_table(tally)
    names = levels_of(view, tally.attribute, whole.values)
    named = ("t_closeness", tally.attribute, f"largest {distance} distance of a group from the table")
    if distance == "ordered":
        work, steps = ordered_distances(summed, whole, in_order(view, tally.attribute, whole.values))
    elif distance == "hierarchical" and names is not None:
        work, steps = hierarchical_distances(summed, whole, names)
    elif distance == "hierarchical":
        note = "the release does not tell what each value becomes on the levels of its hierarchy"
        return Level(*named, AT_MOST, float(t), None, None, note=note)
    else:
        work, steps = equal_distances(summed, whole)
    scale = steps * whole.total
    reached = work / (scale * np.maximum(summed.total, 1).astype(np.float64))
    evidence = [work, summed.total]
    return level(
        view, *named, AT_MOST, t, reached, np.arange(len(work)), evidence, lambda work, n: work <= t * scale * n
    )


def _distance(value: Any, place: str, quasi_identifiers: Sequence[str]) -> Iterator[Mistake]:
    """A number from 0: groups may be promised to be exactly as the table."""
    if value != 0:
        yield from above_zero(value, place, quasi_identifiers)


def limits(promise: Promise) -> Limits:
    """How far a group may be from the table; in numbers where all values are equally far from each other."""
    if promise.parameters.get("distance", "equal") != "equal":
        return Limits()
    return Limits(demands=(Demand(DISTANCE, float(exact(promise.parameters["t"]))),))


READING = Reading(
    "t_closeness",
    "t-closeness",
    {
        "t": Parameter(_distance, needed=True, number=True),
        "distance": Parameter(one_of("equal", "ordered", "hierarchical")),
    },
    levels,
    beside_others=True,
    limits=limits,
)
