"""Can published rows be rows of the source, each at most once? Decided on counts, by a largest flow.

Rows of the source that are alike are one *kind*, published rows that are alike one *unit*. A kind fits a unit if its
rows may have been published like that; where every kind fits one unit at most, this is counting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import BoolArray, IntArray

ENDLESS = 1 << 60


@dataclass(frozen=True, eq=False)
class Shortfall:
    """How many rows each unit lacks in a best assignment; and the units that compete for too few rows."""

    lacking: IntArray
    contested: BoolArray

    @property
    def rows(self) -> int:
        """Published rows that are nobody's, in all."""
        return int(self.lacking.sum())


def shortfall(
    starts: IntArray, units: NDArray[Any], rows: IntArray, wanted: IntArray, most: IntArray | None = None
) -> Shortfall:
    """What is lacking if every unit u wants ``wanted[u]`` rows, and kind i has ``rows[i]`` to give.

    Kind i fits ``units[starts[i]:starts[i + 1]]``; at most ``most[e]`` of its rows go to the unit at place e. The sum
    of what is lacking is the least there is; where it is 0, an assignment exists (König, Hall).

    >>> lacking = shortfall(np.array([0, 2, 3]), np.array([0, 1, 0]), np.array([1, 2]), np.array([2, 1])).lacking
    >>> lacking.tolist(), shortfall(np.array([0, 1]), np.array([0]), np.array([1]), np.array([1, 2])).rows
    ([0, 0], 2)
    """
    from discreet.audit.faults.matching_kernels import Flow, Network, augment, by_unit, give  # late: loads numba

    starts, units = starts.astype(np.int64), units.astype(np.int32)
    spare, need = rows.astype(np.int64), wanted.astype(np.int64)
    limit = np.full(len(units), ENDLESS, dtype=np.int64) if most is None else most.astype(np.int64)
    along = np.zeros(len(units), dtype=np.int64)
    give(starts, units, limit, np.argsort(np.diff(starts), kind="stable"), spare, need, along)
    if not need.any():
        return Shortfall(need, np.zeros(len(need), dtype=np.bool_))
    first, edges, kind = by_unit(starts, units, len(need))
    contested = augment(Network(starts, units, limit, first, edges, kind), Flow(spare, need, along))
    return Shortfall(need, contested)


def turned(starts: IntArray, kinds: NDArray[Any], many: int) -> tuple[IntArray, NDArray[Any]]:
    """The units that each of so many kinds fits, from the kinds that fit each unit.

    >>> [found.tolist() for found in turned(np.array([0, 2, 3]), np.array([0, 1, 0]), 2)]
    [[0, 2, 3], [0, 1, 0]]
    """
    from discreet.audit.faults.matching_kernels import by_unit  # late: loads numba

    first, edges, unit = by_unit(starts.astype(np.int64), kinds.astype(np.int32), many)
    return first, unit[edges]
