"""What a summary is: it answers "what share of the rows falls into this generalized group"."""

from __future__ import annotations

from typing import Protocol

from discreet.counts.cells import Cells
from discreet.counts.groups import FloatArray
from discreet.counts.roll_up import Node
from discreet.hierarchies.hierarchy import Codes, Hierarchy


class Summary(Protocol):
    """An estimate of a table's joint distribution. Consistent: a coarser group has what its parts have together."""

    @property
    def rows(self) -> int:
        """How many rows the table has."""

    @property
    def hierarchies(self) -> tuple[Hierarchy, ...]:
        """Those of the quasi-identifiers, in order."""

    def marginal(self, attribute: int) -> FloatArray:
        """The share of each leaf of a quasi-identifier."""

    def cells(self, node: Node, sensitive: str = "") -> Cells:
        """The groups of a node; with how likely each value of a sensitive attribute is in them, if one is named."""

    def boxes(self, low: Codes, high: Codes, sensitive: str = "") -> Cells:
        """The same for any boxes: group g has the leaves ``low[g, d]..high[g, d]`` of attribute d."""
