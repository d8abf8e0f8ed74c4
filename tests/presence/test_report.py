"""Who is in the table: the report's chances are those of people counted one by one, and nobody stands out of place."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet, Marginals, Population
from discreet.counts.groups import Groups
from discreet.labels.whose import Whose
from discreet.models.base import PrivacyModel
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.models.presence.presence import Presence
from discreet.models.verdicts import verdicts
from discreet.releases.manifest import reached
from discreet.report.data import ReportData
from discreet.report.html import custodian_page
from discreet.report.sections import presence as module
from discreet.report.sections.presence import confidence_bins, confident, presence_bins, present
from discreet.report.sections.presence_charts import confidences, presences
from discreet.report.text import to_json, to_text
from discreet.search.lattice.optimal import optimal
from discreet.search.plan import Problem, Recoding
from tests.report.examples import custodian, frequencies, full_domain, manifest
from tests.report.pages import Page

SHARES = st.fractions(0, 1, max_denominator=60)
LIMITS = st.tuples(SHARES, SHARES).map(sorted).filter(lambda limits: limits[0] < 1)


def words(*models: PrivacyModel) -> list[dict[str, Any]]:
    """Promises, as far as sections about presence look at them."""
    return [{"model": m.to_words()} for m in models]


@given(st.lists(st.tuples(SHARES, st.integers(1, 1_000)), min_size=1, max_size=30), LIMITS)
def test_everybody_is_in_one_step_and_on_the_right_side_of_both_limits(found, limits):
    chances, people = np.array([float(c) for c, _ in found]), np.array([n for _, n in found])
    least, most = map(float, limits)
    bins = presence_bins(chances, people, least, most)
    assert sum(b.people for b in bins) == people.sum()
    assert all(a.high == b.low for a, b in pairwise(b for b in bins if b.high))
    assert len(bins) <= 14
    below = sum(b.people for b in bins if b.high <= least and (b.high or least))
    above = sum(b.people for b in bins if b.low >= most and b.high)
    assert below == sum(n for c, n in found if c < limits[0])
    # Where both limits are one, those who are at it stand between it and the next step.
    assert above == sum(n for c, n in found if c > limits[1] or c == limits[0] == limits[1] > 0)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 99)), min_size=1), st.floats(0.01, 1))
def test_every_group_has_one_step_of_confidence_and_none_lies_on_both_sides_of_what_was_asked(found, asked):
    levels, rows = np.array([level for level, _ in found]), np.array([n for _, n in found])
    bins = confidence_bins(levels, rows, asked)
    assert sum(b.rows for b in bins) == rows.sum() and sum(b.groups for b in bins) == len(rows)
    assert all(b.high <= asked or b.low >= asked for b in bins) or asked == 1
    for b in bins:
        slack = 2e-9
        assert rows[(levels >= b.low) & (levels < b.high - slack)].sum() <= b.rows


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 99)), min_size=1, max_size=9), st.data())
def test_chances_are_those_of_people_counted_one_by_one(given_groups, data):
    sizes, others = (np.array(x) for x in zip(*given_groups, strict=True))
    others = np.maximum(others, sizes == 0)
    left_out = data.draw(st.integers(0, 5))
    elsewhere = left_out + data.draw(st.integers(0, 50))
    groups = Groups(sizes, population=sizes + others, left_out=left_out, elsewhere=elsewhere)
    found = present(groups, words(Presence((0, 0.9))), Whose.ONE_EACH)
    everybody = [Fraction(n, n + o) for n, o in zip(sizes.tolist(), others.tolist(), strict=True) for _ in range(n + o)]
    everybody += [Fraction(left_out, elsewhere or 1)] * elsewhere
    assert found is not None
    assert found.people == len(everybody)
    assert (found.smallest, found.largest) == (float(min(everybody)), float(max(everybody)))
    assert found.share == pytest.approx(float(sum(everybody) / len(everybody)))
    assert sum(b.people for b in found.bins if not b.high) == everybody.count(0)


def test_a_release_that_promises_nothing_about_it_tells_nothing():
    groups = Groups(np.array([3]), population=np.array([5]))
    assert present(groups, [], Whose.ONE_EACH) is None and confident(groups, [], Whose.ONE_EACH) == ()
    plan = full_domain(TABLE, (1,), 2)
    data = custodian(plan, manifest(plan, 2))
    assert data.presence is None and not data.confidences
    assert "Who is in the table?" not in custodian_page(data)


def test_two_promises_are_shown_as_what_keeps_both():
    groups = Groups(np.array([1]), population=np.array([5]))
    found = present(groups, words(Presence((0.1, 0.5)), Presence((0, 0.3))), Whose.ONE_EACH)
    assert found is not None and (found.least, found.most) == (0.1, 0.3)


PATHS: dict[Any, tuple[Any, ...]] = {f"v{i}": ("low" if i < 2 else "high",) for i in range(4)}
EVERYBODY = [(f"v{i * i % 7 % 4}",) for i in range(400)]
TABLE = frequencies([(*v, "flu") for i, v in enumerate(EVERYBODY) if i % 9 == 0], {"x": PATHS}, ["illness"])


def among_everybody(table: FrequencySet) -> FrequencySet:
    h = table.hierarchies[0]
    everybody = frequencies(EVERYBODY, {"x": PATHS})
    assert everybody.hierarchies[0].leaves == h.leaves
    inside = np.bincount(table.codes[0], weights=table.counts, minlength=len(h.leaves))
    counts = np.bincount(everybody.codes[0], weights=everybody.counts, minlength=len(h.leaves))
    outside = (counts - inside).astype(np.int64)
    return replace(
        table,
        population=Population(everybody.codes, everybody.counts),
        marginals=Marginals((outside,), (counts > 0,), int(outside.sum())),
    )


def made(*models: PrivacyModel, suppress: int = 0) -> tuple[Recoding, ReportData]:
    plan = optimal(Problem(among_everybody(TABLE), models, suppress))
    told = reached(verdicts(models, plan.groups))
    return plan, custodian(plan, manifest(plan, 2, promises=told))


MODELS: dict[str, tuple[PrivacyModel, ...]] = {
    "presence": (Presence((0.05, 0.2)),),
    "at most": (Presence((0, 0.2)),),
    "at least": (Presence((0.01, 1)),),
    "confident": (ConfidentPresence((0, 0.2), 0.8),),
    "covering": (ConfidentPresence((0.01, 0.2), 0.8, coverage=True),),
    "both": (ConfidentPresence((0.01, 0.2), 0.8), Presence((0, 0.2)), ConfidentPresence((0, 0.15), 0.5)),
    "certain": (ConfidentPresence((0, 0.9), 1),),
    "one chance": (Presence((Fraction(TABLE.rows, 400), Fraction(TABLE.rows, 400))),),
}


@pytest.mark.parametrize("models", MODELS.values(), ids=MODELS.keys())
def test_the_page_the_text_and_the_json_tell_it(models):
    plan, data = made(*models)
    assert data.keeps_promises
    text = custodian_page(data)
    page = Page(text)
    plain = re.sub(r"\s+", " ", page.text)
    assert plain.count("Who is in the table?") == 1
    assert page.count("svg", "histogram") == 1 + len(models)
    assert "nan" not in text and "inf" not in re.findall(r'="([^"]*)"', text)
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert "(--population" in plain
    told = json.loads(json.dumps(to_json(data), allow_nan=False))
    shown = to_text(data)
    if data.presence is not None:
        assert f"{data.presence.people:,} people" in plain and data.presence.people == 400
        assert data.presence.in_words in shown and data.presence.in_words in plain
        assert told["presence"]["largest"] == data.presence.largest
    assert len(told["confidences"]) == sum(isinstance(m, ConfidentPresence) for m in models)
    for c, m in zip(data.confidences, (m for m in models if isinstance(m, ConfidentPresence)), strict=True):
        levels = m.level(plan.groups)
        assert c.smallest == levels.min()
        assert c.broken == pytest.approx((1 - levels).sum(), abs=1e-9)
        assert c.outside == 400 - TABLE.rows
        assert f"at least {c.least_in_words} for every group" in shown


def test_of_too_many_groups_a_sample_is_told_but_the_least_confidence_is_of_all(monkeypatch):
    models = (ConfidentPresence((0, 0.2), 0.1),)
    plan = optimal(Problem(among_everybody(TABLE), models, 0))
    told = reached(verdicts(models, plan.groups))
    monkeypatch.setattr(module, "LEAST_GROUPS", 2)
    monkeypatch.setattr(module, "WORK", 1)
    [found] = confident(plan.groups, told, Whose.ONE_EACH)
    assert (found.groups, found.all_groups) == (2, len(plan.groups)) == (2, 3)
    assert found.smallest == models[0].level(plan.groups).min()
    text = custodian_page(custodian(plan, manifest(plan, 2, promises=told)))
    assert "from a random sample of 2 of 3 groups" in text
    assert confident(plan.groups, told, Whose.ONE_EACH) == confident(plan.groups, told, Whose.ONE_EACH)


def test_suppressed_rows_are_told_with_the_chance_of_those_around_them():
    groups = Groups(np.array([4]), population=np.array([40]), left_out=2, elsewhere=10)
    found = present(groups, words(Presence((0, 0.3))), Whose.ONE_EACH)
    assert found is not None
    assert found.others_in_words == "10 people, with 2 suppressed rows among them: a chance of 20%"
    nobody = present(replace(groups, left_out=0, elsewhere=0), words(Presence((0, 0.3))), Whose.ONE_EACH)
    sure = present(replace(groups, left_out=0, elsewhere=1), words(Presence((0, 0.3))), Whose.ONE_EACH)
    assert nobody is not None and nobody.others_in_words == "nobody"
    assert sure is not None and sure.others_in_words == "1 person, surely not in the table"


def test_the_marks_claim_no_more_than_is_true():
    inside, outside = (Groups(np.array([1, n]), population=np.array([10, 10])) for n in (2, 3))
    asked = words(Presence((0.1, 0.2)))
    kept, broken = (present(groups, asked, Whose.ONE_EACH) for groups in (inside, outside))
    assert kept is not None and broken is not None
    assert "δmax = 20%, as asked: nobody is above" in presences(kept, True)
    assert "δmin = 10%, as asked: nobody is below" in presences(kept, True)
    assert "nobody is" not in presences(kept, False)
    assert "δmax = 20%, as asked<" in presences(broken, True)
    assert "15% of all people" in presences(kept, True)
    _, data = made(ConfidentPresence((0, 0.2), 0.8))
    assert "c = 80%, as asked: no group is below" in confidences(data.confidences[0], True)
    assert "c = 80%, as asked<" in confidences(data.confidences[0], False)


def test_a_promise_reads_as_a_sentence():
    assert made(Presence((0, 0.2)))[1].promises[0].sentence.endswith("nobody is in it with a probability above 0.2.")
    covered = made(ConfidentPresence((0.01, 0.2), 0.8))[1].promises[0]
    assert "at least 0.01 and at most 0.2. The publisher" in covered.sentence
    assert "a confidence of 0.8 for each group" in covered.sentence
    assert made(Presence((0.01, 1)))[1].promises[0].sentence.endswith("with a probability of at least 0.01.")


def risks(*models: PrivacyModel) -> dict[str, str]:
    return dict(made(*models)[1].open_risks)


def test_what_is_left_open_is_told():
    found = risks(Presence((0, 0.2)))
    assert "400 people" in found["A population that is not complete"]
    assert "the least chance is" in found["Learning that somebody is not in the table"]
    assert "illness" in found["Knowing more of a person than quasi-identifiers"]
    assert "Learning that somebody is in the table" not in found
    assert "largest chance" in risks(Presence((0.01, 1)))["Learning that somebody is in the table"]
    assert "Learning that somebody is not in the table" not in risks(Presence((0.01, 0.2)))


def test_what_marginals_leave_open_is_told():
    found = risks(ConfidentPresence((0.01, 0.2), 0.8))
    assert "leaves up to one in 5 of the possible worlds" in found["Groups that go wrong"]
    assert "independently of each other" in found["People whose values go together"]
    assert "not promised to them" in found["Learning that somebody is not in the table"]
    assert "not promised" not in risks(ConfidentPresence((0, 0.2), 0.8))["Learning that somebody is not in the table"]
    assert "Learning that somebody is not in the table" not in risks(ConfidentPresence((0.01, 0.2), 0.8, coverage=True))
