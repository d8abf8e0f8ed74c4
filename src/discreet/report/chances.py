"""How sure somebody could be, of each person: probabilities over all the people of a release, as a histogram."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.counts.groups import FloatArray
from discreet.hierarchies.hierarchy import IntArray
from discreet.report.marginals import Grain

MOST_BINS = 8
_SAME = 1e-9  # what lies this close to an edge is at the edge: a histogram decides nothing


@dataclass(frozen=True)
class ChanceBin:
    """The share of the published people of whom the probability is above `low` and at most `high`."""

    low: float
    high: float
    share: float


@dataclass(frozen=True)
class Chances:
    """A probability for each person: the largest, the mean, and how they are spread. `limit` is what was asked."""

    limit: float | None
    largest: float
    mean: float
    bins: tuple[ChanceBin, ...]


def chances(found: FloatArray, people: IntArray, limit: float | None = None, grain: Grain | None = None) -> Chances:
    """Probabilities `found`, each of so many people. With a `grain`, shares are rounded by it.

    Edges are 1%, 2%, 5%, …, 50%, 75%, 90%, 100% and the limit; the smallest probabilities share the first bin.

    >>> spread = chances(np.array([0.02, 0.05, 0.2]), np.array([5, 4, 1]), limit=0.2)
    >>> [(b.low, b.high, b.share) for b in spread.bins]
    [(0.0, 0.02, 0.5), (0.02, 0.05, 0.4), (0.05, 0.1, 0.0), (0.1, 0.2, 0.1)]
    """
    total = int(people.sum())
    if not total:
        return Chances(limit, 0.0, 0.0, ())
    largest = float(found.max())
    ordered = np.array(sorted({m / 10**e for e in range(1, 17) for m in (1, 2, 5)} | {0.75, 0.9, 1.0, limit or 1.0}))
    place = np.searchsorted(ordered * (1 + _SAME), np.minimum(found, 1.0))
    last = int(place.max())
    first = min(max(int(place.min()), last - MOST_BINS + 1), last)
    rows = np.bincount(np.maximum(place, first) - first, weights=people, minlength=last - first + 1) / total
    lows = [0.0, *ordered[first:last].tolist()]
    bins = [
        ChanceBin(low, float(high), share if grain is None else grain.round(share) / 100)
        for low, high, share in zip(lows, ordered[first : last + 1], rows.tolist(), strict=True)
    ]
    return Chances(limit, largest, float((found * people).sum() / total), tuple(bins))
