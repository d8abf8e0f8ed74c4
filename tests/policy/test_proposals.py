"""Proposed policies: right guesses, never the unsafe one, and always a policy that reads."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import anonymize, audit_release
from discreet.engines.profile import ColumnProfile
from discreet.errors import DataError, PolicyError
from discreet.hierarchies.build import build
from discreet.hierarchies.words import rule_from_words
from discreet.policy.policy import Attribute, Policy, Role, policy_from_words, read_policy
from discreet.policy.proposing.columns import meaning_of, words_of
from discreet.policy.proposing.draft import propose, quoted
from discreet.policy.proposing.proposals import proposal, proposals_of
from discreet.report.pages.audit_words import headline
from discreet.samples.hospital import patients
from tests.policy.odd import ODD
from tests.policy.profiles import profile


def proposed(folder: Path, *profiles: ColumnProfile, source: str = "people.csv") -> tuple[Policy, str]:
    text = propose(proposals_of(profiles), source)
    path = folder / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    return read_policy(path), text


def attribute(folder: Path, column: ColumnProfile) -> Attribute:
    """What is proposed for one column of a table that has a quasi-identifier besides."""
    policy, _ = proposed(folder, column, profile("gender", ["f", "m"] * (column.rows // 2)))
    return policy.attributes[0]


ROWS = 400
LEFT_OUT, COARSER, SENSITIVE = Role.IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE
TO_DECADES = {"dates": ["month", "quarter", "year", "decade"]}
BY_DAY = {"dates": ["day", "month", "quarter", "year"]}
NAMED: dict[str, tuple[list[str | None], Role, object]] = {
    "name": ([f"Ann {i}" for i in range(ROWS)], LEFT_OUT, None),
    "first_name": (["Ann", "Bob"] * 200, LEFT_OUT, None),
    "Nachname": (["Weber", "Huber"] * 200, LEFT_OUT, None),
    "apellidos": (["Paz", "Gil"] * 200, LEFT_OUT, None),
    "Prénom": (["Luc", "Eve"] * 200, LEFT_OUT, None),
    "patientId": ([str(i) for i in range(ROWS)], LEFT_OUT, None),
    "visit_id": ([str(i // 2) for i in range(ROWS)], LEFT_OUT, None),
    "voter_id": ([str(i) for i in range(ROWS)], LEFT_OUT, None),
    "SSN": ([f"{i:09d}" for i in range(ROWS)], LEFT_OUT, None),
    "E-Mail": ([f"a{i}@example.org" for i in range(ROWS)], LEFT_OUT, None),
    "teléfono móvil": ([f"6{i:08d}" for i in range(ROWS)], LEFT_OUT, None),
    "Straße": ([f"Way {i}" for i in range(ROWS)], LEFT_OUT, None),
    "comments": ([f"note {i}" for i in range(ROWS)], LEFT_OUT, None),
    "story": (
        ["seen with a cough by the doctor of the town " + str(i % 4) for i in range(ROWS)],
        LEFT_OUT,
        None,
    ),
    "x1": ([f"q{i}" for i in range(ROWS)], LEFT_OUT, None),
    "x2": ([str(5000 + 7 * i) for i in range(ROWS)], LEFT_OUT, None),
    "x3": ([f"q{i // 2 if i > 300 else i}" for i in range(ROWS)], LEFT_OUT, None),
    "disease": (["flu", "asthma", None, "cold"] * 100, SENSITIVE, None),
    "disease_name": (["flu", "asthma"] * 200, SENSITIVE, None),
    "Diagnose": (["A10", "B20"] * 200, SENSITIVE, None),
    "enfermedad": (["gripe", "asma"] * 200, SENSITIVE, None),
    "maladie": (["grippe", "asthme"] * 200, SENSITIVE, None),
    "salary": ([str(20000 + 37 * i) for i in range(ROWS)], SENSITIVE, None),
    "Einkommen": (["1", "2"] * 200, SENSITIVE, None),
    "diagnosis text": ([f"fell {i}" for i in range(ROWS)], LEFT_OUT, None),
    "age": ([str(18 + i % 70) for i in range(ROWS)], COARSER, {"intervals": [5, 10, 20, 40]}),
    "edad": ([str(18 + i % 70) for i in range(ROWS)], COARSER, {"intervals": [5, 10, 20, 40]}),
    "household_size": ([str(1 + i % 8) for i in range(ROWS)], COARSER, {"intervals": [2, 4]}),
    "children": ([str(i % 3) for i in range(ROWS)], COARSER, {"flat": True}),
    "hours": ([str(i % 40 * 25) for i in range(ROWS)], COARSER, {"intervals": [50, 100, 200, 400]}),
    "height": ([f"{150 + i % 50}.5" for i in range(ROWS)], COARSER, {"quantiles": 16}),
    "gain": (["0"] * 390 + [str(i * 9999) for i in range(10)], COARSER, {"quantiles": 16}),
    "measure": ([f"{i}.25" for i in range(ROWS)], COARSER, {"quantiles": 16}),
    "zip": ([f"{47000 + i % 60}" for i in range(ROWS)], COARSER, {"prefixes": [4]}),
    "PLZ": ([f"{i % 90:05d}" for i in range(ROWS)], COARSER, {"prefixes": [4]}),
    "tariff": ([f"{'ABC'[i % 3]}{i % 5}{i % 4}" for i in range(ROWS)], COARSER, {"prefixes": [2, 1]}),
    "birth": (
        [f"19{50 + i % 40}-0{1 + i % 9}-1{i % 9}" for i in range(ROWS)],
        COARSER,
        TO_DECADES,
    ),
    "Geburtsdatum": (
        [f"1{i % 9}.0{1 + i % 9}.19{50 + i % 40}" for i in range(ROWS)],
        COARSER,
        TO_DECADES,
    ),
    "visit": ([f"1{i % 9}/0{1 + i % 9}/2024" for i in range(ROWS)], COARSER, {"flat": True}),
    "Kosten": ([f"{100 + i},{i % 90 + 10}" for i in range(ROWS)], SENSITIVE, None),
    "Wert": ([f"{i * 9},{i % 90 + 10}" for i in range(ROWS)], COARSER, {"flat": True}),
    "seen": (
        [f"2024-01-1{i % 9} 10:3{i % 10}" for i in range(ROWS)],
        COARSER,
        BY_DAY,
    ),
    "sex": (["f", "m", None, "f"] * 100, COARSER, {"flat": True}),
    "race": ([str(i % 9) for i in range(ROWS)], COARSER, {"flat": True}),
    "country_id": ([str(i % 12) for i in range(ROWS)], COARSER, {"flat": True}),
    "hospital_name": ([f"house {i % 7}" for i in range(ROWS)], COARSER, {"flat": True}),
    "ciudad": ([f"town {'x' * (i % 17)}" for i in range(ROWS)], COARSER, {"flat": True}),
    "constant": (["same"] * ROWS, COARSER, {"flat": True}),
    "empty": ([None] * ROWS, COARSER, {"flat": True}),
    "blank": ([""] * ROWS, COARSER, {"flat": True}),
    "mixed": ([str(i % 60) if i % 60 else "n/a" for i in range(ROWS)], COARSER, {"flat": True}),
    "q17": (["yes", "no"] * 200, COARSER, {"flat": True}),
}


@pytest.mark.parametrize("name", NAMED)
def test_a_column_is_taken_for_what_it_is(name: str, tmp_path: Path) -> None:
    values, role, hierarchy = NAMED[name]
    assert replace(attribute(tmp_path, profile(name, values)), decide="") == Attribute(name, role, hierarchy)


@pytest.mark.parametrize("name", NAMED)
def test_a_proposed_hierarchy_has_a_place_for_every_value(name: str, tmp_path: Path) -> None:
    values, _, _ = NAMED[name]
    words = attribute(tmp_path, profile(name, values)).hierarchy
    counts = Counter(values)
    built = build(name, counts, rule_from_words(words, name, tmp_path, list(counts), counts.values()))
    assert set(counts) <= set(built.leaves)


@pytest.mark.parametrize("name", ["x3", "q17", "story", "hospital_name", "measure", "salary", "diagnosis text"])
def test_what_can_not_be_told_is_marked_for_the_user(name: str) -> None:
    assert proposal(profile(name, NAMED[name][0])).decide


@pytest.mark.parametrize("name", ["age", "sex", "disease", "first_name", "constant"])
def test_what_is_clear_is_not_marked(name: str) -> None:
    assert not proposal(profile(name, NAMED[name][0])).decide


def test_every_attribute_comes_with_a_reason(tmp_path: Path) -> None:
    _, text = proposed(tmp_path, *(profile(name, values) for name, (values, _, _) in NAMED.items()))
    body = text.split("attributes:\n")[1].split("\nrequire:")[0].splitlines()
    lines = [line for line in body if "{role:" in line]
    assert len(lines) == len(NAMED)
    assert all(body[body.index(line) - 1].startswith("  # ") for line in lines)


def test_the_sample_is_understood(tmp_path: Path) -> None:
    table = patients()
    policy, text = proposed(tmp_path, *(profile(n, table[n].to_pylist()) for n in table.column_names))
    assert policy.quasi_identifiers == ("age", "sex", "zip", "nation", "admitted")
    assert policy.sensitive == ("disease",)
    assert policy.require == ({"k_anonymity": {"k": 5}}, {"l_diversity": {"l": 3}})
    assert float(policy.suppress) == 0.02
    assert "DECIDE: " not in text
    assert "WARNING" not in text


def test_costs_to_the_cent_stop_a_run_until_somebody_has_decided(tmp_path: Path) -> None:
    costs, bills = ([f"{100 + i}.{i % 90 + off}" for i in range(ROWS)] for off in (10, 9))
    ages = [str(20 + i % 4) for i in range(ROWS)]
    policy, text = proposed(tmp_path, profile("age", ages), profile("costs", costs), profile("salary", bills))
    assert [a.name for a in policy.attributes if a.decide] == ["costs", "salary"]
    assert "(400 in 400 rows)" in policy.attributes[1].decide
    assert policy_from_words(policy.to_words()) == replace(policy, folder=Path())
    table = {"age": ages, "costs": costs, "salary": bills}
    with pytest.raises(PolicyError) as refused:
        anonymize(policy, tmp_path / "release", source=table)
    assert [m.place for m in refused.value.mistakes] == ["attributes.costs.decide", "attributes.salary.decide"]
    assert all("remove the word decide" in m.repair for m in refused.value.mistakes)
    assert not (tmp_path / "release").exists() and refused.value.exit_code == 2
    (tmp_path / "decided.yaml").write_text(re.sub(r', decide: "[^"]*"', "", text), encoding="utf-8")
    release = anonymize(read_policy(tmp_path / "decided.yaml"), tmp_path / "release", source=table)
    graves = [one.sentence for one in release.report.warnings if one.grave]
    assert [sentence.partition(" of the rows")[0] for sentence in graves] == ["costs: 100%", "salary: 100%"]
    told = headline(audit_release(tmp_path / "release"))
    assert "costs: 100% of the rows have a value that no other row has, and are found by it." in told


@pytest.mark.parametrize("word, rule", [(5, "must be a text, got 5"), (["x"], "must be a text, got a list")])
def test_a_question_is_a_text(word: object, rule: str) -> None:
    attributes = {"age": {"role": "quasi_identifier", "decide": word}}
    with pytest.raises(PolicyError, match=f"attributes.age.decide: {rule}"):
        policy_from_words({"attributes": attributes, "require": [{"k_anonymity": {"k": 2}}]})


def test_several_sensitive_columns_get_a_promise_each(tmp_path: Path) -> None:
    policy, _ = proposed(
        tmp_path,
        profile("sex", ["f", "m"] * 50),
        profile("disease", [f"d{i % 7}" for i in range(100)]),
        profile("income class", ["low"] * 95 + ["high"] * 5),
    )
    assert policy.require == (
        {"k_anonymity": {"k": 5}},
        {"l_diversity": {"l": 3, "attribute": "disease"}},
        {"l_diversity": {"l": 2, "attribute": "income class"}},
    )


def test_more_than_ten_quasi_identifiers_come_with_a_warning(tmp_path: Path) -> None:
    columns = [profile(f"{c}_place", ["a", "b"] * 50) for c in "abcdefghijk"]
    _, few = proposed(tmp_path, *columns[:10], profile("constant", ["x"] * 100))
    policy, many = proposed(tmp_path, *columns)
    assert "WARNING" not in few
    assert "WARNING: 11 quasi-identifiers" in many
    assert len(policy.quasi_identifiers) == 11


def test_what_nobody_is_known_to_know_is_left_out_beyond_ten_quasi_identifiers(tmp_path: Path) -> None:
    known = [profile(f"{c}_place", ["a", "b"] * 50) for c in "abcdefgh"]
    unknown = [profile(name, [f"v{i % (n + 2)}" for i in range(100)]) for n, name in enumerate(["foo", "bar", "baz"])]
    policy, text = proposed(tmp_path, *unknown, *known)
    roles = {a.name: (a.role, bool(a.decide)) for a in policy.attributes}
    assert roles["foo"] == roles["bar"] == (COARSER, True)
    assert roles["baz"] == (LEFT_OUT, True)  # it has most values
    assert "WARNING" not in text
    assert [m.place for m in policy.undecided] == [
        "attributes.foo.decide",
        "attributes.bar.decide",
        "attributes.baz.decide",
    ]


def test_a_table_of_nothing_but_names_still_gives_a_policy_that_reads(tmp_path: Path) -> None:
    policy, text = proposed(
        tmp_path, profile("name", [f"n{i}" for i in range(30)]), profile("first name", ["a", "b"] * 15)
    )
    assert policy.quasi_identifiers == ("first name",)
    assert "nothing else looks like one" in text
    policy, _ = proposed(tmp_path, profile("disease", ["flu", "cold"] * 10))
    assert policy.quasi_identifiers == ("disease",)


def test_a_table_without_rows_still_gives_a_policy_that_reads(tmp_path: Path) -> None:
    policy, _ = proposed(tmp_path, profile("age", []), profile("disease", []))
    assert policy.quasi_identifiers == ("age", "disease")


def test_no_columns_and_two_of_one_name_are_errors() -> None:
    with pytest.raises(DataError, match="has no columns"):
        proposals_of([])
    with pytest.raises(DataError, match="several columns are called 'a'"):
        proposals_of([profile("a", ["1"]), profile("a", ["2"])])


def test_a_password_in_the_address_does_not_reach_the_policy(tmp_path: Path) -> None:
    policy, text = proposed(tmp_path, profile("sex", ["f", "m"]), source="postgresql://ann:s3cret@db.example/c#t")
    assert policy.source == "postgresql://db.example/c#t"
    assert "s3cret" not in text


def test_values_of_people_are_not_in_the_proposal() -> None:
    columns = [profile(name, values) for name, (values, _, _) in NAMED.items()]
    text = propose(proposals_of(columns), "x.csv")
    shown = {v for c in columns for v, _ in c.values if v and len(v) > 4 and v in text}
    assert shown == set()


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("Familienname", "a person's name"),
        ("Telefonnummer", "a way to reach the person"),
        ("código_postal", "a postal code"),
        ("Code postal", "a postal code"),
        ("fecha_nacimiento", "age or birth"),
        ("date_naissance", "age or birth"),
        ("GeburtsDatum", "age or birth"),
        ("Geschlecht", "sex or gender"),
        ("Familienstand", "family"),
        ("ethnicity", "origin"),
        ("nationalité", "a place"),
        ("Gehalt", "money"),
        ("sueldo_bruto", "money"),
        ("Salaire annuel", "money"),
        ("ICD10", "health"),
        ("Krankheit", "health"),
        ("covid_status", "health"),
        ("Kundennummer", "a number of its own"),
    ],
)
def test_names_are_understood_in_several_languages(name: str, what: str) -> None:
    found = meaning_of(name)
    assert found is not None
    assert found.what == what


@pytest.mark.parametrize("name", ["agent", "stage", "percentage", "destination", "alternative", "wert", "", "42", "数"])
def test_a_name_that_only_contains_a_known_word_says_nothing(name: str) -> None:
    assert meaning_of(name) is None


def test_words_of_a_name_are_found_in_any_style_of_writing() -> None:
    for name in ("date_of_birth", "dateOfBirth", "DateOfBirth", "DATE OF BIRTH", "date-of.birth"):
        assert words_of(name) == ["date", "of", "birth"]


@settings(max_examples=200, deadline=None)
@given(st.lists(ODD, min_size=1, max_size=4, unique=True), st.data())
def test_whatever_the_columns_the_proposal_reads_and_publishes_nothing_as_it_is(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], data: st.DataObject
) -> None:
    cells = st.none() | st.sampled_from(["", "1", "2.5", "-3", "007", "2024-01-31", "a", "b c", "1e3", "x" * 50])
    columns = [
        profile(name, data.draw(st.lists(cells | st.text(max_size=4), min_size=6, max_size=6))) for name in names
    ]
    policy, _ = proposed(tmp_path_factory.getbasetemp(), *columns, source=names[0])
    assert [a.name for a in policy.attributes] == names
    assert policy.others == ()
    assert policy.quasi_identifiers


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_can_be_quoted(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    import yaml

    assert yaml.safe_load(f"{quoted(text)}: 1") == {text: 1}
