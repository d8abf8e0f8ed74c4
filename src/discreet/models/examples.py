"""Groups written out by hand, for examples and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from discreet.arrays import Codes
from discreet.counts.frequency import FrequencySet, Joint
from discreet.counts.groups import Groups, people_of, stand_together, tally
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import Value
from discreet.hierarchies.rules import Flat, Taxonomy


def groups_of(
    attribute: str,
    *groups: Sequence[Value],
    table: Sequence[Value] | None = None,
    paths: Mapping[Value, tuple[Value, ...]] | None = None,
) -> Groups:
    """Groups that have these sensitive values; the whole table is all of them together, if it is not given.

    >>> groups_of("disease", ["flu", "flu", "cold"], ["flu"]).sizes
    array([3, 1])
    """
    rows = [value for group in groups for value in group]
    table = rows if table is None else table
    hierarchy = build(attribute, table, Flat() if paths is None else Taxonomy(paths))
    code = hierarchy.index
    reference = np.bincount([code[value] for value in table], minlength=len(hierarchy.leaves)).astype(np.int64)
    number = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    values = np.array([code[value] for value in rows], dtype=np.int32)
    counted = tally(number, values, np.ones(len(rows), dtype=np.int64), len(groups), reference, hierarchy)
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    return Groups(sizes, {attribute: counted})


def wishing_groups(
    attribute: str, *groups: Sequence[tuple[Value, Value]], table: Sequence[Value] | None = None
) -> Groups:
    """Groups of rows with a sensitive value and a wish (see `models/realistic/wishes.py`).

    >>> wishing_groups("disease", [("flu", ""), ("HIV", "HIV")], [("flu", "HIV")]).wishes.hierarchy.leaves
    ('HIV', '')
    """
    counted = groups_of(attribute, *([value for value, _ in group] for group in groups), table=table)
    wishes = groups_of("wish", *([wish for _, wish in group] for group in groups)).tallies["wish"]
    return replace(counted, wishes=wishes)


def tied_groups(*groups: Sequence[tuple[Value, ...]]) -> Groups:
    """Groups whose rows have several sensitive values, of attributes called s1, s2, …

    >>> tied_groups([("flu", "x"), ("flu", "y")], [("HIV", "x")]).together.values
    array([1, 2, 0], dtype=int32)
    """
    rows = [row for group in groups for row in group]
    number = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    ones = np.ones(len(rows), dtype=np.int64)
    tallies, codes = {}, {}
    for i, column in enumerate(zip(*rows, strict=True), start=1):
        hierarchy = build(f"s{i}", column, Flat())
        codes[f"s{i}"] = np.array([hierarchy.index[value] for value in column], dtype=np.int32)
        reference = np.bincount(codes[f"s{i}"], minlength=len(hierarchy.leaves)).astype(np.int64)
        tallies[f"s{i}"] = tally(number, codes[f"s{i}"], ones, len(groups), reference, hierarchy)
    joint = Joint.of(codes)
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    return Groups(sizes, tallies, together=stand_together(number, joint.codes, ones, len(groups), joint))


def bucketized(
    attribute: str,
    quasi_identifiers: Sequence[str],
    groups: Sequence[Sequence[tuple[Value, ...]]],
    table: Sequence[tuple[Value, ...]] | None = None,
) -> Groups:
    """Groups whose people are shown; a row has the quasi-identifiers in order, then the sensitive value.

    The whole table is all groups together, if it is not given.

    >>> bucketized("disease", ["nation"], [[("American", "heart"), ("Japanese", "flu")]]).people.counts
    array([1, 1])
    """
    rows = [row for group in groups for row in group]
    table = rows if table is None else table
    columns = list(zip(*table, strict=True)) if table else [()] * (len(quasi_identifiers) + 1)
    hierarchies = [build(name, column, Flat()) for name, column in zip(quasi_identifiers, columns, strict=False)]
    hierarchy = build(attribute, columns[-1], Flat())

    def coded(rows: Sequence[tuple[Value, ...]]) -> list[Codes]:
        return [
            np.array([h.index[row[i]] for row in rows], dtype=np.int32) for i, h in enumerate([*hierarchies, hierarchy])
        ]

    *codes, values = coded(table)
    frequency = FrequencySet(
        tuple(hierarchies),
        tuple(codes),
        {attribute: values},
        {attribute: hierarchy},
        np.ones(len(table), dtype=np.int64),
    )
    *codes, values = coded(rows)
    number = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    ones = np.ones(len(rows), dtype=np.int64)
    people = people_of(number, codes, ones, len(groups), hierarchies, frequency)
    counted = tally(number, values, ones, len(groups), frequency.totals[attribute], hierarchy)
    return Groups(np.array([len(group) for group in groups], dtype=np.int64), {attribute: counted}, people)
