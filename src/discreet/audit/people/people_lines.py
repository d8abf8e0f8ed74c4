"""What adversaries know of people who may have several rows: the lines that are about persons, not rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.audit.lines import (
    ASSOCIATION,
    AT_LEAST,
    AT_MOST,
    EXACT,
    REIDENTIFICATION,
    ROUNDED,
    Line,
    at_limits,
    line,
)
from discreet.audit.people.chances import chances
from discreet.audit.people.persons import Persons
from discreet.audit.people.reach import Standing, standing
from discreet.audit.people.sums import over_all_groups
from discreet.audit.promises.limits import all_limits, fewest_people, most_share
from discreet.audit.reading.tallies import protected, summed_up
from discreet.audit.reading.view import Tally
from discreet.audit.reading.whose import ROWS, Ownership

REIDENTIFIED, BELIEVED = 0.2, 0.5  # limits, where nothing is given or promised
_PEOPLE = Ownership(one_each=True)
_OPEN = (
    " It is not plain whose rows every group has (labels overlap, or rows were left out one by one): the figure is the "
    "largest that it can be."
)


def prosecutor(persons: Persons, threshold: float | None) -> Line:
    """Whoever knows that somebody is in finds the rows that look alike: those of so many people.

    She has won where these are so few that she is surer than the threshold; of somebody who is alone with rows that
    look alike, all of them are his.
    """
    view, at, group = persons.rows, *_alike(persons)
    fewest = fewest_people(view.promises)
    promised = float(1 / fewest) if fewest and view.kind.labelled else None
    each = largest_of_each(at, (1.0 / np.maximum(at.fewest, 1))[at.cell])
    may_be, surely = alone(persons)
    share = at.most_rows / np.maximum(at.rows, 1)
    details = {
        "highest": float(each.chance.max(initial=0.0)),
        "lowest": float(each.chance.min(initial=1.0)),
        "average": float(each.chance.mean()) if len(each.chance) else 0.0,
        "share_at_highest": float((each.chance == each.chance.max(initial=0.0)).mean()) if len(each.chance) else 0.0,
        "alone_with_their_values": may_be,
        "surely_alone_with_their_values": surely,
        "fewest_people_who_look_alike": int(at.fewest.min(initial=persons.people)),
        "most_rows_of_one_person": int(at.most_rows.max(initial=0)),
        "largest_share_of_rows_that_are_one_person_s": float(share.max(initial=0.0)),
        "people_in_several_groups": persons.several,
    }
    return line_of_people(
        persons,
        each.chance,
        group[each.cell],
        at.exact,
        threat=REIDENTIFICATION,
        adversary="prosecutor",
        title="Which rows are the target's? Knowing that the target is in",
        knows="That her target is in the table, and the target's values in the published columns.",
        assumes="That everybody with rows that look alike is equally likely. Whoever knows how many of them are the "
        "target's may be surer: see the largest share of rows that are one person's." + view.kind.about_rows,
        threshold=limit_of_line(threshold, promised, REIDENTIFIED),
        promised=promised,
        details=details,
    )


def alone(persons: Persons) -> tuple[int, int]:
    """How many people are alone with rows that look alike, or may be; and how many surely are."""
    at, _ = _alike(persons)
    may, surely = at.fewest[at.cell] == 1, (at.people[at.cell] == 1) & (at.sure > 0)
    return len(np.unique(at.person[may])), len(np.unique(at.person[surely]))


def marketer(persons: Persons, threshold: float | None) -> Line:
    """Whoever has a list of exactly the people in the table, with how many rows each has, gives these out at random.

    A row is given to the right one with j / N, j of the N rows that look alike being that person's.
    """
    view, at, group = persons.rows, *_alike(persons)
    plain = np.bincount(at.cell[at.sure != at.most], minlength=len(at.rows)) == 0
    plain &= ~at.torn
    own = plain[at.cell]
    chance = np.concatenate([at.most[own] / at.rows[at.cell[own]], (at.most_rows / np.maximum(at.rows, 1))[~plain]])
    many = np.concatenate([at.most[own], at.rows[~plain]])
    cell = np.concatenate([at.cell[own], np.flatnonzero(~plain)])
    per_row = line_of_people(
        persons,
        np.minimum(chance, 1.0),
        group[cell],
        bool(plain.all()),
        people=many,
        of=ROWS,
        threat=REIDENTIFICATION,
        adversary="marketer",
        title="How many rows are found? Knowing who is in",
        knows="A list of exactly the people who are in the table, with their values in the published columns, and how "
        "many rows each has.",
        assumes="That she gives the people of a group to its rows at random. The figure is the share of rows that she "
        "is expected to get right." + view.kind.about_rows,
        threshold=limit_of_line(threshold, None, REIDENTIFIED),
    )
    expected, rows = float((np.minimum(chance, 1.0) * many).sum()), int(many.sum())
    worst = float(at_limits(np.array(min(expected / max(rows, 1), 1.0)), (per_row.threshold,), ROUNDED))
    return replace(per_row, worst=worst, deciding=None, details={"expected_to_be_found": expected, "rows": rows})


def chance_of_a_value(persons: Persons, tally: Tally, threshold: float | None) -> Line:
    """Whoever knows somebody's group, and how many of its rows are his, takes every way to deal out values for likely.

    She has won where he has some value at least once with more than the threshold (see `chances`).
    """
    summed = summed_up(tally, len(persons.rows.sizes))
    promised = most_share(persons.rows.promises, tally.attribute)
    return _of_values(
        persons,
        tally,
        summed.largest,
        threshold,
        adversary="uniform_worlds",
        title="knows only the release",
        knows=f"{persons.rows.kind.finds} She also knows how many rows of it are this person's; nothing else.",
        assumes="That a person has a value if at least one of the person's rows has it. Whoever knows more "
        "about people, or about how the groups were made, can believe more.",
        promised=None if promised is None else float(promised),
    )


def chance_of_protected_values(persons: Persons, tally: Tally, threshold: float | None) -> list[Line]:
    """The same about the values alone that the release names as those it protects, where it names some."""
    named = protected(persons.rows, tally)
    if named.all() or not named.any():
        return []
    having = np.zeros(len(persons.rows.sizes), dtype=np.int64)
    of = named[tally.value]
    np.maximum.at(having, tally.group[of], tally.count[of])
    return [
        _of_values(
            persons,
            tally,
            having,
            threshold,
            adversary="protected_values",
            title="knows only the release, and asks for protected values",
            knows=f"{persons.rows.kind.finds} She also knows how many rows of it are this person's, and wants to know "
            "about the values that the release says it protects.",
            assumes="The other values are no secret.",
            details={"protected_values": int(named.sum())},
        )
    ]


def homogeneity(persons: Persons, tally: Tally, threshold: float | None) -> Line:
    """She looks for groups with one value alone: of their people she is certain. Chances are 1 and 0.

    Of somebody with most rows of a group she may be certain in other groups, too: so many are among the details.
    """
    view, at = persons.rows, persons.groups
    summed = summed_up(tally, len(view.sizes))
    single = summed.distinct == 1
    each = largest_of_each(at, single[at.cell].astype(np.float64))
    certain = at.most + summed.largest[at.cell] > at.rows[at.cell]
    excluded = any(limits.several_values for limits in all_limits(view.promises, tally.attribute))
    promised = 0.0 if excluded else None
    return line_of_people(
        persons,
        each.chance,
        each.cell,
        at.exact,
        threat=ASSOCIATION,
        attribute=tally.attribute,
        adversary="homogeneity",
        title="finds groups with a single value",
        knows=f"{view.kind.finds} In some groups everybody has the same value.",
        assumes="The published values are the true ones.",
        threshold=limit_of_line(threshold, promised or None, BELIEVED),
        promised=promised,
        details={
            "groups": int(single.sum()),
            "certain_of_a_value_by_how_many_rows_they_have": len(np.unique(at.person[certain])),
            "fewest_values_in_a_group": int(summed.distinct.min(initial=len(tally.values))),
        },
    )


def several_groups(persons: Persons, tally: Tally, threshold: float | None) -> list[Line]:
    """Whoever knows all groups in which somebody has rows adds up what they tell; a line if anybody has several.

    She has won where a value is in one of his rows or more with a chance above the threshold: 1 − Π (1 − pᵢ). What is
    promised of every group by itself is the limit here, too, though a release of coarser values promises nothing of it.
    """
    if not persons.several:
        return []
    sums, view = over_all_groups(persons, tally), persons.rows
    share = most_share(view.promises, tally.attribute)
    limit = None if share is None else float(share)
    promised = None if view.kind.labelled else limit  # of coarser values each group by itself is promised about
    return [
        line_of_people(
            persons,
            sums.chance,
            sums.decides,
            bool(sums.known.all()),
            threat=ASSOCIATION,
            attribute=tally.attribute,
            adversary="several_groups",
            title="knows all groups in which somebody has rows",
            knows=f"{view.kind.finds} She knows all groups in which this person has rows, and how many in each.",
            assumes="That a person has a value if at least one of the person's rows has it, and that groups tell "
            "nothing of each other. If they do, the sum of the chances is the most that she can believe.",
            threshold=limit_of_line(threshold, limit, BELIEVED),
            promised=promised,
            rounded=ROUNDED,
            details={
                "people_in_several_groups": persons.several,
                "largest_sum_of_chances": float(sums.total.max(initial=0.0)),
            },
        )
    ]


def _of_values(
    persons: Persons, tally: Tally, having: IntArray, threshold: float | None, *, promised: float | None = None,
    **words: Any,
) -> Line:  # fmt: skip
    """A line about the chance that somebody has the value which so many rows of each group have."""
    at = persons.groups
    # Many people have as many rows of a group: each chance is worked out once.
    width = int(at.most.max(initial=0)) + 1
    pair, place = np.unique(at.cell * width + at.most, return_inverse=True)
    cell, own = np.divmod(pair, width)
    each = largest_of_each(at, chances(at.rows[cell], having[cell], own)[place])
    return line_of_people(
        persons,
        each.chance,
        each.cell,
        at.exact,
        threat=ASSOCIATION,
        attribute=tally.attribute,
        threshold=limit_of_line(threshold, promised, BELIEVED),
        promised=promised,
        rounded=ROUNDED,
        **words,
    )


@dataclass(frozen=True, eq=False)
class _Each:
    """The largest chance of every person, and the cell that it comes from."""

    chance: FloatArray
    cell: IntArray


def largest_of_each(at: Standing, chance: FloatArray) -> _Each:
    """Of a chance for every person and cell, the largest of each person."""
    order = np.lexsort((chance, at.person))
    last = np.flatnonzero(np.diff(at.person[order], append=-1) != 0)
    return _Each(chance[order][last], at.cell[order][last])


def _alike(persons: Persons) -> tuple[Standing, IntArray]:
    """The people whose rows look alike, and a group in which each of these rows stand."""
    reach = persons.owners.reach
    if reach.alike is reach.group:
        return persons.groups, np.arange(len(persons.rows.sizes), dtype=np.int64)
    cells = int(reach.alike.max(initial=-1)) + 1
    group = np.zeros(cells, dtype=np.int64)
    group[reach.alike] = reach.group
    return standing(persons.owners, reach.alike, cells), group


def limit_of_line(threshold: float | None, promised: float | None, usual: float) -> float:
    """As given, else what is promised, else what is usual."""
    return threshold if threshold is not None else usual if promised is None else promised


def line_of_people(
    persons: Persons,
    chance: FloatArray,
    group: IntArray,
    exact: bool,
    *,
    assumes: str,
    people: IntArray | None = None,
    of: str = "",
    details: Mapping[str, Any] | None = None,
    precision: str = EXACT,
    **words: Any,
) -> Line:
    """A line about people, each of whom counts once. Where it is not `exact` whose rows are where, it is a bound."""
    view = persons.rows
    return line(
        chance=chance,
        people=np.ones(len(chance), dtype=np.int64) if people is None else people,
        group=group,
        sizes=persons.groups.fewest,
        first_line=view.first_line,
        file=view.file,
        precision=precision if exact or precision != EXACT else AT_MOST,
        assumes=assumes if exact or precision == AT_LEAST else assumes + _OPEN,
        whose=_PEOPLE,
        of=of,
        details=details,
        **words,
    )
