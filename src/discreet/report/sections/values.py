"""What is in each published column: how many values, and the most common ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.arrays import IntArray
from discreet.hierarchies.hierarchy import EVERYTHING, Value
from discreet.publications.published import Published
from discreet.report.marginals import most_common, shown
from discreet.report.sections.registry import RELEASE, Public, Section
from discreet.report.words import roles_of

MOST_VALUES = 8  # of a column


@dataclass(frozen=True)
class Common:
    """A published value, and its share of what is published."""

    label: str
    share: float


@dataclass(frozen=True)
class PublishedColumn:
    """A published column: how many different values it has, the most common ones, and the share that is hidden (*)."""

    name: str
    role: str
    values: int
    hidden: float
    common: tuple[Common, ...]


def _values(manifest: Mapping[str, Any], published: Published) -> tuple[PublishedColumn, ...]:
    """What is in each column, quasi-identifiers first."""
    roles, counted = roles_of(manifest), published.counted()
    names = [c for role in ("quasi_identifier", "sensitive") for c in manifest["columns"] if roles[c] == role]
    return tuple(_column(name, roles[name], *counted[name]) for name in names)


def _column(name: str, role: str, values: Sequence[Value], counts: IntArray) -> PublishedColumn:
    total = max(int(counts.sum()), 1)
    hidden = next((int(counts[i]) for i, value in enumerate(values) if value == EVERYTHING), 0)
    chosen = most_common(values, counts, MOST_VALUES)
    common = tuple(Common(shown(values[i]), int(counts[i]) / total) for i in chosen)
    return PublishedColumn(shown(name), role, len(values), hidden / total, common)


def _figures(known: Public) -> tuple[PublishedColumn, ...]:
    return _values(known.manifest, known.published)


VALUES = Section(_figures, "part_use.html.j2", pages=(RELEASE,))
