"""How likely a promise is kept, seen from a summary: before anybody has looked at the data.

Nergiz, Tamersoy & Saygin 2011. A summary gives the likelihood of each group; a table of N rows drawn from it is a
multinomial. The probability that every group keeps the promise (the μ-probability) and the expected number of rows in
groups that don't (the μ-expectation) tell a search where looking is worth a scan.
"""

from __future__ import annotations

import numpy as np

from discreet.counts.cells import Cells
from discreet.models.base import PrivacyModel
from discreet.models.k_anonymity import KAnonymity
from discreet.models.l_diversity import DistinctDiversity, FrequencyDiversity
from discreet.models.likely_diversity import share_limits, values_different, values_limited
from discreet.models.likely_k import sizes_allowed
from discreet.models.likely_options import Likely, Options
from discreet.models.parameters import exact

__all__ = ["Likely", "Options", "likely", "supports"]

_PLAIN = Options()


def supports(model: PrivacyModel) -> bool:
    """Is there a μ-probability for this promise?

    >>> supports(KAnonymity(3))
    True
    """
    return isinstance(model, KAnonymity | FrequencyDiversity | DistinctDiversity)


def likely(
    model: PrivacyModel,
    cells: Cells,
    rows: int,
    options: Options = _PLAIN,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Likely:
    """The probability that all groups of a random table of `rows` rows keep the promise, and the rows expected not to.

    Where it only matters whether the probability is `at_least` something and the expectation `at_most` something, less
    is computed, and what is returned then compares with them as the truth does.

    >>> found = likely(KAnonymity(2), Cells(np.full(4, 0.25)), 8)
    >>> round(found.probability, 4), round(found.expectation, 4)
    (0.2397, 1.0679)
    """
    if isinstance(model, KAnonymity):
        from discreet.models.likely_kernels import UNBOUNDED

        least, most = np.array([model.k]), np.array([UNBOUNDED])
        return sizes_allowed(cells, rows, least, most, True, options, at_least, at_most)
    if isinstance(model, FrequencyDiversity):
        limits = share_limits(float(1 / exact(model.l)), _values(cells))
        return values_limited(cells, rows, limits, options, at_least, at_most)
    if isinstance(model, DistinctDiversity):
        return values_different(cells, rows, model.l, options, at_least, at_most)
    raise TypeError(f"no μ-probability for {model.describe()}")


def _values(cells: Cells) -> int:
    return 0 if cells.sensitive is None else cells.sensitive.shape[1]
