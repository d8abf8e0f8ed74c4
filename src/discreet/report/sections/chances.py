"""How sure somebody could be, of each person: probabilities over all the people of a release, as a histogram."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.report.marginals import Grain

MOST_BINS = 8  # and one for 0
_SAME = 1e-9  # what lies this close to an edge is at the edge: a histogram decides nothing


@dataclass(frozen=True)
class ChanceBin:
    """The share of the published people of whom the probability is above `low` and at most `high`; 0 if `high` is."""

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

    Edges are 1%, 2%, 5%, …, 50%, 75%, 90%, 100% and the limit. Whom it can't be true of have a bin of their own; of the
    others, the smallest probabilities share the first bin.

    >>> spread = chances(np.array([0.02, 0.05, 0.2]), np.array([5, 4, 1]), limit=0.2)
    >>> [(b.low, b.high, b.share) for b in spread.bins]
    [(0.0, 0.02, 0.5), (0.02, 0.05, 0.4), (0.05, 0.1, 0.0), (0.1, 0.2, 0.1)]
    """
    total = int(people.sum())
    if not total:
        return Chances(limit, 0.0, 0.0, ())
    never = found <= 0
    bins = [ChanceBin(0.0, 0.0, float(people[never].sum() / total))] if never.any() else []
    if not never.all():
        bins += _bins(np.minimum(found[~never], 1.0), people[~never] / total, limit)
    if grain is not None:
        bins = [replace(b, share=grain.round(b.share) / 100) for b in bins]
    return Chances(limit, float(found.max()), float((found * people).sum() / total), tuple(bins))


def _bins(found: FloatArray, shares: FloatArray, limit: float | None) -> list[ChanceBin]:
    edges = {m / 10**e for e in range(1, 17) for m in (1, 2, 5)} | {0.75, 0.9, 1.0, limit or 1.0}
    ordered = np.array(sorted(edges))
    place = np.searchsorted(ordered * (1 + _SAME), found)
    last = int(place.max())
    first = min(max(int(place.min()), last - MOST_BINS + 1), last)
    within = np.bincount(np.maximum(place, first) - first, weights=shares, minlength=last - first + 1)
    lows = [0.0, *ordered[first:last].tolist()]
    highs = ordered[first : last + 1].tolist()
    return [ChanceBin(*b) for b in zip(lows, highs, within.tolist(), strict=True)]
