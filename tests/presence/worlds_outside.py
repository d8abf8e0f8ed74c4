"""Everything that people outside of a table could be, given their marginals: slow, simple, exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import comb

Box = Sequence[tuple[int, int]]  # per attribute, the first and the last leaf


def chain(factors: Sequence[int], people: int) -> dict[int, Fraction]:
    """How many people fit all attributes: Nergiz & Clifton 2008, §4.2, attribute by attribute in the order given."""
    return dict(_chain(tuple(factors), people))


@lru_cache(4096)
def _chain(factors: tuple[int, ...], people: int) -> dict[int, Fraction]:
    found = {factors[0]: Fraction(1)}
    for marked in factors[1:]:
        after: Counter[int] = Counter()
        for y, p in found.items():
            for x in range(max(0, y + marked - people), min(y, marked) + 1):
                after[x] += p * Fraction(comb(marked, x) * comb(people - marked, y - x), comb(people, y))
        found = dict(after)
    return found


def by_counting(factors: Sequence[int], people: int) -> dict[int, Fraction]:
    """The same, by looking at every way in which so many people can have each value."""
    ways = [list(combinations(range(people), f)) for f in factors]
    found = Counter(len(set.intersection(*map(set, chosen))) for chosen in product(*ways))
    return {x: Fraction(n, sum(found.values())) for x, n in found.items()}


def within(distribution: dict[int, Fraction], low: int, high: int) -> Fraction:
    return sum((p for x, p in distribution.items() if low <= x <= high), Fraction(0))


def confidence(rows: int, factors: Sequence[int], people: int, delta: tuple[Fraction, Fraction]) -> Fraction:
    """Definition 8: the probability that a group of so many rows is δ-present."""
    least, most = delta
    return sum((p for x, p in chain(factors, people).items() if least <= Fraction(rows, rows + x) <= most), Fraction(0))


def worlds(marginals: Sequence[Sequence[int]]) -> Iterator[list[tuple[int, ...]]]:
    """Every table of people with these counts per attribute and leaf, each as likely as any other."""
    columns = [list(_orders(list(counts))) for counts in marginals]
    for chosen in product(*columns):
        yield list(zip(*chosen, strict=True))


def inside(person: Sequence[int], box: Box) -> bool:
    return all(first <= leaf <= last for leaf, (first, last) in zip(person, box, strict=True))


def _orders(counts: list[int]) -> Iterator[list[int]]:
    if not any(counts):
        yield []
    for leaf, count in enumerate(counts):
        if count:
            rest = [c - (i == leaf) for i, c in enumerate(counts)]
            yield from ([leaf, *order] for order in _orders(rest))
