"""Who is in the table? How sure anybody could be of that, where a release promises something about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, floor
from typing import Any

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups, Outside
from discreet.labels.figures import between, chance, number
from discreet.labels.whose import Whose
from discreet.models.parameters import exact
from discreet.models.presence.by_pairs import sure_confidence
from discreet.models.presence.confidence import confidence
from discreet.models.presence.presence import Presence
from discreet.models.presence.residuals import measured_margin
from discreet.models.presence.words import by_pairs, margin_of
from discreet.report.sections.registry import Private, Section
from discreet.report.words import model_of

MOST_STEPS = 8  # of a chart, beside those at what was asked
WIDE = 20  # chances that differ by more than this factor are shown in steps of 1, 2, 5, 10, …
FINEST = 40  # a step is no less than this part of the largest chance
WORK = 100_000_000  # groups × people outside whose confidences take a moment; of more groups a sample is told
LEAST_GROUPS = 25  # fewer say nothing about the others
SEED = 0  # the same plan gives the same page

_ROUND = sorted({m / 10**e for e in range(17) for m in (1, 2, 5) if m <= 10**e})
_CONFIDENCES = (0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
_NEARLY = 0.1
_SAME = 1e-9  # what lies this close to an edge is at the edge: a histogram decides nothing


@dataclass(frozen=True)
class PresenceBin:
    """People whose chance of being in the table is above `low` and at most `high`; none at all if both are 0."""

    low: float
    high: float
    people: int

    @property
    def in_words(self) -> str:
        return "none" if not self.high else f"{chance(self.low)} to {chance(self.high)}"


@dataclass(frozen=True)
class Present:
    """How likely everybody in the population is to be in the table, for somebody who knows the whole population.

    `least` and `most` are what was asked, None where any chance is small (large) enough. Of the `elsewhere` people in
    no published group, `left_out` are in the table, and all of these among the `hidden`. `rows` and those left out are
    people, who may have `several_rows`.
    """

    least: float | None
    most: float | None
    people: int
    rows: int
    smallest: float
    largest: float
    bins: tuple[PresenceBin, ...]
    elsewhere: int
    left_out: int
    hidden: int
    whose: Whose
    several_rows: bool = False

    @property
    def share(self) -> float:
        """Anybody's chance for those who don't see the release."""
        return self.rows / max(self.people, 1)

    @property
    def gain(self) -> float:
        """How many times more likely the release makes it that somebody is in the table, at most."""
        return self.largest / self.share if self.rows else 1.0

    @property
    def achieved(self) -> str:
        """The chances, as numbers like those that were asked for."""
        return f"between {number(self.smallest)} and {number(self.largest)}"

    @property
    def in_words(self) -> str:
        """The chances, for people."""
        return between(self.smallest, self.largest)

    @property
    def others_in_words(self) -> str:
        """What can be told of people in no published group."""
        if not self.elsewhere:
            return self.whose.either("nobody", "none")
        who = self.whose.so_many(self.elsewhere)
        if not self.left_out:
            return f"{who}, surely not in the table"
        rows = f"{self.left_out:,} suppressed row{'s' * (self.left_out != 1)}"
        if self.several_rows:
            rows = f"{self.whose.so_many(self.left_out)} whose rows are suppressed"
        if self.hidden == self.elsewhere:
            return f"{who}, with {rows} among them: a chance of {chance(self.left_out / self.elsewhere)}"
        few = f"so few {self.whose.people} that all of these are suppressed"
        where = f"{self.hidden:,} of them, {self.whose.either('who', 'which')} are in groups of {few}"
        told = f"a chance of {chance(self.left_out / max(self.hidden, 1))}"
        return f"{who}, with {rows} among {where}: {told}; the others are surely not in the table"


@dataclass(frozen=True)
class ConfidenceBin:
    """Groups with a confidence of at least `low` and below `high` (1 included), and how many rows they have."""

    low: float
    high: float
    groups: int
    rows: int

    @property
    def in_words(self) -> str:
        return f"{chance(self.low)} to {chance(self.high)}"


@dataclass(frozen=True)
class Confident:
    """How sure the publisher is that each group keeps δ, who knows of the people outside one column at a time.

    `outside` is how many people are not in the table, `broken` how many groups are to be expected beyond δ. `coverage`
    says whether every possible group was asked to be there. `groups` of `all_groups` were looked at; the smallest
    confidence is of all.
    """

    delta: str
    asked: float
    smallest: float
    mean: float
    groups: int
    all_groups: int
    bins: tuple[ConfidenceBin, ...]
    broken: float
    outside: int
    columns: int
    coverage: bool
    left_out: int
    from_zero: bool  # δmin is 0: being known not to be in the table is tolerated
    whose: Whose
    by_pairs: bool = False  # is it known how values of two columns go together?
    tied: int = 0  # along so many pairs of columns, a tree
    margin: float = 0.0  # so many people as are expected may be a factor e^margin more or fewer
    measured: float | None = None  # the margin that the table's own rows ask for

    @property
    def bounded(self) -> bool:
        """Are these confidences that are surely reached, and not the confidences themselves?"""
        return self.by_pairs or self.margin > 0

    @property
    def known_in_words(self) -> str:
        """What is known of the people outside, as a title has it."""
        if self.by_pairs:
            return "how many of them have each value, and each two values together"
        return "how many of them have each value of a column"

    @property
    def worlds_in_words(self) -> str:
        """What is taken to be equally likely."""
        if self.by_pairs:
            tied = f"{self.tied} pair{'s' * (self.tied != 1)} of columns that tell most about each other"
            told = (
                f"the counts of each column and of two together; every world that fits those of the {tied} is taken to "
                "be as likely as any other, and no group is reckoned to have more people than any two columns allow"
            )
        else:
            each = f"each of {self.columns} columns, not how their values go together"
            told = (
                f"the counts of {'one column' if self.columns == 1 else each}; every world that fits them is taken to "
                "be as likely as any other"
            )
        if self.margin:
            told += f"; a group's expected number may be {self.factor} times as large or as small"
        return told

    @property
    def measured_in_words(self) -> str:
        """What the table's own rows say of its pairs."""
        assert self.measured is not None
        enough = "which is allowed for" if self.measured <= self.margin else "more than is allowed for"
        return (
            f"cut into boxes of about as many rows, {chance(self.asked)} of these have the number that its pairs say "
            f"within a factor of {number(round(exp(self.measured), 2))}: a margin of {self.measured:g}, {enough}"
        )

    @property
    def factor(self) -> str:
        """By how much expected numbers may be off."""
        return number(round(exp(self.margin), 2))

    @property
    def rows(self) -> int:
        """How many rows the groups have that were looked at."""
        return sum(b.rows for b in self.bins)

    @property
    def least_in_words(self) -> str:
        return at_least(self.smallest)

    @property
    def mean_in_words(self) -> str:
        return at_least(self.mean)

    @property
    def broken_in_words(self) -> str:
        """How many groups go wrong, on average over all worlds."""
        told = "none" if not self.broken else "fewer than 0.01" if self.broken < 0.01 else number(round(self.broken, 2))
        about = "about " if self.groups < self.all_groups and self.broken >= 0.01 else ""
        about += "at most " if self.bounded and self.broken >= 0.01 else ""
        return f"in an average world, {about}{told} of {self.all_groups:,} group{'s' * (self.all_groups != 1)}"

    @property
    def coverage_in_words(self) -> str:
        if self.coverage:
            return f"{self.whose.everybody} would stand in a group of the release"
        others = f"{self.whose.either('whoever', 'whatever')} would stand in none of the groups"
        if self.left_out:
            rows = f"{self.left_out:,} suppressed row{'s' * (self.left_out != 1)}"
            return f"{rows} and {others} are judged together, as one"
        if self.from_zero:
            return f"{others} is surely not in the table, which was tolerated"
        return f"nothing is promised of {others}, which is surely not in the table"


def confident(
    groups: Groups,
    promises: Sequence[Mapping[str, Any]],
    whose: Whose,
    frequency: FrequencySet | None = None,
) -> tuple[Confident, ...]:
    """The confidence of the groups, for each such promise; nothing where the marginals are not known."""
    if groups.outside is None or not groups.sizes.any():
        return ()
    known = groups.outside.marginals.pairs is not None
    about = [p for p in promises if model_of(p)[0] == "confident_presence" and (known or not by_pairs(model_of(p)[1]))]
    return tuple(_confident(groups, groups.outside, p, whose, frequency) for p in about)


def _confident(
    groups: Groups, outside: Outside, promise: Mapping[str, Any], whose: Whose, frequency: FrequencySet | None
) -> Confident:
    p, size = model_of(promise)[1], outside.marginals.size
    delta, asked = Presence(p["delta"]).delta, float(exact(p["confidence"]))
    filled = np.flatnonzero(groups.sizes)  # of the others nothing is published
    chosen = filled
    if len(filled) > (most := max(WORK // max(size, 1), LEAST_GROUPS)):
        chosen = np.sort(np.random.default_rng(SEED).permutation(filled)[:most])
    rows = groups.sizes[chosen]
    pairs, margin, told = by_pairs(p), margin_of(p), outside.marginals.pairs
    if pairs or margin:
        some = Outside(outside.low[chosen], outside.high[chosen], outside.marginals)
        levels = sure_confidence(groups.persons[chosen], some, delta, margin, pairs)
    else:
        levels, _ = confidence(groups.persons[chosen], outside.counts[chosen], size, delta)
    measured = None
    if pairs and told is not None and frequency is not None:
        measured = measured_margin(frequency, told.edges, exact(p["confidence"]), both=delta[0] > 0)
    smallest = float(levels.min())
    return Confident(
        between(*map(float, delta)) if delta[0] < delta[1] else f"of {chance(float(delta[0]))}",
        asked,
        smallest if len(chosen) == len(filled) else min(smallest, float(promise["level"])),
        float((levels * rows).sum() / rows.sum()),
        len(chosen),
        len(filled),
        confidence_bins(levels, rows, asked),
        float((1 - levels).sum() * len(filled) / len(chosen)),
        size,
        outside.counts.shape[1],
        bool(p.get("coverage", False)),
        groups.left_out,
        delta[0] == 0,
        whose,
        pairs,
        len(told.edges) if told is not None else 0,
        float(margin),
        None if measured is None else float(measured),
    )


def confidence_bins(levels: FloatArray, rows: IntArray, asked: float) -> tuple[ConfidenceBin, ...]:
    """Groups by confidence, finer towards 1; what was asked is an edge, and who is at it is above.

    >>> found = confidence_bins(np.array([0.8, 0.85, 1.0]), np.array([5, 6, 7]), 0.8)
    >>> [(b.low, b.high, b.rows) for b in found]
    [(0.8, 0.9, 11), (0.9, 0.95, 0), (0.95, 0.99, 0), (0.99, 0.999, 0), (0.999, 1.0, 7)]
    """
    near = [e for e in _CONFIDENCES if abs(e - asked) > _NEARLY * (1 - asked)]
    edges = np.array(sorted({*near, asked, 0.0, 1.0}))
    place = np.searchsorted(edges * (1 - _SAME), levels, side="right") - 1
    place = np.clip(place, 0, len(edges) - 2)
    groups, held = np.bincount(place, minlength=len(edges)), np.bincount(place, weights=rows, minlength=len(edges))
    steps = range(int(place.min()), int(place.max()) + 1)
    return tuple(ConfidenceBin(float(edges[i]), float(edges[i + 1]), int(groups[i]), int(held[i])) for i in steps)


def at_least(share: float) -> str:
    """A probability that is no less than told, to three digits.

    >>> at_least(0.79996), at_least(0.8 - 1e-12), at_least(1.0), at_least(0.99999)
    ('79.9%', '80%', '100%', '99.9%')
    """
    return f"{floor(share * 1000 + 1e-8) / 10:g}%"  # confidences are known to a trillionth or so


def present(groups: Groups, promises: Sequence[Mapping[str, Any]], whose: Whose) -> Present | None:
    """Everybody's chance, beside what was asked; None where nothing was, or the population is not known."""
    asked = [Presence(p["delta"]).delta for word, p in map(model_of, promises) if word == "presence"]
    if not asked or groups.population is None or not len(groups) + groups.elsewhere:
        return None
    several_rows, groups = groups.owners is not None, groups.in_people()
    assert groups.population is not None
    chances, people = groups.sizes / np.maximum(groups.population, 1), groups.population
    if groups.elsewhere:
        rows, others = groups.unpublished
        chances, people = np.append(chances, rows / np.maximum(others, 1)), np.append(people, others)
    least, most = max(low for low, _ in asked), min(high for _, high in asked)
    return Present(
        float(least) if least > 0 else None,
        float(most) if most < 1 else None,
        int(people.sum()),
        int(groups.sizes.sum()) + groups.left_out,
        float(chances.min()),
        float(chances.max()),
        presence_bins(chances, people, float(least), float(most)),
        groups.elsewhere,
        groups.left_out,
        groups.elsewhere if groups.hidden is None else groups.hidden,
        whose,
        several_rows,
    )


def presence_bins(
    found: FloatArray, people: IntArray, least: float = 0.0, most: float = 1.0
) -> tuple[PresenceBin, ...]:
    """So many people by their chance, in round steps that fit; both limits are edges, and who is at one is inside.

    >>> chances, people = np.array([0.0, 0.05, 0.07]), np.array([1, 20, 30])
    >>> [(b.low, b.high, b.people) for b in presence_bins(chances, people, 0.05, 0.1)]
    [(0.0, 0.0, 1), (0.05, 0.055, 20), (0.055, 0.06, 0), (0.06, 0.065, 0), (0.065, 0.07, 30)]
    """
    never = found <= 0
    bins = [PresenceBin(0.0, 0.0, int(people[never].sum()))] if never.any() else []
    if never.all():
        return tuple(bins)
    found, people = found[~never], people[~never]
    edges = np.array(_edges(float(found.min()), float(found.max()), least, most))
    place = np.searchsorted(edges * (1 + _SAME), found)
    if least > 0:
        place = np.where(np.abs(found - least) <= least * _SAME, np.searchsorted(edges, least) + 1, place)
    place = np.clip(place, 1, len(edges) - 1)
    held = np.bincount(place, weights=people, minlength=len(edges))
    filled = np.flatnonzero(held)
    steps = range(int(filled[0]), int(filled[-1]) + 1)
    return (*bins, *(PresenceBin(float(edges[i - 1]), float(edges[i]), int(held[i])) for i in steps))


def _edges(smallest: float, largest: float, least: float, most: float) -> list[float]:
    """Round numbers around all chances, and the limits; a round number that all but meets a limit gives way to it."""
    if largest > WIDE * smallest:
        last = int(np.searchsorted(_ROUND, largest))
        edges = [0.0, *_ROUND[max(last - MOST_STEPS, 0) : last + 2]]
    else:
        step = exact(next(r for r in _ROUND if r >= largest / FINEST and r * MOST_STEPS >= largest - smallest))
        first = max(int(smallest / step) - 1, 0)
        edges = [float(i * step) for i in range(first, int(largest / step) + 3)]
    for limit in (least, most):
        above = int(np.searchsorted(edges, limit))
        if 0 < limit < 1 and 0 < above < len(edges):
            apart = (edges[above] - edges[above - 1]) / 4
            edges = [e for e in edges if e in (least, most) or abs(e - limit) > apart]
        edges = sorted({*edges, limit})
    return sorted({*(e for e in edges if e < 1), 1.0})


def _present_line(figures: Present) -> list[str]:
    others = f"; in no published group: {figures.others_in_words}" if figures.elsewhere else ""
    return [
        f"chance of being in the table: {figures.in_words}, {chance(figures.share)} in the population of "
        f"{figures.people:,}{others}"
    ]


def _confident_lines(figures: tuple[Confident, ...]) -> list[str]:
    lines = []
    for one in figures:
        lines.append(
            f"confidence that {one.whose.people} are in the table with a chance {one.delta}: at least "
            f"{one.least_in_words} for every group, {one.mean_in_words} on average"
        )
        if one.measured is not None:
            lines.append(f"the table itself, {one.measured_in_words}")
    return lines


def _presence(known: Private) -> Present | None:
    return present(known.plan.groups, known.promises, known.whose)


def _confidences(known: Private) -> tuple[Confident, ...]:
    return confident(known.plan.groups, known.promises, known.whose, known.plan.frequency)


PRESENCE = Section(_presence, "report_presence.html.j2", lines=_present_line)
CONFIDENCES = Section(_confidences, "report_confidences.html.j2", lines=_confident_lines)
