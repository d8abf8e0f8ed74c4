"""`one_row_per_person: true` is a statement: refused where a column of the table belies it, told as one everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

import discreet
from discreet import anonymize, apply, policy_from_words, verify
from discreet.cli.main import app
from discreet.errors import DataError

Table = dict[str, list[str | None]]
STATED = "That every row is another person's is stated"


def visits(column: str = "patient", people: int = 40, each: int = 5) -> Table:
    """Each patient's age, sex and zip are the same in all of his rows."""
    random = Random(4)
    table: Table = {name: [] for name in (column, "age", "sex", "zip", "disease")}
    for p in range(people):
        kept = [f"P{p}", str(random.randrange(20, 80)), random.choice("FM"), f"47{random.randrange(100, 116)}"]
        for _ in range(each):
            for name, value in zip(table, [*kept, random.choice(["flu", "cold", "gout"])], strict=True):
                table[name].append(value)
    return table


def policy(named: dict[str, str], stated: bool = True, **more: Any) -> discreet.Policy:
    attributes: dict[str, Any] = {
        **{name: {"role": role} for name, role in named.items()},
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20, 40]}},
        "sex": {"role": "quasi_identifier"},
        "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [4, 3]}},
        "disease": {"role": "sensitive"},
    }
    words = {"attributes": attributes, "require": [{"k_anonymity": {"k": 5}}], "seed": 1}
    return policy_from_words(words | ({"one_row_per_person": True} if stated else {}) | more)


@pytest.mark.parametrize("publish", ["generalization", "local_recoding"])
@pytest.mark.parametrize("named", [{"patient": "identifier"}, {}, {"patient": "other"}])
def test_a_person_s_key_that_repeats_belies_it(named: dict[str, str], publish: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as refused:
        anonymize(policy(named, publish=publish), tmp_path / "release", source=visits())
    [mistake] = refused.value.mistakes
    assert mistake.place == "one_row_per_person"
    assert "'patient' says otherwise: 40 people" in mistake.rule and "role person" in mistake.repair
    assert list(tmp_path.iterdir()) == []
    # Without the statement it is published, told of rows; with the column, of people.
    told = anonymize(policy(named, stated=False, publish=publish), tmp_path / "rows", source=visits())
    assert "Nothing says whose rows these are" in (told.folder / "report.html").read_text()
    anonymize(policy({"patient": "person"}, stated=False, publish=publish), tmp_path / "people", source=visits())


def test_a_search_by_a_summary_is_refused_too(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'patient' says otherwise"):
        anonymize(policy({}, search="instant", summary="histogram"), tmp_path / "release", source=visits())


def test_an_identifier_of_any_name_belies_it_where_rows_agree_in_what_people_keep(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'code' says otherwise"):
        anonymize(policy({"code": "identifier"}), tmp_path / "release", source=visits("code"))


def test_a_name_that_strangers_share_does_not(tmp_path: Path) -> None:
    table = visits("name", people=200, each=1)
    table["name"] = [f"John {n % 90}" for n in range(200)]
    assert anonymize(policy({"name": "identifier"}), tmp_path / "release", source=table).kept


@pytest.mark.parametrize("column", ["doctor_id", "visit_id", "household"])
def test_keys_of_something_else_do_not(column: str, tmp_path: Path) -> None:
    assert anonymize(policy({column: "identifier"}), tmp_path / "release", source=visits(column)).kept


def test_nobody_is_named_and_a_key_of_each_row_says_nothing(tmp_path: Path) -> None:
    table = visits(people=100, each=1)
    assert anonymize(policy({"patient": "identifier"}), tmp_path / "release", source=table).kept
    table["patient"] = [None] * 100
    assert anonymize(policy({"patient": "identifier"}), tmp_path / "nobody", source=table).kept


def test_later_rows_are_held_to_it(tmp_path: Path) -> None:
    first = anonymize(policy({"patient": "identifier"}), tmp_path / "first", source=visits(people=200, each=1))
    with pytest.raises(DataError, match="'patient' says otherwise"):
        apply(first.folder, visits(), tmp_path / "second", all_new=True)


def test_it_is_told_as_a_statement_on_every_first_screen(tmp_path: Path) -> None:
    release = anonymize(policy({"patient": "identifier"}), tmp_path / "release", source=visits(people=100, each=1))
    assert any(STATED in one["text"] and not one["grave"] for one in release.to_json()["warnings"])
    for page in (release.folder / "report.html", release.private / "report.html"):
        screen = page.read_text().partition('class="tiles"')[0].replace("&#39;", "'")
        assert STATED in screen and "everybody looks the same as at least" in screen
    run = CliRunner()
    told = run.invoke(app, ["verify", str(release.folder)])
    assert told.exit_code == 0 and STATED in told.output
    audited = run.invoke(app, ["audit", str(release.folder), "-o", str(tmp_path / "audit.html")])
    assert audited.exit_code == 0 and STATED in audited.output
    assert STATED in (tmp_path / "audit.html").read_text().partition('class="tiles"')[0].replace("&#39;", "'")
    assert json.loads(run.invoke(app, ["verify", str(release.folder), "--json"]).output)["kept"] is True
    assert verify(release.folder).kept


def test_what_groups_tell_of_rows_is_not_told_of_people_who_have_several(tmp_path: Path) -> None:
    """Half of a group's rows is much more than half for whoever has five of them."""
    said = {}
    for name, role in (("people", "person"), ("rows", "identifier")):
        release = anonymize(policy({"patient": role}, stated=False), tmp_path / name, source=visits())
        said[name] = next(one["text"] for one in release.to_json()["warnings"] if "nothing is promised" in one["text"])
    likelier = "a person with several rows is likelier to have a given value in one of them"
    assert (
        "by rows, in no group does the chance of a value rise above one half" in said["people"]
        and likelier in said["people"]
    )
    assert "by rows" not in said["rows"]
