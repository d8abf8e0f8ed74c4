"""A release appears whole or not at all."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from discreet import DiscreetError, verify
from discreet.releases.folder import whole_folder
from discreet.sample import write_sample


def leftovers(folder: Path) -> list[str]:
    return [f.name for f in folder.iterdir() if ".partial-" in f.name]


def fill(target: Path, words: str, *, replace: bool = False) -> None:
    with whole_folder(target, replace=replace) as partial:
        (partial / "manifest.json").write_text(words)


def test_a_folder_appears_when_it_is_whole(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "deep" / "r") as partial:
        (partial / "manifest.json").write_text("x")
        assert not (tmp_path / "deep" / "r").exists()
    assert (tmp_path / "deep" / "r" / "manifest.json").read_text() == "x"
    assert not leftovers(tmp_path / "deep")


def test_an_error_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyError), whole_folder(tmp_path / "r") as partial:
        (partial / "half").write_text("x")
        raise KeyError
    assert not list(tmp_path.iterdir())


def test_an_older_release_is_replaced_on_request_only(tmp_path: Path) -> None:
    fill(tmp_path / "r", "old")
    with pytest.raises(DiscreetError, match="already exists"):
        fill(tmp_path / "r", "new")
    fill(tmp_path / "r", "new", replace=True)
    assert (tmp_path / "r" / "manifest.json").read_text() == "new"
    assert not leftovers(tmp_path)


def test_an_older_release_survives_a_failure(tmp_path: Path) -> None:
    fill(tmp_path / "r", "old")
    with pytest.raises(KeyError), whole_folder(tmp_path / "r", replace=True):
        assert (tmp_path / "r" / "manifest.json").read_text() == "old"
        raise KeyError
    assert (tmp_path / "r" / "manifest.json").read_text() == "old"


def test_what_is_no_release_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "thesis.txt").write_text("years of work")
    with pytest.raises(DiscreetError, match="is not a release"):
        fill(tmp_path / "r", "new", replace=True)
    assert (tmp_path / "r" / "thesis.txt").read_text() == "years of work"


class Killed(BaseException):
    """The machine stops: no handler gets to run."""


@pytest.mark.parametrize("at", [1, 2])
def test_a_kill_between_the_renames_loses_no_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    fill(tmp_path / "r", "old")
    rename, calls = Path.rename, []

    def dying(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == at:
            raise Killed
        return rename(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", dying)
        patched.setattr("shutil.rmtree", lambda *_, **__: None)
        with pytest.raises(Killed):
            fill(tmp_path / "r", "new", replace=True)
    assert len(leftovers(tmp_path)) == at
    with pytest.raises(DiscreetError, match="already exists"):  # the next run finds the old release in its place
        fill(tmp_path / "r", "newer")
    assert (tmp_path / "r" / "manifest.json").read_text() == "old"
    assert not leftovers(tmp_path)


def test_leftovers_of_others_are_not_touched(tmp_path: Path) -> None:
    for name in (".r.partial-1", ".rx.partial-1", ".[r].partial-1"):
        (tmp_path / name).mkdir()
    fill(tmp_path / "[r]", "x")
    assert sorted(leftovers(tmp_path)) == [".r.partial-1", ".rx.partial-1"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_can_t_be_written_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(DiscreetError, match="can't be written: permission denied"):
        fill(tmp_path / "r", "x")


def test_a_target_below_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DiscreetError, match=r"can't be written: .*(exists|directory)"):
        fill(tmp_path / "file" / "r", "x")


def test_a_kill_at_any_moment_leaves_a_whole_release_or_none(tmp_path: Path) -> None:
    """Really killed, at random times; and replacing an older release, which is there all the while."""
    write_sample(tmp_path, rows=300, seed=1)
    discreet = str(Path(sys.executable).with_name("discreet"))
    command = [discreet, "anonymize", str(tmp_path / "policy.yaml"), "--quiet"]
    started = time.monotonic()
    subprocess.run([*command, "-o", str(tmp_path / "old")], check=True)
    whole = time.monotonic() - started
    chance = random.Random(5)
    for i in range(5):
        target = tmp_path / ("old" if i % 2 else "new")
        run = subprocess.Popen([*command, "-o", str(target), "--force"], stderr=subprocess.DEVNULL)
        time.sleep(whole * chance.uniform(0.5, 1.0))
        run.send_signal(signal.SIGKILL)
        run.wait()
        assert not target.exists() or verify(target).kept
        assert verify(tmp_path / "old").kept
    subprocess.run([*command, "-o", str(tmp_path / "new"), "--force"], check=True)
    subprocess.run([*command, "-o", str(tmp_path / "old"), "--force"], check=True)
    assert not leftovers(tmp_path)
