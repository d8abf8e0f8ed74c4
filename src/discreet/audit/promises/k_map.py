"""k-map, read a second time: every published row could be about k people of the population (El Emam & Dankar 2008)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.audit.lines import AT_LEAST, Level
from discreet.audit.promises.level import exact, level
from discreet.audit.promises.parameters import Parameter, number
from discreet.audit.promises.registry import Beside, Reading
from discreet.audit.reading.view import Promise, ReleaseView
from discreet.audit.worlds.label_join import covered

_FIGURE = "people of the population who fit a group, at least"


def levels(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    """The fewest people whom a group's labels cover, which a list of the population tells."""
    k = exact(promise.parameters["k"])
    if beside.population is None or not view.kind.labelled:
        return [_unjudged(k, "needs a list of everybody in the population: it is about people not in the files")]
    people = covered(view, beside.population).having
    reached = level(
        view,
        promise.model,
        None,
        _FIGURE,
        AT_LEAST,
        k,
        people.astype(np.float64),
        np.arange(len(people)),
        [people],
        lambda having: having >= k,
    )
    if not reached.holds and (people < view.sizes).any():
        return [_unjudged(k, "the list is not everybody: it has fewer people than rows for some group")]
    return [reached]


def _unjudged(k: Fraction, note: str) -> Level:
    return Level("k_map", None, _FIGURE, AT_LEAST, float(k), None, None, note=note)


READING = Reading(
    "k_map",
    "k-map",
    {"k": number(), "population": Parameter()},
    levels,
    of_values=False,
    of_some=True,
    rows_decide=True,  # people are those of the list, for whosever row
)
