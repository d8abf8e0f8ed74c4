"""What is refused before a search can't be had by any grouping, and what is proposed instead can."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import anonymize, policy_from_words
from discreet.errors import Infeasible
from discreet.models.base import PrivacyModel, all_hold
from discreet.models.groups.alpha_k import AlphaK
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import (
    DistinctDiversity,
    EntropyDiversity,
    FrequencyDiversity,
    RecursiveDiversity,
)
from discreet.run.anonymize import find_plan
from discreet.run.intake import take_in
from discreet.search.lattice.optimal import optimal
from discreet.search.out_of_reach import one_group, out_of_reach
from discreet.search.plan import Problem
from tests.models.cases import ATTRIBUTE
from tests.oracles import keeps_one
from tests.search.brute_force import partitions
from tests.strategies import Table

VALUES = ("flu", "cold", "gout")


def table_of(values: Sequence[str]) -> Table:
    leaves = {f"p{i}": () for i in range(len(values))}  # everybody is somebody else: every grouping is conceivable
    paths = dict.fromkeys(VALUES, ())
    return Table((leaves,), tuple((leaf,) for leaf in leaves), {ATTRIBUTE: tuple(values)}, {ATTRIBUTE: paths})


def fewest_suppressed(model: PrivacyModel, values: Sequence[str]) -> int:
    """Over all groupings of the rows, the fewest rows in groups that break the promise."""
    return min(
        sum(len(group) for group in grouping if not keeps_one(model, [values[i] for i in group], values))
        for grouping in partitions(list(range(len(values))))
    )


promises: st.SearchStrategy[PrivacyModel] = st.one_of(
    st.builds(KAnonymity, st.integers(2, 8)),
    st.builds(DistinctDiversity, st.integers(2, 4), st.just(ATTRIBUTE)),
    st.builds(EntropyDiversity, st.sampled_from(["1.5", "2", "2.6", "3"]), st.just(ATTRIBUTE)),
    st.builds(RecursiveDiversity, st.sampled_from(["0.5", "1", "1.5", "3"]), st.integers(2, 3), st.just(ATTRIBUTE)),
    st.builds(FrequencyDiversity, st.sampled_from(["1.2", "1.5", "2", "3"]), st.just(ATTRIBUTE)),
    st.builds(AlphaK, st.sampled_from(["0.3", "0.5", "0.7"]), st.integers(2, 8), st.just(ATTRIBUTE)),
)


@given(st.lists(st.sampled_from(VALUES), min_size=1, max_size=6), promises, st.integers(0, 6))
def test_what_is_refused_no_grouping_keeps(values: list[str], model: PrivacyModel, limit: int) -> None:
    frequency = table_of(values).frequency()
    refused = out_of_reach([model], frequency, limit)
    fewest = fewest_suppressed(model, values)
    if refused is not None:
        assert fewest > limit
        assert refused.rule.startswith(f"{model.describe()} can't be had: ")
        helps = re.search(r"allow at least (\d+) of", refused.repair)
        if helps:  # no fewer will do
            assert limit < int(helps[1]) <= fewest
    elif limit == 0:
        assert fewest == 0  # without suppression nothing that can't be had is searched for


@given(st.lists(st.sampled_from(VALUES), min_size=1, max_size=12), promises, st.integers(0, 6))
def test_the_number_that_is_proposed_can_be_had(values: list[str], model: PrivacyModel, limit: int) -> None:
    table = table_of(values)
    refused = out_of_reach([model], table.frequency(), limit)
    if refused is None or not (proposed := re.search(r"ask for (\w+) of at (most|least) ([\d.]+)", refused.repair)):
        return
    parameter, _, number = proposed.groups()
    weaker = replace(model, **{parameter: int(number) if parameter == "k" or number.isdigit() else number})
    assert all_hold([weaker], one_group(table.frequency())).all()
    assert optimal(Problem(table.frequency(), (weaker,), limit)).suppressed <= limit


PATIENTS = {
    "zip": ["1", "1", "2", "2", "3", "3", "4", "4"],
    "disease": ["flu", "flu", "flu", "flu", "flu", "flu", "cold", "gout"],
}


def words(promise: dict[str, object], **more: object) -> dict[str, object]:
    return {
        "attributes": {
            "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [1]}},
            "disease": {"role": "sensitive"},
        },
        "require": [promise],
        **more,
    }


@pytest.mark.parametrize("search", ["optimal", "incognito", "optimize", "instant", "instant_cuts"])
@pytest.mark.parametrize(
    ("promise", "suppress", "reason", "repair"),
    [
        ({"k_anonymity": {"k": 9}}, 0.5, "the table has 8 rows", "ask for k of at most 8"),
        ({"l_diversity": {"l": 4}}, 0.5, "disease has 3 different values in the table", "ask for l of at most 3"),
        ({"l_diversity": {"l": 3, "kind": "entropy"}}, 0, "all rows together reach 2.087", "ask for l of at most 2"),
        (
            {"l_diversity": {"l": 2, "kind": "frequency"}},
            0,
            "all rows together reach 1.333",
            "ask for l of at most 1.3",
        ),
        (
            {"l_diversity": {"l": 2, "kind": "frequency"}},
            0.25,
            "at least 4 of 8 rows are in groups that break it; at most 2 rows may be suppressed",
            "ask for l of at most 1.3, or allow at least 4 of 8 rows to be suppressed",
        ),
        (
            {"l_diversity": {"l": 2, "c": 3, "kind": "recursive"}},
            0,
            "all rows together reach 3",
            "ask for c of at least",
        ),
        ({"alpha_k": {"alpha": 0.5, "k": 2}}, 0, "all rows together reach 0.75", "ask for alpha of at least 0.75"),
    ],
)
def test_searches_say_what_cannot_be_had_and_what_can(
    search: str, promise: dict[str, object], suppress: float, reason: str, repair: str, tmp_path: object
) -> None:
    policy = policy_from_words(words(promise, suppress=suppress, search=search))
    with pytest.raises(Infeasible) as caught:
        anonymize(policy, f"{tmp_path}/release", source=PATIENTS)
    text = str(caught.value)
    assert "can't be had" in text and reason in text and repair in text
    assert "time" not in text and "raise `suppress`" not in text


def test_everything_that_cannot_be_had_is_said_at_once() -> None:
    policy = policy_from_words(
        words({"k_anonymity": {"k": 9}}) | {"require": [{"k_anonymity": {"k": 9}}, {"l_diversity": {"l": 18}}]}
    )
    with pytest.raises(Infeasible) as caught:
        find_plan(policy, take_in(policy, PATIENTS))
    assert "9-anonymity can't be had" in str(caught.value)
    assert "distinct 18-diversity of disease can't be had: disease has 3 different values" in str(caught.value)


@pytest.mark.parametrize("publish", ["multidimensional", "local_recoding", "bucketization"])
def test_other_kinds_of_publication_say_it_too(publish: str) -> None:
    policy = policy_from_words(words({"l_diversity": {"l": 4}}, publish=publish, suppress=0.2))
    with pytest.raises(Infeasible, match="disease has 3 different values in the table"):
        find_plan(policy, take_in(policy, PATIENTS))


def test_instant_never_speaks_of_a_time_limit_that_nobody_set(tmp_path: object) -> None:
    """Small tables: where it refuses, there is no release, and `optimal` refuses as well."""
    refusals = 0
    for seed in range(60):
        chance = random.Random(seed)
        table = {
            "zip": [chance.choice("1234") + chance.choice("12") for _ in range(12)],
            "disease": [chance.choice(["flu", "flu", "flu", "cold", "gout"]) for _ in range(12)],
        }
        kind = chance.choice([{"kind": "frequency", "l": 2}, {"kind": "entropy", "l": 2.5}])
        asked = words({"l_diversity": kind}, suppress=chance.choice([0.2, 0.35, 0.5]))
        try:
            anonymize(policy_from_words(asked | {"search": "instant"}), f"{tmp_path}/{seed}", source=table)
        except Infeasible as error:
            refusals += 1
            assert "time" not in str(error) and "looked" not in str(error)
            policy = policy_from_words(asked)
            with pytest.raises(Infeasible):
                find_plan(policy, take_in(policy, table))
    assert refusals >= 5


def test_raising_suppress_is_proposed_with_a_figure_that_helps() -> None:
    """Found by the search: the whole table breaks the promise, and parts of it hold."""
    table = {"zip": ["1"] * 4 + ["2"] * 2, "disease": ["flu", "flu", "flu", "cold", "flu", "cold"]}
    asked = words({"l_diversity": {"l": 2, "kind": "frequency"}})
    policy = policy_from_words(asked | {"suppress": 0.5})
    with pytest.raises(Infeasible, match=r"raise `suppress` to 0\.6667"):
        find_plan(policy, take_in(policy, table))
    policy = policy_from_words(asked | {"suppress": 0.6667})
    assert find_plan(policy, take_in(policy, table)).suppressed == 4


@pytest.mark.parametrize("publish", ["multidimensional", "local_recoding"])
def test_what_no_grouping_keeps_is_refused_where_people_have_several_rows(publish: str, tmp_path: Path) -> None:
    """Two people with three rows of six: whoever knows that is right about a value in four of five worlds."""
    words = {
        "attributes": {
            "patient": {"role": "person"},
            "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10]}},
            "disease": {"role": "sensitive"},
        },
        "require": [{"l_diversity": {"l": 2, "kind": "frequency"}}],
        "publish": publish,
        "suppress": "1/5",
    }
    table = {"patient": ["ann"] * 3 + ["bob"] * 3, "age": ["21"] * 6, "disease": ["flu", "cold", "gout"] * 2}
    with pytest.raises(Infeasible, match="no grouping was found that keeps every promise"):
        anonymize(policy_from_words(words), tmp_path / "release", source=table)
