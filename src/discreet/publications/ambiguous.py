"""Ambiguity: every value exact, each attribute (or set of them) in a table of its own.

What a policy asks is answered here; what reads and writes tables is loaded when it is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.errors import Mistake
from discreet.labels.whose import Whose
from discreet.models.promise import Risk
from discreet.policy.kinds import Comparing, KindWords, Writing, listed
from discreet.publications.base import ExactKind

if TYPE_CHECKING:
    import numpy as np

    from discreet.arrays import FloatArray
    from discreet.counts.frequency import FrequencySet
    from discreet.engines.base import PublishedTables, Tables
    from discreet.publications.ambiguous_tables import Ambiguous
    from discreet.publications.published import Manifest
    from discreet.publications.source.population import Surroundings
    from discreet.search.plan import Ambiguity
    from discreet.utility.queries import Workload


@dataclass(frozen=True)
class AmbiguousKind(ExactKind):
    """Of a group, which values occur is told, and not which of them belong together."""

    def misfits(self, sensitive: Sequence[str], others: Sequence[str], suppressed: str) -> list[Mistake]:
        mistakes = []
        if others:
            rule = f"'ambiguity' hides combinations, so {listed(others)} can't be published beside them"
            mistakes.append(Mistake("attributes", rule, "give these columns the role quasi_identifier or identifier"))
        return [*mistakes, *super().misfits(sensitive, others, suppressed)]

    def leaves_open(self, promised: Sequence[str], seen_through: str, whose: Whose) -> list[Risk]:
        return [
            (
                "A list of the population",
                "A combination of values is taken to be as likely as any other of its group. Whoever holds a list of "
                "the population can strike out what is not in it, and be surer of the rest than promised: discreet "
                "audit --population tells by how much.",
            ),
        ]

    def write(self, plan: Ambiguity, writing: Writing, tables: Tables, random: np.random.Generator) -> Manifest:
        from discreet.publications.ambiguous_tables import write_ambiguous

        assert writing.numbers is not None, "its groups have numbers"
        return write_ambiguous(plan, writing.source, tables, writing.numbers)

    def read(
        self,
        tables: PublishedTables,
        manifest: Manifest,
        mapping: Mapping[str, Any] | None,
        source: FrequencySet | None,
        known: Surroundings | None,
    ) -> Ambiguous:
        from discreet.publications.ambiguous_tables import read_ambiguous

        return read_ambiguous(tables, manifest, source, known)

    def compare(self, published: Ambiguous, comparing: Comparing) -> list[Mistake]:
        from discreet.publications.source.against_source import ambiguous_misfits

        return ambiguous_misfits(published, comparing)

    def answers(self, published: Ambiguous, manifest: Manifest, source: FrequencySet, workload: Workload) -> FloatArray:
        from discreet.publications.answers import from_ambiguous

        return from_ambiguous(published, source, workload)


AMBIGUITY = AmbiguousKind(
    "ambiguity",
    KindWords(
        title="ambiguity: every value exact, in tables apart that hide which of them belong together",
        group="rows whose values are listed together, without saying which belong to the same row",
        together="Which values belong together is not told inside a group. The larger the group, the better its rows "
        "are hidden, and the less is known about them.",
        use=(
            "Each table lists what occurs in a group, each value once; the last one tells how many rows of the group "
            "have each sensitive value.",
            "Which values of a group belong together, and how often a quasi-identifier occurs in it, is not told: take "
            "each of the m entries of a table for n / m of the n rows of its group.",
            "The numbers of the groups are random and mean nothing.",
        ),
        quasi_identifiers="published as it is, apart from the other columns",
        undeclared="is protected only as the sensitive one is: inside its group.",
        hidden="which of them belong together",
        price="which values belong together",
        apart=", but in tables apart. A table lists what occurs in a group, each once. What is hidden is which values "
        "of a group belong to the same row: so which rows there are, and which of them has which sensitive value. The "
        "numbers of groups are random.",
        presumed=" Being in the table is taken to be known to her.",
        spread=", if each of the m entries of a table stands for n / m rows of its group of n",
    ),
    needs=(("ambiguity", "add ambiguity: {alpha: 0.1, beta: 0.2}"),),
)
