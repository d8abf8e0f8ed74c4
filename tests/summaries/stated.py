"""What a database would keep about some rows: all values and combinations, or only the commonest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from discreet.engines.statistics import ColumnStatistics, JointStatistics, Statistics
from discreet.hierarchies.hierarchy import Value


def column_statistics(values: Sequence[Value], most: int | None = None) -> ColumnStatistics:
    """The commonest values of a column; of the others, the first and the last. Shares are rounded, as PostgreSQL's."""
    counted = Counter(values)
    common = [value for value, _ in counted.most_common(most)]
    if None in counted and None not in common:
        common.append(None)
    shares = np.array([counted[value] / len(values) for value in common], dtype=np.float32).astype(np.float64)
    others = sorted(value for value in counted if value is not None and value not in common)
    bounds = tuple(dict.fromkeys([*others[:1], *others[-1:]]))
    return ColumnStatistics(tuple(common), shares, len(others), bounds)


def joint_statistics(
    columns: Sequence[str], rows: Sequence[tuple[Value, ...]], most: int | None = None
) -> JointStatistics:
    """The commonest combinations."""
    listed = Counter(rows).most_common(most)
    shares = np.array([n / len(rows) for _, n in listed])
    values = tuple(zip(*(row for row, _ in listed), strict=True))
    return JointStatistics(tuple(columns), values, shares, shares)


def stated(
    columns: Sequence[str],
    rows: Sequence[tuple[Value, ...]],
    most: int | None = None,
    width: int = 2,
    seen: int | None = None,
) -> Statistics:
    """Statistics of every column, and of every so many columns together."""
    singles = {name: column_statistics([row[i] for row in rows], most) for i, name in enumerate(columns)}
    joint = tuple(
        joint_statistics([columns[i] for i in chosen], [tuple(row[i] for i in chosen) for row in rows], most)
        for chosen in combinations(range(len(columns)), width)
    )
    return Statistics(len(rows), len(rows) if seen is None else seen, singles, joint)
