"""`private` in a policy: the rows of the source that are the table; the others are the people it hides among."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from discreet.engines.rows import Between, ListedIn, OneOf, Rows
from discreet.errors import DiscreetError, PolicyError
from discreet.policy.policy import Policy, policy_from_words, read_policy
from discreet.releases.verify import verify
from discreet.run.anonymize import anonymize
from discreet.run.intake import Intake, take_in

ATTRIBUTES = {"age": {"role": "quasi_identifier"}, "town": {"role": "quasi_identifier"}}
PRESENCE = {"presence": {"delta": [0, 0.9]}}
PEOPLE = {
    "id": ["1", "2", "3", "4", "5"],
    "age": ["30", "31", "31", "40", "x"],
    "town": ["A", "A", "B", "B", "B"],
    "sick": ["yes", "no", None, "yes", "no"],
}


def policy(private: object, **changes: Any) -> Policy:
    words = {"attributes": ATTRIBUTES, "require": [PRESENCE], "private": private}
    return policy_from_words(words | changes)


def ages(intake: Intake) -> list[str | None]:
    """Of the private rows, in order."""
    f = intake.frequency
    found = [f.hierarchies[0].leaves[c] for c, n in zip(f.codes[0], f.counts, strict=True) for _ in range(n)]
    return sorted(found, key=str)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ({"sick": "yes"}, OneOf("sick", ("yes",))),
        ({"sick": None}, OneOf("sick", (None,))),
        ({"sick": ["yes", None, "yes"]}, OneOf("sick", ("yes", None))),
        ({"age": 30}, OneOf("age", ("30",))),
        ({"in": True}, OneOf("in", ("True", "true", "TRUE"))),
        ({"age": {"from": 18, "to": "64.5"}}, Between("age", 18, Decimal("64.5"))),
        ({"age": {"from": 1.5, "to": None}}, Between("age", Decimal("1.5"))),
        ({"day": {"to": "31.1.2024"}}, Between("day", None, date(2024, 1, 31))),
        ({"id": {"file": "ids.csv"}}, ListedIn("id", Path("clinic/ids.csv"))),
    ],
)
def test_words_mean_rows(words: dict[str, object], meant: object) -> None:
    found = policy_from_words({"attributes": ATTRIBUTES, "require": [PRESENCE], "private": words}, "clinic")
    assert found.private_rows == Rows((meant,))  # type: ignore[arg-type]
    assert policy_from_words(json.loads(json.dumps(found.to_words())), "clinic").private_rows == found.private_rows


def test_yaml_says_the_same(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(
        "attributes: {age: {role: quasi_identifier}}\nrequire: [presence: {delta: [0, 0.5]}]\n"
        "private:\n  in: true\n  born: {from: 1990-01-01, to: 2000-12-31}\n  zip: [01234, 99]\n  end: null\n"
    )
    assert read_policy(tmp_path / "policy.yaml").private_rows == Rows(
        (
            OneOf("in", ("True", "true", "TRUE")),
            Between("born", date(1990, 1, 1), date(2000, 12, 31)),
            OneOf("zip", ("01234", "99")),
            OneOf("end", (None,)),
        )
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({}, "private: must be a mapping of columns to values, got an empty one; for example {diagnosis: diabetes}"),
        ("sick", "private: must be a mapping of columns to values, got 'sick'"),
        ({7: "x"}, "private.7: a column's name must be text, got 7; put it in quotes"),
        ({"age": 1.5}, "private.age: 1.5 may be written in several ways; put it in quotes"),
        ({"age": []}, "private.age: must be a value, a list of values, {from, to} or {file}, got an empty list"),
        ({"age": [["30"]]}, "private.age: must be a value, a list of values, {from, to} or {file}, got a list"),
        ({"age": {}}, "private.age: has no bound; for example {from: 18, to: 64}"),
        ({"age": {"form": 3, "to": 4}}, "private.age.form: no such word; did you mean 'from'?"),
        ({"age": {"from": "x"}}, "private.age.from: must be a number or a day, got 'x'; for example 18, or 2024-01-31"),
        ({"age": {"from": True}}, "private.age.from: must be a number or a day, got true"),
        ({"day": {"to": "2024-01-31 10:00"}}, "private.day.to: must be a number or a day"),
        ({"age": {"from": 5, "to": 4}}, "private.age: ends before it begins"),
        ({"age": {"from": 5, "to": "2024-01-31"}}, "private.age: is from a number to a date, or the other way round"),
        ({"age": {"from": "1e30"}}, "private.age.from: has more than 25 digits or 12 decimals"),
        ({"id": {"file": "a.csv", "from": 1}}, "private.id: must be either {from, to} or {file}, got both"),
        ({"id": {"file": 7}}, "private.id.file: must be the path of a CSV or Parquet file, got 7"),
    ],
)
def test_a_mistake_names_the_place_the_rule_and_the_repair(words: object, told: str) -> None:
    with pytest.raises(PolicyError) as caught:
        policy(words)
    [mistake] = caught.value.mistakes
    assert str(mistake).startswith(told)


def test_mistakes_of_all_conditions_are_told_with_those_of_the_promises() -> None:
    with pytest.raises(PolicyError) as caught:
        policy({"age": {"from": 5, "to": 4}, "id": []}, require=[{"presence": {"delta": 0.5}}])
    assert [m.place for m in caught.value.mistakes] == ["require[0].presence.delta", "private.age", "private.id"]


@pytest.mark.parametrize(
    ("private", "left"),
    [
        ({"sick": "yes"}, ["30", "40"]),
        ({"sick": [None, "yes"]}, ["30", "31", "40"]),
        ({"sick": "yes", "town": "B"}, ["40"]),
        ({"age": {"from": 31, "to": 40}}, ["31", "31", "40"]),
        ({"id": [1, 5]}, ["30", "x"]),
    ],
)
def test_the_rows_that_match_are_the_table_and_all_rows_the_population(private: object, left: list[str]) -> None:
    intake = take_in(policy(private), PEOPLE)
    assert ages(intake) == left
    assert intake.frequency.population is not None and intake.frequency.population.size == 5
    assert [len(h.leaves) for h in intake.frequency.hierarchies] == [4, 2], "hierarchies know everybody's values"
    assert (intake.engine.scans, intake.scans) == (1, 2)


def test_the_private_ones_may_be_listed_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "ids.csv").write_text("4\n1\n")
    assert ages(take_in(policy({"id": {"file": str(tmp_path / "ids.csv")}}), PEOPLE)) == ["30", "40"]


def test_another_population_may_be_named_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text("age,town\n30,A\n40,B\n40,B\n50,C\n")
    promise = {"presence": {"delta": [0, 0.9], "population": str(tmp_path / "all.csv")}}
    people = take_in(policy({"sick": "yes"}, require=[promise]), PEOPLE).frequency.population
    assert people is not None and people.size == 4


def test_the_source_by_its_name_and_by_default_is_one_population() -> None:
    named = {"presence": {"delta": [0, 0.8], "population": "people.csv"}}
    assert len(policy({"sick": "yes"}, source="people.csv", require=[PRESENCE, named]).models) == 2
    with pytest.raises(PolicyError, match="2 different populations"):
        policy({"sick": "yes"}, source="patients.csv", require=[PRESENCE, named])


def test_without_a_promise_about_presence_only_the_private_rows_are_read() -> None:
    intake = take_in(policy({"sick": "yes"}, require=[{"k_anonymity": {"k": 2}}]), PEOPLE)
    assert ages(intake) == ["30", "40"] and intake.scans == 1
    assert len(intake.frequency.hierarchies[0].leaves) == 2


def told(private: object, people: Any = PEOPLE) -> list[str]:
    with pytest.raises(DiscreetError) as caught:
        take_in(policy(private), people)
    return [str(m) for m in caught.value.mistakes]


def test_what_can_only_be_seen_in_the_data_is_told_there(tmp_path: Path) -> None:
    [nobody] = told({"sick": "maybe"})
    assert nobody.startswith("private: no row matches; write values as they stand in the data")
    [everybody] = told({"age": ["30", "31", "40", "x"]})
    assert everybody.startswith("private: every row matches: then all of them are in the table")
    assert told({"sik": "yes", "agee": "30"}) == [
        "private.sik: no such column; did you mean 'sick'?",
        "private.agee: no such column; did you mean 'age'?",
    ]
    [missing] = told({"id": {"file": str(tmp_path / "ids.csv")}})
    assert "ids.csv: no such file" in missing


def test_a_condition_is_neither_published_nor_told(tmp_path: Path) -> None:
    """Who is listed there is in the table: that is the very thing to hide."""
    words = policy({"id": ["1", "2"]}, require=[{"k_anonymity": {"k": 2}}])
    release = anonymize(words, tmp_path / "out", source=PEOPLE)
    assert release.manifest["rows"]["source"] == 2
    assert release.manifest["columns"] == ["age", "town"]
    assert "private" not in release.manifest["policy"]
    assert "private" not in repr(words)


def test_a_condition_on_a_published_column_is_fine(tmp_path: Path) -> None:
    attributes = ATTRIBUTES | {"sick": {"role": "other"}}
    words = policy({"sick": "yes"}, attributes=attributes, require=[{"k_anonymity": {"k": 2}}])
    release = anonymize(words, tmp_path / "out", source=PEOPLE)
    assert [line.split(",")[-1] for line in (release.folder / "data.csv").read_text().split()] == ["sick", "yes", "yes"]


@pytest.mark.parametrize("publish", ["generalization", "multidimensional"])
def test_a_release_of_private_rows_is_verified_with_everybody_as_the_population(tmp_path: Path, publish: str) -> None:
    words = policy({"sick": "yes"}, require=[{"presence": {"delta": [0, 0.5]}}], publish=publish)
    release = anonymize(words, tmp_path / "out", source=PEOPLE)
    assert release.figures["scans"] == 2
    assert release.manifest["rows"]["source"] == 2
    assert verify(release.folder, population=PEOPLE).kept
    assert not verify(release.folder, population={name: column[1:] for name, column in PEOPLE.items()}).kept
