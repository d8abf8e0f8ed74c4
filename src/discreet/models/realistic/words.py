"""`realistic` in the words of a policy.

{class: I, epsilon: 3, stubbornness: 1000, prior: table, known: 0, predicates: [cancer, [ulcer, dyspepsia], {not: flu}]}
prior: table (the default) | uniform | {flu: 0.4, cancer: 0.6} | a CSV of value,count, which also gives the stubbornness
predicates: nothing for every single value, else the ones listed; {each: true} among them adds every single value
predicates: {wishes: true, also: [cancer]}: what each person asks for in a column of the table, and what is listed for
everybody; {wishes: united}: what anybody asks for, for everybody
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from discreet.errors import Mistake, PolicyError, did_you_mean, shown
from discreet.hierarchies.hierarchy import Value
from discreet.labels.cells import is_file, read_numbers
from discreet.labels.whose import Whose
from discreet.models.base import PrivacyModel
from discreet.models.parameters import Parameter, read_parameters
from discreet.models.promise import SHIFT, VALUES, Given, Promise, Read, Risk, Setting, Words, attributes_read
from discreet.models.realistic.adversaries import Adversary, ClassOne, ClassThree, ClassTwo
from discreet.models.realistic.predicates import EACH_VALUE, Predicate, Predicates
from discreet.models.realistic.priors import TABLE, UNIFORM, CountsPrior, Prior, SharesPrior
from discreet.models.realistic.realistic import Realistic
from discreet.models.realistic.wished import OneByOne, United, Wished

EXAMPLE = "{class: II, stubbornness: 1000, epsilon: 3}"
WORDS = ("class", "epsilon", "stubbornness", "prior", "known", "predicates", "attribute")
_CLASSES = {"I": ("stubbornness", "prior"), "II": ("stubbornness",), "III": ("prior",)}
_IMPOSSIBLE = (
    "IV means every adversary there could be, and no generalized table is private against all of them: there is always "
    "a belief that no data can shake, and that seeing you in a group refutes"
)
_INSTEAD = (
    "take II (any belief, resting on data about at most so many people) or III (a belief of known shares, however firm)"
)
_NUMBERS: Mapping[str, Parameter] = {
    "epsilon": Realistic.parameters["epsilon"],
    "stubbornness": ClassOne.parameters["stubbornness"],
    "known": ClassOne.parameters["known"],
}


@dataclass(frozen=True)
class Asked:
    """What an entry asks for, but for the attribute."""

    epsilon: Fraction
    adversary: Adversary
    predicates: Predicates | None
    wishes: type[Wished] | None = None  # who reads the wishes of people, if somebody does

    def of(self, attribute: str) -> PrivacyModel:
        """The promise for one attribute."""
        if self.wishes is not None:
            promise: PrivacyModel = self.wishes(self.epsilon, self.adversary, attribute, self.predicates)  # type: ignore[assignment]
            return promise
        return Realistic(self.epsilon, self.adversary, attribute, self.predicates or EACH_VALUE)


def read_realistic(given: Mapping[object, object], place: str, folder: Path) -> tuple[Asked | None, list[Mistake]]:
    """What the parameters of one entry mean, or everything that is wrong with them.

    >>> asked, _ = read_realistic({"class": "II", "stubbornness": 1000, "epsilon": 3}, "realistic", Path())
    >>> asked.adversary
    ClassTwo(stubbornness=Fraction(1000, 1), known=0)
    >>> for mistake in read_realistic({"class": "III", "prior": "tabel"}, "realistic", Path())[1]:
    ...     print(mistake)
    realistic.prior: no such prior 'tabel'; did you mean 'table'? (or give the path of a CSV of value,count)
    realistic.epsilon: is missing; for example realistic: {class: II, stubbornness: 1000, epsilon: 3}
    """
    mistakes = [
        Mistake(f"{place}.{word}", "no such parameter", did_you_mean(word, WORDS))
        for word in given
        if word not in WORDS
    ]
    kind, wrong = _class(given, place)
    mistakes += wrong
    prior, wrong = _prior(given.get("prior"), f"{place}.prior", folder)
    mistakes += wrong
    numbers, wrong = read_parameters(place, _NUMBERS, {n: given[n] for n in _NUMBERS if given.get(n) is not None})
    example = f"for example realistic: {EXAMPLE}"
    if given.get("epsilon") is None:
        mistakes.append(Mistake(f"{place}.epsilon", "is missing", example))
    mistakes += wrong
    if kind != "III" and given.get("stubbornness") is None:
        if kind == "I" and isinstance(prior, CountsPrior):
            numbers["stubbornness"] = prior.stubbornness
        elif kind == "II" or not isinstance(given.get("prior"), str) or given["prior"] in ("table", "uniform"):
            repair = "say how many people's data she has seen, for example stubbornness: 1000"
            mistakes.append(Mistake(f"{place}.stubbornness", "is missing", repair))
    predicates, wishes, wrong = _protected(given.get("predicates"), f"{place}.predicates")
    mistakes += wrong
    if mistakes:
        return None, mistakes
    known, sigma = int(numbers.get("known", 0)), numbers.get("stubbornness", 0)
    adversary: Adversary
    if kind == "II":
        adversary = ClassTwo(Fraction(sigma), known)
    else:
        adversary = ClassOne(Fraction(sigma), prior, known) if kind == "I" else ClassThree(prior, known)
    return Asked(Fraction(numbers["epsilon"]), adversary, predicates, wishes), []


def _class(given: Mapping[object, object], place: str) -> tuple[str, list[Mistake]]:
    """The class of the adversary; where it is not said rightly, the one that the other words speak for."""
    word = given.get("class")
    if isinstance(word, str) and word in _CLASSES:
        strange = [name for name in ("stubbornness", "prior") if given.get(name) is not None]
        why = {
            "stubbornness": "class III is the adversary whose mind nothing changes",
            "prior": "class II is the adversary whose belief is not known",
        }
        mistakes = [
            Mistake(f"{place}.{name}", why[name], "leave it out, or write class: I")
            for name in strange
            if name not in _CLASSES[word]
        ]
        return word, mistakes
    likely = "III" if given.get("stubbornness") is None else "I" if given.get("prior") is not None else "II"
    if word == "IV":
        return likely, [Mistake(f"{place}.class", _IMPOSSIBLE, _INSTEAD)]
    repair = "I: shares and stubbornness known, II: stubbornness bounded, III: shares known"
    rule = "is missing" if word is None else f"must be one of {', '.join(_CLASSES)}, got {shown(word)}"
    return likely, [Mistake(f"{place}.class", rule, repair)]


def _prior(words: object, place: str, folder: Path) -> tuple[Prior, list[Mistake]]:
    """The prior that is meant; the table's where nothing is said."""
    if words is None or words == "table":
        return TABLE, []
    if words == "uniform":
        return UNIFORM, []
    if isinstance(words, str):
        if not is_file(words):
            repair = f"{did_you_mean(words, ['table', 'uniform'])} (or give the path of a CSV of value,count)"
            return TABLE, [Mistake(place, f"no such prior {shown(words)}", repair)]
        pairs, mistakes = read_counts(words, folder, place)
        return _made(CountsPrior, pairs, place) if not mistakes else (TABLE, mistakes)
    if isinstance(words, Mapping) and words:
        if set(words) == {"counts"} and not isinstance(words["counts"], int | float | str):
            return _made(CountsPrior, words["counts"], place)
        written_out = set(words) == {"shares"} and not isinstance(words["shares"], int | float | str)
        return _made(SharesPrior, words["shares"] if written_out else words, place)
    rule = f"must be table, uniform, shares by value or the path of a CSV, got {shown(words)}"
    return TABLE, [Mistake(place, rule, "for example {flu: 0.4, cancer: 0.6}")]


def _made(kind: type[CountsPrior] | type[SharesPrior], listed: object, place: str) -> tuple[Prior, list[Mistake]]:
    try:
        return kind(listed), []
    except PolicyError as error:
        return TABLE, [Mistake(place + m.place.removeprefix("prior"), m.rule, m.repair) for m in error.mistakes]


def read_counts(path: str, folder: Path, place: str) -> tuple[list[tuple[Value, int]], list[Mistake]]:
    """The lines value,count of a CSV, with or without a header. Nothing is NULL, a pair of quotes is the empty text."""
    pairs, mistakes = read_numbers(path, folder, place, _is_count)
    return [(value, int(count)) for value, count in pairs], mistakes


def _is_count(text: str) -> bool:
    return text.isdecimal() and len(text) <= 12


def _protected(words: object, place: str) -> tuple[Predicates | None, type[Wished] | None, list[Mistake]]:
    """What is protected, and who reads people's wishes besides."""
    if not isinstance(words, Mapping):
        predicates, mistakes = _predicates(words, place)
        return predicates, None, mistakes
    mistakes = [
        Mistake(f"{place}.{word}", "no such word", did_you_mean(word, ("wishes", "also")))
        for word in words
        if word not in ("wishes", "also")
    ]
    readers: dict[object, type[Wished]] = {kind.asks: kind for kind in (OneByOne, United)}
    said = words.get("wishes")
    if not isinstance(said, bool | str) or said not in readers:
        rule = "is missing" if said is None else f"must be true or united, got {shown(said)}"
        repair = "true: what each person asks for, group by group; united: what anybody asks for, for everybody"
        mistakes.append(Mistake(f"{place}.wishes", rule, repair))
    also = None
    if words.get("also") is not None:
        also, wrong = _predicates(words["also"], f"{place}.also")
        mistakes += wrong
    return also, readers.get(said) if isinstance(said, bool | str) else None, mistakes


def _predicates(words: object, place: str) -> tuple[Predicates, list[Mistake]]:
    """What is protected; every single value where nothing is said."""
    if words is None:
        return EACH_VALUE, []
    example = "for example [cancer, [ulcer, dyspepsia], {not: flu}]"
    if not isinstance(words, Sequence) or isinstance(words, str | bytes) or not words:
        return EACH_VALUE, [Mistake(place, f"must be a list of what to protect, got {shown(words)}", example)]
    listed, each, mistakes = [], False, []
    for i, word in enumerate(words):
        negated = isinstance(word, Mapping) and set(word) == {"not"}
        values = word["not"] if isinstance(word, Mapping) and negated else word
        if isinstance(word, Mapping) and set(word) == {"each"} and word["each"] is True:
            each = True
        elif values is None or isinstance(values, str):
            listed.append(Predicate((values,), negated))
        elif isinstance(values, Sequence) and values and all(v is None or isinstance(v, str) for v in values):
            listed.append(Predicate(tuple(values), negated))
        else:
            rule = f"must be a value, a list of values or {{not: …}}, got {shown(word)}"
            mistakes.append(Mistake(f"{place}[{i}]", rule, f"put values in quotes where they are numbers; {example}"))
    return Predicates(tuple(listed), each) if listed or each else EACH_VALUE, mistakes


def _read(given: Given, place: str, sensitive: Sequence[str], folder: Path) -> Read:
    asked, mistakes = read_realistic(given, place, folder)
    attributes, wrong = attributes_read(given, place, sensitive, Realistic.parameters)
    mistakes += wrong
    if asked is None or mistakes:
        return [], mistakes
    return [asked.of(attribute) for attribute in attributes], []


def _sentence(parameters: Words, column: str, setting: Setting) -> str:
    one_each = setting.whose is Whose.ONE_EACH  # the model takes rows away, and counts those she knows
    if isinstance(predicates := parameters.get("predicates"), Mapping):
        return _wished_sentence(parameters, predicates, column, setting)
    what = "what the policy lists about" if predicates else "any value of"
    subject, its = ("Being in the table", "somebody's") if one_each else ("A row of the table", "its")
    row = "person's row" if one_each else "row"
    return (
        f"{subject} hardly changes what others believe: the belief of {_adversary(parameters, one_each)} in {what} "
        f"{its} {column}, and the doubt of it, is within a factor of {parameters['epsilon']} of what it would be "
        f"without that {row}{setting.whose.counted}."
    )


def _wished_sentence(parameters: Words, predicates: Words, column: str, setting: Setting) -> str:
    """Whose wishes count for whom."""
    also = " or that the policy lists" if predicates.get("also") else ""
    what = f"what a row of the same group asks to be hidden{also}"
    if predicates["wishes"] == United.asks:
        what = f"whatever any row of the table asks to be hidden{also}"
    adversary = _adversary(parameters, setting.whose is Whose.ONE_EACH)
    return (
        f"A row of the table hardly changes what others believe of {column}, as far as that was asked for: the belief "
        f"of {adversary} in {what}, and the doubt of it, is within a factor of {parameters['epsilon']} of what it "
        f"would be without the row{setting.whose.counted}."
    )


def _adversary(parameters: Words, one_each: bool) -> str:
    """Who is meant, for people."""
    prior = parameters.get("prior", "table")
    shape = {"table": "the shares of the whole table", "uniform": "equal shares of all values"}
    belief = shape[prior] if isinstance(prior, str) and prior in shape else "shares that the policy lists"
    match parameters["class"]:
        case "I":
            who = f"an adversary who expects {belief} from data on {_people(parameters['stubbornness'])}"
        case "II":
            who = f"an adversary who expects anything from data on at most {_people(parameters['stubbornness'])}"
        case _:
            who = f"an adversary who expects {belief} and whom no data would convince otherwise"
    known = parameters.get("known", 0)
    rows = f"the rows of {_people(known)}" if one_each else f"{known:,} row{'s' * (known != 1)}"
    return who + (f" and who knows {rows}" if known else "")


def _people(count: object) -> str:
    number = f"{count:,}" if isinstance(count, int) else str(count)
    return f"{number} {'person' if count == 1 else 'people'}"


def _leaves_open(parameters: Words, agreeing: float, setting: Setting) -> list[Risk]:
    everybody = setting.whose.either("everybody", "all rows")
    own = setting.whose.either("a person's own row", "a single row")
    more = {
        "I": "Whoever expects other shares, or rests on more data, may learn more.",
        "II": "Whoever rests on more data may learn more.",
        "III": "Whoever expects other shares may learn more.",
    }
    predicates = parameters.get("predicates")
    listed = "" if not predicates else " Only what the policy lists is protected, not every value."
    if isinstance(predicates, Mapping):
        listed = " Only what was asked for is protected, not every value."
    return [
        (
            "Adversaries other than the one assumed",
            more[parameters["class"]]
            + f" So may whoever expects different shares for different {setting.whose.people}, by age for instance. "
            f"And what the release teaches about {everybody} is not hidden: only what {own} adds to it." + listed,
        ),
        *(_who_asked(predicates) if isinstance(predicates, Mapping) else ()),
    ]


def _who_asked(predicates: Words) -> list[Risk]:
    """What is told by hiding what people ask for."""
    if predicates["wishes"] == United.asks:
        told = (
            "Whatever any row asks to be hidden is hidden for all rows, so that it is not told which asked. How "
            "coarse the release is may tell that one of them did."
        )
    else:
        told = (
            "A group hides what its own rows ask for, so what is published depends on who asked for what. Where a "
            "group tells more of a value than the promise allows, none of its rows asked for that; a group that had to "
            "be made coarser, or left out, may hold one that did. And who asks for something to be hidden may be who "
            "has it."
        )
    return [("Who asked for something to be hidden", told)]


REALISTIC = Promise(
    Realistic.word,
    EXAMPLE,
    _read,
    _sentence,
    about=frozenset({VALUES, SHIFT}),
    leaves_open=_leaves_open,
    examples=(
        {"class": "II", "stubbornness": 2, "epsilon": 9},
        {"class": "III", "epsilon": 9, "predicates": ["a", {"not": "b"}]},
    ),
)
