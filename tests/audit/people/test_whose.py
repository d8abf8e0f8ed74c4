"""Whose rows they are: read from manifest, description or options; told as rows where nobody, or no file, says it."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import discreet
from discreet.audit.audit import Audit, audit_release
from discreet.cli.main import app
from discreet.errors import DiscreetError
from discreet.labels.whose import Whose
from discreet.report.pages.audit_page import to_html
from discreet.report.pages.audit_words import headline, to_json, to_text
from tests.audit.releasing import first_screen, manifest_of, people, publish, read_table, resign, write_table

KINDS = ("generalization", "local_recoding", "bucketization", "ambiguity")
# Sentences in which people are spoken of, but not as rows of this release.
GENERAL = [
    r"Each line below stands for somebody who holds the published files",
    r"Her chance is what she believes of a person afterwards",
    r"in which something is true of a person",
    r"(^| )[Ss]omebody who (holds|knows|tries|subtracts|has several)",
    r"against somebody who may believe anything",
    r"Counted as if every row were another person's",
    r"Nobody says whose rows these are",
    r"person \(a column of the source\), or one row per person",
    r"chance that (a row is a certain person's|somebody is in the table, or is not|somebody has a certain value)",
    r"(Is|is) somebody in the table\?",
    r"She knows that somebody is in the release",
    r"A list of exactly the people who are in the table",
    r"That she gives the people of a group to its rows",
    r"Before, she has seen other data about 1,000 people",
    r"She (has seen|learns from) (just that many )?people",
    r"How much somebody's own row adds to her belief",
    r"Whoever knows more about people",
    r"She knows everybody in the group by their exact quasi-identifiers",
    r"Of people of a rare kind she knows what is true of anybody",
    r"The exact values of the people she asks for",
    r"That nobody else in the population has the same values",
    r"That every combination of a group's values is a person",
    r"largest chance of being in the table, without a list of the people",
    r"(about|of) the same people",
    r"give how many people have each value",
    r"the people she asks about can't be placed in them",
    r"Both releases, .*(everybody's exact quasi-identifiers|somebody)",
    r"That somebody is in both releases",
    r"(That the table is about some of|the people of the table are taken to be drawn)",
    r"values belong to one person|belong to one person",
    r"somebody may also have changed groups",
    r"Of somebody who fits several groups",
    r"among people of every kind",
    r"looks for people of it",
]
SPOKEN = re.compile(r"\b(people|person|everybody|nobody|anybody|somebody)\b", re.IGNORECASE)


def sentences(audit: Audit) -> list[str]:
    page = re.sub(r"<style>.*?</style>", "", to_html(audit), flags=re.DOTALL)
    text = to_text(audit) + "\n" + re.sub(r"<[^>]+>", "\n", page).replace("&#39;", "'")
    text += "\n" + "\n".join(f"{fault.rule}\n{fault.repair}" for fault in audit.faults)
    return [s.strip() for s in re.split(r"(?<=[.;:])\s+|\n", text)]


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("releases")
    made = {kind: publish(folder / kind, kind) for kind in KINDS}
    return made | {f"{kind} again": publish(folder / f"{kind} again", kind, seed=2) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_where_nobody_says_whose_rows_they_are_no_text_takes_them_for_people(
    releases: dict[str, Path], kind: str
) -> None:
    beside: dict[str, Any] = {"source": people(), "other": releases[f"{kind} again"], "size": 1000}
    for given in ({}, beside):
        audit = audit_release(releases[kind], **given)
        assert audit.whose.case is Whose.UNSAID
        spoken = [s for s in sentences(audit) if SPOKEN.search(s) and not any(re.search(g, s) for g in GENERAL)]
        assert spoken == []
        assert {line.of for line in audit.lines} == {"rows"} == {level.of for level in audit.levels}
        assert "Nobody says whose rows these are" in first_screen(to_html(audit))


@pytest.mark.parametrize("kind", KINDS)
def test_where_every_row_is_another_persons_the_texts_speak_of_people(releases: dict[str, Path], kind: str) -> None:
    audit = audit_release(releases[kind], one_row_per_person=True)
    assert audit.whose.case is Whose.ONE_EACH and audit.kept is True
    assert to_text(audit).splitlines()[0].partition(": ")[2].startswith(f"{audit.people:,} people in ")
    assert {line.of for line in audit.lines} == {"people"} == {level.of for level in audit.levels}
    assert "row per person" not in to_text(audit)


def test_the_manifest_says_whose_rows_they_are(tmp_path: Path) -> None:
    stated = publish(tmp_path / "stated", "generalization", one_row_per_person=True)
    assert audit_release(stated).whose.case is Whose.ONE_EACH
    named = publish(tmp_path / "named", "generalization")
    manifest = manifest_of(named)
    for roles in (manifest["roles"], {c: about["role"] for c, about in manifest["policy"]["attributes"].items()}):
        assert roles["name"] == "identifier"
    manifest["policy"]["attributes"]["name"]["role"] = "person"
    resign(named, roles=manifest["roles"] | {"name": "person"}, policy=manifest["policy"])
    audit = audit_release(named)
    assert (audit.whose.case, audit.whose.column) == (Whose.NAMED, "name")
    told = json.loads(json.dumps(to_json(audit)))
    assert told["whose"]["case"] == "named" and told["rows"] == told["people"] == audit.people


def test_a_column_that_names_everybody_once_is_as_good_as_one_row_each(tmp_path: Path) -> None:
    release = publish(tmp_path / "release", "generalization")
    named = audit_release(release, source=people(), person="name")
    stated = audit_release(release, source=people(), one_row_per_person=True)
    assert named.lines == stated.lines and named.levels == stated.levels and named.kept is True
    assert (named.whose.case, named.whose.people, named.whose.alone) == (Whose.NAMED, named.people, None)


def test_without_the_source_promises_to_people_are_not_judged_and_rows_are(tmp_path: Path) -> None:
    release = publish(tmp_path / "release", "generalization")
    audit = audit_release(release, person="name")
    assert audit.kept is None
    assert [(level.of, level.holds) for level in audit.levels] == [("rows", True), ("people", None)]
    assert "k-anonymity by people (the files can't tell whose rows they are: needs the source" in headline(audit)
    assert "the files can't tell whose rows they are" in first_screen(to_html(audit)).replace("&#39;", "'")
    assert {line.of for line in audit.lines} == {"rows"}
    result = CliRunner().invoke(app, ["audit", str(release), "--person", "name"])
    assert result.exit_code == 3, result.output
    lacking = audit_release(release, person="patient", source=people())
    assert lacking.kept is None and "the source that was given has no column 'patient'" in headline(lacking)


VISITS = {"quasi_identifiers": ["age", "zip"], "sensitive": ["disease"], "promises": [{"k_anonymity": {"k": 5}}]}


@pytest.fixture(scope="module")
def visits() -> dict[str, list[str]]:
    """400 patients with 5 visits each, whose age and zip are the same at each."""
    draw = random.Random(8)
    table: dict[str, list[str]] = {"patient": [], "age": [], "zip": [], "disease": []}
    for patient in range(400):
        age, code = str(draw.randint(18, 90)), str(draw.randint(47900, 47920))
        for _ in range(5):
            for column, value in zip(table, (f"p{patient}", age, code, draw.choice("abcdefgh")), strict=True):
                table[column].append(value)
    order = draw.sample(range(2000), 2000)
    return {column: [values[i] for i in order] for column, values in table.items()}


@pytest.fixture(scope="module")
def by_rows(tmp_path_factory: pytest.TempPathFactory, visits: dict[str, list[str]]) -> Path:
    """The famous failure: 5-anonymous by rows, each person's own five rows being the five."""
    policy = discreet.policy_from_words(
        {
            "attributes": {
                "patient": {"role": "identifier"},
                "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10, 20, 40]}},
                "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [4, 3]}},
                "disease": {"role": "sensitive"},
            },
            "require": [{"k_anonymity": {"k": 5}}],
            "publish": "local_recoding",
            "seed": 1,
        }
    )
    folder = tmp_path_factory.mktemp("visits")
    discreet.anonymize(policy, folder / "release", source=visits)
    # As another tool's file: nothing is known of it but what a description says.
    return write_table(folder / "theirs.csv", read_table(folder / "release" / "data.csv"))


def alone_in(release: Path, visits: dict[str, list[str]]) -> int:
    """Patients who alone have the exact age and zip of a group: by a look at the two tables."""
    patients: dict[tuple[str, str], set[str]] = {}
    for patient, *values in zip(visits["patient"], visits["age"], visits["zip"], strict=True):
        patients.setdefault((values[0], values[1]), set()).add(patient)
    groups = {(row["age"], row["zip"]) for row in read_table(release)}
    assert groups <= patients.keys()  # all labels are exact
    return sum(len(patients[group]) == 1 for group in groups)


def test_the_famous_failure_is_found_where_a_description_names_the_person(
    by_rows: Path, visits: dict[str, list[str]], tmp_path: Path
) -> None:
    alone = alone_in(by_rows, visits)
    assert 300 < alone < 400
    audit = audit_release(by_rows, description=VISITS | {"person": "patient"}, source=visits)
    assert audit.kept is False
    assert (audit.whose.people, audit.whose.alone, audit.whose.surely_alone) == (400, alone, alone)
    assert f"{alone} of 400 people stand alone in a group: all of its rows are theirs." in headline(audit)
    screen = first_screen(to_html(audit))
    assert 'class="verdict broken"' in screen and f"{alone} of 400 people stand alone" in screen
    rows, of_people = audit.levels
    assert (rows.of, rows.achieved, rows.holds) == ("rows", 5.0, True)
    assert (of_people.of, of_people.achieved, of_people.holds) == ("people", 1.0, False)
    lines = {line.adversary: line for line in audit.lines}
    prosecutor = lines["prosecutor"]
    assert (prosecutor.worst, prosecutor.people, prosecutor.of, prosecutor.breaks) == (1.0, 400, "people", True)
    assert prosecutor.histogram[-1] == prosecutor.details["alone_with_their_values"] == alone
    assert lines["uniform_worlds"].histogram[-1] >= alone  # of somebody alone all values are known
    assert "group_below_k" in {fault.fault for fault in audit.faults if fault.grave}
    assert not re.search(r"\bp\d+\b", to_text(audit) + json.dumps(to_json(audit)))  # nobody is named
    (tmp_path / "source.csv").write_text(
        "\n".join([",".join(visits), *map(",".join, zip(*visits.values(), strict=True))]) + "\n"
    )
    (tmp_path / "said.yaml").write_text(
        "quasi_identifiers: [age, zip]\nsensitive: [disease]\npromises: [{k_anonymity: {k: 5}}]\nperson: patient\n"
    )
    arguments = ["--description", str(tmp_path / "said.yaml"), "--source", str(tmp_path / "source.csv")]
    result = CliRunner().invoke(app, ["audit", str(by_rows), *arguments])
    assert result.exit_code == 1 and f"{alone} of 400 people stand alone" in result.output


def test_the_same_release_passes_where_nobody_says_it_and_says_that_it_speaks_of_rows(
    by_rows: Path, visits: dict[str, list[str]]
) -> None:
    audit = audit_release(by_rows, description=VISITS, source=visits)
    assert audit.kept is True
    assert "as far as rows tell" in headline(audit) and "people" not in headline(audit)


def test_a_statement_that_everybody_has_one_row_is_held_against_a_source_that_names_them(
    by_rows: Path, visits: dict[str, list[str]]
) -> None:
    said = VISITS | {"promises": [], "one_row_per_person": True}
    audit = audit_release(by_rows, description=said, source=visits, person="patient")
    [fault] = [fault for fault in audit.faults if fault.fault == "several_rows_of_a_person"]
    assert fault.grave and fault.count == 400 and audit.kept is False


def test_rows_of_which_it_is_not_said_whose_they_are_are_a_persons_each(tmp_path: Path) -> None:
    (tmp_path / "theirs.csv").write_text("age,zip,disease\n" + "20,1,a\n" * 4)
    source = {"patient": ["p", "p", None, None], "age": ["20"] * 4, "zip": ["1"] * 4, "disease": ["a"] * 4}
    audit = audit_release(tmp_path / "theirs.csv", description=VISITS | {"person": "patient"}, source=source)
    assert audit.whose.people == 3 and audit.levels[1].achieved == 3


def test_a_person_column_that_is_published_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "theirs.csv").write_text("patient,age,zip,disease\n" + "p,20,1,a\nq,20,1,b\n" * 3)
    audit = audit_release(tmp_path / "theirs.csv", description=VISITS | {"person": "patient"})
    [fault] = [fault for fault in audit.faults if fault.fault == "identifier"]
    assert fault.grave and "which rows are one person's" in fault.rule


WRONG: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"person": "patient", "one_row_per_person": True}, {}, "one_row_per_person: is of no use beside person"),
    ({"one_row_per_person": "perhaps"}, {}, "one_row_per_person: must be true or false, got 'perhaps'"),
    ({"person": "age"}, {}, "person: 'age' has two roles"),
    ({"person": ["a", "b"]}, {}, "person: must be a text"),
    ({"person": "patient"}, {"person": "doctor"}, "person: the release says that 'patient' is the column"),
    ({"person": "patient"}, {"one_row_per_person": True}, "one_row_per_person: the release says that 'patient' says"),
    ({}, {"person": "patient", "one_row_per_person": True}, "one_row_per_person: is of no use beside person"),
    ({}, {"person": "disease"}, "person: 'disease' is published, in another role"),
]


@pytest.mark.parametrize(("said", "given", "rule"), WRONG)
def test_what_can_not_be_meant_is_told(by_rows: Path, said: dict[str, Any], given: dict[str, Any], rule: str) -> None:
    with pytest.raises(DiscreetError, match=re.escape(rule)):
        audit_release(by_rows, description=VISITS | said, **given)


def test_a_description_in_a_file_may_say_true(tmp_path: Path, by_rows: Path) -> None:
    for word, case in (("true", Whose.ONE_EACH), ("false", Whose.UNSAID)):
        (tmp_path / "said.yaml").write_text(f"quasi_identifiers: [age, zip]\none_row_per_person: {word}\n")
        assert audit_release(by_rows, description=tmp_path / "said.yaml").whose.case is case


def test_an_audit_is_the_same_to_the_last_digit_whatever_order_the_source_is_in(tmp_path: Path) -> None:
    release = publish(tmp_path / "release", "generalization")
    turned = {name: cells[::-1] for name, cells in people().items()}
    lines = [audit_release(release, source=s, one_row_per_person=True).lines for s in (people(), turned)]
    assert any(line.adversary == "worst_case" for line in lines[0])
    assert lines[0] == lines[1]
