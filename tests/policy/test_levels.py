"""What a policy may say of the levels of a column, and what becomes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from discreet import anonymize, apply, policy_from_words, verify
from discreet.errors import Infeasible, PolicyError
from discreet.run.compare import compare

AGES = {"intervals": [5, 10, 20]}
PEOPLE = {
    "age": [str(20 + i % 40) for i in range(400)],
    "sex": ["F" if i % 3 else "M" for i in range(400)],
    "disease": [("flu", "cold", "gout")[i * i % 7 % 3] for i in range(400)],
}


def words(levels: object, **more: Any) -> dict[str, Any]:
    age = {"role": "quasi_identifier", "hierarchy": AGES, "levels": levels}
    attributes = {"age": age, "sex": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}}
    return {"attributes": attributes, "require": [{"k_anonymity": {"k": 5}}], **more}


@pytest.mark.parametrize(("levels", "level"), [(0, 0), (2, 2), ([0, 4], 0), ([2, 3], 2), ([4, 4], 4)])
def test_a_column_is_published_at_a_level_that_is_allowed(levels: object, level: int, tmp_path: Path) -> None:
    policy = policy_from_words(words(levels, suppress=1, require=[{"k_anonymity": {"k": 2}}]))
    release = anonymize(policy, tmp_path / "release", source=PEOPLE)
    assert release.manifest["node"]["age"] == level
    assert release.manifest["policy"]["attributes"]["age"]["levels"] == levels
    assert verify(release, source=PEOPLE).kept
    assert policy_from_words(policy.to_words()).attributes == policy.attributes


def test_later_rows_follow_the_levels_of_their_release(tmp_path: Path) -> None:
    policy = policy_from_words(words(3))
    first = anonymize(policy, tmp_path / "first", source=PEOPLE)
    later = {name: [*column, *column] for name, column in PEOPLE.items()}
    second = apply(first, later, tmp_path / "second", all_new=True)
    assert second.manifest["node"] == first.manifest["node"] and verify(second).kept


def test_where_the_levels_do_not_suffice_coarser_ones_are_the_repair(tmp_path: Path) -> None:
    policy = policy_from_words(words([0, 1], require=[{"k_anonymity": {"k": 100}}]))
    with pytest.raises(Infeasible, match=r"or allow coarser `levels`"):
        anonymize(policy, tmp_path / "release", source=PEOPLE)


@pytest.mark.parametrize("levels", ["2", True, -1, [2, 1], [1], [0, 1, 2], [1.0, 2], {"from": 1}])
def test_what_is_no_level_is_a_mistake(levels: object) -> None:
    with pytest.raises(PolicyError, match=r"attributes\.age\.levels: must be a level of the hierarchy"):
        policy_from_words(words(levels))


def test_a_level_that_the_hierarchy_lacks_is_told_with_those_it_has(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"attributes\.age\.levels: this hierarchy has the levels 0 to 4, got 7"):
        anonymize(policy_from_words(words([1, 7])), tmp_path / "release", source=PEOPLE)


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ({"publish": "multidimensional"}, "with publish: multidimensional a column has no level of its own"),
        ({"publish": "local_recoding"}, "with publish: local_recoding a column has no level of its own"),
        ({"search": "incognito"}, "is not heeded by search: incognito"),
        ({"search": "instant"}, "is not heeded by search: instant"),
    ],
)
def test_where_nothing_would_heed_levels_they_are_a_mistake(more: dict[str, Any], rule: str) -> None:
    with pytest.raises(PolicyError, match=rule):
        policy_from_words(words(2, **more))


def test_levels_are_of_quasi_identifiers() -> None:
    said = words(None)
    said["attributes"]["disease"]["levels"] = 1
    with pytest.raises(PolicyError, match=r"attributes\.disease\.levels: is of no use"):
        policy_from_words(said)


def test_other_ways_to_publish_are_compared_without_levels() -> None:
    compared = compare(policy_from_words(words([2, 3])), source=PEOPLE)
    ways = {choice.publish: choice.point.loss for choice in compared.choices.ways}
    assert {"generalization", "multidimensional", "local_recoding"} <= ways.keys() and None not in ways.values()
