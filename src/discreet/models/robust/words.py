"""`robust` in the words of a policy.

{r: 10, values: [HIV, [flu, cold]], attribute_sets: [[age], [age, zip]], min_support: 30, knowledge: table}
values: nothing for every value by itself, else those to protect; a list stands for any of its values
knowledge: table (the default) | a CSV with columns for quasi-identifiers, the sensitive attribute and p | its rows
limit: r (the default) for at most 1/r | prior for that, or no surer than before any release
absence: open (the default) | prior for the same of the rows that are left out; limit: prior says it, too
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from discreet.errors import Mistake, PolicyError, did_you_mean, shown
from discreet.hierarchies.hierarchy import Value
from discreet.labels.cells import SEPARATORS, cells, is_file, read_lines
from discreet.models.parameters import Choice, Number, Wrong, read_parameters
from discreet.models.promise import VALUES, Given, Promise, Read, Risk, Setting, Words, agreement, attributes_read
from discreet.models.robust.given_knowledge import GivenKnowledge
from discreet.models.robust.knowledge import MIN_SUPPORT
from discreet.models.robust.robust import ABSENCE, LIMITS, OPEN, PRIOR, Robust

EXAMPLE = "{r: 10}"
WORDS = ("r", "values", "attribute_sets", "min_support", "knowledge", "limit", "absence", "attribute")
_PROBABILITY = "p"
_SHOWN = 10  # mistakes of one file


def read_robust(
    given: Mapping[object, object], place: str, folder: Path, attributes: Sequence[str]
) -> tuple[list[Robust], list[Mistake]]:
    """What the parameters of one entry mean for each of these sensitive attributes, or everything wrong with them.

    >>> read_robust({"r": 10, "values": [["HIV", "flu"]]}, "robust", Path(), ["disease"])[0][0].describe()
    '10-robustness of disease, listed values'
    >>> for mistake in read_robust({"r": 1, "knowledge": "tabel"}, "robust", Path(), ["disease"])[1]:
    ...     print(mistake)
    robust.r: must be above 1, got 1; a probability of 1/1 promises nothing
    robust.knowledge: no such knowledge 'tabel'; did you mean 'table'? (or give the path of a CSV)
    """
    mistakes = [
        Mistake(f"{place}.{word}", "no such parameter", did_you_mean(word, WORDS))
        for word in given
        if word not in WORDS
    ]
    numbers = {name: given[name] for name in ("r", "min_support") if given.get(name) is not None}
    if "r" not in numbers:
        mistakes.append(Mistake(f"{place}.r", "is missing", f"for example robust: {EXAMPLE}"))
    found, wrong = read_parameters(place, Robust.parameters, numbers)
    mistakes += wrong
    limit, wrong = _choice(given.get("limit"), f"{place}.limit", LIMITS)
    mistakes += wrong
    absence, wrong = _choice(given.get("absence"), f"{place}.absence", ABSENCE)
    mistakes += wrong
    if limit == PRIOR and absence == OPEN:
        rule = "can't be open where the limit is prior: who is left out is somebody, too"
        mistakes.append(Mistake(f"{place}.absence", rule, "leave it out"))
    values, wrong = _values(given.get("values"), f"{place}.values")
    mistakes += wrong
    sets, wrong = _attribute_sets(given.get("attribute_sets"), f"{place}.attribute_sets")
    mistakes += wrong
    known = given.get("knowledge")
    if known is not None and (not isinstance(known, str) or is_file(known)):
        mistakes += [
            Mistake(
                f"{place}.{word}", "is for the table's own distributions", "leave it out, or write knowledge: table"
            )
            for word in ("attribute_sets", "min_support")
            if given.get(word) is not None
        ]
    models = []
    for attribute in attributes or [""]:
        knowledge, wrong = _knowledge(known, f"{place}.knowledge", folder, attribute)
        mistakes += [m for m in wrong if m not in mistakes]
        if not mistakes and attribute:
            support = int(found.get("min_support", MIN_SUPPORT))
            about = (Fraction(found["r"]), attribute, values, sets, support, knowledge, limit or LIMITS[0], absence)
            models.append(Robust(*about))
    return ([] if mistakes else models), mistakes


def _choice(word: object, place: str, options: tuple[str, ...]) -> tuple[str | None, list[Mistake]]:
    if word is None:
        return None, []
    try:
        return Choice(options).read(word), []
    except Wrong as wrong:
        return None, [Mistake(place, wrong.rule, wrong.repair)]


def _values(words: object, place: str) -> tuple[tuple[tuple[Value, ...], ...] | None, list[Mistake]]:
    if words is None:
        return None, []
    example = "for example [HIV, [flu, cold]]"
    if not isinstance(words, Sequence) or isinstance(words, str | bytes) or not words:
        return None, [Mistake(place, f"must be a list of values or of lists of values, got {shown(words)}", example)]
    sets, mistakes = [], []
    for i, word in enumerate(words):
        listed = [word] if word is None or isinstance(word, str) else word
        if isinstance(listed, Sequence) and listed and all(v is None or isinstance(v, str) for v in listed):
            sets.append(tuple(listed))
        else:
            rule = f"must be a value or a list of values, got {shown(word)}"
            mistakes.append(Mistake(f"{place}[{i}]", rule, f"put values in quotes where they are numbers; {example}"))
    return tuple(sets), mistakes


def _attribute_sets(words: object, place: str) -> tuple[tuple[tuple[str, ...], ...] | None, list[Mistake]]:
    if words is None:
        return None, []
    example = "for example [[age], [age, zip]]"
    if not isinstance(words, Sequence) or isinstance(words, str | bytes) or not words:
        return None, [Mistake(place, f"must be a list of lists of quasi-identifiers, got {shown(words)}", example)]
    sets, mistakes = [], []
    for i, word in enumerate(words):
        listed = [word] if isinstance(word, str) else word
        if isinstance(listed, Sequence) and listed and all(isinstance(name, str) and name for name in listed):
            sets.append(tuple(listed))
        else:
            mistakes.append(
                Mistake(f"{place}[{i}]", f"must be a list of quasi-identifiers, got {shown(word)}", example)
            )
    return tuple(sets), mistakes


def _knowledge(words: object, place: str, folder: Path, attribute: str) -> tuple[GivenKnowledge | None, list[Mistake]]:
    if words is None or words == "table":
        return None, []
    if not isinstance(words, str):
        return _made(words, place)
    if not is_file(words):
        repair = f"{did_you_mean(words, ['table'])} (or give the path of a CSV)"
        return None, [Mistake(place, f"no such knowledge {shown(words)}", repair)]
    if not attribute:
        return None, []
    rows, mistakes = read_knowledge(words, folder, place, attribute)
    return _made(rows, place) if not mistakes else (None, mistakes)


def _made(rows: object, place: str) -> tuple[GivenKnowledge | None, list[Mistake]]:
    try:
        return GivenKnowledge(rows), []
    except PolicyError as error:
        return None, [Mistake(place + m.place.removeprefix("knowledge"), m.rule, m.repair) for m in error.mistakes]


def read_knowledge(
    path: str, folder: Path, place: str, attribute: str
) -> tuple[list[tuple[dict[str, Value], Value, object]], list[Mistake]]:
    """The rows of a CSV: columns named like quasi-identifiers, one like the sensitive attribute, and p.

    A quasi-identifier that is left empty is not in the row's attribute set, so one file may be about several of them; a
    pair of quotes is the empty text. Nothing in the sensitive column is NULL.
    """
    lines, unread = read_lines(path, folder, place)
    if unread:
        return [], unread
    if not lines:
        return [], [Mistake(place, f"{shown(path)} is empty", "give a header and a row per signature and value")]
    separator = next((s for s in SEPARATORS if s in lines[0][1]), ",")
    header = [name or "" for name in cells(lines[0][1], separator, strip=True) or []]
    mistakes = [
        Mistake(place, f"{shown(path)} has no column {shown(name)}", "name the columns in its first line")
        for name in (attribute, _PROBABILITY)
        if name not in header
    ]
    if len(set(header)) < len(header):  # which ones is not told: the first line may be somebody's values
        mistakes.append(Mistake(place, f"{shown(path)} has a column twice", "keep one of them"))
    if attribute == _PROBABILITY:
        rule = f"{shown(path)} has one column {shown(attribute)} for values and probabilities"
        mistakes.append(Mistake(place, rule, "list the rows in the policy: [[{age: '30'}, value, 0.1], …]"))
    if mistakes:
        return [], mistakes
    rows: list[tuple[dict[str, Value], Value, object]] = []
    for number, line in lines[1:]:
        row = cells(line, separator, strip=True)
        if row is None or len(row) != len(header):
            rule = f"{shown(path)}, line {number}: not {len(header)} cells"
            mistakes.append(Mistake(place, rule, "put cells with separators in quotes"))
            continue
        named = dict(zip(header, row, strict=True))
        p, value = named.pop(_PROBABILITY), named.pop(attribute)
        try:
            Number(0, closed=True).read(p or "")
        except Wrong:
            mistakes.append(
                Mistake(place, f"{shown(path)}, line {number}: p is not a probability", "write a number like 0.03")
            )
            continue
        rows.append(({name: cell for name, cell in named.items() if cell is not None}, value, p))
    return rows, mistakes[:_SHOWN]


def _read(given: Given, place: str, sensitive: Sequence[str], folder: Path) -> Read:
    attributes, wrong = attributes_read(given, place, sensitive, Robust.parameters)
    models, mistakes = read_robust(given, place, folder, attributes)
    mistakes += wrong
    return [] if mistakes else [*models], mistakes


def _sentence(parameters: Words, column: str, setting: Setting) -> str:
    what = "what the policy protects" if parameters.get("values") else "a certain one"
    whose = setting.whose
    if parameters.get("limit") == PRIOR:
        return (
            f"Whoever knows how common each value of {column} is among {whose.people} of every kind still cannot be "
            f"surer than 1 in {parameters['r']} that {whose.somebody} has {what}, unless that was as sure before "
            f"anything was published: she gets no surer by it. That holds for {whose.people} that are left out, too."
        )
    absent = ""
    if parameters.get("absence") == PRIOR:
        absent = " Of those that are left out she gets no surer than that, or than she was before."
    return (
        f"Whoever knows how common each value of {column} is among {whose.people} of every kind still cannot be surer "
        f"than 1 in {parameters['r']} that {whose.somebody} has {what}.{absent}"
    )


def _leaves_open(parameters: Words, agreeing: float, setting: Setting) -> list[Risk]:
    whose = setting.whose
    risks = [
        (
            whose.either("Knowing individuals", "Knowing single rows"),
            f"The adversary is taken to know how values are distributed among {whose.people} of each kind, not what a "
            f"particular {whose.person} has. Whoever knows the value of {whose.somebody} in a group can strike it out, "
            "and be surer of the others.",
        ),
        (
            "Knowing other distributions",
            "The promise is about the distributions named above. Whoever knows more, from columns that are not in the "
            f"table or about kinds of {whose.people} too rare to be counted, may learn more.",
        ),
    ]
    if parameters.get("limit") == PRIOR:
        risks.append(
            (
                "What was likely before",
                f"Where more than 1 in {parameters['r']} {whose.people} of a kind have a value, whoever knows that "
                "believes it of each of them, with this release and without. It promises that she gets no surer.",
            )
        )
    elif parameters.get("absence") != PRIOR:
        risks.append(
            (
                "Being missing",
                "Who is in the table is plain to see. Where more are likely to have a protected value than can be "
                f"hidden, {whose.people} may have been left out for having it, and nothing is promised about what "
                "that tells to whoever knows that they should be there.",
            )
        )
    if parameters.get("values"):
        risks.append(
            (
                "Values that the policy does not list",
                "They are not protected: a group may have only one of them, in the open. " + agreement(agreeing),
            )
        )
    return risks


ROBUST = Promise(
    Robust.word,
    EXAMPLE,
    _read,
    _sentence,
    about=frozenset({VALUES}),
    leaves_open=_leaves_open,
    only=("bucketization",),
    examples=({"r": 2, "min_support": 3},),
)
