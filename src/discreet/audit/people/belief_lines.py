"""What adversaries who know more than a release believe of people with several rows: how frequent values are, what
others have, what else somebody has, what people of a kind tend to have.

Somebody has a value who has it in one row or more, as in `people_lines`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from discreet.arrays import FloatArray, IntArray, number_equal
from discreet.audit.association.realistic import realistic_lines
from discreet.audit.lines import ASSOCIATION, AT_LEAST, AT_MOST, EXACT, ROUNDED, Line
from discreet.audit.people.chances import chances
from discreet.audit.people.people_lines import BELIEVED, largest_of_each, limit_of_line, line_of_people
from discreet.audit.people.persons import Persons
from discreet.audit.people.reach import standing
from discreet.audit.promises.distances import equal_distances
from discreet.audit.reading.tallies import place_in_group, summed_up, whole_table
from discreet.audit.reading.view import Tally

_LEVEL = 1e-12  # chances that differ by less are level


def skew(persons: Persons, tally: Tally, threshold: float | None) -> Line:
    """She knew how frequent each value is in the table, and learns how much more frequent it is in somebody's group.

    She knows how many rows j of the group are his, and would have believed that he has a value with the chance that one
    of any j rows of the table has it. Her chance is what she believes now of the value that she learnt most about
    (the likeliest of several that are level); where it is not plain how many rows somebody has, of any value at most.
    """
    at, view = persons.groups, persons.rows
    summed, whole = summed_up(tally, len(view.sizes)), whole_table(tally)
    cell, own, place = _pairs(at.cell, at.most)
    pair, entry = _entries(tally, cell, len(view.sizes))
    rows, own_rows, value = summed.total[cell[pair]], own[pair], tally.value[entry]
    after = chances(rows, tally.count[entry], own_rows)
    published = np.full(len(pair), whole.total)
    before = chances(published, whole.weight[value], np.minimum(own_rows, whole.total))
    gain = after - before
    learnt = _at_largest(pair, gain, after, len(cell))
    chance = learnt if at.exact else _at_largest(pair, after, after, len(cell))
    each = largest_of_each(at, chance[place])
    missing = summed.distinct < np.count_nonzero(whole.weight)
    details = {
        "gain": float(gain.max(initial=0.0)),
        "ratio": float((after / np.maximum(before, 1e-300)).max(initial=1.0)),
        "people_with_a_value_ruled_out": len(np.unique(at.person[missing[at.cell]])),
    }
    return line_of_people(
        persons,
        each.chance,
        each.cell,
        at.exact,
        threat=ASSOCIATION,
        attribute=tally.attribute,
        adversary="skew",
        title="knows how frequent each value is",
        knows=f"{view.kind.finds} She knows how many of its rows are this person's, and how frequent each value is "
        "in the whole table.",
        assumes="The published shares are those of the whole table. The chance is of the value she learnt most about.",
        threshold=limit_of_line(threshold, None, BELIEVED),
        rounded=ROUNDED,
        details=details | _distances(persons, tally),
    )


def _distances(persons: Persons, tally: Tally) -> dict[str, float]:
    """How far groups are from the table by how many people have each value, where that is known of all groups."""
    view = persons.view
    assert view.bounds is not None
    if view.bounds.open[tally.attribute].any():
        return {}
    [of_people] = [t for t in view.tallies if t.attribute == tally.attribute]
    summed, whole = summed_up(of_people, len(view.sizes)), whole_table(of_people)
    work, steps = equal_distances(summed, whole)
    distance = work / (steps * np.maximum(summed.total, 1) * max(whole.total, 1))
    return {"distance": float(distance.max(initial=0.0))}


def known_people(persons: Persons, tally: Tally, known: int, threshold: float | None) -> Line:
    """She knows all values of so many other people of the group: those with most rows tell her most.

    Best for her are rows without the value she suspects. If u of a group's N rows are such and are struck out, and n
    have the value, somebody with j rows has it with the chance for j of N − u. u is at most all rows of the `known`
    people with most rows, and what the value leaves: a bound, since their rows may have the value, too.
    """
    at, view = persons.groups, persons.rows
    summed = summed_up(tally, len(view.sizes))
    largest = summed.largest[at.cell]
    others = _most_of_others(at.cell, at.most, known)
    struck = np.minimum(np.minimum(others, at.rows[at.cell] - largest), at.rows[at.cell] - at.most)
    left = at.rows[at.cell] - np.maximum(struck, 0)
    each = largest_of_each(at, chances(left, largest, np.minimum(at.most, left)))
    people = "one other person" if known == 1 else f"{known} other people"
    return line_of_people(
        persons,
        each.chance,
        each.cell,
        at.exact,
        precision=AT_MOST,
        threat=ASSOCIATION,
        attribute=tally.attribute,
        adversary=f"known_rows_{known}",
        title=f"knows the values of {people}",
        knows=f"{view.kind.finds} She knows how many of its rows are this person's, and all values of {people} of the "
        "group, those that tell her most.",
        assumes="Nothing else is known of the others in the group. The figure is the largest that it can be: that the "
        "people with most rows have other values in all of them.",
        threshold=limit_of_line(threshold, None, BELIEVED),
        rounded=ROUNDED,
        details={"known": known},
    )


def _most_of_others(cell: IntArray, rows: IntArray, known: int) -> IntArray:
    """For each person of a cell, how many rows the `known` others have who have most of it."""
    order = np.lexsort((-rows, cell))
    rank = place_in_group(cell[order])
    cells = int(cell.max(initial=-1)) + 1
    first = np.bincount(cell[order], weights=np.where(rank < known, rows[order], 0), minlength=cells).astype(np.int64)
    following = np.bincount(cell[order], weights=np.where(rank == known, rows[order], 0), minlength=cells)
    result = np.empty(len(cell), dtype=np.int64)
    result[order] = first[cell[order]]
    among = order[rank < known]
    result[among] += following.astype(np.int64)[cell[among]] - rows[among]
    return result


def other_values(persons: Persons, tally: Tally, threshold: float | None) -> list[Line]:
    """She knows the other sensitive values of each row of somebody; a line if there are any.

    Rows of his group with the same other values are a part of it. He has a value unless he has it in no part:
    1 − Π (1 − p) over the parts that have rows of his.
    """
    view, reach = persons.rows, persons.owners.reach
    joint = view.joint
    if joint is None or len(joint.attributes) < 2 or reach.values is None:
        return []
    from discreet.audit.people.chance_kernels import Values, over_groups  # late: loads numba

    names = [t.attribute for t in view.tallies]
    others = [reach.values[names.index(name)] for name in names if name != tally.attribute]
    own = reach.values[names.index(tally.attribute)]
    part = number_equal([reach.group, *others], len(reach.group))
    parts = int(part.max(initial=-1)) + 1
    pair = number_equal([part, own], len(own))  # units that differ in nothing that is asked are one
    first = np.unique(pair, return_index=True)[1]
    count = np.bincount(pair, weights=reach.wanted, minlength=len(first)).astype(np.int64)
    at = standing(persons.owners, part, parts)
    group = np.zeros(parts, dtype=np.int64)
    group[part] = reach.group
    order = np.lexsort((group[at.cell], at.person))
    person, cell, rows = at.person[order], at.cell[order], at.most[order]
    seat = number_equal([person, group[cell]], len(person))
    ends = np.append(np.unique(seat, return_index=True)[1], len(seat)).astype(np.int64)
    starts = np.searchsorted(part[first], np.arange(parts + 1)).astype(np.int64)
    values = Values(at.rows, starts, own[first], count)
    _, chance, *_ = over_groups(ends, cell, rows, values, max(len(tally.values), 1))
    whose, where = person[ends[:-1]], group[cell[ends[:-1]]]
    by_chance = np.lexsort((chance, whose))
    last = by_chance[np.flatnonzero(np.diff(whose[by_chance], append=-1) != 0)]
    return [
        line_of_people(
            persons,
            chance[last],
            where[last],
            at.exact,
            threat=ASSOCIATION,
            attribute=tally.attribute,
            adversary="other_values",
            title="knows somebody's other sensitive values",
            knows=f"{view.kind.finds} She knows which of its rows have the person's values of every other sensitive "
            "attribute, and how many of these are the person's.",
            assumes="That a person has a value if at least one of the person's rows has it.",
            threshold=limit_of_line(threshold, None, BELIEVED),
            rounded=ROUNDED,
            details={"certain": int((chance[last] == 1).sum())},
        )
    ]


def realistic(
    persons: Persons, tally: Tally, stubbornness: float | None, prior: Any, threshold: float | None
) -> list[Line]:
    """How much more somebody believes of a person because of the group's people, each of whom counts once for each
    value: of groups of which it is known how many people have which.
    """
    view, at = persons.view, persons.groups
    assert view.bounds is not None
    unknown = view.bounds.open[tally.attribute]
    [of_people] = [t for t in view.tallies if t.attribute == tally.attribute]
    here, several = ~unknown[of_people.group], bool((at.most > 1).any())
    known = replace(of_people, group=of_people.group[here], value=of_people.value[here], count=of_people.count[here])

    def tell(chance: FloatArray, group: IntArray, assumes: str, details: dict[str, Any], **words: Any) -> Line:
        of_group = np.zeros(len(view.sizes))
        of_group[group] = chance
        each = largest_of_each(at, of_group[at.cell])
        if unknown.any():
            details = details | {"groups_left_open": int(unknown.sum())}
            assumes += " Groups for which it is not plain how many people have which value are left out of the figure."
        if several:
            assumes += " Whoever has several rows is likelier to have a value in one of them: the figure is the least."
        return line_of_people(
            persons,
            each.chance,
            each.cell,
            at.exact,
            precision=AT_LEAST if unknown.any() or several else EXACT,
            threat=ASSOCIATION,
            attribute=tally.attribute,
            assumes=f"{assumes} Each of a group's people counts once for each value that the person has.",
            threshold=limit_of_line(threshold, None, BELIEVED),
            rounded=ROUNDED,
            details=details,
            **words,
        )

    return realistic_lines(view, known, stubbornness, prior, threshold, tell)


def _pairs(cell: IntArray, own: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Cells and how many rows somebody has there, each pair once, and which one it is of everybody."""
    width = int(own.max(initial=0)) + 1
    pair, place = np.unique(cell * width + own, return_inverse=True)
    return *np.divmod(pair, width), place


def _entries(tally: Tally, cell: IntArray, groups: int) -> tuple[IntArray, IntArray]:
    """The values of some groups: which of these, and the entry of the tally."""
    starts = np.searchsorted(tally.group, np.arange(groups + 1))
    many = np.diff(starts)[cell]
    pair = np.repeat(np.arange(len(cell)), many)
    return pair, np.repeat(starts[cell] - (np.cumsum(many) - many), many) + np.arange(len(pair))


def _at_largest(unit: IntArray, key: FloatArray, of: FloatArray, units: int) -> FloatArray:
    """For each unit the most of what belongs to its largest key, or to one that is level with it but for rounding."""
    largest, result = np.full(units, -np.inf), np.zeros(units)
    np.maximum.at(largest, unit, key)
    level = key >= largest[unit] - _LEVEL
    np.maximum.at(result, unit[level], of[level])
    return result
