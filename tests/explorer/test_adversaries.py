"""Adversaries: what is told at once is what the audit says; a candidate is written where nobody looks, and is gone."""

from __future__ import annotations

import stat
import tempfile
from pathlib import Path
from typing import Any

import pytest

from discreet.audit.audit import audit_release
from discreet.explorer.figures import adversaries as steps
from discreet.explorer.figures.adversaries import adversaries, audited, words
from discreet.run.anonymize import anonymize
from discreet.run.intake import Counted, count
from tests.explorer.tables import KINDS, counted, of_kind, people, plain, policy
from tests.visits import policy as of_visits
from tests.visits import visits


@pytest.fixture(scope="module")
def counts() -> Counted:
    return counted()


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for temporary files that nobody else uses."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_is_that_of_the_audit(kind: str, counts: Counted, tmp_path: Path) -> None:
    at_once = adversaries(of_kind(kind), counts)
    assert plain(at_once) and {line["threat"] for line in at_once["lines"]} <= set(at_once["questions"])
    told = audited(of_kind(kind), counts, source=people())
    assert plain(told)
    anonymize(of_kind(kind), tmp_path / "release", source=people())
    own = audit_release(tmp_path / "release", source=people())
    assert told["lines"] == [words(line) for line in own.lines] and told["kept"] is own.kept
    by_id = {line["id"]: line for line in told["lines"]}
    assert len(by_id) == len(told["lines"]) > len([line for line in at_once["lines"] if line["worst"] is not None]) >= 3
    for line in at_once["lines"]:
        if line["worst"] is None:
            assert line["verdict"] == "not judged" and line["id"] in by_id
        else:
            assert line == by_id[line["id"]]


def test_where_people_have_several_rows_nothing_is_said_of_rows_at_once(tmp_path: Path) -> None:
    table = visits(60, 3)
    asked = of_visits({"k_anonymity": {"k": 4}}, suppress=0.2)
    counts = count(asked, table)
    at_once = adversaries(asked, counts)
    assert [line["worst"] for line in at_once["lines"]] == [None] * len(at_once["lines"]) and at_once["lines"]
    told = audited(asked, counts, source=table)
    assert {line["id"] for line in at_once["lines"]} <= {line["id"] for line in told["lines"]}
    anonymize(asked, tmp_path / "release", source=table)
    own = audit_release(tmp_path / "release", source=table)
    assert told["lines"] == [words(line) for line in own.lines]


def test_each_line_is_told(counts: Counted) -> None:
    emitted: list[Any] = []
    told = audited(policy(), counts, source=people(), emit=emitted.append)
    assert [point["line"] for point in emitted] == told["lines"]


def test_the_candidate_lies_in_a_private_folder_and_is_gone(
    counts: Counted, alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[Path, int]] = []

    def look(folder: Path, **known: Any) -> Any:
        seen.append((folder, stat.S_IMODE(folder.parent.stat().st_mode)))
        assert (folder / "manifest.json").is_file() and folder.is_relative_to(alone)
        return audit_release(folder, **known)

    monkeypatch.setattr(steps, "audit_release", look)
    audited(policy(), counts, source=people())
    assert [mode for _, mode in seen] == [0o700] and not seen[0][0].exists()
    assert list(alone.iterdir()) == []


@pytest.mark.parametrize("at", [1, 3, 6, 9])
def test_nothing_is_left_of_what_was_stopped(at: int, counts: Counted, alone: Path) -> None:
    class Stopped(BaseException):
        pass

    heard: list[float] = []

    def stop(stage: str, done: float, total: float, note: str = "") -> None:
        heard.append(done)
        if len(heard) == at:
            raise Stopped

    with pytest.raises(Stopped):
        audited(policy(), counts, source=people(), progress=stop)
    assert list(alone.iterdir()) == []


def test_a_broken_promise_of_the_usual_is_above_and_a_promised_one_broken(counts: Counted) -> None:
    verdicts = {line["id"]: line["verdict"] for line in adversaries(of_kind("multidimensional"), counts)["lines"]}
    assert verdicts["prosecutor"] == "within"
    assert set(verdicts.values()) <= {"within", "above"}
