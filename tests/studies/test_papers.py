"""The papers by name, as the command asks for them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from discreet.cli.main import app
from discreet.errors import DataError
from discreet.studies.instant.runs import Design as InstantDesign
from discreet.studies.papers import PAPERS, study
from discreet.studies.presence.runs import Design as PresenceDesign
from discreet.studies.robust import study as robust
from discreet.studies.study import reproduce


@pytest.mark.parametrize("name", PAPERS)
def test_every_paper_can_be_asked_for_data_and_run(name: str, tmp_path: Path) -> None:
    paper = study(name)
    assert not paper.source.is_in(tmp_path)
    with pytest.raises(DataError, match="no such file"):
        reproduce(paper, tmp_path)
    (tmp_path / paper.source.file).parent.mkdir()
    (tmp_path / paper.source.file).touch()
    assert paper.source.is_in(tmp_path)


@pytest.mark.parametrize(
    ("name", "design"),
    [
        ("instant", InstantDesign((3,), 3, (2,), 2, (1.0,), (2,), (0.02,), (0.5,), few=1.0)),
        ("presence", PresenceDesign(2, 2, deltas=(("0", "0.1"),), confidences=("0.8",), widths=(2,), part=1_000)),
    ],
)
def test_progress_never_goes_back_and_ends_at_its_end(name: str, design: object) -> None:
    steps: list[tuple[str, float, float]] = []
    small = replace(study(name), design=design)
    made = reproduce(small, rows=200, progress=lambda stage, done, total, _: steps.append((stage, done, total)))
    assert "200 rows" in made.data
    assert "invented people" in made.data
    assert made.notes
    assert steps[0] == ("read", 0, 0)
    shares = [done / total for stage, done, total in steps if stage == "run"]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert 0.5 < shares[-1] <= 1


def test_the_command_runs_the_paper_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = robust.Design(sizes=(3,), high=4, queries=200)
    monkeypatch.setattr(robust, "STUDY", replace(robust.STUDY, design=small))
    arguments = ["reproduce", "robust", "--rows", "2000", "-o", str(tmp_path)]
    ran = CliRunner().invoke(app, arguments, env={"DISCREET_DATA": ""})
    assert ran.exit_code == 0, ran.output
    assert "Worst-Case" in ran.output
    assert "<script" not in (tmp_path / "robust.html").read_text(encoding="utf-8")
    told = json.loads((tmp_path / "robust.json").read_text(encoding="utf-8"))
    assert told["figures"][0]["places"] == ["3"]
    assert "2,000 rows" in told["data"]
