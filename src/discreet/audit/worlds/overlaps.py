"""Groups of two releases that may have somebody in common: their labels can be true of one person."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.audit.reading.labels import Between, Exactly, Label, coverage, overlap
from discreet.audit.reading.view import ReleaseView

MOST_PAIRS = 30_000_000  # pairs of groups that are held against each other; more take too long


def overlapping(view: ReleaseView, other: ReleaseView) -> tuple[IntArray, IntArray] | None:
    """All pairs of groups whose labels may be true of one person; None if there are too many to go through."""
    ours = {r.attribute: r for r in view.regions}
    theirs = {r.attribute: r for r in other.regions}
    first, second = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    key_1, key_2 = np.zeros(len(view.sizes), dtype=np.int64), np.zeros(len(other.sizes), dtype=np.int64)
    meeting = {name: meetings(ours[name].labels, theirs[name].labels) for name in ours if name in theirs}
    for name in sorted(meeting, key=lambda name: meeting[name].sum() / max(meeting[name].size, 1)):
        key_1, parent_1, label_1 = _refined(key_1, ours[name].label)
        key_2, parent_2, label_2 = _refined(key_2, theirs[name].label)
        joined = _children(first, second, parent_1, parent_2)
        if joined is None:
            return None
        meets = meeting[name][label_1[joined[0]], label_2[joined[1]]]
        first, second = joined[0][meets], joined[1][meets]
    own = np.argsort(key_1, kind="stable"), np.argsort(key_2, kind="stable")
    joined = _children(first, second, key_1[own[0]], key_2[own[1]])
    return None if joined is None else (own[0][joined[0]], own[1][joined[1]])


def meetings(ours: Sequence[Label], theirs: Sequence[Label]) -> BoolArray:
    """Which labels may be true of one value: a row for each of ours. Exact values and intervals are looked up at once.

    >>> from discreet.audit.reading.labels import Anything
    >>> meetings([Between(20, 39), Anything()], [Between(30, 40), Exactly("19")])
    array([[ True, False],
           [ True,  True]])
    """
    meet = np.zeros((len(ours), len(theirs)), dtype=np.bool_)
    exact_1, exact_2 = _values(ours), _values(theirs)
    meet[:, list(exact_2)] = _covered(ours, list(exact_2.values()))
    meet[list(exact_1)] = _covered(theirs, list(exact_1.values())).T
    rest_1 = [i for i in range(len(ours)) if i not in exact_1]
    rest_2 = [j for j in range(len(theirs)) if j not in exact_2]
    ranges_1, ranges_2 = [_ends(ours[i]) for i in rest_1], [_ends(theirs[j]) for j in rest_2]
    if all(ranges_1) and all(ranges_2):
        a = np.array(ranges_1, dtype=np.float64).reshape(-1, 5).T[:, :, None]
        b = np.array(ranges_2, dtype=np.float64).reshape(-1, 5).T[:, None, :]
        meet[np.ix_(rest_1, rest_2)] = _begins_before(a, b) & _begins_before(b, a) & (a[4] == b[4])
        return meet
    for i in rest_1:
        meet[i, rest_2] = [overlap(ours[i], theirs[j]) for j in rest_2]
    return meet


def _values(labels: Sequence[Label]) -> dict[int, str | None]:
    """The labels that are one value, by their places."""
    return {i: label.value for i, label in enumerate(labels) if isinstance(label, Exactly)}


def _covered(labels: Sequence[Label], values: Sequence[str | None]) -> BoolArray:
    """`coverage`, for values that may come twice."""
    place = {value: i for i, value in enumerate(dict.fromkeys(values))}
    fits: BoolArray = coverage(labels, list(place))[:, [place[value] for value in values]]
    return fits


def _ends(label: Label) -> tuple[float, float, bool, bool, bool] | None:
    """An interval as numbers: its ends, whether they are in it, and whether it is of dates."""
    if not isinstance(label, Between):
        return None
    low = -np.inf if label.low is None else label.low
    high = np.inf if label.high is None else label.high
    return low, high, label.low_included, label.high_included, label.dates


def _begins_before(a: FloatArray, b: FloatArray) -> BoolArray:
    """Does interval a begin before b ends, or where it does?"""
    begins: BoolArray = (a[0] < b[1]) | ((a[0] == b[1]) & (a[2] == 1) & (b[3] == 1))
    return begins


def _refined(key: IntArray, label: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Groups told apart by one more label: the new key of each, and of every new key the old one and the label."""
    width = int(label.max(initial=0)) + 1
    pairs, new = np.unique(key * width + label, return_inverse=True)
    return new, pairs // width, pairs % width


def _children(
    first: IntArray, second: IntArray, parent_1: IntArray, parent_2: IntArray
) -> tuple[IntArray, IntArray] | None:
    """For every pair, all pairs of what is below the one and below the other (parents ascend)."""
    low_1, high_1 = np.searchsorted(parent_1, first), np.searchsorted(parent_1, first, side="right")
    low_2, high_2 = np.searchsorted(parent_2, second), np.searchsorted(parent_2, second, side="right")
    many = (high_1 - low_1) * (high_2 - low_2)
    if many.sum() > MOST_PAIRS:
        return None
    pair = np.repeat(np.arange(len(many)), many)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(many) - many, many)
    turn, step = np.divmod(within, (high_2 - low_2)[pair])
    return low_1[pair] + turn, low_2[pair] + step
