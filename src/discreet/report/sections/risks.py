"""Risk per person: how many can be picked out or guessed, from the table without its names and from the release.

For the custodian both, in one picture; for the page that is published what follows from the published tables alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups, tally
from discreet.counts.owners import OwnedGroups
from discreet.labels.figures import percent
from discreet.labels.whose import Whose
from discreet.releases.sweep import links
from discreet.report.exposures import ALONE, TOLD, Exposure
from discreet.report.marginals import Grain, shown
from discreet.report.sections.registry import RELEASE, Private, Public, Section
from discreet.search.plan import Plan

# The same steps on all pages, so that two releases can be laid side by side: the gravest first, each from a chance on.
_PICKED = (
    (Fraction(1), "alone: found for certain"),
    (Fraction(1, 2), "1 in 2"),
    (Fraction(1, 4), "1 in 3 or 4"),
    (Fraction(1, 9), "1 in 5 to 9"),
    (Fraction(1, 19), "1 in 10 to 19"),
    (Fraction(1, 49), "1 in 20 to 49"),
    (Fraction(1, 99), "1 in 50 to 99"),
    (Fraction(0), "1 in 100 or more"),
)
_GUESSED = (
    (Fraction(1), "certain"),
    (Fraction(9, 10), "90% or more"),
    (Fraction(3, 4), "75% to 90%"),
    (Fraction(1, 2), "50% to 75%"),
    (Fraction(1, 4), "25% to 50%"),
    (Fraction(1, 10), "10% to 25%"),
    (Fraction(0), "below 10%"),
)
LEFT_OUT = "not in the release"
ONE_ROW = (
    "This is about a single row: somebody who has several is guessed more surely, and the files don't tell whose rows "
    "they are."
)
_LARGEST = 1 << 62
_BLOCK = 1 << 15  # combinations that are numbered at a time: they stay near the processor
_SAME = 1e-9  # what lies this close to an edge is at the edge: a picture decides nothing


@dataclass(frozen=True)
class RiskStep:
    """The shares, in percent, of those whose risk lies in one step: by the table itself and by the release.

    Rounded, 0 may be a few; what is told for people says so.
    """

    label: str
    before: float
    after: float
    told_before: str
    told_after: str


@dataclass(frozen=True)
class RiskPicture:
    """One question, with everybody's risk in steps, the gravest first; means of the table and of the release.

    `of` is what the shares are shares of: people, or rows. The published page has nothing of the table: None.
    """

    attribute: str  # that is guessed; empty if it is the row that is picked
    of: str
    steps: tuple[RiskStep, ...]
    mean_before: float | None
    mean_after: float


@dataclass(frozen=True)
class Risks:
    """All pictures. `rows_are_found`: quasi-identifiers are published exactly, so that rows are found as in the table;
    `rows_are_apart`: their values stand in tables apart, so that there is no row to be found.
    """

    pictures: tuple[RiskPicture, ...]
    rows_are_found: bool
    rows_are_apart: bool


def guesses(groups: Groups, whose: Whose) -> tuple[RiskPicture, ...]:
    """From a release alone: for each sensitive column, how sure a guess of the likeliest value in a group is.

    >>> from discreet.models.examples import groups_of
    >>> groups = groups_of("ill", ["flu", "flu"], ["flu", "cold", "cold", "gout"], ["flu", "flu"])
    >>> [picture] = guesses(groups, Whose.ONE_EACH)
    >>> [(step.label, step.after) for step in picture.steps if step.after], picture.mean_after
    ([('certain', 50.0), ('50% to 75%', 50.0)], 0.75)
    """
    seen = replace(groups, owners=None)  # no file tells whose rows they are
    return tuple(
        _picture(name, whose.by_rows, _GUESSED, None, (likeliest(seen, name), seen.sizes), 0, None)
        for name in seen.tallies
        if seen.sizes.any()
    )


def risks(plan: Plan, whose: Whose, grain: Grain) -> Risks | None:
    """Before and after; None where nobody looked at single values, or nothing is published."""
    f = plan.frequency
    if f.leaf_rows is not None or plan.empty:
        return None
    groups, (picked, guessed) = plan.groups, _of_table(f)
    pictures = []
    if not plan.exact:
        after = links(groups)
        left_out = max(int(picked[1].sum()) - int(after[1].sum()), 0)
        pictures.append(_picture("", whose, _PICKED, picked, after, left_out, grain))
    for name in groups.tallies:
        told = (likeliest(groups, name), groups.sizes)
        pictures.append(_picture(name, whose.by_rows, _GUESSED, guessed[name], told, plan.suppressed, grain))
    if not pictures:
        return None
    apart = groups.distinct is not None
    return Risks(tuple(pictures), plan.exact and not apart, apart)


def share_alone(owners: OwnedGroups) -> float:
    """The share of the people with a row in some group who have all rows of one.

    >>> from discreet.counts.owners import owned
    >>> share_alone(owned([0, 0, 1, 1], [0, 0, 1, 2], np.ones(4, np.int64), 2, {}))  # the first of three people
    0.3333333333333333
    """
    movers = np.repeat(np.arange(len(owners.mover_starts) - 1), np.diff(owners.mover_starts))
    lone = owners.people == 1
    alone = int(owners.settled[lone].sum()) + len(np.unique(movers[lone[owners.mover_group]]))
    return alone / max(int(owners.settled.sum()) + len(np.unique(movers)), 1)


def people_alone(plan: Plan) -> float:
    """The same of a plan whose rows look alike; of rows that people have one each nothing is counted."""
    owners = None if plan.exact or plan.empty else plan.groups.owners
    return 0.0 if owners is None else share_alone(owners)


def exposed_people(plan: Plan) -> tuple[Exposure, ...]:
    """What rows don't show where people have several: that somebody has all rows that look like theirs; and that
    whoever has most of a group has some value likelier than not.
    """
    told = list[Exposure]()
    if alone := people_alone(plan):
        sentence = f"{percent(alone)} of the people are alone in a group: all rows that look like theirs are their own."
        told.append(Exposure(sentence, alone, alone >= ALONE))
    return (*told, *_likely_of_people(plan))


def _likely_of_people(plan: Plan) -> tuple[Exposure, ...]:
    groups = plan.groups
    if groups.owners is None or plan.frequency.leaf_rows is not None or plan.empty:
        return ()
    told = []
    for name in groups.tallies:
        share = float(groups.sizes[likeliest(groups, name) > 0.5 + _SAME].sum() / max(int(groups.sizes.sum()), 1))
        if share >= TOLD:
            told.append(
                f"{shown(name)}: whoever has most rows of a group has one of its values likelier than not, in groups "
                f"with {percent(share)} of the rows."
            )
    return tuple(Exposure(sentence, None, False) for sentence in told)


def likeliest(groups: Groups, attribute: str) -> FloatArray:
    """Per group, how sure a guess of somebody's value is: the chance of the likeliest one, of whoever has most rows."""
    if groups.owners is not None:
        from discreet.models.by_people import chances  # late: it needs kernels, and most tables have no owners

        return chances(groups, attribute)
    t = groups.tallies[attribute]
    found = np.zeros(len(groups.sizes))
    filled = np.diff(t.offsets) > 0
    if filled.any():
        found[filled] = np.maximum.reduceat(t.counts, t.offsets[:-1][filled])
    return found / np.maximum(groups.sizes, 1)


Chances = tuple[FloatArray, IntArray]  # and of how many each is


def _of_table(f: FrequencySet) -> tuple[Chances, Mapping[str, Chances]]:
    """In the table itself rows with the same exact quasi-identifiers can't be told apart: the chances to pick a row
    among them, and for each sensitive column to guess its value.
    """
    if f.owners is not None:
        groups = _places(f)
        return links(groups), {name: (likeliest(groups, name), groups.sizes) for name in f.sensitive}
    if (begin := _places_in_order(f)) is not None:  # as nearly every table is counted
        sizes, most = np.add.reduceat(f.counts, begin), np.maximum.reduceat(f.counts, begin)
        return (1 / sizes, sizes), dict.fromkeys(f.sensitive, (most / sizes, sizes))
    place, sizes = _numbered(f), np.empty(0, dtype=np.int64)
    guessed = {}
    for name, codes in (f.sensitive or {"": np.zeros(len(place), dtype=np.int32)}).items():
        values = int(codes.max(initial=0)) + 1
        cell, at, counts = place * values + codes, place, f.counts
        if (cell[1:] < cell[:-1]).any():  # a single sort, as there may be millions
            order = np.argsort(cell)
            cell, at, counts = cell[order], place[order], counts[order]
        first = _begins(cell)
        of_value, begin = np.add.reduceat(counts, first), _begins(at[first])
        sizes = np.add.reduceat(of_value, begin)
        guessed[name] = np.maximum.reduceat(of_value, begin) / sizes, sizes
    return (1 / sizes, sizes), guessed


def _begins(numbers: IntArray) -> IntArray:
    """Where runs of equal numbers begin."""
    return np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1]])[: len(numbers)])


def _places_in_order(f: FrequencySet) -> IntArray | None:
    """Where each place begins, if the combinations stand in the order of their quasi-identifiers and of one sensitive
    column, each once; else None.

    A block at a time, so that the numbers of combinations are never all there.
    """
    hierarchies = [*f.hierarchies, *(f.sensitive_hierarchies[name] for name in f.sensitive)]
    columns, sizes = [*f.codes, *f.sensitive.values()], [len(h.leaves) for h in hierarchies]
    if len(f.sensitive) > 1 or math.prod(sizes) >= _LARGEST:
        return None
    own = sizes[-1] if f.sensitive else 1  # numbers of a place
    begins = [np.zeros(min(len(f.counts), 1), dtype=np.int64)]
    for start in range(0, len(f.counts), _BLOCK):
        here = slice(max(start - 1, 0), min(start + _BLOCK, len(f.counts)))
        number = np.zeros(here.stop - here.start, dtype=np.int64)
        for codes, size in zip(columns, sizes, strict=True):
            number *= size
            number += codes[here]
        if (number[1:] <= number[:-1]).any():
            return None
        number //= own
        begins.append(here.start + 1 + np.flatnonzero(number[1:] != number[:-1]))
    return np.concatenate(begins)


def _numbered(f: FrequencySet) -> IntArray:
    """A number for the quasi-identifiers of each combination, small enough to be multiplied by one of a value."""
    most = max((len(h.leaves) for h in f.sensitive_hierarchies.values()), default=1)
    if math.prod(len(h.leaves) for h in f.hierarchies) * most >= _LARGEST:
        return f.places
    number = np.zeros(len(f.counts), dtype=np.int64)
    for h, codes in zip(f.hierarchies, f.codes, strict=True):
        number = number * len(h.leaves) + codes
    return number


def _places(f: FrequencySet) -> Groups:
    """The table itself as groups of people who may have several rows."""
    place = f.places
    many = int(place.max(initial=-1)) + 1
    sizes = np.bincount(place, weights=f.counts, minlength=many).astype(np.int64)
    tallies = {
        name: tally(place, codes, f.counts, many, f.totals[name], f.sensitive_hierarchies[name])
        for name, codes in f.sensitive.items()
    }
    return Groups(sizes, tallies, owners=f.owned_places)


def _picture(
    attribute: str,
    whose: Whose,
    steps: Sequence[tuple[Fraction, str]],
    before: Chances | None,
    after: Chances,
    left_out: int,
    grain: Grain | None,
) -> RiskPicture:
    everybody = int(after[1].sum()) + left_out
    of_release = _shares(steps, after, everybody)
    of_table = np.zeros(len(steps)) if before is None else _shares(steps, before, int(before[1].sum()))
    told = [
        _step(label, float(b), float(a), grain) for (_, label), b, a in zip(steps, of_table, of_release, strict=True)
    ]
    if left_out:
        told.append(_step(LEFT_OUT, 0.0, left_out / everybody, grain))
    return RiskPicture(
        shown(attribute) if attribute else "",
        whose.people,
        tuple(told),
        None if before is None else _mean(before),
        _mean(after),
    )


def _step(label: str, before: float, after: float, grain: Grain | None) -> RiskStep:
    """As it is, where it is no secret; else rounded."""
    if grain is None:
        return RiskStep(label, 100 * before, 100 * after, percent(before), percent(after))
    rounded = [grain.round(share) for share in (before, after)]
    told = [
        f"{whole}%" if whole or not share else f"<{grain.step}%"
        for whole, share in zip(rounded, (before, after), strict=True)
    ]
    return RiskStep(label, rounded[0], rounded[1], told[0], told[1])


def _shares(steps: Sequence[tuple[Fraction, str]], found: Chances, everybody: int) -> FloatArray:
    """The share of everybody whose chance lies in each step; a step has all from its own end up to the one before."""
    ends = np.array([float(end) for end, _ in steps])
    place = np.searchsorted(-ends, -(found[0] + _SAME), side="left")
    shares: FloatArray = np.bincount(place, weights=found[1], minlength=len(steps))[: len(steps)] / max(everybody, 1)
    return shares


def _mean(found: Chances) -> float:
    return float((found[0] * found[1]).sum() / max(int(found[1].sum()), 1))


def _private(known: Private) -> Risks | None:
    return risks(known.plan, known.whose, known.grain)


def _public(known: Public) -> tuple[RiskPicture, ...]:
    return guesses(known.groups, known.whose)


RISKS = Section(_private, "report_risks.html.j2")
GUESSES = Section(_public, "report_guesses.html.j2", pages=(RELEASE,))
