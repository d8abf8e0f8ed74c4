"""Whose row is it? Three adversaries who want to put names to published rows.

The prosecutor knows that her target is in the table. The journalist wants to show that anybody can be found, and does
not know who is in; she has a list of the population. The marketer finds as many as she can, and may be wrong in some
(El Emam, Guide to the De-Identification of Personal Health Information, 2013). Where values are made coarser, rows of a
group can't be told apart: the prosecutor finds the right one of n with probability 1 / n, the journalist the right
person of the N whom the group covers with 1 / N, and the marketer is right about one person in every group (or n / N).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from discreet.arrays import FloatArray
from discreet.audit.kinds.base import Alike, AtLarge
from discreet.audit.lines import ESTIMATE, EXACT, REIDENTIFICATION, ROUNDED, Line, at_limits, line
from discreet.audit.promises.limits import fewest_people
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.view import ReleaseView
from discreet.audit.reading.whose import AS_IF, so_many
from discreet.audit.reidentification.uniqueness import chance_of_one, check_population_size, population_uniques

THRESHOLD = 0.2


def reidentification(
    view: ReleaseView,
    population: Population | None = None,
    population_size: int | None = None,
    threshold: float | None = None,
) -> list[Line]:
    """A line for the prosecutor and for the marketer; for the journalist, if a list or a size of a population is known.

    A list goes before a size. `threshold` is 0.2 unless something is given or promised.

    >>> view = ReleaseView("generalization", (), np.array([2, 3, 5]), ())
    >>> for found in reidentification(view, population_size=100):
    ...     print(found.adversary, round(found.worst, 4), found.above, found.precision)
    prosecutor 0.5 5 exact
    marketer 0.3 5 exact
    journalist 0.0827 0 an estimate
    marketer_at_large 0.0426 0 an estimate
    """
    alike = view.kind.alike()
    lines = [_prosecutor(view, alike, threshold), _marketer(view, alike, threshold)]
    return lines + at_large(view, population, population_size, threshold)


def at_large(
    view: ReleaseView, population: Population | None, population_size: int | None, threshold: float | None
) -> list[Line]:
    """The lines of those who do not know who is in."""
    if population is not None:
        return _with_list(view, view.kind.alike(), population, threshold)
    if population_size is not None:
        return _with_size(view, view.kind.alike(), population_size, threshold)
    return []


def _prosecutor(view: ReleaseView, alike: Alike, threshold: float | None) -> Line:
    fewest = fewest_people(view.promises)
    promised = float(1 / fewest) if fewest and view.kind.labelled else None
    return _line(
        view,
        alike,
        1.0 / alike.rows,
        threshold,
        promised=promised,
        adversary="prosecutor",
        title="Which row is the target's? Knowing that the target is in",
        knows="That her target is in the table, and the target's values in the published columns.",
        assumes="That the target's values fit one group; where they fit several, she knows less. "
        + view.whose.told("", "That one row of it is the target's; if several are, she is surer. ")
        + "All rows of the group are equally likely."
        + view.kind.about_rows,
        details=_risks(alike, 1.0 / alike.rows),
    )


def _marketer(view: ReleaseView, alike: Alike, threshold: float | None) -> Line:
    return _share(
        view,
        alike,
        1.0 / alike.rows,
        threshold,
        adversary="marketer",
        title="How many are found? Knowing who is in",
        knows="A list of exactly the people who are in the table, with their values in the published columns.",
        assumes=view.whose.told("", AS_IF)
        + "That she gives the people of a group to its rows at random. The figure is the share that she is expected to "
        "get right." + view.kind.about_rows,
    )


def _with_list(view: ReleaseView, alike: Alike, population: Population, threshold: float | None) -> list[Line]:
    """The journalist and the marketer with a list of the population."""
    odds = view.kind.at_large(alike, population)
    details = {"on_the_list": population.people, **odds.details, "people_the_list_has_no_room_for": odds.missing}
    assumes = view.whose.told("", AS_IF) + (
        "That all ways to fill rows from the list are equally likely, and that it has everybody who may be in "
        "the table, once."
    )
    if odds.missing:
        assumes += (
            f" It does not: {so_many(odds.missing, view.whose.unit)} stand in groups that can't be filled from it."
        )
    return _at_large(
        view,
        alike,
        replace(odds, details=details),
        threshold,
        among="With a list of everybody",
        knows="A list of everybody who may be in the table, by name, with exact values, but not who is in.",
        assumes=assumes,
    )


def _with_size(view: ReleaseView, alike: Alike, population_size: int, threshold: float | None) -> list[Line]:
    """The same two where only the size of the population is known: estimates."""
    sample = view.people + view.starred + view.left_out
    check_population_size(population_size, sample)
    if not view.kind.rows_are_people:  # of how many people have which values nothing is published
        return []
    fraction = sample / population_size
    each = np.unique(alike.kind, return_index=True)[1]
    uniques = population_uniques(alike.rows[each], population_size)
    chance = chance_of_one(alike.rows, fraction)
    alone = alike.rows == 1
    # Whoever is unique in the population is so in the table: as many are expected there as the share of it.
    chance[alone] = np.maximum(chance[alone], min(uniques.chosen * fraction / max(int(alone.sum()), 1), 1.0))
    details: dict[str, Any] = {
        "population": population_size,
        "estimated_population_uniques": {
            "Zayatz": uniques.zayatz,
            "slide negative binomial": uniques.slide,
            "Pitman": uniques.pitman,
            "Dankar's rule": uniques.chosen,
            "which is": uniques.rule,
            "share": uniques.share,
        },
    }
    return _at_large(
        view,
        alike,
        AtLarge(chance, ESTIMATE, 0, details),
        threshold,
        among="Among a population of known size",
        knows=f"That the table is about some of {population_size:,} people; not who they are.",
        assumes=view.whose.told("", AS_IF)
        + "An estimate, not a bound: the people of the table are taken to be drawn at random from the population. "
        "Where they are not, it may be far off.",
    )


def _at_large(
    view: ReleaseView, alike: Alike, odds: AtLarge, threshold: float | None, *, among: str, knows: str, assumes: str
) -> list[Line]:
    """The journalist and the marketer, of whom neither knows who is in."""
    journalist = _line(
        view,
        alike,
        odds.chance,
        threshold,
        precision=odds.precision,
        adversary="journalist",
        title=f"Whose row is it? {among}",
        knows=knows,
        assumes=assumes + view.kind.about_rows,
        details={**odds.details, **_risks(alike, odds.chance)},
    )
    share = _share(
        view,
        alike,
        odds.chance,
        threshold,
        precision=odds.precision,
        adversary="marketer_at_large",
        title=f"How many are found? {among}",
        knows=knows,
        assumes=assumes + " The figure is the share of rows that she is expected to get right." + view.kind.about_rows,
    )
    return [journalist, share]


def _line(
    view: ReleaseView,
    alike: Alike,
    chance: FloatArray,
    threshold: float | None,
    *,
    adversary: str,
    title: str,
    knows: str,
    assumes: str,
    precision: str = EXACT,
    promised: float | None = None,
    details: Mapping[str, Any] | None = None,
) -> Line:
    """Of chances that are no quotients the last digits are unsure."""
    limit = threshold if threshold is not None else THRESHOLD if promised is None else promised
    return line(
        adversary=adversary,
        threat=REIDENTIFICATION,
        title=title,
        knows=knows,
        assumes=assumes,
        chance=chance,
        people=alike.people,
        group=alike.group,
        sizes=view.sizes,
        threshold=limit,
        first_line=view.first_line,
        file=view.file,
        precision=precision,
        promised=promised,
        details=details,
        rounded=0.0 if precision == EXACT else ROUNDED,
        whose=view.whose,
    )


def _share(view: ReleaseView, alike: Alike, chance: FloatArray, threshold: float | None, **words: Any) -> Line:
    """A marketer's line: the histogram is of single rows, the figure is the share that is expected to be right."""
    per_row = _line(view, alike, chance, threshold, **words)
    expected = float((chance * alike.people).sum())
    details = {"expected_to_be_found": expected, "rows": int(alike.people.sum()), **per_row.details}
    worst = np.array(expected / max(int(alike.people.sum()), 1))  # a sum of quotients
    worst = at_limits(worst, (per_row.threshold, per_row.promised), ROUNDED)
    return replace(per_row, worst=float(worst), deciding=None, details=details)


def _risks(alike: Alike, chance: FloatArray) -> dict[str, Any]:
    people = max(int(alike.people.sum()), 1)
    highest = float(chance.max(initial=0.0))
    return {
        "highest": highest,
        "lowest": float(chance.min(initial=1.0)),
        "average": float((chance * alike.people).sum() / people),
        "share_at_highest": float(alike.people[chance == highest].sum() / people),
        "alone_with_their_values": int(alike.people[alike.rows == 1].sum()),
    }
