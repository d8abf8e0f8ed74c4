"""Coarser values: generalization, multidimensional and local recoding publish one table, and how to read it.

What a policy asks is answered here; what reads and writes tables is loaded when it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from discreet.errors import Mistake
from discreet.labels.whose import Whose
from discreet.policy.kinds import Comparing, KindWords, Writing
from discreet.publications.base import Kind

if TYPE_CHECKING:
    import numpy as np

    from discreet.arrays import FloatArray
    from discreet.counts.frequency import FrequencySet
    from discreet.engines.base import PublishedTables, Tables
    from discreet.publications.published import Manifest
    from discreet.publications.published_rules import PublishedRule
    from discreet.publications.recoded_tables import Recoded
    from discreet.publications.source.people import Standing
    from discreet.publications.source.population import Surroundings
    from discreet.search.plan import Plan, Recoding
    from discreet.utility.queries import Workload

_NAMED = 8  # columns that are told by name


@dataclass(frozen=True)
class RecodedKind(Kind):
    """Every row of the table with coarser quasi-identifiers; rows whose published ones are equal are a group.

    Rows are left out as whole groups, or `one_by_one`: then a promise about values may choose them by their value.
    """

    one_by_one: bool = False

    def notes(self, plan: Plan, whose: Whose) -> list[str]:
        names = plan.frequency.sensitive
        sensitive = " and ".join(names) if len(names) <= _NAMED else f"the {len(names)} sensitive columns"
        if not (self.one_by_one and plan.suppressed and sensitive):
            return []
        return [
            f"{plan.suppressed:,} rows are left out one by one; where a promise is about {sensitive}, that may be "
            f"because of their value: whoever knows that {whose.somebody} is in the table and finds no row here that "
            "fits may suspect it"
        ]

    def write(self, plan: Recoding, writing: Writing, tables: Tables, random: np.random.Generator) -> Manifest:
        from discreet.publications.recoded_tables import write_recoded

        table = tables.name("data")
        write_recoded(plan, writing, tables, table, random)
        return {"table": table}

    def levels(self, plan: Recoding, rules: Mapping[str, PublishedRule]) -> Mapping[str, int] | None:
        from discreet.publications.mapping import published_levels

        return published_levels(plan, rules)

    def mapping(self, plan: Recoding, rules: Mapping[str, PublishedRule]) -> Mapping[str, Any] | None:
        from discreet.publications.mapping import mapping_of

        return mapping_of(plan, rules)

    def read(
        self,
        tables: PublishedTables,
        manifest: Manifest,
        mapping: Mapping[str, Any] | None,
        source: FrequencySet | None,
        known: Surroundings | None,
    ) -> Recoded:
        from discreet.publications.recoded_tables import among, read_recoded, with_wishes
        from discreet.publications.source.people import people_inside
        from discreet.publications.source.population import surroundings_of

        recoded = read_recoded(tables, manifest)
        if source is not None and source.wishes is not None:
            assert mapping is not None, "who is in which group is told by the mapping"
            recoded = with_wishes(recoded, mapping, source)
        people = surroundings_of(source) if known is None else known
        if people is None:
            return recoded
        assert mapping is not None, "who else could be in a group is told by the mapping"
        return among(recoded, mapping, manifest, people, people_inside(recoded, source, mapping, manifest))

    def check_mapping(self, published: Recoded, manifest: Manifest, mapping: Mapping[str, Any]) -> list[Mistake]:
        from discreet.publications.mapping_check import mapping_mistakes

        return mapping_mistakes(mapping, manifest, published.texts())

    def standing(
        self, published: Recoded, table: FrequencySet, mapping: Mapping[str, Any] | None, manifest: Manifest
    ) -> Standing | None:
        from discreet.publications.source.people import standing_in

        assert mapping is not None, "where a row can stand is told by the mapping"
        return standing_in(published, table, mapping, int(manifest["rows"]["suppressed"]))

    def proven(
        self,
        kept: Mapping[str, Any],
        published: Recoded,
        table: FrequencySet,
        mapping: Mapping[str, Any] | None,
        manifest: Manifest,
    ) -> Standing | None:
        from discreet.publications.source.kept_standing import kept_standing

        assert mapping is not None, "where a row can stand is told by the mapping"
        return kept_standing(kept, published, table, mapping)

    def compare(self, published: Recoded, comparing: Comparing) -> list[Mistake]:
        from discreet.publications.source.against_source import recoded_misfits

        return recoded_misfits(published, comparing)

    def answers(self, published: Recoded, manifest: Manifest, source: FrequencySet, workload: Workload) -> FloatArray:
        from discreet.publications.answers import from_recoded

        return from_recoded(published, manifest, source, workload)


_WORDS = KindWords(
    title="",
    group="published rows that cannot be told apart by their quasi-identifiers",
    together="Rows of a group cannot be told apart. The larger the group, the better they are hidden, and the less is "
    "known about them.",
    use=(
        "Each row is one row of the original table, with coarser values: a range such as 20-39, a name of several "
        "values, the first characters of a code (479**), a set {a, b}, or * for anything.",
        "The sensitive values are exact, so counts by published values are exact, too. Within a range nothing is "
        "told: take its values as evenly spread only if nothing better is known, and let models see ranges as ranges.",
        "Rows are in random order. Their place in the file means nothing.",
    ),
    quasi_identifiers="made coarser",
    undeclared="was not made coarser.",
    spread=", if a range is spread evenly over its values",
)
GENERALIZATION = RecodedKind(
    "generalization", replace(_WORDS, title="generalization: each column at the same level in all rows")
)
MULTIDIMENSIONAL = RecodedKind(
    "multidimensional",
    replace(_WORDS, title="multidimensional: each region of the data as coarse as it needs to be"),
    one_by_one=True,
)
LOCAL_RECODING = RecodedKind(
    "local_recoding",
    replace(_WORDS, title="local recoding: each group as coarse as it needs to be"),
    one_by_one=True,
)
