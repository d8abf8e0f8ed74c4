"""The words a policy may use, and everything that can be wrong with those it does use."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.addresses import located
from discreet.engines.reading import READ_AS_IT_STANDS, ColumnReading
from discreet.engines.reading_words import OF_COLUMN, OF_TABLE, column_reading, read_words
from discreet.errors import HierarchyError, Mistake, PolicyError, closest, did_you_mean, shown, unknown_word
from discreet.files.numbers import RULE, exact_number, is_long
from discreet.models.others_known import asks_for_others
from discreet.models.registry import word_of
from discreet.policy.chains import chain_misfits
from discreet.policy.kinds import (
    choose_search,
    lacks_population,
    misfits,
    others_known_misfits,
    several_populations,
    summary_misfits,
    suppression_misfits,
    threshold_misfits,
    wishes_misfits,
)
from discreet.policy.levels import levels_misfits, span_mistakes
from discreet.policy.places import attribute_place
from discreet.policy.private_rows import read_private
from discreet.policy.ranges import HIERARCHY, VALUES, ranges_misfits, word_mistakes
from discreet.policy.reading import reading_misfits

if TYPE_CHECKING:
    from discreet.models.base import PrivacyModel

CHOICES: Mapping[str, tuple[str, ...]] = {
    "suppressed": ("drop", "star"),
    "utility": ("loss", "geometric_loss", "discernibility", "average_group", "height", "kl_divergence"),
    "format": ("csv", "parquet", "table"),
    "ranges": (HIERARCHY, VALUES),
}


_OF_ATTRIBUTE = ("role", "hierarchy", "levels", "publish_as", "ranges", "decide", *OF_COLUMN)
_DEEPEST = 50  # levels of words
_MOST_SEED = (1 << 64) - 1
_MOST_SECONDS = 1_000_000_000  # thirty years
STATISTICS = "statistics"  # those that a database keeps
SUMMARIES = ("network", "histogram", "sample", "exact", STATISTICS)  # that `search: instant` can make by itself
NO_STATISTICS = Mistake(
    "summary",
    "the database's statistics are about the values themselves, not about what they are published as",
    f"beside publish_as, write summary: {SUMMARIES[0]}",
)


class Role(StrEnum):
    """What becomes of a column: the words for it.

    >>> [role.value for role in Role]
    ['identifier', 'quasi_identifier', 'sensitive', 'other', 'person', 'wishes']
    """

    IDENTIFIER = "identifier"  # never published
    QUASI_IDENTIFIER = "quasi_identifier"  # known to others, so published coarser
    SENSITIVE = "sensitive"  # published as it is (or as `publish_as` says), protected by the promises
    OTHER = "other"  # published as it is (or as `publish_as` says), protected by nothing
    PERSON = "person"  # says whose row it is: never published, people are counted by it
    WISHES = "wishes"  # what the row's person wants hidden: never published, read by promises that ask for it


@dataclass(frozen=True)
class Attribute:
    """One column of the table; `hierarchy` in the words of a policy, or a ready `Rule`.

    `decide` is a question that somebody has to answer before anything is published; empty if there is none.
    `publish_as` is the level of a hierarchy that a sensitive or other column is published as, and judged by. `reading`
    is how its cells are read. `ranges` says where published ranges end, if not as the policy's own word does. `levels`
    is the level of the hierarchy that a quasi-identifier may be published at, or the finest and the coarsest.

    >>> Attribute("age", "quasi_identifier", {"intervals": [5, 10]}).role
    <Role.QUASI_IDENTIFIER: 'quasi_identifier'>
    """

    name: str
    role: Role
    hierarchy: object = None
    decide: str = ""
    publish_as: object = None
    reading: ColumnReading = READ_AS_IT_STANDS
    ranges: str | None = None
    levels: object = None

    def __post_init__(self) -> None:
        role, mistake = _role(self.role, f"{attribute_place(self.name)}.role")
        if mistake:
            raise PolicyError(mistake)
        object.__setattr__(self, "role", role)


def copied(value: object) -> object:
    """The same words in containers of our own, so that nobody can change them behind our back."""
    if isinstance(value, Mapping):
        return {k: copied(v) for k, v in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [copied(v) for v in value]
    return value


def wild(words: object) -> bool:
    """Are words nested so deeply, or do they have such numbers as names, that nobody can have written them?

    >>> wild({"a": [{"b": 1}]}), wild({10**5000: 1})
    (False, True)
    """
    level, depth = [words], 0
    while level and depth <= _DEEPEST:
        inner: list[object] = []
        for part in level:
            if isinstance(part, Mapping):
                if any(isinstance(name, int) and abs(name) >= 10**100 for name in part):
                    return True
                inner += part.values()
            elif isinstance(part, (list, tuple)):
                inner += part
        level, depth = [part for part in inner if isinstance(part, (Mapping, list, tuple))], depth + 1
    return bool(level)


def read_attributes(words: object) -> tuple[tuple[Attribute, ...] | None, list[Mistake]]:
    """The attributes of a mapping name → {role, hierarchy, levels, …}; None if there is nothing."""
    example = "for example {age: {role: quasi_identifier}}"
    if not isinstance(words, Mapping) or not words:
        return None, [Mistake("attributes", f"must be a mapping of columns, got {_got(words)}", example)]
    found, mistakes = [], []
    for name, spec in words.items():
        place = attribute_place(name)
        if not isinstance(name, str):
            mistakes.append(Mistake(place, f"a column's name must be text, got {shown(name)}", "put it in quotes"))
        if not isinstance(spec, Mapping):
            repair = "write {role: " + (str(spec) if spec in list(Role) else "quasi_identifier") + "}"
            mistakes.append(Mistake(place, f"must be a mapping, got {shown(spec)}", repair))
            role, spec = _role(spec, place)[0], {}
        else:
            unknown = [key for key in spec if key not in _OF_ATTRIBUTE]
            mistakes += [Mistake(f"{place}.{key}", "no such word", did_you_mean(key, _OF_ATTRIBUTE)) for key in unknown]
            if not isinstance(spec.get("decide"), str | None):
                rule = f"must be a text, got {shown(spec['decide'])}"
                mistakes.append(Mistake(f"{place}.decide", rule, "leave it out if there is nothing to decide"))
            role, mistake = _role(spec.get("role"), f"{place}.role")
            mistakes += [mistake] if mistake else []
        reading, wrong = column_reading(spec, place)
        mistakes += wrong
        decide = spec.get("decide")
        open_question = decide.strip() if isinstance(decide, str) else ""
        coarser, ranges = copied(spec.get("publish_as")), spec.get("ranges")
        hierarchy = copied(spec.get("hierarchy"))
        levels = copied(spec.get("levels"))
        found.append(Attribute(str(name), role, hierarchy, open_question, coarser, reading, ranges, levels))
    return tuple(found), mistakes


def _got(words: object) -> str:
    return "an empty one" if isinstance(words, (Mapping, list, tuple)) and not words else shown(words)


def _role(word: object, place: str) -> tuple[Role, Mistake | None]:
    """The role, or the likeliest one and a mistake: what follows is judged as if it had been mended."""
    if isinstance(word, str) and word in list(Role):
        return Role(word), None
    likely = Role(closest(word, list(Role)) or Role.QUASI_IDENTIFIER)
    rule = "is missing" if word is None else f"no such role {shown(word)}"
    repair = did_you_mean(word, [r.value for r in Role])
    return likely, Mistake(place, rule, repair)


def checked(values: Mapping[str, Any]) -> tuple[dict[str, Any], list[Mistake]]:
    """The values of a policy as they are meant, and all that is wrong with them.

    Attributes that are absent could not be read before; what depends on them is not judged.
    """
    found = dict(values)
    mistakes: list[Mistake] = []
    sensitive = None
    if "attributes" in values:
        attributes = found["attributes"] = tuple(values["attributes"])
        mistakes += _attribute_mistakes(attributes, values["folder"])
        sensitive = tuple(a.name for a in attributes if a.role == Role.SENSITIVE)
    found["private"] = copied(values.get("private"))
    private = found["private"] is not None
    found["require"], found["models"], wrong = _promises(values["require"], sensitive, values["folder"], private)
    mistakes += wrong
    about_reading, wrong = read_words({word: values.get(word) for word in OF_TABLE}, OF_TABLE)
    mistakes += wrong
    found |= {word: about_reading[word] or None for word in OF_TABLE}
    mistakes += reading_misfits(found) if not wrong else []
    found["private_rows"], wrong = read_private(found["private"], values["folder"], about_reading["encoding"])
    mistakes += wrong
    for name, check in _CHECKS.items():
        if name in values:
            found[name], mistake = check(values[name])
            mistakes += [mistake] if mistake else []
    for name, known in CHOICES.items():
        if values.get(name) is not None and values[name] not in known:
            mistakes.append(unknown_word(name, values[name], known))
    if found.get("csv") is not None and values.get("format") in ("parquet", "table"):
        mistakes.append(Mistake("csv", f"is of no use for format: {values['format']}", "leave it out"))
    promised = [word_of(model) for model in found["models"]]
    publish = values.get("publish", "generalization")
    found["search"], mistake = choose_search(publish, values.get("search"), promised)
    mistakes += [mistake] if mistake else []
    if sensitive is not None and not mistakes:  # else they could be about words that were only mistyped
        others = [a.name for a in found["attributes"] if a.role == Role.OTHER]
        suppressed = values.get("suppressed", "drop")
        mistakes += misfits(publish, found["search"], promised, sensitive, others, suppressed)
        mistakes += suppression_misfits(publish, found["models"], found.get("suppress"))
        mistakes += summary_misfits(found["search"], found.get("summary"), others)
        if found.get("summary") == STATISTICS and any(a.publish_as is not None for a in found["attributes"]):
            mistakes.append(NO_STATISTICS)
        mistakes += ranges_misfits(publish, found.get("ranges"), found["attributes"])
        mistakes += levels_misfits(publish, found["search"], found["attributes"])
        mistakes += threshold_misfits(publish, found["search"], found.get("threshold"), found.get("suppress"))
        mistakes += others_known_misfits(found["models"], found["search"])
        mistakes += _people_misfits(found["attributes"], found.get("one_row_per_person", False), found["models"])
        person = next((a.name for a in found["attributes"] if a.role == Role.PERSON), None)
        mistakes += chain_misfits(found["models"], found["search"], person, sensitive)
        wishes = [a.name for a in found["attributes"] if a.role == Role.WISHES]
        mistakes += wishes_misfits(found["models"], [(a, attribute_place(a)) for a in wishes], publish, found["search"])
        mistakes += several_populations(found["models"], str(located(values["folder"], str(found.get("source")))))
    return found, mistakes


def _attribute_mistakes(attributes: Sequence[Attribute], folder: Path) -> list[Mistake]:
    from discreet.hierarchies.words import check_words

    mistakes = [
        Mistake(attribute_place(name), f"is given {count} times", "keep one of them")
        for name, count in Counter(a.name for a in attributes).items()
        if count > 1
    ]
    if any(not a.name for a in attributes):
        mistakes.append(Mistake(attribute_place(""), "a column without a name", "give it one in the data"))
    for a in attributes:
        mistakes += word_mistakes(a.ranges, f"{attribute_place(a.name)}.ranges")
        mistakes += span_mistakes(a.levels, f"{attribute_place(a.name)}.levels")
        place = f"{attribute_place(a.name)}.hierarchy"
        mistakes += _publish_as_mistakes(a, folder)
        if a.hierarchy is None:
            continue
        if a.role in (Role.IDENTIFIER, Role.PERSON, Role.WISHES, Role.OTHER):
            fate = "published as it is" if a.role == Role.OTHER else "never published"
            repair = "leave it out, or give the attribute the role quasi_identifier"
            mistakes.append(Mistake(place, f"is of no use: an attribute with role {a.role} is {fate}", repair))
        if a.role == Role.SENSITIVE and isinstance(a.hierarchy, Mapping) and "quantiles" in a.hierarchy:
            rule = "quantiles follow the rows, including those left out, and a re-check has only the published ones"
            mistakes.append(Mistake(place, rule, "write cuts: [[…], …]"))
        if not callable(getattr(a.hierarchy, "to_words", None)):
            mistakes += check_words(a.hierarchy, place, folder)
    for role, says in ((Role.PERSON, "says whose row it is"), (Role.WISHES, "says what each wants hidden")):
        names = [a.name for a in attributes if a.role == role]
        if len(names) > 1:
            rule = f"several columns have the role {role}: {', '.join(shown(name) for name in names)}"
            repair = f"keep the one that {says}, and give the others the role identifier"
            mistakes.append(Mistake("attributes", rule, repair))
    if not any(a.role == Role.QUASI_IDENTIFIER for a in attributes):
        repair = "give the columns that others may know the role quasi_identifier"
        mistakes.append(Mistake("attributes", "there is no quasi-identifier", repair))
    return mistakes


def _publish_as_mistakes(a: Attribute, folder: Path) -> list[Mistake]:
    """What is wrong with what a column is to be published as."""
    from discreet.hierarchies.published_as import published_as

    if a.publish_as is None:
        return []
    place = f"{attribute_place(a.name)}.publish_as"
    mistakes = []
    if a.role == Role.QUASI_IDENTIFIER:
        rule = "is for sensitive and other columns: a quasi-identifier becomes as coarse as the promises need"
        mistakes.append(Mistake(place, rule, "write hierarchy: instead"))
    elif a.role not in (Role.SENSITIVE, Role.OTHER):
        rule = f"is of no use: an attribute with role {a.role} is never published"
        mistakes.append(Mistake(place, rule, "leave it out, or give the attribute the role sensitive or other"))
    try:
        published_as(a.publish_as, place, folder)
    except HierarchyError as error:
        mistakes += error.mistakes
    return mistakes


def _people_misfits(
    attributes: Sequence[Attribute], one_row_per_person: bool, models: Sequence[PrivacyModel]
) -> list[Mistake]:
    """A column says whose rows they are, or each is said to be another person's: not both."""
    person = next((a.name for a in attributes if a.role == Role.PERSON), None)
    if person is None:
        return []
    mistakes = []
    if one_row_per_person:
        rule = f"is of no use: {shown(person)} has the role person, and says whose rows they are"
        mistakes.append(Mistake("one_row_per_person", rule, "leave it out, or give the column the role identifier"))
    if any(map(asks_for_others, models)):
        rule = f"others_known judges parts of groups one by one, and by {shown(person)} people may have rows in several"
        mistakes.append(
            Mistake("require", rule, "leave others_known out, or give a table with one row for each person")
        )
    return mistakes


def _promises(
    entries: object, sensitive: tuple[str, ...] | None, folder: Path, private: bool
) -> tuple[tuple[object, ...], tuple[PrivacyModel, ...], list[Mistake]]:
    """The entries of `require`, the models they mean, and what is wrong with them."""
    from discreet.models.registry import model_from_words

    example = "for example [{k_anonymity: {k: 5}}]"
    if not isinstance(entries, (list, tuple)) or not entries:
        return (), (), [Mistake("require", f"must be a list of promises, got {_got(entries)}", example)]
    models: list[PrivacyModel] = []
    mistakes: list[Mistake] = []
    for i, entry in enumerate(entries):
        place = f"require[{i}]"
        if callable(getattr(entry, "holds", None)):
            models.append(entry)
            mistakes += _foreign_attribute(entry, place, sensitive or ()) + lacks_population(entry, place, private)
        elif not isinstance(entry, Mapping) or not entry:
            rule = f"must be a promise with its parameters, got {_got(entry)}"
            mistakes.append(Mistake(place, rule, "for example k_anonymity: {k: 5}"))
        elif len(entry) > 1:
            rule = f"must be one promise, got {', '.join(shown(word) for word in entry)}"
            repair = "give each promise its own dash, and indent its parameters below it"
            mistakes.append(Mistake(place, rule, repair))
        elif sensitive is not None:
            [(word, parameters)] = entry.items()
            built, wrong = model_from_words(word, parameters, f"{place}.{word}", sensitive, folder)
            models += built
            mistakes += wrong
            for model in built:
                mistakes += lacks_population(model, f"{place}.{word}", private)
    return tuple(copied(entry) for entry in entries), tuple(models), mistakes


def _foreign_attribute(model: PrivacyModel, place: str, sensitive: tuple[str, ...]) -> list[Mistake]:
    attribute = getattr(model, "attribute", None)
    if not attribute or attribute in sensitive:
        return []
    repair = did_you_mean(attribute, sensitive) if sensitive else "give a column the role sensitive"
    return [Mistake(place, f"protects {shown(attribute)}, which is not a sensitive attribute", repair)]


def _source(value: object) -> tuple[str | None, Mistake | None]:
    if value is None or (isinstance(value, (str, Path)) and str(value)):
        return (None if value is None else str(value)), None
    return None, Mistake("source", f"must be a path or an address, got {shown(value)}", "for example patients.csv")


def _yes_or_no(value: object) -> tuple[bool, Mistake | None]:
    if isinstance(value, bool):
        return value, None
    rule = f"must be true or false, got {shown(value)}"
    return False, Mistake("one_row_per_person", rule, "write one_row_per_person: true if every row is another person")


def _schema(value: object) -> tuple[str | None, Mistake | None]:
    if value is None or (isinstance(value, str) and value.strip() and len(value.encode()) <= 63 and "\0" not in value):
        return value, None
    rule = f"must be the name of a schema, at most 63 bytes, got {shown(value)}"
    return None, Mistake("schema", rule, "for example release_2026; leave it out for the name of the folder")


def _share(value: object) -> tuple[Fraction, Mistake | None]:
    """Exact: 0.02 is 1/50, so that a limit never tips over by rounding."""
    share = exact_number(value)
    if share is not None and 0 <= share <= 1:
        return share, None
    rule = f"must be a share of the rows between 0 and 1, got {shown(value)}"
    return Fraction(0), Mistake("suppress", rule, RULE if is_long(value) else "for 2% write 0.02")


def _seed(value: object) -> tuple[int | None, Mistake | None]:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if value is None or (whole and 0 <= value <= _MOST_SEED):  # type: ignore[operator]
        return value, None  # type: ignore[return-value]
    most = f" to {_MOST_SEED}" if whole and value > 0 else ""  # type: ignore[operator]
    rule = f"must be a whole number from 0{most}, got {shown(value)}"
    return None, Mistake("seed", rule, "leave it out for a random one")


def _seconds(value: object) -> tuple[float | None, Mistake | None]:
    if value is None:
        return None, None
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and 0 < value <= _MOST_SECONDS:  # type: ignore[operator]
        return float(value), None  # type: ignore[arg-type]
    most = f" and at most {_MOST_SECONDS:,}" if number and _MOST_SECONDS < value < math.inf else ""  # type: ignore[operator]
    rule = f"must be a number of seconds above 0{most}, got {shown(value)}"
    return None, Mistake("time_limit", rule, "leave it out for no limit")


def _summary(value: object) -> tuple[str | None, Mistake | None]:
    if value is None or (isinstance(value, (str, Path)) and str(value)):
        return (None if value is None else str(value)), None
    rule = f"must be {', '.join(SUMMARIES)}, or the file of a saved summary, got {shown(value)}"
    return None, Mistake("summary", rule, "leave it out for a network")


def _threshold(value: object) -> tuple[Fraction | None, Mistake | None]:
    if value is None:
        return None, None
    share = exact_number(value)
    if share is not None and 0 < share < 1:
        return share, None
    rule = f"must be a probability above 0 and below 1, got {shown(value)}"
    return None, Mistake("threshold", rule, RULE if is_long(value) else "leave it out for the usual one")


def _csv(value: object) -> tuple[dict[str, str] | None, Mistake | None]:
    """What is done with texts that a spreadsheet would run as formulas; None: they are published as they are."""
    if value is None or value == {"formulas": "keep"}:
        return None, None
    if value == {"formulas": "escape"}:
        return {"formulas": "escape"}, None
    rule = f"must be {{formulas: escape}} or {{formulas: keep}}, got {shown(value)}"
    return None, Mistake("csv", rule, "leave it out to publish every text as it is")


_CHECKS: Mapping[str, Callable[[object], tuple[object, Mistake | None]]] = {
    "source": _source,
    "csv": _csv,
    "schema": _schema,
    "suppress": _share,
    "seed": _seed,
    "time_limit": _seconds,
    "summary": _summary,
    "threshold": _threshold,
    "one_row_per_person": _yes_or_no,
}


def checked_word(name: str, value: object) -> Mistake | None:
    """What is wrong with the value of a word by itself.

    >>> checked_word("suppress", 0.02), str(checked_word("suppress", "2%"))
    (None, "suppress: must be a share of the rows between 0 and 1, got '2%'; for 2% write 0.02")
    """
    return _CHECKS[name](value)[1]
