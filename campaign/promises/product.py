"""The real thing, asked as its users ask it: publish, verify, audit. What it answers, as plain values."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from campaign.promises.case import Case
from campaign.promises.reading import write_csv

SOURCE, PEOPLE, RELEASE, SECOND, THEIRS = "source.csv", "people.csv", "release", "second", "theirs.csv"
OTHERWISE = "otherwise.csv"  # the source, had its rows asked for something else
KEPT, BROKEN, NOT_JUDGED = "kept", "broken", "not judged"


@dataclass(frozen=True)
class Line:
    """What the audit says of one adversary."""

    adversary: str
    attribute: str | None
    worst: float
    above: int
    people: int
    threshold: float
    precision: str
    details: Mapping[str, Any]


Levels = tuple[tuple[str, str | None, bool | None], ...]  # of promises: the word, the column, is it kept


@dataclass(frozen=True)
class Answer:
    """How `anonymize` ended, and what `verify` and `audit` say of the release: alone, and beside table and list."""

    ended: str  # released | refused | mistake | fault
    message: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)
    verified: Mapping[str, str] = field(default_factory=dict)
    audited: Mapping[str, str] = field(default_factory=dict)
    why: Mapping[str, str] = field(default_factory=dict)  # of what was not kept
    lines: tuple[Line, ...] = ()
    together: tuple[Line, ...] = ()  # lines about two releases
    levels: Levels = ()

    def where(self, *names: str) -> Self:
        """What `verify` and `audit` said alone, beside the table, or beside one with other wishes."""
        verified, audited = (
            {n: s for n, s in all_of.items() if n in names} for all_of in (self.verified, self.audited)
        )
        return replace(self, verified=verified, audited=audited)


def ask(case: Case, folder: Path) -> Answer:
    """Run a case in a folder of its own. Nothing that is raised gets out: a fault is an answer, too."""
    folder.mkdir(parents=True, exist_ok=True)
    write_csv(folder / SOURCE, case.names, case.rows)
    if case.people is not None:
        whose = [] if case.person is None else [case.person]
        write_csv(folder / PEOPLE, [*case.quasi_identifiers, *whose], case.people)
    for name, text in case.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    try:
        return _theirs(case, folder) if case.theirs is not None else _ours(case, folder)
    except Exception:  # noqa: BLE001  whatever is raised is what the campaign looks for
        return Answer("fault", traceback.format_exc(limit=-4))


def _ours(case: Case, folder: Path) -> Answer:
    from discreet import DiscreetError, Infeasible, anonymize, policy_from_words

    try:
        release = anonymize(policy_from_words(dict(case.words), folder), folder / RELEASE, source=folder / SOURCE)
        if case.second is not None:
            anonymize(policy_from_words(dict(case.second), folder), folder / SECOND, source=folder / SOURCE)
    except Infeasible as error:
        return Answer("refused", str(error))
    except DiscreetError as error:
        return Answer("mistake" if error.exit_code == 2 else "fault", f"{type(error).__name__}: {error}")
    verified, audited, why = {}, {}, {}
    lines: tuple[Line, ...] = ()
    levels: Levels = ()
    beside = {"source": folder / SOURCE} | ({"population": folder / PEOPLE} if case.people is not None else {})
    # Alone they have less to look at, and say the same as a rule: asked now and then.
    for name, known in (("alone", {}), ("beside", beside)) if case.words["seed"] % 3 == 0 else (("beside", beside),):
        verified[name], why[f"verify {name}"] = verify_says(folder / RELEASE, known)
        audited[name], why[f"audit {name}"], lines, levels = audit_says(folder / RELEASE, known)
    if case.minds is not None:
        write_csv(folder / OTHERWISE, case.names, case.otherwise().rows)
        known = {"source": folder / OTHERWISE}
        verified["otherwise"], why["verify otherwise"] = verify_says(folder / RELEASE, known)
        audited["otherwise"], why["audit otherwise"] = audit_says(folder / RELEASE, known)[:2]
    together = audit_says(folder / RELEASE, beside | {"other": folder / SECOND})[2] if case.second is not None else ()
    figures = {name: release.figures[name] for name in ("loss", "losses", "facts", "node")}
    return Answer("released", "", figures, verified, audited, why, lines, together, levels)


def verify_says(release: Path, known: Mapping[str, Any]) -> tuple[str, str]:
    from discreet import verify

    findings = verify(release, **known)
    kept: bool | None = findings.kept
    if kept:
        return KEPT, ""
    why = "; ".join([*map(str, findings.mistakes), *(str(v.witness()) for v in findings.verdicts if not v.holds)])
    fails = any(not verdict.holds for verdict in findings.verdicts)
    # Of every promise that can't be judged from what is given there may be a line that says so, and no other.
    open_only = bool(findings.unjudged) and not fails and len(findings.mistakes) <= len(findings.unjudged)
    return (NOT_JUDGED if kept is None or open_only else BROKEN), why[:600]


def audit_says(release: Path, known: Mapping[str, Any]) -> tuple[str, str, tuple[Line, ...], Levels]:
    from discreet import audit_release

    audit = audit_release(release, **known)
    state = {True: KEPT, False: BROKEN, None: NOT_JUDGED}[audit.kept]
    faults = [f"{fault.fault} in {fault.place}: {fault.rule}" for fault in audit.faults if fault.grave]
    failing = [
        f"{level.model} {level.attribute}: {level.achieved} {level.note}" for level in audit.levels if not level.holds
    ]
    failing += [
        f"{line.adversary} {line.attribute}: {line.worst} of {line.promised}" for line in audit.lines if line.breaks
    ]
    lines = tuple(
        Line(a.adversary, a.attribute, a.worst, a.above, a.people, a.threshold, a.precision, dict(a.details))
        for a in audit.lines
    )
    levels = tuple((level.model, level.attribute, level.holds) for level in audit.levels)
    return state, "; ".join(faults + failing)[:600], lines, levels


def _theirs(case: Case, folder: Path) -> Answer:
    """A file of another tool, which nobody promised to have checked: only the audit is asked."""
    from campaign.promises.foreign import description

    assert case.theirs is not None
    write_csv(folder / THEIRS, case.names, case.theirs)
    known = {"population": folder / PEOPLE} if case.people is not None else {}
    state, why, lines, levels = audit_says(folder / THEIRS, {"description": description(case), **known})
    return Answer("released", "", {}, {}, {"alone": state}, {"audit alone": why}, lines, (), levels)
