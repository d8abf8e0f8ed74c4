"""Mistakes in words about reading are told all at once; and whoever reads a source again reads it by the same words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from discreet import anonymize, audit, policy_from_words, verify
from discreet.errors import DataError, DiscreetError, PolicyError
from discreet.run.apply import apply
from tests.tables_as_they_are.makers import MAKERS
from tests.tables_as_they_are.workbooks import write_workbook

ATTRIBUTES: dict[str, dict[str, Any]] = {
    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}},
    "illness": {"role": "sensitive"},
}


def words(**more: Any) -> dict[str, Any]:
    return {"attributes": ATTRIBUTES, "require": [{"k_anonymity": {"k": 2}}], "seed": 1} | more


def test_all_mistakes_are_told_at_once() -> None:
    attributes = ATTRIBUTES | {
        "a": {"role": "other", "missing": "?", "dates": "MM/DD"},
        "b": {"role": "other", "dates": "DD/MM/YY", "whole": "yes"},
        "c": {"role": "other", "dates": {"format": "DD/MM/YY", "first_year": 30}, "decimal": ";"},
        "d": {"role": "other", "dates": "DD/MM/YYYY", "decimal": ","},
    }
    wrong = {
        "missing": [-999], "decimal": "x", "thousands": "_", "encoding": "cp1253x", "delimiter": ";;", "sheet": 3,
    }  # fmt: skip
    with pytest.raises(PolicyError) as caught:
        policy_from_words(words(attributes=attributes, **wrong))
    places = [mistake.place for mistake in caught.value.mistakes]
    assert {f"attributes.{p}" for p in ("a.missing", "a.dates", "b.dates", "b.whole", "d.dates")} <= {*places}
    assert {"attributes.c.dates.first_year", "attributes.c.decimal", *wrong} <= {*places}
    assert all(mistake.repair for mistake in caught.value.mistakes)
    assert 'missing: must be a list of texts, got -999 in it; put it in quotes: "-999"' in str(caught.value)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"source": "t.csv", "sheet": "x"}, "sheet: is for workbooks, and t.csv is none"),
        ({"source": "t.xlsx", "encoding": "cp1252"}, "encoding: is for CSV files, and the source is a workbook"),
        ({"source": "t.parquet", "delimiter": ";"}, "delimiter: is for CSV files, and the source is a Parquet file"),
        ({"source": "postgresql://h/d#t", "encoding": "cp1252"}, "the source is a table in a database"),
        ({"encoding": "base64"}, "encoding: 'base64' is not an encoding of text files"),
        ({"thousands": "."}, "thousands: '.' is the decimal sign, too"),
        ({"decimal": ",", "thousands": ","}, "thousands: ',' is the decimal sign, too"),
    ],
)
def test_words_that_do_not_fit_are_refused(said: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        policy_from_words(words(**said))
    assert message in str(caught.value)


def test_words_come_back_as_they_were_said() -> None:
    attributes = ATTRIBUTES | {
        "day": {"role": "other", "dates": {"format": "DD.MM.YY", "first_year": 1930}, "missing": ["-9"]},
        "n": {"role": "other", "decimal": ",", "thousands": ".", "whole": True},
    }
    policy = policy_from_words(words(attributes=attributes, missing=["?", ""], decimal=".", encoding="cp1252"))
    again = policy_from_words(policy.to_words())
    assert again == policy
    assert again.reading == policy.reading


TABLE = {
    "age": ["21", "22", "-9", "-9", "35", "36"],
    "illness": ["flu", "?", "flu", "ear", "?", "ear"],
}
READ = {
    "attributes": {**ATTRIBUTES, "age": {**ATTRIBUTES["age"], "missing": ["-9"]}},
    "missing": ["?"],
}


def test_everybody_who_reads_the_source_again_reads_it_so(tmp_path: Path) -> None:
    release = anonymize(policy_from_words(words(**READ)), tmp_path / "release", source=TABLE)
    reading = {about["column"]: about["missing"] for about in release.to_json()["reading"]["columns"]}
    assert reading == {"age": {"-9": 2}, "illness": {"?": 2}}
    manifest = (tmp_path / "release" / "manifest.json").read_text()
    assert '"missing"' in manifest
    assert '"cells"' not in manifest
    page = (tmp_path / "release.private" / "report.html").read_text()
    assert "How the table was read" in page
    assert "How the table was read" not in (tmp_path / "release" / "report.html").read_text()
    assert verify(release.folder, TABLE).kept
    assert not audit(release.folder, source=TABLE).faults
    later = apply(release.folder, TABLE, tmp_path / "later", all_new=True)
    assert (later.folder / "data.csv").read_text().count("flu") == 2
    assert later.figures["reading"] == release.figures["reading"]


def test_a_population_and_conditions_are_read_so(tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text(
        "\n".join(["age;x", *(f"{age};ä" for age in [*TABLE["age"], "23", "-9", "38"])]), encoding="cp1252"
    )
    promise = {"presence": {"delta": [0, 0.9], "population": str(people)}}
    presence = policy_from_words(words(**READ, encoding="cp1252") | {"require": [promise]})
    release = anonymize(presence, tmp_path / "release", source=TABLE)
    assert verify(release.folder, TABLE, people).kept
    chosen = policy_from_words(words(**READ, private={"illness": None}))
    assert anonymize(chosen, tmp_path / "private", source=TABLE | {"age": ["21"] * 6}).manifest["rows"]["source"] == 2


def test_cells_that_are_not_as_said_stop_the_run(tmp_path: Path) -> None:
    attributes = ATTRIBUTES | {
        "day": {"role": "other", "dates": "MM/DD/YYYY"},
        "cost": {"role": "other", "decimal": ","},
        "n": {"role": "other", "whole": True},
    }
    strange = {"day": ["13/31/2024"] * 6, "cost": ["1.234", "1,5"] * 3, "n": ["1.5"] * 6}
    with pytest.raises(DataError) as caught:
        anonymize(policy_from_words(words(attributes=attributes)), tmp_path / "release", source=TABLE | strange)
    places = [mistake.place for mistake in caught.value.mistakes]
    assert places == ["attributes.day.dates", "attributes.cost.decimal", "attributes.n.whole"]
    assert not any(value in str(caught.value) for value in ("13/31", "1.234 ", "1.5"))


def test_numbers_and_days_that_cannot_be_read_ask_for_the_words_that_read_them() -> None:
    attributes = {
        "born": {"role": "quasi_identifier", "hierarchy": {"dates": ["year"]}},
        "height": {"role": "quasi_identifier", "hierarchy": {"intervals": [10]}},
    }
    table = {"born": ["12/31/1970", "01/02/1980"], "height": ["1,72", "1,80"]}
    with pytest.raises(DiscreetError) as caught:
        anonymize(table, attributes=attributes, require=[{"k_anonymity": {"k": 2}}])
    repairs = {mistake.place: mistake.repair for mistake in caught.value.mistakes}
    assert "dates: MM/DD/YYYY" in repairs["attributes.born.hierarchy"]
    assert 'decimal: ","' in repairs["attributes.height.hierarchy"]
    assert all("missing" in repair for repair in repairs.values())


def test_a_file_in_another_encoding_is_refused_with_the_word_to_write(tmp_path: Path) -> None:
    for name, encoding in (("cp1252_semicolons_and_commas", "cp1252"), ("utf16_export", "utf-16")):
        source = MAKERS[name](tmp_path)
        attributes = {"Alter": {"role": "quasi_identifier"}, "Diagnose": {"role": "sensitive"}}
        with pytest.raises(DataError, match=f"write encoding: {encoding} in the policy"):
            anonymize(policy_from_words(words(attributes=attributes)), tmp_path / "release", source=source)
    utf8 = MAKERS["separator_line"](tmp_path)
    said = policy_from_words(words(source=str(utf8), attributes=attributes, encoding="cp1252"))
    with pytest.raises(DataError, match="encoding: is cp1252, and the file is UTF-8"):
        anonymize(said, tmp_path / "release")


def test_a_workbook_says_which_sheets_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["age", "illness"], [21, "flu"], [22, "ear"]]
    two = write_workbook(tmp_path / "two.xlsx", {"A": rows, "B": rows, "empty": []})
    for said, message in (({}, "has 2 sheets with something in them: 'A', 'B'"), ({"sheet": "C"}, "no sheet 'C'")):
        with pytest.raises(DataError, match=message):
            anonymize(policy_from_words(words(source=str(two), **said)), tmp_path / "release")
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    with pytest.raises(DiscreetError, match=r"pip install 'discreet\[excel\]'"):
        anonymize(policy_from_words(words(source=str(two))), tmp_path / "release")
