"""ℓ-diversity seen from a summary as the paper computes it, to be compared with what we do; see the kernels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from discreet.counts.cells import Cells
from discreet.models.likelihood.options import Likely
from discreet.models.likelihood.size_kernels import FINISHED, Goal, log_poisson
from discreet.models.likelihood.sizes import normal_sums, together
from discreet.studies.instant import likely_paper_kernels as kernels
from discreet.studies.instant.likely_paper_kernels import ALL_ON, Switches


@dataclass(frozen=True)
class PaperShares:
    """No value is that of more than a share of any group, with normal sums of binomial or Poisson counts.

    Options that compute ℓ-diversity in this way are ``Options(shares=PaperShares())``.

    >>> cells = Cells(np.full(4, 0.25), np.full((4, 5), 0.2))
    >>> round(PaperShares()(cells, 400, 0.5).probability, 4)
    1.0
    """

    switches: Switches = ALL_ON
    binomial: bool = True  # as in the paper; Poisson counts are closer to the truth

    def __call__(
        self, cells: Cells, rows: int, share: float, at_least: float | None = None, at_most: float | None = None
    ) -> Likely:
        assert cells.sensitive is not None, "the summary has to tell the sensitive values too"
        if rows == 0:
            return Likely(1.0, 0.0, "approximation")
        sensitive = cells.sensitive
        if len(sensitive) and sensitive.strides[0] == 0:  # one distribution for all, written once
            sensitive = np.array(sensitive[:1])
        ended, logarithm, expectation, sums = kernels.paper_masses(
            np.require(cells.likelihood, np.float64, ["C", "W"]),
            np.require(sensitive, np.float64, ["C", "W"]),
            rows,
            share,
            self.switches,
            self.binomial,
            Goal(0.0 if at_least is None else at_least, math.inf if at_most is None else at_most),
        )
        if ended != FINISHED:
            whole = log_poisson(rows, float(rows))
            return Likely(math.exp(min(logarithm - whole, 0.0)), expectation, "stopped early")
        return Likely(together(logarithm, *normal_sums(rows, *sums)), expectation, "approximation")
