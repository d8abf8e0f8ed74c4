"""Lists of a population, where people have several rows: whoever is on them, or is published, counts once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from discreet.audit.audit import Audit, audit_release
from discreet.errors import DataError
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.models.presence.k_map import KMap
from discreet.models.presence.presence import Presence
from discreet.policy.policy import policy_from_words
from discreet.run.anonymize import anonymize
from discreet.run.verify import verify

SAID: dict[str, Any] = {"quasi_identifiers": ["q"], "sensitive": ["s"], "columns": {"q": "set"}, "person": "who"}
# Two people with two rows each in {a, b}, one with three in {c}.
ROWS = [("Ann", "a"), ("Ann", "a"), ("Bob", "b"), ("Bob", "b"), ("Cid", "c"), ("Cid", "c"), ("Cid", "c")]
SOURCE = {"who": [who for who, _ in ROWS], "q": [q for _, q in ROWS], "s": list("xyxyxyz")}
MODELS_OF: dict[str, Any] = {"presence": Presence, "k_map": KMap, "confident_presence": ConfidentPresence}
EVERYBODY = [("Ann", "a"), ("Bob", "b"), ("Dan", "b"), ("Eve", "a"), ("Cid", "c"), ("Flo", "c"), ("Guy", "d")]


def audited(folder: Path, promises: list[object], listed: list[tuple[str, str]], source: object = None) -> Audit:
    lines = [f'"{{a, b}}",{s}' if q in "ab" else f"{q},{s}" for q, s in zip(SOURCE["q"], SOURCE["s"], strict=True)]
    (folder / "theirs.csv").write_text("\n".join(["q,s", *lines]) + "\n")
    population = {"who": [who for who, _ in listed], "q": [q for _, q in listed]}
    said = SAID | {"promises": promises}
    return audit_release(folder / "theirs.csv", description=said, source=source or SOURCE, population=population)


@pytest.mark.parametrize("listed", [EVERYBODY, EVERYBODY * 3])
def test_presence_is_a_share_of_people(tmp_path: Path, listed: list[tuple[str, str]]) -> None:
    audit = audited(tmp_path, [{"presence": {"delta": [0, "1/2"]}}, {"k_map": {"k": 2}}], listed)
    lines = {line.adversary: line for line in audit.lines}
    present = lines["presence_with_list"]
    assert (present.worst, present.people, present.details["on_the_list"]) == (0.5, 7, 7)  # two of four, one of two
    assert lines["journalist"].worst == 0.5 and lines["journalist"].of == "people"
    assert [(level.model, level.of, level.holds) for level in audit.levels] == [
        ("presence", "people", True),
        ("presence", "people", True),
        ("k_map", "people", True),
    ]
    assert audit.kept is True


def test_promises_about_a_population_are_not_judged_where_somebody_stands_in_two_groups(tmp_path: Path) -> None:
    moving = SOURCE | {"who": ["Ann", "Ann", "Bob", "Bob", "Ann", "Cid", "Cid"]}
    audit = audited(tmp_path, [{"presence": {"delta": [0, "1/2"]}}], EVERYBODY, moving)
    by_people = [level for level in audit.levels if level.of == "people"]
    assert [level.holds for level in by_people] == [None] and "several groups" in by_people[0].note


def test_a_list_on_which_somebody_has_different_values_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="population: 1 person has rows with different quasi-identifiers"):
        audited(tmp_path, [], [*EVERYBODY, ("Ann", "d")])


def released(folder: Path, promise: dict[str, Any]) -> tuple[Path, dict[str, list[str]], dict[str, list[str]]]:
    """Eight of forty people are in the table, with one to seven rows each; its release, the table and the list."""
    everybody = {"who": [f"p{i}" for i in range(40)], "q": ["abcd"[i % 4] for i in range(40)]}
    inside = [i for i in range(0, 40, 5) for _ in range(i % 7 + 1)]
    table = {name: [column[i] for i in inside] for name, column in everybody.items()}
    [(word, said)] = promise.items()
    attributes = {"who": {"role": "person"}, "q": {"role": "quasi_identifier"}}
    model = MODELS_OF[word](**said, population=everybody)
    policy = policy_from_words({"attributes": attributes, "require": [model]})
    return anonymize(policy, folder / "release", source=table).folder, table, everybody


@pytest.mark.parametrize(
    "promise",
    [
        {"presence": {"delta": (0, 0.5)}},
        {"confident_presence": {"delta": (0, 0.5), "confidence": 0.5}},
        {"k_map": {"k": 5}},
    ],
)
def test_rows_are_not_taken_for_people_of_a_list(tmp_path: Path, promise: dict[str, Any]) -> None:
    """By rows the groups look full: 10 rows among 10 people of the list, two of whom they are of."""
    release, table, everybody = released(tmp_path, promise)
    alone = audit_release(release, population=everybody)
    checked = verify(release, population=everybody)
    assert alone.kept is checked.kept is (True if "k_map" in promise else None)
    assert not any(line.threat == "presence" or line.breaks for line in alone.lines)
    assert any("people may have several rows" in note for note in alone.notes)
    assert audit_release(release, population=everybody, source=table).kept is True
    assert verify(release, population=everybody, source=table).kept is True


def test_a_size_smaller_than_the_rows_is_no_mistake_where_people_have_several(tmp_path: Path) -> None:
    release, _, _ = released(tmp_path, {"k_map": {"k": 5}})
    told = audit_release(release, size=20)
    assert any("its size" in note for note in told.notes)
    assert not any("journalist" in line.adversary for line in told.lines)
