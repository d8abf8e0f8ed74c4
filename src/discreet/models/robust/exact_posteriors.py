"""Posteriors of one group in whole numbers, where floating point is too close to 1/r to decide.

Chances are counts of rows: p = count / support. The supports are in the weight of every world alike and cancel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, prod

MOST_STEPS = 300_000  # about a second

Row = tuple[int, ...]


def deal_exactly(chances: Sequence[Row], people: Sequence[int], values: Sequence[int]) -> list[list[Fraction]] | None:
    """How likely somebody of each signature is to have each value of the group; None if that would take too long.

    Where no world has weight, everything is certain: whatever she believed was wrong, and nothing can be promised.

    >>> deal_exactly([(5, 5), (2, 8)], [2, 2], [2, 2])
    [[Fraction(8, 11), Fraction(3, 11)], [Fraction(3, 11), Fraction(8, 11)]]
    """
    reduced = [_reduced(row) for row in chances]
    together: Counter[Row] = Counter()
    for row, n in zip(reduced, people, strict=True):
        together[row] += n
    kinds, sizes = list(together), list(together.values())
    if len(kinds) == 1:
        alike = [Fraction(c, sum(values)) if p or not c else None for p, c in zip(kinds[0], values, strict=True)]
        posteriors = [[Fraction(1) if None in alike else p or Fraction(0) for p in alike]]
    else:
        of_values = prod(c + 1 for c in values) * len(values)
        of_kinds = prod(n + 1 for n in sizes) * len(kinds)
        if min(of_values, of_kinds) > MOST_STEPS:
            return None
        if of_values <= of_kinds:
            expected, total = _expected(kinds, sizes, values)
        else:
            turned, total = _expected(list(zip(*kinds, strict=True)), values, sizes)
            expected = [list(column) for column in zip(*turned, strict=True)]
        posteriors = [
            [Fraction(e, total * n) if total else Fraction(1) for e in row]
            for row, n in zip(expected, sizes, strict=True)
        ]
    place = {kind: i for i, kind in enumerate(kinds)}
    return [posteriors[place[row]] for row in reduced]


def two_valued_exactly(
    inside: Sequence[int], outside: Sequence[int], people: Sequence[int], m: int
) -> list[Fraction] | None:
    """How likely somebody of each signature is one of the m people in a set, by the chances of "in it" and "not in it".

    >>> two_valued_exactly([100, 3], [900, 997], [1, 1], 1)[0]
    Fraction(997, 1024)
    """
    reduced = [_reduced(pair) for pair in zip(inside, outside, strict=True)]
    together: Counter[Row] = Counter()
    for pair, n in zip(reduced, people, strict=True):
        together[pair] += n
    if len(together) * sum(people) * m > MOST_STEPS:
        return None
    total = _exactly_m(together, m)[m]
    posteriors = {
        pair: Fraction(pair[0] * _exactly_m(together - Counter([pair]), m - 1)[m - 1], total) if total else Fraction(1)
        for pair in together
    }
    return [posteriors[pair] for pair in reduced]


def _reduced(row: Row) -> Row:
    divisor = gcd(*row)
    return tuple(p // divisor for p in row) if divisor > 1 else tuple(row)


def _exactly_m(people: Mapping[Row, int], m: int) -> list[int]:
    """The weight of the worlds in which 0, 1, …, m people are in the set."""
    ways = [1] + [0] * m
    for (inside, outside), n in people.items():
        for _ in range(n):
            ways = [ways[k] * outside + (ways[k - 1] * inside if k else 0) for k in range(m + 1)]
    return ways


def _expected(chances: Sequence[Row], people: Sequence[int], values: Sequence[int]) -> tuple[list[list[int]], int]:
    """As `robust_kernels.dealt`, times the weight of all worlds, which comes second."""
    turn = [j for j, n in enumerate(people) for _ in range(n)]
    strides = [prod(c + 1 for c in values[:v]) for v in range(len(values))]
    total = prod(c + 1 for c in values)
    digits = [[state // stride % (c + 1) for stride, c in zip(strides, values, strict=True)] for state in range(total)]
    done = [sum(d) for d in digits]
    before, after = [0] * total, [0] * total
    before[0] = after[-1] = 1
    for state in range(1, total):
        p = chances[turn[done[state] - 1]]
        before[state] = sum(before[state - s] * p[v] for v, s in enumerate(strides) if digits[state][v])
    expected = [[0] * len(values) for _ in people]
    for state in range(total - 2, -1, -1):
        j = turn[done[state]]
        for v, stride in enumerate(strides):
            if digits[state][v] < values[v]:
                way = chances[j][v] * after[state + stride]
                after[state] += way
                expected[j][v] += before[state] * way
    return expected, before[-1]
