"""Looking at a table no closer than needed: each look is one aggregate query in the engine, and one scan.

A search that works on a summary proposes a mapping; a look counts the table's rows as that mapping would publish them.
What comes back is a frequency set whose combinations are only as fine as that. Each value stands for all those that it
is published with, by its first leaf; how many rows have each leaf is known from the summary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.counts.coding import frequency_set
from discreet.counts.frequency import FrequencySet, Population
from discreet.counts.outside import check_one_row_each
from discreet.counts.roll_up import Node
from discreet.engines.base import Engine, Frequencies
from discreet.engines.sql.coded_counts import coded_counts
from discreet.engines.sql.engine import SqlEngine
from discreet.errors import DataError, Mistake
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.search.instant.s_instant import standing_for


@dataclass(frozen=True, eq=False)
class Looks:
    """The table of an engine, to be looked at through the hierarchies of its columns.

    `leaf_rows[d]` is how many rows have each leaf of quasi-identifier d. `person` is the column that says whose row it
    is, if there is one: then people are counted too.
    """

    engine: Engine
    hierarchies: tuple[Hierarchy, ...]
    sensitive: Mapping[str, Hierarchy]
    leaf_rows: tuple[IntArray, ...]
    population: Population | None = None  # what promises about presence are about
    person: str | None = None

    def at_node(self, node: Node) -> FrequencySet:
        """The table generalized to the levels of a node."""
        return self.merged([h.first[level][h.codes[level]] for h, level in zip(self.hierarchies, node, strict=True)])

    def in_boxes(self, low: Codes, high: Codes) -> FrequencySet:
        """The table as finely as boxes of leaves tell: values that are in the same boxes stand together."""
        stands = []
        for d, h in enumerate(self.hierarchies):
            starts = np.unique(np.concatenate([[0], low[:, d], high[:, d] + 1]))
            starts = starts[starts < len(h.leaves)]
            leaf = np.arange(len(h.leaves))
            stands.append(starts[np.searchsorted(starts, leaf, side="right") - 1].astype(np.int32))
        return self.merged(stands)

    def merged(self, stands_for: Sequence[Codes]) -> FrequencySet:
        """The table where each leaf of quasi-identifier d is counted as the leaf ``stands_for[d][leaf]``."""
        codes = {
            h.attribute: dict(zip(h.leaves, merged.tolist(), strict=True))
            for h, merged in zip(self.hierarchies, stands_for, strict=True)
        }
        looked = self.engine.coded(codes)
        frequencies = looked.frequencies([*codes, *self.sensitive], self.person)
        self.engine.scans += looked.scans
        known = replace(frequencies, values=self._leaves(frequencies))
        table = frequency_set(known, self.hierarchies, self.sensitive, self.leaf_rows)
        if self.population is None:
            return table
        check_one_row_each(table, "search", "by instant", "leave `search` out")
        return replace(table, population=self.population)

    def _leaves(self, frequencies: Frequencies) -> tuple[tuple[str | None, ...], ...]:
        """The values of the columns, the quasi-identifiers by their leaves again."""
        width = len(self.hierarchies)
        strange = [
            h.attribute for h, values in zip(self.hierarchies, frequencies.values, strict=False) if None in values
        ]
        strange += [
            name
            for (name, h), values in zip(self.sensitive.items(), frequencies.values[width:], strict=True)
            if not h.index.keys() >= set(values)
        ]
        if strange:
            rule = "has values that the summary does not know"
            raise DataError(*(Mistake(name, rule, "make the summary again") for name in strange))
        leaves = [
            tuple(h.leaves[int(value or 0)] for value in values)
            for h, values in zip(self.hierarchies, frequencies.values, strict=False)
        ]
        return (*leaves, *frequencies.values[width:])


@dataclass(frozen=True, eq=False)
class Look:
    """What a look has shown: combinations of values, quasi-identifiers first.

    Value v of quasi-identifier d was counted as the value ``stands_for[d][v]``; one that is not there, as itself.
    """

    frequencies: Frequencies
    stands_for: tuple[Mapping[Value, Value], ...]

    @property
    def rows(self) -> int:
        return int(self.frequencies.counts.sum())

    def unknown_to(self, hierarchies: Sequence[Hierarchy]) -> dict[str, dict[Value, int]]:
        """The values that hierarchies of the columns lack, with their rows."""
        unknown = {}
        for h, values, codes in zip(hierarchies, self.frequencies.values, self.frequencies.codes, strict=True):
            strange = [i for i, value in enumerate(values) if value not in h.index]
            if strange:
                rows = np.bincount(codes, weights=self.frequencies.counts, minlength=len(values))
                unknown[h.attribute] = {values[i]: int(rows[i]) for i in strange}
        return unknown

    def tells(self, hierarchies: Sequence[Hierarchy], stands_for: Sequence[Codes]) -> bool:
        """Is everything told apart that another look would tell apart?"""
        for h, seen, wanted in zip(hierarchies, self.stands_for, stands_for, strict=True):
            counted_as = [h.index[seen.get(leaf, leaf)] for leaf in h.leaves]
            if (wanted[counted_as] != wanted).any():
                return False
        return True


class Surprised(Exception):
    """A look met values that nobody expected, or another number of rows: the search must begin again with these."""

    def __init__(self, seen: Look, unknown: Mapping[str, Mapping[Value, int]]):
        super().__init__("a look at the table showed what no estimate knew")
        self.seen, self.unknown = seen, unknown


@dataclass(frozen=True, eq=False)
class EstimatedLooks(Looks):
    """Looks at a table that is known by estimates only: its values may not all be known, nor how many rows it has.

    Values that no hierarchy knows are counted by themselves, and told by raising `Surprised`; so is another number of
    rows than `expected`, if that is given. What was `seen` before is not looked at again. `leaf_rows` is estimated, and
    corrected so that values which a look counts together have as many rows together as they have.
    """

    expected: int | None = None
    seen: Look | None = None

    def merged(self, stands_for: Sequence[Codes]) -> FrequencySet:
        """The table where each leaf of quasi-identifier d is counted as the leaf ``stands_for[d][leaf]``."""
        remembered = self.seen is not None and self.seen.tells(self.hierarchies, stands_for)
        seen = self.seen if self.seen is not None and remembered else self._look(stands_for)
        if not seen.rows:
            raise DataError(Mistake("source", "the table has no rows", "give a table with at least one row"))
        unknown = seen.unknown_to([*self.hierarchies, *self.sensitive.values()])
        if unknown or self.expected not in (None, seen.rows):
            raise Surprised(seen, unknown)
        frequency = standing_for(frequency_set(seen.frequencies, self.hierarchies, self.sensitive), stands_for)
        parts = zip(frequency.codes, stands_for, self.leaf_rows, strict=True)
        leaf_rows = tuple(shared_out(np.bincount(c, frequency.counts, len(s)), s, rows) for c, s, rows in parts)
        return replace(frequency, leaf_rows=leaf_rows)

    def _look(self, stands_for: Sequence[Codes]) -> Look:
        codes = {
            h.attribute: dict(zip(h.leaves, merged.tolist(), strict=True))
            for h, merged in zip(self.hierarchies, stands_for, strict=True)
        }
        assert isinstance(self.engine, SqlEngine)  # no other keeps statistics
        counted = coded_counts(self.engine, codes, list(self.sensitive), self.person)
        values, columns = [], []
        for d, h in enumerate(self.hierarchies):
            every = (*h.leaves, *counted.unknown.values[d])
            place = np.where(counted.numbers[d] < 0, len(h.leaves) + counted.unknown.codes[d], counted.numbers[d])
            occurring, code = np.unique(place, return_inverse=True)
            values.append(tuple(every[i] for i in occurring.tolist()))
            columns.append(code.reshape(-1).astype(np.int32))
        others = counted.others
        frequencies = replace(others, values=(*values, *others.values), codes=(*columns, *others.codes))
        stands = (
            {leaf: h.leaves[s] for leaf, s in zip(h.leaves, merged.tolist(), strict=True)}
            for h, merged in zip(self.hierarchies, stands_for, strict=True)
        )
        return Look(frequencies, tuple(stands))


def shared_out(total: Any, stands_for: Codes, expected: IntArray) -> IntArray:
    """How many rows have each leaf, if ``total[s]`` have one of those that stand for s: as expected, in whole rows.

    >>> shared_out(np.array([7.0, 0.0, 2.0]), np.array([0, 0, 2]), np.array([1, 2, 9])).tolist()
    [2, 5, 2]
    """
    weight = np.where(np.bincount(stands_for, expected, len(total))[stands_for] > 0, expected, 1)
    exact = total[stands_for] * weight / np.bincount(stands_for, weight, len(total))[stands_for]
    rows: IntArray = np.floor(exact).astype(np.int64)
    short = np.rint(total - np.bincount(stands_for, rows, len(total))).astype(np.int64)
    # The leaves of a value, those first that rounding took most from: as many as it lacks get a row.
    order = np.lexsort((rows - exact, stands_for))
    ranked = stands_for[order]
    rank = np.arange(len(order)) - np.searchsorted(ranked, ranked)
    rows[order] += rank < short[ranked]
    return rows
