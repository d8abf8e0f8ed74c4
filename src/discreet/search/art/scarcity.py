"""What is scarce where nobody may get surer: how many people are expected to have a protected value.

In a group with somebody of whom more than 1/r was believed, and who was not certain, no more people have the value than
she expected to, for each attribute set. Else nobody is believed more of than 1/r: with o the odds of each person, and t
the likeliest of the group, somebody's belief is at most c / (r − 1 + c), c = o / o_t (see `sizes`), and as these add up
to the m who have it, at least 9 · o_t · m are expected to have it where r is 10. So whoever has a value takes no less
than min(1, (r − 1) · o) of what is expected, by each attribute set, in any grouping at all.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import FloatArray
from discreet.search.art.draft import Draft
from discreet.search.art.no_surer import Prices
from discreet.search.art.people import Table

_LEAST_SPARE = 0.01  # of what is left, so that prices stay finite


def prices_of(draft: Draft) -> Prices:
    """By attribute set and value: one divided by what is to spare, now. A row: the same, where r people are a group."""
    expected, asked = expected_and_asked(draft)
    spare = np.maximum(expected - asked, np.maximum(_LEAST_SPARE * expected, 1.0))
    left = draft.stock.left
    people, having = int(left.sum()), int(left[draft.protected].sum())
    return Prices((1 / spare).astype(np.float32), 1 / max(people - draft.least * having, people / 100, 1.0))


def expected_and_asked(draft: Draft) -> tuple[FloatArray, FloatArray]:
    """By attribute set (row) and value: how many of those without a group are expected to have a value of its set, and
    how many of these those take at least who have one."""
    t, left = draft.table, draft.stock.left
    people = np.zeros(len(t.chances))
    for at in t.signatures.T:
        people += np.bincount(at, weights=draft.stock.of_kind, minlength=len(people))
    starts = draft.starts
    expected = np.add.reduceat(people[:, None] * t.inside, starts, axis=0)
    rows = np.flatnonzero(draft.protected & (left > 0))
    asked = np.zeros_like(expected)
    own = t.inside[t.signatures[t.kind[rows]], t.values[rows][:, None]].astype(np.float64)
    takes = left[rows][:, None] * np.minimum(1, (draft.r - 1) * own / np.maximum(1 - own, 1e-12))
    for a in range(expected.shape[0]):
        asked[a] = np.bincount(t.values[rows], weights=takes[:, a], minlength=expected.shape[1])
    return expected, asked @ _together(t)


def _together(table: Table) -> FloatArray:
    """Which values are in a protected set together."""
    number = len(table.set_offsets) - 1
    of = np.zeros((number, int(table.sets.max(initial=-1)) + 1))
    of[np.repeat(np.arange(number), np.diff(table.set_offsets)), table.sets] = 1
    together: FloatArray = (of @ of.T > 0).astype(np.float64)
    return together
