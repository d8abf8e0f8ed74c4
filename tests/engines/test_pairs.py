"""What a summary needs of a table: counts of pairs and samples, each in one scan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.engines.base import PairCounts
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.rows import OneOf, Rows
from discreet.engines.sql import pairs as module
from discreet.engines.sql.pairs import asked_pair_counts

VALUES = st.sampled_from(["a", "b", "", None, "it's"])


Counting = Callable[[DuckDB, list[str]], PairCounts]
BOTH_WAYS = pytest.mark.parametrize("pair_counts", [DuckDB.pair_counts, asked_pair_counts], ids=["streamed", "asked"])


@BOTH_WAYS
@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(VALUES, VALUES, VALUES), max_size=12))
def test_singles_and_pairs_are_counted_as_row_by_row(pair_counts: Counting, rows: list[tuple[str | None, ...]]) -> None:
    engine = DuckDB({f"c{i}": pa_texts([row[i] for row in rows]) for i in range(3)})
    found = pair_counts(engine, ["c0", "c1", "c2"])
    assert engine.scans == 1
    for i, (values, counts) in enumerate(zip(found.values, found.singles, strict=True)):
        assert dict(zip(values, counts.tolist(), strict=True)) == Counter(row[i] for row in rows)
    assert found.rows == len(rows)
    assert list(found.pairs) == [(0, 1), (0, 2), (1, 2)]
    for (i, j), table in found.pairs.items():
        seen = Counter((row[i], row[j]) for row in rows)
        assert {
            (a, b): int(table[x, y])
            for x, a in enumerate(found.values[i])
            for y, b in enumerate(found.values[j])
            if table[x, y]
        } == seen


def pa_texts(values: list[str | None]) -> object:
    import pyarrow as pa

    return pa.array(values, type=pa.string())


def numbered(rows: int) -> dict[str, list[int]]:
    return {"place": list(range(rows)), "half": [i % 2 for i in range(rows)]}


def test_counts_grow_from_batch_to_batch() -> None:
    rows = 300_000
    engine = DuckDB({"late": [i // 100_000 for i in range(rows)], "half": [i % 2 for i in range(rows)]})
    found = engine.pair_counts(["late", "half"])
    assert found.pairs[0, 1].tolist() == [[50_000, 50_000]] * 3
    assert sorted(found.values[0]) == ["0", "1", "2"]


@BOTH_WAYS
def test_columns_with_too_many_pairs_are_counted_alone(pair_counts: Counting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_PAIR", 19)
    found = pair_counts(DuckDB(numbered(10)), ["place", "half"])
    assert found.pairs == {} and found.singles[1].tolist() == [5, 5]
    monkeypatch.setattr(module, "LARGEST_PAIR", 20)
    assert list(pair_counts(DuckDB(numbered(10)), ["place", "half"]).pairs) == [(0, 1)]


def test_only_the_rows_that_are_meant_are_counted() -> None:
    engine = DuckDB(numbered(10)).only(Rows((OneOf("half", ("1",)),)))
    assert engine.pair_counts(["place", "half"]).rows == 5
    assert engine.scans == 1


def test_a_sample_has_rows_of_the_table_each_at_most_once() -> None:
    engine = DuckDB(numbered(1000))
    drawn = engine.sample(["place", "half"], 100, seed=1)
    found = drawn.found
    chosen = [int(found.values[0][code] or -1) for code in found.codes[0]]
    assert [n.tolist() for n in drawn.singles] == [[1] * 1000, [500, 500]] and engine.scans == 1
    assert len(set(chosen)) == len(chosen) == 100 == int(found.counts.sum())
    assert all(found.values[1][half] == str(place % 2) for place, half in zip(chosen, found.codes[1], strict=True))


def test_a_seed_chooses_the_same_rows_again_and_another_seed_others() -> None:
    chosen = [
        {found.values[0][code] for code in found.codes[0]}
        for found in (DuckDB(numbered(300_000)).sample(["place"], 50, seed).found for seed in (1, 1, 2))
    ]
    assert chosen[0] == chosen[1] != chosen[2]


def test_the_order_of_the_table_does_not_matter_to_a_seed() -> None:
    rows = [("a", str(i // 3)) for i in range(30)] + [("b", None)] * 5
    drawn = []
    for table in (rows, rows[::-1]):
        engine = DuckDB({"x": pa_texts([x for x, _ in table]), "y": pa_texts([y for _, y in table])})
        found = engine.sample(["x", "y"], 10, seed=3).found
        values = [[of[code] for code in codes] for of, codes in zip(found.values, found.codes, strict=True)]
        drawn.append(Counter(dict(zip(zip(*values, strict=True), found.counts.tolist(), strict=True))))
    assert drawn[0] == drawn[1] and drawn[0].total() == 10


def test_a_sample_of_more_than_all_rows_is_the_table() -> None:
    found = DuckDB(numbered(20)).sample(["place"], 100, seed=1).found
    assert sorted(int(found.values[0][code] or 0) for code in found.codes[0]) == list(range(20))


def test_all_rows_are_equally_likely_to_be_chosen() -> None:
    engine, times = DuckDB(numbered(10)), np.zeros(10)
    for seed in range(200):
        found = engine.sample(["place"], 3, seed).found
        times[[int(found.values[0][code] or 0) for code in found.codes[0]]] += 1
    assert abs(times - 60).max() < 5 * (200 * 0.3 * 0.7) ** 0.5
