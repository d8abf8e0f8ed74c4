"""What the arguments of a call mean: a table and a policy, in whichever form both are given."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

from discreet.errors import Mistake, PolicyError, did_you_mean, shown
from discreet.policy.policy import Policy, policy_from_words, read_policy
from discreet.policy.words import read_attributes

Function = TypeVar("Function", bound=Callable[..., Any])
WORDS = [f for f in fields(Policy) if f.init and f.name not in ("folder", "source")]
_YAML = (".yaml", ".yml")


def with_words(*but: str) -> Callable[[Function], Function]:
    """A function whose `words` are those of a policy: its signature names them, so that editors complete them."""

    def told(function: Function) -> Function:
        known = inspect.signature(function)
        own = [p for p in known.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        told_already = {p.name for p in own} | set(but)
        more = [
            inspect.Parameter(
                word.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_ANNOTATIONS.get(word.name, "Any")
            )
            for word in WORDS
            if word.name not in told_already
        ]
        function.__signature__ = known.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
        return function

    return told


def _or_nothing(kind: str) -> str:
    kind = kind.replace("Fraction", "float")
    return kind if kind.endswith("None") or kind == "object" else f"{kind} | None"


_ANNOTATIONS = {
    **{word.name: _or_nothing(str(word.type)) for word in WORDS},
    "attributes": "Mapping[str, Mapping[str, Any]] | None",
    "require": "Sequence[Mapping[str, Any]] | None",
}


def policy_of(policy: object, words: Mapping[str, Any], mistakes: Sequence[Mistake] = ()) -> Policy:
    """The policy that is given ready, as words, as the path of a YAML file, or by keywords; these go before its own.

    `mistakes` were seen in other arguments: all are told at once.
    """
    try:
        made = _policy_of(policy, {word: value for word, value in words.items() if value is not None})
    except PolicyError as error:
        raise PolicyError(*mistakes, *error.mistakes) from None
    if mistakes:
        raise PolicyError(*mistakes)
    return made


def _policy_of(policy: object, words: dict[str, Any]) -> Policy:
    match policy:
        case None:
            return policy_from_words(words)
        case Mapping():
            return policy_from_words({**policy, **words})
        case Policy():
            return changed(policy, words)
        case str() | Path():
            if Path(policy).suffix.lower() not in _YAML and not Path(policy).is_file():
                rule = f"{shown(str(policy))} is not the file of a policy"
                repair = "name a YAML file; to write the release into a folder, say folder=… or release.save(…)"
                raise PolicyError(Mistake("policy", rule, repair))
            return changed(read_policy(policy), words)
    rule = f"must be a Policy, got {type(policy).__name__}"
    raise PolicyError(Mistake("policy", rule, "use discreet.read_policy(path) or discreet.policy_from_words({…})"))


def changed(policy: Policy, words: Mapping[str, Any]) -> Policy:
    """The same policy, but for these words.

    >>> policy = policy_from_words({"attributes": {"age": {"role": "quasi_identifier"}},
    ...                             "require": [{"k_anonymity": {"k": 5}}]})
    >>> changed(policy, {"sed": 3, "suppress": "2%"})
    Traceback (most recent call last):
    discreet.errors.PolicyError: sed: no such word; did you mean 'seed'?
    suppress: must be a share of the rows between 0 and 1, got '2%'; for 2% write 0.02
    """
    known = [word.name for word in WORDS]
    mistakes = [Mistake(word, "no such word", did_you_mean(word, known)) for word in words if word not in known]
    values = {word: value for word, value in words.items() if word in known}
    if "attributes" in values:
        attributes, wrong = read_attributes(values.pop("attributes"))
        mistakes += wrong
        values |= {} if attributes is None else {"attributes": attributes}
    if "publish" in values and "search" not in values:
        values["search"] = ""  # that of the other kind would not do
    try:
        made = replace(policy, **values)
    except PolicyError as error:
        raise PolicyError(*mistakes, *error.mistakes) from None
    if mistakes:
        raise PolicyError(*mistakes)
    return made


def table_of(table: object, source: object) -> tuple[Any, list[Mistake]]:
    """The table, which may be said in one way."""
    if table is None:
        return source, []
    mistakes = []
    if isinstance(table, str | Path) and Path(table).suffix.lower() in _YAML:
        rule = f"must be a Policy, got {type(table).__name__}"
        mistakes.append(Mistake("policy", rule, "use discreet.read_policy(path) or discreet.policy_from_words({…})"))
    if source is not None:
        mistakes.append(Mistake("source", "the table is the first argument already", "leave one of them out"))
    return table, mistakes
