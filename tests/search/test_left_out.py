"""Rows that Mondrian and local recoding leave out: judged row by row, against brute force, and against suppress: 0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Infeasible, anonymize, policy_from_words, verify
from discreet.audit.audit import audit_release
from discreet.counts.frequency import FrequencySet
from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Flat, Intervals
from discreet.models.base import PrivacyModel
from discreet.models.groups.alpha_k import AlphaK
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import FrequencyDiversity, RecursiveDiversity
from discreet.models.verdicts import verdicts
from discreet.run.intake import take_in
from discreet.search.lattice.optimal import optimal
from discreet.search.local.local_recoding import local_recoding
from discreet.search.multidimensional.left_out import one_group
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.plan import SUPPRESSED, Problem, Recoding
from tests.search.multidimensional import best_loss, check, fewest_left_out, frequencies, loss, mergeable_promises

SEARCHES: list[Callable[[Problem], Recoding]] = [mondrian, local_recoding]
both = pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.__name__)
KINDS = ("multidimensional", "local_recoding")


def patients(flu: int, cold: int) -> dict[str, list[str]]:
    """People of all ages, of whom a few too many have the flu."""
    diseases = ["flu"] * flu + ["cold"] * cold
    return table_of([str(20 + i * 7 % 40) for i in range(len(diseases))], diseases)


def table_of(ages: list[str], diseases: list[str], elsewhere: int = 0) -> dict[str, list[str]]:
    """The last so many live in a town of their own."""
    towns = ["Ulm"] * (len(ages) - elsewhere) + [f"T{i}" for i in range(elsewhere)]
    return {"age": ages, "town": towns, "disease": diseases}


def asked(publish: str, *require: dict[str, Any], **more: Any) -> dict[str, Any]:
    attributes = {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10, 20]}},
        "town": {"role": "quasi_identifier", "hierarchy": {"flat": True}},
        "disease": {"role": "sensitive"},
    }
    return {"attributes": attributes, "require": [*require], "publish": publish, "seed": 7} | more


@pytest.mark.parametrize("publish", KINDS)
def test_too_common_a_value_is_published_without_the_rows_that_are_too_many(tmp_path: Path, publish: str) -> None:
    table = patients(52, 48)
    policy = policy_from_words(asked(publish, {"alpha_k": {"alpha": 0.5, "k": 2}}, suppress=0.3))
    release = anonymize(policy, tmp_path / "release", source=table)
    assert release.manifest["rows"]["suppressed"] == 4
    assert any("by what rule rows were left out" in note for note in audit_release(release.folder).notes)
    with pytest.raises(Infeasible):
        anonymize(policy_from_words(policy.to_words() | {"suppress": 0.03}), tmp_path / "other", source=table)
    assert verify(release.folder, source=table).kept
    audit = audit_release(release.folder, source=table)
    assert not audit.faults and not [level for level in audit.levels if level.holds is False]


@both
@given(frequencies(max_rows=10), mergeable_promises(), st.integers(1, 5))
def test_every_group_holds_and_nothing_is_worse_than_without_suppression(
    search: Callable[[Problem], Recoding], frequency: FrequencySet, models: tuple[PrivacyModel, ...], limit: int
) -> None:
    problem = Problem(frequency, models, limit)
    try:
        plan = search(problem)
    except Infeasible:
        with pytest.raises(Infeasible):
            search(Problem(frequency, models))
        with pytest.raises(Infeasible):
            optimal(problem)
        return
    check(plan, models, limit)
    try:
        without = search(Problem(frequency, models))
    except Infeasible:
        return
    assert loss(plan) <= loss(without) + 1e-12


def shares() -> st.SearchStrategy[tuple[PrivacyModel, ...]]:
    """Promises of a limit on how common a value is."""
    return st.sampled_from(
        [
            (AlphaK("0.5", 2, "disease"),),
            (AlphaK("2/3", 3, "disease"),),
            (FrequencyDiversity(2, "disease"),),
            (RecursiveDiversity(2, 2, "disease"),),
            (KAnonymity(3), FrequencyDiversity("1.5", "disease")),
        ]
    )


@given(frequencies(max_rows=8, max_attributes=1), shares(), st.integers(1, 8))
def test_no_fewer_rows_could_be_left_out_where_a_value_is_too_common(
    frequency: FrequencySet, models: tuple[PrivacyModel, ...], limit: int
) -> None:
    fewest = fewest_left_out(frequency, models)
    if fewest <= limit and fewest < frequency.rows:
        assert one_group(Problem(frequency, models, limit)).suppressed == fewest
    elif fewest > limit:
        with pytest.raises(Infeasible):
            one_group(Problem(frequency, models, limit))


@settings(max_examples=30)
@given(frequencies(max_rows=6, max_attributes=2), mergeable_promises(), st.integers(1, 2))
def test_nothing_is_better_than_the_best(frequency: FrequencySet, models: tuple[PrivacyModel, ...], limit: int) -> None:
    try:
        plan = local_recoding(Problem(frequency, models, limit))
    except Infeasible:
        return
    assert loss(plan) >= best_loss(frequency, models, min(limit, frequency.rows)) - 1e-12


def ages(*values: int) -> FrequencySet:
    hierarchy = build("age", [str(v) for v in range(101)], Intervals((10,)))
    codes = np.array([hierarchy.index[str(v)] for v in values], dtype=np.int32)
    return FrequencySet((hierarchy,), (codes,), {}, {}, np.ones(len(values), dtype=np.int64))


@both
def test_one_who_is_far_from_all_others_is_left_out_if_that_costs_less(search: Callable[[Problem], Recoding]) -> None:
    frequency = ages(20, 20, 20, 21, 99)
    assert loss(search(Problem(frequency, (KAnonymity(4),)))) == pytest.approx(0.79)
    plan = search(Problem(frequency, (KAnonymity(4),), 1))
    assert plan.row[plan.group == SUPPRESSED].tolist() == [4]
    assert loss(plan) == pytest.approx((4 * 0.01 + 1) / 5)
    near = ages(20, 20, 20, 21, 23)
    assert search(Problem(near, (KAnonymity(4),), 1)).suppressed == 0


@both
def test_those_who_save_most_are_left_out_first(search: Callable[[Problem], Recoding]) -> None:
    letters = build("letter", ["a", "b"], Flat())
    numbers = build("number", [str(i) for i in range(1001)], Intervals((10,)))
    # Two neighbourhoods of ten, each with one far off: 500 away in the first, 900 in the second.
    leaf = [0] * 10 + [500] + [50] * 10 + [950]
    frequency = FrequencySet(
        (numbers, letters),
        (np.array(leaf, dtype=np.int32), np.array([0] * 11 + [1] * 11, dtype=np.int32)),
        {},
        {},
        np.ones(22, dtype=np.int64),
    )
    plan = search(Problem(frequency, (KAnonymity(10),), 1))
    assert plan.row[plan.group == SUPPRESSED].tolist() == [21]
    assert search(Problem(frequency, (KAnonymity(10),), 2)).suppressed == 2


@pytest.mark.parametrize("publish", KINDS)
@pytest.mark.parametrize(
    "promise",
    [
        {"t_closeness": {"t": 0.2, "distance": "equal"}},
        {"beta_likeness": {"beta": 0.5}},
        {"delta_disclosure": {"delta": 1}},
        {"realistic": {"class": "II", "stubbornness": 4, "epsilon": 4}},
    ],
    ids=lambda promise: next(iter(promise)),
)
def test_what_is_left_out_is_judged_from_the_files_and_against_the_source(
    tmp_path: Path, publish: str, promise: dict[str, Any]
) -> None:
    random = np.random.default_rng(3)
    diseases = [*random.choice(["flu", "cold", "hiv"], 120, p=[0.5, 0.3, 0.2]), "flu", "cold"]
    table = table_of([str(age) for age in random.integers(20, 60, 122)], diseases, elsewhere=2)
    too_common = {"alpha_k": {"alpha": Counter(diseases)["flu"] / 122 - 0.02, "k": 2}}
    policy = policy_from_words(asked(publish, promise, too_common, suppress=0.1))
    release = anonymize(policy, tmp_path / "release", source=table)
    assert 0 < release.manifest["rows"]["suppressed"] <= 12
    assert verify(release.folder, source=table).kept
    audit = audit_release(release.folder, source=table)
    # With some of these promises all of the quasi-identifiers become *, which the audit says, and which is no leak.
    assert not [fault for fault in audit.faults if fault.fault != "nothing_left" or fault.grave]
    assert not [level for level in audit.levels if level.holds is False]


@pytest.mark.parametrize("publish", KINDS)
def test_a_value_that_a_promise_names_does_not_vanish(tmp_path: Path, publish: str) -> None:
    table = table_of(["20"] * 25, ["flu", "cold"] * 12 + ["hiv"], elsewhere=1)
    promise = {"realistic": {"class": "II", "stubbornness": 2, "epsilon": 30, "predicates": ["hiv"]}}
    policy = policy_from_words(asked(publish, {"k_anonymity": {"k": 3}}, promise, suppress=0.2))
    release = anonymize(policy, tmp_path / "release", source=table)
    lines = (release.folder / "data.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert Counter(line.rsplit(",", 1)[1] for line in lines)["hiv"] == 1


@pytest.mark.parametrize("publish", KINDS)
def test_the_page_says_how_many_of_those_allowed_were_left_out(tmp_path: Path, publish: str) -> None:
    table = table_of(["20"] * 13, ["flu", "cold"] * 6 + ["flu"], elsewhere=1)
    policy = policy_from_words(asked(publish, {"k_anonymity": {"k": 3}}, suppress=0.1))
    rows = anonymize(policy, tmp_path / "release", source=table).manifest["rows"]
    assert rows == {"source": 13, "published": 12, "suppressed": 1, "limit": 1}


@pytest.mark.parametrize("values", ["flu flu flu hiv cold cold", "cold cold cold hiv flu flu"])
def test_a_move_that_is_taken_back_takes_nobody_from_another(values: str) -> None:
    """Somebody was left out by one move and taken into a group by the next; the first was refused, and he came home:
    then the group of the second was one row short."""
    ages, codes = ["20", "21", "25", "34", "38", "77"], ["11", "11", "12", "21", "22", "93"]
    table = {"age": ages, "zip": codes, "disease": values.split()}
    words = {
        "attributes": {
            "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20, 40]}},
            "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [1]}},
            "disease": {"role": "sensitive"},
        },
        "require": [{"alpha_k": {"alpha": "2/3", "k": 2}}],
    }
    policy = policy_from_words(words)
    plan = local_recoding(Problem(take_in(policy, table).frequency, policy.models, 2, seed=7))
    assert all(verdict.holds for verdict in verdicts(policy.models, plan.groups))
    assert plan.suppressed <= 2


@pytest.mark.parametrize("publish", ["multidimensional", "local_recoding"])
def test_everybody_is_told_that_rows_were_left_out_one_by_one(tmp_path: Path, publish: str) -> None:
    """52 have the flu, and four of them go: whoever finds somebody missing could guess why."""
    table = {"age": [str(20 + i % 40) for i in range(100)], "disease": ["flu"] * 52 + ["cold"] * 48}
    words = {
        "attributes": {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
        "require": [{"alpha_k": {"alpha": 0.5, "k": 2}}],
        "suppress": 0.3,
        "publish": publish,
    }
    release = anonymize(policy_from_words(words), tmp_path / "release", source=table)
    [note] = [note for note in release.manifest["notes"] if "ranges: values" not in note]
    assert note.startswith("4 rows are left out one by one; where a promise is about disease")
    assert note in (release.folder / "report.html").read_text()
    assert verify(release.folder).kept
