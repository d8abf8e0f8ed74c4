"""Groups: the rows of a release that can't be told apart, as models see them. Counts only, never a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from discreet.hierarchies.hierarchy import Codes, Hierarchy, IntArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tally:
    """How often each sensitive value occurs in each group, as n(q, s) > 0 only.

    Group g has the pairs ``offsets[g]:offsets[g + 1]`` of `values` and `counts`, in no particular order.
    `reference` is the distribution that counts as known to everybody: how many rows of the whole table have each
    value (models that compare with "the table" compare with this).
    """

    offsets: IntArray
    values: Codes
    counts: IntArray
    reference: IntArray
    hierarchy: Hierarchy


@dataclass(frozen=True, eq=False)
class Groups:
    """Sizes n(q), and one tally per sensitive attribute."""

    sizes: IntArray
    tallies: Mapping[str, Tally] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.sizes)


def tally(
    group: IntArray,
    value: Codes,
    count: IntArray,
    groups: int,
    reference: IntArray,
    hierarchy: Hierarchy,
) -> Tally:
    """Add up (group, value, count) triples, given in any order and with repetitions."""
    from discreet.counts.kernels import merge_tallies  # late: reading a policy should not wait for numba

    each = np.arange(len(group) + 1, dtype=np.int64)  # every triple a tally of its own, merged by group
    offsets, values, counts = merge_tallies(
        group.astype(np.int32), groups, each, value.astype(np.int32), count, len(reference)
    )
    return Tally(offsets, values, counts, reference, hierarchy)
