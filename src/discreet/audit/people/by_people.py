"""The release's promises by people: kept if its rows' counts keep them, and those of the people whose rows they are.

Where a column of the source says whose rows they are, and nothing else does, files alone can't tell. Then what is
promised of people is not judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from discreet.audit.lines import AT_MOST, Level
from discreet.audit.people.persons import Persons
from discreet.audit.people.sums import over_all_groups, within
from discreet.audit.promises.level import deciding_group
from discreet.audit.promises.levels import levels_of
from discreet.audit.promises.limits import limits_of
from discreet.audit.promises.registry import Beside, of_others, reading_of
from discreet.audit.reading.view import Promise, ReleaseView, Tally
from discreet.audit.reading.whose import PEOPLE

BY_PEOPLE = "by people"
_NOT_PLAIN = "it is not plain whose rows every group has"
SEVERAL = "somebody's rows stand in several groups, or it is not plain in which"


def levels_by_people(view: ReleaseView, persons: Persons | None, beside: Beside, why: str = "") -> list[Level]:
    """What the release reaches of everything that it promises, if people are counted; `why` they are not, if so.

    `beside` is what is known besides the files, by people.
    """
    if persons is None:
        open_to_people = (p for p in view.promises if reading_of(p.model) is not None and not _rows_decide(p))
        return [_unjudged(promise, why) for promise in open_to_people]
    found = [level for promise in view.promises for level in _levels(promise, persons, beside)]
    return [replace(level, of=PEOPLE, figure=_named(level.figure)) for level in found]


def of_the_population(promise: Promise) -> bool:
    """Is a promise about people who need not be in the files? It speaks of people alone."""
    reading = reading_of(promise.model)
    return reading is not None and reading.of_some


def rows_tell(promise: Promise, named: bool) -> bool:
    """Do a release's rows tell whether it is kept, where people are `named` and may have several of them?"""
    return not (named and of_the_population(promise)) or _rows_decide(promise)


def _rows_decide(promise: Promise) -> bool:
    reading = reading_of(promise.model)
    return reading is not None and reading.rows_decide


def _named(figure: str) -> str:
    return figure if PEOPLE in figure or "whoever" in figure or "one person" in figure else f"{figure}, {BY_PEOPLE}"


def _unjudged(promise: Promise, why: str) -> Level:
    return Level(promise.model, promise.attribute, BY_PEOPLE, "", None, None, None, note=why, of=PEOPLE)


def _levels(promise: Promise, persons: Persons, beside: Beside) -> Iterator[Level]:
    reading = reading_of(promise.model)
    if reading is None:
        return  # the rows' level says that nobody reads it
    if of_the_population(promise) and not persons.settled:
        if not reading.rows_decide:
            yield _unjudged(promise, SEVERAL)
        return
    bounds = persons.view.bounds
    assert bounds is not None
    if not reading.ours and (not persons.groups.exact or any(left.any() for left in bounds.open.values())):
        yield _unjudged(promise, _NOT_PLAIN)
        return
    yield from (
        levels_of(promise, persons.view, beside)
        if reading.by_people is None
        else of_others(
            reading,
            partial(reading.by_people, promise, persons, beside),
            lambda error: [_unjudged(promise, f"the package that reads this promise failed ({error})")],
        )
    )
    if not persons.rows.kind.labelled:
        share = limits_of(promise).share
        tallies = [t for t in persons.rows.tallies if promise.attribute in (None, t.attribute)]
        yield from (_sum(promise.model, persons, tally, share) for tally in tallies if share is not None)


def _sum(model: str, persons: Persons, tally: Tally, limit: Fraction) -> Level:
    """Where exact values hide whose value is whose, the shares of a value in all groups of a person add up."""
    sums = over_all_groups(persons, tally)
    kept, broken = within(sums, persons, tally, limit)
    left_open = ~kept & ~broken
    worst = np.flatnonzero(broken) if broken.any() else np.arange(len(kept))
    deciding, achieved = None, None
    if len(worst):
        first = int(worst[np.argmax(sums.total[worst])])
        achieved, deciding = float(sums.total[first]), deciding_group(persons.view, int(sums.decides[first]))
    many = int(left_open.sum())
    note = f"{many:,} people left open: it is not plain in which groups their rows stand" if many else ""
    holds = False if broken.any() else None if many else True
    figure = "largest sum of a value's chances over all rows of one person"
    return Level(model, tally.attribute, figure, AT_MOST, float(limit), achieved, holds, deciding, note)
