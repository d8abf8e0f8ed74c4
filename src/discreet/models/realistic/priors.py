"""Priors: what an adversary believes about the sensitive values before she sees the release.

Only the shape is said here, a share for every value. How much data stands behind it is the adversary's stubbornness.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from discreet.arrays import FloatArray
from discreet.counts.groups import Tally
from discreet.errors import Mistake, PolicyError, offenders, shown
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.models.parameters import Number, Whole, Wrong, as_text, as_word

_SHARE = Number(0, closed=True)
_COUNT = Whole(0, "nobody is counted less than 0 times")
_ROUNDING = Fraction(1, 100)  # shares written with few digits need not add up to 1 exactly

Pairs = tuple[tuple[Value, Fraction], ...]


class Prior(Protocol):
    """The shape of a belief: a share for every value of a sensitive attribute."""

    def shares(self, t: Tally) -> tuple[FloatArray, FloatArray]:
        """The share of each value, and that of all others together (rounded separately: neither is 1 − the other)."""

    def share(self, t: Tally, value: Value) -> Fraction:
        """The share of one value, exactly."""

    def lists(self, value: Value) -> bool:
        """Does the prior speak of this value at all?"""

    def to_words(self) -> object:
        """The prior in the words of a policy; nothing that lies in another file."""


@dataclass(frozen=True)
class TablePrior:
    """She knows the shares of the table itself (with the rows that will be suppressed), as t-closeness assumes."""

    def shares(self, t: Tally) -> tuple[FloatArray, FloatArray]:
        rows = max(int(t.reference.sum()), 1)
        return t.reference / rows, (rows - t.reference) / rows

    def share(self, t: Tally, value: Value) -> Fraction:
        code = t.hierarchy.index.get(value)
        return Fraction(0) if code is None else Fraction(int(t.reference[code]), max(int(t.reference.sum()), 1))

    def lists(self, value: Value) -> bool:
        return True

    def to_words(self) -> object:
        return "table"


@dataclass(frozen=True)
class UniformPrior:
    """She takes all values for equally likely: those that the table has, as in ℓ-diversity.

    Values that only a hierarchy knows do not count, as a re-check of the release may not know them.
    """

    def shares(self, t: Tally) -> tuple[FloatArray, FloatArray]:
        there = t.reference > 0
        values = max(int(there.sum()), 1)
        return there / values, (values - there) / values

    def share(self, t: Tally, value: Value) -> Fraction:
        code, values = t.hierarchy.index.get(value), int(np.count_nonzero(t.reference))
        return Fraction(0) if code is None or not t.reference[code] else Fraction(1, values)

    def lists(self, value: Value) -> bool:
        return True

    def to_words(self) -> object:
        return "uniform"


TABLE = TablePrior()
UNIFORM = UniformPrior()


class _Listed:
    """What is written out value by value: coded once per column."""

    listed: Any

    def shares(self, t: Tally) -> tuple[FloatArray, FloatArray]:
        coded = self._coded.get(t.hierarchy)
        if coded is None:
            exactly = [self._by_value.get(leaf, Fraction(0)) for leaf in t.hierarchy.leaves]
            coded = np.array([float(p) for p in exactly]), np.array([float(1 - p) for p in exactly])
            self._coded[t.hierarchy] = coded
        return coded

    def share(self, t: Tally, value: Value) -> Fraction:
        return self._by_value.get(value, Fraction(0))

    def lists(self, value: Value) -> bool:
        return value in self._by_value

    def _weights(self) -> Pairs:
        return tuple(self.listed)

    @cached_property
    def _by_value(self) -> dict[Value, Fraction]:
        weights = dict(self._weights())
        total = sum(weights.values(), Fraction(0))
        return {value: weight / total for value, weight in weights.items()}

    @cached_property
    def _coded(self) -> WeakKeyDictionary[Hierarchy, tuple[FloatArray, FloatArray]]:
        return WeakKeyDictionary()


@dataclass(frozen=True)
class SharesPrior(_Listed):
    """She believes in these shares. They may be rounded, so they are divided by their sum, which must be near 1.

    A value that is not listed has no share: nothing about it can be private, as she holds it for impossible.

    >>> SharesPrior({"flu": 0.4, "cancer": 0.6}).to_words()
    {'shares': [['flu', 0.4], ['cancer', 0.6]]}
    """

    listed: Any  # a mapping, or pairs; kept as pairs of a value and an exact number

    def __post_init__(self) -> None:
        pairs, mistakes = read_pairs(self.listed, _SHARE, "prior")
        total = sum((share for _, share in pairs), Fraction(0))
        if not mistakes and abs(total - 1) > _ROUNDING:
            rule = f"must add up to 1, these add up to {as_text(round(total, 6))}"
            mistakes.append(Mistake("prior", rule, "give every value its share"))
        if mistakes:
            raise PolicyError(*mistakes)
        object.__setattr__(self, "listed", pairs)

    def to_words(self) -> object:
        return {"shares": [[value, as_word(share)] for value, share in self.listed]}


@dataclass(frozen=True)
class CountsPrior(_Listed):
    """She has seen other data with this many people of each value: σ(s) = count(s) + 1.

    Before that all shapes were equally likely to her, D(1, …, 1). A value that nobody had is listed with 0.

    >>> prior = CountsPrior({"flu": 11999, "cancer": 17999})
    >>> prior.stubbornness, prior.to_words()
    (30000, {'counts': [['flu', 11999], ['cancer', 17999]]})
    """

    listed: Any  # a mapping, or pairs; kept as pairs of a value and a whole number

    def __post_init__(self) -> None:
        pairs, mistakes = read_pairs(self.listed, _COUNT, "prior")
        if mistakes:
            raise PolicyError(*mistakes)
        object.__setattr__(self, "listed", pairs)

    @property
    def stubbornness(self) -> int:
        """How much the data weigh: σ = Σ (count + 1)."""
        return int(sum(weight for _, weight in self._weights()))

    def to_words(self) -> object:
        return {"counts": [[value, int(count)] for value, count in self.listed]}

    def _weights(self) -> Pairs:
        return tuple((value, count + 1) for value, count in self.listed)


def read_pairs(listed: object, number: Number | Whole, place: str) -> tuple[Pairs, list[Mistake]]:
    """The (value, number) pairs of a mapping or a list, and everything that is wrong with them."""
    pairs: list[tuple[Value, Fraction]] = []
    mistakes = []
    items = listed.items() if isinstance(listed, Mapping) else listed
    if not isinstance(items, Iterable) or isinstance(items, str):
        return (), [
            Mistake(place, f"must have a number for each value, got {shown(listed)}", "write {flu: 0.4, cold: 0.6}")
        ]
    values: set[Value] = set()
    for item in items:
        if not isinstance(item, tuple | list) or len(item) != 2:
            mistakes.append(Mistake(place, "must be pairs of a value and a number", "write [[flu, 0.4], [cold, 0.6]]"))
            continue
        value, share = item
        name = "NULL" if value is None else value if isinstance(value, str) else shown(value)
        if value is not None and not isinstance(value, str):
            mistakes.append(Mistake(f"{place}.{name}", "a value must be text", f'put it in quotes: "{name}"'))
        elif value in values:
            mistakes.append(Mistake(f"{place}.{name}", "is given twice", "keep one of them"))
        else:
            values.add(value)
            try:
                pairs.append((value, Fraction(number.read(share))))
            except Wrong as wrong:
                mistakes.append(Mistake(f"{place}.{name}", wrong.rule, wrong.repair))
    if not pairs and not mistakes:
        mistakes.append(Mistake(place, "lists no values", "give a number for each value"))
    return tuple(pairs), mistakes


def unlisted(prior: Prior, t_values: Iterable[Value], place: str) -> list[Mistake]:
    """A mistake if the table has values that the prior does not speak of."""
    missing = [value for value in t_values if not prior.lists(value)]
    if not missing:
        return []
    rule = (
        f"says nothing about {offenders(missing)}, so nothing about {'it' if len(missing) == 1 else 'them'} is private"
    )
    return [Mistake(place, rule, "give every value of the column a share, or a count of 0 if nobody had it")]
