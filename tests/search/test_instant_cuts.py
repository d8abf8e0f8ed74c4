"""Single-dimensional recoding from a summary: one look, whatever is published keeps every promise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.arrays import Codes
from discreet.counts.frequency import FrequencySet
from discreet.errors import DiscreetError, Infeasible
from discreet.models.base import PrivacyModel, all_hold
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.presence.presence import Presence
from discreet.search.instant.cuts import s_instant_cut
from discreet.search.instant.s_instant import standing_for
from discreet.search.lattice.optimize import optimize
from discreet.search.multidimensional.partition import groups_of
from discreet.search.plan import SUPPRESSED, Problem, Recoding
from tests.models.cases import ATTRIBUTE
from tests.search.summarized import Knowing, Lying
from tests.strategies import Table, tables

k_anonymities = st.builds(KAnonymity, st.integers(2, 4))
diversities = st.builds(FrequencyDiversity, st.integers(2, 3), st.just(ATTRIBUTE))
promises = st.lists(k_anonymities | diversities, min_size=1, max_size=2).map(tuple)
ENOUGH = 500_000


class Looks:
    """A table that counts how often it is looked at."""

    def __init__(self, frequency: FrequencySet):
        self.frequency = frequency
        self.times = 0

    def __call__(self, stands_for: Sequence[Codes]) -> FrequencySet:
        self.times += 1
        return standing_for(self.frequency, stands_for)


def check(plan: Recoding, table: FrequencySet, models: tuple[PrivacyModel, ...], limit: int) -> None:
    """Published by its ranges, the whole table has the groups that the plan says, and they hold."""
    assert plan.suppressed <= limit
    kept = plan.group != SUPPRESSED
    groups = groups_of(plan.frequency, plan.row[kept], plan.count[kept], plan.group[kept], plan.group_count)
    assert all_hold(models, groups).all()
    inside = np.ones((plan.group_count, len(table.counts)), dtype=np.bool_)
    for d, h in enumerate(table.hierarchies):
        ranges = sorted(set(zip(plan.low[:, d].tolist(), plan.high[:, d].tolist(), strict=True)))
        assert all(a[1] < b[0] for a, b in pairwise(ranges))  # a value always becomes the same
        assert all(h.common_level(*r) == 0 or h.cover(*r) == r for r in ranges)
        inside &= (plan.low[:, d, None] <= table.codes[d]) & (table.codes[d] <= plan.high[:, d, None])
    assert (inside.sum(axis=0) <= 1).all()
    assert (inside @ table.counts).tolist() == plan.groups.sizes.tolist()


@given(tables(), promises, st.integers(0, 5), st.booleans(), st.sampled_from([0, 20, ENOUGH]), st.integers(0, 9))
def test_what_is_published_keeps_every_promise_whatever_the_summary_says(
    table: Table, models: tuple[PrivacyModel, ...], limit: int, honest: bool, answers: int, seed: int
) -> None:
    f = table.frequency()
    seen = Looks(f)
    summary = Knowing(f) if honest else Lying(f, seed)
    n = len(f.counts)
    together = groups_of(f, np.arange(n), f.counts, np.zeros(n, dtype=np.int64), 1)
    possible = all_hold(models, together).all() or limit >= f.rows
    try:
        plan = s_instant_cut(summary, models, seen, limit, answers_in_a_look=answers)
    except Infeasible:
        assert not possible
    else:
        assert possible or limit > 0
        check(plan, f, models, limit)
    assert seen.times == 1


@given(tables(), promises, st.integers(0, 5))
def test_a_look_that_is_fine_enough_gives_the_optimum(
    table: Table, models: tuple[PrivacyModel, ...], limit: int
) -> None:
    f = table.frequency()
    try:
        best = optimize(Problem(f, models, limit), time_limit=10)
    except Infeasible:
        return
    plan = s_instant_cut(Knowing(f), models, Looks(f), limit, answers_in_a_look=ENOUGH)
    assert plan.losses.mean() == pytest.approx(best.losses.mean())


def test_promises_about_a_population_are_refused() -> None:
    f = Table(({"a": (), "b": ()},), (("a",), ("b",))).frequency()
    with pytest.raises(DiscreetError, match="outside of the table"):
        s_instant_cut(Knowing(f), (Presence((0, 0.5)),), Looks(f))
