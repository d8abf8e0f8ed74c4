"""What is taken from a command line without pydantic is what typer makes of it."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
import typer.core
from hypothesis import given
from hypothesis import strategies as st
from typer.main import get_command

from discreet.cli.parameters import _Plain, take_as_they_are

TEXTS = st.one_of(st.text(), st.integers().map(str), st.sampled_from(["-", ".", "/", "0x1", "1_0", " 7", "+7", "٣"]))


def command(
    text: Annotated[str | None, typer.Option()] = None,
    path: Annotated[Path | None, typer.Option()] = None,
    number: Annotated[int | None, typer.Option()] = None,
    some: Annotated[int | None, typer.Option(min=3, max=9)] = None,
    share: Annotated[float | None, typer.Option()] = None,
    paths: Annotated[list[Path] | None, typer.Option()] = None,
    read: Annotated[str | None, typer.Option(parser=str.upper)] = None,
    default: Annotated[Path, typer.Option()] = Path("sample"),
) -> dict[str, Any]:
    return dict(locals())


def _answer(arguments: list[str], build: Any) -> Any:
    app = typer.Typer(add_completion=False)
    app.command()(command)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.core, "build_runtime_param", build)
        try:
            return get_command(app).main(arguments, standalone_mode=False)
        except Exception as error:  # noqa: BLE001 - typer's own copy of Click's
            return type(error).__name__, str(error)


def _usual() -> Any:
    made = typer.core.build_runtime_param
    return made.args[0] if getattr(made, "func", None) is _Plain else made


@given(name=st.sampled_from(["text", "path", "number", "some", "share", "paths", "read", "default"]), text=TEXTS)
def test_a_parameter_is_what_typer_makes_of_it(name: str, text: str) -> None:
    usual, given_text = _usual(), text.replace("\0", "")  # no system passes that on
    arguments = [f"--{name}={given_text}"]
    assert _answer(arguments, partial(_Plain, usual)) == _answer(arguments, usual)


def test_a_path_that_must_not_be_read_is_told_of_by_typer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "locked").touch()
    monkeypatch.setattr("os.access", lambda *_: False)  # also where root, who may read everything, runs this
    told = _answer([f"--path={tmp_path / 'locked'}"], partial(_Plain, _usual()))
    assert told[0] == "BadParameter" and "is not readable" in told[1]


def test_other_versions_of_typer_read_parameters_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(typer.core, "build_runtime_param")
    take_as_they_are()
    assert not hasattr(typer.core, "build_runtime_param")


def test_it_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = _usual()
    monkeypatch.setattr(typer.core, "build_runtime_param", usual)
    take_as_they_are()
    take_as_they_are()
    assert typer.core.build_runtime_param.args == (usual,)


def test_a_run_loads_no_pydantic(tmp_path: Path) -> None:
    code = """
import sys
from discreet.cli.main import run
sys.argv = ["discreet", "verify", "nowhere", "--source", "none.csv", "--json"]
try:
    run()
except SystemExit as end:
    print(end.code, "pydantic" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "2 False"
