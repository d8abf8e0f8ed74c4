"""What messages say of what they were given: little of it, and never a password."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from discreet.addresses import without_credentials, without_passwords
from discreet.audit.reading.description import describe
from discreet.engines.open import open_source
from discreet.errors import DataError, DiscreetError, Mistake, closest, did_you_mean, offenders, shown
from discreet.policy.policy import check_columns, policy_from_words, read_policy

SECRET = "s3cret"
ADDRESSES = [
    f"jdbc:postgresql://ann:{SECRET}@db.example/clinic",
    f"jdbc:postgresql://db.example/clinic?user=ann&password={SECRET}",
    f"jdbc:oracle:thin:ann/{SECRET}@db.example:1521:clinic",
    f"jdbc:sqlserver://db.example;user=ann;password={SECRET};",
    f" postgresql://ann:{SECRET}@db.example/clinic#patients",
    f"\tpostgresql://ann:{SECRET}@db.example/clinic#patients",
    f"postgres ://ann:{SECRET}@db.example/clinic",
    f"host=db.example user=ann password={SECRET} dbname=clinic",
    f"host=db.example password = '{SECRET} {SECRET}' dbname=clinic",
    f"host=db.example password='it\\'s {SECRET}'",
    f"PGPASSWORD={SECRET} psql",
    f"mysql://ann:{SECRET}/{SECRET}@db.example/clinic",
    f"mongodb+srv://ann:{SECRET}@db.example/?authSource=admin",
    f"ann:{SECRET}@db.example/clinic",
    f"mssql:ann:{SECRET}@db.example",
    f"postgresqll://ann:{SECRET}@db.example/clinic",
    f"postgresql://ann:{SECRET}#patients",
    f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={SECRET};EndpointSuffix=core",
]
WORDS: dict[str, Any] = {
    "attributes": {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
    "require": [{"k_anonymity": {"k": 5}}],
}


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_address_keeps_its_password(address: str) -> None:
    assert SECRET not in without_credentials(address)
    assert (
        SECRET not in shown(address) and SECRET not in offenders([address]) and SECRET not in did_you_mean(1, [address])
    )


@pytest.mark.parametrize("folder", ["", "study", "/home/ann/study"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_no_message_keeps_the_password_of_an_address_that_was_taken_for_a_path(address: str, folder: str) -> None:
    mistake = Mistake(str(Path(folder) / address), f"no file {str(Path(folder) / address)!r}", f"name {address}")
    assert SECRET not in str(mistake)


def test_what_is_no_address_stays_as_it_is() -> None:
    for text in (
        "patients.csv",
        "study/ann@work.csv",
        "C:/data/ann@work.csv",
        "spark:data/ann@work.parquet",
        "postgresql://db.example:5432/clinic#ward.patients",
        "postgresql://db1:5432,db2:5433/clinic#ward.patients",
        "postgresql://[::1]:5432/clinic",
        "postgresql://#patients",
    ):
        assert without_credentials(text) == text
    for text in ("attributes['a=b']: no such column", "mail ann@example.org", "at 12:30 @ noon"):
        assert without_passwords(text) == text


def said(words: dict[str, Any], folder: Path) -> str:
    with pytest.raises(DiscreetError) as refused:
        policy = policy_from_words(words, folder)
        open_source(policy.location)
        raise AssertionError("was read")
    return str(refused.value)


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("place", ["source", "hierarchy", "taxonomy", "prior", "knowledge", "marginals"])
def test_no_path_of_a_policy_gives_a_password_away(place: str, address: str, tmp_path: Path) -> None:
    file = address if place in ("source", "hierarchy", "taxonomy", "marginals") else f"{address}.csv"
    words = (
        WORDS
        | {
            "source": {"source": file},
            "hierarchy": {"attributes": {"age": {"role": "quasi_identifier", "hierarchy": file}}},
            "taxonomy": {"attributes": {"age": {"role": "quasi_identifier", "hierarchy": {"taxonomy": file}}}},
            "prior": {"require": [{"realistic": {"class": "III", "epsilon": 3, "prior": file}}]},
            "knowledge": {"require": [{"robust": {"r": 3, "knowledge": file}}]},
            "marginals": {"require": [{"confident_presence": {"delta": [0, 1], "marginals": {"age": file}}}]},
        }[place]
    )
    assert SECRET not in said(words, tmp_path)


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("command", ["init", "anonymize", "verify", "audit", "summary", "population"])
def test_no_command_prints_a_password(command: str, address: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age,disease\n" + "1,flu\n2,cold\n" * 10)
    attributes = "attributes: {age: {role: quasi_identifier}, disease: {role: sensitive}}\nsource: t.csv\n"
    quoted = "'" + address.replace("'", "''") + "'"
    policy = {
        "summary": f"search: instant\nsummary: {quoted}\nrequire: [{{k_anonymity: {{k: 2}}}}]\n",
        "population": f"require: [{{presence: {{delta: [0, 0.5], population: {quoted}}}}}]\n",
    }.get(command, "")
    (tmp_path / "policy.yaml").write_text(attributes + policy)
    arguments = {
        "init": ["init", address],
        "anonymize": ["anonymize", address, "-o", "release"],
        "verify": ["verify", address],
        "audit": ["audit", address],
    }.get(command, ["anonymize", "policy.yaml", "-o", "release"])
    assert SECRET not in output(arguments, tmp_path)


def output(arguments: list[str], folder: Path) -> str:
    """What the command prints, in this process: starting it takes long."""
    from typer.testing import CliRunner

    from discreet.cli.main import app

    before = Path.cwd()
    os.chdir(folder)
    try:
        run = CliRunner().invoke(app, arguments)
    finally:
        os.chdir(before)
    assert run.exit_code != 0 and (run.exception is None or isinstance(run.exception, DiscreetError | SystemExit))
    return run.output + str(run.exception or "")


LONG = "x y'" * 800_000


@pytest.mark.parametrize(
    "words",
    [
        {LONG: 1},
        {"source": [LONG]},
        {"attributes": LONG},
        {"attributes": {LONG: {"role": LONG}}},
        {"attributes": {"age": {"role": LONG, LONG: LONG}}},
        {"attributes": {"age": {"role": "quasi_identifier", "hierarchy": LONG}}},
        {"attributes": {"age": {"role": "quasi_identifier", "hierarchy": {LONG: 1}}}},
        {"attributes": {"age": {"role": "quasi_identifier", "hierarchy": {"dates": [LONG]}}}},
        {"attributes": {"age": {"role": "quasi_identifier", "hierarchy": {"intervals": [LONG] * 50}}}},
        {"attributes": {"age": {"role": "quasi_identifier", "hierarchy": {"flat": LONG}}}},
        {"attributes": {"age": {"role": "quasi_identifier", "hierarchy": {"taxonomy": [[LONG, "a"], [LONG, "b"]]}}}},
        {"require": [{LONG: {}}]},
        {"require": [{LONG: {}, "a": {}}]},
        {"require": [{"k_anonymity": {"k": LONG}}]},
        {"require": [{"k_anonymity": {LONG: 1}}]},
        {"require": [{"l_diversity": {"l": 2, "kind": LONG}}]},
        {"require": [{"l_diversity": {"l": 2, "attribute": LONG}}]},
        {"require": [{"realistic": {"class": LONG, "epsilon": LONG, "prior": LONG, "predicates": LONG}}]},
        {"require": [{"realistic": {"class": "III", "epsilon": 2, "prior": {LONG: LONG}}}]},
        {"require": [{"realistic": {"class": "III", "epsilon": 2, "prior": f"{LONG}.csv"}}]},
        {"require": [{"robust": {"r": LONG, "values": LONG, "attribute_sets": LONG, "knowledge": LONG}}]},
        {"require": [{"robust": {"r": 2, "knowledge": [[{LONG: LONG}, LONG, 2]]}}]},
        {"require": [{"presence": {"delta": LONG, LONG: LONG}}]},
        {"require": [{"confident_presence": {"delta": [0, 1], "marginals": {LONG: {LONG: LONG}}}}]},
        {"publish": LONG},
        {"search": LONG},
        {"suppress": LONG},
        {"suppressed": LONG},
        {"seed": LONG},
        {"time_limit": LONG},
        {"schema": LONG},
        {"private": LONG},
        {"private": {LONG: {LONG: LONG}}},
        {"private": {"age": {"from": LONG, "to": LONG}}},
    ],
    ids=range(34),
)
def test_no_mistake_repeats_millions_of_characters(words: dict[str, Any]) -> None:
    with pytest.raises(DiscreetError) as refused:
        policy_from_words(WORDS | words)
    for mistake in refused.value.mistakes:
        for part in (mistake.place, mistake.rule, mistake.repair):
            assert longest_quote(part) <= 200, part


def longest_quote(text: str) -> int:
    """The longest run of what only `LONG` has."""
    return max((len(part) for part in text.split(",")), default=0) if "x y" in text else 0


def test_a_thousand_mistakes_are_counted_and_not_told_one_by_one() -> None:
    with pytest.raises(DiscreetError) as refused:
        policy_from_words(WORDS | {f"word{i}": 1 for i in range(1000)})
    *first, last = map(str, refused.value.mistakes)
    assert len(first) == 100 and last == "discreet: there are 900 more mistakes"


def test_thousands_of_columns_that_are_not_there_are_counted() -> None:
    attributes = {f"column_{i}": {"role": "quasi_identifier"} for i in range(5000)}
    policy = policy_from_words({"attributes": attributes, "require": [{"k_anonymity": {"k": 2}}]})
    *first, last = map(str, check_columns(policy, [f"colum_{i}" for i in range(5000)]))
    assert len(first) == 100 and last == "attributes: 4,900 more are not columns of the table"


def test_a_misspelt_name_is_found_among_hundreds_of_thousands() -> None:
    names = [f"{'abcdefgh'[i % 8]}{i}" for i in range(300_000)]
    assert closest("b1x", names) == "b1"
    assert closest("x" * 10**7, names) is None


def test_a_yaml_error_does_not_repeat_the_file(tmp_path: Path) -> None:
    for text in (f"*{'a' * 100_000}", f"!{'a' * 100_000} x", f"a: 1\n{'b' * 100_000}", f"%{'a' * 100_000}"):
        (tmp_path / "policy.yaml").write_text(text)
        with pytest.raises(DiscreetError) as refused:
            read_policy(tmp_path / "policy.yaml")
        assert all(len(str(mistake)) < 700 for mistake in refused.value.mistakes)
        with pytest.raises(DataError) as wrong:
            describe(tmp_path / "policy.yaml", {"table.csv": ["age"]})
        assert all(len(str(mistake)) < 700 for mistake in wrong.value.mistakes)
