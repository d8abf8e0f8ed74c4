"""Every node measured in one walk, against each node counted and judged by itself in plain Python."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import PolicyError
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.groups.t_closeness import TCloseness
from discreet.models.realistic.adversaries import Adversary, ClassOne, ClassThree, ClassTwo
from discreet.models.realistic.predicates import Predicates
from discreet.models.realistic.priors import TABLE, UNIFORM
from discreet.models.realistic.realistic import Realistic
from discreet.search.lattice import whole_lattice as module
from discreet.search.lattice.whole_lattice import Measure, whole_lattice
from tests.models.cases import ATTRIBUTE
from tests.oracles import equal_distance
from tests.strategies import Table, tables

ADVERSARIES: tuple[Adversary, ...] = (
    ClassOne(Fraction(10), TABLE),
    ClassOne(Fraction(1000), UNIFORM),
    ClassOne(Fraction(50), TABLE, known=1),
    ClassTwo(Fraction(10)),
    ClassTwo(Fraction(10**6)),
    ClassThree(TABLE),
    ClassThree(UNIFORM),
)
MEASURES = tuple(Measure((Realistic(2, a, ATTRIBUTE),), "epsilon") for a in ADVERSARIES)
CLASSICAL = (
    Measure((KAnonymity(2),), "k"),
    Measure((FrequencyDiversity(2, ATTRIBUTE),), "l"),
    Measure((TCloseness("1/5", ATTRIBUTE),), "t"),
)


def private(adversary: Adversary, group: list[object], table: list[object], epsilon: Fraction) -> bool:
    """R1 and R2 as the theorems have them, value by value.

    R1 of class I, "δ ≥ 1 or x ≤ ε / (1 − δ) · (σ(s) − 1) / (σ + b)", is multiplied out: where σ(s) < 1, which the paper
    leaves out, δ ≥ 1 alone would not do.
    """
    b = adversary.known
    for value, count in Counter(group).items():
        share = Fraction(table.count(value), len(table)) if adversary.prior is TABLE else Fraction(1, len(set(table)))
        if adversary.prior is not None and share == 1:
            continue  # nothing to learn
        m = len(group) - b
        if m <= count:
            return False
        x = Fraction(count, m)
        if isinstance(adversary, ClassThree):
            if x > epsilon * share or x > 1 - (1 - share) / epsilon:
                return False
            continue
        sigma = Fraction(adversary.stubbornness)
        own = share * sigma if isinstance(adversary, ClassOne) else Fraction(1)
        delta, prime = (epsilon - 1) * m / (sigma + b), epsilon * (1 - 1 / (sigma + b))
        first = x * (1 - delta) <= epsilon * (own - 1) / (sigma + b)
        if not first or x > 1 - (1 - (own - 1) / (sigma + b)) / (prime + delta):
            return False
    return True


def groups_at(table: Table, node: tuple[int, ...]) -> list[list[object]]:
    found: dict[object, list[object]] = {}
    for look, value in zip(table.generalized(node), table.sensitive[ATTRIBUTE], strict=True):
        found.setdefault(look, []).append(value)
    return list(found.values())


@given(tables())
def test_every_node_has_the_smallest_epsilon_that_counting_it_alone_gives(table: Table) -> None:
    lattice = whole_lattice(table.frequency(), MEASURES)
    assert sorted(map(lattice.node, range(len(lattice)))) == sorted(table.nodes)
    values = list(table.sensitive[ATTRIBUTE])
    for at in range(len(lattice)):
        groups = groups_at(table, lattice.node(at))
        for column, adversary in enumerate(ADVERSARIES):
            level = float(lattice.levels[at, column])

            def all_private(epsilon: Fraction, of: Adversary = adversary, groups: list[Any] = groups) -> bool:
                return all(private(of, group, values, epsilon) for group in groups)

            if math.isinf(level):
                assert not all_private(Fraction(10**15)), adversary
                continue
            assert all_private(Fraction(level)), adversary
            below = Fraction(level) * (1 - Fraction(1, 10**9))
            assert below < 1 or not all_private(below), adversary


@given(tables())
def test_every_node_has_its_groups_and_classical_levels(table: Table) -> None:
    lattice = whole_lattice(table.frequency(), CLASSICAL, [KAnonymity(2)])
    values = list(table.sensitive[ATTRIBUTE])
    for at in range(len(lattice)):
        groups = groups_at(table, lattice.node(at))
        sizes = [len(group) for group in groups]
        assert (lattice.groups[at], lattice.smallest_group[at]) == (len(groups), min(sizes))
        assert lattice.discernibility[at] == sum(n * n for n in sizes)
        assert lattice.keeps[at] == (min(sizes) >= 2)
        largest = max(Fraction(max(Counter(group).values()), len(group)) for group in groups)
        distance = max(equal_distance(group, values) for group in groups)
        assert lattice.levels[at].tolist() == pytest.approx([min(sizes), float(1 / largest), float(distance)])


@given(tables())
def test_loss_is_the_mean_share_of_leaves_that_stay_open(table: Table) -> None:
    lattice = whole_lattice(table.frequency(), ())
    for at in range(len(lattice)):
        cells = [
            Fraction(len(look) - 1, max(len(paths) - 1, 1))
            for row in table.generalized(lattice.node(at))
            for look, paths in zip(row, table.paths, strict=True)
        ]
        assert lattice.loss[at] == pytest.approx(float(sum(cells) / len(cells)))


@given(tables(), st.sampled_from(range(len(MEASURES))), st.sampled_from(["1", "3/2", "2", "5/2", "4"]))
def test_holds_is_the_models_own_exact_verdict(table: Table, column: int, epsilon: str) -> None:
    frequency = table.frequency()
    lattice = whole_lattice(frequency, MEASURES)
    verdict = lattice.holds(column, Fraction(epsilon))
    for at in range(len(lattice)):
        groups = lattice.roll_up.groups(lattice.node(at)).groups
        assert verdict[at] == Realistic(epsilon, ADVERSARIES[column], ATTRIBUTE).holds(groups).all()


def test_a_border_that_is_met_exactly_is_kept_however_the_level_was_rounded() -> None:
    table = Table(
        ({"a": (), "b": ()},), (("a",),) * 5, {ATTRIBUTE: ("x",) * 4 + ("y",)}, {ATTRIBUTE: {"x": (), "y": ()}}
    )
    lattice = whole_lattice(table.frequency(), MEASURES)
    uniform = ADVERSARIES.index(ClassThree(UNIFORM))
    assert lattice.levels[:, uniform].min() > 2.5  # rounded up: a group of 4 to 1 is private at 2.5 exactly
    assert lattice.holds(uniform, Fraction(5, 2)).all()
    assert not lattice.holds(uniform, Fraction(2499, 1000)).any()


@given(tables())
def test_nothing_beats_a_node_of_the_frontier_and_something_beats_every_other(table: Table) -> None:
    lattice = whole_lattice(table.frequency(), MEASURES)
    loss, epsilon = lattice.loss, lattice.levels[:, 3]
    frontier = set(lattice.frontier(3).tolist())
    for at in range(len(lattice)):
        better = (loss <= loss[at]) & (epsilon <= epsilon[at]) & ((loss < loss[at]) | (epsilon < epsilon[at]))
        if at in frontier:
            assert np.isfinite(epsilon[at]) and not better.any()
        elif np.isfinite(epsilon[at]):
            same = (loss == loss[at]) & (epsilon == epsilon[at])
            assert better.any() or any(other in frontier for other in np.flatnonzero(same))


def test_listed_predicates_are_judged_beside_the_panel() -> None:
    rows = (("a",), ("a",), ("a",), ("b",), ("b",), ("b",))
    values = ("flu", "flu", "cold", "flu", "cold", "cold")
    leaves = {"flu": (), "cold": ()}
    table = Table(({"a": (), "b": ()},), rows, {ATTRIBUTE: values}, {ATTRIBUTE: leaves})
    model = Realistic(2, ClassThree(TABLE), ATTRIBUTE, Predicates.of("flu"))
    lattice = whole_lattice(table.frequency(), [Measure((model,), "epsilon"), MEASURES[5]])
    expected = [float(model.level(lattice.roll_up.groups(lattice.node(at)).groups).max()) for at in range(2)]
    assert lattice.levels[:, 0].tolist() == pytest.approx(expected)


@given(tables(sensitive=("first", "second")))
def test_of_several_sensitive_attributes_the_worst_decides(table: Table) -> None:
    def measure(*names: str) -> Measure:
        return Measure(tuple(Realistic(2, ClassTwo(10), name) for name in names), "epsilon")

    lattice = whole_lattice(table.frequency(), [measure("first"), measure("second"), measure("first", "second")])
    assert (lattice.levels[:, 2] == lattice.levels[:, :2].max(axis=1)).all()


def test_a_lattice_that_is_too_large_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_NODES", 1)
    table = Table(({"a": (), "b": ()},), (("a",), ("b",)))
    with pytest.raises(PolicyError, match="the lattice has 2 nodes"):
        whole_lattice(table.frequency(), ())
