"""People by their chances: who is alike to an adversary with worst-case knowledge, and who is nearly so.

People with equal quasi-identifiers are of one *kind*. Kinds stand in a k-d tree by their vectors of chances (and, where
these are the same, by quasi-identifiers), so that those nearest to somebody are found without looking at all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Codes, IntArray, number_equal
from discreet.counts.frequency import FrequencySet
from discreet.counts.kernels import group_equal
from discreet.models.robust.knowledge import Knowledge
from discreet.search.art.people import Index, Stock, Table
from discreet.search.art.tree import census, plant

_LEAF = 8  # kinds in a leaf of the tree
_DIRECTIONS = 2  # of the chances of all protected values, per attribute set
_NEARNESS = 0.02  # of quasi-identifiers
_AT_A_TIME = 1 << 16  # kinds


def table_of(frequency: FrequencySet, attribute: str, knowledge: Knowledge, protected: Sequence[Codes]) -> Table:
    """Everything about everybody."""
    codes, leaves = frequency.codes, len(frequency.sensitive_hierarchies[attribute].leaves)
    kind = number_equal(codes, len(frequency.counts))  # in the order of their quasi-identifiers
    rows = np.argsort(kind, kind="stable")
    starts = np.searchsorted(kind[rows], np.arange(int(kind.max(initial=0)) + 2)).astype(np.int64)
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
        *_owners(frequency),
        np.zeros(len(frequency.counts), dtype=np.bool_),
    )


def _owners(frequency: FrequencySet) -> tuple[IntArray, IntArray, IntArray]:
    """Whose each combination is, if somebody has several, −1 for everybody else; and the combinations of each owner."""
    owners = frequency.owners
    if owners is None:
        person = np.full(len(frequency.counts), -1, dtype=np.int64)
    else:
        person = np.where(owners.rows[owners.person] > 1, owners.person, -1).astype(np.int64)
    owned = np.argsort(person, kind="stable")[int((person < 0).sum()) :]
    return person, np.searchsorted(person[owned], np.arange(int(person.max(initial=-1)) + 2)).astype(np.int64), owned


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
    of_kind = np.bincount(table.kind, weights=left, minlength=len(table.signatures)).astype(np.int64)
    return Stock(left, of_kind, census(index, of_kind))
