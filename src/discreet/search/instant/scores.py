"""How good a mapping looks to a summary alone: how likely it keeps every promise, or how many rows would not.

Several promises: a mapping keeps all of them at most as likely as the one it keeps least likely, and at least as many
rows break one of them as break the one that most rows break. These bounds (Fréchet's) need no assumption on how the
promises go together. A mapping that is refused by them deserves it; one that is not costs a look at worst.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.cells import Cells
from discreet.counts.frequency import FrequencySet, Population
from discreet.counts.roll_up import Node, RollUp
from discreet.errors import DiscreetError, Mistake
from discreet.models.base import AboutPopulation, PrivacyModel
from discreet.models.likelihood.likely import Options, likely, supports
from discreet.summaries.base import Summary, TooManyGroups

_PEOPLE = "*"  # what was asked for last, where that was no attribute


@dataclass(frozen=True)
class Score:
    """Does a mapping look good enough?

    `probability` that it keeps every promise, and `expectation`: how many rows are in groups that don't. Where scoring
    could stop early they are bounds: the one at most, the other at least as large as the truth.
    """

    passes: bool
    probability: float
    expectation: float


class Scorer:
    """Scores mappings for some promises. Where rows may be suppressed, expectation decides, else probability."""

    def __init__(
        self,
        summary: Summary,
        models: Sequence[PrivacyModel],
        suppression_limit: int,
        options: Options,
        threshold: float,
        population: Population | None = None,
    ):
        _check(models, population is not None)
        self.expecting = suppression_limit > 0
        self._summary, self._options = summary, options
        self._people = None
        if population is not None:
            people = FrequencySet(summary.hierarchies, population.codes, {}, {}, population.counts)
            self._people = RollUp(people)
        # Those about sizes alone first: the fewer numbers are needed, the sooner a mapping is refused.
        self._models = sorted(models, key=lambda model: model.attribute)
        self._at_least = None if self.expecting else threshold
        self._at_most = float(suppression_limit) if self.expecting else None

    def node(self, node: Node) -> Score:
        """The score of a node of the lattice. One that is too fine for the summary does not pass."""
        try:
            return self.mapping(
                lambda attribute: self._summary.cells(node, attribute), people=lambda: self._among_people(node)
            )
        except TooManyGroups:
            return Score(False, 0.0, float(self._summary.rows))

    def mapping(
        self,
        cells_of: Callable[[str], Cells],
        at_least: float | None = None,
        people: Callable[[], tuple[Cells, IntArray]] | None = None,
    ) -> Score:
        """The score of any mapping, by its groups, with the values of a sensitive attribute if one is named.

        `at_least` is another threshold for the probability; `people` gives the groups with anybody of a population.
        """
        at_least = self._at_least if at_least is None else at_least
        cells: Cells | None = None
        about = ""
        passes, probability, expectation = True, 1.0, 0.0
        for model in self._models:
            population = None
            if people is not None and isinstance(model, AboutPopulation):
                cells, population = people()
                about = _PEOPLE
            elif cells is None or model.attribute != about:
                cells, about = cells_of(model.attribute), model.attribute
            hierarchy = self._summary.sensitive_hierarchies.get(model.attribute)
            belief = likely(
                model, cells, self._summary.rows, self._options, at_least, self._at_most, hierarchy, population
            )
            probability, expectation = min(probability, belief.probability), max(expectation, belief.expectation)
            passes = (at_least is None or probability >= at_least) and (
                self._at_most is None or expectation <= self._at_most
            )
            if not passes:
                break
        return Score(passes, probability, expectation)

    def _among_people(self, node: Node) -> tuple[Cells, IntArray]:
        """The groups of a node that anybody of the population is in, and how many people are in each."""
        assert self._people is not None
        counted = self._people.groups(node)
        low = np.empty((len(counted.groups), len(node)), dtype=np.int32)
        high = np.empty_like(low)
        for d, (h, level) in enumerate(zip(self._summary.hierarchies, node, strict=True)):
            codes = self._people.codes(counted, d)
            low[:, d], high[:, d] = h.first[level][codes], h.last[level][codes]
        return self._summary.boxes(low, high), counted.groups.sizes


def _check(models: Sequence[PrivacyModel], population: bool) -> None:
    """Say which promises can't be judged from a summary, or might be broken by a coarser node."""
    mistakes = [
        Mistake("search", f"{model.describe()} can't be foreseen from a summary", "take another search")
        for model in models
        if not supports(model, True, population)
    ]
    mistakes += [
        Mistake(
            "search",
            f"an instant search needs promises that survive merging two groups; {model.describe()} may break",
            "take another search",
        )
        for model in models
        if supports(model, True, population) and not model.monotone
    ]
    if mistakes:
        raise DiscreetError(*mistakes)
