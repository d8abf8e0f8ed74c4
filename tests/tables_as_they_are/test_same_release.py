"""However a table is written, its release is that of the same table written plainly: byte for byte, by a seed."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet import anonymize, policy_from_words, verify
from discreet.errors import DiscreetError
from discreet.releases.contents import read_manifest
from tests.tables_as_they_are.workbooks import Cell, write_workbook

Table = dict[str, list[str | None]]
ATTRIBUTES: dict[str, dict[str, object]] = {
    "size": {"role": "quasi_identifier", "hierarchy": {"cuts": [[1.3, 1.5, 3], [1.5]]}},
    "born": {"role": "quasi_identifier", "hierarchy": {"dates": ["month", "year"]}},
    "town": {"role": "quasi_identifier", "hierarchy": {"flat": True}},
    "illness": {"role": "sensitive"},
    "note": {"role": "other"},
}
CELLS = {
    "size": st.sampled_from(["1.25", "1.50", "1.7", "2.0", "12", "1234.5", None]),
    "born": st.sampled_from(["2024-03-05", "2024-03-17", "1999-12-31", "1999-02-01", None]),
    "town": st.sampled_from(["Köln", "Łódź", "Rom", None]),
    "illness": st.sampled_from(["flu", "ear, nose", "Migräne", None]),
    "note": st.sampled_from(["a", 'it\'s "so"', "1.50", None]),
}
ROWS = st.lists(st.fixed_dictionaries(CELLS), min_size=4, max_size=14)
SETTING = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def columns_of(rows: list[dict[str, str | None]]) -> Table:
    return {c: [row[c] for row in rows] for c in CELLS}


def released(source: Any, folder: Path, publish: str = "generalization", **words: Any) -> bytes | str:
    """The published table, or why there is none."""
    own: Mapping[str, Mapping[str, object]] = words.pop("own", {})
    attributes = {name: {**about, **own.get(name, {})} for name, about in ATTRIBUTES.items()}
    policy = policy_from_words(
        {
            "attributes": attributes,
            "require": [{"k_anonymity": {"k": 2}}],
            "suppress": 0.5,
            "seed": 7,
            "publish": publish,
        }
        | words
    )
    try:
        release = anonymize(policy, folder / "release", source=source, replace=True)
    except DiscreetError as error:
        return type(error).__name__
    assert verify(release.folder, source).kept
    assert "reading" not in (folder / "release" / "manifest.json").read_text()
    assert read_manifest(release.folder)["rows"]["source"] == release.manifest["rows"]["source"]
    return (release.folder / "data.csv").read_bytes()


def written(path: Path, table: Table, delimiter: str = ",", encoding: str = "utf-8") -> Path:
    """A CSV file; every text in quotes, so that an empty one is not nothing."""
    with path.open("w", newline="", encoding=encoding) as file:
        file.write(delimiter.join(table) + "\n")
        for row in zip(*table.values(), strict=True):
            cells = ("" if cell is None else '"' + cell.replace('"', '""') + '"' for cell in row)
            file.write(delimiter.join(cells) + "\n")
    return path


@SETTING
@given(ROWS, st.lists(st.sampled_from(["?", "NA", "", "-999", "it's", "\\N", "*"]), min_size=1, unique=True), st.data())
def test_texts_that_stand_for_nothing_are_nothing(
    rows: list[dict[str, str | None]], marks: list[str], data: st.DataObject
) -> None:
    table = columns_of(rows)
    marked = {
        c: [data.draw(st.sampled_from(marks)) if cell is None else cell for cell in cells] for c, cells in table.items()
    }
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for publish in ("generalization", "local_recoding"):
            plain = released(table, folder, publish)
            assert released(marked, folder, publish, missing=marks) == plain
            assert released(written(folder / "t.csv", marked), folder, publish, missing=marks) == plain
            alone = {c: {"missing": marks} for c in ATTRIBUTES}
            assert released(marked, folder, publish, own=alone) == plain


@SETTING
@given(ROWS)
def test_decimal_commas_and_formats_of_dates_change_nothing(rows: list[dict[str, str | None]]) -> None:
    table = columns_of(rows)
    other: Table = table | {
        "size": [_with_comma(cell) for cell in table["size"]],
        "born": [None if cell is None else f"{cell[5:7]}/{cell[8:]}/{cell[:4]}" for cell in table["born"]],
    }
    short: Table = table | {
        "born": [None if cell is None else f"{int(cell[8:])}.{int(cell[5:7])}.{cell[2:4]}" for cell in table["born"]]
    }
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        plain = released(table, folder)
        size = {"decimal": ",", "thousands": "."}
        assert released(other, folder, own={"size": size, "born": {"dates": "MM/DD/YYYY"}}) == plain
        top = {"decimal": ",", "thousands": ".", "own": {"born": {"dates": "MM/DD/YYYY"}, "note": {"decimal": "."}}}
        assert released(written(folder / "t.csv", other, ";"), folder, **top) == plain
        assert released(short, folder, own={"born": {"dates": {"format": "DD.MM.YY", "first_year": 1950}}}) == plain
        assert released(table, folder, own={"born": {"dates": "YYYY-MM-DD"}}) == plain


def _with_comma(cell: str | None) -> str | None:
    if cell is None:
        return None
    whole, point, rest = cell.partition(".")
    return f"{int(whole):,}".replace(",", ".") + ("," + rest if point else "")


@SETTING
@given(ROWS, st.sampled_from(["utf-16", "utf-16-le", "utf-32", "cp1250", "utf-8-sig"]))
def test_an_encoding_changes_nothing(rows: list[dict[str, str | None]], encoding: str) -> None:
    table = columns_of(rows)
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        plain = released(written(folder / "plain.csv", table), folder)
        file = written(folder / "t.csv", table, encoding=encoding)
        assert released(file, folder, encoding=encoding) == plain
        separated = folder / "separated.csv"
        separated.write_bytes(b"sep=;\n" + written(folder / "s.csv", table, ";").read_bytes())
        assert released(separated, folder) == plain


@SETTING
@given(ROWS)
def test_a_workbook_is_read_as_its_csv(rows: list[dict[str, str | None]]) -> None:
    pytest.importorskip("python_calamine")
    cells: list[list[Cell]] = [list(CELLS)]
    for row in rows:
        cells.append([row[c] for c in CELLS])
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        plain = released(columns_of(rows), folder)
        one = write_workbook(folder / "one.xlsx", {"People": cells})
        two = write_workbook(folder / "two.xlsx", {"About": [["x"]], "People": cells})
        assert released(one, folder) == plain
        assert released(two, folder, sheet="People") == plain


@SETTING
@given(st.lists(st.one_of(st.none(), st.integers(-5, 60)), min_size=4, max_size=14))
def test_whole_numbers_are_whole_in_any_frame(numbers: list[int | None]) -> None:
    import pandas as pd
    import polars as pl

    nan = float("nan")
    floats = [nan if n is None else float(n) for n in numbers]
    frames: dict[str, Any] = {
        "pandas": pd.DataFrame({"age": floats}),
        "polars": pl.DataFrame({"age": floats}),
        "nullable": pd.DataFrame({"age": pd.array(numbers, dtype="Int64")}),
        "dict": {"age": [None if n is None else str(n) for n in numbers]},
        "zeros": {"age": [None if n is None else f"{n}.0" for n in numbers]},
    }
    results = set()
    with TemporaryDirectory() as temporary:
        for name, frame in frames.items():
            words = {
                "attributes": {
                    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10]}, "whole": name == "zeros"}
                },
                "require": [{"k_anonymity": {"k": 2}}],
                "suppress": 0.5,
                "seed": 1,
            }
            try:
                folder = anonymize(policy_from_words(words), Path(temporary) / name, source=frame).folder
            except DiscreetError as error:
                results.add(type(error).__name__)
            else:
                text = (folder / "data.csv").read_text()
                assert not any(
                    cell.endswith(".0") or "nan" in cell for row in csv.reader(text.splitlines()) for cell in row
                )
                results.add(text)
    assert len(results) == 1
