"""Releases of exact values in several tables, which have the number of a group in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from discreet.arrays import IntArray
from discreet.audit.reading.description import Description
from discreet.audit.reading.exact_tables import Table
from discreet.audit.reading.folder import AGAIN
from discreet.audit.reading.release import Rows, counted_people, joint_of, numbered, sizes_of, tally_of
from discreet.audit.reading.view import ReleaseView
from discreet.engines.base import Frequencies
from discreet.errors import DataError, Mistake


def read_tables_apart(
    description: Description, files: Sequence[Rows], *, rows_are_people: bool
) -> tuple[ReleaseView, IntArray]:
    """Exact values in tables apart, joined by the number of a group.

    If `rows_are_people`, groups are pointed at in the one table of people, which must have as many of every group as
    there are sensitive values; otherwise in the table of these.
    """
    about = {
        rows.file: [c for c in description.quasi_identifiers if c in description.tables[rows.file]] for rows in files
    }
    valued = [rows for rows in files if not about[rows.file]]
    if len(valued) != 1:
        raise DataError(Mistake("tables", "there is no table of sensitive values, or several", AGAIN))
    [sensitive] = valued
    people = [rows for rows in files if about[rows.file]]
    pointed = people[0] if rows_are_people else sensitive
    names, codes = pointed.column(description.group)
    group, first = numbered([codes], len(codes))
    numbers = {names[codes[i]]: g for g, i in enumerate(first.tolist())}
    number = {rows.file: _group_numbers(rows, description.group, numbers) for rows in files}
    weights = counted_people(sensitive, description.count)
    sizes = sizes_of(number[sensitive.file], weights, len(first))
    if rows_are_people:
        for rows in people:
            if not np.array_equal(sizes_of(number[rows.file], np.ones(len(rows)), len(first)), sizes):
                rule = f"does not have as many rows in every group as {sensitive.file}"
                raise DataError(Mistake(rows.file, rule, AGAIN))
    everything = np.arange(len(sensitive), dtype=np.int64)
    attributes = [c for c in description.sensitive if c in sensitive.columns]
    view = ReleaseView(
        description.publish,
        description.quasi_identifiers,
        sizes=sizes,
        tallies=tuple(tally_of(sensitive, c, everything, number[sensitive.file], weights) for c in attributes),
        tables=tuple(_table(rows, about[rows.file], number[rows.file]) for rows in people),
        left_out=description.left_out,
        promises=description.promises,
        file=pointed.file,
        first_line=pointed.first(first),
        hierarchies=description.hierarchies,
        manifest=description.manifest,
        rows=joint_of(sensitive, attributes, everything, number[sensitive.file], weights),
    )
    return view, group


def _group_numbers(rows: Rows, column: str, numbers: Mapping[str | None, int]) -> IntArray:
    names, codes = rows.column(column)
    if {*names} != numbers.keys():
        raise DataError(Mistake(rows.file, "does not have the groups that the other tables have", AGAIN))
    return np.array([numbers[name] for name in names], dtype=np.int64)[codes]


def _table(rows: Rows, columns: Sequence[str], group: IntArray) -> Table:
    """The distinct rows of a table with their groups."""
    codes = [rows.column(c)[1] for c in columns]
    number, first = numbered([*codes, group], len(rows))
    counts = np.bincount(number, minlength=len(first)).astype(np.int64)
    values = tuple(rows.column(c)[0] for c in columns)
    return Table(tuple(columns), Frequencies(values, tuple(c[first] for c in codes), counts), group[first])
