"""`presence` and `confident_presence` in the words of a policy.

presence: {delta: [0, 0.2], population: people.csv, suppression: told}
confident_presence: {delta: [0, 0.2], confidence: 0.8, population: people.csv, coverage: true}
confident_presence: {delta: [0, 0.2], confidence: 0.8, marginals: {age: age.csv, sex: {f: 0.51, m: 0.49}}, size: 45222}
marginals: per quasi-identifier a CSV of value,count or the counts themselves; or shares, if `size` says of how many
known: pairs (of a population), or pairs: [age_sex.csv, …] beside marginals; margin: 0.5
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import exp
from pathlib import Path
from typing import Any

from discreet.addresses import located
from discreet.errors import Mistake, did_you_mean, shown
from discreet.files.numbers import whole_number
from discreet.hierarchies.hierarchy import Value
from discreet.labels.cells import read_numbers
from discreet.models.base import AboutPopulation, PrivacyModel
from discreet.models.parameters import Choice, Number, Parameter, Whole, Wrong, read_parameters
from discreet.models.parameters import exact as as_fraction
from discreet.models.presence.confident_presence import PAIRS, ConfidentPresence, pair_misfits
from discreet.models.presence.pair_words import read_pairs, with_their_marginals
from discreet.models.presence.presence import JUDGED, TOLD, Presence
from discreet.models.promise import PRESENCE, Given, Promise, Read, Risk, Setting, Words

EXAMPLE = "{delta: [0, 0.2], population: people.csv}"
CONFIDENT_EXAMPLE = "{delta: [0, 0.2], confidence: 0.8, population: people.csv}"
_CONFIDENT_WORDS = (*ConfidentPresence.parameters, "population", "marginals", "pairs", "size", "coverage")
_MAY_BE_LEFT_OUT = {"margin"}
_NUMBER = Number(0, closed=True, why="nobody is counted less than 0 times")
_SIZE = Whole(1, "it is how many people there are, those in the table included")
_SHOWN = 10  # mistakes of one attribute


def needs_population(model: PrivacyModel) -> bool:
    """Is it about people whom only a list of them tells?"""
    if isinstance(model, AboutPopulation):
        return getattr(model, "marginals", None) is None
    return getattr(model, "population", None) is not None  # one that may name whom it is about


def counts_population(model: PrivacyModel) -> bool:
    """Does it ask which people of the population are in each group?"""
    return needs_population(model) and not isinstance(model, ConfidentPresence)


def by_pairs(parameters: Words) -> bool:
    """Does a confident_presence of these words know how values of two columns go together?"""
    return parameters.get("known") == PAIRS or parameters.get("pairs") is not None


def margin_of(parameters: Words) -> Fraction:
    """By what factor, e^margin, expected numbers of people may be off."""
    return as_fraction(parameters.get("margin", 0))


def population_named(models: Iterable[PrivacyModel]) -> Any:
    """Where the population is read from, by the first promise that names one; None if none does."""
    named = (getattr(model, "population", None) for model in models if needs_population(model))
    return next((population for population in named if population is not None), None)


def read_presence(
    given: Mapping[object, object], place: str, folder: Path = Path()
) -> tuple[list[Presence], list[Mistake]]:
    """What the parameters of one entry mean, or everything that is wrong with them. No population is opened.

    A promise without a population is one about the table that the private rows are chosen from.

    >>> read_presence({"delta": [0, 0.2], "population": "people.csv"}, "presence")[0][0].to_words()
    {'presence': {'delta': [0, 0.2], 'population': 'people.csv'}}
    >>> for mistake in read_presence({"delta": 0.2, "populaton": "people.csv"}, "presence")[1]:
    ...     print(mistake)
    presence.populaton: no such parameter; did you mean 'population'?
    presence.delta: must be a pair [least, most] of probabilities, got 0.2; for example [0, 0.1]
    """
    read = read_numbers_and_population(given, place, Presence.parameters, EXAMPLE, folder)
    values, population, mistakes = read
    if mistakes:
        return [], mistakes
    return [Presence(values["delta"], population, values.get("suppression", JUDGED))], []


def read_numbers_and_population(
    given: Mapping[object, object], place: str, parameters: Mapping[str, Parameter], example: str, folder: Path
) -> tuple[dict[str, Any], str | Path | None, list[Mistake]]:
    """Thresholds and choices, and where the population lies; or everything that is wrong with them."""
    mistakes = _strange(given, place, (*parameters, "population"))
    values, wrong = _numbers(given, place, parameters, f"for example {place.rpartition('.')[2]}: {example}")
    mistakes += wrong
    population, wrong = population_said(given.get("population"), f"{place}.population", folder)
    return values, population, [*mistakes, *wrong]


def read_confident_presence(
    given: Mapping[object, object], place: str, folder: Path = Path()
) -> tuple[list[ConfidentPresence], list[Mistake]]:
    """The same for what is promised with a confidence.

    Marginals are read right away, so that a manifest has them. A file of them that is not there is kept by its name:
    who re-checks a release does not need it.

    >>> words = {"delta": [0, 0.2], "confidence": 0.8, "marginals": {"sex": {"f": -1}}, "size": "9", "cover": True}
    >>> for mistake in read_confident_presence(words, "confident_presence")[1]:
    ...     print(mistake)
    confident_presence.cover: no such parameter; did you mean 'coverage'?
    confident_presence.marginals.sex.f: must be at least 0, got -1; nobody is counted less than 0 times
    confident_presence.size: must be a whole number, got '9'; write a number of at least 1
    """
    mistakes = _strange(given, place, _CONFIDENT_WORDS)
    example = f"for example confident_presence: {CONFIDENT_EXAMPLE}"
    values, wrong = _numbers(given, place, ConfidentPresence.parameters, example)
    mistakes += wrong
    population, wrong = population_said(given.get("population"), f"{place}.population", folder)
    mistakes += wrong
    marginals, wrong = None, []
    if given.get("marginals") is not None:
        marginals, wrong = read_marginals(given["marginals"], f"{place}.marginals", folder, absent=True)
    mistakes += wrong
    pairs, wrong = None, []
    if given.get("pairs") is not None:
        pairs, wrong = read_pairs(given["pairs"], f"{place}.pairs", folder, absent=True)
        if not wrong and given.get("population") is None:
            marginals = with_their_marginals(marginals, pairs)
    mistakes += wrong
    listed = given.get("marginals") is not None or marginals is not None
    mistakes += pair_misfits(place, listed or bool(wrong), pairs is not None, given.get("known"))
    if given.get("population") is not None and given.get("marginals") is not None:
        rule = "the people outside of the table can't come from a population and from marginals at once"
        mistakes.append(Mistake(f"{place}.marginals", rule, "leave one of them out"))
    size, wrong = _size(given, place)
    mistakes += wrong
    coverage = given.get("coverage", False)
    if not isinstance(coverage, bool):
        rule = f"must be true or false, got {shown(coverage)}"
        mistakes.append(Mistake(f"{place}.coverage", rule, "leave it out for false"))
    if mistakes:
        return [], mistakes
    around: dict[str, Any] = {"population": population, "marginals": marginals, "size": size, "pairs": pairs}
    return [ConfidentPresence(**values, **around, coverage=bool(coverage))], []


def read_marginals(
    words: object, place: str, folder: Path = Path(), *, absent: bool = False
) -> tuple[dict[str, Any], list[Mistake]]:
    """Per attribute, a number for each value: what a policy lists, or what its files do.

    With `absent`, a file that is not there stays a path.

    >>> read_marginals({"sex": {"f": 51, None: "0.5"}}, "marginals")[0]
    {'sex': {'f': Fraction(51, 1), None: Fraction(1, 2)}}
    """
    if not isinstance(words, Mapping) or not words:
        got = "an empty one" if isinstance(words, Mapping) else shown(words)
        repair = "for example {age: age.csv, sex: {f: 51, m: 49}}"
        return {}, [Mistake(place, f"must be a mapping of quasi-identifiers, got {got}", repair)]
    found: dict[str, Any] = {}
    mistakes: list[Mistake] = []
    for attribute, given in words.items():
        here = f"{place}.{attribute}"
        listed: object = given
        wrong: list[Mistake] = []
        if isinstance(given, str | Path):
            if absent and given and not (folder / given).exists():
                found[str(attribute)] = folder / given
                continue
            listed, wrong = read_numbers(given, folder, here, _is_number)
        if not wrong:
            found[str(attribute)], wrong = _listed(listed, here)
        mistakes += wrong[:_SHOWN]
    return found, mistakes


def _listed(given: object, place: str) -> tuple[dict[Value, Fraction], list[Mistake]]:
    """A mapping of value → number, or a list of such pairs."""
    example = "for example {f: 51, m: 49}, or the path of a CSV of value,count"
    items = _pairs(given)
    if items is None:
        return {}, [Mistake(place, f"must have a number for each value, got {shown(given)}", example)]
    numbers: dict[Value, Fraction] = {}
    mistakes = []
    for value, written in items:
        here = f"{place}.{'NULL' if value is None else value if isinstance(value, str) else shown(value)}"
        if value is not None and not isinstance(value, str) and whole_number(value) is None:
            mistakes.append(Mistake(here, f"a value must be text, got {shown(value)}", "put it in quotes"))
            continue
        text = None if value is None else str(value)
        if text in numbers:
            mistakes.append(Mistake(here, "is given twice", "keep one of them"))
            continue
        try:
            numbers[text] = _NUMBER.read(written)
        except Wrong as wrong:
            mistakes.append(Mistake(here, wrong.rule, wrong.repair))
    if not items:
        mistakes.append(Mistake(place, "lists no values", example))
    return numbers, mistakes


def _pairs(given: object) -> list[tuple[object, object]] | None:
    if isinstance(given, Mapping):
        return list(given.items())
    if not isinstance(given, list | tuple) or any(not isinstance(p, list | tuple) or len(p) != 2 for p in given):
        return None
    return [(value, number) for value, number in given]


def _is_number(text: str) -> bool:
    try:
        _NUMBER.read(text)
    except Wrong:
        return False
    return True


def _size(given: Mapping[object, object], place: str) -> tuple[int | None, list[Mistake]]:
    if given.get("size") is None:
        return None, []
    mistakes = []
    if given.get("marginals") is None and given.get("pairs") is None:
        mistakes.append(Mistake(f"{place}.size", "is for marginals: a population is counted", "leave it out"))
    try:
        return _SIZE.read(given["size"]), mistakes
    except Wrong as wrong:
        return None, [*mistakes, Mistake(f"{place}.size", wrong.rule, wrong.repair)]


def _strange(given: Mapping[object, object], place: str, known: Sequence[str]) -> list[Mistake]:
    mistakes = []
    for word in given:
        if word == "attribute":
            rule = "whether somebody is in the table is not a matter of one attribute"
            mistakes.append(Mistake(f"{place}.attribute", rule, "leave it out"))
        elif word not in known:
            mistakes.append(Mistake(f"{place}.{word}", "no such parameter", did_you_mean(word, known)))
    return mistakes


def _numbers(
    given: Mapping[object, object], place: str, parameters: Mapping[str, Parameter], example: str
) -> tuple[dict[str, Any], list[Mistake]]:
    """The thresholds, none of which has a default, and choices, which have one."""
    mistakes = [
        Mistake(f"{place}.{name}", "is missing", example)
        for name, parameter in parameters.items()
        if given.get(name) is None and not isinstance(parameter, Choice) and name not in _MAY_BE_LEFT_OUT
    ]
    there = {name: given[name] for name in parameters if given.get(name) is not None}
    values, wrong = read_parameters(place, parameters, there)
    return values, [*mistakes, *wrong]


def population_said(words: object, place: str, folder: Path) -> tuple[str | Path | None, list[Mistake]]:
    """Where the population lies. A frame is for a model made in Python: words are written into manifests."""
    if words is None:
        return None, []
    if isinstance(words, str | Path) and str(words).strip():
        return located(folder, words), []
    repair = "for example people.csv; a frame goes into a model made in Python"
    return None, [Mistake(place, f"must be the path of a table, got {shown(words)}", repair)]


def _read_presence(given: Given, place: str, sensitive: Sequence[str], folder: Path) -> Read:
    models, mistakes = read_presence(given, place, folder)
    return [*models], mistakes


def _read_confident(given: Given, place: str, sensitive: Sequence[str], folder: Path) -> Read:
    models, mistakes = read_confident_presence(given, place, folder)
    return [*models], mistakes


def _sentence(parameters: Words, column: str, setting: Setting) -> str:
    (low, high), whose = parameters["delta"], setting.whose
    if not as_fraction(low):
        chances = f"{whose.nobody} is in it with a probability above {high}"
    elif as_fraction(high) == 1:
        chances = f"{whose.everybody} is in it with a probability of at least {low}"
    else:
        chances = f"{whose.everybody} is in it with a probability of at least {low} and at most {high}"
    everybody, who = whose.either("everybody in", "every row of"), whose.either("who", "which")
    sentence = f"Whoever knows {everybody} the population still cannot tell {who} is in the table: {chances}."
    if parameters.get("suppression") == TOLD:
        sentence += (
            " That does not hold if she also knows by what rule rows were left out: then she may be sure of "
            f"{whose.people} left out."
        )
    return sentence


def _confident_sentence(parameters: Words, column: str, setting: Setting) -> str:
    known, margin = "how common each value is", margin_of(parameters)
    if by_pairs(parameters):
        known = "how common each value is, and each two values together"
    sentence = (
        f"{_sentence(parameters, column, setting)} The publisher, who knows only {known}, is sure of "
        f"that with a confidence of {parameters['confidence']} for each group"
    )
    if margin:
        off = f"up to {exp(margin):.3g} times too large or too small"
        sentence += f", also if the number of {setting.whose.people} that follows from that for a group is {off}"
    if by_pairs(parameters) or margin:
        return f"{sentence}."  # no rows are left out
    return (
        f"{sentence}. If rows were left out, that is so for whoever does not know by what rule: groups that could not "
        "be published are left out."
    )


def _if_values_go_together(parameters: Words, agreeing: float, setting: Setting) -> list[Risk]:
    people, margin = setting.whose.people, margin_of(parameters)
    if by_pairs(parameters):
        allowed = f" by more than the margin, a factor of {exp(margin):.3g}" if margin else ""
        mend = "A larger `margin`" if margin else "A `margin`"
        return [
            (
                "Three and more values that go together",
                f"The confidence holds if the {people} outside of the table are as the counts of two columns at a time "
                "say. Where three or more go together in another way, a group may have fewer (or more) of them than "
                f"reckoned with{allowed}; then the promise is broken more often than the confidence says. {mend} "
                "guards against that, coarser groups (publish: generalization) suffer less, and the promise "
                "`presence`, with the population itself, not at all.",
            )
        ]
    allowed = f", but for a factor of {exp(margin):.3g} in the number of each group" if margin else ""
    return [
        (
            f"{people.capitalize()} whose values go together",
            f"The confidence holds if the {people} outside of the table have their values independently of each other"
            f"{allowed}: nothing else follows from how common each value is. Where columns go together (few of the "
            "widowed are young), fine groups break the promise more often than the confidence says, and a higher "
            "confidence hardly mends that. Counts of two columns at a time (known: pairs, or pairs: [CSV, …]) and a "
            "margin do; coarser groups (publish: generalization) suffer less; the promise `presence`, with the "
            "population itself, not at all.",
        )
    ]


# Groups must not overlap, and whoever is in none of them is judged, too.
APART = ("generalization", "multidimensional")
PRESENCE_PROMISE = Promise(
    Presence.word,
    EXAMPLE,
    _read_presence,
    _sentence,
    about=frozenset({PRESENCE}),
    only=APART,
    examples=({"delta": [0, 0.9]},),
)
CONFIDENT_PRESENCE = Promise(
    ConfidentPresence.word,
    CONFIDENT_EXAMPLE,
    _read_confident,
    _confident_sentence,
    about=frozenset({PRESENCE}),
    leaves_open=_if_values_go_together,
    only=APART,
    examples=(
        {"delta": [0, 0.9], "confidence": 0.5},
        {"delta": [0, 0.9], "confidence": 0.5, "known": "pairs", "margin": 0.1},
    ),
)
