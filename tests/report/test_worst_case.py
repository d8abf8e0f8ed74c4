"""The report's worst-case adversary believes what the model robust says she does."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

from discreet.labels.whose import Whose
from discreet.models.robust.given_knowledge import GivenKnowledge
from discreet.models.robust.robust import Robust
from discreet.models.verdicts import verdicts
from discreet.releases.manifest import reached
from discreet.report.data import ReportData
from discreet.report.html import custodian_page
from discreet.report.marginals import Grain
from discreet.report.sections import worst_case as module
from discreet.report.sections.worst_case import sample, worst_case
from discreet.report.text import to_text
from discreet.search.plan import Bucketization
from tests.report.examples import bucketized, custodian, frequencies, manifest
from tests.report.patients import TABLE

PLAN = bucketized(TABLE, 6)


def judged(model: Robust, plan: Bucketization = PLAN) -> list[dict[str, Any]]:
    return reached(verdicts([model], plan.groups))


def data_of(model: Robust, plan: Bucketization = PLAN) -> ReportData:
    return custodian(plan, manifest(plan, 5, promises=judged(model, plan)))


def test_beliefs_are_the_posteriors_of_the_promise():
    model = Robust("1.2", "illness", min_support=5)
    found = worst_case(PLAN, judged(model), Grain(1_000), Whose.ONE_EACH)
    right = model.posteriors(PLAN.groups)
    people = PLAN.people.counts
    assert found is not None and found.promised
    assert found.posteriors.largest == pytest.approx(right.levels.max())
    assert found.posteriors.mean == pytest.approx((right.levels * people).sum() / people.sum())
    assert found.above == Grain(1_000).round(people[right.above].sum() / people.sum())
    assert found.deviation == pytest.approx(model.mean_deviation(PLAN.groups))
    assert (found.groups, found.exactly, found.by_bound) == (len(PLAN.groups), len(PLAN.groups), 0)


def test_a_tie_at_the_limit_is_nobody_above():
    rows = [("a", s) for s in "xy"] * 40
    f = frequencies(rows, {"q": {"a": ()}}, ["s"])
    plan = Bucketization(f, np.arange(2), f.counts, np.zeros(2, dtype=np.int64))
    data = data_of(Robust(2, "s"), plan)
    assert data.keeps_promises and data.worst_case is not None
    assert not data.worst_case.anybody_above
    assert "1/r = 50%, as asked: nobody is above" in custodian_page(data)


def test_a_broken_promise_has_somebody_above_however_little():
    words = judged(Robust("1.2", "illness", min_support=5))
    words[0]["holds"] = False
    found = worst_case(PLAN, words, Grain(1_000), Whose.ONE_EACH)
    assert found is not None and found.anybody_above


def test_a_release_that_promises_something_else_is_told_what_she_would_learn():
    data = custodian(PLAN, manifest(PLAN, 5))
    right = Robust(2, "illness").posteriors(PLAN.groups)
    share = Grain(1_000).round(PLAN.people.counts[right.above].sum() / 1_000)
    assert 0 < share < 100
    assert data.worst_case is not None and not data.worst_case.promised
    page, said = custodian_page(data), f"is surer than 1 in 2 of the illness of {share}% of the people"
    assert "Nothing is promised about her." in page
    assert "as asked: nobody is above" not in page
    assert said in to_text(data) and said in dict(data.open_risks)["Knowing what people of some kind tend to have"]


def test_protected_values_and_attribute_sets_are_named():
    model = Robust("1.2", "illness", values=["ill1", ["ill2", "ill3"]], attribute_sets=[["town"]], min_support=5)
    data = data_of(model)
    assert data.worst_case is not None
    assert data.worst_case.values == ("ill1", "ill2, ill3")
    assert (data.worst_case.sets, data.worst_case.least_rows) == ("town", 5)
    text = re.sub("<[^>]*>", "", custodian_page(data))
    assert "combinations that at least 5 rows have" in text
    titles = dict(data.open_risks)
    assert {"Knowing individuals", "Knowing other distributions", "Values that the policy does not list"} <= set(titles)
    assert "Knowing what people of some kind tend to have" not in titles
    assert not any("more likely" in title for title in titles), "values that are not listed may be certain"


def test_given_knowledge_is_told_as_such():
    known = GivenKnowledge([({"town": f"town{i}"}, "ill1", p) for i, p in enumerate((0.1, 0.2, 0.3))])
    model = Robust("1.2", "illness", values=["ill1"], knowledge=known)
    data = data_of(model)
    mean = (model.posteriors(PLAN.groups).levels * PLAN.people.counts).sum() / 1_000
    assert data.worst_case is not None
    assert (data.worst_case.sets, data.worst_case.least_rows) == ("town", None)
    assert data.worst_case.posteriors.mean == pytest.approx(mean)
    assert "the chances that the policy lists" in custodian_page(data)


def test_an_r_close_to_one_is_no_trouble():
    found = worst_case(PLAN, judged(Robust("1.0000001", "illness", min_support=5)), Grain(1_000), Whose.ONE_EACH)
    assert found is not None and found.r == "1.0000001"


def test_a_set_that_says_nothing_of_anybody_in_particular_is_told_in_words():
    found = worst_case(PLAN, judged(Robust("1.2", "illness", min_support=10_000)), Grain(1_000), Whose.ONE_EACH)
    assert found is not None and found.sets == "nothing but the whole table"


def test_a_large_release_is_judged_by_a_sample(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "WORK", 1)
    part = sample(PLAN.groups, "illness", 3, 30)
    assert len(part) == 30
    assert part.people is not None and part.people.counts.sum() == part.sizes.sum()
    model = Robust("1.2", "illness", min_support=5)
    levels = [Counter(zip(g.sizes.tolist(), model.level(g).tolist(), strict=True)) for g in (part, PLAN.groups)]
    assert not levels[0] - levels[1]
    assert worst_case(PLAN, [], Grain(1_000), Whose.ONE_EACH) is None
    data = data_of(model)
    assert data.worst_case is not None
    assert data.worst_case.posteriors.largest == pytest.approx(model.level(PLAN.groups).max())
    assert f"a random sample of 25 of {len(PLAN.groups)} groups" in custodian_page(data)


def test_a_promise_of_something_else_costs_no_long_look_at_a_large_table(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "LOOKED_UP", len(TABLE.counts))
    assert worst_case(PLAN, [], Grain(1_000), Whose.ONE_EACH) is None
    assert worst_case(PLAN, judged(Robust("1.2", "illness", min_support=5)), Grain(1_000), Whose.ONE_EACH) is not None
