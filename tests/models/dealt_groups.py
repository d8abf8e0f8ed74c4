"""Groups drawn at random for tests of posteriors, and the slowest way to say how their values may be dealt out."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
from hypothesis import strategies as st

from discreet.arrays import FloatArray, IntArray
from discreet.models.robust.exact_posteriors import deal_exactly

Group = tuple[IntArray, IntArray, IntArray]  # chances in whole numbers, people of each signature, how often each value


@st.composite
def groups(draw: st.DrawFn, most_people: int = 7) -> Group:
    """Up to four signatures and values; some chances are 0, some far apart."""
    size = draw(st.integers(2, most_people))
    people = np.array(cut(draw, size, draw(st.integers(1, min(4, size)))))
    values = np.array(cut(draw, size, draw(st.integers(1, min(4, size)))))
    chance = st.sampled_from([0, 1, 1, 2, 3, 7, 100, 10_000])
    rows = st.lists(chance, min_size=len(values), max_size=len(values))
    chances = np.array(draw(st.lists(rows, min_size=len(people), max_size=len(people))))
    return chances, people, values


def cut(draw: st.DrawFn, size: int, parts: int) -> list[int]:
    ends = sorted(draw(st.lists(st.integers(1, size - 1), min_size=parts - 1, max_size=parts - 1, unique=True)))
    return [b - a for a, b in zip([0, *ends], [*ends, size], strict=True)]


def exactly(group: Group) -> list[list[Fraction]]:
    chances, people, values = group
    found = deal_exactly([tuple(row) for row in chances.tolist()], people.tolist(), values.tolist())
    assert found is not None
    return found


def scaled(chances: IntArray) -> FloatArray:
    return chances / np.maximum(chances.sum(axis=1, keepdims=True), 1)


def is_dealable(group: Group) -> bool:
    """Tries all ways to deal the values out."""
    chances, people, values = group
    persons = [j for j, n in enumerate(people) for _ in range(n)]
    dealt = [v for v, n in enumerate(values) for _ in range(n)]
    return any(all(chances[j, v] for j, v in zip(persons, p, strict=True)) for p in set(permutations(dealt)))
