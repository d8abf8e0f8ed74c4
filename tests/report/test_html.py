"""The page is whole, stands alone, and takes nothing of the user's for markup."""

from __future__ import annotations

import re

import numpy as np
import pytest

from discreet.labels.figures import number
from discreet.report.charts import histogram
from discreet.report.data import ReportData
from discreet.report.html import custodian_page
from discreet.report.release import size_bins
from discreet.report.text import to_text
from discreet.search.plan import Plan, Recoding
from tests.report.examples import ambiguous, bucketized, custodian, frequencies, full_domain, manifest
from tests.report.pages import Page


def plan_of(columns: int = 2, rows: int = 400, level: int = 1, k: int = 5, name: str = "column") -> Recoding:
    names = [f"{name} {i}" for i in range(columns)]
    table = [(*(f"v{(r + c) % (3 + c % 2)}" for c in range(columns)), f"s{r % 7}") for r in range(rows)]
    paths = {f"v{i}": ("low" if i < 2 else "high",) for i in range(4)}
    return full_domain(frequencies(table, dict.fromkeys(names, paths), ["illness"]), (level,) * columns, k)


def data_of(plan: Plan, k: int = 5, **changes) -> ReportData:
    return custodian(plan, manifest(plan, k, **changes))


def cells() -> Recoding:
    """The same groups, without saying that each column has one level."""
    plan = plan_of()
    return Recoding(plan.frequency, plan.row, plan.count, plan.group, plan.low, plan.high)


PLANS: dict[str, Plan] = {
    "levels": plan_of(),
    "cells": cells(),
    "fifteen columns": plan_of(columns=15),
    "one group": plan_of(level=2),
    "everything suppressed": plan_of(level=0, rows=40, k=30),
    "long names": plan_of(name="a_name_without_end" * 20),
    "one row": plan_of(rows=1, k=1),
}
TABLE = plan_of().frequency
LONG = plan_of(columns=12, name="a_name_without_end" * 20).frequency
ONE = plan_of(rows=1, k=1).frequency
PLANS |= {
    "bucketized": bucketized(TABLE, 6, left_out=10),
    "bucketized, all suppressed": bucketized(TABLE, 6, left_out=400),
    "bucketized, one row": bucketized(ONE),
    "bucketized, one group": bucketized(TABLE, 400),
    "bucketized, long names": bucketized(LONG),
    "ambiguous": ambiguous(TABLE, 6, left_out=10),
    "ambiguous, tables of several columns": ambiguous(TABLE, 6, tables=((0, 1),)),
    "ambiguous, all suppressed": ambiguous(TABLE, 6, left_out=400),
    "ambiguous, one row": ambiguous(ONE),
    "ambiguous, one group": ambiguous(TABLE, 400),
    "ambiguous, long names": ambiguous(LONG),
}


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS.keys())
def test_the_page_is_well_formed_and_small_whatever_the_plan(plan: Plan):
    text = custodian_page(data_of(plan))
    page = Page(text)
    assert page.count("h1") == 1
    assert len(text.encode()) < 200_000
    for tag, attributes in page.elements:
        assert tag != "svg" or "aria-hidden" in attributes or attributes.get("aria-label")
        for name, value in attributes.items():
            assert "nan" not in (value or ""), (tag, name)
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["aria-labelledby"] for _, a in page.elements if "aria-labelledby" in a} == set(ids)


def test_every_chart_is_there():
    page = Page(custodian_page(data_of(PLANS["levels"])))
    assert page.count("svg", "histogram") == 1
    assert page.count("svg", "ladder") == 2
    assert page.count("svg", "bar") >= 2 + 3 * 2
    assert page.count("ol", "steps") == 2
    assert Page(custodian_page(data_of(PLANS["cells"]))).count("svg", "stack") == 2


def test_the_figures_of_the_page_are_those_of_the_data():
    data = data_of(plan_of(level=0, rows=400, k=30))
    text = re.sub(r"\s+", " ", Page(custodian_page(data)).text)
    assert data.published > 0
    assert f"of {data.source:,} rows" in text
    assert f"{data.groups:,} groups, {number(data.average_group)} rows on average" in text
    for b in data.sizes:
        assert f"{b.rows:,}" in text


def test_nothing_is_loaded_from_anywhere():
    for plan in PLANS.values():
        text = custodian_page(data_of(plan))
        outside = r"https?:|//|@import|url\(|<script|<link|<img|<iframe| src=| on\w+="
        assert not re.search(outside, text)
        assert all(re.fullmatch("#[a-z]+", place) for place in re.findall(r' href="(.*?)"', text))
        assert "default-src 'none'" in text


def test_names_and_values_are_never_taken_for_markup():
    evil = "<script>alert(1)</script>\"'><b onload=x>&amp;{{7*7}}"
    rows = [(evil, evil)] * 30 + [("x", "y")] * 30
    table = frequencies(rows, {f"{evil}q": {evil: (f"{evil}1",), "x": ("x1",)}}, [f"{evil}s"])
    plans = [full_domain(table, (level,), 2) for level in (0, 1, 2)]
    for plan in [*plans, bucketized(table), ambiguous(table)]:
        words = manifest(plan, 2, notes=[evil], search=evil, facts={evil: evil}, versions={evil: evil})
        words["files"] = {evil: words["files"]["data.csv"]}
        words["roles"][f"{evil}o"] = "other"
        words["hierarchies"] = {f"{evil}q": {"intervals": [evil]}}
        words["tables"] = {evil + file: columns for file, columns in words["tables"].items()}
        words["promises"][0] |= {"promise": evil, "required": evil}
        text = custodian_page(custodian(plan, words))
        page = Page(text)
        assert page.count("script") == 0
        assert not any(name.startswith("on") for _, a in page.elements for name in a)
        assert "<script" not in text
        assert "{{7*7}}" in page.text


def test_letters_that_steer_a_terminal_or_turn_the_text_are_replaced():
    rows = [("a\x1b[31m\u202eb", "y")] * 30
    table = frequencies(rows, {"name\x07": {"a\x1b[31m\u202eb": ()}}, ["s\x1b"])
    for plan in (full_domain(table, (0,), 2), bucketized(table), ambiguous(table)):
        data = data_of(plan, 2, notes=["note\x1b"])
        text = custodian_page(data) + to_text(data)
        assert not re.search("[\x1b\x07\u202e]", text)


def test_the_same_data_give_the_same_bytes():
    for make in (plan_of, lambda: bucketized(plan_of().frequency), lambda: ambiguous(plan_of().frequency)):
        assert custodian_page(data_of(make())) == custodian_page(data_of(make()))


def test_an_empty_release_says_so():
    data = data_of(PLANS["everything suppressed"], 30)
    assert data.published == 0
    text = Page(custodian_page(data)).text
    assert "Nothing is published" in text
    assert not re.search(r"\bv\d\b", text)


def test_null_and_empty_text_are_told_apart():
    rows = [(None, "y")] * 40 + [("", "y")] * 40 + [("NULLable", "y")] * 40
    table = frequencies(rows, {"x": {v: () for v in (None, "", "NULLable")}}, ["s"])
    labels = {p.label for p in data_of(full_domain(table, (0,), 2)).marginals[0].pairs}
    assert labels == {"NULL", "(empty)", "NULLable"}


def test_the_asked_k_is_marked_and_the_mark_claims_no_more_than_is_true():
    kept, broken = size_bins(np.array([5, 9]), 5), size_bins(np.array([3, 9]), 5)
    assert "k = 5, as asked: no group is smaller" in histogram(kept, 5)
    assert "k = 5, as asked<" in histogram(broken, 5)
    assert "k = 5, as asked: no group is smaller" in histogram(size_bins(np.array([5_000]), 5), 5)
    assert "as asked" not in histogram(kept, None)


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"optimal": True, "utility": "loss"}, "that keeps the promises costs less"),
        ({"optimal": True, "utility": "average_group"}, "and leaves out no group without need costs less"),
        ({"optimal": False, "utility": "loss", "lower_bound": 0.1}, "not proven to be the best there is"),
    ],
)
def test_the_page_claims_an_optimum_only_of_what_was_compared(facts: dict[str, object], told: str) -> None:
    """The mean size of groups also falls if a large group is left out for nothing: such releases are not looked at."""
    page = custodian_page(data_of(plan_of(), facts=facts))
    claims = ["that keeps the promises costs less", "without need costs less", "not proven to be the best there is"]
    assert [claim for claim in claims if claim in page] == [claim for claim in claims if claim in told]
