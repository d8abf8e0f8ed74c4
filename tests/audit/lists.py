"""Small generalized releases beside lists of people, as plain Python: groups of labels with their rows, and people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.labels import Anything, Between, Exactly, Label, OneOf, covers
from discreet.audit.reading.view import Promise, Region, ReleaseView
from discreet.engines.base import Frequencies

Person = tuple[str | None, ...]


@dataclass(frozen=True)
class Case:
    """A release of groups (a label per column, and how many rows), and everybody who may be in it."""

    groups: tuple[tuple[tuple[Label, ...], int], ...]
    people: tuple[Person, ...]
    starred: int = 0
    left_out: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"q{i}" for i in range(len(self.people[0])))

    @property
    def population(self) -> Population:
        return listed(self.people)

    @property
    def fitting(self) -> list[tuple[list[int], int]]:
        """Per group, whom it covers (by their place on the list), and its rows."""
        return [([i for i, p in enumerate(self.people) if fits(labels, p)], rows) for labels, rows in self.groups]

    def view(self, promises: Sequence[Promise] = ()) -> ReleaseView:
        regions = []
        for i, column in enumerate(self.columns):
            labels = tuple(dict.fromkeys(group[i] for group, _ in self.groups))
            code = np.array([labels.index(group[i]) for group, _ in self.groups], dtype=np.int64)
            regions.append(Region(column, labels, code))
        return ReleaseView(
            "generalization",
            self.columns,
            np.array([rows for _, rows in self.groups], dtype=np.int64),
            (),
            tuple(regions),
            starred=self.starred,
            left_out=self.left_out,
            promises=tuple(promises),
            first_line=np.arange(2, 2 + len(self.groups)),
        )


def fits(labels: Sequence[Label], person: Person) -> bool:
    return all(covers(label, [value])[0] for label, value in zip(labels, person, strict=True))


def listed(people: Sequence[Person]) -> Population:
    """A list as an engine would count it, in the order in which values first come."""
    counted = Counter(people)
    columns = list(zip(*counted, strict=True))
    values = [tuple(dict.fromkeys(column)) for column in columns]
    codes = [
        np.array([v.index(value) for value in column], dtype=np.int32)
        for v, column in zip(values, columns, strict=True)
    ]
    counts = np.array(list(counted.values()), dtype=np.int64)
    return Population(tuple(f"q{i}" for i in range(len(columns))), Frequencies(tuple(values), tuple(codes), counts))


VALUES = ["0", "1", "2", "3", None]
LABELS = st.one_of(
    st.just(Anything()),
    st.sampled_from(VALUES).map(Exactly),
    st.frozensets(st.sampled_from(VALUES), min_size=1, max_size=3).map(OneOf),
    st.tuples(st.integers(0, 3), st.integers(0, 3)).map(lambda ends: Between(min(ends), max(ends))),
)


@st.composite
def cases(draw, most_groups: int = 3, most_people: int = 6, filled: bool = True) -> Case:
    """Few people, some of whom fit several groups. If `filled`, the rows of every group are really somebody's."""
    width = draw(st.integers(1, 2))
    people = draw(st.lists(st.tuples(*[st.sampled_from(VALUES)] * width), min_size=1, max_size=most_people).map(tuple))
    number = draw(st.integers(1, most_groups))
    groups: dict[tuple[Label, ...], int] = {}
    if not filled:
        for _ in range(number):
            groups[draw(st.tuples(*[LABELS] * width))] = draw(st.integers(1, 3))
        return Case(tuple(groups.items()), people)
    inside = draw(st.lists(st.sampled_from(range(len(people))), min_size=1, max_size=4, unique=True))
    for i in inside:
        known = [labels for labels in groups if fits(labels, people[i])]
        if known and draw(st.booleans()):
            labels = draw(st.sampled_from(known))
        else:
            labels = tuple(draw(LABELS.filter(lambda label, v=value: covers(label, [v])[0])) for value in people[i])
        groups[labels] = groups.get(labels, 0) + 1
    return Case(tuple(groups.items()), people)
