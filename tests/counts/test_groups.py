"""Tallies and frequency sets, against counters in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.groups import tally
from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Flat
from tests.strategies import Table, tables

triples = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(1, 5)), max_size=20)


@given(triples=triples)
def test_a_tally_adds_up_triples_in_any_order_and_with_repetitions(triples: list[tuple[int, int, int]]) -> None:
    expected: dict[int, Counter[int]] = defaultdict(Counter)
    for group, value, count in triples:
        expected[group][value] += count
    group, value, count = (
        (np.array(column, dtype=np.int64) for column in zip(*triples, strict=True))
        if triples
        else (np.empty(0, dtype=np.int64),) * 3
    )
    found = tally(group, value.astype(np.int32), count, 5, np.zeros(4, dtype=np.int64), build("s", "abcd", Flat()))
    assert len(found.offsets) == 6
    for g in range(5):
        pairs = slice(found.offsets[g], found.offsets[g + 1])
        assert dict(zip(found.values[pairs].tolist(), found.counts[pairs].tolist(), strict=True)) == expected[g]


@given(table=tables(sensitive=("disease", "job")))
def test_totals_count_the_sensitive_values_of_all_rows(table: Table) -> None:
    frequency = table.frequency()
    assert frequency.rows == len(table.rows)
    for name, column in table.sensitive.items():
        leaves = frequency.sensitive_hierarchies[name].leaves
        assert dict(zip(leaves, frequency.totals[name].tolist(), strict=True)) == {v: column.count(v) for v in leaves}
