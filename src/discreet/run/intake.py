"""What the policy needs of the table: one scan, then hierarchies for the values that were found.

A promise about presence also needs the population, which is scanned once, for the quasi-identifiers alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from discreet.counts.coarser import labelled
from discreet.counts.coding import frequency_set
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups
from discreet.counts.outside import (
    check_one_row_each,
    check_settled,
    each_once,
    marginals_from,
    marginals_of,
    people_by_value,
    population_mistakes,
    population_of,
)
from discreet.counts.pairs import pairs_from, with_pairs
from discreet.counts.wishes import wishes_of, without_last
from discreet.engines.base import Engine, Frequencies
from discreet.engines.open import open_source
from discreet.engines.reading import Reading
from discreet.engines.sql.reading import Cells
from discreet.errors import DataError, HierarchyError, Mistake, PolicyError, did_you_mean, shown
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.hierarchies.hierarchy import EVERYTHING, Hierarchy, Rule, Value
from discreet.hierarchies.words import rule_from_words
from discreet.models.base import PrivacyModel
from discreet.models.others_known import asks_for_others
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.models.presence.pair_words import given_pairs
from discreet.models.presence.presence import Presence
from discreet.models.presence.words import counts_population, needs_population, population_named, read_marginals
from discreet.models.realistic.wished import United, bound
from discreet.policy.places import attribute_place
from discreet.policy.policy import Policy, check_columns
from discreet.policy.ranges import with_ranges
from discreet.run.cells import cells_read
from discreet.search.confirmed import hides_a_value

PeopleByValue = Mapping[str, Mapping[Value, int]]
_PAIRS = "confident_presence.pairs"
_MARGINALS = "confident_presence.marginals"


@dataclass(frozen=True, eq=False)
class Intake:
    """The engine that holds the table, its frequency set, and the engine of the population, where there is one."""

    engine: Engine
    frequency: FrequencySet
    population: Engine | None = None
    cells: tuple[Cells, ...] = ()  # what the policy's words about reading found

    @property
    def scans(self) -> int:
        """Passes over rows, those of the population included."""
        return self.engine.scans + (0 if self.population is None else self.population.scans)


@dataclass(frozen=True, eq=False)
class Counted:
    """What one scan told of the table, and of the people around it: enough for every policy about the same columns."""

    engine: Engine
    frequency: FrequencySet
    population: Engine | None
    people: Frequencies | None  # of the population
    everybody: PeopleByValue | None
    cells: tuple[Cells, ...]


@dataclass(frozen=True, eq=False)
class Scanned:
    """The same before values were placed in hierarchies: enough for every hierarchy of the same columns."""

    engine: Engine
    frequencies: Frequencies  # of quasi-identifiers, sensitive columns and the wishes, in this order
    population: Engine | None
    people: Frequencies | None
    everybody: PeopleByValue | None
    cells: tuple[Cells, ...]


def take_in(policy: Policy, source: Any = None) -> Intake:
    """Read the policy's table (or `source`: a path or a frame), checking that the two fit. All mistakes at once."""
    return fitted(policy, count(policy, source))


def count(policy: Policy, source: Any = None) -> Counted:
    """Scan the policy's table (or `source`), and the population where a promise speaks of one: each once."""
    return coded(policy, scan(policy, source))


def scan(policy: Policy, source: Any = None) -> Scanned:
    """The combinations of values in the policy's table (or `source`), and those of the population: each one scan."""
    engine, population, everybody = open_tables(policy, source)
    cells = cells_read(policy, engine)
    asked = [] if policy.wishes is None else [policy.wishes]
    frequencies = engine.frequencies([*policy.quasi_identifiers, *policy.sensitive, *asked], policy.person)
    people = None if population is None else population_counted(policy, population)
    if people is not None:
        everybody = by_value(policy.quasi_identifiers, people)
    return Scanned(engine, frequencies, population, people, everybody, cells)


def coded(policy: Policy, scanned: Scanned) -> Counted:
    """What was scanned, by the hierarchies of the policy; another policy about the same columns may have scanned it."""
    columns = [*policy.quasi_identifiers, *policy.sensitive]
    counted = scanned.frequencies
    frequencies = counted if policy.wishes is None else without_last(counted)
    hierarchies = build_all(policy, by_value(columns, frequencies), scanned.everybody)
    width = len(policy.quasi_identifiers)
    sensitive = dict(zip(policy.sensitive, hierarchies[width:], strict=True))
    frequency = frequency_set(frequencies, hierarchies[:width], sensitive)
    if policy.wishes is not None:
        frequency = replace(frequency, wishes=wishes_of(frequency, counted, policy.wishes))
    return Counted(scanned.engine, frequency, scanned.population, scanned.people, scanned.everybody, scanned.cells)


def fitted(policy: Policy, counted: Counted) -> Intake:
    """The counts as the policy's promises need them. They may be those of another policy, if it differs in nothing but
    parameters of promises and in how to publish."""
    frequency, people = _with_ranges(policy, counted.frequency), counted.people
    if people is not None or counted.everybody is not None:
        _check_people(policy, frequency)
    if people is not None:
        frequency = _with_population(policy, frequency, people)
    elif counted.everybody is not None:
        frequency = _with_marginals(policy, frequency, counted.everybody)
    check_promises(policy.models, frequency)
    if any(map(asks_for_others, policy.models)):
        frequency = replace(frequency, tied=True)
    return Intake(counted.engine, frequency, counted.population, counted.cells)


def _with_ranges(policy: Policy, frequency: FrequencySet) -> FrequencySet:
    """The counts with ranges that end where this policy says, and not one that publishes in another way."""
    attributes = {a.name: a for a in policy.attributes}
    meant = tuple(with_ranges(h, policy, attributes[h.attribute]) for h in frequency.hierarchies)
    if [h.unit for h in meant] == [h.unit for h in frequency.hierarchies]:
        return frequency
    return replace(frequency, hierarchies=meant)


def population_counted(policy: Policy, population: Engine) -> Frequencies:
    """The population's people by their quasi-identifiers, each once: one scan."""
    where = population_named(policy.models)
    frequencies = population.frequencies(policy.quasi_identifiers, policy.person)
    return each_once(frequencies, "private" if where is None else _place(where))


def _check_people(policy: Policy, frequency: FrequencySet) -> None:
    """Where people have several rows, can the table be compared with a population, whose people have one place?"""
    check_settled(frequency, "source")
    if policy.publish != "generalization":
        check_one_row_each(frequency, "publish", f"by {policy.publish}", "write publish: generalization")


def check_promises(models: Sequence[PrivacyModel], frequency: FrequencySet) -> None:
    """Refuse promises that name values or columns which the table has not: they would protect nothing."""
    judged = [getattr(model, "misfits", None) for model in models]
    mistakes = [m for misfits in judged if misfits is not None for m in misfits(frequency)]
    if mistakes:
        raise DataError(*dict.fromkeys(mistakes))  # two promises may read the same wishes


def with_wishes(policy: Policy, frequency: FrequencySet) -> Policy:
    """The same policy; promises that unite the wishes of people have those of its table."""
    if not any(isinstance(model, United) for model in policy.models):
        return policy
    return replace(policy, require=tuple(bound(policy.models, frequency)))


def check_named(models: Sequence[PrivacyModel], groups: Groups) -> None:
    """Refuse to suppress every row of a value that a promise names."""
    refusal = hides_a_value(models, groups)
    if refusal is not None:
        raise refusal


def open_tables(policy: Policy, source: Any = None) -> tuple[Engine, Engine | None, PeopleByValue | None]:
    """The table, and what the promises speak of beside it: a population, or counts of its people by value.

    Columns that are published as something coarser are that from here on; `private` conditions are on their values.
    """
    said_of_it = source is None  # words about a file may not be true of another
    if source is None:
        source = policy.location
        if source is None:
            raise PolicyError(Mistake("source", "is missing", "name a CSV or Parquet file, or pass a frame"))
    rows = policy.private_rows
    named = [*(a.name for a in policy.attributes), *(rows.columns if rows else ())]
    engine = everybody = open_source(source, named, policy.reading, said_of_it=said_of_it)
    mistakes = check_columns(policy, everybody.columns) + check_form(policy, everybody)
    kind = PolicyError if mistakes else DataError
    population = None
    try:
        if rows is not None and not mistakes:
            engine = everybody.only(rows)
    except DataError as error:
        mistakes += error.mistakes
    where = population_named(policy.models)
    if where is not None:
        columns = [*policy.quasi_identifiers, *([] if policy.person is None else [policy.person])]
        population, wrong = _open_population(where, columns, policy.reading)
        mistakes += wrong
    elif rows is not None and any(map(needs_population, policy.models)):
        population = everybody
    by_value, wrong = _given_marginals(policy)
    mistakes += wrong + given_pairs(policy.models, policy.quasi_identifiers, by_value)[1]
    if mistakes:
        raise kind(*mistakes)
    return labelled(engine, policy.published_as, _levels_above(policy)), population, by_value


def _levels_above(policy: Policy) -> dict[str, Rule]:
    """The hierarchies that a policy gives of columns which are published as something coarser."""
    words = {a.name: a.hierarchy for a in policy.attributes if a.publish_as is not None and a.hierarchy is not None}
    return {name: _rule(said, f"{attribute_place(name)}.hierarchy", policy.folder, {}) for name, said in words.items()}


def form_of(policy: Policy, engine: Engine) -> str:
    """In which form the release is written."""
    return engine.forms[0] if policy.format is None else policy.format


def check_form(policy: Policy, engine: Engine) -> list[Mistake]:
    """Can the engine that has the table write the form which the policy asks for?"""
    if form_of(policy, engine) not in engine.forms:
        repair = f"leave it out, or write format: {' or '.join(engine.forms)}"
        return [Mistake("format", f"a table in this engine is not published as {policy.format}", repair)]
    if policy.csv is not None and form_of(policy, engine) != "csv":
        return [Mistake("csv", "is for releases that are written as CSV files", "leave it out")]
    if policy.schema is not None and form_of(policy, engine) != "table":
        return [Mistake("schema", "is for releases that are written into a database", "leave it out")]
    return []


def _nobody(policy: Policy) -> Mistake:
    if policy.private_rows is None:
        return Mistake("source", "the table has no rows", "give a table with at least one row")
    repair = "write values as they stand in the data, and put them in quotes where they are numbers"
    return Mistake("private", "no row matches", repair)


def _open_population(where: Any, columns: Sequence[str], reading: Reading) -> tuple[Engine | None, list[Mistake]]:
    """The table of everybody who could be in, and what is wrong with it."""
    try:
        engine = open_source(where, columns, reading, said_of_it=False)
    except DataError as error:
        rename = {"source": "population"}  # what engines call a frame
        return None, [Mistake(rename.get(m.place, m.place), m.rule, m.repair) for m in error.mistakes]
    return engine, [
        Mistake(_place(where), f"has no column {shown(name)}, which the table has", did_you_mean(name, engine.columns))
        for name in columns
        if name not in engine.columns
    ]


def _given_marginals(policy: Policy) -> tuple[PeopleByValue | None, list[Mistake]]:
    """How many people have each value, if a promise says that instead of naming a population."""
    confident = [model for model in policy.models if isinstance(model, ConfidentPresence)]
    promise = next((model for model in confident if model.marginals is not None), None)
    if promise is None:
        return None, []
    marginals, mistakes = read_marginals(promise.marginals, _MARGINALS)
    if mistakes:
        return None, mistakes
    return people_by_value(marginals, promise.size, policy.quasi_identifiers, _MARGINALS)


def _with_marginals(policy: Policy, frequency: FrequencySet, everybody: PeopleByValue) -> FrequencySet:
    marginals, mistakes = marginals_from(everybody, frequency, _MARGINALS)
    by_pair, _ = given_pairs(policy.models, policy.quasi_identifiers, everybody)
    if by_pair is not None and not mistakes:
        pairs, mistakes = pairs_from(by_pair, frequency, _PAIRS)
        marginals = replace(marginals, pairs=pairs)
    if mistakes:
        raise DataError(*mistakes)
    return replace(frequency, marginals=marginals)


def _place(population: Any) -> str:
    return str(population) if isinstance(population, str | Path) else "population"


def _with_population(policy: Policy, frequency: FrequencySet, people: Frequencies) -> FrequencySet:
    """The table beside its population, or beside the marginals of those who are not in it, as the promises need."""
    where = population_named(policy.models)
    population = population_of(people, frequency.hierarchies)
    hides_presence = any(isinstance(model, Presence | ConfidentPresence) for model in policy.models)
    if where is None and population.size == frequency.people and hides_presence:
        rule = "every row matches: then all of them are in the table, and the presence of none can be hidden"
        raise DataError(Mistake("private", rule, "choose the rows to be published among all that could be in"))
    mistakes = population_mistakes(population, frequency, _place(where))
    if mistakes:
        raise DataError(*mistakes)
    exactly = any(map(counts_population, policy.models))
    confident = [model for model in policy.models if isinstance(model, ConfidentPresence)]
    marginals = marginals_of(population, frequency) if confident else None
    if marginals is not None and any(model.by_pairs for model in confident):
        marginals = with_pairs(marginals, population, frequency, "confident_presence.known")
    return replace(frequency, population=population if exactly else None, marginals=marginals)


def by_value(names: Sequence[str], frequencies: Frequencies) -> dict[str, dict[Value, int]]:
    """Per attribute, how many people have each value."""
    return {
        name: dict(zip(frequencies.values[i], frequencies.rows_by_value(i).tolist(), strict=True))
        for i, name in enumerate(names)
    }


def check_stars(policy: Policy, values: PeopleByValue) -> None:
    """A sensitive value that looks like a suppressed row would be taken for one."""
    if policy.suppressed != "star":
        return
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


def build_all(policy: Policy, rows_by_value: PeopleByValue, everybody: PeopleByValue | None = None) -> list[Hierarchy]:
    """A hierarchy for every quasi-identifier and sensitive attribute; the mistakes of all of them together.

    `rows_by_value` has how many rows have each value of these, in order. `everybody` has the values of a population
    with their counts. Where it is there, rules that follow the data follow the population: what is published then does
    not depend on who of them is in the table.
    """
    if not any(any(counts.values()) for counts in rows_by_value.values()):
        raise DataError(_nobody(policy))
    check_stars(policy, rows_by_value)
    hierarchies: list[Hierarchy] = []
    mistakes: list[Mistake] = []
    attributes = {a.name: a for a in policy.attributes}
    coarser = policy.published_as
    for name, of_table in rows_by_value.items():
        known = (everybody or {}).get(name)
        counts = of_table if known is None else {**dict.fromkeys(of_table, 0), **known}
        place = f"{attribute_place(name)}.hierarchy"
        try:
            if attributes[name].hierarchy is None and name in policy.sensitive:
                rule = None  # a sensitive value is published as it is; nobody asked for bins
            else:
                rule = _rule(attributes[name].hierarchy, place, policy.folder, counts)
            rule = coarser[name].hierarchy(rule) if name in coarser else rule or Flat()
            built = build(name, counts, rule)
            hierarchies.append(built if name in policy.sensitive else with_ranges(built, policy, attributes[name]))
        except HierarchyError as error:
            mistakes += error.mistakes
    if mistakes:
        raise HierarchyError(*mistakes)
    return hierarchies


def _rule(words: object, place: str, folder: Path, counts: Mapping[Value, int]) -> Rule:
    if isinstance(words, Rule):
        return words  # given in Python
    return rule_from_words(words, place, folder, list(counts), list(counts.values()))
