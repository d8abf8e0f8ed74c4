"""What a release of exact values publishes: which tables, what they keep together, and what a reader makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.arrays import Codes, FloatArray, IntArray, number_equal
from discreet.report.marginals import printable, shown
from discreet.report.sections.registry import Private, Section
from discreet.search.plan import SUPPRESSED, Ambiguity, Bucketization, Plan


@dataclass(frozen=True)
class ExactColumn:
    """A quasi-identifier published as it is: how many different values it has in the source and in the release."""

    name: str
    originals: int
    published: int


@dataclass(frozen=True)
class ExactTable:
    """One published table: its file, its columns, whether they are sensitive, and its rows per group on average."""

    file: str
    columns: tuple[str, ...]
    sensitive: bool
    rows_per_group: float


@dataclass(frozen=True)
class Exact:
    """What was published. `exchanged` is the share of published rows whose sensitive value was replaced by another."""

    tables: tuple[ExactTable, ...]
    columns: tuple[ExactColumn, ...]
    exchanged: float


def exact(plan: Plan, tables: Mapping[str, Sequence[str]]) -> Exact:
    """What was published. `tables` has the columns of each file."""
    f = plan.frequency
    columns = tuple(
        ExactColumn(shown(h.attribute), len(h.leaves), int((rows > 0).sum()))
        for h, rows in zip(f.hierarchies, plan.published_leaves, strict=True)
    )
    told = [
        ExactTable(
            printable(file),
            tuple(shown(name) for name in names),
            all(name in f.sensitive for name in names),
            _rows_per_group(plan, names),
        )
        for file, names in tables.items()
    ]
    return Exact(tuple(told), columns, _exchanged(plan))


def _rows_per_group(plan: Plan, names: Sequence[str]) -> float:
    """Everybody has a row, but for ambiguous tables: there each combination of values has one."""
    groups, places = plan.groups, {name: d for d, name in enumerate(plan.frequency.attributes)}
    if not len(groups):
        return 0.0
    if not isinstance(plan, Ambiguity):
        return float(groups.sizes.mean())
    if names[0] in groups.tallies:
        return float(np.diff(groups.tallies[names[0]].offsets).mean())
    return float(plan.people.distinct([places[name] for name in names]).mean())


def told_by_tables(plan: Plan) -> tuple[FloatArray, ...]:
    """Per quasi-identifier, how many rows have each leaf as far as the release tells.

    A bucketized release tells it exactly. An ambiguous one lists what occurs in a group, not how often: a reader takes
    each of the m combinations in a table for |G| / m of the group's rows.
    """
    f = plan.frequency
    if not isinstance(plan, Ambiguity):
        return tuple(rows.astype(np.float64) for rows in plan.published_leaves)
    found = [np.zeros(len(h.leaves)) for h in f.hierarchies]
    people, group, sizes = plan.people, plan.people.group, plan.groups.sizes
    for table in plan.tables:
        listed = _first_of_each(group, [people.codes[d] for d in table])
        m = np.bincount(group[listed], minlength=len(sizes))
        rows = (sizes / np.maximum(m, 1))[group[listed]]
        for d in table:
            found[d] = np.bincount(people.codes[d][listed], weights=rows, minlength=len(found[d])).astype(np.float64)
    return tuple(found)


def _first_of_each(group: IntArray, codes: Sequence[Codes]) -> IntArray:
    """The first entry of each combination of codes in each group."""
    first: IntArray = np.unique(number_equal([group, *codes], len(group)), return_index=True)[1]
    return first


def _exchanged(plan: Plan) -> float:
    if not isinstance(plan, Bucketization) or not plan.exchanged:
        return 0.0
    kept = plan.group != SUPPRESSED
    own = {name: plan.frequency.sensitive[name][plan.row] for name in plan.exchanged}
    other = np.any([codes != own[name] for name, codes in plan.exchanged.items()], axis=0)
    return float(plan.count[kept & other].sum() / max(int(plan.count[kept].sum()), 1))


def _figures(known: Private) -> Exact | None:
    if not isinstance(known.plan, Bucketization | Ambiguity):
        return None
    return exact(known.plan, known.manifest["tables"])


EXACT = Section(_figures, "report_exact.html.j2")
