"""The promise of robustness, read a second time; a posterior that comes close to 1/r is compared in whole numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arrays import IntArray
from discreet.audit.association.knowledge import Knowledge, Known, domain
from discreet.audit.association.worst_case import (
    given_knowledge,
    judged,
    people_of,
    protected_sets,
    sets_of,
    shares_of_sets,
)
from discreet.audit.lines import AT_MOST, Level
from discreet.audit.promises.level import deciding_group, promised_tallies
from discreet.audit.promises.parameters import Parameter, number, whole
from discreet.audit.promises.registry import Beside, Reading
from discreet.audit.reading.tallies import Summed, summed_up
from discreet.audit.reading.view import Bounds, Promise, ReleaseView, Tally
from discreet.errors import Mistake, did_you_mean, shown
from discreet.files.numbers import exact_number

_CLOSE = 1e-9
_MOST_STEPS = 20_000_000  # of exact arithmetic
_FIGURE = "largest chance of a link, by whichever attributes tell most"
_SEVERAL_ROWS = "what she believes of somebody with several rows is not worked out"


def levels(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    """The largest chance of a link, for each attribute."""
    if view.bounds is not None:
        return [_by_people(promise, view, view.bounds, tally, beside) for tally in promised_tallies(promise, view)]
    tallies = promised_tallies(promise, view)
    return [robust_level(view, tally, promise, beside.knowledge.get(tally.attribute)) for tally in tallies]


def _by_people(promise: Promise, view: ReleaseView, bounds: Bounds, tally: Tally, beside: Beside) -> Level:
    """Chances are those of rows: of somebody with one row in all they are his; else they are not worked out here.

    The shares of groups, which she knows without anything else, are added up as for other promises (`by_people`).
    """
    of_rows = next(each for each in bounds.rows.tallies if each.attribute == tally.attribute)
    level = robust_level(bounds.rows, of_rows, promise, beside.knowledge.get(tally.attribute))
    if level.holds is False:
        return level
    return replace(level, achieved=None, holds=None, deciding=None, note=_SEVERAL_ROWS)


def robust_level(view: ReleaseView, tally: Tally, promise: Promise, knowledge: Knowledge | None = None) -> Level:
    """Is anybody linked to a protected value with more than 1/r?

    By the shares that the manifest lists, or else by those of the source table, which must be given. `holds` is None
    where the files do not tell, and where the bounds of groups with too many worlds leave it open.
    """
    said = promise.parameters
    limit = 1 / Fraction(str(said["r"]))
    known_before = given_knowledge(said) or knowledge
    people = None if known_before is None else people_of(view, tally, known_before)
    summed = summed_up(tally, len(view.sizes))
    if known_before is None or people is None or not len(people.group):
        return _by_shares(view, summed, protected_sets(said.get("values"), tally.values), limit)
    protected = protected_sets(said.get("values"), domain(known_before, tally))
    worst = shares_of_sets(summed, protected)
    kept, steps = _shares_keep(summed, protected, limit), _MOST_STEPS
    open_groups = len(view.sizes) - len(np.unique(people.group))
    known = sets_of(view, tally, people, known_before, said)
    for each in known:
        posterior = judged(each, people, summed, protected, np.zeros(len(people.group)), len(known))
        np.maximum.at(worst, people.group, posterior.chance)
        kept &= not (posterior.chance > float(limit) + _CLOSE).any()
        open_groups += len(np.unique(people.group[posterior.at_most > np.maximum(posterior.chance, float(limit))]))
        close = np.unique(people.group[np.abs(posterior.chance - float(limit)) <= _CLOSE])
        for group in close.tolist() if kept else ():
            exactly = _GroupExactly.of(group, each, people.group, people.many, summed)
            steps -= exactly.steps
            if steps < 0:
                open_groups += 1
            else:
                kept &= all(p <= limit for p in exactly.posteriors(protected))
    group = int(np.argmax(worst))
    note = (
        f"{open_groups} groups left open: too many worlds, or not as many {view.whose.unit} as values"
        if open_groups
        else ""
    )
    return Level(
        "robust",
        tally.attribute,
        _FIGURE,
        AT_MOST,
        float(limit),
        float(worst[group]),
        None if kept and open_groups else kept,
        deciding_group(view, group),
        note,
    )


def _by_shares(view: ReleaseView, summed: Summed, protected: Any, limit: Fraction) -> Level:
    """What the files tell without what she knows: a share above 1/r breaks the promise whatever that is."""
    named = ("robust", summed.tally.attribute, _FIGURE, AT_MOST, float(limit))
    if _shares_keep(summed, protected, limit):
        return Level(*named, None, None, note="needs what she knows: the source table")
    worst = shares_of_sets(summed, protected)
    group = int(np.argmax(worst))
    return Level(*named, float(worst[group]), False, deciding_group(view, group))


def _shares_keep(summed: Summed, protected: Any, limit: Fraction) -> bool:
    """Are the shares of protected values within the limit?"""
    tally = summed.tally
    for those in protected:
        count = np.bincount(tally.group, weights=tally.count * those[tally.value], minlength=len(summed.total))
        pairs = np.unique(np.stack([count.astype(np.int64), summed.total], axis=1), axis=0)
        if any(Fraction(c, n) > limit for c, n in pairs.tolist() if n):
            return False
    return True


class _GroupExactly:
    """One group and what one set of attributes tells of it, in whole numbers."""

    def __init__(
        self, weights: list[list[int]], supports: list[int], many: list[int], values: list[int], counts: list[int]
    ):
        self.weights, self.supports, self.many = weights, supports, many
        self.values, self.counts = values, counts

    @classmethod
    def of(cls, group: int, known: Known, groups: IntArray, many: IntArray, summed: Summed) -> _GroupExactly:
        low, high = np.searchsorted(groups, [group, group + 1])
        rows, place = np.unique(known.row[low:high], return_inverse=True)
        counted = np.bincount(place, weights=many[low:high]).astype(int).tolist()
        weights = [[int(w) for w in known.weight[row]] for row in rows.tolist()]
        supports = [int(known.support[row]) for row in rows.tolist()]
        first, last = np.searchsorted(summed.tally.group, [group, group + 1])
        tally = summed.tally
        return cls(weights, supports, counted, tally.value[first:last].tolist(), tally.count[first:last].tolist())

    @property
    def steps(self) -> int:
        states = 1
        for count in self.counts:
            states *= count + 1
        return states * len(self.counts) * len(self.many)

    def posteriors(self, protected: Any) -> Iterator[Fraction]:
        """Of every kind of people and every protected set, in both views."""
        own = [[weights[v] for v in self.values] for weights in self.weights]
        together = all_values_exactly(own, self.many, self.counts)
        for those in protected.tolist():
            inside = [i for i, v in enumerate(self.values) if those[v]]
            having = sum(self.counts[i] for i in inside)
            if not having:
                continue
            shares = [
                Fraction(sum(w for w, there in zip(weights, those, strict=True) if there), support)
                for weights, support in zip(self.weights, self.supports, strict=True)
            ]
            yield from one_value_exactly(shares, self.many, having)
            yield from (sum((chances[i] for i in inside), Fraction(0)) for chances in together)


def one_value_exactly(shares: Sequence[Fraction], many: Sequence[int], having: int) -> list[Fraction]:
    """The chance of each kind of people to be among the `having` who have a value; none if no world is possible.

    >>> american, japanese = Fraction(1, 10), Fraction(3, 1000)
    >>> [round(float(p), 4) for p in one_value_exactly([american, japanese], [1, 1], 1)]
    [0.9736, 0.0264]
    """
    chances = []
    for i, share in enumerate(shares):
        others = [m - (k == i) for k, m in enumerate(many)]
        worlds = _dealt(shares, others, having)
        has, lacks = worlds[having - 1] * share, worlds[having] * (1 - share)
        if has + lacks:
            chances.append(has / (has + lacks))
    return chances


def _dealt(shares: Sequence[Fraction], many: Sequence[int], most: int) -> list[Fraction]:
    """The weight of 0, 1, … of these people having the value."""
    worlds = [Fraction(1)] + [Fraction(0)] * most
    for share, people in zip(shares, many, strict=True):
        for _ in range(people):
            worlds = [weight * (1 - share) + (worlds[k - 1] * share if k else 0) for k, weight in enumerate(worlds)]
    return worlds


def all_values_exactly(
    weights: Sequence[Sequence[int]], many: Sequence[int], counts: Sequence[int]
) -> list[list[Fraction]]:
    """The chance of each kind of people to have each value; none if no world is possible.

    The paper's example: two people who have x and y with one half each, two who have y with 4/5.

    >>> str(all_values_exactly([[1, 1], [1, 4]], [2, 2], [2, 2])[0][0])
    '8/11'
    """
    of_kinds = []
    for i, own in enumerate(weights):
        worlds = {tuple(counts): 1}  # by what is left
        for k, (chances, people) in enumerate(zip(weights, many, strict=True)):
            for _ in range(people - (k == i)):
                after: dict[tuple[int, ...], int] = {}
                for left, weight in worlds.items():
                    for v, chance in enumerate(chances):
                        if left[v] and chance:
                            rest = (*left[:v], left[v] - 1, *left[v + 1 :])
                            after[rest] = after.get(rest, 0) + weight * chance
                worlds = after
        each = [own[v] * worlds.get(tuple(int(w == v) for w in range(len(counts))), 0) for v in range(len(counts))]
        if sum(each):
            of_kinds.append([Fraction(weight, sum(each)) for weight in each])
    return of_kinds


def _listed(value: Any, place: str, quasi_identifiers: Sequence[str]) -> Iterator[Mistake]:
    if value is not None and not isinstance(value, list | tuple):
        yield Mistake(place, f"must be a list, got {shown(value)}")


def _attribute_sets(value: Any, place: str, quasi_identifiers: Sequence[str]) -> Iterator[Mistake]:
    yield from _listed(value, place, quasi_identifiers)
    for columns in value if isinstance(value, list | tuple) else ():
        if not isinstance(columns, list | tuple):
            yield Mistake(place, f"must be lists of columns, got {shown(columns)}")
            continue
        for name in columns:
            if name not in quasi_identifiers:
                rule = f"no such quasi-identifier {shown(name)}"
                yield Mistake(place, rule, did_you_mean(name, quasi_identifiers))


def _knowledge(value: Any, place: str, quasi_identifiers: Sequence[str]) -> Iterator[Mistake]:
    """The table, or rows of somebody's values, a sensitive value, and how likely that is."""
    rows = value if isinstance(value, list) else [None]
    if value != "table" and not all(_is_known(row) for row in rows):
        yield Mistake(place, "can't be read", "write table, or [[{nation: Japanese}, heart, 0.003], …]")


def _is_known(row: object) -> bool:
    if not isinstance(row, list | tuple) or len(row) != 3 or not isinstance(row[0], Mapping):
        return False
    share = exact_number(row[2])
    return share is not None and 0 <= share <= 1


READING = Reading(
    "robust",
    "robust",
    {
        "r": number(),
        "values": Parameter(_listed),
        "attribute_sets": Parameter(_attribute_sets),
        "min_support": Parameter(whole),
        "knowledge": Parameter(_knowledge),
    },
    levels,
)
