"""Tables whose rows name their group: how exact values are published in several tables, joined by a random number.

The numbers are a random permutation, and the rows stand in the order of group and values, which says nothing. They are
written from the frequency set: each combination as often as it occurs, never row by row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.counts.coding import merged
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Tally
from discreet.engines.arrow import texts as text_array
from discreet.engines.base import Frequencies, PublishedTables, Tables
from discreet.engines.counted_rows import CodedColumn, CountedRows
from discreet.errors import DataError, Mistake
from discreet.hierarchies.hierarchy import Value
from discreet.publications.published import AGAIN, Counted, counted_values, group_sizes, open_table, sensitive_tallies
from discreet.publications.tables import in_use, smallest
from discreet.search.plan import SUPPRESSED, Plan


@dataclass(frozen=True, eq=False)
class Column:
    """What each assignment of a plan publishes of one attribute: codes into its values, which may be labels."""

    name: str
    values: tuple[Value, ...]
    codes: Codes
    exact: bool = True


@dataclass(frozen=True, eq=False)
class Assigned:
    """The published assignments of a plan: which rows of the frequency set, how many of them, and the group's number.

    The numbers are 1, 2, … in random order.
    """

    kept: IntArray
    row: IntArray
    count: IntArray
    number: IntArray


def assigned(plan: Plan, number: IntArray) -> Assigned:
    """The published part of a plan, with the numbers of its groups."""
    kept = np.flatnonzero((plan.group != SUPPRESSED) & (plan.count > 0))
    return Assigned(kept, plan.row[kept], plan.count[kept], number[plan.group[kept]])


def quasi_identifier_columns(plan: Plan, rows: Assigned) -> dict[str, Column]:
    """The exact quasi-identifiers, by name."""
    hierarchies, codes = plan.frequency.hierarchies, plan.frequency.codes
    return {h.attribute: Column(h.attribute, h.leaves, c[rows.row]) for h, c in zip(hierarchies, codes, strict=True)}


def sensitive_columns(plan: Plan, rows: Assigned) -> dict[str, Column]:
    """The sensitive values as the plan publishes them, by name."""
    hierarchies = plan.frequency.sensitive_hierarchies
    return {n: Column(n, h.leaves, plan.values(n)[rows.kept]) for n, h in hierarchies.items()}


def added_name(wanted: str, taken: Collection[str]) -> str:
    """The name of a column that a release adds to those of the table; case does not tell two columns apart.

    >>> added_name("group", ["age"]), added_name("group", ["Group", "group_2"])
    ('group', 'group_3')
    """
    known = {name.lower() for name in taken}
    names = (wanted if i == 1 else f"{wanted}_{i}" for i in range(1, len(known) + 2))
    return next(name for name in names if name not in known)


def write_grouped(
    tables: Tables,
    table: str,
    columns: Sequence[Column],
    rows: Assigned,
    group_column: str,
    *,
    group_first: bool = False,
    repeated: bool = True,
    count_column: str = "",
) -> None:
    """Write the columns with the group's number, in the order of both.

    Equal rows of a group are written as often as they occur (`repeated`), or once; then `count_column` may tell how
    often they occur. Values that no published row has are not in the table, nor in its dictionaries.
    """
    dictionaries, codes = [], []
    for column in columns:
        values, code = in_use(list(column.values), column.codes)
        dictionaries.append(text_array([v for v in values if v is not None]))
        codes.append(code)
    sizes = [int(rows.number.max(initial=0)) + 1, *(len(d) + 1 for d in dictionaries)]
    (number, *codes), count = merged([rows.number, *codes], sizes, rows.count)
    own = [
        CodedColumn(c.name, code.astype(smallest(len(d) + 1)), d, exact=c.exact)
        for c, code, d in zip(columns, codes, dictionaries, strict=True)
    ]
    group = [CodedColumn(group_column, number)]
    counts = [CodedColumn(count_column, count)] if count_column else []
    written = [*group, *own, *counts] if group_first else [*own, *group, *counts]
    times = count if repeated else np.ones(len(count), dtype=np.int64)
    tables.write(table, CountedRows(tuple(written), times))


@dataclass(frozen=True, eq=False)
class Grouped:
    """A published table whose rows name their group, as counted: one entry per distinct row."""

    file: str
    frequencies: Frequencies  # of the columns that were asked for, without the group
    group: IntArray  # of each entry, from 0
    groups: int

    @property
    def rows(self) -> int:
        return int(self.frequencies.counts.sum())

    @property
    def sizes(self) -> IntArray:
        """How many rows each group has."""
        return group_sizes(self.group, self.frequencies.counts, self.groups)


def read_grouped(
    tables: PublishedTables, table: str, columns: Sequence[str], group_column: str, *, beside: Sequence[str] = ()
) -> Grouped:
    """Count a published table: one scan of it. It must have these columns, and those `beside` them, alone."""
    engine = open_table(tables, table, [*columns, *beside, group_column])
    frequencies, number = engine.grouped_frequencies(columns, group_column)
    groups = int(number.max(initial=0))
    if number.min(initial=1) < 1 or groups > len(number) or not np.bincount(number, minlength=1)[1:].all():
        # Other names, or gaps between them, could say something about the people.
        raise DataError(Mistake(table, "its groups are not numbered 1, 2, …", AGAIN))
    return Grouped(table, frequencies, number - 1, groups)


@dataclass(frozen=True, eq=False, kw_only=True)
class Apart:
    """What releases of exact values have in common: a table of each group's sensitive values, as anybody can count it.

    `table` is the source, where it is given.
    """

    values: Grouped
    sensitive: tuple[str, ...]
    table: FrequencySet | None = None
    starred = 0
    around = None  # whoever is in the table is plain to see, or not told at all

    @property
    def rows(self) -> int:
        return self.values.rows

    @property
    def groups(self) -> int:
        return self.values.groups

    @property
    def smallest(self) -> int:
        return int(self.values.sizes.min(initial=self.rows))

    @property
    def alone(self) -> Self:
        return replace(self, table=None)

    def counted_sensitive(self) -> Counted:
        """The sensitive values, and how many people have each."""
        return counted_values(self.sensitive, self.values.frequencies)

    def tallies(self, hierarchies: Mapping[str, object]) -> dict[str, Tally]:
        """The sensitive values of each group."""
        own, places = self.values, {name: i for i, name in enumerate(self.sensitive)}
        return sensitive_tallies(own.frequencies, places, own.group, self.groups, hierarchies, self.table)
