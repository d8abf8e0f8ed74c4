"""Who has what, for somebody who knows what else a person has: sensitive values that tell each other."""

from __future__ import annotations

import numpy as np

from discreet.arrays import FloatArray, IntArray, number_equal
from discreet.audit.association.association import finds, line_about
from discreet.audit.lines import Line
from discreet.audit.reading.view import ReleaseView, Tally


def other_values(view: ReleaseView, tally: Tally, threshold: float | None = None) -> list[Line]:
    """She finds somebody's group and knows the person's other sensitive values; a line if there are any.

    She wants the value that is left, and has won where she is surer of one than the threshold. Of the rows of the group
    with those other values, n(g, others, v) of n(g, others) have v: in as many of all possible worlds does the person.
    """
    joint = view.joint
    if joint is None or len(joint.attributes) < 2:
        return []
    _, own = joint.column(tally.attribute)
    others = [name for name in joint.attributes if name != tally.attribute]
    codes = [joint.column(name)[1] for name in others]
    cell = number_equal([joint.group, *codes], len(joint.group))
    chance, people = _largest_share(cell, own, joint.count)
    group = np.zeros(len(people), dtype=np.int64)
    group[cell] = joint.group
    nothing = np.zeros(len(own), dtype=np.int64)
    details = {
        "certain": int(people[chance == 1].sum()),
        "certain_knowing_one_of_them": {
            name: _certain([joint.group, of], own, joint.count) for name, of in zip(others, codes, strict=True)
        },
        "certain_without_the_group": _certain([nothing, *codes], own, joint.count),
        "certain_by_the_group_alone": _certain([joint.group], own, joint.count),
    }
    return [
        line_about(
            view,
            tally,
            adversary="other_values",
            title="knows somebody's other sensitive values",
            knows=f"{finds(view)} She also knows the person's values of every other sensitive attribute.",
            assumes="The values of a row belong to one person."
            + view.whose.told("", " Nothing is known of other rows of the same one."),
            chance=chance,
            people=people,
            group=group,
            threshold=threshold,
            details=details,
        )
    ]


def _largest_share(cell: IntArray, value: IntArray, count: IntArray) -> tuple[FloatArray, IntArray]:
    """Per cell the largest share of a value, and how many people it has."""
    people = np.bincount(cell, weights=count).astype(np.int64)
    pair = number_equal([cell, value], len(cell))
    first = np.unique(pair, return_index=True)[1]
    largest = np.zeros(len(people))
    np.maximum.at(largest, cell[first], np.bincount(pair, weights=count))
    return largest / people, people


def _certain(known: list[IntArray], value: IntArray, count: IntArray) -> int:
    """How many people's value is the only one among those who have the same of what is known."""
    chance, people = _largest_share(number_equal(known, len(value)), value, count)
    return int(people[chance == 1].sum())
