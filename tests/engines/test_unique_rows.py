"""How many rows some columns tell apart, of tables so large that not every combination is looked at."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from discreet.engines.open import open_source
from discreet.engines.sql import unique_rows


def test_a_sample_of_combinations_tells_about_the_same_as_all(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    columns = {"a": random.integers(0, 200, 40_000), "b": random.integers(0, 100, 40_000), "c": np.arange(40_000)}
    engine = open_source(pa.table(columns))
    exact = engine.uniqueness(["a", "b"], ["c"], 40_000)
    monkeypatch.setattr(unique_rows, "GROUPED", 4_000)
    sampled = engine.uniqueness(["a", "b"], ["c"], 40_000)
    assert (exact.one_in, sampled.one_in) == (1, 10)
    assert sampled.together == pytest.approx(exact.together, abs=0.02)
    assert sampled.changed == pytest.approx(exact.changed, abs=0.02)
    assert exact.changed == (0.0, 0.0, 1.0) and sampled.changed[2] == 1.0  # among sampled rows, all would be unique


def test_a_table_without_rows_has_no_unique_ones() -> None:
    engine = open_source(pa.table({"a": pa.array([], pa.string()), "b": pa.array([], pa.string())}))
    assert engine.uniqueness(["a"], ["b"], 0).changed == (0.0, 0.0)
