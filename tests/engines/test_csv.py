"""CSV in: whatever was written is read as it is, or refused with a message that quotes no row."""

from __future__ import annotations

import csv
import gzip
import io
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.engines.duckdb.engine import DuckDB
from discreet.errors import DataError
from tests.engines.tables import rows_of

SECRET = "Ann-Smith"


def file(folder: Path, content: bytes | str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_delimiters_line_ends_and_byte_order_marks_are_found_out(
    tmp_path: Path, delimiter: str, end: str, mark: str
) -> None:
    lines = [["age", "name"], ["30", "Zoë"], ["", '""'], ['" a"', '"b' + delimiter + end + '""c"""']]
    text = mark + end.join(delimiter.join(line) for line in lines) + end
    expected = {("30", "Zoë"): 1, (None, ""): 1, (" a", f'b{delimiter}{end}"c"'): 1}
    assert rows_of(file(tmp_path, text)) == expected


_cells = st.none() | st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=6)


@given(st.integers(1, 3).flatmap(lambda width: st.lists(st.tuples(*[_cells] * width), min_size=1, max_size=8)))
def test_every_value_is_read_as_it_was_written(rows: list[tuple[str | None, ...]]) -> None:
    import tempfile

    quoted = [",".join("" if v is None else '"' + v.replace('"', '""') + '"' for v in row) for row in rows]
    names = [f"c{i}" for i in range(len(rows[0]))]
    with tempfile.TemporaryDirectory() as folder:
        path = file(Path(folder), "\n".join([",".join(names), *quoted]) + "\n")
        assert rows_of(path, tuple(names)) == Counter(rows)


@pytest.mark.parametrize(
    "name", ["a b", 'say "hi"', "x; DROP TABLE t", "it's", "a\nb", "名前", "select", "rowid", "'; --"]
)
def test_a_column_may_be_called_anything(tmp_path: Path, name: str) -> None:
    out = io.StringIO()
    csv.writer(out).writerows([[name, "other"], ["1", "2"], ["1", "3"]])
    engine = DuckDB(file(tmp_path, out.getvalue()))
    assert engine.columns == (name, "other")
    assert engine.frequencies([name]).counts.tolist() == [2]
    assert engine.profile()[0].name == name


def test_frequencies_add_up_and_scans_are_counted(tmp_path: Path) -> None:
    engine = DuckDB(file(tmp_path, "a,b\n" + "".join(f"{i % 3},{i % 5}\n" for i in range(100))))
    assert engine.scans == 0
    found = engine.frequencies(["a", "b"])
    assert (found.counts.sum(), len(found.counts), engine.scans) == (100, 15, 1)
    engine.frequencies(["a"])
    assert engine.scans == 2


def test_a_first_row_with_a_number_or_a_date_is_no_header(tmp_path: Path) -> None:
    assert rows_of(file(tmp_path, "ann,30\nbob,40\n")) == {("ann", "30"): 1, ("bob", "40"): 1}
    assert rows_of(file(tmp_path, "ann,2024-03-01\nbob,2024-04-01\n"))[("ann", "2024-03-01")] == 1


def test_a_first_row_whose_value_comes_again_is_no_header(tmp_path: Path) -> None:
    assert rows_of(file(tmp_path, "ann,f\nbob,m\neve,f\n"))[("ann", "f")] == 1


def test_a_header_that_comes_again_as_a_whole_is_a_header(tmp_path: Path) -> None:
    assert DuckDB(file(tmp_path, "name,sex\nann,f\nname,sex\nbob,m\n")).columns == ("name", "sex")


def test_columns_called_nan_and_inf_are_columns(tmp_path: Path) -> None:
    assert DuckDB(file(tmp_path, "nan,inf\n1,2\n")).columns == ("nan", "inf")


def test_what_the_policy_names_tells_a_header_from_a_row(tmp_path: Path) -> None:
    path = file(tmp_path, "id,2019,2020\nx,3,4\n")
    assert DuckDB(path, ["id", "2019"]).columns == ("id", "2019", "2020")
    assert rows_of(path, ("column2",)) == {("id", "2019", "2020"): 1, ("x", "3", "4"): 1}


def test_a_row_taken_for_a_header_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="first row has none of the columns") as caught:
        DuckDB(file(tmp_path, f"{SECRET},flu\nBob,cold\n"), ["age", "disease"])
    assert SECRET not in str(caught.value)


def test_the_delimiter_is_the_one_that_gives_the_named_columns(tmp_path: Path) -> None:
    path = file(tmp_path, "a;b;c,group\nx;y;z,1\n")
    assert rows_of(path, ("a;b;c", "group")) == {("x;y;z", "1"): 1}
    assert rows_of(path, ("a",)) == rows_of(path) == {("x", "y", "z,1"): 1}


def test_the_delimiter_is_the_one_that_suits_all_rows(tmp_path: Path) -> None:
    assert DuckDB(file(tmp_path, "a;b, really\n1;2\n3;4\n")).columns == ("a", "b, really")


def test_blank_lines_before_the_header_and_after_the_last_row_are_no_rows(tmp_path: Path) -> None:
    assert rows_of(file(tmp_path, "\n\na,b\n1,2\n\n3,4\n\n")) == {("1", "2"): 1, ("3", "4"): 1}


def test_in_a_table_of_one_column_a_blank_line_is_null(tmp_path: Path) -> None:
    assert rows_of(file(tmp_path, 'a\nx\n\n""\n')) == {("x",): 1, (None,): 1, ("",): 1}


def test_gzip_is_read(tmp_path: Path) -> None:
    path = file(tmp_path, gzip.compress(b"\xef\xbb\xbfa;b\r\n1;\r\n"), "t.csv.gz")
    assert rows_of(path) == {("1", None): 1}


@pytest.mark.parametrize("name", ["t[1].csv", "t*.csv", "t?.csv", "it's.csv", "my.parquet.csv", "t{a,b}.csv", "a b"])
def test_a_path_means_one_file(tmp_path: Path, name: str) -> None:
    for other in ("t1.csv", "tx.csv", "ta.csv"):
        file(tmp_path, "a,b\nwrong,1\n", other)
    assert rows_of(file(tmp_path, "a,b\nright,1\n", name)) == {("right", "1"): 1}


def test_folders_called_like_a_partition_add_no_column(tmp_path: Path) -> None:
    (tmp_path / "year=2024").mkdir()
    assert DuckDB(file(tmp_path / "year=2024", "a,b\n1,2\n")).columns == ("a", "b")


REFUSED = {
    "empty": (b"", "is empty"),
    "a byte order mark": (b"\xef\xbb\xbf", "is empty"),
    "two columns of one name": (b"a,b,A\n1,2,3\n", "same name .case aside.: 1 and 3"),
    "a column without a name": (b"a,\n1,2\n", "has no name"),
    "broken text in the header": (b"a,b\xff\n1,2\n", "line 1: is not UTF-8"),
    "broken text in the middle": (b"a,b\n1,2\n" + SECRET.encode() + b"\xff,3\n1,2\n", "line 3: is not UTF-8"),
    "UTF-16": ("a,b\n1,2\n".encode("utf-16"), "is not UTF-8"),
    "a row too short": (f"a,b\n1,2\n{SECRET}\n".encode(), "line 3: has 1 values where the header has 2"),
    "a row too long": (f"a,b\n1,2\n{SECRET},3,4\n".encode(), "line 3: has 3 values where the header has 2"),
    "cut in the middle of a row": (f"a,b\n1,2\n{SECRET}".encode(), "line 3: has 1 values"),
    "cut in the middle of a quote": (f'a,b\n1,2\n3,"{SECRET}'.encode(), "line 3: a quoted value does not end"),
    "a quote that never ends": (f'a,b\n1,"{SECRET}\n2,3\n4,5\n'.encode(), "a quoted value does not end"),
    "text after a quote": (f'a,b\n"{SECRET}"x,3\n'.encode(), "line 2: a quoted value does not end"),
    "a row that looks like an error": (b'a,b\n"Possible fixes: quote",' + SECRET.encode() + b",3\n", "line 2"),
    "line ends of two kinds": (f"a,b\r\n1,{SECRET}\n2,3\r\n4,5\n".encode(), "line ends of two kinds"),
    "a row beyond all bounds": (b"a,b\n" + b"x" * 3_000_000 + b",2\n", "longer than two megabytes"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_broken_files_are_refused_without_a_word_of_their_rows(tmp_path: Path, kind: str) -> None:
    content, message = REFUSED[kind]
    with pytest.raises(DataError, match=message) as caught:
        rows_of(file(tmp_path, content))
    assert SECRET not in str(caught.value)


def test_a_file_cut_anywhere_is_read_in_part_or_refused_but_never_misread(tmp_path: Path) -> None:
    whole = ('a;b\n1;"x ""y""\nz"\n"2";\n' * 2).removesuffix("a;b\n").encode()
    rows = rows_of(file(tmp_path, whole))
    for length in range(len(whole)):
        try:
            found = rows_of(file(tmp_path, whole[:length]), ("a", "b") if length > 3 else ())
        except DataError:
            continue
        complete = Counter({row: n for row, n in found.items() if row in rows})
        assert sum((found - complete).values()) <= 1  # at most the last value is shorter than it was


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere.csv", "no such file"),
        (".", "is a folder"),
        ("t.xlsx", "can.t be read as a workbook"),
        ("t.csv.gz", "not a whole gzip file"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, name: str, message: str) -> None:
    file(tmp_path, "PK", "t.xlsx")
    file(tmp_path, gzip.compress(b"a,b\n1,2\n" * 1000)[:-20], "t.csv.gz")
    with pytest.raises(DataError, match=message):
        DuckDB(tmp_path / name)


def test_a_header_alone_has_no_rows(tmp_path: Path) -> None:
    assert not rows_of(file(tmp_path, "a,b"))


def test_nothing_is_spilled_into_the_working_folder(tmp_path: Path) -> None:
    engine = DuckDB(file(tmp_path, "a,b\n1,2\n"))
    [(spill,)] = engine._connection.sql("SELECT current_setting('temp_directory')").fetchall()
    assert Path(spill).stat().st_mode & 0o777 == 0o700
    del engine
    assert not Path(spill).exists()
