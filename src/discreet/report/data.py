"""The custodian's report as one frozen value: what the text, the JSON and the private page are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from discreet.labels.figures import percent
from discreet.labels.notebook import in_frame
from discreet.report.exposures import LITTLE_LEFT, Exposure
from discreet.report.marginals import Grain, Marginal, nobody_decided, printable
from discreet.report.release import ReleaseData, achieved_in_words, agreeing, promise_lines, scalars
from discreet.report.sections.answers import Answers
from discreet.report.sections.coarser import Became
from discreet.report.sections.exact import Exact
from discreet.report.sections.open_risks import open_risks
from discreet.report.sections.presence import Confident, Present
from discreet.report.sections.presence_risks import presence_risks
from discreet.report.sections.registry import SECTIONS, Private, private_figures
from discreet.report.sections.risks import exposed_people, people_alone
from discreet.report.sections.tied_values import tied_risks
from discreet.report.sections.worst_case import WorstCase, seen_through
from discreet.report.words import roles_of
from discreet.search.plan import Plan


@dataclass(frozen=True, kw_only=True)
class ReportData(ReleaseData):
    """The custodian's report: what anybody may read of the release, and what only whoever has the source can tell.

    Not for publication: figures about the source say more of it than the release does.
    """

    people: Mapping[str, int] | None  # of the source and of the release, and the most rows of one; None: not counted
    loss: float
    loss_geometric: float
    share_step: int
    scans: int
    seconds: Mapping[str, float]
    facts: Mapping[str, str | int | float | bool]
    undecided: tuple[str, ...] = ()  # columns that nobody has decided on
    of_people: tuple[Exposure, ...] = ()  # what is not protected where people have several rows
    people_alone: float = 0.0  # share of these who have all rows of a group

    @property
    def of_no_use(self) -> str:
        """Also that little is left, which only whoever has the source can measure."""
        told = super().of_no_use
        if told or self.exact is not None or not self.attributes or self.loss < LITTLE_LEFT:
            return told
        return f"Little is left of the quasi-identifiers: their loss of exactness is {percent(self.loss)}."

    @property
    def warnings(self) -> tuple[Exposure, ...]:
        """What has to be read first, for the custodian: also that decisions were left open, and what the published
        files don't tell of people with several rows.
        """
        open_decisions = [Exposure(nobody_decided(self.undecided), None, False)] if self.undecided else []
        return (*open_decisions, *super().warnings, *self.of_people)

    def __repr__(self) -> str:
        from discreet.report.text import to_text  # late: it is made of this module

        return to_text(self)

    def _repr_html_(self) -> str:
        """The custodian's page, for a notebook."""
        from discreet.report.html import custodian_page

        return in_frame(custodian_page(self))

    @property
    def worst_case(self) -> WorstCase | None:
        figures: WorstCase | None = self.sections["worst_case"]
        return figures

    @property
    def presence(self) -> Present | None:
        figures: Present | None = self.sections["presence"]
        return figures

    @property
    def confidences(self) -> tuple[Confident, ...]:
        figures: tuple[Confident, ...] = self.sections["confidences"]
        return figures

    @property
    def attributes(self) -> tuple[Became, ...]:
        """Of a release of coarser values."""
        figures: tuple[Became, ...] = self.sections["attributes"]
        return figures

    @property
    def exact(self) -> Exact | None:
        """Of a release of exact values."""
        figures: Exact | None = self.sections["exact"]
        return figures

    @property
    def answers(self) -> Answers | None:
        figures: Answers | None = self.sections["answers"]
        return figures

    @property
    def marginals(self) -> tuple[Marginal, ...]:
        figures: tuple[Marginal, ...] = self.sections["marginals"]
        return figures


def report_data(
    plan: Plan, manifest: Mapping[str, Any], figures: Mapping[str, Any], release: ReleaseData
) -> ReportData:
    """What the custodian is told: the release's own page, the `figures` about the source, and counts of the plan."""
    promises = figures["promises"]
    grain = Grain(plan.frequency.rows)
    found = dict(release.sections) | private_figures(Private(plan, manifest, figures, grain))
    sections = {word: found[word] for word in SECTIONS if word in found}  # in the order of the page
    worst, exact = sections["worst_case"], sections["exact"]
    own = {field.name: getattr(release, field.name) for field in fields(ReleaseData)}
    return ReportData(
        **own
        | {
            "promises": promise_lines(
                {**manifest, "promises": promises}, achieved_in_words(manifest, release.ambiguous)
            ),
            "notes": (*release.notes, *(printable(note) for note in figures["notes"])),
            "sections": sections,
            "open_risks": open_risks(
                promises,
                roles_of(manifest),
                manifest["publish"],
                agreeing(plan.groups),
                release.whose,
                seeded=release.seeded,
                stars=release.suppressed if manifest["suppressed_as"] == "star" else 0,
                exchanged=f"{percent(exact.exchanged)} of the published rows" if exact and exact.exchanged else "",
                seen_through="" if worst is None else seen_through(worst),
                who=presence_risks(sections["presence"], sections["confidences"], roles_of(manifest), release.whose),
                tied=tied_risks(sections["tied_values"]),
                applied=manifest.get("applied"),
            ),
        },
        people=figures["people"],
        loss=figures["loss"],
        loss_geometric=figures["loss_geometric"],
        share_step=grain.step,
        scans=figures["scans"],
        seconds=dict(figures["seconds"]),
        facts=scalars(figures["facts"]),
        undecided=tuple(figures.get("undecided", ())),
        of_people=exposed_people(plan),
        people_alone=people_alone(plan),
    )
