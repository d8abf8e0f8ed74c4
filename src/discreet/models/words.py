"""From the words of a policy to models, with every mistake at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from discreet.errors import Mistake, did_you_mean
from discreet.models.ambiguity.alpha_beta import AlphaBeta
from discreet.models.base import PrivacyModel
from discreet.models.groups.alpha_k import AlphaK
from discreet.models.groups.beta_likeness import BetaLikeness
from discreet.models.groups.delta_disclosure import DeltaDisclosure
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import (
    DistinctDiversity,
    EntropyDiversity,
    FrequencyDiversity,
    RecursiveDiversity,
)
from discreet.models.groups.t_closeness import TCloseness
from discreet.models.parameters import Choice, Wrong, read_parameters
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.models.presence.presence import Presence
from discreet.models.presence.words import CONFIDENT_EXAMPLE, read_confident_presence, read_presence
from discreet.models.presence.words import EXAMPLE as PRESENCE_EXAMPLE
from discreet.models.realistic.realistic import Realistic
from discreet.models.realistic.words import EXAMPLE, read_realistic
from discreet.models.robust.robust import Robust
from discreet.models.robust.words import EXAMPLE as ROBUST_EXAMPLE
from discreet.models.robust.words import read_robust

_Kind = (
    type[KAnonymity]
    | type[DistinctDiversity]
    | type[EntropyDiversity]
    | type[RecursiveDiversity]
    | type[FrequencyDiversity]
    | type[AlphaK]
    | type[TCloseness]
    | type[BetaLikeness]
    | type[DeltaDisclosure]
    | type[AlphaBeta]
)
_DIVERSITY: dict[str, _Kind] = {
    "distinct": DistinctDiversity,
    "entropy": EntropyDiversity,
    "recursive": RecursiveDiversity,
    "frequency": FrequencyDiversity,
}
_MODELS: dict[str, _Kind] = {
    "k_anonymity": KAnonymity,
    "l_diversity": DistinctDiversity,  # unless `kind` says otherwise
    "t_closeness": TCloseness,
    "alpha_k": AlphaK,
    "beta_likeness": BetaLikeness,
    "delta_disclosure": DeltaDisclosure,
    "ambiguity": AlphaBeta,
}
_EXAMPLES = {
    "k_anonymity": "{k: 5}",
    "l_diversity": "{l: 3, kind: distinct}",
    "t_closeness": "{t: 0.2, distance: equal}",
    "alpha_k": "{alpha: 0.5, k: 5}",
    "beta_likeness": "{beta: 1, kind: basic}",
    "delta_disclosure": "{delta: 1}",
    "ambiguity": "{alpha: 0.1, beta: 0.2}",
    Realistic.word: EXAMPLE,
    Robust.word: ROBUST_EXAMPLE,
    Presence.word: PRESENCE_EXAMPLE,
    ConfidentPresence.word: CONFIDENT_EXAMPLE,
}


def model_from_words(
    word: object, parameters: object, place: str, sensitive: Sequence[str], folder: Path = Path()
) -> tuple[list[PrivacyModel], list[Mistake]]:
    """The models that one entry of `require` asks for, or everything that is wrong with it.

    `place` is that of the entry with its word, like ``require[0].k_anonymity``. A promise about a sensitive attribute
    that names no `attribute` is meant for each of them. Paths start at `folder`.

    >>> model_from_words("k_anonymity", {"k": 5}, "require[0].k_anonymity", [])
    ([KAnonymity(k=5)], [])
    >>> _, mistakes = model_from_words("alpha_k", {"alfa": 0.3, "k": 1}, "require[1].alpha_k", ["disease"])
    >>> for mistake in mistakes:
    ...     print(mistake)
    require[1].alpha_k.alfa: no such parameter; did you mean 'alpha'?
    require[1].alpha_k.alpha: is missing; for example alpha_k: {alpha: 0.5, k: 5}
    require[1].alpha_k.k: must be at least 2, got 1; a release with k = 1 promises nothing
    """
    if not isinstance(word, str) or word not in _EXAMPLES:
        return [], [Mistake(place, "no such promise", did_you_mean(word, _EXAMPLES))]
    example = f"for example {word}: {_EXAMPLES[word]}"
    if not isinstance(parameters, Mapping):
        return [], [Mistake(place, "must have its parameters by name", example)]
    given = dict(parameters)
    if word == Realistic.word:
        return _realistic(given, place, sensitive, folder)
    if word == Robust.word:
        return _robust(given, place, sensitive, folder)
    if word == Presence.word:
        present, mistakes = read_presence(given, place, folder)
        return [*present], mistakes
    if word == ConfidentPresence.word:
        confident, mistakes = read_confident_presence(given, place, folder)
        return [*confident], mistakes
    kind, mistakes = _kind(word, given, place)
    known = kind.parameters
    for name in list(given):
        if name not in known:
            mistakes.append(_unknown(word, name, place, known))
            del given[name]
    for name, parameter in known.items():
        if name not in given and name != "attribute" and not isinstance(parameter, Choice):
            mistakes.append(Mistake(f"{place}.{name}", "is missing", example))
    values, wrong = read_parameters(place, known, given)
    mistakes += wrong
    attributes, wrong = _attributes(values.pop("attribute", None), "attribute" in given, place, sensitive)
    if "attribute" not in known:
        return ([] if mistakes else [kind(**values)]), mistakes
    mistakes += wrong
    return [] if mistakes else [kind(**values, attribute=a) for a in attributes], mistakes  # type: ignore[call-arg]


def _realistic(
    given: Mapping[object, object], place: str, sensitive: Sequence[str], folder: Path
) -> tuple[list[PrivacyModel], list[Mistake]]:
    """A promise whose parameters are more than numbers and choices."""
    asked, mistakes = read_realistic(given, place, folder)
    name = {"attribute": given["attribute"]} if "attribute" in given else {}
    values, wrong = read_parameters(place, Realistic.parameters, name)
    attributes, strange = _attributes(values.get("attribute"), bool(name), place, sensitive)
    mistakes += wrong + strange
    if asked is None or mistakes:
        return [], mistakes
    return [Realistic(asked.epsilon, asked.adversary, a, asked.predicates) for a in attributes], []


def _robust(
    given: Mapping[object, object], place: str, sensitive: Sequence[str], folder: Path
) -> tuple[list[PrivacyModel], list[Mistake]]:
    """Another one, which may read a file for each of its attributes."""
    name = {"attribute": given["attribute"]} if "attribute" in given else {}
    values, wrong = read_parameters(place, Robust.parameters, name)
    attributes, strange = _attributes(values.get("attribute"), bool(name), place, sensitive)
    models, mistakes = read_robust(given, place, folder, [] if wrong else attributes)
    mistakes += wrong + strange
    return [] if mistakes else [*models], mistakes


def _kind(word: str, given: dict[object, object], place: str) -> tuple[_Kind, list[Mistake]]:
    """Which model the word means; takes `kind` out of the parameters where that decides it."""
    if word != "l_diversity":
        return _MODELS[word], []
    kind = given.pop("kind", "distinct")
    try:
        return _DIVERSITY[Choice(tuple(_DIVERSITY)).read(kind)], []
    except Wrong as wrong:
        # Go on with the kind that the other parameters speak for, so that only real mistakes are listed.
        meant = "recursive" if "c" in given else "entropy"
        return _DIVERSITY[meant], [Mistake(f"{place}.kind", wrong.rule, wrong.repair)]


def _unknown(word: str, name: object, place: str, known: Mapping[str, object]) -> Mistake:
    if word == "l_diversity" and name == "c":
        return Mistake(f"{place}.c", "belongs to kind: recursive alone", "leave it out, or write kind: recursive")
    if word == "k_anonymity" and name == "attribute":
        return Mistake(f"{place}.attribute", "k_anonymity is about all sensitive attributes alike", "leave it out")
    words = [*known, "kind"] if word == "l_diversity" else known
    return Mistake(f"{place}.{name}", "no such parameter", did_you_mean(name, words))


def _attributes(
    named: object, given: bool, place: str, sensitive: Sequence[str]
) -> tuple[Sequence[str], list[Mistake]]:
    """The sensitive attributes that a promise is for."""
    if not sensitive:
        return [], [Mistake(place, "needs a sensitive attribute", "give a column the role sensitive")]
    if not given:
        return sensitive, []
    if named is None or named in sensitive:  # a name that is none has been reported already
        return [str(named)], []
    return [], [Mistake(f"{place}.attribute", "no such sensitive attribute", did_you_mean(named, sensitive))]
