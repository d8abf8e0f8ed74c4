"""The paper's own algorithm for ℓ-diversity and its switches, beside what we compute."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.counts.cells import Cells
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.likelihood.likely import Options, likely
from discreet.studies.instant.likely_paper import PaperShares
from discreet.studies.instant.likely_paper_kernels import Switches

OFF = Switches(hybrid=False, expo=False, sd_cut=False, limit=False, maximum=False)
# How much each may change the probability: of what section 6 calls little or no loss.
LOSS = {"hybrid": 0.02, "expo": 0.01, "sd_cut": 0.002, "limit": 0.005, "maximum": 0.005}


def cells(groups: int, values: int, evenness: float, seed: int = 5) -> Cells:
    rng = np.random.default_rng(seed)
    return Cells(rng.dirichlet(np.full(groups, 20.0)), rng.dirichlet(np.full(values, evenness), size=groups))


@pytest.mark.parametrize("name", LOSS)
@pytest.mark.parametrize("counts", ["poisson", "binomial"])
def test_no_switch_changes_much(name: str, counts: str) -> None:
    model, some = FrequencyDiversity(4, "salary"), cells(12, 12, 6.0)
    without, within = (
        likely(model, some, 900, Options(shares=PaperShares(switches, counts == "binomial")))
        for switches in (OFF, OFF._replace(**{name: True}))
    )
    assert 0.3 < without.probability < 0.97
    assert within.probability == pytest.approx(without.probability, abs=LOSS[name])


def test_with_poisson_counts_it_is_closer_to_the_truth_than_with_binomial_ones() -> None:
    model, some = FrequencyDiversity(4, "salary"), cells(10, 10, 5.0)
    truth = likely(model, some, 1000).probability
    poisson, binomial = (
        likely(model, some, 1000, Options(shares=PaperShares(binomial=binomial))).probability
        for binomial in (False, True)
    )
    assert abs(poisson - truth) < 0.03 < abs(binomial - truth)


def test_sums_of_many_values_are_normal_enough() -> None:
    model, some = FrequencyDiversity(5, "salary"), cells(20, 40, 4.0)
    truth = likely(model, some, 1200)
    paper = likely(model, some, 1200, Options(shares=PaperShares(OFF, binomial=False)))
    assert 0.05 < truth.probability < 0.99
    assert paper.probability == pytest.approx(truth.probability, abs=0.02)


def test_it_stops_early_too() -> None:
    model, some = FrequencyDiversity(4, "salary"), cells(12, 12, 6.0)
    full = likely(model, some, 1500, Options(shares=PaperShares(binomial=False)))
    short = likely(model, some, 1500, Options(shares=PaperShares(binomial=False)), at_most=full.expectation / 2)
    assert short.decided == "stopped early"
    assert full.expectation / 2 < short.expectation <= full.expectation
    assert likely(model, some, 0, Options(shares=PaperShares(binomial=False))).probability == 1.0
