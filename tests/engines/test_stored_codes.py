"""Counting a Parquet file by its stored codes gives what the engine's own GROUP BY gives, or nothing."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from discreet.engines.base import Frequencies
from discreet.engines.duckdb import engine as engine_module
from discreet.engines.duckdb import stored_codes
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.stored_codes import stored_frequencies
from discreet.errors import DataError

KINDS = {"s": "VARCHAR", "i": "BIGINT", "d": "VARCHAR", "n": "VARCHAR", "w": "BIGINT"}
ROOM = 1 << 30

texts = st.none() | st.sampled_from(["", "a", "b", "ü", "NULL", "0"]) | st.text(max_size=3)
rows = st.lists(
    st.tuples(texts, st.none() | st.integers(-5, 5), texts, texts, st.none() | st.integers(-(2**50), 2**50)),
    max_size=60,
)


def table(drawn: Sequence[tuple[Any, ...]]) -> pa.Table:
    """With a text, small numbers, a category with values that no row has, people by name, and numbers far apart."""
    s, i, d, n, w = ([row[c] for row in drawn] for c in range(5))
    category = pa.array([*d, "nobody has it"], pa.string()).dictionary_encode()[: len(d)]
    columns = [pa.array(s, pa.string()), pa.array(i, pa.int64()), category, pa.array(n, pa.string())]
    return pa.table([*columns, pa.array(w, pa.int64())], names=list(KINDS))


def combinations(counted: Frequencies) -> Counter[tuple[Any, ...]]:
    columns = [[texts[code] for code in codes] for texts, codes in zip(counted.values, counted.codes, strict=True)]
    if counted.person is not None:
        names = [*counted.names.to_pylist(), None]
        columns.append([names[number] for number in counted.person])
    keys = list(zip(*columns, strict=True))
    assert len(set(keys)) == len(keys)
    return Counter(dict(zip(keys, counted.counts.tolist(), strict=True)))


def texts_of(drawn: Sequence[tuple[Any, ...]], columns: Sequence[str]) -> Counter[tuple[Any, ...]]:
    at = [list(KINDS).index(c) for c in columns]
    return Counter(tuple(None if row[c] is None else str(row[c]) for c in at) for row in drawn)


@given(rows, st.integers(1, 20), st.sampled_from([None, "n", "i"]), st.integers(1, 7))
def test_the_counts_are_those_of_the_rows(
    drawn: list[tuple[Any, ...]], group: int, person: str | None, batch: int
) -> None:
    columns = [c for c in ("s", "i", "d") if c != person]
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_codes, "_BATCH", batch)
        path = Path(folder) / "t.parquet"
        parquet.write_table(table(drawn), path, row_group_size=group)
        counted = stored_frequencies(path, columns, KINDS, person, ROOM)
        assert counted is not None
        assert combinations(counted) == texts_of(drawn, [*columns, *([person] if person else [])])
        for texts, codes in zip(counted.values, counted.codes, strict=True):  # no value that no row has
            assert sorted(set(codes.tolist())) == list(range(len(texts)))
        if person:
            names = counted.names.to_pylist()
            assert names == sorted(names, key=lambda t: t.encode()) and None not in names
        engine = DuckDB(path)
        assert combinations(engine.frequencies(columns, person)) == combinations(counted)


def test_numbers_far_apart_and_many_columns_are_left_to_the_engine(tmp_path: Path) -> None:
    drawn = [("a", 1, "b", "c", 0), ("a", 2, "b", "c", 2**50)]
    parquet.write_table(table(drawn), tmp_path / "t.parquet")
    assert stored_frequencies(tmp_path / "t.parquet", ["s", "w"], KINDS, None, ROOM) is None
    wide = {f"c{i}": pa.array([f"{v}" for v in range(300)]) for i in range(8)}  # 8 × 9 bits
    parquet.write_table(pa.table(wide), tmp_path / "wide.parquet", row_group_size=70)
    kinds = dict.fromkeys(wide, "VARCHAR")
    assert stored_frequencies(tmp_path / "wide.parquet", list(wide), kinds, None, ROOM) is None
    few = stored_frequencies(tmp_path / "wide.parquet", list(wide)[:5], kinds, None, ROOM)
    assert few is not None and len(few.counts) == 300


def test_what_needs_more_memory_than_there_is_is_left_to_the_engine(tmp_path: Path) -> None:
    parquet.write_table(table([("a", 1, "b", "c", 0)] * 100), tmp_path / "t.parquet")
    assert stored_frequencies(tmp_path / "t.parquet", ["s"], KINDS, None, 1000) is None


@pytest.mark.parametrize(
    "column",
    [pa.array([1.5, 2.0]), pa.array([date(2020, 1, 1), None]), pa.array([True, False]), pa.array([1, 2], pa.uint64())],
)
def test_other_types_are_left_to_the_engine(tmp_path: Path, column: pa.Array) -> None:
    parquet.write_table(pa.table({"c": column}), tmp_path / "t.parquet")
    engine = DuckDB(tmp_path / "t.parquet")
    assert stored_frequencies(tmp_path / "t.parquet", ["c"], engine.types, None, ROOM) is None


def test_a_file_without_statistics_and_one_whose_statistics_lie_are_left_to_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = table([("a", 1, "b", "c", 0), ("a", 9, "b", "c", 0)])
    parquet.write_table(drawn, tmp_path / "t.parquet", write_statistics=False)
    assert stored_frequencies(tmp_path / "t.parquet", ["i"], KINDS, None, ROOM) is None
    parquet.write_table(drawn, tmp_path / "t.parquet")
    monkeypatch.setattr(stored_codes, "_ends", lambda about, name: (1, 8))
    assert stored_frequencies(tmp_path / "t.parquet", ["i"], KINDS, None, ROOM) is None
    monkeypatch.setattr(stored_codes, "_ends", lambda about, name: (1, 9))
    assert stored_frequencies(tmp_path / "t.parquet", ["i"], KINDS, None, ROOM) is not None


def test_names_that_engine_and_arrow_understand_differently(tmp_path: Path) -> None:
    columns = {"a": pa.array(["x"]), "A": pa.array(["y"]), "p.q": pa.array(["z"])}
    parquet.write_table(pa.table({"a": columns["a"], "p.q": columns["p.q"]}), tmp_path / "dot.parquet")
    assert stored_frequencies(tmp_path / "dot.parquet", ["p.q"], {"p.q": "VARCHAR"}, None, ROOM) is None
    parquet.write_table(pa.table({"a": columns["a"], "A": columns["A"]}), tmp_path / "case.parquet")
    assert stored_frequencies(tmp_path / "case.parquet", ["a"], {"a": "VARCHAR"}, None, ROOM) is None


def test_the_engine_counts_a_large_file_so_and_its_parts_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "_WORTH", 0)
    calls = []

    def counted(*given: Any) -> Frequencies | None:
        calls.append(given)
        return stored_frequencies(*given)

    monkeypatch.setattr(engine_module, "stored_frequencies", counted)
    drawn = [("a", 1, "b", "c", 0), ("a", 1, "b", "c", 0), (None, 2, "b", "c", 0)]
    parquet.write_table(table(drawn), tmp_path / "t.parquet")
    engine = DuckDB(tmp_path / "t.parquet")
    assert combinations(engine.frequencies(["s", "i"])) == texts_of(drawn, ["s", "i"])
    assert engine.scans == 1 and len(calls) == 1
    labelled = engine.labelled({"s": {"a": "A or none", None: "A or none"}})
    assert combinations(labelled.frequencies(["s", "i"])) == {("A or none", "1"): 2, ("A or none", "2"): 1}
    assert len(calls) == 1


def test_a_damaged_file_is_told_in_the_engines_words(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(table([("a", 1, "b", "c", 0)] * 50), path, compression="none")
    whole = bytearray(path.read_bytes())
    for at in range(4, len(whole) // 3):
        whole[at] ^= 0x5A
    path.write_bytes(whole)
    assert stored_frequencies(path, ["s", "d"], KINDS, None, ROOM) is None
    with pytest.raises(DataError):
        DuckDB(path).frequencies(["s", "d"])


def test_columns_are_unpacked_one_after_the_other(tmp_path: Path) -> None:
    """All numbers of twelve columns would take 96 bytes a row, beside what comes of them."""
    many, names = 50_000, [f"c{i}" for i in range(12)]
    digits = {name: [str(row // 10 ** (i // 2) % 10) for row in range(many)] for i, name in enumerate(names)}
    parquet.write_table(pa.table(digits), tmp_path / "wide.parquet")
    asked = tmp_path / "wide.parquet", names, dict.fromkeys(names, "VARCHAR"), None, ROOM
    stored_frequencies(*asked)  # what Python keeps of a first time is none of it
    tracemalloc.start()
    try:
        counted = stored_frequencies(*asked)
        assert counted is not None and len(counted.counts) == many
        assert tracemalloc.get_traced_memory()[1] < 130 * many
    finally:
        tracemalloc.stop()
