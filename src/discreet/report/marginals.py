"""How common each value was and is, told so that nobody stands out.

"Before" is the original distribution, at the finest level that can be read; "after" is what a reader makes of the
release, who takes ranges for evenly filled. Two rules let nobody stand out. A value is named only if it is common in
the source, in the release, and among the rows that are published; all others are folded into one. A share is rounded
to whole percents, or coarser where a percent is less than ten rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest

import numpy as np
from numpy.typing import ArrayLike

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.hierarchies.hierarchy import Hierarchy, Value

STEPS = (1, 2, 5, 10, 20, 25, 50)
ROWS_PER_STEP = 10
MOST_VALUES = 12
MOST_CHARACTERS = 80
_UNDECIDED = 8  # columns that are named


@dataclass(frozen=True)
class Grain:
    """How finely shares are told for a table of that many rows.

    >>> Grain(30_000), Grain(150).step, Grain(3).step
    (Grain(rows=30000), 10, 50)
    """

    rows: int

    @property
    def step(self) -> int:
        """Shares are multiples of this many percent: at least ten rows, so that a difference names nobody."""
        return next((s for s in STEPS if s * self.rows >= 100 * ROWS_PER_STEP), STEPS[-1])

    @property
    def least(self) -> float:
        """The share from which on a value is common enough to be named."""
        return max(1.0, self.step / 2) / 100

    def round(self, share: float) -> int:
        """The share in percent, rounded.

        >>> Grain(30_000).round(0.123), Grain(150).round(0.123)
        (12, 10)
        """
        return self.step * int(100 * share / self.step + 0.5)


@dataclass(frozen=True)
class Pair:
    """One value, and its share in percent before and after."""

    label: str
    before: int
    after: int


@dataclass(frozen=True)
class Marginal:
    """How the values of one column were and are distributed.

    `level` is the level of the hierarchy the values are shown at; `others` are all values that are not named, together;
    `moved` is the share of rows, in percent, that would have to change their value to turn one into the other.
    """

    name: str
    role: str
    level: int
    height: int
    pairs: tuple[Pair, ...]
    others: Pair
    moved: int


def nobody_decided(columns: Sequence[str]) -> str:
    """That decisions were left open.

    >>> nobody_decided(["weight", "costs"])
    'Nobody has decided on weight, costs: taken as the policy has it.'
    """
    names = [shown(column) for column in columns]
    more = f" and {len(names) - _UNDECIDED} more" if len(names) > _UNDECIDED else ""
    return f"Nobody has decided on {', '.join(names[:_UNDECIDED])}{more}: taken as the policy has it."


def shown(value: Value) -> str:
    """A value of the user's as text that can't be mistaken, is of bearable length and steers no terminal.

    >>> shown(None), shown(""), shown("a\\x1b[31mb")
    ('NULL', '(empty)', 'a�[31mb')
    """
    if value is None:
        return "NULL"
    if not value.strip():
        return "(empty)" if not value else "(blank)"
    text = printable(value[: MOST_CHARACTERS + 1])
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1].rstrip() + "…"


def printable(text: str) -> str:
    """Text without characters that steer terminals or turn the direction of writing."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def most_common(values: Sequence[Value], rows: ArrayLike, most: int) -> list[int]:
    """Which values are the most common ones, in an order that does not depend on how they were read.

    >>> most_common(["b", None, "a", "c"], [2, 2, 2, 5], 3)
    [3, 2, 0]
    """
    counts = np.asarray(rows).tolist()
    return nsmallest(most, range(len(values)), key=lambda i: (-counts[i], values[i] is None, values[i] or ""))


def leaf_counts(hierarchy: Hierarchy, codes: Codes, counts: IntArray) -> FloatArray:
    """How many rows have each leaf."""
    return np.bincount(codes, weights=counts, minlength=len(hierarchy.leaves)).astype(np.float64)


def spread_counts(hierarchy: Hierarchy, low: Codes, high: Codes, sizes: IntArray) -> FloatArray:
    """How many rows have each leaf if all that is known is the release: a range is spread evenly over its leaves."""
    density = sizes / (high.astype(np.int64) - low + 1)
    steps = np.bincount(low, weights=density, minlength=len(hierarchy.leaves) + 1)
    steps -= np.bincount(high.astype(np.int64) + 1, weights=density, minlength=len(hierarchy.leaves) + 1)
    return np.maximum(np.cumsum(steps)[:-1], 0.0)


def marginal(
    hierarchy: Hierarchy,
    role: str,
    before: FloatArray,
    after: FloatArray,
    stayed: FloatArray,
    finest: int,
    grain: Grain,
) -> Marginal:
    """Before and after, at the finest level from `finest` on that shows most of the rows with few enough values.

    `after` is what a reader takes the release for, `stayed` the leaves of the rows that are published.
    """
    level = _readable_level(hierarchy, before, after, stayed, finest, grain)
    b, a = _shares(hierarchy, level, before), _shares(hierarchy, level, after)
    named = _in_order(hierarchy, level, _most_common(b, np.minimum(a, _shares(hierarchy, level, stayed)), grain))
    pairs = tuple(
        Pair(published_label(hierarchy, level, int(c)), grain.round(float(b[c])), grain.round(float(a[c])))
        for c in named
    )
    rest = [max(float(x.sum() - x[named].sum()), 0.0) for x in (b, a)]
    return Marginal(
        shown(hierarchy.attribute),
        role,
        level,
        hierarchy.height,
        pairs,
        Pair("all others", grain.round(rest[0]), grain.round(rest[1])),
        grain.round(float(np.abs(b - a).sum()) / 2) if after.any() else 100,
    )


def common_path(
    hierarchy: Hierarchy, level: int, before: FloatArray, kept: FloatArray, grain: Grain
) -> tuple[str | None, ...]:
    """What one common value is on each level, as an example; None on levels where no common value leads there.

    `kept` are the leaves of the rows that are published: what only suppressed rows had is no example either.
    """
    path: list[str | None] = [None] * (hierarchy.height + 1)
    low, high = 0, len(hierarchy.leaves) - 1
    leaf = None
    for at in [level, *range(level - 1, -1, -1)]:  # from the published value down to an original one
        b = _shares(hierarchy, at, before)
        inside = _common(b, _shares(hierarchy, at, kept), grain)
        inside = inside[(hierarchy.first[at][inside] >= low) & (hierarchy.last[at][inside] <= high)]
        if not len(inside):
            break
        code = int(inside[np.argmax(b[inside])])
        path[at] = published_label(hierarchy, at, code)
        low, high = int(hierarchy.first[at][code]), int(hierarchy.last[at][code])
        leaf = low
    if leaf is not None:
        for at in range(level + 1, hierarchy.height + 1):
            path[at] = published_label(hierarchy, at, int(hierarchy.codes[at][leaf]))
    return tuple(path)


def published_label(hierarchy: Hierarchy, level: int, code: int) -> str:
    """The text of one value of a level, as the release writes it."""
    return shown(hierarchy.labels[level][code])


def _shares(hierarchy: Hierarchy, level: int, leaves: FloatArray) -> FloatArray:
    mass = np.bincount(hierarchy.codes[level], weights=leaves, minlength=len(hierarchy.labels[level]))
    return mass / max(float(mass.sum()), 1.0)


def _common(before: FloatArray, after: FloatArray, grain: Grain) -> IntArray:
    """Values that are common both before and after: what only suppressed rows had is never named."""
    found: IntArray = np.flatnonzero((before >= grain.least) & (after >= grain.least))
    return found


def _most_common(before: FloatArray, after: FloatArray, grain: Grain) -> IntArray:
    """As many of the common values as a chart can hold, the most common first."""
    common = _common(before, after, grain)
    return common[np.argsort(-before[common], kind="stable")[:MOST_VALUES]]


def _readable_level(
    hierarchy: Hierarchy, before: FloatArray, after: FloatArray, stayed: FloatArray, finest: int, grain: Grain
) -> int:
    """Level to compare at. Numbers must fit in the chart, since a histogram with holes misleads."""
    coarsest = max(hierarchy.height - 1, finest)
    for level in range(finest, coarsest):
        b, *both = (_shares(hierarchy, level, x) for x in (before, after, stayed))
        a = np.minimum(*both)
        fits = not hierarchy.ordered or len(_common(b, a, grain)) <= MOST_VALUES
        if fits and b[_most_common(b, a, grain)].sum() >= 0.5:
            return level
    return coarsest


def _in_order(hierarchy: Hierarchy, level: int, named: IntArray) -> IntArray:
    """Numbers from small to large, also those of a taxonomy; all else stays as it is, the most common first."""
    if hierarchy.ordered:
        return np.sort(named)
    try:
        numbers = [float(hierarchy.leaves[hierarchy.first[level][code]] or "nan") for code in named]
    except ValueError:
        return named
    return named[np.argsort(numbers, kind="stable")]
