"""Who stands with whom so that everybody keeps his signature: the set of values that his groups have.

A *unit* is one row of each value of a signature. Units with the same signature are put together to groups, so that each
value of a group is equally frequent. People who come again bring their signature; whatever values are then too few of
it, newcomers bring, or the surplus is held back. Newcomers that are left make units of their own.

Xiao & Tao 2007 call the three steps balancing, assignment and split. Where they add counterfeits, rows are held back
here: nothing untrue is published.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet.arrays import BoolArray, IntArray, number_equal
from discreet.search.buckets.nearness import near_units
from discreet.search.buckets.ranks import HELD_BACK, rank_among

Nearer = Callable[[IntArray, IntArray, IntArray, IntArray], IntArray]  # unit, its signature, value, lot → unit
NEW = -1  # has no signature yet
_TRIED = 33  # numbers of units that are tried at once


@dataclass(frozen=True, eq=False)
class Waiting:
    """People with one row each, who want a place: the code of each one's value, and the signature he must stand in.

    ``signatures[wanted]`` are the values of a signature, one flag for each value; `wanted` is NEW for whoever has none.
    Of these, `barred` says who has had others before: ``bars[barred]`` are the values of all of them, which the new one
    must not have; −1 for newcomers.
    """

    value: IntArray
    wanted: IntArray
    barred: IntArray
    signatures: BoolArray  # signature × value
    bars: BoolArray  # former signatures × value

    def __len__(self) -> int:
        return len(self.value)


@dataclass(frozen=True, eq=False)
class Placed:
    """The group of everybody (HELD_BACK: none), and the signature of each group: a place in `signatures`."""

    group: IntArray
    signature: IntArray
    signatures: BoolArray


def newcomers(value: IntArray, values: int) -> Waiting:
    """People of whom nobody was published before."""
    nobody = np.zeros((0, values), dtype=np.bool_)
    new = np.full(len(value), NEW, dtype=np.int64)
    return Waiting(value, new, new, nobody, nobody)


def place(
    people: Waiting, m: int, least: int, near: IntArray, rng: np.random.Generator, *, close: Nearer | None = None
) -> Placed:
    """Groups of at least `least` people with at least m values, each equally frequent; who fits none is held back.

    Who of those with the same value and signature is held back, or stands in which unit, is left to chance alone: in an
    order that others know, such as that of ages, whoever knows the rule could tell the values of a unit apart. `near`
    is a rank of everybody: units of similar people with one signature make a group, and that asks for nobody's value.
    With `close`, people of one signature are put into units of similar people, too (see `near_units`), and then
    exchanged by it.

    >>> rng = np.random.default_rng(1)
    >>> done = place(newcomers(np.array([0, 0, 1, 1, 1, 2]), 3), 2, 2, np.arange(6), rng)
    >>> np.bincount(done.group[done.group >= 0]).tolist(), done.signatures[done.signature].sum(axis=1).tolist()
    ([2, 2, 2], [2, 2, 2])
    """
    lot = rng.permutation(len(people))
    bucket, filled = _balanced(people, m, lot)
    unit = _units(people.value, bucket, lot)
    signatures = people.signatures
    left = np.flatnonzero((people.wanted == NEW) & (people.barred < 0) & (filled == HELD_BACK))
    new, made = _split(people.value[left], signatures.shape[1], m, lot[left])
    number = len(signatures) + new
    bucket[left[new >= 0]] = number[new >= 0]
    signatures, signature = _numbered(np.concatenate([signatures, made]))
    # Units of newcomers are told apart by what they are, those of a signature by their rank in it.
    apart = np.where(bucket >= len(people.signatures), 0, unit)
    key = number_equal([bucket + 1, apart], len(bucket))
    of_key = np.full(int(key.max(initial=-1)) + 1, HELD_BACK, dtype=np.int64)
    stands = bucket != HELD_BACK
    of_key[key[stands]] = signature[bucket[stands]]
    key, of_key, signatures = _with_barred(people, key, stands, of_key, signatures, len(people.signatures), bucket)
    if close is not None:
        key, of_key = near_units(key, of_key, people.value, near, lot)
        key = close(key, of_key, people.value, lot)
    return _grouped(people, key, of_key, signatures, least, near)


def _balanced(people: Waiting, m: int, lot: IntArray) -> tuple[IntArray, IntArray]:
    """The signature that everybody stands in, and of newcomers which one they fill up (HELD_BACK: none)."""
    values = people.signatures.shape[1]
    bucket = np.full(len(people), HELD_BACK, dtype=np.int64)
    if not len(people.signatures):
        return bucket, bucket
    comes = people.wanted != NEW
    free = ~comes & (people.barred < 0)
    supply = np.bincount(people.value[free], minlength=values).astype(np.int64)
    many = np.zeros(people.signatures.shape, dtype=np.int64)
    np.add.at(many, (people.wanted[comes], people.value[comes]), 1)
    taken = np.zeros_like(many)
    units = np.zeros(len(many), dtype=np.int64)
    for s in np.argsort(-many.sum(axis=1), kind="stable").tolist():
        if many[s].any():
            own = np.flatnonzero(people.signatures[s])
            units[s] = _most_units(many[s, own], own, supply, m)
            taken[s, own] = np.maximum(units[s] - many[s, own], 0)
            supply -= taken[s]
    rank = rank_among(people.wanted * values + people.value, lot)
    stays = comes & (rank < units[people.wanted])
    bucket[stays] = people.wanted[stays]
    fills = _shared_out(people.value, free, taken, lot)
    bucket[free] = fills[free]
    return bucket, fills


def _most_units(many: IntArray, own: IntArray, supply: IntArray, m: int) -> int:
    """How many units of a signature let most people be published, newcomers in units of their own among them."""
    low, high = int(many.min()), int((many + supply[own]).min())
    high = min(high, int(many.max()))
    while True:
        tried = np.unique(np.linspace(low, high, _TRIED).round().astype(np.int64))
        left = np.tile(supply, (len(tried), 1))
        left[:, own] -= np.maximum(tried[:, None] - many, 0)
        published = len(own) * tried + _splittable(left, m)[1]
        best = len(tried) - 1 - int(np.argmax(published[::-1]))  # of equally good ones, that with most who come again
        if high - low < _TRIED:
            return int(tried[best])
        low, high = int(tried[max(best - 1, 0)]), int(tried[min(best + 1, len(tried) - 1)])


def _splittable(many: IntArray, m: int) -> tuple[IntArray, IntArray]:
    """Per row of counts by value: into how many units they can be split at most, and how many people these have.

    K units of m values or more take Σ min(n, K) ≥ m · K; the left side is concave, so that it holds up to a largest K.
    The more units, the smaller they are, and the more people find a place.

    >>> _splittable(np.array([[5, 3, 2], [6, 1, 1], [4, 0, 0]]), 2)
    (array([5, 2, 0]), array([10,  4,  0]))
    """
    low, high = np.zeros(len(many), dtype=np.int64), many.sum(axis=1) // m
    while (low < high).any():
        k = (low + high + 1) // 2
        enough = np.minimum(many, k[:, None]).sum(axis=1) >= m * k
        low, high = np.where(enough, k, low), np.where(enough, high, k - 1)
    return low, np.minimum(many, low[:, None]).sum(axis=1)


def _shared_out(value: IntArray, free: BoolArray, taken: IntArray, lot: IntArray) -> IntArray:
    """The signature that each newcomer fills up, if so many of each value are `taken` for each."""
    by_value = taken.T  # value × signature
    ends = np.cumsum(by_value.sum(axis=1))
    slots = np.repeat(np.tile(np.arange(len(taken)), len(by_value)), by_value.reshape(-1))
    rank = rank_among(np.where(free, value, -1), lot)
    fills = np.full(len(value), HELD_BACK, dtype=np.int64)
    wanted = free & (rank < by_value.sum(axis=1)[value])
    fills[wanted] = slots[(ends - by_value.sum(axis=1))[value[wanted]] + rank[wanted]]
    return fills


def _split(value: IntArray, values: int, m: int, lot: IntArray) -> tuple[IntArray, BoolArray]:
    """Units of newcomers, as many as can be: the unit of each (HELD_BACK: none), and the values of each unit.

    Standing in the order of values, they are dealt round and round: whoever has the same value comes to another unit.
    """
    many = np.bincount(value, minlength=values).astype(np.int64)
    units = int(_splittable(many[None, :], m)[0][0])
    unit = np.full(len(value), HELD_BACK, dtype=np.int64)
    stays = np.flatnonzero(rank_among(value, lot) < units)
    frequent = np.argsort(np.argsort(-many, kind="stable"), kind="stable")
    order = stays[np.lexsort((lot[stays], frequent[value[stays]]))]
    unit[order] = np.arange(len(order)) % max(units, 1)
    made = np.zeros((units, values), dtype=np.bool_)
    made[unit[order], value[order]] = True
    return unit, made


def _with_barred(
    people: Waiting,
    key: IntArray,
    stands: BoolArray,
    of_key: IntArray,
    signatures: BoolArray,
    known: int,
    bucket: IntArray,
) -> tuple[IntArray, IntArray, BoolArray]:
    """Add whoever needs another signature than he had to units of newcomers: one to a unit, where his value fits.

    The unit must have none of the values that he could have been thought to have before.
    """
    unit = np.where(stands, key, HELD_BACK)
    new_units = np.unique(key[stands & (bucket >= known)])
    spare = np.zeros(len(of_key), dtype=np.bool_)
    spare[new_units] = True
    waiting = np.flatnonzero((people.wanted == NEW) & (people.barred >= 0))
    kinds = number_equal([people.barred[waiting], people.value[waiting]], len(waiting))
    for kind in range(int(kinds.max(initial=-1)) + 1):
        alike = waiting[kinds == kind]
        value, bars = people.value[alike[0]], people.bars[people.barred[alike[0]]]
        fits = ~signatures[:, value] & ~(signatures & bars).any(axis=1)
        chosen = np.flatnonzero(spare & (of_key >= 0))
        chosen = chosen[fits[of_key[chosen]]][: len(alike)]
        spare[chosen] = False
        unit[alike[: len(chosen)]] = chosen
        wider = signatures[of_key[chosen]]
        wider[:, value] = True
        of_key[chosen] = len(signatures) + np.arange(len(chosen))
        signatures = np.concatenate([signatures, wider])
    signatures, number = _numbered(signatures)
    of_key = np.append(number, HELD_BACK)[of_key]  # HELD_BACK is the last
    return unit, of_key, signatures


def _numbered(signatures: BoolArray) -> tuple[BoolArray, IntArray]:
    """Each set of values once, those that stand first first, and the new number of each."""
    number = number_equal(list(signatures.T), len(signatures))
    first = np.unique(number, return_index=True)[1]
    order = np.argsort(first)
    place_of = np.empty(len(order), dtype=np.int64)
    place_of[order] = np.arange(len(order))
    return signatures[first[order]], place_of[number]


def _grouped(
    people: Waiting, unit: IntArray, of_unit: IntArray, signatures: BoolArray, least: int, near: IntArray
) -> Placed:
    """Units with the same signature together, so that groups have `least` people; where there are too few, none."""
    group = np.full(len(people), HELD_BACK, dtype=np.int64)
    stands = np.flatnonzero(unit != HELD_BACK)
    if not len(stands):
        return Placed(group, np.zeros(0, dtype=np.int64), signatures)
    sums = np.bincount(unit[stands], weights=near[stands], minlength=len(of_unit))
    mean = sums / np.maximum(np.bincount(unit[stands], minlength=len(of_unit)), 1)
    used = np.unique(unit[stands])
    signature = of_unit[used]
    rank = rank_among(signature, np.argsort(np.argsort(mean[used], kind="stable"), kind="stable"))
    together = np.maximum(-(-least // np.maximum(signatures.sum(axis=1), 1)), 1)[signature]
    many = np.bincount(signature, minlength=len(signatures))[signature] // together
    number = np.where(many > 0, np.minimum(rank // together, many - 1), HELD_BACK)
    kept = number >= 0
    pairs, of_pair = np.unique(np.stack([signature[kept], number[kept]], axis=1), axis=0, return_inverse=True)
    of_used = np.full(len(of_unit), HELD_BACK, dtype=np.int64)
    of_used[used[kept]] = of_pair.reshape(-1)
    group[stands] = of_used[unit[stands]]
    return Placed(group, pairs[:, 0] if len(pairs) else np.zeros(0, dtype=np.int64), signatures)


def _units(value: IntArray, bucket: IntArray, lot: IntArray) -> IntArray:
    """The unit of everybody in his signature: the first of each value together, the second, and so on, by lot."""
    return rank_among(number_equal([bucket + 1, value], len(value)), lot)
