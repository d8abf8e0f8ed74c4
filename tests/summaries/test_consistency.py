"""What every summary promises: groups of a node add up to everything, coarser groups to what their parts are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.summaries.files import Saveable
from tests.models.cases import ATTRIBUTE
from tests.strategies import Table, tables
from tests.summaries.cases import boxes_of
from tests.summaries.kinds import all_kinds


def joint(summary: Saveable, node: tuple[int, ...]) -> dict[tuple[tuple[int, int], ...], np.ndarray]:
    """How likely each group of a node is together with each sensitive value."""
    boxes = list(boxes_of(summary.hierarchies, node))
    low, high = (np.array([[ends[e] for ends in box] for box in boxes], dtype=np.int32) for e in (0, 1))
    cells = summary.boxes(low, high, ATTRIBUTE)
    assert cells.sensitive is not None
    return dict(zip(boxes, cells.likelihood[:, None] * cells.sensitive, strict=True))


@settings(deadline=None)
@given(tables(), st.data())
def test_generalizing_is_adding_up(table: Table, data: st.DataObject) -> None:
    coarse = data.draw(st.sampled_from(table.nodes))
    fine = tuple(data.draw(st.integers(0, level)) for level in coarse)
    for summary in all_kinds(table):
        parts = joint(summary, fine)
        for group, likelihood in joint(summary, coarse).items():
            inside = [
                share
                for part, share in parts.items()
                if all(a <= low and high <= b for (low, high), (a, b) in zip(part, group, strict=True))
            ]
            assert likelihood == pytest.approx(sum(inside), abs=1e-12)


@settings(deadline=None)
@given(tables(), st.data())
def test_the_groups_of_a_node_are_everything(table: Table, data: st.DataObject) -> None:
    node = data.draw(st.sampled_from(table.nodes))
    for summary in all_kinds(table):
        cells = summary.cells(node, ATTRIBUTE)
        assert cells.sensitive is not None
        assert cells.likelihood.sum() == pytest.approx(1)
        assert summary.cells(node).likelihood.sum() == pytest.approx(1)
        assert cells.sensitive.sum(axis=1) == pytest.approx(1)
        totals = np.array(
            [table.sensitive[ATTRIBUTE].count(v) for v in summary.sensitive_hierarchies[ATTRIBUTE].leaves]
        )
        assert cells.likelihood @ cells.sensitive == pytest.approx(totals / len(table.rows))
        assert (cells.likelihood > 0).all() and len(cells) <= summary.count(node)
