"""How far a table itself is from what its pairs say: what margin a confidence by pairs asks for.

Pairs don't tell how three or more attributes go together. The table is a part of the population, and it is known whole:
so its rows are counted in boxes that hold about as many of them each, and held against what a tree over the table's own
pairs expects there. A table that is no even part of the population (it may be chosen by what the promise hides) tells
less; and small groups are further off than large boxes, which is offset by chance, which makes boxes of few rows look
further off than they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.counts.frequency import Edge, FrequencySet, Marginals, Pairs
from discreet.counts.groups import Outside
from discreet.counts.pairs import in_pairs
from discreet.models.presence.by_pairs import expected_in

LEAST = 20  # rows that are expected in a box: by chance alone their number is off by a fifth or so
_MOST_BOXES = 2_000
_STEPS = 20  # margins are told in steps of a twentieth


def measured_margin(frequency: FrequencySet, edges: Sequence[Edge], least: Fraction, *, both: bool) -> Fraction | None:
    """The margin within which the tree expects the rows of so many of a table's boxes (a share of `least`), rounded up.

    None if the table has too few rows to tell. Too few rows in a box count as off, and with `both` too many as well.
    """
    expected, rows = boxes_of(frequency, edges)
    if len(rows) < 2:
        return None
    off = np.log(expected / np.maximum(rows, 0.5))
    off = np.sort(np.abs(off) if both else np.maximum(off, 0.0))
    needed = off[max(math.ceil(least * len(off)), 1) - 1]
    return Fraction(math.ceil(needed * _STEPS), _STEPS)


def boxes_of(frequency: FrequencySet, edges: Sequence[Edge]) -> tuple[FloatArray, IntArray]:
    """Boxes into which a table is cut: how many of its rows are expected in each by its own pairs, and how many are.

    The widest attribute of a box is cut where half of what is expected is on either side; not where less than enough
    would be left. What is expected alone decides where to cut, so that boxes are not chosen for being off.
    """
    frequency = frequency.in_people
    people = _as_people(frequency, edges)
    leaves = np.array([len(c) for c in people.counts], dtype=np.int64)
    enough = max(LEAST, people.size / _MOST_BOXES)
    codes = np.stack(frequency.codes, axis=1) if frequency.codes else np.empty((0, 0), dtype=np.int32)
    expected: list[float] = []
    rows: list[int] = []
    waiting = [
        (np.zeros(len(leaves), dtype=np.int32), (leaves - 1).astype(np.int32), np.ones(len(codes), dtype=np.bool_))
    ]
    while waiting:
        low, high, inside = waiting.pop()
        cut = _cut(people, leaves, low, high, enough)
        if cut is None:
            expected.append(float(_expected(people, low[None], high[None])[0]))
            rows.append(int(frequency.counts[inside].sum()))
            continue
        attribute, last = cut
        ends, starts = high.copy(), low.copy()
        ends[attribute], starts[attribute] = last, last + 1
        left: BoolArray = codes[:, attribute] <= last
        waiting += [(low, ends, inside & left), (starts, high, inside & ~left)]
    return np.array(expected), np.array(rows, dtype=np.int64)


def _cut(people: Marginals, leaves: IntArray, low: Codes, high: Codes, enough: float) -> tuple[int, int] | None:
    """An attribute and the last leaf of its first part; None if no cut leaves enough on both sides."""
    share = (high - low) / np.maximum(leaves - 1, 1)
    whole = _expected(people, low[None], high[None])[0]
    if whole < 2 * enough:
        return None
    for attribute in np.argsort(-share, kind="stable").tolist():
        width = int(high[attribute] - low[attribute])
        if not width:
            continue
        first, last = np.repeat(low[None], width, axis=0), np.repeat(high[None], width, axis=0)
        last[:, attribute] = np.arange(low[attribute], high[attribute])
        before = _expected(people, first, last)
        best = int(np.argmin(np.abs(before - whole / 2)))
        if min(before[best], whole - before[best]) >= enough:
            return attribute, int(low[attribute]) + best
    return None


def _expected(people: Marginals, low: Codes, high: Codes) -> FloatArray:
    return expected_in(Outside(low, high, people), pairs=True)


def _as_people(frequency: FrequencySet, edges: Sequence[Edge]) -> Marginals:
    """The table's own rows as what is known of people, one and two attributes at a time."""
    counts = tuple(
        np.bincount(codes, weights=frequency.counts, minlength=len(h.leaves)).astype(np.int64)
        for h, codes in zip(frequency.hierarchies, frequency.codes, strict=True)
    )
    pairs = Pairs(in_pairs(frequency, edges), tuple(edges))
    return Marginals(counts, tuple(c > 0 for c in counts), int(frequency.counts.sum()), pairs)
