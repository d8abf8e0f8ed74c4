"""What can be published at all, and what it would cost at least: by trying every generalization there is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from campaign.promises.case import Row, Value
from campaign.promises.ladders import Ladder

Choice = Mapping[Value, object]  # what every leaf of a column becomes
MOST_NODES = 3000
MOST_LEFT_OUT = 4000  # sets of groups that are tried to be left out of one generalization


@dataclass(frozen=True)
class Release:
    """One generalization with some groups left out: what each column loses, and how large the groups are."""

    choice: tuple[int, ...]  # the level of each column, or the number of its cut
    losses: tuple[Fraction, ...]
    sizes: tuple[int, ...]
    suppressed: int

    def score(self, utility: str) -> float:
        """What it costs, by the word of a policy."""
        rows = sum(self.sizes) + self.suppressed
        match utility:
            case "loss":
                return float(sum(self.losses, Fraction(0)) / max(len(self.losses), 1))
            case "geometric_loss":
                return math.pow(prod(1 + loss for loss in self.losses), 1 / max(len(self.losses), 1)) - 1
            case "discernibility":
                return float(sum(size * size for size in self.sizes) + self.suppressed * rows)
            case "average_group":
                return sum(self.sizes) / len(self.sizes) if self.sizes else float("inf")
        return float(sum(self.choice))


def levels(ladder: Ladder) -> list[Choice]:
    """The whole column on one level, for each."""
    height = len(next(iter(ladder.values())))
    return [{leaf: labels[level] for leaf, labels in ladder.items()} for level in range(height)]


def cuts(ladder: Ladder) -> list[Choice]:
    """Every way to cut through a hierarchy: each leaf at some level, and all under a published name at that level.

    >>> len(cuts({"a": ("a", "ab", "*"), "b": ("b", "ab", "*"), "c": ("c", "c", "*")}))
    3
    """
    height = len(next(iter(ladder.values())))

    def below(level: int, leaves: tuple[Value, ...]) -> Iterator[dict[Value, object]]:
        """The ways to publish leaves that are one on this level."""
        yield dict.fromkeys(leaves, frozenset(leaves))
        if level == 0 or len(leaves) == 1:
            return
        parts: dict[Value, list[Value]] = {}
        for leaf in leaves:
            parts.setdefault(ladder[leaf][level - 1], []).append(leaf)
        if len(parts) == 1:
            yield from list(below(level - 1, leaves))[1:]
            return
        for way in product(*(list(below(level - 1, tuple(part))) for part in parts.values())):
            yield {leaf: label for piece in way for leaf, label in piece.items()}

    return list(below(height - 1, tuple(ladder)))


@dataclass(frozen=True)
class Generalization:
    """What every leaf of each column becomes, and so which rows (by their places) stand together."""

    choice: tuple[int, ...]
    maps: tuple[Choice, ...]
    groups: Mapping[tuple[object, ...], tuple[int, ...]]

    def release(self, gone: Sequence[int]) -> Release:
        """It with some rows left out, each of which loses all that there is to lose."""
        out = set(gone)
        rows = sum(len(places) for places in self.groups.values())
        staying = {labels: places for labels, places in self.groups.items() if places[0] not in out}
        losses = []
        for d, leaves in enumerate(self.maps):
            width, widest = Counter(leaves.values()), len(leaves) - 1
            lost = sum((width[labels[d]] - 1) * len(places) for labels, places in staying.items()) + len(out) * widest
            losses.append(Fraction(lost, widest * rows) if widest else Fraction(0))
        return Release(self.choice, tuple(losses), tuple(map(len, staying.values())), len(out))


def generalizations(rows: Sequence[Row], choices: Sequence[Sequence[Choice]]) -> Iterator[Generalization]:
    """Every way to choose for each column, the finest first."""
    for choice in product(*(range(len(column)) for column in choices)):
        maps = tuple(choices[d][number] for d, number in enumerate(choice))
        groups: dict[tuple[object, ...], list[int]] = {}
        for place, row in enumerate(rows):
            groups.setdefault(tuple(maps[d][value] for d, value in enumerate(row)), []).append(place)
        yield Generalization(choice, maps, {labels: tuple(places) for labels, places in groups.items()})


Group = tuple[int, ...]  # the places of its rows


def settled(groups: Sequence[Group], holds: Callable[[Group, Sequence[Group]], bool]) -> list[Group]:
    """The groups that stay: without those that fail by themselves, and those that fail beside what is left.

    Leaving groups out changes what the others are compared with, so it is done until nothing fails. `holds` judges a
    group beside those that stay.
    """
    staying = list(groups)
    while failing := {group for group in staying if not holds(group, staying)}:
        staying = [group for group in staying if group not in failing]
    return staying


def left_out(groups: Sequence[Group], must: Sequence[Group], limit: int) -> list[list[Group]] | None:
    """Every set of groups with at most `limit` rows, those that must go always among them; None if there are too many.

    >>> left_out([(0,), (1, 2), (3,)], [(0,)], 2)
    [[(0,)], [(0,), (3,)]]
    """
    sets = [(sum(map(len, must)), list(must))] if sum(map(len, must)) <= limit else []
    for group in groups:
        if group in must:
            continue
        sets += [(rows + len(group), [*gone, group]) for rows, gone in sets if rows + len(group) <= limit]
        if len(sets) > MOST_LEFT_OUT:
            return None
    return [gone for _, gone in sets]
