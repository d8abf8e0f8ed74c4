"""How likely any promise about groups is kept, by drawing tables from the summary: slow, and right within its error."""

from __future__ import annotations

import math

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.cells import Cells
from discreet.counts.groups import Groups, tally
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.models.base import PrivacyModel
from discreet.models.likelihood.limits import expected_tally
from discreet.models.likelihood.options import Likely

_SEED = 20110301
_NUMBERS = 4_000_000  # counts that are held at once
# A probability on this side of a threshold by so many standard errors is taken to be there.
_ERRORS = 4.0


def simulated(
    model: PrivacyModel,
    cells: Cells,
    rows: int,
    draws: int = 400,
    at_least: float | None = None,
    at_most: float | None = None,
    hierarchy: Hierarchy | None = None,
) -> Likely:
    """The share of drawn tables that keep the promise everywhere, and the mean number of rows in groups that don't.

    Always the same tables for the same question. Stops as soon as four standard errors tell the probability from
    `at_least` or the expectation from `at_most`.

    >>> from discreet.models.groups.t_closeness import TCloseness
    >>> found = simulated(TCloseness(0.5, "salary"), Cells(np.ones(1), np.array([[0.5, 0.5]])), 100)
    >>> found.probability, found.decided
    (1.0, 'simulation')
    """
    about = expected_tally(cells, rows, model.attribute, hierarchy)
    assert cells.sensitive is not None
    shares = (cells.likelihood[:, None] * cells.sensitive).ravel()
    shares = shares / shares.sum()
    some = np.flatnonzero(shares > 0)
    values = cells.sensitive.shape[1]
    rng = np.random.default_rng(_SEED)
    at_once = max(min(_NUMBERS // max(len(some), 1), draws // 10), 1)
    kept, lost = 0, list[float]()
    while len(lost) < draws:
        many = min(at_once, draws - len(lost))
        counts = rng.multinomial(rows, shares[some], size=many)
        draw, at = np.nonzero(counts)
        group, value = some[at] // values, some[at] % values
        filled, place = np.unique(draw * len(cells) + group, return_inverse=True)
        counted = counts[draw, at]
        sizes = np.bincount(place, weights=counted, minlength=len(filled)).astype(np.int64)
        tallied = tally(
            place.astype(np.int64), value.astype(np.int32), counted, len(filled), about.reference, about.hierarchy
        )
        breaking = ~model.holds(Groups(sizes, {model.attribute: tallied}))
        rows_lost: IntArray = np.bincount(filled // len(cells), weights=sizes * breaking, minlength=many)
        kept += int((rows_lost == 0).sum())
        lost += rows_lost.tolist()
        if _clear(kept, lost, at_least, at_most):
            break
    return Likely(kept / len(lost), float(np.mean(lost)), "simulation")


def _clear(kept: int, lost: list[float], at_least: float | None, at_most: float | None) -> bool:
    """Is all that was asked for decided, or one thing failed?"""
    many = len(lost)
    if many < 20 or (at_least is None and at_most is None):
        return False
    decided = []
    if at_least is not None:
        error = _ERRORS * max(math.sqrt(kept * (many - kept) / many**3), 1 / many)
        decided.append((kept / many - error >= at_least, kept / many + error < at_least))
    if at_most is not None:
        error = _ERRORS * float(np.std(lost)) / math.sqrt(many) + 1e-9
        mean = float(np.mean(lost))
        decided.append((mean + error <= at_most, mean - error > at_most))
    return any(fails for _, fails in decided) or all(holds for holds, _ in decided)
