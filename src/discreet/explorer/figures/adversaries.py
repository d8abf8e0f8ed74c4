"""What adversaries would learn of a candidate: the audit's table, before anything is published.

Those who need nothing but sizes of groups and counts of values are asked at once. All of them are asked as `discreet
audit` asks them: the candidate is written as a release into a private folder of ours, which is gone afterwards, and
read there by the audit's own code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from discreet.audit.association.association import homogeneity, skew, uniform_worlds
from discreet.audit.audit import Audit, audit_release
from discreet.audit.lines import ASSOCIATION, REIDENTIFICATION, Line
from discreet.audit.promises.registry import reading_of
from discreet.audit.reading.view import Promise, ReleaseView, Tally, strange_promise
from discreet.audit.reading.whose import Ownership, so_many
from discreet.audit.reidentification.reidentification import reidentification
from discreet.errors import Mistake, PolicyError
from discreet.explorer.figures.candidate import Candidate, candidate, within
from discreet.files.temporary import temporary_folder
from discreet.models.registry import word_of
from discreet.policy.kinds import is_exact
from discreet.policy.policy import Policy
from discreet.progress import Progress, silent
from discreet.report.marginals import printable, shown
from discreet.report.pages.audit_words import BROKEN, NOT_KNOWN, QUESTIONS, WITHIN, headline, title, verdict
from discreet.run.anonymize import publish, target_at
from discreet.run.intake import Counted

Emit = Callable[[dict[str, Any]], None]
_FILES = ("csv", "parquet")
_VERDICTS = {BROKEN: "broken", WITHIN: "within", NOT_KNOWN: "not known"}


def adversaries(policy: Policy, counted: Counted, *, progress: Progress = silent) -> dict[str, Any]:
    """The lines that are known at once, and which are not; the questions that they answer.

    >>> from discreet.policy.policy import policy_from_words
    >>> from discreet.run.intake import count
    >>> policy = policy_from_words({
    ...     "attributes": {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
    ...     "require": [{"k_anonymity": {"k": 2}}]})
    >>> told = adversaries(policy, count(policy, {"age": ["23", "23", "31", "31"], "disease": ["flu", "a", "b", "c"]}))
    >>> [(line["adversary"], line["worst"], line["verdict"]) for line in told["lines"]][:3]
    [('prosecutor', 0.5, 'within'), ('marketer', 0.5, 'above'), ('uniform_worlds', 0.5, 'within')]
    """
    made = candidate(policy, counted, progress)
    open_lines = [_open(name, threat, told) for name, threat, told in _not_asked(made)]
    return {"lines": [*map(words, _at_once(made)), *open_lines], "questions": dict(QUESTIONS)}


def audited(
    policy: Policy,
    counted: Counted,
    *,
    source: Any = None,
    emit: Emit | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Every adversary about the candidate, who also knows the `source`: by default the table that the policy names.

    Each line is told by `emit`. The release is written with the plan that the other steps show.
    """
    made = candidate(policy, counted, progress)
    form = (
        policy.format if policy.format in _FILES else next((f for f in made.intake.engine.forms if f in _FILES), None)
    )
    if form is None:
        raise PolicyError(Mistake("format", "this engine writes no files that could be looked at", "publish it first"))
    asked = replace(made.policy, format=form, schema=None)
    source = policy.location if source is None else source
    known: dict[str, Any] = {"population": source} if policy.private_rows is not None else {"source": source}
    with temporary_folder() as folder:
        target = target_at(
            folder / "release",
            inputs=(),
            private=None,
            replace=False,
            sign=None,
            progress=within(progress, "audit", 0, 2, "writing the candidate"),
        )
        publish(asked, made.intake, made.plan, target)
        audit = audit_release(target.folder, **known, progress=within(progress, "audit", 1, 2, "asking adversaries"))
    lines = [words(line) for line in audit.lines]
    if emit is not None:
        for told in lines:
            emit({"line": told})
    return {"lines": lines, "questions": dict(QUESTIONS), **_whole(audit)}


def words(line: Line) -> dict[str, Any]:
    """A line as the page shows it."""
    said = verdict(line)
    return {
        "id": _id(line.adversary, line.attribute),
        "adversary": line.adversary,
        "threat": line.threat,
        "title": printable(title(line)),
        "knows": printable(line.knows),
        "worst": line.worst,
        "limit": line.threshold if line.promised is None else line.promised,
        "before": None,
        "above": line.above,
        "people": line.people,
        "of": line.of,
        "precision": line.precision,
        "decides": "–" if line.deciding is None or not line.worst else so_many(line.deciding.size, line.deciding.of),
        "verdict": _VERDICTS.get(said, "above"),
    }


def _at_once(made: Candidate) -> Iterable[Line]:
    """Those whose figures follow from sizes and tallies. Where people have several rows, the source is asked first."""
    if made.frequency.owners is not None or made.plan.frequency.owners is not None:
        return
    view = _view(made)
    if not is_exact(made.policy.publish):  # exact values are looked up in the tables
        yield from reidentification(view)
    for tally in view.tallies:
        yield uniform_worlds(view, tally)
        yield homogeneity(view, tally)
        yield skew(view, tally)


def _not_asked(made: Candidate) -> Iterable[tuple[str, str, tuple[str, str]]]:
    """Who is there always, and was not asked yet: a name, a question, and what is said of her."""
    several = made.frequency.owners is not None
    if several or is_exact(made.policy.publish):
        knows = "That her target is in the table, and the target's values in the published columns."
        yield "prosecutor", REIDENTIFICATION, ("Which row is the target's? Knowing that the target is in", knows)
    for name in made.frequency.sensitive if several else ():
        yield _id("uniform_worlds", name), ASSOCIATION, (f"{shown(name)}: knows only the release", "Nothing else.")


def _open(name: str, threat: str, told: tuple[str, str]) -> dict[str, Any]:
    return {"id": name, "adversary": name, "threat": threat, "title": told[0], "knows": told[1], "worst": None} | {
        "verdict": "not judged"
    }


def _view(made: Candidate) -> ReleaseView:
    """What the published tables would show: sizes and values of groups."""
    plan, policy = made.plan, made.policy
    groups = plan.groups
    tallies = []
    for name, t in groups.tallies.items():
        group = np.repeat(np.arange(len(groups), dtype=np.int64), np.diff(t.offsets))
        order = np.lexsort((t.values, group))
        values = t.values[order].astype(np.int64)
        tallies.append(Tally(name, t.hierarchy.leaves, group[order], values, t.counts[order]))
    return ReleaseView(
        policy.publish,
        policy.quasi_identifiers,
        groups.sizes,
        tuple(tallies),
        left_out=plan.suppressed,
        promises=tuple(_promise(model) for model in policy.models),
        whose=Ownership(policy.person or "", policy.one_row_per_person),
    )


def _promise(model: Any) -> Promise:
    word = word_of(model)
    if reading_of(word) is None:
        return strange_promise(word)
    parameters = dict(model.to_words()[word] or {})
    attribute = parameters.pop("attribute", None)
    return Promise(word, parameters, attribute)


def _whole(audit: Audit) -> dict[str, Any]:
    """What the audit came to."""
    return {
        "headline": printable(headline(audit)),
        "kept": audit.kept,
        "faults": [
            {"place": printable(f.place), "rule": printable(f.rule), "count": f.count, "grave": f.grave}
            for f in audit.faults
        ],
        "notes": [printable(note) for note in audit.notes],
    }


def _id(adversary: str, attribute: str | None) -> str:
    return adversary if attribute is None else f"{adversary}:{attribute}"
