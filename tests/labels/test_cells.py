"""Small CSV files: what was written is what is read, and every mistake has its line."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.labels.cells import SEPARATORS, cells, read_lines, read_numbers

_texts = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\r\n"), max_size=5)


def quoted(value: str | None) -> str:
    return "" if value is None else '"' + value.replace('"', '""') + '"'


@given(st.lists(st.none() | _texts, min_size=1, max_size=4), st.sampled_from(SEPARATORS), st.booleans())
def test_quoted_cells_are_read_as_they_were_written(values: list[str | None], separator: str, strip: bool) -> None:
    assert cells(separator.join(map(quoted, values)), separator, strip=strip) == values


@given(st.dictionaries(st.none() | _texts, st.integers(0, 99), min_size=1), st.sampled_from(SEPARATORS), st.booleans())
def test_numbers_are_read_under_any_separator(numbers: dict[str | None, int], separator: str, header: bool) -> None:
    lines = ["value" + separator + "people"] if header else []
    lines += [f"{quoted(value)}{separator} {n} " for value, n in numbers.items()]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "n.csv").write_text("\r\n".join(lines) + "\r\n\r\n", encoding="utf-8", newline="")
        pairs, mistakes = read_numbers("n.csv", Path(folder), "here", str.isdecimal)
    assert not mistakes
    assert {value: int(n) for value, n in pairs} == numbers


def test_white_space_belongs_to_a_value_as_it_does_in_a_table(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text(" Private,3\nPrivate ,4\n")
    assert read_numbers("n.csv", tmp_path, "here", str.isdecimal)[0] == [(" Private", "3"), ("Private ", "4")]


def test_one_header_is_allowed_and_ten_mistakes_are_enough(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("a,b\n" * 30)
    _, mistakes = read_numbers("n.csv", tmp_path, "here", str.isdecimal)
    assert [m.rule for m in mistakes] == [f"'n.csv', line {n}: not a value and a count" for n in range(2, 12)]


@pytest.mark.parametrize("sign", ["\x0b", "\x85", "\u2028"])
def test_only_line_ends_end_lines(tmp_path: Path, sign: str) -> None:
    (tmp_path / "n.csv").write_text(f"a{sign}b\nc", encoding="utf-8")
    assert read_lines("n.csv", tmp_path, "here")[0] == [(1, f"a{sign}b"), (2, "c")]
