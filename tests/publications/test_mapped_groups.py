"""Groups of a mapping as boxes and as runs of leaves, beside a plain reading group by group."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Flat
from discreet.publications.mapping import MappedGroups, RangeFinder, boxes_of_groups, mapped_groups, runs_of_groups

LEAVES = list("abcdef")
HIERARCHY = build("x", LEAVES, Flat(sets=True))
PARTS = st.one_of(
    st.sampled_from([*LEAVES, "z"]).map(lambda name: [0, name]),  # no row of the table has z
    st.just([1, "*"]),
    st.lists(st.sampled_from([*LEAVES, "z"]), min_size=1, max_size=4, unique=True).map(lambda names: ["set", *names]),
)


@st.composite
def groups(draw: st.DrawFn) -> MappedGroups:
    columns = draw(st.integers(1, 3))
    entries = tuple(
        [
            {"text": str(i), "parts": parts}
            for i, parts in enumerate(draw(st.lists(st.lists(PARTS, max_size=3), min_size=1, max_size=4)))
        ]
        for _ in range(columns)
    )
    numbers = [[draw(st.integers(0, len(own) - 1)) for own in entries] for _ in range(draw(st.integers(0, 5)))]
    return MappedGroups(entries, np.array(numbers, dtype=np.int64).reshape(-1, columns))


def parts_of(mapped: MappedGroups) -> list[list[Any]]:
    return [[own[n]["parts"] for own, n in zip(mapped.entries, g, strict=True)] for g in mapped.numbers.tolist()]


@given(mapped=groups())
def test_boxes_are_every_choice_of_parts(mapped: MappedGroups) -> None:
    find = RangeFinder(HIERARCHY).find
    plain = [(g, box) for g, parts in enumerate(parts_of(mapped)) for box in product(*map(find, parts))]
    low, high, of_box = boxes_of_groups([HIERARCHY] * len(mapped.entries), mapped)
    boxes = [tuple(zip(*ends, strict=True)) for ends in zip(low.tolist(), high.tolist(), strict=True)]
    assert list(zip(of_box.tolist(), boxes, strict=True)) == plain


@given(mapped=groups())
def test_runs_are_the_leaves_of_the_parts(mapped: MappedGroups) -> None:
    find = RangeFinder(HIERARCHY).find
    run, first, last = runs_of_groups([HIERARCHY] * len(mapped.entries), mapped)
    for place, parts in enumerate(parts for group in parts_of(mapped) for parts in group):
        runs = [*zip(first[run[place] : run[place + 1]], last[run[place] : run[place + 1]], strict=True)]
        assert {leaf for a, b in runs for leaf in range(a, b + 1)} == {
            leaf for a, b in find(parts) for leaf in range(a, b + 1)
        }
        assert all(a <= b for a, b in runs) and all(b < c for (_, b), (c, _) in pairwise(runs))


@pytest.mark.parametrize(
    "strange", [[[2]], [[-1]], [[0.0]], [[0, 0]], [["0"]], [[[0]]], [[1 << 70]], 5, [None], [[True]]]
)
def test_numbers_that_are_none_of_the_texts(strange: Any) -> None:
    listed = {"x": [{"text": "a", "parts": [[0, "a"]]}, {"text": "b", "parts": [[0, "b"]]}]}
    assert mapped_groups({"texts": listed, "groups": [[1], [0]]}, ["x"]).texts() == [("b",), ("a",)]
    with pytest.raises((ValueError, TypeError, OverflowError)):
        mapped_groups({"texts": listed, "groups": strange}, ["x"])
