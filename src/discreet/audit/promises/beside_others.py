"""Promises that also hold for whoever knows somebody's other sensitive values, read a second time.

She looks at those rows of a group alone that have these values. So the release is read as if they were its groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from discreet.arrays import IntArray, number_equal
from discreet.audit.lines import Level
from discreet.audit.promises.level import promised_tallies
from discreet.audit.reading.view import Joint, Promise, ReleaseView, Tally


def levels_beside_others(
    promise: Promise, view: ReleaseView, joint: Joint, levels: Callable[[Promise, ReleaseView], list[Level]]
) -> list[Level]:
    """What every attribute reaches that a promise is about, among rows with the same other sensitive values."""
    found = []
    for tally in promised_tallies(promise, view):
        cells, group = _told_apart(view if view.bounds is None else view.bounds.rows, joint, tally)
        if view.bounds is not None:
            others = [name for name in joint.attributes if name != tally.attribute]
            cells = view.bounds.told_apart(cells, group, others)
        for level in levels(replace(promise, attribute=tally.attribute), cells):
            deciding = level.deciding
            if deciding is not None:
                of = int(group[deciding.group])
                deciding = replace(deciding, group=of, size=int(view.sizes[of]))
            figure = f"{level.figure}, among rows with the same other sensitive values"  # by people, too: theirs
            found.append(replace(level, figure=figure, deciding=deciding))
    return found


def _told_apart(view: ReleaseView, joint: Joint, tally: Tally) -> tuple[ReleaseView, IntArray]:
    """The release with groups that have the same values of all sensitive attributes but one; and the group of each."""
    others = [joint.column(name)[1] for name in joint.attributes if name != tally.attribute]
    cell = number_equal([joint.group, *others], len(joint.group))
    values, own = joint.column(tally.attribute)
    first = np.unique(cell, return_index=True)[1]
    order = np.lexsort((own, cell))
    counted = Tally(tally.attribute, values, cell[order], own[order], joint.count[order])
    group = joint.group[first]
    sizes = np.bincount(cell, weights=joint.count, minlength=len(first)).astype(np.int64)
    lines = None if view.first_line is None else view.first_line[group]
    return replace(view, sizes=sizes, tallies=(counted,), regions=(), tables=(), first_line=lines, rows=None), group
