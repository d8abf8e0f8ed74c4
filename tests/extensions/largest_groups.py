"""An outsider's section of the report: how many rows are in the largest groups. All of it is in this file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.report.sections.registry import CUSTODIAN, RELEASE, Public, Section

MOST = 3


@dataclass(frozen=True)
class Largest:
    """The rows of the largest groups, and of all."""

    sizes: tuple[int, ...]
    rows: int


def figures(known: Public) -> Largest | None:
    """None for a release without groups."""
    sizes = np.sort(known.groups.sizes)[::-1]
    return Largest(tuple(sizes[:MOST].tolist()), int(sizes.sum())) if len(sizes) else None


def lines(largest: Largest) -> list[str]:
    return [f"largest groups: {', '.join(map(str, largest.sizes))} of {largest.rows:,} rows"]


TEMPLATE = """
<section aria-labelledby="largest">
<h2 id="largest">The largest groups</h2>
<p>{% for size in figures.sizes %}{{ "{:,}".format(size) }} {% endfor %}of {{ "{:,}".format(figures.rows) }} rows.</p>
</section>
"""
LARGEST_GROUPS = Section(figures, TEMPLATE, (RELEASE, CUSTODIAN), lines)
