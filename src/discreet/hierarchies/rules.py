"""The rules by which values become coarser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet.hierarchies.hierarchy import Value


@dataclass(frozen=True)
class Taxonomy:
    """Leaves and their parents, as listed by somebody who knows the domain.

    NULL and the empty string may be missing from the list: each then has a branch of its own, up to ``*``.
    """

    paths: Mapping[Value, tuple[Value, ...]]
    source: str = ""
    ordered = False

    def path(self, value: Value) -> tuple[Value, ...]:
        found = self.paths.get(value)
        if found is not None:
            return found
        height = len(next(iter(self.paths.values()), ()))
        return (value,) * height

    def order(self, value: Value) -> tuple[object, ...]:
        return (value is None, value or "")

    def extra_leaves(self) -> Sequence[Value]:
        return tuple(self.paths)

    def to_words(self) -> object:
        return {"taxonomy": [[leaf, *path] for leaf, path in self.paths.items()]}
