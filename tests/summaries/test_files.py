"""Summaries saved and loaded, and files that are no summaries."""

from __future__ import annotations

import io
import json
import os
import stat
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import DataError
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import Rule
from discreet.hierarchies.rules import Cuts, Dates, Flat, Intervals, Prefixes
from discreet.summaries.build import network_from_pairs
from discreet.summaries.exact import Exact
from discreet.summaries.files import Saveable, is_stale, kind_of, load, save
from tests.strategies import Table, tables
from tests.summaries.cases import counted, of_people
from tests.summaries.kinds import all_kinds


def same(one: Saveable, other: Saveable, node: tuple[int, ...]) -> bool:
    [name] = one.sensitive_hierarchies
    a, b = one.cells(node, name), other.cells(node, name)
    return (
        type(one) is type(other)
        and one.rows == other.rows
        and [h.labels for h in one.hierarchies] == [h.labels for h in other.hierarchies]
        and [h.rule for h in one.hierarchies] == [h.rule for h in other.hierarchies]
        and np.array_equal(a.likelihood, b.likelihood)
        and np.array_equal(a.sensitive, b.sensitive)  # type: ignore[arg-type]
        and all(np.array_equal(one.marginal(d), other.marginal(d)) for d in range(len(node)))
    )


@settings(deadline=None, max_examples=30)
@given(tables(), st.data())
def test_what_was_saved_is_loaded(table: Table, data: st.DataObject) -> None:
    node = data.draw(st.sampled_from(table.nodes))
    with TemporaryDirectory() as folder:
        for summary in all_kinds(table):
            path = Path(folder) / f"{kind_of(summary)}.summary"
            save(summary, path)
            assert same(summary, load(path), node)


@pytest.mark.parametrize(
    ("rule", "values"),
    [
        (Flat(sets=True), ["a", "b", None, ""]),
        (Intervals((2.5, 10), bottom=0.1, top=90, decimals=True), ["0", "17", "17.5", "200", None]),
        (Cuts(((18.5, 40), (40,))), ["1", "18.50", "99"]),
        (Prefixes((3, 1)), ["47906", "479", ""]),
        (Dates(("month", "year")), ["2024-03-05", "5.3.2024", None]),
    ],
)
def test_every_kind_of_hierarchy_comes_back(rule: Rule, values: list[str | None], tmp_path: Path) -> None:
    found = counted(["a", "s"], [(value, "x") for value in values])
    summary = network_from_pairs(found, [build("a", values, rule)], {"s": build("s", ["x"], Flat())})
    save(summary, tmp_path / "file")
    assert same(summary, load(tmp_path / "file"), (1,))


def test_only_its_owner_can_read_it_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("an older one")
    save(network_from_pairs(*of_people()), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_changed_source_is_noticed(tmp_path: Path) -> None:
    source, path = tmp_path / "people.csv", tmp_path / "file"
    source.write_text("sex\nM\n")
    summary = network_from_pairs(*of_people())
    save(summary, path, source)
    assert not is_stale(path, source)
    source.write_text("sex\nF\n")
    assert is_stale(path, source)
    source.write_text("sex\nM\nM\n")
    assert is_stale(path, source)
    save(summary, path)
    assert is_stale(path, source)


def refused(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        load(path)
    [mistake] = caught.value.mistakes
    assert mistake.place == str(path) and mistake.repair
    return mistake.rule


def test_other_files_are_no_summaries(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert "can't be read" in refused(path)
    assert refused(tmp_path) == "is a folder"
    for content in (b"", b"sex,age\nM,1\n", b"PK\x03\x04 no zip", b"\x93NUMPY\x01\x00"):
        path.write_bytes(content)
        assert refused(path) == "is not a summary"
    for array in (np.arange(3), np.array([{"a": 1}], dtype=object)):
        with path.open("wb") as file:
            np.save(file, array)
        assert refused(path) == "is not a summary"
    with path.open("wb") as file:
        np.savez(file, header=np.arange(3))
    assert refused(path) == "is not a summary"


def changed(path: Path, arrays: dict[str, Any] | None = None, **words: object) -> None:
    """Write the file again with some words of its header, and some arrays, changed."""
    with np.load(path, allow_pickle=False) as found:
        content = {name: found[name] for name in found.files}
    header = json.loads(content["header"].tobytes()) | words
    content["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with path.open("wb") as file:
        np.savez(file, **(content | (arrays or {})))


def test_another_version_is_said_to_be_one(tmp_path: Path) -> None:
    save(network_from_pairs(*of_people()), tmp_path / "file")
    changed(tmp_path / "file", version=2)
    assert "version 2" in refused(tmp_path / "file")


@pytest.mark.parametrize(
    "words",
    [
        {"kind": "oracle"},
        {"rows": 9},
        {"sensitive": []},
        {"quasi_identifiers": 3},
        {"edges": [[0, 1], [1, 2], [0, 2]]},
        {"edges": [[1, 0], [1, 2], [1, 3]]},
        {"edges": [[0, 7], [1, 2], [1, 3]]},
        {"kind": "exact"},
    ],
)
def test_a_header_that_does_not_fit_is_refused(words: dict[str, object], tmp_path: Path) -> None:
    save(network_from_pairs(*of_people()), tmp_path / "file")
    changed(tmp_path / "file", **words)
    assert refused(tmp_path / "file") == "is not a whole summary"


@pytest.mark.parametrize(
    "arrays",
    [
        {"counts0": np.array([5, 4])},
        {"counts0": np.array([9, -1])},
        {"counts0": np.array([4.0, 4.0])},
        {"counts0": np.array([4, 4, 0])},
        {"table0": np.array([[8, 0], [0, 0]])},
    ],
)
def test_counts_that_contradict_each_other_are_refused(arrays: dict[str, Any], tmp_path: Path) -> None:
    save(network_from_pairs(*of_people()), tmp_path / "file")
    changed(tmp_path / "file", arrays)
    assert refused(tmp_path / "file") == "is not a whole summary"


def test_codes_that_no_hierarchy_has_are_refused(tmp_path: Path) -> None:
    table = Table(({"a": (), "b": ()},), (("a",), ("b",)), {"disease": ("x", "x")}, {"disease": {"x": ()}})
    save(Exact(table.frequency()), tmp_path / "file")
    changed(tmp_path / "file", {"codes0": np.array([0, 2], dtype=np.int32)})
    assert refused(tmp_path / "file") == "is not a whole summary"


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_a_broken_file_is_refused_or_means_the_same(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        summary = network_from_pairs(*of_people())
        save(summary, path)
        content = bytearray(path.read_bytes())
        if data.draw(st.booleans()):
            content = content[: data.draw(st.integers(0, len(content) - 1))]
        else:
            content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
        path.write_bytes(content)
        try:
            found = load(path)
        except DataError:
            return
        assert same(summary, found, (0, 1, 0))


def test_a_folder_that_is_not_there_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="can't be written"):
        save(network_from_pairs(*of_people()), tmp_path / "nowhere" / "file")


def packed(path: Path, arrays: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> None:
    with zipfile.ZipFile(path, "w", method) as file:
        for name, content in arrays.items():
            file.writestr(f"{name}.npy", content)


def npy(array: Any, **words: object) -> bytes:
    """An array as a file of its own; `words` change what its header says."""
    stream = io.BytesIO()
    if not words:
        np.save(stream, array)
        return stream.getvalue()
    header = {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape} | words
    np.lib.format.write_array_header_1_0(stream, header)  # type: ignore[arg-type]
    return stream.getvalue() + array.tobytes()


HEADER = np.frombuffer(json.dumps({"format": "discreet summary", "version": 1}).encode(), dtype=np.uint8)


def test_a_small_file_that_becomes_a_large_one_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    packed(tmp_path / "file", {"header": npy(HEADER), "counts0": npy(np.zeros(63_000_000, dtype=np.int64))})
    assert (tmp_path / "file").stat().st_size < 1_000_000
    assert refused(tmp_path / "file") == "is larger than 500 MB, unpacked"


def test_an_array_that_says_it_is_larger_than_it_is_gets_no_room(tmp_path: Path) -> None:
    forged = npy(np.zeros(3, dtype=np.int64), shape=(400_000_000_000,))
    packed(tmp_path / "file", {"header": npy(HEADER), "counts0": forged})
    assert refused(tmp_path / "file") == "is not a summary"


def test_arrays_packed_in_ways_that_need_much_memory_are_refused(tmp_path: Path) -> None:
    packed(tmp_path / "file", {"header": npy(HEADER)}, zipfile.ZIP_LZMA)
    assert refused(tmp_path / "file") == "is not a summary"


def test_a_header_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    packed(tmp_path / "file", {"header": npy(np.frombuffer(b"[" * 100_000, dtype=np.uint8))})
    assert refused(tmp_path / "file") == "is not a summary"


def test_a_device_or_a_pipe_is_no_summary(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        assert refused(path) == "is not a regular file but a pipe or a device"


@pytest.mark.parametrize("hierarchy", ["secret.csv", {"taxonomy": "secret.csv"}])
def test_a_summary_may_not_name_another_file(hierarchy: object, tmp_path: Path, monkeypatch: Any) -> None:
    save(network_from_pairs(*of_people()), tmp_path / "file")
    with np.load(tmp_path / "file", allow_pickle=False) as found:
        first, *others = json.loads(found["header"].tobytes())["quasi_identifiers"]
    (tmp_path / "secret.csv").write_text("".join(f"{leaf};*\n" for leaf in first["leaves"]))
    monkeypatch.chdir(tmp_path)
    changed(tmp_path / "file", quasi_identifiers=[first | {"hierarchy": hierarchy}, *others])
    assert refused(tmp_path / "file") == "is not a whole summary"
