"""A sample of the rows as a summary."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.arrays import FloatArray, IntArray
from discreet.summaries.exact import Exact


@dataclass(frozen=True, eq=False)
class Sample(Exact):
    """Shares of a uniform sample stand for shares of the table; what it happened to miss has none.

    `frequency` has the rows of the sample, its hierarchies all values of the table. `leaf_rows` is how many rows of the
    whole table have each leaf of each quasi-identifier: known exactly, since all rows were seen when it was drawn.

    It holds rows of a private table, with their sensitive values: keep it as private as the table.
    """

    leaf_rows: tuple[IntArray, ...]

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return int(self.leaf_rows[0].sum())

    def marginal(self, attribute: int) -> FloatArray:
        """The share of each leaf of a quasi-identifier, in the whole table."""
        return self.leaf_rows[attribute] / self.rows
