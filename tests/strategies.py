"""Small random tables, as plain Python: rows, and what each value becomes on every level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import Value
from discreet.hierarchies.rules import Taxonomy
from discreet.models.base import PrivacyModel
from tests.models.cases import ATTRIBUTE, KINDS, PATHS, VALUES

Paths = Mapping[Value, tuple[Value, ...]]
Node = tuple[int, ...]


@dataclass(frozen=True)
class Table:
    """Rows of quasi-identifiers with the paths of their hierarchies, and the sensitive columns beside them."""

    paths: tuple[Paths, ...]
    rows: tuple[tuple[Value, ...], ...]
    sensitive: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    sensitive_paths: Mapping[str, Paths] = field(default_factory=dict)

    @property
    def heights(self) -> Node:
        return tuple(len(next(iter(paths.values()))) + 1 for paths in self.paths)

    @property
    def nodes(self) -> list[Node]:
        return list(product(*(range(h + 1) for h in self.heights)))

    def generalized(self, node: Node) -> list[tuple[object, ...]]:
        """Every row as it looks at a node: per attribute, the set of leaves it stands for."""
        looks = [meanings(paths, level) for paths, level in zip(self.paths, node, strict=True)]
        return [tuple(look[v] for look, v in zip(looks, row, strict=True)) for row in self.rows]

    def frequency(self) -> FrequencySet:
        """What `discreet` sees of it: the combinations in the order in which the rows come."""
        columns = [*zip(*self.rows, strict=True), *self.sensitive.values()]
        counted = Counter(zip(*columns, strict=True))
        quasi = [build(f"q{i}", (), Taxonomy(paths)) for i, paths in enumerate(self.paths)]
        sensitive = {name: build(name, (), Taxonomy(self.sensitive_paths[name])) for name in self.sensitive}
        codes = [
            np.array([h.index[combination[i]] for combination in counted], dtype=np.int32)
            for i, h in enumerate([*quasi, *sensitive.values()])
        ]
        return FrequencySet(
            tuple(quasi),
            tuple(codes[: len(quasi)]),
            dict(zip(sensitive, codes[len(quasi) :], strict=True)),
            sensitive,
            np.array(list(counted.values()), dtype=np.int64),
        )

    def in_order(self, order: Sequence[int]) -> Table:
        """The same rows, in another order."""
        sensitive = {name: tuple(column[i] for i in order) for name, column in self.sensitive.items()}
        return replace(self, rows=tuple(self.rows[i] for i in order), sensitive=sensitive)


def meanings(paths: Paths, level: int) -> dict[Value, frozenset[Value]]:
    """Per value, all those that it can't be told from on a level; by the names of that level alone."""
    names = {v: v if level == 0 else "*" if level > len(path) else path[level - 1] for v, path in paths.items()}
    together: dict[Value, set[Value]] = {}
    for value, name in names.items():
        together.setdefault(name, set()).add(value)
    sets = {name: frozenset(members) for name, members in together.items()}
    return {value: sets[name] for value, name in names.items()}


@st.composite
def trees(draw: st.DrawFn, max_leaves: int = 6, max_between: int = 2) -> dict[Value, tuple[Value, ...]]:
    """A random hierarchy: some leaves (NULL and the empty string among them), each level merging the one before."""
    names = draw(st.permutations(["a", "b", "c", "d", "", None]))
    found = names[: draw(st.integers(1, max_leaves))]
    parents = [list(range(len(found)))]
    for _ in range(draw(st.integers(0, max_between))):
        below = sorted(set(parents[-1]))
        merged = {name: draw(st.sampled_from(below)) for name in below}
        parents.append([merged[name] for name in parents[-1]])
    return {
        leaf: tuple(f"level {n}: {level[i]}" for n, level in enumerate(parents[1:], start=1))
        for i, leaf in enumerate(found)
    }


@st.composite
def tables(
    draw: st.DrawFn, max_attributes: int = 3, max_rows: int = 14, sensitive: Sequence[str] = (ATTRIBUTE,)
) -> Table:
    """A table of a few rows; leaves that no row has are common."""
    paths = tuple(draw(st.lists(trees(), min_size=1, max_size=max_attributes)))
    row = st.tuples(*(st.sampled_from(list(p)) for p in paths))
    rows = draw(st.lists(row, min_size=1, max_size=max_rows))
    columns = {
        name: tuple(draw(st.lists(st.sampled_from(VALUES), min_size=len(rows), max_size=len(rows))))
        for name in sensitive
    }
    return Table(paths, tuple(rows), columns, dict.fromkeys(sensitive, PATHS))


@st.composite
def promises(draw: st.DrawFn, attributes: Sequence[str] = (ATTRIBUTE,), max_size: int = 3) -> tuple[PrivacyModel, ...]:
    """Any conjunction of models, each about one of the attributes."""
    found = []
    for kind in draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=max_size)):
        model = draw(KINDS[kind])
        about = draw(st.sampled_from(list(attributes)))
        found.append(model if kind == "k_anonymity" else replace(model, attribute=about))
    return tuple(found)
