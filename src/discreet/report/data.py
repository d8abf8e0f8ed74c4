"""The custodian's report as one frozen value: what the text, the JSON and the private page are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from discreet.arrays import FloatArray
from discreet.report.marginals import Grain, Marginal, leaf_counts, marginal, printable
from discreet.report.release import (
    ReleaseData,
    achieved_in_words,
    agreeing,
    promise_lines,
    roles_of,
    scalars,
)
from discreet.report.sections.answers import Answers, answers
from discreet.report.sections.coarser import Became, became, told_by_ranges
from discreet.report.sections.exact import Exact, exact, told_by_tables
from discreet.report.sections.open_risks import open_risks
from discreet.report.sections.presence import Confident, Present, confident, present
from discreet.report.sections.presence_risks import presence_risks
from discreet.report.sections.worst_case import WorstCase, seen_through, worst_case
from discreet.report.words import hierarchy_in_words, percent
from discreet.search.plan import SUPPRESSED, Bucketization, Plan, Recoding


@dataclass(frozen=True, kw_only=True)
class ReportData(ReleaseData):
    """The custodian's report: what anybody may read of the release, and what only whoever has the source can tell.

    Not for publication: figures about the source say more of it than the release does.
    """

    loss: float
    loss_geometric: float
    worst_case: WorstCase | None
    presence: Present | None
    confidences: tuple[Confident, ...]
    attributes: tuple[Became, ...]  # of a generalized release
    exact: Exact | None  # of a release of exact values
    answers: Answers | None
    marginals: tuple[Marginal, ...]
    share_step: int
    scans: int
    seconds: Mapping[str, float]
    facts: Mapping[str, str | int | float | bool]


def report_data(
    plan: Plan, manifest: Mapping[str, Any], figures: Mapping[str, Any], release: ReleaseData
) -> ReportData:
    """What the custodian is told: the release's own page, the `figures` about the source, and counts of the plan."""
    promises = figures["promises"]
    grain = Grain(plan.frequency.rows)
    worst = worst_case(plan, promises, grain) if isinstance(plan, Bucketization) else None
    who, sure = present(plan.groups, promises), confident(plan.groups, promises)
    attributes: tuple[Became, ...] = ()
    apart: Exact | None = None
    if isinstance(plan, Recoding):
        words = {name: hierarchy_in_words(w) for name, w in manifest["hierarchies"].items()}
        every = range(len(plan.frequency.hierarchies))
        attributes = tuple(became(plan, i, figures["losses"], words, grain) for i in every)
        told = told_by_ranges(plan)
    else:
        apart, told = exact(plan, manifest["tables"]), told_by_tables(plan)
    own = {field.name: getattr(release, field.name) for field in fields(ReleaseData)}
    return ReportData(
        **own
        | {
            "promises": promise_lines(
                {**manifest, "promises": promises}, achieved_in_words(manifest, release.ambiguous)
            ),
            "notes": (*release.notes, *(printable(note) for note in figures["notes"])),
            "open_risks": open_risks(
                promises,
                roles_of(manifest),
                manifest["publish"],
                agreeing(plan.groups),
                seeded=release.seeded,
                stars=release.suppressed if manifest["suppressed_as"] == "star" else 0,
                exchanged=f"{percent(apart.exchanged)} of the published rows" if apart and apart.exchanged else "",
                seen_through="" if worst is None else seen_through(worst, grain.step),
                who=presence_risks(who, sure, roles_of(manifest)),
            ),
        },
        loss=figures["loss"],
        loss_geometric=figures["loss_geometric"],
        worst_case=worst,
        presence=who,
        confidences=sure,
        attributes=attributes,
        exact=apart,
        answers=answers(plan) if plan.frequency.leaf_rows is None else None,
        marginals=_marginals(plan, told, grain),
        share_step=grain.step,
        scans=figures["scans"],
        seconds=dict(figures["seconds"]),
        facts=scalars(figures["facts"]),
    )


def _marginals(plan: Plan, told: Sequence[FloatArray], grain: Grain) -> tuple[Marginal, ...]:
    """Quasi-identifiers as far as the release tells, then the sensitive columns as they are published."""
    f, kept = plan.frequency, plan.group != SUPPRESSED
    found = []
    for at, (h, after) in enumerate(zip(f.hierarchies, told, strict=True)):
        finest = 0 if plan.node is None else plan.node[at]
        before = f.rows_by_leaf(at).astype(np.float64)
        found.append(marginal(h, "quasi_identifier", before, after, finest, grain))
    for name, h in f.sensitive_hierarchies.items():
        after = leaf_counts(h, plan.values(name)[kept], plan.count[kept])
        found.append(marginal(h, "sensitive", f.totals[name].astype(np.float64), after, 0, grain))
    return tuple(found)
