"""A table whose people stand in many groups of tables apart, and the sums of their chances from the published text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import lcm, prod
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from discreet.audit.kinds.registry import AMBIGUOUS
from discreet.audit.reading.exact_tables import Table
from discreet.audit.reading.view import ReleaseView
from discreet.engines.base import Frequencies
from tests.audit.releasing import read_table

Row = tuple[int, ...]
SIDES = {"age": 12, "zip": 9, "job": 7}
TABLE = {
    **{
        name: [str(i * step % side) for i in range(200)]
        for step, (name, side) in zip((5, 7, 11), SIDES.items(), strict=True)
    },
    "disease": ["abcdef"[i * i % 6 if i % 3 else i % 6] for i in range(200)],
}


def sums(folder: Path) -> Counter[tuple[str, ...]]:
    """For every combination that a group covers the sum over all groups, from the published tables as text."""
    sizes: Counter[str] = Counter()
    for row in read_table(folder / "sensitive.csv"):
        sizes[row["group"]] += int(row["count"])
    listed: dict[str, list[list[str]]] = {group: [] for group in sizes}
    for name in SIDES:
        for group, values in values_by_group(folder / f"auxiliary_{name}.csv", name).items():
            listed[group].append(values)
    chances = {group: min(Fraction(size, prod(map(len, listed[group]))), Fraction(1)) for group, size in sizes.items()}
    unit = Fraction(1, lcm(*(chance.denominator for chance in chances.values())))  # whole numbers of it add up faster
    total: Counter[tuple[str, ...]] = Counter()
    for group, chance in chances.items():
        total.update(dict.fromkeys(product(*listed[group]), int(chance / unit)))
    return Counter({point: units * unit for point, units in total.items()})


def values_by_group(path: Path, name: str) -> dict[str, list[str]]:
    """The values of a table apart, of each group."""
    values = defaultdict(list)
    for row in read_table(path):
        values[row["group"]].append(row[name])
    return values


def view_of(groups: Sequence[Sequence[Row]]) -> ReleaseView:
    """Groups of rows as their tables tell of them."""
    tables = []
    for d in range(len(groups[0][0])):
        entries = sorted({(row[d], g) for g, rows in enumerate(groups) for row in rows})
        codes = np.array([value for value, _ in entries], dtype=np.int32)
        group = np.array([g for _, g in entries], dtype=np.int64)
        texts = tuple(str(i) for i in range(int(codes.max()) + 1))
        tables.append(Table((f"q{d}",), Frequencies((texts,), (codes,), np.ones(len(codes), dtype=np.int64)), group))
    sizes = np.array([len(rows) for rows in groups], dtype=np.int64)
    names = tuple(f"q{d}" for d in range(len(tables)))
    return ReleaseView(AMBIGUOUS, names, sizes, (), tables=tuple(tables))


many_groups = st.integers(1, 3).flatmap(
    lambda tables: st.lists(
        st.lists(st.tuples(*[st.integers(0, 3)] * tables), min_size=1, max_size=5), min_size=1, max_size=9
    )
)
