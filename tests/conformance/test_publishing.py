"""What is written into an engine can be read there, row by row, in the types of the source; or nothing is there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from discreet.engines.base import Engine, Rewriting, Tables
from discreet.engines.counted_rows import CodedColumn, CountedRows
from discreet.errors import DiscreetError
from tests.conformance.loaders import Loader, Rows, as_counted
from tests.conformance.tables import (
    DAYS,
    FLOATS,
    NO_ROWS,
    NUMBERS,
    PEOPLE,
    STRANGE_NAMES,
    STRANGE_TEXTS,
    TABLES,
    Table,
    told,
)


@contextmanager
def publishing(loader: Loader, engine: Engine) -> Iterator[tuple[Path, Tables]]:
    folder = loader.target()
    folder.mkdir()
    with engine.publishing(folder, loader.form, folder.name) as tables:
        yield folder, tables


def counted(table: Table, times: int = 1, exact: bool = True) -> CountedRows:
    """The rows of a table, each as often as said, told by counts."""
    rows = table.combinations(table.columns)
    columns = []
    for i, name in enumerate(table.columns):
        values = [v for v in dict.fromkeys(table.texts[name]) if v is not None]
        place = {v: j for j, v in enumerate(values)} | {None: len(values)}
        codes = np.array([place[row[i]] for row in rows], dtype=np.int32)
        columns.append(CodedColumn(name, codes, pa.array(values, pa.string()), exact))
    return CountedRows(tuple(columns), np.array(list(rows.values()), dtype=np.int64) * times)


def expected(table: Table, times: int = 1) -> Rows:
    rows = as_counted(zip(*(c.to_pylist() for c in table.typed.columns), strict=True))
    return type(rows)({row: n * times for row, n in rows.items()})


@pytest.mark.real_spark
@pytest.mark.parametrize("name", TABLES)
def test_rows_are_written_as_often_as_they_count_in_the_types_of_the_source(loader: Loader, name: str) -> None:
    table = TABLES[name]
    with publishing(loader, loader.open(table.typed)) as (folder, tables):
        written = tables.name("data")
        tables.write(written, counted(table, 3), np.random.default_rng(1))
        back = told(tables.open(written).frequencies(table.columns))
        assert back == {row: 3 * n for row, n in table.combinations(table.columns).items()}
    assert loader.read(folder, written, folder.name) == (list(table.columns), expected(table, 3))


def test_coarser_values_are_texts_and_numbers_of_ours_are_whole(loader: Loader) -> None:
    text = CodedColumn("age", np.array([0, 1, 2]), pa.array(["20-29", "*"]))  # of a column of whole numbers
    number = CodedColumn("group", np.array([2**62, 0, 5]))
    with publishing(loader, loader.open(PEOPLE.typed)) as (folder, tables):
        written = tables.name("data")
        tables.write(written, CountedRows((text, number), np.array([2, 1, 0])), None)
    columns, rows = loader.read(folder, written, folder.name)
    assert (columns, rows) == (["age", "group"], as_counted([("20-29", 2**62)] * 2 + [("*", 0)]))


def test_a_table_without_rows_has_its_columns(loader: Loader) -> None:
    whole = CodedColumn("whole", np.array([], dtype=np.int32), pa.array([], pa.string()), exact=True)
    nothing = CountedRows((whole,), np.array([], dtype=np.int64))
    with publishing(loader, loader.open(NO_ROWS.typed)) as (folder, tables):
        tables.write(tables.name("data"), nothing, np.random.default_rng(1))
    assert loader.read(folder, tables.name("data"), folder.name) == (["whole"], as_counted([]))


def test_several_tables_are_written_side_by_side(loader: Loader) -> None:
    with publishing(loader, loader.open(PEOPLE.typed)) as (folder, tables):
        for stem, times in {"first": 1, "second": 2}.items():
            tables.write(tables.name(stem), counted(PEOPLE, times), np.random.default_rng(1))
        about = {stem: tables.about(tables.name(stem)) for stem in ("first", "second")}
        assert about["first"] != about["second"]
        assert about == {stem: tables.about(tables.name(stem)) for stem in ("first", "second")}
        tables.describe("{}")
    for stem, times in {"first": 1, "second": 2}.items():
        assert loader.read(folder, tables.name(stem), folder.name)[1] == expected(PEOPLE, times)


def split(table: Table, keys: tuple[str, ...], kept: bool = True) -> pa.Table:
    """Rows of every combination in two halves, called left and right; of the last combination, only with `kept`."""
    rows = list(table.combinations(keys).items())
    parts = [(row, i, 0, n // 2, "left") for i, (row, n) in enumerate(rows) if n > 1]
    parts += [(row, i, n // 2, n, "right") for i, (row, n) in enumerate(rows)]
    last = len(rows) - 1
    return pa.table(
        {f"k{j}": pa.array([part[0][j] for part in parts], pa.string()) for j in range(len(keys))}
        | {
            "id": pa.array([part[1] for part in parts], pa.int64()),
            "first": pa.array([part[2] for part in parts], pa.int64()),
            "last": pa.array([part[3] for part in parts], pa.int64()),
            "kept": pa.array([kept or part[1] != last for part in parts], pa.bool_()),
            "p0": pa.array([part[4] for part in parts], pa.string()),
        }
    )


REWRITTEN = {
    "people": (PEOPLE, ("sex", "illness"), "sex"),
    "strange texts": (STRANGE_TEXTS, ("half",), "half"),
    "strange names": (STRANGE_NAMES, ('a "quoted" one', "new\nline"), "new\nline"),
    "numbers": (NUMBERS, ("truth",), "truth"),
    "numbers by number": (NUMBERS, ("whole", "exact"), "small"),
    "floats": (FLOATS, ("real",), "real"),
    "days": (DAYS, ("day",), "day"),
    "days by moment": (DAYS, ("instant", "moment"), "day"),
}


@pytest.mark.parametrize("star", [False, True], ids=["drop", "star"])
@pytest.mark.parametrize("case", REWRITTEN)
def test_rows_of_the_source_are_rewritten_the_same_way(
    loader: Loader, reference: Loader, case: str, star: bool
) -> None:
    """Equal combinations are split among groups by a hash of the row: on every engine, the same rows to the left."""
    table, keys, published = REWRITTEN[case]
    asked = Rewriting(split(table, keys, kept=False), keys, table.columns, {published: 0}, 5, star)
    found = []
    for engine in (loader, reference):
        with publishing(engine, engine.open(table.typed)) as (folder, tables):
            tables.rewrite(tables.name("data"), asked)
        columns, rows = engine.read(folder, tables.name("data"), folder.name)
        assert columns == list(table.columns)
        found.append(rows)
    assert found[0] == found[1]
    left_out = list(table.combinations(keys).values())[-1]
    assert found[0].total() == table.typed.num_rows - (0 if star else left_out)
    place = table.columns.index(published)
    assert {value for _, value in {row[place] for row in found[0]}} <= {"left", "right", *(["*"] if star else [])}


@pytest.mark.real_spark
def test_a_row_without_a_plan_is_an_error_and_nothing_is_left(loader: Loader) -> None:
    plan = split(PEOPLE, ("sex",))
    asked = Rewriting(plan.slice(0, plan.num_rows - 1), ("sex",), PEOPLE.columns, {"sex": 0}, 5)
    places = []
    with pytest.raises(DiscreetError) as caught, publishing(loader, loader.open(PEOPLE.typed)) as (folder, tables):
        places.append(folder)
        tables.rewrite(tables.name("data"), asked)
    assert "ulcer" not in str(caught.value)
    assert not loader.published(places[0])


def test_after_an_error_nothing_is_left(loader: Loader) -> None:
    class Interrupted(BaseException):
        pass

    for cause in (Interrupted, KeyboardInterrupt, ValueError):
        places = []
        with pytest.raises(cause), publishing(loader, loader.open(PEOPLE.typed)) as (folder, tables):
            places.append(folder)
            tables.write(tables.name("first"), counted(PEOPLE), np.random.default_rng(1))
            raise cause
        assert not loader.published(places[0])
