"""A card for each promise: a sentence about people, whom it is against, what can be moved, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from discreet.errors import DiscreetError, Mistake, PolicyError
from discreet.explorer.figures.answers import figures, sentence, standing
from discreet.explorer.figures.candidate import Candidate, OutOfTime, candidate
from discreet.explorer.figures.promised import Entry, bound_to, choices, entries_of, sliders
from discreet.labels.whose import Whose
from discreet.models.base import PrivacyModel
from discreet.models.promise import POPULATION, PRESENCE, SHIFT, VALUES, Promise
from discreet.models.registry import MODELS
from discreet.policy.policy import Policy
from discreet.progress import Progress, silent
from discreet.report.marginals import printable, shown
from discreet.run.intake import Counted, fitted

_TITLES = {
    "k_anonymity": "{Nobody} stands alone (k-anonymity)",
    "l_diversity": "Several values are possible (ℓ-diversity)",
    "t_closeness": "A group is like the whole table (t-closeness)",
    "alpha_k": "Many alike, no value too common ((α, k)-anonymity)",
    "beta_likeness": "No belief grows too much (β-likeness)",
    "delta_disclosure": "No belief changes too much (δ-disclosure)",
    "ambiguity": "Neither found nor told ((α, β)-ambiguity)",
    "realistic": "A realistic adversary learns little (ε-privacy)",
    "robust": "Safe from whoever knows the patterns (robustness)",
    "k_map": "Several {people} could be meant (k-map)",
    "presence": "It can't be told {who} is in (δ-presence)",
    "confident_presence": "It can't be known for sure {who} is in (c-confident δ-presence)",
    "m_invariance": "All releases together tell no more than one (m-invariance)",
}
_ADVERSARIES = {
    "k_anonymity": "Against somebody who knows the values of a {person} in these columns and looks for it.",
    "l_diversity": "Against somebody who finds the group of a {person} and hopes that all in it have the same secret.",
    "t_closeness": "Against somebody who knows how common each value is and learns from how a group differs.",
    "alpha_k": "Against somebody who finds the group of a {person} and guesses its most common secret.",
    "beta_likeness": "Against somebody who believes what is common, and learns where a value is commoner than that.",
    "delta_disclosure": "Against somebody who learns from a value commoner, or rarer, in a group than elsewhere.",
    "ambiguity": "Against somebody who knows exact values and asks whether a {person} is in, and with which secret.",
    "realistic": "Against somebody who believed something before, with some firmness, and learns from the release.",
    "robust": "Against somebody who knows from the table how secrets hang together with the other columns.",
    "k_map": "Against somebody who has a list of the population and looks for a name for a row.",
    "presence": "Against somebody who has a list of the population and asks {who} of it is in the table.",
    "confident_presence": "Against somebody who knows how many {people} have each value and asks {who} is in.",
    "m_invariance": "Against somebody who holds every release of a chain and looks for a {person} in each of them.",
}
_BY_SUBJECT = (
    (POPULATION, "Against somebody who knows the population and looks for a name for a row."),
    (PRESENCE, "Against somebody who asks {who} is in the table."),
    (SHIFT, "Against somebody who knows how common each value is, and finds the group of a {person}."),
    (VALUES, "Against somebody who finds the group of a {person} and asks for the secret."),
)
_USUAL, _ANY = "generalization", {"k_anonymity": {"k": 2}}
_NO_POPULATION = (
    "It needs a list of everybody who could be in the table. This page can't take one: name it in a policy "
    "(population), and start the explorer with that policy."
)
_ANYBODY = "Against somebody who has the published files."


def cards(
    policy: Policy,
    counted: Counted,
    *,
    require: Sequence[object] | None = None,
    costs: bool = True,
    progress: Progress = silent,
) -> list[dict[str, Any]]:
    """Every promise that there is: those that are made, in their order, then those that could be.

    `require` are the promises that are made, if they are others than the policy's: a policy has to promise something,
    and a page has to show that nothing is promised yet (``require=[]``). Each cost takes a search, and so does each
    promise that is made; without `costs` none is told.

    >>> from discreet.policy.policy import policy_from_words
    >>> from discreet.run.intake import count
    >>> policy = policy_from_words({"attributes": {"age": {"role": "quasi_identifier"}},
    ...                             "require": [{"k_anonymity": {"k": 2}}]})
    >>> first, *others = cards(policy, count(policy, {"age": ["23", "23", "31", "31"]}))
    >>> first["id"], first["on"], first["kept"], first["parameters"][0]["value"], len(others) > 8
    ('k_anonymity-0', True, True, 2, True)
    """
    entries = entries_of(policy, require)
    made = None
    if require is None:
        with suppress(DiscreetError):  # the answer says why there is none
            made = candidate(policy, counted, progress)
    models = made.policy.models if made is not None else [m for entry in entries for m in entry.models]
    whole = figures(made) if made is not None and costs else None
    on = [
        _card(policy, counted, entry, own, made) | _cost(policy, counted, entry, whole, progress)
        for entry, own in bound_to(entries, models)
    ]
    used = {entry.word for entry in entries}
    offers = [_offer(policy, counted, word, len(entries), require) for word in MODELS if word not in used]
    return on + offers


def title_of(entry: Entry, whose: Whose) -> str:
    """What a promise is called, in words that speak of people only if it is known whose rows they are."""
    named = _title(entry.word, whose)
    about = entry.given.get("attribute")
    return f"{named} of {shown(about)}" if isinstance(about, str) else named


def _card(
    policy: Policy, counted: Counted, entry: Entry, models: tuple[PrivacyModel, ...], made: Candidate | None
) -> dict[str, Any]:
    """A promise that is made."""
    unknown: dict[str, Any] = {"kept": None, "margin_text": None, "deciding": None}
    frequency = counted.frequency if made is None else made.frequency
    return {
        "id": entry.id,
        "word": entry.word,
        "on": True,
        "title": title_of(entry, policy.whose),
        "sentence": sentence(policy, entry),
        "adversary": _adversary(entry.word, policy.whose),
        "parameters": [
            *(slider.words() for slider in sliders(entry, frequency, policy.sensitive)),
            *choices(entry, policy.sensitive),
        ],
        "available": True,
        "turn_off": _turn_off(policy, entry),
        **(unknown if made is None else standing(policy, models, made)),
    }


def _turn_off(policy: Policy, entry: Entry) -> list[list[Any]]:
    """The changes that take a promise back, and the kind of publication with it that can't do without."""
    change: list[list[Any]] = [[["require", entry.number], None]]
    others = [other for i, other in enumerate(policy.require) if i != entry.number]
    try:
        replace(policy, require=tuple(others or [_ANY]))
    except PolicyError:
        change.append([["publish"], _USUAL])
    return change


def _cost(
    policy: Policy, counted: Counted, entry: Entry, whole: Mapping[str, Any] | None, progress: Progress
) -> dict[str, Any]:
    """What is lost with a promise beyond what is lost without it."""
    if whole is None:
        return {"cost": None}
    others = tuple(other for i, other in enumerate(policy.require) if i != entry.number)
    if not others:  # the table as it is
        return {"cost": {"loss": whole["loss"], "suppressed": whole["suppressed"]}}
    try:
        without = figures(candidate(replace(policy, require=others), counted, progress, remember=False))
    except (DiscreetError, OutOfTime):
        return {"cost": None}
    return {"cost": {part: whole[part] - without[part] for part in ("loss", "suppressed")}}


def _title(word: str, whose: Whose) -> str:
    return _of(_TITLES[word], whose) if word in _TITLES else word.replace("_", " ").capitalize()


def _adversary(word: str, whose: Whose) -> str:
    if word in _ADVERSARIES:
        return _of(_ADVERSARIES[word], whose)
    about = MODELS[word].about if word in MODELS else frozenset()
    return _of(next((told for subject, told in _BY_SUBJECT if subject in about), _ANYBODY), whose)


def _of(text: str, whose: Whose) -> str:
    who = whose.either("who", "which row")
    return text.format(people=whose.people, person=whose.person, who=who, Nobody=whose.nobody.capitalize())


def _published_as(policy: Policy, publish: str) -> dict[str, Any]:
    """What a policy says if it publishes in another way: nothing of ranges and levels."""
    attributes = tuple(replace(a, ranges=None, levels=None) for a in policy.attributes)
    return {"publish": publish, "search": "", "ranges": None, "attributes": attributes}


def _offer(
    policy: Policy, counted: Counted, word: str, number: int, require: Sequence[object] | None
) -> dict[str, Any]:
    """A promise that is not made: how it would be, or why it can't."""
    promise = MODELS[word]
    refusal: DiscreetError | None = None  # the last one: published as the promise needs it, and still not possible
    tried = [(parameters, publish) for publish in (None, *promise.only) for parameters in _first_parameters(promise)]
    for parameters, publish in tried:
        entries = [*(policy.require if require is None else require), {word: dict(parameters)}]
        kind = {} if publish is None else _published_as(policy, publish)
        try:
            asked = replace(policy, require=tuple(entries), **kind)
            fitted(asked, counted)
        except DiscreetError as error:
            refusal = error
            continue
        entry = entries_of(asked)[-1]
        change = [[["require", number], {word: dict(parameters)}]]
        change += [] if publish is None else [[["publish"], publish]]
        return _told(word, sentence(asked, entry), policy.whose) | {"available": True, "turn_on": change}
    why_not = "no example of it is known" if refusal is None else _why(refusal.mistakes[0])
    return _told(word, _general(policy, word), policy.whose) | {
        "available": False,
        "why_not": printable(why_not),
        "turn_on": [],
    }


def _why(mistake: Mistake) -> str:
    """Why a promise can't be made; what is missing is named, and where the page can't be told of it, who can."""
    if mistake.place.endswith(".population") and mistake.rule.startswith("is missing"):
        return _NO_POPULATION
    what = f"{mistake.place.rpartition('.')[2]} " if mistake.rule.startswith("is missing") else ""
    return f"{what}{mistake.rule}" + (f"; {mistake.repair}" if mistake.repair else "")


def _told(word: str, said: str, whose: Whose) -> dict[str, Any]:
    told = {"id": f"{word}-offered", "word": word, "on": False, "title": _title(word, whose), "sentence": said}
    return told | {"adversary": _adversary(word, whose), "parameters": []}


def _general(policy: Policy, word: str) -> str:
    """The sentence of a promise that can't be made of this table, by the first of its examples."""
    promise = MODELS[word]
    for parameters in (*_first_parameters(promise), {}):
        with suppress(KeyError, IndexError, TypeError, ValueError):
            return sentence(policy, Entry(0, word, parameters, ()))
    return ""


def _first_parameters(promise: Promise) -> list[Mapping[str, Any]]:
    """Parameters to begin with: as somebody would write them, or else those that nearly every table can keep."""
    import yaml

    words = yaml.safe_load(promise.example)
    written = [words] if isinstance(words, Mapping) else []
    without = [
        {name: value for name, value in said.items() if name != "population"}
        for said in written
        if "population" in said
    ]
    return [*(without or written), *promise.examples]
