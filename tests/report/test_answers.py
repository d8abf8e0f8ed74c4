"""The error of random questions is that of the release, and asking them stays cheap."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.releases.queries import query_error
from discreet.report.html import custodian_page
from discreet.report.sections.answers import MOST_QUERIES, SEED, SELECTIVITY, answers
from discreet.report.text import to_text
from discreet.search.plan import Bucketization, Plan
from tests.report.examples import ambiguous, bucketized, custodian, frequencies, full_domain, manifest
from tests.report.patients import TABLE

PLANS = {
    "generalized": full_domain(TABLE, (1, 0), 5),
    "bucketized": bucketized(TABLE, 6, left_out=20),
    "ambiguous": ambiguous(TABLE, 6),
}


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS.keys())
def test_each_line_is_the_error_of_that_many_predicates(plan: Plan):
    found = answers(plan)
    assert found is not None and found.attribute == "illness"
    assert [line.predicates for line in found.lines] == [1, 2]
    for line in found.lines:
        asked = query_error(plan, predicates=line.predicates, selectivity=SELECTIVITY, count=found.asked, seed=SEED)
        assert (line.queries, line.empty) == (asked.queries, asked.empty)
        assert (line.median, line.mean) == pytest.approx((asked.median, asked.mean))


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS.keys())
def test_every_kind_of_release_tells_its_error_on_the_page_and_in_the_text(plan: Plan):
    data = custodian(plan, manifest(plan, 5))
    assert "How well it answers questions" in custodian_page(data)
    assert "counting by 2 columns and illness: off by" in to_text(data)


def test_groups_of_one_answer_exactly():
    n = len(TABLE.counts)
    plan = Bucketization(TABLE, np.arange(n), TABLE.counts, np.arange(n))
    found = answers(plan)
    assert found is not None
    assert [(line.median, line.mean) for line in found.lines] == [(0, 0), (0, 0)]


def test_large_tables_are_asked_fewer_questions(monkeypatch: pytest.MonkeyPatch):
    plan = PLANS["bucketized"]
    many = answers(plan)
    assert many is not None and many.asked == MOST_QUERIES
    monkeypatch.setattr("discreet.report.sections.answers.WORK", 1)
    few = answers(plan)
    assert few is not None and 64 <= few.asked < MOST_QUERIES
    assert f"{few.asked} questions for each number" in custodian_page(custodian(plan, manifest(plan, 5)))


def test_a_table_without_a_sensitive_column_is_asked_about_the_others():
    plan = full_domain(frequencies([("a",)] * 5 + [("b",)] * 9, {"q": dict.fromkeys("ab", ())}), (0,), 2)
    found = answers(plan)
    assert found is not None and found.attribute is None
    data = custodian(plan, manifest(plan, 2))
    assert "counting by 1 column: off by 0%" in to_text(data)


def test_nothing_is_asked_of_an_empty_table():
    empty = frequencies([], {"q": {"a": ()}}, ["s"])
    nothing = np.zeros(0, dtype=np.int64)
    assert answers(Bucketization(empty, nothing, nothing, nothing)) is None
