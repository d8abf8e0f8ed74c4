"""What a database keeps about a table for its own planning: shares of common values, of one column and of several.

Nobody has to look at the table to read them. They are estimates: most rest on a sample, from some time ago.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np

from discreet.arrays import FloatArray

Value = str | None


@dataclass(frozen=True, eq=False)
class ColumnStatistics:
    """How common the values of a column are: ``shares[i]`` of the rows have ``values[i]``. NULL is a value.

    The other rows have about `others` different values. Of these, `bounds` are known, in the column's own order:
    between any two neighbours there are equally many of the other rows.
    """

    values: tuple[Value, ...]
    shares: FloatArray
    others: int = 0
    bounds: tuple[str, ...] = ()

    @property
    def rest(self) -> float:
        """The share of the other rows; what rounding leaves of it is nothing."""
        rest = 1.0 - float(self.shares.sum())
        return rest if self.others and rest > 0 else 0.0

    @cached_property
    def place(self) -> dict[Value, int]:
        """Where each of the common values stands."""
        return {value: i for i, value in enumerate(self.values)}


@dataclass(frozen=True, eq=False)
class JointStatistics:
    """How common the commonest combinations of some columns are.

    ``values[c][i]`` is the value of ``columns[c]`` in combination i, which ``shares[i]`` of the rows have; if the
    columns were independent, ``independent[i]`` of them would. `whole`: the combinations are those of these columns
    alone, so that no other row has one of them; else they were listed together with other columns.
    """

    columns: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]
    shares: FloatArray
    independent: FloatArray
    whole: bool = True

    @property
    def covered(self) -> float:
        """The share of the rows that have a listed combination."""
        return min(float(self.shares.sum()), 1.0)

    def of(self, columns: Sequence[str]) -> JointStatistics:
        """The same for some of the columns alone, in this order.

        >>> of_three = JointStatistics(("a", "b"), (("x", "x"), ("y", "z")), np.array([0.5, 0.3]), np.array([0.2, 0.2]))
        >>> of_three.of(["a"]).values, of_three.of(["a"]).shares
        ((('x',),), array([0.8]))
        """
        places: dict[tuple[Value, ...], int] = {}
        listed = zip(*(self.values[self.columns.index(c)] for c in columns), strict=True)
        place = np.array([places.setdefault(values, len(places)) for values in listed], dtype=np.int64)
        shares, independent = (
            np.bincount(place, of_each, len(places)).astype(np.float64) for of_each in (self.shares, self.independent)
        )
        whole = self.whole and set(columns) == set(self.columns)
        return JointStatistics(tuple(columns), tuple(zip(*places, strict=True)), shares, independent, whole)


@dataclass(frozen=True)
class Object:
    """A list of common combinations that the database was asked to keep; None in `covered` if we may not read it."""

    name: str
    columns: tuple[str, ...]
    covered: float | None


@dataclass(frozen=True, eq=False)
class Statistics:
    """What is known of a table without looking at it.

    `rows` is an estimate. The shares rest on `seen` rows, which are all of them where `seen` is as large. `changed`
    rows were added, deleted or updated since the statistics were made, at the time `analyzed` (as text, empty if
    nobody knows). `sampled`: nothing was kept, so these rows were drawn for it just now.
    """

    rows: int
    seen: int
    columns: Mapping[str, ColumnStatistics]
    joint: tuple[JointStatistics, ...] = ()
    objects: tuple[Object, ...] = ()
    analyzed: str = ""
    changed: int = 0
    sampled: bool = False
    table: str = ""  # as SQL
    pages: int = 0
    targets: Mapping[str, int] = field(default_factory=dict)  # how many values are kept of each column, at most

    @property
    def of_all(self) -> bool:
        """Do the shares rest on all rows?"""
        return self.seen >= self.rows

    def pair(self, first: str, second: str) -> JointStatistics | None:
        """What is known of two columns together: a list of their own if there is one, else the one that covers most."""
        lists = [j.of([first, second]) for j in self.joint if {first, second} <= set(j.columns)]
        return max(lists, key=lambda j: (j.whole, j.covered), default=None)

    def known(self, column: str) -> tuple[Value, ...]:
        """Every value of a column that is mentioned anywhere."""
        kept = self.columns[column]
        together = (j.values[j.columns.index(column)] for j in self.joint if column in j.columns)
        return tuple(dict.fromkeys([*kept.values, *kept.bounds, *(v for values in together for v in values)]))


@runtime_checkable
class KeepsStatistics(Protocol):
    """An engine that knows something of its table without looking."""

    def statistics(self, columns: Sequence[str], seed: int | None = None) -> Statistics:
        """What it knows of some columns of the whole table. If it must draw a sample for that, a seed chooses it."""

    def drawn_statistics(self, columns: Sequence[str], seed: int | None = None) -> Statistics:
        """The same from a sample of the table's pages, whatever is kept."""
