"""The compiled greedy of ambiguity: groups of rows that differ as much as they must, and room for those left over."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.compiled import inner, kernel
from discreet.search.ambiguity.neighbourhood_kernels import Neighbourhoods

_EXACT = float(1 << 53)  # whole numbers below are exact as floating point
_RARE = 0.1  # what a row's rarity counts, beside how unevenly its values would spread over the group
NEAR = 64  # groups looked at for a row left over, before more distant ones


class Rows(NamedTuple):
    """Combinations of the frequency set: their codes in each table, their sensitive values, how rare their codes are.

    `start` makes the codes of different tables different: table t has the numbers from ``start[t]`` on.
    """

    codes: Codes  # a row per combination, a column per table
    start: IntArray
    values: Codes
    rarity: FloatArray


class Limits(NamedTuple):
    """What groups must be: (α, β)-private, of at least `least` and at most `most` rows; about `size` will do.

    With `apart`, the chances of all groups of a neighbourhood are to add up to α: each must hide `beside` rows, if it
    has fewer, which are `apart` times those of its neighbourhood. At 1 they can't be more than α in it, as no group has
    more than n / (R / α) and all n together are R; where groups don't all cover the same people, less will do.
    """

    alpha: tuple[float, float]  # numerator and denominator
    beta: tuple[float, float]
    least: int
    size: int
    most: int
    candidates: int
    apart: float
    beside: float


class Pool(NamedTuple):
    """Rows that wait for a group, and where in there those of each neighbourhood (and of its halves) start."""

    row: Codes
    bottom: IntArray


class Made(NamedTuple):
    """The groups so far: the combination and group of each row in them; each row's predecessor in its group."""

    row: Codes
    group: Codes
    before: IntArray  # −1: it is the first
    last: IntArray  # per group
    sizes: IntArray
    beside: FloatArray  # per group, how many rows it must hide, if it has fewer
    done: IntArray  # how many rows, how many groups


class Stock(NamedTuple):
    """Rows that are in no group yet, by sensitive value: value v has the `left[v]` ones from ``start[v]`` on of `row`.

    `order` has the values, fullest first, and `rank` the place of each in it; `at_least[c]` values have c rows or more.
    """

    row: Codes
    start: IntArray
    left: IntArray
    order: IntArray
    rank: IntArray
    at_least: IntArray


class Space(NamedTuple):
    """Scratch. `stamp` says in which group a code was seen last, `times` how often.

    `near` and `wide`: the groups of a combination's neighbourhood are the `wide` ones from `near` on.
    """

    stamp: IntArray
    times: IntArray
    clock: IntArray
    distinct: IntArray  # per table, of the group at hand
    squares: IntArray  # per table, the sum of the squares of `times`
    per_value: IntArray
    values: IntArray
    member: Codes
    chosen: IntArray
    near: Codes
    wide: Codes
    looked: IntArray  # how many rows of groups were looked at to place others
    random: NDArray[np.uint64]


def empty(people: int, rows: Rows, limits: Limits, seed: int) -> tuple[Made, Space]:
    """No group yet, and room for groups of so many people."""
    codes, tables = int(rows.codes.max(axis=0).sum()) + rows.codes.shape[1], rows.codes.shape[1]
    largest = max(limits.most, NEAR)
    made = Made(
        row=np.empty(people, dtype=np.int32),
        group=np.empty(people, dtype=np.int32),
        before=np.empty(people, dtype=np.int64),
        last=np.full(people // limits.least + 1, -1, dtype=np.int64),
        sizes=np.zeros(people // limits.least + 1, dtype=np.int64),
        beside=np.zeros(people // limits.least + 1, dtype=np.float64),
        done=np.zeros(2, dtype=np.int64),
    )
    values = int(rows.values.max()) + 1
    space = Space(
        stamp=np.zeros(codes, dtype=np.int64),
        times=np.zeros(codes, dtype=np.int64),
        clock=np.zeros(1, dtype=np.int64),
        distinct=np.zeros(tables, dtype=np.int64),
        squares=np.zeros(tables, dtype=np.int64),
        per_value=np.zeros(values, dtype=np.int64),
        values=np.empty(values, dtype=np.int64),
        member=np.empty(largest, dtype=np.int32),
        chosen=np.empty(largest, dtype=np.int64),
        near=np.zeros(len(rows.codes), dtype=np.int32),
        wide=np.zeros(len(rows.codes), dtype=np.int32),
        looked=np.zeros(1, dtype=np.int64),
        random=np.array([seed], dtype=np.uint64),
    )
    return made, space


@inner
def draw(random: NDArray[np.uint64], below: int) -> int:
    """A random number (splitmix64)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    z = random[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) % np.uint64(below))  # type: ignore[return-value]


@inner
def at_most(left: float, right: float) -> bool:
    """Is left ≤ right, on the safe side where the numbers are too long to be exact?"""
    if left < _EXACT and right < _EXACT:
        return left <= right
    return left <= right * (1 - 1e-9)


@inner
def hides(n: int, beside: float, product: float, limits: Limits) -> bool:
    """Is the presence at most α in a group of n rows that stands for so many combinations?"""
    return bool(at_most(max(float(n), beside) * limits.alpha[1], limits.alpha[0] * product))


@inner
def _within(limits: Limits, rows: int) -> Limits:
    """The limits for groups of a neighbourhood of so many rows."""
    beside = limits.apart * rows
    return Limits(
        limits.alpha, limits.beta, limits.least, limits.size, limits.most, limits.candidates, limits.apart, beside
    )


@kernel(plain=lambda half: 10 * len(half))
def in_order(half: IntArray) -> IntArray:
    """Neighbourhoods such that every one comes after its halves, and right after the later one."""
    order = np.empty(len(half), dtype=np.int64)
    waiting = [0]
    place = len(half)
    while len(waiting):  # a neighbourhood before its halves, written from the back
        i = waiting.pop()
        place -= 1
        order[place] = i
        if half[i] >= 0:
            waiting.append(half[i])
            waiting.append(half[i] + 1)
    return order


@kernel
def gather_all(
    order: IntArray, cut: Neighbourhoods, pool: Pool, waiting: int, rows: Rows, limits: Limits, made: Made, space: Space
) -> int:
    """Make groups of each neighbourhood in turn; what is left over waits in the pool for the next larger one.

    Returns how many rows wait.
    """
    half, bottom = cut.half, pool.bottom
    for i in order:
        if half[i] >= 0:
            bottom[i] = bottom[half[i]]
        else:
            bottom[i] = waiting
            for p in range(cut.begin[i], cut.end[i]):
                pool.row[waiting] = cut.row[p]
                waiting += 1
        first = made.done[1]
        here = _within(limits, cut.end[i] - cut.begin[i])
        waiting = bottom[i] + gather(pool.row[bottom[i] : waiting], rows, here, made, space)
        if half[i] < 0:
            for p in range(bottom[i], waiting):
                space.near[pool.row[p]] = first
                space.wide[pool.row[p]] = made.done[1] - first
    return waiting


@kernel
def gather(pool: Codes, rows: Rows, limits: Limits, made: Made, space: Space) -> int:
    """Make groups of some rows, one after the other, of the fullest sensitive values; the rest comes first in `pool`.

    A group takes one row of each value, fullest first, then a second one of each that has two, and so on, until it is
    (α, β)-private. Values and their rows are kept so that each step takes the time of looking at its candidates.
    """
    stock = _stock(pool, rows, space)
    order, rank, left, at_least = stock.order, stock.rank, stock.left, stock.at_least
    kept = 0
    while at_least[1] and at_most(limits.beta[1], limits.beta[0] * at_least[1]):
        n, private = _grow(stock, rows, limits, space)
        for i in range(n):
            if private:
                add(made, made.done[1], space.member[i])
            else:
                pool[kept] = space.member[i]
                kept += 1
            v = space.chosen[i]
            last = at_least[left[v]] - 1  # v and the last value of as many rows change places, then v has one less
            _exchange(order, rank, rank[v], last)
            at_least[left[v]] -= 1
            left[v] -= 1
        if private:
            made.beside[made.done[1]] = limits.beside
            made.done[1] += 1
    for v in range(len(left)):
        for p in range(stock.start[v], stock.start[v] + left[v]):
            pool[kept] = stock.row[p]
            kept += 1
    return kept


@inner
def _stock(pool: Codes, rows: Rows, space: Space) -> Stock:
    """Some rows by their sensitive values, which are numbered anew."""
    many = 0
    for e in pool:
        value = rows.values[e]
        if space.per_value[value] == 0:
            space.values[many] = value
            many += 1
        space.per_value[value] += 1
    left, start, fullest = np.empty(many, dtype=np.int64), np.zeros(many + 1, dtype=np.int64), 0
    for v in range(many):
        left[v] = space.per_value[space.values[v]]
        start[v + 1] = start[v] + left[v]
        space.per_value[space.values[v]] = v
        fullest = max(fullest, left[v])
    row = np.empty(len(pool), dtype=np.int32)
    place = start[:-1].copy()
    for e in pool:
        v = space.per_value[rows.values[e]]
        row[place[v]] = e
        place[v] += 1
    at_least = np.zeros(fullest + 2, dtype=np.int64)
    for v in range(many):
        space.per_value[space.values[v]] = 0
        at_least[left[v]] += 1
    for c in range(fullest, 0, -1):
        at_least[c - 1] += at_least[c]
    fuller = at_least[1:].copy()
    order, rank = np.empty(many, dtype=np.int64), np.empty(many, dtype=np.int64)
    for v in range(many):
        rank[v] = fuller[left[v]]
        order[rank[v]] = v
        fuller[left[v]] += 1
    return Stock(row, start, left, order, rank, at_least)


@inner
def _exchange(order: IntArray, rank: IntArray, i: int, j: int) -> None:
    """Two values of equally many rows change places."""
    v, other = order[i], order[j]
    order[i], rank[other] = other, i
    order[j], rank[v] = v, j


@inner
def add(made: Made, group: int, e: int) -> None:
    """Put a row into a group."""
    at = made.done[0]
    made.row[at] = e
    made.group[at] = group
    made.before[at] = made.last[group]
    made.last[group] = at
    made.sizes[group] += 1
    made.done[0] += 1


@inner
def _grow(stock: Stock, rows: Rows, limits: Limits, space: Space) -> tuple[int, bool]:
    """One group: its rows in `space.member`, their values in `space.chosen`. How many, and are they private?"""
    space.clock[0] += 1
    space.distinct[:] = 0
    space.squares[:] = 0
    zero = int(np.int64(0))  # no literal: numba would compile `_pick` for that, and again for all numbers
    n, times, j, product = zero, zero + 1, zero, 1.0
    while n < limits.most:
        if j == stock.at_least[times]:
            times, j = times + 1, zero
            if times == len(stock.at_least) or stock.at_least[times] == 0:
                return n, False
        i, p = _pick(stock, j, times, n, product, rows, limits, space)
        _exchange(stock.order, stock.rank, i, j)
        v = stock.order[j]
        last = stock.start[v] + stock.left[v] - times  # rows of v taken before are behind it
        stock.row[p], stock.row[last] = stock.row[last], stock.row[p]
        space.member[n], space.chosen[n] = stock.row[last], v
        product = take_in(stock.row[last], rows, space)
        n, j = n + 1, j + 1
        if (
            n >= limits.least
            and at_most(times * limits.beta[1], limits.beta[0] * n)
            and hides(n, limits.beside, product, limits)
        ):
            return n, True
    return n, False


@inner
def take_in(e: int, rows: Rows, space: Space) -> float:
    """Count the codes of one more row of the group at hand; returns how many combinations it then stands for."""
    product = 1.0
    for t in range(len(rows.start)):
        code = rows.start[t] + rows.codes[e, t]
        if space.stamp[code] != space.clock[0]:
            space.stamp[code] = space.clock[0]
            space.times[code] = 0
            space.distinct[t] += 1
        space.squares[t] += 2 * space.times[code] + 1
        space.times[code] += 1
        product *= space.distinct[t]
    return product


@inner
def _pick(
    stock: Stock, j: int, times: int, n: int, product: float, rows: Rows, limits: Limits, space: Space
) -> tuple[int, int]:
    """Which row of the j-th value, or of one as full, to take: one with enough new codes, and not more than that.

    Wang's pick takes the row that covers most. That uses up the rare values early, and a reader who sees two values in
    a group takes them for equally frequent, though one of them is everybody else's. So of the rows that bring what is
    needed by now, if the group is to be private at `size` rows, we take the one that leaves the codes most evenly
    spread (least Σ m · Σ times² / n² over tables) and is least rare. If none brings it, the one that covers most.
    Returns the place of its value in `stock.order`, and its own in `stock.row`.
    """
    needed = 0.0
    if n:  # by how much combinations must grow until `size`, and this row's part in it if all tables grow like n
        size = max(limits.size, n + 1)
        still = math.log(max(float(size), limits.beside) * limits.alpha[1] / limits.alpha[0]) - math.log(product)
        needed = math.exp(still * math.log((n + 1) / n) / math.log(size / n)) * (1 - 1e-9)
    many = stock.left[stock.order[j]] - times + 1
    equals = stock.at_least[stock.left[stock.order[j]]] - j
    first = draw(space.random, equals) if equals > 1 else 0
    looked_at, best, best_at, best_gain, best_cost = 0, -1, -1, -1.0, np.inf
    for k in range(equals):
        if looked_at == limits.candidates:
            break
        i = j + (first + k) % equals
        tried = min(limits.candidates - looked_at, many)
        offset = draw(space.random, many) if many > tried else 0
        looked_at += tried
        for q in range(tried):
            p = stock.start[stock.order[i]] + (offset + q) % many
            gain, cost = _worth(stock.row[p], n, rows, space)
            if gain >= needed:
                better = best_gain < needed or cost < best_cost
            else:
                better = best_gain < needed and (gain > best_gain or (gain == best_gain and cost < best_cost))
            if better:
                best, best_at, best_gain, best_cost = p, i, gain, cost
    return best_at, best


@inner
def _worth(e: int, n: int, rows: Rows, space: Space) -> tuple[float, float]:
    """By which factor a row makes the combinations of the group at hand more, and what it costs."""
    gain, cost = 1.0, _RARE * rows.rarity[e]
    for t in range(len(rows.start)):
        code, m = rows.start[t] + rows.codes[e, t], space.distinct[t]
        if space.stamp[code] != space.clock[0]:
            gain *= (m + 1) / m if n else 1.0
            cost += (m + 1) * (space.squares[t] + 1) / (n + 1.0) ** 2
        else:
            cost += m * (space.squares[t] + 2 * space.times[code] + 1) / (n + 1.0) ** 2
    return gain, cost
