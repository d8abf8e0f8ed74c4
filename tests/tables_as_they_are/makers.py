"""Tables as people have them, each made by a few lines: exports, spreadsheets, frames, surveys, broken ones.

``MAKERS[name](folder)`` writes one (or makes a frame) and gives what `init` and `anonymize` are given. Whoever wants to
see them all: ``python -m tests.tables_as_they_are FOLDER``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

from tests.tables_as_they_are.people import COLUMNS, Row, european_date, people, us_date, with_missing
from tests.tables_as_they_are.workbooks import Cell, write_workbook

Maker = Callable[[Path], Any]
MAKERS: dict[str, Maker] = {}


def maker(make: Maker) -> Maker:
    MAKERS[make.__name__] = make
    return make


def csv_text(
    rows: Sequence[Row], columns: Sequence[str] | None = None, delimiter: str = ",", end: str = "\n", quote: int = 0
) -> str:
    """A header and rows; what is not there is nothing."""
    columns = list(rows[0]) if columns is None else columns
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quote)  # type: ignore[arg-type]
    writer.writerow(columns)
    writer.writerows([["" if row.get(c) is None else row[c] for c in columns] for row in rows])
    return text.getvalue()


def _written(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def german(rows: Sequence[Row]) -> list[Row]:
    """German names, umlauts, decimal commas, days first."""
    words = {
        "flu": "Grippe",
        "fracture": "Knochenbruch",
        "migraine": "Migräne",
        "asthma": "Asthma",
        "diabetes": "Zucker",
    }
    return [
        {
            "Alter": row["age"],
            "Geschlecht": {"f": "weiblich", "m": "männlich"}[str(row["sex"])],
            "PLZ": row["zip"],
            "Größe": str(row["height"]).replace(".", ","),
            "Aufnahmedatum": ".".join(reversed(str(row["admitted"]).split("-"))),
            "Diagnose": words[str(row["diagnosis"])],
        }
        for row in rows
    ]


@maker
def plain(folder: Path) -> Path:
    return _written(folder / "plain.csv", csv_text(people()))


@maker
def cp1252_semicolons_and_commas(folder: Path) -> Path:
    """What Excel saves as CSV in Germany."""
    return _written(folder / "patienten.csv", csv_text(german(people()), delimiter=";", end="\r\n"), "cp1252")


@maker
def utf16_export(folder: Path) -> Path:
    """What Excel calls Unicode text: UTF-16 with a mark, and tabs."""
    return _written(folder / "export.txt", csv_text(german(people()), delimiter="\t", end="\r\n"), "utf-16")


@maker
def separator_line(folder: Path) -> Path:
    text = csv_text(german(people()), delimiter=";", end="\r\n")
    return _written(folder / "separator.csv", "sep=;\r\n" + text, "utf-8-sig")


@maker
def byte_order_mark(folder: Path) -> Path:
    return _written(folder / "mark.csv", csv_text(people()), "utf-8-sig")


@maker
def workbook_of_two_sheets(folder: Path) -> Path:
    """Real numbers and real days, as Excel keeps them, behind a sheet that explains."""
    rows: list[list[Cell]] = [list(COLUMNS)]
    for row in people():
        values: list[Cell] = []
        for column in COLUMNS:
            text = str(row[column])
            if column in ("age", "height", "cost"):
                values.append(float(text))
            elif column in ("born", "admitted"):
                values.append(date.fromisoformat(text))
            else:
                values.append(text)
        rows.append(values)
    about: list[list[Cell]] = [["what", "who"], ["patients of 2024", "the clinic"]]
    return write_workbook(folder / "clinic.xlsx", {"About": about, "Patients": rows})


@maker
def pandas_floats(folder: Path) -> Any:
    """Whole numbers that a NaN has made floats: what pandas reads from a CSV with an empty cell."""
    import pandas as pd

    rows = with_missing(people(), {"age": [None], "zip": [None]})
    frame = pd.DataFrame(rows)[["age", "sex", "zip", "diagnosis", "born"]]
    frame["age"], frame["zip"] = frame["age"].astype("float64"), frame["zip"].astype("float64")
    frame["born"] = pd.to_datetime(frame["born"])
    return frame


@maker
def parquet_doubles(folder: Path) -> Path:
    import pyarrow as pa
    from pyarrow import parquet

    rows = with_missing(people(), {"age": [None]})
    columns = {c: pa.array([row[c] for row in rows]) for c in ("sex", "diagnosis")}
    columns["age"] = pa.array([None if row["age"] is None else float(row["age"]) for row in rows], pa.float64())
    columns["zip"] = pa.array([float(str(row["zip"])) for row in rows], pa.float64())
    parquet.write_table(pa.table(columns), folder / "doubles.parquet")
    return folder / "doubles.parquet"


@maker
def points_and_zeros(folder: Path) -> Path:
    """The same frame saved by ``to_csv``: 54.0, and nothing."""
    rows = with_missing(people(), {"age": [None]})
    table: list[Row] = [
        row | {"age": None if row["age"] is None else f"{row['age']}.0", "zip": f"{row['zip']}.0"} for row in rows
    ]
    return _written(folder / "zeros.csv", csv_text(table, ["age", "sex", "zip", "diagnosis"]))


@maker
def american_claims(folder: Path) -> Path:
    """MM/DD/YYYY, dollars with commas."""
    rows: list[Row] = [
        {
            "birth_date": us_date(row["born"]),
            "sex": row["sex"],
            "zip": row["zip"],
            "service_date": us_date(row["admitted"]),
            "diagnosis": row["diagnosis"],
            "paid": f"{float(str(row['cost'])):,.2f}",
        }
        for row in people()
    ]
    return _written(folder / "claims.csv", csv_text(rows))


@maker
def days_first(folder: Path) -> Path:
    rows = [row | {"born": european_date(row["born"]), "admitted": european_date(row["admitted"])} for row in people()]
    return _written(folder / "days_first.csv", csv_text(rows, ["sex", "born", "admitted", "diagnosis"]))


@maker
def ambiguous_days(folder: Path) -> Path:
    """No day above the twelfth: nobody can say which is the month."""
    random = Random(3)
    rows: list[Row] = [
        {
            "sex": row["sex"],
            "visit": f"0{random.randrange(1, 10)}/0{random.randrange(1, 10)}/2024",
            "diagnosis": row["diagnosis"],
        }
        for row in people()
    ]
    return _written(folder / "ambiguous.csv", csv_text(rows))


@maker
def question_marks(folder: Path) -> Path:
    marks: dict[str, list[str | None]] = {"age": ["?"], "sex": ["?"], "diagnosis": ["?"]}
    return _written(folder / "marks.csv", csv_text(with_missing(people(), marks)))


@maker
def many_marks(folder: Path) -> Path:
    marks: dict[str, list[str | None]] = {
        "age": ["NA", "N/A"], "sex": ["unknown"], "height": ["NA", "-999"], "born": ["N/A", "unknown"], "zip": [None],
    }  # fmt: skip
    return _written(folder / "many_marks.csv", csv_text(with_missing(people(), marks)))


@maker
def missing_codes(folder: Path) -> Path:
    """-999 among ages and heights, -9 among codes."""
    marks: dict[str, list[str | None]] = {"age": ["-999"], "height": ["-999"], "cost": ["-1"]}
    return _written(folder / "codes.csv", csv_text(with_missing(people(), marks)))


@maker
def survey_codes(folder: Path) -> Path:
    """Sixty questions with answers from 1 to 5, 9 for none, and a weight."""
    random = Random(7)
    rows: list[Row] = []
    for i, row in enumerate(people()):
        answers = {f"q{n}": random.choice(["1", "2", "3", "4", "5", "9"]) for n in range(1, 61)}
        about = {
            "respondent": str(1000 + i),
            "age": row["age"],
            "sex": str(random.randrange(1, 3)),
            "marital_status": str(random.randrange(1, 7)),
            "weight": f"{random.uniform(0.3, 3):.4f}",
        }
        rows.append({**about, **answers})
    return _written(folder / "survey.csv", csv_text(rows))


@maker
def long_names(folder: Path) -> Path:
    rows: list[Row] = [
        {
            "What was the age of the respondent in years, on the day of the interview (rounded down)?": row["age"],
            "Sex of the respondent; as told by her- or himself": row["sex"],
            'A "quoted" name, with a comma': row["zip"],
            "diagnosis": row["diagnosis"],
        }
        for row in people()
    ]
    return _written(folder / "long.csv", csv_text(rows))


@maker
def quoted_newlines(folder: Path) -> Path:
    rows: list[Row] = [
        {"age": row["age"], "sex": row["sex"], "ward": "North wing\nfloor 2" if row["sex"] == "f" else 'South, "B"'}
        for row in people()
    ]
    return _written(folder / "newlines.csv", csv_text(rows))


@maker
def empty_columns(folder: Path) -> Path:
    rows = [row | {"fax": None, "remarks": None} for row in people()]
    return _written(folder / "empty.csv", csv_text(rows, ["age", "fax", "sex", "remarks", "diagnosis"]))


@maker
def names_that_differ_in_case(folder: Path) -> Path:
    text = csv_text(people(), ["age", "sex", "diagnosis"]).replace("age,sex", "Sex,sex", 1)
    return _written(folder / "case.csv", text)


@maker
def trailing_delimiter(folder: Path) -> Path:
    lines = csv_text(people(), delimiter=";").splitlines()
    return _written(folder / "trailing.csv", "".join(f"{line};\n" for line in lines))


@maker
def thousands(folder: Path) -> Path:
    """1.234,50 with points in between."""
    random = Random(5)
    rows: list[Row] = []
    for row in people():
        amount = random.randrange(900, 90_000)
        rows.append(row | {"income": f"{amount:,}".replace(",", ".") + f",{random.randrange(100):02}"})
    return _written(folder / "thousands.csv", csv_text(rows, ["age", "sex", "income"], delimiter=";"))


@maker
def mixed_types(folder: Path) -> Path:
    marks: dict[str, list[str | None]] = {"age": ["about 40", "n. a.", "4O"], "height": ["tall"]}
    return _written(folder / "mixed.csv", csv_text(with_missing(people(), marks, share=0.02)))


@maker
def truths(folder: Path) -> Any:
    """Categories, truth values and whole numbers with gaps, by the types that pandas has for them."""
    import pandas as pd

    frame = pd.DataFrame(people())[["age", "sex", "diagnosis"]]
    frame["age"] = frame["age"].astype("Int64")
    frame.loc[frame.index % 17 == 0, "age"] = pd.NA
    frame["sex"] = frame["sex"].astype("category")
    frame["smoker"] = [i % 3 == 0 for i in range(len(frame))]
    frame["insured"] = pd.array([None if i % 11 == 0 else i % 2 == 0 for i in range(len(frame))], dtype="boolean")
    return frame


@maker
def polars_floats(folder: Path) -> Any:
    """NaN, which polars tells from null."""
    import polars as pl

    rows = people()
    ages = [float("nan") if i % 13 == 0 else float(str(row["age"])) for i, row in enumerate(rows)]
    return pl.DataFrame(
        {"age": ages, "sex": [row["sex"] for row in rows], "diagnosis": [row["diagnosis"] for row in rows]}
    )


@maker
def moments(folder: Path) -> Path:
    random = Random(6)
    rows = [
        row | {"admitted": f"{row['admitted']} {random.randrange(24):02}:{random.randrange(60):02}:00"}
        for row in people()
    ]
    return _written(folder / "moments.csv", csv_text(rows, ["age", "sex", "admitted", "diagnosis"]))


@maker
def one_row(folder: Path) -> Path:
    return _written(folder / "one.csv", csv_text(people(1)))


@maker
def header_only(folder: Path) -> Path:
    return _written(folder / "header.csv", csv_text(people()).splitlines()[0] + "\n")


@maker
def no_rows(folder: Path) -> Any:
    import pandas as pd

    return pd.DataFrame({"age": pd.Series([], dtype="int64"), "sex": pd.Series([], dtype="str")})


@maker
def nothing_at_all(folder: Path) -> Path:
    return _written(folder / "nothing.csv", "")


@maker
def wide(folder: Path) -> Path:
    """Two hundred columns, most of them measurements that name nobody."""
    random = Random(8)
    rows = [
        {**{c: row[c] for c in ("age", "sex", "zip")}, **{f"m{n}": str(random.randrange(4)) for n in range(197)}}
        for row in people()
    ]
    return _written(folder / "wide.csv", csv_text(rows))
