"""Each number of a manifest is counted again, and figures about the source are found wherever they stand."""

from __future__ import annotations

import shutil

import pytest

import discreet
from discreet.audit.faults.faults import faults
from discreet.audit.reading.release import look
from discreet.run.warm_up import promises as examples
from tests.audit.releasing import REQUIRE, manifest_of, people, publish, resign


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return {kind: publish(tmp_path_factory.mktemp("made") / kind, kind) for kind in REQUIRE}


@pytest.fixture
def copied(made, tmp_path):
    def copy(kind):
        return shutil.copytree(made[kind], tmp_path / kind)

    return copy


def graves(folder):
    return [fault.fault for fault in faults(look(folder)) if fault.grave]


FIGURES = ["groups", "smallest_group", "discernibility", "average_group"]


@pytest.mark.parametrize("kind", REQUIRE)
def test_every_figure_that_the_tables_tell_is_counted_again(copied, kind):
    folder = copied(kind)
    assert graves(folder) == []
    manifest = manifest_of(folder)
    rows = manifest["rows"]
    for change in (
        *({word: manifest[word] + 1} for word in FIGURES),
        {"rows": rows | {"source": rows["source"] + 1, "published": rows["published"] + 1}},
        {"files": {n: a | {"rows": a["rows"] + 1} if "rows" in a else a for n, a in manifest["files"].items()}},
    ):
        resign(folder, **(manifest | change))
        assert {*graves(folder)} == {"wrong_count"}, change


def test_rows_that_are_nowhere_are_reported(copied):
    folder = copied("generalization")
    rows = manifest_of(folder)["rows"]
    resign(folder, rows=rows | {"suppressed": rows["suppressed"] + 1})
    assert "lost_rows" in graves(folder)


def test_what_promises_are_said_to_reach_is_read_again(tmp_path):
    readable = [promise for promise in examples() if "predicates" not in str(promise)]
    folder = publish(tmp_path / "release", "generalization", require=readable, suppress=0.9)
    assert graves(folder) == []
    promises = manifest_of(folder)["promises"]
    for at, promise in enumerate(promises):
        for word, fault in (("level", "wrong_level"), ("deciding_group", "wrong_count")):
            wrong = promise | {word: (promise[word] or 0) + 0.01 if word == "level" else 10_000}
            resign(folder, promises=[*promises[:at], wrong, *promises[at + 1 :]])
            assert graves(folder) == [fault], (promise["model"], word)


@pytest.mark.parametrize("word", ["loss", "losses", "loss_geometric", "facts", "seconds", "scans"])
def test_figures_about_the_source_are_reported(copied, word):
    folder = copied("multidimensional")
    resign(folder, **{word: {"age": 0.2} if word in ("losses", "facts", "seconds") else 0.25})
    audit = discreet.audit_release(folder)
    assert [(f.fault, f.place) for f in audit.faults if f.grave] == [
        ("figures_of_the_source", f"manifest.json: {word}")
    ]
    assert not audit.kept


def test_shares_of_the_source_and_secrets_are_reported(copied):
    folder = copied("generalization")
    resign(folder, references={"disease": [["flu", 12], ["HIV", 88]]})
    assert graves(folder) == ["figures_of_the_source"]
    resign(folder, references={}, policy=manifest_of(folder)["policy"] | {"seed": 1, "private": {"zip": "Z"}})
    assert graves(folder) == ["secret_told", "secret_told"]


def test_words_that_no_manifest_has_are_told_to_be_looked_at(copied):
    folder = copied("ambiguity")
    resign(folder, patients=["Ann"])
    [fault] = faults(look(folder))
    assert (fault.fault, fault.grave) == ("unknown_word", False)
    assert "'patients' is not read" in fault.rule
    assert "Ann" not in str(fault)
    resign(folder, **{f"word{i}": i for i in range(30)})
    found = faults(look(folder))
    assert len(found) == 10
    assert "(and 21 others)" in found[0].rule


def test_hidden_files_folders_and_links_are_reported(copied):
    folder = copied("bucketization")
    for name in (".hidden", "audit.html", "audit.json", "notes.txt"):
        (folder / name).write_text("x")
    (folder / "more").mkdir()
    (folder / "link").symlink_to(folder / "sensitive.csv")
    found = [fault for fault in faults(look(folder)) if fault.grave]
    assert {f.place for f in found} == {".hidden", "audit.html", "audit.json", "notes.txt", "more", "link"}
    assert {f.fault for f in found} == {"unlisted_file"}


def test_an_audit_is_never_written_into_the_release(made, tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from discreet.cli.main import app

    folder = made["generalization"]
    for place in (folder / "audit.html", folder / "sub" / ".." / "audit.html"):
        result = CliRunner().invoke(app, ["audit", str(folder), "-o", str(place)])
        assert result.exit_code != 0
        assert "lies in the release" in str(result.exception)
        assert not place.exists()
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["audit", str(folder), "-o", "audit.html"]).exit_code == 0


def test_the_source_of_releases_with_every_promise_changes_nothing(tmp_path):
    folder = publish(tmp_path / "release", "multidimensional", require=examples()[:10], suppress=0.5)
    assert discreet.audit_release(folder, source=people()).kept
