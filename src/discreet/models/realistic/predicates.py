"""Sensitive predicates: what nobody should learn about a person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray
from discreet.counts.groups import Tally
from discreet.errors import SHOWN, Mistake, PolicyError, did_you_mean, shown
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.models.realistic.priors import Prior


@dataclass(frozen=True)
class Predicate:
    """ "The value is one of these", or (`negated`) "is none of these".

    >>> print(Predicate(("ulcer", "dyspepsia")), Predicate(("cancer",), negated=True))
    is in {ulcer, dyspepsia} is not cancer
    """

    values: tuple[Value, ...]
    negated: bool = False

    def __post_init__(self) -> None:
        values = (self.values,) if isinstance(self.values, str) or self.values is None else tuple(self.values)
        if not values:
            raise PolicyError(Mistake("predicates", "a predicate without values", "name one value or more"))
        object.__setattr__(self, "values", tuple(dict.fromkeys(values)))

    def __str__(self) -> str:
        names = ["NULL" if value is None else value for value in self.values]
        if len(names) == 1:
            return f"is not {names[0]}" if self.negated else f"is {names[0]}"
        return f"is {'not ' if self.negated else ''}in {{{', '.join(names)}}}"

    def share(self, prior: Prior, t: Tally) -> Fraction:
        """What the prior says of it. A Dirichlet prior of values is one of sets of them, parameters added."""
        inside = sum((prior.share(t, value) for value in self.values), Fraction(0))
        return 1 - inside if self.negated else inside

    def to_words(self) -> object:
        values = self.values[0] if len(self.values) == 1 and self.values[0] is not None else list(self.values)
        return {"not": values} if self.negated else values


@dataclass(frozen=True)
class Predicates:
    """What is protected: every single value, or the listed predicates, or both.

    Everybody is protected against all of them. Wishes of single persons are put together (`of_people`): that protects
    each person at least as she asked, and what is published can't depend on who asked for what.
    """

    listed: tuple[Predicate, ...] = ()
    each_value: bool = True

    def __post_init__(self) -> None:
        if not self.listed and not self.each_value:
            raise PolicyError(Mistake("predicates", "protect nothing", "list one, or leave them out for every value"))
        object.__setattr__(self, "listed", tuple(dict.fromkeys(self.listed)))

    @classmethod
    def of(cls, *listed: Predicate | Value | Iterable[Value]) -> Predicates:
        """These alone: a text is one value, a list a set of values.

        >>> [str(p) for p in Predicates.of("flu", ["ulcer", "dyspepsia"]).listed]
        ['is flu', 'is in {ulcer, dyspepsia}']
        """
        return cls(tuple(p if isinstance(p, Predicate) else Predicate(p) for p in listed), each_value=False)  # type: ignore[arg-type]

    @classmethod
    def of_people(cls, wishes: Iterable[Predicates]) -> Predicates:
        """What each of some people wants protected, protected for all.

        The adversary can't tell the people of a group apart, so a group is private for all of them if it is for every
        predicate that one of them has.
        """
        wishes = list(wishes)
        return cls(tuple(p for wish in wishes for p in wish.listed), any(wish.each_value for wish in wishes))

    def misfits(self, hierarchy: Hierarchy, place: str) -> list[Mistake]:
        """Values that the column does not have: nothing would be protected by naming them."""
        names = ["NULL" if leaf is None else leaf for leaf in hierarchy.leaves]
        values = dict.fromkeys(value for p in self.listed for value in p.values if value not in hierarchy.index)
        return [
            Mistake(
                f"{place}.predicates", f"{hierarchy.attribute} has no value {shown(value)}", did_you_mean(value, names)
            )
            for value in islice(values, SHOWN)
        ]

    def to_words(self) -> list[object]:
        words = [p.to_words() for p in self.listed]
        return [{"each": True}, *words] if self.each_value else words


EACH_VALUE = Predicates()


@lru_cache(maxsize=64)
def membership(listed: tuple[Predicate, ...], hierarchy: Hierarchy) -> tuple[IntArray, Codes, BoolArray]:
    """For each value the listed predicates that name it, as slices ``starts[v]:starts[v + 1]``; which are negated."""
    naming: list[list[int]] = [[] for _ in hierarchy.leaves]
    for number, predicate in enumerate(listed):
        for value in predicate.values:
            if value in hierarchy.index:
                naming[hierarchy.index[value]].append(number)
    starts = np.cumsum([0, *map(len, naming)], dtype=np.int64)
    numbers = np.array([number for of_value in naming for number in of_value], dtype=np.int32)
    return starts, numbers, np.array([p.negated for p in listed], dtype=np.bool_)
