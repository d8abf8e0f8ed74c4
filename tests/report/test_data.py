"""The figures of the report agree with the plan, and nothing rare is among them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import policy_from_words
from discreet.labels.whose import Whose
from discreet.publications.tables import published_values
from discreet.report.html import custodian_page
from discreet.report.marginals import Grain
from discreet.report.release import size_bins
from discreet.report.sections.coarser import EXACTNESS
from discreet.report.sections.open_risks import open_risks
from discreet.report.text import to_json, to_text
from discreet.run.anonymize import anonymize
from discreet.search.plan import Recoding
from tests.report.examples import custodian, frequencies, full_domain, manifest, without_values
from tests.report.towns import example, people


def test_sizes_add_up_to_the_published_rows_and_groups():
    plan = example(node=(0, 1))
    data = custodian(plan, manifest(plan, 20))
    assert plan.suppressed > 0
    assert sum(b.rows for b in data.sizes) == data.published == plan.frequency.rows - plan.suppressed
    assert sum(b.groups for b in data.sizes) == data.groups == len(plan.low)
    assert all(a.high + 1 == b.low for a, b in zip(data.sizes, data.sizes[1:], strict=False))
    assert data.sizes[0].low <= data.smallest_group <= data.sizes[0].high


@given(st.lists(st.integers(1, 100_000), max_size=30), st.integers(2, 300))
def test_every_group_falls_in_exactly_one_bin(sizes: list[int], k: int):
    bins = size_bins(np.array(sizes, dtype=np.int64), k)
    assert sum(b.groups for b in bins) == len(sizes)
    assert sum(b.rows for b in bins) == sum(sizes)
    for b in bins:
        inside = [s for s in sizes if b.low <= s <= b.high]
        assert (len(inside), sum(inside)) == (b.groups, b.rows)
        assert b.low >= k or b.high < k


def test_losses_and_levels_are_those_of_the_plan():
    plan = example()
    data = custodian(plan, manifest(plan, 20))
    assert [a.loss for a in data.attributes] == pytest.approx(plan.losses.tolist())
    assert [a.level for a in data.attributes] == [1, 1]
    town = data.attributes[0]
    assert [s.values for s in town.steps] == [12, 4, 2, 1]
    assert [s.published for s in town.steps] == [False, True, False, False]
    assert town.steps[0].example == "town0"
    assert town.steps[1].example == "county0"
    assert town.steps[2].example == "land0"


def test_before_is_the_original_distribution_and_after_what_a_reader_makes_of_the_release():
    plan = example(k=100)
    assert plan.suppressed > 0
    table = people(2_000)
    h, kept = plan.frequency.hierarchies[0], plan.group >= 0
    counties = h.codes[1][plan.frequency.codes[0][plan.row[kept]]]
    published = np.bincount(counties, weights=plan.count[kept]) / plan.count[kept].sum()
    town = custodian(plan, manifest(plan, 100)).marginals[0]
    assert (town.level, plan.node[0]) == (0, 1)
    assert [p.label for p in town.pairs][:2] == ["town0", "town1"]
    for pair in town.pairs:
        county = int(h.codes[1][h.index[pair.label]])
        assert pair.before == pytest.approx(100 * np.mean([t == pair.label for t, _, _ in table]), abs=0.5001)
        assert pair.after == pytest.approx(100 * published[county] / (h.codes[1] == county).sum(), abs=0.5001)


def test_nothing_finer_than_was_looked_at_is_drawn():
    plan = example(node=(2, 1))
    looked = replace(plan.frequency, leaf_rows=plan.frequency.counted_leaves)
    data = custodian(replace(plan, frequency=looked), manifest(plan, 20))
    assert data.marginals[0].level == 2


def test_a_published_range_is_spread_evenly_over_its_leaves():
    table = frequencies([("a",)] * 600 + [("b",)] * 200 + [("c",)] * 200, {"x": {v: () for v in "abc"}})
    b = table.hierarchies[0].index["b"]
    low, high = np.array([[0], [b]], dtype=np.int32), np.array([[2], [b]], dtype=np.int32)
    group = (table.codes[0] == b).astype(np.int64)
    plan = Recoding(table, np.arange(3), table.counts, group, low, high)
    data = custodian(plan, manifest(plan, 5))
    shares = {p.label: (p.before, p.after) for p in data.marginals[0].pairs}
    assert shares == {"a": (60, 27), "b": (20, 47), "c": (20, 27)}
    assert data.marginals[0].moved == 33
    assert data.attributes[0].exactness == (0.2, 0, 0, 0, 0.8)


def test_exactness_tells_how_much_of_the_domain_stays_open():
    values = [str(i) for i in range(21)]
    table = frequencies([(v,) for v in values], {"x": {v: () for v in values}})
    low = np.array([[0], [3], [5], [9], [0]], dtype=np.int32)
    high = np.array([[0], [5], [13], [20], [20]], dtype=np.int32)
    number = np.arange(21) % 5
    plan = Recoding(table, np.arange(21), table.counts, number, low, high)
    data = custodian(plan, manifest(plan, 2))
    assert dict(zip(EXACTNESS, data.attributes[0].exactness, strict=True)) == {
        "exact": 5 / 21,
        "narrow": 4 / 21,
        "wide": 4 / 21,
        "very wide": 4 / 21,
        "hidden (*)": 4 / 21,
    }


def test_the_share_of_rows_in_groups_that_agree_is_told_if_nothing_is_promised_about_the_value():
    rows = [("a", "ill")] * 30 + [("b", "ill")] * 5 + [("b", "well")] * 5
    table = frequencies(rows, {"x": {"a": (), "b": ()}}, ["health"])
    plan = full_domain(table, (0,), 2)
    words = manifest(plan, 2)
    risks = dict(custodian(plan, words).open_risks)
    assert "75%" in risks["Learning health from a group that agrees"]
    diverse = {
        "model": {"l_diversity": {"l": 2, "kind": "distinct"}},
        "promise": "distinct 2-diversity of health",
        "holds": False,
        "level": 1.0,
        "required": "at least 2",
        "deciding_group": 30,
    }
    data = custodian(plan, words | {"promises": [*words["promises"], diverse]})
    assert not data.keeps_promises
    assert not any("agrees" in title for title, _ in data.open_risks)


def test_unprotected_columns_are_named_as_a_risk():
    plan = example()
    words = manifest(plan, 20)
    roles = words["roles"] | {"salary": "other", "name": "identifier"}
    titles = [title for title, _ in custodian(plan, words | {"roles": roles}).open_risks]
    assert "Published without protection: salary" in titles


@settings(max_examples=25, deadline=None)
@given(
    rows=st.sampled_from([30, 300, 1_500]),
    node=st.tuples(st.integers(0, 3), st.integers(0, 2)),
    k=st.integers(2, 60),
    seed=st.integers(0, 99),
)
def test_no_rare_value_and_no_value_of_suppressed_rows_alone_is_told(rows, node, k, seed):
    plan = example(rows, node, k, seed)
    data = custodian(plan, manifest(plan, k))
    told = custodian_page(data) + to_text(data) + json.dumps(to_json(without_values(data)))
    kept = set(plan.row[plan.group >= 0].tolist())
    f = plan.frequency
    columns = [(f.hierarchies[0], f.codes[0]), (f.sensitive_hierarchies["illness"], f.sensitive["illness"])]
    for h, codes in columns:
        for level in range(h.height):
            for code, label in enumerate(h.labels[level]):
                if re.search(rf"\b{label}\b", told):
                    rows_with = np.flatnonzero(h.codes[level][codes] == code)
                    assert f.counts[rows_with].sum() >= max(0.01 * rows, 5)
                    assert kept & set(rows_with.tolist())


@given(st.integers(1, 10_000_000), st.floats(0, 1))
def test_a_share_is_rounded_so_that_one_step_is_ten_rows_or_half_of_the_table(rows: int, share: float):
    grain = Grain(rows)
    assert grain.step * rows >= 1_000 or grain.step == 50
    assert abs(grain.round(share) - 100 * share) <= grain.step / 2 + 1e-9


def test_the_words_of_the_policy_that_may_list_values_or_passwords_are_not_told():
    plan = example(node=(2, 1))
    words = manifest(plan, 20)
    words["policy"] |= {"source": "postgresql://me:hunter2@host#people", "attributes": {"town": {"role": "town11"}}}
    data = custodian(plan, words)
    told = custodian_page(data) + json.dumps(to_json(without_values(data))) + to_text(data)
    assert "hunter2" not in told
    assert "town11" not in told


def test_the_report_is_plain_json():
    plan = example()
    data = custodian(plan, manifest(plan, 20))
    assert json.loads(json.dumps(to_json(without_values(data))))["published"] == data.published


def test_the_text_is_short_and_has_the_verdict_first():
    plan = example()
    lines = to_text(custodian(plan, manifest(plan, 20, notes=["salary is published as it is"]))).splitlines()
    assert lines[0] == "This release keeps its promises."
    assert lines[-1] == "  note: salary is published as it is"
    assert len(lines) < 15
    assert any("town" in line and "level 1 of 3, 12 values became" in line for line in lines)


def test_a_broken_promise_is_told_first():
    plan = example()
    words = manifest(plan, 20)
    words["promises"][0] |= {"holds": False, "level": 3.0, "deciding_group": 3}
    data = custodian(plan, words)
    assert to_text(data).startswith("This release does not keep its promises.")
    assert "BROKEN (asked at least 20, achieved 3)" in to_text(data)
    assert "checked twice" not in custodian_page(data)


def test_a_level_beyond_all_numbers_and_a_release_without_groups_are_told_in_words():
    plan = example()
    words = manifest(plan, 20)
    words["promises"][0] |= {"holds": False, "level": None}
    assert "achieved beyond all bounds" in to_text(custodian(plan, words))
    words["promises"][0] |= {"holds": True, "deciding_group": None}
    assert "achieved none, as there is no group" in to_text(custodian(plan, words))


def test_what_a_promise_leaves_open_of_two_columns_is_told_once():
    promise = {"class": "II", "stubbornness": 9, "epsilon": 3}
    said = [{"model": {"realistic": promise | {"attribute": name}}} for name in ("disease", "income")]
    risks = open_risks(said, dict.fromkeys(("disease", "income"), "sensitive"), "generalization", {}, Whose.UNSAID)
    assert [title for title, _ in risks].count("Adversaries other than the one assumed") == 1


def test_that_confidence_rests_on_independent_values_is_told_with_what_helps():
    said = [{"model": {"confident_presence": {"delta": [0, 0.5], "confidence": 0.999}}}]
    risks = open_risks(said, {}, "multidimensional", {}, Whose.UNSAID)
    [told] = [text for title, text in risks if "go together" in title]
    assert "a higher confidence hardly mends that" in told
    assert "publish: generalization" in told and "`presence`" in told
    presence = {"model": {"presence": {"delta": [0, 0.5]}}}
    only_presence = open_risks([presence], {}, "multidimensional", {}, Whose.UNSAID)
    assert not [title for title, _ in only_presence if "go together" in title]


def test_before_and_after_name_values_as_the_release_writes_them():
    plan = example(node=(1, 1))
    data = custodian(plan, manifest(plan, 2))
    written = {text for d in range(2) for text in published_values(plan, d)[0]}
    named = {pair.label for m in data.marginals if m.role == "quasi_identifier" and m.level == 1 for pair in m.pairs}
    assert named and named <= written


def test_a_column_that_is_published_as_it_is_has_no_hierarchy_in_words(tmp_path: Path) -> None:
    attributes = {
        "age": {"role": "quasi_identifier", "hierarchy": {"flat": True}},
        "ill": {"role": "sensitive"},
        "pay": {"role": "sensitive", "publish_as": {"cuts": [[10, 30]]}},
    }
    table = {"age": ["1", "2"] * 8, "ill": list("abcd") * 4, "pay": [str(i * 3) for i in range(16)]}
    policy = policy_from_words({"attributes": attributes, "require": [{"k_anonymity": {"k": 4}}]})
    columns = {
        column.name: column.hierarchy for column in anonymize(policy, tmp_path / "r", source=table).report.columns
    }
    assert columns == {
        "age": "the value, or *",
        "ill": "",
        "pay": "published as spans with ends of their own (1 level); written like [20, 30)",
    }
