"""k-map: every published row could be about k people of the population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups
from discreet.errors import Infeasible
from discreet.models.groups.k_anonymity import LEAST_K
from discreet.models.parameters import Parameter, Parameterized
from discreet.models.presence.presence import named, population_in, source_words
from discreet.models.presence.words import APART, read_numbers_and_population
from discreet.models.promise import POPULATION, Given, Promise, Read, Risk, Setting, Words

EXAMPLE = "{k: 5, population: people.csv}"


@dataclass(frozen=True)
class KMap(Parameterized):
    """Whoever does not know who is in the table finds at least k people of the population for every published row.

    Sweeney 2001 (k-map); El Emam & Dankar 2008: n_P(q) ≥ k for every group q with a row of the table, where n_P(q)
    counts the people of the population whose values the group covers. Weaker than k-anonymity against somebody who
    knows that a person is in the table, and cheaper: one row may stand alone if many people could be meant. Monotone.

    `population` is where the population is read from: a path or a frame; None if it is the table that the private
    rows are chosen from.

    >>> KMap(5).holds(Groups(np.array([1, 3, 0]), population=np.array([5, 4, 2])))
    array([ True, False,  True])
    """

    k: int
    population: Any = field(default=None, compare=False, repr=False)
    attribute = ""
    monotone = True
    higher_is_safer = True
    rows_decide = True  # people are those of the population, for whosever row
    word = "k_map"
    parameters: ClassVar[Mapping[str, Parameter]] = {"k": LEAST_K}

    def holds(self, groups: Groups) -> BoolArray:
        verdict: BoolArray = (population_in(groups, self.word) >= self.k) | (groups.sizes == 0)
        return verdict

    def level(self, groups: Groups) -> FloatArray:
        """How many people could be meant; nothing is published of a group without rows."""
        return np.where(groups.sizes > 0, population_in(groups, self.word), np.inf)

    def least_suppressed(self, groups: Groups) -> IntArray:
        return np.where(self.holds(groups), 0, groups.sizes)  # parts have no more people than the whole

    def rest(self, groups: Groups) -> tuple[bool, float] | None:
        """Nothing is promised to people of whom no row is published."""
        return None

    def out_of_reach(self, rows: int, people: int) -> Infeasible | None:
        """The error if the whole population is too small.

        >>> print(KMap(5).out_of_reach(3, 4).mistakes[0].repair)
        ask for k of at most 4, or name a larger population
        """
        if people >= self.k:
            return None
        rule = f"{self.describe()} can't be had: the population has only {people:,}"
        return Infeasible(rule, repair=f"ask for k of at most {people:,}, or name a larger population")

    def among(self) -> object | None:
        return named(self.population)

    def require(self) -> str:
        return f"at least {self.k}"

    def describe(self) -> str:
        return f"{self.k}-map"

    def to_words(self) -> dict[str, dict[str, object]]:
        [words] = super().to_words().values()
        return {self.word: words | source_words(self.population)}


def _read(given: Given, place: str, sensitive: Sequence[str], folder: Path) -> Read:
    values, population, mistakes = read_numbers_and_population(given, place, KMap.parameters, EXAMPLE, folder)
    return ([] if mistakes else [KMap(values["k"], population)]), mistakes


def _sentence(parameters: Words, column: str, setting: Setting) -> str:
    many = setting.whose.so_many(int(parameters["k"]))
    return f"Every published row could be about any of at least {many} of the population."


def _leaves_open(parameters: Words, agreeing: float, setting: Setting) -> list[Risk]:
    whose = setting.whose
    return [
        (
            f"Knowing that {whose.somebody} is in the table",
            f"The promise counts the {whose.people} that could be meant, in the table or not. Whoever knows that a "
            f"{whose.person} is in it looks among the published rows alone, which may be one.",
        ),
        (
            "A population that is not complete",
            f"The {whose.people} were counted among those that the publisher listed. Whoever can rule out some of them "
            "finds fewer.",
        ),
    ]


K_MAP = Promise(
    KMap.word,
    EXAMPLE,
    _read,
    _sentence,
    about=frozenset({POPULATION}),
    leaves_open=_leaves_open,
    only=APART,
    examples=({"k": 2},),
)
