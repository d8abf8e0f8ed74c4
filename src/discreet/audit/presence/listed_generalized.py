"""Who is in the table? What a generalized release tells somebody who holds a list of everybody who may be in it.

She knows the list: all people, once each, with their exact quasi-identifiers. She wants to know who is in the table, or
that somebody is not. She has won where she is certain, or surer than what was promised.

Nergiz & Clifton 2008, definition 1: everybody whom a group covers is in with probability |t* in T*| / |t* in P*|, rows
of the group over people of the list whom it covers. Groups that cover the same people are weighed together, over all
ways to find different people for all rows (`assignments`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arrays import FloatArray
from discreet.audit.lines import AT_LEAST, AT_MOST, EXACT, PRESENCE, Line, line, on_its_side
from discreet.audit.promises.limits import all_limits
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.labels import Values, covers
from discreet.audit.reading.view import ReleaseView
from discreet.audit.reading.whose import AS_IF, PEOPLE, so_many
from discreet.audit.worlds.assignments import Assignments, assignments
from discreet.audit.worlds.exact_assignments import exact_chances, kinds_of
from discreet.audit.worlds.label_join import Covered, covered
from discreet.errors import DataError, Mistake

THRESHOLD = 0.5
_CLOSE = 1e-9  # chances nearer than this to a limit are counted in whole numbers
_NOWHERE, _ANYWHERE = "nowhere", "anywhere"  # whom no group fits; who stands behind no published row
CERTAIN = float(np.nextafter(1.0, 0.0))
_KNOWS = "Everybody who may be in the table, by name, with exact values of the columns that were made coarser."
_ASSUMES = "That the list has everybody, once, and all ways to fill the published rows from it are equally likely. "


@dataclass(frozen=True, eq=False)
class Presence:
    """The chance of each entry of a list to be in the table: at `least`, at `most` and, estimated, `likely`.

    `absent` is the largest chance of not being in it. `rest` of the people were left out of the published groups, and
    `hidden` says whom they are looked for among. `contradicted` groups can't be filled from the list; neither can the
    rest, if it is `crowded`. Some chances are too near to a limit to tell on which side they are, if `unsettled`.
    """

    listed: Covered
    placed: Assignments
    least: FloatArray
    most: FloatArray
    likely: FloatArray
    absent: FloatArray
    rest: int
    hidden: str
    crowded: bool
    unsettled: bool = False

    @property
    def exact(self) -> bool:
        """Is every chance what the possible worlds say?"""
        return bool(self.placed.exact.all()) and not self.unsettled

    @property
    def whole(self) -> bool:
        """May the list be everybody?"""
        return not self.placed.contradicted.any() and not self.crowded


def presence_generalized(view: ReleaseView, population: Population, threshold: float | None = None) -> list[Line]:
    """Lines about being in the table and about not being in it, for an adversary with a list.

    >>> from discreet.audit.reading.labels import Exactly
    >>> from discreet.audit.reading.view import Region
    >>> from discreet.audit.reading.exact_tables import read_population
    >>> continents = Region("continent", (Exactly("America"), Exactly("Europe")), np.array([0, 1]))
    >>> view = ReleaseView("generalization", ("continent",), np.array([3, 2]), (), (continents,))
    >>> people = read_population({"continent": ["America"] * 6 + ["Europe"] * 3 + ["Asia"]}, ["continent"])
    >>> for found in presence_generalized(view, people):
    ...     print(found.adversary, round(found.worst, 4), found.above, "of", found.people)
    presence_with_list 0.6667 3 of 10
    absence_with_list 1.0 1 of 10
    """
    delta = next((limits.presence for limits in all_limits(view.promises) if limits.presence), None)
    said = presence_among(view, population, delta or (), THRESHOLD if threshold is None else threshold)
    whole = said.whole
    missing = "" if whole else f"It is not everybody: {_crowd(said)}, so that the promise can't be judged by it. "
    promised = None if delta is None or not whole else float(delta[1])
    limit = threshold if threshold is not None else THRESHOLD if delta is None else float(delta[1])
    details = _details(said, limit)
    common: dict[str, Any] = {
        "threat": PRESENCE,
        "knows": _KNOWS,
        "people": said.listed.people,
        "group": said.placed.told_by,
        "sizes": view.sizes,
        "first_line": view.first_line,
        "file": view.file,
        "assumes": view.whose.told("", AS_IF) + _ASSUMES + missing + _about_rest(said, view.whose.unit),
        "whose": view.whose,
        "of": PEOPLE,  # those of the list
    }
    lines = [
        line(
            adversary="presence_with_list",
            title="Is somebody in the table? With a list of everybody",
            chance=said.most,
            threshold=limit,
            precision=EXACT if said.exact else AT_MOST,
            promised=promised,
            details=details,
            **common,
        )
    ]
    if promised is not None and not said.exact and said.least.max(initial=0.0) > promised:
        lines.append(
            line(
                adversary="presence_with_list_at_least",
                title="Is somebody in the table? With a list of everybody: what is sure",
                chance=said.least,
                threshold=limit,
                precision=AT_LEAST,
                promised=promised,
                **common,
            )
        )
    sure = None if delta is None or not whole or delta[0] == 0 else float(1 - delta[0])
    lines.append(
        line(
            adversary="absence_with_list",
            title="Is somebody not in the table? With a list of everybody",
            chance=said.absent,
            threshold=CERTAIN if delta is None or delta[0] == 0 else float(1 - delta[0]),
            precision=EXACT if said.exact else AT_MOST,
            promised=sure,
            details={"on_the_list": details["on_the_list"], "surely_absent": details["surely_absent"]},
            **common,
        )
    )
    return lines


def presence_among(
    view: ReleaseView, population: Population, limits: Sequence[Fraction] = (), threshold: float = THRESHOLD
) -> Presence:
    """What the release says of everybody on a list. Chances that come near to one of the limits are settled exactly;
    those near to the threshold, which is a floating-point number itself, to the last digit.

    People who were left out of the published groups (suppressed, whether as rows of ``*`` or not at all) were so group
    by group: she looks for them among those whom no published group covers. If these are too few, any who stand behind
    no published row may be left out.
    """
    check_same_words(view, population)
    listed = covered(view, population)
    placed = assignments(listed, view.sizes)
    rest, none = view.starred + view.left_out, listed.fits == 0
    nowhere, on_list = int(listed.people[none].sum()), int(listed.people.sum())
    least, most, likely = placed.least.copy(), placed.most.copy(), placed.likely.copy()
    absent = 1.0 - least
    # 1 − n / N, rounded once: promises are compared with it.
    alone = (listed.fits == 1) & ~none
    n, had = view.sizes[placed.told_by[alone]], listed.having[placed.told_by[alone]]
    absent[alone] = np.where(least[alone] == n / np.maximum(had, n), np.maximum(had - n, 0) / had, absent[alone])
    hidden, crowded = "", False
    if rest and rest <= nowhere:
        hidden = _NOWHERE
        least[none] = most[none] = likely[none] = rest / nowhere
        absent[none] = (nowhere - rest) / nowhere
    elif rest:
        hidden, left = _ANYWHERE, on_list - view.people
        crowded = rest > left
        share = min(rest / left, 1.0) if left > 0 else 1.0
        for chance in (least, most, likely):
            chance += (1.0 - chance) * share
        absent *= 1.0 - share
    said = Presence(listed, placed, least, most, likely, absent, rest, hidden, crowded)
    return replace(said, unsettled=_settle(said, view, [threshold, *limits]))


def _settle(said: Presence, view: ReleaseView, limits: Sequence[Fraction | float]) -> bool:
    """Put chances that come near to a limit on the right side of it, in place: worlds are counted in whole numbers.

    Is there one left that is too much to count? Then it is fenced in.
    """
    counted = np.append(said.placed.exact, True)[said.placed.told_by] & (said.listed.fits > 0)
    if said.placed.contradicted.any():
        return False
    left, unsettled = int(said.listed.people.sum()) - view.people, False
    share = Fraction(0) if said.hidden != _ANYWHERE else min(Fraction(said.rest, max(left, 1)), Fraction(1))
    for limit in limits:
        near = np.flatnonzero(counted & (np.abs(said.most - float(limit)) <= _CLOSE))
        kind, kinds = kinds_of(said.listed, near)
        exact = exact_chances(said.listed, view.sizes, [groups for groups, _ in kinds])
        for k, (groups, _) in enumerate(kinds):
            entries, chance = near[kind == k], exact.get(groups)
            if chance is None:
                unsettled = True
                said.least[entries] *= 1 - _CLOSE
                said.most[entries] = np.minimum(said.most[entries] * (1 + _CLOSE), 1.0)
                said.absent[entries] = np.minimum(said.absent[entries] * (1 + _CLOSE), 1.0)
            else:
                chance += (1 - chance) * share
                side = limit if isinstance(limit, Fraction) else chance
                for chances in (said.least, said.most, said.likely):
                    chances[entries] = on_its_side(chance, side)
                said.absent[entries] = on_its_side(1 - chance, 1 - side)
    return unsettled


def check_same_words(view: ReleaseView, population: Population) -> None:
    """A column of which no value fits any group is most likely written in another way, and would cover nobody."""
    mistakes = []
    for region in view.regions:
        values = Values(population.frequencies.values[population.columns.index(region.attribute)])
        if region.labels and not any(covers(label, values).any() for label in region.labels):
            rule = f"no value of {region.attribute!r} is one that the release speaks of"
            mistakes.append(Mistake("population", rule, "write values as the release does"))
    if mistakes:
        raise DataError(*mistakes)


def _details(said: Presence, limit: float) -> dict[str, Any]:
    people, placed = said.listed.people, said.placed
    told_for_sure = said.least == 1.0
    if placed.contradicted.any():  # then nothing is certain there: others may be meant
        told_for_sure &= ~np.append(placed.contradicted, False)[placed.told_by]
    details: dict[str, Any] = {
        "on_the_list": int(people.sum()),
        "certain": int(people[told_for_sure].sum()),
        "surely_absent": int(people[said.most == 0.0].sum()),
        "smallest": float(said.least.min(initial=1.0)),
        "average": float((said.likely * people).sum() / max(people.sum(), 1)),
        "fit_several_groups": int(people[said.listed.fits > 1].sum()),
        "fit_no_group": int(people[said.listed.fits == 0].sum()),
        "list_may_be_everybody": said.whole,
        "groups_the_list_can_not_fill": int(placed.contradicted.sum()),
    }
    if said.rest:
        details["left_out"] = said.rest
    if not said.exact:
        details["groups_not_counted_out"] = int((~placed.exact).sum())
        details["smallest_is_at_most"] = float(said.most.min(initial=1.0))
        details["worst_is_at_least"] = float(said.least.max(initial=0.0))
        details["worst_is_about"] = float(said.likely.max(initial=0.0))
        details["above_are_at_least"] = int(people[said.least > limit].sum())
        details["above_are_about"] = int(people[said.likely > limit].sum())
    return details


def _about_rest(said: Presence, unit: str) -> str:
    if said.hidden == _NOWHERE:
        return f"The {so_many(said.rest, unit)} left out are among those whom no published group fits."
    if said.hidden:
        return f"The {so_many(said.rest, unit)} left out may be any who stand behind no published row."
    return "Who fits no group is not in the table."


def _crowd(said: Presence) -> str:
    groups = int(said.placed.contradicted.sum())
    if groups:
        return f"{groups:,} of {len(said.placed.contradicted):,} groups can't be filled from it"
    return "more people were left out than it has"
