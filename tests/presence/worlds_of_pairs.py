"""Everything that people outside of a table could be, given how many have two values at once along a tree: slow, exact.

A world says what values each of so many named people has. All that have the counts are equally likely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

from tests.presence.worlds_outside import Box, inside

Person = tuple[int, ...]
Counts = Mapping[tuple[int, int], Mapping[tuple[int, int], int]]


def people_by_pair(people: Sequence[Person], edges: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Counter]:
    """What would be counted of these people."""
    return {(i, j): Counter((p[i], p[j]) for p in people) for i, j in edges}


def worlds(people: Sequence[Person], edges: Sequence[tuple[int, int]]) -> Iterator[list[Person]]:
    """Every list of people of whom the same is counted, one attribute at a time and along the edges."""
    attributes = range(len(people[0]))
    asked = people_by_pair(people, edges)
    alone = [Counter(p[i] for p in people) for i in attributes]
    columns = [set(_orders(counts, len(people))) for counts in alone]
    for chosen in product(*columns):
        world = list(zip(*chosen, strict=True))
        if people_by_pair(world, edges) == asked:
            yield world


def distribution(people: Sequence[Person], edges: Sequence[tuple[int, int]], box: Box) -> dict[int, Fraction]:
    """How many are in a box, over all worlds."""
    found = Counter(sum(inside(p, box) for p in world) for world in worlds(people, edges))
    return {n: Fraction(many, sum(found.values())) for n, many in found.items()}


def expected(people: Sequence[Person], edges: Sequence[tuple[int, int]], box: Box) -> Fraction:
    """The mean of it, over all combinations of values: each attribute by its neighbour towards the root."""
    leaves = [sorted({p[i] for p in people}) for i in range(len(people[0]))]
    total = Fraction(0)
    for values in product(*leaves):
        if not inside(values, box):
            continue
        chance = Fraction(1)
        seen: set[int] = set()
        for root in range(len(leaves)):
            if root in seen:
                continue
            chance *= Fraction(sum(p[root] == values[root] for p in people), len(people))
            waiting, seen = [root], seen | {root}
            while waiting:
                at = waiting.pop()
                alike = [p for p in people if p[at] == values[at]]
                for i, j in edges:
                    to = j if i == at else i if j == at else -1
                    if to >= 0 and to not in seen:
                        chance *= Fraction(sum(p[to] == values[to] for p in alike), len(alike)) if alike else 0
                        seen.add(to)
                        waiting.append(to)
        total += chance
    return total * len(people)


def _orders(counts: Counter, many: int) -> Iterator[tuple[int, ...]]:
    if not many:
        yield ()
    for leaf in [leaf for leaf, count in counts.items() if count]:
        rest = counts.copy()
        rest[leaf] -= 1
        yield from ((leaf, *order) for order in _orders(rest, many - 1))
