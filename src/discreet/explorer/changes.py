"""Changes of a policy's words, as the page asks for them: a path into the words, and what is to stand there.

What names files, and what says how the table is read, stays as it was on the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from discreet.errors import Mistake, PolicyError, shown
from discreet.models.registry import model_from_words
from discreet.policy.kinds import PUBLICATIONS
from discreet.policy.levels import has_levels
from discreet.policy.places import attribute_place
from discreet.policy.policy import policy_from_words
from discreet.policy.ranges import has_ranges
from discreet.policy.words import Role, wild
from discreet.search.registry import searches_for

Words = dict[str, Any]
Change = tuple[Sequence[object], object]  # a path, and a value; None takes away what is there

CHANGEABLE = (
    "attributes",
    "require",
    "publish",
    "search",
    "suppress",
    "suppressed",
    "utility",
    "seed",
    "ranges",
    "one_row_per_person",
    "time_limit",
)
OF_ATTRIBUTE = ("role", "hierarchy", "levels", "decide", "ranges")
_NAMES_FILES = ("population", "marginals", "pairs", "prior", "knowledge")
_NO_FILES = ("table", "uniform")  # words that stand there and are no files
_NO_REQUIRE = "must be a list of promises, got an empty one"
_NO_QUASI_IDENTIFIER = "there is no quasi-identifier"
_BY_HAND = "write it into the policy, and start again"


def changed(words: Words, changes: Sequence[Change], columns: Sequence[str]) -> Words:
    """The words with all changes, in their order. A list grows by the index after its last.

    >>> words = {"require": [{"k_anonymity": {"k": 5}}], "suppress": 0.02}
    >>> changed(words, [(["require", 0, "k_anonymity", "k"], 3), (["suppress"], None)], ())
    {'require': [{'k_anonymity': {'k': 3}}]}
    >>> changed(words, [(["require", 1], {"l_diversity": {"l": 2}})], ())["require"][1]
    {'l_diversity': {'l': 2}}
    >>> changed(words, [(["source"], "/etc/passwd")], ())
    Traceback (most recent call last):
    discreet.errors.PolicyError: source: can't be changed here; write it into the policy, and start again
    """
    made = deepcopy(words)
    for path, value in changes:
        _allowed(path, value, words, columns)
        _put(made, [*path], deepcopy(value))
    return made


def read_changes(body: object) -> list[Change]:
    """What a request says is to be changed: ``[[path, value], …]``, a path as a list or with points between."""
    pairs = body if isinstance(body, list) else None
    if pairs is None or len(pairs) > 1000 or wild(pairs):
        raise PolicyError(Mistake("set", "must be a list of changes, each a path and a value"))
    found: list[Change] = []
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2:
            raise PolicyError(Mistake("set", "must be a list of changes, each a path and a value"))
        path = pair[0].split(".") if isinstance(pair[0], str) else pair[0]
        steps = isinstance(path, list) and all(isinstance(step, str | int) for step in path)
        if not steps or not 1 <= len(path) <= 10:
            raise PolicyError(Mistake("set", "a path must be a list of names and numbers"))
        found.append((path, pair[1]))
    return found


def _allowed(path: Sequence[object], value: object, before: Words, columns: Sequence[str]) -> None:
    """Nothing that names files, or another table, unless the command line did."""
    place = ".".join(map(str, path))
    if path[0] not in CHANGEABLE:
        raise PolicyError(Mistake(place, "can't be changed here", _BY_HAND))
    if path[0] == "attributes":
        if len(path) < 3 or path[1] not in columns or path[2] not in OF_ATTRIBUTE:
            raise PolicyError(Mistake(place, "can't be changed here", "choose a role or a hierarchy of a column"))
        kept = before.get("attributes", {}).get(path[1], {}).get("hierarchy")
        if path[2] == "hierarchy" and _has_text(value) and value != kept:
            raise PolicyError(Mistake(place, "no file can be named here", "upload it as a table of levels"))
    known = _files(before.get("require")) | set(_NO_FILES)
    inside = {str(step) for step in path} & {*_NAMES_FILES}
    named = _files({next(iter(inside)): value}) if inside else _files(value)
    if path[0] == "require" and named - known:
        raise PolicyError(Mistake(place, f"no file can be named here, got {shown(min(named - known))}", _BY_HAND))


def _has_text(value: object) -> bool:
    """Is it a path, or a mapping that names one?"""
    return isinstance(value, str) or (isinstance(value, Mapping) and isinstance(value.get("taxonomy"), str))


def _files(value: object, named: bool = False) -> set[str]:
    """The texts below words that name files."""
    if isinstance(value, str):
        return {value} if named else set()
    if isinstance(value, Mapping):
        return {text for word, inner in value.items() for text in _files(inner, named or word in _NAMES_FILES)}
    if isinstance(value, list | tuple):
        return {text for inner in value for text in _files(inner, named)}
    return set()


def _put(words: Any, path: list[Any], value: object) -> None:
    step, rest = path[0], path[1:]
    if isinstance(words, list):
        at = int(step) if str(step).isdecimal() else -1
        if not 0 <= at <= len(words):
            raise PolicyError(Mistake("set", f"there is no number {shown(step)} in this list"))
        if rest:
            if at == len(words):
                words.append({})
            _put(words[at], rest, value)
        elif value is None:
            del words[at : at + 1]
        else:
            words[at : at + 1] = [value]
        return
    if not isinstance(words, dict):
        raise PolicyError(Mistake("set", f"nothing can be changed below {shown(step)}"))
    if rest:
        if words.get(step) is None:
            words[step] = {}
        _put(words[step], rest, value)
    elif value is None:
        words.pop(step, None)
    else:
        words[step] = value


def mistakes_of(words: Words, folder: Path) -> list[Mistake]:
    """What is wrong with the words, apart from what nobody has said yet."""
    try:
        policy_from_words(words, folder)
    except PolicyError as error:
        return [m for m in error.mistakes if not _not_yet(m)]
    return []


def _not_yet(mistake: Mistake) -> bool:
    if mistake.place == "require":
        return mistake.rule.startswith(_NO_REQUIRE)
    return mistake.place == "attributes" and (
        mistake.rule == _NO_QUASI_IDENTIFIER or mistake.rule.startswith("must be a mapping of columns")
    )


def consistent(
    words: Words, before: Words, folder: Path, columns: Sequence[str], fresh: Callable[[str, str], Words]
) -> Words:
    """The words once more, where what changed takes other words with it, as somebody at a page expects.

    A column with another role has the hierarchy of that role (`fresh`), a promise about a column that is no longer
    sensitive goes, a promise about the only sensitive column names it as soon as there are two, and a search or ranges
    that another kind of publication does not have make room.
    """
    made = deepcopy(words)
    made["attributes"] = _with_roles(made.get("attributes", {}), before.get("attributes", {}), columns, fresh)
    persons = [name for name, said in made["attributes"].items() if said.get("role") == Role.PERSON]
    old = _of_role(before, Role.PERSON)
    if len(persons) == 2 and len(old) == 1:  # the newer one takes the place
        made["attributes"][old[0]] = {"role": Role.IDENTIFIER.value}
    if persons:
        made.pop("one_row_per_person", None)
    was, now = _of_role(before, Role.SENSITIVE), _of_role(made, Role.SENSITIVE)
    if was != now and isinstance(made.get("require"), list):
        entries = (_about(entry, was, now, folder) for entry in made["require"])
        made["require"] = [entry for entry in entries if entry is not None]
    return _with_kind(made, before)


def _of_role(words: Words, role: Role) -> list[str]:
    return [name for name, said in words.get("attributes", {}).items() if said.get("role") == role]


def _with_roles(attributes: Words, before: Words, columns: Sequence[str], fresh: Callable[[str, str], Words]) -> Words:
    made = {}
    for name in (*columns, *(n for n in attributes if n not in columns)):
        said = attributes.get(name)
        if not said or "role" not in said:
            continue  # it was left out
        role = said["role"]
        if role != before.get(name, {}).get("role"):
            if role not in list(Role):
                repair = f"choose one of {', '.join(r.value for r in Role)}"
                raise PolicyError(Mistake(f"{attribute_place(name)}.role", "no such role", repair))
            kept = {word: value for word, value in said.items() if word == "decide"}
            said = fresh(name, role) | kept
        elif said.get("hierarchy") != before[name].get("hierarchy"):  # the levels were those of another
            said.pop("levels", None)
        made[name] = said
    return made


def _about(entry: object, was: Sequence[str], now: Sequence[str], folder: Path) -> object:
    """A promise after other columns became sensitive; None, if it has lost what it was about."""
    if not isinstance(entry, Mapping) or len(entry) != 1:
        return entry
    [(word, given)] = entry.items()

    def fits(parameters: object) -> bool:
        return not model_from_words(word, parameters, word, list(now), folder)[1]

    if fits(given) or not isinstance(given, Mapping):
        return entry
    if "attribute" not in given and len(was) == 1 and was[0] in now and fits({**given, "attribute": was[0]}):
        return {word: {**given, "attribute": was[0]}}
    if given.get("attribute") not in now and "attribute" in given:
        return None
    return None if not now else entry


def _with_kind(words: Words, before: Words) -> Words:
    publish = words.get("publish", "generalization")
    if publish == before.get("publish", "generalization") or publish not in PUBLICATIONS:
        return words
    if words.get("search") not in searches_for(publish):
        for word in ("search", "summary", "threshold"):
            words.pop(word, None)
    if not has_ranges(publish):
        words.pop("ranges", None)
        for said in words["attributes"].values():
            said.pop("ranges", None)
    if not has_levels(publish):
        for said in words["attributes"].values():
            said.pop("levels", None)
    return words
