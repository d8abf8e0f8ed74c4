"""(α, β)-privacy: exact values, but nobody can be sure who is in the table, nor what they have if they are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups
from discreet.errors import DiscreetError, Mistake, PolicyError, did_you_mean, shown
from discreet.models.ambiguity.total import Total, presence_of_population, total_presence
from discreet.models.by_people import chances, chances_at_most, groups_of_movers, summed, worst_of_movers
from discreet.models.exact import decide, products_at_most
from discreet.models.groups.shares import lost_to_share, share_at_most
from discreet.models.parameters import (
    Choice,
    Name,
    Number,
    Parameter,
    Parameterized,
    Threshold,
    Wrong,
    as_text,
    exact,
)
from discreet.models.presence.presence import source_words
from discreet.models.presence.words import population_said
from discreet.models.promise import PRESENCE, VALUES, Given, Promise, Read, Risk, Setting, Words, read_as

SEPARATE = "separate"  # a table for every quasi-identifier
BEST = "best"  # the search chooses which quasi-identifiers share a table
GROUP = "group"  # presence is judged group by group, as in the paper
TOTAL = "total"  # presence is judged over all groups together
Tables = str | tuple[tuple[str, ...], ...]
_UNNAMED = "a frame"  # a population that is no file

_INTEGERS = float(1 << 43)  # up to here products of counts are safe as 64-bit integers, see `products_at_most`


@dataclass(frozen=True)
class _UpToOne(Number):
    """A probability that may be certainty."""

    def read(self, value: object) -> Fraction:
        number = super().read(value)
        if number > 1:
            raise Wrong(f"must be {self._range()}, got {as_text(number)}", self.why)
        return number

    def _range(self) -> str:
        return "above 0 and at most 1"


@dataclass(frozen=True)
class _Sets(Choice):
    """Which quasi-identifiers share a table: a word, or sets in which each is named once."""

    def read(self, value: object) -> Tables:  # type: ignore[override]
        if isinstance(value, str) and value in self.options:
            return value
        repair = f"write {' or '.join(self.options)}, or sets of quasi-identifiers: [[age, zip], [sex]]"
        if isinstance(value, str) or not isinstance(value, Sequence) or not value:
            raise Wrong(f"must be {', '.join(self.options)} or a list of sets, got {shown(value)}", repair)
        sets = [table for table in value if isinstance(table, Sequence) and not isinstance(table, str) and table]
        if len(sets) < len(value) or not all(isinstance(name, str) for table in sets for name in table):
            raise Wrong("must have a list of at least one name for every table", repair)
        twice = [name for name, times in Counter(name for table in sets for name in table).items() if times > 1]
        if twice:
            rule = f"names {', '.join(map(repr, twice))} more than once"
            raise Wrong(rule, "put every quasi-identifier into exactly one table")
        return tuple(tuple(table) for table in sets)


def presence(groups: Groups) -> FloatArray:
    """How likely somebody is to be in the table whose values all occur in a group: |G| / Π mᵢ, at most 1.

    Wang, theorem 5.1. mᵢ is the number of different combinations that table i has of the group: Π mᵢ people might be
    meant, |G| of them are there, and nothing tells one from the other. Four people in 4 · 1 · 3 combinations:

    >>> presence(Groups(np.array([4]), distinct=np.array([[4, 1, 3]]))).round(4)
    array([0.3333])
    """
    return np.minimum(groups.sizes / np.maximum(_combinations(groups), 1.0), 1.0)


def association(groups: Groups, attribute: str) -> FloatArray:
    """How likely somebody of a group, given that they are in the table, is to have its most frequent value: c / |G|.

    Wang, theorem 5.2.

    >>> from discreet.models.examples import groups_of
    >>> association(groups_of("disease", ["leukemia", "diabetes", "leukemia", "dyspepsia"]), "disease")
    array([0.5])
    """
    from discreet.models.groups import kernels

    t = groups.tallies[attribute]
    result: FloatArray = kernels.largest(t.offsets, t.counts) / np.maximum(groups.sizes, 1)
    return result


@dataclass(frozen=True)
class AlphaBeta(Parameterized):
    """Without a list of the people, nobody's presence can be told with more than probability α, nor, if they are
    present, what they have with more than β.

    Wang 2008, definition 4.3, for releases that publish a group's values in tables apart: |G| / Π mᵢ ≤ α and, for every
    sensitive value, c / |G| ≤ β. Judged group by group, for an adversary who knows people's exact quasi-identifiers but
    not who else lives there. `tables` says which quasi-identifiers share a table: `separate`, `best`, or the sets.
    Where people have several rows, no two of them in one group, both are kept by the sum over somebody's groups.

    Whoever several groups cover may be in any of them. With `presence` as `total` the chances of all groups that cover
    a combination of values add up to α at most, whatever the combination (see `total`); a group holds if those that it
    covers do. Then people are to have one row each. With a `population` (a path or a frame) the same is promised of
    every combination that somebody in it has, and of no others.

    Not monotone: two groups with the same values have twice the presence when they are merged. The level is the
    presence (of `total`, a bound for all that a group covers). Where the association is above β, it is as far above α
    as the association is above β.

    >>> from dataclasses import replace
    >>> from discreet.models.examples import groups_of
    >>> patients = groups_of("disease", ["flu", "gout", "cold", "ulcer"], ["flu", "gout", "flu", "ulcer"])
    >>> patients = replace(patients, distinct=np.array([[4, 1, 3], [4, 3, 4]]))
    >>> AlphaBeta("1/3", 0.25, "disease").holds(patients)
    array([ True, False])
    """

    alpha: Threshold
    beta: Threshold
    attribute: str
    tables: Tables = SEPARATE
    presence: str = GROUP
    population: Any = field(default=None, compare=False, repr=False)
    monotone = False
    higher_is_safer = False
    word = "ambiguity"
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "alpha": _UpToOne(0, why="it is a probability"),
        "beta": Number(0, 1, why="with beta = 1 everybody's value may be told"),
        "attribute": Name(),
        "tables": _Sets((SEPARATE, BEST)),
        "presence": Choice((GROUP, TOTAL)),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.population is not None and self.presence != TOTAL:
            rule = "is for presence over all groups together: of each group by itself, α is about its values alone"
            raise PolicyError(Mistake(f"{self.word}.population", rule, f"write presence: {TOTAL}, or leave it out"))

    @property
    def rows_per_value(self) -> int:
        return math.ceil(1 / exact(self.beta))

    @property
    def adds_up(self) -> bool:
        """Is presence limited over all groups together? With α = 1 nothing is promised of it."""
        return self.presence == TOTAL and exact(self.alpha) < 1

    def total(self, groups: Groups) -> Total:
        """Presence over all groups together, of everybody whom the promise is about."""
        judge = total_presence if self.population is None else presence_of_population
        return judge(groups, exact(self.alpha))

    def holds(self, groups: Groups) -> BoolArray:
        return self._presence(groups)[0] & share_at_most(groups, self.attribute, exact(self.beta))

    def level(self, groups: Groups) -> FloatArray:
        alpha, beta = exact(self.alpha), exact(self.beta)
        hidden, found = self._presence(groups)
        reached = np.where(hidden, np.minimum(found, float(alpha)), found)
        unsafe = association(groups, self.attribute) * float(alpha / beta)
        return np.where(share_at_most(groups, self.attribute, beta), reached, np.maximum(reached, unsafe))

    def held_by_people(self, groups: Groups) -> BoolArray:
        hidden = self._presence_of_people(groups)[0] & self._hides_presence_in_all(groups)
        return hidden & chances_at_most(groups, self.attribute, exact(self.beta))

    def reached_by_people(self, groups: Groups) -> FloatArray:
        alpha, beta = exact(self.alpha), exact(self.beta)
        hidden, found = self._presence_of_people(groups)
        if groups.owners is not None:
            found = np.minimum(worst_of_movers(groups.owners, summed(groups.owners, found), found), 1.0)
            hidden = hidden & self._hides_presence_in_all(groups)
        reached = np.where(hidden, np.minimum(found, float(alpha)), found)
        unsafe = chances(groups, self.attribute) * float(alpha / beta)
        return np.where(chances_at_most(groups, self.attribute, beta), reached, np.maximum(reached, unsafe))

    def in_each_of(self, groups: int) -> AlphaBeta:
        alpha = exact(self.alpha)  # 1: nothing is promised about presence
        return replace(self, alpha=alpha if alpha == 1 else alpha / groups, beta=exact(self.beta) / groups)

    def least_suppressed(self, groups: Groups) -> IntArray:
        # Parts in which a value has too large a share are lost whatever their presence is.
        beta = exact(self.beta)
        return lost_to_share(groups, self.attribute, beta, share_at_most(groups, self.attribute, beta))

    def require(self) -> str:
        alpha, beta = as_text(self.alpha), as_text(self.beta)
        where = "over all groups together " if self.adds_up else ""
        where += "of everybody in the population " if self.adds_up and self.population is not None else ""
        return f"presence {where}at most {alpha} without a list of the population, association at most {beta}"

    def describe(self) -> str:
        where = ", presence over all groups together" if self.presence == TOTAL else ""
        where += ", of a population" if self.population is not None else ""
        return f"({as_text(self.alpha)}, {as_text(self.beta)})-privacy of {self.attribute}{where}"

    def to_words(self) -> dict[str, dict[str, object]]:
        words = super().to_words()
        if self.presence == GROUP:  # the paper's, which need not be said
            del words[self.word]["presence"]
        if not isinstance(self.tables, str):
            words[self.word]["tables"] = [list(table) for table in self.tables]
        if self.population is not None:
            words[self.word] |= source_words(self.population) or {"population": _UNNAMED}
        return words

    def misfits(self, frequency: FrequencySet) -> list[Mistake]:
        """What keeps the promise from fitting a table: named sets that are no partition of its quasi-identifiers, or
        people of several rows where presence adds up.
        """
        if self.adds_up and frequency.owners is not None:
            rule = "total is about single rows: people of several are in the table by each, and their chances differ"
            return [
                Mistake(f"{self.word}.presence", rule, f"write presence: {GROUP}, or publish one row of each person")
            ]
        if isinstance(self.tables, str):
            return []
        place, named = f"{self.word}.tables", [name for table in self.tables for name in table]
        unknown = [name for name in dict.fromkeys(named) if name not in frequency.attributes]
        missing = [name for name in frequency.attributes if name not in named]
        return [
            *(
                Mistake(place, f"{shown(n)} is not a quasi-identifier", did_you_mean(n, frequency.attributes))
                for n in unknown
            ),
            *(
                Mistake(place, f"{shown(n)} is in no table", "put every quasi-identifier into exactly one")
                for n in missing
            ),
        ]

    def _presence(self, groups: Groups) -> tuple[BoolArray, FloatArray]:
        """Which groups keep α, and the presence of each: its own, or a bound for the sum of whatever it covers."""
        hidden = self._hides_presence(groups)
        if self.presence == GROUP:
            return hidden, presence(groups)
        total = self.total(groups)
        return hidden & total.hidden, total.of_groups

    def _presence_of_people(self, groups: Groups) -> tuple[BoolArray, FloatArray]:
        """The same where people have several rows: it is not known what the sums of all their combinations come to."""
        if self.adds_up and groups.owners is not None:
            return np.zeros(len(groups), dtype=np.bool_), np.ones(len(groups))
        return self._presence(groups)

    def _hides_presence(self, groups: Groups) -> BoolArray:
        """Is |G| ≤ α · Π mᵢ? In whole numbers, which may be longer than 64 bits."""
        alpha = exact(self.alpha)
        if alpha == 1:
            return np.ones(len(groups), dtype=np.bool_)
        rough = _combinations(groups)
        distinct = _distinct(groups)
        short = rough < _INTEGERS
        combinations = np.where(short[:, None], distinct, 0).prod(axis=1, dtype=np.int64)
        verdict = products_at_most(groups.sizes, alpha.denominator, combinations, alpha.numerator)
        for group in np.flatnonzero(~short).tolist():
            many = alpha.numerator
            for m in distinct[group].tolist():
                many *= m
            verdict[group] = int(groups.sizes[group]) * alpha.denominator <= many
        return verdict

    def _hides_presence_in_all(self, groups: Groups) -> BoolArray:
        """Which groups have nobody whose chances of being there add up to more than α, over all his groups?"""
        owners, alpha = groups.owners, exact(self.alpha)
        if owners is None or alpha == 1:
            return np.ones(len(groups), dtype=np.bool_)
        distinct = _distinct(groups)

        def exactly(mover: int) -> bool:
            there = owners.mover_group[owners.mover_starts[mover] : owners.mover_starts[mover + 1]].tolist()
            return sum(Fraction(int(groups.sizes[g]), math.prod(distinct[g].tolist())) for g in there) <= alpha

        return ~groups_of_movers(owners, ~decide(summed(owners, presence(groups)), float(alpha), exactly))


def _combinations(groups: Groups) -> FloatArray:
    """Π mᵢ, rounded."""
    product: FloatArray = _distinct(groups).prod(axis=1, dtype=np.float64)
    return product


def _distinct(groups: Groups) -> IntArray:
    if groups.distinct is None:
        rule = "is about values that are published in tables apart"
        raise DiscreetError(Mistake("ambiguity", rule, "write publish: ambiguity"))
    return groups.distinct


def _read(given: Given, place: str, sensitive: Sequence[str], folder: Path) -> Read:
    """As other promises of numbers and choices, and where the population lies, if one is named."""
    plain = {name: value for name, value in given.items() if name != "population"}
    models, mistakes = _read_plain(plain, place, sensitive, folder)
    population, wrong = population_said(given.get("population"), f"{place}.population", folder)
    if mistakes or wrong or population is None:
        return models, [*mistakes, *wrong]
    try:
        return [replace(model, population=population) for model in models if isinstance(model, AlphaBeta)], []
    except PolicyError as error:
        [mistake] = error.mistakes
        return [], [replace(mistake, place=f"{place}.population")]


_EXAMPLE = "{alpha: 0.1, beta: 0.2}"
_read_plain = read_as(AlphaBeta, _EXAMPLE, also=("population",))


def _sentence(parameters: Words, column: str, setting: Setting) -> str:
    nobody = setting.whose.either("nobody who", "no row that")
    among = " of the population" if "population" in parameters else ""
    fits = "fits into groups" if parameters.get("presence") == TOTAL else "fits into a group"
    together = ", over all groups together" if parameters.get("presence") == TOTAL else ""
    return (
        f"Without a list of the population, {nobody} {fits}{among} is in the table with a probability above "
        f"{parameters['alpha']}{together}, and {nobody} is in it has any one value of {column} with a probability "
        f"above {parameters['beta']}."
    )


def _leaves_open(parameters: Words, agreeing: float, setting: Setting) -> list[Risk]:
    whose = setting.whose
    if parameters.get("presence") == TOTAL:
        return [
            (
                "Groups that tell of each other",
                "Chances are added up as if each group were filled independently of the others. Whoever knows that no "
                f"two {whose.people} have the same values learns from one group who can't be in another, and may be "
                f"surer of {whose.either('somebody', 'a row')} than the sum says.",
            )
        ]
    return [
        (
            f"{whose.people.capitalize()} that several groups cover",
            f"The promise is about each group. {whose.somebody.capitalize()} whose values all occur in several "
            "groups may be in any of them: the chances add up, and may together exceed what is promised of one. "
            "presence: total promises the sum.",
        )
    ]


AMBIGUITY = Promise(
    AlphaBeta.word,
    _EXAMPLE,
    _read,
    _sentence,
    about=frozenset({VALUES, PRESENCE}),
    leaves_open=_leaves_open,
    only=("ambiguity",),
    examples=({"alpha": 0.9, "beta": 0.5},),
)
