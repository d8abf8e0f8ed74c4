"""Policies that differ from one in a few words: what may be varied, and the policies that come of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from discreet.errors import Mistake, PolicyError, unknown_word
from discreet.models.registry import word_of
from discreet.policy.kinds import PUBLICATIONS, listed
from discreet.policy.levels import has_levels
from discreet.policy.policy import Policy
from discreet.policy.ranges import has_ranges
from discreet.policy.words import CHOICES, checked_word
from discreet.releases.sweep import Axis
from discreet.search.registry import SEARCHES, searches_for

WORDS: Mapping[str, Any] = {
    "publish": PUBLICATIONS,
    "search": SEARCHES,
    "utility": CHOICES["utility"],
    "suppressed": CHOICES["suppressed"],
    "ranges": CHOICES["ranges"],
}
NUMBERS = ("suppress",)
MOST_POINTS = 500
_FIXED = ("population", "marginals", "pairs")  # other tables than the one that was counted


def axes_of(policy: Policy, varied: Mapping[str, Sequence[object]]) -> tuple[Axis, ...]:
    """What is varied, in the order in which it was given; all that is wrong with it at once."""
    if not varied:
        rule = "nothing is varied"
        raise PolicyError(Mistake("sweep", rule, f"give values to vary, for example k: 2, 5, 10; {_known(policy)}"))
    axes, mistakes = [], []
    for name, values in varied.items():
        axis, wrong = _axis(policy, name, values)
        axes.append(axis)
        mistakes += wrong
    many = 1
    for axis in axes:
        many *= max(len(axis.values), 1)
    if many > MOST_POINTS:
        rule = f"would be {many:,} policies, at most {MOST_POINTS} are tried"
        mistakes.append(Mistake("sweep", rule, "vary less at a time"))
    if mistakes:
        raise PolicyError(*mistakes)
    return tuple(axes)


def policies(policy: Policy, axes: Sequence[Axis]) -> Iterator[tuple[tuple[object, ...], Policy | PolicyError]]:
    """Each combination of values with the policy that has them, or with what keeps these words from going together."""
    for settings in product(*(axis.values for axis in axes)):
        try:
            yield settings, changed(policy, {axis.name: value for axis, value in zip(axes, settings, strict=True)})
        except PolicyError as error:
            yield settings, error


def changed(policy: Policy, values: Mapping[str, object]) -> Policy:
    """The policy with other values. A search that does not lead to another kind of publication makes room for one that
    does; where there are no ranges nothing is said of their ends, nor of levels where columns have none.

    >>> from discreet.policy.policy import policy_from_words
    >>> policy = policy_from_words({"attributes": {"age": {"role": "quasi_identifier"}},
    ...                             "require": [{"k_anonymity": {"k": 5}}]})
    >>> other = changed(policy, {"k": 2, "publish": "multidimensional"})
    >>> other.models, other.search
    ((KAnonymity(k=2),), 'mondrian')
    """
    words: dict[str, Any] = {name: value for name, value in values.items() if name in WORDS or name in NUMBERS}
    publish = words.get("publish", policy.publish)
    if "publish" in words and "search" not in words and policy.search not in searches_for(publish):
        words |= {"search": "", "summary": None, "threshold": None}
    if "publish" in words and not has_ranges(publish):
        words = {"ranges": None, "attributes": tuple(replace(a, ranges=None) for a in policy.attributes), **words}
    if "publish" in words and not has_levels(publish):
        of_columns = words.get("attributes", policy.attributes)
        words = {**words, "attributes": tuple(replace(a, levels=None) for a in of_columns)}
    require = policy.require
    for name, value in values.items():
        if name not in words:
            require = tuple(_with(entry, name, value) for entry in require)
    return replace(policy, require=require, **words)


def _with(entry: object, name: str, value: object) -> object:
    """An entry of `require` with another value of a parameter, if it is about that."""
    own, given = words_of(entry)
    if not _is_meant(name, entry):
        return entry
    if getattr(entry, "population", None) is not None:  # of a model made in Python: no words lead back to a frame
        return replace(entry, **{_parts(name)[1]: value})  # type: ignore[type-var]
    return {own: {**given, _parts(name)[1]: value}}


def _is_meant(name: str, entry: object) -> bool:
    """Does a name speak of this promise: ``l_diversity.l`` of every l_diversity, ``l`` of all that give an l?"""
    word, parameter = _parts(name)
    own, given = words_of(entry)
    return parameter not in _FIXED and (own == word if word else parameter in given)


def _parts(name: str) -> tuple[str, str]:
    word, _, parameter = name.rpartition(".")
    return word, parameter


def _axis(policy: Policy, name: str, values: object) -> tuple[Axis, list[Mistake]]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        values = [values]
    distinct = tuple(value for i, value in enumerate(values) if value not in values[:i])
    axis = Axis(name, distinct, name not in WORDS and name not in NUMBERS)
    if not distinct:
        return axis, [Mistake(name, "has no values", "give some, separated by commas")]
    if not axis.of_promise:
        return axis, [m for value in distinct if (m := _wrong_word(name, value)) is not None]
    places = _places(policy, name)
    if not places:
        return axis, [Mistake(name, "is not a word that can be varied here", _known(policy))]
    mistakes: list[Mistake] = []
    for value in distinct:
        try:
            changed(policy, {name: value})
        except PolicyError as error:  # about the value itself, whatever else is varied
            mistakes += [Mistake(name, m.rule, m.repair) for m in error.mistakes if m.place in places]
    return axis, list(dict.fromkeys(mistakes))


def _wrong_word(name: str, value: object) -> Mistake | None:
    if name in NUMBERS:
        return checked_word(name, value)
    known = WORDS[name]
    return None if isinstance(value, str) and value in known else unknown_word(name, value, known)


def _places(policy: Policy, name: str) -> list[str]:
    """Where in the policy a parameter stands, as messages call it."""
    parameter = _parts(name)[1]
    return [
        f"require[{i}].{words_of(entry)[0]}.{parameter}"
        for i, entry in enumerate(policy.require)
        if _is_meant(name, entry)
    ]


def words_of(entry: object) -> tuple[str, Mapping[str, object]]:
    if isinstance(entry, Mapping):
        [(word, given)] = entry.items()
        return word, given if isinstance(given, Mapping) else {}
    word = word_of(entry)  # type: ignore[arg-type]
    return word, entry.to_words()[word]  # type: ignore[attr-defined]


def _known(policy: Policy) -> str:
    """What may be varied, for messages."""
    own = [
        f"{word}.{name}"
        for word, given in map(words_of, policy.require)
        for name, value in given.items()
        if name not in (*_FIXED, "attribute") and not isinstance(value, Mapping)
    ]
    return f"known: {listed(dict.fromkeys([*own, *NUMBERS, *WORDS]))}"
