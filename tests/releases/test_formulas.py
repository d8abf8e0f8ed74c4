"""Texts that a spreadsheet would run: told, escaped on request in every kind of release, read back as themselves."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import DiscreetError, anonymize, apply, policy_from_words, verify
from discreet.audit.reading.release import look
from discreet.engines.duckdb.formulas import escaped, escaped_sql, formula_sql, is_formula, unescaped, unescaped_sql
from discreet.releases.manifest import checksum
from discreet.releases.queries import query_error_of
from tests.releases.reading import manifest_of

ESCAPE = {"formulas": "escape"}
SIGNS = tuple("=+-@\t\r\n＝＋－＠")
RISKY = ["=cmd|'/c calc'!A1", "@SUM(1+1)", "+1+1", "-2+3", "\t=1", "\r=1", "\n=1", "＝1", "'=old", "x;=1", "flu"]
NUMBERS = ["-1", "+1.5", "-2e6", "-3"]
NAME = "=HYPERLINK(1)"
KINDS: dict[str, dict[str, Any]] = {
    "generalization": {},
    "star": {"suppress": 0.2, "suppressed": "star"},
    "multidimensional": {"publish": "multidimensional"},
    "local_recoding": {"publish": "local_recoding"},
    "bucketization": {"publish": "bucketization", "suppress": 0.5, "require": [{"l_diversity": {"l": 2}}]},
    "ambiguity": {"publish": "ambiguity", "require": [{"ambiguity": {"alpha": 0.5, "beta": 0.9}}]},
}
ROWS = 4 * 4 * len(RISKY)


def table(other: bool = False) -> dict[str, list[Any]]:
    risky = [RISKY[i % len(RISKY)] for i in range(ROWS)]
    columns = {
        "zip": [RISKY[i % 4] for i in range(ROWS)],
        "age": [NUMBERS[i // 4 % 4] for i in range(ROWS)],
        NAME: risky,
    }
    return columns | ({"remark": risky[::-1], "cost": [float(-i) for i in range(ROWS)]} if other else {})


def policy(kind: str = "generalization", other: bool = False, **more: Any) -> Any:
    attributes: dict[str, Any] = {
        "zip": {"role": "quasi_identifier", "hierarchy": {"flat": True}},
        "age": {"role": "quasi_identifier", "hierarchy": {"flat": True}},
        NAME: {"role": "sensitive"},
    }
    if other:
        attributes |= {"remark": {"role": "other"}, "cost": {"role": "other"}}
    return policy_from_words(
        {"attributes": attributes, "require": [{"k_anonymity": {"k": 3}}], "seed": 1, **KINDS[kind], **more}
    )


def rows(release: Path) -> list[list[str]]:
    """Every row of every CSV file, headers included, as Python reads them."""
    found = []
    for file in sorted(release.glob("*.csv")):
        with file.open(newline="", encoding="utf-8") as text:
            found += list(csv.reader(text))
    return found


def is_run(cell: str) -> bool:
    """In words of our own: a formula's sign in front, and no number."""
    return cell.startswith(SIGNS) and re.fullmatch(r"[+-][0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", cell) is None


def meant(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(SIGNS) else cell


BOTH = [(kind, other) for kind in KINDS for other in (False, True) if (kind, other) != ("ambiguity", True)]


@pytest.mark.parametrize(("kind", "other"), BOTH)
def test_no_cell_of_an_escaped_release_is_run_and_all_mean_what_they_meant(
    tmp_path: Path, kind: str, other: bool
) -> None:
    plain, release, source = tmp_path / "plain", tmp_path / "escaped", table(other)
    anonymize(policy(kind, other), plain, source=source)
    anonymize(policy(kind, other, csv=ESCAPE), release, source=source)
    assert any(is_run(cell) for row in rows(plain) for cell in row)
    assert not any(is_run(cell) for row in rows(release) for cell in row)
    assert [[meant(cell) for cell in row] for row in rows(release)] == rows(plain)
    assert manifest_of(release)["csv"] == ESCAPE
    assert "csv" not in manifest_of(plain)


@pytest.mark.parametrize(("kind", "other"), BOTH)
def test_an_escaped_release_is_checked_as_what_it_means(tmp_path: Path, kind: str, other: bool) -> None:
    plain, release, source = tmp_path / "plain", tmp_path / "escaped", table(other)
    anonymize(policy(kind, other), plain, source=source)
    anonymize(policy(kind, other, csv=ESCAPE), release, source=source)
    found = verify(release, source)
    assert found.kept
    assert [v.level for v in found.verdicts] == [v.level for v in verify(plain, source).verdicts]
    for mine, theirs in zip(look(release).files, look(plain).files, strict=True):
        assert mine.columns == theirs.columns
        assert mine.values == theirs.values
        assert mine.lines is not None and theirs.lines is not None
        assert mine.lines.tolist() == theirs.lines.tolist()
    assert query_error_of(release, source, count=50) == query_error_of(plain, source, count=50)


def test_later_rows_are_escaped_as_the_first_were(tmp_path: Path) -> None:
    anonymize(policy(csv=ESCAPE), tmp_path / "first", source=table())
    apply(tmp_path / "first", table(), tmp_path / "second")
    assert not any(is_run(cell) for row in rows(tmp_path / "second") for cell in row)
    assert verify(tmp_path / "second").kept


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    source = {"age": NUMBERS * 5, "disease": ["flu", "=1+1"] * 10}
    attributes = {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}}
    words = {"attributes": attributes, "require": [{"k_anonymity": {"k": 2}}], "csv": ESCAPE}
    anonymize(policy_from_words(words), tmp_path / "r", source=source)
    assert {row[0] for row in rows(tmp_path / "r")} == {"age", *NUMBERS}


def test_ranges_of_negative_numbers_are_no_sums(tmp_path: Path) -> None:
    source = {"age": [str(-i) for i in range(1, 21)], "disease": ["flu"] * 20}
    attributes = {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10]}},
        "disease": {"role": "sensitive"},
    }
    words = {"attributes": attributes, "require": [{"k_anonymity": {"k": 2}}], "csv": ESCAPE}
    anonymize(policy_from_words(words), tmp_path / "r", source=source)
    shown = {row[0] for row in rows(tmp_path / "r")[1:]}
    assert any(text.startswith("'-") for text in shown)
    assert not any(map(is_run, shown))


@pytest.mark.parametrize(("kind", "other"), BOTH)
def test_formulas_are_counted_in_what_is_published(tmp_path: Path, kind: str, other: bool) -> None:
    release = anonymize(policy(kind, other), tmp_path / "r", source=table(other))
    told = [note for note in release.manifest["notes"] if "spreadsheet" in note]
    header_rows = [row for row in rows(tmp_path / "r") if NAME in row or "zip" in row or "remark" in row]
    names = {cell for row in header_rows for cell in row}
    published: dict[str, set[str]] = {}
    header: list[str] = []
    for row in rows(tmp_path / "r"):
        if set(row) <= names | {"group", "count", "age"}:
            header = row
            continue
        for column, cell in zip(header, row, strict=True):
            published.setdefault(column, set()).add(cell)
    for column, values in published.items():
        count = sum(map(is_run, values))
        lines = [note for note in told if f" of {column!r} " in note and note[0].isdigit()]
        assert [int(line.split()[0]) for line in lines] == ([count] if count else [])
    assert (
        f"the name of the column {NAME!r} would be run as a formula by a spreadsheet; write csv: {{formulas: escape}}"
        in told
    )
    assert all(note in release.report.notes for note in told if note.isprintable())


def test_nothing_is_said_where_nothing_would_be_run(tmp_path: Path) -> None:
    source = {"age": NUMBERS * 5, "disease": ["flu", "'quoted"] * 10, "note": ["x=1", "a@b"] * 10}
    attributes = {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}, "note": {"role": "other"}}
    words = {"attributes": attributes, "require": [{"k_anonymity": {"k": 2}}]}
    release = anonymize(policy_from_words(words), tmp_path / "r", source=source)
    assert not any("spreadsheet" in note for note in release.manifest["notes"])


@pytest.mark.parametrize("form", ["parquet", "table"])
def test_there_is_nothing_to_escape_where_the_release_is_no_csv(form: str) -> None:
    with pytest.raises(DiscreetError, match=f"csv: is of no use for format: {form}; leave it out"):
        policy(csv=ESCAPE, format=form)


@pytest.mark.parametrize("words", ["escape", {"formulas": "drop"}, {"formula": "escape"}, [], {}])
def test_other_words_are_refused(words: object) -> None:
    with pytest.raises(DiscreetError, match=r"csv: must be \{formulas: escape\} or \{formulas: keep\}, got"):
        policy(csv=words)
    assert policy(csv={"formulas": "keep"}).csv is None


def test_a_manifest_that_says_something_else_is_refused(tmp_path: Path) -> None:
    anonymize(policy(), tmp_path / "r", source=table())
    manifest = manifest_of(tmp_path / "r") | {"csv": {"formulas": "drop"}}
    manifest["checksum"] = checksum(manifest)
    (tmp_path / "r" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(DiscreetError, match="says something about its CSV files that is not known here"):
        verify(tmp_path / "r")


def test_parquet_keeps_texts_as_they_are(tmp_path: Path) -> None:
    release = anonymize(policy(format="parquet"), tmp_path / "r", source=table())
    found = pyarrow.parquet.read_table(tmp_path / "r" / "data.parquet")
    assert "=cmd|'/c calc'!A1" in found.column(NAME).to_pylist()
    assert not any("spreadsheet" in note for note in release.manifest["notes"])


def test_a_column_called_as_one_of_ours_does_not_show_the_old_order(tmp_path: Path) -> None:
    """Rows that were alike in a column called w1 stood in the order of the source."""
    source = {"w1": ["30"] * 300, "id": [f"{i * 7 % 300:03}" for i in range(300)], "disease": ["flu", "cold"] * 150}
    attributes = {"w1": {"role": "quasi_identifier"}, "id": {"role": "other"}, "disease": {"role": "sensitive"}}
    words = {"attributes": attributes, "publish": "bucketization", "require": [{"l_diversity": {"l": 2}}], "seed": 1}
    anonymize(policy_from_words(words), tmp_path / "r", source=pa.table(source))
    people = [row for row in rows(tmp_path / "r") if len(row) == 3][1:]
    assert people == sorted(people, key=lambda row: (int(row[2]), row[0], row[1]))


@given(st.text(alphabet="='+-@\t\r\n＝－1.5eEa ä\u0301\0", max_size=6))
def test_escaping_loses_nothing_in_python_and_in_sql(value: str) -> None:
    assert unescaped(escaped(value)) == value
    assert not is_formula(escaped(value))
    told = f"SELECT {escaped_sql('v')}, {unescaped_sql('v')}, {formula_sql('v')} FROM (SELECT ?::VARCHAR AS v)"
    assert duckdb.execute(told, [value]).fetchone() == (escaped(value), unescaped(value), is_formula(value))
