"""What the tables of an ambiguous release leave open: who is in it, and what they have if they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.counts.groups import Groups
from discreet.labels.figures import number
from discreet.models.ambiguity.alpha_beta import association, presence
from discreet.models.parameters import exact
from discreet.report.marginals import shown
from discreet.report.sections.chances import Chances, chances
from discreet.report.sections.registry import CUSTODIAN, RELEASE, Public, Section
from discreet.report.words import model_of


@dataclass(frozen=True)
class Ambiguous:
    """How likely the published people are to be in the table, and to have their group's most frequent value."""

    attribute: str
    presence: Chances
    association: Chances

    @property
    def in_words(self) -> str:
        """What was achieved of both."""
        return f"presence {number(self.presence.largest)}, association {number(self.association.largest)}"


def ambiguous(groups: Groups, name: str | None, promises: Sequence[Mapping[str, Any]]) -> Ambiguous | None:
    """Both, beside what was asked; `name` is the sensitive attribute. Anybody can compute them from the release."""
    if name is None or not len(groups):
        return None
    asked: Mapping[str, Any] = next((p for word, p in map(model_of, promises) if word == "ambiguity"), {})
    alpha, beta = (float(exact(asked[x])) if x in asked else None for x in ("alpha", "beta"))
    return Ambiguous(
        shown(name),
        chances(presence(groups), groups.sizes, alpha),
        chances(association(groups, name), groups.sizes, beta),
    )


def _figures(known: Public) -> Ambiguous | None:
    if known.groups.distinct is None:  # its values are not in tables apart
        return None
    return ambiguous(known.groups, next(iter(known.groups.tallies), None), known.manifest["promises"])


AMBIGUOUS = Section(_figures, "report_ambiguous.html.j2", pages=(RELEASE, CUSTODIAN))
