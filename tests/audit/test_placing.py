"""Where known people stand: in the groups that looking at every group would find."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.audit.kinds.registry import BUCKETIZED, GENERALIZED
from discreet.audit.reading.exact_tables import Population, Table
from discreet.audit.reading.labels import Anything, Between, Exactly, Label, OneOf, covers
from discreet.audit.reading.view import Region, ReleaseView
from discreet.audit.worlds.places import places
from discreet.engines.base import Frequencies

VALUES = ("1", "2", "3", None)
LABELS: tuple[Label, ...] = (
    Anything(),
    Exactly("1"),
    Exactly(None),
    Between(1, 2),
    Between(2, 3),
    OneOf(frozenset({"3", None})),
)


def as_list(rows: list[tuple[int, ...]], width: int) -> Population:
    codes = np.array(rows, dtype=np.int32).reshape(-1, width)
    columns = tuple(f"q{d}" for d in range(width))
    counts = np.ones(len(codes), dtype=np.int64)
    return Population(columns, Frequencies((VALUES,) * width, tuple(codes.T), counts))


@st.composite
def cases(draw: st.DrawFn) -> tuple[ReleaseView, Population]:
    width = draw(st.integers(1, 3))
    groups = draw(st.lists(st.tuples(*[st.integers(0, len(LABELS) - 1)] * width), min_size=1, max_size=12))
    rows = draw(st.lists(st.tuples(*[st.integers(0, 3)] * width), min_size=1, max_size=12))
    label = np.array(groups, dtype=np.int64)
    regions = tuple(Region(f"q{d}", LABELS, label[:, d]) for d in range(width))
    names = tuple(r.attribute for r in regions)
    return ReleaseView(GENERALIZED, names, np.ones(len(groups), dtype=np.int64), (), regions), as_list(rows, width)


@given(cases())
def test_everybody_is_where_their_values_are_covered(case: tuple[ReleaseView, Population]) -> None:
    view, listed = case
    found = places(view, listed)
    assert found is not None
    rows = list(zip(*listed.frequencies.codes, strict=True))
    for i, row in enumerate(rows):
        expected = {
            g
            for g in range(len(view.sizes))
            if all(covers(r.labels[r.label[g]], [VALUES[v]])[0] for r, v in zip(view.regions, row, strict=True))
        }
        mine = found.groups[found.starts[i] : found.starts[i + 1]].tolist()
        assert len(mine) == len({*mine})
        assert {*mine} == expected
        only = {0: -1, 1: next(iter(expected), -1)}.get(len(expected), -2)
        assert found.only[i] == only


def test_in_a_bucketized_release_people_are_where_their_very_values_are() -> None:
    rows = [(0, 0), (0, 1), (0, 0), (2, 3)]
    table = as_list(rows, 2)
    group = np.array([0, 0, 1, 1], dtype=np.int64)
    view = ReleaseView(
        BUCKETIZED, ("q0", "q1"), np.array([2, 2]), (), tables=(Table(table.columns, table.frequencies, group),)
    )
    found = places(view, as_list([(0, 0), (1, 1), (2, 3)], 2))
    assert found is not None
    assert found.many.tolist() == [2, 0, 1]
    assert found.only.tolist() == [-2, -1, 1]
    assert found.groups.tolist() == [0, 1, 1]
