"""A release appears whole or not at all, and one run at a time writes it."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from discreet import DiscreetError
from discreet.releases.folder import check_target, whole_folder
from tests.releases.folders import fill_private, fill_release, make_pair


def names(folder: Path) -> list[str]:
    return sorted(f.name for f in folder.iterdir())


def texts(target: Path) -> tuple[str, str]:
    return (target / "data.csv").read_text(), (target.with_name(f"{target.name}.private") / "report.html").read_text()


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode(path: Path) -> str:
    return oct(stat.S_IMODE(path.stat().st_mode))


def test_both_folders_appear_when_they_are_whole(tmp_path: Path) -> None:
    target, private = tmp_path / "deep" / "r", tmp_path / "elsewhere" / "p"
    with whole_folder(target, private=private) as work:
        assert work.private is not None
        fill_release(work.public, "x")
        fill_private(work.private, "y")
        assert not target.exists()
        assert not private.exists()
    assert (target / "data.csv").read_text() == "x"
    assert (private / "report.html").read_text() == "y"
    assert names(tmp_path / "deep") == ["r"]
    assert names(tmp_path / "elsewhere") == ["p"]


def test_a_release_without_a_private_part(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "r") as work:
        assert work.private is None
        fill_release(work.public)
    assert names(tmp_path) == ["r"]


def test_an_error_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyError), whole_folder(tmp_path / "r", private=tmp_path / "p") as work:
        (work.public / "half").write_text("x")
        raise KeyError
    assert not names(tmp_path)


def test_an_older_release_is_replaced_on_request_only(tmp_path: Path) -> None:
    make_pair(tmp_path / "r", "old")
    with pytest.raises(DiscreetError, match="already exists"):
        make_pair(tmp_path / "r", "new")
    make_pair(tmp_path / "r", "new", replace=True)
    assert texts(tmp_path / "r") == ("new", "new")
    assert names(tmp_path) == ["r", "r.private"]


def test_neither_folder_may_be_there_already(tmp_path: Path) -> None:
    fill_release(tmp_path / "r")
    fill_private(tmp_path / "p")
    with pytest.raises(DiscreetError, match="r: already exists"):
        check_target(tmp_path / "r", private=tmp_path / "p")
    with pytest.raises(DiscreetError, match="p: already exists"), whole_folder(tmp_path / "n", private=tmp_path / "p"):
        pass
    assert names(tmp_path) == ["p", "r"]


@pytest.mark.parametrize("private", ["r", "r/private", "."])
def test_what_is_private_lies_apart(tmp_path: Path, private: str) -> None:
    with pytest.raises(DiscreetError, match="keep what is private apart"):
        check_target(tmp_path / "r", private=tmp_path / private)


def test_an_older_release_survives_a_failure(tmp_path: Path) -> None:
    make_pair(tmp_path / "r", "old")
    private = tmp_path / "r.private"
    with pytest.raises(KeyError), whole_folder(tmp_path / "r", private=private, replace=True) as work:
        fill_release(work.public, "new")
        assert texts(tmp_path / "r") == ("old", "old")
        raise KeyError
    assert texts(tmp_path / "r") == ("old", "old")


def test_nobody_looks_into_a_folder_before_it_is_whole(tmp_path: Path) -> None:
    with umask(0o022), whole_folder(tmp_path / "r", private=tmp_path / "p") as work:
        assert work.private is not None
        assert {mode(work.public), mode(work.private)} == {"0o700"}
        fill_release(work.public)
        (work.public / "data.parquet").mkdir(mode=0o700)
        (work.public / "data.csv").chmod(0o600)
        fill_private(work.private)
    assert [mode(tmp_path / "r" / f) for f in (".", "data.parquet", "data.csv")] == ["0o755", "0o755", "0o644"]
    assert [mode(tmp_path / "p" / f) for f in (".", "report.html")] == ["0o700", "0o600"]


def test_a_finished_release_has_the_modes_that_its_owner_wants(tmp_path: Path) -> None:
    with umask(0o027), whole_folder(tmp_path / "r") as work:
        fill_release(work.public)
    assert [mode(tmp_path / "r"), mode(tmp_path / "r" / "data.csv")] == ["0o750", "0o640"]


RUN = """
import os, sys
from pathlib import Path
from discreet.releases import folder
from tests.releases.folders import make_pair

calls, rename = [], Path.rename

def dying(self, target):
    calls.append(target)
    if len(calls) == int(sys.argv[2]):
        os.kill(os.getpid(), 9)
    return rename(self, target)

Path.rename = dying
make_pair(Path(sys.argv[1]), "new", replace=True)
"""
ROOT = Path(__file__).parents[2]


def killed_at_rename(target: Path, at: int) -> int:
    """A run that replaces a release and is killed before its `at`-th rename."""
    return subprocess.run([sys.executable, "-c", RUN, str(target), str(at)], cwd=ROOT, check=False).returncode


@pytest.mark.kills
@pytest.mark.parametrize("at", range(1, 7))
@pytest.mark.parametrize("before", ["nothing", "release", "pair"])
def test_a_kill_between_the_renames_loses_neither_the_old_pair_nor_the_new(
    tmp_path: Path, before: str, at: int
) -> None:
    if before == "pair":
        make_pair(tmp_path / "r", "old")
    elif before == "release":
        fill_release(tmp_path / "r", "old")
    renames = {"nothing": 3, "release": 4, "pair": 5}[before]
    assert killed_at_rename(tmp_path / "r", at) == (-signal.SIGKILL if at <= renames else 0)
    # The next run, which fails on its own account, finds one of the two pairs, and nothing else is left.
    with pytest.raises(KeyError), whole_folder(tmp_path / "r", private=tmp_path / "r.private", replace=True):
        raise KeyError
    left = names(tmp_path)
    if (before == "nothing" and at == 1) or not left:
        assert not left
    elif before == "release" and left == ["r"]:
        assert (tmp_path / "r" / "data.csv").read_text() == "old"
    else:
        assert left == ["r", "r.private"]
        assert texts(tmp_path / "r") in (("old", "old"), ("new", "new"))
        assert at > 1 or texts(tmp_path / "r") == ("old", "old")


def test_a_rename_that_fails_puts_the_old_pair_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for at in range(1, 6):
        target = tmp_path / f"r{at}"
        make_pair(target, "old")
        rename, calls = Path.rename, []

        def failing(self: Path, target: Path) -> Path:
            calls.append(target)  # noqa: B023 - called within this turn
            if len(calls) == at:  # noqa: B023
                raise OSError(28, "No space left on device")
            return rename(self, target)  # noqa: B023

        with monkeypatch.context() as patched:
            patched.setattr(Path, "rename", failing)
            with pytest.raises(DiscreetError, match="can't be written: no space left"):
                make_pair(target, "new", replace=True)
        assert texts(target) == ("old", "old")
    assert not [name for name in names(tmp_path) if name[0] == "."]


def test_ctrl_c_between_the_renames_waits_for_the_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_pair(tmp_path / "r", "old")
    rename, calls = Path.rename, []

    def interrupted(self: Path, target: Path) -> Path:
        calls.append(target)
        signal.raise_signal(signal.SIGINT)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        make_pair(tmp_path / "r", "new", replace=True)
    assert len(calls) == 5
    assert texts(tmp_path / "r") == ("new", "new")
    assert names(tmp_path) == ["r", "r.private"]


def test_what_dead_runs_left_is_swept_and_that_of_others_is_not(tmp_path: Path) -> None:
    token = "0123456789abcdef"
    for name in ("r", "rx", "[r]"):
        (tmp_path / f".{name}.partial-{token}").mkdir()
    (tmp_path / ".[r].partial-notes").mkdir()
    (tmp_path / ".[r].lock").touch()
    (tmp_path / f".[r].old-{token}").symlink_to(tmp_path / f".r.partial-{token}")
    make_pair(tmp_path / "[r]", "x")
    assert names(tmp_path) == [
        f".[r].old-{token}",
        ".[r].partial-notes",
        f".r.partial-{token}",
        f".rx.partial-{token}",
        "[r]",
        "[r].private",
    ]


def test_what_only_looks_finished_is_not_put_in_place(tmp_path: Path) -> None:
    ready = tmp_path / ".r.ready-0123456789abcdef"
    fill_release(ready)
    (ready / "data.csv").write_text("changed")
    with pytest.raises(KeyError), whole_folder(tmp_path / "r"):
        raise KeyError
    assert not names(tmp_path)


@pytest.mark.parametrize("shared", ["target", "private"])
def test_two_runs_do_not_write_to_one_place(tmp_path: Path, shared: str) -> None:
    fill_release(tmp_path / "r", "old")
    second = {"target": ("r", "q"), "private": ("n", "p")}[shared]
    with whole_folder(tmp_path / "r", private=tmp_path / "p", replace=True) as work:
        assert work.private is not None
        with (
            pytest.raises(DiscreetError, match="another run is writing there; wait for it"),
            whole_folder(tmp_path / second[0], private=tmp_path / second[1], replace=True),
        ):
            pass
        fill_release(work.public, "new")
        fill_private(work.private)
    assert (tmp_path / "r" / "data.csv").read_text() == "new"
    assert names(tmp_path) == ["p", "r"]


def test_of_many_runs_at_once_one_writes(tmp_path: Path) -> None:
    """Those that wait for the lock file that the first one removes must not take it for a lock of their own."""
    told: list[str] = []
    begin = threading.Barrier(8)

    def run(i: int) -> None:
        begin.wait()
        try:
            make_pair(tmp_path / "r", f"{i}")
        except DiscreetError as error:
            told.append(error.mistakes[0].rule)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 7
    assert set(told) <= {"another run is writing there", "already exists"}
    first, second = texts(tmp_path / "r")
    assert first == second
    assert names(tmp_path) == ["r", "r.private"]


def test_where_nothing_tells_who_lives_a_lock_is_removed_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.files.locks.fcntl", None)
    (tmp_path / ".r.locked").touch()
    with pytest.raises(DiscreetError, match=r"wait for it; if none runs, remove \.r\.locked beside it"):
        make_pair(tmp_path / "r", "x")
    (tmp_path / ".r.locked").unlink()
    make_pair(tmp_path / "r", "x")
    assert names(tmp_path) == ["r", "r.private"]


def test_a_file_system_without_locks_gets_one_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("discreet.files.locks.fcntl.flock", no_locks)
    with whole_folder(tmp_path / "r") as work:
        fill_release(work.public)
        assert ".r.locked" in names(tmp_path)
    assert names(tmp_path) == ["r"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_can_t_be_written_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(DiscreetError, match="can't be written: permission denied"):
        make_pair(tmp_path / "r", "x")


def test_a_target_whose_name_is_no_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(DiscreetError, match="its path is no text"):
        make_pair(tmp_path / "\udcff", "x")
    assert not list(tmp_path.iterdir())


def test_a_target_below_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DiscreetError, match=r"can't be written: .*(exists|directory)"):
        make_pair(tmp_path / "file" / "r", "x")
