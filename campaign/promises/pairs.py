"""How sure a publisher is who knows how many people have each two values: all worlds with these counts, in fractions.

For up to three columns. Two that were counted together leave nothing open. Of three, the two pairs that tell most are
known; then for each value of the column that both have, those who fit the one and those who fit the other are drawn
from all with that value, independently of each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb, log
from typing import Any

Person = tuple[Any, ...]
Chances = dict[int, Fraction]


def listed(people: Sequence[Person], names: Sequence[str]) -> list[dict[str, Any]]:
    """Every two columns of some people, counted, in the words of a policy."""
    return [
        {
            "columns": [names[i], names[j]],
            "counts": [[*both, n] for both, n in sorted(Counter((p[i], p[j]) for p in people).items(), key=str)],
        }
        for i, j in combinations(range(len(names)), 2)
    ]


def confidence(
    about: Mapping[str, Any],
    outside: Mapping[tuple[str, str], Counter[tuple[Any, Any]]],
    alone: Mapping[str, Counter[Any]],
    fits: Mapping[str, set[Any]],
    room: tuple[int, int | None],
) -> Fraction:
    """The probability that the number of people outside who fit is one that there is room for."""
    chances = _distribution(_edges(about), outside, alone, fits)
    low, high = room
    return sum((p for n, p in chances.items() if n >= low and (high is None or n <= high)), Fraction(0))


def _edges(about: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The tree of those pairs that tell most about each other, among everybody; in the order of the columns."""
    order = list(about["marginals"])
    told = {}
    for table in about["pairs"]:
        i, j = sorted(map(order.index, table["columns"]))
        both = Counter(
            {(tuple(c[:2]) if table["columns"][0] == order[i] else (c[1], c[0])): c[2] for c in table["counts"]}
        )
        size = sum(both.values())
        one, other = Counter[Any](), Counter[Any]()
        for (a, b), n in both.items():
            one[a] += n
            other[b] += n
        told[i, j] = round(sum(n / size * log(n * size / (one[a] * other[b])) for (a, b), n in both.items() if n), 9)
    best = sorted((pair for pair in told if told[pair] > 0), key=lambda pair: (-told[pair], pair))
    return [(order[i], order[j]) for i, j in best[: len(order) - 1]]


def _distribution(
    edges: Sequence[tuple[str, str]],
    outside: Mapping[tuple[str, str], Counter[tuple[Any, Any]]],
    alone: Mapping[str, Counter[Any]],
    fits: Mapping[str, set[Any]],
) -> Chances:
    names, size = list(alone), sum(next(iter(alone.values())).values())
    fitting = {name: sum(n for v, n in alone[name].items() if v in fits[name]) for name in names}
    if len(edges) == 2:
        [middle] = set(edges[0]) & set(edges[1])
        sides = [next(v for v in edge if v != middle) for edge in edges]
        chances: Chances = {0: Fraction(1)}
        for value, many in alone[middle].items():
            if value in fits[middle] and many:
                drawn = [_beside(outside, middle, value, side, fits[side]) for side in sides]
                chances = _added(chances, _common(drawn[0], drawn[1], many))
        return chances
    found: Chances = {size: Fraction(1)}
    left = set(names)
    for one, other in edges:
        both = sum(n for (a, b), n in outside[one, other].items() if a in fits[one] and b in fits[other])
        found, left = _thinned(found, both, size), left - {one, other}
    for name in sorted(left):
        found = _thinned(found, fitting[name], size)
    return found


def _beside(
    outside: Mapping[tuple[str, str], Counter[tuple[Any, Any]]], middle: str, value: Any, side: str, fits: set[Any]
) -> int:
    """How many of those with a value of the middle column fit another one."""
    counted = outside.get((middle, side))
    if counted is not None:
        return sum(n for (a, b), n in counted.items() if a == value and b in fits)
    return sum(n for (a, b), n in outside[side, middle].items() if b == value and a in fits)


def _common(one: int, other: int, of: int) -> Chances:
    return {
        n: Fraction(comb(one, n) * comb(of - one, other - n), comb(of, other))
        for n in range(max(0, one + other - of), min(one, other) + 1)
    }


def _thinned(chances: Chances, marked: int, size: int) -> Chances:
    found: Chances = {}
    for many, chance in chances.items():
        for n, p in _common(many, marked, size).items():
            found[n] = found.get(n, Fraction(0)) + chance * p
    return found


def _added(one: Chances, other: Chances) -> Chances:
    found: Chances = {}
    for a, p in one.items():
        for b, q in other.items():
            found[a + b] = found.get(a + b, Fraction(0)) + p * q
    return found
