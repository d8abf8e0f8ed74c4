"""What an optimal search minimizes, and what it can prove about releases it has not looked at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from discreet.arrays import IntArray
from discreet.utility.metrics import arithmetic_loss, geometric_loss


@dataclass(frozen=True, eq=False)
class Outcome:
    """One node of the lattice with its failing groups suppressed."""

    losses: Sequence[float]  # per attribute, 0..1, a suppressed row counts 1
    height: int  # sum of the levels
    sizes: IntArray | None  # of the groups that stay (only if asked for)
    suppressed: int
    rows: int


@dataclass(frozen=True, eq=False)
class AtLeast:
    """What is proven of every node between two nodes of the lattice."""

    losses: Sequence[float]  # no node between loses less, attribute by attribute
    height: int  # sum of the levels of the finer node
    finest: IntArray | None  # group sizes of the finer node, nothing suppressed (only if asked for)
    lost: int  # rows that are suppressed in every node between
    lost_mates: int  # Σ over those rows of how many rows a group with them can have at most
    suppression_limit: int
    rows: int


class Objective(Protocol):
    """A cost; less is better."""

    @property
    def needs_groups(self) -> bool:
        """Does it look at group sizes? Losses and levels come for free."""

    @property
    def spares_rows(self) -> bool:
        """Does a node cost more, the more of its groups are suppressed? Else it can't tell which to suppress."""

    def score(self, outcome: Outcome) -> float:
        """The cost of one node."""

    def bound(self, least: AtLeast) -> float:
        """A cost that no node between can undercut."""


class Loss:
    """Mean over all quasi-identifier values of (leaves − 1) / (all leaves − 1): the LM of the papers."""

    needs_groups = False
    spares_rows = True

    def score(self, outcome: Outcome) -> float:
        return arithmetic_loss(outcome.losses)

    def bound(self, least: AtLeast) -> float:
        return arithmetic_loss(least.losses)


class GeometricLoss:
    """Π (1 + loss of the attribute)^(1/n) − 1, as ARX computes it."""

    needs_groups = False
    spares_rows = True

    def score(self, outcome: Outcome) -> float:
        return geometric_loss(outcome.losses)

    def bound(self, least: AtLeast) -> float:
        return geometric_loss(least.losses)


class Height:
    """How many levels were climbed in all; blind to what a level costs and to suppression."""

    needs_groups = False
    spares_rows = False

    def score(self, outcome: Outcome) -> float:
        return float(outcome.height)

    def bound(self, least: AtLeast) -> float:
        return float(least.height)


class Discernibility:
    """Σ n² over the groups, plus N for every suppressed row (Bayardo & Agrawal 2005)."""

    needs_groups = True
    spares_rows = True

    def score(self, outcome: Outcome) -> float:
        squares = 0 if outcome.sizes is None else int((outcome.sizes * outcome.sizes).sum())
        return float(squares + outcome.suppressed * outcome.rows)

    def bound(self, least: AtLeast) -> float:
        # A row costs the size of its group. Coarser groups are larger, and a suppressed row costs N, not less than any
        # group it could be in.
        squares = 0 if least.finest is None else int((least.finest * least.finest).sum())
        return float(squares + least.lost * least.rows - least.lost_mates)


class AverageGroup:
    """Published rows per group."""

    needs_groups = True
    spares_rows = False

    def score(self, outcome: Outcome) -> float:
        published = outcome.rows - outcome.suppressed
        groups = 0 if outcome.sizes is None else len(outcome.sizes)
        return published / groups if groups else math.inf

    def bound(self, least: AtLeast) -> float:
        # Coarser nodes have no more groups, and at most the limit of rows is missing from them.
        if least.finest is None or not len(least.finest):
            return 0.0
        return max(1.0, (least.rows - least.suppression_limit) / len(least.finest))


OBJECTIVES: dict[str, Objective] = {
    "loss": Loss(),
    "geometric_loss": GeometricLoss(),
    "discernibility": Discernibility(),
    "average_group": AverageGroup(),
    "height": Height(),
}
