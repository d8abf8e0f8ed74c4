"""Do the rows of a published file stand in an order that the source tells? Then whoever has the source's order (a list
by name, by date of admission), or exact values that were made coarser, can tell whose row is whose.

**The test.** If the order tells nothing, then every row is as likely as any other to come next: of the rows that are
left, a share p has the values that do. Somebody who believes that the rows follow the source bets on what comes next,
by the rows so far and the source: where she expects it with chance q, her stake is multiplied by q / p. Against rows in
a random order nobody wins on average, whatever she does, and the chance that her stake ever grows c-fold is 1 / c at
most (Ville 1939; Shafer & Vovk 2019 on betting as testing). That is exact, for tables of any size. She has several ways
to bet, each with its part of the stake:

- *near*: the next row is among those at the same place in the source, give or take some; forwards and backwards;
- *rising*: of the rows that are left, the one that stands first in the source is next; or the one that stands last;
- *beside*: the next row stands a few rows before or after this one in the source. Rotated, cut and put together, or
  with some rows exchanged: neighbours remain.

An order that published values explain tells nothing: rows are compared only with those that are equal in the columns
that the file is sorted by. The source may be looked at in its own order, or sorted by the exact values of a column that
was made coarser; then rows are compared with those that have the same label.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import FloatArray, IntArray

FORWARDS, BACKWARDS, BESIDE = "forwards", "backwards", "beside"
_NEAR = (0, 2, 8, 32)  # rows of the source, on either side
_PARTS = (32, 8)  # the same as parts of the whole
_NOTHING = 1e-9  # a weight that is a sum's rounding
_MOST_ENTRIES = 1_000_000  # pairs of a row of the source and published values that it fits
_MOST_BETS = 100_000  # rows that she bets on, one by one
_MOST_STEPS = 200_000_000  # of following neighbours through the source


@dataclass(frozen=True, eq=False)
class Sequences:
    """Published rows, and rows of the source that may be theirs; both in strata, in which rows may be told apart.

    The published rows have `units` (equal values) as they stand, and ``stratum[u]`` is that of unit u. Row
    ``row[e]`` of the source fits unit ``unit[e]``, and is published so with chance ``weight[e]``. `place` has the place
    of each row of the source in the order that is looked for.
    """

    units: IntArray
    stratum: IntArray
    row: IntArray
    unit: IntArray
    weight: FloatArray
    place: IntArray


@dataclass(frozen=True)
class Way:
    """A way to bet, and how likely chance lets anybody win as much by it: at most."""

    way: str
    chance: float


def best_way(rows: Sequences, *, neighbours: bool = True, ways: int = 1) -> Way:
    """The way to bet that wins most, of so many (`ways`) times as many as are tried here.

    >>> row = np.arange(40)
    >>> in_order = Sequences(row[::-1], np.zeros(40, dtype=np.int64), row, row, np.ones(40), row)
    >>> best_way(in_order).way, best_way(in_order).chance < 1e-9
    ('backwards', True)
    """
    from discreet.audit.faults.row_order_kernels import largest_stake  # late: loads numba

    if len(rows.units) < 2 or not len(rows.row):
        return Way("", 1.0)
    stakes = [(float(largest_stake(ratio)), way) for way, ratio in _ratios(_arranged(rows), neighbours)]
    stake, way = max(stakes)
    return Way(way, min(ways * len(stakes) * math.exp(-stake), 1.0))


def entries(
    starts: IntArray, units: NDArray[Any], kinds: IntArray, sizes: IntArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Rows of the source and units that they fit: row, unit, and the chance to be published so.

    Kind k of rows fits ``units[starts[k]:starts[k + 1]]``; unit u has ``sizes[u]`` rows. Of too many pairs each row
    keeps some of its own, by chance: she then knows less.

    >>> [found.tolist() for found in entries(np.array([0, 2]), np.array([0, 1]), np.array([0, 0]), np.array([3, 1]))]
    [[0, 0, 1, 1], [0, 1, 0, 1], [0.75, 0.25, 0.75, 0.25]]
    """
    of_kind = np.diff(starts)
    total = np.bincount(np.repeat(np.arange(len(of_kind)), of_kind), weights=sizes[units], minlength=len(of_kind))
    many = of_kind[kinds]
    kept, begin = many, np.zeros(len(many), dtype=np.int64)
    if many.sum() > _MOST_ENTRIES:
        kept = np.minimum(many, max(_MOST_ENTRIES // len(kinds), 1))
        begin = (np.random.default_rng(0).random(len(many)) * many).astype(np.int64)
    row = np.repeat(np.arange(len(kinds)), kept)
    within = np.arange(len(row)) - np.repeat(np.cumsum(kept) - kept, kept) + begin[row]
    unit = units[starts[kinds[row]] + within % np.maximum(many[row], 1)].astype(np.int64)
    return row, unit, sizes[unit] / np.maximum(total[kinds[row]], 1)


@dataclass(frozen=True, eq=False)
class _Arranged:
    """Stratum by stratum: the units of the published rows as they stand, and those of the source in its order.

    ``expected`` is the chance of each published row to come next, given those before; ``first`` and ``size`` say where
    in the source its stratum begins and how many places it has, ``along`` how far through it the row stands.
    The places of unit u are ``places[starts[u]:starts[u + 1]]``, with ``weights``; ``before`` and ``within`` are sums
    of the weights before each place, and before each of ``places``.
    """

    unit: IntArray
    stratum: IntArray
    expected: FloatArray
    first: IntArray
    size: IntArray
    along: FloatArray
    starts: IntArray
    places: IntArray
    weights: FloatArray
    before: FloatArray
    within: FloatArray


def _arranged(rows: Sequences) -> _Arranged:
    units, strata = len(rows.stratum), int(rows.stratum.max(initial=0)) + 1
    unit = rows.units[np.argsort(rows.stratum[rows.units], kind="stable")]
    stratum = rows.stratum[unit]
    start = np.searchsorted(stratum, np.arange(strata + 1))
    index = np.arange(len(unit)) - start[stratum]
    in_source = np.lexsort((rows.place[rows.row], rows.stratum[rows.unit]))
    entry_unit, weight = rows.unit[in_source], rows.weight[in_source]
    first = np.searchsorted(rows.stratum[entry_unit], np.arange(strata + 1))
    grouped = np.argsort(entry_unit, kind="stable")
    return _Arranged(
        unit,
        stratum,
        _expected(unit, stratum, np.bincount(unit, minlength=units), np.diff(start)),
        first[stratum],
        np.diff(first)[stratum],
        (index + 0.5) / np.diff(start)[stratum],
        np.searchsorted(entry_unit[grouped], np.arange(units + 1)).astype(np.int64),
        grouped.astype(np.int64),
        weight[grouped],
        np.concatenate([[0.0], np.cumsum(weight)]),
        np.concatenate([[0.0], np.cumsum(weight[grouped])]),
    )


def _expected(unit: IntArray, stratum: IntArray, of_unit: IntArray, of_stratum: IntArray) -> FloatArray:
    """The share of each row's unit among the rows of its stratum that were not looked at before."""
    from discreet.audit.faults.row_order_kernels import earlier  # late: loads numba

    of_both: tuple[IntArray, IntArray] = earlier(unit, len(of_unit)), earlier(stratum, len(of_stratum))
    share: FloatArray = (of_unit[unit] - of_both[0]) / (of_stratum[stratum] - of_both[1])
    return share


def _some(rows: _Arranged) -> _Arranged:
    """The same where bets are placed on some rows only, evenly spread, if there are very many."""
    if len(rows.unit) <= _MOST_BETS:
        return rows
    chosen = np.linspace(0, len(rows.unit) - 1, _MOST_BETS).astype(np.int64)
    unit, stratum = rows.unit[chosen], rows.stratum[chosen]
    return replace(
        rows,
        unit=unit,
        stratum=stratum,
        expected=_expected(
            unit, stratum, np.bincount(rows.unit, minlength=len(rows.starts)), np.bincount(rows.stratum)
        ),
        first=rows.first[chosen],
        size=rows.size[chosen],
        along=rows.along[chosen],
    )


def _ratios(rows: _Arranged, neighbours: bool) -> Iterator[tuple[str, FloatArray]]:
    """Every way to bet, and by what it multiplies her stake row by row."""
    from discreet.audit.faults.row_order_kernels import following, nearby  # late: loads numba

    some, whole = _some(rows), int(rows.size.max(initial=0))
    for way, along in ((FORWARDS, some.along), (BACKWARDS, 1.0 - some.along)):
        centre = some.first + np.minimum((along * some.size).astype(np.int64), np.maximum(some.size - 1, 0))
        for width in dict.fromkeys([*_NEAR, *(whole // part for part in _PARTS)] if neighbours else _few(whole)):
            there = (some.starts, some.places, some.before, some.within, _NOTHING)
            yield way, nearby(some.unit, centre, width, some.first, some.size, some.expected, *there)
    score = _scores(rows)
    for way, rank in ((FORWARDS, score), (BACKWARDS, score.max(initial=0) - score)):
        yield way, _rising(rows, rank)
    if neighbours:
        source = (rows.starts, rows.places, rows.weights)
        yield BESIDE, following(rows.unit, rows.stratum, rows.expected, rows.size, *source, _MOST_STEPS)


def _few(whole: int) -> tuple[int, ...]:
    """Widths for an order by values: people with equal ones stand in any order."""
    return _NEAR[2], whole // _PARTS[0]


def _scores(rows: _Arranged) -> IntArray:
    """The units by where they stand in the source on average; those that do not stand there come last."""
    weight = np.diff(rows.within[rows.starts])
    sums = np.concatenate([[0.0], np.cumsum(rows.places * rows.weights)])
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(weight > 0, np.diff(sums[rows.starts]) / weight, np.inf)
    score = np.empty(len(mean), dtype=np.int64)
    score[np.argsort(mean, kind="stable")] = np.arange(len(mean))
    return score


def _rising(rows: _Arranged, score: IntArray) -> FloatArray:
    """She expects the row that stands first of those that are left in the stratum."""
    own = rows.stratum * (int(score.max(initial=0)) + 1) + score[rows.unit]  # larger in the strata that follow
    least = np.minimum.accumulate(own[::-1])[::-1]
    return np.where(least == own, 1.0 / rows.expected, 0.0)
