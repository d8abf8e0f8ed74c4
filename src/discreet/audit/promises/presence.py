"""δ-presence, read a second time: everybody's chance of being in the table is within bounds (Nergiz et al. 2007)."""

from __future__ import annotations

from discreet.audit.lines import AT_LEAST, AT_MOST, Level
from discreet.audit.promises.level import exact
from discreet.audit.promises.limits import Limits
from discreet.audit.promises.parameters import Parameter, two_shares
from discreet.audit.promises.registry import Beside, Reading
from discreet.audit.reading.view import Promise, ReleaseView

_FIGURES = ("smallest chance of being in the table", "largest chance of being in the table")


def levels(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    """The smallest and the largest chance, which a list of the population tells."""
    if beside.presence is None:
        return unjudged(promise, "needs a list of everybody in the population: it is about people not in the files")
    low, high = (float(exact(bound)) for bound in promise.parameters["delta"])
    # A quotient and the bound that it equals round to the same number; others were put on their side of it.
    smallest, largest = beside.presence
    above = True if smallest[0] >= low else False if smallest[1] < low else None
    below = True if largest[1] <= high else False if largest[0] > high else None
    return [
        Level(promise.model, None, _FIGURES[0], AT_LEAST, low, smallest[0], above, note=_open(above)),
        Level(promise.model, None, _FIGURES[1], AT_MOST, high, largest[1], below, note=_open(below)),
    ]


def _open(holds: bool | None) -> str:
    return (
        "" if holds is not None else "left open: there are too many worlds, and the bounds on the chance are too wide"
    )


def unjudged(promise: Promise, note: str) -> list[Level]:
    """Both bounds, of which neither can be judged."""
    low, high = (float(exact(bound)) for bound in promise.parameters["delta"])
    return [
        Level(promise.model, None, _FIGURES[0], AT_LEAST, low, None, None, note=note),
        Level(promise.model, None, _FIGURES[1], AT_MOST, high, None, None, note=note),
    ]


def limits(promise: Promise) -> Limits:
    """Everybody's chance of being in the table."""
    least, most = (exact(bound) for bound in promise.parameters["delta"])
    return Limits(presence=(least, most))


READING = Reading(
    "presence",
    "δ-presence",
    {"delta": Parameter(two_shares, needed=True), "population": Parameter(), "suppression": Parameter()},
    levels,
    of_values=False,
    of_some=True,
    limits=limits,
)
