"""A promise that can't be read or judged is told on every first screen, and the audit does not pass for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import discreet
from discreet.audit.audit import Audit, audit_release
from discreet.audit.lines import Fault, Level
from discreet.audit.promises.levels import levels
from discreet.audit.reading.view import Promise, ReleaseView
from discreet.cli.main import app
from discreet.errors import DataError
from discreet.report.pages.audit_page import to_html
from discreet.report.pages.audit_words import headline, to_json, to_text
from tests.audit.releasing import first_screen, manifest_of, people, publish, resign

SAID: dict[str, Any] = {"quasi_identifiers": ["age"], "sensitive": ["disease"]}


@pytest.fixture(scope="module")
def bucketized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bucketized") / "release"
    return publish(folder, "bucketization", require=[{"robust": {"r": 2, "min_support": 20}}])


def promising(folder: Path, word: str, body: object = None) -> Path:
    """A release of ours, to whose manifest a promise was added that nobody knows."""
    publish(folder, "generalization")
    strange = {"model": {word: {} if body is None else body}, "level": 3, "deciding_group": None}
    resign(folder, promises=[*manifest_of(folder)["promises"], strange])
    return folder


def test_an_unknown_promise_of_a_manifest_is_told_and_the_audit_does_not_pass(tmp_path: Path) -> None:
    audit = audit_release(promising(tmp_path / "release", "u_anonymity", {"u": 3}))
    [kept, level] = audit.levels
    assert kept.holds is True
    assert (level.model, level.holds, level.achieved, level.required) == ("u_anonymity", None, None, None)
    assert level.note.startswith("not read: ")
    assert audit.kept is None and not audit.broken
    text = to_text(audit).splitlines()
    assert text[1].startswith("Not judged: u anonymity (not read: ")
    page = first_screen(to_html(audit))
    assert '<span class="badge warn">not judged</span>' in page and "u anonymity" in page
    assert "promises kept" not in page
    told = json.loads(json.dumps(to_json(audit)))
    assert told["kept"] is None
    assert [entry["promise"] for entry in told["not_judged"]] == ["u_anonymity"]


@pytest.mark.parametrize("word", ["<b>Ann has flu</b>", "Ann", "x" * 41, "", "flu: ann\n2"])
@pytest.mark.parametrize("body", [{"secret": "Ann"}, ["Ann"], {"attribute": "Ann"}])
def test_a_stranger_s_words_are_not_repeated(tmp_path: Path, word: str, body: object) -> None:
    audit = audit_release(promising(tmp_path / "release", word, body))
    assert audit.levels[-1].model == "unknown" and audit.kept is None
    shown = to_text(audit) + to_html(audit) + json.dumps(to_json(audit))
    assert "Ann" not in shown and "x" * 41 not in shown


def test_a_broken_promise_beside_an_unread_one_is_broken(tmp_path: Path) -> None:
    (tmp_path / "theirs.csv").write_text("age,disease\n20-39,flu\n40-59,cold\n")
    promises = [{"k_anonymity": {"k": 2}}, {"zero_knowledge": {}}]
    audit = audit_release(tmp_path / "theirs.csv", description=SAID | {"promises": promises})
    assert audit.kept is False and [level.holds for level in audit.levels] == [False, None]


def test_in_a_description_a_word_close_to_a_known_one_is_a_mistake_and_any_other_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "theirs.csv").write_text("age,disease\n20-39,flu\n20-39,cold\n")
    with pytest.raises(DataError, match="did you mean 'k_anonymity'"):
        audit_release(tmp_path / "theirs.csv", description=SAID | {"promises": [{"k_anonimity": {"k": 2}}]})
    for entry in ({"zero_knowledge": {"u": 1}}, {"zero_knowledge": 5}, "zero_knowledge"):
        audit = audit_release(tmp_path / "theirs.csv", description=SAID | {"promises": [entry]})
        assert [(level.model, level.holds) for level in audit.levels] == [("zero_knowledge", None)]
        assert audit.kept is None


def test_a_promise_about_what_is_not_published_is_not_passed_over() -> None:
    nobody = ReleaseView("generalization", (), np.array([3]), (), promises=(Promise("l_diversity", {"l": 2}),))
    [level] = levels(nobody)
    assert level.holds is None and "sensitive attribute" in level.note


def test_a_bucketization_without_its_source_is_not_judged(bucketized: Path) -> None:
    alone = audit_release(bucketized)
    assert {level.holds for level in alone.levels} == {None}
    assert alone.kept is None and to_json(alone)["kept"] is None
    assert "source table" in headline(alone)
    page = first_screen(to_html(alone))
    assert '<span class="badge warn">not judged</span>' in page and "source table" in page
    beside = audit_release(bucketized, source=people())
    assert beside.kept is True and "promises kept" in first_screen(to_html(beside))


def test_a_promise_with_a_confidence_is_judged_where_its_line_is(tmp_path: Path) -> None:
    table = {"age": [str(20 + i % 4) for i in range(80)], "ill": ["yes" if i % 5 == 0 else "no" for i in range(80)]}
    words = {
        "attributes": {"age": {"role": "quasi_identifier", "hierarchy": {"intervals": [2, 4]}}},
        "require": [{"confident_presence": {"delta": [0, 0.6], "confidence": 0.8, "marginals": {}, "size": 80}}],
        "private": {"ill": "yes"},
    }
    counts = {value: table["age"].count(value) for value in sorted(set(table["age"]))}
    words["require"][0]["confident_presence"]["marginals"] = {"age": counts}  # type: ignore[index]
    discreet.anonymize(discreet.policy_from_words(words), tmp_path / "release", source=table)
    audit = audit_release(tmp_path / "release")
    [line] = [line for line in audit.lines if line.adversary == "presence_promise_fails"]
    [level] = [level for level in audit.levels if level.model == "confident_presence"]
    assert (level.achieved, level.required, level.holds) == (line.worst, line.promised, True)
    assert audit.kept is True


def test_exit_codes_tell_kept_broken_and_not_judged_apart(bucketized: Path, tmp_path: Path) -> None:
    (tmp_path / "theirs.csv").write_text("age,disease\n20-39,flu\n20-39,cold\n")

    def code(promises: str) -> int:
        (tmp_path / "said.yaml").write_text(f"quasi_identifiers: [age]\nsensitive: [disease]\npromises: {promises}\n")
        words = ["audit", str(tmp_path / "theirs.csv"), "--description", str(tmp_path / "said.yaml"), "--quiet"]
        return CliRunner().invoke(app, words).exit_code

    assert code("[{k_anonymity: {k: 2}}]") == 0
    assert code("[{k_anonymity: {k: 3}}]") == 1
    assert code("[{zero_knowledge: {}}]") == 3
    assert code("[{zero_knowledge: {}}, {k_anonymity: {k: 3}}]") == 1
    told = CliRunner().invoke(app, ["audit", str(bucketized), "--json"])
    assert told.exit_code == 3 and json.loads(told.stdout)["kept"] is None


def test_an_unknown_promise_is_told_on_the_first_screen_of_the_command(tmp_path: Path) -> None:
    """Exit code 3; what stands first on the terminal, on the page and in the JSON names the promise."""
    folder = str(promising(tmp_path / "release", "u_anonymity", {"u": 3}))
    told = CliRunner().invoke(app, ["audit", folder, "-o", str(tmp_path / "audit.html")])
    assert told.exit_code == 3
    assert told.stdout.splitlines()[1].startswith("Not judged: u anonymity (not read: ")
    page = first_screen((tmp_path / "audit.html").read_text(encoding="utf-8"))
    assert '<span class="badge warn">not judged</span>' in page and "u anonymity" in page
    found = json.loads(CliRunner().invoke(app, ["audit", folder, "--json"]).stdout)
    assert (found["kept"], found["not_judged"][0]["promise"]) == (None, "u_anonymity")


def test_help_names_the_exit_codes() -> None:
    told = " ".join(CliRunner().invoke(app, ["audit", "--help"]).stdout.split())
    assert "3: nothing is broken, but a promise" in told


def test_a_headline_names_five_promises_and_counts_the_others() -> None:
    several = tuple(Level("robust", f"a{i}", "f", "at most", 0.5, None, None, note="n") for i in range(7))
    audit = Audit("r", "bucketization", True, 1, 1, 1, 0, (), several)
    assert "robust of a4 (n) and 2 more" in headline(audit) and "a5" not in headline(audit)


def test_a_grave_fault_is_not_hidden_by_what_is_not_judged() -> None:
    level = Level("robust", None, "f", "at most", 0.5, None, None)
    audit = Audit("r", "bucketization", True, 1, 1, 1, 0, (), (level,), (Fault("leak", "f", "r", "r"),))
    assert audit.kept is False
    assert '<span class="badge no">faulty</span>' in first_screen(to_html(audit))
