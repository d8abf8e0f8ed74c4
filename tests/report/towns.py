"""People of towns, published by a node of a lattice."""

from __future__ import annotations

import numpy as np

from discreet.search.plan import Recoding
from tests.report.examples import frequencies, full_domain

TOWNS = {f"town{i}": (f"county{i // 3}", f"land{i // 6}") for i in range(12)}


AGES = {str(age): (f"{age // 10 * 10}s",) for age in range(20, 50)}


def people(rows: int, seed: int = 1) -> list[tuple[str | None, ...]]:
    """Towns and illnesses of very different frequency."""
    random = np.random.default_rng(seed)
    town = np.minimum(random.geometric(0.35, rows) - 1, 11)
    ill = np.minimum(random.geometric(0.4, rows) - 1, 9)
    age = random.integers(20, 50, rows)
    return [(f"town{t}", str(a), f"ill{i}") for t, a, i in zip(town, age, ill, strict=True)]


def example(rows: int = 2_000, node: tuple[int, int] = (1, 1), k: int = 20, seed: int = 1) -> Recoding:
    table = frequencies(people(rows, seed), {"town": TOWNS, "age": AGES}, ["illness"])
    return full_domain(table, node, k)
