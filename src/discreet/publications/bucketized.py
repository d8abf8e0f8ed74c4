"""Bucketization: exact quasi-identifiers in one table, sensitive values in another, joined by groups alone.

What a policy asks is answered here; what reads and writes tables is loaded when it is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.errors import Mistake
from discreet.labels.whose import Whose
from discreet.models.promise import Risk
from discreet.policy.kinds import Comparing, KindWords, Writing
from discreet.publications.base import ExactKind, left_out

if TYPE_CHECKING:
    import numpy as np

    from discreet.arrays import FloatArray, IntArray
    from discreet.counts.frequency import FrequencySet
    from discreet.engines.base import Frequencies, PublishedTables, Tables
    from discreet.publications.bucketized_tables import Bucketized
    from discreet.publications.published import Manifest
    from discreet.publications.source.population import Surroundings
    from discreet.search.plan import Bucketization, Plan
    from discreet.utility.queries import Workload


@dataclass(frozen=True)
class BucketizedKind(ExactKind):
    """Whoever is in the table can be seen, and of a group its values, but not whose they are."""

    def default_search(self, promised: Sequence[str]) -> str:
        if "m_invariance" in promised:
            return "invariant"
        return "art" if "robust" in promised else "anatomy"

    def leaves_open(self, promised: Sequence[str], seen_through: str, whose: Whose) -> list[Risk]:
        if "robust" in promised:
            return []
        beside = f"quasi-identifiers stand beside {whose.either('their', 'its')} group"
        return [
            (
                f"Knowing what {whose.people} of some kind tend to have",
                f"{whose.everybody.capitalize()}'s {beside}. Whoever knows that a value is common among {whose.people} "
                f"like one of the group, and rare among {whose.people} like the others, may guess whose it is. Only "
                "the promise robust limits that." + (f" In this release, {seen_through}." if seen_through else ""),
            )
        ]

    def shows_presence(self, whose: Whose) -> Risk | None:
        if whose is Whose.UNSAID:
            return (
                "Seeing which rows are in the table",
                "The quasi-identifiers are published exactly. Whoever knows those of a row sees whether it is there, "
                "and in which group. If being there says something by itself (a register of patients), publish "
                "otherwise.",
            )
        return (
            "Seeing who is in the table",
            "The quasi-identifiers are published exactly, row by row. Whoever knows those of a person sees whether the "
            "person took part, and in which group. If taking part says something by itself (a register of patients), "
            "publish otherwise.",
        )

    def notes(self, plan: Plan, whose: Whose) -> list[str]:
        # It shows who is in the table, and so who is missing.
        missing = whose.either("somebody is in the table and misses that person", "a row is in the table and misses it")
        return left_out(plan, f"{missing} here")

    def write(self, plan: Bucketization, writing: Writing, tables: Tables, random: np.random.Generator) -> Manifest:
        from discreet.publications.bucketized_tables import write_bucketized

        return write_bucketized(plan, writing, tables, random)

    def read(
        self,
        tables: PublishedTables,
        manifest: Manifest,
        mapping: Mapping[str, Any] | None,
        source: FrequencySet | None,
        known: Surroundings | None,
    ) -> Bucketized:
        from discreet.publications.bucketized_tables import read_bucketized

        return read_bucketized(tables, manifest, source)

    def compare(self, published: Bucketized, comparing: Comparing) -> list[Mistake]:
        from discreet.publications.source.against_source import bucketized_misfits

        return bucketized_misfits(published, comparing)

    def seated(
        self, published: Bucketized, comparing: Comparing, people: Frequencies, signature: IntArray, of_group: IntArray
    ) -> bool:
        from discreet.publications.bucketized_tables import seated

        return seated(published, people, signature, of_group)

    def answers(
        self, published: Bucketized, manifest: Manifest, source: FrequencySet, workload: Workload
    ) -> FloatArray:
        from discreet.publications.answers import from_bucketized

        return from_bucketized(published, source, workload)


BUCKETIZATION = BucketizedKind(
    "bucketization",
    KindWords(
        title="bucketization: quasi-identifiers and sensitive values exact, in tables apart",
        group="rows whose sensitive values are published together, without saying whose is whose",
        together="Whose sensitive value is whose is not told inside a group. The larger the group, the better its rows "
        "are hidden, and the less is known about them.",
        use=(
            "The exact quasi-identifiers of every row are in one table, the sensitive values of each group in another. "
            "Join them by the group: in a group of n rows, each has a value that b of them have with chance b / n.",
            "Counts by quasi-identifiers alone, or by sensitive values alone, are exact. Counts by both are estimates: "
            "sum up a · b / n over the groups, where a of a group's n rows have the quasi-identifiers and b the value.",
            "The numbers of the groups are random and mean nothing.",
        ),
        quasi_identifiers="published as it is, apart from the sensitive values",
        undeclared="was not separated from the others.",
        hidden="whose sensitive value is whose",
        price="whose sensitive value is whose",
        apart=". The quasi-identifiers of every row stand together in one table, with the number of a group; the "
        "sensitive values of the group stand in another. What is hidden is whose value is whose inside a group. The "
        "numbers are random.",
        entry="one row for each of the original table",
    ),
)
