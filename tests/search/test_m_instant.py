"""M-INSTANT: whatever the summary says, every group keeps every promise, and nobody is left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.arrays import Codes, IntArray
from discreet.counts.coding import merged
from discreet.counts.frequency import FrequencySet
from discreet.errors import DiscreetError, Infeasible
from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Taxonomy
from discreet.models.base import PrivacyModel, all_hold
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.presence.presence import Presence
from discreet.releases.references import failing_alone
from discreet.search.instant.m_instant import m_instant
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.multidimensional.partition import groups_of
from discreet.search.plan import SUPPRESSED, Problem, Recoding
from tests.models.cases import ATTRIBUTE
from tests.search.summarized import Knowing, Lying
from tests.strategies import Table, tables

k_anonymities = st.builds(KAnonymity, st.integers(2, 4))
diversities = st.builds(FrequencyDiversity, st.integers(2, 3), st.just(ATTRIBUTE))
promises = st.lists(k_anonymities | diversities, min_size=1, max_size=2).map(tuple)


class Looks:
    """A table that is looked at through boxes."""

    def __init__(self, frequency: FrequencySet):
        self.frequency = frequency
        self.boxes: list[tuple[Codes, Codes]] = []

    def __call__(self, low: Codes, high: Codes) -> FrequencySet:
        self.boxes.append((low, high))
        f = self.frequency
        codes = []
        for d, h in enumerate(f.hierarchies):
            starts = np.unique(np.concatenate([[0], low[:, d], high[:, d] + 1]))
            starts = starts[starts < len(h.leaves)]
            codes.append(starts[np.searchsorted(starts, f.codes[d], side="right") - 1].astype(np.int32))
        sizes = [len(h.leaves) for h in (*f.hierarchies, *f.sensitive_hierarchies.values())]
        found, counts = merged([*codes, *f.sensitive.values()], sizes, f.counts)
        width = len(codes)
        return replace(
            f,
            codes=tuple(found[:width]),
            sensitive=dict(zip(f.sensitive, found[width:], strict=True)),
            counts=counts,
        )


def check(plan: Recoding, seen: Looks, models: tuple[PrivacyModel, ...], limit: int = 0) -> None:
    """Everybody is in a group that holds and shows where they are, or one of at most `limit` who are left out; judged
    by the groups' rows, counted anew."""
    f = plan.frequency
    assert plan.facts["looks"] == len(seen.boxes) == 1
    assert np.bincount(plan.row, weights=plan.count).tolist() == f.counts.tolist()
    assert plan.suppressed <= limit
    assert not failing_alone(plan, models).any()
    kept = plan.group != SUPPRESSED
    plan = replace(plan, row=plan.row[kept], count=plan.count[kept], group=plan.group[kept])
    groups = groups_of(f, plan.row, plan.count, plan.group, plan.group_count)
    assert all_hold(models, groups).all()
    assert len(np.unique(np.hstack([plan.low, plan.high]), axis=0)) == plan.group_count
    last = _last(seen)
    for d, h in enumerate(f.hierarchies):
        codes = f.codes[d][plan.row]
        assert (plan.low[plan.group, d] <= codes).all()
        assert (last[d][codes] <= plan.high[plan.group, d]).all()
        for a, b in zip(plan.low[:, d].tolist(), plan.high[:, d].tolist(), strict=True):
            assert h.cover(a, b) == (a, b)


def _last(seen: Looks) -> list[IntArray]:
    """Per attribute and leaf, the last one that it was looked at together with."""
    [(low, high)] = seen.boxes
    found = []
    for d, h in enumerate(seen.frequency.hierarchies):
        sides = {0, *low[:, d].tolist(), *(high[:, d] + 1).tolist(), len(h.leaves)}
        found.append(np.array([min(s for s in sides if s > leaf) - 1 for leaf in range(len(h.leaves))]))
    return found


@given(tables(), promises, st.booleans(), st.integers(0, 9), st.sampled_from([0.0, 0.5, 0.95]))
def test_every_group_keeps_every_promise_whatever_the_summary_says(
    table: Table, models: tuple[PrivacyModel, ...], honest: bool, seed: int, threshold: float
) -> None:
    f = table.frequency()
    seen = Looks(f)
    summary = Knowing(f) if honest else Lying(f, seed)
    n = len(f.counts)
    together = groups_of(f, np.arange(n), f.counts, np.zeros(n, dtype=np.int64), 1)
    if all_hold(models, together).all():
        check(m_instant(summary, models, seen, threshold=threshold), seen, models)
    else:
        with pytest.raises(Infeasible):
            m_instant(summary, models, seen, threshold=threshold)


@given(tables(), promises, st.integers(0, 9), st.integers(1, 5))
def test_rows_are_left_out_within_the_limit_and_never_for_more_loss(
    table: Table, models: tuple[PrivacyModel, ...], seed: int, limit: int
) -> None:
    f = table.frequency()
    seen = Looks(f)
    try:
        plan = m_instant(Lying(f, seed), models, seen, limit)
    except Infeasible:
        with pytest.raises(Infeasible):
            m_instant(Lying(f, seed), models, Looks(f))
        return
    check(plan, seen, models, limit)
    try:
        without = m_instant(Lying(f, seed), models, Looks(f))
    except Infeasible:
        return
    assert plan.losses.mean() <= without.losses.mean() + 1e-12


def numbers(rows: int = 3000) -> FrequencySet:
    """Two columns that may be published as ranges, a taxonomy with rare values, and what is sensitive."""
    random = np.random.default_rng(3)
    columns = [
        random.integers(0, 40, rows),
        np.minimum(random.poisson(6, rows), 19),
        random.geometric(0.5, rows) % 8,
        random.integers(0, 5, rows),
    ]
    names = [[f"{i:02}" for i in range(many)] for many in (40, 20, 8, 5)]
    trees = [{name: (f"about {i // 4}",) for i, name in enumerate(column)} for column in names]
    quasi = tuple(build(f"q{d}", (), Taxonomy(tree, sets=d < 2)) for d, tree in enumerate(trees[:3]))
    disease = build(ATTRIBUTE, (), Taxonomy(trees[3]))
    codes, counts = merged(
        [column.astype(np.int32) for column in columns], [40, 20, 8, 5], np.ones(rows, dtype=np.int64)
    )
    return FrequencySet(quasi, tuple(codes[:3]), {ATTRIBUTE: codes[3]}, {ATTRIBUTE: disease}, counts)


@pytest.fixture(scope="module")
def frequency() -> FrequencySet:
    return numbers()


@pytest.mark.parametrize("summary", [Knowing, lambda f: Lying(f, 4)], ids=["honest", "lying"])
@pytest.mark.parametrize("models", [(KAnonymity(10),), (KAnonymity(5), FrequencyDiversity(2, ATTRIBUTE))], ids=str)
def test_ranges_are_cut_too(
    frequency: FrequencySet, models: tuple[PrivacyModel, ...], summary: Callable[[FrequencySet], Knowing]
) -> None:
    seen = Looks(frequency)
    plan = m_instant(summary(frequency), models, seen)
    check(plan, seen, models)


def test_an_honest_summary_comes_near_mondrian(frequency: FrequencySet) -> None:
    seen = Looks(frequency)
    plan = m_instant(Knowing(frequency), (KAnonymity(10),), seen)
    assert plan.losses.mean() < mondrian(Problem(frequency, (KAnonymity(10),))).losses.mean() + 0.03
    assert plan.group_count > 10
    [(low, high)] = seen.boxes
    volume = np.prod(high - low + 1, axis=1).sum()
    assert volume == np.prod([len(h.leaves) for h in frequency.hierarchies])  # the boxes are everything, once


def test_a_promise_that_a_summary_tells_nothing_about_is_refused(frequency: FrequencySet) -> None:
    with pytest.raises(DiscreetError, match="foreseen"):
        m_instant(Knowing(frequency), (Presence((0, 0.5)),), Looks(frequency))
