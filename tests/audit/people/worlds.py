"""Small tables of people with several rows, releases of them, and all that may be true of these, one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product

import numpy as np
from hypothesis import strategies as st

from discreet.audit.faults.comparison import Owners
from discreet.audit.people.reach import Reach

Row = tuple[int, str, str]  # a person, a quasi-identifier, a value


@dataclass(frozen=True)
class Released:
    """Rows, the quasi-identifiers that each group's label covers, and the group of each row (None: left out)."""

    rows: tuple[Row, ...]
    labels: tuple[frozenset[str], ...]
    groups: tuple[int | None, ...]

    @property
    def published(self) -> Counter[tuple[int, str]]:
        """All that is told: how often each group has each value."""
        return Counter((g, s) for (_, _, s), g in zip(self.rows, self.groups, strict=True) if g is not None)

    def possible(self) -> list[tuple[int | None, ...]]:
        """Every way to put the rows into groups that gives the same release."""
        fits = [[None, *(g for g, label in enumerate(self.labels) if q in label)] for _, q, _ in self.rows]
        values = [s for _, _, s in self.rows]
        return [
            groups
            for groups in product(*fits)
            if Counter((g, s) for g, s in zip(groups, values, strict=True) if g is not None) == self.published
        ]

    def owners(self, groups: tuple[int | None, ...]) -> dict[int, Counter[int]]:
        """Whose rows each group has, if the rows stand like this."""
        found: dict[int, Counter[int]] = {g: Counter() for g in range(len(self.labels))}
        for (person, _, _), group in zip(self.rows, groups, strict=True):
            if group is not None:
                found[group][person] += 1
        return {g: own for g, own in found.items() if own}

    def having(self, groups: tuple[int | None, ...]) -> dict[tuple[int, str], set[int]]:
        """Who has each value in each group."""
        found: dict[tuple[int, str], set[int]] = {}
        for (person, _, s), group in zip(self.rows, groups, strict=True):
            if group is not None:
                found.setdefault((group, s), set()).add(person)
        return found

    def reach(self) -> tuple[Reach, list[tuple[int, str]]]:
        """What the audit starts from, and the group and value of every unit."""
        kinds, units = self.kinds(), sorted(self.published)
        fits = [[u for u, (g, s) in enumerate(units) if s == value and q in self.labels[g]] for q, value in kinds]
        starts = np.cumsum([0, *map(len, fits)])
        group = np.array([g for g, _ in units], dtype=np.int64)
        names = sorted({s for _, s in units})
        values = np.array([names.index(s) for _, s in units], dtype=np.int64)
        wanted = np.array([self.published[unit] for unit in units], dtype=np.int64)
        edges = np.array([u for units_of in fits for u in units_of], dtype=np.int64)
        return Reach(starts, edges, wanted, group, group, (values,)), units

    def kinds(self) -> list[tuple[str, str]]:
        return sorted({(q, s) for _, q, s in self.rows})

    def table_owners(self) -> tuple[Owners, np.ndarray]:
        """Whose rows of each kind they are, and how many rows of each there are."""
        kinds, people = self.kinds(), sorted({person for person, _, _ in self.rows})
        pairs = Counter((kinds.index((q, s)), people.index(person)) for person, q, s in self.rows)
        kind, person = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
        rows = np.array([pairs[pair] for pair in sorted(pairs)], dtype=np.int64)
        counts = np.bincount(kind, weights=rows, minlength=len(kinds)).astype(np.int64)
        return Owners(kind, person, rows, len(people)), counts


@st.composite
def releases(draw: st.DrawFn, *, most: int = 6, apart: bool = False, whole: bool = False) -> Released:
    """A few rows of fewer people. If `apart`, labels don't overlap; if `whole`, no row is left out."""
    letters = "abcd"
    row = st.tuples(st.integers(0, 2), st.sampled_from(letters), st.sampled_from("xy"))
    rows = tuple(draw(st.lists(row, min_size=1, max_size=most)))
    if apart:
        at = [draw(st.integers(0, 1)) for _ in letters]
        labels = [frozenset(q for q, g in zip(letters, at, strict=True) if g == group) for group in (0, 1)]
    else:
        labels = draw(st.lists(st.frozensets(st.sampled_from(letters), min_size=1), min_size=1, max_size=3))
        labels = list(dict.fromkeys([*labels, *([frozenset(letters)] if whole else [])]))
    groups = []
    for _, q, _ in rows:
        fitting: list[int | None] = [g for g, label in enumerate(labels) if q in label]
        groups.append(draw(st.sampled_from(fitting if whole and fitting else [None, *fitting])))
    return Released(rows, tuple(labels), tuple(groups))


def dealt(values: tuple[str, ...]) -> list[tuple[str, ...]]:
    """All worlds: the values of a group, dealt to its rows in every way."""
    return list(permutations(values))


def has(values: tuple[str, ...], own: int, value: str) -> Fraction:
    """In which share of the worlds the owner of the first `own` rows has a value at least once."""
    worlds = dealt(values)
    return Fraction(sum(value in world[:own] for world in worlds), len(worlds))
