"""Files that are written whole, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from discreet.errors import DiscreetError
from discreet.files.whole import check_places, whole_files


def test_all_or_none(tmp_path: Path) -> None:
    first, second = tmp_path / "a.html", tmp_path / "none" / "b.csv"
    first.write_text("before")
    with pytest.raises(OSError):
        whole_files({first: "after", second: "b"})
    assert first.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["a.html"]
    second.parent.mkdir()
    whole_files({first: "after", second: "b"})
    assert (first.read_text(), second.read_text()) == ("after", "b")
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a.html", "b.csv", "none"]


def test_links_and_rights_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("before")
    real.chmod(0o600)
    link.symlink_to(real)
    whole_files({link: "after"})
    assert link.is_symlink() and real.read_text() == "after"
    assert real.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_that_nobody_reads_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DiscreetError, match="nobody reads from"):
        whole_files({tmp_path / "pipe": "text"})


def test_places_are_checked_beforehand(tmp_path: Path) -> None:
    check_places(tmp_path / "a", None)
    with pytest.raises(DiscreetError) as refused:
        check_places(tmp_path / "none" / "a", tmp_path)
    assert [m.rule for m in refused.value.mistakes] == ["its folder does not exist", "is a folder"]
