"""Releases of one table by policies that differ a little, side by side: what each would lose, and what it risks.

The same risks for all of them, whatever each promises: a promise can't be measured by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.counts.groups import Groups
from discreet.counts.owners import OwnedGroups
from discreet.labels.whose import Whose
from discreet.models.by_people import chances

_SAME = 1e-9  # what lies this close to a limit is at the limit: these figures decide nothing


@dataclass(frozen=True)
class Risk:
    """What somebody could do who knows the quasi-identifiers of a person, that the person is in the table, and which
    published group that is.

    `largest` and `mean`: her chance to pick the person's row among those that may be it, 1 / how many people stand in
    the group (rows, if nothing is known of whose they are); of the worst off, and on average over all published.
    `above`: the share of these whose chance is above 1 / `one_in`. `values`: per sensitive attribute, the mean over the
    published rows of the chance of the likeliest value in the row's group, and `certain` the largest such chance.
    """

    largest: float
    mean: float
    above: float
    values: Mapping[str, float]
    certain: Mapping[str, float]


@dataclass(frozen=True)
class Point:
    """One policy of a sweep: what `anonymize` would deliver by it, or in words why it can't (`why`).

    `settings` are the values that it has of what is varied, in the order of the axes. `count_error` is the median
    relative error of COUNT queries with two conditions, as reports tell it; None where none could be asked. `proven` is
    whether the search has shown that nothing is better; `kept` are the promises with what each reaches.
    """

    settings: tuple[object, ...]
    search: str = ""
    why: str = ""
    loss: float | None = None
    count_error: float | None = None
    suppressed: int | None = None
    groups: int | None = None
    smallest_group: int | None = None
    node: Mapping[str, int] | None = None
    risk: Risk | None = None
    proven: bool | None = None
    promises: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)  # of the search, which differ from run to run

    @property
    def possible(self) -> bool:
        return self.risk is not None


@dataclass(frozen=True)
class Axis:
    """What is varied: a word of the policy (`publish`) or a parameter of its promises (`k`, `l_diversity.l`)."""

    name: str
    values: tuple[object, ...]
    of_promise: bool


@dataclass(frozen=True)
class SweepFigures:
    """All points, the last axis varied fastest. `one_in` is the limit of `Risk.above`, the same for all."""

    axes: tuple[Axis, ...]
    points: tuple[Point, ...]
    rows: int
    people: int | None  # how many there are, where a column names them
    whose: Whose
    one_in: int
    promises: tuple[str, ...]  # of the policy as it stands
    seeded: bool
    scans: int
    undecided: tuple[str, ...] = ()  # columns that nobody has decided on: taken as the policy has them


def risk(groups: Groups, one_in: int) -> Risk:
    """The risks of published groups.

    >>> told = risk(Groups(np.array([2, 8])), one_in=5)
    >>> told.largest, told.mean, told.above
    (0.5, 0.2, 0.2)
    """
    chance, many = links(groups)
    everybody = max(int(many.sum()), 1)
    likeliest = {name: chances(groups, name) for name in groups.tallies}
    rows = max(int(groups.sizes.sum()), 1)
    return Risk(
        largest=float(chance[many > 0].max(initial=0.0)),
        mean=float((chance * many).sum() / everybody),
        above=float(many[chance * one_in > 1 + _SAME].sum() / everybody),
        values={name: float((level * groups.sizes).sum() / rows) for name, level in likeliest.items()},
        certain={name: float(level[groups.sizes > 0].max(initial=0.0)) for name, level in likeliest.items()},
    )


def links(groups: Groups) -> tuple[FloatArray, IntArray]:
    """Chances to pick somebody's row among those of the group, and of how many people (or rows) each is the chance.

    Whoever stands in several groups is found most easily in the smallest of them.
    """
    people = groups.persons
    chance = 1 / np.maximum(people, 1)
    owners = groups.owners
    if owners is None:
        return chance, people
    return _with_movers(owners, chance)


def _with_movers(owners: OwnedGroups, chance: FloatArray) -> tuple[FloatArray, IntArray]:
    starts = owners.mover_starts
    if len(starts) < 2 or not len(owners.mover_group):
        return chance, owners.settled
    there = np.diff(starts) > 0  # whoever is in none of the groups has no place in them
    worst = np.maximum.reduceat(chance[owners.mover_group], starts[:-1][there])
    return np.concatenate([chance, worst]), np.concatenate([owners.settled, np.ones(len(worst), dtype=np.int64)])
