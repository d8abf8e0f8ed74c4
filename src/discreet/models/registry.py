"""All promises there are, by their words; `model_from_words` reads an entry of a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from discreet.errors import Mistake, did_you_mean, shown
from discreet.models.base import PrivacyModel
from discreet.models.others_known import OTHERS_KNOWN, OthersKnown
from discreet.models.promise import Promise
from discreet.registry import Registry

MODELS: Registry[Promise] = Registry(
    "promise",
    "discreet.models",
    {
        "k_anonymity": "discreet.models.groups.k_anonymity:K_ANONYMITY",
        "l_diversity": "discreet.models.groups.l_diversity:L_DIVERSITY",
        "t_closeness": "discreet.models.groups.t_closeness:T_CLOSENESS",
        "alpha_k": "discreet.models.groups.alpha_k:ALPHA_K",
        "beta_likeness": "discreet.models.groups.beta_likeness:BETA_LIKENESS",
        "delta_disclosure": "discreet.models.groups.delta_disclosure:DELTA_DISCLOSURE",
        "ambiguity": "discreet.models.ambiguity.alpha_beta:AMBIGUITY",
        "realistic": "discreet.models.realistic.words:REALISTIC",
        "robust": "discreet.models.robust.words:ROBUST",
        "m_invariance": "discreet.models.groups.m_invariance:M_INVARIANCE",
        "k_map": "discreet.models.presence.k_map:K_MAP",
        "presence": "discreet.models.presence.words:PRESENCE_PROMISE",
        "confident_presence": "discreet.models.presence.words:CONFIDENT_PRESENCE",
    },
)


def model_from_words(
    word: object, parameters: object, place: str, sensitive: Sequence[str], folder: Path = Path()
) -> tuple[list[PrivacyModel], list[Mistake]]:
    """The models that one entry of `require` asks for, or everything that is wrong with it.

    `place` is that of the entry with its word, like ``require[0].k_anonymity``. A promise about a sensitive attribute
    that names no `attribute` is meant for each of them. ``others_known: true`` asks that it also hold for whoever knows
    somebody's other sensitive values. Paths start at `folder`.

    >>> model_from_words("k_anonymity", {"k": 5}, "require[0].k_anonymity", [])
    ([KAnonymity(k=5)], [])
    >>> _, mistakes = model_from_words("alpha_k", {"alfa": 0.3, "k": 1}, "require[1].alpha_k", ["disease"])
    >>> for mistake in mistakes:
    ...     print(mistake)
    require[1].alpha_k.alfa: no such parameter; did you mean 'alpha'?
    require[1].alpha_k.alpha: is missing; for example alpha_k: {alpha: 0.5, k: 5}
    require[1].alpha_k.k: must be at least 2, got 1; a release with k = 1 promises nothing
    """
    if not isinstance(word, str) or word not in MODELS:
        return [], [Mistake(place, "no such promise", did_you_mean(word, MODELS))]
    promise = MODELS[word]
    if not isinstance(parameters, Mapping):
        return [], [Mistake(place, "must have its parameters by name", f"for example {word}: {promise.example}")]
    given = dict(parameters)
    others_known = given.pop(OTHERS_KNOWN, False) if promise.beside_others else False
    models, mistakes = promise.read(given, place, sensitive, folder)
    if others_known is False:
        return models, mistakes
    if others_known is not True:
        rule = f"must be true or false, got {shown(others_known)}"
        mistakes.append(Mistake(f"{place}.{OTHERS_KNOWN}", rule, "write others_known: true, or leave it out"))
    elif len(sensitive) < 2:
        rule = "there is no other sensitive attribute that somebody could know"
        mistakes.append(Mistake(f"{place}.{OTHERS_KNOWN}", rule, "leave it out, or name the sensitive columns"))
    return [] if mistakes else [OthersKnown(model) for model in models], mistakes


def word_of(model: PrivacyModel) -> str:
    """The word by which a policy asks for a promise."""
    return next(iter(model.to_words()))
