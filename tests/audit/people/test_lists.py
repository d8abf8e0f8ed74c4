"""Lists of a population, where people have several rows: whoever is on them, or is published, counts once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from discreet.audit.audit import Audit, audit_release
from discreet.errors import DataError

SAID: dict[str, Any] = {"quasi_identifiers": ["q"], "sensitive": ["s"], "columns": {"q": "set"}, "person": "who"}
# Two people with two rows each in {a, b}, one with three in {c}.
ROWS = [("Ann", "a"), ("Ann", "a"), ("Bob", "b"), ("Bob", "b"), ("Cid", "c"), ("Cid", "c"), ("Cid", "c")]
SOURCE = {"who": [who for who, _ in ROWS], "q": [q for _, q in ROWS], "s": list("xyxyxyz")}
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
