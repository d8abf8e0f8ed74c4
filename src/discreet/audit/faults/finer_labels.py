"""Labels of one column that say more than others do: where a whole column is made coarser, its labels don't overlap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.arrays import BoolArray
from discreet.audit.reading.labels import Anything, Between, Exactly, Label, OneOf, Prefix, Values, covers


def finer_labels(labels: Sequence[Label]) -> BoolArray:
    """Which labels say of somebody more than another label of the column could.

    None where labels overlap without one being inside of the other: then each group has labels of its own.

    >>> finer_labels([Between(20, 39), Between(40, 59), Exactly("25"), Exactly("17"), Anything()])
    array([False, False,  True, False, False])
    >>> finer_labels([Between(20, 39), Between(30, 59), Exactly("25")])
    array([False, False, False])
    """
    inside = np.zeros(len(labels), dtype=np.bool_)
    exact = [i for i, label in enumerate(labels) if isinstance(label, Exactly)]
    coarse = [i for i, label in enumerate(labels) if not isinstance(label, Exactly | Anything)]
    values = Values([label.value for label in labels if isinstance(label, Exactly)])
    for i in coarse:
        inside[exact] |= covers(labels[i], values)
    for kind in (Between, Prefix, OneOf):
        chosen = [i for i in coarse if isinstance(labels[i], kind)]
        nested = _NESTED[kind]([labels[i] for i in chosen])
        if nested is None:
            return np.zeros(len(labels), dtype=np.bool_)
        inside[chosen] |= nested
    return inside


def _ranges(labels: Sequence[Label]) -> BoolArray | None:
    """Sorted by where they begin, the longest first: one that begins before the last has ended is inside of it."""
    ends = [_ends(label) for label in labels if isinstance(label, Between)]
    inside = np.zeros(len(ends), dtype=np.bool_)
    last: tuple[float, bool] = (-np.inf, True)
    for i in sorted(range(len(ends)), key=lambda i: (ends[i][0], (-ends[i][1][0], not ends[i][1][1]))):
        (low, excluded), high = ends[i]
        if low < last[0] or (low == last[0] and last[1] and not excluded):
            if high > last:
                return None
            inside[i] = True
        else:
            last = high
    return inside


def _ends(label: Between) -> tuple[tuple[float, bool], tuple[float, bool]]:
    """Comparable ends: (low, is it left out) and (high, is it included)."""
    low = -np.inf if label.low is None else label.low
    high = np.inf if label.high is None else label.high
    return (low, not label.low_included), (high, label.high_included)


def _prefixes(labels: Sequence[Label]) -> BoolArray | None:
    """A prefix is inside of another one that is shorter, for texts of one length."""
    stems = [(label.stem, label.length) for label in labels if isinstance(label, Prefix)]
    known = {*stems}
    return np.array(
        [any((stem[:n], length) in known for n in range(len(stem))) for stem, length in stems], dtype=np.bool_
    )


def _sets(labels: Sequence[Label]) -> BoolArray | None:
    """A set is inside of another one if that has all of its members; one that shares some is of another kind."""
    sets = [label.values for label in labels if isinstance(label, OneOf)]
    inside = np.zeros(len(sets), dtype=np.bool_)
    owner: dict[str | None, int] = {}
    for i in sorted(range(len(sets)), key=lambda i: -len(sets[i])):
        owners = {owner.get(value) for value in sets[i]}
        if owners == {None}:
            owner |= dict.fromkeys(sets[i], i)
        elif len(owners) == 1:
            inside[i] = True
        elif len(owners) > 1:
            return None
    return inside


_NESTED = {Between: _ranges, Prefix: _prefixes, OneOf: _sets}
