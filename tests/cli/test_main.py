"""The command line: what was asked, errors with place and repair, exit codes, JSON for scripts; never a traceback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from discreet.cli.main import app
from tests.cli.conftest import POLICY

SECRET = "Ann-Smith"


def test_a_release_is_made_verified_and_applied(place: Path, call: Any) -> None:
    made = call("anonymize", "policy.yaml", "-o", "r")
    assert made.code == 0
    assert "This release keeps its promises." in made.out
    assert call("verify", "r").code == 0
    assert call("apply", "r", "t.csv", "-o", "r2").code == 0
    assert call("verify", "r2").code == 0
    assert sorted(p.name for p in Path("r").iterdir()) == ["data.csv", "manifest.json", "mapping.json", "report.html"]


def test_json_is_one_object_with_what_scripts_need(place: Path, call: Any) -> None:
    made = call("anonymize", "policy.yaml", "-o", "r", "--json").json
    expected = "release publish node groups smallest_group rows suppressed loss loss_geometric scans seconds verdicts"
    assert set(expected.split()) <= set(made)
    assert set(made["seconds"]) == {"scan", "search", "publish", "verify"}
    assert set(made["verdicts"][0]) >= {"model", "holds", "level", "witness"}
    assert call("verify", "r", "--json").json["kept"] is True
    assert call("apply", "r", "t.csv", "-o", "r2", "--json").json["rows"] == 4


def test_quiet_says_nothing(place: Path, call: Any) -> None:
    for words in (["anonymize", "policy.yaml", "-o", "r"], ["verify", "r"], ["apply", "r", "t.csv", "-o", "r2"]):
        made = call(*words, "--quiet")
        assert (made.code, made.out, made.err) == (0, "", "")


def test_sample_init_and_anonymize_work_together(place: Path, call: Any) -> None:
    assert call("sample", "--directory", "s", "--rows", "200").code == 0
    assert call("sample", "--directory", "s").code == 2
    assert call("sample", "--directory", "s", "--rows", "200", "--force", "--json").json["files"]
    assert call("anonymize", "s/policy.yaml", "-o", "r", "--seed", "3").code == 0
    [table] = Path("s").glob("*patients*.csv") or Path("s").glob("*.csv")
    proposed = call("init", str(table), "-o", "proposed.yaml")
    assert proposed.code == 0
    again = call("init", str(table), "-o", "proposed.yaml")
    assert again.code == 2
    assert again.err == "discreet: proposed.yaml: already exists; choose another file, or say --force\n"
    assert "quasi_identifier" in call("init", str(table)).out


def test_the_version_is_told(call: Any) -> None:
    told = call("--version")
    assert (told.code, told.out) == (0, f"discreet {version('discreet')}\n")


def test_a_folder_that_is_not_there_is_not_called_a_broken_release(place: Path, call: Any) -> None:
    assert call("verify", "nowhere").err == "discreet: nowhere: no such folder; name the folder of a release\n"


def test_a_replaced_release_is_asked_for(place: Path, call: Any) -> None:
    assert call("anonymize", "policy.yaml", "-o", "r").code == 0
    refused = call("anonymize", "policy.yaml", "-o", "r")
    assert (refused.code, refused.out) == (2, "")
    assert (
        refused.err == "discreet: r: already exists; choose another folder, or say --force (in Python, replace=True)\n"
    )
    assert call("anonymize", "policy.yaml", "-o", "r", "--force").code == 0
    shutil.rmtree("r")
    assert "r.private: already exists" in call("anonymize", "policy.yaml", "-o", "r").err


def test_a_broken_promise_ends_in_1(place: Path, call: Any) -> None:
    call("anonymize", "policy.yaml", "-o", "r")
    Path("r/data.csv").write_text("age,disease\n30,flu\n41,flu\n")
    found = call("verify", "r")
    assert found.code == 1
    assert "BROKEN" in found.out
    answer = call("verify", "r", "--json")
    assert answer.code == 1
    assert answer.json["kept"] is False
    assert answer.json["mistakes"]


WRONG: dict[str, tuple[Sequence[str], int]] = {
    "no such policy": (["anonymize", "nowhere.yaml", "-o", "r"], 2),
    "a policy that is a folder": (["anonymize", ".", "-o", "r"], 2),
    "a policy that is no policy": (["anonymize", "t.csv", "-o", "r"], 2),
    "a policy that asks too much": (["anonymize", "hard.yaml", "-o", "r"], 1),
    "a policy that names a missing column": (["anonymize", "missing.yaml", "-o", "r"], 2),
    "no such table": (["anonymize", "lost.yaml", "-o", "r"], 2),
    "a table that is a folder": (["anonymize", "folder.yaml", "-o", "r"], 2),
    "no such search": (["anonymize", "policy.yaml", "-o", "r", "--search", "magic"], 2),
    "a target that is a file": (["anonymize", "policy.yaml", "-o", "t.csv"], 2),
    "a target that is a file, by force": (["anonymize", "policy.yaml", "-o", "t.csv", "--force"], 2),
    "a target below a file": (["anonymize", "policy.yaml", "-o", "t.csv/r"], 2),
    "the working folder as a target": (["anonymize", "policy.yaml", "-o", ".", "--force"], 2),
    "a negative seed": (["anonymize", "policy.yaml", "-o", "r", "--seed", "-1"], 2),
    "no time at all": (["anonymize", "policy.yaml", "-o", "r", "--time-limit", "0"], 2),
    "no target": (["anonymize", "policy.yaml"], 2),
    "no such command": (["anonymise"], 2),
    "no such option": (["verify", "--loud"], 2),
    "not a release": (["verify", "."], 2),
    "no such release": (["verify", "nowhere"], 2),
    "not a release to apply": (["apply", ".", "t.csv", "-o", "r"], 2),
    "a table as a policy": (["stats", "people.txt"], 2),
    "a quote too many": (["anonymize", "quoted.yaml", "-o", "r"], 2),
    "no such data": (["init", "nowhere.csv"], 2),
    "an empty table": (["init", "empty.csv"], 2),
    "a broken table": (["init", "broken.csv"], 2),
    "a policy that can't be written": (["init", "t.csv", "-o", "t.csv/p.yaml"], 2),
    "a sample that can't be written": (["sample", "--directory", "t.csv"], 2),
    "a sample of nothing": (["sample", "--rows", "0"], 2),
    "a sample of more than there is": (["sample", "--rows", "9" * 30], 2),
    "an address too many": (["verify", "r", f"postgresql://ann:{SECRET}@db/clinic"], 2),
    "an address that is no address": (["anonymize", f"postgresql:ann:{SECRET}@db/clinic", "-o", "r"], 2),
}


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("as_json", [False, True])
def test_wrong_use_is_told_with_its_exit_code(place: Path, call: Any, kind: str, as_json: bool) -> None:
    Path("hard.yaml").write_text(POLICY.replace("k: 2", "k: 20"))
    Path("missing.yaml").write_text(POLICY.replace("age:", "agee:"))
    Path("lost.yaml").write_text(POLICY.replace("t.csv", "lost.csv"))
    Path("folder.yaml").write_text(POLICY.replace("t.csv", "."))
    Path("people.txt").write_text(f"name,age\n{SECRET},30\n")
    Path("quoted.yaml").write_text(POLICY.replace("t.csv", "quoted.csv"))
    Path("quoted.csv").write_text(f'age,"disease\n30,{SECRET},flu"\n31,cold\n32,flu\n')
    Path("empty.csv").write_text("")
    Path("broken.csv").write_text(f'a,b\n1,2\n"{SECRET}')
    before = sorted(p.name for p in place.iterdir())
    words, code = WRONG[kind]
    answer = call(*words, *["--json"] * as_json)
    assert answer.code == code
    assert SECRET not in answer.out + answer.err
    assert sorted(p.name for p in place.iterdir()) == before
    if as_json:
        assert answer.err == ""
        mistakes = answer.json["mistakes"]
        assert mistakes
        assert all(set(m) == {"place", "rule", "repair"} and m["place"] and m["rule"] for m in mistakes)
    else:
        assert answer.out == ""
        assert answer.err


def test_a_name_that_is_no_text_can_be_told(place: Path, call: Any) -> None:
    answer = call("anonymize", "\udcff.yaml", "-o", "r", "--json")
    assert (answer.code, answer.json["mistakes"][0]["place"]) == (2, "\udcff.yaml")


def test_all_mistakes_of_a_policy_are_told_at_once(place: Path, call: Any) -> None:
    Path("p.yaml").write_text(POLICY.replace("age:", "agee:").replace("disease:", "diseese:"))
    told = call("anonymize", "p.yaml", "-o", "r").err.splitlines()
    assert "discreet: attributes.agee: no such column; did you mean 'age'?" in told
    assert "discreet: attributes.diseese: no such column; did you mean 'disease'?" in told


def test_a_fault_of_ours_quotes_no_record(place: Path) -> None:
    """Run for real, with a fault put in: the message of an error may hold a person's record."""
    code = (
        "import sys, discreet.run.anonymize as p, discreet.cli.main as m\n"
        f"def fail(*a, **k): raise KeyError('{SECRET}')\n"
        "p.find_plan = fail\n"
        "sys.argv = ['discreet', 'anonymize', 'policy.yaml', '-o', 'r', *sys.argv[1:]]\n"
        "m.run()\n"
    )
    for more in ([], ["--json"]):
        run = subprocess.run([sys.executable, "-c", code, *more], capture_output=True, text=True, check=False)
        assert run.returncode == 70
        assert not more or json.loads(run.stdout)["error"] == "Fault"
        said = run.stdout + run.stderr
        assert SECRET not in said
        assert "Traceback" not in said
        assert "a fault of ours: KeyError in " in said
    assert sorted(p.name for p in place.iterdir()) == ["policy.yaml", "t.csv"]


def discreet(*words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    command = str(Path(sys.executable).with_name("discreet"))
    return subprocess.run([command, *words], capture_output=True, text=True, check=False, **more)


def test_the_installed_command_works(place: Path) -> None:
    made = discreet("anonymize", "policy.yaml", "-o", "r", "--json")
    assert (made.returncode, made.stderr) == (0, "")
    assert json.loads(made.stdout)["rows"] == 4
    assert discreet("verify", "r").returncode == 0
    refused = discreet("anonymize", "policy.yaml", "-o", "r")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "already exists" in refused.stderr


def test_a_reader_who_leaves_early_is_no_fault(place: Path) -> None:
    discreet("anonymize", "policy.yaml", "-o", "r")
    for words in ("init t.csv", "verify r", "verify r --json"):
        reading, writing = os.pipe()
        os.close(reading)
        command = [str(Path(sys.executable).with_name("discreet")), *words.split()]
        run = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
        os.close(writing)
        assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_what_may_not_be_read_or_written_is_told(place: Path, call: Any) -> None:
    Path("t.csv").chmod(0o000)
    assert call("anonymize", "policy.yaml", "-o", "r").code == 2
    Path("t.csv").chmod(0o600)
    place.chmod(0o500)
    assert call("anonymize", "policy.yaml", "-o", "r").code == 2
    place.chmod(0o700)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("file", ["data.csv", "mapping.json", "report.html", "manifest.json"])
def test_a_release_that_may_not_be_read_is_not_called_broken(place: Path, call: Any, file: str) -> None:
    assert call("anonymize", "policy.yaml", "-o", "r").code == 0
    Path("r", file).chmod(0o000)
    answer = call("verify", "r")
    assert (answer.code, answer.out) == (2, "") and "ermission denied" in answer.err


def test_every_command_and_option_is_documented() -> None:
    root = Path(__file__).parents[2]
    told = "\n".join((root / name).read_text(encoding="utf-8") for name in ("README.md", "docs/commands.md"))
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        assert f"discreet {name}" in told, f"the command {name}"
        for parameter in command.params:
            for option in parameter.opts:
                assert not option.startswith("--") or option in told, f"the option {option} of {name}"
        assert command.help, f"{name} says nothing of itself"
        assert all(p.help for p in command.params if p.name != "help"), f"{name} has options without a word"


def test_a_promise_that_needs_the_table_again_is_open_and_not_broken(place: Path, call: Any) -> None:
    rows = "".join(f"{20 + i % 3},{'abcd'[i % 4]}\n" for i in range(60))
    Path("people.csv").write_text(f"age,disease\n{rows}")
    Path("robust.yaml").write_text(
        "source: people.csv\nattributes: {age: {role: quasi_identifier}, disease: {role: sensitive}}\n"
        "require: [{robust: {r: 3}}]\npublish: bucketization\n"
    )
    assert call("anonymize", "robust.yaml", "-o", "r").code == 0
    alone = call("verify", "r")
    assert alone.code == 3
    assert alone.out.startswith("Not judged: 3-robustness of disease. Nothing is known to be broken.\n")
    assert "--source" in alone.out
    told = call("verify", "r", "--json").json
    assert (told["kept"], told["mistakes"]) == (None, [])
    assert [one["promise"] for one in told["not_judged"]] == ["3-robustness of disease"]
    assert call("verify", "r", "--source", "people.csv").code == 0


@pytest.mark.parametrize("words", [("anonymize", "policy.yaml", "-o", "out", "--private", "--json"),
                                   ("anonymize", "policy.yaml", "-o", "--json"),
                                   ("init", "t.csv", "--output", "--json")])  # fmt: skip
def test_a_forgotten_path_is_not_the_next_option(place: Path, call: Any, words: Sequence[str]) -> None:
    answer = call(*words)
    assert answer.code == 2
    assert "'--json' stands where a path should" in answer.json["mistakes"][0]["rule"]
    assert sorted(p.name for p in place.iterdir()) == ["policy.yaml", "t.csv"]


def test_a_pipe_that_nobody_reads_keeps_nobody_waiting(place: Path, call: Any) -> None:
    os.mkfifo("pipe")
    answer = call("init", "t.csv", "-o", "pipe", "--force")
    assert (answer.code, answer.out) == (2, "")
    assert "is a pipe that nobody reads from" in answer.err
