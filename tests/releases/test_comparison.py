"""What is measured of a plan, against plain counting."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet
from discreet.models.ambiguity.alpha_beta import AlphaBeta
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.robust.robust import Robust
from discreet.releases import comparison
from discreet.releases.comparison import MethodResult, measure, protected_people
from discreet.search.buckets.anatomy import anatomized
from discreet.search.buckets.bucketizing import Demand
from discreet.search.buckets.mask import masked
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.plan import Bucketization, Plan, Problem
from discreet.utility.queries import Workload, draw_workload
from tests.releases.making import pairs
from tests.search.bucketized import SENSITIVE, bucketizable, members, table_of

LISTED = ("flu", None)


def robust(r: int, listed: bool = True) -> Robust:
    return Robust(r, SENSITIVE, values=[LISTED] if listed else None, min_support=1)


def asked(frequency: FrequencySet) -> Workload:
    return draw_workload(frequency, predicates=1, sensitive=SENSITIVE, count=64, seed=1)


@given(bucketizable(max_rows=10), st.integers(2, 4), st.booleans())
def test_problematic_are_people_with_a_protected_value_of_whom_she_is_too_sure(
    frequency: FrequencySet, r: int, listed: bool
) -> None:
    model, plan = robust(r, listed), pairs(frequency)
    told = model.posteriors(plan.groups)
    people = plan.people
    who = zip(people.group.tolist(), *(codes.tolist() for codes in people.codes), strict=True)
    above = dict(zip(who, told.proven.tolist(), strict=True))
    persons = [
        above[group, *(h.index[v] for h, v in zip(frequency.hierarchies, row[:-1], strict=True))]
        for group, rows in members(plan).items()
        for row in rows
        if group >= 0 and (row[-1] in LISTED or not listed)
    ]
    found = measure(plan, model, asked(frequency))
    assert found.problematic == pytest.approx(sum(persons) / max(len(persons), 1))
    assert found.undecided == 0  # small groups are always decided
    assert found.judged == found.groups == len(plan.groups)


@given(bucketizable(max_rows=10))
def test_protected_people_are_counted_where_they_stand(frequency: FrequencySet) -> None:
    plan = pairs(frequency)
    entry, count = protected_people(plan, robust(2))
    found = np.bincount(entry, weights=count, minlength=len(plan.people.counts))
    expected = [0] * len(plan.people.counts)
    columns = [plan.people.group, *plan.people.codes]
    places = {key: i for i, key in enumerate(zip(*(c.tolist() for c in columns), strict=True))}
    for group, rows in members(plan).items():
        for row in rows:
            if group >= 0 and row[-1] in LISTED:
                key = group, *(h.index[v] for h, v in zip(frequency.hierarchies, row[:-1], strict=True))
                expected[places[key]] += 1
    assert found.tolist() == expected


def likely() -> FrequencySet:
    """Of 40 people, the old ones nearly all have flu, the young ones hardly ever."""
    rows = [("80", "flu"), ("80", "cold"), ("20", "flu"), ("20", "cold"), ("20", "gout")]
    return table_of(rows, [9, 1, 1, 9, 20])


def diverse(frequency: FrequencySet, seed: int = 1) -> Bucketization:
    whole = Demand(SENSITIVE, 2, 2, np.arange(len(frequency.sensitive_hierarchies[SENSITIVE].leaves)))
    return anatomized(frequency, whole, np.random.default_rng(seed))


def test_groups_that_count_values_alone_are_seen_through() -> None:
    table = likely()
    found = measure(diverse(table), robust(2, listed=False), asked(table), models=(KAnonymity(2), robust(2, False)))
    assert found.problematic >= 0.5
    assert found.broken[0].endswith("of the rows are in groups without 2-robustness of disease")
    assert len(found.broken) == 1
    assert (found.suppressed, found.distorted, found.smallest_group, found.mean_group) == (0, 0, 2, 2.0)
    assert found.deviation > 0


def test_coarser_values_are_judged_as_if_she_knew_who_stands_in_which_group() -> None:
    table = likely()
    plan = mondrian(Problem(table, (KAnonymity(30),)))
    assert measure(plan, robust(2, listed=False), asked(table)).groups == 1
    exact = Bucketization(table, plan.row, plan.count, plan.group)
    both = [measure(p, robust(2, listed=False), asked(table)) for p in (plan, exact)]
    assert both[0].problematic == both[1].problematic
    assert both[0].error != both[1].error


def test_values_that_are_not_true_are_counted_and_make_answers_worse() -> None:
    table = table_of([(str(20 + i // 6), "flu" if i < 12 else str(i % 6)) for i in range(60)])
    leaves = table.sensitive_hierarchies[SENSITIVE].leaves
    asked_for = Demand(SENSITIVE, 3, 6, np.where([leaf == "flu" for leaf in leaves], 0, -1))
    plan = masked(table, asked_for, np.random.default_rng(1))
    told = measure(plan, Robust(3, SENSITIVE, values=["flu"]), asked(table))
    true = measure(replace(plan, exchanged={}), Robust(3, SENSITIVE, values=["flu"]), asked(table))
    assert told.distorted == plan.facts["distorted"] > 0 == true.distorted
    assert told.error.mean > true.error.mean


def test_more_rows_left_out_than_may_be_is_no_release_that_keeps_the_policy() -> None:
    plan = pairs(likely())
    lost = plan.suppressed
    assert lost > 1
    assert measure(plan, robust(2), asked(likely()), limit=lost).broken == ()
    [told] = measure(plan, robust(2), asked(likely()), limit=lost - 1).broken
    assert told == f"{lost} rows are suppressed, {lost - 1} may be"


def test_a_promise_that_is_not_about_such_groups_is_not_kept() -> None:
    table = likely()
    found = measure(diverse(table), robust(2), asked(table), models=(AlphaBeta(0.5, 0.5, SENSITIVE),))
    assert len(found.broken) == 1


def unlike(rows: int) -> tuple[FrequencySet, Plan]:
    """Many small groups in which everybody is seen through, and a large one in which nobody is."""
    people = [("20", "flu"), ("30", "cold"), ("40", "gout"), ("40", "flu")]
    table = table_of(people, [200, 200, rows, rows])
    row = np.concatenate([np.repeat([0, 1], 200), [2, 3]])
    count = np.concatenate([np.ones(400, dtype=np.int64), [rows, rows]])
    group = np.concatenate([np.arange(200), np.arange(200), [200, 200]])
    return table, Bucketization(table, row, count, group)


def test_where_there_is_no_time_for_all_small_groups_speak_for_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    table, plan = unlike(100)
    model = Robust(2, SENSITIVE, min_support=1)
    everything = measure(plan, model, asked(table))
    assert (everything.judged, everything.undecided) == (201, 0)
    assert everything.problematic == pytest.approx(400 / 600)
    monkeypatch.setattr(comparison, "WORK", 40_000)
    some = measure(plan, model, asked(table))
    assert 0 < some.judged < 200
    assert some.problematic == pytest.approx(400 / 600)
    assert some.undecided == pytest.approx(200 / 600)  # the large group was not judged


def test_without_time_for_anything_nobody_is_shown_to_be_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    table, plan = unlike(5)
    monkeypatch.setattr(comparison, "WORK", 1)
    found = measure(plan, Robust(2, SENSITIVE), asked(table))
    assert (found.judged, found.problematic, found.undecided) == (0, 0, 1)


def test_a_release_without_rows_gives_nobody_away() -> None:
    table = likely()
    nothing = Bucketization(table, np.arange(5), table.counts, np.full(5, -1))
    found = measure(nothing, robust(2), asked(table), models=(KAnonymity(2),))
    assert isinstance(found, MethodResult)
    assert (found.groups, found.problematic, found.undecided, found.broken, found.suppressed) == (0, 0, 0, (), 40)
