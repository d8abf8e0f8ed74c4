"""The exact summary and a sample, against counting row by row."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counts.cells import Cells
from discreet.engines.duckdb.engine import DuckDB
from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Flat
from discreet.summaries.base import TooManyGroups
from discreet.summaries.build import sample_from
from discreet.summaries.exact import Exact
from discreet.summaries.sample import Sample
from tests.models.cases import ATTRIBUTE
from tests.strategies import Table, tables
from tests.summaries.cases import boxes_of


def by_hand(table: Table, hierarchies: tuple, boxes: list, values: tuple) -> tuple[list[float], list[list[float]]]:
    """The share of rows in each box, and with each sensitive value among them."""
    likelihood, shares = [], []
    for box in boxes:
        inside = [
            value
            for row, value in zip(table.rows, table.sensitive[ATTRIBUTE], strict=True)
            if all(a <= h.index[v] <= b for h, v, (a, b) in zip(hierarchies, row, box, strict=True))
        ]
        likelihood.append(len(inside) / len(table.rows))
        shares.append([Counter(inside)[v] / max(len(inside), 1) for v in values])
    return likelihood, shares


def as_set(likelihood: object, shares: object) -> Counter[tuple[float, ...]]:
    """Groups with rows, in no order."""
    return Counter((round(a, 9), *np.round(b, 9)) for a, b in zip(likelihood, shares, strict=True) if a > 0)  # type: ignore[call-overload]


@settings(deadline=None)
@given(tables(), st.data())
def test_shares_are_those_of_the_rows(table: Table, data: st.DataObject) -> None:
    summary = Exact(table.frequency())
    node = data.draw(st.sampled_from(table.nodes))
    boxes = list(boxes_of(summary.hierarchies, node))
    values = summary.sensitive_hierarchies[ATTRIBUTE].leaves
    likelihood, shares = by_hand(table, summary.hierarchies, boxes, values)
    cells = summary.cells(node, ATTRIBUTE)
    assert as_set(cells.likelihood, cells.sensitive) == as_set(likelihood, shares)
    assert sorted(summary.cells(node).likelihood) == pytest.approx(sorted(n for n in likelihood if n))
    assert len(cells) <= summary.count(node)
    low, high = (np.array([[ends[e] for ends in box] for box in boxes], dtype=np.int32) for e in (0, 1))
    found = summary.boxes(low, high, ATTRIBUTE)
    assert found.likelihood == pytest.approx(likelihood)
    assert summary.boxes(low, high).likelihood == pytest.approx(likelihood)
    assert as_set(found.likelihood, found.sensitive) == as_set(likelihood, shares)
    assert found.sensitive is not None and found.sensitive.sum(axis=1) == pytest.approx(1)
    for d, h in enumerate(summary.hierarchies):
        assert summary.marginal(d) == pytest.approx(
            [sum(row[d] == leaf for row in table.rows) / len(table.rows) for leaf in h.leaves]
        )


def drawn(rows: int) -> tuple[Sample, list[tuple[str, str]]]:
    people = [(str(i % 7), "xyz"[i % 3]) for i in range(200)]
    engine = DuckDB({"a": [a for a, _ in people], "s": [s for _, s in people]})
    found = engine.sample(["a", "s"], rows, seed=3)
    hierarchy, sensitive = (build(name, found.found.values[i], Flat()) for i, name in enumerate("as"))
    return sample_from(found, [hierarchy], {"s": sensitive}), people


def test_a_sample_speaks_for_the_table() -> None:
    summary, people = drawn(50)
    assert summary.rows == 200 and summary.frequency.rows == 50
    assert summary.marginal(0).tolist() == [sum(a == leaf for a, _ in people) / 200 for leaf in "0123456"]
    cells = summary.cells((0,), "s")
    assert cells.likelihood.sum() == pytest.approx(1)
    assert (cells.likelihood * 50).round(9).tolist() == (cells.likelihood * 50).round().tolist()
    assert len(np.unique(np.stack([*summary.frequency.codes, summary.frequency.sensitive["s"]]), axis=1).T) == len(
        summary.frequency.counts
    )


def test_a_sample_of_all_rows_is_exact() -> None:
    summary, people = drawn(200)

    def likely(cells: Cells) -> list[float]:
        return sorted(cells.likelihood.tolist())

    assert likely(summary.cells((0,))) == pytest.approx(sorted(n / 200 for n in Counter(a for a, _ in people).values()))
    assert likely(summary.cells((1,))) == [1]


def test_shares_that_memory_should_not_hold_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    summary, _ = drawn(200)
    monkeypatch.setattr("discreet.summaries.base.MOST_NUMBERS", 20)
    assert len(summary.cells((0,))) == 7
    with pytest.raises(TooManyGroups, match="7 groups of 3 sensitive values"):
        summary.cells((0,), "s")
