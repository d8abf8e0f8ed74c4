"""`compare_methods`: every method on one table, measured alike, and the page about it."""

from __future__ import annotations

import json
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet
from discreet.errors import DiscreetError, PolicyError
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.robust.robust import Robust
from discreet.policy.policy import Policy, policy_from_words
from discreet.releases.comparison import MethodComparison, MethodResult, NoRelease
from discreet.releases.queries import query_error
from discreet.report.pages.methods_page import NAMES, recommendation, to_html, to_json, to_text
from discreet.run.intake import take_in
from discreet.run.methods import METHODS, QUERIES, SELECTIVITY, RareSets, compare_methods, run, setting_of
from discreet.samples.census import census_like
from discreet.search.buckets.anatomy import anatomized
from discreet.search.buckets.bucketizing import Demand, demand, set_numbers
from discreet.search.plan import Problem
from discreet.utility.queries import draw_workload
from tests.releases.making import pairs
from tests.search.bucketized import SENSITIVE, bucketizable, members

ATTRIBUTES = {
    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 40]}},
    "sex": {"role": "quasi_identifier", "hierarchy": {"flat": True}},
    "disease": {"role": "sensitive"},
}


def policy(*require: object, publish: str = "bucketization", **words: object) -> Policy:
    given = {"attributes": ATTRIBUTES, "require": list(require), "publish": publish, "seed": 1, "suppress": 0.05}
    return policy_from_words(given | words)


@pytest.fixture(scope="module")
def table() -> dict[str, list[str]]:
    found: dict[str, list[str]] = census_like(1500, columns=list(ATTRIBUTES)).to_pydict()
    return found


@pytest.fixture(scope="module")
def rare(table: dict[str, list[str]]) -> list[str]:
    """The diseases of a few percent of the people."""
    counts = {value: table["disease"].count(value) for value in set(table["disease"])}
    by_count = sorted(counts, key=lambda value: (counts[value], value))
    return by_count[:2]


@pytest.fixture(scope="module")
def compared(table: dict[str, list[str]], rare: list[str]) -> MethodComparison:
    return compare_methods(policy({"robust": {"r": 4, "values": [rare]}}), source=table)


def by_method(c: MethodComparison) -> dict[str, MethodResult | NoRelease]:
    return {r.method: r for r in c.results}


def test_every_method_is_measured_on_the_same_table(compared: MethodComparison, rare: list[str]) -> None:
    found = by_method(compared)
    assert list(found) == [name for name in METHODS if name != "greedy"]
    assert all(isinstance(r, MethodResult) for r in found.values())
    assert (compared.rows, compared.attribute, compared.r, compared.l) == (1500, "disease", "4", 4)
    assert compared.limit == 75
    assert 0 < compared.people < 375


def test_art_alone_sees_to_it_that_nobody_is_seen_through(compared: MethodComparison) -> None:
    art, anatomy = by_method(compared)["art"], by_method(compared)["anatomy"]
    assert isinstance(art, MethodResult)
    assert isinstance(anatomy, MethodResult)
    assert (art.problematic, art.undecided, art.broken) == (0, 0, ())
    assert anatomy.problematic > 0
    assert anatomy.broken


def test_the_figures_are_those_of_the_methods_themselves(
    compared: MethodComparison, table: dict[str, list[str]], rare: list[str]
) -> None:
    asked = policy({"robust": {"r": 4, "values": [rare]}})
    frequency = take_in(asked, table).frequency
    plan = anatomized(frequency, demand(Problem(frequency, asked.models), "anatomy"), np.random.default_rng(1))
    told = by_method(compared)["anatomy"]
    assert isinstance(told, MethodResult)
    error = query_error(plan, selectivity=SELECTIVITY, count=QUERIES)
    assert (told.error.mean, told.error.median) == (error.mean, error.median)
    assert told.groups == plan.group_count
    robust = Robust(4, "disease", values=[rare])
    assert told.deviation == pytest.approx(robust.mean_deviation(plan.groups))


def test_the_same_seed_gives_the_same_comparison_but_for_the_time(
    compared: MethodComparison, table: dict[str, list[str]], rare: list[str]
) -> None:
    assert compare_methods(policy({"robust": {"r": 4, "values": [rare]}}), source=table) == compared


def test_a_method_that_can_not_publish_says_why(table: dict[str, list[str]]) -> None:
    found = by_method(compare_methods(policy({"l_diversity": {"l": 19, "kind": "frequency"}}), source=table))
    anatomy = found["anatomy"]
    assert isinstance(anatomy, NoRelease)
    assert "none may have more than 1/19" in anatomy.why


def test_without_robust_all_are_judged_by_the_l_that_was_asked_for(table: dict[str, list[str]]) -> None:
    compared = compare_methods(policy({"l_diversity": {"l": 2, "kind": "frequency"}}), source=table)
    assert (compared.r, compared.listed, compared.people) == ("2", False, 1500)
    anatomy = by_method(compared)["anatomy"]
    assert isinstance(anatomy, MethodResult)
    assert anatomy.broken == ()


def test_for_an_ambiguous_policy_its_own_search_comes_first(table: dict[str, list[str]]) -> None:
    require = {"ambiguity": {"alpha": 0.9, "beta": 0.5}}
    compared = compare_methods(policy(require, publish="ambiguity"), source=table)
    assert compared.results[0].method == "greedy"
    assert compared.l == 2
    anatomy = by_method(compared)["anatomy"]
    assert isinstance(anatomy, MethodResult)
    assert anatomy.broken  # it does not hide who is in the table


def test_the_policys_own_method_is_recommended_if_it_keeps_it(compared: MethodComparison) -> None:
    do, why, line = recommendation(compared)
    art = by_method(compared)["art"]
    assert compared.search == "art" and compared.recommended == art
    assert (do, line) == ("Keep the policy as it is", "") and "is surer than 1 in 4 of no protected value" in why[-1]
    assert (
        isinstance(art, MethodResult)
        and (f"{art.suppressed:,} of 1,500 rows" if art.suppressed else "no row") in why[0]
    )
    for told in (to_text(compared), unescape(to_html(compared))):
        assert all(sentence in told for sentence in why)
    assert to_json(compared)["recommended"] == "art"


def test_another_method_is_recommended_if_it_alone_keeps_the_policy_or_answers_far_better(
    compared: MethodComparison,
) -> None:
    art = by_method(compared)["art"]
    assert isinstance(art, MethodResult)

    def among(**errors: float | None) -> MethodComparison:
        """Methods with these errors; None: the policy is broken."""
        results = tuple(
            replace(art, method=name, broken=("robust",))
            if off is None
            else replace(art, method=name, error=replace(art.error, median=off))
            for name, off in errors.items()
        )
        return replace(compared, results=results)

    assert recommendation(among(art=0.1, mask=0.08))[2] == ""
    assert recommendation(among(art=0.1, mask=0.07))[2] == "search: mask"
    assert recommendation(among(art=None, mask=0.2, anatomy=0.3))[2] == "search: mask"
    untrue = among(art=0.1, mask=0.01)
    changed = tuple(replace(r, distorted=9) if r.method == "mask" else r for r in untrue.results)
    assert recommendation(replace(untrue, results=changed))[2] == ""
    assert recommendation(among(art=0.1, t_closeness=0.01, greedy=0.01))[2] == ""  # another way to publish
    assert recommendation(among(art=float("nan"), mask=0.3))[2] == "search: mask"
    do, why, line = recommendation(among(art=None, mask=None))
    assert (do, line) == ("Change the policy", "") and "No method" in why[0]


def test_without_robust_the_recommendation_tells_who_is_seen_through_and_what_is_against_it(
    table: dict[str, list[str]],
) -> None:
    c = compare_methods(policy({"l_diversity": {"l": 2, "kind": "frequency"}}), source=table)
    assert c.search == "anatomy" and "art" not in c.ways  # without `robust` it is no search of the policy
    assert c.recommended is not None and c.recommended.distorted == 0  # MASK answers best, with untrue values
    kept = next(r for r in c.results if r.method == "anatomy")
    assert isinstance(kept, MethodResult) and kept.problematic > 0
    _, why, _ = recommendation(replace(c, results=tuple(r for r in c.results if r.method in ("anatomy", "art"))))
    assert why[-1].startswith("Not protected:") and "robust: {r: 2}" in why[-1]


def test_a_search_that_is_not_compared_is_not_talked_down(compared: MethodComparison) -> None:
    do, why, line = recommendation(replace(compared, search="invariant"))
    assert (do, line) == ("Keep the policy as it is", "") and "invariant, is not compared" in why[0]


def test_coarser_values_are_compared_elsewhere(table: dict[str, list[str]]) -> None:
    with pytest.raises(PolicyError, match="the policy publishes by generalization"):
        compare_methods(policy({"k_anonymity": {"k": 3}}, publish="generalization"), source=table)


def test_a_policy_without_a_promise_about_values_has_nothing_to_compare_by(table: dict[str, list[str]]) -> None:
    with pytest.raises(DiscreetError, match="no promise says how well"):
        compare_methods(policy({"k_anonymity": {"k": 3}}), source=table)


@given(bucketizable(max_rows=10), st.integers(2, 4))
def test_rare_sets_are_rare_in_every_group(frequency: FrequencySet, rows: int) -> None:
    leaves = frequency.sensitive_hierarchies[SENSITIVE].leaves
    sets = [("flu", None), ("gout",)]
    numbers = [[leaves.index(v) for v in s if v in leaves] for s in sets]
    model = RareSets(Demand(SENSITIVE, rows, rows, set_numbers(numbers, len(leaves))))
    plan = pairs(frequency)
    expected = [
        all(sum(row[-1] in s for row in held) * rows <= len(held) for s in sets)
        for group, held in sorted(members(plan).items())
        if group >= 0
    ]
    assert model.holds(plan.groups).tolist() == expected
    most = [
        max(1, *(sum(row[-1] in s for row in held) for s in sets))
        for group, held in sorted(members(plan).items())
        if group >= 0
    ]
    assert model.level(plan.groups).tolist() == (plan.groups.sizes / np.array(most)).tolist()


def test_methods_can_be_run_one_by_one(table: dict[str, list[str]]) -> None:
    frequency = take_in(policy({"l_diversity": {"l": 2}}), table).frequency
    setting = setting_of(Problem(frequency, (FrequencyDiversity(2, "disease"),), seed=1))
    workload = draw_workload(frequency, predicates=1, sensitive="disease", count=50, seed=1)
    found = run("mask", setting, workload)
    assert isinstance(found, MethodResult)
    assert found.seconds > 0
    assert found.distorted > 0


# The page


def test_the_page_tells_every_method_and_its_figures(compared: MethodComparison) -> None:
    page = to_html(compared)
    for r in compared.results:
        assert NAMES[r.method] in page
        assert isinstance(r, MethodResult)
        assert f">{r.groups:,}<" in page
    assert page.count('<span class="badge">kept</span>') == sum(not r.broken for r in compared.results)
    assert "<script" not in page
    assert "http://" not in page
    assert "https://" not in page


def test_the_page_and_the_text_say_why_there_is_no_release(compared: MethodComparison) -> None:
    refused = replace_results(compared, (NoRelease("anatomy", "a <value> is too frequent"),))
    page = to_html(refused)
    assert "a &lt;value&gt; is too frequent" in page
    assert "Privacy against usefulness" not in page
    assert "Anatomy: no release: a <value> is too frequent" in to_text(refused)


def test_strange_names_of_columns_are_escaped(compared: MethodComparison) -> None:
    page = to_html(MethodComparison(**{**vars(compared), "attribute": "<b>x", "promises": ("<i>promise",)}))
    assert "<b>x" not in page
    assert "<i>promise" not in page


def test_the_text_has_a_line_for_every_method(compared: MethodComparison) -> None:
    lines = to_text(compared).splitlines()
    for r in compared.results:
        [line] = [line for line in lines if line.strip().startswith(NAMES[r.method])]
        assert isinstance(r, MethodResult)
        assert line.endswith("broken" if r.broken else "kept")


def test_the_json_has_all_figures_and_only_finite_ones(compared: MethodComparison) -> None:
    told = json.loads(json.dumps(to_json(compared), allow_nan=False))
    art = told["results"][0]
    assert art["method"] == "art"
    assert art["keeps_policy"] is True
    assert art["problematic"] == 0
    assert set(art["error"]) == {"mean", "median", "queries", "empty"}
    refused = to_json(replace_results(compared, (NoRelease("mask", "no"),)))["results"]
    assert refused == [{"method": "mask", "why": "no", "release": False}]


def replace_results(c: MethodComparison, results: tuple[MethodResult | NoRelease, ...]) -> MethodComparison:
    return MethodComparison(**{**vars(c), "results": results})
