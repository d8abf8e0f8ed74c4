"""What `likely` answers, and how it may be computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from discreet.counts.cells import Cells


@dataclass(frozen=True)
class Likely:
    """How likely a table keeps a promise in every group, and how many of its rows are expected in groups that don't.

    `decided` says how it was found: "approximation" (both numbers are what they are), "bounds" (proven bounds were
    enough: the probability is at least and the expectation at most what is said, or the probability practically 0),
    "stopped early" (the probability is at most, the expectation at least what is said), or "simulation". Whatever it
    was, the numbers are on the same side of `at_least` and `at_most` as the truth.
    """

    probability: float
    expectation: float
    decided: str


# The groups, the rows of the table, the share, and what decides: see `likely`.
SharesKept = Callable[[Cells, int, float, float | None, float | None], Likely]


@dataclass(frozen=True)
class Options:
    """How the probabilities are computed. The defaults are fast and right; the others are there to be compared.

    `counts`: the multinomial counts of the groups are "poisson" given their sum (exact) or "binomial" (the paper's).
    `sums`: the probability that the counts add up to N is "exact" or "normal" (the paper's).
    `bounds`: union bounds first, the rest only where these don't decide.
    `shares`: who says instead, how likely no value has more than a share of any group (for ℓ-diversity).
    """

    counts: Literal["poisson", "binomial"] = "poisson"
    sums: Literal["exact", "normal"] = "exact"
    bounds: bool = True
    shares: SharesKept | None = None
