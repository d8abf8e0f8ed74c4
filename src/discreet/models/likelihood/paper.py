"""ℓ-diversity seen from a summary as the paper computes it, to be compared with what we do; see the kernels."""

from __future__ import annotations

import math

import numpy as np

from discreet.counts.cells import Cells
from discreet.models.likelihood.options import Likely, Switches
from discreet.models.likelihood.sizes import normal_sums, together


def diversity_of_paper(
    cells: Cells,
    rows: int,
    share: float,
    switches: Switches,
    binomial: bool,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Likely:
    """No value is that of more than this share of any group, with normal sums of binomial or Poisson counts."""
    from discreet.models.likelihood import paper_kernels as kernels
    from discreet.models.likelihood import size_kernels as likely_kernels

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
        switches.hybrid,
        switches.expo,
        switches.sd_cut,
        switches.limit,
        switches.maximum,
        binomial,
        0.0 if at_least is None else at_least,
        math.inf if at_most is None else at_most,
    )
    if ended != likely_kernels.FINISHED:
        whole = likely_kernels.log_poisson(rows, float(rows))
        return Likely(math.exp(min(logarithm - whole, 0.0)), expectation, "stopped early")
    return Likely(together(logarithm, *normal_sums(rows, *sums)), expectation, "approximation")
