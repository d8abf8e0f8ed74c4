"""From a summary of the table to a plan: the data is looked at only to make sure.

One scan makes the summary, or a saved one is read. The search chooses by the summary alone; each look that it then
takes at the table is one aggregate query in the engine, and one scan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from discreet.addresses import is_address
from discreet.arrays import IntArray
from discreet.counts.coding import frequency_set
from discreet.counts.frequency import FrequencySet, Population
from discreet.counts.outside import population_of
from discreet.engines.base import Engine, Frequencies, TooManyCombinations
from discreet.engines.statistics import ColumnStatistics, KeepsStatistics, Statistics
from discreet.errors import DataError, HierarchyError, Infeasible, Mistake, PolicyError, shown, unknown_word
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.models.likelihood.likely import supports
from discreet.policy.policy import Policy
from discreet.policy.ranges import with_ranges
from discreet.policy.words import NO_STATISTICS, STATISTICS, SUMMARIES
from discreet.progress import Progress, silent
from discreet.run.cells import cells_read
from discreet.run.intake import (
    PeopleByValue,
    build_all,
    by_value,
    check_promises,
    check_stars,
    open_tables,
    population_counted,
)
from discreet.run.looks import EstimatedLooks, Look, Looks, Surprised
from discreet.search.instant.cuts import s_instant_cut
from discreet.search.instant.m_instant import THRESHOLD as M_THRESHOLD
from discreet.search.instant.m_instant import m_instant
from discreet.search.instant.s_instant import THRESHOLD as S_THRESHOLD
from discreet.search.instant.s_instant import Tuning, s_instant
from discreet.search.plan import Recoding
from discreet.summaries.advice import Advice, advise
from discreet.summaries.build import sample_from, summary_from_pairs
from discreet.summaries.exact import Exact
from discreet.summaries.files import Saveable, is_stale, load, save
from discreet.summaries.statistics import known_values, statistics_summary, with_values

SAMPLE = 20_000  # rows
MOST_UNKNOWN = 500_000  # rows with values that nobody knows, which one look may meet


@dataclass(frozen=True, eq=False)
class Summarized:
    """A table that is known by a summary, and may be looked at; beside it, the population that it is part of, if any.

    `counted` is the engine that the population was counted by. `statistics` are what the summary was estimated from, if
    nobody counted anything for it; then `seen` is what a look showed before, if there was one.
    """

    engine: Engine
    summary: Saveable
    population: Population | None = None
    counted: Engine | None = None
    statistics: Statistics | None = None
    seen: Look | None = None
    person: str | None = None  # the column that says whose row it is

    def looks(self, suppressing: bool = False) -> Looks:
        """Looks at the table, through the summary's hierarchies; `suppressing`, it matters how many rows there are."""
        s = self.summary
        rows = tuple(np.rint(s.marginal(d) * s.rows).astype(np.int64) for d in range(len(s.hierarchies)))
        if self.statistics is None:
            return Looks(self.engine, s.hierarchies, s.sensitive_hierarchies, rows, self.population, self.person)
        expected = s.rows if suppressing else None
        return EstimatedLooks(
            self.engine,
            s.hierarchies,
            s.sensitive_hierarchies,
            rows,
            person=self.person,
            expected=expected,
            seen=self.seen,
        )


def summarize(policy: Policy, source: Any = None) -> Summarized:
    """The summary that the policy asks for: made in one scan of its table (or of `source`), or read from a file."""
    levels_or_boxes = policy.search == "instant"  # cuts are not judged by people outside of the table
    strange = [model.describe() for model in policy.models if not supports(model, True, population=levels_or_boxes)]
    if strange:
        rule = f"{shown(policy.search)} can't tell from a summary how likely {' and '.join(strange)} is kept"
        raise PolicyError(Mistake("search", rule, "leave `search` out"))
    engine, counted, _ = open_tables(policy, source)
    people = None if counted is None else population_counted(policy, counted)
    if policy.summary == STATISTICS:
        return _estimated(policy, engine, counted)
    if policy.summary is None or policy.summary in SUMMARIES:
        made = _made(policy, engine, policy.summary or SUMMARIES[0], people)
    else:
        path = policy.folder / policy.summary
        meant = {a.name: a for a in policy.attributes}
        made = load(path, lambda h: with_ranges(h, policy, meant[h.attribute]) if h.attribute in meant else h)
        file = policy.location if source is None else None
        _check_fits(policy, made, path, file if isinstance(file, Path) else None, people)
    _check_promises(policy, made)
    population = None if people is None else population_of(people, made.hierarchies)
    return Summarized(engine, made, population, counted, person=policy.person)


def save_summary(policy: Policy, path: Path, source: Any = None) -> Saveable:
    """Make the summary of a policy's table and save it, to be named as `summary` in later runs."""
    kind = policy.summary or SUMMARIES[0]
    if kind not in SUMMARIES:
        raise PolicyError(unknown_word("summary", kind, SUMMARIES))
    if kind == STATISTICS:
        raise PolicyError(Mistake("summary", "the database keeps its statistics itself", "save another kind"))
    engine, counted, _ = open_tables(policy, source)
    cells_read(policy, engine)
    made = _made(policy, engine, kind, None if counted is None else population_counted(policy, counted))
    named = policy.location if source is None else source
    save(
        made,
        path,
        Path(named) if isinstance(named, Path) or (isinstance(named, str) and not is_address(named)) else None,
    )
    return made


def instant(policy: Policy, known: Summarized, limit: int, progress: Progress = silent) -> Recoding:
    """Search the summary for what the policy asks, looking at the data to make sure: S-INSTANT, or M-INSTANT."""
    looks = known.looks(policy.suppress > 0)
    if policy.publish == "multidimensional":
        likely = M_THRESHOLD if policy.threshold is None else float(policy.threshold)
        plan = m_instant(
            known.summary,
            policy.models,
            looks.in_boxes,
            limit,
            threshold=likely,
            progress=progress,
            population=known.population,
        )
        return _made_sure(policy, known, plan)
    return _made_sure(policy, known, _levels(policy, known, looks, limit, progress))


def instant_cuts(policy: Policy, known: Summarized, limit: int, progress: Progress = silent) -> Recoding:
    """The same, where values of one column may be published more or less coarsely."""
    looks, before = known.looks(policy.suppress > 0), known.engine.scans
    levels = _levels(policy, known, looks, limit, progress)
    # Cuts are refined greedily, and may end above the best levels where promises hang on sensitive values.
    plans = [levels]
    with suppress(Infeasible):
        plans.append(
            s_instant_cut(
                known.summary,
                policy.models,
                looks.merged,
                limit,
                threshold=_threshold(policy),
                progress=progress,
                confirmed=True,
            )
        )
    plan = min(plans, key=lambda candidate: float(candidate.losses.mean()))
    return _made_sure(policy, known, replace(plan, facts={**plan.facts, "looks": known.engine.scans - before}))


def _levels(policy: Policy, known: Summarized, looks: Looks, limit: int, progress: Progress) -> Recoding:
    """The best levels of whole columns."""
    search = partial(
        s_instant,
        known.summary,
        policy.models,
        looks.at_node,
        limit,
        policy.utility,
        progress=progress,
        population=known.population,
        confirmed=True,
    )
    tuning = Tuning(threshold=_threshold(policy))
    try:
        return search(tuning=tuning)
    except TooManyCombinations:  # a look tells more than is published, as a rule; now no more than that
        return search(tuning=replace(tuning, answers_in_a_look=0))


def _threshold(policy: Policy) -> float:
    """How likely a candidate keeps the promises, at least."""
    return S_THRESHOLD if policy.threshold is None else float(policy.threshold)


def _made_sure(policy: Policy, known: Summarized, plan: Recoding) -> Recoding:
    """The plan, if the table is what the summary said."""
    _check_population(plan)
    check_promises(policy.models, plan.frequency)  # again: a sample may lack values that the table has
    if known.statistics is not None:
        # Where values of one column are published more or less coarsely, the look told them apart no finer than that.
        finer = {} if plan.node is not None else {"shares_before": "of single values: estimates of the database"}
        return replace(plan, facts={**plan.facts, **_told(known.statistics), **finer})
    if plan.frequency.rows != known.summary.rows:
        rule = f"has {plan.frequency.rows:,} rows, the summary was made of {known.summary.rows:,}"
        raise DataError(Mistake("source", rule, "make the summary again"))
    return plan


def advice(policy: Policy, source: Any = None) -> Advice:
    """What the database keeps about a policy's table, and what it should keep."""
    if policy.published_as:
        raise PolicyError(NO_STATISTICS)
    engine, _, _ = open_tables(policy, source)
    columns = [*policy.quasi_identifiers, *policy.sensitive]
    keeping = _keeping(engine)
    drawn = keeping.drawn_statistics(columns, policy.seed)
    if not drawn.seen:
        raise DataError(Mistake("source", "no rows were found in the table", "give one with rows, or VACUUM it"))
    return advise(keeping.statistics(columns, policy.seed), columns, drawn)


def _keeping(engine: Engine) -> KeepsStatistics:
    if not isinstance(engine, KeepsStatistics):
        rule = "only PostgreSQL keeps statistics that can be read"
        raise PolicyError(Mistake("summary", rule, f"write summary: {SUMMARIES[0]}, or leave it out"))
    return engine


def _estimated(policy: Policy, engine: Engine, counted: Engine | None) -> Summarized:
    """A summary of what the database keeps about the table: no scan."""
    keeping = _keeping(engine)
    if policy.private_rows is not None or counted is not None:
        rule = "the database's statistics are about the whole table, and about no more than it"
        raise PolicyError(Mistake("summary", rule, f"with `private` or a population, write summary: {SUMMARIES[0]}"))
    if policy.reading.about_cells:
        rule = "the database's statistics are about cells as they stand, and the policy says how they are read"
        raise PolicyError(Mistake("summary", rule, f"write summary: {SUMMARIES[0]}, or publish a view of the table"))
    columns = [*policy.quasi_identifiers, *policy.sensitive]
    statistics = keeping.statistics(columns, policy.seed)
    try:
        hierarchies = build_all(policy, {name: known_values(statistics, name) for name in columns})
    except HierarchyError:  # values may be known that no row has any more
        hierarchies = build_all(policy, {name: by_value([name], engine.frequencies([name]))[name] for name in columns})
    known = _by_statistics(policy, engine, statistics, hierarchies)
    # A look tells unknown values apart: if too many rows have some, its answer would be as large as the table.
    crowded = [h for h in hierarchies if _unknown(statistics.columns[h.attribute], h) * statistics.rows > MOST_UNKNOWN]
    if crowded:
        known = _with_all_values(policy, known, crowded)
    try:
        _check_promises(policy, known.summary)
    except DataError:  # a value that a promise names may be too rare for the database to know of
        known = _with_all_values(policy, known, known.summary.sensitive_hierarchies.values())
        _check_promises(policy, known.summary)
    return known


def _unknown(kept: ColumnStatistics, hierarchy: Hierarchy) -> float:
    """The share of the rows with values that a hierarchy is likely to lack."""
    listed = len(hierarchy.leaves) - len(kept.values)
    return kept.rest * max(1 - listed / kept.others, 0.0) if kept.others else 0.0


def _with_all_values(policy: Policy, known: Summarized, hierarchies: Iterable[Hierarchy]) -> Summarized:
    """The same, knowing every value of some columns: a scan for each."""
    assert known.statistics is not None
    found = {}
    for h in hierarchies:
        counted = by_value([h.attribute], known.engine.frequencies([h.attribute]))[h.attribute]
        found[h.attribute] = {value: rows for value, rows in counted.items() if value not in h.index}
    strangers = {name: values for name, values in found.items() if values}
    return _completed(policy, known, known.statistics.rows, strangers)


def corrected(policy: Policy, known: Summarized, surprise: Surprised) -> Summarized:
    """The same table, now that a look has shown its values and how many rows there are. What was seen is kept."""
    return replace(_completed(policy, known, surprise.seen.rows, surprise.unknown), seen=surprise.seen)


def _completed(policy: Policy, known: Summarized, rows: int, unknown: PeopleByValue) -> Summarized:
    """An estimate with values that it did not know of; rules stay as they are, unless they can't place these."""
    assert known.statistics is not None
    statistics = with_values(known.statistics, rows, unknown)
    every = [*known.summary.hierarchies, *known.summary.sensitive_hierarchies.values()]
    try:
        hierarchies = [
            replace(build(h.attribute, [*h.leaves, *unknown[h.attribute]], h.rule), unit=h.unit)
            if h.attribute in unknown
            else h
            for h in every
        ]
    except HierarchyError:
        found = {h.attribute: known_values(statistics, h.attribute) for h in every}
        hierarchies = build_all(policy, found)
    return _by_statistics(policy, known.engine, statistics, hierarchies)


def _by_statistics(
    policy: Policy, engine: Engine, statistics: Statistics, hierarchies: Sequence[Hierarchy]
) -> Summarized:
    width = len(policy.quasi_identifiers)
    sensitive = dict(zip(policy.sensitive, hierarchies[width:], strict=True))
    summary = statistics_summary(statistics, hierarchies[:width], sensitive)
    return Summarized(engine, summary, statistics=statistics, person=policy.person)


def _told(statistics: Statistics) -> dict[str, object]:
    """What an estimate rests on, for the report."""
    return {
        "estimated_from": "a sample of pages" if statistics.sampled else "statistics of the database",
        "rows_sampled": statistics.seen,
        "lists_of_combinations": len(statistics.joint),
        "analyzed": statistics.analyzed,
        "rows_changed_since": statistics.changed,
    }


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
        table = FrequencySet(summary.hierarchies, columns, {name: each}, {name: hierarchy}, counts)
        check_promises([model for model in policy.models if model.attribute == name], table)


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
        Mistake(str(path), f"lacks values of {shown(h.attribute)} that the population has", "make the summary again")
        for h, known_values in values
        if not h.index.keys() >= set(known_values)
    ]
    columns = [*policy.quasi_identifiers], [*policy.sensitive]
    known = [h.attribute for h in summary.hierarchies], list(summary.sensitive_hierarchies)
    if columns != known:
        rule = (
            f"is about the columns {', '.join([*known[0], *known[1]])}, the policy about other ones, or in other roles"
        )
        mistakes.append(Mistake(str(path), rule, "make the summary again"))
    given = {a.name: a.hierarchy for a in policy.attributes}
    built = [h for h in summary.hierarchies if h.attribute in columns[0]]
    mistakes += [
        Mistake(str(path), f"has another hierarchy of {shown(h.attribute)} than the policy", "make the summary again")
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

    if isinstance(words, Mapping) and "quantiles" in words:
        return hierarchy.ordered or hierarchy.height == 1  # they follow the rows, which a summary does not keep
    counts = np.ones(len(hierarchy.leaves), dtype=np.int64)
    place = f"attributes.{hierarchy.attribute}.hierarchy"
    rule = words if isinstance(words, Rule) else rule_from_words(words, place, policy.folder, hierarchy.leaves, counts)
    return bool(rule.to_words() == hierarchy.rule.to_words())
