"""The kinds of publication: which searches lead to each, and which promises and settings go with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.addresses import located
from discreet.errors import Mistake, shown, unknown_word

if TYPE_CHECKING:
    from discreet.models.base import PrivacyModel

# Kinds of publication, and the searches that lead to each; the first is the default.
SEARCHES: Mapping[str, tuple[str, ...]] = {
    "generalization": ("optimal", "instant", "instant_cuts", "incognito", "optimize"),
    "multidimensional": ("mondrian", "instant"),
    "local_recoding": ("local",),
    "bucketization": ("art", "anatomy", "injector", "mask"),
    "ambiguity": ("greedy",),
}
# Searches that choose from a summary of the table.
FROM_A_SUMMARY = ("instant", "instant_cuts")
# Kinds that publish exact values and hide which of them belong together.
EXACT = ("bucketization", "ambiguity")
# Promises about who is in the table at all.
ABOUT_PRESENCE = ("presence", "confident_presence")
# Promises that only some kinds of publication can keep. Presence needs groups of which no two overlap.
_ONLY = {
    "robust": ("bucketization",),
    "ambiguity": ("ambiguity",),
    **dict.fromkeys(ABOUT_PRESENCE, ("generalization", "multidimensional")),
}


def word_of(model: PrivacyModel) -> str:
    """The word by which a policy asks for a promise."""
    return next(iter(model.to_words()))


def choose_search(publish: object, search: object, promised: Iterable[str]) -> tuple[str, Mistake | None]:
    """The search that publishes so; when none is named, the default one for what is promised.

    >>> choose_search("generalization", None, ["k_anonymity"])
    ('optimal', None)
    >>> choose_search("bucketization", None, ["l_diversity"])
    ('anatomy', None)
    """
    if not isinstance(publish, str) or publish not in SEARCHES:
        return "", unknown_word("publish", publish, SEARCHES)
    searches = SEARCHES[publish]
    if not search:
        return ("anatomy" if publish == "bucketization" and "robust" not in promised else searches[0]), None
    if not isinstance(search, str):
        return "", unknown_word("search", search, searches)
    if search in searches:
        return search, None
    elsewhere = [kind for kind, others in SEARCHES.items() if search in others]
    if elsewhere:
        rule = f"{shown(search)} does not lead to publish: {publish}"
        return "", Mistake("search", rule, f"use {_listed(searches)}, or publish: {' or '.join(elsewhere)}")
    return "", unknown_word("search", search, searches)


def misfits(
    publish: str, search: str, promised: Sequence[str], sensitive: Sequence[str], others: Sequence[str], suppressed: str
) -> list[Mistake]:
    """What in a policy does not go with its kind of publication."""
    mistakes = [
        Mistake(
            "publish", f"{shown(publish)} can't keep the promise {shown(word)}", f"write publish: {' or '.join(kinds)}"
        )
        for word, kinds in _ONLY.items()
        if word in promised and publish not in kinds
    ]
    return (
        mistakes
        if publish not in EXACT
        else [
            *mistakes,
            *_missing_promises(publish, search, promised),
            *_unfit_columns(publish, sensitive, others),
            *_unfit_suppression(publish, suppressed),
        ]
    )


def lacks_population(model: PrivacyModel, place: str, private: bool) -> list[Mistake]:
    """A promise about presence must say among whom, unless the table itself holds them."""
    known = (getattr(model, name, None) for name in ("population", "marginals"))
    if private or word_of(model) not in ABOUT_PRESENCE or any(given is not None for given in known):
        return []
    repair = "name the table of everybody who could be in, or say with 'private' which rows of the source are in"
    return [Mistake(f"{place}.population", "is missing", repair)]


def several_populations(models: Iterable[PrivacyModel], source: str) -> list[Mistake]:
    """All promises about presence speak of the same people; those that name none, of the source's."""
    among = {_meant_by(model, source) for model in models if word_of(model) in ABOUT_PRESENCE}
    if len(among) < 2:
        return []
    repair = "give all of them the same population"
    return [Mistake("require", f"promises about presence speak of {len(among)} different populations", repair)]


def _meant_by(model: PrivacyModel, source: str) -> object:
    """A population as it was given: a file by its path, a frame by being the same one, marginals by all they say."""
    if getattr(model, "marginals", None) is not None:
        [words] = model.to_words().values()
        return str([words["marginals"], words.get("size")])
    given = getattr(model, "population", None)
    if given is None:
        return source
    return str(located(Path(), given)) if isinstance(given, str | Path) else id(given)


def instant_misfits(search: str, summary: object, others: Sequence[str]) -> list[Mistake]:
    """What does not go with searching a summary, or without."""
    if search not in FROM_A_SUMMARY:
        rule = "is for search: instant alone"
        return [] if summary is None else [Mistake("summary", rule, "leave it out, or write search: instant")]
    if not others:
        return []
    rule = f"{shown(search)} never looks at single rows, so {_listed(others)} can't be published as they are"
    return [Mistake("search", rule, "give these columns another role, or leave `search` out")]


def _missing_promises(publish: str, search: str, promised: Sequence[str]) -> list[Mistake]:
    mistakes = [
        Mistake("require", f"{shown(word)} is promised {promised.count(word)} times", "keep one of them")
        for word, kinds in _ONLY.items()
        if publish in kinds and promised.count(word) > 1
    ]
    if publish == "ambiguity" and "ambiguity" not in promised:
        repair = "add ambiguity: {alpha: 0.1, beta: 0.2}"
        mistakes.append(Mistake("require", "publish: ambiguity needs the promise 'ambiguity'", repair))
    if search == "art" and "robust" not in promised:
        repair = "add robust: {r: 5}, or write search: anatomy"
        mistakes.append(Mistake("require", "search: art needs the promise 'robust'", repair))
    return mistakes


def _unfit_columns(publish: str, sensitive: Sequence[str], others: Sequence[str]) -> list[Mistake]:
    mistakes = []
    if len(sensitive) != 1:
        rule = f"{shown(publish)} separates one sensitive attribute from the others, the policy has {len(sensitive)}"
        mistakes.append(Mistake("attributes", rule, "give exactly one column the role sensitive"))
    if publish == "ambiguity" and others:
        rule = f"'ambiguity' hides combinations, so {_listed(others)} can't be published beside them"
        mistakes.append(Mistake("attributes", rule, "give these columns the role quasi_identifier or identifier"))
    return mistakes


def _unfit_suppression(publish: str, suppressed: str) -> list[Mistake]:
    if suppressed != "star":
        return []
    rule = f"'star' is for coarser values; in a release by {publish} suppressed rows are left out"
    return [Mistake("suppressed", rule, "write suppressed: drop")]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names)
