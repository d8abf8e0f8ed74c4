"""Sets: groups may publish neighbouring categories together, where the policy allows it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from discreet import DataError, Infeasible, PolicyError, anonymize, apply, policy_from_words, verify
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.hierarchies.words import check_words, rule_from_words

FRUITS = ["apple", "banana", "cherry", "date", "elder", "fig"]


def fruit_policy(hierarchy: object, **more: object):
    words = {
        "attributes": {
            "fruit": {"role": "quasi_identifier", "hierarchy": hierarchy},
            "disease": {"role": "sensitive"},
        },
        "require": [{"k_anonymity": {"k": 4}}],
        "publish": "local_recoding",
        "seed": 1,
    }
    return policy_from_words(words | more)


def table(fruits: list[str], times: int = 2) -> dict[str, list[str]]:
    return {"fruit": fruits * times, "disease": ["flu", "cold"] * (len(fruits) * times // 2)}


def published(folder: Path) -> list[str]:
    with (folder / "data.csv").open(newline="") as f:
        return [row["fruit"] for row in csv.DictReader(f)]


def test_neighbours_are_published_together_and_lose_less(tmp_path):
    plain = anonymize(fruit_policy({"flat": True}), tmp_path / "plain", source=table(FRUITS))
    sets = anonymize(fruit_policy({"flat": True, "sets": True}), tmp_path / "sets", source=table(FRUITS))
    assert set(published(tmp_path / "plain")) == {"*"}
    assert set(published(tmp_path / "sets")) == {"{apple, banana}", "{cherry, date}", "{elder, fig}"}
    assert (plain.figures["loss"], sets.figures["loss"]) == (1.0, pytest.approx(0.2))
    assert verify(tmp_path / "sets").kept


def test_a_taxonomy_file_may_have_sets_too(tmp_path):
    (tmp_path / "fruit.csv").write_text("".join(f"{f};{'early' if f < 'd' else 'late'};*\n" for f in FRUITS))
    rule = rule_from_words({"taxonomy": "fruit.csv", "sets": True}, "x", tmp_path, [], [])
    assert rule.ranges and not rule.ordered
    assert rule_from_words(rule.to_words(), "x", tmp_path, [], []) == rule
    hierarchy = build("fruit", FRUITS, rule)
    assert [hierarchy.label(0, 1), hierarchy.label(0, 2), hierarchy.label(0, 5)] == ["{apple, banana}", "early", "*"]
    release = anonymize(fruit_policy(rule), tmp_path / "release", source=table(FRUITS))
    assert release.manifest["hierarchies"]["fruit"] == rule.to_words()
    assert verify(tmp_path / "release").kept


def test_generalization_takes_no_notice_of_sets(tmp_path):
    policy = fruit_policy({"flat": True, "sets": True}, publish="generalization")
    anonymize(policy, tmp_path / "release", source=table(FRUITS))
    assert set(published(tmp_path / "release")) == {"*"}


def test_the_mapping_covers_members_only(tmp_path):
    policy = fruit_policy({"flat": True, "sets": True}, suppress=0.5)
    anonymize(policy, tmp_path / "first", source=table(FRUITS))
    texts = json.loads((tmp_path / "first" / "mapping.json").read_text())["texts"]
    assert {tuple(entry["parts"][0]) for entry in texts["fruit"]} == {
        ("set", "apple", "banana"),
        ("set", "cherry", "date"),
        ("set", "elder", "fig"),
    }
    # "blueberry" sorts between banana and cherry, "avocado" between apple and banana: no published set names them.
    new = table(["apple", "avocado", "banana", "blueberry"], times=2)
    release = apply(tmp_path / "first", new, tmp_path / "second", seed=1, all_new=True)
    assert set(published(tmp_path / "second")) == {"{apple, banana}"}
    assert release.manifest["rows"]["suppressed"] == 4
    assert verify(tmp_path / "second").kept


def test_too_many_uncovered_rows_publish_nothing(tmp_path):
    anonymize(fruit_policy({"flat": True, "sets": True}), tmp_path / "first", source=table(FRUITS))
    with pytest.raises(Infeasible):
        apply(tmp_path / "first", table(["quince", "pear"], times=4), tmp_path / "second")


def test_null_may_be_a_member(tmp_path):
    hierarchy = build("fruit", ["apple", None, ""], Flat(sets=True))
    text = hierarchy.label(1, 2)
    assert text not in ("*", None, "") and text != hierarchy.label(0, 1)


def test_wrong_words_are_told():
    place = "attributes.fruit.hierarchy"
    assert [str(m) for m in check_words({"flat": True, "sets": "yes"}, place, Path())] == [
        f"{place}.sets: must be true or false, got 'yes'"
    ]
    assert [m.place for m in check_words({"taxonomy": "missing.csv", "sets": True}, place, Path())] == [
        f"{place}.taxonomy"
    ]
    assert check_words({"prefixes": [2], "sets": True}, place, Path())
    with pytest.raises((PolicyError, DataError)):
        fruit_policy({"flat": True, "sets": 3})
