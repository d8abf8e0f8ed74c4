"""Promises, tables of visits and the oracle of groups in which nobody stands twice."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np

from discreet.models.base import PrivacyModel, all_hold
from discreet.models.groups.alpha_k import AlphaK
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import (
    DistinctDiversity,
    EntropyDiversity,
    FrequencyDiversity,
    RecursiveDiversity,
)
from discreet.models.groups.t_closeness import TCloseness
from discreet.search.plan import Bucketization
from tests import oracles
from tests.search.bucketized import SENSITIVE, check_plan
from tests.search.owned import Row, published, worst_sums

PROMISES: list[tuple[PrivacyModel, ...]] = [
    (FrequencyDiversity(2, SENSITIVE),),
    (FrequencyDiversity(1.5, SENSITIVE),),
    (AlphaK(0.5, 3, SENSITIVE),),
    (AlphaK(0.4, 2, SENSITIVE), DistinctDiversity(3, SENSITIVE)),
    (DistinctDiversity(2, SENSITIVE),),
    (DistinctDiversity(2, SENSITIVE), KAnonymity(4)),
    (EntropyDiversity(1.8, SENSITIVE),),
    (RecursiveDiversity(2, 2, SENSITIVE),),
    (FrequencyDiversity(2, SENSITIVE), TCloseness(0.5, SENSITIVE)),
]


def check(plan: Bucketization, models: tuple[PrivacyModel, ...], limit: int) -> None:
    """Everybody once in a group, every promise kept by rows, and what adds up by the sum over somebody's groups."""
    check_plan(plan)
    assert plan.suppressed <= limit
    assert all_hold(models, plan.groups).all()
    groups, f = published(plan), plan.frequency
    assert all(max(Counter(row[0] for row in g).values()) == 1 for g in groups)
    leaves = f.sensitive_hierarchies[SENSITIVE].leaves
    table = [leaves[v] for v, n in enumerate(f.totals[SENSITIVE].tolist()) for _ in range(n)]
    sums = worst_sums(groups)
    for model in models:
        assert all(oracles.keeps_one(model, [row[-1] for row in g], table) for g in groups)
        cap = {FrequencyDiversity: lambda m: 1 / Fraction(str(m.l)), AlphaK: lambda m: Fraction(str(m.alpha))}.get(
            type(model)
        )
        if cap is not None:
            assert max(sums.values(), default=Fraction(0)) <= cap(model)


def visits(people: int, rows: int, values: int, seed: int = 0) -> list[Row]:
    """People with so many visits each, each for a disease at random."""
    rng = np.random.default_rng(seed)
    return [
        (f"p{p:04}", str(age), f"d{d}")
        for p, age in enumerate(rng.integers(20, 80, people).tolist())
        for d in rng.integers(0, values, rows).tolist()
    ]
