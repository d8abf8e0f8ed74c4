"""The kinds of publication: what each has to say and to do, and which promises and settings go with it.

A kind is an object in `publications`, found here by the word that a policy names it by. Everybody else asks the object:
a policy whether its settings fit, a run to write the tables, a re-check to read them, a report what to call things.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from discreet.errors import Mistake, shown, unknown_word
from discreet.labels.whose import Whose
from discreet.models.base import AboutPopulation, PrivacyModel
from discreet.models.others_known import asks_for_others
from discreet.models.promise import Risk
from discreet.models.realistic.wished import OneByOne, Wished
from discreet.models.registry import MODELS
from discreet.registry import Registry
from discreet.search.registry import SEARCHES, SUMMARY, searches_for

if TYPE_CHECKING:
    import numpy as np

    from discreet.arrays import FloatArray, IntArray
    from discreet.counts.frequency import FrequencySet
    from discreet.engines.base import Frequencies, PublishedTables, Tables
    from discreet.publications.published import Manifest, Published
    from discreet.publications.published_rules import PublishedRule
    from discreet.publications.source.people import Standing
    from discreet.publications.source.population import Surroundings
    from discreet.search.plan import Plan
    from discreet.utility.queries import Workload


@dataclass(frozen=True)
class KindWords:
    """What is said differently of a kind of publication: of its rows, whoever they belong to."""

    title: str  # what it does, after its name
    group: str  # what a group is
    together: str  # what being in one means
    use: tuple[str, ...]  # how its tables are read
    quasi_identifiers: str  # what becomes of them
    undeclared: str  # what became of a column that was not declared one of them
    spread: str = ""  # how shares of values are told from it, where that is not plain
    # Of releases of exact values:
    hidden: str = ""  # what they keep to themselves, after "what is hidden is"
    price: str = ""  # the same, before "is not told"
    apart: str = ""  # how values stand in tables, after "published as they were"
    entry: str = ""  # what a row of a table is, if all tables are alike
    presumed: str = ""  # what an adversary who judges beliefs is taken to know


class Publication(Protocol):
    """A kind of publication: it writes what a plan says into tables, and reads these tables again."""

    @property
    def word(self) -> str:
        """By which a policy and a manifest name it."""

    @property
    def exact(self) -> bool:
        """Does it publish exact values and hide which of them belong together? Else they are made coarser."""

    @property
    def several(self) -> bool:
        """Is a release several tables? Else it is one, with a mapping that later rows can follow."""

    @property
    def words(self) -> KindWords:
        """What is said of it."""

    @property
    def needs(self) -> tuple[tuple[str, str], ...]:
        """Promises that it can't do without, each with how to ask for it."""

    def default_search(self, promised: Sequence[str]) -> str:
        """The search for these promises, if a policy names none."""

    def misfits(self, sensitive: Sequence[str], others: Sequence[str], suppressed: str) -> list[Mistake]:
        """What in a policy does not go with it."""

    def leaves_open(self, promised: Sequence[str], seen_through: str, whose: Whose) -> list[Risk]:
        """Adversaries that these promises don't speak of; `seen_through` is what a worst-case one learns, if known."""

    def shows_presence(self, whose: Whose) -> Risk | None:
        """The risk of whoever is in the table being seen, if that is what it publishes."""

    def notes(self, plan: Plan, whose: Whose) -> list[str]:
        """What everybody should know of a release by this plan."""

    def write(self, plan: Any, writing: Writing, tables: Tables, random: np.random.Generator) -> Manifest:
        """Write the tables; returns what the manifest says of them."""

    def levels(self, plan: Any, rules: Mapping[str, PublishedRule]) -> Mapping[str, int] | None:
        """The published level of each quasi-identifier, where a whole column has one."""

    def mapping(self, plan: Any, rules: Mapping[str, PublishedRule]) -> Mapping[str, Any] | None:
        """How later rows can be published the same way, if they can."""

    def read(
        self,
        tables: PublishedTables,
        manifest: Manifest,
        mapping: Mapping[str, Any] | None,
        source: FrequencySet | None,
        known: Surroundings | None,
    ) -> Published:
        """Count the published tables, one scan of each; the `source` and the people `known` around it, if there are."""

    def check_mapping(self, published: Any, manifest: Manifest, mapping: Mapping[str, Any]) -> list[Mistake]:
        """What is wrong with a mapping that was published with the tables."""

    def standing(
        self, published: Any, table: FrequencySet, mapping: Mapping[str, Any] | None, manifest: Manifest
    ) -> Standing | None:
        """Whose rows of the table that it was made from stand in its groups; None if that can't be told."""

    def proven(
        self,
        kept: Mapping[str, Any],
        published: Any,
        table: FrequencySet,
        mapping: Mapping[str, Any] | None,
        manifest: Manifest,
    ) -> Standing | None:
        """The same by what the custodian has `kept` of it; None if that can't be."""

    def compare(self, published: Any, comparing: Comparing) -> list[Mistake]:
        """What the tables say that their source does not."""

    def seated(
        self, published: Any, comparing: Comparing, people: Frequencies, signature: IntArray, of_group: IntArray
    ) -> bool:
        """Can these people of the source fill the groups, so that everybody's group has his `signature`?

        Their quasi-identifiers and the sensitive value, in the order of the manifest's roles; a row for each of them.
        """

    def answers(self, published: Any, manifest: Manifest, source: FrequencySet, workload: Workload) -> FloatArray:
        """What an analyst who has the tables answers to each query; the `source` only says which values there are."""


@dataclass(frozen=True)
class Writing:
    """What is to be written besides the plan: the source's columns in order, and how."""

    source: tuple[str, ...]  # all columns of the table
    published: tuple[str, ...]  # those of them that are published
    others: tuple[str, ...]  # those that are published as they are
    star: bool  # are suppressed rows published as all *?
    person: str | None = None  # the column that says whose row it is, which is never published
    numbers: IntArray | None = None  # of the groups of exact values, in random order


@dataclass(frozen=True)
class Comparing:
    """What a release is held against: the table that it was made from, counted, and where its other columns are."""

    table: FrequencySet
    source: Any  # as it was given: a path or a frame
    tables: PublishedTables
    manifest: Manifest
    mapping: Mapping[str, Any] | None  # that of a recoded table, already checked


PUBLICATIONS: Registry[Publication] = Registry(
    "kind of publication",
    "discreet.publications",
    {
        "generalization": "discreet.publications.recoded:GENERALIZATION",
        "multidimensional": "discreet.publications.recoded:MULTIDIMENSIONAL",
        "local_recoding": "discreet.publications.recoded:LOCAL_RECODING",
        "numbered_groups": "discreet.publications.numbered:NUMBERED_GROUPS",
        "bucketization": "discreet.publications.bucketized:BUCKETIZATION",
        "ambiguity": "discreet.publications.ambiguous:AMBIGUITY",
    },
)


def is_exact(publish: str) -> bool:
    """Are values published as they are, and is hidden which of them belong together?"""
    return publish in PUBLICATIONS and PUBLICATIONS[publish].exact


def choose_search(publish: object, search: object, promised: Sequence[str]) -> tuple[str, Mistake | None]:
    """The search that publishes so; when none is named, the default one for what is promised.

    >>> choose_search("generalization", None, ["k_anonymity"])
    ('optimal', None)
    >>> choose_search("bucketization", None, ["l_diversity"])
    ('anatomy', None)
    """
    if not isinstance(publish, str) or publish not in PUBLICATIONS:
        return "", unknown_word("publish", publish, PUBLICATIONS)
    if not search:
        return PUBLICATIONS[publish].default_search(promised), None
    searches = searches_for(publish)
    if not isinstance(search, str):
        return "", unknown_word("search", search, searches)
    if search in searches:
        return search, None
    elsewhere = SEARCHES[search].publishes if search in SEARCHES else ()
    if elsewhere:
        rule = f"{shown(search)} does not lead to publish: {publish}"
        return "", Mistake("search", rule, f"use {listed(searches)}, or publish: {' or '.join(elsewhere)}")
    return "", unknown_word("search", search, searches)


def misfits(
    publish: str, search: str, promised: Sequence[str], sensitive: Sequence[str], others: Sequence[str], suppressed: str
) -> list[Mistake]:
    """What in a policy does not go with its kind of publication, or with its search."""
    kind, mistakes = PUBLICATIONS[publish], []
    for word in dict.fromkeys(promised):
        only = MODELS[word].only if word in MODELS else ()  # a model made in Python needs no word that we know
        if only and publish not in only:
            rule = f"{shown(publish)} can't keep the promise {shown(word)}"
            mistakes.append(Mistake("publish", rule, f"write publish: {' or '.join(only)}"))
        elif only and kind.exact and promised.count(word) > 1 and len(sensitive) <= 1:  # of two, one word is of each
            rule = f"{shown(word)} is promised {promised.count(word)} times"
            mistakes.append(Mistake("require", rule, "keep one of them"))
    for place, needs in ((f"publish: {publish}", kind.needs), (f"search: {search}", SEARCHES[search].needs)):
        for word, repair in needs:
            if word not in promised:
                mistakes.append(Mistake("require", f"{place} needs the promise {word!r}", repair))
    return [*mistakes, *kind.misfits(sensitive, others, suppressed)]


def lacks_population(model: PrivacyModel, place: str, private: bool) -> list[Mistake]:
    """A promise about presence must say among whom, unless the table itself holds them."""
    if private or not isinstance(model, AboutPopulation) or model.among() is not None:
        return []
    repair = "name the table of everybody who could be in, or say with 'private' which rows of the source are in"
    return [Mistake(f"{place}.population", "is missing", repair)]


def several_populations(models: Iterable[PrivacyModel], source: str) -> list[Mistake]:
    """All promises about presence speak of the same people; those that name none, of the source's."""
    named = {model.among() or source for model in models if isinstance(model, AboutPopulation)}
    if len(named) < 2:
        return []
    repair = "give all of them the same population"
    return [Mistake("require", f"promises about presence speak of {len(named)} different populations", repair)]


def others_known_misfits(models: Iterable[PrivacyModel], search: str) -> list[Mistake]:
    """Summaries don't tell which sensitive values stand in one row."""
    asking = [model.describe() for model in models if asks_for_others(model)]
    if not asking or SEARCHES[search].reads != SUMMARY:
        return []
    rule = f"{shown(search)} reads a summary, which does not tell which sensitive values stand in one row: {asking[0]}"
    return [Mistake("search", rule, "leave `search` out, or leave others_known out")]


def wishes_misfits(
    models: Iterable[PrivacyModel], columns: Sequence[tuple[str, str]], publish: str, search: str
) -> list[Mistake]:
    """What does not go with promises that read wishes, or without; `columns` hold them, each with its place."""
    reading = [model for model in models if isinstance(model, Wished)]
    if not reading:
        repair = "write realistic: {…, predicates: {wishes: true}}, or give the column the role identifier"
        return [Mistake(place, "is of no use: no promise reads wishes", repair) for _, place in columns]
    mistakes = []
    if not columns:
        rule = f"no column has the role wishes: {reading[0].describe()}"
        mistakes.append(Mistake("require", rule, "give the column that holds them the role wishes"))
    attributes = list(dict.fromkeys(model.attribute for model in reading))
    if len(attributes) > 1:
        rule = f"wishes are about one sensitive column, and promises read them for {listed(attributes)}"
        mistakes.append(Mistake("require", rule, "name it in the promise: attribute: …"))
    if publish != "generalization" and any(isinstance(model, OneByOne) for model in reading):
        rule = f"{shown(publish)} can't keep what each row asks for: its searches join groups, and so their wishes"
        mistakes.append(Mistake("publish", rule, "write publish: generalization, or predicates: {wishes: united}"))
    if SEARCHES[search].reads == SUMMARY:
        rule = f"{shown(search)} reads a summary, which does not tell what rows ask for"
        mistakes.append(Mistake("search", rule, "leave `search` out, or list what to protect in `predicates`"))
    return mistakes


def suppression_misfits(publish: str, models: Iterable[PrivacyModel], suppress: object) -> list[Mistake]:
    """A limit that nothing would come of: who is in no box of a population can't be hidden among its others."""
    about = [m for m in models if isinstance(m, AboutPopulation)]
    if suppress and any(getattr(m, "leaves_nobody_out", False) for m in about):
        rule = "no rows can be left out where pairs or a margin are promised: how many people hide them is not known"
        return [Mistake("suppress", rule, "write suppress: 0")]
    if not suppress or publish == "generalization" or not about:
        return []
    rule = f"{shown(publish)} leaves no row out where a promise is about a population"
    return [Mistake("suppress", rule, "write suppress: 0, or publish: generalization")]


def summary_misfits(search: str, summary: object, others: Sequence[str]) -> list[Mistake]:
    """What does not go with searching a summary, or without."""
    if SEARCHES[search].reads != SUMMARY:
        rule = "is for search: instant alone"
        return [] if summary is None else [Mistake("summary", rule, "leave it out, or write search: instant")]
    if not others:
        return []
    rule = f"{shown(search)} never looks at single rows, so {listed(others)} can't be published as they are"
    return [Mistake("search", rule, "give these columns another role, or leave `search` out")]


def threshold_misfits(publish: str, search: str, threshold: object, suppress: object) -> list[Mistake]:
    """Where no probability decides, none is to be asked for: it would seem to."""
    if threshold is None:
        return []
    if SEARCHES[search].reads != SUMMARY:
        return [Mistake("threshold", "is for search: instant alone", "leave it out, or write search: instant")]
    if publish == "generalization" and suppress:
        rule = (
            "is of no use where rows may be suppressed: a candidate is taken only if no more rows are expected to be "
            "suppressed than may be"
        )
        return [Mistake("threshold", rule, "leave it out, or write suppress: 0")]
    return []


def listed(names: Iterable[str]) -> str:
    """Names in a message."""
    return ", ".join(repr(name) for name in names)
