"""What the tables of an ambiguous release leave open: who is in it, and what they have if they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.counts.groups import Groups
from discreet.labels.figures import number
from discreet.models.ambiguity.alpha_beta import association, presence
from discreet.models.ambiguity.total import total_presence
from discreet.models.parameters import exact
from discreet.report.marginals import shown
from discreet.report.sections.chances import Chances, chances
from discreet.report.sections.registry import CUSTODIAN, RELEASE, Public, Section
from discreet.report.words import model_of

_SAME = 1e-9  # floats that differ by less are the same


@dataclass(frozen=True)
class Ambiguous:
    """How likely the published people are to be in the table, and to have their group's most frequent value.

    `presence` is that of each group by itself. `total` is the largest of any combination of values over all groups that
    cover it, as nobody is in two of them; a bound that none is above, unless `total_is_exact`.
    """

    attribute: str
    presence: Chances
    association: Chances
    total: float
    total_is_exact: bool

    @property
    def in_words(self) -> str:
        """What was achieved of both."""
        return f"presence {self.presence_in_words}, association {number(self.association.largest)}"

    @property
    def presence_in_words(self) -> str:
        """The largest presence of one group, and over all groups together."""
        bound = "" if self.total_is_exact else "at most "
        return f"{number(self.presence.largest)} in one group and {bound}{number(self.total)} over all groups together"

    @property
    def is_open(self) -> bool:
        """Does it come to more, over all groups together, than was asked of each?"""
        return self.presence.limit is not None and self.total > self.presence.limit * (1 + _SAME)


def ambiguous(groups: Groups, name: str | None, promises: Sequence[Mapping[str, Any]]) -> Ambiguous | None:
    """Both, beside what was asked; `name` is the sensitive attribute. Anybody can compute them from the release."""
    if name is None or not len(groups):
        return None
    asked: Mapping[str, Any] = next((p for word, p in map(model_of, promises) if word == "ambiguity"), {})
    alpha, beta = (exact(asked[x]) if x in asked else None for x in ("alpha", "beta"))
    total = total_presence(groups, alpha)
    return Ambiguous(
        shown(name),
        chances(presence(groups), groups.sizes, None if alpha is None else float(alpha)),
        chances(association(groups, name), groups.sizes, None if beta is None else float(beta)),
        float(total.most),
        total.is_exact,
    )


def _figures(known: Public) -> Ambiguous | None:
    if known.groups.distinct is None:  # its values are not in tables apart
        return None
    return ambiguous(known.groups, next(iter(known.groups.tallies), None), known.manifest["promises"])


AMBIGUOUS = Section(_figures, "report_ambiguous.html.j2", pages=(RELEASE, CUSTODIAN))
