"""Signs of an order in the rows of a published file: values that stand together more often than chance explains.

An order that published values explain (a file that is sorted by its columns) tells nothing. What the source shows is
told by `source_order`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import FloatArray, IntArray
from discreet.audit.reading.labels import Text, numbers

Codes = NDArray[Any]  # places, in whole numbers of any width

CHANCE = 1e-6  # how seldom chance may do what is reported
_MANY = 10  # equal neighbours, from which on their number is as good as normal
_FIRST = 5_000  # rows that are looked at before all are
_STEPS = 1_000_000  # different pairs of neighbours that an order of values is looked for in


@dataclass(frozen=True, eq=False)
class Ordered:
    """One published column as it stands: the place of each row's value among distinct ones, which may have a size."""

    name: str
    codes: Codes
    values: Sequence[Text]
    exact: bool = True  # is it published as it is in the source?
    sizes: FloatArray | None = None  # of each value: the number that it is, or the beginning of its interval


@dataclass(frozen=True, eq=False)
class Sorting:
    """By which of its columns a file is sorted: those that it is (`taken`), each with the blocks of rows that were
    equal before; those that it is not (`left`); and the blocks that are equal in all the former, as they stand.

    It is the answer of `sorting`.
    """

    taken: Sequence[tuple[Ordered, IntArray]]
    left: Sequence[Ordered]
    block: IntArray

    @property
    def explains_all(self) -> bool:
        """Do the published values explain the order of the rows?"""
        return not self.left


def sorting(columns: Sequence[Ordered]) -> Sorting:
    """By which columns the rows are sorted, one within the other.

    >>> found = sorting([Ordered("a", np.array([0, 0, 1]), "ab"), Ordered("b", np.array([1, 0, 1]), "yx")])
    >>> found.explains_all, found.block.tolist()
    (True, [0, 1, 2])
    >>> sorting([Ordered("a", np.array([0, 1, 0]), "ab")]).explains_all
    False
    """
    left, taken = list(columns), []
    block = np.zeros(len(columns[0].codes) if columns else 0, dtype=np.int64)
    while (following := next((c for c in left if _is_sorted(c, block)), None)) is not None:
        taken.append((following, block))
        left.remove(following)
        new = (np.diff(block) != 0) | (np.diff(np.asarray(following.codes)) != 0)
        block = np.concatenate([[0], np.cumsum(new)]).astype(np.int64)
    return Sorting(taken, left, block)


def unexplained(found: Sorting) -> tuple[str, float] | None:
    """The column that most clearly stands in an order which chance does not explain, and what the chance is.

    None if there is no such column, or if the file is sorted by its own columns.

    >>> codes = np.repeat([0, 1], 50)
    >>> age = Ordered("age", codes, ["20-39", "40-59"], exact=False)
    >>> unexplained(sorting([age, Ordered("sex", codes[::-1], ["F", "M"])]))
    >>> shuffled = np.arange(100) * 37 % 100 // 50
    >>> column, chance = unexplained(sorting([age, Ordered("sex", shuffled, "FM")]))
    >>> column, chance < 1e-15
    ('age', True)
    """
    if len(found.block) < 2 or not found.left:
        return None
    chances = [(_chance_of(column, found.block), column.name) for column in found.left]
    # A column may have been sorted before it was made coarser.
    chances += [(_chance_of(column, before), column.name) for column, before in found.taken if not column.exact]
    least, name = min(chances)
    chance = least * (len(found.taken) + len(found.left))
    return (name, chance) if chance < CHANCE else None


def _is_sorted(column: Ordered, block: IntArray) -> bool:
    """Is it sorted inside of every block, in any order that its values may have?"""
    codes = np.asarray(column.codes, dtype=np.int64)
    if len(codes) > _FIRST and not _may_be_sorted(codes[:_FIRST], block[:_FIRST], column.values):
        return False
    before, after = _steps(codes, block)
    if _in_a_known_order(before, after, _ranks(column.values)):
        return True
    # Some order of the values that we don't know (that of a hierarchy): one that is nowhere contradicted. Few steps
    # contradict nothing.
    used = len(np.unique(codes))
    return len(before) >= 3 * used and _without_circles(before, after, len(column.values))


def _may_be_sorted(codes: IntArray, block: IntArray, values: Sequence[Text]) -> bool:
    """Can rows that begin with these be sorted? Nearly all that are not give themselves away here, at little cost.

    >>> _may_be_sorted(np.array([0, 1, 0]), np.zeros(3, dtype=np.int64), "ab")
    False
    >>> _may_be_sorted(np.array([2, 1, 3]), np.zeros(3, dtype=np.int64), "badc")  # in some order
    True
    """
    there, codes = np.unique(codes, return_inverse=True)
    before, after = _steps(codes, block)
    known = _in_a_known_order(before, after, _ranks([values[code] for code in there.tolist()]))
    return known or _without_circles(before, after, len(there))


def _steps(codes: IntArray, block: IntArray) -> tuple[IntArray, IntArray]:
    """The values of neighbours within blocks."""
    within = block[1:] == block[:-1]
    return codes[:-1][within], codes[1:][within]


def _in_a_known_order(before: IntArray, after: IntArray, ranks: Iterable[IntArray]) -> bool:
    for rank in ranks:
        steps = rank[after] - rank[before]
        if (steps >= 0).all() or (steps <= 0).all():
            return True
    return False


def _ranks(values: Sequence[Text]) -> Iterator[IntArray]:
    """The places of distinct values in the orders that programs sort them by, one order after the other."""
    sizes = numbers(values)
    if not np.isnan(sizes).any() and len(np.unique(sizes)) == len(sizes):
        yield np.argsort(np.argsort(sizes))
        yield _places(values)
        return
    yield _places([(value is None, value or "") for value in values])
    if any(value is None for value in values):
        yield _places([(value is not None, value or "") for value in values])
    pairs = zip(sizes.tolist(), values, strict=True)
    yield _places(
        [(2 + (v is None), 0.0, "") if not v else (math.isnan(n), 0.0 if math.isnan(n) else n, v) for n, v in pairs]
    )


def _places(keys: Sequence[Any]) -> IntArray:
    place = np.empty(len(keys), dtype=np.int64)
    place[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return place


def _without_circles(before: IntArray, after: IntArray, values: int) -> bool:
    """Can the values be put in an order in which no step goes down?"""
    steps = np.unique((before * values + after)[before != after])
    if len(steps) > _STEPS:
        return False
    nexts: dict[int, list[int]] = {}
    entering = np.bincount(steps % values, minlength=values)
    for step in steps.tolist():
        nexts.setdefault(step // values, []).append(step % values)
    free = np.flatnonzero(entering == 0).tolist()
    done = 0
    while free:
        done += 1
        for follower in nexts.get(free.pop(), ()):
            entering[follower] -= 1
            if not entering[follower]:
                free.append(follower)
    return done == values


def _chance_of(column: Ordered, block: IntArray) -> float:
    """How likely equal values, or values on one side of the median, stand together as often as they do."""
    chance = together(np.asarray(column.codes, dtype=np.int64), block)
    if column.sizes is not None and np.isfinite(column.sizes).all():
        sizes = column.sizes[column.codes]
        chance = min(chance, together((sizes > np.median(sizes)).astype(np.int64), block))
    return 2 * chance


def together(codes: IntArray, block: IntArray) -> float:
    """The chance that at least so many neighbours (within a block) are equal, rows of a block being shuffled.

    Barton & David 1957: with nᵥ rows of each value among n, Σ nᵥ(nᵥ−1)/n neighbours are equal on average. By the normal
    tail; where few are expected, never less than Chernoff's bound for rare events, so that a few are no alarm.

    >>> together(np.array([0, 0, 0, 1, 1, 1]), np.zeros(6, dtype=np.int64)) > 0.05
    True
    >>> together(np.repeat([0, 1], 100), np.zeros(200, dtype=np.int64)) < 1e-30
    True
    """
    within = block[1:] == block[:-1]
    equal = int(((codes[1:] == codes[:-1]) & within).sum())
    _, of_block, n = np.unique(block, return_inverse=True, return_counts=True)
    width = int(codes.max(initial=0)) + 1
    pair, counts = np.unique(of_block * width + codes, return_counts=True)
    counts = counts.astype(np.float64)
    owner = pair // width
    squares = np.bincount(owner, weights=counts**2, minlength=len(n))
    cubes = np.bincount(owner, weights=counts**3, minlength=len(n))
    size = n.astype(np.float64)
    mean = (squares - size) / size
    variance = np.zeros(len(n))
    some = size > 1
    s, q, c = size[some], squares[some], cubes[some]
    variance[some] = (q * (q + s * (s + 1)) - 2 * s * c - s**3) / (s**2 * (s - 1))
    expected, spread = float(mean.sum()), float(np.maximum(variance, 0).sum())
    if equal <= expected:
        return 1.0
    if expected <= 0 or spread <= 0:
        return 1.0
    normal = 0.5 * math.erfc((equal - 0.5 - expected) / math.sqrt(2 * spread))
    rare = math.exp(min(equal - expected + equal * math.log(expected / equal), 0.0))
    return normal if expected > _MANY and spread > _MANY else max(normal, rare)


def at_least(fitting: int, rows: int, chance: float) -> float:
    """Chernoff: so many of the rows, each with this chance."""
    share = fitting / max(rows, 1)
    if share <= chance:
        return 1.0
    distance = share * math.log(share / chance)
    if share < 1:
        distance += (1 - share) * math.log((1 - share) / (1 - chance))
    return math.exp(-rows * distance)
