"""Whose rows they are: found where a table shows it, asked where it does not, and never guessed in silence."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import anonymize
from discreet.engines.open import open_source
from discreet.engines.profile import Ownership
from discreet.errors import DiscreetError, PolicyError
from discreet.labels.whose import Whose
from discreet.policy.policy import Policy, Role, read_policy
from discreet.policy.proposing.columns import A_PERSON, key_of
from discreet.policy.proposing.draft import propose
from discreet.policy.proposing.owner import Owner, find_owner
from discreet.policy.proposing.proposals import proposals_of
from discreet.samples.hospital import patients
from tests.policy.odd import ODD

Table = dict[str, list[str | None]]


def visits(people: int = 200, movers: int = 16, seed: int = 1) -> Table:
    """Somebody's visits: sex and birth stay, wards and diagnoses change, and the first `movers` get another zip."""
    random = Random(seed)
    columns = ("visit_id", "patient", "hospital_id", "product_id", "ward", "sex", "born", "zip", "diagnosis")
    table: Table = {name: [] for name in columns}
    for person in range(people):
        sex, born, place = random.choice("fm"), str(random.randrange(1930, 2000)), random.randrange(47000, 47100)
        for visit in range(2 + person % 4):
            moved = person < movers and visit > 0
            row = (len(table["sex"]) // 2, person, random.randrange(4), random.randrange(60), random.choice("ABC"),
                   sex, born, place + moved, random.choice(("flu", "gout", "cold")))  # fmt: skip
            for name, value in zip(columns, row, strict=True):
                table[name].append(str(value))
    return table


def renamed(table: Table, name: str, new: str) -> Table:
    return {new if column == name else column: values for column, values in table.items()}


def without(table: Table, *names: str) -> Table:
    return {column: values for column, values in table.items() if column not in names}


def looked_at(table: object, **said: object) -> tuple[Owner, str]:
    """What is found of whose rows they are, and the policy with it."""
    engine = open_source(table)
    proposals = proposals_of(engine.profile())
    owner = find_owner(proposals, engine.ownership, **said)  # type: ignore[arg-type]
    return owner, propose(proposals, "visits.csv", owner)


def read(text: str, folder: Path) -> Policy:
    (folder / "policy.yaml").write_text(text, encoding="utf-8")
    return read_policy(folder / "policy.yaml")


def test_a_key_that_repeats_and_is_called_like_a_person_s_says_whose_row_it_is(tmp_path: Path) -> None:
    owner, text = looked_at(visits())
    policy = read(text, tmp_path)
    assert (policy.person, policy.one_row_per_person) == ("patient", False)
    assert not next(a for a in policy.attributes if a.name == "patient").decide
    assert owner.number == 200
    assert "the key of a person, by its name; 200 people; a person has 3 rows in the median, 5 at most" in owner.why


def test_it_tells_how_many_people_move_and_in_which_columns() -> None:
    owner, _ = looked_at(without(visits(), "ward", "hospital_id", "product_id"))
    assert owner.why.endswith("16 of them move: their rows differ in 'zip' (16)")
    owner, _ = looked_at(without(visits(movers=0), "ward", "hospital_id", "product_id"))
    assert owner.why.endswith("nobody moves: the quasi-identifiers of a person are the same in all rows")


def test_rows_that_name_nobody_are_a_person_each() -> None:
    table = visits()
    table["patient"][:3] = [None, None, None]
    owner, _ = looked_at(table)
    assert owner.number == 199 + 3 and "3 rows name nobody, and count as a person each" in owner.why


@pytest.mark.parametrize(
    ("column", "what"),
    [
        ("visit_id", "a visit or a stay"),
        ("hospital_id", "a place or an organization"),
        ("product_id", "a thing"),
    ],
)
def test_the_key_of_something_else_is_no_person_s_and_the_policy_says_why(column: str, what: str) -> None:
    owner, text = looked_at(without(visits(), "patient"))
    assert owner.column is None and owner.whose is Whose.UNSAID
    assert f"the key of {what} by its name, not of a person" in owner.notes[column]
    [comment] = re.findall(rf"#(.*)\n  {column}: ", text)
    assert owner.notes[column] in comment


def test_zip_codes_and_wards_repeat_and_are_nobody_s() -> None:
    owner, _ = looked_at({name: visits()[name] for name in ("ward", "zip", "sex", "born")})
    assert owner.column is None


def test_a_column_that_nobody_understands_may_be_it_and_stops_a_run_until_somebody_has_decided(tmp_path: Path) -> None:
    table = renamed(visits(), "patient", "kdx")
    owner, text = looked_at(table)
    assert "rows with one value of it agree in 'sex' and 'born'; 200 people" in owner.why
    policy = read(text, tmp_path)
    assert policy.person == "kdx" and "# DECIDE: perhaps whose row it is" in text
    with pytest.raises(PolicyError, match=r"attributes.kdx.decide: does it say whose row it is\?"):
        anonymize(policy, tmp_path / "release", source=table)
    assert not (tmp_path / "release").exists()


def test_a_place_whose_rows_agree_in_the_zip_code_alone_is_no_person() -> None:
    table = without(visits(), "patient", "visit_id")
    table["kdx"] = [f"place {code}" for code in table["zip"]]
    assert looked_at(table)[0].column is None


def test_a_name_that_several_people_share_is_no_person_s() -> None:
    owner, text = looked_at(patients())
    assert owner.column is None
    assert "rows with one value of it differ in 'age', 'sex' and 3 more: it names no person" in owner.notes["name"]
    assert "a name, by its name; rows with one value of it differ in" in text


def test_a_name_whose_rows_agree_may_be_it() -> None:
    owner, _ = looked_at(renamed(visits(), "patient", "name"))
    assert owner.column == "name" and owner.decide


@pytest.mark.parametrize("name", ["first_name", "Nachname", "street", "first name"])
def test_what_others_share_is_not_even_tried(name: str) -> None:
    assert looked_at(renamed(visits(), "patient", name))[0].column is None


def test_a_person_s_key_whose_rows_differ_in_sex_has_to_be_decided() -> None:
    table = visits()
    table["sex"] = ["fm"[i % 2] for i in range(len(table["sex"]))]
    owner, _ = looked_at(table)
    assert owner.column == "patient"
    assert "named like the key of a person, but rows with one value of it differ in 'sex'" in owner.decide


def test_of_two_keys_of_people_the_one_whose_rows_agree_is_taken_and_the_other_named(tmp_path: Path) -> None:
    table = visits()
    rows = len(table["sex"])
    employees: Table = {"employee_id": [str(i * 7 % 23) for i in range(rows)], **table}
    owner, _ = looked_at(employees)
    assert (owner.column, owner.decide) == ("patient", "")  # the employees' rows are both men's and women's
    owner, text = looked_at({name: employees[name] for name in ("employee_id", "patient", "ward", "diagnosis")})
    assert owner.column == "patient"
    assert owner.decide == "does it say whose row it is, or does 'employee_id'?"
    assert "patient" in [a.name for a in read(text, tmp_path).attributes if a.decide]


def test_two_keys_of_the_same_people_are_no_question() -> None:
    table = visits()
    table["ssn"] = [f"{int(p or 0):09d}" for p in table["patient"]]
    owner, _ = looked_at(table)
    assert owner.column in ("patient", "ssn") and not owner.decide


@pytest.mark.parametrize("name", ["member", "subject", "insured"])
def test_a_word_for_people_with_few_values_is_yes_and_no(name: str) -> None:
    table = without(visits(), "patient")
    table[name] = ["yes" if i % 3 else "no" for i in range(len(table["sex"]))]
    assert looked_at(table)[0].column is None


def test_a_key_with_a_value_of_its_own_in_each_row_leaves_the_question_open(tmp_path: Path) -> None:
    owner, text = looked_at(patients(), one_row_per_person=False)
    policy = read(text, tmp_path)
    assert (owner.whose, owner.keys) == (Whose.UNSAID, ("patient",))
    assert (policy.person, policy.one_row_per_person) == (None, False)
    question = text.split("attributes:")[0]
    for said in ("# QUESTION: is every row another person's?", "one_row_per_person: true", "role: person", "'patient'"):
        assert said in question
    assert "# every row looks like at least 4 other rows" in text


def test_the_words_of_the_question_are_words_of_a_policy(tmp_path: Path) -> None:
    _, text = looked_at({"sex": ["f", "m"] * 30, "id": [str(i) for i in range(60)]})
    assert read(re.sub(r"#   (one_row_per_person: true).*", r"\1", text), tmp_path).one_row_per_person
    assert read(text.replace("id: {role: identifier}", "id: {role: person}"), tmp_path).person == "id"


def test_one_row_a_person_is_written_where_somebody_says_so(tmp_path: Path) -> None:
    owner, text = looked_at(patients(), one_row_per_person=True)
    policy = read(text, tmp_path)
    assert (policy.one_row_per_person, policy.person, owner.number) == (True, None, 2000)
    assert "# everybody looks like at least 4 others" in text and "QUESTION" not in text


@pytest.mark.parametrize("name", ["patient", "kdx"])
def test_one_row_a_person_is_refused_where_a_column_says_otherwise(name: str) -> None:
    with pytest.raises(DiscreetError) as refused:
        looked_at(renamed(visits(), "patient", name), one_row_per_person=True)
    [mistake] = refused.value.mistakes
    assert mistake.place == "--one-row-per-person"
    assert mistake.rule.startswith(f"the column {name!r} says otherwise: ") and "200 people" in mistake.rule
    assert mistake.repair.startswith("say --person with its name")


def test_a_column_that_somebody_names_is_taken_as_it_is(tmp_path: Path) -> None:
    owner, text = looked_at(visits(), person="visit_id")
    policy = read(text, tmp_path)
    assert policy.person == "visit_id"
    assert not next(a for a in policy.attributes if a.name == "visit_id").decide
    assert owner.why.startswith("whose row it is, as you said; ")
    owner, _ = looked_at(patients(), person="patient")
    assert owner.why == "whose row it is, as you said; 2,000 people; each has one row"


def test_the_promises_speak_of_people_where_they_are_counted() -> None:
    _, text = looked_at(visits(people=20))
    assert "# everybody looks like at least 4 others\n  # (a table of 20 people will hardly allow it)" in text


NO_COLUMN = "--person: the table has no column 'patent'; did you mean 'patient'?"
EMPTY = (
    "--person: 'empty' has no value in any row; name the column that says whose row it is, or say --one-row-per-person"
)
ONLY = "--person: 'patient' is the only column, and nothing would be published; give a table with the columns that "
BOTH = "--one-row-per-person: is of no use: 'patient' says whose rows they are; leave it out, or leave --person out"
WRONG: dict[str, tuple[Callable[[], Table], dict[str, object], str]] = {
    "no such column": (visits, {"person": "patent"}, NO_COLUMN),
    "no values": (lambda: visits() | {"empty": [None] * 700}, {"person": "empty"}, EMPTY),
    "no other column": (lambda: {"patient": ["a", "a"]}, {"person": "patient"}, ONLY),
    "both at once": (visits, {"person": "patient", "one_row_per_person": True}, BOTH),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_word_is_a_mistake_with_its_repair(case: str) -> None:
    table, said, message = WRONG[case]
    with pytest.raises(DiscreetError) as refused:
        looked_at(table(), **said)
    assert str(refused.value).startswith(message)


def test_a_table_of_one_column_has_something_to_publish(tmp_path: Path) -> None:
    owner, text = looked_at({"patient": ["a", "a", "b"]})
    assert owner.column is None and read(text, tmp_path).quasi_identifiers == ("patient",)


def test_a_table_without_rows_leaves_the_question_open(tmp_path: Path) -> None:
    owner, text = looked_at({"patient": [], "sex": []})
    assert owner.whose is Whose.UNSAID and read(text, tmp_path).quasi_identifiers
    assert read(looked_at({"patient": [], "sex": []}, person="patient")[1], tmp_path).person == "patient"


def test_few_queries_are_asked_of_however_many_columns() -> None:
    table = {f"age x{i}": [str(j % (40 + i)) for j in range(300)] for i in range(80)}
    engine = open_source(table)
    proposals = proposals_of(engine.profile())
    asked: list[tuple[str, int]] = []

    def counting(owner: str, columns: list[str]) -> Ownership:
        asked.append((owner, len(columns)))
        return engine.ownership(owner, columns)

    find_owner(proposals, counting)  # type: ignore[arg-type]
    assert len(asked) <= 5 and all(columns <= 50 for _, columns in asked)
    owner = find_owner(proposals, engine.ownership, person="age x1")
    assert "50 of 79 quasi-identifiers were compared" in owner.why


def test_no_value_of_a_person_is_told() -> None:
    table = renamed(visits(), "patient", "name")
    table["name"] = [f"Ann Person {value}" for value in table["name"]]
    owner, text = looked_at(table)
    assert owner.column == "name" and "Ann" not in text + owner.why + owner.decide


PERSONS = """patient patient_id PatientID patientid pid person subject_id member_id kunde_nr Kundennummer mrn ssn
    id_patient numero_paciente Versichertennummer medical_record_number customer_no user_id numéro_de_patient"""
OTHERS = """id name x1 patients num_patients patient_age patient_zip patient_visit_id visit_id Fallnummer hospital_id
    zip ward product_id order_no household_id doctor_id Arzt_ID record_id member_since paid covid children"""


@pytest.mark.parametrize("name", re.findall(r"\S+", PERSONS))
def test_keys_of_people_are_known_by_their_names(name: str) -> None:
    assert key_of(name) == A_PERSON


@pytest.mark.parametrize("name", re.findall(r"\S+", OTHERS))
def test_other_names_are_not_taken_for_keys_of_people(name: str) -> None:
    assert key_of(name) != A_PERSON


@settings(max_examples=100, deadline=None)
@given(st.lists(ODD | st.sampled_from(["patient", "id", "name"]), min_size=1, max_size=4, unique=True), st.data())
def test_whatever_the_columns_the_policy_reads_and_names_at_most_one_person(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], data: st.DataObject
) -> None:
    names = [name for i, name in enumerate(names) if name.casefold() not in {n.casefold() for n in names[:i]}]
    cells = st.none() | st.sampled_from(["", "1", "2.5", "a", "b", "c"])
    table = {name: data.draw(st.lists(cells, min_size=8, max_size=8)) for name in names}
    try:
        engine = open_source(table)
    except DiscreetError:
        return  # a name that no table can have
    said = data.draw(st.sampled_from([{}, {"one_row_per_person": True}, {"person": names[0]}]))
    proposals = proposals_of(engine.profile())
    try:
        owner = find_owner(proposals, engine.ownership, **said)  # type: ignore[arg-type]
    except DiscreetError as refused:
        assert said and all(m.place.startswith("--") and m.repair for m in refused.mistakes)
        return
    policy = read(propose(proposals, "x.csv", owner), tmp_path_factory.getbasetemp())
    assert [a.name for a in policy.attributes] == names
    assert policy.person == owner.column and policy.one_row_per_person == owner.one_row_each
    assert sum(a.role == Role.PERSON for a in policy.attributes) <= 1
