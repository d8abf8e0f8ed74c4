"""The papers by name, as the command asks for them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from discreet.cli.main import app
from discreet.errors import DataError
from discreet.studies.papers import PAPERS, paper


@pytest.mark.parametrize("name", PAPERS)
def test_every_paper_can_be_asked_for_data_and_run(name: str, tmp_path: Path) -> None:
    module = paper(name)
    assert not module.has_data(tmp_path)
    with pytest.raises(DataError, match="no such file"):
        module.reproduce(tmp_path, None, lambda stage, done, total, note: None)


def test_the_command_runs_the_paper_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from discreet.studies.robust import study as robust

    small = robust.Design(sizes=(3,), high=4, queries=200)
    monkeypatch.setattr(robust.reproduce, "__defaults__", (None, None, lambda *_: None, small))
    arguments = ["reproduce", "robust", "--rows", "2000", "-o", str(tmp_path)]
    ran = CliRunner().invoke(app, arguments, env={"DISCREET_DATA": ""})
    assert ran.exit_code == 0, ran.output
    assert "Worst-Case" in ran.output
    assert "<script" not in (tmp_path / "robust.html").read_text(encoding="utf-8")
    told = json.loads((tmp_path / "robust.json").read_text(encoding="utf-8"))
    assert told["figures"][0]["places"] == ["3"]
    assert "2,000 rows" in told["data"]
