"""COUNT queries: what an analyst asks of a table, and how far the release's answers are off.

A query is a conjunction: on some quasi-identifiers, and as a rule on the sensitive attribute, the value must be one of
some leaves. How a release answers is in `estimates`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.arrays import BoolArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.errors import Mistake, PolicyError, did_you_mean, shown

Bits = NDArray[np.uint64]
AnyCodes = NDArray[np.integer]

_CELLS = 4_000_000  # numbers held at once while drawing
_MANY = 1 << 18  # combinations that are worth a thread for each core
_BLOCK = 1 << 14  # combinations looked at together: their codes stay in the cache


@dataclass(frozen=True, eq=False)
class Workload:
    """Many COUNT queries. `wanted[d]` has a bit per query for each leaf of attribute d: does it qualify?

    An attribute that a query does not speak of has all its leaves wanted.
    """

    attributes: tuple[str, ...]
    wanted: tuple[Bits, ...]
    count: int

    def __len__(self) -> int:
        return self.count

    def wants(self, attribute: int, start: int = 0, stop: int | None = None) -> BoolArray:
        """Which leaves (rows) qualify in which of the queries ``start:stop`` (columns); start is a multiple of 8."""
        from discreet.utility.leaf_bits import unpack

        stop = self.count if stop is None else min(stop, self.count)
        return unpack(self.wanted[attribute], start, stop)


def workload(leaves: Mapping[str, int], queries: Sequence[Mapping[str, Iterable[int]]]) -> Workload:
    """Queries written by hand: per query, the attributes it speaks of and the leaf numbers that qualify.

    >>> stroke_at_45_and_above = {"age": [1, 2, 3], "disease": [5]}
    >>> workload({"age": 4, "disease": 6}, [stroke_at_45_and_above]).wants(0).ravel()
    array([False,  True,  True,  True])
    """
    from discreet.utility.leaf_bits import pack

    wanted = []
    for name, size in leaves.items():
        held = np.ones((size, len(queries)), dtype=np.bool_)
        for column, query in enumerate(queries):
            if name in query:
                held[:, column] = False
                held[list(query[name]), column] = True
        wanted.append(pack(held))
    return Workload(tuple(leaves), tuple(wanted), len(queries))


def draw_workload(
    frequency: FrequencySet,
    *,
    predicates: int,
    selectivity: float = 0.05,
    sensitive: str | None = None,
    count: int = 10_000,
    seed: int | None = None,
    ranges: bool = True,
    sensitive_values: int | None = None,
) -> Workload:
    """Random queries as Xiao & Tao 2006 draw them, and the papers on ambiguity and robustness after them.

    Each query picks `predicates` of the quasi-identifiers (qd) and, if named, the sensitive attribute. On each it
    wants b = ⌈m · s^(1/(qd + 1))⌉ of the m values that occur, so that a fraction s of the rows would qualify if the
    attributes were independent and uniform. Ordered attributes are asked for b neighbours, others for any b values;
    with `ranges` off all are asked for any b values, to the letter of the paper.

    The ambiguity paper asks for one sensitive value (§8.1: SELECT A1, …, Ai, count(*) WHERE S = v GROUP BY A1, …, Ai,
    with selectivities of 1, 5 and 10%): say `sensitive_values` = 1. Then s is shared among the quasi-identifiers alone,
    b = ⌈m · s^(1/qd)⌉: the query adds up those cells of the GROUP BY that a fraction s of the people with v is in.
    """
    _check_draw(frequency, predicates, selectivity, sensitive, count, sensitive_values)
    rng = np.random.default_rng(seed)
    columns = [*zip(frequency.hierarchies, frequency.counted_leaves, strict=True)]
    chosen = rng.random((len(columns), count)).argsort(axis=0) < predicates
    share = selectivity ** (1 / (predicates + (sensitive is not None and sensitive_values is None)))
    if sensitive is not None:
        columns.append((frequency.sensitive_hierarchies[sensitive], frequency.totals[sensitive]))
        chosen = np.vstack([chosen, np.ones((1, count), dtype=np.bool_)])
    wanted = []
    for (hierarchy, rows), speaks in zip(columns, chosen, strict=True):
        occurring = np.flatnonzero(rows).astype(np.int32)
        # A share that rounding has lifted just above a whole number must not ask for one value more.
        b = max(1, ceil(len(occurring) * share - 1e-9))
        if hierarchy.attribute == sensitive and sensitive_values is not None:
            b = sensitive_values
        neighbours = ranges and hierarchy.ordered
        wanted.append(_draw(rng, occurring, b, neighbours, speaks, len(hierarchy.leaves)))
    return Workload(tuple(h.attribute for h, _ in columns), tuple(wanted), count)


def _check_draw(
    frequency: FrequencySet,
    predicates: int,
    selectivity: float,
    sensitive: str | None,
    count: int,
    sensitive_values: int | None,
) -> None:
    mistakes = []
    most = len(frequency.hierarchies)
    if not 1 <= predicates <= most:
        rule = f"must be between 1 and {most}, the number of quasi-identifiers, got {predicates}"
        mistakes.append(Mistake("predicates", rule))
    if not 0 < selectivity <= 1:
        mistakes.append(Mistake("selectivity", f"must be above 0 and at most 1, got {selectivity}"))
    if sensitive is not None and sensitive not in frequency.sensitive:
        repair = did_you_mean(sensitive, frequency.sensitive)
        mistakes.append(Mistake("sensitive", f"{shown(sensitive)} is not a sensitive attribute", repair))
    elif sensitive_values is not None:
        occurring = 0 if sensitive is None else int((frequency.totals[sensitive] > 0).sum())
        if not 1 <= sensitive_values <= occurring:
            rule = f"must be between 1 and {occurring}, the number of sensitive values, got {sensitive_values}"
            mistakes.append(Mistake("sensitive_values", rule))
    if count < 1:
        mistakes.append(Mistake("count", f"must be at least 1, got {count}"))
    if not mistakes and not frequency.rows:
        mistakes.append(Mistake("frequency", "has no rows to ask for"))
    if mistakes:
        raise PolicyError(*mistakes)


def _draw(
    rng: np.random.Generator, occurring: AnyCodes, b: int, neighbours: bool, speaks: BoolArray, leaves: int
) -> Bits:
    """The wanted leaves of one attribute, `b` for each query that speaks of it, all for the others."""
    from discreet.utility.leaf_bits import packed

    # A table of all leaves for many queries would be larger than everything else, where there are millions of leaves.
    few = 8 * max(1, _CELLS // (8 * leaves))
    leaf = np.arange(leaves, dtype=np.int32)[:, None]

    def held(here: BoolArray) -> BoolArray:
        table, asking = np.repeat(~here[None, :], leaves, axis=0), np.flatnonzero(here)
        if neighbours:
            first = rng.integers(0, len(occurring) - b + 1, size=len(asking))
            table[:, asking] = (leaf >= occurring[first]) & (leaf <= occurring[first + b - 1])
            return table
        rows = max(1, _CELLS // len(occurring))
        for start in range(0, len(asking), rows):
            columns = asking[start : start + rows]
            drawn = rng.random((len(columns), len(occurring))).argpartition(b - 1, axis=1)[:, :b]
            table[occurring[drawn], columns[:, None]] = True
        return table

    return packed((held(speaks[at : at + few]) for at in range(0, len(speaks), few)), leaves, len(speaks))


def true_counts(workload: Workload, codes: Sequence[AnyCodes], counts: ArrayLike) -> IntArray:
    """The right answers. `codes` has a column of leaf numbers for each attribute of the workload, in its order."""
    from discreet.utility.leaf_bits import add_per_column

    start = np.cumsum([0, *(len(w) for w in workload.wanted[:-1])]).tolist()
    wanted, counts = np.concatenate(workload.wanted), np.asarray(counts, dtype=np.int64)

    def of_part(ends: tuple[int, int]) -> IntArray:
        total = np.zeros(64 * wanted.shape[1], dtype=np.int64)
        for at in range(ends[0], ends[1], _BLOCK):  # all at once would be the largest array of a run
            here = slice(at, min(at + _BLOCK, ends[1]))
            rows = np.empty((len(codes), here.stop - at), dtype=np.int32)
            for row, column, above in zip(rows, codes, start, strict=True):
                np.add(column[here], above, out=row, dtype=np.int32, casting="same_kind")
            add_per_column(wanted, rows, counts[here], total)
        return total

    parts = os.cpu_count() or 1 if len(counts) > _MANY else 1
    ends = pairwise(np.linspace(0, len(counts), parts + 1).astype(np.int64).tolist())
    with ThreadPoolExecutor(parts) as pool:
        total: IntArray = np.sum(list(pool.map(of_part, ends)), axis=0)
    return total[: len(workload)]


@dataclass(frozen=True)
class RelativeError:
    """|act − est| / act over the queries with act > 0. The `empty` ones, where nothing qualifies, are left out."""

    median: float
    mean: float
    queries: int
    empty: int


def relative_error(actual: ArrayLike, estimated: ArrayLike) -> RelativeError:
    """How far the estimates are off, in units of the truth; not a number if no query has anything to count.

    >>> relative_error([1, 4, 0], [0.75, 4, 0.5])
    RelativeError(median=0.125, mean=0.125, queries=2, empty=1)
    """
    act, est = np.asarray(actual, dtype=np.float64), np.asarray(estimated, dtype=np.float64)
    counted = act > 0
    error = np.abs(act[counted] - est[counted]) / act[counted]
    empty = int((~counted).sum())
    if not error.size:
        return RelativeError(float("nan"), float("nan"), 0, empty)
    return RelativeError(float(np.median(error)), float(error.mean()), len(error), empty)
