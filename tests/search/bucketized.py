"""Small tables for bucketization, and what every plan of it must be, told row by row in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet
from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Flat
from discreet.search.plan import Bucketization

Row = tuple[str | None, ...]  # quasi-identifiers, then the sensitive value
SENSITIVE = "disease"
QUASI = ("age", "nation", "sex")
VALUES = ["flu", "cold", "gout", "ulcer", "", None]


def table_of(rows: Sequence[Row], counts: Sequence[int] | None = None) -> FrequencySet:
    """The frequency set of these rows; `counts` says how often each is there, if not once."""
    counted: Counter[Row] = Counter()
    for row, count in zip(rows, counts or [1] * len(rows), strict=True):
        counted[row] += count
    width = len(rows[0])
    names = [*QUASI[: width - 1], SENSITIVE]
    hierarchies = [build(n, column, Flat()) for n, column in zip(names, zip(*counted, strict=True), strict=True)]
    codes = [np.array([h.index[row[i]] for row in counted], dtype=np.int32) for i, h in enumerate(hierarchies)]
    return FrequencySet(
        tuple(hierarchies[:-1]),
        tuple(codes[:-1]),
        {SENSITIVE: codes[-1]},
        {SENSITIVE: hierarchies[-1]},
        np.array(list(counted.values()), dtype=np.int64),
    )


@st.composite
def bucketizable(draw: st.DrawFn, max_rows: int = 12, max_count: int = 4) -> FrequencySet:
    """A table of a few combinations, some of them often there; NULL and the empty string among their values."""
    width = draw(st.integers(1, 3))
    people = list(product(["20", "30", None], ["A", ""], ["m", "f"]))
    row = st.tuples(st.sampled_from([p[:width] for p in people]), st.sampled_from(VALUES)).map(lambda r: (*r[0], r[1]))
    rows = draw(st.lists(row, min_size=1, max_size=max_rows))
    counts = draw(st.lists(st.integers(1, max_count), min_size=len(rows), max_size=len(rows)))
    return table_of(rows, counts)


def rows_of(frequency: FrequencySet) -> list[Row]:
    """Every combination in plain values."""
    columns = [
        [h.leaves[c] for c in codes.tolist()]
        for h, codes in zip(
            [*frequency.hierarchies, *frequency.sensitive_hierarchies.values()],
            [*frequency.codes, *frequency.sensitive.values()],
            strict=True,
        )
    ]
    return list(zip(*columns, strict=True))


def members(plan: Bucketization) -> Mapping[int, list[Row]]:
    """The rows of each group, and of −1 those that are suppressed, with their true values."""
    rows, found = rows_of(plan.frequency), defaultdict(list)
    for row, count, group in zip(plan.row.tolist(), plan.count.tolist(), plan.group.tolist(), strict=True):
        found[group] += [rows[row]] * count
    return found


def published(plan: Bucketization) -> Mapping[int, list[str | None]]:
    """The sensitive values that each group publishes."""
    leaves, found = plan.frequency.sensitive_hierarchies[SENSITIVE].leaves, defaultdict(list)
    values = plan.values(SENSITIVE).tolist()
    for value, count, group in zip(values, plan.count.tolist(), plan.group.tolist(), strict=True):
        if group >= 0:
            found[group] += [leaves[value]] * count
    return found


def check_plan(plan: Bucketization) -> None:
    """Every row is placed once, and groups are numbered without gaps."""
    f = plan.frequency
    placed = np.bincount(plan.row, weights=plan.count, minlength=len(f.counts))
    assert placed.tolist() == f.counts.tolist()
    assert (plan.count > 0).all()
    assert sorted(set(plan.group.tolist()) - {-1}) == list(range(plan.group_count))
    said = zip(plan.row.tolist(), plan.group.tolist(), plan.values(SENSITIVE).tolist(), strict=True)
    assert len(set(said)) == len(plan.row)


def same(one: Bucketization, other: Bucketization) -> bool:
    """Do both say exactly the same?"""
    parts = ("row", "count", "group")
    return all(np.array_equal(getattr(one, p), getattr(other, p)) for p in parts) and np.array_equal(
        one.values(SENSITIVE), other.values(SENSITIVE)
    )
