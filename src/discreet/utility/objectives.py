"""What an optimal search minimizes, and what it can prove about releases it has not looked at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.utility.metrics import arithmetic_loss, geometric_loss


class Volumes(NamedTuple):
    """Logarithms of volumes, which may be too large for numbers: how many combinations of leaves there are.

    `groups` are those that each group stands for, `everything` all of them. `data` is Σ p ln p over the table's
    combinations, p being their shares.
    """

    groups: FloatArray
    everything: float
    data: float


class Outcome(NamedTuple):
    """One node of the lattice with its failing groups suppressed."""

    losses: Sequence[float]  # per attribute, 0..1, a suppressed row counts 1
    height: int  # sum of the levels
    sizes: IntArray | None  # of the groups that stay (only if asked for)
    suppressed: int
    rows: int
    volumes: Volumes | None = None  # of the groups that stay (only if asked for)


class AtLeast(NamedTuple):
    """What is proven of every node between two nodes of the lattice."""

    losses: Sequence[float]  # no node between loses less, attribute by attribute
    height: int  # sum of the levels of the finer node
    finest: IntArray | None  # group sizes of the finer node, nothing suppressed (only if asked for)
    lost: int  # rows that are suppressed in every node between
    lost_mates: int  # Σ over those rows of how many rows a group with them can have at most
    suppression_limit: int
    rows: int
    volumes: Volumes | None = None  # of the groups of the finer node (only if asked for)


class Objective(Protocol):
    """A cost; less is better."""

    @property
    def of_losses(self) -> bool:
        """Does it follow from the attributes' losses?"""

    @property
    def needs_groups(self) -> bool:
        """Does it look at group sizes? Losses and levels come for free."""

    @property
    def needs_volumes(self) -> bool:
        """Does it look at what each group stands for?"""

    @property
    def spares_rows(self) -> bool:
        """Does a node cost more, the more of its groups are suppressed? Else it can't tell which to suppress."""

    def score(self, outcome: Outcome) -> float:
        """The cost of one node."""

    def bound(self, least: AtLeast) -> float:
        """A cost that no node between can undercut."""


class Loss:
    """Mean over all quasi-identifier values of (leaves − 1) / (all leaves − 1): the LM of the papers."""

    of_losses = True
    needs_groups = False
    needs_volumes = False
    spares_rows = True

    def score(self, outcome: Outcome) -> float:
        return arithmetic_loss(outcome.losses)

    def bound(self, least: AtLeast) -> float:
        return arithmetic_loss(least.losses)


class GeometricLoss:
    """Π (1 + loss of the attribute)^(1/n) − 1, as ARX computes it."""

    of_losses = True
    needs_groups = False
    needs_volumes = False
    spares_rows = True

    def score(self, outcome: Outcome) -> float:
        return geometric_loss(outcome.losses)

    def bound(self, least: AtLeast) -> float:
        return geometric_loss(least.losses)


class Height:
    """How many levels were climbed in all; blind to what a level costs and to suppression."""

    of_losses = False
    needs_groups = False
    needs_volumes = False
    spares_rows = False

    def score(self, outcome: Outcome) -> float:
        return float(outcome.height)

    def bound(self, least: AtLeast) -> float:
        return float(least.height)


class Discernibility:
    """Σ n² over the groups, plus N for every suppressed row (Bayardo & Agrawal 2005)."""

    of_losses = False
    needs_groups = True
    needs_volumes = False
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

    of_losses = False
    needs_groups = True
    needs_volumes = False
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


class Divergence:
    """How surprised a reader of the release would be by the data, in nats (Kifer & Gehrke 2006; `kl_divergence`).

    She spreads the rows of a group evenly over all that it stands for, and suppressed rows over everything.
    """

    of_losses = False
    needs_groups = True
    needs_volumes = True
    spares_rows = False  # what is suppressed already is less of a surprise if more is

    def score(self, outcome: Outcome) -> float:
        assert outcome.volumes is not None and outcome.sizes is not None
        return _divergence(outcome.sizes, outcome.volumes, outcome.suppressed)

    def bound(self, least: AtLeast) -> float:
        # Among all ways to weigh the groups of a node, their own shares surprise least; suppressed rows weigh them
        # otherwise. And to tell parts of a group apart surprises less than not to.
        assert least.volumes is not None and least.finest is not None
        return _divergence(least.finest, least.volumes, 0) - 10.0**-_DIGITS


_DIGITS = 12


def _divergence(sizes: IntArray, volumes: Volumes, suppressed: int) -> float:
    """Σ p ln(p / p̂): of a group of n rows and volume v, p̂ is (n / v + suppressed / all) / N."""
    rows = int(sizes.sum()) + suppressed
    if not rows:
        return 0.0
    thin = math.log(suppressed) - volumes.everything if suppressed else -math.inf
    told = float(sizes @ np.logaddexp(np.log(sizes) - volumes.groups, thin)) if len(sizes) else 0.0
    told += suppressed * thin if suppressed else 0.0
    return max(0.0, round(volumes.data + math.log(rows) - told / rows, _DIGITS))  # whatever the order of the sum


OBJECTIVES: dict[str, Objective] = {
    "loss": Loss(),
    "geometric_loss": GeometricLoss(),
    "discernibility": Discernibility(),
    "average_group": AverageGroup(),
    "height": Height(),
    "kl_divergence": Divergence(),
}
