"""Looking at a table no closer than needed: each look is one aggregate query in the engine, and one scan.

A search that works on a summary proposes a mapping; a look counts the table's rows as that mapping would publish them.
What comes back is a frequency set whose combinations are only as fine as that. Each value stands for all those that it
is published with, by its first leaf; how many rows have each leaf is known from the summary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.counts.coding import frequency_set
from discreet.counts.frequency import FrequencySet, Population
from discreet.counts.roll_up import Node
from discreet.engines.base import Engine, Frequencies
from discreet.errors import DataError, Mistake
from discreet.hierarchies.hierarchy import Codes, Hierarchy, IntArray


@dataclass(frozen=True, eq=False)
class Looks:
    """The table of an engine, to be looked at through the hierarchies of its columns.

    `leaf_rows[d]` is how many rows have each leaf of quasi-identifier d.
    """

    engine: Engine
    hierarchies: tuple[Hierarchy, ...]
    sensitive: Mapping[str, Hierarchy]
    leaf_rows: tuple[IntArray, ...]
    population: Population | None = None  # what promises about presence are about

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
        found = looked.frequencies([*codes, *self.sensitive])
        self.engine.scans += looked.scans
        known = Frequencies(self._leaves(found), found.codes, found.counts)
        return replace(
            frequency_set(known, self.hierarchies, self.sensitive, self.leaf_rows), population=self.population
        )

    def _leaves(self, found: Frequencies) -> tuple[tuple[str | None, ...], ...]:
        """The values of the columns, the quasi-identifiers by their leaves again."""
        width = len(self.hierarchies)
        strange = [h.attribute for h, values in zip(self.hierarchies, found.values, strict=False) if None in values]
        strange += [
            name
            for (name, h), values in zip(self.sensitive.items(), found.values[width:], strict=True)
            if not h.index.keys() >= set(values)
        ]
        if strange:
            rule = "has values that the summary does not know"
            raise DataError(*(Mistake(name, rule, "make the summary again") for name in strange))
        leaves = [
            tuple(h.leaves[int(value or 0)] for value in values)
            for h, values in zip(self.hierarchies, found.values, strict=False)
        ]
        return (*leaves, *found.values[width:])
