"""More promises seen from a summary: adversaries, presence, and those judged by drawn tables."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
import pytest

from discreet.counts.cells import Cells
from discreet.counts.groups import Groups
from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Flat
from discreet.models.base import PrivacyModel
from discreet.models.examples import groups_of
from discreet.models.groups.alpha_k import AlphaK
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import EntropyDiversity, FrequencyDiversity
from discreet.models.groups.t_closeness import TCloseness
from discreet.models.likelihood.likely import likely, supports
from discreet.models.likelihood.limits import realistic_limits
from discreet.models.likelihood.simulated import simulated as drawn
from discreet.models.presence.presence import Presence
from discreet.models.realistic.adversaries import Adversary, ClassOne, ClassThree, ClassTwo
from discreet.models.realistic.priors import SharesPrior
from discreet.models.realistic.realistic import Realistic
from tests.models.multinomials import compositions, enumerated, probability, simulated

ADVERSARIES: list[Adversary] = [
    ClassOne(40),
    ClassOne(40, known=2),
    ClassTwo(30),
    ClassTwo(30, known=3),
    ClassThree(),
    ClassThree(known=2),
]


def realistic_cells() -> Cells:
    rng = np.random.default_rng(2)
    return Cells(rng.dirichlet(np.full(4, 9.0)), rng.dirichlet(np.full(3, 60.0), size=4))


@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_limits_are_those_of_the_promise_itself(adversary: Adversary) -> None:
    """Every group of three values up to a size, as `Realistic` judges it and as the limits do."""
    from tests.inner_kernels import limit

    cells, rows = Cells(np.ones(1), np.array([[0.5, 0.3, 0.2]])), 1000
    model = Realistic(3, adversary, "disease")
    limits = realistic_limits(model, cells, rows, None)
    table = ["a"] * 500 + ["b"] * 300 + ["c"] * 200
    for x in (1, 2, 3, 7, 12, 25, 60):
        counts = [(i, j, x - i - j) for i in range(0, x + 1, max(x // 7, 1)) for j in range(x + 1 - i)]
        groups = [[*"a" * i, *"b" * j, *"c" * k] for i, j, k in counts]
        truth = model.holds(groups_of("disease", *groups, table=table))
        most = [floor(limit(x, limits.a[j], limits.b[j], limits.shape) + 1e-9) for j in range(3)]
        assert truth.tolist() == [all(u <= m for u, m in zip(c, most, strict=True)) for c in counts]


@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_adversaries_agree_with_drawn_tables(adversary: Adversary) -> None:
    model = Realistic(3, adversary, "disease")
    cells = realistic_cells()
    assert supports(model)
    found, truth = likely(model, cells, 400), drawn(model, cells, 400, draws=4000)
    assert truth.decided == "simulation"
    assert found.probability == pytest.approx(truth.probability, abs=0.03)
    assert found.expectation == pytest.approx(truth.expectation, rel=0.06, abs=1.0)


def test_an_adversary_with_named_beliefs_needs_the_names() -> None:
    prior = SharesPrior({"flu": 0.5, "cold": 0.3, "gout": 0.2})
    model = Realistic(3, ClassThree(prior), "disease")
    hierarchy = build("disease", ["flu", "cold", "gout"], Flat())
    cells = realistic_cells()
    assert not supports(model)
    assert supports(model, hierarchy=True)
    found = likely(model, cells, 300, hierarchy=hierarchy)
    truth = drawn(model, cells, 300, draws=4000, hierarchy=hierarchy)
    assert found.probability == pytest.approx(truth.probability, abs=0.03)
    with pytest.raises(TypeError, match="no μ-probability"):
        likely(model, cells, 300)


def test_presence_in_a_known_population_is_exact() -> None:
    weights, population = [3, 2, 5], np.array([12, 9, 20])
    shares = [[Fraction(w, 10)] for w in weights]
    model = Presence(("1/10", "2/5"))
    cells = Cells(np.array(weights) / 10)
    found = likely(model, cells, 8, population=population)
    every = [model.holds(Groups(np.full(3, rows), population=population)) for rows in range(9)]
    truth, lost = Fraction(0), Fraction(0)
    for counts in compositions(8, 3):
        p = probability(counts, [share for [share] in shares])
        holds = [bool(every[c][g]) for g, c in enumerate(counts)]
        truth += p if all(holds) else 0
        lost += p * sum(c for c, h in zip(counts, holds, strict=True) if not h)
    assert (found.probability, found.expectation) == pytest.approx((float(truth), float(lost)), abs=1e-9)
    assert 0.05 < found.probability < 0.95


def test_presence_agrees_with_drawn_tables_of_many_groups() -> None:
    rng = np.random.default_rng(6)
    likelihood = rng.dirichlet(np.full(40, 30.0))
    population = np.rint(likelihood * 20_000 * rng.uniform(0.9, 1.1, 40)).astype(np.int64)
    model = Presence((0, "0.145"))
    most = np.array([floor(n * Fraction("0.145")) for n in population])
    truth, expectation, error = simulated(2000, likelihood[:, None], lambda c: c[:, :, 0] <= most, 12_000, seed=1)
    found = likely(model, Cells(likelihood), 2000, population=population)
    assert 0.05 < truth < 0.95
    assert abs(found.probability - truth) <= 0.014
    assert abs(found.expectation - expectation) <= max(0.01 * expectation, 4 * error)
    early = likely(model, Cells(likelihood), 2000, at_least=0.999, population=population)
    assert found.probability <= early.probability < 0.999


def test_size_and_share_together() -> None:
    model = AlphaK("0.6", 3, "disease")
    shares = [[Fraction(3, 20), Fraction(5, 20)], [Fraction(6, 20), Fraction(6, 20)]]
    cells = Cells(np.array([0.4, 0.6]), np.array([[3 / 8, 5 / 8], [0.5, 0.5]]))
    truth = enumerated(9, shares, lambda group: sum(group) >= 3 and max(group) <= Fraction("0.6") * sum(group))
    found = likely(model, cells, 9)
    assert found.probability == pytest.approx(truth[0], abs=1e-5)
    assert found.expectation == pytest.approx(truth[1], abs=1e-4)


@pytest.mark.parametrize("model", [FrequencyDiversity(2, "disease"), AlphaK("0.5", 20, "disease")])
def test_drawing_agrees_with_computing(model: PrivacyModel) -> None:
    cells = realistic_cells()
    found, truth = likely(model, cells, 200), drawn(model, cells, 200, draws=4000)
    assert found.probability == pytest.approx(truth.probability, abs=0.03)
    assert found.expectation == pytest.approx(truth.expectation, rel=0.06, abs=0.5)


def test_promises_without_a_formula_are_drawn_and_stop_early() -> None:
    cells = realistic_cells()
    model = EntropyDiversity("2.9", "disease")
    found = likely(model, cells, 5000, at_least=0.8)
    assert found.decided == "simulation"
    assert found == likely(model, cells, 5000, at_least=0.8)  # always the same tables
    hierarchy = build("disease", ["flu", "cold", "gout"], Flat())
    close = TCloseness("0.3", "disease")
    assert supports(close, hierarchy=True)
    assert likely(close, cells, 3000, hierarchy=hierarchy, at_least=0.8, at_most=5.0).probability == 1.0
    assert not supports(Presence((0, "0.1")))
    assert supports(KAnonymity(2))
