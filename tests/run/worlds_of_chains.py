"""All worlds that are consistent with a few small releases: who has had which value.

A release is a list of groups: who stands in each, and its values. Nothing of the package is used here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

Name = str
Value = str


class Group(NamedTuple):
    """Who stands in it, and its values; there may be more values than people."""

    people: tuple[Name, ...]
    values: tuple[Value, ...]


Release = Sequence[Group]
World = Mapping[tuple[Name, frozenset[Value]], Value]  # the value of everybody while he stands in a signature


def worlds(releases: Sequence[Release]) -> Iterator[World]:
    """Every way to give each person a value for each signature, so that all groups have their values."""
    places = sorted(
        {(name, frozenset(g.values)) for release in releases for g in release for name in g.people},
        key=lambda place: (place[0], sorted(place[1])),
    )
    for values in product(*(sorted(signature) for _, signature in places)):
        world = dict(zip(places, values, strict=True))
        if all(_fits(group, world) for release in releases for group in release):
            yield world


def _fits(group: Group, world: World) -> bool:
    own = Counter(world[name, frozenset(group.values)] for name in group.people)
    return own <= Counter(group.values)


def surest(releases: Sequence[Release]) -> Fraction:
    """The largest share of the worlds in which somebody has a certain value at any time."""
    every = list(worlds(releases))
    assert every, "what was published is a world"
    had: Counter[tuple[Name, Value]] = Counter()
    for world in every:
        had.update({(name, value) for (name, _), value in world.items()})
    return Fraction(max(had.values(), default=0), len(every))


Listed = Mapping[Name, str]  # who was in the table, by the quasi-identifiers of each
Shown = Sequence[tuple[Sequence[str], Sequence[Value]]]  # quasi-identifiers, or labels, and values of each group


def surest_by_the_rule(lists: Sequence[Listed], shown: Sequence[Shown]) -> Fraction:
    """The largest share where quasi-identifiers leave open who stands where, or who is held back.

    Worlds are places and values together; in each, everybody keeps the signature or has another without a common value.
    """
    had: Counter[tuple[Name, Value]] = Counter()
    total = 0
    for placed in product(*(list(_placements(*one)) for one in zip(lists, shown, strict=True))):
        if not _keeps_the_rule(placed):
            continue
        for world in worlds(placed):
            total += 1
            had.update({(name, value) for (name, _), value in world.items()})
    return Fraction(max(had.values(), default=0), max(total, 1))


def _placements(listed: Listed, shown: Shown) -> Iterator[list[Group]]:
    """All ways to put people into the rows of a release that have their quasi-identifiers."""

    def fill(rows: list[tuple[int, str]], left: frozenset[Name]) -> Iterator[list[tuple[int, Name]]]:
        if not rows:
            yield []
            return
        (group, own), *rest = rows
        for name in sorted(name for name in left if holds(own, listed[name])):
            for more in fill(rest, left - {name}):
                yield [(group, name), *more]

    rows = [(g, own) for g, (people, _) in enumerate(shown) for own in people]
    told = {tuple(sorted(places)) for places in fill(rows, frozenset(listed))}
    for places in sorted(told):
        yield [
            Group(tuple(name for at, name in places if at == g), tuple(values)) for g, (_, values) in enumerate(shown)
        ]


def holds(label: str, value: str) -> bool:
    """Is it the value, or a range of numbers that holds it?"""
    first, _, last = label.partition("-")
    return label in (value, "*") or (last != "" and int(first) <= int(value) <= int(last))


def _keeps_the_rule(releases: Sequence[Release]) -> bool:
    own: dict[Name, set[frozenset[Value]]] = {}
    for release in releases:
        for group in release:
            for name in group.people:
                own.setdefault(name, set()).add(frozenset(group.values))
    return all(sum(map(len, sets)) == len(frozenset().union(*sets)) for sets in own.values())


def surest_if_it_stays(releases: Sequence[Release]) -> Fraction:
    """The same for whoever takes it that everybody has one value for good, and knows of no rule."""
    had: Counter[tuple[Name, Value]] = Counter()
    total = 0
    for world in _worlds_that_stay(releases):
        total += 1
        had.update(world.items())
    return Fraction(max(had.values(), default=0), max(total, 1))


def surest_of_lists_if_it_stays(lists: Sequence[Listed], shown: Sequence[Shown]) -> Fraction:
    """The same where equal quasi-identifiers leave open who stands where; placed people and values are a world."""
    had: Counter[tuple[Name, Value]] = Counter()
    total = 0
    for placed in product(*(list(_placements(*one)) for one in zip(lists, shown, strict=True))):
        for world in _worlds_that_stay(placed):
            total += 1
            had.update(world.items())
    return Fraction(max(had.values(), default=0), max(total, 1))


def _worlds_that_stay(releases: Sequence[Release]) -> Iterator[Mapping[Name, Value]]:
    """Every way to give each person one value for good."""
    names = sorted({name for release in releases for g in release for name in g.people})
    own = {name: [set(g.values) for r in releases for g in r if name in g.people] for name in names}
    for values in product(*(sorted(set.intersection(*own[name])) for name in names)):
        world = dict(zip(names, values, strict=True))
        if all(Counter(world[n] for n in g.people) <= Counter(g.values) for r in releases for g in r):
            yield world
