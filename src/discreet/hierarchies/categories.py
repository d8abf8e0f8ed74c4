"""Rules for values without an order of their own: categories and codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from discreet.errors import HierarchyError, Mistake, offenders
from discreet.hierarchies.base import BranchingRule, too_many_levels
from discreet.hierarchies.hierarchy import Value
from discreet.hierarchies.numbers import parse

LONGEST = 1000  # characters of a code


@dataclass(frozen=True)
class Flat(BranchingRule):
    """A value is itself or ``*``.

    Leaves are sorted: numbers by their size, then all other texts, then the empty string and NULL.

    With `sets`, a search that gives groups values of their own may also publish neighbours together, ``{a, b}``.

    >>> sorted(["10", "9", "low", None], key=Flat().order)
    ['9', '10', 'low', None]
    """

    sets: bool = False
    ordered = False
    between = 0

    @property
    def ranges(self) -> bool:
        return self.sets

    def _climb(self, value: str) -> tuple[Value, ...]:
        return ()

    def _rank(self, value: str) -> tuple[object, ...]:
        exact = parse(value)
        return (1, value) if exact is None else (0, exact, len(value), value)

    def to_words(self) -> object:
        return {"flat": True, "sets": True} if self.sets else {"flat": True}


@dataclass(frozen=True)
class Prefixes(BranchingRule):
    """Codes keep their first characters, fewer on each level; a ``*`` stands for each of the others.

    A code that is no longer than what is kept stays as it is. Codes of different length stay apart up to the last
    level, since the mask shows how long they are.

    >>> Prefixes((4, 2)).path("47906"), Prefixes((4, 2)).path("479")
    (('4790*', '47***'), ('479', '47*'))
    """

    lengths: tuple[int, ...]
    ordered = ranges = False

    def __post_init__(self) -> None:
        lengths = self.lengths
        repair = "e.g. [4, 3, 2]"
        if not isinstance(lengths, Sequence) or isinstance(lengths, str | bytes) or not lengths:
            raise HierarchyError(Mistake("prefixes", "needs a list of lengths", repair))
        wrong = too_many_levels(len(lengths), "prefixes")
        if wrong:
            raise HierarchyError(*wrong)
        strange = [n for n in lengths if not isinstance(n, int) or isinstance(n, bool) or not 1 <= n <= LONGEST]
        if strange:
            rule = f"not a whole number of characters, from 1 to {LONGEST:,}: {offenders(strange)}"
            raise HierarchyError(Mistake("prefixes", rule, repair))
        if any(a <= b for a, b in pairwise(lengths)):
            rule = f"lengths must decrease from level to level, got {offenders(lengths)}"
            raise HierarchyError(Mistake("prefixes", rule, "sort them and remove repetitions, " + repair))
        object.__setattr__(self, "lengths", tuple(lengths))

    @property
    def between(self) -> int:
        return len(self.lengths)

    def _climb(self, value: str) -> tuple[Value, ...]:
        key = value[: self.lengths[0]], len(value)
        prefixes = self._known.get(key)
        if prefixes is None:
            prefixes = tuple(value[:kept] + "*" * (len(value) - kept) for kept in self.lengths)
            self._known[key] = prefixes
        return prefixes

    @cached_property
    def _known(self) -> dict[tuple[str, int], tuple[str, ...]]:
        """The paths met so far: many codes share one, and its texts."""
        return {}

    def _rank(self, value: str) -> tuple[object, ...]:
        return (value,)

    def to_words(self) -> object:
        return {"prefixes": list(self.lengths)}
