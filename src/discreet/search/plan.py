"""What a search is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import FloatArray, Groups, tally
from discreet.hierarchies.hierarchy import Codes, IntArray, Value
from discreet.models.base import PrivacyModel
from discreet.utility.metrics import losses

SUPPRESSED = -1


@dataclass(frozen=True, eq=False)
class Problem:
    """Counts, the promises to keep, how many rows may be suppressed, and what to spare (a name of `utility`)."""

    frequency: FrequencySet
    models: tuple[PrivacyModel, ...]
    suppression_limit: int = 0
    utility: str = "loss"


@dataclass(frozen=True, eq=False)
class Plan:
    """What happens to each combination of a frequency set.

    Assignment i sends `count[i]` rows of combination `row[i]` to group `group[i]` (or suppresses them, group −1); a
    combination may be spread over several groups. Group g publishes attribute d as the range of leaves
    ``low[g, d]..high[g, d]`` of its hierarchy.
    """

    frequency: FrequencySet
    low: Codes
    high: Codes
    row: IntArray
    count: IntArray
    group: IntArray
    node: tuple[int, ...] | None = None  # full-domain plans: the level of each attribute
    texts: tuple[tuple[Value, ...], ...] | None = None  # what each group publishes, where an earlier release fixed it
    facts: Mapping[str, object] = field(default_factory=dict)  # how the search went, for the report

    @cached_property
    def suppressed(self) -> int:
        """How many rows will not be published."""
        return int(self.count[self.group == SUPPRESSED].sum())

    @cached_property
    def published(self) -> IntArray:
        """How many rows of each combination are published."""
        kept = self.group != SUPPRESSED
        counts = np.bincount(self.row[kept], weights=self.count[kept], minlength=len(self.frequency.counts))
        return counts.astype(np.int64)

    @cached_property
    def groups(self) -> Groups:
        """What the models see of the published groups."""
        f, kept = self.frequency, self.group != SUPPRESSED
        row, count, group = self.row[kept], self.count[kept], self.group[kept]
        n = len(self.low)
        sizes = np.bincount(group, weights=count, minlength=n).astype(np.int64)
        tallies = {
            name: tally(group, codes[row], count, n, f.totals[name], f.sensitive_hierarchies[name])
            for name, codes in f.sensitive.items()
        }
        return Groups(sizes, tallies)

    @cached_property
    def losses(self) -> FloatArray:
        """Per attribute, the mean over all rows of (leaves − 1) / (all leaves − 1); a suppressed row counts 1."""
        leaves = [len(h.leaves) for h in self.frequency.hierarchies]
        return losses(self.low, self.high, self.groups.sizes, leaves, self.suppressed)
