"""What a policy gives, told while a slider is moved: losses, groups, which promises are kept, or what is impossible.

Everything here is computed from counts that were taken once, by the same search as a release's; nothing is written.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from time import monotonic
from typing import Any

import numpy as np

from discreet.arrays import FloatArray
from discreet.counts.groups import Groups
from discreet.errors import DiscreetError, PolicyError
from discreet.explorer.figures.candidate import Candidate, OutOfTime, candidate, hidden_below, label, until
from discreet.explorer.figures.nearest import nearest_possible
from discreet.explorer.figures.promised import Entry, bound_to, entries_of
from discreet.labels.figures import number
from discreet.models.base import AboutPopulation, PrivacyModel, compares, needs_source
from discreet.models.by_people import reached
from discreet.models.promise import Setting
from discreet.models.verdicts import Verdict, verdict
from discreet.policy.kinds import is_exact
from discreet.policy.policy import Policy
from discreet.progress import Progress, silent
from discreet.report.marginals import printable, shown
from discreet.report.words import promise_in_words
from discreet.run.intake import Counted
from discreet.search.plan import Recoding
from discreet.utility.metrics import arithmetic_loss

_DIGITS = 9  # what lies below is rounding
_LONG = 1.0  # seconds of a search that is not made twice
SECONDS = 0.08  # for the nearest value that is possible, while somebody drags
MOMENT = 1.0  # and once it has come to rest


def answer(
    policy: Policy,
    counted: Counted,
    *,
    changed: Sequence[Sequence[object]] = (),
    seconds: float | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """The release that the policy would give, in figures; or why there is none, and what is possible instead.

    `changed` are the paths of the policy that somebody is moving: the nearest possible value is looked for there, for
    so many `seconds` (by default as long as nobody notices, or a moment if nothing is being moved). Without them the
    plan is remembered, as that of the policy as it stands; with them, if it took long to find: then it is there when
    the slider comes to rest.

    >>> from discreet.policy.policy import policy_from_words
    >>> from discreet.run.intake import count
    >>> words = {"attributes": {"age": {"role": "quasi_identifier"}}, "require": [{"k_anonymity": {"k": 2}}]}
    >>> counted = count(policy_from_words(words), {"age": ["23", "23", "31", "31"]})
    >>> told = answer(policy_from_words(words), counted)
    >>> told["loss"], told["groups"], told["smallest"], told["levels"], told["kept"]
    (0.0, 2, 2, {'age': 0}, True)
    >>> words["require"] = [{"k_anonymity": {"k": 5}}]
    >>> answer(policy_from_words(words), counted)["impossible"]["nearest"]
    [[['require', 0, 'k_anonymity', 'k'], 4]]
    """
    try:
        made = candidate(policy, counted, progress, remember=not changed, long=_LONG)
    except DiscreetError as error:
        seconds = (SECONDS if changed else MOMENT) if seconds is None else seconds
        return refusal(policy, counted, error, changed, seconds, progress)
    return figures(made) | {"promises": promises(policy, made), "impossible": None}


def figures(made: Candidate) -> dict[str, Any]:
    """Losses, groups and levels of a plan."""
    plan, frequency = made.plan, made.frequency
    losses = plan.losses.tolist()
    sizes = plan.groups.sizes[plan.groups.sizes > 0]
    node = plan.node
    return {
        "loss": arithmetic_loss(losses),
        "loss_of": dict(zip(frequency.attributes, losses, strict=True)),
        "suppressed": plan.suppressed / max(frequency.rows, 1),
        "groups": len(plan.groups),
        "smallest": int(sizes.min()) if len(sizes) else 0,
        "levels": None if node is None else dict(zip(frequency.attributes, node, strict=True)),
        "heights": {h.attribute: h.height for h in frequency.hierarchies},
        "kept": all(verdict(model, plan.groups).holds for model in made.policy.models),
    }


def promises(policy: Policy, made: Candidate) -> list[dict[str, Any]]:
    """What became of each promise: is it kept, by how much, and which group decides it."""
    return [
        {"id": entry.id, "sentence": sentence(policy, entry), **standing(policy, models, made)}
        for entry, models in bound_to(entries_of(policy), made.policy.models)
    ]


def sentence(policy: Policy, entry: Entry) -> str:
    """A promise for people who have never heard of it."""
    promise = {"model": {entry.word: entry.parameters}, "promise": " and ".join(m.describe() for m in entry.models)}
    setting = Setting(is_exact(policy.publish), policy.whose)
    return promise_in_words(promise, policy.sensitive, setting)


def standing(policy: Policy, models: Sequence[PrivacyModel], made: Candidate) -> dict[str, Any]:
    """Whether the models of an entry are kept by a plan, how far from their limits, and the group that decides."""
    judged = [_judged(model, made.plan.groups) for model in models]
    several = len(judged) > 1
    texts = [(f"{shown(v.model.attribute)}: " if several else "") + _margin(v) for v in judged]
    decides = next((v for v in judged if not v.holds), judged[0] if judged else None)
    return {
        "kept": all(v.holds for v in judged),
        "margin_text": printable("; ".join(texts)),
        "deciding": None if decides is None else deciding(policy, decides, made),
    }


def _judged(model: PrivacyModel, groups: Groups) -> Verdict:
    """The verdict as a release tells it: of a promise that compares with the whole table, by the published rows."""
    return verdict(model, _compared(model, groups))


def _compared(model: PrivacyModel, groups: Groups) -> Groups:
    """The groups with what a release compares them with."""
    among_themselves = compares(model) and not needs_source(model) and groups.owners is None
    return groups.among_themselves() if among_themselves else groups


def _margin(v: Verdict) -> str:
    if not math.isfinite(v.level):
        return f"no group comes near: {v.model.require()} is asked" if v.holds else f"{v.model.require()} is asked"
    return f"{number(round(v.level, _DIGITS))} is reached where {v.model.require()} is asked"


def deciding(policy: Policy, v: Verdict, made: Candidate) -> dict[str, Any]:
    """The group that decides a verdict: how large it is, and its labels, if enough people share them."""
    groups = made.plan.groups
    at = _place(v, groups)
    if at is None:
        return {"text": "those who are in no published group", "size": None, "labels": None}
    people = int(groups.persons[at]) if made.frequency.owners is not None else int(groups.sizes[at])
    labels = None
    plan = made.plan
    if isinstance(plan, Recoding) and people >= hidden_below(policy):
        labels = [
            [shown(h.attribute), label(plan.texts[d][at] if plan.texts else h.label(int(low), int(high)))]
            for d, (h, low, high) in enumerate(
                zip(made.frequency.hierarchies, plan.low[at], plan.high[at], strict=True)
            )
        ]
    return {"size": people, "labels": labels}


def _place(v: Verdict, groups: Groups) -> int | None:
    """The number of the group that decided: of several alike the first; None if it is nobody's group."""
    filled = np.arange(len(groups)) if isinstance(v.model, AboutPopulation) else np.flatnonzero(groups.sizes > 0)
    if not len(filled):
        return None
    among = groups if len(filled) == len(groups) else groups.where(groups.sizes > 0)
    levels: FloatArray = reached(v.model, _compared(v.model, among))
    same = np.flatnonzero((levels == v.level) & (among.sizes == v.deciding_group))
    return int(filled[same[0]]) if len(same) else None


def refusal(
    policy: Policy,
    counted: Counted,
    error: DiscreetError,
    changed: Sequence[Sequence[object]] = (),
    seconds: float = MOMENT,
    progress: Progress = silent,
) -> dict[str, Any]:
    """The same answer where there is no release: the rule in the way, and the nearest value that is possible."""
    nearest = None
    if not isinstance(error, PolicyError):  # of words that can't be meant no other number helps
        try:
            nearest = nearest_possible(policy, counted, changed, until(monotonic() + seconds, progress))
        except OutOfTime:
            nearest = None
    mistake = error.mistakes[0]
    impossible = {"rule": mistake.rule, "repair": mistake.repair, "nearest": nearest}
    return _unknown(policy, counted) | {"kept": False, "impossible": impossible}


def _unknown(policy: Policy, counted: Counted) -> dict[str, Any]:
    """An answer without a release."""
    return {
        **dict.fromkeys(("loss", "loss_of", "suppressed", "groups", "smallest", "levels", "kept", "impossible")),
        "heights": {h.attribute: h.height for h in counted.frequency.hierarchies},
        "promises": meant(policy),
    }


def meant(policy: Policy) -> list[dict[str, Any]]:
    """The promises in sentences, before anything is known of a release."""
    return [
        {"id": entry.id, "sentence": sentence(policy, entry), "kept": None, "margin_text": None, "deciding": None}
        for entry in entries_of(policy)
    ]
