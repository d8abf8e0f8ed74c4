"""Is what is promised kept in the population that there is? By marginals, as in the paper, and by pairs with a margin.

A study knows the population, of which a publisher knows counts. So it can tell how many groups keep δ in it: at least c
of them should. The margin is the one that the table itself asks for (`models/presence/residuals.py`); nobody looks at
the population for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import fmean

import numpy as np

from discreet.arrays import BoolArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.pairs import with_pairs
from discreet.errors import Infeasible
from discreet.labels.figures import percent
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.models.presence.presence import within
from discreet.models.presence.residuals import measured_margin
from discreet.progress import Progress, silent
from discreet.publications.regions import Regions
from discreet.search.lattice.optimal import optimal
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.plan import Problem, Recoding
from discreet.studies.claims import Claim
from discreet.studies.figures import Figure, Series
from discreet.studies.presence.wording import part_of, three_digits

SFALM, MFALM = SEARCHES = ("SFALM", "MFALM")
MARGINALS, PAIRS = KNOWN = ("marginals", "pairs")


@dataclass(frozen=True)
class Setting:
    """What is asked: of a private table with its population, which δ with which confidence, and how it is published."""

    table: str
    delta: tuple[str, str]
    confidence: str
    search: str


@dataclass(frozen=True)
class Truth:
    """What became of it: how many groups, the share of them that keeps δ in the population, the loss and the margin.

    Where nothing could be published there is nothing that breaks δ, and everything is lost.
    """

    groups: int
    kept: float
    loss: float
    margin: float = 0.0


Truths = Mapping[tuple[Setting, str], Truth]


def in_population(plan: Recoding, table: FrequencySet, delta: Sequence[Fraction | str]) -> tuple[IntArray, BoolArray]:
    """How many people of the population fall in each group, and which groups keep δ among them."""
    everybody, sizes = table.population, plan.groups.sizes
    assert everybody is not None, "the study knows everybody"
    regions = Regions(plan.low, plan.high, np.arange(len(sizes)), len(sizes))
    people, _ = regions.people(everybody, table.hierarchies)
    low, high = (Fraction(limit) for limit in delta)
    return people, within((low, high), sizes, people)


def truths(
    tables: Mapping[str, FrequencySet],
    deltas: Sequence[tuple[str, str]],
    confidences: Sequence[str],
    progress: Progress = silent,
) -> Truths:
    """Every release, by marginals and by pairs. Tables come with their population and its marginals."""
    found: dict[tuple[Setting, str], Truth] = {}
    total = len(tables) * len(deltas) * len(confidences) * len(SEARCHES) * len(KNOWN)
    for name, table in tables.items():
        assert table.population is not None and table.marginals is not None, "the study knows everybody"
        paired = replace(table, marginals=with_pairs(table.marginals, table.population, table, "population"))
        for delta in deltas:
            for c in confidences:
                for search in SEARCHES:
                    setting = Setting(name, delta, c, search)
                    for known in KNOWN:
                        progress("measure", len(found), total, f"{search} by {known}, {name}, c = {c}")
                        found[setting, known] = _truth(paired, setting, known)
    return found


def _truth(table: FrequencySet, setting: Setting, known: str) -> Truth:
    promise, margin = ConfidentPresence(setting.delta, setting.confidence), Fraction(0)
    if known == PAIRS:
        assert table.marginals is not None and table.marginals.pairs is not None
        both = Fraction(setting.delta[0]) > 0
        edges, c = table.marginals.pairs.edges, Fraction(setting.confidence)
        margin = measured_margin(table, edges, c, both=both) or Fraction(0)
        promise = ConfidentPresence(setting.delta, setting.confidence, known=PAIRS, margin=margin)
    problem = Problem(replace(table, population=None), (promise,))
    try:
        plan = optimal(problem) if setting.search == SFALM else mondrian(problem)
    except Infeasible:
        return Truth(0, 1.0, 1.0, float(margin))
    _, kept = in_population(plan, table, setting.delta)
    return Truth(len(kept), float(kept.mean()), float(plan.losses.mean()), float(margin))


def claims_of(found: Truths) -> Iterator[Claim]:
    """What is promised, held against the population: of each search."""
    confidences = sorted({setting.confidence for setting, _ in found}, key=Fraction)
    for search in SEARCHES:
        settings = [setting for setting, known in found if setting.search == search and known == PAIRS]
        good = {known: [s for s in settings if holds(s, found[s, known])] for known in KNOWN}
        least = {k: percent(min(found[s, k].kept for s in settings)) for k in KNOWN}
        refused = sum(not found[s, PAIRS].groups for s in settings)
        nothing = f"; in {refused} nothing can be published" if refused else ""
        yield Claim(
            "our goal",
            f"by pairs, with the margin that the table asks for, at least c of the groups of {search} keep δ among "
            f"the people that there are, in every setting (c = {', '.join(confidences)})",
            f"by pairs in {part_of((len(good[PAIRS]), len(settings)))} settings, by marginals in "
            f"{part_of((len(good[MARGINALS]), len(settings)))}{nothing}; at least {least[PAIRS]} of the groups of a "
            f"release keep it by pairs, {least[MARGINALS]} by marginals. The loss is "
            f"{_mean(found, settings, PAIRS)} on average, {_mean(found, settings, MARGINALS)} by marginals",
            len(good[PAIRS]) == len(settings),
        )


def holds(setting: Setting, truth: Truth) -> bool:
    """Do at least c of the groups keep δ?"""
    return truth.kept >= float(setting.confidence) - 1e-12


def figures_of(found: Truths) -> Iterator[Figure]:
    """Over confidence: the least share of groups that keep δ, and the mean loss, each over all settings."""
    confidences = sorted({setting.confidence for setting, _ in found}, key=Fraction)

    def series(of: Callable[[Sequence[float]], float], what: Callable[[Truth], float]) -> tuple[Series, ...]:
        return tuple(
            Series(
                f"{search} by {known}",
                tuple(
                    of([what(t) for (s, k), t in found.items() if (s.search, s.confidence, k) == (search, c, known)])
                    for c in confidences
                ),
            )
            for search in SEARCHES
            for known in KNOWN
        )

    places = tuple(confidences)
    promised = Series("promised", tuple(map(float, confidences)))
    caption = "Of all δ, tables and numbers of attributes. By pairs with the margin that the table itself asks for."
    title = "How many groups keep δ in the population, at least? (not in the paper)"
    kept = (*series(min, lambda truth: truth.kept), promised)
    yield Figure(title, "confidence", places, "share of groups", kept, caption, "share")
    losses = series(fmean, lambda truth: truth.loss)
    yield Figure("What that costs on average (not in the paper)", "confidence", places, "LM", losses, caption)


def _mean(found: Truths, settings: Sequence[Setting], known: str) -> str:
    return three_digits(fmean(found[s, known].loss for s in settings))
