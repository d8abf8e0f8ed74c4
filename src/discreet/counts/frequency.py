"""The frequency set: the distinct (quasi-identifiers…, sensitive…) combinations of a table, with their counts.

Nearly everything here needs no more than this: rows with equal values are interchangeable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.hierarchies.hierarchy import Codes, Hierarchy, IntArray


@dataclass(frozen=True, eq=False)
class FrequencySet:
    """Coded combinations; the codes are leaf numbers of each attribute's hierarchy.

    `hierarchies` are those of the quasi-identifiers, in order. A sensitive attribute has a hierarchy too (flat, if
    nobody gave one): it knows the values and their order.
    """

    hierarchies: tuple[Hierarchy, ...]
    codes: tuple[Codes, ...]
    sensitive: Mapping[str, Codes]
    sensitive_hierarchies: Mapping[str, Hierarchy]
    counts: IntArray

    @cached_property
    def rows(self) -> int:
        """How many rows the table has."""
        return int(self.counts.sum())

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers."""
        return tuple(h.attribute for h in self.hierarchies)

    @cached_property
    def totals(self) -> Mapping[str, IntArray]:
        """Per sensitive attribute, how many rows of the whole table have each value."""
        return {
            name: np.bincount(
                codes, weights=self.counts, minlength=len(self.sensitive_hierarchies[name].leaves)
            ).astype(np.int64)
            for name, codes in self.sensitive.items()
        }
