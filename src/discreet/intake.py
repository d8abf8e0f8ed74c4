"""What the policy needs of the table: one scan, then hierarchies for the values that were found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from discreet.counts.coding import frequency_set, value_counts
from discreet.counts.frequency import FrequencySet
from discreet.engines.duckdb import DuckDB, Frequencies
from discreet.errors import DataError, HierarchyError, Mistake, PolicyError
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.hierarchies.hierarchy import EVERYTHING, Hierarchy, Rule
from discreet.hierarchies.words import rule_from_words
from discreet.policy import Policy, attribute_place, check_columns


@dataclass(frozen=True, eq=False)
class Intake:
    """The engine that holds the table, and its frequency set."""

    engine: DuckDB
    frequency: FrequencySet


def take_in(policy: Policy, source: Any = None) -> Intake:
    """Read the policy's table (or `source`: a path or a frame), checking that the two fit. All mistakes at once."""
    if source is None:
        if policy.source is None:
            raise PolicyError(Mistake("source", "is missing", "name a CSV or Parquet file, or pass a frame"))
        source = policy.folder / policy.source
    engine = DuckDB(source, [a.name for a in policy.attributes])
    mistakes = check_columns(policy, engine.columns)
    if mistakes:
        raise PolicyError(*mistakes)
    found = engine.frequencies([*policy.quasi_identifiers, *policy.sensitive])
    if not len(found.counts):
        raise DataError(Mistake("source", "the table has no rows", "give a table with at least one row"))
    _check_stars(policy, found)
    hierarchies = build_all(policy, found)
    width = len(policy.quasi_identifiers)
    sensitive = dict(zip(policy.sensitive, hierarchies[width:], strict=True))
    frequency = frequency_set(found, hierarchies[:width], sensitive)
    judged = [getattr(model, "misfits", None) for model in policy.models]  # those that name values or columns
    mistakes = [m for misfits in judged if misfits is not None for m in misfits(frequency)]
    if mistakes:
        raise DataError(*mistakes)
    return Intake(engine, frequency)


def _check_stars(policy: Policy, found: Frequencies) -> None:
    """A sensitive value that looks like a suppressed row would be taken for one."""
    if policy.suppressed != "star":
        return
    values = dict(zip([*policy.quasi_identifiers, *policy.sensitive], found.values, strict=True))
    mistakes = [
        Mistake(
            attribute_place(name),
            f"has the value {EVERYTHING!r}, which stands for a suppressed row",
            "write suppressed: drop, or rename it",
        )
        for name in policy.sensitive
        if EVERYTHING in values[name]
    ]
    if mistakes:
        raise DataError(*mistakes)


def build_all(policy: Policy, found: Frequencies) -> list[Hierarchy]:
    """A hierarchy for every quasi-identifier and sensitive attribute; the mistakes of all of them together."""
    hierarchies: list[Hierarchy] = []
    mistakes: list[Mistake] = []
    words = {a.name: a.hierarchy for a in policy.attributes}
    for i, name in enumerate([*policy.quasi_identifiers, *policy.sensitive]):
        values = found.values[i]
        place = f"{attribute_place(name)}.hierarchy"
        try:
            rule = _rule(words[name], place, policy, found, i, name in policy.sensitive)
            hierarchies.append(build(name, values, rule))
        except HierarchyError as error:
            mistakes += error.mistakes
    if mistakes:
        raise HierarchyError(*mistakes)
    return hierarchies


def _rule(words: object, place: str, policy: Policy, found: Frequencies, column: int, sensitive: bool) -> Rule:
    values = found.values[column]
    if words is None and sensitive:
        return Flat()  # a sensitive value is published as it is; nobody asked for bins
    if isinstance(words, Rule):
        return words  # given in Python
    return rule_from_words(words, place, policy.folder, values, value_counts(found, column))
