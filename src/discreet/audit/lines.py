"""One adversary, one line: the worst she can do, to how many people, and the group that decides it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.audit.reading.whose import ROWS, UNSAID, Ownership

PRESENCE, ASSOCIATION, REIDENTIFICATION = "presence", "association", "re-identification"
EXACT, AT_MOST, AT_LEAST, ESTIMATE = "exact", "at most", "at least", "an estimate"
ROUNDED = 1e-10  # more than chances that are worked out in many steps can be off, of themselves
BELOW = "below"  # as AT_MOST and AT_LEAST, of what a promise requires

# Where chances are told apart in histograms: up to each of these; the last step is certainty alone.
STEPS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, float(np.nextafter(1.0, 0.0)), 1.0)


@dataclass(frozen=True)
class Deciding:
    """The group that an adversary learns most from: its number, its size (in rows, or people), and where it stands."""

    group: int
    size: int
    line: int | None = None  # in the file, the header being line 1
    file: str = ""
    of: str = ROWS


@dataclass(frozen=True)
class Line:
    """What one adversary knows now.

    `worst` is her largest posterior about anybody, `above` how many of `people` she believes something of with more
    than `threshold`. `histogram` counts people by `STEPS`. `precision` says in what sense the figures are meant; a
    figure that is not exact never errs on the side of the release. `promised` is the bound that the release claims for
    this very figure, if it does. `knows` and `assumes` are sentences for people who decide. `of` says what is counted:
    people, or rows where it is not known whose they are.
    """

    adversary: str  # a key in snake case, unique together with the attribute
    threat: str
    title: str
    knows: str
    assumes: str
    worst: float
    above: int
    people: int
    threshold: float
    histogram: tuple[int, ...]
    precision: str = EXACT
    attribute: str | None = None
    deciding: Deciding | None = None
    promised: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)  # further figures, told below the table
    of: str = ROWS

    @property
    def share_above(self) -> float:
        """The share of people above the threshold."""
        return self.above / max(self.people, 1)

    @property
    def breaks(self) -> bool:
        """Is the release's own promise broken by this figure?"""
        return self.promised is not None and self.precision != AT_MOST and self.worst > self.promised


def line(
    *,
    adversary: str,
    threat: str,
    title: str,
    knows: str,
    assumes: str,
    chance: FloatArray,
    people: IntArray,
    group: IntArray,
    sizes: IntArray,
    threshold: float,
    first_line: IntArray | None = None,
    file: str = "",
    precision: str = EXACT,
    attribute: str | None = None,
    promised: float | None = None,
    details: Mapping[str, Any] | None = None,
    rounded: float = 0.0,
    whose: Ownership = UNSAID,
    of: str = "",
) -> Line:
    """A line from what she believes: ``chance[i]`` about each of ``people[i]`` people, whom ``group[i]`` has.

    `sizes` and `first_line` are those of all groups; people in none have the group −1. People of whom she knows nothing
    may be among the units, chance 0. One division is exact: a quotient and the limit that it equals are the same
    floating-point number. Chances of more steps may be off by `rounded` (of themselves); those that are as near to a
    limit are taken for it, so that who is exactly at the limit is not above it. Whether sizes and people are of rows
    says `whose`; `of` says it of the people alone, where these are others (a list's).
    """
    chance = np.asarray(chance, dtype=np.float64)
    assert np.all((chance >= 0) & (chance <= 1 + 1e-9)), "a chance is between 0 and 1"
    chance = at_limits(np.minimum(chance, 1.0), (threshold, promised), rounded)
    deciding = None
    worst = np.flatnonzero((chance == chance.max(initial=0.0)) & (group >= 0))  # −1: no group speaks of them
    if len(worst):
        # The largest of the groups that decide: the more people it speaks of, the more it matters.
        g = int(group[worst[np.argmax(sizes[group[worst]])]])
        where = None if first_line is None else int(first_line[g])
        deciding = Deciding(g, int(sizes[g]), where, file, whose.unit)
    step = np.searchsorted(STEPS, at_limits(chance, STEPS[1:-2], rounded), side="left")
    histogram = np.bincount(step, weights=people, minlength=len(STEPS))
    return Line(
        adversary=adversary,
        threat=threat,
        title=title,
        knows=knows,
        assumes=assumes,
        worst=float(chance.max(initial=0.0)),
        above=int(people[chance > threshold].sum()),
        people=int(people.sum()),
        threshold=threshold,
        histogram=tuple(int(n) for n in histogram),
        precision=precision,
        attribute=attribute,
        deciding=deciding,
        promised=promised,
        details=dict(details or {}),
        of=of or whose.unit,
    )


def on_its_side(exact: Fraction, limit: Fraction) -> float:
    """A chance as a floating-point number that is above the limit's, or below it, if the chance itself is.

    >>> limit = Fraction(1, 3)
    >>> [on_its_side(limit + change, limit) > float(limit) for change in (Fraction(1, 10**30), Fraction(0))]
    [True, False]
    """
    nearest = float(exact)
    if nearest == float(limit) and exact != limit:
        return float(np.nextafter(nearest, 2.0 if exact > limit else -1.0))
    return nearest


def at_limits(chance: FloatArray, limits: Iterable[float | None], rounded: float) -> FloatArray:
    """Chances that are a limit's equal but for rounding become it.

    >>> at_limits(np.array([0.1 + 0.2, 0.31]), [0.3], ROUNDED).tolist()
    [0.3, 0.31]
    """
    for limit in limits if rounded else ():
        if limit is not None:
            chance = np.where(np.abs(chance - limit) <= rounded * limit, limit, chance)
    return chance


@dataclass(frozen=True)
class Fault:
    """Something that must not be in a release, whoever looks: the rule that is broken, how often, where, and a repair.

    Never anybody's values. What is not `grave` breaks no promise and need not be wrong, but somebody should look at it.
    Of what was not `judged` it is not known whether it is wrong: it could not be looked at, and does not pass.
    """

    fault: str  # a key in snake case
    place: str  # file, column or both
    rule: str
    repair: str
    count: int = 1
    line: int | None = None
    grave: bool = True
    judged: bool = True


MOST_OF_A_KIND = 10  # faults that are told one by one


def of_each_kind(faults: Iterable[Fault]) -> list[Fault]:
    """The first ten faults of each kind, followed by one that counts the others: a folder may hold thousands of files.

    >>> many = [Fault("unlisted_file", f"file{n}", "is not listed", "remove it") for n in range(1, 13)]
    >>> [(fault.place, fault.rule, fault.count) for fault in of_each_kind(many)[9:]]
    [('file10', 'is not listed', 1), ('2 more places', 'have faults of the same kind', 2)]
    """
    kinds: dict[tuple[str, bool, bool], list[Fault]] = {}
    for fault in faults:
        kinds.setdefault((fault.fault, fault.grave, fault.judged), []).append(fault)
    shortened = []
    for (kind, grave, judged), alike in kinds.items():
        rest = alike[MOST_OF_A_KIND:]
        shortened += alike[:MOST_OF_A_KIND]
        if rest:
            place = "1 more place" if len(rest) == 1 else f"{len(rest):,} more places"
            rule = f"{'has a fault' if len(rest) == 1 else 'have faults'} of the same kind"
            count = sum(fault.count for fault in rest)
            shortened.append(Fault(kind, place, rule, rest[0].repair, count, grave=grave, judged=judged))
    return shortened


@dataclass(frozen=True)
class Level:
    """One promise of the release, read a second time: what it requires, and what the published files reach.

    `figure` says in words what is counted. `required` is ``sense`` (at least, at most, below) a number. A promise that
    is about more than the files tell (a population, the source table) has neither `achieved` nor `holds`; `note` says
    what it would take. Of one that can't be read at all not even what is `required` is known. `of` says whether rows or
    people were counted.
    """

    model: str
    attribute: str | None
    figure: str
    sense: str
    required: float | None
    achieved: float | None
    holds: bool | None
    deciding: Deciding | None = None
    note: str = ""
    of: str = ROWS
