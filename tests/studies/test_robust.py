"""`discreet reproduce robust` on invented people: ART gives nobody away, and what is told is what was measured."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from discreet.models.robust.robust import Robust
from discreet.models.robust.sizes import delta_max
from discreet.search.art.art import art
from discreet.search.plan import Bucketization, Problem
from discreet.studies.claims import Claim, Reproduction, to_json, to_text
from discreet.studies.data.tables import first_attributes
from discreet.studies.figures import Figure
from discreet.studies.page import to_html
from discreet.studies.robust.data import invented
from discreet.studies.robust.runs import METHODS, Design, lost_people, mean_bound
from discreet.studies.robust.study import STUDY
from discreet.studies.study import reproduce

SMALL = Design(sizes=(3, 4), high=5, low=2, queries=500)


@pytest.fixture(scope="module")
def made() -> Reproduction:
    return reproduce(replace(STUDY, design=SMALL), rows=3_000)


def claim(made: Reproduction, words: str) -> Claim:
    [found] = [c for c in made.claims if words in c.says]
    return found


def figure(made: Reproduction, words: str) -> Figure:
    [found] = [f for f in made.figures if f.title == words]
    return found


def test_art_gives_nobody_away_and_the_others_do(made: Reproduction) -> None:
    assert claim(made, "ART has no problematic people").holds
    for r in (SMALL.high, SMALL.low):
        called = "Figure 1" if r == SMALL.high else "As figure 1"
        shares = {s.name: s.values for s in figure(made, f"{called}(c): problematic people, r = {r}").series}
        assert shares["ART"] == (0.0, 0.0)
        assert min(v for v in shares["Anatomy"] if v is not None) > 0


def test_whom_a_method_leaves_out_is_told_by_what_they_have() -> None:
    study = invented(2_000)
    table = first_attributes(study.frequency, 2)
    robust = Robust(5, "education", values=(study.protected,))
    leaves = table.sensitive_hierarchies["education"].index
    low = np.isin(table.sensitive["education"], [leaves[v] for v in study.protected])
    rows = np.arange(len(table.counts))
    for group, share in ((np.where(low, -1, 0), 1.0), (np.where(low, 0, -1), 0.0), (np.zeros(len(rows)), 0.0)):
        plan = Bucketization(table, rows, table.counts, group.astype(np.int64))
        assert lost_people(plan, robust) == share


def test_suppressing_the_people_at_risk_is_not_publishing_them_safely(made: Reproduction) -> None:
    suppressed = figure(made, "Suppressed rows (not in the paper), r = 5").series[0].values
    other = figure(made, "Suppressed rows (not in the paper), r = 2").series[0].values
    assert claim(made, "ART publishes the whole table").holds == (max(v or 0 for v in suppressed + other) == 0)


def test_every_method_has_a_line_in_every_figure(made: Reproduction) -> None:
    assert len(made.figures) == 12
    for f in made.figures:
        assert [s.name for s in f.series][: len(METHODS)] == list(METHODS)
        assert f.places == ("3", "4")
        assert all(v is not None for s in f.series for v in s.values)


def test_claims_are_judged_by_the_numbers_of_the_figures(made: Reproduction) -> None:
    errors = {s.name: s.values for s in figure(made, "Figure 1(b): error of queries, r = 5").series}
    largest = all(errors["0.2-closeness"][i] > errors[m][i] for m in METHODS[:-1] for i in (0, 1))  # type: ignore[operator]
    assert claim(made, "t-closeness has the largest error").holds == largest
    deviations = {s.name: s.values for s in figure(made, "Figure 1(d): mean Δ, r = 5").series}
    grow = all(deviations[m][0] < deviations[m][1] for m in METHODS)  # type: ignore[operator]
    assert claim(made, "the mean Δ grows").holds == grow


def test_the_bound_is_that_of_theorem_1_for_the_likeliest_of_each_group() -> None:
    study = invented(2_000)
    table = first_attributes(study.frequency, 2)
    robust = Robust(5, "education", values=(study.protected,), attribute_sets=(("age",),))
    plan = art(Problem(table, (robust,), table.rows // 10, seed=1))
    leaves = table.sensitive_hierarchies["education"].index
    low = np.isin(table.sensitive["education"], [leaves[v] for v in study.protected])
    age = table.codes[0]
    people = np.bincount(age, table.counts)
    rate = np.where(people >= 30, np.bincount(age, table.counts * low, len(people)) / np.maximum(people, 1), np.nan)
    rate = np.where(np.isnan(rate), (table.counts * low).sum() / table.rows, rate)  # of few people: as of anybody
    bounds = []
    for group in range(plan.group_count):
        rows = plan.row[plan.group == group]
        if low[rows].any():
            size = int(plan.count[plan.group == group].sum())
            bounds.append(float(delta_max(size, 5, rate[age[rows]].max())))
    assert mean_bound(plan, robust) == pytest.approx(np.mean(bounds))


def test_it_says_that_the_people_are_invented_and_what_was_done_otherwise(made: Reproduction) -> None:
    assert not made.from_folder
    assert "invented people" in made.data
    assert "3,000 rows" in made.data
    text = to_text(made)
    assert text.count("measured:") == len(made.claims)
    assert "Done differently from the paper" in text
    page = to_html(made)
    assert page.count("✗ does not") == len(made.claims) - made.held
    assert page.count("The same as a table") == len(made.figures)
    told = json.loads(json.dumps(to_json(made), allow_nan=False))
    assert len(told["figures"]) == len(made.figures)
