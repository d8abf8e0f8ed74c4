"""Tables through pipes: in from standard input, out to standard output once all is judged, nothing left behind."""

from __future__ import annotations

import gc
import gzip
import io
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.cli.conftest import POLICY

TABLE = b"age,disease\n30,flu\n30,cold\n41,flu\n41,cold\n"


@pytest.fixture
def scratch(place: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders go."""
    folder = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def given(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_the_table_goes_to_output_and_the_words_to_error(place: Path, scratch: Path, call: Any) -> None:
    call("anonymize", "policy.yaml", "-o", "r", "--seed", "1")
    files = sorted(p.name for p in place.iterdir())
    piped = call("anonymize", "policy.yaml", "--table", "-", "--seed", "1")
    assert piped.code == 0
    assert piped.out == Path("r/data.csv").read_text()
    assert piped.err.startswith("This release keeps its promises") and "To publish" not in piped.err
    assert sorted(p.name for p in place.iterdir()) == files
    assert list(scratch.iterdir()) == []
    quiet = call("anonymize", "policy.yaml", "--table", "-", "--seed", "1", "--quiet")
    assert (quiet.out, quiet.err) == (piped.out, "")


def test_a_folder_may_be_kept_besides(place: Path, call: Any) -> None:
    piped = call("anonymize", "policy.yaml", "--table", "-", "-o", "r")
    assert piped.out == Path("r/data.csv").read_text() and "To publish: r" in piped.err
    assert call("verify", "r").code == 0


@pytest.mark.parametrize("packed", [False, True])
def test_a_table_comes_from_input(
    packed: bool, place: Path, scratch: Path, call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = call("anonymize", "policy.yaml", "--table", "-", "--seed", "1").out
    Path("t.csv").unlink()
    given(monkeypatch, gzip.compress(TABLE) if packed else TABLE)
    piped = call("anonymize", "policy.yaml", "--source", "-", "--table", "-", "--seed", "1")
    assert (piped.code, piped.out) == (0, expected)
    assert list(scratch.iterdir()) == []


def test_parquet_comes_from_input_and_goes_to_output(place: Path, call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"age": [30, 30, 41, 41], "disease": ["flu", "cold"] * 2})
    content = io.BytesIO()
    parquet.write_table(table, content)
    given(monkeypatch, content.getvalue())
    Path("policy.yaml").write_text(POLICY + "format: parquet\n")
    output = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", output)
    assert call("anonymize", "policy.yaml", "--source", "-", "--table", "-").code == 0
    written = parquet.read_table(io.BytesIO(output.buffer.getvalue()))  # type: ignore[attr-defined]
    assert sorted(written["disease"].to_pylist()) == ["cold", "cold", "flu", "flu"]


def test_what_is_wrong_with_the_input_is_told_by_its_name(
    place: Path, scratch: Path, call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(monkeypatch, b"age,disease\n30\n")
    told = call("anonymize", "policy.yaml", "--source", "-", "--table", "-")
    assert told.code == 2 and told.err.startswith("discreet: standard input") and str(scratch) not in told.err
    assert told.out == ""
    given(monkeypatch, b"")
    assert "standard input: is empty" in call("anonymize", "policy.yaml", "--source", "-", "--table", "-").err
    assert list(scratch.iterdir()) == []


def test_nothing_is_written_where_no_release_is_possible(place: Path, scratch: Path, call: Any) -> None:
    Path("policy.yaml").write_text(POLICY.replace("k: 2", "k: 50"))
    told = call("anonymize", "policy.yaml", "--table", "-")
    assert (told.code, told.out) == (1, "") and "discreet: require" in told.err
    gc.collect()  # the error held the engine, and that its folder
    assert list(scratch.iterdir()) == []


def test_what_does_not_go_together_is_told_at_once(place: Path, call: Any) -> None:
    told = call("anonymize", "policy.yaml", "--table", "data.csv", "--force", "--private", "p")
    assert told.code == 2
    assert told.err.splitlines() == [
        "discreet: --table: writes to standard output alone, got 'data.csv'; say --table - > FILE; "
        "for a whole release, -o FOLDER",
        "discreet: --private: is about the folder of a release; say -o FOLDER, or leave it out",
        "discreet: --force: is about the folder of a release; say -o FOLDER, or leave it out",
    ]
    assert "-o release" in call("anonymize", "policy.yaml").err
    both = call("anonymize", "policy.yaml", "--table", "-", "--json")
    assert both.code == 2 and both.json["mistakes"][0]["place"] == "--json"
    for more, rule in (
        ("publish: bucketization\nrequire: [{l_diversity: {l: 2, kind: frequency}}]\n", "publishes several tables"),
        ("format: table\n", "is written into a database"),
    ):
        Path("policy.yaml").write_text(POLICY.split("require:")[0] + more + ("" if "require" in more else _REQUIRE))
        told = call("anonymize", "policy.yaml", "--table", "-")
        assert (told.code, told.out) == (2, "") and rule in told.err
    Path("policy.yaml").write_text(POLICY.replace("t.csv", "spark:clinic.patients"))
    assert "Spark writes a folder" in call("anonymize", "policy.yaml", "--table", "-").err


_REQUIRE = "require: [{k_anonymity: {k: 2}}]\n"


def test_a_terminal_gets_no_parquet_and_gives_no_table(place: Path, call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    Path("policy.yaml").write_text(POLICY + "format: parquet\n")
    assert "can't be shown on a terminal" in call("anonymize", "policy.yaml", "--table", "-").err
    given(monkeypatch, TABLE)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    assert "standard input is a terminal" in call("anonymize", "policy.yaml", "--source", "-", "-o", "r").err


def test_a_reader_who_leaves_early_changes_nothing(place: Path) -> None:
    rows = "".join(f"{30 + i % 2},{'flu' if i % 3 else 'cold'}\n" for i in range(200_000))
    Path("t.csv").write_text(f"age,disease\n{rows}")
    command = [sys.executable, "-m", "discreet", "anonymize", "policy.yaml", "--table", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == b"age,disease\n"
        process.stdout.close()
        told = process.stderr.read().decode()
    assert process.returncode == 0 and "Traceback" not in told and "Broken" not in told
