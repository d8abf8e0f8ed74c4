"""What kinds of publication have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.errors import Mistake, shown
from discreet.labels.whose import Whose
from discreet.models.promise import Risk
from discreet.policy.kinds import Comparing, KindWords
from discreet.search.registry import searches_for

if TYPE_CHECKING:
    from discreet.arrays import IntArray
    from discreet.counts.frequency import FrequencySet
    from discreet.engines.base import Frequencies
    from discreet.publications.published import Manifest
    from discreet.publications.published_rules import PublishedRule
    from discreet.publications.source.people import Standing
    from discreet.search.plan import Plan


def left_out(plan: Plan, suspicion: str) -> list[str]:
    """What is told where rows are missing, and whoever knows as much as `suspicion` says may ask why."""
    if not plan.suppressed:
        return []
    because = " and ".join(plan.frequency.sensitive)
    return [
        f"{plan.suppressed:,} rows are left out because of their {because}: whoever knows that {suspicion} may suspect "
        "why"
    ]


@dataclass(frozen=True)
class Kind:
    """A kind of publication with the answers that most of them give (`policy.kinds.Publication` has the questions)."""

    word: str
    words: KindWords
    needs: tuple[tuple[str, str], ...] = ()
    exact = False
    several = False

    def default_search(self, promised: Sequence[str]) -> str:
        return searches_for(self.word)[0]

    def misfits(self, sensitive: Sequence[str], others: Sequence[str], suppressed: str) -> list[Mistake]:
        return []

    def leaves_open(self, promised: Sequence[str], seen_through: str, whose: Whose) -> list[Risk]:
        return []

    def shows_presence(self, whose: Whose) -> Risk | None:
        return None

    def notes(self, plan: Plan, whose: Whose) -> list[str]:
        return []

    def levels(self, plan: Any, rules: Mapping[str, PublishedRule]) -> Mapping[str, int] | None:
        return None

    def mapping(self, plan: Any, rules: Mapping[str, PublishedRule]) -> Mapping[str, Any] | None:
        return None

    def check_mapping(self, published: Any, manifest: Manifest, mapping: Mapping[str, Any]) -> list[Mistake]:
        return []

    def standing(
        self, published: Any, table: FrequencySet, mapping: Mapping[str, Any] | None, manifest: Manifest
    ) -> Standing | None:
        return None

    def proven(
        self,
        kept: Mapping[str, Any],
        published: Any,
        table: FrequencySet,
        mapping: Mapping[str, Any] | None,
        manifest: Manifest,
    ) -> Standing | None:
        return None

    def compare(self, published: Any, comparing: Comparing) -> list[Mistake]:
        return []

    def seated(
        self, published: Any, comparing: Comparing, people: Frequencies, signature: IntArray, of_group: IntArray
    ) -> bool:
        return False  # nothing is promised of it that would ask


@dataclass(frozen=True)
class ExactKind(Kind):
    """Exact values in several tables: one sensitive attribute apart from the others."""

    exact = True
    several = True

    def standing(
        self, published: Any, table: FrequencySet, mapping: Mapping[str, Any] | None, manifest: Manifest
    ) -> Standing | None:
        from discreet.publications.source.kept_apart import found_apart

        return found_apart(published, table, published.judged(manifest.get("hierarchies", {})))

    def proven(
        self,
        kept: Mapping[str, Any],
        published: Any,
        table: FrequencySet,
        mapping: Mapping[str, Any] | None,
        manifest: Manifest,
    ) -> Standing | None:
        from discreet.publications.source.kept_apart import kept_apart

        return kept_apart(kept, published, table, published.judged(manifest.get("hierarchies", {})))

    def misfits(self, sensitive: Sequence[str], others: Sequence[str], suppressed: str) -> list[Mistake]:
        mistakes = []
        if len(sensitive) != 1:
            many = f"the policy has {len(sensitive)}"
            rule = f"{shown(self.word)} separates one sensitive attribute from the others, {many}"
            mistakes.append(Mistake("attributes", rule, "give exactly one column the role sensitive"))
        if suppressed == "star":
            rule = f"'star' is for coarser values; in a release by {self.word} suppressed rows are left out"
            mistakes.append(Mistake("suppressed", rule, "write suppressed: drop"))
        return mistakes
