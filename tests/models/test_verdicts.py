"""Every verdict and every level, against the papers' definitions in plain Python."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.models.base import PrivacyModel
from discreet.models.parameters import exact
from tests import oracles
from tests.models.cases import ATTRIBUTE, KINDS, PATHS, VALUES, as_groups, groups, oracle, suppressed

kinds = pytest.mark.parametrize("kind", KINDS)


@kinds
@settings(deadline=None, max_examples=50)
@given(data=st.data())
def test_verdicts_are_those_of_the_definition(kind: str, data: st.DataObject) -> None:
    model, by_group = data.draw(KINDS[kind]), data.draw(groups)
    table = [value for group in by_group for value in group] + data.draw(suppressed)
    seen = as_groups(by_group, table, seed=data.draw(st.integers(0, 9)))
    assert model.holds(seen).tolist() == oracle(model, by_group, table)


@kinds
@settings(deadline=None, max_examples=50)
@given(data=st.data())
def test_a_group_that_holds_reaches_the_level_that_is_asked_for(kind: str, data: st.DataObject) -> None:
    model, by_group = data.draw(KINDS[kind]), data.draw(groups)
    seen = as_groups(by_group, [value for group in by_group for value in group])
    asked = _asked(model)
    for holds, level in zip(model.holds(seen), model.level(seen), strict=True):
        if math.isclose(level, asked, rel_tol=1e-9):
            continue  # a tie: `holds` decides it exactly, `level` is rounded
        assert holds == ((level > asked) if model.higher_is_safer else (level < asked))


def _asked(model: PrivacyModel) -> float:
    [parameters] = model.to_words().values()
    names = ("epsilon", "alpha", "t", "beta", "delta", "c", "l", "k")
    return float(exact(next(parameters[name] for name in names if name in parameters)))  # type: ignore[arg-type]


@settings(deadline=None)
@given(by_group=groups, more=suppressed)
def test_levels_are_the_quantities_of_the_definitions(by_group: list[list[str]], more: list[str]) -> None:
    table = [value for group in by_group for value in group] + more
    seen = as_groups(by_group, table)

    def levels(kind: str, parameters: dict[str, object]) -> list[float]:
        from discreet.models.registry import model_from_words

        [model], _ = model_from_words(kind, parameters, "", [ATTRIBUTE])
        return [pytest.approx(level) for level in model.level(seen)]

    shares = [{s: oracles.share(group, s) for s in set(table)} for group in by_group]
    table_shares = {s: oracles.share(table, s) for s in set(table)}
    ratios = [[q[s] / p for s, p in table_shares.items()] for q in shares]
    entropies = [-sum(float(p) * math.log(p) for p in q.values() if p) for q in shares]
    tops = [sorted((q * len(g) for q in qs.values()), reverse=True) for qs, g in zip(shares, by_group, strict=True)]
    changes = [[abs(math.log(r)) if r else math.inf for r in rs] for rs in ratios]
    order = list(PATHS)
    assert levels("k_anonymity", {"k": 2}) == [len(group) for group in by_group]
    assert levels("l_diversity", {"l": 2}) == [len(set(group)) for group in by_group]
    assert levels("l_diversity", {"l": 2, "kind": "entropy"}) == [math.exp(h) for h in entropies]
    assert levels("l_diversity", {"l": 2, "kind": "frequency"}) == [1 / float(max(q.values())) for q in shares]
    assert levels("l_diversity", {"l": 2, "c": 1, "kind": "recursive"}) == [
        float(top[0] / sum(top[1:])) if sum(top[1:]) else math.inf for top in tops
    ]
    assert levels("alpha_k", {"alpha": 0.5, "k": 2}) == [
        1.0 if len(group) < 2 else float(max(q.values())) for q, group in zip(shares, by_group, strict=True)
    ]
    assert levels("beta_likeness", {"beta": 1}) == [float(max(rs) - 1) for rs in ratios]
    assert levels("delta_disclosure", {"delta": 1}) == [max(c) for c in changes]
    assert levels("t_closeness", {"t": 0.5}) == [float(oracles.equal_distance(g, table)) for g in by_group]
    assert levels("t_closeness", {"t": 0.5, "distance": "ordered"}) == [
        float(oracles.ordered_distance(g, table, order)) for g in by_group
    ]
    assert levels("t_closeness", {"t": 0.5, "distance": "hierarchical"}) == [
        float(oracles.hierarchical_distance(g, table, PATHS)) for g in by_group
    ]


@settings(deadline=None)
@given(group=st.lists(st.sampled_from(VALUES), min_size=1, max_size=6), more=groups)
def test_moving_earth_over_equal_distances_is_half_the_difference(group: list[str], more: list[list[str]]) -> None:
    table = group + [value for other in more for value in other]
    moved = oracles.earth_movers(group, table, lambda a, b: Fraction(a != b))
    assert moved == oracles.equal_distance(group, table)


def test_the_salaries_of_li_and_others_are_as_far_from_the_table_as_printed() -> None:
    """Li, Li & Venkatasubramanian 2007, their example 3: 0.375 for {3k, 4k, 5k} and 0.167 for {6k, 8k, 11k}."""
    from discreet.models.examples import groups_of
    from discreet.models.groups.t_closeness import TCloseness

    table = [f"{salary}" for salary in (3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000, 11000)]
    seen = groups_of("salary", ["3000", "4000", "5000"], ["6000", "8000", "11000"], table=table)
    assert TCloseness(0.2, "salary", "ordered").level(seen) == pytest.approx([0.375, 1 / 6])
    assert TCloseness("0.375", "salary", "ordered").holds(seen).tolist() == [True, True]
    assert TCloseness("0.37499999999999999999", "salary", "ordered").holds(seen).tolist() == [False, True]


def test_a_wide_ordered_domain_gives_the_same_distances_as_cumulative_sums() -> None:
    from discreet.models.examples import groups_of
    from discreet.models.groups.t_closeness import TCloseness

    random = np.random.default_rng(5)
    table = [str(value) for value in random.integers(0, 300, 2000)]
    by_group = [table[:1], table[1:9], table[9:60], table[60:2000]]
    seen = groups_of("salary", *by_group, table=table)
    domain = sorted({int(value) for value in table})
    p = np.array([table.count(str(value)) for value in domain]) / len(table)
    wanted = []
    for group in by_group:
        q = np.array([group.count(str(value)) for value in domain]) / len(group)
        wanted.append(np.abs(np.cumsum(q - p)).sum() / (len(domain) - 1))
    assert TCloseness(0.2, "salary", "ordered").level(seen) == pytest.approx(wanted)


@kinds
@settings(deadline=None, max_examples=3)
@given(data=st.data())
def test_no_groups_give_no_verdicts(kind: str, data: st.DataObject) -> None:
    model = data.draw(KINDS[kind])
    seen = as_groups([], ["cold"])
    assert len(model.holds(seen)) == len(model.level(seen)) == len(model.least_suppressed(seen)) == 0
