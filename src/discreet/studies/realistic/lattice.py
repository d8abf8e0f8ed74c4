"""The 72 nodes of the realistic study, compared and drawn as in the paper."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet.arrays import IntArray
from discreet.search.lattice.comparison import Comparison

REFERENCE = (5, 1, 1, 0)  # the node of the paper's figure 2(a)


def as_in_the_paper(c: Comparison) -> Comparison:
    """Figure 2(a) is about one node; the same one here."""
    at = place_of(c, REFERENCE)
    families = {
        family: tuple(
            replace(p, epsilon=float(c.lattice.levels[at, column]))
            for p, column in zip(points, family_columns(c, family), strict=True)
        )
        for family, points in c.families.items()
    }
    return replace(c, reference=at, reference_why="the paper's own choice", families=families)


def family_columns(c: Comparison, family: str) -> list[int]:
    """Columns of a family, from the least stubborn on."""
    own = [o.column for o in c.opponents if o.name.startswith(f"{family} ")]
    return own + [o.column for o in c.opponents if o.name == f"II{family}"]


def column(c: Comparison, name: str) -> int:
    return next(o.column for o in c.opponents if o.name == name)


def place_of(c: Comparison, node: tuple[int, ...]) -> int:
    places: IntArray = np.flatnonzero((c.lattice.nodes == np.array(node)).all(axis=1))
    return int(places[0])
