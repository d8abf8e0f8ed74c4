"""What a summary is: it answers "what share of the rows falls into this generalized group"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from discreet.arrays import Codes, FloatArray
from discreet.counts.cells import Cells
from discreet.counts.roll_up import Node
from discreet.errors import DiscreetError, Mistake
from discreet.hierarchies.hierarchy import Hierarchy

NEGLIGIBLE = 1e-9  # rows; groups that all together expect fewer may be left out, whatever is asked of them
MOST_GROUPS = 5_000_000
MOST_NUMBERS = 60_000_000  # groups times sensitive values: half a gigabyte


class Summary(Protocol):
    """An estimate of a table's joint distribution. Consistent: a coarser group has what its parts have together."""

    @property
    def rows(self) -> int:
        """How many rows the table has."""

    @property
    def hierarchies(self) -> tuple[Hierarchy, ...]:
        """Those of the quasi-identifiers, in order."""

    @property
    def sensitive_hierarchies(self) -> Mapping[str, Hierarchy]:
        """Those of the sensitive attributes."""

    def marginal(self, attribute: int) -> FloatArray:
        """The share of each leaf of a quasi-identifier."""

    def count(self, node: Node) -> int:
        """At most how many groups `cells` would have to look at."""

    def cells(self, node: Node, sensitive: str = "") -> Cells:
        """The groups of a node; with how likely each value of a sensitive attribute is in them, if one is named.

        Raises `TooManyGroups` where there are more than memory should hold.
        """

    def boxes(self, low: Codes, high: Codes, sensitive: str = "") -> Cells:
        """The same for any boxes: group g has the leaves ``low[g, d]..high[g, d]`` of attribute d."""


class TooManyGroups(DiscreetError):
    """A node is too fine to be looked at group by group."""


def check_limit(groups: int, values: int = 1) -> None:
    """Raise `TooManyGroups` before memory runs out, not after.

    >>> check_limit(118_000_000)
    Traceback (most recent call last):
    discreet.summaries.base.TooManyGroups: summary: a node with 118,000,000 groups is too fine; look at a coarser one
    """
    if groups > MOST_GROUPS or groups * values > MOST_NUMBERS:
        with_values = f" of {values:,} sensitive values" if values > 1 else ""
        rule = f"a node with {groups:,} groups{with_values} is too fine"
        raise TooManyGroups(Mistake("summary", rule, "look at a coarser one"))
