"""What somebody may believe of people, by going through all possible worlds in fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, product
from math import ceil, comb, floor, prod
from typing import Any

from campaign.promises.case import Row, Value
from campaign.promises.definitions import Counts, number, shares
from campaign.promises.reading import Group

Belief = Mapping[Value, Fraction]
Source = tuple[Sequence[str], Sequence[Row], Sequence[Value]]  # quasi-identifiers: names, rows; each row's value
_FEWEST = 30  # people of a kind of whom more than of anybody is known, unless the policy says otherwise
MOST_WORLDS = 60_000


# --- robust: who is likely to have what is known -----------------------------------------------------------------


Held = frozenset[Value]  # a protected value, or set of values
Links = list[list[dict[Held, Fraction]]]  # of everybody of every group, the chance of what is protected


def robust(about: Mapping[str, Any], groups: Sequence[Group], source: Source, attribute: str) -> bool:
    """Is nobody linked to a protected value by more than 1/r; or, with the limit `prior`, by more than before?"""
    limit = 1 / number(about["r"])
    if about.get("limit") == "prior" or about.get("absence") == "prior":
        missing = _missing(groups, source, attribute)
        if missing.people and not _no_surer(about, [missing], source, attribute):
            return False
    if about.get("limit") == "prior":
        return _no_surer(about, groups, source, attribute)
    return all(
        chance <= limit
        for view in links(about, groups, source, attribute)
        for people in view
        for chances in people
        for chance in chances.values()
    )


def _missing(groups: Sequence[Group], source: Source, attribute: str) -> Group:
    """Those of the source who are in no group, with their values, as a group."""
    _, rows, values = source
    out = Counter(tuple(row) for row in rows)
    left: Counts = Counter(values)
    for group in groups:
        out -= Counter(tuple(person) for person in group.people)
        left -= group.values[attribute]
    return Group(out.total(), (), {attribute: left}, people=tuple(out.elements()))


def _no_surer(about: Mapping[str, Any], groups: Sequence[Group], source: Source, attribute: str) -> bool:
    """Is no share above 1/r, and nobody linked by more than 1/r, unless that was as likely before?"""
    limit = 1 / number(about["r"])
    protected = [
        frozenset(v if isinstance(v, list) else [v]) for v in about.get("values") or sorted(set(source[2]), key=str)
    ]
    for group in groups:
        for held in protected:
            if sum(n for v, n in group.values[attribute].items() if v in held) > limit * group.size:
                return False
    before = [of for of in beliefs_before(about, groups, source) for _ in range(2)]  # in both views
    for view, known in zip(links(about, groups, source, attribute), before, strict=True):
        for people, chances_before in zip(view, known, strict=True):
            for chances, belief in zip(people, chances_before, strict=True):
                for held, chance in chances.items():
                    prior = sum((belief.get(value, Fraction(0)) for value in held), Fraction(0))
                    if chance > max(limit, prior):
                        return False
    return True


def links(about: Mapping[str, Any], groups: Sequence[Group], source: Source, attribute: str) -> Iterator[Links]:
    """What each adversary of `robust` believes.

    She judges people by any set of quasi-identifiers, and knows how frequent each value is among people who have the
    same of these as they have, where at least `min_support` rows do; else how frequent it is in the table. A world
    deals the values of a group out to its people, and weighs the product of their chances. She looks at all values, or
    at "this or not" alone.
    """
    everything = sorted(set(source[2]), key=str)
    protected = [frozenset(v if isinstance(v, list) else [v]) for v in about.get("values") or everything]
    dealt = [group.values[attribute] for group in groups]
    for beliefs in beliefs_before(about, groups, source):
        yield list(map(partial(_by_all_values, protected), beliefs, dealt))
        yield list(map(partial(_this_or_not, protected), beliefs, dealt))


def beliefs_before(about: Mapping[str, Any], groups: Sequence[Group], source: Source) -> Iterator[list[list[Belief]]]:
    """What is believed of everybody of every group before a release, by each set of quasi-identifiers."""
    names, rows, values = source
    width = len(names)
    every = [places for many in range(1, width + 1) for places in combinations(range(width), many)]
    named = about.get("attribute_sets")
    sets = every if named is None else [tuple(names.index(name) for name in which) for which in named]
    for places in sets:
        known = _knowledge(places, rows, values, int(about.get("min_support", _FEWEST)))
        yield [
            [known.get(tuple(person[at] for at in places), known[None]) for person in group.people] for group in groups
        ]


def _by_all_values(protected: Sequence[Held], beliefs: Sequence[Belief], dealt: Counts) -> list[dict[Held, Fraction]]:
    return [
        {held: sum((chances.get(value, Fraction(0)) for value in held), Fraction(0)) for held in protected}
        for chances in dealings(beliefs, dealt)
    ]


def _this_or_not(protected: Sequence[Held], beliefs: Sequence[Belief], dealt: Counts) -> list[dict[Held, Fraction]]:
    people: list[dict[Held, Fraction]] = [{} for _ in beliefs]
    for held in protected:
        having = sum(count for value, count in dealt.items() if value in held)
        if not having:
            continue
        this = [sum((b.get(value, Fraction(0)) for value in held), Fraction(0)) for b in beliefs]
        views: list[Belief] = [{"this": share, "not": 1 - share} for share in this]
        counts: Counts = Counter({"this": having, "not": dealt.total() - having})
        for person, chances in zip(people, dealings(views, counts), strict=True):
            person[held] = chances.get("this", Fraction(0))
    return people


def _knowledge(
    places: Sequence[int], rows: Sequence[Row], values: Sequence[Value], fewest: int
) -> dict[Row | None, Belief]:
    """How likely people of each kind are to have each value; None stands for anybody."""
    kinds: dict[Row, Counts] = {}
    for row, value in zip(rows, values, strict=True):
        kinds.setdefault(tuple(row[at] for at in places), Counter())[value] += 1
    known: dict[Row | None, Belief] = {kind: shares(c) for kind, c in kinds.items() if c.total() >= fewest}
    known[None] = shares(Counter(values))
    return known


def dealings(beliefs: Sequence[Belief], dealt: Counts) -> list[dict[Value, Fraction]]:
    """For everybody the chance of each value, over all ways to deal the values out, weighed by what is believed before.

    >>> one, two = {"x": Fraction(1, 2), "y": Fraction(1, 2)}, {"x": Fraction(1, 5), "y": Fraction(4, 5)}
    >>> dealings([one, one, two, two], Counter("xxyy"))[0]["x"]
    Fraction(8, 11)
    """
    kinds = sorted((value for value in dealt if dealt[value]), key=str)
    counts = tuple(dealt[value] for value in kinds)
    weights = [tuple(belief.get(value, Fraction(0)) for value in kinds) for belief in beliefs]

    @cache
    def weight(people: tuple[tuple[Fraction, ...], ...], left: tuple[int, ...]) -> Fraction:
        if not people:
            return Fraction(1)
        first, *others = people
        return sum(
            (first[i] * weight(tuple(others), _less(left, i)) for i, n in enumerate(left) if n and first[i]),
            Fraction(0),
        )

    answers: dict[tuple[Fraction, ...], dict[Value, Fraction]] = {}
    for at, mine in enumerate(weights):
        if mine not in answers:
            others = tuple(sorted(weights[:at] + weights[at + 1 :]))
            chances = [
                mine[i] * weight(others, _less(counts, i)) if mine[i] else Fraction(0) for i in range(len(kinds))
            ]
            total = sum(chances, Fraction(0))
            answers[mine] = {v: c / total if total else Fraction(0) for v, c in zip(kinds, chances, strict=True)}
    return [answers[mine] for mine in weights]


def _less(counts: tuple[int, ...], at: int) -> tuple[int, ...]:
    return (*counts[:at], counts[at] - 1, *counts[at + 1 :])


# --- presence with a confidence: marginals alone are known --------------------------------------------------------


def confidence(inside: int, outside: Sequence[int], size: int, delta: tuple[Fraction, Fraction]) -> Fraction:
    """How likely δmin ≤ n₁ / (n₁ + n₀) ≤ δmax is, if n₀ people outside of the table have a group's values.

    `outside` says of each attribute how many of the `size` people outside have a value that the group's label covers;
    they have it independently of the others. Nergiz & Clifton 2008.

    >>> confidence(1, [3, 3, 3], 4, (Fraction("0.33"), Fraction(1)))
    Fraction(15, 16)
    """
    low, high = room(inside, delta)
    chances = {outside[0]: Fraction(1)}
    for many in outside[1:]:
        after: dict[int, Fraction] = {}
        for drawn, chance in chances.items():
            for common in range(max(0, drawn + many - size), min(drawn, many) + 1):
                ways = Fraction(comb(many, common) * comb(size - many, drawn - common), comb(size, drawn))
                after[common] = after.get(common, Fraction(0)) + chance * ways
        chances = after
    return sum(
        (chance for many, chance in chances.items() if low <= many and (high is None or many <= high)), Fraction(0)
    )


def room(inside: int, delta: tuple[Fraction, Fraction]) -> tuple[int, int | None]:
    """How many people outside a group of so many rows needs and may have."""
    least, most = delta
    low = ceil(inside / most - inside) if most else 0
    return low, floor(inside / least - inside) if least else None


# --- who is in the table: a list of everybody is known --------------------------------------------------------------


def placements(fits: Sequence[Sequence[int]], sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every way to put each person in a group that covers him, or in none (−1), all groups being full."""

    def place(person: int, left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if person == len(fits):
            if not any(left):
                yield ()
            return
        if sum(left) > len(fits) - person:
            return
        for group in (-1, *fits[person]):
            if group < 0 or left[group]:
                rest = left if group < 0 else _less(left, group)
                yield from ((group, *others) for others in place(person + 1, rest))

    return place(0, tuple(sizes))


def presence_with_list(fits: Sequence[Sequence[int]], sizes: Sequence[int]) -> list[Fraction] | None:
    """Everybody's chance of being in a group, all ways to fill the groups from the list being alike.

    None if there are too many ways, or none.
    """
    if prod(len(groups) + 1 for groups in fits) > MOST_WORLDS:
        return None
    ways = 0
    inside = [0] * len(fits)
    for way in placements(fits, sizes):
        ways += 1
        for person, group in enumerate(way):
            inside[person] += group >= 0
    return [Fraction(n, ways) for n in inside] if ways else None


# --- two releases about the same people ----------------------------------------------------------------------------

Dealt = Sequence[tuple[Sequence[int], Counts]]  # who is in each group, and which values it has


def both_releases(people: int, values: Sequence[Value], one: Dealt, two: Dealt) -> list[Counter[Value]] | None:
    """In how many worlds everybody has each value: worlds that give all groups of both releases the values they have.

    None if there are too many to go through.
    """
    if len(values) ** people > MOST_WORLDS:
        return None
    worlds = [Counter[Value]() for _ in range(people)]
    for world in product(values, repeat=people):
        if all(Counter(world[i] for i in members) == dealt for members, dealt in (*one, *two)):
            for person, value in enumerate(world):
                worlds[person][value] += 1
    return worlds
