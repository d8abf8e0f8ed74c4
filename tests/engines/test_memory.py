"""Tables larger than memory: the engine spills what it can't hold, and files are written a part at a time."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from discreet.engines.base import Rewriting
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.memory import VARIABLE
from discreet.engines.duckdb.writing import write_csv
from discreet.errors import DataError

WIDE = 1_500  # bytes of a remark
ROWS = 300_000  # together 460 MB, where the engine may have 360


def setting(engine: DuckDB, name: str) -> str:
    [[value]] = engine._connection.sql(f"SELECT current_setting('{name}')").fetchall()
    return str(value)


def test_the_environment_says_how_much_memory_the_engine_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "300MB")
    assert setting(DuckDB({"a": [1]}), "memory_limit") == "286.1 MiB"


def test_without_a_word_it_leaves_half_of_the_memory_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    engine = DuckDB({"a": [1]})
    half = setting(engine, "memory_limit")
    engine._connection.execute("SET memory_limit = '50%'")
    assert setting(engine, "memory_limit") == half


@pytest.mark.parametrize("amount", ["much", "0GB", "-1GB", "4", "4GB; SELECT 1", "120%", ""])
def test_what_is_no_amount_of_memory_is_told(amount: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, amount)
    with pytest.raises(DataError, match=r"DISCREET_MEMORY: must be an amount of memory, got .*; for example 4GB"):
        DuckDB({"a": [1]})


def test_a_limit_of_the_shell_is_kept() -> None:
    script = "import resource; resource.setrlimit(resource.RLIMIT_AS, (8 * 10**9, 8 * 10**9))\n"
    script += "from discreet.engines.duckdb.memory import memory_limit; print(memory_limit())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "2000MB\n"


@pytest.fixture(scope="module")
def remarks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows with long texts of their own, which nothing but the rows themselves can tell."""
    path = tmp_path_factory.mktemp("remarks") / "remarks.parquet"
    engine = DuckDB({"a": [1]})
    text = f"md5(i::VARCHAR) || repeat('x', {WIDE})"
    query = f"SELECT (i % 50)::VARCHAR AS age, {text} AS remark FROM range({ROWS}) AS t(i)"
    engine._connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 10000)")
    return path


def assignment(split: bool) -> pa.Table:
    """Every age as its decade; with `split`, half of the rows of an age as something else."""
    ages, each = [str(age) for age in range(50)], ROWS // 50
    parts = [(0, each // 2, "young"), (each // 2, each, "old")] if split else [(0, each, "any")]
    told = [(age, i, *part) for i, age in enumerate(ages) for part in parts]
    names = [f"{text} {int(age) // 10}0s" for age, _, _, _, text in told]
    return pa.table(
        {
            "k0": [row[0] for row in told],
            "id": [row[1] for row in told],
            "first": [row[2] for row in told],
            "last": [row[3] for row in told],
            "kept": [True] * len(told),
            "p0": names,
        }
    )


@pytest.mark.parametrize("split", [False, True])
def test_rows_are_rewritten_that_the_engine_could_not_hold(
    remarks: Path, tmp_path: Path, split: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "360MB")
    engine, target = DuckDB(remarks), tmp_path / "data.csv"
    engine._connection.execute("SET threads = 4")  # each holds hundreds of megabytes when it sorts
    engine.rewrite(Rewriting(assignment(split), ["age"], ["age", "remark"], {"age": 0}, 1), target)
    with target.open(newline="", encoding="utf-8") as file:
        header, *rows = ((age, remark[:32]) for age, remark in csv.reader(file))
    assert header == ("age", "remark")
    texts = ["young", "old"] if split else ["any"]
    assert Counter(row[0] for row in rows) == {f"{t} {d}0s": ROWS // 5 // len(texts) for t in texts for d in range(5)}
    assert len({row[1] for row in rows}) == ROWS
    assert setting(engine, "threads") == "4"


def write(table: pa.Table, part: Path, header: bool) -> None:
    with part.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerows([table.column_names] if header else [])
        out.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))


@pytest.mark.parametrize("sizes", [[0], [1], [100_000] * 3, [70_000, 0, 1, 16_384]])
def test_parts_of_a_csv_file_are_one_table(sizes: list[int], tmp_path: Path) -> None:
    numbers = iter(range(10**6))
    batches = [pa.record_batch({"n": pa.array([next(numbers) for _ in range(size)], pa.int64())}) for size in sizes]
    write_csv(iter(batches), tmp_path / "t.csv", write)
    assert (tmp_path / "t.csv").read_text().split() == ["n", *map(str, range(sum(sizes)))]
    assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]


def test_wide_rows_are_written_a_few_at_a_time(tmp_path: Path) -> None:
    rows: list[int] = []

    def noted(table: pa.Table, part: Path, header: bool) -> None:
        rows.append(table.num_rows)
        write(table, part, header)

    batch = pa.record_batch({"a": ["x" * 3_000] * 20_000})
    write_csv(iter([batch] * 3), tmp_path / "t.csv", noted)
    assert sum(rows) == 60_000
    assert max(rows) * 3_000 < 70_000_000


def test_many_rows_are_written_with_the_memory_of_a_few(tmp_path: Path) -> None:
    """In one COPY, DuckDB held 330 MB more of eight million rows; now 160."""
    script = f"""
import resource, sys
import numpy as np
from pathlib import Path
from discreet.engines.arrow import texts
from discreet.engines.counted_rows import CodedColumn, CountedRows
from discreet.engines.duckdb.engine import DuckDB
engine = DuckDB({{"a": ["1"]}})
column = CodedColumn("a", np.arange(100, dtype=np.int8), texts([str(i) * 50 for i in range(100)]))
def rows(n):
    counted = CountedRows((column,), np.full(100, n // 100))
    engine.write(counted.shuffled(np.random.default_rng(1)), Path({str(tmp_path)!r}) / "t.csv")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(rows(200_000), rows(8_000_000))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    few, many = map(int, done.stdout.split())
    assert many - few < 240_000, "kilobytes"
