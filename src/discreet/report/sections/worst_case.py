"""What an adversary with worst-case knowledge would believe of the people in a bucketized release.

The promise robust limits it. For a release that promises something else it is told as well: its groups may look safe
and not be so to somebody who knows what is common among which people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.groups import Groups, People, Tally
from discreet.labels.whose import Whose
from discreet.models.parameters import as_text, exact
from discreet.models.registry import model_from_words
from discreet.models.robust.knowledge import default_sets
from discreet.models.robust.robust import Robust
from discreet.report.marginals import Grain, shown
from discreet.report.sections.chances import Chances, chances
from discreet.report.sections.registry import Private, Section
from discreet.report.words import model_of
from discreet.search.plan import Bucketization

MOST_SHOWN = 20  # sets of values or attributes
WORK = 60_000_000  # steps of exact posteriors: a moment; of a larger release a sample of groups is told
LOOKED_UP = 20_000_000  # attribute sets × combinations; beyond, only a promise is worth the time
LEAST_GROUPS = 25  # fewer say nothing about the others
SEED = 0  # the same plan gives the same page

_MORE_LIKELY_THAN_NOT = 2  # the r to compare with where none is promised
_BESIDE = Fraction(999_999, 1_000_000)
_LEAST = 700  # steps that a group takes under an attribute set, however small it is


@dataclass(frozen=True)
class WorstCase:
    """The worst that she would believe of each person, over all attribute sets that she may judge people by.

    `values` are the protected sets of values, none for every value; `sets` the attribute sets she knows the
    distributions of. `groups` of `all_groups` were looked at; `exactly` of these by exact posteriors, the others by a
    bound. `above` is the share of people above 1/r in percent, and `deviation` the paper's mean Δ.
    """

    attribute: str
    promised: bool
    r: str
    values: tuple[str, ...]
    sets: str
    least_rows: int | None
    posteriors: Chances
    above: int
    anybody_above: bool
    deviation: float
    groups: int
    exactly: int
    all_groups: int
    whose: Whose
    step: int = 1  # shares are told in steps of so many percent

    @property
    def by_bound(self) -> int:
        """How many groups a proven bound decided."""
        return self.groups - self.exactly

    @property
    def above_in_words(self) -> str:
        """Of how many people she is surer than 1 in r."""
        if not self.anybody_above:
            return self.whose.nobody
        about = "about " if self.groups < self.all_groups else ""
        share = f"{about}{self.above}%" if self.above else f"fewer than {self.step}%"
        return f"{share} of the {self.whose.people}"


def worst_case(
    plan: Bucketization, promises: Sequence[Mapping[str, Any]], grain: Grain, whose: Whose
) -> WorstCase | None:
    """Against the promised adversary, or the default one where none is promised."""
    name = next(iter(plan.frequency.sensitive), None)
    if name is None or not len(plan.groups) or not plan.frequency.hierarchies:
        return None
    promise = next((p for p in promises if model_of(p)[0] == "robust"), None)
    sets = len(default_sets(len(plan.frequency.hierarchies)))
    if promise is None and sets * len(plan.frequency.counts) > LOOKED_UP:
        return None
    model = Robust(_MORE_LIKELY_THAN_NOT, name) if promise is None else _robust(promise, name)
    knowledge = model.knowledge_of(plan.frequency)
    groups = sample(plan.groups, name, len(knowledge.sets), LEAST_GROUPS if promise is not None else 0)
    if len(groups) < min(LEAST_GROUPS, len(plan.groups)):
        return None  # nothing is promised, and it would take too long
    r = exact(model.r)
    # The verdict has told ties at 1/r apart, by exact sums. A threshold beside them spares that here.
    found = replace(model, r=max(r * _BESIDE, 1 + (r - 1) / 2)).posteriors(groups)
    people = groups.people.counts if groups.people is not None else groups.sizes
    spread = chances(np.minimum(found.levels, 1.0), people, None if promise is None else float(1 / r), grain)
    # A promise must hold for all who may be above 1/r; where none is made, only what is certain is held against it.
    who = found.proven if promise is None else found.above
    above = float(people[who].sum() / max(int(people.sum()), 1))
    if promise is not None:  # which was judged on every group
        spread = replace(spread, largest=min(float(promise["level"]), 1.0))
    broken = promise is not None and not promise["holds"]
    by_bound = int(found.bounded.sum())
    return WorstCase(
        shown(name),
        promise is not None,
        as_text(r),
        _values_in_words(model),
        _sets_in_words([tuple(plan.frequency.attributes[d] for d in s) for s in knowledge.sets], model, plan),
        None if model.knowledge is not None else model.min_support,
        spread,
        grain.round(above),
        broken or above > 0,
        model.mean_deviation(groups),
        len(groups),
        len(groups) - by_bound,
        len(plan.groups),
        whose,
        grain.step,
    )


def seen_through(found: WorstCase) -> str:
    """What she learns where nothing is promised about her, in one sentence."""
    return (
        f"whoever knows what is common among which {found.whose.people} is surer than 1 in {found.r} of the "
        f"{found.attribute} of {found.above_in_words}"
    )


def _robust(promise: Mapping[str, Any], name: str) -> Robust:
    """The promised model again, from its words."""
    models, _ = model_from_words("robust", model_of(promise)[1], "robust", [name])
    assert isinstance(models[0], Robust)
    return models[0]


def _values_in_words(model: Robust) -> tuple[str, ...]:
    told = [", ".join(map(shown, s)) for s in model.values or ()]
    return (*told[:MOST_SHOWN], *([f"and {len(told) - MOST_SHOWN:,} more"] if len(told) > MOST_SHOWN else []))


def _sets_in_words(sets: Sequence[tuple[str, ...]], model: Robust, plan: Bucketization) -> str:
    names = plan.frequency.attributes
    asked = default_sets(len(names))
    if model.knowledge is None and model.attribute_sets is None and len(sets) == len(asked) > 1:
        largest = max(len(s) for s in asked[:-1])
        if len(asked) == 2 ** len(names) - 1:
            return f"every set of quasi-identifiers ({len(asked):,} sets)"
        return f"every set of at most {largest} quasi-identifiers, and all of them ({len(asked):,} sets)"
    told = [" × ".join(map(shown, s)) if s else "nothing but the whole table" for s in sets]
    more = f" and {len(told) - MOST_SHOWN:,} more" if len(told) > MOST_SHOWN else ""
    return "; ".join(told[:MOST_SHOWN]) + more


def sample(groups: Groups, attribute: str, sets: int, least: int = 0) -> Groups:
    """As many groups as there is time for, but at least so many; chosen at random if these are not all."""
    from discreet.models.robust.beliefs import MOST_STEPS  # late: only a bucketized release needs the compiled code

    t = groups.tallies[attribute]
    states = np.ones(len(groups))
    owner = np.repeat(np.arange(len(groups)), np.diff(t.offsets))
    np.multiply.at(states, owner, t.counts + 1.0)
    steps = sets * (_LEAST + np.minimum(states * np.diff(t.offsets), MOST_STEPS))
    if steps.sum() <= WORK:
        return groups
    order = np.random.default_rng(SEED).permutation(len(groups))
    chosen = np.sort(order[: max(int(np.searchsorted(np.cumsum(steps[order]), WORK)), least)])
    return _only(groups, attribute, chosen)


def _only(groups: Groups, attribute: str, chosen: IntArray) -> Groups:
    t, people = groups.tallies[attribute], groups.people
    offsets, at = _entries(t.offsets, chosen)
    tallies = {attribute: Tally(offsets, t.values[at], t.counts[at], t.reference, t.hierarchy)}
    if people is not None:
        offsets, at = _entries(people.offsets, chosen)
        codes = tuple(c[at] for c in people.codes)
        people = People(offsets, codes, people.counts[at], people.hierarchies, people.table)
    return Groups(groups.sizes[chosen], tallies, people)


def _entries(offsets: IntArray, chosen: IntArray) -> tuple[IntArray, IntArray]:
    """Offsets of the chosen groups alone, and which entries are theirs."""
    lengths = np.diff(offsets)[chosen]
    new = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return new, np.arange(new[-1]) + np.repeat(offsets[chosen] - new[:-1], lengths)


def _figures(known: Private) -> WorstCase | None:
    if not isinstance(known.plan, Bucketization):  # nobody's group can be told from another's
        return None
    return worst_case(known.plan, known.promises, known.grain, known.whose.by_rows)


def _lines(figures: WorstCase) -> list[str]:
    if figures.promised or not figures.anybody_above:
        return []
    return [f"{seen_through(figures)} (nothing is promised about that)"]


WORST_CASE = Section(_figures, "report_worst_case.html.j2", lines=_lines)
