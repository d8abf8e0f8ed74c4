"""What a re-check of a release found, for a terminal and for machines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from discreet.errors import told_mistakes
from discreet.labels.figures import number
from discreet.releases.manifest import reached
from discreet.releases.verify import Findings
from discreet.report.exposures import Exposure


def to_json(release: str, findings: Findings, warnings: Sequence[Exposure]) -> dict[str, Any]:
    """The verdict of a re-check, and what the promises leave open, as plain dicts, lists, numbers and words."""
    return {
        "release": release,
        "kept": findings.kept,
        "not_judged": [{"promise": what, "note": why} for what, why in findings.not_judged],
        "groups": findings.groups,
        "smallest_group": findings.smallest_group,
        "verdicts": reached(findings.verdicts),
        "verdicts_by_people": reached(findings.of_people),
        "mistakes": [str(m) for m in told_mistakes(findings.mistakes)],
        "unread": list(findings.unread),
        "signature": findings.signature,
        "warnings": [one.to_json() for one in warnings],
    }


def to_text(findings: Findings, warnings: Sequence[Exposure]) -> str:
    """The same in a few lines."""
    lines = [verdict_of(findings, any(one.grave for one in warnings))]
    lines += [f"{'GRAVE   ' if one.grave else 'open    '}{one.sentence}" for one in warnings]
    lines += [
        f"{'kept  ' if v.holds else 'BROKEN'}  {v.model.describe()}: reaches {_level(v.level)}, "
        f"asked for {v.model.require()} (deciding group: {v.deciding_group:,} row{'s' * (v.deciding_group != 1)})"
        for v in findings.verdicts
    ]
    lines += [
        f"{'kept  ' if v.holds else 'BROKEN'}  {v.model.describe()}, by people: reaches {_level(v.level)}"
        for v in findings.of_people
    ]
    lines += [f"WRONG   {m}" for m in told_mistakes(findings.mistakes)]
    lines += [f"NOT JUDGED  {what}: {why}" for what, why in findings.not_judged]
    lines += [findings.signature.capitalize() + "."] if findings.signature else []
    return "\n".join(lines)


def _level(level: float) -> str:
    return "beyond all bounds" if math.isinf(level) else number(level)


def verdict_of(findings: Findings, grave: bool = False) -> str:
    """The verdict of a re-check in one sentence, which claims no more than was judged; `grave`, if that is not all."""
    if findings.kept and not findings.groups:
        return "Nothing is published, so no promise is broken."
    if findings.kept:
        return "Every promise is kept; what they leave open is grave." if grave else "Every promise is kept."
    if findings.kept is False:
        return "This release does not keep its promises."
    open_things = ", ".join(dict.fromkeys(what for what, _ in findings.not_judged))
    more = "; what the promises leave open is grave" if grave else ""
    return f"Not judged: {open_things}. Nothing is known to be broken{more}."
