"""How likely a promise is kept, seen from a summary: before anybody has looked at the data.

Nergiz, Tamersoy & Saygin 2011. A summary gives the likelihood of each group; a table of N rows drawn from it is a
multinomial. The probability that every group keeps the promise (the μ-probability) and the expected number of rows in
groups that don't (the μ-expectation) tell a search where looking is worth a scan.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.cells import Cells
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.models.base import AboutPopulation, PrivacyModel
from discreet.models.groups.alpha_k import AlphaK
from discreet.models.groups.beta_likeness import BetaLikeness
from discreet.models.groups.delta_disclosure import DeltaDisclosure
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import (
    DistinctDiversity,
    EntropyDiversity,
    FrequencyDiversity,
    RecursiveDiversity,
)
from discreet.models.likelihood.diversity import Limits, share_limits, values_different, values_limited
from discreet.models.likelihood.limits import realistic_limits
from discreet.models.likelihood.options import Likely, Options
from discreet.models.likelihood.simulated import simulated
from discreet.models.likelihood.sizes import sizes_allowed
from discreet.models.parameters import exact
from discreet.models.presence.presence import UNLIMITED, Presence, times
from discreet.models.realistic.realistic import Realistic

__all__ = ["Likely", "Options", "likely", "supports"]

_PLAIN = Options()
_COMPUTED = KAnonymity | FrequencyDiversity | DistinctDiversity | AlphaK
_DRAWN = EntropyDiversity | RecursiveDiversity | BetaLikeness | DeltaDisclosure


def supports(model: PrivacyModel, hierarchy: bool = False, population: bool = False) -> bool:
    """Is there a μ-probability for this promise?

    Some promises ask for more than a summary's groups: the `hierarchy` of the sensitive attribute (its values have
    names or places), or the `population`.

    >>> supports(KAnonymity(3)), supports(Presence((0, 0.1))), supports(Presence((0, 0.1)), population=True)
    (True, False, True)
    """
    if isinstance(model, Presence):
        return population
    if isinstance(model, AboutPopulation):
        return False
    if isinstance(model, Realistic):
        plain = model.adversary.prior is None or isinstance(model.adversary.prior.to_words(), str)
        return hierarchy or (plain and not model.predicates.listed)
    return isinstance(model, _COMPUTED | _DRAWN) or (hierarchy and model.attribute != "")


def likely(
    model: PrivacyModel,
    cells: Cells,
    rows: int,
    options: Options = _PLAIN,
    at_least: float | None = None,
    at_most: float | None = None,
    hierarchy: Hierarchy | None = None,
    population: IntArray | None = None,
) -> Likely:
    """The probability that all groups of a random table of `rows` rows keep the promise, and the rows expected not to.

    Where it only matters whether the probability is `at_least` something and the expectation `at_most` something, less
    is computed, and what is returned then compares with them as the truth does. `hierarchy` is that of the sensitive
    attribute, `population` the number of people in each group, for promises that ask for them (see `supports`).
    Promises without a formula are judged by drawing tables.

    >>> found = likely(KAnonymity(2), Cells(np.full(4, 0.25)), 8)
    >>> round(found.probability, 4), round(found.expectation, 4)
    (0.2397, 1.0679)
    """
    if not supports(model, hierarchy is not None, population is not None):
        raise TypeError(f"no μ-probability for {model.describe()} without what it is about")
    if isinstance(model, KAnonymity):
        least, most = np.array([model.k]), np.array([UNLIMITED])
        return sizes_allowed(cells, rows, least, most, True, options, at_least, at_most)
    if isinstance(model, Presence):
        assert population is not None
        low, high = model.delta
        least, most = -times(-population, low), times(population, high)
        return sizes_allowed(cells, rows, least, most, False, options, at_least, at_most)
    if isinstance(model, DistinctDiversity):
        return values_different(cells, rows, model.l, options, at_least, at_most)
    if isinstance(model, FrequencyDiversity) and options.shares is not None:
        return options.shares(cells, rows, float(1 / exact(model.l)), at_least, at_most)
    limits = _limits(model, cells, rows, hierarchy)
    if limits is not None:
        return values_limited(cells, rows, limits, options, at_least, at_most)
    return simulated(model, cells, rows, at_least=at_least, at_most=at_most, hierarchy=hierarchy)


def _limits(model: PrivacyModel, cells: Cells, rows: int, hierarchy: Hierarchy | None) -> Limits | None:
    """How often each value may occur, for promises of this kind."""
    values = 0 if cells.sensitive is None else cells.sensitive.shape[1]
    if isinstance(model, FrequencyDiversity):
        return share_limits(float(1 / exact(model.l)), values)
    if isinstance(model, AlphaK):
        return share_limits(float(exact(model.alpha)), values, model.k)
    if isinstance(model, Realistic) and not model.predicates.listed:
        return realistic_limits(model, cells, rows, hierarchy)
    return None
