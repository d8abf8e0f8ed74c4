"""`discreet hierarchy`, from a table to a taxonomy to a release."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from discreet.hierarchies.taxonomies import draft


def write_table(rows: dict[str, list[str | None]], name: str = "people.csv") -> None:
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([rows, *zip(*rows.values(), strict=True)])


@pytest.fixture
def people(place: Path) -> Path:
    nations = ["Germany"] * 20 + ["France"] * 12 + ["Turkey"] * 8 + ["Peru"] * 3 + [None] * 2
    write_table({"nation": nations, "disease": [("flu", "gout", "cold")[i % 3] for i in range(45)]})
    return place


def test_a_draft_can_be_used_straight_in_a_policy(people: Path, call: Any) -> None:
    answer = call("hierarchy", "people.csv", "nation", "-o", "nation.csv")
    assert answer.code == 0
    assert "countries by names" in answer.out
    assert "├─ Western Europe — 32 rows" in answer.out.replace("│  ", "")
    assert "fewer than 5 rows" in answer.out and " 3 rows" not in answer.out
    assert "list what is possible" in answer.out
    assert call("hierarchy", "--check", "nation.csv", "people.csv", "nation").code == 0
    Path("p.yaml").write_text(
        "source: people.csv\nattributes: {nation: {role: quasi_identifier, hierarchy: nation.csv}, "
        "disease: {role: sensitive}}\nrequire: [{k_anonymity: {k: 13}}]\nsuppress: 0.3\nseed: 1\n"
    )
    assert call("anonymize", "p.yaml", "-o", "release").code == 0
    published = {line.split(",")[0] for line in Path("release/data.csv").read_text().splitlines()[1:]}
    assert published == {"Western Europe"}


def test_without_a_place_the_taxonomy_goes_to_standard_output(people: Path, call: Any) -> None:
    answer = call("hierarchy", "people.csv", "disease")
    assert answer.code == 0
    assert answer.out.splitlines() == ["cold;cold;*", "flu;flu;*", "gout;gout;*"]
    assert "note:" in answer.err


def test_nothing_is_overwritten_unless_it_is_said(people: Path, call: Any) -> None:
    Path("nation.csv").write_text("mine")
    answer = call("hierarchy", "people.csv", "nation", "-o", "nation.csv")
    assert (answer.code, Path("nation.csv").read_text()) == (2, "mine")
    assert "--force" in answer.err
    assert call("hierarchy", "people.csv", "nation", "-o", "nation.csv", "--force").code == 0
    assert Path("nation.csv").read_text() != "mine"


def test_all_mistakes_of_a_taxonomy_are_told(people: Path, call: Any) -> None:
    Path("nation.csv").write_text("Germany;Europe;*\nFrance;Europe;EU;*\nPeru;America;*\n")
    answer = call("hierarchy", "--check", "nation.csv", "people.csv", "nation")
    assert answer.code == 2
    assert "different length" in answer.err and "'Turkey'" in answer.err
    assert call("hierarchy", "--check", "nothing.csv").code == 2


def test_numbers_of_rows_are_hidden_unless_they_are_asked_for(people: Path, call: Any) -> None:
    Path("nation.csv").write_text("Germany;Europe;*\nFrance;Europe;*\nTurkey;Asia;*\nPeru;America;*\nChad;Africa;*\n")
    answer = call("hierarchy", "--check", "nation.csv", "people.csv", "nation", "--json").json
    children = {child["name"]: child for child in answer["tree"]["children"]}
    assert (children["America"]["rows"], children["Asia"]["rows"], children["Africa"]["rows"]) == (None, 8, 0)
    assert answer["levels"] == [{"level": 1, "names": 5, "values": [1, 2], "rows": [None, 32], "groups_of_one": 3}]
    assert (answer["values"], answer["unused"]) == (5, 1)
    exact = call("hierarchy", "--check", "nation.csv", "people.csv", "nation", "--json", "--exact").json
    assert {child["name"]: child["rows"] for child in exact["tree"]["children"]}["America"] == 3
    most = call("hierarchy", "--check", "nation.csv", "people.csv", "nation", "--json", "--k", "10").json
    assert {child["name"]: child["rows"] for child in most["tree"]["children"]}["Asia"] is None
    alone = call("hierarchy", "--check", "nation.csv").out
    assert "rows" not in alone and "Germany" in alone


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("hierarchy",), "needs a table"),
        (("hierarchy", "people.csv"), "needs a table"),
        (("hierarchy", "people.csv", "--check", "nation.csv"), "needs a column beside it"),
        (("hierarchy", "people.csv", "nation", "--check", "x.csv", "-o", "y.csv"), "leave one of them out"),
        (("hierarchy", "people.csv", "natoin"), "did you mean 'nation'?"),
        (("hierarchy", "nobody.csv", "nation"), "no such file"),
        (("hierarchy", "t.csv", "age", "--k", "0"), "greater than or equal to 1"),
    ],
)
def test_wrong_use_is_told(people: Path, call: Any, words: tuple[str, ...], told: str) -> None:
    answer = call(*words)
    assert answer.code == 2
    assert told in answer.err


def test_a_column_with_too_many_values_is_refused_before_they_are_read(
    people: Path, call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draft, "LARGEST", 100)
    write_table({"name": [f"n{i}" for i in range(101)], "x": ["1"] * 101}, "many.csv")
    monkeypatch.setattr("discreet.run.taxonomies.LARGEST", 100)
    answer = call("hierarchy", "many.csv", "name", "-o", "name.csv")
    assert answer.code == 2
    assert "101 different values" in answer.err and "n7" not in answer.err
    assert not Path("name.csv").exists()
