"""What `likely` answers, and how it may be computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


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


@dataclass(frozen=True)
class Switches:
    """The optimizations of section 6 of Nergiz, Tamersoy & Saygin 2011 for ℓ-diversity, each on or off.

    `hybrid`: normal for binomial counts whose mean ± 3σ is possible. `expo`: an exponential tail for skewed ones.
    `sd_cut`: only sizes within 4σ of the mean. `limit`: no further sizes once P(fine given size) is practically at its
    limit. `maximum`: only the most frequent value, where it overwhelms the others.
    """

    hybrid: bool = True
    expo: bool = True
    sd_cut: bool = True
    limit: bool = True
    maximum: bool = True


@dataclass(frozen=True)
class Options:
    """How the probabilities are computed. The defaults are fast and right; the others are there to be compared.

    `counts`: the multinomial counts of the groups are "poisson" given their sum (exact) or "binomial" (the paper's).
    `sums`: the probability that the counts add up to N is "exact" or "normal" (the paper's).
    `bounds`: union bounds first, the rest only where these don't decide.
    `paper`: ℓ-diversity by the paper's own algorithm with these switches; of the others only `counts` matters then.
    """

    counts: Literal["poisson", "binomial"] = "poisson"
    sums: Literal["exact", "normal"] = "exact"
    bounds: bool = True
    paper: Switches | None = None
