"""The promises of a policy, entry by entry: the models that each stands for, and what can be moved in it.

A parameter is described for a slider by what its model says of it (`models/parameters.py`), so outsiders' promises
have sliders, too. Where a table bounds what makes sense (no k above its rows), so does the slider.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.counts.frequency import FrequencySet
from discreet.files.numbers import exact_number
from discreet.models.base import PrivacyModel
from discreet.models.parameters import Choice, Interval, Number, Whole, as_word
from discreet.models.promise import Promise
from discreet.models.registry import MODELS, model_from_words, word_of
from discreet.policy.policy import Policy

Path = tuple[str | int, ...]
_NOT_MOVED = ("attribute", "population", "marginals", "pairs", "size", "prior", "known", "others_known")
_TITLES = {
    "k": "how many look alike (k)",
    "l": "how many values (l)",
    "t": "largest distance (t)",
    "alpha": "largest share (alpha)",
    "beta": "largest gain (beta)",
    "epsilon": "largest factor (epsilon)",
    "delta": "largest chance (delta)",
    "r": "one in how many (r)",
    "c": "times the others (c)",
    "stubbornness": "how many people her belief rests on",
    "confidence": "how sure",
    "margin": "how far off counts may be (margin)",
    "min_support": "fewest rows of a kind",
}
_OWN_TITLES = {
    ("delta_disclosure", "delta"): "largest change, as a logarithm (delta)",
    ("ambiguity", "alpha"): "largest chance of being found (alpha)",
    ("ambiguity", "beta"): "largest chance of a value (beta)",
}


@dataclass(frozen=True)
class Slider:
    """A number of the policy that can be moved: where it stands, and between which values it makes sense."""

    name: str
    title: str
    path: Path
    value: Fraction
    low: Fraction
    high: Fraction
    step: Fraction
    whole: bool

    def place(self, steps: int) -> object:
        """The value so many steps from where it is, as it is written in a policy; kept within the range."""
        return as_word(min(max(self.value + steps * self.step, self.low), self.high))

    @property
    def below(self) -> int:
        """How many steps there are to the low end."""
        return _steps(self.value - self.low, self.step)

    @property
    def above(self) -> int:
        """How many steps there are to the high end."""
        return _steps(self.high - self.value, self.step)

    def words(self) -> dict[str, Any]:
        """What the page reads."""
        value, low, high, step = (plain_number(n) for n in (self.value, self.low, self.high, self.step))
        return {
            "name": self.name,
            "title": self.title,
            "path": list(self.path),
            "value": value,
            "min": low,
            "max": high,
            "step": step,
            "text": None,
        }


@dataclass(frozen=True)
class Entry:
    """One entry of `require`: its number there, its word and parameters, and the models that it stands for."""

    number: int
    word: str
    given: Mapping[str, Any]
    models: tuple[PrivacyModel, ...]

    @property
    def id(self) -> str:
        """A name that no other entry has."""
        return f"{self.word}-{self.number}"

    @property
    def path(self) -> Path:
        """Where its parameters stand in the policy."""
        return ("require", self.number, self.word)

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters in words, also those that nobody wrote; whose attribute it is only if somebody did."""
        own: dict[str, Any] = dict(self.models[0].to_words()[self.word] or {}) if self.models else {}
        if "attribute" not in self.given:
            own.pop("attribute", None)
        return own | dict(self.given)


def entries_of(policy: Policy, require: Sequence[object] | None = None) -> tuple[Entry, ...]:
    """The entries of a policy with their models, or of another list of promises about the same columns."""
    made = []
    for number, entry in enumerate(policy.require if require is None else require):
        if isinstance(entry, Mapping):
            [(word, given)] = entry.items()
            models, _ = model_from_words(word, given, "require", policy.sensitive, policy.folder)
            made.append(Entry(number, str(word), given if isinstance(given, Mapping) else {}, tuple(models)))
        else:
            word = word_of(entry)  # type: ignore[arg-type]
            made.append(Entry(number, word, dict(entry.to_words()[word] or {}), (entry,)))  # type: ignore[attr-defined, arg-type]
    return tuple(made)


def bound_to(entries: Sequence[Entry], models: Sequence[PrivacyModel]) -> list[tuple[Entry, tuple[PrivacyModel, ...]]]:
    """Each entry with its part of the models of all: those of a plan may know more (`with_wishes`)."""
    pairs, at = [], 0
    for entry in entries:
        pairs.append((entry, tuple(models[at : at + len(entry.models)])))
        at += len(entry.models)
    assert at == len(models), "every model comes of an entry"
    return pairs


def sliders(entry: Entry, frequency: FrequencySet, sensitive: Sequence[str]) -> list[Slider]:
    """What can be moved in an entry: every number of it, and the upper end of a pair."""
    made = []
    for name, written in entry.parameters.items():
        if name in _NOT_MOVED or not entry.models:
            continue
        path, value = (*entry.path, name), written
        constraint = _constraint(entry.models[0], name)
        if isinstance(constraint, Interval) or _is_pair(written):
            path, value, constraint = (*path, 1), written[1], Number(0, most=1)
        number = exact_number(value)
        if number is None:
            continue
        low, high, step = _range(name, number, constraint, entry, frequency, sensitive)
        whole = isinstance(constraint, Whole)
        made.append(Slider(name, title_of(entry.word, name), path, number, low, high, step, whole))
    return made


def slider_at(policy: Policy, frequency: FrequencySet, path: Sequence[object]) -> Slider | None:
    """What stands at a path of the policy, if it is something to move."""
    wanted = [str(step) for step in path]
    if wanted == ["suppress"]:
        return suppression(policy)
    for entry in entries_of(policy):
        for slider in sliders(entry, frequency, policy.sensitive):
            if [str(step) for step in slider.path] == wanted:
                return slider
    return None


def suppression(policy: Policy) -> Slider:
    """How many may be left out, as a share."""
    step = Fraction(1, 200)
    return Slider("suppress", "at most left out", ("suppress",), policy.suppress, Fraction(0), Fraction(1), step, False)


def choices(entry: Entry, sensitive: Sequence[str]) -> list[dict[str, Any]]:
    """What can be chosen in an entry: a word among few, and the column that it is about."""
    if not entry.models:
        return []
    promise: Promise | None = MODELS.get(entry.word)
    made, parameters = [], entry.parameters
    for name, written in parameters.items():
        if name in _NOT_MOVED or not isinstance(written, str) or exact_number(written) is not None:
            continue
        constraint = _constraint(entry.models[0], name)
        options = (
            list(constraint.options) if isinstance(constraint, Choice) else _in_examples(promise, name, parameters)
        )
        if len(options) > 1 and written in options:
            made.append(_choice(name, (*entry.path, name), written, [(o, o) for o in options]))
    about = {model.attribute for model in entry.models if model.attribute}
    if about and len(sensitive) > 1:
        every: list[tuple[str | None, str]] = [(None, "each secret by itself")]
        options_of = [*every, *((name, name) for name in sensitive)]
        made.append(_choice("attribute", (*entry.path, "attribute"), entry.given.get("attribute"), options_of))
    return made


def title_of(word: str, name: str) -> str:
    """What a parameter is called."""
    return _OWN_TITLES.get((word, name)) or _TITLES.get(name) or name.replace("_", " ")


def _choice(name: str, path: Path, value: object, options: Sequence[tuple[str | None, str]]) -> dict[str, Any]:
    title = "which secret" if name == "attribute" else name.replace("_", " ")
    return {"name": name, "title": title, "path": list(path), "value": value, "choices": [list(o) for o in options]}


def _in_examples(promise: Promise | None, name: str, parameters: Mapping[str, object]) -> list[str]:
    """The words that a promise's examples have at this place, of those with the same parameters."""
    own = parameters.keys() - {"attribute"}
    of_examples = [e for e in (promise.examples if promise else ()) if e.keys() == own]
    return list(dict.fromkeys(str(e[name]) for e in of_examples if isinstance(e[name], str)))


def _constraint(model: PrivacyModel, name: str) -> object:
    """What a model says of a parameter, or the adversary that it is about."""
    inside = getattr(model, "model", None)  # of one that is promised to whoever knows other values
    for speaker in (model, getattr(model, "adversary", None), inside):
        parameters = getattr(speaker, "parameters", None)
        if isinstance(parameters, Mapping) and name in parameters:
            return parameters[name]
    return None


def _range(
    name: str,
    value: Fraction,
    constraint: object,
    entry: Entry,
    frequency: FrequencySet,
    sensitive: Sequence[str],
) -> tuple[Fraction, Fraction, Fraction]:
    """Between which values a slider goes, and in which steps. The value itself is always among them."""
    rows = max(frequency.people, 1)
    if isinstance(constraint, Whole):
        low, high = constraint.least, min(max(20, rows // 10), 1000, constraint.most)
        if name == "l":
            high = _values(entry, frequency, sensitive)
        return min(Fraction(low), value), max(Fraction(max(high, low + 1)), value), Fraction(1)
    above, closed, most, below = Fraction(0), False, None, None
    if isinstance(constraint, Number):
        above, closed, most, below = Fraction(constraint.above), constraint.closed, constraint.most, constraint.below
    if name == "l":
        most = _values(entry, frequency, sensitive) if most is None else most
    elif name in ("alpha", "confidence") and most is None and below is None:
        most = 1
    open_end = most is None and below is not None
    top = Fraction(below) if open_end and below is not None else max(Fraction(10), 10 * value)
    top = top if most is None else Fraction(most)
    step = Fraction(1, 100) if top - above <= 2 else Fraction(1, 10) if top - above <= 100 else Fraction(1)
    low_end = above if closed else above + step
    high_end = top - step if open_end else top
    return min(low_end, value), max(high_end, value, low_end + step), step


def _values(entry: Entry, frequency: FrequencySet, sensitive: Sequence[str]) -> int:
    """How many different values the columns have that an entry is about, at least."""
    names = [model.attribute for model in entry.models if model.attribute in frequency.totals] or list(sensitive)
    return max(min((int((frequency.totals[name] > 0).sum()) for name in names), default=2), 2)


def _is_pair(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(exact_number(v) is not None for v in value)


def _steps(distance: Fraction, step: Fraction) -> int:
    """How many steps it takes, the last perhaps a shorter one."""
    return max(-(-distance // step), 0)


def plain_number(number: Fraction) -> int | float:
    """A number as JSON has it."""
    return int(number) if number.denominator == 1 else float(number)
