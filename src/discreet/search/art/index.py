"""People by their chances: who is alike to an adversary with worst-case knowledge, and who is nearly so.

People with equal quasi-identifiers are of one *kind*. Kinds stand in a k-d tree by their vectors of chances (and, where
these are the same, by quasi-identifiers), so that those nearest to somebody are found without looking at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import BoolArray, Codes, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.models.robust.knowledge import Knowledge

Points = NDArray[np.float32]

_LEAF = 8  # kinds in a leaf of the tree
_DIRECTIONS = 2  # of the chances of all protected values, per attribute set
_NEARNESS = 0.02  # of quasi-identifiers
_AT_A_TIME = 1 << 16  # kinds


class Table(NamedTuple):
    """What ART knows of the combinations of a frequency set, for its compiled loops.

    Combination i is of `kind[i]` and has the sensitive value `values[i]`; kind k has the combinations
    ``starts[k]:starts[k + 1]`` of `rows`, and `signatures[k]` (one per attribute set) are rows of `chances`, which have
    a column per value. Kinds with equal signatures have the same number in `alike`. `inside` is as `chances`, of the
    protected set that each value is in. Value v is in the protected sets ``set_offsets[v]:set_offsets[v + 1]`` of
    `sets`. `features` are the quasi-identifiers, as numbers; those of an attribute that is not `ordered` can only be
    equal or not.
    """

    kind: IntArray
    values: Codes
    starts: IntArray
    rows: IntArray
    signatures: Codes
    alike: IntArray
    chances: Points
    inside: Points
    set_offsets: IntArray
    sets: IntArray
    features: Points
    ordered: BoolArray


class Index(NamedTuple):
    """A balanced k-d tree of kinds; inner node i has the children 2i + 1 and 2i + 2, and halves its kinds."""

    points: Points
    order: Codes
    place: Codes  # of each kind in `order`
    dims: Codes
    cuts: Points


class Stock(NamedTuple):
    """Who has no group yet: rows of each combination and kind, and kinds under each node that have some."""

    left: IntArray
    of_kind: IntArray
    alive: IntArray


class Limits(NamedTuple):
    """What a group must be, and how far is looked for its members.

    It is to hold against 1/`r`, with `least` to `most` people. They are looked for among the `kinds` nearest kinds, of
    which `tries` combinations (or groups, where groups join) are weighed. `repeated` is what it costs to have an
    unprotected value once more: less than nothing where that is welcome.
    """

    r: float
    least: int
    most: int
    kinds: int
    tries: int
    repeated: float


def table_of(frequency: FrequencySet, attribute: str, knowledge: Knowledge, protected: Sequence[Codes]) -> Table:
    """Everything about everybody."""
    from discreet.counts.kernels import group_equal  # late: reading a policy should not wait for numba

    codes, leaves = frequency.codes, len(frequency.sensitive_hierarchies[attribute].leaves)
    rows = np.lexsort(codes[::-1])  # kinds are numbered in the order of their quasi-identifiers
    new = np.zeros(len(rows), dtype=np.bool_)
    for column in codes:
        new[1:] |= np.diff(column[rows]) != 0
    kind = np.empty(len(rows), dtype=np.int64)
    kind[rows] = np.cumsum(new)
    starts = np.concatenate([[0], np.flatnonzero(new), [len(rows)]]).astype(np.int64)
    signatures = np.empty((len(starts) - 1, len(knowledge.sets)), dtype=np.int32)
    for at in range(0, len(signatures), _AT_A_TIME):
        some = rows[starts[at : min(at + _AT_A_TIME, len(signatures))]]
        signatures[at : at + _AT_A_TIME] = knowledge.signatures([column[some] for column in codes]).T
    signatures += knowledge.starts[:-1].astype(np.int32)
    chances = knowledge.rows / knowledge.totals[:, None]
    inside = np.zeros_like(chances)
    in_sets: list[list[int]] = [[] for _ in range(leaves)]
    for number, members in enumerate(protected):
        for v in members.tolist():
            in_sets[v].append(number)
            inside[:, v] = np.minimum(inside[:, v] + chances[:, members].sum(axis=1), 1)
    return Table(
        kind,
        frequency.sensitive[attribute],
        starts,
        rows,
        signatures,
        group_equal(_hashed(signatures))[0].astype(np.int64),
        chances.astype(np.float32),
        inside.astype(np.float32),
        np.cumsum([0, *map(len, in_sets)], dtype=np.int64),
        np.array([number for numbers in in_sets for number in numbers], dtype=np.int64),
        np.stack(
            [c / max(len(h.leaves) - 1, 1) for c, h in zip(codes, frequency.hierarchies, strict=True)], axis=1
        ).astype(np.float32),
        np.array([h.ranges for h in frequency.hierarchies], dtype=np.bool_),
    )


def _hashed(signatures: Codes) -> NDArray[np.uint64]:
    """One number for each row. Should two different ones get the same, the guess is worse; the verdict is not."""
    odd = np.random.default_rng(0).integers(1 << 62, size=(signatures.shape[1],)).tolist()
    key = np.zeros(len(signatures), dtype=np.uint64)
    for column, half in zip(signatures.T, odd, strict=True):
        key = (key ^ (key >> np.uint64(29))) + (column.astype(np.uint64) + np.uint64(1)) * np.uint64(2 * half + 1)
    return key


def index_of(table: Table, counts: IntArray) -> Index:
    """Kinds by the roots of their chances of protected values, in the directions in which these vary most.

    The distance of roots is Hellinger's: it sees the difference between 0 and 1% as well as that between 30 and 40%.
    """
    from discreet.search.art.tree import plant

    roots = np.sqrt(table.chances[:, np.diff(table.set_offsets) > 0].astype(np.float64))
    people = np.bincount(table.kind, weights=counts, minlength=len(table.signatures))
    weights = np.zeros(len(roots))
    for column in table.signatures.T:
        weights += np.bincount(column, weights=people, minlength=len(roots))
    centred = roots - np.average(roots, axis=0, weights=weights)
    directions = np.linalg.eigh((centred * weights[:, None]).T @ centred)[1][:, ::-1][:, :_DIRECTIONS]
    where = (centred @ directions).astype(np.float32)
    first = table.rows[table.starts[:-1]]
    points = np.empty((len(first), directions.shape[1] * table.signatures.shape[1] + len(table.ordered)), np.float32)
    points[:, len(table.ordered) :] = where[table.signatures].reshape(len(first), -1)
    points[:, : len(table.ordered)] = _NEARNESS * table.features[first]
    order, dims, cuts = plant(points, _LEAF)
    place = np.empty_like(order)
    place[order] = np.arange(len(order), dtype=order.dtype)
    return Index(points, order, place, dims, cuts)


def stock_of(table: Table, index: Index, left: IntArray) -> Stock:
    """Everybody of `left` is there to be taken."""
    from discreet.search.art.tree import census

    of_kind = np.bincount(table.kind, weights=left, minlength=len(table.signatures)).astype(np.int64)
    return Stock(left, of_kind, census(index, of_kind))
