"""What can be wrong with the parameters of a promise that a release is said to keep."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.audit.promises.registry import of_others, reading_of
from discreet.errors import Mistake, did_you_mean, shown
from discreet.files.numbers import exact_number

# Of a promise about values: it also holds for whoever knows somebody's other sensitive values (see `beside_others`).
OTHERS_KNOWN = "others_known"
# What is wrong with a value: it, its place, and the quasi-identifiers of the release.
Check = Callable[[Any, str, Sequence[str]], Iterator[Mistake]]


def anything(value: Any, place: str, quasi_identifiers: Sequence[str]) -> Iterator[Mistake]:
    """Whatever it is, the audit does not use it."""
    yield from ()


@dataclass(frozen=True)
class Parameter:
    """A parameter that a promise may have.

    `needed` says whether it must be there, or when, by the other parameters. `number`: in a description, which somebody
    writes by hand, it must be a number above 0, whether or not the audit uses it.
    """

    check: Check = anything
    needed: bool | Callable[[Mapping[str, Any]], bool] = False
    number: bool = False

    def is_needed(self, parameters: Mapping[str, Any]) -> bool:
        return self.needed(parameters) if callable(self.needed) else self.needed


def promise_mistakes(
    model: str, parameters: Mapping[str, Any], place: str, quasi_identifiers: Sequence[str]
) -> list[Mistake]:
    """Everything that keeps a promise from being judged; nothing, if nobody knows how to.

    >>> for mistake in promise_mistakes("l_diversity", {"l": 2, "kind": "recursive"}, "l_diversity", ()):
    ...     print(mistake)
    l_diversity: needs c; e.g. {l_diversity: {c: …}}
    """
    reading = reading_of(model)
    if reading is None:
        return []
    known = reading.parameters

    def mistakes() -> list[Mistake]:
        needed = (word for word, parameter in known.items() if parameter.is_needed(parameters))
        return [
            *(
                Mistake(place, f"needs {word}", f"e.g. {{{model}: {{{word}: …}}}}")
                for word in needed
                if parameters.get(word) is None
            ),
            *(
                mistake
                for word, parameter in known.items()
                if word in parameters
                for mistake in parameter.check(parameters[word], f"{place}.{word}", quasi_identifiers)
            ),
        ]

    return of_others(reading, mistakes, lambda _: [])  # what can't be checked can't be judged, which is told then


def above_zero(value: Any, place: str, quasi_identifiers: Sequence[str]) -> Iterator[Mistake]:
    """A number above 0, if it is there at all."""
    if value is not None and (exact_number(value) or Fraction(0)) <= 0:
        yield Mistake(place, f"must be a number above 0, got {shown(value)}")


def whole(value: Any, place: str, quasi_identifiers: Sequence[str]) -> Iterator[Mistake]:
    """A whole number from 0."""
    number = exact_number(value)
    if number is None or number < 0 or number.denominator != 1:
        yield Mistake(place, f"must be a whole number from 0, got {shown(value)}")


def two_shares(value: Any, place: str, quasi_identifiers: Sequence[str]) -> Iterator[Mistake]:
    """A range of shares.

    >>> list(two_shares([0, "0.1"], "delta", ())), len(list(two_shares([0.5, 0.1], "delta", ())))
    ([], 1)
    """
    bounds = [exact_number(bound) for bound in value] if isinstance(value, list | tuple) else []
    low, high = bounds if len(bounds) == 2 else (None, None)
    if value is not None and (low is None or high is None or not 0 <= low <= high <= 1):
        yield Mistake(place, f"must be two shares, got {shown(value)}", "write [0, 0.1]")


def one_of(*known: str) -> Check:
    """One of some words."""

    def check(value: Any, place: str, quasi_identifiers: Sequence[str]) -> Iterator[Mistake]:
        if value not in known:
            yield Mistake(place, f"no such word {shown(value)}", did_you_mean(value, known))

    return check


def number(*, needed: bool | Callable[[Mapping[str, Any]], bool] = True) -> Parameter:
    """A number above 0 that the promise rests on."""
    return Parameter(above_zero, needed, number=True)
