"""What no promise is about: sensitive values that hardly anybody shares, whereby whoever knows one finds the row; and
quasi-identifiers of which nothing is left.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from discreet.audit.lines import Fault
from discreet.audit.reading.labels import Anything
from discreet.audit.reading.view import ReleaseView
from discreet.labels.figures import percent

FINDS_PEOPLE = "values_that_find_people"
NOTHING_LEFT = "nothing_left"
LIMIT = 0.1  # share of the rows from which on a column is one by which people are found


def rare_values(view: ReleaseView) -> Iterator[Fault]:
    """Columns in which many rows have a value that no other row has, such as costs to the cent.

    ℓ-diversity is kept by itself there: all values of a group differ, and each of them is somebody's alone.
    """
    for tally in view.tallies:
        rows = np.bincount(tally.value, weights=tally.count, minlength=1)
        once = int((rows == 1).sum())
        if once >= LIMIT * max(rows.sum(), 1) and once > 1:
            rule = f"{percent(once / rows.sum())} of the rows have a value that no other row has, and are found by it"
            repair = "publish coarser values (publish_as in the policy), or give the column the role quasi_identifier"
            yield Fault(FINDS_PEOPLE, tally.attribute, rule, repair, once, grave=False)


def nothing_left(view: ReleaseView) -> Iterator[Fault]:
    """A release in which every quasi-identifier is ``*`` everywhere keeps its promises, and is of no use."""
    covers = (isinstance(region.labels[i], Anything) for region in view.regions for i in np.unique(region.label))
    if view.regions and len(view.sizes) and all(covers):
        rule = "nothing is left of the quasi-identifiers: all of their values are *"
        repair = "publish fewer columns or ask for less, if anybody is to use them"
        yield Fault(NOTHING_LEFT, view.file, rule, repair, grave=False)
