"""Some rows of a table: the engine's answer is what a loop over all rows says, in every verb and in one scan."""

from __future__ import annotations

import csv
from collections import Counter
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.engines.base import Rewriting
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.rows import Between, Condition, ListedIn, OneOf, Rows
from discreet.errors import DataError
from discreet.hierarchies.dates import parse_date
from discreet.hierarchies.numbers import parse

Value = str | None


def counted(engine: DuckDB) -> Counter[tuple[Value, ...]]:
    found = engine.frequencies(engine.columns)
    rows = zip(*([v[c] for c in codes] for v, codes in zip(found.values, found.codes, strict=True)), strict=True)
    return Counter({row: int(n) for row, n in zip(rows, found.counts, strict=True)})


def chosen(values: list[Any], *conditions: Condition) -> Counter[Value]:
    """What is left of a column called v."""
    left = counted(DuckDB({"v": values}).only(Rows(conditions)))
    return Counter({v: n for (v,), n in left.items()})


NUMBERS = [
    "5",
    " 5",
    "05",
    "5.0",
    "+5",
    "4.999999999999",
    "1e1",
    "-0.5",
    ".5",
    "1,000",
    "nan",
    "inf",
    "1_0",
    "x",
    "",
    None,
]
NUMBERS += ["99999999999999999999999", "100000000000000000000000", "1e300", "-1e300", "0x5"]


@given(
    st.lists(st.sampled_from(NUMBERS), min_size=1),
    st.sampled_from([None, -1, Decimal("-0.5"), 5, Decimal("4.999999999999"), 100000000000000000000000]),
    st.sampled_from([None, 0, 5, 10, 99999999999999999999999]),
)
def test_numbers_between_bounds_are_those_that_read_as_numbers_there(
    values: list[Value], least: int | None, most: int | None
) -> None:
    if least is None and most is None:
        return

    def meant(value: Value) -> bool:
        exact = parse(value) if value is not None else None
        return exact is not None and (least is None or exact >= least) and (most is None or exact <= most)

    assert chosen(values, Between("v", least, most)) == Counter(filter(meant, values)) + Counter()


DATES = [
    "2024-01-31",
    "2024-01-31T23:59:59Z",
    "31.1.2024",
    "2024/02/01",
    "01/02/2024",
    "2024-02-30",
    "20240131",
    "",
    None,
]


@given(
    st.lists(st.sampled_from(DATES), min_size=1),
    st.sampled_from([None, date(2024, 1, 31), date(2024, 2, 1)]),
    st.sampled_from([None, date(2024, 1, 31), date(2023, 1, 1)]),
)
def test_days_between_bounds_are_those_that_read_as_days_there(
    values: list[Value], least: date | None, most: date | None
) -> None:
    if least is None and most is None:
        return

    def meant(value: Value) -> bool:
        day = parse_date(value) if value is not None else None
        return day is not None and (least is None or day[0] >= least) and (most is None or day[0] <= most)

    assert chosen(values, Between("v", least, most)) == Counter(filter(meant, values))


_texts = st.none() | st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=4)


@given(st.lists(_texts, min_size=1, max_size=8), st.lists(_texts, min_size=1, max_size=4))
def test_one_of_some_values_is_compared_as_text_and_null_is_null(values: list[Value], wanted: list[Value]) -> None:
    asked = OneOf("v", tuple([*wanted, values[0]]))
    assert chosen([*values, "O'Brien\"; --"], asked) == Counter(v for v in values if v in [*wanted, values[0]])


def test_types_are_compared_by_the_texts_that_the_engine_reads() -> None:
    assert chosen([1, 2, None], OneOf("v", ("1",))) == {"1": 1}
    assert chosen([True, False], OneOf("v", ("true",))) == {"true": 1}
    assert chosen([1.5, 2.0], Between("v", Decimal("1.5"), Decimal("1.6"))) == {"1.5": 1}
    assert chosen([date(2024, 1, 31), date(2024, 2, 1)], Between("v", date(2024, 2, 1))) == {"2024-02-01": 1}


def test_all_conditions_must_hold() -> None:
    table = {"a": ["1", "1", "2"], "b": ["x", "y", "x"]}
    left = DuckDB(table).only(Rows((OneOf("a", ("1",)), OneOf("b", ("x",)))))
    assert counted(left) == {("1", "x"): 1}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("named.csv", "name;v\nAnn;a\nBob;7\nCy;\n"),
        ("header.csv", "v\na\n7\n"),
        ("bare.csv", "a\n7\n"),
        ("gaps.csv", "\na\n\n7\n\n"),
        ("other.csv", "patient\n7\na\n"),
        ("bare.txt", '"a"\r\n"7"\r\n'),
    ],
)
def test_a_file_lists_values_in_a_column_of_that_name_or_in_its_only_one(
    tmp_path: Path, name: str, content: str
) -> None:
    (tmp_path / name).write_text(content, newline="")
    values = ["a", "7", "b", "", None, "a"]
    assert chosen(values, ListedIn("v", tmp_path / name)) == {"a": 2, "7": 1}


def test_a_parquet_file_lists_values_too(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    for name, table in {"one": {"id": [7, None]}, "named": {"x": ["a", "b"], "v": [7, 8]}}.items():
        parquet.write_table(pa.table(table), tmp_path / f"{name}.parquet")
        assert chosen(["7", "a", None], ListedIn("v", tmp_path / f"{name}.parquet")) == {"7": 1}


def test_a_file_that_changes_after_it_was_read_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "ids.csv").write_text("a\n")
    engine = DuckDB({"v": ["a", "b"]}).only(Rows((ListedIn("v", tmp_path / "ids.csv"),)))
    (tmp_path / "ids.csv").write_text("b\n")
    assert counted(engine) == {("a",): 1}


def test_two_lists_of_one_table_are_kept_apart(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n")
    (tmp_path / "b.csv").write_text("b\n")
    whole = DuckDB({"v": ["a", "b"]})
    first, second = (whole.only(Rows((ListedIn("v", tmp_path / f"{f}.csv"),))) for f in "ab")
    assert [counted(e) for e in (first, second, whole)] == [{("a",): 1}, {("b",): 1}, {("a",): 1, ("b",): 1}]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "no such file"),
        ("", "is empty"),
        ("x,y\nAnn,1\nBob,2\n", "its first row has none of the columns that are asked for"),
        ("vv,y\nAnn,1\nBob,2\n", "has no column 'v'; did you mean 'vv'?"),
    ],
)
def test_a_list_that_can_not_be_read_is_a_mistake_at_its_file(tmp_path: Path, content: str | None, told: str) -> None:
    path = tmp_path / "ids.csv"
    if content is not None:
        path.write_text(content)
    with pytest.raises(DataError) as caught:
        chosen(["a"], ListedIn("v", path))
    [mistake] = caught.value.mistakes
    assert mistake.place == str(path) and told in str(mistake)
    assert "Ann" not in str(mistake)


def test_a_column_that_is_not_there_is_a_mistake() -> None:
    with pytest.raises(DataError, match="has no column 'w'; known: 'v'"):
        chosen(["a"], OneOf("w", ("a",)))


def test_scans_of_the_part_and_of_the_whole_are_counted_apart() -> None:
    whole = DuckDB({"v": ["a", "b", "b"]})
    part = whole.only(Rows((OneOf("v", ("b",)),)))
    assert counted(part) == {("b",): 2}
    assert (whole.scans, part.scans) == (0, 1)
    [profile] = part.profile()
    assert (profile.rows, profile.distinct) == (2, 1)
    assert (whole.scans, part.scans) == (0, 2)


def test_rows_that_are_not_meant_are_not_rewritten(tmp_path: Path) -> None:
    import pyarrow as pa

    engine = DuckDB({"v": ["a", "b", "b"], "w": ["1", "2", "3"], "x": ["p", "q", "r"]}).only(
        Rows((OneOf("v", ("b",)),))
    )
    plan = {"k0": ["b"], "id": [0], "first": [0], "last": [2], "kept": [True], "p0": ["*"]}
    engine.rewrite(Rewriting(pa.table(plan), ["v"], ["v", "x"], {"v": 0}, seed=1), tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as f:
        assert sorted(csv.reader(f)) == [["*", "q"], ["*", "r"], ["v", "x"]]
