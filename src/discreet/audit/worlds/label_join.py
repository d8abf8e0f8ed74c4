"""Which people of a list fit which groups of a generalized release: a join of labels with values.

A person fits a group if each label of the group covers the person's value. Where the labels of a column overlap, people
may fit several groups; nothing is taken for granted about how the labels were made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import IntArray, number_equal
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.labels import Exactly, Label, Values, covers
from discreet.audit.reading.view import ReleaseView

Numbers = NDArray[np.int32]

MOST_FITS = 100_000_000  # pairs of a person and a group that are held in memory


@dataclass(frozen=True, eq=False)
class Covered:
    """The i-th entry of the list, so many ``people[i]``, fits ``groups[starts[i]:starts[i + 1]]``.

    `having` counts the people whom each group covers. Of too many pairs (`held` is False) there are no `groups`.
    """

    people: IntArray
    starts: IntArray
    groups: Numbers
    having: IntArray
    held: bool = True

    @property
    def fits(self) -> IntArray:
        """How many groups each entry fits."""
        return np.diff(self.starts)


@dataclass(frozen=True, eq=False)
class Fitting:
    """One column: group g has ``label[g]``, the i-th entry of the list the value ``codes[i]``.

    Value v fits the labels ``labels[starts[v]:starts[v + 1]]``, in order.
    """

    label: IntArray
    codes: IntArray
    starts: IntArray
    labels: IntArray

    @property
    def plain(self) -> bool:
        """Does each value fit one label at most?"""
        return bool((np.diff(self.starts) <= 1).all())

    @property
    def share(self) -> float:
        """The share of groups that an entry of the list fits by this column, on average (but for a factor)."""
        groups = np.bincount(self.label, minlength=int(self.labels.max(initial=-1)) + 1)
        before = np.concatenate([[0], np.cumsum(groups[self.labels])])
        return (
            float((before[self.starts[1:]] - before[self.starts[:-1]])[self.codes].mean()) if len(self.codes) else 0.0
        )


def fitting(label: IntArray, codes: NDArray[Any], pairs: tuple[IntArray, IntArray], values: int) -> Fitting:
    """A column from all pairs of a label and a value of the list (of so many) that it covers."""
    covering, value = pairs
    order = np.lexsort((covering, value))
    starts = np.searchsorted(value[order], np.arange(values + 1))
    return Fitting(label, codes.astype(np.int64), starts.astype(np.int64), covering[order])


def covered(view: ReleaseView, population: Population) -> Covered:
    """Hold the list against the groups' labels."""
    columns = []
    for region in view.regions:
        at = population.columns.index(region.attribute)
        values = population.frequencies.values[at]
        pairs = label_values(region.labels, values)
        columns.append(fitting(region.label, population.frequencies.codes[at], pairs, len(values)))
    return joined(columns, population.frequencies.counts, len(view.sizes))


def joined(columns: Sequence[Fitting], people: IntArray, sizes: int) -> Covered:
    """Who fits which of so many (`sizes`) groups by every column.

    The trie of the groups' labels and that of the people's values are walked together, column by column, those columns
    first by which the fewest groups fit somebody; what people have in common at the front is looked up once.
    """
    from discreet.audit.worlds.label_join_kernels import ByValue, Trie, join, reordered  # late: loads numba

    ordered = sorted(columns, key=lambda column: column.share)
    several = [column.codes for column in columns if not column.plain]
    if len(several) < len(columns) and int(number_equal(several, len(people)).max(initial=0)) + 1 == len(people):
        # Where everybody is another one by these, nothing is looked up more often if the others go first, and less far.
        ordered.sort(key=lambda column: not column.plain)
    labels = [column.label for column in ordered]
    codes = [column.codes for column in ordered]
    by_label = np.lexsort(labels[::-1]) if labels else np.arange(sizes)
    by_value = np.lexsort(codes[::-1]) if codes else np.arange(len(people))
    node_label, first_child, leaf_first = _trie([column[by_label] for column in labels], sizes)
    value_starts = [column.starts for column in ordered]
    shift = np.cumsum([0, *(len(s) for s in value_starts)])
    before = np.cumsum([0, *(len(column.labels) for column in ordered)])
    starts_of = np.concatenate([s + b for s, b in zip(value_starts, before[:-1], strict=True)] or [np.zeros(1)])
    labels_of = np.concatenate([column.labels for column in ordered] or [np.zeros(0, np.int64)])
    rows = np.stack([c[by_value] for c in codes], axis=1) if codes else np.zeros((len(people), 0), dtype=np.int64)
    values = ByValue(shift.astype(np.int64), starts_of.astype(np.int64), labels_of.astype(np.int64))
    trie = Trie(node_label, first_child, leaf_first, by_label.astype(np.int64))
    fits, having, groups, held = join(rows, people[by_value], values, trie, MOST_FITS)
    place = np.empty(len(people), dtype=np.int64)  # of each entry of the list among the sorted ones
    place[by_value] = np.arange(len(people))
    starts = np.concatenate([[0], np.cumsum(fits)]).astype(np.int64)
    in_order = np.concatenate([[0], np.cumsum(fits[place])]).astype(np.int64)
    return Covered(people, in_order, reordered(starts, groups, place, in_order) if held else groups, having, held)


def label_values(labels: Sequence[Label], values: Sequence[str | None]) -> tuple[IntArray, IntArray]:
    """Every pair of a label and a value that it covers, sorted by label.

    >>> from discreet.audit.reading.labels import Anything
    >>> label_values([Exactly("a"), Anything()], ["b", "a"])
    (array([0, 1, 1]), array([1, 0, 1]))
    """
    known = Values(values)
    places = []
    for label in labels:
        if isinstance(label, Exactly):  # a look-up: a column may have as many exact labels as values
            places.append(np.array(known.places(label.value), dtype=np.int64))
        else:
            places.append(np.flatnonzero(covers(label, known)).astype(np.int64))
    counts = np.array([len(f) for f in places], dtype=np.int64)
    each = np.concatenate(places) if places else np.zeros(0, dtype=np.int64)
    return np.repeat(np.arange(len(places), dtype=np.int64), counts), each


def _trie(labels: list[IntArray], groups: int) -> tuple[IntArray, IntArray, IntArray]:
    """The sorted label combinations as a trie, level by level from the root (node 0).

    The children of node i are the nodes ``first_child[i]:first_child[i + 1]``; groups of leaf i (counted from the first
    leaf) are ``leaf_first[i]:leaf_first[i + 1]`` of the sorted ones.
    """
    node_label, starts = [np.zeros(1, dtype=np.int64)], [np.zeros(min(groups, 1), dtype=np.int64)]
    new = np.zeros(groups, dtype=np.bool_)
    if groups:
        new[0] = True
    for column in labels:
        new[1:] |= column[1:] != column[:-1]
        first = np.flatnonzero(new)
        node_label.append(column[first])
        starts.append(first)
    first_child, before = [], 1
    for above, below in pairwise(starts):
        first_child.append(before + np.searchsorted(below, above))
        before += len(below)
    children = np.concatenate([*first_child, [before]]) if groups else np.zeros(2, dtype=np.int64)
    return (
        np.concatenate(node_label).astype(np.int64),
        children.astype(np.int64),
        np.append(starts[-1], groups).astype(np.int64),
    )
