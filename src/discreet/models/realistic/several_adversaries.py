"""Several adversaries at once: the smallest ε of a whole release against each, in one pass over its groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.compiled import Twin, kernel
from discreet.counts.groups import Groups, Pairs, Tally
from discreet.models.realistic.adversaries import Adversary
from discreet.models.realistic.realistic import Sides
from discreet.models.realistic.realistic_kernels import fall, rise


class Beliefs(NamedTuple):
    """What several adversaries (rows) believe of each value (columns), as `realistic_kernels.Belief` has it of one."""

    sigma: FloatArray
    rest: FloatArray
    certain: BoolArray
    total: FloatArray
    known: IntArray


class Panel:
    """Adversaries of one sensitive attribute, of which every single value is protected.

    What they believe beforehand is looked up once; it is the same for every release of a table.

    >>> from discreet.models.realistic.adversaries import ClassThree, ClassTwo
    >>> from discreet.models.examples import groups_of
    >>> groups = groups_of("disease", ["flu", "flu", "cold", "cold"], ["flu", "cold", "cold"])
    >>> Panel([ClassTwo(100), ClassThree()], "disease", groups.tallies["disease"]).worst(groups).round(3)
    array([34.333,  1.286])
    """

    def __init__(self, adversaries: Sequence[Adversary], attribute: str, t: Tally):
        self._attribute = attribute
        sigma, rest, certain = [], [], []
        for adversary in adversaries:
            values = len(t.reference)
            share, others = (np.ones(values),) * 2 if adversary.prior is None else adversary.prior.shares(t)
            speaks_for, against = adversary.sigma(share, others)
            sigma.append(speaks_for)
            rest.append(against)
            certain.append(others == 0)
        self._beliefs = Beliefs(
            np.array(sigma, dtype=np.float64),
            np.array(rest, dtype=np.float64),
            np.array(certain, dtype=np.bool_),
            np.array([np.inf if a.total is None else float(a.total) for a in adversaries]),
            np.array([a.known for a in adversaries], dtype=np.int64),
        )

    def worst(self, groups: Groups) -> FloatArray:
        """The smallest ε at which all groups are private, rounded up, against each of the adversaries."""
        worst = worst_epsilon(groups.tallies[self._attribute].pairs, groups.sizes, self._beliefs)
        unknown = np.full(len(worst), np.nan)  # whose belief decides is not kept
        return Sides(worst, worst, unknown, unknown).epsilon


def _worst_epsilon(pairs: Pairs, sizes: IntArray, beliefs: Beliefs) -> FloatArray:
    """The same in NumPy, operation by operation as `rise` and `fall` have it."""
    values, counts = pairs.values, pairs.counts
    worst = np.zeros(len(beliefs.total))
    for a, (total, known) in enumerate(zip(beliefs.total.tolist(), beliefs.known.tolist(), strict=True)):
        m = np.repeat(sizes - known, np.diff(pairs.offsets))
        sigma, rest, r = beliefs.sigma[a, values], beliefs.rest[a, values], m - counts
        with np.errstate(all="ignore"):
            if math.isinf(total):
                up, down = counts / sigma * (1.0 / m), rest / r * m
            else:
                up = counts / ((counts - 1) + sigma) * ((total + m) / m)
                down = (1 + (rest + 1) / r) * (m / (total - 1 + m))
        up[(m <= 0) | (sigma <= 0)] = math.inf
        down[r <= 0] = math.inf
        told = ~beliefs.certain[a, values] & (counts > 0)
        worst[a] = max(0.0, up[told].max(initial=0.0), down[told].max(initial=0.0))
    return worst


@kernel(twin=Twin(_worst_epsilon, lambda pairs, sizes, beliefs: 300 + len(pairs.values) * len(beliefs.total) // 5))
def worst_epsilon(pairs: Pairs, sizes: IntArray, beliefs: Beliefs) -> FloatArray:
    """The ε that R1 and R2 ask for over all values of all groups, against each adversary (see `realistic_kernels`)."""
    offsets, values, counts = pairs.offsets, pairs.values, pairs.counts
    sigma, rest, certain, total, known = beliefs.sigma, beliefs.rest, beliefs.certain, beliefs.total, beliefs.known
    worst = np.zeros(len(total))
    for a in range(len(total)):
        epsilon = 0.0
        for g in range(len(sizes)):
            m = sizes[g] - known[a]
            for p in range(offsets[g], offsets[g + 1]):
                v = values[p]
                if certain[a, v] or counts[p] == 0:
                    continue
                up = rise(counts[p], m, sigma[a, v], total[a])
                down = fall(counts[p], m, rest[a, v], total[a])
                epsilon = max(epsilon, up, down)
            if epsilon == math.inf:  # one group that agrees is enough: fine nodes are decided at once
                break
        worst[a] = epsilon
    return worst
