"""People found in several groups of exact values: what all of these together tell of them, over all worlds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.models.ambiguity.alpha_beta import AlphaBeta
from discreet.models.by_people import held, reached
from discreet.models.groups.alpha_k import AlphaK
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import DistinctDiversity, EntropyDiversity, FrequencyDiversity
from discreet.models.groups.t_closeness import TCloseness
from discreet.models.robust.given_knowledge import GivenKnowledge
from discreet.models.robust.robust import Robust
from discreet.search.plan import Bucketization
from discreet.studies import worlds
from tests.search.bucketized import SENSITIVE, VALUES
from tests.search.owned import Row, grouped, owned_rows, published, share, worst_sums

Groups = Sequence[Sequence[Row]]


@st.composite
def plans(draw: st.DrawFn, **words: int) -> Bucketization:
    rows = draw(owned_rows(**words))
    groups = draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    number = {g: i for i, g in enumerate(sorted(set(groups)))}
    plan = grouped(rows, [number[g] for g in groups])
    assert isinstance(plan, Bucketization)
    return plan


def twice(group: Sequence[Row]) -> bool:
    """Has somebody two rows in it?"""
    return max(Counter(row[0] for row in group).values()) > 1


def kept_by_sum(groups: Groups, cap: Fraction) -> list[bool]:
    """No two rows of one person in a group, and nobody in it whose sum is above the limit."""
    sums = worst_sums(groups)
    return [not twice(g) and all(sums[str(row[0])] <= cap for row in g) for g in groups]


caps = st.sampled_from(
    [Fraction(1, 2), Fraction(1, 3), Fraction(2, 3), Fraction(5, 6), Fraction(3, 4), Fraction(9, 10)]
)


@given(plan=plans(), cap=caps)
def test_the_chance_of_a_value_is_judged_by_the_sum_over_somebodys_groups(plan: Bucketization, cap: Fraction) -> None:
    groups = published(plan)
    expected = kept_by_sum(groups, cap)
    assert held(FrequencyDiversity(1 / cap, SENSITIVE), plan.groups).tolist() == expected
    assert held(AlphaK(cap, 2, SENSITIVE), plan.groups).tolist() == [
        kept and len(g) >= 2 for kept, g in zip(expected, groups, strict=True)
    ]
    sums = worst_sums(groups)
    for g, level in zip(groups, reached(FrequencyDiversity(1 / cap, SENSITIVE), plan.groups), strict=True):
        worst = min(max(sums[str(row[0])] for row in g), Fraction(1))
        assert level == (0 if twice(g) else pytest.approx(float(1 / worst)))


@given(plan=plans(max_people=4, max_rows=2))
def test_no_world_beats_the_sum(plan: Bucketization) -> None:
    """The values of each group dealt to its rows at random: nobody has a value more likely than the sum says."""
    groups = published(plan)
    if any(map(twice, groups)) or prod(len(g) for g in groups) > 200:
        return
    listed = [list(worlds.enumerate([row[-1] for row in g], lambda _: Fraction(1))) for g in groups]
    sums = worst_sums(groups)
    for p in sums:
        for value in VALUES:
            seen = total = Fraction(0)
            for world in product(*listed):
                weight = prod((w for _, w in world), start=Fraction(1))
                has = any(
                    row[0] == p and dealt == value
                    for g, (values, _) in zip(groups, world, strict=True)
                    for row, dealt in zip(g, values, strict=True)
                )
                total, seen = total + weight, seen + weight * has
            own = [share(g, value) for g in groups if any(row[0] == p for row in g)]
            assert seen / total == 1 - prod((1 - s for s in own), start=Fraction(1)) <= sum(own) <= sums[p]


@given(plan=plans())
def test_a_group_with_two_rows_of_one_person_keeps_no_promise(plan: Bucketization) -> None:
    two = np.array([twice(g) for g in published(plan)])
    models = [
        KAnonymity(2),
        DistinctDiversity(2, SENSITIVE),
        EntropyDiversity(2, SENSITIVE),
        FrequencyDiversity(2, SENSITIVE),
        TCloseness(0.9, SENSITIVE),
        Robust(2, SENSITIVE),
    ]
    for model in models:
        assert not held(model, plan.groups)[two].any()
        assert set(reached(model, plan.groups)[two].tolist()) <= {0.0 if model.higher_is_safer else np.inf}


@given(plan=plans())
def test_promises_about_each_group_are_those_of_its_rows(plan: Bucketization) -> None:
    groups = published(plan)
    fine = np.array([not twice(g) for g in groups])
    for model in (KAnonymity(3), DistinctDiversity(2, SENSITIVE), EntropyDiversity(1.5, SENSITIVE)):
        assert (held(model, plan.groups) == (model.holds(plan.groups) & fine)).all()


def test_ties_are_decided_exactly() -> None:
    """Three times a third of 1/2: rounding must not tip it. And with groups of primes that 64 bits can't hold."""
    rows = [("p", "20", "flu")] * 3 + [(f"q{i}", "20", f"v{i}") for i in range(15)]
    plan = grouped(
        [(p, a, f"{v}{i}" if v == "flu" else v) for i, (p, a, v) in enumerate(rows)], [0, 1, 2] + [0, 1, 2] * 5
    )
    assert held(FrequencyDiversity(6, SENSITIVE), plan.groups).all()
    same = grouped(rows, [0, 1, 2] + [0, 1, 2] * 5)
    assert held(FrequencyDiversity(2, SENSITIVE), same.groups).all()
    assert not held(FrequencyDiversity(2 + Fraction(1, 10**12), SENSITIVE), same.groups).any()
    primes = [1009, 1013, 1019, 1021, 1031, 1033, 1039, 1049]
    many = [("p", "20", "flu")] * len(primes)
    groups = list(range(len(primes)))
    for g, size in enumerate(primes):
        many += [(f"{g}-{i}", "20", f"v{i}") for i in range(size - 1)]
        groups += [g] * (size - 1)
    exact = sum(Fraction(1, n) for n in primes)
    for cap, kept in ((exact, True), (exact - Fraction(1, 10**15), False), (exact + Fraction(1, 10**15), True)):
        assert held(FrequencyDiversity(1 / cap, SENSITIVE), grouped(many, groups).groups).all() == kept


@given(plan=plans(width=2), alpha=caps, beta=caps)
def test_presence_and_association_add_up_over_somebodys_groups(
    plan: Bucketization, alpha: Fraction, beta: Fraction
) -> None:
    from discreet.search.plan import Ambiguity

    apart = Ambiguity(plan.frequency, plan.row, plan.count, plan.group, ((0,), (1,)))
    groups = published(apart)
    presence = [Fraction(len(g), len({r[1] for r in g}) * len({r[2] for r in g})) for g in groups]
    by_value = kept_by_sum(groups, beta)
    expected = []
    for g, kept in zip(groups, by_value, strict=True):
        sums = [sum(p for p, h in zip(presence, groups, strict=True) if any(r[0] == row[0] for r in h)) for row in g]
        expected.append(kept and max(sums) <= alpha)
    model = AlphaBeta(alpha, beta, SENSITIVE)
    assert held(model, apart.groups).tolist() == expected
    safe = reached(model, apart.groups) <= float(alpha) + 1e-9
    assert (safe >= np.array(expected)).all()
    assert (~safe | np.array(expected) | (reached(model, apart.groups) >= float(alpha) - 1e-9)).all()


Chances = dict[str, dict[str, Fraction]]


def posterior_sums(plan: Bucketization, chances: Chances, protected: Sequence[Sequence[str]]) -> Counter[str]:
    """For everybody, the worst sum over his rows of the posterior of a protected set, one world after the other.

    She judges people by their first quasi-identifier.
    """
    worst: Counter[str] = Counter()
    for s in protected:
        for two_values in (False, True):
            sums: Counter[str] = Counter()
            for g in published(plan):
                if any(row[-1] in s for row in g):
                    for row, p in zip(g, posteriors(g, chances, s, two_values), strict=True):
                        sums[str(row[0])] += p
            for person, total in sums.items():
                worst[person] = max(worst[person], total)
    return worst


def posteriors(group: Sequence[Row], chances: Chances, s: Sequence[str], two_values: bool) -> list[Fraction]:
    """What she believes of each row of a group: that it has one of these values."""
    values: list[object] = [row[-1] for row in group]
    priors: list[dict[object, Fraction]] = [dict(chances[str(row[1])]) for row in group]
    if two_values:
        values = [v in s for v in values]
        inside = [sum((p for v, p in of.items() if v in s), Fraction(0)) for of in priors]
        priors = [{True: p, False: 1 - p} for p in inside]
    wanted = {True} if two_values else set(s)
    listed = list(worlds.enumerate(values, worlds.independent(priors)))
    if not any(weight for _, weight in listed):
        return [Fraction(1)] * len(group)
    return [worlds.belief(listed, lambda world, i=i: world[i] in wanted) for i in range(len(group))]


@st.composite
def believed(draw: st.DrawFn):
    """Rows of people who have several, in groups, with what she knows of each signature and what is protected."""
    values = "abc"[: draw(st.integers(2, 3))]
    table = {}
    for kind in ("k", "l"):
        weights = draw(st.lists(st.sampled_from([0, 1, 1, 2, 5]), min_size=len(values), max_size=len(values)))
        weights = weights if any(weights) else [1] * len(values)
        table[kind] = {v: Fraction(w, sum(weights)) for v, w in zip(values, weights, strict=True)}
    rows, groups = [], []
    for p in range(draw(st.integers(2, 5))):
        for _ in range(draw(st.integers(2 if p == 0 else 1, 2))):
            rows.append((f"p{p}", draw(st.sampled_from(["k", "l"])), draw(st.sampled_from(values))))
            groups.append(draw(st.integers(0, 1)))
    number = {g: i for i, g in enumerate(sorted(set(groups)))}
    listed = draw(
        st.none() | st.lists(st.lists(st.sampled_from(values), min_size=1, unique=True), min_size=1, max_size=2)
    )
    return rows, [number[g] for g in groups], table, values, listed


@given(case=believed(), r=st.sampled_from([Fraction(5, 4), Fraction(3, 2), 2, 3]))
def test_posteriors_of_somebodys_rows_add_up(case, r) -> None:  # type: ignore[no-untyped-def]
    rows, number, table, values, listed = case
    everything = [(f"x{k}{v}", k, v) for k in table for v in values]  # so that the table has every value
    plan = grouped([*rows, *everything], [*number, *([-1] * len(everything))])
    known = GivenKnowledge([({"age": k}, v, p) for k, of in table.items() for v, p in of.items()])
    model = Robust(r, SENSITIVE, values=listed, knowledge=known)
    sets = listed if listed is not None else [[v] for v in values]
    sums = posterior_sums(plan, table, sets)
    groups = published(plan)
    expected = [not twice(g) and all(sums[str(row[0])] <= 1 / Fraction(r) for row in g) for g in groups]
    assert held(model, plan.groups).tolist() == expected
    for g, level in zip(groups, reached(model, plan.groups), strict=True):
        worst = max(sums[str(row[0])] for row in g)
        assert level == (np.inf if twice(g) else pytest.approx(min(float(worst), 1.0), abs=1e-9))
