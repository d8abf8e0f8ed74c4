"""Small files of strangers: regular, bounded, UTF-8, or a mistake."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from discreet.errors import DataError
from discreet.files.small_files import read_small, read_small_bytes, small_json


def mistake(path: Path | str, **options: object) -> str:
    with pytest.raises(DataError) as refused:
        read_small(path, "here", **options)  # type: ignore[arg-type]
    [found] = refused.value.mistakes
    return str(found)


def test_the_text_comes_without_the_mark_of_utf_8(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("\ufeffä;b".encode())
    assert read_small(tmp_path / "a.csv", "here") == "ä;b"


def test_a_pipe_that_nobody_writes_to_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert mistake(tmp_path / "pipe") == "here: is not a regular file but a pipe or a device; save it as a file"


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/random"])
def test_devices_are_refused(device: str) -> None:
    assert "is not a regular file" in mistake(device)


def test_a_link_to_a_device_is_a_device(tmp_path: Path) -> None:
    (tmp_path / "prior.csv").symlink_to("/dev/zero")
    assert "is not a regular file" in mistake(tmp_path / "prior.csv")


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s")
        assert "is not a regular file" in mistake("s")


def test_a_folder_is_called_a_folder(tmp_path: Path) -> None:
    assert mistake(tmp_path) == "here: is a folder; give the path of a file"


def test_a_file_at_the_limit_is_read_and_one_above_it_is_not(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 1000)
    assert len(read_small_bytes(tmp_path / "a", "here", 1000)) == 1000
    assert mistake(tmp_path / "a", limit=999) == "here: is larger than 0 kB; give a smaller file"


def test_a_hole_of_a_terabyte_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "a").open("wb") as file:
        file.truncate(1 << 40)
    assert mistake(tmp_path / "a") == "here: is larger than 64 MB; give a smaller file"


def test_files_that_do_not_tell_their_size_are_bounded(tmp_path: Path) -> None:
    assert len(read_small_bytes("/proc/self/status", "here")) > 0
    assert "is larger than" in mistake("/proc/self/status", limit=10)


def test_what_is_not_there_says_how_to_mend_it(tmp_path: Path) -> None:
    assert mistake(tmp_path / "no", missing="name a policy") == "here: no such file; name a policy"


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000])
def test_paths_that_no_file_can_have_are_mistakes(path: str) -> None:
    assert "can't be read" in mistake(path)


def test_the_line_that_is_not_utf_8_is_named_and_not_shown(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"fine\nsecret\xff\n")
    assert mistake(tmp_path / "a") == "here: is not UTF-8 text (line 2); save the file as UTF-8"


@pytest.mark.parametrize("text", ["[" * 100_000, "{", '{"a": ' + "9" * 5000 + "}"])
def test_json_that_is_deep_broken_or_has_endless_numbers_is_a_mistake(text: str) -> None:
    with pytest.raises(DataError, match="is not JSON"):
        small_json(text, "here")


def test_json_of_millions_of_entries_is_a_mistake() -> None:
    with pytest.raises(DataError, match="more than 5,000,000 entries"):
        small_json('{"references": [' + "0," * 5_000_000 + "0]}", "here")
    assert small_json('{"references": [0, 1]}', "here") == {"references": [0, 1]}
