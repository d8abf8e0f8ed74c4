"""The parameters of a promise: what each may be, said once for Python, policies and messages.

A promise rests on its thresholds, so they are exact: 0.2 means one fifth, not the nearest binary number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from discreet.errors import Mistake, PolicyError, did_you_mean, shown
from discreet.files.numbers import MOST_ROWS, RULE, exact_number, is_long

Threshold = Fraction | float | str  # what a user may write: 0.2, "0.2", "1/3", Fraction(1, 3)


class Wrong(Exception):
    """A value that a parameter can't have: the rule and the repair, without the place."""

    def __init__(self, rule: str, repair: str = ""):
        self.rule, self.repair = rule, repair
        super().__init__(rule)


@dataclass(frozen=True)
class Whole:
    """A whole number of at least `least`; `why` says what a smaller one would mean. No table has more than `most`."""

    least: int
    why: str
    most: int = MOST_ROWS

    def read(self, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise Wrong(f"must be a whole number, got {shown(value)}", f"write a number of at least {self.least}")
        if value < self.least:
            raise Wrong(f"must be at least {self.least}, got {shown(value)}", self.why)
        if value > self.most:
            raise Wrong(f"must be at most {self.most:,}, got {shown(value)}", "no table has so many rows")
        return value


@dataclass(frozen=True)
class Number:
    """A number above `above` (or equal to it, where `closed`), below `below` and up to `most`."""

    above: int
    below: int | None = None
    closed: bool = False
    why: str = ""
    most: int | None = None

    def read(self, value: object) -> Fraction:
        number = exact_number(value)
        if number is None:
            repair = RULE if is_long(value) else f"write a number {self._range()}"
            raise Wrong(f"must be a number, got {shown(value)}", repair)
        low = number >= self.above if self.closed else number > self.above
        high = (self.below is None or number < self.below) and (self.most is None or number <= self.most)
        if not low or not high:
            raise Wrong(f"must be {self._range()}, got {as_text(number)}", self.why)
        if number > MOST_ROWS:
            raise Wrong(f"must be at most {MOST_ROWS:,}, got {as_text(number)}", "no table has so many rows")
        return number

    def _range(self) -> str:
        low = f"at least {self.above}" if self.closed else f"above {self.above}"
        below = "" if self.below is None else f" and below {self.below}"
        return low + below + ("" if self.most is None else f" and at most {self.most}")


@dataclass(frozen=True)
class Interval:
    """A pair [least, most] of probabilities that says something: not [0, 1]."""

    def read(self, value: object) -> tuple[Fraction, Fraction]:
        example = "for example [0, 0.1]"
        if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 2:
            raise Wrong(f"must be a pair [least, most] of probabilities, got {shown(value)}", example)
        try:
            low, high = (Number(0, closed=True).read(v) for v in value)
        except Wrong as wrong:
            raise Wrong(f"must be a pair of probabilities: {wrong.rule}", example) from None
        pair = f"[{as_text(low)}, {as_text(high)}]"
        if not low <= high <= 1:
            raise Wrong(f"must rise, and end at 1 at most, got {pair}", example)
        if low == 0 and high == 1:
            raise Wrong(f"must leave something out, got {pair}", "every probability is between 0 and 1")
        return low, high


@dataclass(frozen=True)
class Choice:
    """One of some words; the first is taken where none is given."""

    options: tuple[str, ...]

    def read(self, value: object) -> str:
        if not isinstance(value, str) or value not in self.options:
            raise Wrong(
                f"must be one of {', '.join(self.options)}, got {shown(value)}", did_you_mean(value, self.options)
            )
        return value


@dataclass(frozen=True)
class Name:
    """The name of a sensitive attribute."""

    def read(self, value: object) -> str:
        if not isinstance(value, str) or not value:
            raise Wrong(f"must be the name of a sensitive attribute, got {shown(value)}")
        return value


Parameter = Whole | Number | Interval | Choice | Name


def read_parameters(
    place: str, parameters: Mapping[str, Parameter], given: Mapping[str, object]
) -> tuple[dict[str, Any], list[Mistake]]:
    """Every given parameter as an exact value, and everything that is wrong with them.

    >>> read_parameters("alpha_k", {"alpha": Number(0, 1), "k": Whole(2, "")}, {"alpha": 0.3, "k": 1})
    ({'alpha': Fraction(3, 10)}, [Mistake(place='alpha_k.k', rule='must be at least 2, got 1', repair='')])
    """
    values: dict[str, Any] = {}
    mistakes = []
    for name, value in given.items():
        try:
            values[name] = parameters[name].read(value)
        except Wrong as wrong:
            mistakes.append(Mistake(f"{place}.{name}", wrong.rule, wrong.repair))
    return values, mistakes


class Parameterized:
    """What all models share: their parameters are checked when they are made, and written back as words."""

    word: ClassVar[str]
    fixed: ClassVar[tuple[tuple[str, object], ...]] = ()  # words that the kind of model itself stands for
    parameters: ClassVar[Mapping[str, Parameter]]

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in self.parameters}
        values, mistakes = read_parameters(self.word, self.parameters, given)
        if mistakes:
            raise PolicyError(*mistakes)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def to_words(self) -> dict[str, dict[str, object]]:
        given = {name: as_word(getattr(self, name)) for name in self.parameters}
        return {self.word: given | dict(self.fixed)}


def exact(number: Threshold) -> Fraction:
    """A threshold as the fraction it was written as.

    >>> exact(0.2), exact("1/3")
    (Fraction(1, 5), Fraction(1, 3))
    """
    if isinstance(number, Fraction):
        return number
    found = exact_number(number)
    if found is None:
        raise PolicyError(Mistake("number", f"must be a number, got {shown(number)}", RULE))
    return found


def as_word(value: object) -> object:
    """A parameter as it is written in a policy: a plain number if that says it exactly, else text."""
    if isinstance(value, tuple):
        return [as_word(v) for v in value]
    if not isinstance(value, Fraction):
        return value
    if value.denominator == 1:
        return int(value)
    return float(value) if Fraction(str(float(value))) == value else str(value)


def as_text(number: Threshold) -> str:
    """A threshold for messages.

    >>> as_text(0.25), as_text("3.0"), as_text("1/3")
    ('0.25', '3', '1/3')
    """
    return str(as_word(exact(number)))
