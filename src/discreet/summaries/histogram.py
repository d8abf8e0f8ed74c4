"""Histograms: one distribution per attribute, all taken as independent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from discreet.arrays import IntArray
from discreet.counts.frequency import Edge
from discreet.summaries.network import Network


@dataclass(frozen=True, eq=False)
class Histogram(Network):
    """A network without edges: the share of a group is the product of the shares of its values.

    It holds how many rows have each single value: keep it as private as the table.
    """

    tables: Mapping[Edge, IntArray] = field(default_factory=dict, init=False)
