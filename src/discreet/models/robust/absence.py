"""What absence tells: a bucketized release shows who is in it, and so who was left out, and what they have.

Whoever knows who is in the table sees who is missing; and whoever knows how often it has each value can subtract what
is published. So the rows that are left out are a group like the others: their quasi-identifiers are known, and their
values, but not whose is whose. A promise about groups can be made of them, too.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import number_equal
from discreet.counts.groups import Groups, People, Tally, people_of, tally
from discreet.errors import DiscreetError, Mistake


def left_out(people: People, published: Tally) -> Groups | None:
    """The rows of the table that are in no group, as one group; None if there are none.

    A group without `people` stands for rows that can't be told, since what is published is not in the table.

    >>> from discreet.models.examples import bucketized
    >>> rows = [("1", "flu"), ("1", "cold"), ("2", "flu")]
    >>> groups = bucketized("disease", ["zip"], [rows[:2], rows[2:]])
    >>> some = groups.where(np.array([True, False]))
    >>> missing = left_out(some.people, some.tallies["disease"])
    >>> missing.sizes.tolist(), missing.people.codes[0].tolist(), missing.tallies["disease"].values.tolist()
    ([1], [1], [1])
    """
    table = people.table
    if table is None:
        rule = "can't be judged without the table: who is missing, and what they have, is told by nothing else"
        raise DiscreetError(Mistake("robust", rule, "give the source again: --source"))
    rows = table.rows - int(people.counts.sum())
    if rows == 0:
        return None
    attribute = published.hierarchy.attribute
    codes = [np.concatenate(pair) for pair in zip(table.codes, people.codes, strict=True)]
    number = number_equal(codes, len(codes[0]))
    signs = np.concatenate([table.counts, -people.counts])
    first = np.unique(number, return_index=True)[1]
    missing = np.bincount(number, weights=signs, minlength=len(first)).astype(np.int64)
    shown = np.bincount(published.values, weights=published.counts, minlength=len(table.totals[attribute]))
    values = table.totals[attribute] - shown.astype(np.int64)
    if (missing < 0).any() or (values < 0).any():
        return Groups(np.array([max(rows, 1)], dtype=np.int64))
    there, leaves = np.flatnonzero(missing), np.flatnonzero(values)
    group = np.zeros(len(there), dtype=np.int64)
    where = tuple(c[first[there]] for c in codes)
    counted = tally(
        np.zeros(len(leaves), dtype=np.int64),
        leaves.astype(np.int32),
        values[leaves],
        1,
        published.reference,
        table.sensitive_hierarchies[attribute],
    )
    hidden = people_of(group, where, missing[there], 1, table.hierarchies, table)
    return Groups(np.array([rows], dtype=np.int64), {attribute: counted}, hidden)
