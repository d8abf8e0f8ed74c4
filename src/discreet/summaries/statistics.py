"""From what a database keeps about a table to a summary: no row is looked at.

Single columns: common values have their shares; the other rows are spread over the values between the bounds of the
histogram, or over those that a taxonomy lists besides. Pairs of columns: the combinations that are listed have their
shares; the other rows are spread as if the columns were independent, so that every value gets the share that it must
have (iterative proportional fitting: Deming & Stephan 1940). Columns that nothing is known of together are independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.frequency import Edge
from discreet.counts.structure import heaviest_tree, mutual_information
from discreet.engines.base import LARGEST_PAIR
from discreet.engines.statistics import ColumnStatistics, JointStatistics, Statistics
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.summaries.estimated import Estimated, in_parts, table_in_parts

_ROUNDS = 100
_CLOSE = 1e-9
_NOTHING = 1e-12  # nats; what rounding to parts of the whole may seem to tell


def statistics_summary(
    statistics: Statistics, hierarchies: Sequence[Hierarchy], sensitive: Mapping[str, Hierarchy]
) -> Estimated:
    """The tree of Chow and Liu over the pairs of columns that something is known of; all else is independent.

    Shares of a sample make columns look more dependent than they are: by about a half for each combination and row of
    the sample, in nats (Miller & Madow 1955). An edge must tell more than that.
    """
    every = [*hierarchies, *sensitive.values()]
    shares = [leaf_shares(statistics, h) for h in every]
    parts = [in_parts(s) for s in shares]
    tables: dict[Edge, IntArray] = {}
    weights: dict[Edge, float] = {}
    for i, j in combinations(range(len(every)), 2):
        listed = statistics.pair(every[i].attribute, every[j].attribute)
        if listed is None or len(every[i].leaves) * len(every[j].leaves) > LARGEST_PAIR:
            continue
        fitted = pair_shares(statistics, listed, (every[i], every[j]), (shares[i], shares[j]))
        tables[i, j] = table_in_parts(fitted, parts[i], parts[j])
        weights[i, j] = mutual_information(tables[i, j]) - by_chance(statistics, listed) - _NOTHING
    chosen = {edge: tables[edge] for edge in heaviest_tree(weights)}
    return Estimated(tuple(hierarchies), dict(sensitive), tuple(parts), chosen, statistics.rows)


def by_chance(statistics: Statistics, listed: JointStatistics) -> float:
    """What two columns seem to tell about each other by the chance of a sample alone, in nats."""
    return 0.0 if statistics.of_all else len(listed.shares) / (2 * max(statistics.seen, 1))


def known_values(statistics: Statistics, column: str) -> dict[Value, int]:
    """Every value that is known of a column, and about how many rows have it: one at least."""
    values = statistics.known(column)
    shares = _spread(statistics.columns[column], values, ordered=False)
    rows = np.maximum(np.rint(shares * statistics.rows), 1).astype(np.int64)
    return dict(zip(values, rows.tolist(), strict=True))


def leaf_shares(statistics: Statistics, hierarchy: Hierarchy) -> FloatArray:
    """The share of each leaf."""
    return _spread(statistics.columns[hierarchy.attribute], hierarchy.leaves, hierarchy.ordered, statistics)


def _spread(
    kept: ColumnStatistics, leaves: Sequence[Value], ordered: bool, statistics: Statistics | None = None
) -> FloatArray:
    """The share of each leaf; `ordered`, the leaves stand in the order of the column."""
    shares = np.zeros(len(leaves))
    place = {leaf: i for i, leaf in enumerate(leaves)}
    there = np.array([v in place for v in kept.values], dtype=np.bool_)  # not if all rows with it were deleted
    common = np.array([place[v] for v in kept.values if v in place], dtype=np.int64)
    shares[common] = kept.shares[there]
    others = np.ones(len(leaves), dtype=np.bool_)
    others[common] = False
    others[[place[v] for v in ("", None) if v in place]] = False  # they would be common, or bounds
    others[[place[v] for v in kept.bounds if v in place]] = True
    if statistics is not None and statistics.of_all:
        shares[common] = _whole_rows(kept.shares[there], statistics.rows)
    if kept.rest and others.any():
        shares[others] = kept.rest * _between(kept, others, place, ordered)[others]
    elif not shares.any():
        shares[:] = 1.0
    whole: FloatArray = shares / shares.sum()
    return whole


def _whole_rows(shares: FloatArray, rows: int) -> FloatArray:
    """Shares that were counted on all rows, and then rounded, as they were."""
    counts = np.rint(shares * rows)
    return counts / rows if np.abs(counts - shares * rows).max(initial=0.0) < 0.01 else shares


def _between(kept: ColumnStatistics, others: BoolArray, place: Mapping[Value, int], ordered: bool) -> FloatArray:
    """How the other rows are spread over the leaves: equally many between any two bounds, evenly among these."""
    weight = others.astype(np.float64)
    ends = np.array([place[v] for v in kept.bounds if v in place], dtype=np.int64)
    if ordered and len(ends) > 1 and (np.diff(ends) > 0).all():
        part = np.clip(np.searchsorted(ends, np.arange(len(others)), side="right") - 1, 0, len(ends) - 2)
        weight /= np.bincount(part, weights=weight, minlength=len(ends) - 1)[part].clip(min=1.0)
    spread: FloatArray = weight / weight.sum()
    return spread


def pair_shares(
    statistics: Statistics,
    listed: JointStatistics,
    hierarchies: tuple[Hierarchy, Hierarchy],
    margins: tuple[FloatArray, FloatArray],
) -> FloatArray:
    """The share of every pair of leaves: as listed, and the rest fitted to the shares of the leaves."""
    first_of, second_of = (h.index for h in hierarchies)
    pairs = list(zip(*listed.values, strict=True))
    there = np.array([a in first_of and b in second_of for a, b in pairs], dtype=np.bool_)
    placed = [(first_of[a], second_of[b]) for a, b in pairs if a in first_of and b in second_of]
    place = tuple(np.array(placed, dtype=np.int64).reshape(-1, 2).T)
    known = np.zeros([len(m) for m in margins])
    known[place] = (_whole_rows(listed.shares, statistics.rows) if statistics.of_all else listed.shares)[there]
    free = np.ones(known.shape, dtype=np.bool_)
    if listed.whole:
        free[place] = False
    first, second = (np.maximum(m - known.sum(axis=a), 0.0) for a, m in zip((1, 0), margins, strict=True))
    rest = np.where(free, np.multiply.outer(first, second), 0.0)
    return fit(known + fit(rest, first, second), *margins)


def fit(table: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """The table whose rows add up to `first` and whose columns to `second`, as far as its zeros allow.

    Rows and columns are scaled in turns (iterative proportional fitting).

    >>> fit(np.array([[1.0, 1.0], [1.0, 0.0]]), np.array([0.5, 0.5]), np.array([0.75, 0.25])).tolist()
    [[0.25, 0.25], [0.5, 0.0]]
    """
    table = table.copy()
    for _ in range(_ROUNDS):
        rows, columns = table.sum(axis=1), table.sum(axis=0)
        if max(np.abs(rows - first).sum(), np.abs(columns - second).sum()) < _CLOSE:
            break
        table *= np.divide(first, rows, out=np.zeros_like(first), where=rows > 0)[:, None]
        columns = table.sum(axis=0)
        table *= np.divide(second, columns, out=np.zeros_like(second), where=columns > 0)
    return table


def with_values(statistics: Statistics, rows: int, counted: Mapping[str, Mapping[Value, int]]) -> Statistics:
    """The same, after somebody counted all rows, and met values (with their rows) that it did not know.

    Now there are no others: what was left for them, and is not theirs, is that of the bounds.
    """
    columns = dict(statistics.columns)
    for name, values in counted.items():
        kept = columns[name]
        met = np.array(list(values.values()), dtype=np.float64) / rows
        room = max(1.0 - float(met.sum()), 0.0)
        shares = kept.shares * min(1.0, room / max(float(kept.shares.sum()), room, 1e-12))
        columns[name] = ColumnStatistics(
            (*kept.values, *values), np.concatenate([shares, met]), len(kept.bounds), kept.bounds
        )
    return replace(statistics, rows=rows, columns=columns)
