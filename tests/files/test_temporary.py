"""Folders that hold records for a while are nobody else's, and none is left behind."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from discreet.files import temporary
from discreet.files.temporary import TemporaryFolder, temporary_folder, undisturbed


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary files go; swept by whoever comes first."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    temporary._sweep.cache_clear()
    yield tmp_path
    temporary._sweep.cache_clear()


def ended(code: str, root: Path) -> int:
    """The exit code of another process."""
    begin = "import os\nfrom discreet.files.temporary import TemporaryFolder\n"
    environment = os.environ | {"TMPDIR": str(root)}
    return subprocess.run([sys.executable, "-c", begin + code], env=environment, check=False).returncode


KILLED = """
folder = TemporaryFolder()
(folder.path / "records").write_text("Ann")
(folder.path / "more").mkdir()
(folder.path / "more" / "records").write_text("Ann")
os.kill(os.getpid(), 9)
"""


def test_a_folder_is_ours_alone_and_gone_after_its_work(root: Path) -> None:
    with temporary_folder() as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "records").write_text("Ann")
        assert folder.parent == root
    assert not list(root.iterdir())


def test_a_process_that_ends_in_any_way_leaves_nothing(root: Path) -> None:
    assert ended("folder = TemporaryFolder()\n(folder.path / 'records').write_text('Ann')", root) == 0
    assert not list(root.iterdir())


def test_a_fork_does_not_remove_what_its_parent_works_with(root: Path) -> None:
    code = """
import sys
folder = TemporaryFolder()
if os.fork() == 0:
    sys.exit(0)
os.wait()
assert folder.path.exists()
"""
    assert ended(code, root) == 0
    assert not list(root.iterdir())


def test_what_a_killed_process_left_is_swept_by_the_next(root: Path) -> None:
    for _ in range(3):
        assert ended(KILLED, root) == -signal.SIGKILL
    with temporary_folder() as folder:
        assert [f.name for f in root.iterdir()] == [folder.name]


def test_what_a_living_process_works_with_is_not_swept(root: Path) -> None:
    living = TemporaryFolder()
    (living.path / "records").write_text("Ann")
    assert ended(KILLED, root) == -signal.SIGKILL
    assert ended("TemporaryFolder()", root) == 0
    assert [f.name for f in root.iterdir()] == [living.path.name]
    assert (living.path / "records").read_text() == "Ann"
    living.remove()


def linked(root: Path) -> None:
    (root / "discreet-0123456789abcdef").symlink_to(root / "mine")


def without_a_lock(root: Path) -> None:
    (root / "discreet-0123456789abcdef").mkdir()
    (root / "discreet-0123456789abcdef" / "records").write_text("Ann")


def with_a_link_for_a_lock(root: Path) -> None:
    without_a_lock(root)
    (root / "discreet-0123456789abcdef" / "lock").symlink_to(root / "mine" / "lock")


def with_a_link_in_it(root: Path) -> None:
    (root / "discreet-0123456789abcdef").mkdir()
    (root / "discreet-0123456789abcdef" / "lock").touch()
    (root / "discreet-0123456789abcdef" / "there").symlink_to(root / "mine")


@pytest.mark.parametrize("plant", [linked, without_a_lock, with_a_link_for_a_lock, with_a_link_in_it])
def test_no_link_is_followed_and_no_stranger_s_folder_is_swept(root: Path, plant: Callable[[Path], None]) -> None:
    (root / "mine").mkdir()
    (root / "mine" / "lock").write_text("my thesis")
    (root / "discreet-postgresql-root").mkdir()
    plant(root)
    TemporaryFolder().remove()
    assert (root / "mine" / "lock").read_text() == "my thesis"
    assert (root / "discreet-postgresql-root").exists()
    assert (root / "discreet-0123456789abcdef").exists() == (plant is not with_a_link_in_it)


def test_an_empty_folder_of_one_who_died_at_once_goes_too(root: Path) -> None:
    (root / "discreet-0123456789abcdef").mkdir()
    TemporaryFolder().remove()
    assert not list(root.iterdir())


def test_a_folder_that_is_swept_away_under_us_is_made_anew(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between making it and locking it, another process may take it for a dead one's."""
    made, mkdir = [], Path.mkdir

    def swept(self: Path, *arguments: int, **more: int) -> None:
        mkdir(self, *arguments, **more)
        made.append(self)
        if len(made) == 1:
            self.rmdir()

    with monkeypatch.context() as patched:
        patched.setattr(Path, "mkdir", swept)
        folder = TemporaryFolder()
    assert len(made) == 2
    assert [f.name for f in root.iterdir()] == [folder.path.name]
    folder.remove()
    assert not list(root.iterdir())


def test_a_signal_waits_for_the_end_of_what_must_not_be_cut() -> None:
    done = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # Spark may have put one of its own there
    try:
        with pytest.raises(KeyboardInterrupt), undisturbed():
            with undisturbed():
                signal.raise_signal(signal.SIGINT)
                done.append("inner")
            done.append("outer")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == ["inner", "outer"]
