"""From a summary of the table to a plan: the data is looked at only to make sure.

One scan makes the summary, or a saved one is read. The search chooses by the summary alone; each look that it then
takes at the table is one aggregate query in the engine, and one scan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from discreet.addresses import is_address
from discreet.counts.coding import frequency_set
from discreet.counts.frequency import FrequencySet, Population
from discreet.counts.outside import population_of
from discreet.engines.base import Engine, Frequencies
from discreet.errors import DataError, Mistake, PolicyError, unknown_word
from discreet.hierarchies.hierarchy import Hierarchy, IntArray, Value
from discreet.intake import PeopleByValue, build_all, by_value, check_promises, check_stars, open_tables
from discreet.looks import Looks
from discreet.models.likely import supports
from discreet.policy import Policy
from discreet.policy_words import SUMMARIES
from discreet.progress import Progress, silent
from discreet.search.instant import s_instant
from discreet.search.instant_cuts import s_instant_cut
from discreet.search.m_instant import m_instant
from discreet.search.plan import Recoding
from discreet.summaries.build import sample_from, summary_from_pairs
from discreet.summaries.exact import Exact
from discreet.summaries.files import Saveable, is_stale, load, save

SAMPLE = 20_000  # rows


@dataclass(frozen=True, eq=False)
class Summarized:
    """A table that is known by a summary, and may be looked at; beside it, the population that it is part of, if any.

    `counted` is the engine that the population was counted by.
    """

    engine: Engine
    summary: Saveable
    population: Population | None = None
    counted: Engine | None = None

    @property
    def looks(self) -> Looks:
        """Looks at the table, through the summary's hierarchies."""
        s = self.summary
        rows = (np.rint(s.marginal(d) * s.rows).astype(np.int64) for d in range(len(s.hierarchies)))
        return Looks(self.engine, s.hierarchies, s.sensitive_hierarchies, tuple(rows), self.population)


def summarize(policy: Policy, source: Any = None) -> Summarized:
    """The summary that the policy asks for: made in one scan of its table (or of `source`), or read from a file."""
    single = policy.publish == "generalization" and policy.search == "instant"  # else people are counted exactly only
    strange = [model.describe() for model in policy.models if not supports(model, True, population=single)]
    if strange:
        rule = f"{policy.search!r} can't tell from a summary how likely {' and '.join(strange)} is kept"
        raise PolicyError(Mistake("search", rule, "leave `search` out"))
    engine, counted, _ = open_tables(policy, source)
    people = None if counted is None else counted.frequencies(policy.quasi_identifiers)
    if policy.summary is None or policy.summary in SUMMARIES:
        made = _made(policy, engine, policy.summary or SUMMARIES[0], people)
    else:
        path = policy.folder / policy.summary
        made = load(path)
        file = policy.location if source is None else None
        _check_fits(policy, made, path, file if isinstance(file, Path) else None, people)
    _check_promises(policy, made)
    population = None if people is None else population_of(people, made.hierarchies)
    return Summarized(engine, made, population, counted)


def save_summary(policy: Policy, path: Path, source: Any = None) -> Saveable:
    """Make the summary of a policy's table and save it, to be named as `summary` in later runs."""
    kind = policy.summary or SUMMARIES[0]
    if kind not in SUMMARIES:
        raise PolicyError(unknown_word("summary", kind, SUMMARIES))
    engine, counted, _ = open_tables(policy, source)
    made = _made(policy, engine, kind, None if counted is None else counted.frequencies(policy.quasi_identifiers))
    named = policy.location if source is None else source
    save(
        made,
        path,
        Path(named) if isinstance(named, Path) or (isinstance(named, str) and not is_address(named)) else None,
    )
    return made


def find_instantly(policy: Policy, known: Summarized, limit: int, progress: Progress = silent) -> Recoding:
    """Search the summary for what the policy asks, looking at the data to make sure."""
    looks, before = known.looks, known.engine.scans
    if policy.publish == "multidimensional":
        plan = m_instant(known.summary, policy.models, looks.in_boxes, progress=progress)
    else:
        plan = s_instant(
            known.summary,
            policy.models,
            looks.at_node,
            limit,
            policy.utility,
            progress=progress,
            population=known.population,
        )
        if policy.search == "instant_cuts":
            # Cuts are refined greedily, and may end above the best levels where promises hang on sensitive values.
            cut = s_instant_cut(known.summary, policy.models, looks.merged, limit, progress=progress)
            taken = {"looks": known.engine.scans - before}
            plan = min(plan, cut, key=lambda found: float(found.losses.mean()))
            plan = replace(plan, facts={**plan.facts, **taken})
    _check_population(plan)
    check_promises(policy.models, plan.frequency)  # again: a sample may lack values that the table has
    if plan.frequency.rows != known.summary.rows:
        rule = f"has {plan.frequency.rows:,} rows, the summary was made of {known.summary.rows:,}"
        raise DataError(Mistake("source", rule, "make the summary again"))
    return plan


def _check_promises(policy: Policy, summary: Saveable) -> None:
    """Promises must name values that there are, as far as the summary knows them: before anything is searched."""
    top = tuple(h.height for h in summary.hierarchies)
    check_stars(policy, {name: dict.fromkeys(h.leaves, 1) for name, h in summary.sensitive_hierarchies.items()})
    for name, hierarchy in summary.sensitive_hierarchies.items():
        shares = summary.cells(top, name).sensitive
        assert shares is not None
        each = np.arange(len(hierarchy.leaves), dtype=np.int32)
        counts = np.ceil(shares[0] * summary.rows).astype(np.int64)
        columns = tuple(np.zeros_like(each) for _ in summary.hierarchies)
        told = FrequencySet(summary.hierarchies, columns, {name: each}, {name: hierarchy}, counts)
        check_promises([model for model in policy.models if model.attribute == name], told)


def _check_population(plan: Recoding) -> None:
    """Is everybody in the table in the population too, as far as was looked?"""
    people = plan.groups.population
    if people is None:
        return
    beyond = int(np.maximum(plan.groups.sizes - people, 0).sum()) + max(plan.suppressed - plan.groups.elsewhere, 0)
    if beyond:
        rule = f"at least {beyond:,} rows of the table are not in it"
        raise DataError(Mistake("population", rule, "name a table of everybody, those in the table included"))


def _made(policy: Policy, engine: Engine, kind: str, people: Frequencies | None) -> Saveable:
    """One scan."""
    everybody = None if people is None else by_value(policy.quasi_identifiers, people)
    columns = [*policy.quasi_identifiers, *policy.sensitive]
    width = len(policy.quasi_identifiers)

    def hierarchies(found: PeopleByValue) -> tuple[list[Hierarchy], dict[str, Hierarchy]]:
        every = build_all(policy, found, everybody)
        return every[:width], dict(zip(policy.sensitive, every[width:], strict=True))

    if kind == "exact":
        found = engine.frequencies(columns)
        return Exact(frequency_set(found, *hierarchies(by_value(columns, found))))
    if kind == "sample":
        drawn = engine.sample(columns, SAMPLE, policy.seed)
        return sample_from(drawn, *hierarchies(_counted(columns, drawn.found.values, drawn.singles)))
    pairs = engine.pair_counts(columns)
    return summary_from_pairs(pairs, *hierarchies(_counted(columns, pairs.values, pairs.singles)), kind)


def _counted(
    columns: Sequence[str], values: Sequence[Sequence[Value]], singles: Sequence[IntArray]
) -> Mapping[str, Mapping[Value, int]]:
    return {
        name: dict(zip(named, counts.tolist(), strict=True))
        for name, named, counts in zip(columns, values, singles, strict=True)
    }


def _check_fits(policy: Policy, summary: Saveable, path: Path, source: Path | None, people: Frequencies | None) -> None:
    """Is a saved summary that of the policy's columns, and of the file as it is now?"""
    mistakes = []
    values = () if people is None else zip(summary.hierarchies, people.values, strict=False)
    mistakes += [
        Mistake(str(path), f"lacks values of {h.attribute!r} that the population has", "make the summary again")
        for h, known_values in values
        if not h.index.keys() >= set(known_values)
    ]
    asked = [*policy.quasi_identifiers], [*policy.sensitive]
    known = [h.attribute for h in summary.hierarchies], list(summary.sensitive_hierarchies)
    if asked != known:
        rule = (
            f"is about the columns {', '.join([*known[0], *known[1]])}, the policy about other ones, or in other roles"
        )
        mistakes.append(Mistake(str(path), rule, "make the summary again"))
    given = {a.name: a.hierarchy for a in policy.attributes}
    built = [h for h in summary.hierarchies if h.attribute in asked[0]]
    mistakes += [
        Mistake(str(path), f"has another hierarchy of {h.attribute!r} than the policy", "make the summary again")
        for h in built
        if given[h.attribute] is not None and not _same_rule(policy, h, given[h.attribute])
    ]
    if source is not None and source.is_file() and is_stale(path, source):
        mistakes.append(Mistake(str(path), "was made of another state of the source", "make the summary again"))
    if mistakes:
        raise DataError(*mistakes)


def _same_rule(policy: Policy, hierarchy: Hierarchy, words: object) -> bool:
    """Does the policy mean the hierarchy that the summary was made with?"""
    from discreet.hierarchies.hierarchy import Rule
    from discreet.hierarchies.words import rule_from_words

    counts = np.ones(len(hierarchy.leaves), dtype=np.int64)
    place = f"attributes.{hierarchy.attribute}.hierarchy"
    rule = words if isinstance(words, Rule) else rule_from_words(words, place, policy.folder, hierarchy.leaves, counts)
    return bool(rule.to_words() == hierarchy.rule.to_words())
