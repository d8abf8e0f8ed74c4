"""c-confident δ-presence, read a second time: presence within bounds, as likely as c (Nergiz & Clifton 2010)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from discreet.audit.lines import AT_MOST, Level, Line
from discreet.audit.presence.by_marginals import presence_by_pairs
from discreet.audit.presence.by_pairs import goes_beyond, promised
from discreet.audit.promises.parameters import Parameter, one_of, two_shares
from discreet.audit.promises.presence import unjudged
from discreet.audit.promises.registry import Beside, Reading
from discreet.audit.reading.view import Promise, ReleaseView
from discreet.errors import Mistake, shown
from discreet.files.numbers import exact_number

_NOTE = "needs a list of the population, or how many people of it have each value: it is about people not in the files"


def _from_zero(value: Any, place: str, quasi_identifiers: Sequence[str]) -> Iterator[Mistake]:
    number = exact_number(value)
    if number is None or number < 0:
        yield Mistake(place, f"must be a number from 0, got {shown(value)}")


def levels(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    """How likely the bounds fail for a group, as the line about that tells; a bound above c leaves it open."""
    line: Line | None = beside.failing
    if goes_beyond(promise.parameters):
        found = presence_by_pairs(view, promise.parameters, beside.population, beside.table)
        if isinstance(found, str):
            return unjudged(promise, found)
        line = found
    elif promise.parameters != promised(view, beyond=False):
        return unjudged(promise, "another such promise was judged: give this one in a release of its own")
    if line is None or line.promised is None:
        return unjudged(promise, _NOTE)
    kept = line.worst <= line.promised  # what is as good as equal was settled in whole numbers, or taken for equal
    holds = True if kept else False if line.breaks else None
    note = "" if holds is not None else "left open: the figure is an upper bound, and too large for a promise kept"
    figure = "largest chance that a group is not within the bounds"
    named = (promise.model, None, figure, AT_MOST)
    return [Level(*named, line.promised, line.worst, holds, line.deciding, note)]


READING = Reading(
    "confident_presence",
    "confident δ-presence",
    {
        "delta": Parameter(two_shares, needed=True),
        "confidence": Parameter(number=True),
        "population": Parameter(),
        "marginals": Parameter(),
        "size": Parameter(number=True),
        "known": Parameter(one_of("marginals", "pairs")),
        "pairs": Parameter(),
        "margin": Parameter(_from_zero),
    },
    levels,
    of_values=False,
    of_some=True,
)
