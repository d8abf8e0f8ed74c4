"""What all rules share: the place of NULL and the empty string, and what a rule says of a value it can't place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from discreet.errors import HierarchyError, Mistake, offenders
from discreet.hierarchies.hierarchy import Value


class Misfit(HierarchyError):
    """A value that a rule can't place; `build` gathers them, so that all are reported at once."""

    def __init__(self, value: Value, rule: str, repair: str):
        self.rule, self.repair = rule, repair
        super().__init__(Mistake("hierarchy", f"{rule}: {offenders([value])}", repair))


LEVELS = 100  # of any hierarchy; nobody has seen one of more than twenty


def too_many_levels(levels: int, place: str) -> list[Mistake]:
    """A mistake where a hierarchy has so many levels that a search would not end."""
    if levels <= LEVELS:
        return []
    return [Mistake(place, f"has {levels:,} levels, more than {LEVELS}", "keep those that a reader would want")]


class BranchingRule(ABC):
    """A rule in which NULL and the empty string each have a branch of their own up to ``*``, after all the others."""

    @property
    @abstractmethod
    def between(self) -> int:
        """How many levels there are between the value itself and ``*``."""

    @abstractmethod
    def _climb(self, value: str) -> tuple[Value, ...]:
        """`path` of a value that is neither NULL nor empty."""

    @abstractmethod
    def _rank(self, value: str) -> tuple[object, ...]:
        """`order` of a value that is neither NULL nor empty."""

    def path(self, value: Value) -> tuple[Value, ...]:
        return self._climb(value) if value else (value,) * self.between

    def order(self, value: Value) -> tuple[object, ...]:
        return (0, *self._rank(value)) if value else (1, value is None)

    def extra_leaves(self) -> Sequence[Value]:
        return ()
