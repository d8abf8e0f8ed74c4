"""Only a whole release of ours with nothing else in it is replaced."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from discreet import DiscreetError, anonymize, read_policy
from discreet.cli.main import run
from discreet.releases.folder import check_target
from discreet.samples.hospital import write_sample
from tests.releases.folders import contents, fill_private, fill_release, manifest_of


def add(name: str, text: str = "x") -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(text)


def relist(**files: str) -> Callable[[Path], object]:
    """Another manifest, with a right checksum."""
    return lambda folder: (folder / "manifest.json").write_text(json.dumps(manifest_of(files)))


def listed_link(folder: Path) -> None:
    (folder / "data.csv").rename(folder.parent / "elsewhere.csv")
    (folder / "data.csv").symlink_to(folder.parent / "elsewhere.csv")


STRANGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a note": (add("note.txt"), "holds 'note.txt', which is not part of a release"),
    "a hidden file": (add(".hidden"), "holds '.hidden', which is not part of a release"),
    "a folder": (lambda f: (f / "data").mkdir(), "holds 'data', which is not part of a release"),
    "a link": (lambda f: (f / "report.html").symlink_to("/etc/passwd"), "holds 'report.html', which is not part"),
    "a table that is a link": (listed_link, "'data.csv' is missing or changed"),
    "another table of that name": (add("data.csv"), "'data.csv' is missing or changed"),
    "a lost table": (lambda f: (f / "data.csv").unlink(), "'data.csv' is missing or changed"),
    "no manifest": (lambda f: (f / "manifest.json").unlink(), "it has no manifest.json of ours"),
    "any manifest": (add("manifest.json", "{}"), "its manifest.json is not as we wrote it"),
    "a manifest of something else": (add("manifest.json", "[[1]]"), "it has no manifest.json of ours"),
    "a manifest without an end": (add("manifest.json", '{"a": ' * 9000), "it has no manifest.json of ours"),
    "a manifest that is a pipe": (
        lambda f: ((f / "manifest.json").unlink(), os.mkfifo(f / "manifest.json")),
        "it has no manifest.json of ours",
    ),
    "a wrong checksum": (
        lambda f: (f / "manifest.json").write_text(json.dumps(manifest_of({"data.csv": "old"}) | {"publish": "local"})),
        "its manifest.json is not as we wrote it",
    ),
    "a forged list": (relist(**{"patients.csv": "old"}), "its manifest.json lists 'patients.csv'"),
    "a forged list of another folder": (relist(**{"../patients.csv": "old"}), "lists '../patients.csv'"),
    "a forged list without the table": (relist(), "holds 'data.csv', which is not part of a release"),
    "a database that leaves files here": (
        lambda f: fill_release(f, database={"engine": "postgresql"}),
        "holds 'data.csv', which is not part of a release",
    ),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_what_is_no_whole_release_of_ours_is_never_replaced(tmp_path: Path, kind: str) -> None:
    change, why = STRANGE[kind]
    fill_release(tmp_path / "r")
    check_target(tmp_path / "r", replace=True)
    change(tmp_path / "r")
    with pytest.raises(DiscreetError) as error:
        check_target(tmp_path / "r", replace=True)
    [mistake] = error.value.mistakes
    assert mistake.place == str(tmp_path / "r")
    assert why in mistake.rule
    assert mistake.rule.endswith("so it is not replaced")
    assert "remove it by hand" in mistake.repair


def test_a_signature_is_part_of_a_release(tmp_path: Path) -> None:
    fill_release(tmp_path / "r")
    (tmp_path / "r" / "manifest.sig").write_text("signed")
    check_target(tmp_path / "r", replace=True)


def test_parts_of_a_table_are_checked_one_by_one(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    parts = manifest_of({"part-00000.parquet": "a", "part-00001.parquet": "b"})["files"]
    (folder / "data.parquet").mkdir(parents=True)
    for name, text in zip(parts, "ab", strict=True):
        (folder / "data.parquet" / name).write_text(text)
    manifest = manifest_of({}, files={"data.parquet": {"parts": parts}})
    (folder / "manifest.json").write_text(json.dumps(manifest))
    check_target(folder, replace=True)
    for wrong in ("notes.txt", "part-00001.parquet"):
        (folder / "data.parquet" / wrong).write_text("mine")
        with pytest.raises(DiscreetError, match=r"'data\.parquet' is missing or changed"):
            check_target(folder, replace=True)
        (folder / "data.parquet" / wrong).unlink()


PRIVATE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a note": (add("note.txt"), "holds 'note.txt'"),
    "a hidden file": (add(".hidden"), "holds '.hidden'"),
    "no figures": (lambda f: (f / "figures.json").unlink(), "it has no figures.json of ours"),
    "figures of others": (add("figures.json", "{}"), "it has no figures.json of ours"),
    "a link": (
        lambda f: ((f / "report.html").unlink(), (f / "report.html").symlink_to("/etc/passwd")),
        "holds 'report.html'",
    ),
}


@pytest.mark.parametrize("kind", PRIVATE)
def test_what_is_not_the_custodian_s_is_never_replaced(tmp_path: Path, kind: str) -> None:
    change, why = PRIVATE[kind]
    fill_private(tmp_path / "p")
    check_target(tmp_path / "r", private=tmp_path / "p", replace=True)
    change(tmp_path / "p")
    with pytest.raises(DiscreetError) as error:
        check_target(tmp_path / "r", private=tmp_path / "p", replace=True)
    [mistake] = error.value.mistakes
    assert mistake.place == str(tmp_path / "p")
    assert why in mistake.rule


@pytest.mark.parametrize("through", ["name", "link"])
def test_a_folder_that_we_read_from_is_never_replaced(tmp_path: Path, through: str) -> None:
    fill_release(tmp_path / "r")
    read = tmp_path / "r" / "data.csv"
    if through == "link":
        (tmp_path / "link.csv").symlink_to(read)
        read = tmp_path / "link.csv"
    with pytest.raises(DiscreetError, match=r"holds '(data|link).csv', which is read"):
        check_target(tmp_path / "r", replace=True, inputs=[read])


@pytest.mark.parametrize("within", [".", "data.parquet"])
def test_the_folder_that_we_stand_in_is_never_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, within: str
) -> None:
    fill_release(tmp_path / "r")
    (tmp_path / "r" / within).mkdir(exist_ok=True)
    monkeypatch.chdir(tmp_path / "r" / within)
    with pytest.raises(DiscreetError, match="holds the working folder"):
        check_target(tmp_path / "r", replace=True)


@pytest.mark.parametrize("policy", ["policy.yaml", "bucketization.yaml", "ambiguity.yaml"])
def test_every_kind_of_release_can_be_replaced(tmp_path: Path, policy: str) -> None:
    write_sample(tmp_path, rows=300, seed=1)
    for form in ("csv", "parquet"):
        read = replace(read_policy(tmp_path / policy), format=form)
        for _ in range(2):
            anonymize(read, tmp_path / form, replace=True)
    shutil.rmtree(tmp_path / "csv")


def exit_code(monkeypatch: pytest.MonkeyPatch, *words: str) -> Any:
    monkeypatch.setattr("sys.argv", ["discreet", *words])
    with pytest.raises(SystemExit) as end:
        run()
    return end.value.code


def test_force_does_not_delete_a_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = tmp_path / "study"
    write_sample(study, rows=300, seed=1)
    (study / "manifest.json").write_text("{}\n")
    before = contents(study)
    monkeypatch.chdir(study)
    assert exit_code(monkeypatch, "anonymize", "policy.yaml", "-o", "../study", "--force") == 2
    assert contents(study) == before
    assert sorted(f.name for f in tmp_path.iterdir()) == ["study"]


def test_force_does_not_delete_a_study_with_a_forged_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = tmp_path / "study"
    write_sample(study, rows=300, seed=1)
    files = {f.name: f.read_text() for f in study.iterdir()}
    (study / "manifest.json").write_text(json.dumps(manifest_of(files)))
    before = contents(study)
    monkeypatch.chdir(tmp_path)
    assert exit_code(monkeypatch, "anonymize", "study/policy.yaml", "-o", "study", "--force") == 2
    assert contents(study) == before
