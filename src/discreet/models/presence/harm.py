"""Choosing δ from the harm: how sure may others become that somebody is in a table of people with some condition?

Being in the table tells that a person has the condition. Others believe so anyway, with the condition's share among all
people. What a release adds to that does harm when somebody acts on it: an employer who would bear the cost, say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

from discreet.errors import Mistake, PolicyError
from discreet.models.parameters import Number, Parameter, Threshold, Whole, read_parameters

DIGITS = 4  # of δ in a policy
MOST_DIGITS = 12  # beyond, it is written as a fraction

_PARAMETERS: Mapping[str, Parameter] = {
    "prior": Number(0, 1, why="it is the share of all people who have the condition"),
    "population": Whole(1, "somebody must be there"),
    "table": Whole(1, "nobody can be found in an empty table"),
    "misuse": Number(0, closed=True, why="it is what misuse may cost"),
    "misuse_below": Number(0, closed=True, why="it is what misuse may cost"),
    "cost": Number(0, why="a condition that costs nothing does no harm"),
    "presence": Number(0, closed=True, most=1, why="it is a probability"),
}


@dataclass(frozen=True)
class Harm:
    """What everybody knows before a release, and how far it may move what they believe.

    `prior` is the share of the `population` who have the condition; everybody in the `table` has it. The belief that
    somebody has it may rise by `rise` and fall by `fall`.
    """

    prior: Fraction
    population: int
    table: int
    rise: Fraction
    fall: Fraction

    @property
    def share(self) -> Fraction:
        """Anybody's chance of being in the table, for those who don't see the release."""
        return Fraction(self.table, self.population)

    @property
    def delta(self) -> tuple[Fraction, Fraction]:
        """The least and the largest chance of being in the table that move no belief too far, within [0, 1]."""
        return max(self._presence(-self.fall), Fraction(0)), min(self._presence(self.rise), Fraction(1))

    @property
    def rounded(self) -> tuple[Fraction, Fraction]:
        """The same in few digits, for a policy: never looser, and never so strict that no release could keep it.

        Everything in one group gives everybody the chance `share`, so that stays inside.
        """
        low, high = self.delta
        for digits in range(DIGITS, MOST_DIGITS + 1):
            ends = _rounded(low, digits, up=True), _rounded(high, digits, up=False)
            if ends[0] <= self.share <= ends[1]:
                return ends
        return low, high

    def belief(self, presence: Fraction) -> Fraction:
        """The belief that a person has the condition who is in the table with the probability `presence`.

        Whoever is in it has it; among the others are all who have it and are not in the table.
        """
        others = (self.prior * self.population - self.table) / (self.population - self.table)
        return presence + (1 - presence) * others

    def _presence(self, moved: Fraction) -> Fraction:
        """The chance of being in the table at which the belief is the prior and so much more."""
        people, rows = self.population, self.table
        return (moved * people + (1 - moved - self.prior) * rows) / ((1 - self.prior) * people)


def _rounded(number: Fraction, digits: int, *, up: bool) -> Fraction:
    """To so many significant digits.

    >>> [str(_rounded(Fraction(1, 30), 2, up=up)) for up in (True, False)]
    ['17/500', '33/1000']
    """
    if not number:
        return number
    magnitude = len(str(number.numerator)) - len(str(number.denominator))  # or one less
    unit = Fraction(10) ** (magnitude - (number < Fraction(10) ** magnitude) - digits + 1)
    return (ceil(number / unit) if up else floor(number / unit)) * unit


def delta_from_harm(
    prior: Threshold,
    population: int,
    table: int,
    misuse: Threshold,
    cost: Threshold,
    misuse_below: Threshold | None = None,
) -> tuple[Fraction, Fraction]:
    """(δmin, δmax) for the promise presence, so that acting on the release is worth no more than is tolerable.

    Nergiz & Clifton, section 6. A share `prior` of the `population` people has a condition, and `table` of those who
    have it are in the table. Knowing it of somebody is worth `cost`; a difference of `misuse` is noise. So the belief
    that somebody has it may rise by misuse / cost, and fall by misuse_below / cost (the same, if not given) lest those
    who are surely not in the table are preferred.

    Diabetes has a share of 7% and costs 10,000 a year; 100 more does not matter to an employer, nor does 200 less:

    >>> low, high = delta_from_harm(0.07, 100, 4, misuse=100, cost=10_000, misuse_below=200)
    >>> round(float(low), 4), round(float(high), 4)
    (0.0194, 0.0503)
    """
    return harm(prior, population, table, misuse, cost, misuse_below).delta


def belief(prior: Threshold, population: int, table: int, presence: Threshold) -> Fraction:
    """The belief that somebody has the condition, at this chance of being in the table. See `delta_from_harm`.

    >>> [round(float(belief(0.07, 100, 4, presence)), 4) for presence in (0, 0.04, 1)]
    [0.0312, 0.07, 1.0]
    """
    words = {"prior": prior, "population": population, "table": table, "presence": presence}
    numbers = _read(words)
    harmless = Harm(numbers["prior"], numbers["population"], numbers["table"], Fraction(0), Fraction(0))
    return harmless.belief(numbers["presence"])


def harm(
    prior: Threshold,
    population: int,
    table: int,
    misuse: Threshold,
    cost: Threshold,
    misuse_below: Threshold | None = None,
) -> Harm:
    """What `delta_from_harm` reckons with; everything that is wrong with it is told at once."""
    words = {"prior": prior, "population": population, "table": table, "misuse": misuse, "cost": cost}
    numbers = _read(words if misuse_below is None else words | {"misuse_below": misuse_below})
    rise, fall = (numbers.get(name, numbers["misuse"]) / numbers["cost"] for name in ("misuse", "misuse_below"))
    return Harm(numbers["prior"], numbers["population"], numbers["table"], rise, fall)


def _read(words: Mapping[str, object]) -> dict[str, Any]:
    numbers, mistakes = read_parameters("harm", _PARAMETERS, words)
    if {"population", "table"} <= numbers.keys() and numbers["table"] > numbers["population"]:
        rule = f"must be at most the population's {numbers['population']:,} people, got {numbers['table']:,}"
        mistakes.append(Mistake("harm.table", rule, "the people in the table are some of the population"))
    elif {"prior", "population", "table"} <= numbers.keys():
        having = int(numbers["prior"] * numbers["population"])
        if numbers["table"] > having:
            rule = f"must be at most the {having:,} people who have the condition, got {numbers['table']:,}"
            repair = f"everybody in the table has it, so prior is at least {numbers['table']}/{numbers['population']}"
            mistakes.append(Mistake("harm.table", rule, repair))
    if mistakes:
        raise PolicyError(*mistakes)
    return numbers
