"""Patients whose exact values are published."""

from __future__ import annotations

import numpy as np

from tests.report.examples import frequencies


def people(rows: int = 1_000) -> list[tuple[str | None, ...]]:
    random = np.random.default_rng(3)
    return [(f"town{t}", str(a), f"ill{(t + i) % 6}") for t, a, i in random.integers(0, (5, 9, 3), (rows, 3))]


TABLE = frequencies(
    people(),
    {"town": {f"town{i}": () for i in range(5)}, "age": {str(i): () for i in range(9)}},
    ["illness"],
)
