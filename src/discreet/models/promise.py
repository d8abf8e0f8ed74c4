"""What may be promised, by its word: how a policy asks for it, how it is told to people, and what it leaves open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.errors import Mistake, did_you_mean
from discreet.labels.figures import percent
from discreet.labels.whose import Whose
from discreet.models.base import PrivacyModel
from discreet.models.parameters import Choice, Parameter, Parameterized, read_parameters

Given = dict[object, object]  # the parameters of one entry, as they were written
Words = Mapping[str, Any]  # those of a model, as it writes them itself
Read = tuple[list[PrivacyModel], list[Mistake]]
Risk = tuple[str, str]  # a title and an explanation

# What a promise can be about.
VALUES = "values"  # the sensitive values of a group, and not only its size
SHIFT = "shift"  # how far they may differ from everybody's
PRESENCE = "presence"  # who is in the table at all
RELEASES = "releases"  # what several releases tell together
POPULATION = "population"  # who could be meant by a row, in the table or not


def agreement(share: float) -> str:
    """How many published rows are in groups that agree on a sensitive value, for people."""
    if share <= 0:
        return "In this release no group agrees on it."
    return f"In this release {percent(share)} of the published rows are in such a group."


@dataclass(frozen=True)
class Setting:
    """What a sentence about a promise depends on besides its parameters: whether quasi-identifiers are published
    exactly, and whose rows they are."""

    exact: bool
    whose: Whose


def nobodys_chance(column: str, limit: str, setting: Setting) -> str:
    """That a value's chance is limited, where people have several rows: in each group, or, where exact values show
    which groups somebody is in, over all of these.

    >>> nobodys_chance("disease", "1 in 3", Setting(exact=False, whose=Whose.NAMED))
    "nobody's chance of having any one value of disease in a group is above 1 in 3, however many rows they have there"
    """
    where, there = ("", "") if setting.exact else (" in a group", " there")
    value = f"any one value of {column}{where}"
    return f"nobody's chance of having {value} is above {limit}, however many rows they have{there}"


def _nothing(parameters: Words, agreeing: float, setting: Setting) -> list[Risk]:
    return []


@dataclass(frozen=True)
class Promise:
    """All that is known of a promise before it has parameters.

    `read` makes models of the parameters in an entry of `require`, or tells everything that is wrong with them; it is
    given the entry's place, the sensitive attributes and the folder where paths start. `sentence` tells the promise to
    a privacy board, from its parameters, the column it is about, and the setting; without one it is told by the model's
    `describe`. Both are true of rows, and speak of people only where the setting knows whose rows they are.
    `leaves_open` are the risks that it does not speak of, given the share of rows in groups that agree on a sensitive
    value. `only` are the kinds of publication that can keep it, if others can't. `examples` are parameters that a table
    of a few rows can keep, for set-up and tests. `beside_others` says whether it is decided by the sizes and values of
    groups alone, so that it can be made for whoever knows other sensitive values, too (`others_known`).
    """

    word: str
    example: str  # parameters, as somebody would write them
    read: Callable[[Given, str, Sequence[str], Path], Read]
    sentence: Callable[[Words, str, Setting], str] | None = None
    about: frozenset[str] = frozenset()
    leaves_open: Callable[[Words, float, Setting], list[Risk]] = _nothing
    only: tuple[str, ...] = ()
    examples: tuple[Words, ...] = ()
    beside_others: bool = False


def read_as(
    model: type[Parameterized],
    example: str,
    *,
    also: Sequence[str] = (),
    strange: Mapping[str, tuple[str, str]] | None = None,
) -> Callable[[Given, str, Sequence[str], Path], Read]:
    """How the parameters of a model are read that are numbers and choices: by its `parameters`.

    Words of `also` have been read already; for those of `strange` there is a better answer than "no such parameter".
    A promise about a sensitive attribute that names no `attribute` is meant for each of them.

    >>> from discreet.models.groups.k_anonymity import KAnonymity
    >>> read_as(KAnonymity, "{k: 5}")({"k": 5}, "require[0].k_anonymity", [], Path())
    ([KAnonymity(k=5)], [])
    """

    def read(given: Given, place: str, sensitive: Sequence[str], folder: Path) -> Read:
        known = model.parameters
        mistakes = []
        for name in [name for name in given if name not in known]:
            rule, repair = (strange or {}).get(str(name), ("no such parameter", did_you_mean(name, [*known, *also])))
            mistakes.append(Mistake(f"{place}.{name}", rule, repair))
        for name, parameter in known.items():
            if name not in given and name != "attribute" and not isinstance(parameter, Choice):
                mistakes.append(Mistake(f"{place}.{name}", "is missing", f"for example {model.word}: {example}"))
        values, wrong = read_parameters(place, known, {str(n): value for n, value in given.items() if n in known})
        mistakes += wrong
        if "attribute" not in known:
            return ([] if mistakes else [_made(model, values)]), mistakes
        attributes, wrong = attributes_meant(values.pop("attribute", None), "attribute" in given, place, sensitive)
        mistakes += wrong
        return [] if mistakes else [_made(model, values | {"attribute": a}) for a in attributes], mistakes

    return read


def _made(model: type[Parameterized], values: Mapping[str, object]) -> PrivacyModel:
    made: PrivacyModel = model(**values)  # type: ignore[assignment]
    return made


def attributes_read(
    given: Given, place: str, sensitive: Sequence[str], parameters: Mapping[str, Parameter]
) -> tuple[Sequence[str], list[Mistake]]:
    """The sensitive attributes of a promise whose other parameters are more than numbers and choices."""
    name = {"attribute": given["attribute"]} if "attribute" in given else {}
    values, wrong = read_parameters(place, parameters, name)
    attributes, strange = attributes_meant(values.get("attribute"), bool(name), place, sensitive)
    return [] if wrong else attributes, [*wrong, *strange]


def attributes_meant(
    named: object, given: bool, place: str, sensitive: Sequence[str]
) -> tuple[Sequence[str], list[Mistake]]:
    """The sensitive attributes that a promise is for: the one it names, or all."""
    if not sensitive:
        return [], [Mistake(place, "needs a sensitive attribute", "give a column the role sensitive")]
    if not given:
        return sensitive, []
    if named is None or named in sensitive:  # a name that is none has been reported already
        return [str(named)], []
    return [], [Mistake(f"{place}.attribute", "no such sensitive attribute", did_you_mean(named, sensitive))]
