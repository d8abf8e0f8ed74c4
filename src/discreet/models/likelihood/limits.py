"""The limits that promises set to how often a value may occur in a group of a given size, for `likely`."""

from __future__ import annotations

import math

import numpy as np

from discreet.counts.cells import Cells
from discreet.counts.groups import Tally
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.hierarchies.rules import Flat
from discreet.models.likelihood.diversity import Limits
from discreet.models.parameters import exact
from discreet.models.realistic.realistic import Realistic


def expected_tally(cells: Cells, rows: int, attribute: str, hierarchy: Hierarchy | None) -> Tally:
    """No groups, but what is expected of the whole table: `reference`. Without a hierarchy values are numbers."""
    assert cells.sensitive is not None, "the summary has to tell the sensitive values too"
    shares = cells.likelihood @ cells.sensitive
    reference = np.rint(shares * rows).astype(np.int64)
    if hierarchy is None:
        hierarchy = build(attribute, [f"{value:09d}" for value in range(len(shares))], Flat())
    nothing = np.empty(0, dtype=np.int64)
    return Tally(np.zeros(1, dtype=np.int64), nothing.astype(np.int32), nothing, reference, hierarchy)


def realistic_limits(model: Realistic, cells: Cells, rows: int, hierarchy: Hierarchy | None) -> Limits:
    """What the conditions R1 and R2 of ε-privacy allow of each single value; see `Realistic`.

    With m = n − known: n(s) (1 − r m) ≤ m ε (σ − 1) / total, where r = (ε − 1) / total, and
    (1 − n(s) / m) (ε (1 − 1 / total) + r m) ≥ 1 − (σ − 1) / total. Where she is unshakable, n(s) ≤ m ε σ and
    n(s) ≤ m (1 − (1 − σ) / ε). In any case fewer than m.
    """
    adversary, epsilon = model.adversary, float(exact(model.epsilon))
    tally = expected_tally(cells, rows, model.attribute, hierarchy)
    if adversary.prior is None:
        share = rest = np.ones(len(tally.reference))
    else:
        share, rest = adversary.prior.shares(tally)
    sigma, _ = adversary.sigma(share, rest)
    if adversary.total is None:
        a = np.maximum(np.minimum(epsilon * sigma, 1 - (1 - sigma) / epsilon), 0.0)
        limits = a, np.zeros(len(a)), 1.0, 0.0
    else:
        total = float(adversary.total)
        a = np.maximum(epsilon * (sigma - 1) / total, 0.0)
        b = np.where(sigma > 0, 1 - (sigma - 1) / total, math.inf)
        limits = a, b, epsilon * (1 - 1 / total), (epsilon - 1) / total
    a, b, c, r = limits
    certain = rest == 0
    return Limits(np.where(certain, math.inf, a), b, float(adversary.known), c=c, r=r, strictly=True)
