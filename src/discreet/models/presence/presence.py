"""δ-presence: nobody can be told to be in the table, or not to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from discreet.addresses import located, public
from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups
from discreet.errors import DataError, Infeasible, Mistake
from discreet.models.parameters import Choice, Interval, Parameter, Parameterized, as_text, as_word

JUDGED, TOLD = "judged", "told"  # by what it is decided who is left out
UNLIMITED = 1 << 61  # more people than there are
# More rows than any table has: what a group costs that no suppression can mend.
IMPOSSIBLE = 1 << 40


@dataclass(frozen=True)
class Presence(Parameterized):
    """Whoever knows the whole population can't tell anybody's presence beyond delta.

    Nergiz & Clifton 2008, definition 7 and equation 1: δmin ≤ n_T(q) / n_P(q) ≤ δmax for every group q of the
    population, also for those without a row of the table, where it is 0. Both are counted after the same
    generalization, in which no two groups overlap. Rows that are left out are judged as one group.

    `suppression` says by what it is decided who is left out. `judged`: by the population alone, so that somebody who
    knows how it is decided knows no more; of everybody who is left out whoever is in the table, so many are in it.
    `told`: groups that break a promise are. That loses less, and is judged for somebody who does not know it: one of
    all the people in no published group. Whoever does may be sure of some of them.

    `population` is where the population is read from: a path or a frame; None if it is the table that the private
    rows are chosen from.

    >>> p = Presence((0.5, "2/3"))
    >>> p.holds(Groups(np.array([3, 2]), population=np.array([6, 3])))
    array([ True,  True])
    """

    delta: Any  # (δmin, δmax), kept as fractions
    population: Any = field(default=None, compare=False, repr=False)
    suppression: str = JUDGED
    attribute = ""
    monotone = True
    higher_is_safer = False
    among_people = True
    word = "presence"
    parameters: ClassVar[Mapping[str, Parameter]] = {"delta": Interval(), "suppression": Choice((JUDGED, TOLD))}

    @property
    def hides_by_people(self) -> bool:
        """Does who is left out follow from the population?"""
        return self.suppression == JUDGED

    def holds(self, groups: Groups) -> BoolArray:
        return within(self.delta, groups.sizes, population_in(groups, self.word))

    def level(self, groups: Groups) -> FloatArray:
        """The probability of being in the table."""
        return groups.sizes / np.maximum(population_in(groups, self.word), 1)

    def least_suppressed(self, groups: Groups) -> IntArray:
        """Parts that hold have at most δmax of the group's people; what lies below δmin loses a row, if it has one.

        If it follows from the population who is left out, parts below δmin may be left out without a row.
        """
        low, high = self.delta
        rows, people = groups.sizes, population_in(groups, self.word)
        least: IntArray = np.maximum(rows - times(people, high), 0).astype(np.int64, copy=False)
        if self.hides_by_people or low.numerator == 0:
            return least
        too_few = (_exact(rows, low.denominator) < _exact(people, low.numerator)).astype(np.bool_)
        least = np.maximum(least, np.where(too_few, 1, 0))
        return np.where(too_few & (rows == 0), IMPOSSIBLE, least).astype(np.int64)

    def rest(self, groups: Groups) -> tuple[bool, float] | None:
        if not groups.elsewhere and not groups.left_out:
            return None
        rows, people = groups.unpublished
        return bool(within(self.delta, rows, people).all()), float((rows / np.maximum(people, 1)).max())

    def out_of_reach(self, rows: int, people: int) -> Infeasible | None:
        """The error for a δ that no release of so many rows can keep, if it is one.

        Everybody is in one published group or in the rest, so that the table's share of the population is a mean of all
        chances of being in it, and lies between the least and the largest of them.

        >>> Presence((0, 0.1)).out_of_reach(70, 300).mistakes[0].repair
        'choose delta with 0.2333 in it, publish fewer rows, or name a larger population'
        """
        if within(self.delta, np.array([rows]), np.array([people]))[0]:
            return None
        share = f"{rows / people:.4g}"
        rule = (
            f"{self.describe()} can't be had: {rows:,} of the population's {people:,} are in the table, which is "
            f"{share} of them, and the chance of being in it is as much on average, whatever is published"
        )
        other = "fewer rows, or name a larger" if rows > self.delta[1] * people else "more rows, or name a smaller"
        return Infeasible(rule, repair=f"choose delta with {share} in it, publish {other} population")

    def among(self) -> object | None:
        return named(self.population)

    def require(self) -> str:
        return f"between {as_text(self.delta[0])} and {as_text(self.delta[1])}"

    def describe(self) -> str:
        return f"({as_text(self.delta[0])}, {as_text(self.delta[1])})-presence"

    def to_words(self) -> dict[str, dict[str, object]]:
        words: dict[str, object] = {"delta": as_word(self.delta)} | source_words(self.population)
        return {self.word: words if self.hides_by_people else words | {"suppression": self.suppression}}


def within(delta: tuple[Fraction, Fraction], rows: IntArray, people: IntArray) -> BoolArray:
    """δmin ≤ rows / people ≤ δmax, in whole numbers.

    >>> within((Fraction(1, 2), Fraction(2, 3)), np.array([1, 2]), np.array([3, 3])).tolist()
    [False, True]
    """
    low, high = delta
    verdict: BoolArray = np.asarray(_exact(rows, high.denominator) <= _exact(people, high.numerator), dtype=np.bool_)
    if low.numerator > 0:
        verdict &= (_exact(rows, low.denominator) >= _exact(people, low.numerator)).astype(np.bool_)
    return verdict


def named(population: Any) -> object | None:
    """A population as it was given: a file by its path, a frame by being the same one."""
    if population is None:
        return None
    return str(located(Path(), population)) if isinstance(population, str | Path) else id(population)


def source_words(population: object) -> dict[str, object]:
    """A population by the name of its file or table; folders of this machine and servers are nobody's business.

    >>> source_words("postgresql://db.example/registry#everybody")
    {'population': 'postgresql://#everybody'}
    """
    return {"population": public(str(population))} if isinstance(population, str | Path) else {}


def times(counts: IntArray, factor: Fraction) -> IntArray:
    """The products rounded down, and cut at what is UNLIMITED.

    >>> times(np.array([9, 10]), Fraction(3, 10)).tolist()
    [2, 3]
    """
    over, under = factor.numerator, factor.denominator
    if max(int(np.maximum.reduce(np.abs(counts), initial=1)) * over, under) < UNLIMITED:
        return counts * over // under
    found: IntArray = np.clip(counts.astype(object) * over // under, -UNLIMITED, UNLIMITED).astype(np.int64)
    return found


def _exact(counts: IntArray, factor: int) -> Any:
    """The products as machine integers where they fit, else as Python's."""
    if factor == 1:
        return counts
    fits = factor * int(np.maximum.reduce(counts, initial=1)) < 1 << 62
    return counts * factor if fits else counts.astype(object) * factor


def population_in(groups: Groups, word: str) -> IntArray:
    """How many people of the population each group covers, for a promise by this word."""
    if groups.population is None:
        rule = "needs the population, which is not here"
        raise DataError(Mistake(word, rule, "give it again: --population FILE (in Python, population=…)"))
    return groups.population
