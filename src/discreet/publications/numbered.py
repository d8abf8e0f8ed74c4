"""Coarser values with the number of the group beside them: the table of a chain of releases (Xiao & Tao 2007).

Rows of one number are a group; groups may look alike, and their ranges overlap. Which rows belong together is told by
the number, which is random, as everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from discreet.errors import Mistake
from discreet.labels.whose import Whose
from discreet.models.promise import Risk
from discreet.policy.kinds import Comparing, Writing
from discreet.publications.base import left_out
from discreet.publications.recoded import LOCAL_RECODING, RecodedKind

if TYPE_CHECKING:
    import numpy as np

    from discreet.arrays import IntArray
    from discreet.counts.frequency import FrequencySet
    from discreet.engines.base import Frequencies, PublishedTables, Tables
    from discreet.publications.published import Manifest
    from discreet.publications.recoded_tables import Recoded
    from discreet.publications.source.people import Standing
    from discreet.publications.source.population import Surroundings
    from discreet.search.plan import Plan, Recoding


@dataclass(frozen=True)
class NumberedKind(RecodedKind):
    """Every row of the table with coarser quasi-identifiers and the number of its group."""

    def misfits(self, sensitive: Sequence[str], others: Sequence[str], suppressed: str) -> list[Mistake]:
        if suppressed != "star":
            return []
        rule = f"'star' would be a group without a number; in a release by {self.word} suppressed rows are left out"
        return [Mistake("suppressed", rule, "write suppressed: drop")]

    def leaves_open(self, promised: Sequence[str], seen_through: str, whose: Whose) -> list[Risk]:
        return [
            (
                "Knowing some values, and how groups were made",
                f"Among {whose.people} of groups with the same set of values, those who are alike were put together as "
                "far as their values let them. Whoever knows the values of some, and weighs who was not put together "
                "though alike, may learn those of others in other groups of that set. Whoever knows nobody's value "
                "does not become surer of any by that.",
            )
        ]

    def notes(self, plan: Plan, whose: Whose) -> list[str]:
        return left_out(plan, f"{whose.somebody} is in the table and finds no row here that fits")

    def write(self, plan: Recoding, writing: Writing, tables: Tables, random: np.random.Generator) -> Manifest:
        from discreet.publications.numbered_tables import write_numbered

        return write_numbered(plan, writing, tables, random)

    def read(
        self,
        tables: PublishedTables,
        manifest: Manifest,
        mapping: Mapping[str, Any] | None,
        source: FrequencySet | None,
        known: Surroundings | None,
    ) -> Recoded:
        from discreet.publications.numbered_tables import read_numbered

        return read_numbered(tables, manifest)

    def standing(
        self, published: Recoded, table: FrequencySet, mapping: Mapping[str, Any] | None, manifest: Manifest
    ) -> Standing | None:
        return None  # a person has one row

    def proven(
        self,
        kept: Mapping[str, Any],
        published: Recoded,
        table: FrequencySet,
        mapping: Mapping[str, Any] | None,
        manifest: Manifest,
    ) -> Standing | None:
        return None

    def compare(self, published: Recoded, comparing: Comparing) -> list[Mistake]:
        from discreet.publications.numbered_tables import numbered_misfits

        return numbered_misfits(published, comparing)

    def seated(
        self, published: Recoded, comparing: Comparing, people: Frequencies, signature: IntArray, of_group: IntArray
    ) -> bool:
        from discreet.publications.numbered_tables import seated

        return seated(published, comparing, people, signature, of_group)


NUMBERED_GROUPS = NumberedKind(
    "numbered_groups",
    replace(
        LOCAL_RECODING.words,
        title="numbered groups: coarser values, and the number of the group in each row",
        group="published rows with the same number",
        together="Rows of a group have the same quasi-identifiers, and nothing tells whose is whose. The larger the "
        "group, the better they are hidden, and the less is known about them.",
        use=(
            *LOCAL_RECODING.words.use[:-1],
            "The numbers of the groups are random and mean nothing, but that rows with the same one belong together. "
            "Groups with different numbers may look alike.",
        ),
    ),
    needs=(("m_invariance", "add m_invariance: {m: 3}, or write publish: local_recoding"),),
)
