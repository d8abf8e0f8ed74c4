"""The sections of a report: each with its figures, a template that shows them, and lines for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.counts.groups import Groups
from discreet.labels.whose import Whose, whose_of
from discreet.publications.published import Published
from discreet.registry import Registry
from discreet.report.marginals import Grain
from discreet.search.plan import Plan

RELEASE, CUSTODIAN = "release", "custodian"  # the page that is published, and the one that is not


@dataclass(frozen=True, eq=False)
class Public:
    """What anybody has who has a release: all that the figures of its own page may be made of."""

    manifest: Mapping[str, Any]
    mapping: Mapping[str, Any]  # empty where there is none
    published: Published
    groups: Groups  # those with rows

    @property
    def whose(self) -> Whose:
        """Whose rows they are."""
        return whose_of(self.manifest)


@dataclass(frozen=True, eq=False)
class Private:
    """What the custodian has: the plan, with the source's counts in it, and the figures that are about the source."""

    plan: Plan
    manifest: Mapping[str, Any]
    about: Mapping[str, Any]
    grain: Grain

    @property
    def whose(self) -> Whose:
        """Whose rows they are."""
        return whose_of(self.manifest)

    @property
    def promises(self) -> Sequence[Mapping[str, Any]]:
        """Every promise with what it reached, as only the custodian may know it."""
        promises: Sequence[Mapping[str, Any]] = self.about["promises"]
        return promises


def _no_lines(figures: Any) -> list[str]:
    return []


@dataclass(frozen=True)
class Section:
    """A part of the report.

    `figures` are made of what is `Public` if the section stands on the page of the release, else of what is `Private`;
    None or nothing at all, if there is nothing to tell. They are frozen dataclasses, numbers and texts, and they never
    hold a row. `template` is the name of a file in ``report/templates`` or the text of a template itself, in which
    `figures` and `data` (the whole report) are known; without one the figures are for other sections. `lines` are for
    the terminal.
    """

    figures: Callable[[Any], Any]
    template: str = ""
    pages: tuple[str, ...] = (CUSTODIAN,)
    lines: Callable[[Any], list[str]] = _no_lines


# In the order of the page.
SECTIONS: Registry[Section] = Registry(
    "section",
    "discreet.sections",
    {
        "presence": "discreet.report.sections.presence:PRESENCE",
        "confidences": "discreet.report.sections.presence:CONFIDENCES",
        "ambiguous": "discreet.report.sections.ambiguous:AMBIGUOUS",
        "worst_case": "discreet.report.sections.worst_case:WORST_CASE",
        "tied_values": "discreet.report.sections.tied_values:TIED_VALUES",
        "error_bars": "discreet.report.sections.error_bars:ERROR_BARS",
        "values": "discreet.report.sections.values:VALUES",
        "risks": "discreet.report.sections.risks:RISKS",
        "guesses": "discreet.report.sections.risks:GUESSES",
        "answers": "discreet.report.sections.answers:ANSWERS",
        "associations": "discreet.report.sections.pairs_kept:ASSOCIATIONS",
        "attributes": "discreet.report.sections.coarser:ATTRIBUTES",
        "exact": "discreet.report.sections.exact:EXACT",
        "marginals": "discreet.report.sections.before_and_after:MARGINALS",
        "read": "discreet.report.sections.read:READ",
        "beliefs": "discreet.report.sections.beliefs:BELIEFS",
    },
)


def public_figures(known: Public) -> dict[str, Any]:
    """The figures of every section of the page that is published with a release."""
    return {word: SECTIONS[word].figures(known) for word in SECTIONS if RELEASE in SECTIONS[word].pages}


def private_figures(known: Private) -> dict[str, Any]:
    """Those of the sections that are for the custodian alone."""
    return {word: SECTIONS[word].figures(known) for word in SECTIONS if RELEASE not in SECTIONS[word].pages}
