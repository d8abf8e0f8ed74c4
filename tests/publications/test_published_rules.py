"""A rule that follows the data is told as far as published values show it, and later rows can still follow it."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from discreet import PolicyError, anonymize, apply, policy_from_words, verify
from tests.releases.reading import manifest_of, read_table


def numbers(seed: int, decimals: bool = False) -> dict[str, list[Any]]:
    chance = random.Random(seed)
    ages = [chance.choice([None, *range(18, 70)]) for _ in range(120)]
    if decimals:
        ages = [None if age is None else age + chance.choice([0, 0.5]) for age in ages]
    return {"age": ages, "zip": [chance.choice(["4790", "4791", "5123"]) for _ in ages]}


def days(seed: int) -> dict[str, list[Any]]:
    chance = random.Random(seed)
    dates = [f"20{chance.randint(10, 25)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}" for _ in range(120)]
    return {"age": dates, "zip": [chance.choice(["4790", "4791"]) for _ in dates]}


def policy(publish: str, hierarchy: object, k: int, suppress: float = 0) -> Any:
    age: dict[str, object] = {"role": "quasi_identifier"}
    attributes = {"age": age if hierarchy is None else age | {"hierarchy": hierarchy}}
    attributes["zip"] = {"role": "quasi_identifier", "hierarchy": {"prefixes": [2]}}
    words = {"attributes": attributes, "require": [{"k_anonymity": {"k": k}}], "publish": publish, "seed": 1}
    return policy_from_words(words | ({"suppress": suppress} if suppress else {}))


@pytest.mark.parametrize("publish", ["generalization", "multidimensional", "local_recoding"])
@pytest.mark.parametrize("hierarchy", [None, {"quantiles": 5}], ids=["default", "quantiles"])
@pytest.mark.parametrize("table", [numbers(1), numbers(2, decimals=True)], ids=["whole", "decimals"])
@pytest.mark.parametrize("k", [2, 8, 30, 70])
def test_the_same_rows_are_published_the_same_way_again(
    publish: str, hierarchy: object, table: dict[str, list[Any]], k: int, tmp_path: Path
) -> None:
    suppress = 0 if publish == "generalization" else 0.5  # later rows may be left out
    anonymize(policy(publish, hierarchy, k, suppress), tmp_path / "first", source=table)
    assert verify(tmp_path / "first").kept
    apply(tmp_path / "first", table, tmp_path / "again", seed=1)
    first, again = (Counter(read_table(tmp_path / folder)[1]) for folder in ("first", "again"))
    if publish == "generalization":
        assert first == again
    else:  # a row may fit several groups; the narrowest takes it
        assert first.keys() >= again.keys()


@pytest.mark.parametrize("publish", ["generalization", "multidimensional"])
@pytest.mark.parametrize("k", [2, 20, 60])
def test_dates_by_themselves_can_be_followed_too(publish: str, k: int, tmp_path: Path) -> None:
    table = days(3)
    suppress = 0 if publish == "generalization" else 0.5
    anonymize(policy(publish, None, k, suppress), tmp_path / "first", source=table)
    apply(tmp_path / "first", table, tmp_path / "again", seed=1)
    first, again = (Counter(read_table(tmp_path / folder)[1]) for folder in ("first", "again"))
    assert first == again if publish == "generalization" else first.keys() >= again.keys()


@pytest.mark.parametrize("k", [2, 4, 20])
def test_every_cut_that_is_told_is_the_end_of_a_published_interval(k: int, tmp_path: Path) -> None:
    anonymize(policy("generalization", None, k, 0.1), tmp_path / "r", source=numbers(4) | {"zip": ["4790"] * 120})
    [cuts] = manifest_of(tmp_path / "r")["hierarchies"]["age"]["cuts"]
    texts = {row[0] for row in read_table(tmp_path / "r")[1]} - {None, ""}
    ends = {int(n) for text in texts for n in text.replace("<", "").replace(">=", "").split("-")}
    assert set(cuts) <= ends | {end + 1 for end in ends}


def test_of_hidden_values_no_cut_is_told(tmp_path: Path) -> None:
    release = anonymize(policy("generalization", None, 100), tmp_path / "r", source=numbers(5))
    assert manifest_of(tmp_path / "r")["hierarchies"]["age"] == {"flat": True}
    assert manifest_of(tmp_path / "r")["node"]["age"] == 1
    assert release.figures["node"]["age"] > 1  # the custodian is told how far it had to go


@pytest.mark.parametrize(
    ("zips", "ages", "shown"),
    [
        ("aaaabb", ["", None, "20", "", "30", None], '{>=30, "", NULL}'),
        ("aabbba", ["", None, "20", "30", None, ""], '{"", NULL}'),
    ],
    ids=["one number", "none"],
)
def test_quantiles_of_which_hardly_a_number_is_shown_are_published(
    zips: str, ages: list[Any], shown: str, tmp_path: Path
) -> None:
    """What is missing stands in a set, by itself or with one number; the others are ``*``."""
    rule = {"zip": {"flat": True}, "age": {"quantiles": 2}}
    attributes = {name: {"role": "quasi_identifier", "hierarchy": words} for name, words in rule.items()}
    words = {"attributes": attributes, "require": [{"k_anonymity": {"k": 2}}], "publish": "multidimensional", "seed": 1}
    table: dict[str, list[Any]] = {"zip": [*zips], "age": ages}
    anonymize(policy_from_words(words), tmp_path / "release", source=table)
    assert {row[1] for row in read_table(tmp_path / "release")[1]} == {"*", shown}
    assert verify(tmp_path / "release", source=table).kept


def test_what_the_policy_names_is_told_as_it_is(tmp_path: Path) -> None:
    asked = policy("generalization", {"cuts": [[30, 40, 50], [40]]}, 30)
    anonymize(asked, tmp_path / "r", source=numbers(6))
    assert manifest_of(tmp_path / "r")["hierarchies"]["age"]["cuts"] == [[30, 40, 50], [40]]


def test_a_sensitive_column_is_not_cut_by_the_data() -> None:
    attributes = {
        "zip": {"role": "quasi_identifier"},
        "income": {"role": "sensitive", "hierarchy": {"quantiles": 4}},
    }
    with pytest.raises(PolicyError, match="quantiles follow the rows"):
        policy_from_words({"attributes": attributes, "require": [{"t_closeness": {"t": 0.2, "distance": "ordered"}}]})


@pytest.mark.parametrize(
    ("listed", "told"), [(["France", "Spain", "Nauru"], True), (["France", "Spain", "Nauru", "Peru"], False)]
)
def test_a_taxonomy_that_lists_the_table_s_own_values_is_told_to_the_custodian(
    listed: list[str], told: bool, tmp_path: Path
) -> None:
    rows = {"nation": ["France"] * 20 + ["Spain"] * 20 + ["Nauru"]}
    nation = {"role": "quasi_identifier", "hierarchy": {"taxonomy": [[name, "somewhere"] for name in listed]}}
    asked = policy_from_words({"attributes": {"nation": nation}, "require": [{"k_anonymity": {"k": 5}}]})
    release = anonymize(asked, tmp_path / "r", source=rows)
    assert any("list what is possible" in note for note in release.figures["notes"]) is told
    assert not any("list what is possible" in note for note in release.manifest["notes"])
