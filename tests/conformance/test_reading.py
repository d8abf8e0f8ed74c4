"""Cells are read alike on every engine, by answers written by hand; and so are releases."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pytest

from discreet import anonymize, policy_from_words, verify
from discreet.engines.open import open_source
from discreet.engines.reading import ColumnReading, DateFormat, Reading
from discreet.engines.rows import Between, OneOf, Rows
from discreet.engines.sql.engine import SqlEngine
from discreet.engines.sql.reading import Cells, count_cells
from tests.conformance.loaders import Loader

# A cell, and what it is read as.
CELLS: dict[str, tuple[pa.DataType, ColumnReading, list[tuple[Any, str | None]]]] = {
    "mark": (
        pa.string(),
        ColumnReading(missing=("it's", "\\N", "")),
        [
            ("?", None),
            ("it's", None),
            ("\\N", None),
            ("", None),
            (" ?", " ?"),
            ("NA", None),
            ("na", "na"),
            (None, None),
        ],
    ),
    "code": (
        pa.int32(),
        ColumnReading(missing=("-999",)),
        [(-999, None), (999, "999"), (0, "0"), (None, None), (-99, "-99"), (1, "1"), (1, "1"), (2, "2")],
    ),
    "float": (
        pa.float64(),
        ColumnReading(missing=("-999", "0.5")),
        [
            (-999.0, None),
            (float("nan"), None),
            (54.0, "54"),
            (0.5, None),
            (1.5, "1.5"),
            (None, None),
            (1e16, "1e+16"),
            (-0.25, "-0.25"),
        ],
    ),
    "comma": (
        pa.string(),
        ColumnReading(decimal=","),
        [
            ("1,72", "1.72"),
            ("-3,", "-3."),
            (",5", ".5"),
            ("12", "12"),
            ("1,2,3", "1,2,3"),
            ("x,1", "x,1"),
            (" 1,5e3 ", " 1.5e3 "),
            ("?", None),
        ],
    ),
    "grouped": (
        pa.string(),
        ColumnReading(decimal=",", thousands="."),
        [
            ("1.234,5", "1234.5"),
            ("1.234.567", "1234567"),
            ("12.34", "12.34"),
            ("999", "999"),
            ("0,5", "0.5"),
            ("1.2345", "1.2345"),
            (None, None),
            ("+1.000", "+1000"),
        ],
    ),
    "spaced": (
        pa.string(),
        ColumnReading(decimal=",", thousands=" "),
        [
            ("1 234,5", "1234.5"),
            ("1\u00a0234", "1234"),
            ("1\u202f234", "1234"),
            ("12 34", "12 34"),
            ("a b", "a b"),
            ("7", "7"),
            ("7", "7"),
            ("7", "7"),
        ],
    ),
    "american": (
        pa.string(),
        ColumnReading(dates=DateFormat("MM/DD/YYYY")),
        [
            ("03/04/2024", "2024-03-04"),
            ("3/4/2024 1:30 PM", "2024-03-04"),
            ("02/29/2023", "02/29/2023"),
            ("02/29/2024", "2024-02-29"),
            ("2024-12-31", "2024-12-31"),
            ("31/12/2024", "31/12/2024"),
            ("?", None),
            ("1/1/24", "1/1/24"),
        ],
    ),
    "short": (
        pa.string(),
        ColumnReading(dates=DateFormat("DD.MM.YY", 1930)),
        [
            ("1.2.30", "1930-02-01"),
            ("01.02.29", "2029-02-01"),
            ("31.12.99", "1999-12-31"),
            ("31.02.99", "31.02.99"),
            ("01.02.2024", "01.02.2024"),
            ("", ""),
            (None, None),
            ("x", "x"),
        ],
    ),
    "compact": (
        pa.int64(),
        ColumnReading(dates=DateFormat("YYYYMMDD")),
        [
            (20240305, "2024-03-05"),
            (20240230, "20240230"),
            (19991231, "1999-12-31"),
            (5, "5"),
            (None, None),
            (20000229, "2000-02-29"),
            (19000229, "19000229"),
            (20240305, "2024-03-05"),
        ],
    ),
    "moment": (
        pa.timestamp("us"),
        ColumnReading(dates=DateFormat("YYYY-MM-DD")),
        [(datetime(2024, 3, 5), "2024-03-05"), (datetime(2024, 3, 5, 23, 59), "2024-03-05"), *[(None, None)] * 6],
    ),
    "day": (
        pa.date32(),
        ColumnReading(dates=DateFormat("DD/MM/YYYY")),
        [(date(2024, 3, 5), "2024-03-05"), *[(date(1999, 12, 31), "1999-12-31")] * 7],
    ),
    "whole": (
        pa.string(),
        ColumnReading(whole=True),
        [
            ("54.0", "54"),
            ("55.00", "55"),
            ("54.5", "54.5"),
            ("54", "54"),
            ("a.0", "a.0"),
            ("-1.0", "-1"),
            ("?", None),
            (".0", ".0"),
        ],
    ),
}
READING = Reading(missing=("?", "NA"), columns={name: own for name, (_, own, _) in CELLS.items()})
TABLE = pa.table({name: pa.array([v for v, _ in cells], kind) for name, (kind, _, cells) in CELLS.items()})


@pytest.fixture(scope="module")
def engine(loader: Loader) -> Any:
    return open_source(loader.source(TABLE), (), READING)


@pytest.mark.real_spark
@pytest.mark.parametrize("column", CELLS)
def test_cells_are_read_as_the_words_say(engine: Any, column: str) -> None:
    expected: dict[str | None, int] = {}
    for _, text in CELLS[column][2]:
        expected[text] = expected.get(text, 0) + 1
    found = engine.frequencies([column])
    counted = dict(zip((found.values[0][c] for c in found.codes[0]), found.counts.tolist(), strict=True))
    assert counted == expected


def test_conditions_speak_of_what_was_read(engine: Any) -> None:
    for condition, rows in (
        (OneOf("mark", (None,)), 6),
        (Between("comma", 1, 2), 1),
        (Between("american", date(2024, 3, 1), date(2024, 3, 31)), 2),
        (OneOf("float", ("54",)), 1),
    ):
        assert int(engine.only(Rows((condition,))).frequencies(["mark"]).counts.sum()) == rows


def test_what_was_read_is_counted(engine: Any) -> None:
    raw = engine.as_it_stands
    assert isinstance(raw, SqlEngine)
    counted = {cells.column: cells for cells in count_cells(raw, READING, CELLS)}
    assert counted["mark"].missing == (("?", 1), ("NA", 1), ("it's", 1), ("\\N", 1), ("", 1))
    assert counted["code"] == Cells("code", (("-999", 1),))
    assert counted["float"] == Cells("float", (("-999", 1), ("0.5", 1)))
    assert counted["comma"] == Cells("comma", (("?", 1),), numbers=4, odd=1)
    assert counted["grouped"] == Cells("grouped", numbers=4, odd=2)
    assert counted["american"] == Cells("american", (("?", 1),), dates=4, odd=3)
    assert counted["compact"] == Cells("compact", dates=4, odd=3)
    assert counted["moment"] == Cells("moment", dates=2)
    assert counted["whole"] == Cells("whole", (("?", 1),), whole=3, odd=1)


def test_a_release_is_that_of_the_plain_table(loader: Loader, reference: Loader) -> None:
    written = pa.table(
        {
            "size": ["1,72", "1,72", "?", "1,8", "1,8", "?"],
            "born": ["03/04/2024", "03/09/2024", "12/31/1999", "12/01/1999", "NA", "NA"],
            "cost": [1.0, 2.0, float("nan"), 4.0, 5.0, 1.5],
            "note": ["a", "?", "b", "c", "1,5", "NA"],
        }
    )
    plain = pa.table(
        {
            "size": ["1.72", "1.72", None, "1.8", "1.8", None],
            "born": ["2024-03-04", "2024-03-09", "1999-12-31", "1999-12-01", None, None],
            "cost": pa.array([1.0, 2.0, None, 4.0, 5.0, 1.5]),
            "note": ["a", None, "b", "c", "1,5", None],
        }
    )
    size: dict[str, Any] = {"role": "quasi_identifier", "hierarchy": {"flat": True}}
    born: dict[str, Any] = {"role": "quasi_identifier", "hierarchy": {"dates": ["month", "year"]}}
    others = {"cost": {"role": "sensitive"}, "note": {"role": "other"}}
    asked = {"require": [{"k_anonymity": {"k": 2}}], "seed": 3}
    words = {"attributes": {"size": size, "born": born, **others}, **asked}
    read = {
        "attributes": {"size": {**size, "decimal": ","}, "born": {**born, "dates": "MM/DD/YYYY"}, **others},
        "missing": ["?", "NA"],
        **asked,
    }
    tables = []
    for at, table, said in ((loader, written, read), (reference, plain, words)):
        source, target = at.source(table), at.target()
        release = anonymize(policy_from_words(said | {"format": at.form}), target, source=source)
        assert verify(target, source).kept
        tables.append(at.read(target, release.manifest["table"], target.name))
    assert tables[0] == tables[1]
