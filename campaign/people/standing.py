"""Whose rows stand in which group: by the labels where they tell, else by what the release says of itself.

Rows of different people with the same quasi-identifiers and values are the same row to every reader, so nobody can say
which of them is published where: a promise is kept if it is for one way to tell them apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import factorial, prod
from random import Random

from campaign.people.definitions import Owner
from campaign.people.product import Put
from campaign.promises.case import Case, Row
from campaign.promises.ladders import covers
from campaign.promises.reading import Folder, Group, auxiliary, is_starred
from campaign.promises.truth import matching

Standing = tuple[tuple[int, ...], ...]  # of each group, the places of its rows in the source
NOWHERE = -1
MOST_WAYS = 2_000
_EXCHANGES = 4_000  # that are tried where there are more ways


@dataclass(frozen=True)
class Alike:
    """Rows of the source that can't be told apart, and how many of them stand in which group (or nowhere).

    Where groups overlap, `fits` says of each row where it may stand.
    """

    places: tuple[int, ...]
    groups: Mapping[int, int]
    fits: Mapping[int, frozenset[int]] | None = None

    def may_stand(self, place: int, group: int) -> bool:
        return self.fits is None or group == NOWHERE or group in self.fits[place]

    @cached_property
    def some_way(self) -> dict[int, list[int]] | None:
        """Where they may stand, the places by group; None if there is no way."""
        seats = [group for group, n in self.groups.items() for _ in range(n)]
        taken = matching(self.places, seats, lambda place, group: self.may_stand(place, group))
        if taken is None:
            return None
        way: dict[int, list[int]] = {group: [] for group in self.groups}
        for seat, at in taken.items():
            way[seats[seat]].append(self.places[at])
        return way


# --- where rows stand --------------------------------------------------------------------------------------------


def by_labels(case: Case, published: Folder, groups: Sequence[Group]) -> list[Alike] | None:
    """From the labels alone; None if there are no rows in the source for what is published."""
    rules = [case.hierarchy(name) for name in case.quasi_identifiers]
    people, values, shown = case.parts(case.quasi_identifiers), case.parts(case.sensitive), _shown(case, published)
    fits = {
        place: frozenset(g for g, group in enumerate(groups) if all(map(covers, group.labels, person, rules)))
        for place, person in enumerate(people)
    }
    overlapping = any(len(fitting) > 1 for fitting in fits.values())
    alike: dict[object, list[int]] = {}
    for place, value in enumerate(values):
        alike.setdefault(value if overlapping else (value, fits[place]), []).append(place)
    stands = []
    for places in alike.values():
        value = values[places[0]]
        shares = {g: shown[groups[g].labels][value] for g in sorted(frozenset().union(*(fits[at] for at in places)))}
        shares[NOWHERE] = len(places) - sum(shares.values())
        if shares[NOWHERE] < 0:
            return None
        shares = {at: n for at, n in shares.items() if n}
        stands.append(Alike(tuple(places), shares, {at: fits[at] for at in places} if overlapping else None))
    return stands if all(one.some_way is not None for one in stands) else None


def by_word(case: Case, published: Folder, groups: Sequence[Group], said: Sequence[Put]) -> list[Alike] | None:
    """From what the release says of itself; None if that is not what source and files show."""
    kinds: dict[tuple[Row, Row], list[int]] = {}
    people, values = case.parts(case.quasi_identifiers), case.parts(case.sensitive)
    for place, kind in enumerate(zip(people, values, strict=True)):
        kinds.setdefault(kind, []).append(place)
    shares: dict[tuple[Row, Row], Counter[int]] = {}
    for put in said:
        shares.setdefault((put.quasi_identifiers, put.sensitive), Counter())[put.group] += put.count
    if {kind: len(places) for kind, places in kinds.items()} != {kind: c.total() for kind, c in shares.items()}:
        return None
    numbers = sorted({put.group for put in said} - {NOWHERE})
    members = [[put for put in said if put.group == number] for number in numbers]
    if len(members) != len(groups):
        return None
    places = matching(members, range(len(groups)), _showing(case, published, groups))
    if places is None:
        return None
    file_of = {numbers[one]: group for group, one in places.items()} | {NOWHERE: NOWHERE}
    return [
        Alike(tuple(places), {file_of[group]: n for group, n in shares[kind].items()}) for kind, places in kinds.items()
    ]


def _showing(case: Case, published: Folder, groups: Sequence[Group]) -> Callable[[Sequence[Put], int], bool]:
    """Is a group of the files one of rows that are said to stand together?"""
    match case.words.get("publish"):
        case "bucketization":
            return lambda rows, group: _is_bucket(case, rows, groups[group])
        case "ambiguity":
            entries = auxiliary(published)
            return lambda rows, group: _is_ambiguous(case, rows, groups[group], entries)
    rules = [case.hierarchy(name) for name in case.quasi_identifiers]
    shown = _shown(case, published)

    def is_labelled(rows: Sequence[Put], group: int) -> bool:
        labels = groups[group].labels
        covered = all(all(map(covers, labels, put.quasi_identifiers, rules)) for put in rows)
        return covered and _counted(rows, lambda put: put.sensitive) == shown[labels]

    return is_labelled


def _is_bucket(case: Case, rows: Sequence[Put], group: Group) -> bool:
    """Its people, and their values, but for a search that exchanges some on purpose."""
    [attribute] = case.sensitive
    values: Counter[Row] = Counter({(value,): n for value, n in group.values[attribute].items()})
    is_distorted = case.words.get("search") == "mask"
    return _counted(rows, lambda put: put.quasi_identifiers) == Counter(group.people) and (
        is_distorted or _counted(rows, lambda put: put.sensitive) == values
    )


def _is_ambiguous(
    case: Case, rows: Sequence[Put], group: Group, entries: Mapping[tuple[str, ...], Sequence[Row]]
) -> bool:
    """Its values, and every entry of its tables."""
    [attribute] = case.sensitive
    [number] = group.labels
    values: Counter[Row] = Counter({(value,): n for value, n in group.values[attribute].items()})
    for of, lines in entries.items():
        at = [case.quasi_identifiers.index(name) for name in of]
        listed = {line[:-1] for line in lines if line[-1] == number}
        if listed != {tuple(put.quasi_identifiers[d] for d in at) for put in rows}:
            return False
    return _counted(rows, lambda put: put.sensitive) == values


def _counted(rows: Sequence[Put], part: Callable[[Put], Row]) -> Counter[Row]:
    counts: Counter[Row] = Counter()
    for put in rows:
        counts[part(put)] += put.count
    return counts


def _shown(case: Case, published: Folder) -> dict[Row, Counter[Row]]:
    """How often each combination of labels is published with which sensitive values."""
    shown: dict[Row, Counter[Row]] = {}
    table = published.data
    labels, values = table.parts(case.quasi_identifiers), table.parts(case.sensitive)
    for label, value, whole in zip(labels, values, table.rows, strict=True):
        if not is_starred(published, whole):
            shown.setdefault(label, Counter())[value] += 1
    return shown


# --- and whose they are ----------------------------------------------------------------------------------------------


def settle(
    alike: Sequence[Alike], owners: Sequence[Owner], groups: int, troubles: Callable[[Standing], list[str]]
) -> list[str] | None:
    """What is wrong with the best way to tell rows apart that are alike; None if there are too many to be sure."""
    clear = [a for a in alike if len(a.groups) == 1 or len({owners[at] for at in a.places}) == 1]
    open_ones = [a for a in alike if a not in clear]
    fixed = [_some_way(a) for a in clear]
    if prod(map(_ways, open_ones)) > MOST_WAYS:
        return _exchanged(fixed, open_ones, groups, troubles)
    least: list[str] | None = None
    for choice in product(*(list(_distinct(a, owners)) for a in open_ones)):
        wrong = troubles(_together([*fixed, *choice], groups))
        if not wrong:
            return []
        least = wrong if least is None or len(wrong) < len(least) else least
    return least


Way = Mapping[int, Sequence[int]]  # by group, places


def _some_way(alike: Alike) -> dict[int, list[int]]:
    way = alike.some_way
    assert way is not None
    return {group: list(places) for group, places in way.items()}


def _ways(alike: Alike) -> int:
    return factorial(len(alike.places)) // prod(map(factorial, alike.groups.values()))


def _distinct(alike: Alike, owners: Sequence[Owner]) -> Iterator[dict[int, list[int]]]:
    """Every way that differs in whose rows stand where."""
    seen: set[object] = set()

    def put(at: int, left: dict[int, int]) -> Iterator[dict[int, list[int]]]:
        if at == len(alike.places):
            yield {group: [] for group in alike.groups}
            return
        place = alike.places[at]
        for group in [g for g, n in left.items() if n and alike.may_stand(place, g)]:
            for rest in put(at + 1, {**left, group: left[group] - 1}):
                yield {**rest, group: [place, *rest[group]]}

    for way in put(0, dict(alike.groups)):
        theirs = {group: Counter(owners[at] for at in places) for group, places in way.items()}
        key = frozenset((group, frozenset(counts.items())) for group, counts in theirs.items())
        if key not in seen:
            seen.add(key)
            yield way


def _together(ways: Sequence[Way], groups: int) -> Standing:
    standing: list[list[int]] = [[] for _ in range(groups)]
    for way in ways:
        for group, places in way.items():
            if group != NOWHERE:
                standing[group] += places
    return tuple(map(tuple, standing))


def _exchanged(
    fixed: Sequence[Way], open_ones: Sequence[Alike], groups: int, troubles: Callable[[Standing], list[str]]
) -> list[str] | None:
    """Exchange rows as long as that makes no more wrong; None if something still is."""
    random = Random(1)
    ways = [_some_way(a) for a in open_ones]
    wrong = troubles(_together([*fixed, *ways], groups))
    for _ in range(_EXCHANGES):
        if not wrong:
            return []
        at = random.randrange(len(ways))
        way, (one, other) = ways[at], random.sample(sorted(ways[at]), 2)
        a, b = random.randrange(len(way[one])), random.randrange(len(way[other]))
        if not (open_ones[at].may_stand(way[one][a], other) and open_ones[at].may_stand(way[other][b], one)):
            continue
        way[one][a], way[other][b] = way[other][b], way[one][a]
        after = troubles(_together([*fixed, *ways], groups))
        if len(after) <= len(wrong):
            wrong = after
        else:
            way[one][a], way[other][b] = way[other][b], way[one][a]
    return None
