"""From a policy about who is in the table to a release that is checked again: files and commands, end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from discreet import DiscreetError, anonymize, policy_from_words, read_policy, verify
from discreet.cli.main import app
from tests.releases.reading import read_table

POLICY = """
source: people.csv
private: {PRIVATE}
attributes:
  person: {role: identifier}
  age: {role: quasi_identifier, hierarchy: {intervals: [5, 10, 20]}}
  town: {role: quasi_identifier, hierarchy: {flat: true}}
  disease: {role: sensitive}
  visit: {role: other}
require:
  - presence: {delta: [0, 0.5]}
"""
ROWS = [
    (f"p{i}", str(20 + i * 7 % 40), ["Ulm", "Bonn"][i % 3 == 0], ["diabetes", "flu"][i % 4 > 0], f"v{i}")
    for i in range(200)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [",".join(row) for row in [("person", "age", "town", "disease", "visit"), *ROWS]]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ids = [row[0] for row in ROWS if row[3] == "diabetes"]
    (tmp_path / "ids.csv").write_text("\n".join(["person", *ids]) + "\n", encoding="utf-8")
    for name, words in {
        "by_value": "{disease: diabetes}",
        "by_file": "{person: {file: ids.csv}}",
        "by_list": f"{{person: [{', '.join(ids)}]}}",
    }.items():
        (tmp_path / f"{name}.yaml").write_text(POLICY.replace("{PRIVATE}", words), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("policy", ["by_value", "by_file", "by_list"])
def test_private_rows_of_a_source_are_published_and_checked_among_all_of_them(folder: Path, policy: str) -> None:
    run, release, people = CliRunner().invoke, str(folder / "release"), str(folder / "people.csv")
    made = run(app, ["anonymize", str(folder / f"{policy}.yaml"), "-o", release, "--json"])
    assert made.exit_code == 0, made.output
    assert json.loads(made.output)["rows"] == 50
    given = run(app, ["verify", release, "--population", people])
    assert (given.exit_code, given.output.startswith("Every promise is kept")) == (0, True), given.output
    assert (
        "open    disease: all rows have the same value. A row that is known to be in the table has it." in given.output
    )
    both = run(app, ["verify", release, "--population", people, "--source", str(folder / f"{policy}.yaml")])
    assert both.exit_code == 0, both.output


@pytest.mark.parametrize("policy", ["by_file", "by_list"])
def test_no_file_tells_who_is_in(folder: Path, policy: str) -> None:
    anonymize(read_policy(folder / f"{policy}.yaml"), folder / "release")
    for path in (folder / "release").iterdir():
        content = path.read_text(encoding="utf-8")
        assert not [row[0] for row in ROWS if f"{row[0]}\n" in content or f'"{row[0]}"' in content]


def test_the_source_of_a_policy_with_private_rows_is_those_rows(folder: Path) -> None:
    policy = read_policy(folder / "by_value.yaml")
    made = anonymize(policy, folder / "release")
    assert verify(made.folder, policy, folder / "people.csv").kept
    found = verify(made.folder, folder / "people.csv", folder / "people.csv")
    assert ["has 200 rows, but the release was made from 50" in m.rule for m in found.mistakes] == [True]


def test_a_policy_without_a_source_is_none(folder: Path) -> None:
    made = anonymize(read_policy(folder / "by_value.yaml"), folder / "release")
    words = {"attributes": {"age": {"role": "quasi_identifier"}}, "require": [{"k_anonymity": {"k": 2}}]}
    with pytest.raises(DiscreetError, match="is missing from the policy"):
        verify(made.folder, policy_from_words(words))


def test_scans_of_the_population_are_counted(folder: Path) -> None:
    """The table, everybody, and the table once more for a column that is published as it is."""
    assert anonymize(read_policy(folder / "by_value.yaml"), folder / "release").figures["scans"] == 3


def test_columns_as_they_are_are_those_of_private_rows(folder: Path) -> None:
    made = anonymize(read_policy(folder / "by_value.yaml"), folder / "release")
    names, rows = read_table(made.folder)
    assert sorted(row[names.index("visit")] for row in rows) == sorted(row[4] for row in ROWS if row[3] == "diabetes")
